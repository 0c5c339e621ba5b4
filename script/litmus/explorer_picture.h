/* The executions that explore draws. */
#ifndef PTXI_SCRIPT_EXPLORER_PICTURE_H
#define PTXI_SCRIPT_EXPLORER_PICTURE_H
#include "picture/graph.h"
#include "script/litmus/explorer.h"

/* --graph: writes the file. */
void explorer_graph(const struct explorer_request *r, const struct graph *g, struct report *out);
/* --picture: adds G, the answer to QUESTION (or NULL), about NAME. */
void explorer_draw(const struct explorer_request *r, const struct graph *g, const char *name,
	const char *question);

#endif
