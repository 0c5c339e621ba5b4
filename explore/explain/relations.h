/* An execution as a graph, to be drawn or written. */
#ifndef PTXI_EXPLORE_RELATIONS_H
#define PTXI_EXPLORE_RELATIONS_H
#include "explore/explain/explain.h"
#include "picture/graph.h"

/* OUT becomes E's execution, which gives outcome O of R, with the edges of the explanation. */
void explain_graph(const struct explain *e, const struct explore_result *r,
	const struct explore_outcome *o, const char *title, struct graph *out);

#endif
