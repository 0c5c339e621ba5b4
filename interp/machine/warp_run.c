/* Selects the group of lanes of a warp that runs next.
 *
 * fair: the group in the deepest frame at the least PC runs, so that lanes on a longer path
 * catch up with lanes that wait further down. After a bounded number of instructions, or at once
 * after a polling loop's iteration without effect, the other groups have a turn: every lane
 * makes progress. random: any group, for a random time; in some launches only part of a group
 * runs on, since converged lanes need not stay together (independent thread scheduling).
 * lockstep: the groups form a stack as in hardware before Volta; only the top runs, until it
 * reaches the reconvergence point below it. */
#include "interp/memory/access_block.h"
#include "interp/state/limits.h"
#include "interp/state/warp.h"
#include "interp/sync/barrier.h"
#include "interp/sync/gather.h"

enum {
	QUANTUM = 1024, /* instructions of the group at the least PC before others have a turn */
	/* instructions of such a turn: few, so that lanes do not run far ahead of lanes they
	 * could converge with */
	TURN = 64,
	SHORT_TURN = 8, /* random: half of the turns */
};

static uint64_t warp_now(const struct warp *w) { return w->worker->clock + w->worker->slice_steps; }

static void warp_wake(struct warp *w)
{
	for (uint32_t k = 0; k < w->ngroups; k++) {
		struct group *g = &w->group[k];

		if (g->state == GROUP_SLEEP && (w->machine->clock_frozen || warp_now(w) >= g->wake))
			g->state = GROUP_READY;
	}
}

/* Deepest frame first, then least PC. */
static bool group_before(const struct group *a, const struct group *b)
{
	if (a->frame->depth != b->frame->depth)
		return a->frame->depth > b->frame->depth;
	return a->pc < b->pc;
}

/* Group I gets the lanes of group J, which are at the same place; the last group is then at J. What
 * is known of the two is joined so that their order makes no difference: when groups that have met
 * are joined depends on the engine. */
static void group_join(struct warp *w, uint32_t i, uint32_t j)
{
	struct group *a = &w->group[i], *b = &w->group[j];

	a->mask |= b->mask;
	a->passed &= b->passed;
	a->spun &= b->spun;
	a->waited &= b->waited;
	a->rounds = a->rounds > b->rounds ? a->rounds : b->rounds;
	a->digest = a->digest == b->digest ? a->digest : 0;
	*b = w->group[--w->ngroups];
}

static void groups_merge(struct warp *w)
{
	for (uint32_t i = 0; i < w->ngroups; i++) {
		const struct group *a = &w->group[i];

		if (a->state != GROUP_READY)
			continue;
		for (uint32_t j = i + 1; j < w->ngroups;) {
			const struct group *b = &w->group[j];

			if (b->state == GROUP_READY && b->pc == a->pc && b->frame == a->frame)
				group_join(w, i, j);
			else
				j++;
		}
	}
}

/* The PC at which the running group must stop to converge with another: the nearest one ahead in
 * its frame. */
static uint32_t group_watch(const struct warp *w, const struct group *g)
{
	uint32_t watch = NO_PC;

	for (uint32_t k = 0; k < w->ngroups; k++) {
		const struct group *o = &w->group[k];

		if (o != g && o->state == GROUP_READY && o->frame == g->frame && o->pc > g->pc &&
			o->pc < watch)
			watch = o->pc;
	}
	return watch;
}

enum pick { PICK_NONE, PICK_ROUND_OVER, PICK_GROUP };

static enum pick pick_fair(struct warp *w, uint32_t *quantum)
{
	uint32_t best = NO_PC, least = NO_PC;

	if (w->ngroups == 1) { /* shortcut for the common case; same result as below */
		if (w->group->state != GROUP_READY)
			return PICK_NONE;
		if (w->group->passed)
			return PICK_ROUND_OVER;
		warp_enter(w, 0);
		w->turn = 0;
		w->watch = NO_PC;
		*quantum = UINT32_MAX;
		return PICK_GROUP;
	}
	groups_merge(w);
	for (uint32_t k = 0; k < w->ngroups; k++) {
		const struct group *g = &w->group[k];

		if (g->state != GROUP_READY)
			continue;
		if (least == NO_PC || group_before(g, &w->group[least]))
			least = k;
		if (!g->passed && (best == NO_PC || group_before(g, &w->group[best])))
			best = k;
	}
	if (least == NO_PC)
		return PICK_NONE;
	if (best == NO_PC)
		return PICK_ROUND_OVER;
	warp_enter(w, best);
	w->turn = best != least;
	w->watch = group_watch(w, &w->group[best]);
	*quantum = w->ngroups == 1 ? UINT32_MAX : w->turn ? TURN : QUANTUM;
	return PICK_GROUP;
}

