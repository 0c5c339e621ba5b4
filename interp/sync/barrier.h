/* The barriers of a CTA: when arrivals are counted, and the state of each barrier. */
#ifndef PTXI_INTERP_BARRIER_H
#define PTXI_INTERP_BARRIER_H
#include "interp/state/keeper.h"
#include "interp/state/state.h"

/* Counts the groups of W that wait at CTA barriers and have not been counted yet. Called when
 * the warp stops running. */
void barrier_arrivals(struct warp *w);
/* The same for a warp that is entered and waits as one group at a bar.sync whose number and count
 * are constants. */
void barrier_arrives_whole(struct warp *w);
/* Whether nobody has arrived at any barrier of C in its current phase. */
bool barrier_is_quiet(const struct cta *c);
/* All warps have arrived, whole, at barrier NUMBER, for all threads: the last is W. */
void barrier_passed(struct warp *w, unsigned number);
/* The set of live warps of the CTA has changed: barriers may complete. */
void barrier_recount(struct cta *c, struct warp *by);

/* A barrier in its current phase. */
struct barrier_state {
	uint32_t phase;
	uint32_t warps;             /* set of warps that have arrived */
	uint32_t arrived, expected; /* threads */
	uint32_t insn, user_call;   /* of the first arrival; valid when warps != 0 */
};
struct barrier_state barrier_state(const struct cta *c, unsigned number);
/* The lanes of W that have arrived at barrier NUMBER in its current phase. */
uint32_t barrier_arrived(const struct warp *w, unsigned number);

extern const struct keeper barrier_keeper;

#endif
