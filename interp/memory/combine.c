/* A worker's table of sums: adding reductions, applying sums. */
#include "interp/memory/combine.h"
#include "arith/atomic.h"
#include "base/memory.h"
#include "interp/memory/access_block.h"
#include "interp/memory/combine_table.h"
#include <stdlib.h>

/* Lanes that bypass the table after a period in which fewer than half found a sum begun. */
enum { SKIP = 1 << 16 };

INLINE uint64_t combine_values(
	enum atomic atomic, uint64_t sign, unsigned n, uint64_t a, uint64_t b)
{
	return atomic_integer(atomic, sign, n == 4 ? UINT32_MAX : UINT64_MAX, a, b, 0);
}

/* Applies V to the word at P, which other workers may change at the same time: with the atomic
 * operations of processors, or by compare and swap. */
#define APPLY(NAME, TYPE) \
	static void NAME(const struct combine *c, TYPE *p, TYPE v) \
	{ \
		TYPE old; \
\
		switch (c->atomic) { \
		case ATOMIC_ADD: __atomic_fetch_add(p, v, __ATOMIC_SEQ_CST); return; \
		case ATOMIC_AND: __atomic_fetch_and(p, v, __ATOMIC_SEQ_CST); return; \
		case ATOMIC_OR: __atomic_fetch_or(p, v, __ATOMIC_SEQ_CST); return; \
		case ATOMIC_XOR: __atomic_fetch_xor(p, v, __ATOMIC_SEQ_CST); return; \
		default: \
			old = __atomic_load_n(p, __ATOMIC_RELAXED); \
			while (!__atomic_compare_exchange_n(p, &old, \
				(TYPE)combine_values( \
					(enum atomic)c->atomic, c->sign, sizeof *p, old, v), \
				false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) \
				; \
		} \
	}
APPLY(apply_4, uint32_t)
APPLY(apply_8, uint64_t)
#undef APPLY

static void sum_apply(
	const struct combine *c, const struct memory_block *b, const struct combine_slot *s)
{
	uint8_t *p = b->host + (s->place - 1);

	if (c->bytes == 4)
		apply_4(c, (uint32_t *)(void *)p, (uint32_t)s->value);
	else
		apply_8(c, (uint64_t *)(void *)p, s->value);
}

void combine_apply(struct worker *k)
{
	struct combine *c = k->combine;

	for (uint32_t i = 0; i < c->used; i++) {
		struct combine_slot *s = &c->slot[c->order[i]];

		sum_apply(c, k->combining, s);
		s->place = 0;
	}
	c->used = 0;
	k->combining = NULL;
}

/* The allocation that the first lane's address names, or NULL when it cannot be in global
 * memory. */
static const struct memory_block *combine_block_of(
	const struct warp *w, const struct op *op, uint32_t mask)
{
	unsigned k = op->access.base_operand;

	if (op->width[k] != 8 || (op->access.space != W_global && op->access.space != W_NONE))
		return NULL;
	return memory_find(w->machine->memory,
		register_get(op_lanes(w, op, k), lane_first(mask), 8) + (uint64_t)op->access.add);
}

void combine_before_access_now(
	struct worker *k, const struct warp *w, const struct op *op, uint32_t mask)
{
	if (op->access.sem != SEM_WEAK || combine_block_of(w, op, mask) == k->combining)
		combine_apply(k);
}

void combine_free(struct worker *k)
{
	memory_drop(k->combine);
	k->combine = NULL;
}

/* The sign bit of a signed type, else 0. */
static uint64_t sign_of(const struct op *op)
{
	return op->access.is_signed ? UINT64_C(1) << (8 * op->access.bytes - 1) : 0;
}

static struct combine *combine_begin(
	struct worker *k, const struct memory_block *b, const struct op *op)
{
	combine_settle(k);
	if (!k->combine)
		k->combine = memory_zeroed(1, sizeof *k->combine);
	k->combining = b;
	k->combine->atomic = op->access.atomic;
	k->combine->type = op->access.type;
	k->combine->bytes = op->access.bytes;
	k->combine->sign = sign_of(op);
	return k->combine;
}

void combine_put(struct worker *k, uint64_t off, uint64_t value)
{
	struct combine *c = k->combine;
	struct combine_slot *s = combine_slot_of(c, off, c->bytes);

	if (s->place)
		sum_apply(c, k->combining, s);
	else
		c->order[c->used++] = (uint16_t)(s - c->slot);
	*s = (struct combine_slot){off + 1, value};
}

/* Judges the period that ends here; begins the next. */
static void combine_judge(struct combine *c)
{
	if (c->merged < c->tried / 2)
		c->skip = SKIP;
	c->tried = c->merged = 0;
}

INLINE void combine_lanes(struct warp *w, const struct op *op, uint32_t mask, enum atomic atomic,
	uint64_t sign, unsigned n, struct combine *c, const struct region *r, const uint64_t *off)
{
	const void *from = op_lanes(w, op, 2);
	bool effect = w->effect;
	uint32_t merged = 0;

	FOR_LANES(lane, mask) {
		uint64_t b = register_get(from, lane, n);
		struct combine_slot *s = combine_slot_of(c, off[lane], n);

		if (!effect) { /* approximate: memory lacks the pending sums */
			uint64_t old = element_load(r->host + off[lane], n, __ATOMIC_RELAXED);

			effect = combine_values(atomic, sign, n, old, b) != old;
		}
		if (s->place == off[lane] + 1) {
			s->value = combine_values(atomic, sign, n, s->value, b);
			merged++;
		} else {
			combine_put(w->worker, off[lane], b);
		}
	}
	w->effect = effect;
	c->merged += merged;
	c->tried += lanes_of(mask);
	if (c->tried >= COMBINE_PERIOD)
		combine_judge(c);
}

CLONES static bool combine_block(struct warp *w, const struct op *op, uint32_t mask)
{
	struct worker *k = w->worker;
	struct combine *c = k->combine;
	const struct memory_block *block = combine_block_of(w, op, mask);
	unsigned n = op->access.bytes;
	uint64_t off[LANES];
	struct region r;

	if (!locate_lanes(w, op, mask, n, true, &r, off) || r.space != 0)
		return false;
	if (k->combining != block || c->atomic != op->access.atomic || c->type != op->access.type)
		c = combine_begin(k, block, op);
	if (c->atomic == ATOMIC_ADD && n == 4)
		combine_lanes(w, op, mask, ATOMIC_ADD, 0, 4, c, &r, off);
	else if (c->atomic == ATOMIC_ADD)
		combine_lanes(w, op, mask, ATOMIC_ADD, 0, 8, c, &r, off);
	else
		combine_lanes(w, op, mask, (enum atomic)c->atomic, c->sign, n, c, &r, off);
	w->polled = 1;
	k->stats.atomics += lanes_of(mask);
	k->stats.bytes_loaded[0] += lanes_of(mask) * n;
	k->stats.bytes_stored[0] += lanes_of(mask) * n;
	return true;
}

bool combine_add(struct warp *w, const struct op *op, uint32_t mask)
{
	struct combine *c = w->worker->combine;

	if (machine_alone(w->machine) || w->machine->clock_frozen)
		return false;
	if (!c || !c->skip)
		return combine_block(w, op, mask);
	c->skip = c->skip > LANES ? c->skip - LANES : 0;
	return false;
}