/* The same where all groups are of FRAME, can run and have not had their turn. False: some are
 * different. Those that have met further down are left apart until they are next. */
static bool pick_near(struct warp *w, const struct frame *frame, uint32_t *quantum)
{
	uint32_t best = 0, least = NO_PC, watch = NO_PC;
	bool differs = false, met = false;

	for (uint32_t k = 0; k < w->ngroups; k++) {
		const struct group *g = &w->group[k];
		uint32_t pc = g->pc;

		differs |= g->state != GROUP_READY || g->passed || g->frame != frame;
		if (pc < least) {
			watch = least;
			least = pc;
			best = k;
			met = false;
		} else if (pc == least) {
			met = true;
		} else if (pc < watch) {
			watch = pc;
		}
	}
	if (differs)
		return false;
	for (uint32_t k = best + 1; met && k < w->ngroups;)
		if (w->group[k].pc == least)
			group_join(w, best, k);
		else
			k++;
	w->current = best;
	w->active = w->group[best].mask;
	w->turn = 0;
	w->watch = watch;
	*quantum = w->ngroups == 1 ? UINT32_MAX : QUANTUM;
	return true;
}

void warp_part_again(struct warp *w, uint32_t at, uint32_t pc, const uint32_t *taken)
{
	const struct frame *frame = w->frame;
	const struct op *ops = frame->code->op;
	uint32_t quantum;

	warp_branch(w, &ops[at], *taken);
	while (pick_near(w, frame, &quantum)) {
		struct group *g = &w->group[w->current];

		while (g->pc != w->watch) {
			const struct op *op = &ops[g->pc];
			uint32_t lanes;

			if (g->pc == pc)
				return;
			lanes = op->kind == KIND_BRANCH ? taken[g->pc - at] : 0;
			if (lanes && lanes != g->mask) {
				warp_branch(w, op, lanes);
				break;
			}
			g->pc = lanes ? op->branch.target : g->pc + 1;
			if (g->pc > w->watch)
				break;
		}
	}
}

enum { PARTS = 2 }; /* one in so many selected groups runs in part */

/* Splits the running group at a random lane, with probability 1/PARTS: one part runs, the other
 * stays. */
static void split_by_chance(struct warp *w)
{
	struct chooser *c = w->machine->chooser;
	uint32_t lanes = w->active, low = 0, n = (uint32_t)__builtin_popcount(lanes);

	if (n < 2 || w->group[w->current].waited || choose(c, CHOICE_GROUP, PARTS))
		return;
	for (uint32_t k = 1 + choose(c, CHOICE_GROUP, n - 1); k; k--) {
		low |= lanes & -lanes;
		lanes &= lanes - 1;
	}
	warp_enter(w, warp_split(w, choose(c, CHOICE_GROUP, 2) ? low : lanes));
}

static enum pick pick_random(struct warp *w, uint32_t *quantum)
{
	uint32_t ready = 0, open = 0, chosen;

	groups_merge(w);
	for (uint32_t k = 0; k < w->ngroups; k++) {
		ready += w->group[k].state == GROUP_READY;
		open += w->group[k].state == GROUP_READY && !w->group[k].passed;
	}
	if (!ready)
		return PICK_NONE;
	if (!open)
		return PICK_ROUND_OVER;
	chosen = choose(w->machine->chooser, CHOICE_GROUP, open);
	for (uint32_t k = 0;; k++)
		if (w->group[k].state == GROUP_READY && !w->group[k].passed && chosen-- == 0) {
			warp_enter(w, k);
			break;
		}
	if (w->cta->launch->splits)
		split_by_chance(w);
	w->turn = 1;
	w->watch = group_watch(w, &w->group[w->current]);
	*quantum = 1 +
		choose(w->machine->chooser, CHOICE_QUANTUM,
			choose(w->machine->chooser, CHOICE_QUANTUM, 2) ? TURN : SHORT_TURN);
	return PICK_GROUP;
}

static enum pick pick_lockstep(struct warp *w, uint32_t *quantum)
{
	if (warp_top(w) < 0)
		return PICK_NONE;
	struct group *g = &w->group[w->ngroups - 1];

	if (g->passed)
		return PICK_ROUND_OVER;
	warp_enter(w, w->ngroups - 1);
	w->turn = 0;
	w->watch = g->frame == g->rejoin_frame ? g->rejoin_pc : NO_PC;
	*quantum = UINT32_MAX;
	return PICK_GROUP;
}

