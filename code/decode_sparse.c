/* Decoding of spcompress and spdecompress: one op for each register of the result. (PTX ISA
 * 9.7.10.30, 9.7.10.31) */
#include "arith/sparse.h"
#include "base/assert.h"
#include "code/decode.h"
#include <stdio.h>

enum { WORD = 4, CONTROL = 8 };

static const struct ir_operand *element(
	const struct decoder *d, const struct ir_operand *o, unsigned k)
{
	assert(k < (o->kind == IR_VEC ? o->count : 1u));
	return o->kind == IR_VEC ? &d->module->operand[o->index + k] : o;
}

static uint32_t source(struct decoder *d, const struct ir_operand *o, unsigned k)
{
	unsigned width = WORD;
	uint32_t place = decode_source(d, element(d, o, k), &width);

	assert(width == WORD);
	return place;
}

static uint32_t dest(struct decoder *d, const struct ir_operand *o, unsigned k)
{
	unsigned width = WORD;
	uint32_t place = decode_dest(d, element(d, o, k), &width);

	assert(width == WORD);
	return place;
}

/* The numbers of the words .x16 and .sp::2:4. */
static unsigned form_of(const struct decoder *d, const struct ir_insn *i, struct sparse *s)
{
	unsigned repeat = 1;

	*s = (struct sparse){
		.bits = decode_has(d, W_b8) ? 8 : 16, .index = decode_has(d, W_b2) ? 2 : 4};
	for (unsigned k = 0; k < i->nwords; k++) {
		const char *w = word_text((enum word)d->module->word[i->word + k]);
		unsigned from, to;

		if (sscanf(w, "sp::%u:%u", &from, &to) == 2) {
			s->from = (uint8_t)from;
			s->to = (uint8_t)to;
		} else if (w[0] == 'x') {
			sscanf(w, "x%u", &repeat);
		}
	}
	return repeat;
}

/* A descriptor that does not fit ends the program: "runtime error". */
static void check_descriptor(struct decoder *d, uint32_t descriptor, const struct sparse *s)
{
	uint32_t misfit = decode_scratch(d, 0),
		 control = decode_constant(d, sparse_control(s), CONTROL);
	struct op *op = decode_emit(d, KIND_COMPLEMENT);

	/* of all lanes, also those that do not execute the instruction: no */
	op->guard = 1;
	op->guard_xor = 0;
	decode_add(op, misfit, 0);
	decode_add(op, decode_constant(d, 1, 0), 0);
	op->ndests = 1;
	op = decode_emit(d, KIND_ALU);
	op->run.kernel = sparse_misfit;
	decode_add(op, misfit, 0);
	op->ndests = 1;
	decode_add(op, descriptor, WORD);
	decode_add(op, control, CONTROL);
	op = decode_emit(d, KIND_TRAP);
	op->why =
		"the descriptor names a type that does not have the size of the elements, or has reserved bits";
	op->guard = misfit;
	op->guard_xor = 0;
}

static void compress(struct decoder *d, const struct ir_insn *i)
{
	const struct ir_operand *places = decode_operand(d, i, 0), *to = decode_operand(d, i, 1),
				*from = decode_operand(d, i, 2);
	struct sparse s;
	unsigned n = form_of(d, i, &s), bits = 32u / s.bits * s.index; /* of places, per register */
	uint32_t descriptor = source(d, decode_operand(d, i, 3), 0);

	check_descriptor(d, descriptor, &s);
	for (unsigned k = 0; k < n; k++) {
		uint32_t at = dest(d, places, k * bits / 32), out = dest(d, to, k),
			 low = source(d, from, 2 * k), high = source(d, from, 2 * k + 1);

		s.places = (uint8_t)(k * bits % 32);
		uint32_t before = s.places ? at : decode_constant(d, 0, WORD),
			 control = decode_constant(d, sparse_control(&s), CONTROL);
		struct op *op = decode_emit(d, KIND_ALU);

		op->run.kernel = sparse_compress;
		decode_add(op, out, WORD);
		decode_add(op, at, WORD);
		op->ndests = 2;
		decode_add(op, low, WORD);
		decode_add(op, high, WORD);
		decode_add(op, descriptor, WORD);
		decode_add(op, before, WORD);
		decode_add(op, control, CONTROL);
	}
}

static void expand(struct decoder *d, const struct ir_insn *i)
{
	const struct ir_operand *to = decode_operand(d, i, 0), *places = decode_operand(d, i, 1),
				*values = decode_operand(d, i, 2);
	struct sparse s;
	unsigned n = form_of(d, i, &s), each = 32u / s.bits, registers = n * s.to / each;

	for (unsigned r = 0; r < registers; r++) {
		unsigned group = r * each / s.to, place = group * s.from * s.index,
			 value = group * s.from * s.bits;
		uint32_t out = dest(d, to, r), at = source(d, places, place / 32),
			 from = source(d, values, value / 32);

		s.places = (uint8_t)(place % 32);
		s.values = (uint8_t)(value % 32);
		s.first = (uint8_t)(r * each % s.to);
		uint32_t control = decode_constant(d, sparse_control(&s), CONTROL);
		struct op *op = decode_emit(d, KIND_ALU);

		op->run.kernel = sparse_expand;
		decode_add(op, out, WORD);
		op->ndests = 1;
		decode_add(op, at, WORD);
		decode_add(op, from, WORD);
		decode_add(op, control, CONTROL);
	}
}

void decode_sparse(struct decoder *d, const struct ir_insn *i)
{
	if (ir_form(i)->opcode == OP_spcompress)
		compress(d, i);
	else
		expand(d, i);
}
