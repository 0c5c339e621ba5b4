/* Convergence inside a warp: the rendezvous of the .sync instructions, and bar.warp.sync.
 *
 * A group that reaches a .sync instruction before all lanes of its membermask waits there
 * (GROUP_GATHER). A lane that later reaches the same instruction, at this place or another,
 * executes it for the waiting lanes as well; when lanes exit, waiting groups are checked again.
 * Only lanes with the same membermask value meet: two subsets of a warp may wait at the same
 * time, and a lane that waits in one subset does not count for another. (PTX ISA 9.7.15.2: "with
 * the same membermask value") At an .aligned instruction the whole warp meets (GROUP_ALIGNED). */
#include "code/valid.h"
#include "interp/state/exec.h"
#include "interp/memory/undefined.h"
#include "interp/state/warp.h"
#include "interp/sync/gather.h"
#include <string.h>

/* The rendezvous of one warp. */
struct gathering {
	uint32_t members[LANES]; /* the membermask with which each lane waits */
	bool elsewhere;          /* the last instruction was executed jointly for several groups, */
	uint32_t lanes;          /* for these lanes of the running group */
	uint32_t stray;          /* lanes that read the value of a lane that does not take part */
};

static struct gathering *gather_of(struct warp *w)
{
	if (!w->gather)
		w->gather = ARENA_NEW(&w->cta->arena, struct gathering);
	return w->gather;
}

void warp_gather_stray(struct warp *w, uint32_t stray) { w->gather->stray = stray; }

/* The lanes that lane LANE needs, itself included. */
static uint32_t gather_needed(const struct warp *w, unsigned lane, uint32_t members)
{
	return (members | 1u << lane) & w->live;
}

/* Of the lanes HERE, each waiting with its members[lane], those whose non-exited members are all
 * in HERE with the same mask. */
static uint32_t complete_subsets(const struct warp *w, uint32_t here)
{
	uint32_t ready = 0, left = here;

	while (left) {
		uint32_t members = w->gather->members[lane_first(left)], same = 0;

		FOR_LANES(lane, left)
			same |= (uint32_t)(w->gather->members[lane] == members) << lane;
		if (!(members & w->live & ~same))
			ready |= same;
		left &= ~same;
	}
	return ready;
}

/* Reports each subset in READY as a separate synchronisation. */
static void gather_report(struct warp *w, const struct op *op, uint32_t ready)
{
	while (ready && machine_watches(w->machine, INTEREST_SYNC)) {
		uint32_t members = w->gather->members[lane_first(ready)], same = 0;

		FOR_LANES(lane, ready)
			same |= (uint32_t)(w->gather->members[lane] == members) << lane;
		observers_sync(w->machine,
			&(struct sync_event){.kind = SYNC_WARP,
				.cta = w->cta,
				.warp = w,
				.op = op,
				.mask = same});
		ready &= ~same;
	}
}

static void gather_check_member(
	struct warp *w, const struct op *op, uint32_t mask, const uint32_t *members)
{
	if (!(w->machine->options.checks & CHECK_SYNC))
		return;
	FOR_LANES(lane, mask)
		if (valid_member(members[lane], lane)) {
			finding(w, op, lane, DIAG_S0201,
				"lane %u executes this with membermask 0x%08x, which does not include it",
				lane, members[lane]);
			return;
		}
}

/* Whether lanes at OTHER can execute together with lanes at OP: the same instruction, possibly
 * at another place and with other registers. (Measured: on hardware, vote.sync in the two arms
 * of a branch, or in two calls of one function, meet.) */
static bool gather_compatible(const struct op *op, const struct op *other)
{
	const struct op_collective *a = &op->collective, *b = &other->collective;

	if (op == other)
		return true;
	return op->kind == other->kind && op_is_collective(op) &&
		op->noperands == other->noperands && op->ndests == other->ndests &&
		memcmp(op->width, other->width, sizeof op->width) == 0 && a->sync == b->sync &&
		a->mode == b->mode && a->atomic == b->atomic && a->type == b->type &&
		a->abs == b->abs && a->nan == b->nan;
}

static bool gather_waits_with(const struct warp *w, uint32_t k, const struct op *op)
{
	const struct group *g = &w->group[k];

	return k != w->current && g->state == GROUP_GATHER && !g->warp_sync &&
		gather_compatible(op, &g->frame->code->op[g->pc]);
}

/* The lanes of all groups that wait at instructions compatible with OP. */
static uint32_t gather_others(const struct warp *w, const struct op *op)
{
	uint32_t lanes = 0;

	if (!w->lockstep) /* in lockstep, groups lower in the stack cannot run */
		EVERY_GROUP(k, w)
			if (gather_waits_with(w, k, op))
				lanes |= w->group[k].mask;
	return lanes;
}

enum { ROOM = 16 * LANES }; /* bytes: the largest operand */

