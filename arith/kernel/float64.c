/* Kernels of float64.def. */
#include "arith/kernel/kernel.h"
#include "arith/fp.h"

#include "arith/kernel/functions.h"
#include "arith/kernel/float64.def"

#include "arith/kernel/rows.h"
arith_kernel *const SYM(float64_run)[] = {
#include "arith/kernel/float64.def"
};
