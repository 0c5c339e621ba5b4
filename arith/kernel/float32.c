/* Kernels of float32.def. */
#include "arith/kernel/kernel.h"
#include "arith/fp.h"

#include "arith/kernel/functions.h"
#include "arith/kernel/float32.def"

#include "arith/kernel/rows.h"
static const struct arith_row rows[] = {
#include "arith/kernel/float32.def"
};
const struct arith_rows SYM(float32_rows) = {rows, sizeof rows / sizeof *rows};
