/* What ends a machine from outside: a deadline, the user, too much printed text. */
#ifndef PTXI_INTERP_LIMITS_H
#define PTXI_INTERP_LIMITS_H
#include "interp/state/state.h"

/* Stops the machine because of CODE, a budget; what is to be said about it waits until all workers
 * have stopped. */
void limits_end(struct machine *m, enum diag_code code);
/* Whether the machine must stop, after a look at the clock: for instructions that take long. */
bool limits_reached(struct machine *m);
/* N more instructions were executed: looks at the clock now and then. */
enum { LIMITS_LOOK = 1 << 14 };
static inline bool limits_spent(struct worker *k, uint64_t n)
{
	k->unlooked += n;
	if (k->unlooked < LIMITS_LOOK)
		return false;
	k->unlooked = 0;
	return limits_reached(k->machine);
}

#endif
