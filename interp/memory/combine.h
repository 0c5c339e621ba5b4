/* Reductions that a worker has done and not yet shown. With several host threads, a counter that
 * all of them add to is a cache line that all of them fight for; a relaxed reduction whose old
 * value nobody reads need not take part in the fight at once: the worker adds up in a small table
 * and applies the sums later. Each sum is applied by one atomic operation, so no other thread can
 * tell it from that many operations in a row (PTX ISA 8: a relaxed operation is ordered with
 * nothing but the others on its location and what fences order).
 *
 * Applied before: any access of this worker to the same allocation, any access or fence that orders
 * (relaxed loads and stores too: a loop that waits for an answer must have asked), a call of what
 * ptxi provides, and the end of the slice. One allocation and one operation are in the table at a
 * time. */
#ifndef PTXI_INTERP_COMBINE_H
#define PTXI_INTERP_COMBINE_H
#include "interp/state/state.h"

enum { COMBINE_SLOTS = 512 };

struct combine {
	enum atomic atomic;
	uint8_t type; /* enum type */
	uint8_t bytes;
	uint64_t sign; /* the highest bit of signed types, else 0 */
	uint32_t used; /* slots taken */
	/* lanes in this period, those that found their sum begun; lanes that go to memory without
	 * trying */
	uint32_t tried, merged, skip;
	uint16_t order[COMBINE_SLOTS]; /* [used] the slots taken */
	struct combine_slot {
		uint64_t place; /* byte offset in the allocation, plus one; 0: free */
		uint64_t value;
	} slot[COMBINE_SLOTS];
};

/* Applies all of K's sums; K->combining is NULL then. */
void combine_apply(struct worker *k);
void combine_free(struct worker *k);
/* The reductions of the lanes of MASK go into the table, if that is worth its while; false: nothing
 * was done. */
bool combine_add(struct warp *w, const struct op *op, uint32_t mask);

/* Before anything that the sums must be seen by. */
static inline void combine_settle(struct worker *k)
{
	if (k->combining)
		combine_apply(k);
}

/* Before an access by the block path, weak or relaxed, of the lanes of MASK. */
void combine_meet_now(struct worker *k, const struct warp *w, const struct op *op, uint32_t mask);
static inline void combine_meet(struct warp *w, const struct op *op, uint32_t mask)
{
	if (__builtin_expect(w->worker->combining != NULL, 0))
		combine_meet_now(w->worker, w, op, mask);
}

#endif
