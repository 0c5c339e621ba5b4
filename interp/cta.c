/* A CTA: its warps take turns until all have exited, all wait, all only poll, or the slice is over. CTA memory is used again by the next CTA of the same launch. */
#include "interp/cta.h"
#include "base/memory.h"
#include <stdlib.h>
#include <string.h>

enum {
	WARP_BUDGET = 1 << 16,   /* instructions of a warp before another has its turn */
	RANDOM_BUDGET = 1 << 8,
	SHARED_SLACK = 64,       /* bytes after shared memory that wide accesses may touch */
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

static struct cta *make(struct machine *m, struct launch *l)
{
	struct cta *c = memory_zeroed(1, sizeof *c);

	c->launch = l;
	c->nwarps = l->nwarps;
	c->warp = ARENA_ARRAY(&c->arena, struct warp, l->nwarps);
	c->shared_bytes = l->shared_bytes;
	c->shared = arena_alloc(&c->arena, (size_t)l->shared_bytes + SHARED_SLACK, 64);
	if (m->options.checks & CHECK_INIT)
		c->shared_defined = arena_alloc(&c->arena, (size_t)l->shared_bytes + SHARED_SLACK, 64);
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

void cta_free(struct cta *c)
{
	if (!c)
		return;
	for (uint32_t k = 0; k < c->nwarps; k++)
		memory_local_free(&c->warp[k]);
	arena_free(&c->arena);
	free(c);
}

static bool begin_warp(struct warp *w, const struct code_func *code)
{
	struct frame *f;

	w->live = w->lanes;
	w->polled = w->effect = w->made_effect = w->timed = 0;
	memset(w->arrived, 0, sizeof w->arrived);
	f = frame_push(w, code, NULL, w->lanes);
	w->ngroups = 1;
	w->group[0] = (struct group){.mask = w->lanes, .frame = f, .rejoin_pc = NO_PC};
	warp_enter(w, 0);
	return f->local_top <= w->local_bytes || memory_local_reserve(w, f->local_top);
}

struct cta *cta_begin(struct machine *m, struct launch *l, uint64_t linear, struct cta *spare)
{
	struct cta *c = spare;
	const uint32_t *grid = l->ask.grid;

	if (!c || c->launch != l) {
		cta_free(c);
		c = make(m, l);
	}
	c->linear = linear;
	c->ctaid[0] = (uint32_t)(linear % grid[0]);
	c->ctaid[1] = (uint32_t)(linear / grid[0] % grid[1]);
	c->ctaid[2] = (uint32_t)(linear / grid[0] / grid[1]);
	c->state = CTA_READY;
	c->live = c->ready = c->nwarps == MAX_WARPS ? UINT32_MAX : (1u << c->nwarps) - 1;
	c->asleep = 0;
	c->next_warp = 0;
	c->sleeping = false;
	memset(c->shared, 0, c->shared_bytes);
	if (c->shared_defined)
		memset(c->shared_defined, 0, c->shared_bytes);
	memset(c->barrier, 0, sizeof c->barrier);
	for (uint32_t k = 0; k < c->nwarps; k++)
		if (!begin_warp(&c->warp[k], l->code)) {
			cta_free(c);
			return NULL;
		}
	if (machine_watches(m, INTEREST_LIFE))
		observers_life(m, &(struct life_event){LIFE_CTA_BEGIN, l, c, NULL, 0});
	return c;
}

/* ---- running ---- */

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

	FOR_LANES(i, c->asleep)
	{
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

static uint64_t warp_budget(struct machine *m)
{
	if (m->options.schedule == SCHEDULE_RANDOM)
		return 1 + choose(m->chooser, CHOICE_QUANTUM, RANDOM_BUDGET);
	return WARP_BUDGET;
}

/* The next warp of TODO. */
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

/* Each warp that can run has a turn. */
static enum cta_result turn_round(struct worker *k, struct cta *c, uint64_t budget, uint64_t *spent, bool *effect)
{
	uint32_t todo = c->ready;
	bool all_spun = true, changed = false;

	while (todo) {
		uint32_t i = next_warp(k->machine, c, todo);
		struct warp *w = &c->warp[i];
		uint64_t most = warp_budget(k->machine), used;
		enum warp_result r;

		todo &= ~(1u << i);
		c->next_warp = (i + 1) % c->nwarps;
		w->worker = k;
		if (budget - *spent < most)
			most = budget - *spent;
		r = warp_run(w, most, &used);
		*spent += used;
		changed = changed || w->made_effect;
		w->made_effect = 0;
		if (r == WARP_STOP)
			return CTA_STOPPED;
		if (r == WARP_SLEEPING)
			c->asleep |= 1u << i;
		all_spun = all_spun && r == WARP_SPUN;
		if (*spent >= budget)
			break;
	}
	*effect = *effect || changed;
	return all_spun && !changed && !todo ? CTA_SPUN : CTA_SLICE;
}

static enum cta_result run(struct worker *k, struct cta *c, uint64_t budget, bool *effect)
{
	uint64_t spent = 0;

	for (;;) {
		uint64_t wake = c->asleep ? wake_up(k, c) : UINT64_MAX;

		if (!c->live)
			return CTA_FINISHED;
		if (spent >= budget)
			return CTA_SLICE;
		if (!c->ready) {
			if (!c->asleep)
				return CTA_STUCK;
			c->wake = wake;
			return CTA_SLEEPING;
		}
		enum cta_result r = turn_round(k, c, budget, &spent, effect);

		if (r == CTA_STOPPED || r == CTA_SPUN)
			return r;
	}
}

enum cta_result cta_run(struct worker *k, struct cta *c, uint64_t budget, bool *effect)
{
	struct machine *m = k->machine;
	enum cta_result r;

	*effect = false;
	k->clock = atomic_load_explicit(&m->clock, memory_order_relaxed);
	k->slice_steps = 0;
	r = run(k, c, budget, effect);
	k->steps += k->slice_steps;
	atomic_fetch_add_explicit(&m->clock, k->slice_steps, memory_order_relaxed);
	atomic_fetch_add_explicit(&m->steps, k->slice_steps, memory_order_relaxed);
	k->slice_steps = 0;
	if (r == CTA_FINISHED && machine_watches(m, INTEREST_LIFE))
		observers_life(m, &(struct life_event){LIFE_CTA_END, c->launch, c, NULL, 0});
	return r;
}
