/* Explains in words why an outcome is possible or impossible. This file: the axiom that forbids it,
 * with the chain of base causality that leads to the contradiction. */
#include "base/memory.h"
#include "explore/explain/explain.h"
#include "explore/explain/fences.h"
#include "explore/explain/relations.h"
#include <stdlib.h>
#include <string.h>

/* Pairs of fence.sc, the first ordered before the second, that a sentence assumes and that must be
 * justified, too. */
struct orders {
	uint32_t count, pair[8][2];
};

static void orders_add(struct orders *o, uint32_t a, uint32_t b)
{
	for (uint32_t k = 0; k < o->count; k++) {
		if (o->pair[k][0] == a && o->pair[k][1] == b)
			return;
	}
	if (o->count == sizeof o->pair / sizeof *o->pair)
		return;
	o->pair[o->count][0] = a;
	o->pair[o->count++][1] = b;
}

/* Adds those on the path from A to B. */
static void orders_on_path(struct explain *e, uint32_t a, uint32_t b, struct orders *o)
{
	uint32_t *path = memory_zeroed(e->x->n + 1, sizeof *path),
		 length = a == b ? 0 : explain_path(e, a, b, explain_base_edge, path);
	for (uint32_t i = 0; i + 1 < length; i++) {
		if (event_edge(e->x, e->sync, path[i], path[i + 1]) == EDGE_SC)
			orders_add(o, path[i], path[i + 1]);
	}
	memory_drop(path);
}

/* Begins a sentence: "if F comes before G", with the fence orders on the paths from BEFORE to F and
 * from G to AFTER, "then R". Adds these orders to USED. */
static void say_if(struct explain *e, uint32_t f, uint32_t g, uint32_t before, uint32_t after,
	uint32_t r, struct orders *used)
{
	struct orders known = {0};
	orders_on_path(e, before, f, &known);
	orders_on_path(e, g, after, &known);
	text_puts(e->out, "    if ");
	explain_event(e, f);
	text_puts(e->out, " comes before ");
	explain_event(e, g);
	text_puts(e->out, ",\n");
	for (uint32_t k = 0; k < known.count; k++) {
		text_puts(e->out, "      and ");
		explain_event(e, known.pair[k][0]);
		text_puts(e->out, " before ");
		explain_event(e, known.pair[k][1]);
		text_puts(e->out, ",\n");
		orders_add(used, known.pair[k][0], known.pair[k][1]);
	}
	text_puts(e->out, "      then ");
	explain_event(e, r);
}

/* Explains the immediate contradiction if fence F came before fence G, and adds the orders that it
 * relies on to USED; false: there is none. */
static bool explain_fence_order(struct explain *e, uint32_t f, uint32_t g, struct orders *used)
{
	const struct execution *x = e->x;
	ROW_EACH(ROW(x, set, SET_READ), x->words, r) {
		if (!row_has(ROW(x, cb, g), r) || x->event[r].rf == MODEL_NONE)
			continue;
		ROW_EACH(RARE(x, co, x->event[r].rf), x->words, w) {
			if (!row_has(ROW(x, cbp, f), w) || x->event[w].virt != x->event[r].virt)
				continue;
			say_if(e, f, g, w, r, r, used);
			text_puts(e->out, " must see ");
			explain_value(e, w);
			text_puts(e->out, " or newer, and not ");
			explain_value(e, x->event[r].rf);
			text_puts(e->out, "\n");
			explain_mark(e, w, f);
			explain_mark(e, f, g);
			explain_mark(e, g, r);
			explain_mark(e, r, w);
			return true;
		}
	}
	ROW_EACH(ROW(x, set, SET_READ), x->words, r) {
		uint32_t w = x->event[r].rf;
		if (!row_has(ROW(x, cbp, f), r) || w == MODEL_NONE || !row_has(ROW(x, cb, g), w))
			continue;
		say_if(e, f, g, r, w, r, used);
		text_puts(e->out, " would read what ");
		explain_event(e, w);
		text_puts(e->out, " writes later\n");
		explain_mark(e, r, f);
		explain_mark(e, f, g);
		explain_mark(e, g, w);
		explain_mark(e, w, r);
		return true;
	}
	return false;
}

