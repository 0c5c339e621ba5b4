/* Decoding of the matrix instructions of a warpgroup: wgmma. (PTX ISA 9.7.17) */
#include "base/assert.h"
#include "code/decode.h"
#include <stdio.h>

enum { WORD = 4, DESCRIPTOR = 8 };

static struct warpgroup_form form_of(const struct decoder *d, const struct ir_insn *i)
{
	enum type t[3] = {TYPE_NONE, TYPE_NONE, TYPE_NONE};
	struct warpgroup_form f = {.part = {.m = WARPGROUP_ROWS,
					   .n = 8,
					   .sparse = decode_has(d, W_sp),
					   .saturate = decode_has(d, W_satfinite),
					   .warpgroup = true}};
	unsigned n = 0, rows, columns, depth;

	for (unsigned k = 0; k < i->nwords; k++) {
		enum word w = (enum word)d->module->word[i->word + k];
		enum type x = word_type(w);

		if (x != TYPE_NONE && n < 3)
			t[n++] = x;
		if (sscanf(word_text(w), "m%un%uk%u", &rows, &columns, &depth) == 3) {
			f.n = (uint16_t)columns;
			f.part.k = (uint16_t)depth;
		}
	}
	assert(n == 3 && f.n && f.n <= WARPGROUP_COLUMNS);
	f.part.c = f.part.d = (uint8_t)t[0];
	f.part.a = (uint8_t)t[1];
	f.part.b = (uint8_t)t[2];
	return f;
}

/* The signs and transpositions that follow scale-d, operand AT. */
static void put_immediates(
	const struct decoder *d, const struct ir_insn *i, unsigned at, struct warpgroup_form *f)
{
	int32_t x[4] = {1, 1, 0, 0};

	for (unsigned k = 0; k < 4 && at + 1 + k < i->noperands; k++)
		x[k] = (int32_t)decode_operand(d, i, at + 1 + k)->value;
	f->negated[0] = x[0] < 0;
	f->negated[1] = x[1] < 0;
	f->transposed[0] = !f->registers && x[2];
	f->transposed[1] = x[f->registers ? 2 : 3] != 0;
}

static uint32_t source(struct decoder *d, const struct ir_operand *o, unsigned width)
{
	unsigned w = width;
	uint32_t place = decode_source(d, o, &w);

	assert(w == width);
	return place;
}

static void mma_async(struct decoder *d, const struct ir_insn *i)
{
	struct op_async_operands *x = ARENA_NEW(d->all->arena, struct op_async_operands);
	struct op_wgmma *m = ARENA_NEW(d->all->arena, struct op_wgmma);
	const struct ir_operand *to = decode_operand(d, i, 0), *a = decode_operand(d, i, 1);
	struct warpgroup_form form = form_of(d, i);
	unsigned scale = form.part.sparse ? 5 : 3;
	struct op *op;

	form.registers = a->kind == IR_VEC;
	put_immediates(d, i, scale, &form);
	if (form.part.sparse) {
		m->metadata = source(d, decode_operand(d, i, 3), WORD);
		form.part.selector = (uint8_t)decode_operand(d, i, 4)->value;
	}
	assert(to->kind == IR_VEC && to->count <= WGMMA_REGISTERS);
	m->product = warpgroup_product_new(d->all->arena, &form);
	m->registers = (uint8_t)to->count;
	for (unsigned k = 0; k < to->count; k++) {
		unsigned width = WORD;

		m->d[k] = decode_dest(d, &d->module->operand[to->index + k], &width);
		assert(width == WORD);
	}
	for (unsigned k = 0; form.registers && k < 4; k++)
		m->a[k] = source(d, &d->module->operand[a->index + k], WORD);
	if (!form.registers)
		m->descriptor[0] = source(d, a, DESCRIPTOR);
	m->descriptor[1] = source(d, decode_operand(d, i, 2), DESCRIPTOR);
	m->scale = source(d, decode_operand(d, i, scale), 0);
	x->wgmma = m;
	op = decode_emit(d, KIND_WGMMA);
	op->async = (struct op_async){.operands = x, .atomic = ATOMIC_NONE};
}

void decode_wgmma(struct decoder *d, const struct ir_insn *i)
{
	if (decode_has(d, W_fence)) {
		decode_emit(d, KIND_WGMMA_FENCE);
	} else if (decode_has(d, W_commit_group)) {
		decode_emit(d, KIND_WGMMA_COMMIT);
	} else if (decode_has(d, W_wait_group)) {
		uint64_t keep = decode_operand(d, i, 0)->value;
		struct op *op = decode_emit(d, KIND_WGMMA_WAIT);

		op->group.keep = keep > UINT32_MAX ? UINT32_MAX : (uint32_t)keep;
	} else {
		mma_async(d, i);
	}
}
