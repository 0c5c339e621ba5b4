/* Who waits for whom in a ring, for the report of a stuck program. */
#ifndef PTXI_INTERP_WAIT_CYCLE_H
#define PTXI_INTERP_WAIT_CYCLE_H
#include "interp/state/state.h"

/* Adds a note to R when warps of C wait for each other in a ring, at barriers of the CTA or at
 * mbarriers where the missing ones have arrived in earlier phases. */
void wait_cycle_note(struct machine *m, struct cta *c, struct diag *r);

#endif
