/* Kernels of carry.def. */
#include "arith/kernel/kernel.h"
#include "arith/lane.h"

#include "arith/kernel/functions.h"
#include "arith/kernel/carry.def"

#include "arith/kernel/rows.h"
static const struct arith_row rows[] = {
#include "arith/kernel/carry.def"
};
const struct arith_rows SYM(carry_rows) = {rows, sizeof rows / sizeof *rows};
