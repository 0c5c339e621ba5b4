/* Rebuilds an execution from its trail and prints it: each thread's events in program order, the
 * values read and written, and synchronisation. */
#include "explore/search/witness.h"
#include "base/memory.h"
#include "explore/search/final.h"
#include "model/derive.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

bool witness_stopped(void *arg)
{
	const struct witness *w = arg;
	return explore_late(w->options);
}

static void witness_capture(void *arg, struct worker *worker, struct node *n, enum leaf_kind kind)
{
	struct witness *w = arg;
	if (w->found || w->stuck != (kind == LEAF_STUCK))
		return;
	if (w->stuck) {
		w->found = final_stuck(n, &worker->grower, &w->x);
	} else {
		w->found = final_completion(n, &worker->grower, w->value, &w->x);
	}
}

/* The same as witness_build, unless the execution has more than MOST events. */
static bool build(struct witness *w, const struct explore_result *r, const uint16_t *trail,
	uint32_t ntrail, const uint64_t *value, bool stuck, uint32_t most)
{
	*w = (struct witness){.options = &r->options, .value = value, .stuck = stuck};
	worker_init(&w->worker, r->program, &r->options);
	execution_init(&w->x, &w->worker.grower.model);
	w->worker.leaf = witness_capture;
	w->worker.leaf_arg = w;
	w->worker.stopped = witness_stopped;
	if (w->worker.grower.max_events > most)
		w->worker.grower.max_events = most;
	worker_search(&w->worker, trail, ntrail);
	return w->found;
}

bool witness_build(struct witness *w, const struct explore_result *r, const uint16_t *trail,
	uint32_t ntrail, const uint64_t *value, bool stuck)
{
	return build(w, r, trail, ntrail, value, stuck, UINT32_MAX);
}

void witness_free(struct witness *w)
{
	execution_free(&w->x);
	worker_free(&w->worker);
}

static void say_location(const struct execution *x, uint32_t e, const struct grower *g,
	const struct explore_names *names, struct text *out)
{
	uint32_t phys = x->event[e].phys;
	names->location(names->client, g->locations.phys.data[phys].address,
		g->locations.phys.data[phys].size, out);
}

void event_say(const struct execution *x, uint32_t e, const struct grower *g,
	const struct explore_names *names, struct text *out)
{
	const struct event *v = &x->event[e];
	uint32_t line;
	if (v->flags & EVENT_INITIAL) {
		text_puts(out, "the initial ");
		say_location(x, e, g, names, out);
		text_printf(out, " = %" PRId64, (int64_t)v->value[0]);
		return;
	}
	names->thread(names->client, v->thread, out);
	text_puts(out, ": ");
	names->instruction(names->client, v->thread, v->place, out, &line);
	if (line) {
		text_puts(out, " (");
		event_say_place(x, e, line, names, out);
		text_putc(out, ')');
	}
}

void event_say_place(const struct execution *x, uint32_t e, uint32_t line,
	const struct explore_names *names, struct text *out)
{
	if (names->place)
		names->place(names->client, x->event[e].thread, x->event[e].place, out);
	else
		text_printf(out, "line %u", line);
}

uint32_t event_line(const struct execution *x, uint32_t e, const struct explore_names *names)
{
	uint32_t line = 0;
	struct text unused = {0};
	if (x->event[e].thread != UINT16_MAX)
		names->instruction(
			names->client, x->event[e].thread, x->event[e].place, &unused, &line);
	text_free(&unused);
	return line;
}

struct sync_rows {
	uint64_t *row;
	uint32_t words;
};

static void sync_edge(void *arg, uint32_t first, uint32_t last)
{
	const struct sync_rows *s = arg;
	row_put(s->row + (size_t)first * s->words, last);
}

uint64_t *execution_sync(const struct execution *x)
{
	struct sync_rows s = {memory_zeroed((size_t)x->n * x->words, sizeof(uint64_t)), x->words};
	ROW_EACH(ROW(x, set, SET_READ), x->words, r)
		execution_sync_from_read(x, r, sync_edge, &s);
	return s.row;
}

