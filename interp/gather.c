/* Lanes that wait for each other inside a warp: the rendezvous of the .sync instructions, and bar.warp.sync.
 *
 * A group that comes to a .sync instruction before all lanes of its membermask stays there (GROUP_GATHER). Who comes to the same instruction later takes the waiting
 * lanes in and tries again with all of them; lanes that exit make the waiting ones try again. */
#include "interp/exec.h"
#include "interp/warp.h"

/* Lanes that lane LANE still needs, beside itself. */
static uint32_t needed(const struct warp *w, unsigned lane, uint32_t members)
{
	return (members | 1u << lane) & w->live;
}

static void check_member(struct warp *w, const struct op *op, uint32_t mask, const uint32_t *members)
{
	if (!(w->machine->options.checks & CHECK_SYNC))
		return;
	FOR_LANES(lane, mask)
	if (!(members[lane] >> lane & 1)) {
		finding(w, op, lane, DIAG_S0201, "lane %u executes this with membermask 0x%08x, which does not name it", lane, members[lane]);
		return;
	}
}

/* Takes in the lanes that wait at this very instruction. */
static bool take_in(struct warp *w, uint32_t pc)
{
	struct group *g = &w->group[w->current];
	bool any = false;

	if (w->lockstep)
		return false; /* those who wait below in the stack cannot run */
	for (uint32_t k = 0; k < w->ngroups; k++) {
		struct group *o = &w->group[k];

		if (o != g && o->state == GROUP_GATHER && o->pc == pc && o->frame == g->frame && !o->warp_sync) {
			g->mask |= o->mask;
			o->mask = 0;
			w->effect = 1;
			any = true;
		}
	}
	return any;
}

uint32_t warp_gather(struct warp *w, const struct op *op, uint32_t mask, const uint32_t *members)
{
	uint32_t ready = 0;

	w->gather_again = 0;
	if (w->ngroups > 1 && take_in(w, op_index(w, op))) {
		w->gather_again = 1;
		return 0;
	}
	check_member(w, op, mask, members);
	FOR_LANES(lane, mask)
	if (!(needed(w, lane, members[lane]) & ~mask))
		ready |= 1u << lane;
	if (ready && w->machine->interest & INTEREST_SYNC)
		observers_sync(w->machine, &(struct sync_event){.kind = SYNC_WARP, .cta = w->cta, .warp = w, .op = op, .mask = ready});
	if (mask & ~ready) { /* remembered for the report of who waits for whom */
		unsigned first = lane_first(mask & ~ready);

		w->group[w->current].wait = needed(w, first, members[first]);
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

	g->pc = pc;
	g->state = GROUP_GATHER;
	g->wait = wait;
	g->warp_sync = warp_sync;
	return FLOW_SWITCH;
}

enum flow warp_gathered(struct warp *w, const struct op *op, uint32_t mask, uint32_t ready)
{
	if (w->gather_again) {
		w->gather_again = 0;
		w->group[w->current].pc = op_index(w, op);
		warp_sweep(w);
		return FLOW_SWITCH;
	}
	if (ready == mask)
		return FLOW_NEXT;
	return wait_here(w, op, mask & ~ready, false);
}

/* bar.warp.sync: the lanes may come to it at different places. Those already waiting whose needs are now met go on too. (PTX ISA 9.7.13.2) */
enum flow exec_bar_warp(struct warp *w, const struct op *op, uint32_t mask)
{
	uint32_t members[LANES] = {0}, here = mask, met, stay = 0;
	struct group *self = &w->group[w->current];

	FOR_LANES(lane, mask) members[lane] = (uint32_t)op_value(w, op, 0, lane);
	check_member(w, op, mask, members);
	for (uint32_t k = 0; k < w->ngroups; k++)
		if (&w->group[k] != self && w->group[k].state == GROUP_GATHER && w->group[k].warp_sync)
			here |= w->group[k].mask;
	met = here;
	FOR_LANES(lane, mask)
	if (needed(w, lane, members[lane]) & ~here) {
		stay |= 1u << lane;
		self->wait = needed(w, lane, members[lane]);
	}
	if (stay)
		return wait_here(w, op, stay, true);
	if (here == mask) {
		if (w->machine->interest & INTEREST_SYNC)
			observers_sync(w->machine, &(struct sync_event){.kind = SYNC_WARP, .cta = w->cta, .warp = w, .op = op, .mask = met});
		return FLOW_NEXT;
	}
	/* The others look again, each with all who are here now; to find this group they need it waiting. */
	uint32_t pc = op_index(w, op);

	met = mask;
	for (uint32_t k = 0; k < w->ngroups; k++) {
		struct group *o = &w->group[k];

		if (o != self && o->state == GROUP_GATHER && o->warp_sync && !(o->wait & w->live & ~here)) {
			o->state = GROUP_READY;
			o->warp_sync = 0;
			o->pc++;
			met |= o->mask;
		}
	}
	if (w->machine->interest & INTEREST_SYNC)
		observers_sync(w->machine, &(struct sync_event){.kind = SYNC_WARP, .cta = w->cta, .warp = w, .op = op, .mask = met});
	self->pc = pc + 1;
	w->effect = 1;
	return FLOW_SWITCH;
}
