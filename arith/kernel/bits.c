/* Kernels of bits.def. */
#include "arith/kernel/kernel.h"
#include "arith/lane.h"

#include "arith/kernel/functions.h"
#include "arith/kernel/bits.def"

#include "arith/kernel/rows.h"
arith_kernel *const SYM(bits_run)[] = {
#include "arith/kernel/bits.def"
};
