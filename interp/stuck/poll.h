/* What a waiting loop looks at, for the report of a livelock. */
#ifndef PTXI_INTERP_POLL_H
#define PTXI_INTERP_POLL_H
#include "interp/state/keeper.h"
#include "interp/state/state.h"

/* The running group of W is about to execute OP: when that reads memory that others may write, it
 * is remembered for its lanes. */
void poll_note(struct warp *w, const struct op *op);
/* The lanes of MASK are looked at anew. */
void poll_forget(struct warp *w, uint32_t mask);
/* Adds ", which poll ..." for the lanes of MASK of W to T; nothing when they poll no memory. */
void poll_describe(struct machine *m, const struct warp *w, uint32_t mask, struct text *t);

extern const struct keeper poll_keeper;

#endif
