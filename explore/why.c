/* Explains in words why an outcome is possible or impossible: the cycle that makes it weak and the synchronisation that is missing, or the axiom that forbids it
 * with the chain of base causality behind it. */
#include "base/memory.h"
#include "explore/dot.h"
#include "explore/fences.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct explain {
	const struct execution *x;
	const struct grower *g;
	const struct explore_names *names;
	struct text *out;
	uint64_t *sync;
	uint64_t *marked; /* edges of the explanation, [n][words] */
};

static void mark(struct explain *e, uint32_t a, uint32_t b) { row_put(e->marked + (size_t)a * e->x->words, b); }
static void say(struct explain *e, uint32_t event) { event_say(e->x, event, e->g, e->names, e->out); }

static void say_value(struct explain *e, uint32_t event)
{
	const struct event *v = &e->x->event[event];
	e->names->location(e->names->client, e->g->locations.phys.data[v->phys].address, e->g->locations.phys.data[v->phys].size, e->out);
	text_printf(e->out, " = %" PRId64, (int64_t)v->value[0]);
}

static void explain_begin(struct explain *e, const struct execution *x, const struct grower *g, const struct explore_names *names, struct text *out)
{
	*e = (struct explain){.x = x, .g = g, .names = names, .out = out};
	e->sync = execution_sync(x);
	e->marked = memory_zeroed((size_t)x->n * x->words, sizeof *e->marked);
}

static void explain_end(struct explain *e)
{
	free(e->sync);
	free(e->marked);
}

/* ---- shortest ways ---- */

/* An edge relation between events: its name, or NULL. */
typedef const char *edge_name(const struct explain *e, uint32_t a, uint32_t b);

/* The shortest way from A to B (A ≠ B or through at least one other event) as a list; 0: none. */
static uint32_t shortest(const struct explain *e, uint32_t a, uint32_t b, edge_name *edge, uint32_t *way)
{
	uint32_t n = e->x->n, *from = memory_zeroed(n, sizeof *from), *queue = memory_zeroed(n + 1, sizeof *queue), head = 0, tail = 0, length = 0;
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
			way[length++] = at;
			at = from[at];
		} while (at != a && length < n);
		way[length++] = a;
		for (uint32_t i = 0; i < length / 2; i++) {
			uint32_t t = way[i];
			way[i] = way[length - 1 - i];
			way[length - 1 - i] = t;
		}
	}
	free(from);
	free(queue);
	return length;
}

static const char *base_edge(const struct explain *e, uint32_t a, uint32_t b)
{
	static const char *const name[] = {NULL, "comes in program order before", "synchronises with", "meets at the barrier", "comes in the order of fence.sc before"};
	return name[event_edge(e->x, e->sync, a, b)];
}

static bool is_fr(const struct execution *x, uint32_t a, uint32_t b)
{
	return x->event[a].kind == EVENT_READ && x->event[a].rf != MODEL_NONE && row_has(RARE(x, co, x->event[a].rf), b);
}

/* po ∪ rf ∪ co ∪ fr: no cycle in it means that some interleaving of the threads gives the execution. */
static const char *interleaving_edge(const struct explain *e, uint32_t a, uint32_t b)
{
	const struct execution *x = e->x;
	if ((x->event[a].flags | x->event[b].flags) & EVENT_INITIAL || !event_access(&x->event[a]) || !event_access(&x->event[b]))
		return NULL;
	if (execution_po(x, a, b))
		return "po";
	if (x->event[b].kind == EVENT_READ && x->event[b].rf == a)
		return "rf";
	if (x->event[a].kind == EVENT_WRITE && row_has(RARE(x, co, a), b))
		return "co";
	return is_fr(x, a, b) ? "fr" : NULL;
}

static const char *location_edge(const struct explain *e, uint32_t a, uint32_t b)
{
	const struct execution *x = e->x;
	const char *name = interleaving_edge(e, a, b);
	if (!name || x->event[a].virt != x->event[b].virt || (strcmp(name, "po") != 0 && !row_has(RARE(x, ms, a), b)))
		return NULL;
	return name;
}

/* ---- allowed: what is missing ---- */

static const char *strength_word(const struct event *v) { return event_strong(v) ? "" : " is weak, and weak accesses do not synchronise"; }

