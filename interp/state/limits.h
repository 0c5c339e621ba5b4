/* Limits that stop a machine: the deadline, an interrupt by the user, too much printed text. */
#ifndef PTXI_INTERP_LIMITS_H
#define PTXI_INTERP_LIMITS_H
#include "interp/state/state.h"

/* Stops the machine because limit CODE was reached; the report is made once all workers have
 * stopped. */
void limits_end(struct machine *m, enum diag_code code);
/* Whether the machine must stop; checks the deadline and interrupts. For instructions that take
 * long. */
bool limits_reached(struct machine *m);
/* Gives options.print what was printed up to the last complete line; ALL: everything. The caller
 * holds output_lock, or no kernel runs. */
void limits_pass_output(struct machine *m, bool all);
/* The same; also tells the listener how far the machine is. */
bool limits_look(struct warp *w);
/* W executed N more instructions: checks the limits every LIMITS_LOOK instructions. */
enum { LIMITS_LOOK = 1 << 14 };
static inline bool limits_spent(struct warp *w, uint64_t n)
{
	struct worker *k = w->worker;

	k->unlooked += n;
	if (k->unlooked < LIMITS_LOOK)
		return false;
	k->unlooked = 0;
	return limits_look(w);
}

#endif
