/* Lane-wise instructions become kernel calls: operands flattened, immediates spread over 32 lanes in the kernel's width, odd widths adapted. */
#include "interp/decode.h"
#include "interp/exec.h"
#include "interp/place.h"
#include "interp/undefined_bits.h"
#include <stdlib.h>
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

static void query(const struct decoder *d, const struct ir_insn *i, const struct flat *f, struct arith_query *q)
{
	*q = (struct arith_query){.opcode = ir_form(i)->opcode, .nwords = i->nwords, .noperands = (uint8_t)f->count, .word = d->module->word + i->word};
	for (unsigned k = 0; k < f->count; k++) {
		const struct ir_operand *o = &f->operand[k];

		q->reg_bytes[k] = 0xff;
		q->negated[k] = o->negated;
		if (o->kind == IR_REG && o->aux == IR_SELECTOR)
			q->selector[k] = (uint16_t)o->count;
		if (o->kind == IR_REG)
			q->reg_bytes[k] = (uint8_t)decode_reg_width(d, o->index);
		else if (o->kind == IR_SREG)
			q->reg_bytes[k] = (uint8_t)(sreg_info[o->index].type == TYPE_pred ? 0 : type_bytes(sreg_info[o->index].type));
		else if (o->kind == IR_IMM) {
			q->is_immediate[k] = true;
			q->immediate[k] = o->value;
		}
	}
}

/* The place from which the kernel reads WIDTH bytes a lane of O. */
static uint32_t kernel_source(struct decoder *d, const struct ir_operand *o, unsigned width)
{
	struct ir_operand plain = *o;
	unsigned have = width;

	plain.negated = 0; /* the kernel's business */
	uint32_t place = decode_source(d, &plain, &have);

	if (have == width)
		return place;
	uint32_t to = decode_scratch(d, width);

	decode_resize(d, to, width, place, have);
	return to;
}

void decode_alu(struct decoder *d, const struct ir_insn *i)
{
	struct flat f;
	struct arith_query q;
	struct arith_op a;
	uint32_t place[ARITH_MAX_OPERANDS], real[ARITH_MAX_OPERANDS];
	unsigned real_width[ARITH_MAX_OPERANDS];

	if (!flatten(d, i, &f)) {
		decode_unsupported(d, i);
		return;
	}
	query(d, i, &f, &q);
	if (!arith_find(&q, &a)) {
		decode_unsupported(d, i);
		return;
	}
	unsigned written = a.noperands - (a.reads_cc || a.writes_cc ? 1u : 0u) - (a.has_control ? 1u : 0u);

	if (written > f.count)
		abort();

	for (unsigned k = 0; k < written; k++) {
		real_width[k] = a.width[k];
		if (k < a.ndests) {
			place[k] = real[k] = decode_dest(d, &f.operand[k], &real_width[k]);
			if (real_width[k] != a.width[k])
				place[k] = decode_scratch(d, a.width[k]);
		} else {
			place[k] = kernel_source(d, &f.operand[k], a.width[k]);
		}
	}
	uint32_t control = a.has_control ? decode_constant(d, a.control, 8) : 0;
	struct op *op = decode_emit(d, NULL);

	op->kind = OP_KIND_ALU;
	op->run.kernel = a.run;
	op->ndests = a.ndests;
	op->flag[3] = (uint8_t)bits_rule(d, i, op);
	for (unsigned k = 0; k < written; k++) {
		decode_add(op, place[k], a.width[k]);
		if (k >= a.ndests && k - a.ndests < 8 && f.operand[k].negated)
			op->flag[2] |= (uint8_t)(1u << (k - a.ndests));
	}
	if (a.reads_cc || a.writes_cc)
		decode_add(op, 0, 0);
	if (a.has_control)
		decode_add(op, control, 8);
	for (unsigned k = 0; k < a.ndests; k++)
		if (place[k] != real[k])
			decode_resize(d, real[k], real_width[k], place[k], a.width[k]);
}

/* ---- mov ---- */

/* mov.b64 d, {a, b}: the elements one after the other, the first in the low bits. */
static enum flow exec_pack(struct warp *w, const struct op *op, uint32_t mask)
{
	unsigned char *to = op_lanes(w, op, 0);
	unsigned width = op->width[0];

	FOR_LANES(lane, mask)
	{
		unsigned char value[16] = {0}; /* built aside: an element may be the destination */
		unsigned at = 0;

		for (unsigned k = 1; k < op->noperands; at += op->width[k++])
			memcpy(value + at, (const unsigned char *)op_lanes(w, op, k) + lane * op->width[k], op->width[k]);
		memcpy(to + lane * width, value, width);
	}
	return FLOW_NEXT;
}

/* mov.b64 {a, b}, s. The source is the last operand. */
static enum flow exec_unpack(struct warp *w, const struct op *op, uint32_t mask)
{
	unsigned last = op->noperands - 1u, width = op->width[last];
	const unsigned char *from = op_lanes(w, op, last);

