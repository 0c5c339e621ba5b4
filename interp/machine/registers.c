/* Register values kept for the host. */
#include "interp/machine/registers.h"
#include <string.h>

enum { MAX_VALUES = 1 << 24 };

/* The values kept by one machine. */
struct kept_registers {
	uint64_t *value;    /* [threads * regs]; NULL before the first launch */
	uint8_t *undefined; /* --check=init, else NULL: same layout, 1: undefined */
	uint32_t regs, threads;
};

void machine_keep_registers(struct machine *m, bool on)
{
	m->code.keeps_registers = on;
	if (!on)
		m->registers = NULL;
	else if (!m->registers)
		m->registers = ARENA_NEW(&m->arena, struct kept_registers);
}

void registers_launch(struct machine *m, const struct launch *l)
{
	struct kept_registers *k = m->registers;
	uint64_t threads = l->nctas > UINT32_MAX / l->threads ? UINT32_MAX : l->nctas * l->threads;

	if (!k || l->number != 0)
		return;
	k->regs = m->module->func[l->ask.func].nregs;
	if (threads * (k->regs + 1) > MAX_VALUES)
		threads = MAX_VALUES / (k->regs + 1);
	k->threads = (uint32_t)threads;
	k->value = ARENA_ARRAY(&m->arena, uint64_t, threads * k->regs + 1);
	if (m->options.checks & CHECK_INIT)
		k->undefined = ARENA_ARRAY(&m->arena, uint8_t, threads * k->regs + 1);
}

void registers_exit(struct warp *w, const struct frame *f, uint32_t mask)
{
	struct machine *m = w->machine;
	struct kept_registers *k = m->registers;
	const struct ir_func *func = &m->module->func[f->code->func];

	if (w->cta->launch->number != 0)
		return;
	FOR_LANES(lane, mask) {
		uint64_t thread = w->cta->linear * w->cta->launch->threads + w->index * LANES +
			lane;

		if (thread >= k->threads)
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
			k->value[thread * k->regs + r] = value;
			if (f->defined && !(f->defined[f->code->reg_at[r] / 4] >> lane & 1))
				k->undefined[thread * k->regs + r] = 1;
		}
	}
}

bool machine_register(
	struct machine *m, uint32_t thread, uint32_t reg, uint64_t *value, bool *defined)
{
	const struct kept_registers *k = m->registers;

	if (!k || !k->value || thread >= k->threads || reg >= k->regs)
		return false;
	*value = k->value[(uint64_t)thread * k->regs + reg];
	if (defined)
		*defined = !k->undefined || !k->undefined[(uint64_t)thread * k->regs + reg];
	return true;
}
