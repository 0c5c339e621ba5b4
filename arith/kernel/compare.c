/* Kernels of compare.def. */
#include "arith/kernel/kernel.h"
#include "arith/fp.h"

#include "arith/kernel/functions.h"
#include "arith/kernel/compare.def"

#include "arith/kernel/rows.h"
static const struct arith_row rows[] = {
#include "arith/kernel/compare.def"
};
const struct arith_rows SYM(compare_rows) = {rows, sizeof rows / sizeof *rows};
