/* The executions that explore draws, as a file of Graphviz or in the picture. */
#include "script/litmus/explorer_picture.h"
#include "explore/explain/dot.h"
#include <ptxi/status.h>

void explorer_graph(const struct explorer_request *r, const struct graph *g, struct report *out)
{
	struct text t = {0};

	if (!r->graph || !g->title)
		return;
	dot_write(g, &t);
	if (!file_write(r->graph, text_str(&t), t.len, &out->findings) && !out->status)
		out->status = PTXI_USAGE;
	text_free(&t);
}

void explorer_draw(const struct explorer_request *r, const struct graph *g, const char *name,
	const char *question)
{
	struct drawing d = {.width = 0};

	if (!r->picture || !g->title)
		return;
	graph_draw(g, name, question, &d);
	picture_add(r->picture, &d);
	drawing_free(&d);
}
