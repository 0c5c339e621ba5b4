/* Addresses as values: cvta, isspacep, alloca and the stack pointer; discard. (PTX ISA 9.7.10.22
 * to 9.7.10.27, 9.7.19) */
#include "interp/memory/access.h"
#include "interp/state/exec.h"
#include "interp/state/warp.h"
#include "interp/memory/undefined.h"

enum flow exec_cvta(struct warp *w, const struct op *op, uint32_t mask)
{
	const void *from = op_lanes(w, op, 1);
	void *to = op_lanes(w, op, 0);

	FOR_LANES(lane, mask)
		register_set(to, lane, op->width[0],
			register_get(from, lane, op->width[1]) + (uint64_t)op->cvta.add);
	return FLOW_NEXT;
}

enum flow exec_cvta_same(struct warp *w, const struct op *op, uint32_t mask)
{
	const uint64_t *from = op_lanes(w, op, 1);
	uint64_t *to = op_lanes(w, op, 0);

	if (mask == UINT32_MAX)
		memmove(to, from, LANES * sizeof *to);
	else
		FOR_LANES(lane, mask)
			to[lane] = from[lane];
	return FLOW_NEXT;
}

enum flow exec_isspacep(struct warp *w, const struct op *op, uint32_t mask)
{
	const void *from = op_lanes(w, op, 1);
	uint32_t *to = op_lanes(w, op, 0), is = 0;

	FOR_LANES(lane, mask) {
		uint64_t offset;
		uint16_t space = window_space(register_get(from, lane, op->width[1]), &offset);

		if (space == op->isspacep.space &&
			!(op->isspacep.own && offset >> MEMORY_RANK_SHIFT != w->cta->cluster_rank))
			is |= 1u << lane;
	}
	*to = (*to & ~mask) | is;
	return FLOW_NEXT;
}

/* --- the stack --- */

/* The end of the lane's used stack in F. */
static uint32_t stack_top(const struct frame *f, unsigned lane)
{
	return f->local_base + f->code->local_bytes + (f->taken ? f->taken[lane] : 0);
}

static void set_stack_top(struct frame *f, unsigned lane, uint32_t top)
{
	f->taken[lane] = top - f->local_base - f->code->local_bytes;
}

static void find_local_top(struct frame *f)
{
	f->local_top = f->local_base + f->code->local_bytes + frame_taken(f, f->lanes);
}

enum flow exec_alloca(struct warp *w, const struct op *op, uint32_t mask)
{
	struct frame *f = w->frame;
	uint64_t size[LANES], at[LANES], top = 0;

	FOR_LANES(lane, mask) {
		uint64_t align = op->stack.align, own = stack_top(f, lane),
			 used = f->stack_used + (f->taken ? f->taken[lane] : 0);

		size[lane] = register_get(op_lanes(w, op, 1), lane, op->width[1]);
		if (size[lane] > MACHINE_STACK_BYTES ||
			used + size[lane] + align > MACHINE_STACK_BYTES)
			return fault(w, op, lane, DIAG_F0212,
				"alloca of %llu bytes, but the thread's stack has %u bytes, of which %llu are in use",
				(unsigned long long)size[lane], MACHINE_STACK_BYTES,
				(unsigned long long)used);
		at[lane] = (own + align - 1) & ~(align - 1);
		top = at[lane] + size[lane] > top ? at[lane] + size[lane] : top;
	}
	if (top > w->local_bytes && !memory_local_reserve(w, (uint32_t)top))
		return fault(
			w, op, lane_first(mask), DIAG_F0212, "not enough memory for the stack");
	if (!f->taken)
		f->taken = ARENA_ARRAY(&w->cta->arena, uint32_t, LANES);
	FOR_LANES(lane, mask) {
		uint8_t *defined = memory_local_defined(w, lane);

		set_stack_top(f, lane, (uint32_t)(at[lane] + size[lane]));
		if (defined)
			memset(defined + at[lane], 0, (size_t)size[lane]);
		register_set(op_lanes(w, op, 0), lane, op->width[0], at[lane]);
	}
	find_local_top(f);
	return FLOW_NEXT;
}

enum flow exec_stacksave(struct warp *w, const struct op *op, uint32_t mask)
{
	FOR_LANES(lane, mask)
		register_set(op_lanes(w, op, 0), lane, op->width[0], stack_top(w->frame, lane));
	return FLOW_NEXT;
}

enum flow exec_stackrestore(struct warp *w, const struct op *op, uint32_t mask)
{
	struct frame *f = w->frame;
	uint32_t least = f->local_base + f->code->local_bytes;

	FOR_LANES(lane, mask) {
		uint64_t to = register_get(op_lanes(w, op, 0), lane, op->width[0]);

		if (to < least || to > stack_top(f, lane))
			return fault(w, op, lane, DIAG_F0213,
				"stackrestore of 0x%llx, but this frame's stack pointer is 0x%x to 0x%x",
				(unsigned long long)to, least, stack_top(f, lane));
		if (f->taken)
			set_stack_top(f, lane, (uint32_t)to);
	}
	find_local_top(f);
	return FLOW_NEXT;
}

/* discard.L2 [a], 128: the bytes may be lost, so --check=init treats them as never written. */
enum flow exec_discard(struct warp *w, const struct op *op, uint32_t mask)
{
	struct access a;

	access_addresses(w, op, mask, a.address);
	if (!access_resolve(w, op, mask, 128, ACCESS_WRITE, &a))
		return FLOW_STOP;
	FOR_LANES(lane, mask)
		for (unsigned b = 0; a.defined[lane] && b < 128; b++)
			__atomic_store_n(&a.defined[lane][b], 0, __ATOMIC_RELAXED);
	return FLOW_NEXT;
}
