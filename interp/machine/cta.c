/* A CTA: its warps take turns until all have exited, all wait, all only poll, or the slice is
 * used up. The next unit of the same launch reuses its memory. */
#include "interp/machine/cta.h"
#include "interp/machine/round.h"
#include "base/memory.h"
#include "interp/sync/async.h"
#include "interp/sync/tensor_memory.h"
#include "interp/sync/wgmma_check.h"
#include "interp/sync/barrier.h"
#include "interp/sync/cluster_barrier.h"
#include "interp/memory/combine.h"
#include "interp/memory/mbarrier_wait.h"
#include "interp/stuck/poll.h"
#include "interp/sync/mbarrier_table.h"
#include <stdlib.h>
#include <string.h>

enum {
	RANDOM_BITS = 9, /* random: 1 to 2^8 */
	LAND_SLICES = 8, /* random: one in so many slices lands a copy at its end */
	/* the same in a cluster of several CTAs: their warps run concurrently, as programs
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

static struct cta *cta_make_one(struct machine *m, struct launch *l)
{
	struct cta *c = memory_zeroed(1, sizeof *c);

	c->launch = l;
	c->turns = ARENA_NEW(&c->arena, struct turns);
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

/* Allocates all CTAs of a cluster; returns the first. */
static struct cta *cta_make(struct machine *m, struct launch *l)
{
	struct cta *first = cta_make_one(m, l);
	struct cluster *k = ARENA_NEW(&first->arena, struct cluster);

	k->n = l->cluster_ctas;
	for (uint32_t rank = 0; rank < k->n; rank++) {
		struct cta *c = rank ? cta_make_one(m, l) : first;

		c->cluster = k;
		c->cluster_rank = rank;
		k->member[rank] = c;
	}
	return first;
}

/* The modules that have state of a cluster, its CTAs and their warps: called when a new unit
 * starts in that memory and when it is freed. */
static const struct keeper *const keeper[] = {&barrier_keeper, &cluster_barrier_keeper,
	&async_keeper, &wgmma_keeper, &tcgen_memory_keeper, &mbarrier_keeper, &mbarrier_wait_keeper,
	&memory_local_keeper, &poll_keeper};
enum { KEEPERS = sizeof keeper / sizeof *keeper };

void cta_free(struct cta *c)
{
	if (!c)
		return;
	struct cluster *k = c->cluster;

	for (unsigned i = 0; i < KEEPERS; i++)
		if (keeper[i]->free)
			keeper[i]->free(k);
	/* the first CTA last: its arena holds the cluster */
	for (uint32_t rank = k->n; rank-- > 0;) {
		struct cta *one = k->member[rank];

		arena_free(&one->arena);
		memory_drop(one);
	}
}

static bool warp_begin(struct warp *w, const struct code_func *code)
{
	struct frame *f;

	w->live = w->lanes;
	w->polled = w->effect = w->made_effect = w->timed = 0;
	f = frame_push(w, code, NULL, w->lanes);
	if (w->native)
		w->native->proven = 0;
	w->ngroups = 1;
	w->group[0] = (struct group){.mask = w->lanes, .frame = f, .rejoin_pc = NO_PC};
	warp_enter(w, 0);
	return f->local_top <= w->local_bytes || memory_local_reserve(w, f->local_top);
}

/* The position in the grid of the CTA of rank RANK in unit UNIT. */
static void cta_place(struct cta *c, uint64_t unit, uint32_t rank)
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

static bool cta_begin_one(struct machine *m, struct cta *c)
{
	struct launch *l = c->launch;

	c->state = CTA_READY;
	c->live = c->ready = c->nwarps == MAX_WARPS ? UINT32_MAX : (1u << c->nwarps) - 1;
	*c->turns = (struct turns){0};
	memset(c->shared, 0, c->shared_bytes);
	if (c->shared_defined)
		memset(c->shared_defined, 0, c->shared_bytes);
	for (uint32_t k = 0; k < c->nwarps; k++)
		if (!warp_begin(&c->warp[k], l->code))
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
		c = cta_make(m, l);
	}
	struct cluster *k = c->cluster;

	for (unsigned i = 0; i < KEEPERS; i++)
		if (keeper[i]->begin)
			keeper[i]->begin(k);
	for (uint32_t rank = 0; rank < k->n; rank++) {
		cta_place(k->member[rank], unit, rank);
		if (!cta_begin_one(m, k->member[rank])) {
			cta_free(c);
			return NULL;
		}
	}
	return c;
}

