/* The memory that a spinning loop polls, for the livelock report. */
#ifndef PTXI_INTERP_POLL_H
#define PTXI_INTERP_POLL_H
#include "interp/state/keeper.h"
#include "interp/state/state.h"

/* Called before the running group of W executes OP: records, for its lanes, a read of memory
 * that other threads may write. */
void poll_record(struct warp *w, const struct op *op);
/* Discards what was recorded for the lanes of MASK. */
void poll_clear(struct warp *w, uint32_t mask);
/* Appends ", which poll ..." to T for the lanes of MASK of W; nothing when they poll no memory. */
void poll_describe(struct machine *m, const struct warp *w, uint32_t mask, struct text *t);

extern const struct keeper poll_keeper;

#endif
