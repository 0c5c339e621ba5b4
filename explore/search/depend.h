/* Dependencies: which events of an execution depend on which reads. */
#ifndef PTXI_EXPLORE_DEPEND_H
#define PTXI_EXPLORE_DEPEND_H
#include "explore/search/graph.h"

/* Fills DEP, zeroed, [n][words] of N's execution, which is complete. Row R: the events of R's
 * thread that depend on read R by address, data or control, and the events of asynchronous
 * operations whose issue depends on R. Rows of reads from initial writes, which lie on no cycle,
 * stay empty. */
void depend_find(const struct node *n, struct grower *g, uint64_t *dep);

#endif
