/* Kernels of approx.def. */
#include "arith/kernel/kernel.h"
#include "arith/fp.h"

#include "arith/kernel/functions.h"
#include "arith/kernel/approx.def"

#include "arith/kernel/rows.h"
arith_kernel *const SYM(approx_run)[] = {
#include "arith/kernel/approx.def"
};