/* Copies the lanes MASK of operands FIRST to END - 1 of OP in frame F into the merged buffer, or
 * back. */
static void move_lanes(const struct warp *w, const struct frame *f, const struct op *op,
	uint32_t mask, unsigned char *buffer, unsigned first, unsigned end, bool back)
{
	for (unsigned k = first; k < end; k++) {
		unsigned char *here = buffer + k * ROOM, *there = frame_place(w, f, op->at[k]);
		unsigned char *to = back ? there : here;
		const unsigned char *from = back ? here : there;
		unsigned width = op->width[k];

		if (!width)
			*(uint32_t *)(void *)to = (*(uint32_t *)(void *)to & ~mask) |
				(*(const uint32_t *)(const void *)from & mask);
		else
			FOR_LANES(lane, mask)
				memcpy(to + lane * width, from + lane * width, width);
	}
}

/* --check=init: marks as undefined the results, in frame F, of those lanes of LANES that read
 * the value of a lane that does not take part. */
static void gather_mark_stray(struct warp *w, struct frame *f, const struct op *op, uint32_t lanes)
{
	struct frame *running = w->frame;

	lanes &= w->gather->stray;
	if (!lanes || !f->defined)
		return;
	w->frame = f;
	undefined_whole(w, op->at[0], op->width[0], lanes, lanes);
	undefined_comes_from(w, op->at[0], op->width[0], op);
	w->frame = running;
}

/* Executes OP once for the lanes READY of the running group and of the waiting groups, on a
 * merged copy of their operands. */
static void gather_execute(struct warp *w, const struct op *op, uint32_t own, uint32_t ready)
{
	_Alignas(64) unsigned char buffer[OP_MAX_OPERANDS * ROOM];
	struct op joint = *op;
	unsigned char *bank = w->bank[0];
	uint32_t active = w->active;

	memset(buffer, 0, sizeof buffer);
	for (unsigned k = 0; k < op->noperands; k++)
		joint.at[k] = k * ROOM;
	move_lanes(w, w->frame, op, own & ready, buffer, 0, op->noperands, false);
	EVERY_GROUP(k, w)
		if (gather_waits_with(w, k, op))
			move_lanes(w, w->group[k].frame,
				&w->group[k].frame->code->op[w->group[k].pc],
				w->group[k].mask & ready, buffer, 0, op->noperands, false);
	w->bank[0] = buffer;
	w->active = ready;
	w->joint = true;
	gather_of(w)->stray = 0;
	joint.run.exec(w, &joint, ready);
	w->joint = false;
	w->bank[0] = bank;
	w->active = active;
	move_lanes(w, w->frame, op, own & ready, buffer, 0, op->ndests, true);
	gather_mark_stray(w, w->frame, op, own & ready);
	EVERY_GROUP(k, w)
		if (gather_waits_with(w, k, op)) {
			struct group *g = &w->group[k];
			const struct op *same = &g->frame->code->op[g->pc];

			move_lanes(w, g->frame, same, g->mask & ready, buffer, 0, op->ndests, true);
			gather_mark_stray(w, g->frame, same, g->mask & ready);
		}
}

/* The waiting lanes of READY have executed their instruction: they continue after it. */
static void gather_release(struct warp *w, uint32_t ready)
{
	for (uint32_t k = 0, n = w->ngroups; k < n; k++) {
		struct group *g = &w->group[k];

		if (k == w->current || g->state != GROUP_GATHER || !(g->mask & ready))
			continue;
		if (g->mask & ~ready) { /* the rest of the group still waits for other lanes */
			assert(w->ngroups < MAX_GROUPS);
			struct group *rest = &w->group[w->ngroups++];

			*rest = *g;
			rest->mask &= ~ready;
			g->mask &= ready;
		}
		g->state = GROUP_READY;
		g->warp_sync = 0;
		g->pc++;
	}
	w->effect = 1;
}

uint32_t warp_gather(struct warp *w, const struct op *op, uint32_t mask, const uint32_t *members)
{
	uint32_t here, ready;

	if (w->joint)
		return mask;
	struct gathering *s = gather_of(w);

	s->elsewhere = false;
	gather_check_member(w, op, mask, members);
	FOR_LANES(lane, mask)
		s->members[lane] = members[lane];
	here = mask | (w->ngroups > 1 ? gather_others(w, op) : 0);
	ready = complete_subsets(w, here);
	if (mask & ~ready && warp_unstack(w))
		ready = complete_subsets(w, mask | gather_others(w, op));
	gather_report(w, op, ready);
	if (mask & ~ready) { /* recorded for the wait report */
		unsigned first = lane_first(mask & ~ready);

		w->group[w->current].wait = gather_needed(w, first, members[first]);
	}
	if (ready & ~mask) {
		gather_execute(w, op, mask, ready);
		gather_release(w, ready);
		s->lanes = ready & mask;
		s->elsewhere = true;
		return 0;
	}
	return ready;
}

