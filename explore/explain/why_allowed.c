/* Why an outcome is possible: the cycle that rules out an interleaving, and the synchronisation
 * that is missing in it. */
#include "base/memory.h"
#include "explore/explain/explain.h"
#include "explore/explain/fences.h"
#include "explore/explain/relations.h"
#include "explore/explain/why_gap.h"
#include <stdlib.h>
#include <string.h>

static void say_weak_edge(struct explain *e, uint32_t a, uint32_t b)
{
	const struct execution *x = e->x;
	const char *kind = explain_interleaving_edge(e, a, b);
	bool far = x->event[a].thread != x->event[b].thread;
	text_puts(e->out, "    ");
	explain_event(e, a);
	if (!strcmp(kind, "po")) {
		text_puts(e->out, "\n      precedes ");
		explain_event(e, b);
		text_puts(e->out,
			x->event[a].kind == EVENT_WRITE && x->event[b].kind == EVENT_READ &&
					x->event[a].phys != x->event[b].phys
				? "; only fence.sc (in every thread of the cycle) or a barrier orders a store before a later load\n"
				: "; other threads may see them in the other order unless they synchronise\n");
		return;
	}
	if (!strcmp(kind, "issue")) {
		text_puts(e->out, "\n      precedes the instruction that issues ");
		explain_event(e, b);
		text_puts(e->out,
			x->event[a].proxy == x->event[b].proxy
				? "\n"
				: ", which goes through another proxy: use a fence.proxy.async between the two\n");
		return;
	}
	if (!strcmp(kind, "barrier")) {
		text_puts(e->out, "\n      precedes a barrier that precedes ");
		explain_event(e, b);
		text_puts(e->out,
			row_has(ROW(x, cb, a), b)
				? "\n"
				: ", but orders no memory: its arrival is relaxed, or it exchanges registers only\n");
		return;
	}
	text_puts(e->out,
		!strcmp(kind, "rf")           ? "\n      is read by "
			: !strcmp(kind, "co") ? "\n      is overwritten by "
					      : "\n      reads a value that is older than ");
	explain_event(e, b);
	text_puts(e->out, "\n");
	if (!strcmp(kind, "rf") && far && !row_has(ROW(x, cb, a), b)) {
		gap_sync(e, a, b);
	} else if (far && strcmp(kind, "rf") != 0 && !row_has(RARE(x, ms, a), b) &&
		!row_has(RARE(x, cause, b), a)) {
		text_puts(e->out, "      (a data race: the two are not ordered)\n");
	}
}

/* A fence.sc between two events of one thread, or MODEL_NONE. */
static uint32_t fence_sc_between(const struct execution *x, uint32_t a, uint32_t b)
{
	ROW_EACH(ROW(x, set, SET_FENCE_SC), x->words, f) {
		if (execution_po(x, a, f) && execution_po(x, f, b))
			return f;
	}
	return MODEL_NONE;
}

/* Prints the pairs of fence.sc on the cycle that would be ordered if their scopes included each
 * other. */
static void fences_apart(struct explain *e, const uint32_t *path, uint32_t length)
{
	const struct execution *x = e->x;
	for (uint32_t i = 0; i + 1 < length; i++) {
		uint32_t f = fence_sc_between(x, path[i], path[i + 1]);
		for (uint32_t k = i + 1; f != MODEL_NONE && k + 1 < length; k++) {
			uint32_t g = fence_sc_between(x, path[k], path[k + 1]);
			if (g == MODEL_NONE || x->event[f].thread == x->event[g].thread ||
				row_has(RARE(x, ms, f), g))
				continue;
			text_puts(e->out, "    ");
			explain_event(e, f);
			text_puts(e->out, "\n      is not ordered with ");
			explain_event(e, g);
			text_puts(e->out, "\n");
			gap_scope(e, f, g);
		}
	}
}

static void explain_allowed(struct explain *e)
{
	uint32_t *path = memory_zeroed(e->x->n + 1, sizeof *path),
		 length = explain_cycle(e, explain_interleaving_edge, path);
	if (!length) {
		text_puts(e->out,
			"  No weak behaviour is needed: some interleaving of the threads has this outcome.\n");
	} else {
		text_puts(e->out,
			"  No interleaving of the threads has this outcome; the memory model allows it because nothing breaks this cycle:\n");
		for (uint32_t i = 0; i + 1 < length; i++) {
			say_weak_edge(e, path[i], path[i + 1]);
			explain_mark(e, path[i], path[i + 1]);
		}
		fences_apart(e, path, length);
	}
	memory_drop(path);
}

void why_allowed(const struct explore_result *r, const struct explore_outcome *o,
	const struct explore_condition *condition, const struct explore_names *names,
	struct text *out, struct graph *graph)
{
	struct witness w;
	text_puts(out, "Possible: ");
	explain_state(r, o, out);
	text_puts(out, "\n");
	if (witness_build(&w, r, o->trail, o->ntrail, o->value, false)) {
		struct explain e;
		explain_begin(&e, &w.x, &w.worker.grower, names, out);
		explain_allowed(&e);
		if (graph)
			explain_graph(&e, r, o, "possible", graph);
		fences_compare(r, &w.x, condition, true, names, out);
		explain_end(&e);
	}
	witness_free(&w);
}
