/* Decoding of tcgen05. (PTX ISA 9.7.18) */
#include "arith/tensor_core.h"
#include "base/assert.h"
#include "code/decode.h"
#include <stdlib.h>

enum { WORD = 4, WIDE = 8 };

static uint32_t source(struct decoder *d, const struct ir_insn *i, unsigned k, unsigned width)
{
	unsigned w = width;
	uint32_t place = decode_source(d, decode_operand(d, i, k), &w);

	if (w == width || !width)
		return place;
	uint32_t whole = decode_scratch(d, width);

	decode_resize(d, whole, width, place, w);
	return whole;
}

static struct op_address address(struct decoder *d, const struct ir_insn *i, unsigned k)
{
	return decode_op_address(d, decode_operand(d, i, k), W_NONE);
}

static void put_shape(const struct decoder *d, struct op_tcgen *t)
{
	static const uint16_t shape[] = {[SHAPE_32X32B] = W_32x32b,
		[SHAPE_16X64B] = W_16x64b,
		[SHAPE_16X128B] = W_16x128b,
		[SHAPE_16X256B] = W_16x256b,
		[SHAPE_16X32BX2] = W_16x32bx2};

	for (unsigned k = 0; k < sizeof shape / sizeof *shape; k++)
		if (decode_has(d, (enum word)shape[k]))
			t->shape = (uint8_t)k;
	t->halves = decode_has(d, W_pack__16b) || decode_has(d, W_unpack__16b);
}

static void move(struct decoder *d, const struct ir_insn *i, struct op_tcgen *t)
{
	bool store = t->what == TCGEN_ST;
	unsigned at = store ? 0 : 1;
	const struct ir_operand *v = decode_operand(d, i, store ? i->noperands - 1u : 0);

	put_shape(d, t);
	t->at = address(d, i, at);
	if (t->shape == SHAPE_16X32BX2)
		t->split = (uint32_t)decode_operand(d, i, at + 1)->value;
	assert(v->kind == IR_VEC && v->count <= TCGEN_REGISTERS);
	t->registers = (uint8_t)v->count;
	for (unsigned k = 0; k < v->count; k++) {
		const struct ir_operand *e = &d->module->operand[v->index + k];
		unsigned width = WORD;

		t->place[k] = store ? decode_source(d, e, &width) : decode_dest(d, e, &width);
		assert(width == WORD);
	}
}

static void copy(struct decoder *d, const struct ir_insn *i, struct op_tcgen *t)
{
	static const struct {
		uint16_t word;
		uint8_t rows, bytes, part[4];
	} shape[] = {{W_128x256b, 128, 32, {0, 1, 2, 3}}, {W_128x128b, 128, 16, {0, 1, 2, 3}},
		{W_warpx2__02_13, 64, 16, {0, 0, 1, 1}}, {W_warpx2__01_23, 64, 16, {0, 1, 0, 1}},
		{W_warpx4, 32, 16, {0, 0, 0, 0}}};

	for (unsigned k = 0; k < sizeof shape / sizeof *shape; k++)
		if (decode_has(d, (enum word)shape[k].word)) {
			t->rows = shape[k].rows;
			t->row_bytes = shape[k].bytes;
			for (unsigned w = 0; w < 4; w++)
				t->part[w] = shape[k].part[w];
		}
	t->bits = decode_has(d, W_b4x16_p64) ? 4 : decode_has(d, W_b6x16_p32) ? 6 : 8;
	t->at = address(d, i, 0);
	t->descriptor[1] = source(d, i, 1, WIDE);
}

static enum tcgen_kind kind_of(const struct decoder *d)
{
	static const uint16_t word[] = {[TCGEN_F16] = W_kind__f16,
		[TCGEN_TF32] = W_kind__tf32,
		[TCGEN_F8F6F4] = W_kind__f8f6f4,
		[TCGEN_I8] = W_kind__i8,
		[TCGEN_MXF8F6F4] = W_kind__mxf8f6f4,
		[TCGEN_MXF4] = W_kind__mxf4,
		[TCGEN_MXF4NVF4] = W_kind__mxf4nvf4};
	unsigned k = 0;

	while (!decode_has(d, (enum word)word[k]))
		k++;
	return (enum tcgen_kind)k;
}

static uint8_t scales_of(const struct decoder *d, enum tcgen_kind kind)
{
	if (decode_has(d, W_scale_vec__4X) || decode_has(d, W_block16))
		return 4;
	return kind < TCGEN_MXF8F6F4 ? 0 : kind == TCGEN_MXF8F6F4 ? 1 : 2;
}

