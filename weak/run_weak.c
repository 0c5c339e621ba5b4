/* The loop for --memory=weak: late operations are done before the instruction that needs them, or
 * it becomes late too. */
#include "interp/machine/observe_insn.h"
#include "interp/state/warp.h"
#include "weak/weak.h"

static uint32_t before(struct warp *w, const struct op *op, uint32_t active, uint32_t mask)
{
	uint32_t now = w->weak->nlate ? weak_before(w, op, mask) : mask;

	if ((w->machine->interest & INTEREST_INSN) || (w->machine->options.checks & CHECK_INIT))
		observe_insn(w, op, active, mask);
	return now;
}

static enum flow loop(struct warp *w, uint32_t *budget);
#define RUN_NAME loop
#define RUN_BEFORE before
#include "interp/machine/run_loop.h"

enum { PATIENCE = 16 };

/* A late write comes some day, even while its lane waits for others of its warp that spin for
 * it. */
enum flow run_weak(struct warp *w, uint32_t *left)
{
	if (w->weak->nlate &&
		(w->machine->clock_frozen ||
			choose(w->machine->chooser, CHOICE_READ, PATIENCE) == 1))
		weak_late_all(w, UINT32_MAX);
	return loop(w, left);
}