/* Explains why none of the orders in O, and of those that this relies on, can be reversed; those
 * that rely on nothing else first. */
static void say_orders(struct explain *e, struct orders *o)
{
	struct text said[sizeof o->pair / sizeof *o->pair] = {0}, *out = e->out;
	for (uint32_t k = 0; k < o->count; k++) {
		e->out = &said[k];
		explain_fence_order(e, o->pair[k][1], o->pair[k][0], o);
	}
	e->out = out;
	for (uint32_t k = o->count; k-- > 0;) {
		text_puts(out, text_str(&said[k]));
		text_free(&said[k]);
	}
}

/* The atoms through which B, or a read before it in its thread, observes what A's thread wrote: a
 * release sequence goes on through them. ATOM: their writes, the last first; returns how many, or 0
 * also if the read observes the write itself. */
static uint32_t find_chain(const struct explain *e, uint32_t a, uint32_t b, uint32_t *atom)
{
	const struct execution *x = e->x;
	for (uint32_t r = b + 1; r-- > 0;) {
		uint32_t n = 0, w = x->event[r].kind == EVENT_READ ? x->event[r].rf : MODEL_NONE;
		if (x->event[r].thread != x->event[b].thread ||
			(r != b && !row_has(ROW(x, cbp, b), r)))
			continue;
		while (w != MODEL_NONE && x->event[w].thread != x->event[a].thread &&
			x->event[w].partner != MODEL_NONE) {
			atom[n++] = w;
			w = x->event[x->event[w].partner].rf;
		}
		if (w != MODEL_NONE &&
			(w == a ||
				(x->event[w].thread == x->event[a].thread &&
					row_has(ROW(x, cb, a), w))))
			return n;
	}
	return 0;
}

static void say_chain(struct explain *e, uint32_t a, uint32_t b)
{
	if (event_edge(e->x, e->sync, a, b) != EDGE_SYNC)
		return;
	uint32_t *atom = memory_zeroed(e->x->n + 1, sizeof *atom);
	for (uint32_t n = find_chain(e, a, b, atom); n-- > 0;) {
		text_puts(e->out, "      through ");
		explain_event(e, atom[n]);
		text_puts(e->out, ", which reads it and writes ");
		explain_value(e, atom[n]);
		text_puts(e->out, "\n");
		explain_mark(e, e->x->event[e->x->event[atom[n]].partner].rf,
			e->x->event[atom[n]].partner);
	}
	memory_drop(atom);
}

static void say_path(struct explain *e, uint32_t a, uint32_t b)
{
	uint32_t *path = memory_zeroed(e->x->n + 1, sizeof *path),
		 length = explain_path(e, a, b, explain_base_edge, path);
	uint32_t reader = MODEL_NONE;
	if (!length) { /* through observation: a read before b observes a */
		ROW_EACH(ROW(e->x, set, SET_READ), e->x->words, r) {
			if (reader == MODEL_NONE && row_has(RARE(e->x, obs, r), a) &&
				(length = explain_path(e, r, b, explain_base_edge, path)))
				reader = r;
		}
	}
	if (reader != MODEL_NONE) {
		text_puts(e->out, "    ");
		explain_event(e, a);
		text_puts(e->out, "\n      is observed by ");
		explain_event(e, reader);
		text_puts(e->out, "\n");
		explain_mark(e, a, reader);
	}
	for (uint32_t i = 0; i + 1 < length; i++) {
		text_puts(e->out, "    ");
		explain_event(e, path[i]);
		text_printf(e->out, "\n      %s ", explain_base_edge(e, path[i], path[i + 1]));
		explain_event(e, path[i + 1]);
		text_puts(e->out, "\n");
		explain_mark(e, path[i], path[i + 1]);
		say_chain(e, path[i], path[i + 1]);
	}
	struct orders orders = {0}; /* of fence.sc on the path: their reverse is impossible, too */
	for (uint32_t i = 0; i + 1 < length; i++) {
		if (event_edge(e->x, e->sync, path[i], path[i + 1]) == EDGE_SC)
			orders_add(&orders, path[i], path[i + 1]);
	}
	say_orders(e, &orders);
	memory_drop(path);
}

