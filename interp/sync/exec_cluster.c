/* Instructions for clusters and grids: mapa, getctarank, setmaxnreg,
 * clusterlaunchcontrol.query_cancel. */
#include "interp/state/exec.h"
#include "interp/sync/sync.h"
#include "interp/sync/gather.h"
#include <string.h>

/* --- mapa, getctarank (PTX ISA 9.7.10.26, 9.7.10.27) --- */

/* Operands: d, a, rank. */
enum flow exec_mapa(struct warp *w, const struct op *op, uint32_t mask)
{
	uint32_t n = w->cta->cluster->n;

	FOR_LANES(lane, mask) {
		uint64_t a = op_value(w, op, 1, lane), rank = sync_value(w, op, 2, lane),
			 window = op->mapa.generic ? MEMORY_SHARED_WINDOW : 0;

		if (op->mapa.generic &&
			a >> MEMORY_SLOT_SHIFT != MEMORY_SHARED_WINDOW >> MEMORY_SLOT_SHIFT) {
			if (sync_checks(w))
				finding(w, op, lane, DIAG_S0407,
					"0x%llx is not an address in shared memory",
					(unsigned long long)a);
			op_set(w, op, 0, lane, a);
			continue;
		}
		if (rank >= n && sync_checks(w))
			finding(w, op, lane, DIAG_S0401,
				"rank %llu does not exist: the cluster has %u CTA%s",
				(unsigned long long)rank, n, n == 1 ? "" : "s");
		op_set(w, op, 0, lane,
			window +
				(rank >= n ? (uint64_t)MEMORY_RANK_NONE << MEMORY_RANK_SHIFT
					   : MEMORY_RANK_BITS(rank)) +
				cluster_offset(a));
	}
	return FLOW_NEXT;
}

enum flow exec_getctarank(struct warp *w, const struct op *op, uint32_t mask)
{
	FOR_LANES(lane, mask) {
		uint64_t a = op_value(w, op, 1, lane), offset = a;

		if (op->mapa.generic && window_space(a, &offset) != W_shared) {
			if (sync_checks(w))
				finding(w, op, lane, DIAG_S0407,
					"0x%llx is not an address in shared memory",
					(unsigned long long)a);
			offset = 0;
		}
		op_set(w, op, 0, lane, (uint32_t)(offset >> MEMORY_RANK_SHIFT) & 0xff);
	}
	return FLOW_NEXT;
}

/* --- setmaxnreg --- */

/* Registers are not limited here: a kernel has all that it declares. The warp must execute
 * setmaxnreg together. (PTX ISA 9.7.21.5) */
enum flow exec_setmaxnreg(struct warp *w, const struct op *op, uint32_t mask)
{
	if (!warp_together(w, op))
		return FLOW_SWITCH;
	if (mask != w->live && sync_checks(w))
		finding(w, op, lane_first(mask), DIAG_S0406,
			"only %d of this warp's %d live threads execute setmaxnreg together",
			__builtin_popcount(mask), __builtin_popcount(w->live));
	return FLOW_NEXT;
}

enum flow exec_query_cancel(struct warp *w, const struct op *op, uint32_t mask)
{
	const unsigned char *from = op_lanes(w, op, op->ndests);

	FOR_LANES(lane, mask) {
		uint32_t v[4];

		memcpy(v, from + lane * 16, 16);
		if (op->query.what != QUERY_CANCELED && !(v[3] & 1) && sync_checks(w))
			finding(w, op, lane, DIAG_S0408,
				"the response says that no CTA was cancelled, so there is no first CTA");
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
