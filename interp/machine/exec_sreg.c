/* Special registers. (PTX ISA 10) They describe a machine of 132 multiprocessors with 64 warps
 * each, like an H200. CTA n runs on multiprocessor n mod 132, whatever host thread executes it,
 * so that a program reads the same values with every -j. */
#include "interp/memory/access.h"
#include "interp/state/exec.h"

enum { MULTIPROCESSORS = 132, WARP_SLOTS = 64 };
/* The system reserves this much shared memory per CTA. It is not mapped here, so
 * %reserved_smem_offset_* are 0. */
enum { RESERVED_SHARED = 1024 };
/* %globaltimer: nanoseconds since an arbitrary time, never 0 */
#define TIMER_EPOCH UINT64_C(1000000000000)

static uint32_t cluster_dim(const struct launch *l, unsigned k)
{
	return l->ask.cluster[k] ? l->ask.cluster[k] : 1;
}

static uint32_t sreg_dim(const struct warp *w, enum sreg s, unsigned k)
{
	const struct launch *l = w->cta->launch;
	uint32_t c = cluster_dim(l, k);

	switch ((int)s) {
	case SREG_ntid: return l->ask.block[k];
	case SREG_ctaid: return w->cta->ctaid[k];
	case SREG_nctaid: return l->ask.grid[k];
	case SREG_clusterid: return w->cta->ctaid[k] / c;
	case SREG_nclusterid: return l->ask.grid[k] / c;
	case SREG_cluster_ctaid: return w->cta->ctaid[k] % c;
	default: return c; /* cluster_nctaid */
	}
}

static uint32_t cluster_rank(const struct warp *w)
{
	const struct launch *l = w->cta->launch;
	uint32_t rank = 0;

	for (unsigned k = 3; k-- > 0;)
		rank = rank * cluster_dim(l, k) + w->cta->ctaid[k] % cluster_dim(l, k);
	return rank;
}

/* Reads the clock: this is not progress, but a loop that does so may end when time passes. */
static uint64_t clock_of(struct warp *w, const struct op *op)
{
	w->polled = 1;
	w->timed = 1;
	return warp_clock(w, op);
}

/* Special registers with one value for the whole warp. */
static uint64_t sreg_uniform(struct warp *w, const struct op *op, enum sreg s)
{
	const struct launch *l = w->cta->launch;

	switch ((int)s) {
	case SREG_warpid: return w->index;
	case SREG_nwarpid: return WARP_SLOTS;
	case SREG_smid: return w->cta->linear % MULTIPROCESSORS;
	case SREG_nsmid: return MULTIPROCESSORS;
	case SREG_gridid: return (uint64_t)l->number + 1;
	case SREG_is_explicit_cluster: return l->ask.cluster[0] != 0;
	case SREG_cluster_ctarank: return cluster_rank(w);
	case SREG_cluster_nctarank:
		return cluster_dim(l, 0) * cluster_dim(l, 1) * cluster_dim(l, 2);
	case SREG_clock: return (uint32_t)clock_of(w, op);
	case SREG_clock_hi: return clock_of(w, op) >> 32;
	case SREG_clock64: return clock_of(w, op);
	case SREG_globaltimer: return TIMER_EPOCH + clock_of(w, op);
	case SREG_globaltimer_lo: return (uint32_t)(TIMER_EPOCH + clock_of(w, op));
	case SREG_globaltimer_hi: return (TIMER_EPOCH + clock_of(w, op)) >> 32;
	/* high half first: cooperative groups combine them so */
	case SREG_envreg1: return l->workspace >> 32;
	case SREG_envreg2: return (uint32_t)l->workspace;
	case SREG_total_smem_size: return (w->cta->shared_bytes + 127u) & ~127u;
	case SREG_aggr_smem_size: return w->cta->shared_bytes + RESERVED_SHARED;
	case SREG_dynamic_smem_size: return l->ask.dynamic_shared;
	/* %pm, the other %envreg, %reserved_smem_offset, %current_graph_exec (not launched by a
	 * graph) */
	default: return 0;
	}
}

static uint32_t lane_mask(enum sreg s, unsigned lane)
{
	uint32_t eq = 1u << lane, lt = eq - 1;

	switch ((int)s) {
	case SREG_lanemask_eq: return eq;
	case SREG_lanemask_le: return eq | lt;
	case SREG_lanemask_lt: return lt;
	case SREG_lanemask_ge: return ~lt;
	default: return ~(eq | lt);
	}
}

static void sreg_put_all(struct warp *w, const struct op *op, uint32_t mask, uint64_t value)
{
	void *to = op_lanes(w, op, 0);
	unsigned width = op->width[0];

	if (!width) {
		*(uint32_t *)to = value ? *(uint32_t *)to | mask : *(uint32_t *)to & ~mask;
		return;
	}
	if (mask == UINT32_MAX && width == 4)
		EVERY_LANE(lane)
			((uint32_t *)to)[lane] = (uint32_t)value;
	else
		FOR_LANES(lane, mask)
			register_set(to, lane, width, value);
}

/* The lanes of MASK of the destination get VALUE[lane]. */
static void sreg_put(struct warp *w, const struct op *op, uint32_t mask, const uint32_t *value)
{
	void *to = op_lanes(w, op, 0);
	unsigned width = op->width[0];

	if (mask == UINT32_MAX && width == sizeof *value)
		memcpy(to, value, LANES * sizeof *value);
	else
		FOR_LANES(lane, mask)
			register_set(to, lane, width, value[lane]);
}

enum flow exec_sreg(struct warp *w, const struct op *op, uint32_t mask)
{
	enum sreg s = (enum sreg)op->sreg.which;
	unsigned k = op->sreg.component ? op->sreg.component - 1u : 0;
	uint32_t value[LANES];

	switch ((int)s) {
	case SREG_tid:
		if (k < 3)
			sreg_put(w, op, mask, w->tid[k]);
		else
			sreg_put_all(w, op, mask, 0);
		break;
	case SREG_laneid:
		EVERY_LANE(lane)
			value[lane] = lane;
		sreg_put(w, op, mask, value);
		break;
	case SREG_lanemask_eq:
	case SREG_lanemask_le:
	case SREG_lanemask_lt:
	case SREG_lanemask_ge:
	case SREG_lanemask_gt:
		EVERY_LANE(lane)
			value[lane] = lane_mask(s, lane);
		sreg_put(w, op, mask, value);
		break;
	case SREG_ntid:
	case SREG_ctaid:
	case SREG_nctaid:
	case SREG_clusterid:
	case SREG_nclusterid:
	case SREG_cluster_ctaid:
	case SREG_cluster_nctaid: sreg_put_all(w, op, mask, k < 3 ? sreg_dim(w, s, k) : 0); break;
	default: sreg_put_all(w, op, mask, sreg_uniform(w, op, s)); break;
	}
	return FLOW_NEXT;
}
