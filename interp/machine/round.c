/* Turns of whole warps by translated code, from one bar.sync to the next: what cta.c, warp_run.c
 * and exec_bar() do for a warp with one group and the fair schedule, without asking what is known.
 * A warp that waits hands over to the next one inside the unit. Anything else that happens is
 * theirs: the turn goes on in warp_run_on(). */
#include "interp/machine/round.h"
#include "interp/machine/cta.h"
#include "interp/state/cluster.h"
#include "interp/state/limits.h"
#include "interp/sync/barrier.h"

bool round_turn_ended(struct round *t, struct warp *w, enum warp_result r)
{
	struct cta *c = t->cta;

	*t->spent += w->used;
	if (w->made_effect) {
		t->changed = true;
		cluster_changed(c->cluster);
	}
	w->made_effect = 0;
	if (r == WARP_SLEEPING)
		c->turns->asleep |= 1u << w->index;
	if (r == WARP_SPUN)
		c->turns->quiet |= 1u << w->index;
	return r != WARP_STOP;
}

struct turns_of_units {
	struct round *round;
	const struct engine_code *unit;
	struct warp *warp; /* whose turn it is, or NULL */
	/* the warps that wait at the bar.sync at `pc`, for all threads of the CTA, without having
	 * been counted: their groups are as if it had completed */
	uint32_t waiting, pc;
	/* those that last waited so, and may go on: all have a budget of WARP_BUDGET */
	uint32_t came;
};

static struct native_state *advance(struct native_state *s);
static struct native_state *depart(struct native_state *s);

/* The next warp of the round. */
static inline struct warp *next_of(struct round *t)
{
	struct cta *c = t->cta;
	uint32_t later = t->todo & ~((1u << c->turns->next_warp) - 1);

	return &c->warp[lane_first(later ? later : t->todo)];
}

/* W has the next turn, with its budget, from the place of its only group on. */
static inline struct native_state *take_turn(
	struct turns_of_units *x, struct warp *w, struct native_state *s)
{
	struct round *t = x->round;
	struct cta *c = t->cta;
	uint32_t i = w->index;

	t->todo &= ~(1u << i);
	x->came &= ~(1u << i);
	c->turns->next_warp = i + 1 == c->nwarps ? 0 : i + 1;
	x->warp = w;
	w->polled = w->effect = 0;
	s->pc = s->start = w->run_pc = w->group->pc;
	s->left = w->most;
	return s;
}

/* The same with what the slice has left for it. */
static struct native_state *give_turn(
	struct turns_of_units *x, struct warp *w, struct native_state *s)
{
	struct round *t = x->round;

	warp_run_begins(w,
		t->budget - *t->spent < WARP_BUDGET ? (uint32_t)(t->budget - *t->spent)
						    : WARP_BUDGET);
	return take_turn(x, w, s);
}

/* The next warp, which has a turn; NULL: its turn is not one of whole warps at entries of the unit.
 * LIKE: only one that runs in the same copy of the unit. */
static struct native_state *begin_any_turn(
	struct turns_of_units *x, struct warp *w, const struct native_state *like)
{
	struct cta *c = x->round->cta;
	struct group *g = w->group;
	struct native_state *s = w->native;

	if (w->ngroups != 1 || g->state != GROUP_READY || g->passed || c->cluster->copies ||
		!x->unit->entry[g->pc] || g->frame->code != c->launch->code ||
		(like && (like->active == UINT32_MAX) != (g->mask == UINT32_MAX)))
		return NULL;
	w->turn = 0;
	w->watch = NO_PC;
	warp_enter(w, 0);
	if (like && s && s->constants == like->constants && s->count == like->count &&
		s->slice_steps == like->slice_steps)
		s->regs = w->bank[0];
	else
		s = engine_state(w);
	s->active = g->mask;
	s->watch = NO_PC;
	s->turn = 0;
	s->parts = 1;
	s->fair = 1;
	s->entry = x->unit->entry;
	s->advance = s->advance_whole = advance;
	s->depart = depart;
	s->round = x;
	return give_turn(x, w, s);
}

