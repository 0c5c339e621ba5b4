/* Reports of deadlocks, livelocks and limits. */
#ifndef PTXI_INTERP_REPORT_H
#define PTXI_INTERP_REPORT_H
#include "interp/state/where.h"

/* Reports that no thread of C can make progress: which threads wait where, and for what. */
void report_deadlock(struct machine *m, struct cta *c);
/* Adds to R what the threads of C's cluster wait for, with the words of that report. */
void report_waits(struct machine *m, struct cta *c, struct diag *r);
/* After all workers have stopped because of a limit: reports which limit, and where each warp of
 * the CTAs in flight (the queue FIRST) is. */
void report_limit(struct machine *m, struct cta *first, struct source *source, struct span span);
/* Adds to R, the record of a stopped run, where the CTAs of the queue FIRST were. */
void report_stopped(struct machine *m, struct cta *first, struct diag *r);
/* Reports that the CTAs of the queue FIRST spin in loops whose state no longer changes, or wait
 * for CTAs that do. */
void report_livelock(struct machine *m, struct cta *first);

#endif
