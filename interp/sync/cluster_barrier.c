/* barrier.cluster, which counts threads: every thread of the cluster that has not exited arrives
 * once per phase. (PTX ISA 9.7.15.3) */
#include "interp/sync/cluster_barrier.h"
#include "interp/sync/gather.h"
#include "interp/state/exec.h"
#include "interp/state/warp.h"
#include "interp/sync/sync.h"
#include <string.h>

/* The barrier of one cluster. */
struct cluster_barrier {
	uint32_t phase;
	uint32_t first_insn; /* of the first arrival in this phase, or IR_NONE */
	uint32_t first_call; /* its user_call */
	/* per warp, CTA by CTA */
	struct arrivals {
		uint32_t arrived; /* lanes, in the current phase */
		uint32_t owing;   /* lanes that arrived and have not waited since */
	} warp[];
};

static size_t bytes_for(const struct cluster *k)
{
	return sizeof(struct cluster_barrier) +
		k->n * k->member[0]->nwarps * sizeof(struct arrivals);
}

static struct cluster_barrier *cluster_barrier_of(struct cluster *k)
{
	if (!k->barrier) {
		k->barrier = arena_zalloc(
			&k->member[0]->arena, bytes_for(k), _Alignof(struct cluster_barrier));
		k->barrier->first_insn = IR_NONE;
	}
	return k->barrier;
}

static void cluster_barrier_begin(struct cluster *k)
{
	if (k->barrier) {
		memset(k->barrier, 0, bytes_for(k));
		k->barrier->first_insn = IR_NONE;
	}
}
const struct keeper cluster_barrier_keeper = {.begin = cluster_barrier_begin};

static struct arrivals *arrivals_of(struct cluster_barrier *b, const struct warp *w)
{
	return &b->warp[w->cta->cluster_rank * w->cta->nwarps + w->index];
}

uint32_t cluster_arrived(const struct warp *w)
{
	struct cluster_barrier *b = w->cta->cluster->barrier;

	return b ? arrivals_of(b, w)->arrived : 0;
}

static uint32_t cluster_missing(const struct cluster *k)
{
	const struct arrivals *a = k->barrier ? k->barrier->warp : NULL;
	uint32_t n = 0;

	EVERY_CTA(c, k)
		for (uint32_t j = 0; j < c->nwarps; j++)
			n += (uint32_t)__builtin_popcount(
				c->warp[j].live & ~(a ? a++->arrived : 0));
	return n;
}

struct cluster_barrier_state cluster_barrier_state(const struct cluster *k)
{
	const struct cluster_barrier *b = k->barrier;

	return (struct cluster_barrier_state){b ? b->phase : 0, cluster_missing(k),
		b ? b->first_insn : IR_NONE, b ? b->first_call : 0};
}

static void cluster_wake(struct warp *w)
{
	EVERY_GROUP(j, w)
		/* it executes its wait again, and now passes */
		if (w->group[j].state == GROUP_CLUSTER) {
			w->group[j].state = GROUP_READY;
			w->cta->ready |= 1u << w->index;
		}
	arrivals_of(w->cta->cluster->barrier, w)->arrived = 0;
}

static void cluster_barrier_report(
	struct warp *w, const struct op *op, uint32_t mask, enum sync_kind kind)
{
	if (w->machine->interest & INTEREST_SYNC)
		observers_sync(w->machine,
			&(struct sync_event){.kind = kind,
				.cta = w->cta,
				.warp = w,
				.op = op,
				.mask = mask,
				.phase = w->cta->cluster->barrier->phase,
				.sem = op ? (enum sem)op->cluster.sem : SEM_WEAK,
				.scope = SCOPE_CLUSTER});
}

void cluster_recount(struct cluster *k, struct warp *by)
{
	struct cluster_barrier *b = k->barrier;

	if (!b || b->first_insn == IR_NONE || cluster_missing(k))
		return;
	cluster_barrier_report(by, NULL, 0, SYNC_CLUSTER_COMPLETE);
	b->phase++;
	by->worker->stats.barriers++;
	b->first_insn = IR_NONE;
	by->effect = 1;
	EVERY_CTA(c, k)
		for (uint32_t j = 0; j < c->nwarps; j++)
			cluster_wake(&c->warp[j]);
}

static void cluster_check_aligned(struct warp *w, const struct op *op, uint32_t mask)
{
	if (op->cluster.aligned && mask != w->live && sync_checks(w))
		finding(w, op, lane_first(mask), DIAG_S0405,
			"only %d of this warp's %d live threads execute this .aligned instruction together",
			__builtin_popcount(mask), __builtin_popcount(w->live));
}

enum flow exec_cluster_arrive(struct warp *w, const struct op *op, uint32_t mask)
{
	struct cluster_barrier *b = cluster_barrier_of(w->cta->cluster);
	struct arrivals *s = arrivals_of(b, w);

	if (op->cluster.aligned && !warp_together(w, op))
		return FLOW_SWITCH;
	cluster_check_aligned(w, op, mask);
	if (s->owing & mask && sync_checks(w))
		finding(w, op, lane_first(s->owing & mask), DIAG_S0404,
			"this thread arrives again without having waited since its last arrival");
	if (b->first_insn == IR_NONE) {
		b->first_insn = op->insn;
		b->first_call = w->frame->user_call;
	}
	assert(!(mask & ~w->live));
	s->arrived |= mask;
	s->owing |= mask;
	w->effect = 1;
	cluster_barrier_report(w, op, mask, SYNC_CLUSTER_ARRIVE);
	cluster_recount(w->cta->cluster, w);
	return FLOW_NEXT;
}

enum flow exec_cluster_wait(struct warp *w, const struct op *op, uint32_t mask)
{
	struct arrivals *s = arrivals_of(cluster_barrier_of(w->cta->cluster), w);
	uint32_t stay = mask & s->arrived, pass = mask & ~stay, pc = op_index(w, op);

	if (op->cluster.aligned && !warp_together(w, op))
		return FLOW_SWITCH;
	cluster_check_aligned(w, op, mask);
	if (pass & ~s->owing && sync_checks(w))
		finding(w, op, lane_first(pass & ~s->owing), DIAG_S0403,
			"this thread waits for the cluster's barrier without having arrived at it");
	if (w->lockstep && stay)
		pass = 0;
	if (pass) {
		s->owing &= ~pass;
		cluster_barrier_report(w, op, pass, SYNC_CLUSTER_WAIT);
	}
	if (!stay)
		return FLOW_NEXT;
	worker_count_later(w, pc, w->lockstep ? w->active : stay);
	if (w->lockstep) {
		stay = w->active; /* in lockstep a group waits as a whole */
	} else if (w->active & ~stay) {
		uint32_t go = warp_split(w, w->active & ~stay);

		w->group[go].pc = pc + 1;
	}
	cluster_barrier_report(w, op, stay, SYNC_CLUSTER_WAITING);
	w->group[w->current].pc = pc;
	w->group[w->current].state = GROUP_CLUSTER;
	return FLOW_SWITCH;
}
