/* The operations on mbarriers that arrivals, transactions and asynchronous copies share. */
#ifndef PTXI_INTERP_MBARRIER_TABLE_H
#define PTXI_INTERP_MBARRIER_TABLE_H
#include "interp/memory/mbarrier_record.h"
#include "interp/sync/sync.h"

/* A finding when the CTA has not synchronised in any way since another thread initialised R; of
 * another CTA: when nothing made that visible to this one. */
void mbarrier_check_order(struct warp *w, const struct op *op, unsigned lane,
	const struct cta *owner, struct mbarrier_record *r);
/* The operations, on the object at P, by lane LANE of W at OP; they tell the observers, keep the
 * record, and raise faults and findings. False after a fault. */
/* DROP = 1 is a flag too */
enum mbarrier_act { ACT_ARRIVE, ACT_DROP, ACT_NO_COMPLETE = 2, ACT_ASYNC = 4 };
bool mbarrier_do_expect(struct warp *w, const struct op *op, unsigned lane,
	const struct sync_place *p, uint32_t bytes);
bool mbarrier_do_complete(struct warp *w, const struct op *op, unsigned lane,
	const struct sync_place *p, uint32_t bytes);
bool mbarrier_do_arrive(struct warp *w, const struct op *op, unsigned lane,
	const struct sync_place *p, uint32_t count, unsigned act, uint64_t *token);
bool mbarrier_do_raise(
	struct warp *w, const struct op *op, unsigned lane, const struct sync_place *p);
/* When the CTA has ended: transactions left open. W: its last warp. */
void mbarrier_at_exit(struct cta *c, struct warp *w);

#endif
