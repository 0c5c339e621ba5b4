/* Kernels of convert.def. */
#include "arith/kernel/kernel.h"
#include "arith/fp.h"

#include "arith/kernel/functions.h"
#include "arith/kernel/convert.def"

#include "arith/kernel/rows.h"
arith_kernel *const SYM(convert_run)[] = {
#include "arith/kernel/convert.def"
};
