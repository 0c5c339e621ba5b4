/* barrier.cluster, which counts threads: every thread of the cluster that has not exited arrives
 * once a phase. (PTX ISA 9.7.13.4) */
#include "interp/state/cluster.h"
#include "interp/state/exec.h"
#include "interp/state/warp.h"
#include "interp/sync/sync.h"

static uint32_t arrived(const struct warp *w) { return w->sync ? w->sync->arrived : 0; }

uint32_t cluster_missing(const struct cluster *k)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < k->n; i++)
		for (uint32_t j = 0; j < k->member[i]->nwarps; j++)
			n += (uint32_t)__builtin_popcount(
				k->member[i]->warp[j].live & ~arrived(&k->member[i]->warp[j]));
	return n;
}

static void go_on(struct warp *w)
{
	EVERY_GROUP(j, w)
		/* it executes its wait again, which now lets it pass */
		if (w->group[j].state == GROUP_CLUSTER) {
			w->group[j].state = GROUP_READY;
			w->cta->ready |= 1u << w->index;
		}
	if (w->sync)
		w->sync->arrived = 0;
}

static void tell(struct warp *w, const struct op *op, uint32_t mask, enum sync_kind kind)
{
	if (w->machine->interest & INTEREST_SYNC)
		observers_sync(w->machine,
			&(struct sync_event){.kind = kind,
				.cta = w->cta,
				.warp = w,
				.op = op,
				.mask = mask,
				.phase = w->cta->cluster->phase,
				.sem = op ? (enum sem)op->cluster.sem : SEM_WEAK,
				.scope = SCOPE_CLUSTER});
}

void cluster_recount(struct cluster *k, struct warp *by)
{
	if (k->first_insn == IR_NONE || cluster_missing(k))
		return;
	tell(by, NULL, 0, SYNC_CLUSTER_COMPLETE);
	k->phase++;
	by->worker->stats.barriers++;
	k->first_insn = IR_NONE;
	by->effect = 1;
	for (uint32_t i = 0; i < k->n; i++)
		for (uint32_t j = 0; j < k->member[i]->nwarps; j++)
			go_on(&k->member[i]->warp[j]);
}

static void check_aligned(struct warp *w, const struct op *op, uint32_t mask)
{
	if (op->cluster.aligned && mask != w->live && sync_checks(w))
		finding(w, op, lane_first(mask), DIAG_S0405,
			"only %d of this warp's %d live threads execute this .aligned instruction together",
			__builtin_popcount(mask), __builtin_popcount(w->live));
}

enum flow exec_cluster_arrive(struct warp *w, const struct op *op, uint32_t mask)
{
	struct warp_sync *s = warp_sync_of(w);
	struct cluster *k = w->cta->cluster;

	if (op->cluster.aligned && !warp_together(w, op))
		return FLOW_SWITCH;
	check_aligned(w, op, mask);
	if (s->owing & mask && sync_checks(w))
		finding(w, op, lane_first(s->owing & mask), DIAG_S0404,
			"this thread arrives again without having waited since its last arrival");
	if (k->first_insn == IR_NONE)
		k->first_insn = op->insn;
	assert(!(mask & ~w->live));
	s->arrived |= mask;
	s->owing |= mask;
	w->effect = 1;
	tell(w, op, mask, SYNC_CLUSTER_ARRIVE);
	cluster_recount(k, w);
	return FLOW_NEXT;
}

enum flow exec_cluster_wait(struct warp *w, const struct op *op, uint32_t mask)
{
	struct warp_sync *s = warp_sync_of(w);
	uint32_t stay = mask & s->arrived, pass = mask & ~stay, pc = op_index(w, op);

	if (op->cluster.aligned && !warp_together(w, op))
		return FLOW_SWITCH;
	check_aligned(w, op, mask);
	if (pass & ~s->owing && sync_checks(w))
		finding(w, op, lane_first(pass & ~s->owing), DIAG_S0403,
			"this thread waits for the cluster's barrier without having arrived at it");
	if (w->lockstep && stay)
		pass = 0;
	if (pass) {
		s->owing &= ~pass;
		tell(w, op, pass, SYNC_CLUSTER_WAIT);
	}
	if (!stay)
		return FLOW_NEXT;
	worker_count_later(w, pc, w->lockstep ? w->active : stay);
	if (w->lockstep) {
		stay = w->active; /* a group of the stack waits as a whole */
	} else if (w->active & ~stay) {
		uint32_t go = warp_split(w, w->active & ~stay);

		w->group[go].pc = pc + 1;
	}
	tell(w, op, stay, SYNC_CLUSTER_WAITING);
	w->group[w->current].pc = pc;
	w->group[w->current].state = GROUP_CLUSTER;
	return FLOW_SWITCH;
}
