/* Kernels of carry.def. */
#include "arith/kernel/kernel.h"
#include "arith/lane.h"

#include "arith/kernel/functions.h"
#include "arith/kernel/carry.def"

#include "arith/kernel/rows.h"
arith_kernel *const SYM(carry_run)[] = {
#include "arith/kernel/carry.def"
};
