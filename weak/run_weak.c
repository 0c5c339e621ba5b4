/* The loop for --memory=weak: late operations are done before the instruction that needs them, or it becomes late too. */
#include "interp/observe_insn.h"
#include "interp/warp.h"
#include "weak/weak.h"

static uint32_t before(struct warp *w, const struct op *op, uint32_t active, uint32_t mask)
{
	uint32_t now = w->weak->nlate ? weak_before(w, op, mask) : mask;

	if ((w->machine->interest & INTEREST_INSN) || (w->machine->options.checks & CHECK_INIT))
		observe_insn(w, op, active, mask);
	return now;
}

#define RUN_NAME run_weak
#define RUN_BEFORE before
#include "interp/run_loop.h"
