/* What the matrix instructions of warps and warpgroups share. */
#ifndef PTXI_INTERP_MATRIX_H
#define PTXI_INTERP_MATRIX_H
#include "interp/state/state.h"

/* Whether the lanes that can come are here. Those that do not come are reported. */
bool matrix_together(struct warp *w, const struct op *op, uint32_t mask);

#endif
