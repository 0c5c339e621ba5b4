/* The operations on mbarriers that arrivals, transactions and asynchronous copies share. */
#ifndef PTXI_INTERP_MBARRIER_TABLE_H
#define PTXI_INTERP_MBARRIER_TABLE_H
#include "interp/memory/mbarrier_record.h"
#include "interp/sync/sync.h"

/* A finding when nothing orders W's operation after the initialisation of R: within the CTA, no
 * synchronisation at all since another thread initialised R; from another CTA, none that makes
 * the initialisation visible to it. */
void mbarrier_check_order(struct warp *w, const struct op *op, unsigned lane,
	const struct cta *owner, struct mbarrier_record *r);
/* A set of flags of an arrival: ACT_DROP is bit 0. */
enum mbarrier_act { ACT_ARRIVE, ACT_DROP, ACT_NO_COMPLETE = 2, ACT_ASYNC = 4 };

/* The operations, on the object at P, by lane LANE of W at OP. They report to observers, update
 * the record, and raise faults and findings. False after a fault. */
bool mbarrier_do_expect(struct warp *w, const struct op *op, unsigned lane,
	const struct sync_place *p, uint32_t bytes);
bool mbarrier_do_complete(struct warp *w, const struct op *op, unsigned lane,
	const struct sync_place *p, uint32_t bytes);
/* A copy that may report completes its transactions here; HAS: it does report. A finding if the
 * object has no room for that. */
bool mbarrier_do_report(
	struct warp *w, const struct op *op, unsigned lane, const struct sync_place *p, bool has);
bool mbarrier_do_arrive(struct warp *w, const struct op *op, unsigned lane,
	const struct sync_place *p, uint32_t count, unsigned act, uint64_t *token);
bool mbarrier_do_raise(
	struct warp *w, const struct op *op, unsigned lane, const struct sync_place *p);
/* The CTA has exited: reports transactions that are still pending. W: one of its
 * warps. */
void mbarrier_at_exit(struct cta *c, struct warp *w);

#endif
