/* Paths and cycles in an execution, and names of its events and edges, for explanations. */
#include "explore/explain/explain.h"
#include "base/memory.h"
#include "explore/explain/interleave.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

void explain_mark(struct explain *e, uint32_t a, uint32_t b)
{
	row_put(e->marked + (size_t)a * e->x->words, b);
}
void explain_event(struct explain *e, uint32_t event)
{
	event_say(e->x, event, e->g, e->names, e->out);
}

void explain_value(struct explain *e, uint32_t event)
{
	const struct event *v = &e->x->event[event];
	e->names->location(e->names->client, e->g->locations.phys.data[v->phys].address,
		e->g->locations.phys.data[v->phys].size, e->out);
	text_printf(e->out, " = %" PRId64, (int64_t)v->value[0]);
}

void explain_begin(struct explain *e, const struct execution *x, const struct grower *g,
	const struct explore_names *names, struct text *out)
{
	*e = (struct explain){.x = x, .g = g, .names = names, .out = out};
	e->sync = execution_sync(x);
	e->barriers = interleave_barriers(x);
	e->marked = memory_zeroed((size_t)x->n * x->words, sizeof *e->marked);
}

void explain_end(struct explain *e)
{
	memory_drop(e->sync);
	memory_drop(e->barriers);
	memory_drop(e->marked);
}

uint32_t explain_path(
	const struct explain *e, uint32_t a, uint32_t b, edge_name *edge, uint32_t *path)
{
	uint32_t n = e->x->n, *from = memory_zeroed(n, sizeof *from),
		 *queue = memory_zeroed(n + 1, sizeof *queue), head = 0, tail = 0, length = 0;
	memset(from, 255, n * sizeof *from);
	queue[tail++] = a;
	while (head < tail && from[b] == MODEL_NONE) {
		uint32_t v = queue[head++];
		for (uint32_t w = 0; w < n; w++) {
			if (from[w] != MODEL_NONE || (w == a && w != b) || w == v || !edge(e, v, w))
				continue;
			from[w] = v;
			queue[tail++] = w;
		}
	}
	if (from[b] != MODEL_NONE) {
		uint32_t at = b;
		do {
			path[length++] = at;
			at = from[at];
		} while (at != a && length < n);
		path[length++] = a;
		for (uint32_t i = 0; i < length / 2; i++) {
			uint32_t t = path[i];
			path[i] = path[length - 1 - i];
			path[length - 1 - i] = t;
		}
	}
	memory_drop(from);
	memory_drop(queue);
	return length;
}

const char *explain_base_edge(const struct explain *e, uint32_t a, uint32_t b)
{
	static const char *const name[] = {NULL, "precedes in program order", "synchronises with",
		"meets at the barrier", "precedes in fence.sc order"};
	enum edge_kind kind = event_edge(e->x, e->sync, a, b);
	return kind == EDGE_BARRIER && e->names->meets
		? e->names->meets(e->names->client, e->x->event[a].value[0] / 2)
		: name[kind];
}

const char *explain_interleaving_edge(const struct explain *e, uint32_t a, uint32_t b)
{
	static const char *const name[] = {NULL, "po", "rf", "co", "fr", "barrier", "issue"};
	return name[interleave_edge(e->x, e->barriers, a, b)];
}

const char *explain_location_edge(const struct explain *e, uint32_t a, uint32_t b)
{
	const struct execution *x = e->x;
	const char *name = explain_interleaving_edge(e, a, b);
	if (!name || !strcmp(name, "barrier") || !strcmp(name, "issue") ||
		x->event[a].virt != x->event[b].virt ||
		(strcmp(name, "po") != 0 && !row_has(RARE(x, ms, a), b)))
		return NULL;
	return name;
}

uint32_t explain_cycle(const struct explain *e, edge_name *edge, uint32_t *path)
{
	uint32_t n = e->x->n, best = 0, *try = memory_zeroed(n + 1, sizeof *try);
	uint64_t *core = memory_zeroed(e->x->words, sizeof *core);
	interleave_core(e->x, e->barriers, core);
	ROW_EACH(core, e->x->words, a) {
		uint32_t length = explain_path(e, a, a, edge, try);
		if (length && (!best || length < best)) {
			best = length;
			memcpy(path, try, length * sizeof *path);
		}
	}
	memory_drop(try);
	memory_drop(core);
	return best;
}

void explain_state(
	const struct explore_result *r, const struct explore_outcome *o, struct text *out)
{
	for (uint32_t k = 0; k < r->program->nobservables; k++)
		text_printf(out, "%s%s = %" PRId64, k ? ", " : "", r->program->observable[k].name,
			(int64_t)o->value[k]);
}
