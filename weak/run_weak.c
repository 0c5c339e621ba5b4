/* The loop for --memory=weak: loads that have not chosen their message do so before the instruction that needs it. */
#include "interp/observe_insn.h"
#include "interp/warp.h"
#include "weak/weak.h"

static void before(struct warp *w, const struct op *op, uint32_t active, uint32_t mask)
{
	if (w->weak->nlate)
		weak_before(w, op, mask);
	if ((w->machine->interest & INTEREST_INSN) || (w->machine->options.checks & CHECK_INIT))
		observe_insn(w, op, active, mask);
}

#define RUN_NAME run_weak
#define RUN_BEFORE before
#include "interp/run_loop.h"
