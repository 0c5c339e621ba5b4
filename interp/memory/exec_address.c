/* Addresses as values: cvta, isspacep, alloca and the stack pointer; discard. (PTX ISA 9.7.9.19
 * to 9.7.9.24, 9.7.18) */
#include "interp/memory/access.h"
#include "interp/state/exec.h"
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

		is |= (uint32_t)(window_space(register_get(from, lane, op->width[1]), &offset) ==
			      op->isspacep.space)
			<< lane;
	}
	*to = (*to & ~mask) | is;
	return FLOW_NEXT;
}

/* --- the stack --- */

/* The lanes share a frame, so all get as much as the greediest. */
enum flow exec_alloca(struct warp *w, const struct op *op, uint32_t mask)
{
	struct frame *f = w->frame;
	uint64_t most = 0, align = op->stack.align, at = (f->local_top + align - 1) & ~(align - 1);
	unsigned greedy = lane_first(mask);

	FOR_LANES(lane, mask) {
		uint64_t size = register_get(op_lanes(w, op, 1), lane, op->width[1]);

		if (size > most) {
			most = size;
			greedy = lane;
		}
	}
	uint64_t room = f->stack_used + (f->local_top - f->local_base - f->code->local_bytes);

	if (most > MACHINE_STACK_BYTES || room + most + align > MACHINE_STACK_BYTES)
		return fault(w, op, greedy, DIAG_F0212,
			"alloca of %llu bytes, but the thread's stack has %u bytes, of which %llu are in use",
			(unsigned long long)most, MACHINE_STACK_BYTES, (unsigned long long)room);
	if (at + most > w->local_bytes && !memory_local_reserve(w, (uint32_t)(at + most)))
		return fault(w, op, greedy, DIAG_F0212, "no memory for the stack");
	f->local_top = (uint32_t)(at + most);
	FOR_LANES(lane, mask) {
		uint8_t *defined = memory_local_defined(w, lane);

		if (defined)
			memset(defined + at, 0, most);
		register_set(op_lanes(w, op, 0), lane, op->width[0], at);
	}
	return FLOW_NEXT;
}

enum flow exec_stacksave(struct warp *w, const struct op *op, uint32_t mask)
{
	FOR_LANES(lane, mask)
		register_set(op_lanes(w, op, 0), lane, op->width[0], w->frame->local_top);
	return FLOW_NEXT;
}

/* Only when all lanes of the frame give back what they took may others have it. */
enum flow exec_stackrestore(struct warp *w, const struct op *op, uint32_t mask)
{
	struct frame *f = w->frame;
	uint32_t least = f->local_base + f->code->local_bytes, top = least;

	FOR_LANES(lane, mask) {
		uint64_t to = register_get(op_lanes(w, op, 0), lane, op->width[0]);

		if (to < least || to > f->local_top)
			return fault(w, op, lane, DIAG_F0213,
				"stackrestore of 0x%llx, but this frame's stack pointer is 0x%x to 0x%x",
				(unsigned long long)to, least, f->local_top);
		if (to > top)
			top = (uint32_t)to;
	}
	if (mask == f->lanes)
		f->local_top = top;
	return FLOW_NEXT;
}

/* discard.L2 [a], 128: the bytes may be lost, so for --check=init they were never written. */
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
