/* A CTA: its warps take turns until all have exited, all wait, all only poll, or the slice is over.
 * CTA memory is used again by the next CTA of the same launch. */
#include "interp/machine/cta.h"
#include "base/memory.h"
#include "interp/sync/async.h"
#include "interp/memory/combine.h"
#include "interp/sync/mbarrier_table.h"
#include <stdlib.h>
#include <string.h>

enum {
	WARP_BUDGET = 1 << 16, /* instructions of a warp before another has its turn */
	RANDOM_BITS = 9,       /* random: 1 to 2^8 */
	LANDS = 8,             /* random: of so many slices one lets a copy land at its end */
	/* the same in a cluster of several CTAs: their warps run side by side, as programs
	 * expect */
	CLUSTER_BUDGET = 16,
	SHARED_SLACK = 64, /* bytes after shared memory that wide accesses may touch */
};

static void set_threads(struct warp *w, const uint32_t block[3], uint32_t threads)
{
	for (uint32_t lane = 0; lane < LANES; lane++) {
		uint32_t t = w->index * LANES + lane;

		w->tid[0][lane] = t % block[0];
		w->tid[1][lane] = t / block[0] % block[1];
		w->tid[2][lane] = t / block[0] / block[1];
		if (t < threads)
			w->lanes |= 1u << lane;
	}
}

static struct cta *make_one(struct machine *m, struct launch *l)
{
	struct cta *c = memory_zeroed(1, sizeof *c);

	c->launch = l;
	c->nwarps = l->nwarps;
	c->warp = ARENA_ARRAY(&c->arena, struct warp, l->nwarps);
	c->shared_bytes = l->shared_bytes;
	c->shared = arena_alloc(&c->arena, (size_t)l->shared_bytes + SHARED_SLACK, 64);
	if (m->options.checks & CHECK_INIT)
		c->shared_defined = arena_alloc(
			&c->arena, (size_t)l->shared_bytes + SHARED_SLACK, 64);
	for (uint32_t k = 0; k < l->nwarps; k++) {
		struct warp *w = &c->warp[k];

		w->cta = c;
		w->machine = m;
		w->index = k;
		w->lockstep = m->options.schedule == SCHEDULE_LOCKSTEP;
		set_threads(w, l->ask.block, l->threads);
	}
	return c;
}

/* All CTAs of a cluster; its first. */
static struct cta *make(struct machine *m, struct launch *l)
{
	struct cta *first = make_one(m, l);
	struct cluster *k = ARENA_NEW(&first->arena, struct cluster);

	k->n = l->cluster_ctas;
	k->last_copy = &k->copies;
	for (uint32_t rank = 0; rank < k->n; rank++) {
		struct cta *c = rank ? make_one(m, l) : first;

		c->cluster = k;
		c->cluster_rank = rank;
		k->member[rank] = c;
	}
	return first;
}

static void free_one(struct cta *c)
{
	for (uint32_t k = 0; k < c->nwarps; k++)
		memory_local_free(&c->warp[k]);
	mbarrier_table_free(c);
	arena_free(&c->arena);
	free(c);
}

void cta_free(struct cta *c)
{
	if (!c)
		return;
	struct cluster *k = c->cluster;

	async_free(k);
	for (uint32_t rank = k->n; rank-- > 0;) /* the first has the cluster itself in its arena */
		free_one(k->member[rank]);
}

static bool begin_warp(struct warp *w, const struct code_func *code)
{
	struct frame *f;

	w->live = w->lanes;
	w->polled = w->effect = w->made_effect = w->timed = 0;
	memset(w->arrived, 0, sizeof w->arrived);
	w->missed = 0;
	if (w->sync)
		memset(w->sync, 0, sizeof *w->sync);
	f = frame_push(w, code, NULL, w->lanes);
	w->ngroups = 1;
	w->group[0] = (struct group){.mask = w->lanes, .frame = f, .rejoin_pc = NO_PC};
	warp_enter(w, 0);
	return f->local_top <= w->local_bytes || memory_local_reserve(w, f->local_top);
}

/* Where the CTA of rank RANK of unit UNIT lies in the grid. */
static void place(struct cta *c, uint64_t unit, uint32_t rank)
{
	const struct machine_launch *ask = &c->launch->ask;
	uint64_t linear = 0;

	for (unsigned k = 0; k < 3; k++) {
		uint32_t size = ask->cluster[k] ? ask->cluster[k] : 1, n = ask->grid[k] / size;

		c->ctaid[k] = (uint32_t)(unit % n) * size + rank % size;
		unit /= n;
		rank /= size;
	}
	for (unsigned k = 3; k-- > 0;)
		linear = linear * ask->grid[k] + c->ctaid[k];
	c->linear = linear;
}

