/* Explores a case of a PTX file. */
#ifndef PTXI_SCRIPT_EXPLORER_CASE_H
#define PTXI_SCRIPT_EXPLORER_CASE_H
#include "explore/search/explore.h"
#include "picture/graph.h"
#include "script/litmus/explorer.h"

/* If there are at most this many outcomes, each is listed with an execution. */
enum { EXPLORER_MAX_LISTED = 16 };

void explorer_case(
	const struct explorer_request *r, const struct explore_options *o, struct report *out);

/* --graph: writes the file. */
void explorer_graph(const struct explorer_request *r, const struct graph *g, struct report *out);
/* --picture: adds G, the answer to QUESTION (or NULL), about NAME. */
void explorer_draw(const struct explorer_request *r, const struct graph *g, const char *name,
	const char *question);

#endif