static void scope_mismatch(struct explain *e, uint32_t a, uint32_t b)
{
	const struct execution *x = e->x;
	const struct event *v = &x->event[a], *w = &x->event[b];
	const struct placement *p = &x->model->place[v->thread], *q = &x->model->place[w->thread];
	uint32_t narrow = scope_includes(v->scope, p, q) ? b : a;
	enum event_scope need = SCOPE_CTA;
	while (need < SCOPE_SYS && !scope_includes(need, p, q))
		need++;
	text_puts(e->out, "      the scope ");
	text_printf(e->out, ".%s of ", event_scope_name(x->event[narrow].scope));
	say(e, narrow);
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
		say(e, event_strong(v) ? r : w);
		text_printf(e->out, "%s: use .relaxed with fences, or %s\n", strength_word(&x->event[event_strong(v) ? r : w]), event_strong(v) ? "ld.acquire" : "st.release");
	} else if (v->proxy != u->proxy || v->virt != u->virt) {
		text_puts(e->out, "      they go through different proxies or virtual addresses\n");
	} else if (!row_has(RARE(x, ms, w), r)) {
		scope_mismatch(e, w, r);
	}
	if (event_strong(v) && row_empty(firsts, x->words)) {
		text_puts(e->out, "      nothing releases at or before ");
		say(e, w);
		text_puts(e->out, ": use .release, or a fence.acq_rel before it\n");
	}
	if (event_strong(u) && row_empty(lasts, x->words)) {
		text_puts(e->out, "      nothing acquires at or after ");
		say(e, r);
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
	const char *kind = interleaving_edge(e, a, b);
	bool far = x->event[a].thread != x->event[b].thread;
	text_puts(e->out, "    ");
	say(e, a);
	if (!strcmp(kind, "po")) {
		text_puts(e->out, "\n      stands before ");
		say(e, b);
		text_puts(e->out, x->event[a].kind == EVENT_WRITE && x->event[b].kind == EVENT_READ && x->event[a].phys != x->event[b].phys
					  ? "; only fence.sc (in every thread of the cycle) or a barrier keeps a store before a later load\n"
					  : "; other threads may see them in the other order unless they synchronise\n");
		return;
	}
	text_puts(e->out, !strcmp(kind, "rf") ? "\n      is read by " : !strcmp(kind, "co") ? "\n      is overwritten by " : "\n      reads a value that is older than ");
	say(e, b);
	text_puts(e->out, "\n");
	if (!strcmp(kind, "rf") && far && !row_has(ROW(x, cb, a), b)) {
		missing_sync(e, a, b);
	} else if (far && strcmp(kind, "rf") != 0 && !row_has(RARE(x, ms, a), b) && !row_has(RARE(x, cause, b), a)) {
		text_puts(e->out, "      (a data race: nothing orders the two)\n");
	}
}

/* The shortest cycle of po ∪ rf ∪ co ∪ fr; 0: there is none. WAY begins and ends with the same event. */
static uint32_t weak_cycle(const struct explain *e, edge_name *edge, uint32_t *way)
{
	uint32_t n = e->x->n, best = 0, *try = memory_zeroed(n + 1, sizeof *try);
	for (uint32_t a = 0; a < n; a++) {
		uint32_t length = event_access(&e->x->event[a]) ? shortest(e, a, a, edge, try) : 0;
		if (length && (!best || length < best)) {
			best = length;
			memcpy(way, try, length * sizeof *way);
		}
	}
	free(try);
	return best;
}

static void explain_allowed(struct explain *e)
{
	uint32_t *way = memory_zeroed(e->x->n + 1, sizeof *way), length = weak_cycle(e, interleaving_edge, way);
	if (!length) {
		text_puts(e->out, "  It needs no weak behaviour: some interleaving of the threads gives it.\n");
	} else {
		text_puts(e->out, "  No interleaving of the threads gives it; the memory model allows it because nothing breaks this cycle:\n");
		for (uint32_t i = 0; i + 1 < length; i++) {
			say_weak_edge(e, way[i], way[i + 1]);
			mark(e, way[i], way[i + 1]);
		}
	}
	free(way);
}