static bool begin_one(struct machine *m, struct cta *c)
{
	struct launch *l = c->launch;

	c->state = CTA_READY;
	c->live = c->ready = c->nwarps == MAX_WARPS ? UINT32_MAX : (1u << c->nwarps) - 1;
	c->asleep = 0;
	c->next_warp = 0;
	c->sleeping = false;
	memset(c->shared, 0, c->shared_bytes);
	if (c->shared_defined)
		memset(c->shared_defined, 0, c->shared_bytes);
	memset(c->barrier, 0, sizeof c->barrier);
	mbarrier_table_clear(c);
	for (uint32_t k = 0; k < c->nwarps; k++)
		if (!begin_warp(&c->warp[k], l->code))
			return false;
	if (machine_watches(m, INTEREST_LIFE))
		observers_life(m, &(struct life_event){LIFE_CTA_BEGIN, l, c, NULL, 0});
	return true;
}

struct cta *cta_begin(struct machine *m, struct launch *l, uint64_t unit, struct cta *spare)
{
	struct cta *c = spare;

	if (!c || c->launch != l) {
		cta_free(c);
		c = make(m, l);
	}
	struct cluster *k = c->cluster;

	k->phase = 0;
	k->first_insn = IR_NONE;
	for (uint32_t rank = 0; rank < k->n; rank++) {
		place(k->member[rank], unit, rank);
		if (!begin_one(m, k->member[rank])) {
			cta_free(c);
			return NULL;
		}
	}
	return c;
}

/* --- running --- */

static uint64_t earliest(const struct warp *w)
{
	uint64_t wake = UINT64_MAX;

	for (uint32_t k = 0; k < w->ngroups; k++)
		if (w->group[k].state == GROUP_SLEEP && w->group[k].wake < wake)
			wake = w->group[k].wake;
	return wake;
}

/* Wakes who has slept long enough; the earliest of those who have not. */
static uint64_t wake_up(const struct worker *k, struct cta *c)
{
	uint64_t now = k->clock + k->slice_steps, next = UINT64_MAX;

	FOR_LANES(i, c->asleep) {
		uint64_t wake = earliest(&c->warp[i]);

		if (wake <= now) {
			c->asleep &= ~(1u << i);
			c->ready |= 1u << i;
		} else if (wake < next) {
			next = wake;
		}
	}
	return next;
}

static uint64_t warp_budget(struct machine *m, const struct cta *c)
{
	if (m->options.schedule == SCHEDULE_RANDOM)
		return choose_length(m->chooser, CHOICE_QUANTUM, RANDOM_BITS);
	return c->cluster->n > 1 ? CLUSTER_BUDGET : WARP_BUDGET;
}

/* The next of the warps in the set. */
static uint32_t next_warp(struct machine *m, struct cta *c, uint32_t todo)
{
	if (m->options.schedule == SCHEDULE_RANDOM) {
		uint32_t n = choose(m->chooser, CHOICE_WARP, (uint32_t)__builtin_popcount(todo));

		for (; n; n--)
			todo &= todo - 1;
		return lane_first(todo);
	}
	uint32_t later = todo & ~((1u << c->next_warp) - 1);

	return lane_first(later ? later : todo);
}

/* Who only polled may now see something new. */
static void cluster_changed(struct cluster *k)
{
	for (uint32_t rank = 0; rank < k->n; rank++)
		k->member[rank]->quiet = 0;
}

/* Each warp that can run has a turn. */
static enum cta_result turn_round(
	struct worker *k, struct cta *c, uint64_t budget, uint64_t *spent, bool *effect)
{
	uint32_t todo = c->ready;
	bool changed = false;

	while (todo) {
		uint32_t i = next_warp(k->machine, c, todo);
		struct warp *w = &c->warp[i];
		uint64_t most = warp_budget(k->machine, c), used;
		enum warp_result r;

		todo &= ~(1u << i);
		if (c->cluster->copies)
			async_chance(k->machine, c->cluster);
		c->next_warp = (i + 1) % c->nwarps;
		if (budget - *spent < most)
			most = budget - *spent;
		r = warp_run(w, most, &used);
		*spent += used;
		if (w->made_effect) {
			changed = true;
			cluster_changed(c->cluster);
		}
		w->made_effect = 0;
		if (r == WARP_STOP)
			return CTA_STOPPED;
		if (r == WARP_SLEEPING)
			c->asleep |= 1u << i;
		if (r == WARP_SPUN)
			c->quiet |= 1u << i;
		if (*spent >= budget)
			break;
	}
	*effect = *effect || changed;
	return changed || c->ready & ~c->quiet || !c->ready ? CTA_SLICE : CTA_SPUN;
}

