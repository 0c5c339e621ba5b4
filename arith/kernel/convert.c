/* Kernels of convert.def. */
#include "arith/kernel/kernel.h"
#include "arith/fp.h"

#include "arith/kernel/functions.h"
#include "arith/kernel/convert.def"

#include "arith/kernel/rows.h"
static const struct arith_row rows[] = {
#include "arith/kernel/convert.def"
};
const struct arith_rows SYM(convert_rows) = {rows, sizeof rows / sizeof *rows};
