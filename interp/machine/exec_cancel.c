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

enum flow exec_try_cancel(struct warp *w, const struct op *op, uint32_t mask)
{
	const struct op_async_operands *x = op->async.operands;
	uint32_t n = op->async.multicast ? w->cta->cluster->n : 1, k = 0;
	struct copy *c = async_issue(w, op, COPY_CANCEL, n * lanes_of(mask));

	if (!c)
		return FLOW_STOP;
	FOR_LANES(lane, mask) {
		uint64_t value[2], at = sync_address_of(w, &x->to, lane),
				   bar = sync_address_of(w, &x->bar, lane);

		cancel_response(w, value);
		for (uint32_t rank = 0; rank < n; rank++) {
			struct copy_part *p = &c->part[k++];
			uint64_t to = op->async.multicast ? MEMORY_RANK_BITS(rank) : 0;

			p->lane = (uint8_t)lane;
			p->bytes = 16;
			p->signals = true;
			memcpy(p->value, value, 16);
			if (!sync_reach(w, op, lane, x->to.space, at + to, 16, 16, ACCESS_WRITE,
				    &p->to) ||
				!sync_reach(w, op, lane, x->bar.space, bar + to, 8, 8,
					ACCESS_READ | ACCESS_WRITE, &p->bar)) {
				c->left = 0;
				return FLOW_STOP;
			}
		}
	}
	async_issued(c);
	return FLOW_NEXT;
}