void why_gaps(const struct explore_result *r, const struct explore_outcome *o, const struct explore_names *names, struct text *out)
{
	struct witness w;
	if (witness_build(&w, r, o->trail, o->ntrail, o->value, false)) {
		struct explain e;
		explain_begin(&e, &w.x, &w.worker.grower, names, out);
		uint32_t *way = memory_zeroed(e.x->n + 1, sizeof *way), length = weak_cycle(&e, interleaving_edge, way);
		for (uint32_t i = 0; i + 1 < length; i++) {
			const char *kind = interleaving_edge(&e, way[i], way[i + 1]);
			if (!strcmp(kind, "rf") && w.x.event[way[i]].thread != w.x.event[way[i + 1]].thread && !row_has(ROW(e.x, cb, way[i]), way[i + 1]))
				missing_sync(&e, way[i], way[i + 1]);
		}
		free(way);
		explain_end(&e);
	}
	witness_free(&w);
}

/* ---- forbidden: the axiom ---- */

static void say_way(struct explain *e, uint32_t a, uint32_t b)
{
	uint32_t *way = memory_zeroed(e->x->n + 1, sizeof *way), length = shortest(e, a, b, base_edge, way);
	uint32_t reader = MODEL_NONE;
	if (!length) { /* through an observed write: a is observed by a read that comes before b */
		ROW_EACH(ROW(e->x, set, SET_READ), e->x->words, r) {
			if (reader == MODEL_NONE && row_has(RARE(e->x, obs, r), a) && (length = shortest(e, r, b, base_edge, way)))
				reader = r;
		}
	}
	if (reader != MODEL_NONE) {
		text_puts(e->out, "    ");
		say(e, a);
		text_puts(e->out, "\n      is observed by ");
		say(e, reader);
		text_puts(e->out, "\n");
		mark(e, a, reader);
	}
	for (uint32_t i = 0; i + 1 < length; i++) {
		text_puts(e->out, "    ");
		say(e, way[i]);
		text_printf(e->out, "\n      %s ", base_edge(e, way[i], way[i + 1]));
		say(e, way[i + 1]);
		text_puts(e->out, "\n");
		mark(e, way[i], way[i + 1]);
	}
	free(way);
}

static void causality_conflict(struct explain *e, const struct conflict *c)
{
	const struct execution *x = e->x;
	if (c->a == c->c) {
		say_way(e, c->b, c->a);
		text_puts(e->out, "  so ");
		say(e, c->b);
		text_puts(e->out, " cannot read what ");
		say(e, c->a);
		text_puts(e->out, " writes later.\n");
		mark(e, c->a, c->b);
		return;
	}
	say_way(e, c->a, c->b);
	text_puts(e->out, "  so ");
	say(e, c->b);
	text_puts(e->out, " must see ");
	say_value(e, c->a);
	text_puts(e->out, " or something newer, and not ");
	say_value(e, c->c);
	text_puts(e->out, x->event[c->c].flags & EVENT_INITIAL ? " from the beginning.\n" : ".\n");
	mark(e, c->c, c->b);
	mark(e, c->b, c->a);
}

/* What breaks when fence F comes before fence G. */
static void fence_order(struct explain *e, uint32_t f, uint32_t g)
{
	const struct execution *x = e->x;
	ROW_EACH(ROW(x, set, SET_READ), x->words, r) {
		if (!row_has(ROW(x, cb, g), r) || x->event[r].rf == MODEL_NONE)
			continue;
		ROW_EACH(RARE(x, co, x->event[r].rf), x->words, w) {
			if (!row_has(ROW(x, cbp, f), w) || x->event[w].virt != x->event[r].virt)
				continue;
			text_puts(e->out, "    if ");
			say(e, f);
			text_puts(e->out, " comes before ");
			say(e, g);
			text_puts(e->out, ",\n      then ");
			say(e, r);
			text_puts(e->out, " must see ");
			say_value(e, w);
			text_puts(e->out, " or newer, and not ");
			say_value(e, x->event[r].rf);
			text_puts(e->out, "\n");
			mark(e, w, f);
			mark(e, f, g);
			mark(e, g, r);
			mark(e, r, w);
			return;
		}
	}
	ROW_EACH(ROW(x, set, SET_READ), x->words, r) {
		uint32_t w = x->event[r].rf;
		if (!row_has(ROW(x, cbp, f), r) || w == MODEL_NONE || !row_has(ROW(x, cb, g), w))
			continue;
		text_puts(e->out, "    if ");
		say(e, f);
		text_puts(e->out, " comes before ");
		say(e, g);
		text_puts(e->out, ",\n      then ");
		say(e, r);
		text_puts(e->out, " would read what ");
		say(e, w);
		text_puts(e->out, " writes only later\n");
		mark(e, r, f);
		mark(e, f, g);
		mark(e, g, w);
		mark(e, w, r);
		return;
	}
	text_puts(e->out, "    ");
	say(e, f);
	text_puts(e->out, " cannot come before ");
	say(e, g);
	text_puts(e->out, "\n");
}

