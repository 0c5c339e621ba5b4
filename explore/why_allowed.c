/* Why an outcome is possible: the cycle that makes it weak, and the synchronisation that is missing in it. */
#include "base/memory.h"
#include "explore/dot.h"
#include "explore/explain.h"
#include "explore/fences.h"
#include <stdlib.h>
#include <string.h>

static const char *strength_word(const struct event *v) { return event_strong(v) ? "" : " is weak, and weak accesses do not synchronise"; }

static void scope_mismatch(struct explain *e, uint32_t a, uint32_t b)
{
	const struct execution *x = e->x;
	const struct event *v = &x->event[a], *w = &x->event[b];
	const struct placement *p = &x->model->place[v->thread], *q = &x->model->place[w->thread];
	uint32_t narrow = scope_includes(v->scope, p, q) ? b : a;
	enum scope need = SCOPE_CTA;
	while (need < SCOPE_SYS && !scope_includes(need, p, q))
		need++;
	text_puts(e->out, "      the scope ");
	text_printf(e->out, ".%s of ", event_scope_name(x->event[narrow].scope));
	explain_event(e, narrow);
	text_printf(e->out, " does not include the other thread: use .%s\n", event_scope_name(need));
}

/* Why the value that passed from W to R brings no order. */
static void missing_sync(struct explain *e, uint32_t w, uint32_t r)
{
	const struct execution *x = e->x;
	uint64_t *firsts = memory_zeroed(x->words, sizeof *firsts), *lasts = memory_zeroed(x->words, sizeof *lasts);
	const struct event *v = &x->event[w], *u = &x->event[r];
	execution_release_firsts(x, w, firsts);
	execution_acquire_lasts(x, r, lasts);
	bool strong = event_strong(v) && event_strong(u);
	if (!strong) {
		text_puts(e->out, "      ");
		explain_event(e, event_strong(v) ? r : w);
		text_printf(e->out, "%s: use .relaxed with fences, or %s\n", strength_word(&x->event[event_strong(v) ? r : w]), event_strong(v) ? "ld.acquire" : "st.release");
	} else if (v->proxy != u->proxy || v->virt != u->virt) {
		text_puts(e->out, "      they go through different proxies or virtual addresses\n");
	} else if (!row_has(RARE(x, ms, w), r)) {
		scope_mismatch(e, w, r);
	}
	if (event_strong(v) && row_empty(firsts, x->words)) {
		text_puts(e->out, "      nothing releases at or before ");
		explain_event(e, w);
		text_puts(e->out, ": use .release, or a fence.acq_rel before it\n");
	}
	if (event_strong(u) && row_empty(lasts, x->words)) {
		text_puts(e->out, "      nothing acquires at or after ");
		explain_event(e, r);
		text_puts(e->out, (u->flags & EVENT_REDUCTION) ? ": the read of a red never acquires\n" : ": use .acquire, or a fence.acq_rel after it\n");
	}
	uint32_t a = row_next(firsts, x->words, 0), b = row_next(lasts, x->words, 0);
	if (strong && row_has(RARE(x, ms, w), r) && a != ROW_END && b != ROW_END && !row_has(RARE(x, ms, a), b))
		scope_mismatch(e, a, b);
	free(firsts);
	free(lasts);
}

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
		text_puts(e->out, x->event[a].kind == EVENT_WRITE && x->event[b].kind == EVENT_READ && x->event[a].phys != x->event[b].phys
					  ? "; only fence.sc (in every thread of the cycle) or a barrier orders a store before a later load\n"
					  : "; other threads may see them in the other order unless they synchronise\n");
		return;
	}
	if (!strcmp(kind, "issue")) {
		text_puts(e->out, "\n      precedes the instruction that issues ");
		explain_event(e, b);
		text_puts(e->out, x->event[a].proxy == x->event[b].proxy ? "\n" : ", which goes through another proxy: use a fence.proxy.async between the two\n");
		return;
	}
	if (!strcmp(kind, "barrier")) {
		text_puts(e->out, "\n      precedes a barrier that precedes ");
		explain_event(e, b);
		text_puts(e->out, row_has(ROW(x, cb, a), b) ? "\n" : ", but orders no memory: its arrival is relaxed, or it exchanges registers only\n");
		return;
	}
	text_puts(e->out, !strcmp(kind, "rf") ? "\n      is read by " : !strcmp(kind, "co") ? "\n      is overwritten by " : "\n      reads a value that is older than ");
	explain_event(e, b);
	text_puts(e->out, "\n");
	if (!strcmp(kind, "rf") && far && !row_has(ROW(x, cb, a), b)) {
		missing_sync(e, a, b);
	} else if (far && strcmp(kind, "rf") != 0 && !row_has(RARE(x, ms, a), b) && !row_has(RARE(x, cause, b), a)) {
		text_puts(e->out, "      (a data race: the two are not ordered)\n");
	}
}

