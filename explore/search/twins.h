/* Indistinguishable threads: executions that differ only by exchanging such threads are explored
 * once. */
#ifndef PTXI_EXPLORE_TWINS_H
#define PTXI_EXPLORE_TWINS_H
#include "explore/search/graph.h"

/* Whether exchanging threads T and U changes nothing in N. */
bool twins_equal(const struct node *n, const struct grower *g, uint32_t t, uint32_t u);
/* The event of thread U that corresponds to event E of thread T. */
uint32_t twins_event(const struct node *n, uint32_t e, uint32_t u);

#endif