static void explain_causality(struct explain *e, const struct conflict *c)
{
	const struct execution *x = e->x;
	if (c->a == c->c) {
		say_path(e, c->b, c->a);
		text_puts(e->out, "  so ");
		explain_event(e, c->b);
		text_puts(e->out, " cannot read what ");
		explain_event(e, c->a);
		text_puts(e->out, " writes later.\n");
		explain_mark(e, c->a, c->b);
		return;
	}
	say_path(e, c->a, c->b);
	text_puts(e->out, "  so ");
	explain_event(e, c->b);
	text_puts(e->out, " must see ");
	explain_value(e, c->a);
	text_puts(e->out, " or something newer, and not ");
	explain_value(e, c->c);
	text_puts(e->out, x->event[c->c].flags & EVENT_INITIAL ? " from the beginning.\n" : ".\n");
	explain_mark(e, c->c, c->b);
	explain_mark(e, c->b, c->a);
}

/* A write that would precede itself does so through a read that observes it: explained as that
 * read's conflict with Causality. */
static struct conflict conflict_through_read(const struct explain *e, const struct conflict *c)
{
	const struct execution *x = e->x;
	if (c->axiom != AXIOM_COHERENCE || c->a != c->b)
		return *c;
	ROW_EACH(ROW(x, set, SET_READ), x->words, r) {
		if (x->event[r].rf == c->a && row_has(ROW(x, cb, r), c->a))
			return (struct conflict){AXIOM_CAUSALITY, c->a, r, c->a};
	}
	return *c;
}

static void explain_location(struct explain *e)
{
	uint32_t *path = memory_zeroed(e->x->n + 1, sizeof *path),
		 length = explain_cycle(e, explain_location_edge, path);
	text_puts(e->out, "  accesses of one location would form a cycle:\n");
	for (uint32_t i = 0; i + 1 < length; i++) {
		text_puts(e->out, "    ");
		explain_event(e, path[i]);
		text_printf(e->out, " -%s-> ", explain_location_edge(e, path[i], path[i + 1]));
		explain_event(e, path[i + 1]);
		text_puts(e->out, "\n");
		explain_mark(e, path[i], path[i + 1]);
	}
	memory_drop(path);
}

static void explain_conflict(struct explain *e, const struct conflict *c);

/* For two fence.sc of which neither order is excluded by itself: explains the contradiction in each
 * order. */
static void explain_orders(struct explain *e)
{
	const struct execution *x = e->x;
	ROW_EACH(ROW(x, set, SET_FENCE_SC), x->words, f) {
		ROW_EACH(ROW(x, set, SET_FENCE_SC), x->words, g) {
			if (f >= g || !row_has(RARE(x, ms, f), g) || row_has(ROW(x, cb, f), g) ||
				row_has(ROW(x, cb, g), f))
				continue;
			for (unsigned swap = 0; swap < 2; swap++) {
				struct execution copy;
				struct explain inner;
				execution_init(&copy, x->model);
				execution_copy(&copy, x);
				execution_order(&copy, swap ? g : f, swap ? f : g);
				execution_recheck(&copy);
				bool open = execution_saturate(&copy);
				explain_begin(&inner, &copy, e->g, e->names, e->out);
				text_puts(e->out, "  If ");
				explain_event(e, swap ? g : f);
				text_puts(e->out, " comes before ");
				explain_event(e, swap ? f : g);
				text_puts(e->out, ":\n");
				if (open)
					explain_orders(&inner);
				else
					explain_conflict(&inner, &copy.conflict);
				row_or(e->marked, inner.marked, x->n * x->words);
				explain_end(&inner);
				execution_free(&copy);
			}
			return;
		}
	}
	text_puts(e->out, "  no order of its writes satisfies all axioms.\n");
}

