/* Where things are, in words. */
#ifndef PTXI_INTERP_WHERE_H
#define PTXI_INTERP_WHERE_H
#include "interp/state/state.h"

/* V as "3", "(3, 1)" or "(3, 1, 2)", by how many dimensions OF has. */
const char *where_dim(struct arena *a, const uint32_t v[3], const uint32_t of[3]);
const char *where_kernel(const struct launch *l, const struct machine *m);
/* Names kernel, CTA and thread in R. */
void where_thread(struct machine *m, struct diag *r, const struct warp *w, unsigned lane);
/* The source line of an instruction, 0 for IR_NONE. */
uint32_t where_line(struct machine *m, uint32_t insn);
/* Threads of the lanes of MASK of warp W, "threads 32 to 63" by linear number, at most MOST ranges
 * of them. */
void where_threads(struct text *t, const struct warp *w, uint32_t mask, unsigned most);
/* What group G is doing: "at barrier 0, line 12". */
void where_group(struct machine *m, struct text *t, const struct group *g);

#endif
