/* Groups of lanes: splitting, branching, reconvergence. */
#include "interp/state/warp.h"
#include "base/assert.h"
#include <stdlib.h>
#include <string.h>

void warp_enter(struct warp *w, uint32_t g)
{
	struct group *group = &w->group[g];

	w->current = g;
	w->active = group->mask;
	w->frame = group->frame;
	w->bank[0] = group->frame->regs;
	w->bank[1] = code_constants(group->frame->code, w->cta->cluster_rank);
}

void warp_sweep(struct warp *w)
{
	uint32_t n = 0;

	for (uint32_t k = 0; k < w->ngroups; k++)
		if (w->group[k].mask) {
			if (n != k)
				w->group[n] = w->group[k];
			n++;
		}
	w->ngroups = n;
}

static struct group *push_group(struct warp *w, const struct group *like)
{
	if (w->ngroups == MAX_GROUPS)
		/* unreachable: 32 lanes cannot have more groups and reconvergence points */
		never();
	w->group[w->ngroups] = *like;
	return &w->group[w->ngroups++];
}

uint32_t warp_split(struct warp *w, uint32_t mask)
{
	struct group *g = &w->group[w->current];

	if (mask == g->mask)
		return w->current;
	struct group *n = push_group(w, g);

	n->mask = mask;
	g->mask &= ~mask;
	w->active = g->mask;
	return w->ngroups - 1;
}

bool warp_unstack(struct warp *w)
{
	uint32_t above = 0;

	if (!w->lockstep ||
		ir_target(w->machine->module, w->cta->launch->ask.func)->sm < INDEPENDENT_SM)
		return false;
	for (uint32_t k = w->ngroups; k-- > 0;) {
		struct group *g = &w->group[k];
		uint32_t own = g->mask & ~above;

		above |= g->mask;
		g->mask = own;
		if (g->state == GROUP_REJOIN)
			g->state = GROUP_READY;
		g->rejoin_pc = NO_PC;
		g->rejoin_frame = NULL;
	}
	warp_sweep(w);
	w->current = w->ngroups - 1;
	w->lockstep = 0;
	return true;
}

static void scatter_lockstep(struct warp *w, unsigned n, const struct destination *to,
	uint32_t rejoin_pc, struct frame *rejoin_frame)
{
	struct group base = w->group[w->current];
	bool join = base.rejoin_pc != rejoin_pc || base.rejoin_frame != rejoin_frame;

	if (join) { /* the group itself becomes the reconvergence entry */
		struct group *g = &w->group[w->current];

		g->pc = rejoin_pc;
		g->frame = rejoin_frame ? rejoin_frame : g->frame;
		g->state = GROUP_REJOIN;
	} else {
		w->group[w->current].mask = 0;
	}
	base.rejoin_pc = rejoin_pc;
	base.rejoin_frame = rejoin_frame;
	for (unsigned k = 0; k < n; k++)
		if (to[k].lanes && !(to[k].pc == rejoin_pc && to[k].frame == rejoin_frame)) {
			base.mask = to[k].lanes;
			base.pc = to[k].pc;
			base.frame = to[k].frame;
			push_group(w, &base);
		}
	warp_sweep(w);
}

void warp_scatter(struct warp *w, unsigned n, const struct destination *to, uint32_t rejoin_pc,
	struct frame *rejoin_frame)
{
	struct group *g = &w->group[w->current];
	bool first = true;

	for (unsigned k = 0; k < n; k++)
		if (to[k].lanes == g->mask) { /* all lanes go to one place */
			g->pc = to[k].pc;
			g->frame = to[k].frame;
			return;
		}
	if (w->lockstep) {
		scatter_lockstep(w, n, to, rejoin_pc, rejoin_frame);
		return;
	}
	for (unsigned k = 0; k < n; k++) {
		struct group *to_group;

		if (!to[k].lanes)
			continue;
		to_group = first ? g : push_group(w, g);
		first = false;
		to_group->mask = to[k].lanes;
		to_group->pc = to[k].pc;
		to_group->frame = to[k].frame;
	}
}

void warp_branch(struct warp *w, const struct op *op, uint32_t mask)
{
	struct frame *f = w->frame;
	uint32_t next = op_index(w, op) + 1;

	if (!w->lockstep) {
		struct group *g = &w->group[w->current], *taken = push_group(w, g);

		g->mask = w->active & ~mask;
		g->pc = next;
		taken->mask = mask;
		taken->pc = op->branch.target;
		return;
	}
	struct destination to[2] = {{w->active & ~mask, next, f}, {mask, op->branch.target, f}};

	if (op->reconverge != NO_PC)
		warp_scatter(w, 2, to, op->reconverge, f);
	else
		warp_scatter(w, 2, to, f->caller ? f->return_pc : NO_PC, f->caller);
}

int warp_top(struct warp *w)
{
	while (w->ngroups) {
		struct group *g = &w->group[w->ngroups - 1];

		if (g->mask && (g->pc != g->rejoin_pc || g->frame != g->rejoin_frame)) {
			if (g->state == GROUP_REJOIN ||
				(g->state == GROUP_SLEEP && w->machine->clock_frozen))
				g->state = GROUP_READY;
			return g->state == GROUP_READY ? (int)w->ngroups - 1 : -1;
		}
		/* it has reached its reconvergence point: the group below continues from there */
		w->ngroups--;
	}
	return -1;
}
