/* Frames: pushed by calls, given back when their last lane has left; and lanes that exit. */
#include "interp/cluster.h"
#include "interp/warp.h"
#include <string.h>

static unsigned size_class(uint32_t bytes)
{
	return bytes <= 64 ? 6 : 32u - (unsigned)__builtin_clz(bytes - 1);
}

struct frame *frame_push(struct warp *w, const struct code_func *code, struct frame *caller, uint32_t lanes)
{
	struct cta *c = w->cta;
	unsigned k = size_class(code->frame_bytes);
	struct frame *f = c->free_frame[k];
	bool init = (w->machine->options.checks & CHECK_INIT) != 0;
	unsigned char *regs;

	if (f) {
		c->free_frame[k] = f->caller;
		regs = f->regs;
	} else {
		f = ARENA_NEW(&c->arena, struct frame);
		regs = arena_alloc(&c->arena, init ? (size_t)3 << k : (size_t)1 << k, 64);
	}
	memset(regs, 0, code->frame_bytes);
	*f = (struct frame){.caller = caller, .code = code, .regs = regs, .lanes = lanes};
	if (init) {
		f->bits = regs + ((size_t)2 << k);
		f->defined = memset(regs + ((size_t)1 << k), 0, code->frame_bytes);
	}
	if (caller) {
		f->depth = caller->depth + 1;
		f->local_base = (caller->local_top + 15) & ~15u;
		f->stack_used = caller->stack_used + (f->local_base - caller->local_base - caller->code->local_bytes);
	}
	f->local_top = f->local_base + code->local_bytes;
	f->stack_used += code->stack_bytes;
	return f;
}

void frame_leave(struct warp *w, struct frame *f, uint32_t lanes)
{
	f->lanes &= ~lanes;
	if (!f->lanes) {
		unsigned k = size_class(f->code->frame_bytes);

		f->caller = w->cta->free_frame[k];
		w->cta->free_frame[k] = f;
	}
}

static void keep_registers(struct warp *w, const struct frame *f, uint32_t mask)
{
	struct machine *m = w->machine;
	const struct ir_func *func = &m->module->func[f->code->func];

	FOR_LANES(lane, mask)
	{
		uint64_t thread = w->cta->linear * w->cta->launch->threads + w->index * LANES + lane;

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

/* Lanes that wait for others at a .sync instruction look again: those they wait for may have left. */
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
		observers_life(w->machine, &(struct life_event){LIFE_LANES_EXIT, w->cta->launch, w->cta, w, mask});
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
