/* Kernels of half.def. */
#include "arith/kernel/kernel.h"
#include "arith/fp.h"

#include "arith/kernel/functions.h"
#include "arith/kernel/half.def"

#include "arith/kernel/rows.h"
static const struct arith_row rows[] = {
#include "arith/kernel/half.def"
};
const struct arith_rows SYM(half_rows) = {rows, sizeof rows / sizeof *rows};
