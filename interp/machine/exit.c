/* Lanes that exit: barriers that waited for them may complete. */
#include "interp/machine/registers.h"
#include "interp/state/warp.h"
#include "interp/sync/barrier.h"
#include "interp/sync/cluster_barrier.h"

/* Groups that wait at .sync instructions check again: lanes that they wait for may have exited. */
static void retry_gathers(struct warp *w)
{
	for (uint32_t k = 0; k < w->ngroups; k++)
		if (w->group[k].state == GROUP_GATHER)
			w->group[k].state = GROUP_READY;
}

void warp_exit(struct warp *w, uint32_t mask)
{
	struct frame *f = w->frame, *caller;

	if (machine_watches(w->machine, INTEREST_LIFE))
		observers_life(w->machine,
			&(struct life_event){LIFE_LANES_EXIT, w->cta->launch, w->cta, w, mask});
	for (; f; f = caller) {
		caller = f->caller;
		if (!caller && w->machine->registers)
			registers_exit(w, f, mask);
		frame_leave(w, f, mask);
	}
	for (uint32_t k = 0; k < w->ngroups; k++)
		w->group[k].mask &= ~mask;
	w->live &= ~mask;
	w->effect = 1;
	warp_sweep(w);
	retry_gathers(w);
	if (!w->live) {
		w->cta->live &= ~(1u << w->index);
		barrier_recount(w->cta, w);
	}
	cluster_recount(w->cta->cluster, w);
}
