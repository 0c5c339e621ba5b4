/* An execution as a graph, to be drawn or written. */
#ifndef PTXI_EXPLORE_RELATIONS_H
#define PTXI_EXPLORE_RELATIONS_H
#include "explore/search/witness.h"
#include "picture/graph.h"

/* Fills OUT with X. TITLE must outlive OUT. MARKED, or NULL: [n][words], the edges that form the
 * explanation. */
void graph_fill(const struct execution *x, const struct grower *g,
	const struct explore_names *names, const char *title, const uint64_t *marked,
	struct graph *out);

#endif
