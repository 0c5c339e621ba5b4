/* The instruction loop for --memory=weak: late operations that an instruction needs are executed
 * before it, or the instruction becomes late too. */
#include "interp/machine/observe_insn.h"
#include "interp/state/warp.h"
#include "weak/weak.h"

static uint32_t weak_loop_before(
	struct warp *w, const struct op *op, uint32_t active, uint32_t mask)
{
	uint32_t now = w->weak->nlate ? weak_before(w, op, mask) : mask;

	if ((w->machine->interest & INTEREST_INSN) || (w->machine->options.checks & CHECK_INIT))
		observe_insn(w, op, active, mask);
	return now;
}

static enum flow weak_loop(struct warp *w, uint32_t *budget);
#define RUN_NAME weak_loop
#define RUN_BEFORE weak_loop_before
#define RUN_LEAVES directed_away
#include "interp/machine/run_loop.h"

enum { PATIENCE = 16 };

/* Executes late operations once in a while, so that a late write becomes visible even while its
 * lane waits for other lanes of its warp that spin on it. */
enum flow run_weak(struct warp *w, uint32_t *left)
{
	if (w->weak->nlate &&
		(w->machine->clock_frozen ||
			choose(w->machine->chooser, CHOICE_READ, PATIENCE) == 1))
		weak_late_all(w, UINT32_MAX);
	return weak_loop(w, left);
}
