/* Kernels of integer.def. */
#include "arith/kernel/kernel.h"
#include "arith/lane.h"

#include "arith/kernel/functions.h"
#include "arith/kernel/integer.def"

#include "arith/kernel/rows.h"
static const struct arith_row rows[] = {
#include "arith/kernel/integer.def"
};
const struct arith_rows SYM(integer_rows) = {rows, sizeof rows / sizeof *rows};
