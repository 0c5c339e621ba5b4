/* Instructions about clusters and grids: mapa, getctarank, griddepcontrol, setmaxnreg, clusterlaunchcontrol; and multimem, which on one device has one replica.
 */
#include "interp/async.h"
#include "interp/exec.h"
#include "interp/schedule.h"
#include <string.h>

/* ---- mapa, getctarank (PTX ISA 9.7.9.22, 9.7.9.23) ---- */

/* Operands: d, a, rank. */
enum flow exec_mapa(struct warp *w, const struct op *op, uint32_t mask)
{
	uint32_t n = w->cta->cluster->n;

	FOR_LANES(lane, mask)
	{
		uint64_t a = op_value(w, op, 1, lane), rank = sync_value(w, op, 2, lane), window = op->mapa.generic ? MEMORY_SHARED_WINDOW : 0;

		if (op->mapa.generic && a >> MEMORY_SLOT_SHIFT != MEMORY_SHARED_WINDOW >> MEMORY_SLOT_SHIFT) {
			if (sync_checks(w))
				finding(w, op, lane, DIAG_S0407, "0x%llx is not an address in shared memory", (unsigned long long)a);
			op_set(w, op, 0, lane, a);
			continue;
		}
		if (rank >= n && sync_checks(w))
			finding(w, op, lane, DIAG_S0401, "rank %llu does not exist: the cluster has %u CTA%s", (unsigned long long)rank, n, n == 1 ? "" : "s");
		op_set(w, op, 0, lane, window + (rank >= n ? (uint64_t)MEMORY_RANK_NONE << MEMORY_RANK_SHIFT : MEMORY_RANK_BITS(rank)) + cluster_offset(a));
	}
	return FLOW_NEXT;
}

enum flow exec_getctarank(struct warp *w, const struct op *op, uint32_t mask)
{
	FOR_LANES(lane, mask)
	{
		uint64_t a = op_value(w, op, 1, lane), offset = a;

		if (op->mapa.generic && window_space(a, &offset) != W_shared) {
			if (sync_checks(w))
				finding(w, op, lane, DIAG_S0407, "0x%llx is not an address in shared memory", (unsigned long long)a);
			offset = 0;
		}
		uint32_t rank = (uint32_t)(offset >> MEMORY_RANK_SHIFT) & 0xff;

		op_set(w, op, 0, lane, rank ? rank - MEMORY_RANK_FIRST : w->cta->cluster_rank);
	}
	return FLOW_NEXT;
}

/* ---- setmaxnreg ---- */

/* Registers are not counted here: a kernel gets all it names. The warp must execute it together. (9.7.19.5) */
enum flow exec_setmaxnreg(struct warp *w, const struct op *op, uint32_t mask)
{
	if (!warp_together(w, op))
		return FLOW_SWITCH;
	if (mask != w->live && sync_checks(w))
		finding(w, op, lane_first(mask), DIAG_S0406, "only %d of this warp's %d live threads execute setmaxnreg together", __builtin_popcount(mask),
			__builtin_popcount(w->live));
	return FLOW_NEXT;
}

/* ---- clusterlaunchcontrol (9.7.13.17): the answer is opaque; here x, y, z of the first CTA in 32 bits each, then 1 when a cluster was cancelled ---- */

static void answer(struct warp *w, uint64_t value[2])
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
	FOR_LANES(lane, mask)
	{
		uint64_t value[2], at = sync_address_of(w, &x->to, lane), bar = sync_address_of(w, &x->bar, lane);

		answer(w, value);
		for (uint32_t rank = 0; rank < n; rank++) {
			struct copy_part *p = &c->part[k++];
			uint64_t to = op->async.multicast ? MEMORY_RANK_BITS(rank) : 0;

			p->lane = (uint8_t)lane;
			p->bytes = 16;
			p->signals = true;
			memcpy(p->value, value, 16);
			if (!sync_reach(w, op, lane, x->to.space, at + to, 16, 16, ACCESS_WRITE, &p->to) ||
			    !sync_reach(w, op, lane, x->bar.space, bar + to, 8, 8, ACCESS_READ | ACCESS_WRITE, &p->bar)) {
				c->left = 0;
				return FLOW_STOP;
			}
		}
	}
	async_issued(c);
	return FLOW_NEXT;
}

enum flow exec_query_cancel(struct warp *w, const struct op *op, uint32_t mask)
{
	const unsigned char *from = op_lanes(w, op, op->ndests);

	FOR_LANES(lane, mask)
	{
		uint32_t v[4];

		memcpy(v, from + lane * 16, 16);
		if (op->query.what != QUERY_CANCELED && !(v[3] & 1) && sync_checks(w))
			finding(w, op, lane, DIAG_S0408, "the response says that no CTA was cancelled, so there is no first CTA");
		switch ((enum query_what)op->query.what) {
		case QUERY_CANCELED: op_set(w, op, 0, lane, v[3] & 1); break;
		case QUERY_VECTOR:
			for (unsigned k = 0; k < op->ndests; k++)
				op_set(w, op, k, lane, k < 3 ? v[k] : 0);
			break;
		case QUERY_X: op_set(w, op, 0, lane, v[0]); break;
		case QUERY_Y: op_set(w, op, 0, lane, v[1]); break;
		case QUERY_Z: op_set(w, op, 0, lane, v[2]); break;
		}
	}
	return FLOW_NEXT;
}
