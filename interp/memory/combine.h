/* Reductions that a worker has executed but not yet applied to memory. When several host threads
 * add to one counter, its cache line becomes a bottleneck. The result of a relaxed reduction is
 * not read, so it can be deferred: the worker accumulates values in a small table and applies
 * the sums later. Each sum is applied by one atomic operation, which other threads cannot
 * distinguish from that many consecutive operations (PTX ISA 8: a relaxed operation is ordered
 * only with other operations on its location and by fences).
 *
 * The sums are applied before: any access of this worker to the same allocation, any access or
 * fence that orders (relaxed loads and stores included: a loop that waits for a reply must have
 * sent its request), a call of a function that ptxi provides, and the end of the slice. The
 * table holds one operation on one allocation at a time. */
#ifndef PTXI_INTERP_COMBINE_H
#define PTXI_INTERP_COMBINE_H
#include "interp/state/state.h"

/* Applies all sums of K; K->combining is NULL afterwards. */
void combine_apply(struct worker *k);
void combine_free(struct worker *k);
/* Puts the reductions of the lanes of MASK into the table if that is worthwhile. False: nothing
 * was done. */
bool combine_add(struct warp *w, const struct op *op, uint32_t mask);
/* A sum of VALUE at offset OFF of the allocation k->combining begins, instead of the one in its
 * slot. */
void combine_put(struct worker *k, uint64_t off, uint64_t value);

/* Called before anything that must observe the sums. */
static inline void combine_settle(struct worker *k)
{
	if (k->combining)
		combine_apply(k);
}

/* Called before a weak or relaxed access by the block path. */
void combine_before_access_now(
	struct worker *k, const struct warp *w, const struct op *op, uint32_t mask);
static inline void combine_before_access(struct warp *w, const struct op *op, uint32_t mask)
{
	if (__builtin_expect(w->worker->combining != NULL, 0))
		combine_before_access_now(w->worker, w, op, mask);
}

#endif
