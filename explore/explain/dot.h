/* An execution as a Graphviz graph. */
#ifndef PTXI_EXPLORE_DOT_H
#define PTXI_EXPLORE_DOT_H
#include "picture/graph.h"

void dot_write(const struct graph *g, struct text *out);

#endif
