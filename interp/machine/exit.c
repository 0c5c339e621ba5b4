/* Lanes that exit: their registers are kept for the host where it asks, barriers that waited for
 * them may complete. */
#include "interp/state/warp.h"
#include "interp/sync/barrier.h"
#include "interp/sync/cluster_barrier.h"
#include <string.h>

static void keep_registers(struct warp *w, const struct frame *f, uint32_t mask)
{
	struct machine *m = w->machine;
	const struct ir_func *func = &m->module->func[f->code->func];

	FOR_LANES(lane, mask) {
		uint64_t thread = w->cta->linear * w->cta->launch->threads + w->index * LANES +
			lane;

		if (thread >= m->kept_threads)
			continue;
		for (uint32_t r = 0; r < func->nregs; r++) {
			const struct ir_register *reg = &m->module->reg[func->reg + r];
			const unsigned char *at = f->regs + f->code->reg_at[r];
			unsigned width = type_bytes(reg->type);
			uint64_t value = 0;

			if (reg->type == TYPE_pred)
				value = *(const uint32_t *)(const void *)at >> lane & 1;
			else
				memcpy(&value, at + lane * width, width < 8 ? width : 8);
			m->kept[thread * m->kept_regs + r] = value;
			if (f->defined && !(f->defined[f->code->reg_at[r] / 4] >> lane & 1))
				m->kept_undefined[thread * m->kept_regs + r] = 1;
		}
	}
}

/* Lanes that wait for others at a .sync instruction look again: those they wait for may have
 * left. */
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
		if (!caller && w->machine->kept && w->cta->launch->number == 0)
			keep_registers(w, f, mask);
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
