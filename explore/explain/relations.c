/* An execution as a graph: its events by thread, and the po, rf, co, fr, sync, sc, barrier and
 * cause relations between them. */
#include "explore/explain/relations.h"
#include "base/memory.h"
#include <inttypes.h>
#include <string.h>

static void put_value(const struct execution *x, uint32_t e, const struct grower *g,
	const struct explore_names *names, struct text *t)
{
	const struct event *v = &x->event[e];
	names->location(names->client, g->locations.phys.data[v->phys].address,
		g->locations.phys.data[v->phys].size, t);
	text_printf(t, " = %" PRId64, (int64_t)v->value[0]);
}

/* The label of event E: its instruction, and below it its place and what it reads or writes. */
static const char *label_of(const struct execution *x, uint32_t e, const struct grower *g,
	const struct explore_names *names, struct arena *arena)
{
	const struct event *v = &x->event[e];
	struct text t = {0};
	const char *label;
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
			put_value(x, e, g, names, &t);
		}
	}
	label = arena_text(arena, text_str(&t), t.len);
	text_free(&t);
	return label;
}

static void add_edge(
	uint32_t a, uint32_t b, enum graph_relation relation, bool marked, struct graph *out)
{
	*vec_push(&out->edge) = (struct graph_edge){a, b, (uint8_t)relation, marked};
}

static void add_nodes(const struct execution *x, const struct grower *g,
	const struct explore_names *names, struct graph *out)
{
	for (uint32_t e = 0; e < x->n; e++) {
		struct text value = {0};
		if (!(x->event[e].flags & EVENT_INITIAL))
			continue;
		put_value(x, e, g, names, &value);
		*vec_push(&out->node) = (struct graph_node){.id = e,
			.thread = UINT32_MAX,
			.label = label_of(x, e, g, names, &out->arena),
			.value = arena_text(&out->arena, text_str(&value), value.len)};
		text_free(&value);
	}
	for (uint32_t t = 0; t < g->program->nthreads; t++) {
		const struct placement *p = &g->program->place[t];
		struct text name = {0};
		names->thread(names->client, t, &name);
		text_printf(&name, " @ cta %u, gpu %u", p->cta, p->gpu);
		*vec_push(&out->thread) = arena_text(&out->arena, text_str(&name), name.len);
		text_free(&name);
		ROW_EACH(ROW(x, thread, t), x->words, e) {
			if (x->event[e].kind == EVENT_VOID)
				continue;
			*vec_push(&out->node) = (struct graph_node){.id = e,
				.thread = t,
				.label = label_of(x, e, g, names, &out->arena)};
		}
	}
}

static bool is_marked(const struct execution *x, const uint64_t *marked, uint32_t a, uint32_t b)
{
	return marked && row_has(marked + (size_t)a * x->words, b);
}

static void add_program_order(
	const struct execution *x, const uint64_t *marked, uint32_t nthreads, struct graph *out)
{
	for (uint32_t t = 0; t < nthreads; t++) {
		uint32_t first = MODEL_NONE, last = MODEL_NONE;
		ROW_EACH(ROW(x, thread, t), x->words, e) {
			if (x->event[e].kind == EVENT_VOID)
				continue;
			if (first == MODEL_NONE)
				first = e;
			if (last != MODEL_NONE)
				add_edge(last, e, GRAPH_PO, is_marked(x, marked, last, e), out);
			/* an edge of a cycle that skips irrelevant events */
			for (uint32_t b = 0; marked && b < x->n; b++) {
				if (is_marked(x, marked, e, b) && execution_po(x, e, b) &&
					b != row_next(ROW(x, thread, t), x->words, e + 1))
					add_edge(e, b, GRAPH_PO, true, out);
			}
			last = e;
		}
		if (x->issue && x->issue[t] != MODEL_NONE && first != MODEL_NONE)
			add_edge(x->issue[t], first, GRAPH_ISSUES, false, out);
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

static void add_communication(const struct execution *x, const uint64_t *marked, struct graph *out)
{
	for (uint32_t a = 0; a < x->n; a++) {
		const struct event *e = &x->event[a];
		if (e->kind == EVENT_READ && e->rf != MODEL_NONE) {
			add_edge(e->rf, a, GRAPH_RF, is_marked(x, marked, e->rf, a), out);
			ROW_EACH(RARE(x, co, e->rf), x->words, w) {
				if (directly_before(x, e->rf, w) || is_marked(x, marked, a, w))
					add_edge(a, w, GRAPH_FR, is_marked(x, marked, a, w), out);
			}
		}
		if (e->kind != EVENT_WRITE)
			continue;
		ROW_EACH(RARE(x, co, a), x->words, w) {
			if (directly_before(x, a, w) || is_marked(x, marked, a, w))
				add_edge(a, w, GRAPH_CO, is_marked(x, marked, a, w), out);
		}
	}
}

static void add_causality(const struct execution *x, const uint64_t *marked, struct graph *out)
{
	static const uint8_t relation[] = {[EDGE_PO] = GRAPH_PO,
		[EDGE_SYNC] = GRAPH_SYNC,
		[EDGE_BARRIER] = GRAPH_BARRIER,
		[EDGE_SC] = GRAPH_SC};
	uint64_t *sync = execution_sync(x);
	for (uint32_t a = 0; a < x->n; a++) {
		for (uint32_t b = 0; b < x->n; b++) {
			enum edge_kind kind = event_edge(x, sync, a, b);
			if (kind > EDGE_PO)
				add_edge(a, b, (enum graph_relation)relation[kind],
					is_marked(x, marked, a, b), out);
		}
		if (!event_access(&x->event[a]))
			continue;
		ROW_EACH(RARE(x, cause, a), x->words, c) {
			if (x->event[c].thread != x->event[a].thread)
				add_edge(c, a, GRAPH_CAUSE, is_marked(x, marked, c, a), out);
		}
	}
	memory_drop(sync);
}

static void graph_fill(const struct execution *x, const struct grower *g,
	const struct explore_names *names, const char *title, const uint64_t *marked,
	struct graph *out)
{
	graph_free(out);
	out->title = title;
	add_nodes(x, g, names, out);
	add_program_order(x, marked, g->program->nthreads, out);
	add_communication(x, marked, out);
	add_causality(x, marked, out);
}

void explain_graph(const struct explain *e, const struct explore_result *r,
	const struct explore_outcome *o, const char *title, struct graph *out)
{
	struct text outcome = {0};
	graph_fill(e->x, e->g, e->names, title, e->marked, out);
	explain_state(r, o, &outcome);
	out->outcome = arena_text(&out->arena, text_str(&outcome), outcome.len);
	text_free(&outcome);
}

void explore_graph(const struct explore_result *r, uint32_t index,
	const struct explore_names *names, const char *title, struct graph *out)
{
	const struct explore_outcome *o = &r->outcomes.list.data[index];
	struct witness w;
	if (witness_build(&w, r, o->trail, o->ntrail, o->value, false)) {
		struct text outcome = {0};
		graph_fill(&w.x, &w.worker.grower, names, title, NULL, out);
		explain_state(r, o, &outcome);
		out->outcome = arena_text(&out->arena, text_str(&outcome), outcome.len);
		text_free(&outcome);
	}
	witness_free(&w);
}
