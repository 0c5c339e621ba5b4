/* What the instructions on tensor maps share. */
#ifndef PTXI_INTERP_TENSOR_H
#define PTXI_INTERP_TENSOR_H
#include "interp/sync/sync.h"

/* Reports the 128 bytes of a tensor map at P as accessed by lane LANE. */
void tensor_report(struct warp *w, const struct op *op, unsigned lane, const struct sync_place *p,
	bool writes);
#endif
