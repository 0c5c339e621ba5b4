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
bool exchange_holds(const struct node *n, const struct grower *g);
/* Whether the pending atom R and others of its location cannot all get a position any more: too
 * many of them could as well have come earlier. No further atoms will come there. */
bool exchange_is_full(const struct node *n, struct grower *g, uint32_t r);
/* Where pending atom R and all others of its location can be exchanged in every position, or in
 * every one but the last, N's plan becomes an order of them, from W on, which all of them may read
 * from next. Returns the number of orders that differ: 1, or one for each atom that may be the last
 * (exchange_choose); 0: no plan. No further atoms will come there. */
uint32_t exchange_plan(struct node *n, struct grower *g, uint32_t w, uint32_t r);
/* Takes order OPTION of the plan. */
void exchange_choose(struct node *n, uint32_t option);
/* The next atom of the plan, and the write that it reads from; MODEL_NONE: there is none. */
uint32_t exchange_next(const struct node *n, uint32_t *from);
/* That atom is taken. */
void exchange_taken(struct node *n);

#endif
