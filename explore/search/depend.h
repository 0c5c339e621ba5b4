/* Which events of an execution depend on which reads. */
#ifndef PTXI_EXPLORE_DEPEND_H
#define PTXI_EXPLORE_DEPEND_H
#include "explore/search/graph.h"

/* DEP, zeroed, [n][words] of N's execution: row R becomes the events of R's thread that depend on
 * read R by address, data or control, and of asynchronous operations that only begin when R is
 * known. N: complete. Reads of initial writes, which nothing can lead back to, are left out. */
void depend_find(const struct node *n, struct grower *g, uint64_t *dep);

#endif
