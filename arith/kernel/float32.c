/* Kernels of float32.def. */
#include "arith/kernel/kernel.h"
#include "arith/fp.h"

#include "arith/kernel/functions.h"
#include "arith/kernel/float32.def"

#include "arith/kernel/rows.h"
arith_kernel *const SYM(float32_run)[] = {
#include "arith/kernel/float32.def"
};
