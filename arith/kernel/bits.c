/* Kernels of bits.def. */
#include "arith/kernel/kernel.h"
#include "arith/lane.h"

#include "arith/kernel/functions.h"
#include "arith/kernel/bits.def"

#include "arith/kernel/rows.h"
static const struct arith_row rows[] = {
#include "arith/kernel/bits.def"
};
const struct arith_rows SYM(bits_rows) = {rows, sizeof rows / sizeof *rows};
