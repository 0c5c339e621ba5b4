/* The livelock check, exact: nothing has changed in memory for a whole round of all CTAs, so each
 * group of lanes depends on its own state alone; when that state repeats (Brent's algorithm,
 * registers and local memory compared byte by byte, but for registers that decide nothing), the
 * group goes round for ever. Time stands still meanwhile; whether a thread looked at the clock is
 * told to the caller, who then lets time leap. The steps taken here are steps of the program like
 * any other. */
#include "base/memory.h"
#include "interp/machine/cta.h"
#include "interp/state/limits.h"
#include "interp/stuck/poll.h"
#include "code/relevant.h"
#include <stdlib.h>
#include <string.h>

enum {
	PROBE_STEPS = 1 << 15,
	PROBE_COST = 16 /* instructions that run in the time of a step */,
	LOCAL_MOST = 1 << 20
};

struct snapshot {
	uint32_t pc, mask, ngroups;
	const struct frame *frame;
	/* register files of the frames from the innermost outwards, then local memory */
	unsigned char *data;
	size_t size, cap;
	uint8_t *seen;  /* [frame->code->nops] ops executed since, in this frame */
	bool elsewhere; /* others, too */
	unsigned tries; /* comparisons of the registers that matter */
};

static void add(struct snapshot *s, const void *data, size_t n)
{
	if (s->size + n > s->cap) {
		s->cap = (s->size + n) * 2;
		s->data = memory_resize(s->data, s->cap);
	}
	memcpy(s->data + s->size, data, n);
	s->size += n;
}

static void take(struct snapshot *s, const struct warp *w, const struct group *g)
{
	s->pc = g->pc;
	s->mask = g->mask;
	s->frame = g->frame;
	s->ngroups = w->ngroups;
	s->size = 0;
	for (const struct frame *f = g->frame; f; f = f->caller)
		add(s, f->regs, f->code->frame_bytes);
	if (w->local)
		add(s, w->local, (size_t)w->local_bytes * LANES);
	s->seen = memory_resize(s->seen, g->frame->code->nops);
	memset(s->seen, 0, g->frame->code->nops);
	s->elsewhere = false;
	s->tries = 0;
}

static void see(struct snapshot *s, const struct group *g)
{
	if (g->frame == s->frame)
		s->seen[g->pc] = 1;
	else
		s->elsewhere = true;
}

/* The register file of the innermost frame, of which only what matters is compared when all is not
 * the same. */
static bool same_registers(struct snapshot *s, const struct warp *w, const struct frame *f)
{
	if (f->code->frame_bytes > s->size)
		return false;
	if (memcmp(s->data, f->regs, f->code->frame_bytes) == 0)
		return true;
	if (s->elsewhere || !f->code->op[s->pc].first || s->tries >= 2)
		return false;
	s->tries++;
	return relevant_same(w->machine->module, f->code, s->seen, s->data, f->regs);
}

static bool same(struct snapshot *s, const struct warp *w, const struct group *g)
{
	size_t at = g->frame->code->frame_bytes;

	if (s->pc != g->pc || s->mask != g->mask || s->frame != g->frame ||
		s->ngroups != w->ngroups || !same_registers(s, w, g->frame))
		return false;
	for (const struct frame *f = g->frame->caller; f; f = f->caller) {
		if (at + f->code->frame_bytes > s->size ||
			memcmp(s->data + at, f->regs, f->code->frame_bytes) != 0)
			return false;
		at += f->code->frame_bytes;
	}
	if (w->local &&
		(s->size - at != (size_t)w->local_bytes * LANES ||
			memcmp(s->data + at, w->local, s->size - at) != 0))
		return false;
	return true;
}

/* The group of lane LANE that can go on, or -1. */
static int group_of(struct warp *w, unsigned lane)
{
	if (w->lockstep) {
		int top = warp_top(w);

		return top >= 0 && (w->group[top].mask >> lane & 1) ? top : -1;
	}
	for (uint32_t k = 0; k < w->ngroups; k++)
		if (w->group[k].mask >> lane & 1) {
			if (w->group[k].state == GROUP_SLEEP)
				w->group[k].state = GROUP_READY;
			return w->group[k].state == GROUP_READY ? (int)k : -1;
		}
	return -1;
}