/* Lanes STAY of the running group wait at OP; the others continue. */
static enum flow gather_wait(struct warp *w, const struct op *op, uint32_t stay, bool warp_sync)
{
	uint32_t pc = op_index(w, op), wait = w->group[w->current].wait;

	if (w->lockstep) { /* in lockstep a group waits as a whole */
		stay = w->active;
	} else if (w->active & ~stay) {
		uint32_t go = warp_split(w, w->active & ~stay);

		w->group[go].pc = pc + 1;
	}
	struct group *g = &w->group[w->current];

	if (w->machine->interest & INTEREST_SYNC)
		observers_sync(w->machine,
			&(struct sync_event){.kind = SYNC_WARP_WAITING,
				.cta = w->cta,
				.warp = w,
				.op = op,
				.mask = g->mask});
	g->pc = pc;
	g->state = GROUP_GATHER;
	g->wait = wait;
	g->warp_sync = warp_sync;
	return FLOW_SWITCH;
}

enum flow warp_gathered(struct warp *w, const struct op *op, uint32_t mask, uint32_t ready)
{
	if (w->joint)
		return FLOW_NEXT;
	if (w->gather->elsewhere) {
		ready = w->gather->lanes;
		if (ready == mask) {
			w->group[w->current].pc = op_index(w, op) + 1;
			return FLOW_SWITCH;
		}
	}
	if (ready == mask)
		return FLOW_NEXT;
	return gather_wait(w, op, mask & ~ready, false);
}

bool warp_all_here(const struct warp *w, const struct op *op, uint32_t mask, unsigned k)
{
	const uint32_t *m = op_lanes(w, op, k);
	uint32_t first = m[lane_first(mask)], differ = 0;

	if (op->width[k] != sizeof *m || mask != w->live || w->joint || mask & ~first ||
		machine_watches(w->machine, INTEREST_SYNC))
		return false;
	if (mask == UINT32_MAX)
		EVERY_LANE(lane)
			differ |= m[lane] ^ first;
	else
		FOR_LANES(lane, mask)
			differ |= m[lane] ^ first;
	return !differ;
}

/* bar.warp.sync: the lanes of a subset may reach it at different instructions. (PTX ISA
 * 9.7.15.2) */
enum flow exec_bar_warp(struct warp *w, const struct op *op, uint32_t mask)
{
	uint32_t members[LANES] = {0}, here = mask, ready, stay, *waits;

	if (warp_all_here(w, op, mask, 0))
		return FLOW_NEXT;
	waits = gather_of(w)->members;
	FOR_LANES(lane, mask)
		waits[lane] = members[lane] = (uint32_t)op_value(w, op, 0, lane);
	gather_check_member(w, op, mask, members);
	EVERY_GROUP(k, w)
		if (k != w->current && w->group[k].state == GROUP_GATHER && w->group[k].warp_sync)
			here |= w->group[k].mask;
	ready = complete_subsets(w, here);
	stay = mask & ~ready;
	if (stay)
		warp_unstack(w); /* HERE already includes the waiting lanes */
	if (stay) {
		unsigned first = lane_first(stay);

		w->group[w->current].wait = gather_needed(w, first, members[first]);
		if (w->lockstep) /* the whole group waits */
			ready = 0;
	}
	gather_report(w, op, ready);
	if (ready & ~mask)
		gather_release(w, ready);
	if (stay)
		return gather_wait(w, op, stay, true);
	if (!(ready & ~mask))
		return FLOW_NEXT;
	w->group[w->current].pc = op_index(w, op) + 1;
	return FLOW_SWITCH;
}

/* --- .aligned --- */

/* Diverged lanes converge here whenever they can, under every schedule: the instruction is
 * divergent only when some lanes cannot reach it. */
bool warp_together(struct warp *w, const struct op *op)
{
	struct group *g = &w->group[w->current];
	uint32_t here = w->active;

	if (w->lockstep || w->active == w->live || g->waited) {
		g->waited = 0;
		return true;
	}
	g->pc = op_index(w, op);
	g->state = GROUP_ALIGNED;
	worker_count_later(w, g->pc, w->active);
	EVERY_GROUP(k, w) {
		const struct group *o = &w->group[k];

		if (o->state == GROUP_ALIGNED && o->pc == g->pc && o->frame == g->frame)
			here |= o->mask;
	}
	if (here == w->live) {
		warp_release_aligned(w);
		w->effect = 1; /* the scheduler then merges the groups */
	}
	return false;
}

bool warp_release_aligned(struct warp *w)
{
	bool any = false;

	EVERY_GROUP(k, w) {
		struct group *g = &w->group[k];

		if (g->state == GROUP_ALIGNED) {
			g->state = GROUP_READY;
			g->waited = 1;
			any = true;
		}
	}
	return any;
}
