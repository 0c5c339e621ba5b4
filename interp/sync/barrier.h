/* The barriers of a CTA: when warps are counted, and how they stand. */
#ifndef PTXI_INTERP_BARRIER_H
#define PTXI_INTERP_BARRIER_H
#include "interp/state/keeper.h"
#include "interp/state/state.h"

/* A warp's groups newly waiting at CTA barriers are counted there. Called when the warp stops
 * running. */
void barrier_arrivals(struct warp *w);
/* The live warps of the CTA changed: barriers may complete. */
void barrier_recount(struct cta *c, struct warp *by);

/* A barrier in its present phase. */
struct barrier_state {
	uint32_t phase;
	uint32_t warps;             /* set of those that arrived */
	uint32_t arrived, expected; /* threads */
	uint32_t insn;              /* of the first arrival; valid when warps != 0 */
};
struct barrier_state barrier_state(const struct cta *c, unsigned number);
/* The lanes of W that arrived at barrier NUMBER in its present phase. */
uint32_t barrier_arrived(const struct warp *w, unsigned number);

extern const struct keeper barrier_keeper;

#endif
