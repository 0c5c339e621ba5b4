/* Why an outcome is possible or impossible, and the execution that shows it as a graph. */
#ifndef PTXI_EXPLORE_WHY_H
#define PTXI_EXPLORE_WHY_H
#include "explore/search/explore.h"
#include "picture/graph.h"

/* A predicate over outcome rows. */
struct explore_condition {
	void *client;
	bool (*holds)(void *client, const uint64_t *value);
};
/* Explains in words, with line numbers, why outcomes that satisfy CONDITION are possible (which
 * synchronisation is missing) or impossible (which synchronisation forbids them). GRAPH, or NULL,
 * becomes that execution, with the cycle that forbids it if it is forbidden. */
void explore_why(const struct explore_result *r, const struct explore_condition *condition,
	const struct explore_names *names, struct text *out, struct graph *graph);
/* OUT becomes the execution that shows outcome INDEX. */
void explore_graph(const struct explore_result *r, uint32_t index,
	const struct explore_names *names, const char *title, struct graph *out);

#endif
