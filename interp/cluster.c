/* Clusters: which launches may have them, and barrier.cluster, which counts threads: every thread of the cluster that has not exited arrives once a phase.
 * (PTX ISA 9.7.13.4) */
#include "interp/cluster.h"
#include "interp/cta.h"
#include "interp/sync.h"

struct warp_sync *warp_sync_of(struct warp *w)
{
	if (!w->sync)
		w->sync = ARENA_NEW(&w->cta->arena, struct warp_sync);
	return w->sync;
}

void cluster_check_life(struct warp *w, const struct op *op, unsigned lane, const struct cta *c, uint64_t address)
{
	if (!sync_checks(w))
		return;
	if (cluster_gone(c))
		finding(w, op, lane, DIAG_S0402, "0x%llx is in the shared memory of the CTA of rank %u of the cluster, which has exited", (unsigned long long)address,
			c->cluster_rank);
	else if (w->cta->far == 1)
		finding(w, op, lane, DIAG_S0409,
			"0x%llx is in the shared memory of the CTA of rank %u of the cluster, and this CTA has not synchronised with it, so it may not have started",
			(unsigned long long)address, c->cluster_rank);
}

bool cluster_check_access(struct warp *w, const struct op *op, unsigned lane, uint64_t offset)
{
	const struct cta *c = cluster_at(w->cta, offset);

	if (!c || c == w->cta)
		return true;
	if (op->space == W_shared && !ir_has(w->machine->module, op_insn(w, op), W_shared__cluster)) {
		fault(w, op, lane, DIAG_S0410, "0x%llx is in the shared memory of the CTA of rank %u of the cluster", (unsigned long long)offset, c->cluster_rank);
		return false;
	}
	cluster_check_life(w, op, lane, c, offset);
	return true;
}

/* ---- launches ---- */

static bool refuse(struct machine *m, const struct machine_launch *l, const char *text)
{
	diag_report(m->findings, DIAG_F0112, l->source, l->span, "%s", text);
	return false;
}

bool cluster_shape(struct machine *m, struct machine_launch *l, const struct ir_func *f)
{
	struct arena *a = &m->findings->arena;
	const uint32_t *r = f->reqnctapercluster;
	uint64_t n = 1;

	if (r[0] && !l->cluster[0])
		for (unsigned k = 0; k < 3; k++)
			l->cluster[k] = r[k] ? r[k] : 1;
	if (!l->cluster[0])
		return true;
	for (unsigned k = 0; k < 3; k++) {
		if (!l->cluster[k])
			l->cluster[k] = 1;
		if (r[0] && l->cluster[k] != (r[k] ? r[k] : 1))
			return refuse(m, l,
				      arena_printf(a, "the kernel has .reqnctapercluster %u, %u, %u, but the launch has clusters of %u x %u x %u", r[0],
						   r[1] ? r[1] : 1, r[2] ? r[2] : 1, l->cluster[0], l->cluster[1], l->cluster[2]));
		n *= l->cluster[k] <= CLUSTER_MOST ? l->cluster[k] : CLUSTER_MOST + 1;
	}
	if (n > CLUSTER_MOST)
		return refuse(m, l, arena_printf(a, "a cluster of %u x %u x %u CTAs; the maximum is %d", l->cluster[0], l->cluster[1], l->cluster[2], CLUSTER_MOST));
	if (f->maxclusterrank && n > f->maxclusterrank)
		return refuse(m, l, arena_printf(a, "the kernel has .maxclusterrank %u, but the launch has clusters of %u CTAs", f->maxclusterrank, (unsigned)n));
	for (unsigned k = 0; k < 3; k++) {
		if (f->blocksareclusters) /* the grid was given in clusters */
			l->grid[k] *= l->cluster[k];
		else if (l->grid[k] % l->cluster[k])
			return refuse(
			    m, l,
			    arena_printf(a, "grid dimension %c is %u, which is not a multiple of the cluster's %u", "xyz"[k], l -> grid[k], l -> cluster[k]));
	}
	return true;
}

/* ---- barrier.cluster ---- */

static uint32_t arrived(const struct warp *w)
{
	return w->sync ? w->sync->arrived : 0;
}

uint32_t cluster_missing(const struct cluster *k)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < k->n; i++)
		for (uint32_t j = 0; j < k->member[i]->nwarps; j++)
			n += (uint32_t)__builtin_popcount(k->member[i]->warp[j].live & ~arrived(&k->member[i]->warp[j]));
	return n;
}

static void go_on(struct warp *w)
{
	for (uint32_t j = 0; j < w->ngroups; j++)
		if (w->group[j].state == GROUP_CLUSTER) { /* it executes its wait again, which now lets it pass */
			w->group[j].state = GROUP_READY;
			w->cta->ready |= 1u << w->index;
		}
	if (w->sync)
		w->sync->arrived = 0;
}

static void tell(struct warp *w, const struct op *op, uint32_t mask, enum sync_kind kind)
{
	if (w->machine->interest & INTEREST_SYNC)
		observers_sync(w->machine, &(struct sync_event){.kind = kind,
								.cta = w->cta,
								.warp = w,
								.op = op,
								.mask = mask,
								.phase = w->cta->cluster->phase,
								.sem = op ? op->sem : 0,
								.scope = W_cluster});
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
	if (op->flag[1] && mask != w->live && sync_checks(w))
		finding(w, op, lane_first(mask), DIAG_S0405, "only %d of this warp's %d live threads execute this .aligned instruction together",
			__builtin_popcount(mask), __builtin_popcount(w->live));
}

static enum flow exec_arrive(struct warp *w, const struct op *op, uint32_t mask)
{
	struct warp_sync *s = warp_sync_of(w);
	struct cluster *k = w->cta->cluster;

	if (op->flag[1] && !warp_together(w, op))
		return FLOW_SWITCH;
	check_aligned(w, op, mask);
	if (s->owing & mask && sync_checks(w))
		finding(w, op, lane_first(s->owing & mask), DIAG_S0404, "this thread arrives again without having waited since its last arrival");
	if (k->first_insn == IR_NONE)
		k->first_insn = op->insn;
	s->arrived |= mask;
	s->owing |= mask;
	w->effect = 1;
	tell(w, op, mask, SYNC_CLUSTER_ARRIVE);
	cluster_recount(k, w);
	return FLOW_NEXT;
}

static enum flow exec_wait(struct warp *w, const struct op *op, uint32_t mask)
{
	struct warp_sync *s = warp_sync_of(w);
	uint32_t stay = mask & s->arrived, pass = mask & ~stay, pc = op_index(w, op);

	if (op->flag[1] && !warp_together(w, op))
		return FLOW_SWITCH;
	check_aligned(w, op, mask);
	if (pass & ~s->owing && sync_checks(w))
		finding(w, op, lane_first(pass & ~s->owing), DIAG_S0403, "this thread waits for the cluster's barrier without having arrived at it");
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

void decode_barrier_cluster(struct decoder *d, const struct ir_insn *i)
{
	bool wait = decode_has(d, W_wait);
	struct op *op = decode_emit(d, wait ? exec_wait : exec_arrive);

	(void)i;
	op->flag[1] = decode_has(d, W_aligned);
	op->sem = wait ? W_acquire : decode_has(d, W_relaxed) ? W_relaxed : W_release;
	op->scope = W_cluster;
}
