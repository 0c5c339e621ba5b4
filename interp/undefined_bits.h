/* --check=init, bit by bit: which bits of a result are undefined when some bits of its sources are. Only for operations that compilers build bit fields and packed
 * structures with; of every other one the whole result is undefined. */
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
	BITS_INSERT, /* bfi */
	BITS_EXTRACT,
	BITS_EXTRACT_SIGNED,
	BITS_PERMUTE, /* prmt without a mode */
};

/* The rule of instruction I; fills the fields of OP that it needs. */
enum bits_rule bits_rule(const struct decoder *d, const struct ir_insn *i, struct op *op);

/* The undefined bits of the result for one lane. A source K has the value V[k] and the undefined bits U[k]; of width WIDTH[k] bytes (0: a predicate, one bit). */
uint64_t bits_of_result(const struct op *op, const uint64_t *v, const uint64_t *u);

#endif
