/* Writes how ops use the variables of a unit: their operands as arrays of 32 lanes or as lines,
 * what they make of registers, and calls of executors. */
#ifndef PTXI_NATIVE_VALUES_H
#define PTXI_NATIVE_VALUES_H
#include "native/places.h"

static inline unsigned pieces(const struct writer *u, unsigned width)
{
	return LANES * width / u->vector;
}
static inline const char *word_of(unsigned width)
{
	return width == 2 ? "u16" : width == 4 ? "u32" : "u64";
}

/* Whether operand K of OP is a line in this copy. */
bool is_line(const struct writer *u, const struct op *op, unsigned k);
/* The value of such an operand in the first lane of PART. */
void put_first(struct writer *u, const struct op *op, unsigned k, unsigned part);
/* Inside a loop over the lanes i: the value of such an operand. */
void put_lane(struct writer *u, const struct op *op, unsigned k);
/* Declares array x<K> of the 32 lanes of operand K, or a pointer to those of a constant. */
void put_array(struct writer *u, const struct op *op, unsigned k);
/* The word of predicate operand K. */
void put_predicate(struct writer *u, const struct op *op, unsigned k);
/* Inside the loop: NAME is element i of operand K, of the text's type number TYPE. */
void put_element(struct writer *u, const struct op *op, unsigned k, const struct arith_text *t,
	unsigned type, char name);

/* Whether lanes of this copy that do not execute OP keep what they have in operand K. */
bool keeps(const struct writer *u, const struct op *op, unsigned k);
/* Register operand K gets array d in the lanes of m. */
void set_register(struct writer *u, const struct op *op, unsigned k);
/* The predicate that OP writes gets `bits` in the lanes of m. */
void set_predicate(struct writer *u, const struct op *op);

/* The assignments of the variables of S between them and the frame. */
void move_set(struct writer *u, const struct set *s, bool store);
/* The same for those of S that are also in AMONG. */
void put_operands(struct writer *u, const struct set *s, const struct set *among, bool store);
/* The executor of OP, or its kernel, with the registers that it names in the frame. */
void put_call(struct writer *u, const struct op *op, uint32_t at, enum way way);
/* What is not written here, for op AT: its executor; in a branch's part, the group parts, and the
 * execution loop goes on. RARELY: see exec_rarely() in rare.h. */
void put_slow(struct writer *u, const struct op *op, uint32_t at, bool rarely);

#endif
