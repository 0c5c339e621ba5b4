/* Single lanes of operands, and the virtual clock. */
#include "interp/state/state.h"
#include <string.h>

uint64_t op_value(const struct warp *w, const struct op *op, unsigned i, unsigned lane)
{
	const unsigned char *at = op_lanes(w, op, i);
	unsigned width = op->width[i];
	uint64_t value = 0;

	if (!width)
		return *(const uint32_t *)(const void *)at >> lane & 1;
	memcpy(&value, at + (size_t)lane * width, width < 8 ? width : 8);
	return value;
}

void op_set(const struct warp *w, const struct op *op, unsigned i, unsigned lane, uint64_t value)
{
	unsigned char *at = op_lanes(w, op, i);
	unsigned width = op->width[i];

	if (!width) {
		uint32_t *word = (uint32_t *)(void *)at;

		*word = (*word & ~(1u << lane)) | (uint32_t)(value & 1) << lane;
		return;
	}
	memcpy(at + (size_t)lane * width, &value, width < 8 ? width : 8);
	if (width > 8)
		memset(at + (size_t)lane * width + 8, 0, width - 8);
}

uint64_t warp_clock(const struct warp *w, const struct op *op)
{
	const struct worker *k = w->worker;
	uint32_t pc = (uint32_t)(op - w->frame->code->op);

	return w->machine->clock_frozen ? k->clock : k->clock + k->slice_steps + (pc - w->run_pc);
}