	FOR_LANES(lane, mask)
	{
		unsigned char value[16];
		unsigned at = 0;

		memcpy(value, from + lane * width, width);
		for (unsigned k = 0; k < last; at += op->width[k++])
			memcpy((unsigned char *)op_lanes(w, op, k) + lane * op->width[k], value + at, op->width[k]);
	}
	return FLOW_NEXT;
}

/* The most common cases: two 32-bit halves and a 64-bit register. */
static enum flow exec_pack2(struct warp *w, const struct op *op, uint32_t mask)
{
	uint64_t *to = op_lanes(w, op, 0);
	const uint32_t *low = op_lanes(w, op, 1), *high = op_lanes(w, op, 2);

	if (mask == UINT32_MAX)
		for (unsigned lane = 0; lane < LANES; lane++)
			to[lane] = (uint64_t)high[lane] << 32 | low[lane];
	else
		FOR_LANES(lane, mask) to[lane] = (uint64_t)high[lane] << 32 | low[lane];
	return FLOW_NEXT;
}

static enum flow exec_unpack2(struct warp *w, const struct op *op, uint32_t mask)
{
	uint32_t *low = op_lanes(w, op, 0), *high = op_lanes(w, op, 1);
	const uint64_t *from = op_lanes(w, op, 2);

	if (mask == UINT32_MAX)
		for (unsigned lane = 0; lane < LANES; lane++) {
			low[lane] = (uint32_t)from[lane];
			high[lane] = (uint32_t)(from[lane] >> 32);
		}
	else
		FOR_LANES(lane, mask)
		{
			uint64_t value = from[lane];

			low[lane] = (uint32_t)value;
			high[lane] = (uint32_t)(value >> 32);
		}
	return FLOW_NEXT;
}

static void elements(struct decoder *d, const struct ir_operand *v, unsigned whole, uint32_t *place, unsigned *width, bool dest)
{
	for (unsigned k = 0; k < v->count; k++) {
		const struct ir_operand *o = &d->module->operand[v->index + k];

		width[k] = whole / v->count;
		place[k] = dest ? decode_dest(d, o, &width[k]) : kernel_source(d, o, width[k]);
	}
}

static void decode_vector_mov(struct decoder *d, const struct ir_operand *to, const struct ir_operand *from)
{
	bool pack = from->kind == IR_VEC;
	const struct ir_operand *v = pack ? from : to;
	uint32_t place[8] = {0}, whole;
	unsigned width[8] = {0}, bytes = type_bytes(decode_type(d));
	struct op *op;

	if (v->count > OP_MAX_OPERANDS - 1) {
		decode_unsupported(d, d->insn);
		return;
	}
	elements(d, v, bytes, place, width, !pack);
	if (pack) {
		unsigned have = bytes;

		whole = decode_dest(d, to, &have);
		op = decode_emit(d, v->count == 2 && have == 8 && width[0] == 4 && width[1] == 4 ? exec_pack2 : exec_pack);
		decode_add(op, whole, have);
		op->ndests = 1;
	} else {
		whole = kernel_source(d, from, bytes);
		op = decode_emit(d, v->count == 2 && bytes == 8 && width[0] == 4 && width[1] == 4 ? exec_unpack2 : exec_unpack);
		op->ndests = (uint8_t)v->count;
	}
	for (unsigned k = 0; k < v->count; k++)
		decode_add(op, place[k], width[k]);
	if (!pack)
		decode_add(op, whole, bytes);
	op->flag[3] = BITS_COPY;
}

/* Whole registers: mov.v2/.v4 of vector registers goes component by component. */
static void decode_copy(struct decoder *d, const struct ir_operand *to, const struct ir_operand *from)
{
	struct ir_operand t = *to, s = *from;
	unsigned n = to->kind == IR_REG && to->aux == 0 ? d->module->reg[d->func->reg + to->index].vector : 0;

	for (unsigned c = 0; c < (n ? n : 1); c++) {
		unsigned tw = type_bytes(decode_type(d)), sw;

		if (n) {
			t.aux = (uint8_t)(1 + c);
			if (s.kind == IR_REG || s.kind == IR_SREG)
				s.aux = (uint8_t)(1 + c);
		}
		uint32_t place = decode_dest(d, &t, &tw);

		if (s.kind == IR_SREG && sreg_info[s.index].type != TYPE_pred && tw >= type_bytes(sreg_info[s.index].type)) {
			decode_sreg(d, &s, place, tw);
			continue;
		}
		sw = tw;
		decode_resize(d, place, tw, decode_source(d, &s, &sw), sw);
	}
}

void decode_mov(struct decoder *d, const struct ir_insn *i)
{
	const struct ir_operand *to = decode_operand(d, i, 0), *from = decode_operand(d, i, 1);
	bool vector = to->kind == IR_VEC || from->kind == IR_VEC;
	bool plain = from->kind == IR_REG || from->kind == IR_IMM || from->kind == IR_VAR || from->kind == IR_FUNC;

	if (vector)
		decode_vector_mov(d, to, from);
	else if (plain && to->kind == IR_REG && (to->aux || !d->module->reg[d->func->reg + to->index].vector))
		decode_alu(d, i);
	else
		decode_copy(d, to, from);
}