/* The director names W: the group of the lane that it names runs, if it can. */
static bool pick_directed(struct warp *w, uint32_t *quantum)
{
	uint32_t lane = w->machine->options.director->turn.lane;
	bool any = false;

	if (!w->lockstep)
		groups_merge(w);
	for (uint32_t k = 0; k < w->ngroups; k++) {
		struct group *g = &w->group[k];
		bool runs = g->state == GROUP_READY && (!w->lockstep || (int)k == warp_top(w));

		any = any || runs;
		if (lane == TURN_ANY_LANE || !runs || lane >= LANES || !(g->mask >> lane & 1))
			continue;
		warp_enter(w, k);
		w->turn = 1;
		w->watch = w->lockstep ? (g->frame == g->rejoin_frame ? g->rejoin_pc : NO_PC)
				       : group_watch(w, g);
		*quantum = TURN;
		return true;
	}
	if (any && lane == TURN_ANY_LANE) /* the schedule chooses the group */
		return false;
	direct_refuse(w->machine,
		any ? "waits, or has exited, while other lanes of its warp can run" : "waits");
	return false;
}

static enum pick group_pick(struct warp *w, uint32_t *quantum)
{
	if (is_directed(w->machine) && pick_directed(w, quantum))
		return PICK_GROUP;
	switch (w->machine->options.schedule) {
	case SCHEDULE_LOCKSTEP: {
		enum pick p = w->lockstep ? pick_lockstep(w, quantum) : pick_fair(w, quantum);

		if (w->ngroups == 1 && p == PICK_GROUP)
			w->lockstep = 1; /* all lanes have converged */
		return p;
	}
	case SCHEDULE_RANDOM: return pick_random(w, quantum);
	default: return pick_fair(w, quantum);
	}
}

/* --- spinning --- */

enum { COLUMNS = 16, CHAINS = 4 };

INLINE void digest_words(uint32_t *h, const uint32_t *p)
{
	for (unsigned k = 0; k < COLUMNS; k++) {
		uint32_t word = h[k] ^ p[k];

		h[k] = (word << 15 | word >> 17) * 0x9e3779b1u;
	}
}

/* 64 bytes at a time, in 16 columns, so that a change of one word changes its column; four times,
 * so that several multiplications are under way at once. Words are rotated before they are
 * multiplied, or else changes of the highest bit in two lanes would cancel. */
CLONES static uint64_t registers_digest(const struct frame *f)
{
	const uint32_t *p = (const uint32_t *)(const void *)f->regs,
		       *end = p + f->code->frame_bytes / 4;
	/* never 0 for registers that are all 0, as that is what a group begins with */
	uint32_t a[COLUMNS] = {1}, b[COLUMNS] = {0}, c[COLUMNS] = {0}, d[COLUMNS] = {0};
	uint64_t sum = 0;

	for (; end - p >= CHAINS * COLUMNS; p += CHAINS * COLUMNS) {
		digest_words(a, p);
		digest_words(b, p + COLUMNS);
		digest_words(c, p + 2 * COLUMNS);
		digest_words(d, p + 3 * COLUMNS);
	}
	for (; p != end; p += COLUMNS)
		digest_words(a, p);
	digest_words(a, b);
	digest_words(a, c);
	digest_words(a, d);
	for (unsigned k = 0; k < COLUMNS; k++)
		sum = (sum ^ a[k] ^ a[k] >> 15) * 0x9e3779b97f4a7c15u;
	return sum;
}

/* loop iterations after which a polling loop yields although it counts or reads the clock */
enum { SPIN_ROUNDS = 256 };

/* The group took a backward branch. If it polled without effect and its registers are unchanged
 * since the last time, it can only wait for other threads. */
static void group_check_spin(struct warp *w, struct group *g)
{
	if (w->polled && !w->effect) {
		uint64_t h = registers_digest(g->frame);

		g->spun = h == g->digest || ++g->rounds >= SPIN_ROUNDS;
		g->passed |= g->spun;
		g->digest = h;
	} else {
		g->rounds = 0;
	}
	if (g->spun)
		g->rounds = 0;
	warp_fold_effect(w);
}

/* All groups that can run have had their turn: begins a new round. True when all of them only
 * spun. */
static bool new_round(struct warp *w)
{
	bool spun = true;

	for (uint32_t k = 0; k < w->ngroups; k++) {
		struct group *g = &w->group[k];

		if (g->state == GROUP_READY) {
			spun = spun && g->spun;
			g->passed = g->spun = 0;
		}
	}
	return spun;
}

