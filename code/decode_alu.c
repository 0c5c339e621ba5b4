/* Decoding of lane-wise instructions into kernel calls: operand groups flattened, immediates
 * repeated for 32 lanes in the kernel's width, sources of other widths resized. Also mov. */
#include "base/assert.h"
#include "code/decode.h"
#include "code/undefined_bits.h"
#include <string.h>

struct flat {
	struct ir_operand operand[ARITH_MAX_OPERANDS];
	unsigned count;
};

static bool flatten(const struct decoder *d, const struct ir_insn *i, struct flat *f)
{
	f->count = 0;
	for (unsigned k = 0; k < i->noperands; k++) {
		const struct ir_operand *o = decode_operand(d, i, k);
		bool group = o->kind == IR_PAIR || o->kind == IR_VEC;
		unsigned n = group ? o->count : 1;

		for (unsigned j = 0; j < n; j++) {
			if (f->count == ARITH_MAX_OPERANDS - 1)
				return false;
			f->operand[f->count++] = group ? d->module->operand[o->index + j] : *o;
		}
	}
	return true;
}

static void make_query(const struct decoder *d, const struct ir_insn *i, const struct flat *f,
	struct arith_query *q)
{
	*q = (struct arith_query){.opcode = ir_form(i)->opcode,
		.nwords = i->nwords,
		.noperands = (uint8_t)f->count,
		.word = d->module->word + i->word};
	for (unsigned k = 0; k < f->count; k++) {
		const struct ir_operand *o = &f->operand[k];

		q->reg_bytes[k] = 0xff;
		q->negated[k] = o->negated;
		if (o->kind == IR_REG && o->aux == IR_SELECTOR)
			q->selector[k] = (uint16_t)o->count;
		if (o->kind == IR_REG)
			q->reg_bytes[k] = (uint8_t)decode_reg_width(d, o->index);
		else if (o->kind == IR_SREG)
			q->reg_bytes[k] = (uint8_t)(sreg_info[o->index].type == TYPE_pred
					? 0
					: type_bytes(sreg_info[o->index].type));
		else if (o->kind == IR_IMM) {
			q->is_immediate[k] = true;
			q->immediate[k] = o->value;
		}
	}
}

/* The place of O with WIDTH bytes per lane, as the kernel reads it. */
static uint32_t kernel_source(struct decoder *d, const struct ir_operand *o, unsigned width)
{
	struct ir_operand plain = *o;
	unsigned have = width;

	plain.negated = 0; /* the kernel applies the negation */
	uint32_t place = decode_source(d, &plain, &have);

	if (have == width)
		return place;
	uint32_t to = decode_scratch(d, width);

	decode_resize(d, to, width, place, have);
	return to;
}

static bool find_kernel(
	const struct decoder *d, const struct ir_insn *i, struct flat *f, struct arith_op *a)
{
	struct arith_query q;

	if (!flatten(d, i, f))
		return false;
	make_query(d, i, f, &q);
	return arith_find(&q, a);
}

void decode_alu(struct decoder *d, const struct ir_insn *i)
{
	struct flat f;
	struct arith_op a;
	uint32_t place[ARITH_MAX_OPERANDS];

	if (!find_kernel(d, i, &f, &a)) {
		decode_unsupported(d, i);
		return;
	}
	unsigned written = a.noperands - (a.reads_cc || a.writes_cc ? 1u : 0u) -
		(a.has_control ? 1u : 0u);

	assert(written == f.count);
	for (unsigned k = 0; k < written; k++) {
		unsigned width = a.width[k];

		place[k] = k < a.ndests ? decode_dest(d, &f.operand[k], &width)
					: kernel_source(d, &f.operand[k], width);
		assert(width == a.width[k]);
	}
	uint32_t control = a.has_control ? decode_constant(d, a.control, 8) : 0;
	struct op *op = decode_emit(d, KIND_ALU);

	op->run.kernel = a.run;
	op->ndests = a.ndests;
	bits_rule(d, i, &op->alu);
	for (unsigned k = 0; k < written; k++) {
		decode_add(op, place[k], a.width[k]);
		if (k >= a.ndests && f.operand[k].negated)
			op->alu.complemented |= (uint8_t)(1u << (k - a.ndests));
	}
	if (a.reads_cc || a.writes_cc)
		decode_add(op, 0, 0);
	if (a.has_control)
		decode_add(op, control, 8);
}