static void explain_conflict(struct explain *e, const struct conflict *found)
{
	struct conflict told = conflict_through_read(e, found), *c = &told;
	if (c->axiom != AXIOM_NONE)
		text_printf(e->out, "  Forbidden by %s:\n", axiom_name(c->axiom));
	switch (c->axiom) {
	case AXIOM_CAUSALITY: explain_causality(e, c); break;
	case AXIOM_COHERENCE:
		say_path(e, c->a, c->b);
		text_puts(e->out, "  so ");
		explain_event(e, c->b);
		text_puts(e->out, " is newer in coherence, and ");
		explain_event(e, c->a);
		text_puts(e->out, " cannot follow it.\n");
		break;
	case AXIOM_FENCE_SC: {
		struct orders used = {0};
		struct text both = {0}, *out = e->out;
		e->out = &both;
		/* Both orders are explained: if synchronisation alone ordered one fence before the
		 * other, causality would be violated without any order of fences, and that is
		 * explained instead (judge_plainly). */
		explain_fence_order(e, c->a, c->b, &used);
		explain_fence_order(e, c->b, c->a, &used);
		e->out = out;
		say_orders(e, &used);
		text_puts(out, text_str(&both));
		text_free(&both);
		break;
	}
	case AXIOM_ATOMICITY:
		text_puts(e->out, "    ");
		explain_event(e, c->c);
		text_puts(e->out, "\n      would fall between the read and the write of ");
		explain_event(e, c->a);
		text_puts(e->out, "\n");
		break;
	case AXIOM_SC_PER_LOCATION: explain_location(e); break;
	case AXIOM_NONE:
	case AXIOM_NO_THIN_AIR:
	case AXIOM_SINGLE_COPY:
	default: explain_orders(e); break;
	}
}

/* The write that would have to be last for observable K to have its value, or MODEL_NONE. */
static uint32_t wanted_last(
	const struct execution *x, const struct grower *g, const uint64_t *value, uint32_t k)
{
	const struct observable *o = &g->program->observable[k];
	uint32_t phys = o->kind == OBSERVE_MEMORY ? grower_find_phys(g, o->phys, o->size)
						  : MODEL_NONE,
		 last = MODEL_NONE;
	if (phys == MODEL_NONE || phys >= x->nphys)
		return MODEL_NONE;
	ROW_EACH(ROW(x, phys, phys), x->words, w) {
		if (x->event[w].kind == EVENT_WRITE && x->event[w].value[0] == value[k])
			last = w;
	}
	return last;
}

/* Orders X's coherence so that memory ends as VALUE: each wanted last write follows all writes that
 * are morally strong with it. */
static void order_wanted_last(struct execution *x, const struct grower *g, const uint64_t *value)
{
	for (uint32_t k = 0; k < g->program->nobservables; k++) {
		uint32_t last = wanted_last(x, g, value, k);
		for (uint32_t v = 0; last != MODEL_NONE && v < x->n; v++) {
			if (x->event[v].kind == EVENT_WRITE && row_has(RARE(x, ms, last), v) &&
				x->event[v].phys == x->event[last].phys)
				execution_cohere(x, v, last);
		}
	}
}

/* When the axioms hold: the conflict, if any, because a wanted last write is followed by another.
 */
static struct conflict memory_conflict(
	const struct execution *x, const struct grower *g, const uint64_t *value)
{
	for (uint32_t k = 0; k < g->program->nobservables; k++) {
		uint32_t last = wanted_last(x, g, value, k),
			 newer = last == MODEL_NONE ? ROW_END
						    : row_next(RARE(x, co, last), x->words, 0);
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
		order_wanted_last(&w->x, &worker->grower, w->value);
		w->found = true;
	}
}

static void judge_witness(struct witness *w)
{
	execution_recheck(&w->x);
	if (execution_saturate(&w->x) && execution_orient(&w->x, NULL))
		w->x.conflict = memory_conflict(&w->x, &w->worker.grower, w->value);
}

/* Judges W->x. If it is forbidden even without ordering fence.sc, as with fence.acq_rel, that is
 * the reason given. */
