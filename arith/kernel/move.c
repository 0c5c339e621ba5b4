/* Kernels of move.def. */
#include "arith/kernel/kernel.h"
#include "arith/fp.h"
#include "arith/kernel/functions.h"
#include "arith/kernel/move.def"

#include "arith/kernel/rows.h"
static const struct arith_row rows[] = {
#include "arith/kernel/move.def"
};
const struct arith_rows SYM(move_rows) = {rows, sizeof rows / sizeof *rows};