static void location_conflict(struct explain *e)
{
	uint32_t *way = memory_zeroed(e->x->n + 1, sizeof *way), length = weak_cycle(e, location_edge, way);
	text_puts(e->out, "  accesses of one location would stand in a circle:\n");
	for (uint32_t i = 0; i + 1 < length; i++) {
		text_puts(e->out, "    ");
		say(e, way[i]);
		text_printf(e->out, " -%s-> ", location_edge(e, way[i], way[i + 1]));
		say(e, way[i + 1]);
		text_puts(e->out, "\n");
		mark(e, way[i], way[i + 1]);
	}
	free(way);
}

static void explain_conflict(struct explain *e, const struct conflict *c)
{
	if (c->axiom != AXIOM_NONE)
		text_printf(e->out, "  Forbidden by %s:\n", axiom_name(c->axiom));
	switch (c->axiom) {
	case AXIOM_CAUSALITY: causality_conflict(e, c); break;
	case AXIOM_COHERENCE:
		say_way(e, c->a, c->b);
		text_puts(e->out, "  so ");
		say(e, c->b);
		text_puts(e->out, " is the newer one in coherence, and ");
		say(e, c->a);
		text_puts(e->out, " cannot come after it.\n");
		break;
	case AXIOM_FENCE_SC:
		fence_order(e, c->a, c->b);
		fence_order(e, c->b, c->a);
		break;
	case AXIOM_ATOMICITY:
		text_puts(e->out, "    ");
		say(e, c->c);
		text_puts(e->out, "\n      would fall between the read and the write of ");
		say(e, c->a);
		text_puts(e->out, "\n");
		break;
	case AXIOM_SC_PER_LOCATION: location_conflict(e); break;
	default: text_puts(e->out, "  no order of its fences and writes satisfies all axioms.\n"); break;
	}
}

static void say_state(const struct explore_result *r, const struct explore_outcome *o, struct text *out)
{
	for (uint32_t k = 0; k < r->program->nobservables; k++)
		text_printf(out, "%s%s = %" PRId64, k ? ", " : "", r->program->observable[k].name, (int64_t)o->value[k]);
}