static void judge_plainly(struct witness *w, struct model *model)
{
	struct execution before;
	execution_init(&before, model);
	execution_copy(&before, &w->x);
	judge_witness(w);
	if (w->x.conflict.axiom == AXIOM_FENCE_SC) {
		model->off |= OFF_FENCE_SC;
		execution_copy(&w->x, &before);
		judge_witness(w);
		if (w->x.conflict.axiom == AXIOM_NONE) {
			model->off &= ~(uint32_t)OFF_FENCE_SC;
			execution_copy(&w->x, &before);
			judge_witness(w);
		}
	}
	execution_free(&before);
}

/* Rebuilds one execution that gives outcome O of FREE_RUN, which was explored without axioms, and
 * judges it by all axioms except OFF; result in W->x.conflict. MODEL is filled with these axioms.
 * False: no execution was found. */
static bool judge_outcome(struct witness *w, struct model *model,
	const struct explore_result *free_run, const struct explore_outcome *o, uint32_t off)
{
	*w = (struct witness){.options = &free_run->options, .value = o->value};
	worker_init(&w->worker, free_run->program, &free_run->options);
	execution_init(&w->x, &w->worker.grower.model);
	w->worker.leaf = capture_raw;
	w->worker.leaf_arg = w;
	w->worker.stopped = witness_stopped;
	worker_search(&w->worker, o->trail, o->ntrail);
	if (!w->found)
		return false;
	*model = w->worker.grower.model;
	model->off = off;
	w->x.model = model;
	judge_plainly(w, model);
	return true;
}

/* Whether memory cannot end as in O even if reads may return any value. */
static bool memory_ends_wrong(
	const struct explore_result *free_run, const struct explore_outcome *o)
{
	struct witness w;
	struct model model;
	bool wrong = judge_outcome(
			     &w, &model, free_run, o, OFF_AXIOMS & ~(uint32_t)OFF_COHERENCE) &&
		w.x.conflict.axiom != AXIOM_NONE;
	witness_free(&w);
	return wrong;
}

/* Chooses the candidate to explain from the nearest ones: preferably one forbidden by communication
 * between threads only, and not also by the final state of memory or by a final value that the
 * condition does not mention. */
static const struct explore_outcome *most_telling(
	const struct explore_result *free_run, const struct near *near)
{
	static const uint8_t rank[] = {[AXIOM_NONE] = 3,
		[AXIOM_COHERENCE] = 1,
		[AXIOM_ATOMICITY] = 2,
		[AXIOM_NO_THIN_AIR] = 3,
		[AXIOM_SINGLE_COPY] = 1,
		[AXIOM_SC_PER_LOCATION] = 1,
		[AXIOM_FENCE_SC] = 0,
		[AXIOM_CAUSALITY] = 0};
	const struct explore_outcome *best = NULL;
	uint64_t least = UINT64_MAX;
	for (uint32_t i = 0; i < near->count; i++) {
		struct witness w;
		struct model model;
		bool found = judge_outcome(&w, &model, free_run, &near->outcome[i], 0);
		uint64_t r = (uint64_t)memory_ends_wrong(free_run, &near->outcome[i]) << 40 |
			(uint64_t)(found ? rank[w.x.conflict.axiom] : 4) << 32 |
			near->outcome[i].count;
		witness_free(&w);
		if (r >= least)
			continue;
		least = r;
		best = &near->outcome[i];
	}
	return best;
}

static void why_forbidden(const struct explore_result *r, const struct explore_result *free_run,
	const struct explore_outcome *o, const struct explore_condition *condition,
	const struct explore_names *names, struct text *out, struct graph *graph)
{
	struct witness w;
	struct model model;
	text_puts(out, "Impossible: ");
	explain_state(free_run, o, out);
	text_puts(out, "\n");
	if (judge_outcome(&w, &model, free_run, o, 0)) {
		struct explain e;
		explain_begin(&e, &w.x, &w.worker.grower, names, out);
		explain_conflict(&e, &w.x.conflict);
		if (graph)
			explain_graph(&e, free_run, o, "forbidden", graph);
		fences_compare(r, &w.x, condition, false, names, out);
		explain_end(&e);
	}
	witness_free(&w);
}