/* One instruction of group G. */
static bool step(struct warp *w, int g)
{
	uint32_t left = 1;

	warp_enter(w, (uint32_t)g);
	poll_note(w, &w->frame->code->op[w->group[g].pc]);
	w->watch = NO_PC;
	w->turn = 0;
	return warp_loop(w, &left) != FLOW_STOP;
}

/* Follows the group of lane LANE until its state repeats; *LANES_DONE are the lanes it then has. */
static enum quiet_result follow(
	struct warp *w, unsigned lane, struct snapshot *s, uint32_t *lanes_done)
{
	uint64_t power = 1, since = 0;
	int g = group_of(w, lane);

	*lanes_done = 1u << lane;
	if (g < 0)
		return QUIET_PROVEN;
	poll_forget(w, w->group[g].mask);
	take(s, w, &w->group[g]);
	for (unsigned n = 0; n < PROBE_STEPS; n++) {
		see(s, &w->group[g]);
		if (limits_spent(w->worker, PROBE_COST))
			return QUIET_UNPROVEN;
		if (!step(w, g) || w->effect || w->made_effect || !w->live)
			return QUIET_PROGRESS;
		g = group_of(w, lane);
		if (g < 0) /* it waits for other lanes now; if these never come, neither does it */
			return QUIET_PROVEN;
		*lanes_done = w->group[g].mask;
		if (same(s, w, &w->group[g]))
			return QUIET_PROVEN;
		if (++since == power) {
			take(s, w, &w->group[g]);
			power *= 2;
			since = 0;
		}
	}
	return QUIET_UNPROVEN;
}

/* Whether the last lanes of the warp that could run wait now, and others have waited for that: the
 * warp arrives at a barrier, or executes an .aligned instruction. */
static bool arrives_now(const struct warp *w)
{
	bool arrives = false;

	for (uint32_t k = 0; k < w->ngroups; k++) {
		const struct group *g = &w->group[k];

		if (g->state == GROUP_READY || g->state == GROUP_SLEEP)
			return false;
		arrives = arrives || (g->state == GROUP_BARRIER && !g->arrived) ||
			g->state == GROUP_ALIGNED;
	}
	return arrives;
}

static enum quiet_result check_warp(struct warp *w)
{
	struct snapshot s = {0};
	enum quiet_result r = QUIET_PROVEN;
	uint32_t done = 0, todo;

	if ((uint64_t)w->local_bytes * LANES > LOCAL_MOST)
		return QUIET_UNPROVEN;
	w->polled = w->effect = w->made_effect = 0;
	while (r == QUIET_PROVEN && (todo = w->live & ~done)) {
		uint32_t lanes;

		r = follow(w, lane_first(todo), &s, &lanes);
		done |= lanes | 1u << lane_first(todo);
	}
	free(s.data);
	free(s.seen);
	if (arrives_now(w))
		r = QUIET_PROGRESS;
	if (r == QUIET_PROGRESS) {
		w->made_effect = 1;
		w->cta->ready |= 1u << w->index;
	}
	return r;
}

enum quiet_result quiet_check(struct worker *k, struct cta *c, bool *timed)
{
	struct machine *m = k->machine;
	enum quiet_result r = QUIET_PROVEN;

	m->clock_frozen = true;
	k->clock = atomic_load_explicit(&m->clock, memory_order_relaxed);
	k->slice_steps = 0;
	for (uint32_t i = 0; i < c->nwarps && r == QUIET_PROVEN; i++) {
		struct warp *w = &c->warp[i];

		if (!w->live)
			continue;
		w->worker = k;
		w->timed = 0;
		r = check_warp(w);
		*timed = *timed || w->timed;
		if (c->turns->asleep >> i & 1) { /* its sleepers were woken */
			c->turns->asleep &= ~(1u << i);
			c->ready |= 1u << i;
		}
	}
	m->clock_frozen = false;
	k->steps += k->slice_steps;
	atomic_fetch_add_explicit(&m->steps, k->slice_steps, memory_order_relaxed);
	k->slice_steps = 0;
	return r;
}
