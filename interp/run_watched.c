/* The loop for runs with observers of instructions, or with --check=init. */
#include "interp/undefined.h"
#include "interp/warp.h"

/* Before it executes: the lanes whose guard holds; those it is skipped by do not count. */
static void observe_insn(struct warp *w, const struct op *op, uint32_t active, uint32_t mask)
{
	undefined_insn(w, op, active, mask);
	if (mask)
		for (struct observer *o = w->machine->observers; o; o = o->next)
			if (o->interest & INTEREST_INSN)
				o->insn(o, w, op, mask);
}

#define RUN_NAME run_watched
#define RUN_WATCHED
#include "interp/run_loop.h"
