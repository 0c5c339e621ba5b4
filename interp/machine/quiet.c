/* The livelock check, which is exact. Memory did not change in a whole round of all CTAs, so
 * each group of lanes depends only on its own state. When that state repeats, the group loops
 * forever. (Brent's algorithm; registers and local memory are compared byte by byte, except
 * registers that cannot influence anything.) The clock is frozen meanwhile; the caller learns
 * whether a thread read it, and then advances it in large steps. The instructions executed here
 * are ordinary steps of the program. */
#include "base/memory.h"
#include "interp/machine/cta.h"
#include "interp/state/limits.h"
#include "interp/stuck/poll.h"
#include "code/relevant.h"
#include <stdlib.h>
#include <string.h>

enum {
	PROBE_STEPS = 1 << 15,
	PROBE_COST = 16 /* instructions that take as long as one step here */,
	MAX_LOCAL = 1 << 20
};

struct snapshot {
	uint32_t pc, mask, ngroups;
	/* a frame that was left is used again, possibly for another function */
	const struct frame *frame;
	const struct code_func *code;
	/* registers of the frames, innermost first, then local memory */
	unsigned char *data;
	size_t size, cap;
	uint8_t *seen;  /* [code->nops] ops executed since, in this frame */
	bool elsewhere; /* ops in other frames were executed, too */
	unsigned tries; /* comparisons of only the relevant registers */
};

static void snapshot_add(struct snapshot *s, const void *data, size_t n)
{
	if (s->size + n > s->cap) {
		s->cap = (s->size + n) * 2;
		s->data = memory_resize(s->data, s->cap);
	}
	memcpy(s->data + s->size, data, n);
	s->size += n;
}

static void snapshot_take(struct snapshot *s, const struct warp *w, const struct group *g)
{
	s->pc = g->pc;
	s->mask = g->mask;
	s->frame = g->frame;
	s->code = g->frame->code;
	s->ngroups = w->ngroups;
	s->size = 0;
	for (const struct frame *f = g->frame; f; f = f->caller)
		snapshot_add(s, f->regs, f->code->frame_bytes);
	if (w->local)
		snapshot_add(s, w->local, (size_t)w->local_bytes * LANES);
	s->seen = memory_resize(s->seen, g->frame->code->nops);
	memset(s->seen, 0, g->frame->code->nops);
	s->elsewhere = false;
	s->tries = 0;
}

static void snapshot_see(struct snapshot *s, const struct group *g)
{
	if (g->frame == s->frame && g->frame->code == s->code)
		s->seen[g->pc] = 1;
	else
		s->elsewhere = true;
}

/* Compares the registers of the innermost frame; when they differ, only the relevant ones. */
static bool snapshot_same_registers(struct snapshot *s, const struct warp *w, const struct frame *f)
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

static bool snapshot_same(struct snapshot *s, const struct warp *w, const struct group *g)
{
	size_t at = g->frame->code->frame_bytes;

	if (s->pc != g->pc || s->mask != g->mask || s->frame != g->frame ||
		s->code != g->frame->code || s->ngroups != w->ngroups ||
		!snapshot_same_registers(s, w, g->frame))
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

/* The index of the group of lane LANE if it can run, else -1. */
static int quiet_group(struct warp *w, unsigned lane)
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

/* Executes one instruction of group G. False: the machine stops. */
static bool quiet_step(struct warp *w, int g)
{
	uint32_t left = 1;

	warp_enter(w, (uint32_t)g);
	poll_record(w, &w->frame->code->op[w->group[g].pc]);
	w->watch = NO_PC;
	w->turn = 0;
	return warp_loop(w, &left) != FLOW_STOP;
}

/* Runs the group of lane LANE until its state repeats; *LANES_DONE gets the lanes that it has
 * then. */
static enum quiet_result quiet_follow(
	struct warp *w, unsigned lane, struct snapshot *s, uint32_t *lanes_done)
{
	uint64_t power = 1, since = 0;
	int g = quiet_group(w, lane);

	*lanes_done = 1u << lane;
	if (g < 0)
		return QUIET_PROVEN;
	poll_clear(w, w->group[g].mask);
	snapshot_take(s, w, &w->group[g]);
	for (unsigned n = 0; n < PROBE_STEPS; n++) {
		snapshot_see(s, &w->group[g]);
		if (limits_spent(w, PROBE_COST))
			return QUIET_UNPROVEN;
		if (!quiet_step(w, g) || w->effect || w->made_effect || !w->live)
			return QUIET_PROGRESS;
		g = quiet_group(w, lane);
		/* it now waits for other lanes; if these never arrive, it never continues */
		if (g < 0)
			return QUIET_PROVEN;
		*lanes_done = w->group[g].mask;
		if (snapshot_same(s, w, &w->group[g]))
			return QUIET_PROVEN;
		if (++since == power) {
			snapshot_take(s, w, &w->group[g]);
			power *= 2;
			since = 0;
		}
	}
	return QUIET_UNPROVEN;
}

/* Whether no lane of the warp can run any more, and one waits for that: the warp then arrives at
 * a barrier or executes an .aligned instruction. */
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

static enum quiet_result quiet_check_warp(struct warp *w)
{
	struct snapshot s = {0};
	enum quiet_result r = QUIET_PROVEN;
	uint32_t done = 0, todo;

	if ((uint64_t)w->local_bytes * LANES > MAX_LOCAL)
		return QUIET_UNPROVEN;
	w->polled = w->effect = w->made_effect = 0;
	while (r == QUIET_PROVEN && (todo = w->live & ~done)) {
		uint32_t lanes;

		r = quiet_follow(w, lane_first(todo), &s, &lanes);
		done |= lanes | 1u << lane_first(todo);
	}
	memory_drop(s.data);
	memory_drop(s.seen);
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
		r = quiet_check_warp(w);
		*timed = *timed || w->timed;
		if (c->turns->asleep >> i & 1) { /* the check woke its sleepers */
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
