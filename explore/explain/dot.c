/* An execution as a Graphviz graph: one column per thread, with po, rf, co, fr, sync, sc, barrier
 * and cause edges between the events. */
#include "explore/explain/dot.h"
#include "base/memory.h"
#include "explore/explain/why.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

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

static void put_label(const struct execution *x, uint32_t e, const struct grower *g,
	const struct explore_names *names, struct text *out)
{
	const struct event *v = &x->event[e];
	struct text t = {0};
	uint32_t line;
	if (v->flags & EVENT_INITIAL) {
		event_say(x, e, g, names, &t);
	} else {
		names->instruction(names->client, v->thread, v->place, &t, &line);
		if (line) {
			text_putc(&t, '\n');
			event_say_place(x, e, line, names, &t);
		}
		if (event_access(v)) {
			text_printf(
				&t, line ? ": %s " : "\n%s ", v->kind == EVENT_READ ? "R" : "W");
			names->location(names->client, g->locations.phys.data[v->phys].address,
				g->locations.phys.data[v->phys].size, &t);
			text_printf(&t, " = %" PRId64, (int64_t)v->value[0]);
		}
	}
	put_quoted(text_str(&t), out);
	text_free(&t);
}

static void put_edge(uint32_t a, uint32_t b, const char *name, const char *colour,
	const char *style, bool marked, struct text *out)
{
	text_printf(out,
		"\te%u -> e%u [label=\"%s\", color=\"%s\", fontcolor=\"%s\", style=\"%s\"%s];\n", a,
		b, name, marked ? "red" : colour, marked ? "red" : colour, style,
		marked ? ", penwidth=2" : "");
}

static void put_nodes(const struct execution *x, const struct grower *g,
	const struct explore_names *names, struct text *out)
{
	for (uint32_t e = 0; e < x->n; e++) {
		if (!(x->event[e].flags & EVENT_INITIAL))
			continue;
		text_printf(out, "\te%u [shape=plaintext, label=\"", e);
		put_label(x, e, g, names, out);
		text_puts(out, "\"];\n");
	}
	for (uint32_t t = 0; t < g->program->nthreads; t++) {
		const struct placement *p = &g->program->place[t];
		text_printf(out, "\tsubgraph cluster_%u {\n\t\tlabel=\"", t);
		struct text name = {0};
		names->thread(names->client, t, &name);
		put_quoted(text_str(&name), out);
		text_free(&name);
		text_printf(out, " @ cta %u, gpu %u\";\n\t\tcolor=gray;\n", p->cta, p->gpu);
		ROW_EACH(ROW(x, thread, t), x->words, e) {
			if (x->event[e].kind == EVENT_VOID)
				continue;
			text_printf(out, "\t\te%u [label=\"", e);
			put_label(x, e, g, names, out);
			text_puts(out, "\"];\n");
		}
		text_puts(out, "\t}\n");
	}
}

static bool is_marked(const struct execution *x, const uint64_t *marked, uint32_t a, uint32_t b)
{
	return marked && row_has(marked + (size_t)a * x->words, b);
}

static void put_program_order(
	const struct execution *x, const uint64_t *marked, uint32_t nthreads, struct text *out)
{
	for (uint32_t t = 0; t < nthreads; t++) {
		uint32_t first = MODEL_NONE, last = MODEL_NONE;
		ROW_EACH(ROW(x, thread, t), x->words, e) {
			if (x->event[e].kind == EVENT_VOID)
				continue;
			if (first == MODEL_NONE)
				first = e;
			if (last != MODEL_NONE)
				put_edge(last, e, "po", "black", "solid",
					is_marked(x, marked, last, e), out);
			/* an edge of a cycle that skips irrelevant events */
			for (uint32_t b = 0; marked && b < x->n; b++) {
				if (is_marked(x, marked, e, b) && execution_po(x, e, b) &&
					b != row_next(ROW(x, thread, t), x->words, e + 1))
					put_edge(e, b, "po", "black", "solid", true, out);
			}
			last = e;
		}
		if (x->issue && x->issue[t] != MODEL_NONE && first != MODEL_NONE)
			put_edge(x->issue[t], first, "issues", "purple", "bold", false, out);
	}
}

/* Whether A precedes B in coherence without a write in between. */
static bool directly_before(const struct execution *x, uint32_t a, uint32_t b)
{
	ROW_EACH(RARE(x, co, a), x->words, c) {
		if (c != b && row_has(RARE(x, co, c), b))
			return false;
	}
	return true;
}

static void put_communication(const struct execution *x, const uint64_t *marked, struct text *out)
{
	for (uint32_t a = 0; a < x->n; a++) {
		const struct event *e = &x->event[a];
		if (e->kind == EVENT_READ && e->rf != MODEL_NONE) {
			put_edge(e->rf, a, "rf", "forestgreen", "solid",
				is_marked(x, marked, e->rf, a), out);
			ROW_EACH(RARE(x, co, e->rf), x->words, w) {
				if (directly_before(x, e->rf, w) || is_marked(x, marked, a, w))
					put_edge(a, w, "fr", "orange", "solid",
						is_marked(x, marked, a, w), out);
			}
		}
		if (e->kind != EVENT_WRITE)
			continue;
		ROW_EACH(RARE(x, co, a), x->words, w) {
			if (directly_before(x, a, w) || is_marked(x, marked, a, w))
				put_edge(a, w, "co", "blue", "solid", is_marked(x, marked, a, w),
					out);
		}
	}
}

static void put_causality(const struct execution *x, const uint64_t *marked, struct text *out)
{
	static const char *const name[] = {"", "po", "sync", "barrier", "sc"};
	uint64_t *sync = execution_sync(x);
	for (uint32_t a = 0; a < x->n; a++) {
		for (uint32_t b = 0; b < x->n; b++) {
			enum edge_kind kind = event_edge(x, sync, a, b);
			if (kind > EDGE_PO)
				put_edge(a, b, name[kind], "purple", "bold",
					is_marked(x, marked, a, b), out);
		}
		if (!event_access(&x->event[a]))
			continue;
		ROW_EACH(RARE(x, cause, a), x->words, c) {
			if (x->event[c].thread != x->event[a].thread)
				put_edge(c, a, "cause", "gray", "dashed",
					is_marked(x, marked, c, a), out);
		}
	}
	memory_drop(sync);
}

void dot_write(const struct execution *x, const struct grower *g, const struct explore_names *names,
	const char *title, const uint64_t *marked, struct text *out)
{
	text_puts(out, "digraph execution {\n\tlabel=\"");
	put_quoted(title, out);
	text_puts(out,
		"\";\n\tlabelloc=t;\n\tnode [shape=box, fontname=\"monospace\", fontsize=10];\n\tedge [fontsize=9];\n");
	put_nodes(x, g, names, out);
	put_program_order(x, marked, g->program->nthreads, out);
	put_communication(x, marked, out);
	put_causality(x, marked, out);
	text_puts(out, "}\n");
}

void explore_graph(const struct explore_result *r, uint32_t index,
	const struct explore_names *names, const char *title, struct text *out)
{
	const struct explore_outcome *o = &r->outcomes.list.data[index];
	struct witness w;
	if (witness_build(&w, r, o->trail, o->ntrail, o->value, false))
		dot_write(&w.x, &w.worker.grower, names, title, NULL, out);
	witness_free(&w);
}
