/* Kernels of approx.def. */
#include "arith/kernel/kernel.h"
#include "arith/fp.h"

#include "arith/kernel/functions.h"
#include "arith/kernel/approx.def"

#include "arith/kernel/rows.h"
static const struct arith_row rows[] = {
#include "arith/kernel/approx.def"
};
const struct arith_rows SYM(approx_rows) = {rows, sizeof rows / sizeof *rows};