/* --- running --- */

static uint64_t warp_earliest_wake(const struct warp *w)
{
	uint64_t wake = UINT64_MAX;

	for (uint32_t k = 0; k < w->ngroups; k++)
		if (w->group[k].state == GROUP_SLEEP && w->group[k].wake < wake)
			wake = w->group[k].wake;
	return wake;
}

/* Wakes expired sleepers; returns the next wake-up time. */
static uint64_t wake_up(const struct worker *k, struct cta *c)
{
	uint64_t now = k->clock + k->slice_steps, next = UINT64_MAX;

	FOR_LANES(i, c->turns->asleep) {
		uint64_t wake = warp_earliest_wake(&c->warp[i]);

		if (wake <= now) {
			c->turns->asleep &= ~(1u << i);
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

/* Which of these warps runs next. */
static uint32_t next_warp(struct machine *m, struct cta *c, uint32_t todo)
{
	if (directed_to(m, c)) {
		uint32_t i = m->options.director->turn.warp;

		if (i < c->nwarps && todo >> i & 1)
			return i;
		direct_refuse(m,
			i >= c->nwarps             ? "does not exist"
				: c->live >> i & 1 ? "waits"
						   : "has exited");
	}
	if (m->options.schedule == SCHEDULE_RANDOM) {
		uint32_t n = choose(m->chooser, CHOICE_WARP, (uint32_t)__builtin_popcount(todo));

		for (; n; n--)
			todo &= todo - 1;
		return lane_first(todo);
	}
	uint32_t later = todo & ~((1u << c->turns->next_warp) - 1);

	return lane_first(later ? later : todo);
}

/* Each warp that can run has a turn. */
static enum cta_result turn_round(
	struct worker *k, struct cta *c, uint64_t budget, uint64_t *spent, bool *effect)
{
	struct round t = {c, budget, spent, c->ready, false, effect};
	bool plain = round_is_plain(k->machine) && c->cluster->n == 1, stopped = false;

	while (t.todo) {
		uint32_t i;
		struct warp *w;
		uint64_t most;
		enum warp_result r;

		if (plain && round_translated(&t, &stopped)) {
			if (stopped)
				return CTA_STOPPED;
			if (*spent >= budget)
				break;
			continue;
		}
		i = next_warp(k->machine, c, t.todo);
		w = &c->warp[i];
		most = warp_budget(k->machine, c);
		t.todo &= ~(1u << i);
		if (c->cluster->copies)
			async_maybe_land(k->machine, c->cluster);
		c->turns->next_warp = (i + 1) % c->nwarps;
		if (budget - *spent < most)
			most = budget - *spent;
		r = warp_run(w, most);
		if (!round_turn_ended(&t, w, r))
			return CTA_STOPPED;
		if (*spent >= budget || is_directed(k->machine))
			break;
	}
	*effect = *effect || t.changed;
	return t.changed || c->ready & ~c->turns->quiet || !c->ready ? CTA_SLICE : CTA_SPUN;
}

static enum cta_result cta_run_one(
	struct worker *k, struct cta *c, uint64_t budget, uint64_t *spent, bool *effect)
{
	for (;;) {
		uint64_t wake = c->turns->asleep ? wake_up(k, c) : UINT64_MAX;

		if (!c->live)
			return CTA_FINISHED;
		if (*spent >= budget || (is_directed(k->machine) && !directed_to(k->machine, c)))
			return CTA_SLICE;
		if (!c->ready) {
			if (directed_to(k->machine, c))
				direct_refuse(k->machine, "waits");
			if (!c->turns->asleep)
				return CTA_STUCK;
			c->turns->wake = wake;
			return CTA_SLEEPING;
		}
		enum cta_result r = turn_round(k, c, budget, spent, effect);

		if (r == CTA_STOPPED || r == CTA_SPUN ||
			(r == CTA_SLICE && c->cluster->n > 1 && c->live))
			return r;
	}
}

static void cta_end_one(struct machine *m, struct cta *c)
{
	c->state = CTA_DONE;
	if (machine_watches(m, INTEREST_LIFE))
		observers_life(m, &(struct life_event){LIFE_CTA_END, c->launch, c, NULL, 0});
}

/* Whether the director names a turn of another cluster. */
static bool directed_out(const struct machine *m, const struct cluster *k)
{
	for (uint32_t rank = 0; rank < k->n; rank++)
		if (directed_to(m, k->member[rank]))
			return false;
	return is_directed(m);
}

/* The outcome of one turn of each CTA of a cluster. */
struct pass {
	uint32_t done;
	bool changed, on, spun, stopped; /* on: a CTA can continue at once */
	uint64_t wake;
};

static void cluster_pass(
	struct worker *k, struct cluster *cl, uint64_t budget, uint64_t *spent, struct pass *p)
{
	*p = (struct pass){.wake = UINT64_MAX};
	for (uint32_t rank = 0; rank < cl->n && !p->stopped; rank++) {
		struct cta *c = cl->member[rank];

		if (c->state == CTA_DONE) {
			if (directed_to(k->machine, c))
				direct_refuse(k->machine, "belongs to a CTA that has ended");
			p->done++;
			continue;
		}
		switch (cta_run_one(k, c, budget, spent, &p->changed)) {
		case CTA_FINISHED:
			cta_end_one(k->machine, c);
			p->changed = true;
			p->done++;
			break;
		case CTA_STOPPED: p->stopped = true; break;
		case CTA_SLICE: p->on = true; break;
		case CTA_SPUN: p->spun = true; break;
		case CTA_SLEEPING:
			p->wake = c->turns->wake < p->wake ? c->turns->wake : p->wake;
			break;
		case CTA_STUCK:
		default: break;
		}
		if (*spent >= budget)
			break;
	}
}

/* Runs a cluster: its CTAs take turns as warps do. Asynchronous copies land when no thread can
 * make progress. */
static enum cta_result cluster_run(
	struct worker *k, struct cta *first, uint64_t budget, bool *effect)
{
	struct machine *m = k->machine;
	struct cluster *cl = first->cluster;
	uint64_t spent = 0;

	cluster_changed(cl); /* other CTAs may have changed memory since this cluster last ran */
	for (;;) {
		struct pass p;

		cluster_pass(k, cl, budget, &spent, &p);
		*effect = *effect || p.changed;
		if (p.stopped)
			return CTA_STOPPED;
		if (p.done == cl->n) {
			async_drain(m, cl);
			for (uint32_t rank = 0; rank < cl->n; rank++) {
				mbarrier_at_exit(cl->member[rank], &cl->member[rank]->warp[0]);
				tcgen_at_exit(cl->member[rank]);
			}
			return atomic_load(&m->stop) ? CTA_STOPPED : CTA_FINISHED;
		}
		if (directed_out(m, cl))
			return atomic_load(&m->stop) ? CTA_STOPPED : CTA_SLICE;
		/* at the end of a slice as well: a warp that computes endlessly must not hold up
		 * other warps' copies */
		if (spent >= budget) {
			if (m->options.schedule != SCHEDULE_RANDOM ||
				choose(m->chooser, CHOICE_COPY, LAND_SLICES) == 1)
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
		first->turns->wake = p.wake;
		return p.wake == UINT64_MAX ? CTA_STUCK : CTA_SLEEPING;
	}
}

enum cta_result cta_run(struct worker *k, struct cta *c, uint64_t budget, bool *effect)
{
	struct machine *m = k->machine;
	enum cta_result r;

	*effect = false;
	k->settle = round_settle;
	k->run_next = warp_run_next;
	k->part_again = warp_part_again;
	/* for any of these warps, a copy may land or a barrier complete */
	for (uint32_t rank = 0; rank < c->cluster->n; rank++)
		for (uint32_t i = 0; i < c->cluster->member[rank]->nwarps; i++)
			c->cluster->member[rank]->warp[i].worker = k;
	k->clock = atomic_load_explicit(&m->clock, memory_order_relaxed) + k->untold;
	k->slice_steps = 0;
	r = cluster_run(k, c, budget, effect);
	combine_settle(k);
	k->steps += k->slice_steps;
	k->untold += k->slice_steps;
	k->slice_steps = 0;
	return r;
}

void worker_tell(struct worker *k)
{
	atomic_fetch_add_explicit(&k->machine->clock, k->untold, memory_order_relaxed);
	atomic_fetch_add_explicit(&k->machine->steps, k->untold, memory_order_relaxed);
	k->untold = 0;
}