static enum cta_result run_one(
	struct worker *k, struct cta *c, uint64_t budget, uint64_t *spent, bool *effect)
{
	for (;;) {
		uint64_t wake = c->asleep ? wake_up(k, c) : UINT64_MAX;

		if (!c->live)
			return CTA_FINISHED;
		if (*spent >= budget)
			return CTA_SLICE;
		if (!c->ready) {
			if (!c->asleep)
				return CTA_STUCK;
			c->wake = wake;
			return CTA_SLEEPING;
		}
		enum cta_result r = turn_round(k, c, budget, spent, effect);

		if (r == CTA_STOPPED || r == CTA_SPUN ||
			(r == CTA_SLICE && c->cluster->n > 1 && c->live))
			return r;
	}
}

static void end_one(struct machine *m, struct cta *c)
{
	c->state = CTA_DONE;
	if (machine_watches(m, INTEREST_LIFE))
		observers_life(m, &(struct life_event){LIFE_CTA_END, c->launch, c, NULL, 0});
}

/* What the CTAs of a cluster came to, each in turn. */
struct pass {
	uint32_t done;
	bool changed, on, spun, stopped; /* on: somebody could go on at once */
	uint64_t wake;
};

static void one_pass(
	struct worker *k, struct cluster *cl, uint64_t budget, uint64_t *spent, struct pass *p)
{
	*p = (struct pass){.wake = UINT64_MAX};
	for (uint32_t rank = 0; rank < cl->n && !p->stopped; rank++) {
		struct cta *c = cl->member[rank];

		if (c->state == CTA_DONE) {
			p->done++;
			continue;
		}
		switch (run_one(k, c, budget, spent, &p->changed)) {
		case CTA_FINISHED:
			end_one(k->machine, c);
			p->changed = true;
			p->done++;
			break;
		case CTA_STOPPED: p->stopped = true; break;
		case CTA_SLICE: p->on = true; break;
		case CTA_SPUN: p->spun = true; break;
		case CTA_SLEEPING: p->wake = c->wake < p->wake ? c->wake : p->wake; break;
		case CTA_STUCK:
		default: break;
		}
		if (*spent >= budget)
			break;
	}
}

/* A cluster: its CTAs take turns as warps do; asynchronous copies land when nobody else gets on. */
static enum cta_result run(struct worker *k, struct cta *first, uint64_t budget, bool *effect)
{
	struct machine *m = k->machine;
	struct cluster *cl = first->cluster;
	uint64_t spent = 0;

	cluster_changed(cl); /* others may have changed memory since it ran last */
	for (;;) {
		struct pass p;

		one_pass(k, cl, budget, &spent, &p);
		*effect = *effect || p.changed;
		if (p.stopped)
			return CTA_STOPPED;
		if (p.done == cl->n) {
			async_drain(m, cl);
			for (uint32_t rank = 0; rank < cl->n; rank++)
				mbarrier_at_exit(cl->member[rank], &cl->member[rank]->warp[0]);
			return atomic_load(&m->stop) ? CTA_STOPPED : CTA_FINISHED;
		}
		/* one lands at the end of a slice too: who computes for ever does not hold up the
		 * others' copies */
		if (spent >= budget) {
			if (m->options.schedule != SCHEDULE_RANDOM ||
				choose(m->chooser, CHOICE_COPY, LANDS) == 1)
				*effect = async_progress(m, cl) || *effect;
			return atomic_load(&m->stop) ? CTA_STOPPED : CTA_SLICE;
		}
		if (p.on || (p.changed && cl->n > 1))
			continue;
		if (async_progress(m, cl)) {
			cluster_changed(cl);
			*effect = true;
			continue;
		}
		if (atomic_load(&m->stop))
			return CTA_STOPPED;
		if (p.spun)
			return CTA_SPUN;
		first->wake = p.wake;
		return p.wake == UINT64_MAX ? CTA_STUCK : CTA_SLEEPING;
	}
}

enum cta_result cta_run(struct worker *k, struct cta *c, uint64_t budget, bool *effect)
{
	struct machine *m = k->machine;
	enum cta_result r;

	*effect = false;
	/* a copy may land, or a barrier complete, on behalf of any of them */
	for (uint32_t rank = 0; rank < c->cluster->n; rank++)
		for (uint32_t i = 0; i < c->cluster->member[rank]->nwarps; i++)
			c->cluster->member[rank]->warp[i].worker = k;
	k->clock = atomic_load_explicit(&m->clock, memory_order_relaxed);
	k->slice_steps = 0;
	r = run(k, c, budget, effect);
	combine_settle(k);
	k->steps += k->slice_steps;
	atomic_fetch_add_explicit(&m->clock, k->slice_steps, memory_order_relaxed);
	atomic_fetch_add_explicit(&m->steps, k->slice_steps, memory_order_relaxed);
	k->slice_steps = 0;
	return r;
}
