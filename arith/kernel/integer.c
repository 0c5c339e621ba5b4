/* Kernels of integer.def. */
#include "arith/kernel/kernel.h"
#include "arith/lane.h"

#include "arith/kernel/functions.h"
#include "arith/kernel/integer.def"

#include "arith/kernel/rows.h"
arith_kernel *const SYM(integer_run)[] = {
#include "arith/kernel/integer.def"
};
