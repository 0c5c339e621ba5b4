/* The rows of all kernel files, without their functions, which differ by processor. */
#include "arith/table.h"

#define ROW(name, keys, nops, dests, code, ...) \
	{.key = {UNPAREN keys}, \
		.noperands = (nops), \
		.ndests = (dests), \
		.cc = (code), \
		.width = {__VA_ARGS__}},
#include "arith/kernel/rows.h"
static const struct arith_row integer[] = {
#include "arith/kernel/integer.def"
};
static const struct arith_row bits[] = {
#include "arith/kernel/bits.def"
};
static const struct arith_row carry[] = {
#include "arith/kernel/carry.def"
};
static const struct arith_row compare[] = {
#include "arith/kernel/compare.def"
};
static const struct arith_row move[] = {
#include "arith/kernel/move.def"
};
static const struct arith_row float32[] = {
#include "arith/kernel/float32.def"
};
static const struct arith_row float64[] = {
#include "arith/kernel/float64.def"
};
static const struct arith_row directed[] = {
#include "arith/kernel/directed.def"
};
static const struct arith_row half[] = {
#include "arith/kernel/half.def"
};
static const struct arith_row convert[] = {
#include "arith/kernel/convert.def"
};
static const struct arith_row approx[] = {
#include "arith/kernel/approx.def"
};

#define F(name) {name, sizeof name / sizeof *name},
const struct arith_rows arith_rows[] = {ARITH_FILES(F, F)};
