/* --check=init, bit by bit: which bits of a result are undefined when some bits of its sources are. Only for operations that compilers build bit fields, packed
 * structures and conditions with; of every other one the whole result is undefined. */
#ifndef PTXI_INTERP_UNDEFINED_BITS_H
#define PTXI_INTERP_UNDEFINED_BITS_H
#include "interp/decode.h"

/* op->flag[3] of OP_KIND_ALU ops, and of those that copy. */
enum bits_rule {
	BITS_WHOLE, /* any undefined bit makes all of the result undefined */
	BITS_COPY,  /* sources one after the other, the first in the low bits, into the destinations the same way; what is longer is zero-extended */
	BITS_AND,
	BITS_OR,
	BITS_XOR,
	BITS_NOT,
	BITS_SHL,
	BITS_SHR,
	BITS_SHR_SIGNED,
	BITS_CARRY,  /* add, sub: from the lowest undefined bit upwards */
	BITS_EXTEND, /* cvt between integers: op->bytes of the source, sign-extended when flag[0]; cut to op->vector bytes, sign-extended when flag[1] */
	BITS_SELECT,
	BITS_SELECT_SIGN, /* slct by an s32, or an f32 (flag[0]: .ftz) */
	BITS_COMPARE,     /* setp, set: of op->type by op->operation, with a third source by flag[1]; the second destination has the comparison complemented */
	BITS_LOGIC,       /* lop3; its second destination is flag[1] of "not zero" and the fifth source */
	BITS_MIN,
	BITS_MAX,
	BITS_INSERT, /* bfi */
	BITS_EXTRACT,
	BITS_EXTRACT_SIGNED,
	BITS_PERMUTE, /* prmt without a mode */
};

/* The rule of instruction I; fills the fields of OP that it needs. */
enum bits_rule bits_rule(const struct decoder *d, const struct ir_insn *i, struct op *op);

/* The undefined bits of destination DEST for one lane. A source K has the value V[k] and the undefined bits U[k], a predicate in the lowest bit. flag[2] has a bit for each
 * source that is complemented. Of the last destination width WIDTH[0] is looked at where it matters. */
enum { BITS_SOURCES = 5 };
uint64_t bits_of_result(const struct op *op, const uint64_t *v, const uint64_t *u, unsigned dest);

#endif
