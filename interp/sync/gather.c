/* Lanes that wait for each other inside a warp: the rendezvous of the .sync instructions, and
 * bar.warp.sync.
 *
 * A group that reaches a .sync instruction before all lanes of its membermask stays there
 * (GROUP_GATHER). A lane that reaches the same instruction later, there or at another place,
 * executes it for those that wait as well; lanes that exit make the waiting ones look again. Only
 * lanes that give the same membermask meet: two subsets of a warp may wait side by side, and a lane
 * at one instruction is not counted for a wait of another subset. (PTX ISA 9.7.13.2: "with the same
 * membermask value") At an .aligned instruction the whole warp meets (GROUP_ALIGNED). */
#include "code/valid.h"
#include "interp/state/exec.h"
#include "interp/memory/undefined.h"
#include "interp/state/warp.h"
#include "interp/sync/gather.h"
#include <string.h>

/* What is kept of a warp. */
struct gathering {
	uint32_t members[LANES]; /* the membermask each lane waits with */
	bool elsewhere; /* the last instruction was executed for several groups together, */
	uint32_t lanes; /* for these of the running one; */
	uint32_t stray; /* these got the value of a lane that takes no part */
};

static struct gathering *gather_of(struct warp *w)
{
	if (!w->gather)
		w->gather = ARENA_NEW(&w->cta->arena, struct gathering);
	return w->gather;
}

void warp_gather_stray(struct warp *w, uint32_t stray) { w->gather->stray = stray; }

/* Lanes that lane LANE still needs, beside itself. */
static uint32_t needed(const struct warp *w, unsigned lane, uint32_t members)
{
	return (members | 1u << lane) & w->live;
}

/* Of the lanes of HERE, each waiting with members[lane], those whose non-exited members all wait
 * here with the same mask. */
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

/* Each subset in READY is a synchronisation of its own. */
static void tell_subsets(struct warp *w, const struct op *op, uint32_t ready)
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