static void product(struct decoder *d, const struct ir_insn *i, struct op_tcgen *t)
{
	unsigned k = 3;
	const struct ir_operand *o;

	t->kind = (uint8_t)kind_of(d);
	t->scales = scales_of(d, kind_of(d));
	t->ws = decode_has(d, W_ws);
	t->sparse = decode_has(d, W_sp);
	t->at = address(d, i, 0);
	o = decode_operand(d, i, 1);
	t->a_in_tensor = o->kind == IR_ADDR;
	if (t->a_in_tensor)
		t->a = address(d, i, 1);
	else
		t->descriptor[0] = source(d, i, 1, WIDE);
	t->descriptor[1] = source(d, i, 2, WIDE);
	if (t->sparse)
		t->metadata = address(d, i, k++);
	t->instruction = source(d, i, k++, WORD);
	for (unsigned b = 0; t->scales && b < 2; b++)
		t->scale_at[b] = address(d, i, k++);
	o = decode_operand(d, i, k);
	if (o->kind == IR_VEC) {
		t->masks = true;
		for (unsigned e = 0; e < o->count && e < 8; e++) {
			unsigned width = WORD;

			t->mask[e] = decode_source(d, &d->module->operand[o->index + e], &width);
		}
		k++;
	}
	t->enable = source(d, i, k++, 0);
	if (k < i->noperands && t->ws) {
		t->zeroes = true;
		t->value[0] = source(d, i, k, WIDE);
	} else if (k < i->noperands) {
		t->scale = (uint8_t)decode_operand(d, i, k)->value;
	}
}

static void commit(
	struct decoder *d, const struct ir_insn *i, struct op_tcgen *t, struct op_async_operands *x)
{
	bool wide = decode_has(d, W_multicast__cluster__32b);

	x->bar = decode_op_address(
		d, decode_operand(d, i, 0), decode_has(d, W_shared__cluster) ? W_shared : W_NONE);
	t->masks = i->noperands > 1;
	if (t->masks)
		t->value[0] = source(d, i, 1, wide ? WORD : 2);
	t->bits = wide ? 32 : 16;
}

void decode_tcgen(struct decoder *d, const struct ir_insn *i)
{
	static const struct {
		uint16_t word;
		uint8_t what;
	} of[] = {{W_alloc, TCGEN_ALLOC}, {W_dealloc, TCGEN_DEALLOC},
		{W_relinquish_alloc_permit, TCGEN_RELINQUISH}, {W_ld, TCGEN_LD}, {W_st, TCGEN_ST},
		{W_wait__ld, TCGEN_WAIT_LD}, {W_wait__st, TCGEN_WAIT_ST},
		{W_fence__before_thread_sync, TCGEN_FENCE_BEFORE},
		{W_fence__after_thread_sync, TCGEN_FENCE_AFTER}, {W_cp, TCGEN_CP},
		{W_commit, TCGEN_COMMIT}, {W_mma, TCGEN_MMA}};
	struct op_async_operands *x = ARENA_NEW(d->all->arena, struct op_async_operands);
	struct op_tcgen *t = ARENA_NEW(d->all->arena, struct op_tcgen);
	struct op *op;

	/* the manual leaves open which way rows are shifted, and which lanes get .4x256b */
	if (decode_has(d, W_ashift) || decode_has(d, W_4x256b)) {
		decode_unsupported(d, i);
		return;
	}
	for (unsigned k = 0; k < sizeof of / sizeof *of; k++)
		if (decode_has(d, (enum word)of[k].word))
			t->what = of[k].what;
	t->pair = decode_has(d, W_cta_group__2);
	t->exclusive = decode_has(d, W_exclusive);
	switch ((enum tcgen_what)t->what) {
	case TCGEN_ALLOC:
		t->at = decode_op_address(d, decode_operand(d, i, 0),
			decode_has(d, W_shared__cta) ? W_shared : W_NONE);
		t->at.own = true;
		t->value[1] = source(d, i, 1, WORD);
		break;
	case TCGEN_DEALLOC:
		t->value[0] = source(d, i, 0, WORD);
		t->value[1] = source(d, i, 1, WORD);
		break;
	case TCGEN_LD:
	case TCGEN_ST: move(d, i, t); break;
	case TCGEN_CP: copy(d, i, t); break;
	case TCGEN_COMMIT: commit(d, i, t, x); break;
	case TCGEN_MMA: product(d, i, t); break;
	case TCGEN_RELINQUISH:
	case TCGEN_WAIT_LD:
	case TCGEN_WAIT_ST:
	case TCGEN_FENCE_BEFORE:
	case TCGEN_FENCE_AFTER: break;
	}
	x->tcgen = t;
	op = decode_emit(d, KIND_TCGEN);
	op->async = (struct op_async){.operands = x,
		.sem = SEM_RELEASE, /* of the arrival of commit */
		.scope = SCOPE_CLUSTER,
		.atomic = ATOMIC_NONE};
}
