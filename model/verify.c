/* Converts an execution of the explorer to data for axioms.c: its events, reads-from, meetings at
 * barriers, and the chosen coherence and fence.sc order. Nothing that the explorer derived from
 * these is used. */
#include "model/execution.h"
#include "base/memory.h"
#include <stdlib.h>

/* The index in THREAD of the first event of the access of which THREAD[K] is a piece. */
static uint32_t first_piece(const uint32_t *thread, const struct event *event, uint32_t k)
{
	const struct event *e = &event[thread[k]];
	return k - (e->size ? (uint32_t)e->part / e->size : 0);
}

/* Program order of one thread with events THREAD[0..n): each event precedes those that follow it.
 * The elements of a vector access are unordered among themselves, except that a paired event (the
 * write of an atom or copy) follows all pieces of the event that it is paired with. */
static void program_order(struct axioms *a, const uint32_t *thread, uint32_t n)
{
	for (uint32_t k = 0, begin = 0; k < n; k++) {
		const struct event *e = &a->event[thread[k]];
		if (!(e->flags & EVENT_ELEMENT))
			begin = k; /* a separate access, or the first element of a vector */
		for (uint32_t i = 0; i < begin; i++)
			row_put(axioms_row(a, a->po, thread[i]), thread[k]);
		if (!(e->flags & EVENT_PAIRED) || k == begin)
			continue;
		for (uint32_t i = first_piece(thread, a->event, k); i-- > 0;) {
			const struct event *f = &a->event[thread[i]];
			row_put(axioms_row(a, a->po, thread[i]), thread[k]);
			if (!(f->flags & EVENT_PAIRED) && !f->part)
				break;
		}
	}
}

static void program_orders(struct axioms *a, const struct execution *x)
{
	uint32_t *thread = memory_resize(NULL, x->n * sizeof *thread);
	for (uint32_t t = 0; t < x->model->nthreads; t++) {
		uint32_t n = 0;
		for (uint32_t e = 0; e < x->n; e++) {
			if (x->event[e].thread == t && !(x->event[e].flags & EVENT_INITIAL))
				thread[n++] = e;
		}
		program_order(a, thread, n);
	}
	memory_drop(thread);
}

static void put_meetings(struct axioms *a, const struct execution *x)
{
	const uint32_t *at = x->meeting.data, *end = at + x->meeting.count;
	while (at < end) {
		const uint32_t *from = at + 1, *to = from + *at + 1;
		for (uint32_t i = 0; i < at[0]; i++) {
			for (uint32_t k = 0; k < to[-1]; k++) {
				/* an access: released by a restricted fence */
				uint64_t *edge = event_access(&x->event[from[i]]) ? a->released
										  : a->barrier;
				if (from[i] != to[k])
					row_put(axioms_row(a, edge, from[i]), to[k]);
			}
		}
		at = to + to[-1];
	}
}

/* The explorer records its order of two fence.sc events as base causality. */
static void put_chosen_orders(struct axioms *a, const struct execution *x)
{
	for (uint32_t i = 0; i < x->n; i++) {
		const struct event *e = &x->event[i];
		memcpy(axioms_row(a, a->co, i), RARE(x, co, i), a->words * sizeof *a->co);
		ROW_EACH(ROW(x, cb, i), x->words, k) {
			const struct event *f = &x->event[k];
			if (e->kind == EVENT_FENCE && e->sem == SEM_SC && f->kind == EVENT_FENCE &&
				f->sem == SEM_SC && row_has(axioms_row(a, a->ms, i), k))
				row_put(axioms_row(a, a->sc, i), k);
		}
	}
}

enum axiom execution_violates(const struct execution *x, const uint64_t *dep, struct breach *breach)
{
	struct axioms a;
	axioms_init(&a, x->n, x->event, x->model->place, x->issue);
	for (uint32_t i = 0; dep && i < x->n; i++)
		memcpy(axioms_row(&a, a.dep, i), dep + (size_t)i * x->words, a.words * sizeof *dep);
	program_orders(&a, x);
	put_meetings(&a, x);
	axioms_events(&a);
	put_chosen_orders(&a, x);
	bool ok = axioms_reads(&a) && axioms_fences(&a) && axioms_writes(&a);
	enum axiom axiom = ok ? AXIOM_NONE : a.breach.axiom;
	if (breach) {
		breach->axiom = axiom;
		breach->event.count = 0;
		for (uint32_t k = 0; !ok && k < a.breach.event.count; k++)
			*vec_push(&breach->event) = a.breach.event.data[k];
	}
	axioms_free(&a);
	return axiom;
}