/* --- mov --- */

/* The elements of operand O: of a braced list, of a vector register, or of a special register with
 * components; otherwise O itself. Returns their number. */
static unsigned mov_elements(
	const struct decoder *d, const struct ir_operand *o, struct ir_operand *out)
{
	unsigned n = 0;

	if (o->kind == IR_VEC) {
		n = o->count < 4 ? o->count : 4;
		memcpy(out, &d->module->operand[o->index], n * sizeof *out);
		return n;
	}
	if (!o->aux)
		n = o->kind == IR_REG        ? d->module->reg[d->func->reg + o->index].vector
			: o->kind == IR_SREG ? sreg_info[o->index].vector
					     : 0;
	for (unsigned k = 0; k < n; k++) {
		out[k] = *o;
		out[k].aux = (uint8_t)(1 + k);
	}
	if (n)
		return n;
	*out = *o;
	return 1;
}

/* mov between groups of registers. With .v2 or .v4 every element has the instruction's type;
 * without, the elements of each side together make up one value of that type. */
static void decode_regroup(struct decoder *d, const struct ir_operand *to, unsigned nto,
	const struct ir_operand *from, unsigned nfrom)
{
	bool vector = decode_has(d, W_v2) || decode_has(d, W_v4);
	unsigned bytes = type_bytes(decode_type(d)), wide = vector ? bytes : bytes / nto, width[8];
	uint32_t place[8];
	struct op *op;

	if (bytes * (vector ? nto : 1) > 16 || (vector && nto != nfrom)) {
		decode_unsupported(d, d->insn);
		return;
	}
	for (unsigned k = 0; k < nto; k++) {
		width[k] = wide;
		place[k] = decode_dest(d, &to[k], &width[k]);
	}
	wide = vector ? bytes : bytes / nfrom;
	for (unsigned k = nto; k < nto + nfrom; k++) {
		width[k] = wide;
		place[k] = kernel_source(d, &from[k - nto], wide);
	}
	op = decode_emit(d, KIND_REGROUP);
	for (unsigned k = 0; k < nto + nfrom; k++)
		decode_add(op, place[k], width[k]);
	op->ndests = (uint8_t)nto;
}

static void decode_copy(
	struct decoder *d, const struct ir_operand *to, const struct ir_operand *from)
{
	unsigned tw = type_bytes(decode_type(d)), sw;
	uint32_t place = decode_dest(d, to, &tw);

	if (from->kind == IR_SREG) {
		assert(tw ==
			(sreg_info[from->index].type == TYPE_pred
					? 0
					: type_bytes(sreg_info[from->index].type)));
		decode_sreg(d, from, place, tw);
		return;
	}
	sw = tw;
	decode_resize(d, place, tw, decode_source(d, from, &sw), sw);
}

void decode_mov(struct decoder *d, const struct ir_insn *i)
{
	struct ir_operand to[4], from[4];
	const struct ir_operand *o = decode_operand(d, i, 0);
	unsigned nto = mov_elements(d, &o[0], to), nfrom = mov_elements(d, &o[1], from);

	if (nto != 1 || nfrom != 1)
		decode_regroup(d, to, nto, from, nfrom);
	else if (o[0].kind == IR_REG &&
		(o[1].kind == IR_REG || o[1].kind == IR_IMM || o[1].kind == IR_VAR ||
			o[1].kind == IR_FUNC))
		decode_alu(d, i);
	else
		decode_copy(d, to, from);
}