static void why_allowed(const struct explore_result *r, const struct explore_outcome *o, const struct explore_condition *condition, const struct explore_names *names,
			struct text *out, struct text *graph)
{
	struct witness w;
	text_puts(out, "Possible: ");
	say_state(r, o, out);
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

/* The write that observable K's value would be the last one of, or MODEL_NONE. */
static uint32_t wanted_last(const struct execution *x, const struct grower *g, const uint64_t *value, uint32_t k)
{
	const struct observable *o = &g->program->observable[k];
	uint32_t phys = o->kind == OBSERVE_MEMORY ? grower_find_phys(g, o->phys, o->size) : MODEL_NONE, last = MODEL_NONE;
	if (phys == MODEL_NONE || phys >= x->nphys)
		return MODEL_NONE;
	ROW_EACH(ROW(x, phys, phys), x->words, w) {
		if (x->event[w].kind == EVENT_WRITE && x->event[w].value[0] == value[k])
			last = w;
	}
	return last;
}

/* Coherence says that memory ends as VALUE: what is final comes after all its morally strong rivals. */
static void want_memory(struct execution *x, const struct grower *g, const uint64_t *value)
{
	for (uint32_t k = 0; k < g->program->nobservables; k++) {
		uint32_t last = wanted_last(x, g, value, k);
		for (uint32_t v = 0; last != MODEL_NONE && v < x->n; v++) {
			if (x->event[v].kind == EVENT_WRITE && row_has(RARE(x, ms, last), v) && x->event[v].phys == x->event[last].phys)
				execution_cohere(x, v, last);
		}
	}
}

/* The axioms hold, but what should be last is not. */
static struct conflict memory_conflict(const struct execution *x, const struct grower *g, const uint64_t *value)
{
	for (uint32_t k = 0; k < g->program->nobservables; k++) {
		uint32_t last = wanted_last(x, g, value, k), newer = last == MODEL_NONE ? ROW_END : row_next(RARE(x, co, last), x->words, 0);
		if (newer != ROW_END)
			return (struct conflict){AXIOM_COHERENCE, last, newer, MODEL_NONE};
	}
	return (struct conflict){.axiom = AXIOM_NONE};
}

static void capture_raw(void *arg, struct worker *worker, struct node *n, enum leaf_kind kind)
{
	struct witness *w = arg;
	if (kind == LEAF_EXECUTION && !w->found) {
		execution_copy(&w->x, &n->x);
		want_memory(&w->x, &worker->grower, w->value);
		w->found = true;
	}
}

static bool never_stopped(void *arg)
{
	(void)arg;
	return false;
}

/* One execution that would give the outcome if there were no axioms, judged by all of them. */
static void why_forbidden(const struct explore_result *r, const struct explore_result *free_run, const struct explore_outcome *o, const struct explore_condition *condition,
			  const struct explore_names *names, struct text *out, struct text *graph)
{
	struct witness w = {.value = o->value};
	worker_init(&w.worker, free_run->program, &free_run->options);
	execution_init(&w.x, &w.worker.grower.model);
	w.worker.leaf = capture_raw;
	w.worker.leaf_arg = &w;
	w.worker.stopped = never_stopped;
	worker_search(&w.worker, o->trail, o->ntrail);
	text_puts(out, "Impossible: ");
	say_state(free_run, o, out);
	text_puts(out, "\n");
	if (w.found) {
		struct model model = w.worker.grower.model;
		struct explain e;
		model.off = 0;
		w.x.model = &model;
		execution_recheck(&w.x);
		if (execution_saturate(&w.x) && execution_orient(&w.x))
			w.x.conflict = memory_conflict(&w.x, &w.worker.grower, o->value);
		explain_begin(&e, &w.x, &w.worker.grower, names, out);
		explain_conflict(&e, &w.x.conflict);
		if (graph)
			dot_write(&w.x, &w.worker.grower, names, "forbidden", e.marked, graph);
		fences_compare(r, &w.x, condition, false, names, out);
		explain_end(&e);
		w.x.model = &w.worker.grower.model;
	}
	witness_free(&w);
}

void explore_why(const struct explore_result *r, const struct explore_condition *condition, const struct explore_names *names, struct text *out, struct text *graph)
{
	for (uint32_t i = 0; i < r->outcomes.list.count; i++) {
		if (condition->holds(condition->client, r->outcomes.list.data[i].value)) {
			why_allowed(r, &r->outcomes.list.data[i], condition, names, out, graph);
			return;
		}
	}
	if (!explore_complete(r)) {
		text_puts(out, "Not seen, but the exploration is not complete.\n");
		return;
	}
	struct explore_options o = r->options;
	o.off |= OFF_COHERENCE | OFF_FENCE_SC | OFF_ATOMICITY | OFF_SC_PER_LOCATION | OFF_CAUSALITY;
	o.jobs = 1;
	o.max_executions = 200000;
	o.progress = NULL;
	struct explore_result *free_run = explore_run(r->program, &o);
	const struct explore_outcome *best = NULL;
	for (uint32_t i = 0; i < free_run->outcomes.list.count && !best; i++) {
		if (condition->holds(condition->client, free_run->outcomes.list.data[i].value))
			best = &free_run->outcomes.list.data[i];
	}
	if (best)
		why_forbidden(r, free_run, best, condition, names, out, graph);
	else
		text_puts(out, free_run->timed_out ? "Impossible.\n"
						   : "Impossible whatever the memory does: no reads-from makes the program compute this (values out of thin air, or threads that wait for ever).\n");
	explore_free(free_run);
}