static void check_member(
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

/* Whether lanes at OTHER can execute together with lanes at OP: the same instruction, at the same
 * place or another, on whatever registers. (Measured: the hardware lets vote.sync in the two arms
 * of a branch, and in two calls of one function, meet.) */
static bool compatible(const struct op *op, const struct op *other)
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

static bool waits_with(const struct warp *w, uint32_t k, const struct op *op)
{
	const struct group *g = &w->group[k];

	return k != w->current && g->state == GROUP_GATHER && !g->warp_sync &&
		compatible(op, &g->frame->code->op[g->pc]);
}

/* Lanes of all groups that wait at instructions compatible with OP. */
static uint32_t others_here(const struct warp *w, const struct op *op)
{
	uint32_t lanes = 0;

	if (!w->lockstep) /* there, those who wait below in the stack cannot run */
		EVERY_GROUP(k, w)
			if (waits_with(w, k, op))
				lanes |= w->group[k].mask;
	return lanes;
}

enum { ROOM = 16 * LANES }; /* bytes of one operand at most */

/* The lanes of MASK of operands FIRST.. of OP as frame F has them, into the common buffer, or
 * back. */
static void move_lanes(const struct frame *f, const struct op *op, uint32_t mask,
	unsigned char *buffer, unsigned first, unsigned end, bool back)
{
	for (unsigned k = first; k < end; k++) {
		unsigned char *here = buffer + k * ROOM,
			      *there = (op->at[k] & 1u ? f->code->constant : f->regs) +
			(op->at[k] & ~1u);
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

/* --check=init: of LANES, which executed OP in frame F, those that got the value of a lane which
 * takes no part have none. */
static void mark_stray(struct warp *w, struct frame *f, const struct op *op, uint32_t lanes)
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

/* Executes OP once for the lanes of READY, of the running group and of those that wait for it, on a
 * common copy of their operands. */
static void execute_together(struct warp *w, const struct op *op, uint32_t own, uint32_t ready)
{
	_Alignas(64) unsigned char buffer[OP_MAX_OPERANDS * ROOM];
	struct op joint = *op;
	unsigned char *bank = w->bank[0];
	uint32_t active = w->active;

	memset(buffer, 0, sizeof buffer);
	for (unsigned k = 0; k < op->noperands; k++)
		joint.at[k] = k * ROOM;
	move_lanes(w->frame, op, own & ready, buffer, 0, op->noperands, false);
	EVERY_GROUP(k, w)
		if (waits_with(w, k, op))
			move_lanes(w->group[k].frame, &w->group[k].frame->code->op[w->group[k].pc],
				w->group[k].mask & ready, buffer, 0, op->noperands, false);
	w->bank[0] = buffer;
	w->active = ready;
	w->joint = true;
	gather_of(w)->stray = 0;
	joint.run.exec(w, &joint, ready);
	w->joint = false;
	w->bank[0] = bank;
	w->active = active;
	move_lanes(w->frame, op, own & ready, buffer, 0, op->ndests, true);
	mark_stray(w, w->frame, op, own & ready);
	EVERY_GROUP(k, w)
		if (waits_with(w, k, op)) {
			struct group *g = &w->group[k];
			const struct op *same = &g->frame->code->op[g->pc];

			move_lanes(g->frame, same, g->mask & ready, buffer, 0, op->ndests, true);
			mark_stray(w, g->frame, same, g->mask & ready);
		}
}

/* The lanes of READY in the waiting groups have executed and go on. */
static void release(struct warp *w, uint32_t ready)
{
	for (uint32_t k = 0, n = w->ngroups; k < n; k++) {
		struct group *g = &w->group[k];

		if (k == w->current || g->state != GROUP_GATHER || !(g->mask & ready))
			continue;
		if (g->mask & ~ready) { /* some of it waits for still others */
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
	check_member(w, op, mask, members);
	FOR_LANES(lane, mask)
		s->members[lane] = members[lane];
	here = mask | (w->ngroups > 1 ? others_here(w, op) : 0);
	ready = complete_subsets(w, here);
	if (mask & ~ready && warp_unstack(w))
		ready = complete_subsets(w, mask | others_here(w, op));
	tell_subsets(w, op, ready);
	if (mask & ~ready) { /* remembered for the report of who waits for whom */
		unsigned first = lane_first(mask & ~ready);

		w->group[w->current].wait = needed(w, first, members[first]);
	}
	if (ready & ~mask) {
		execute_together(w, op, mask, ready);
		release(w, ready);
		s->lanes = ready & mask;
		s->elsewhere = true;
		return 0;
	}
	return ready;
}

/* Lanes STAY of the running group wait at OP, the others go on. */
static enum flow wait_here(struct warp *w, const struct op *op, uint32_t stay, bool warp_sync)
{
	uint32_t pc = op_index(w, op), wait = w->group[w->current].wait;

	if (w->lockstep) { /* a group of the stack waits as a whole */
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
	return wait_here(w, op, mask & ~ready, false);
}

/* bar.warp.sync: the lanes of a subset may reach it at different places. (PTX ISA 9.7.13.2) */
enum flow exec_bar_warp(struct warp *w, const struct op *op, uint32_t mask)
{
	uint32_t members[LANES] = {0}, here = mask, ready, stay, *waits = gather_of(w)->members;

	FOR_LANES(lane, mask)
		waits[lane] = members[lane] = (uint32_t)op_value(w, op, 0, lane);
	check_member(w, op, mask, members);
	EVERY_GROUP(k, w)
		if (k != w->current && w->group[k].state == GROUP_GATHER && w->group[k].warp_sync)
			here |= w->group[k].mask;
	ready = complete_subsets(w, here);
	stay = mask & ~ready;
	if (stay)
		warp_unstack(w); /* those who wait were found already */
	if (stay) {
		unsigned first = lane_first(stay);

		w->group[w->current].wait = needed(w, first, members[first]);
		if (w->lockstep) /* none of the group goes on */
			ready = 0;
	}
	tell_subsets(w, op, ready);
	if (ready & ~mask)
		release(w, ready);
	if (stay)
		return wait_here(w, op, stay, true);
	if (!(ready & ~mask))
		return FLOW_NEXT;
	w->group[w->current].pc = op_index(w, op) + 1;
	return FLOW_SWITCH;
}

/* --- .aligned --- */

/* Lanes that parted meet again here if they can, whatever the schedule did with them before: only
 * lanes that cannot come make the instruction a divergent one. */
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
		w->effect = 1; /* the groups become one when the scheduler looks at them next */
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
