/* Kernels of float64.def. */
#include "arith/kernel/kernel.h"
#include "arith/fp.h"

#include "arith/kernel/functions.h"
#include "arith/kernel/float64.def"

#include "arith/kernel/rows.h"
static const struct arith_row rows[] = {
#include "arith/kernel/float64.def"
};
const struct arith_rows SYM(float64_rows) = {rows, sizeof rows / sizeof *rows};
