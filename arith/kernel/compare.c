/* Kernels of compare.def. */
#include "arith/kernel/kernel.h"
#include "arith/fp.h"

#include "arith/kernel/functions.h"
#include "arith/kernel/compare.def"

#include "arith/kernel/rows.h"
arith_kernel *const SYM(compare_run)[] = {
#include "arith/kernel/compare.def"
};
