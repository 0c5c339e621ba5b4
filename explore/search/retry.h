/* What a pending read would do to its thread with the value of a certain write. */
#ifndef PTXI_EXPLORE_RETRY_H
#define PTXI_EXPLORE_RETRY_H
#include "explore/search/graph.h"

/* Drops from ROW, candidates of pending read R, the writes with which R would only be repeated, and
 * those with which its thread's atom would break atomicity. Returns whether its thread may repeat
 * it forever: nothing follows one of these writes in coherence yet. */
bool retry_drop(const struct node *n, struct grower *g, uint32_t r, uint64_t *row);
/* ROW: the writes that pending read R of a thread may read from forever. */
void retry_forever(const struct node *n, struct grower *g, uint32_t r, uint64_t *row);

#endif
