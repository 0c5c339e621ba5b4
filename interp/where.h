/* Where things are, in words. */
#ifndef PTXI_INTERP_WHERE_H
#define PTXI_INTERP_WHERE_H
#include "interp/state.h"

/* The source line of an instruction, 0 for IR_NONE. */
uint32_t where_line(struct machine *m, uint32_t insn);
/* Threads of the lanes of MASK of warp W, "threads 32 to 63" by linear number, at most MOST ranges of them. */
void where_threads(struct text *t, const struct warp *w, uint32_t mask, unsigned most);
/* What group G is doing: "at barrier 0, line 12". */
void where_group(struct machine *m, struct text *t, const struct group *g);

#endif