static inline struct native_state *begin_turn(
	struct turns_of_units *x, const struct native_state *like)
{
	struct warp *w = next_of(x->round);

	return like && x->came >> w->index & 1 && !x->round->cta->cluster->copies
		? give_turn(x, w, w->native)
		: begin_any_turn(x, w, like);
}

/* --- barriers --- */

void round_settle(struct turns_of_units *x)
{
	struct cta *c = x->round->cta;
	struct worker *k = c->warp->worker;

	k->waits = NULL;
	FOR_LANES(i, x->waiting) {
		struct warp *w = &c->warp[i];

		engine_wait(w, x->pc);
		c->ready &= ~(1u << i);
		barrier_arrives_whole(w);
		w->made_effect = 0;
	}
	x->waiting = 0;
}

/* Whether the barrier at s->pc, at which nobody waits, is of all threads, and no other is under
 * way.
 */
static bool may_begin(struct turns_of_units *x, const struct native_state *s)
{
	const struct warp *w = x->warp;

	if (*(const uint32_t *)op_lanes(w, &w->frame->code->op[s->pc], 1) != 0 ||
		!barrier_is_quiet(w->cta))
		return false;
	x->pc = s->pc;
	return true;
}

/* Whether the warp of S, which waits at s->pc, need not be counted now. */
static inline bool may_defer(struct turns_of_units *x, const struct native_state *s)
{
	const struct warp *w = x->warp;

	if (w->group->mask != w->lanes || !s->left ||
		w->worker->unlooked + (w->most - s->left) >= LIMITS_LOOK ||
		atomic_load_explicit(&w->machine->stop, memory_order_relaxed))
		return false;
	return x->waiting ? x->pc == s->pc && !(x->waiting >> w->index & 1) : may_begin(x, s);
}

/* All have had their turn. Whether another round begins at once, as in cta.c. */
static bool next_round(struct turns_of_units *x)
{
	struct round *t = x->round;
	const struct cta *c = t->cta;

	if (!(c->ready & ~x->waiting) || c->turns->asleep || c->cluster->copies)
		return false;
	*t->effect = *t->effect || t->changed;
	t->changed = false;
	t->todo = c->ready & ~x->waiting;
	return true;
}

/* The warp of S waits at the barrier at s->pc: who goes on, it is the last, or who is next. */
static inline struct native_state *advance_deferred(
	struct turns_of_units *x, struct native_state *s)
{
	struct warp *w = x->warp;
	struct round *t = x->round;
	struct cta *c = w->cta;
	uint32_t n = w->most - s->left, bit = 1u << w->index;

	w->worker->unlooked += n;
	w->used += n;
	w->most = s->left;
	w->group->pc = s->pc + 1;
	w->polled = 0;
	if ((x->waiting | bit) == c->live) {
		barrier_passed(w, *(const uint32_t *)op_lanes(w, &w->frame->code->op[s->pc], 0));
		x->came |= x->waiting;
		x->waiting = 0;
		w->worker->waits = NULL;
		w->effect = w->made_effect = 1;
		s->pc = s->start = w->run_pc = s->pc + 1;
		return s;
	}
	x->waiting |= bit;
	w->worker->waits = x;
	x->warp = NULL;
	/* what round_turn_ended() does with its effect; it is no cluster's */
	*t->spent += w->used;
	t->changed = true;
	c->turns->quiet = 0;
	w->made_effect = 0;
	warp_run_begins(w, WARP_BUDGET);
	if (*t->spent >= t->budget || (!t->todo && !next_round(x)))
		return NULL;
	return begin_turn(x, s);
}

/* The warp of S, which waits at s->pc, arrives. */
static struct native_state *advance_counted(struct turns_of_units *x, struct native_state *s)
{
	struct warp *w = x->warp;
	struct cta *c = w->cta;
	uint32_t n = w->most - s->left, bit = 1u << w->index;

