/* An execution as a Graphviz graph. */
#ifndef PTXI_EXPLORE_DOT_H
#define PTXI_EXPLORE_DOT_H
#include "explore/search/witness.h"

/* MARKED, or NULL: [n][words], the edges to draw in red, which form the explanation. */
void dot_write(const struct execution *x, const struct grower *g, const struct explore_names *names,
	const char *title, const uint64_t *marked, struct text *out);

#endif
