/* Kernels of half.def. */
#include "arith/kernel/kernel.h"
#include "arith/fp.h"

#include "arith/kernel/functions.h"
#include "arith/kernel/half.def"

#include "arith/kernel/rows.h"
arith_kernel *const SYM(half_run)[] = {
#include "arith/kernel/half.def"
};
