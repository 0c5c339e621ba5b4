/* clusterlaunchcontrol.try_cancel. The response is opaque; here x, y, z of the first CTA in 32
 * bits each, then 1 when a cluster was cancelled. (PTX ISA 9.7.15.18) */
#include "interp/sync/async.h"
#include "interp/state/exec.h"
#include "interp/machine/schedule.h"
#include <string.h>

static void cancel_response(struct warp *w, uint64_t value[2])
{
	struct launch *l = w->cta->launch;
	uint64_t unit;

	value[0] = value[1] = 0;
	if (!schedule_cancel(w->machine->schedule, l, &unit))
		return;
	uint32_t c[3], n[3];

	for (unsigned k = 0; k < 3; k++) {
		c[k] = l->ask.cluster[k] ? l->ask.cluster[k] : 1;
		n[k] = l->ask.grid[k] / c[k];
	}
	value[0] = unit % n[0] * c[0] | (unit / n[0] % n[1] * c[1]) << 32;
	value[1] = unit / n[0] / n[1] * c[2] | UINT64_C(1) << 32;
}

/* N bytes in shared memory that A names. False after a fault. */
static bool reach_shared(struct warp *w, const struct op *op, unsigned lane,
	const struct op_address *a, unsigned n, struct sync_place *p)
{
	uint64_t at = sync_address_of(w, a, lane);

	if (!sync_reach(w, op, lane, a->space, at, n, n, ACCESS_WRITE, p))
		return false;
	if (p->space == W_shared)
		return true;
	access_fault(w, op, lane, W_shared, at, n, n, ACCESS_WRITE);
	return false;
}

/* Part P for the CTA of rank RANK, where its answer goes to the same offset as LIKE's. */
static bool part_of_rank(struct warp *w, const struct op *op, uint32_t rank,
	const struct copy_part *like, struct copy_part *p)
{
	*p = *like;
	return sync_reach_in_cta(w, op, like->lane, &like->to, rank, 16, &p->to) &&
		sync_reach_in_cta(w, op, like->lane, &like->bar, rank, 8, &p->bar);
}

enum flow exec_try_cancel(struct warp *w, const struct op *op, uint32_t mask)
{
	const struct op_async_operands *x = op->async.operands;
	uint32_t n = op->async.multicast ? w->cta->cluster->n : 1, k = 0;
	struct copy *c = async_issue(w, op, COPY_CANCEL, n * lanes_of(mask));
	bool fits = true;

	if (!c)
		return FLOW_STOP;
	FOR_LANES(lane, mask) {
		struct copy_part part = c->part[k];
		uint64_t value[2];

		part.lane = (uint8_t)lane;
		part.bytes = 16;
		part.signals = true;
		cancel_response(w, value);
		memcpy(part.value, value, 16);
		fits = fits && reach_shared(w, op, lane, &x->to, 16, &part.to) &&
			reach_shared(w, op, lane, &x->bar, 8, &part.bar);
		for (uint32_t rank = 0; fits && op->async.multicast && rank < n; rank++)
			fits = part_of_rank(w, op, rank, &part, &c->part[k++]);
		if (fits && !op->async.multicast)
			c->part[k++] = part;
	}
	if (!fits) {
		async_cancel(c);
		return FLOW_STOP;
	}
	async_issued(c);
	return FLOW_NEXT;
}
