/* What the watched loops do before each instruction. */
#ifndef PTXI_INTERP_OBSERVE_INSN_H
#define PTXI_INTERP_OBSERVE_INSN_H
#include "interp/memory/undefined.h"

/* Called before OP executes. MASK: the lanes whose guard is true; observers do not see an
 * instruction that all lanes skip. Returns the lanes that execute it. */
static inline uint32_t observe_insn(
	struct warp *w, const struct op *op, uint32_t active, uint32_t mask)
{
	if (w->frame->defined)
		undefined_before(w, op, active, mask);
	if (mask && w->machine->interest & INTEREST_INSN)
		for (struct observer *o = w->machine->observers; o; o = o->next)
			if (o->interest & INTEREST_INSN)
				o->insn(o, w, op, mask);
	return mask;
}

#endif