/* G has come back from the loop with FLOW. */
static void group_ran(struct warp *w, struct group *g, enum flow flow, bool all)
{
	if (flow == FLOW_NEXT) {
		if (g->pc <= w->run_pc)
			group_check_spin(w, g);
		if (all)
			g->passed = 1;
	}
}

/* The running group gets QUANTUM instructions; a stop request is noticed after at most WARP_RUN. */
static void run_begins(struct warp *w, uint32_t quantum)
{
	w->quantum = quantum;
	w->most = quantum < WARP_RUN ? quantum : WARP_RUN;
	if (w->budget - w->used < w->most)
		w->most = (uint32_t)(w->budget - w->used);
}

/* It comes back with FLOW and LEFT of them. False: the machine stops. */
static bool run_ended(struct warp *w, enum flow flow, uint32_t left)
{
	uint32_t n = w->most - left;

	if (w->settled) {
		w->settled = 0;
		return true;
	}
	w->used += n;
	group_ran(w, &w->group[w->current], flow, left == 0 && w->quantum != UINT32_MAX);
	return flow != FLOW_STOP && !limits_spent(w, n);
}

static bool any_asleep(const struct warp *w)
{
	for (uint32_t k = 0; k < w->ngroups; k++)
		if (w->group[k].state == GROUP_SLEEP)
			return true;
	return false;
}

/* Whether all of W waits together at a barrier of the CTA: nothing is to be picked or woken. */
static bool waits_whole(const struct warp *w)
{
	return w->ngroups == 1 && w->group->state == GROUP_BARRIER;
}

bool warp_run_next(struct warp *w, enum flow flow, uint32_t left)
{
	const struct frame *frame = w->frame;
	uint32_t quantum;

	if (run_ended(w, flow, left) && w->live && w->used < w->budget &&
		!atomic_load_explicit(&w->machine->stop, memory_order_relaxed) &&
		/* a group alone that has entered or left a function is another unit's */
		(w->ngroups > 1 || w->group->frame == frame) &&
		(pick_near(w, frame, &quantum) ||
			(!any_asleep(w) && pick_fair(w, &quantum) == PICK_GROUP &&
				w->frame == frame))) {
		run_begins(w, quantum);
		return true;
	}
	w->settled = 1;
	return false;
}

static enum warp_result warp_run_turns(struct warp *w)
{
	for (;;) {
		uint32_t quantum, left;
		enum flow flow;

		if (!w->live)
			return WARP_EXITED;
		if (atomic_load_explicit(&w->machine->stop, memory_order_relaxed))
			return WARP_STOP;
		if (w->used >= w->budget || directed_elsewhere(w))
			return WARP_SLICE;
		if (waits_whole(w) && !w->lockstep && !is_directed(w->machine))
			return WARP_BLOCKED;
		warp_wake(w);
		switch (group_pick(w, &quantum)) {
		case PICK_NONE:
			if (any_asleep(w))
				return WARP_SLEEPING;
			if (!warp_release_aligned(w))
				return WARP_BLOCKED;
			continue;
		case PICK_ROUND_OVER:
			if (new_round(w) && !is_directed(w->machine))
				return WARP_SPUN;
			continue;
		case PICK_GROUP: break;
		}
		run_begins(w, quantum);
		left = w->most;
		flow = warp_loop(w, &left);
		if (!run_ended(w, flow, left))
			return WARP_STOP;
	}
}

/* The turns of W have ended with R: what waits at barriers arrives, and may go on. */
static enum warp_result arrive(struct warp *w, enum warp_result r)
{
	for (;;) {
		warp_fold_effect(w);
		if (r == WARP_BLOCKED || r == WARP_SLEEPING || r == WARP_EXITED)
			w->cta->ready &= ~(1u << w->index);
		/* Lanes that can still run may be about to reach the same barrier, since
		 * hardware lets lanes converge before it: the warp waits for them even if they
		 * spin forever (measured). */
		if (r == WARP_BLOCKED || r == WARP_EXITED || (w->lockstep && r != WARP_STOP))
			barrier_arrivals(w);
		/* counting its arrivals may have completed a barrier: then the warp continues */
		if (r != WARP_BLOCKED || !(w->cta->ready >> w->index & 1) || w->used >= w->budget)
			return r;
		r = warp_run_turns(w);
	}
}

enum warp_result warp_run(struct warp *w, uint64_t budget)
{
	w->budget = budget;
	w->used = 0;
	w->settled = 0;
	w->polled = w->effect = 0;
	return arrive(w, warp_run_turns(w));
}

enum warp_result warp_run_on(struct warp *w, enum flow flow, uint32_t left)
{
	return arrive(w, run_ended(w, flow, left) ? warp_run_turns(w) : WARP_STOP);
}