	if (x->waiting)
		round_settle(x);
	engine_wait(w, s->pc);
	w->used += n;
	w->most = s->left;
	/* it stops at the barrier, without arriving */
	if (limits_spent(w, n) || !s->left ||
		atomic_load_explicit(&w->machine->stop, memory_order_relaxed))
		return NULL;
	warp_fold_effect(w);
	c->ready &= ~bit;
	barrier_arrives_whole(w);
	if (c->ready & bit) { /* it was the last */
		s->pc = s->start = w->run_pc = w->group->pc;
		return s;
	}
	x->warp = NULL;
	if (!round_turn_ended(x->round, w, WARP_BLOCKED) || !x->round->todo ||
		*x->round->spent >= x->round->budget ||
		atomic_load_explicit(&w->machine->stop, memory_order_relaxed))
		return NULL;
	return begin_turn(x, s);
}

static __attribute__((noinline)) struct native_state *advance_any(
	struct turns_of_units *x, struct native_state *s)
{
	return may_defer(x, s) ? advance_deferred(x, s) : advance_counted(x, s);
}

/* The warp of S waits at the barrier at s->pc. Mostly others wait there, it is not the last, and
 * the next one comes from a barrier, too: then this does the same as advance_deferred(), in little
 * time because it calls nothing. */
static struct native_state *advance(struct native_state *s)
{
	struct turns_of_units *x = s->round;
	struct round *t = x->round;
	struct cta *c = t->cta;
	struct warp *w = x->warp, *next;
	uint64_t n = w->most - s->left, spent = *t->spent + w->used + n;
	uint32_t waiting = x->waiting | 1u << w->index;

	if (!x->waiting || waiting == x->waiting || waiting == c->live || x->pc != s->pc ||
		w->group->mask != w->lanes || !s->left || !t->todo ||
		spent + WARP_BUDGET > t->budget || w->worker->unlooked + n >= LIMITS_LOOK ||
		atomic_load_explicit(&w->machine->stop, memory_order_relaxed))
		return advance_any(x, s);
	next = next_of(t);
	if (!(x->came >> next->index & 1) || c->cluster->copies)
		return advance_any(x, s);
	w->worker->unlooked += n;
	w->group->pc = s->pc + 1;
	w->made_effect = 0;
	x->waiting = waiting;
	*t->spent = spent;
	t->changed = true;
	c->turns->quiet = 0;
	w->used = 0;
	w->most = WARP_BUDGET;
	return take_turn(x, next, next->native);
}

/* All lanes of the warp of S exit at s->pc. */
static struct native_state *depart(struct native_state *s)
{
	struct turns_of_units *x = s->round;
	struct round *t = x->round;
	struct warp *w = x->warp;
	uint32_t n = w->most - s->left;

	if (x->waiting)
		round_settle(x);
	warp_exit(w, w->active);
	w->used += n;
	warp_fold_effect(w);
	t->cta->ready &= ~(1u << w->index);
	x->warp = NULL;
	round_turn_ended(t, w, WARP_EXITED);
	return limits_spent(w, n) || !t->todo || *t->spent >= t->budget ||
			atomic_load_explicit(&w->machine->stop, memory_order_relaxed)
		? NULL
		: begin_turn(x, s);
}

bool round_translated(struct round *t, bool *stopped)
{
	const struct code_func *f = t->cta->launch->code;
	struct turns_of_units x = {
		.round = t, .unit = __atomic_load_n(&f->translated, __ATOMIC_ACQUIRE)};
	const uint64_t before = *t->spent;
	struct native_state *s;
	bool any = false;

	while (x.unit && t->todo && *t->spent < t->budget && !*stopped &&
		!atomic_load(&t->cta->warp->machine->stop) && (s = begin_turn(&x, NULL))) {
		uint32_t left;
		enum flow flow;
		enum warp_result r;
		int how = x.unit->run(s);

		any = true;
		round_settle(&x);
		if (!x.warp) /* the last turn has ended */
			continue;
		flow = engine_rest(x.warp, &left, x.unit, how);
		round_settle(&x);
		r = warp_run_on(x.warp, flow, left);
		*stopped = !round_turn_ended(t, x.warp, r);
	}
	if (any && x.unit->warms)
		engine_warm(t->cta->warp->machine, &t->cta->warp->machine->code.func[f->func],
			*t->spent - before);
	return any;
}