/* Given R, a word of a read: another word of the same read that is not from the write that R reads
 * from, although that writes both; or MODEL_NONE. */
static uint32_t torn_word(const struct execution *x, uint32_t r)
{
	uint32_t w = x->event[r].rf;
	ROW_EACH(ROW(x, set, SET_READ), x->words, s) {
		uint32_t v = x->event[s].rf,
			 other = x->event[s].group != x->event[r].group || w == MODEL_NONE ||
				v == MODEL_NONE
			? MODEL_NONE
			: execution_piece(x, w, x->event[s].phys);
		if (other != MODEL_NONE && other != v)
			return s;
	}
	return MODEL_NONE;
}

static void explain_torn(struct explain *e)
{
	const struct execution *x = e->x;
	uint32_t r = MODEL_NONE, s = MODEL_NONE;
	ROW_EACH(ROW(x, set, SET_READ), x->words, k) {
		if (s == MODEL_NONE && x->event[k].group != MODEL_NONE &&
			(s = torn_word(x, k)) != MODEL_NONE)
			r = k;
	}
	if (s == MODEL_NONE) {
		text_puts(e->out,
			"    memory would end with parts of the values that two different accesses write.\n");
		return;
	}
	uint32_t from = x->event[r].rf;
	text_puts(e->out, "    ");
	explain_event(e, r);
	text_puts(e->out, "\n      would read part of what ");
	explain_event(e, from);
	text_puts(e->out, " writes, and the rest from ");
	explain_event(e, x->event[s].rf);
	text_puts(e->out,
		row_has(RARE(x, ms, r), from)
			? ".\n"
			: ".\n  (The two are not morally strong. The manual does not state single-copy atomicity for such accesses; ptxi assumes it for all.)\n");
}

/* Explains outcome O, which only accesses torn into words could give: some write is read, or stays
 * in memory, in part. */
static void why_torn(const struct explore_result *torn_run, const struct explore_outcome *o,
	const struct explore_names *names, struct text *out)
{
	struct witness w;
	text_puts(out, "Impossible: ");
	explain_state(torn_run, o, out);
	text_puts(out, "\n  Forbidden by single-copy atomicity:\n");
	if (witness_build(&w, torn_run, o->trail, o->ntrail, o->value, false)) {
		struct explain e;
		explain_begin(&e, &w.x, &w.worker.grower, names, out);
		explain_torn(&e);
		explain_end(&e);
	}
	witness_free(&w);
}

void explore_why(const struct explore_result *r, const struct explore_condition *condition,
	const struct explore_names *names, struct text *out, struct graph *graph)
{
	for (uint32_t i = 0; i < r->outcomes.list.count; i++) {
		if (condition->holds(condition->client, r->outcomes.list.data[i].value)) {
			why_allowed(r, &r->outcomes.list.data[i], condition, names, out, graph);
			return;
		}
	}
	if (!explore_complete(r)) {
		text_puts(out, "Not found, but the exploration is not complete.\n");
		return;
	}
	struct explore_result free_run = {.program = r->program, .options = r->options};
	struct near near;
	free_run.options.off |= OFF_AXIOMS;
	why_nearest(r, &free_run.options, condition, &near);
	const struct explore_outcome *best = most_telling(&free_run, &near);
	if (best) {
		why_forbidden(r, &free_run, best, condition, names, out, graph);
		arena_free(&near.arena);
		return;
	}
	bool cut = near.cut;
	arena_free(&near.arena);
	free_run.options.off |= OFF_WHOLE;
	why_nearest(r, &free_run.options, condition, &near);
	if (near.count) {
		why_torn(&free_run, &near.outcome[0], names, out);
	} else if (cut || near.cut) {
		text_puts(out, "Impossible.\n");
	} else {
		text_puts(out,
			"Impossible under any memory model: no choice of values read makes the program compute this (values out of thin air, or threads that wait forever).\n");
		free_run.options.off &= ~(uint32_t)OFF_WHOLE;
		why_thin_air(r->program, &free_run.options, names, out);
	}
	arena_free(&near.arena);
}
