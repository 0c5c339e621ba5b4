/* Writes an execution as a Graphviz graph, one cluster for each thread. */
#include "explore/explain/dot.h"

/* The colour and style of each relation. */
static const char *const look[][2] = {[GRAPH_PO] = {"black", "solid"},
	[GRAPH_ISSUES] = {"purple", "bold"},
	[GRAPH_RF] = {"forestgreen", "solid"},
	[GRAPH_FR] = {"orange", "solid"},
	[GRAPH_CO] = {"blue", "solid"},
	[GRAPH_SYNC] = {"purple", "bold"},
	[GRAPH_BARRIER] = {"purple", "bold"},
	[GRAPH_SC] = {"purple", "bold"},
	[GRAPH_CAUSE] = {"gray", "dashed"}};

/* Writes TEXT with the escapes of a Graphviz string. */
static void put_quoted(const char *text, struct text *out)
{
	for (; *text; text++) {
		if (*text == '"' || *text == '\\')
			text_putc(out, '\\');
		if (*text == '\n')
			text_puts(out, "\\n");
		else
			text_putc(out, *text);
	}
}

static void put_node(
	const struct graph_node *n, const char *before, const char *attributes, struct text *out)
{
	text_printf(out, "%se%u [%slabel=\"", before, n->id, attributes);
	put_quoted(n->label, out);
	text_puts(out, "\"];\n");
}

void dot_write(const struct graph *g, struct text *out)
{
	uint32_t k = 0;

	text_puts(out, "digraph execution {\n\tlabel=\"");
	put_quoted(g->title, out);
	text_puts(out,
		"\";\n\tlabelloc=t;\n\tnode [shape=box, fontname=\"monospace\", fontsize=10];\n\tedge [fontsize=9];\n");
	for (; k < g->node.count && g->node.data[k].thread == UINT32_MAX; k++)
		put_node(&g->node.data[k], "\t", "shape=plaintext, ", out);
	for (uint32_t t = 0; t < g->thread.count; t++) {
		text_printf(out, "\tsubgraph cluster_%u {\n\t\tlabel=\"", t);
		put_quoted(g->thread.data[t], out);
		text_puts(out, "\";\n\t\tcolor=gray;\n");
		for (; k < g->node.count && g->node.data[k].thread == t; k++)
			put_node(&g->node.data[k], "\t\t", "", out);
		text_puts(out, "\t}\n");
	}
	for (uint32_t j = 0; j < g->edge.count; j++) {
		const struct graph_edge *e = &g->edge.data[j];
		const char *const *l = look[e->relation], *colour = e->marked ? "red" : l[0];

		text_printf(out,
			"\te%u -> e%u [label=\"%s\", color=\"%s\", fontcolor=\"%s\", style=\"%s\"%s];\n",
			e->from, e->to, graph_name[e->relation], colour, colour, l[1],
			e->marked ? ", penwidth=2" : "");
	}
	text_puts(out, "}\n");
}
