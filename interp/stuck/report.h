/* Deadlock and livelock reports. */
#ifndef PTXI_INTERP_REPORT_H
#define PTXI_INTERP_REPORT_H
#include "interp/state/where.h"

/* No thread of C can go on: says who waits where, for what. */
void report_deadlock(struct machine *m, struct cta *c);
/* After all workers have stopped because of a budget, FIRST being the CTAs in flight: says which
 * limit it was, and where each warp is. */
void report_limit(struct machine *m, struct cta *first, struct source *source, struct span span);
/* Notes for R, a record that the machine was stopped: where the CTAs of the queue FIRST were. */
void report_stopped(struct machine *m, struct cta *first, struct diag *r);
/* The CTAs of the queue FIRST only go round loops in which nothing changes, or wait for those. */
void report_livelock(struct machine *m, struct cta *first);

#endif
