/* Words for people: threads, CTAs and kernels in messages; deadlock and livelock reports. */
#ifndef PTXI_INTERP_REPORT_H
#define PTXI_INTERP_REPORT_H
#include "interp/where.h"

/* V as "3", "(3, 1)" or "(3, 1, 2)", by how many dimensions OF has. */
const char *report_dim(struct arena *a, const uint32_t v[3], const uint32_t of[3]);
const char *report_kernel(const struct launch *l, const struct machine *m);
/* Names kernel, CTA and thread in R. */
void report_thread(struct machine *m, struct diag *r, const struct warp *w, unsigned lane);
/* Stops the machine with STATUS unless it stops already. */
void machine_halt(struct machine *m, enum machine_status status);

/* No thread of C can go on: says who waits where, for what. */
void report_deadlock(struct machine *m, struct cta *c);
/* After all workers have stopped because of a budget, FIRST being the CTAs in flight: says which limit it was, and where each warp is. */
void report_limit(struct machine *m, struct cta *first, struct source *source, struct span span);
/* Notes for R, a record that the machine was stopped: where the CTAs of the queue FIRST were. */
void report_stopped(struct machine *m, struct cta *first, struct diag *r);
/* The CTAs of the queue FIRST only go round loops in which nothing changes, or wait for those. */
void report_livelock(struct machine *m, struct cta *first);

#endif