/* Whether fence A releases through a later relaxed arrival to B, a wait for that arrival. */
static bool releases_at_barrier(const struct execution *x, uint32_t a, uint32_t b)
{
	const struct event *e = &x->event[a], *f = &x->event[b];
	if (e->kind != EVENT_FENCE || !event_releases(e) || f->kind != EVENT_BARRIER ||
		!(f->value[0] & 1))
		return false;
	ROW_EACH(ROW(x, thread, e->thread), x->words, i) {
		if (i > a && x->event[i].kind == EVENT_BARRIER &&
			x->event[i].value[0] == (f->value[0] ^ 1) && !row_has(ROW(x, cb, i), b))
			return true;
	}
	return false;
}

enum edge_kind event_edge(const struct execution *x, const uint64_t *sync, uint32_t a, uint32_t b)
{
	const struct event *e = &x->event[a], *f = &x->event[b];
	if (execution_po(x, a, b))
		return EDGE_PO;
	if (e->thread == f->thread)
		return EDGE_NONE;
	if (row_has(sync + (size_t)a * x->words, b))
		return EDGE_SYNC;
	if (!row_has(ROW(x, cb, a), b))
		return EDGE_NONE;
	if (e->kind == EVENT_BARRIER && f->kind == EVENT_BARRIER &&
		e->value[0] / 2 == f->value[0] / 2)
		return EDGE_BARRIER;
	if (releases_at_barrier(x, a, b) || (e->where & WHERE_INIT && event_access(e)))
		return EDGE_SYNC;
	if (!(x->model->off & OFF_FENCE_SC) && e->kind == EVENT_FENCE && f->kind == EVENT_FENCE &&
		e->sem == SEM_SC && f->sem == SEM_SC && row_has(RARE(x, ms, a), b))
		return EDGE_SC;
	return EDGE_NONE;
}

static void print_access(const struct execution *x, uint32_t e, const struct grower *g,
	const struct explore_names *names, struct text *out)
{
	const struct event *v = &x->event[e];
	text_puts(out, v->kind == EVENT_READ ? ", reads " : ", writes ");
	say_location(x, e, g, names, out);
	text_printf(out, " = %" PRId64, (int64_t)v->value[0]);
	if (v->kind != EVENT_READ || v->rf == MODEL_NONE)
		return;
	text_puts(out, " from ");
	event_say(x, v->rf, g, names, out);
}

static void print_syncs(const struct execution *x, const struct grower *g,
	const struct explore_names *names, struct text *out)
{
	uint64_t *sync = execution_sync(x);
	for (uint32_t a = 0; a < x->n; a++) {
		ROW_EACH(sync + (size_t)a * x->words, x->words, b) {
			if (x->event[a].thread == x->event[b].thread)
				continue;
			text_puts(out, "          ");
			event_say(x, a, g, names, out);
			text_puts(out, " synchronises with ");
			event_say(x, b, g, names, out);
			text_puts(out, "\n");
		}
	}
	memory_drop(sync);
}

static void print_execution(const struct execution *x, const struct grower *g,
	const struct explore_names *names, struct text *out)
{
	for (uint32_t t = 0; t < g->program->nthreads; t++) {
		ROW_EACH(ROW(x, thread, t), x->words, e) {
			if (x->event[e].kind == EVENT_VOID)
				continue;
			text_puts(out, "          ");
			event_say(x, e, g, names, out);
			if (event_access(&x->event[e]))
				print_access(x, e, g, names, out);
			text_puts(out, "\n");
		}
	}
	print_syncs(x, g, names, out);
}

void explore_print_execution(const struct explore_result *r, uint32_t index,
	const struct explore_names *names, struct text *out)
{
	const struct explore_outcome *o = &r->outcomes.list.data[index];
	struct witness w;
	if (build(&w, r, o->trail, o->ntrail, o->value, false, EXPLORE_LISTED_EVENTS))
		print_execution(&w.x, &w.worker.grower, names, out);
	else if (w.worker.grower.too_large)
		text_printf(out, "          (its executions have more than %d events)\n",
			EXPLORE_LISTED_EVENTS);
	else
		text_puts(out,
			"          (the time limit was reached before an execution of this outcome was reconstructed)\n");
	witness_free(&w);
}
