/* Kernels of move.def. */
#include "arith/kernel/kernel.h"
#include "arith/fp.h"
#include "arith/kernel/functions.h"
#include "arith/kernel/move.def"

#include "arith/kernel/rows.h"
arith_kernel *const SYM(move_run)[] = {
#include "arith/kernel/move.def"
};
