/* Edges that an interleaving keeps: po, rf, co, fr between accesses, and barriers, at which threads
 * meet in time even if no memory is ordered. */
#include "explore/explain/interleave.h"
#include "base/memory.h"
#include <stdlib.h>
#include <string.h>

/* The number of earlier barrier events of A's thread with A's kind and object. */
static uint32_t occurrence(const struct execution *x, uint32_t a)
{
	uint32_t n = 0;
	ROW_EACH(ROW(x, thread, x->event[a].thread), x->words, i) {
		if (i >= a)
			break;
		n += x->event[i].kind == EVENT_BARRIER &&
			x->event[i].value[0] == x->event[a].value[0];
	}
	return n;
}

/* Whether B could pass only after A had arrived: by base causality; or because B waits for relaxed
 * arrivals, one of which is A; or because both exchanged registers. (For the values of barrier
 * events, see add_arrival() in graph.c.) */
static bool threads_met(const struct execution *x, uint32_t a, uint32_t b)
{
	const struct event *e = &x->event[a], *f = &x->event[b];
	if (e->value[0] / 2 != f->value[0] / 2 || !(f->flags & EVENT_DONE))
		return false;
	if (row_has(ROW(x, cb, a), b))
		return true;
	if (row_has(ROW(x, cb, b), a))
		return false;
	if (e->value[0] != f->value[0])
		return f->value[0] & 1 && occurrence(x, a) == occurrence(x, b);
	return e->flags & EVENT_DONE && e->value[1] && e->value[1] == f->value[1];
}

uint64_t *interleave_barriers(const struct execution *x)
{
	uint64_t *rows = memory_zeroed((size_t)x->n * x->words, sizeof *rows),
		 *after = memory_zeroed(x->words, sizeof *after),
		 *some = memory_zeroed(x->words, sizeof *some);
	for (uint32_t a = 0; a < x->n; a++) {
		if (x->event[a].kind != EVENT_BARRIER)
			continue;
		row_clear(after, x->words);
		for (uint32_t b = 0; b < x->n; b++) {
			if (x->event[b].kind != EVENT_BARRIER ||
				x->event[b].thread == x->event[a].thread || !threads_met(x, a, b))
				continue;
			execution_po_after(x, b, some);
			row_or(after, some, x->words);
		}
		execution_po_before(x, a, some);
		ROW_EACH(some, x->words, u)
			row_or(rows + (size_t)u * x->words, after, x->words);
	}
	memory_drop(after);
	memory_drop(some);
	return rows;
}

enum interleave_edge interleave_edge(
	const struct execution *x, const uint64_t *barriers, uint32_t a, uint32_t b)
{
	const struct event *e = &x->event[a], *f = &x->event[b];
	if ((e->flags | f->flags) & EVENT_INITIAL || !event_access(e) || !event_access(f))
		return INTERLEAVE_NONE;
	if (execution_po(x, a, b))
		return INTERLEAVE_PO;
	if (f->kind == EVENT_READ && f->rf == a)
		return INTERLEAVE_RF;
	if (e->kind == EVENT_WRITE && row_has(RARE(x, co, a), b))
		return INTERLEAVE_CO;
	if (e->kind == EVENT_READ && e->rf != MODEL_NONE && row_has(RARE(x, co, e->rf), b))
		return INTERLEAVE_FR;
	if (x->issue && x->issue[f->thread] != MODEL_NONE &&
		execution_po(x, a, x->issue[f->thread]))
		return INTERLEAVE_ISSUE;
	return row_has(barriers + (size_t)a * x->words, b) ? INTERLEAVE_BARRIER : INTERLEAVE_NONE;
}

static bool has_edge(const struct execution *x, const uint64_t *barriers, const uint64_t *core,
	uint32_t a, bool forward)
{
	ROW_EACH(core, x->words, b) {
		if (b != a && interleave_edge(x, barriers, forward ? a : b, forward ? b : a))
			return true;
	}
	return false;
}

void interleave_core(const struct execution *x, const uint64_t *barriers, uint64_t *out)
{
	row_clear(out, x->words);
	for (uint32_t a = 0; a < x->n; a++) {
		if (event_access(&x->event[a]) && !(x->event[a].flags & EVENT_INITIAL))
			row_put(out, a);
	}
	for (bool again = true; again;) {
		again = false;
		ROW_EACH(out, x->words, a) {
			if (has_edge(x, barriers, out, a, true) &&
				has_edge(x, barriers, out, a, false))
				continue;
			row_drop(out, a);
			again = true;
		}
	}
}
