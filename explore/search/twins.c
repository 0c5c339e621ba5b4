/* Threads that the program declares alike (explore_program.twin) are twins in a node as long as
 * exchanging them maps the graph to itself. When a read of one twin has several candidate writes,
 * every execution is equivalent to one in which this thread takes the least of the writes that the
 * twins take. So candidates that it passes over are excluded for its twins, too (search.c). */
#include "explore/search/twins.h"
#include <string.h>

static uint32_t nth_event(const uint64_t *row, uint32_t words, uint32_t k)
{
	ROW_EACH(row, words, i) {
		if (!k--)
			return i;
	}
	return MODEL_NONE;
}

static uint32_t event_rank(const uint64_t *row, uint32_t e)
{
	uint32_t k = 0;
	for (uint32_t w = 0; w < e >> 6; w++)
		k += (uint32_t)__builtin_popcountll(row[w]);
	return k + (uint32_t)__builtin_popcountll(row[e >> 6] & ((UINT64_C(1) << (e & 63)) - 1));
}

uint32_t twins_event(const struct node *n, uint32_t e, uint32_t u)
{
	const struct execution *x = &n->x;
	return nth_event(
		ROW(x, thread, u), x->words, event_rank(ROW(x, thread, x->event[e].thread), e));
}

static const struct deferral *deferral_of(const struct node *n, uint32_t r)
{
	for (uint32_t i = 0; i < n->deferral.count; i++) {
		if (n->deferral.data[i].read == r)
			return &n->deferral.data[i];
	}
	return NULL;
}

static bool equal_deferrals(const struct node *n, uint32_t a, uint32_t b)
{
	const struct deferral *d = deferral_of(n, a), *e = deferral_of(n, b);
	if (!d || !e)
		return !d && !e;
	for (uint32_t k = 0; k < d->words || k < e->words; k++) {
		if ((k < d->words ? d->seen[k] : 0) != (k < e->words ? e->seen[k] : 0))
			return false;
	}
	return true;
}

/* The image of event E when T and U are exchanged: E itself if it belongs to neither. */
static uint32_t twin_image(const struct node *n, uint32_t e, uint32_t t, uint32_t u)
{
	if (e == MODEL_NONE || (n->x.event[e].thread != t && n->x.event[e].thread != u))
		return e;
	return twins_event(n, e, n->x.event[e].thread == t ? u : t);
}

static bool equal_events(const struct node *n, uint32_t i, uint32_t k, uint32_t t, uint32_t u)
{
	const struct execution *x = &n->x;
	const struct event *a = &x->event[i], *b = &x->event[k];
	if (a->kind != b->kind || a->sem != b->sem || a->scope != b->scope ||
		a->proxy != b->proxy || a->flags != b->flags || a->size != b->size ||
		a->quiet != b->quiet || a->virt != b->virt || a->phys != b->phys ||
		a->place != b->place || a->value[0] != b->value[0] || a->value[1] != b->value[1])
		return false;
	if (twin_image(n, a->rf, t, u) != b->rf || twin_image(n, a->partner, t, u) != b->partner ||
		!equal_deferrals(n, i, k))
		return false;
	for (uint32_t s = 0; s < SET_COUNT; s++) {
		if (row_has(ROW(x, set, s), i) != row_has(ROW(x, set, s), k))
			return false;
	}
	/* the same relations to all other events and, exchanged, to each other */
	for (uint32_t z = 0; z < x->n; z++) {
		uint32_t y = twin_image(n, z, t, u);
		if (row_has(ROW(x, cb, i), z) != row_has(ROW(x, cb, k), y) ||
			row_has(ROW(x, cb, z), i) != row_has(ROW(x, cb, y), k) ||
			row_has(RARE(x, co, i), z) != row_has(RARE(x, co, k), y) ||
			row_has(RARE(x, co, z), i) != row_has(RARE(x, co, y), k) ||
			row_has(RARE(x, ms, i), z) != row_has(RARE(x, ms, k), y))
			return false;
		if (z == y && (x->event[z].rf == i || x->event[z].rf == k))
			return false;
	}
	return true;
}

static bool equal_arrivals(const struct node *n, uint32_t t, uint32_t u)
{
	for (uint32_t i = 0; i < n->arrival.count; i++) {
		if (n->arrival.data[i].thread == t || n->arrival.data[i].thread == u)
			return false; /* rare, so threads at a barrier never count as twins */
	}
	return true;
}

bool twins_equal(const struct node *n, const struct grower *g, uint32_t t, uint32_t u)
{
	const struct explore_program *p = g->program;
	const struct execution *x = &n->x;
	const struct run *a = &n->run[t], *b = &n->run[u];
	if (a->status != b->status || a->place != b->place || a->spin_events != b->spin_events ||
		memcmp(a->state, b->state, p->state_size) != 0 || !equal_arrivals(n, t, u))
		return false;
	if (row_count(ROW(x, thread, t), x->words) != row_count(ROW(x, thread, u), x->words) ||
		twin_image(n, a->last, t, u) != b->last)
		return false;
	ROW_EACH(ROW(x, thread, t), x->words, e) {
		if (!equal_events(n, e, twins_event(n, e, u), t, u))
			return false;
	}
	return true;
}
