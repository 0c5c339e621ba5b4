/* --check=init, bit by bit: which bits of a result are undefined when some bits of its sources are.
 * Exact only for the operations that compilers use for bit fields, packed structures and
 * conditions; for every other operation the whole result is undefined. */
#ifndef PTXI_CODE_UNDEFINED_BITS_H
#define PTXI_CODE_UNDEFINED_BITS_H
#include "code/decode.h"

/* Fills HOW for the lane-wise instruction I, except `complemented`, which the caller sets. */
void bits_rule(const struct decoder *d, const struct ir_insn *i, struct op_alu *how);

/* The undefined bits of destination DEST of OP (KIND_ALU) in one lane. Source k has the value V[k]
 * and the undefined bits U[k]; a predicate is in the lowest bit. */
enum { BITS_SOURCES = 5 };
uint64_t bits_of_result(const struct op *op, const uint64_t *v, const uint64_t *u, unsigned dest);

#endif
