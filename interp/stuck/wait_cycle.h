/* Cycles of warps that wait for each other, for the report of a hang. */
#ifndef PTXI_INTERP_WAIT_CYCLE_H
#define PTXI_INTERP_WAIT_CYCLE_H
#include "interp/state/state.h"

/* Adds a note to R when warps of C wait for each other in a cycle: at CTA barriers, or at
 * mbarriers whose missing warps arrived in earlier phases. */
void wait_cycle_note(struct machine *m, struct cta *c, struct diag *r);

#endif