/* The fence.sc between two events of one thread, or MODEL_NONE. */
static uint32_t fence_sc_between(const struct execution *x, uint32_t a, uint32_t b)
{
	ROW_EACH(ROW(x, set, SET_FENCE_SC), x->words, f) {
		if (execution_po(x, a, f) && execution_po(x, f, b))
			return f;
	}
	return MODEL_NONE;
}

/* Fences.sc on the cycle that would order each other if their scopes did reach. */
static void fences_apart(struct explain *e, const uint32_t *way, uint32_t length)
{
	const struct execution *x = e->x;
	for (uint32_t i = 0; i + 1 < length; i++) {
		uint32_t f = fence_sc_between(x, way[i], way[i + 1]);
		for (uint32_t k = i + 1; f != MODEL_NONE && k + 1 < length; k++) {
			uint32_t g = fence_sc_between(x, way[k], way[k + 1]);
			if (g == MODEL_NONE || x->event[f].thread == x->event[g].thread || row_has(RARE(x, ms, f), g))
				continue;
			text_puts(e->out, "    ");
			explain_event(e, f);
			text_puts(e->out, "\n      is not ordered with ");
			explain_event(e, g);
			text_puts(e->out, "\n");
			scope_mismatch(e, f, g);
		}
	}
}

static void explain_allowed(struct explain *e)
{
	uint32_t *way = memory_zeroed(e->x->n + 1, sizeof *way), length = explain_cycle(e, explain_interleaving_edge, way);
	if (!length) {
		text_puts(e->out, "  No weak behaviour is needed: some interleaving of the threads has this outcome.\n");
	} else {
		text_puts(e->out, "  No interleaving of the threads has this outcome; the memory model allows it because nothing breaks this cycle:\n");
		for (uint32_t i = 0; i + 1 < length; i++) {
			say_weak_edge(e, way[i], way[i + 1]);
			explain_mark(e, way[i], way[i + 1]);
		}
		fences_apart(e, way, length);
	}
	free(way);
}

void why_gaps(const struct explore_result *r, const struct explore_outcome *o, const struct explore_names *names, struct text *out)
{
	struct witness w;
	if (witness_build(&w, r, o->trail, o->ntrail, o->value, false)) {
		struct explain e;
		explain_begin(&e, &w.x, &w.worker.grower, names, out);
		uint32_t *way = memory_zeroed(e.x->n + 1, sizeof *way), length = explain_cycle(&e, explain_interleaving_edge, way);
		for (uint32_t i = 0; i + 1 < length; i++) {
			const char *kind = explain_interleaving_edge(&e, way[i], way[i + 1]);
			if (!strcmp(kind, "rf") && w.x.event[way[i]].thread != w.x.event[way[i + 1]].thread && !row_has(ROW(e.x, cb, way[i]), way[i + 1]))
				missing_sync(&e, way[i], way[i + 1]);
		}
		free(way);
		explain_end(&e);
	}
	witness_free(&w);
}

void why_allowed(const struct explore_result *r, const struct explore_outcome *o, const struct explore_condition *condition, const struct explore_names *names,
			struct text *out, struct text *graph)
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
			dot_write(&w.x, &w.worker.grower, names, "possible", e.marked, graph);
		fences_compare(r, &w.x, condition, true, names, out);
		explain_end(&e);
	}
	witness_free(&w);
}
