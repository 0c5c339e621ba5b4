/* Atoms whose results differ, but not what their threads do with them: of the orders of two such
 * neighbours, one is explored. */
#ifndef PTXI_EXPLORE_EXCHANGE_H
#define PTXI_EXPLORE_EXCHANGE_H
#include "explore/search/graph.h"

/* Drops from ROW, candidates of pending read R, writes of atoms that could as well come after R's
 * atom, and then do in another branch. */
void exchange_drop(const struct node *n, const struct grower *g, uint32_t r, uint64_t *row);
/* R is about to read from W. */
void exchange_note(struct node *n, struct grower *g, uint32_t w, uint32_t r);
/* Whether, given everything added since, the orders left out are still indistinguishable. */
bool exchange_holds(const struct node *n);
/* Whether the pending atom R and others of its location cannot all get a position any more: too
 * many of them could as well have come earlier. No further atoms will come there. */
bool exchange_is_full(const struct node *n, struct grower *g, uint32_t r);

#endif
