/* Storage of an execution graph: events, transitively closed base causality, moral strength, rows
 * of locations and threads. */
#include "model/execution.h"
#include "base/memory.h"
#include <stddef.h>
#include <stdlib.h>

enum { MATRICES = 2 };

static void place_rows(struct execution *x)
{
	size_t m = (size_t)x->words * 64 * x->words;
	uint64_t *p = x->block;
	x->cb = p;
	x->cbp = p + m;
	p += MATRICES * m;
	x->virt = p;
	p += (size_t)x->tables * x->words;
	x->phys = p;
	p += (size_t)x->tables * x->words;
	x->thread = p;
	p += (size_t)x->model->nthreads * x->words;
	x->set = p;
	x->tmp = p + (size_t)SET_COUNT * x->words;
}

static void copy_rows(
	uint64_t *to, uint32_t to_words, const uint64_t *from, uint32_t from_words, uint32_t n)
{
	if (to_words == from_words) {
		memcpy(to, from, (size_t)n * to_words * sizeof *to);
		return;
	}
	uint32_t common = to_words < from_words ? to_words : from_words;
	for (uint32_t i = 0; i < n; i++) {
		memset(to + (size_t)i * to_words, 0, to_words * sizeof *to);
		memcpy(to + (size_t)i * to_words, from + (size_t)i * from_words,
			common * sizeof *to);
	}
}

/* --- rare rows --- */

static void rare_reserve(struct rare *r, uint32_t rows, uint32_t words)
{
	if (rows <= r->cap)
		return;
	r->cap = rows + rows / 2 + 8;
	r->row = memory_resize(r->row, (size_t)r->cap * words * sizeof *r->row);
}

/* Makes it empty, for up to WORDS * 64 events. */
static void rare_begin(struct rare *r, uint32_t words)
{
	*r = (struct rare){.at = memory_zeroed((size_t)words * 64, sizeof *r->at), .used = 1};
	rare_reserve(r, 1, words);
	row_clear(r->row, words);
}

static void rare_free(struct rare *r)
{
	memory_drop(r->row);
	memory_drop(r->at);
	*r = (struct rare){0};
}

uint64_t *execution_own(struct execution *x, struct rare *r, uint32_t i)
{
	if (!r->at[i]) {
		rare_reserve(r, r->used + 1, x->words);
		r->at[i] = r->used++;
		row_clear(r->row + (size_t)r->at[i] * x->words, x->words);
	}
	return r->row + (size_t)r->at[i] * x->words;
}

static void rare_copy(struct rare *to, uint32_t to_words, const struct rare *from,
	uint32_t from_words, uint32_t n)
{
	rare_reserve(to, from->used, to_words);
	memcpy(to->at, from->at, n * sizeof *to->at);
	copy_rows(to->row, to_words, from->row, from_words, from->used);
	to->used = from->used;
}

static size_t row_count_of(const struct execution *x, uint32_t words, uint32_t tables)
{
	return (size_t)MATRICES * words * 64 + 2 * (size_t)tables + x->model->nthreads + SET_COUNT +
		SCRATCH_COUNT;
}

size_t execution_bytes(const struct execution *x)
{
	size_t rows = row_count_of(x, x->words, x->tables) + x->ms.used + x->co.used + x->obs.used +
		x->cause.used + (x->hidden ? (size_t)x->words * 64 : 0);
	return rows * x->words * sizeof(uint64_t) +
		(sizeof *x->event + 4 * sizeof *x->ms.at) * x->words * 64 +
		x->meeting.count * sizeof *x->meeting.data;
}

static void free_rows(struct execution *x)
{
	memory_drop(x->block);
	memory_drop(x->hidden);
	x->block = x->hidden = NULL;
	rare_free(&x->ms);
	rare_free(&x->co);
	rare_free(&x->obs);
	rare_free(&x->cause);
}

static void execution_allocate(struct execution *x, uint32_t words, uint32_t tables)
{
	x->words = words;
	x->tables = tables;
	size_t rows = row_count_of(x, words, tables);
	if (x->model->helpers && !x->issue)
		x->issue = memory_zeroed(x->model->nthreads, sizeof *x->issue);
	free_rows(x);
	x->block = memory_zeroed(rows * words, sizeof(uint64_t));
	rare_begin(&x->ms, words);
	rare_begin(&x->co, words);
	rare_begin(&x->obs, words);
	rare_begin(&x->cause, words);
	x->event = memory_resize(x->event, sizeof *x->event * words * 64);
	place_rows(x);
}

void execution_init(struct execution *x, const struct model *model)
{
	*x = (struct execution){.model = model};
	execution_allocate(x, 1, 16);
}

void execution_free(struct execution *x)
{
	free_rows(x);
	memory_drop(x->event);
	memory_drop(x->issue);
	vec_free(&x->meeting);
	*x = (struct execution){0};
}

void execution_reset(struct execution *x)
{
	size_t w = x->words;
	memset(x->virt, 0,
		(2 * (size_t)x->tables + x->model->nthreads + SET_COUNT) * w * sizeof(uint64_t));
	x->n = x->nvirt = x->nphys = x->initial_count = x->meeting.count = 0;
	x->pieces = false;
	x->ms.used = x->co.used = x->obs.used = x->cause.used = 1;
	for (uint32_t t = 0; x->issue && t < x->model->nthreads; t++)
		x->issue[t] = MODEL_NONE;
}

/* Copies what has no rows. */
static void copy_rest(struct execution *to, const struct execution *from)
{
	if (from->issue)
		memcpy(to->issue, from->issue, from->model->nthreads * sizeof *to->issue);
	to->meeting.count = 0;
	if (from->meeting.count) {
		vec_reserve(&to->meeting, from->meeting.count);
		memcpy(to->meeting.data, from->meeting.data,
			from->meeting.count * sizeof *to->meeting.data);
		to->meeting.count = from->meeting.count;
	}
	to->n = from->n;
	to->nvirt = from->nvirt;
	to->nphys = from->nphys;
	to->initial_count = from->initial_count;
	to->pieces = from->pieces;
}

static void execution_copy_all(struct execution *to, const struct execution *from)
{
	uint32_t a = to->words, b = from->words, n = from->n;
	memcpy(to->event, from->event, n * sizeof *to->event);
	copy_rows(to->cb, a, from->cb, b, n);
	copy_rows(to->cbp, a, from->cbp, b, n);
	rare_copy(&to->ms, a, &from->ms, b, n);
	rare_copy(&to->co, a, &from->co, b, n);
	rare_copy(&to->obs, a, &from->obs, b, n);
	rare_copy(&to->cause, a, &from->cause, b, n);
	copy_rows(to->virt, a, from->virt, b, from->nvirt);
	copy_rows(to->phys, a, from->phys, b, from->nphys);
	/* the rows of the sets follow those of the threads */
	copy_rows(to->thread, a, from->thread, b, from->model->nthreads + SET_COUNT);
	copy_rest(to, from);
}

void execution_copy(struct execution *to, const struct execution *from)
{
	if (to->words != from->words || to->tables != from->tables || to->model != from->model) {
		to->model = from->model;
		execution_allocate(to, from->words, from->tables);
	}
	execution_copy_all(to, from);
}

/* --- packing --- */

/* Packs N rows of W words at ROW: of each difference between a row and the one before it, which of
 * 64 words are not 0, and those words. */
static void pack_rows(struct packed_execution *p, const uint64_t *row, uint32_t w, uint32_t n)
{
	size_t all = (size_t)w * n;
	for (size_t at = 0; at < all; at += 64) {
		uint32_t mask = p->word.count;
		*vec_push(&p->word) = 0;
		for (size_t k = at; k < at + 64 && k < all; k++) {
			uint64_t d = row[k] ^ (k < w ? 0 : row[k - w]);
			if (!d)
				continue;
			p->word.data[mask] |= UINT64_C(1) << (k - at);
			*vec_push(&p->word) = d;
		}
	}
}

/* The same the other way, from FROM on; returns where the next rows are. */
static const uint64_t *unpack_rows(const uint64_t *from, uint64_t *row, uint32_t w, uint32_t n)
{
	size_t all = (size_t)w * n;
	for (size_t at = 0; at < all; at += 64) {
		uint64_t mask = *from++;
		for (size_t k = at; k < at + 64 && k < all; k++, mask >>= 1)
			row[k] = (k < w ? 0 : row[k - w]) ^ (mask & 1 ? *from++ : 0);
	}
	return from;
}

/* Words of an event, and words for N numbers of 32 bits. */
enum { EVENT_WORDS = sizeof(struct event) / sizeof(uint64_t) };
_Static_assert(offsetof(struct event, virt) == 16, "padding has no fixed value");
static uint32_t half_words(uint32_t n) { return (n + 1) / 2; }

void execution_pack(const struct execution *x, struct packed_execution *p)
{
	const struct rare *const rare[] = {&x->ms, &x->co, &x->obs, &x->cause};
	uint32_t w = x->words, n = x->n;
	pack_rows(p, (const uint64_t *)(const void *)x->event, EVENT_WORDS, n);
	pack_rows(p, x->cb, w, n);
	pack_rows(p, x->cbp, w, n);
	for (uint32_t k = 0; k < sizeof rare / sizeof *rare; k++) {
		pack_rows(p, (const uint64_t *)(const void *)rare[k]->at, 1, half_words(n));
		pack_rows(p, rare[k]->row, w, rare[k]->used);
	}
	pack_rows(p, x->virt, w, x->nvirt);
	pack_rows(p, x->phys, w, x->nphys);
	pack_rows(p, x->thread, w, x->model->nthreads + SET_COUNT);
	p->word.data = memory_resize(p->word.data, p->word.count * sizeof *p->word.data);
	p->word.cap = p->word.count;
	p->head = *x;
	p->head.meeting.data = NULL;
	p->head.meeting.cap = 0;
	if (x->issue)
		p->head.issue = memory_zeroed(x->model->nthreads, sizeof *x->issue);
	copy_rest(&p->head, x);
}

void execution_unpack(struct execution *to, const struct packed_execution *p)
{
	const struct execution *h = &p->head;
	struct rare *const rare[] = {&to->ms, &to->co, &to->obs, &to->cause};
	const uint32_t used[] = {h->ms.used, h->co.used, h->obs.used, h->cause.used};
	uint32_t w = h->words, n = h->n;
	if (to->words != w || to->tables != h->tables || to->model != h->model) {
		to->model = h->model;
		execution_allocate(to, w, h->tables);
	}
	const uint64_t *from = unpack_rows(
		p->word.data, (uint64_t *)(void *)to->event, EVENT_WORDS, n);
	from = unpack_rows(from, to->cb, w, n);
	from = unpack_rows(from, to->cbp, w, n);
	for (uint32_t k = 0; k < sizeof rare / sizeof *rare; k++) {
		rare_reserve(rare[k], used[k], w);
		rare[k]->used = used[k];
		from = unpack_rows(from, (uint64_t *)(void *)rare[k]->at, 1, half_words(n));
		from = unpack_rows(from, rare[k]->row, w, used[k]);
	}
	from = unpack_rows(from, to->virt, w, h->nvirt);
	from = unpack_rows(from, to->phys, w, h->nphys);
	unpack_rows(from, to->thread, w, h->model->nthreads + SET_COUNT);
	copy_rest(to, h);
}

void packed_free(struct packed_execution *p)
{
	vec_free(&p->word);
	vec_free(&p->head.meeting);
	memory_drop(p->head.issue);
	p->head.issue = NULL;
}
static void execution_enlarge(struct execution *x, uint32_t words, uint32_t tables)
{
	struct execution big = {.model = x->model};
	execution_allocate(&big, words, tables);
	execution_copy_all(&big, x);
	execution_free(x);
	*x = big;
}

static void location_row(struct execution *x, uint32_t location, uint64_t **table, uint32_t *count)
{
	if (location >= x->tables)
		execution_enlarge(x, x->words, (location + 1) * 2);
	while (*count <= location)
		row_clear(*table + (size_t)(*count)++ * x->words, x->words);
}

static bool mutual_scope(const struct model *m, const struct event *a, const struct event *b)
{
	if (a->thread == b->thread)
		return true;
	if (m->off & OFF_SCOPE || a->scope == SCOPE_ANY || b->scope == SCOPE_ANY)
		return true;
	const struct placement *p = &m->place[a->thread], *q = &m->place[b->thread];
	return scope_includes(a->scope, p, q) && scope_includes(b->scope, q, p);
}

/* Relates active events I and J by moral strength, which is symmetric, if it holds. */
static void relate_strength(struct execution *x, uint32_t i, uint32_t j)
{
	const struct event *a = &x->event[i], *b = &x->event[j];
	if (i == j || (a->flags | b->flags) & EVENT_INITIAL ||
		(a->proxy != b->proxy && !(x->model->off & OFF_PROXY)))
		return;
	if (a->thread != b->thread && (!event_strong(a) || !event_strong(b)))
		return;
	if (event_access(a) && event_access(b) && !event_overlaps_all(a, b))
		return;
	if (!mutual_scope(x->model, a, b))
		return;
	row_put(execution_own(x, &x->ms, i), j);
	row_put(execution_own(x, &x->ms, j), i);
}

static void enter_sets(struct execution *x, uint32_t id)
{
	const struct event *e = &x->event[id];
	bool sc_syncs = !(x->model->off & OFF_FENCE_SC_SYNC) || e->sem != SEM_SC;
	if (e->kind == EVENT_READ) {
		row_put(ROW(x, set, SET_READ), id);
		row_put(ROW(x, set, SET_PENDING), id);
		bool red = (e->flags & EVENT_REDUCTION) && !(x->model->off & OFF_RED_DECISION);
		if (event_acquires(e) && !red)
			row_put(ROW(x, set, SET_ACQUIRE), id);
	} else if (e->kind == EVENT_WRITE) {
		row_put(ROW(x, set, SET_WRITE), id);
		if (e->flags & EVENT_KNOWN)
			row_put(ROW(x, set, SET_KNOWN), id);
		if (event_releases(e))
			row_put(ROW(x, set, SET_RELEASE), id);
		if (e->partner != MODEL_NONE) {
			row_put(ROW(x, set, SET_RMW), e->partner);
			x->event[e->partner].partner = id;
		}
	} else if (e->kind == EVENT_FENCE) {
		if (event_releases(e) && sc_syncs)
			row_put(ROW(x, set, SET_RELEASE), id);
		if (event_acquires(e) && sc_syncs)
			row_put(ROW(x, set, SET_ACQUIRE), id);
		if (e->sem == SEM_SC)
			row_put(ROW(x, set, SET_FENCE_SC), id);
	} else if (e->kind == EVENT_PROXY_FENCE) {
		row_put(ROW(x, set, SET_PROXY_FENCE + e->proxy), id);
	}
	if ((event_access(e) || e->kind == EVENT_FENCE) && event_strong(e))
		row_put(ROW(x, set, SET_STRONG), id);
	if (event_access(e) && e->proxy != PROXY_GENERIC && !(x->model->off & OFF_PROXY))
		row_put(ROW(x, set, SET_OTHER), id);
}

static void enter_relations(struct execution *x, uint32_t id)
{
	row_put(ROW(x, set, SET_CHANGED), id);
	const struct event *e = &x->event[id];
	if (event_access(e)) {
		uint32_t virt = e->virt, phys = e->phys;
		location_row(x, phys, &x->phys, &x->nphys);
		if (virt != MODEL_NONE)
			location_row(x, virt, &x->virt, &x->nvirt);
		e = &x->event[id];
		if (e->kind == EVENT_WRITE && !(e->flags & EVENT_INITIAL)) {
			ROW_EACH(ROW(x, phys, phys), x->words, i) {
				if (x->event[i].flags & EVENT_INITIAL)
					execution_cohere(x, i, id);
			}
		}
		row_put(ROW(x, phys, phys), id);
		if (virt != MODEL_NONE) {
			ROW_EACH(ROW(x, virt, virt), x->words, i)
				relate_strength(x, i, id);
			row_put(ROW(x, virt, virt), id);
		}
		if (event_strong(e)) {
			ROW_EACH(ROW(x, set, SET_STRONG), x->words, i) {
				if (x->event[i].kind == EVENT_FENCE)
					relate_strength(x, i, id);
			}
		}
	} else if (e->kind == EVENT_FENCE) {
		ROW_EACH(ROW(x, set, SET_STRONG), x->words, i)
			relate_strength(x, i, id);
	}
	enter_sets(x, id);
}

/* Adds to BEFORE the predecessors of PAIRED event E, which follows LAST: all pieces of the event
 * that it is paired with, but not those of its own access. */
static void follow_pair(
	const struct execution *x, const struct event *e, uint32_t last, uint64_t *before)
{
	const uint64_t *thread = ROW(x, thread, e->thread);
	for (uint32_t own = e->size ? (uint32_t)e->part / e->size : 0; own; own--)
		last = row_before(thread, last);
	for (bool first = false; !first; last = row_before(thread, last)) {
		row_or(before, ROW(x, cbp, last), x->words);
		row_put(before, last);
		first = !(x->event[last].flags & EVENT_PAIRED) && !x->event[last].part;
	}
}

/* Fills the base-causality predecessors of new event ID, which follows LAST in its thread: LAST and
 * its predecessors. The elements of a vector access are unordered: after one, ID follows all
 * elements; if ID is an element itself, only what precedes the first one. */
static void follow_program_order(struct execution *x, uint32_t id, uint32_t last)
{
	const struct event *e = &x->event[id];
	const uint64_t *thread = ROW(x, thread, e->thread);
	uint64_t *before = ROW(x, cbp, id);
	uint32_t w = x->words, head = last;
	while (x->event[head].flags & EVENT_ELEMENT) {
		if (!(e->flags & EVENT_ELEMENT)) {
			row_or(before, ROW(x, cbp, head), w);
			row_put(before, head);
		}
		head = row_before(thread, head);
	}
	row_or(before, ROW(x, cbp, head), w);
	if (!(e->flags & EVENT_ELEMENT))
		row_put(before, head);
	else if (e->flags & EVENT_PAIRED)
		follow_pair(x, e, last, before);
}

void execution_issue(struct execution *x, uint32_t thread, uint32_t issue)
{
	x->issue[thread] = issue;
}

uint32_t execution_add(struct execution *x, const struct event *e)
{
	if (x->n == x->words * 64)
		execution_enlarge(x, x->words + (x->words + 1) / 2, x->tables);
	uint32_t id = x->n++, w = x->words;
	x->event[id] = *e;
	x->pieces |= e->group != MODEL_NONE;
	row_clear(ROW(x, cb, id), w);
	row_clear(ROW(x, cbp, id), w);
	x->ms.at[id] = x->co.at[id] = x->obs.at[id] = x->cause.at[id] = 0;
	if (e->thread != UINT16_MAX) {
		uint32_t last = row_last(ROW(x, thread, e->thread), w);
		if (last != ROW_END) {
			follow_program_order(x, id, last);
			ROW_EACH(ROW(x, cbp, id), w, i)
				row_put(ROW(x, cb, i), id);
		}
		row_put(ROW(x, thread, e->thread), id);
	} else {
		x->initial_count++;
	}
	if (e->kind != EVENT_VOID)
		enter_relations(x, id);
	return id;
}

/* RELEASE, a write that is new, begins release patterns with the later writes of its thread and
 * location: reads that have already observed one of these may synchronise with it now. */
static void tell_observers(struct execution *x, uint32_t release)
{
	uint64_t *later = ROW(x, tmp, SCRATCH_FROM);
	execution_po_after(x, release, later);
	for (uint32_t k = 0; k < x->words; k++)
		later[k] &= ROW(x, virt, x->event[release].virt)[k] & ROW(x, set, SET_WRITE)[k];
	if (row_empty(later, x->words))
		return;
	ROW_EACH(ROW(x, set, SET_READ), x->words, r) {
		if (row_meets(RARE(x, obs, r), later, x->words))
			row_put(ROW(x, set, SET_CHANGED), r);
	}
}

void execution_activate(struct execution *x, uint32_t id, const struct event *e)
{
	struct event *to = &x->event[id];
	uint16_t thread = to->thread;
	*to = *e;
	to->thread = thread;
	enter_relations(x, id);
	/* later accesses of its location must look at it */
	for (uint32_t k = 0; event_access(&x->event[id]) && k < x->words; k++)
		ROW(x, set, SET_CHANGED)
	[k] |= ROW(x, cb, id)[k] & ROW(x, phys, x->event[id].phys)[k];
	if (e->kind == EVENT_WRITE && event_releases(e))
		tell_observers(x, id);
}

void execution_know(struct execution *x, uint32_t id, const uint64_t value[2])
{
	struct event *e = &x->event[id];
	e->value[0] = value[0];
	e->value[1] = value[1];
	e->flags |= EVENT_KNOWN;
	row_put(ROW(x, set, SET_KNOWN), id);
}

void execution_retract(struct execution *x, uint32_t id)
{
	struct event *e = &x->event[id];
	uint32_t r = e->partner;
	for (uint32_t i = 0; i < x->n; i++) {
		if (row_has(RARE(x, ms, i), id))
			row_drop(execution_own(x, &x->ms, i), id);
		if (row_has(RARE(x, co, i), id))
			row_drop(execution_own(x, &x->co, i), id);
	}
	x->ms.at[id] = x->co.at[id] = 0;
	for (uint32_t k = 0; k < SET_COUNT; k++)
		row_drop(ROW(x, set, k), id);
	row_drop(ROW(x, phys, e->phys), id);
	row_drop(ROW(x, virt, e->virt), id);
	if (r != MODEL_NONE) {
		row_drop(ROW(x, set, SET_RMW), r);
		x->event[r].partner = MODEL_NONE;
	}
	*e = (struct event){.kind = EVENT_VOID,
		.flags = e->flags & (EVENT_ELEMENT | EVENT_PAIRED),
		.thread = e->thread,
		.size = e->size,
		.virt = MODEL_NONE,
		.phys = MODEL_NONE,
		.rf = MODEL_NONE,
		.partner = MODEL_NONE,
		.part = e->part,
		.whole = e->whole,
		.group = e->group,
		.place = e->place};
}

void execution_acquire(struct execution *x, uint32_t r)
{
	if (x->event[r].sem == SEM_ACQUIRE)
		return;
	x->event[r].sem = SEM_ACQUIRE;
	row_put(ROW(x, set, SET_ACQUIRE), r);
	row_put(ROW(x, set, SET_CHANGED), r);
}

void execution_read_from(struct execution *x, uint32_t w, uint32_t r)
{
	struct event *e = &x->event[r];
	const struct event *f = &x->event[w];
	e->rf = w;
	e->value[0] = f->value[0];
	e->value[1] = f->value[1];
	row_drop(ROW(x, set, SET_PENDING), r);
	row_put(ROW(x, set, SET_CHANGED), r);
	row_put(ROW(x, set, SET_CHANGED), w);
	for (uint32_t k = 0; k < x->words; k++) /* accesses that the observed write causes now */
		ROW(x, set, SET_CHANGED)[k] |= ROW(x, cb, r)[k] & ROW(x, phys, e->phys)[k];
	if (!row_has(RARE(x, ms, r), w))
		return;
	uint64_t *obs = execution_own(x, &x->obs, r);
	row_put(obs, w);
	if (f->partner != MODEL_NONE && !(x->model->off & OFF_RMW_CHAIN))
		row_or(obs, RARE(x, obs, f->partner), x->words);
}

void execution_order(struct execution *x, uint32_t a, uint32_t b)
{
	if (row_has(ROW(x, cb, a), b))
		return;
	uint32_t w = x->words;
	uint64_t *after = ROW(x, tmp, SCRATCH_AFTER), *before = ROW(x, tmp, SCRATCH_BEFORE);
	memcpy(after, ROW(x, cb, b), w * sizeof *after);
	row_put(after, b);
	memcpy(before, ROW(x, cbp, a), w * sizeof *before);
	row_put(before, a);
	ROW_EACH(before, w, i)
		row_or(ROW(x, cb, i), after, w);
	ROW_EACH(after, w, i)
		row_or(ROW(x, cbp, i), before, w);
	row_or(ROW(x, set, SET_CHANGED), after, w);
}

void execution_order_sets(struct execution *x, const uint64_t *from, const uint64_t *to)
{
	uint32_t w = x->words;
	uint64_t *after = ROW(x, tmp, SCRATCH_AFTER), *before = ROW(x, tmp, SCRATCH_BEFORE);
	memcpy(after, to, w * sizeof *after);
	memcpy(before, from, w * sizeof *before);
	ROW_EACH(to, w, i)
		row_or(after, ROW(x, cb, i), w);
	ROW_EACH(from, w, i)
		row_or(before, ROW(x, cbp, i), w);
	ROW_EACH(before, w, i)
		row_or(ROW(x, cb, i), after, w);
	ROW_EACH(after, w, i)
		row_or(ROW(x, cbp, i), before, w);
	row_or(ROW(x, set, SET_CHANGED), after, w);
}

static void note_members(struct execution *x, const uint64_t *set)
{
	*vec_push(&x->meeting) = row_count(set, x->words);
	ROW_EACH(set, x->words, e)
		*vec_push(&x->meeting) = e;
}

static void note_meeting(struct execution *x, uint32_t a, uint32_t b)
{
	const uint32_t entry[] = {1, a, 1, b};
	for (uint32_t k = 0; k < 4; k++)
		*vec_push(&x->meeting) = entry[k];
}

void execution_meet(struct execution *x, const uint64_t *from, const uint64_t *to)
{
	note_members(x, from);
	note_members(x, to);
	if (!(x->model->off & OFF_BARRIER))
		execution_order_sets(x, from, to);
}

void execution_meet_one(struct execution *x, uint32_t a, uint32_t b)
{
	note_meeting(x, a, b);
	if (!(x->model->off & OFF_BARRIER))
		execution_order(x, a, b);
}

void execution_meet_released(struct execution *x, uint32_t a, uint32_t b)
{
	const struct event *f = &x->event[a];
	for (uint32_t e = 0; f->where && e < a; e++) {
		if (x->event[e].thread == f->thread && event_access(&x->event[e]) &&
			event_covers(f, &x->event[e]))
			note_meeting(x, e, b);
	}
	if (!f->where)
		note_meeting(x, a, b);
	if (!(x->model->off & OFF_BARRIER))
		execution_order_released(x, a, b);
}

/* Orders A, but not its predecessors, before B and everything after B. */
static void order_alone(struct execution *x, uint32_t a, uint32_t b)
{
	row_or(ROW(x, cb, a), ROW(x, cb, b), x->words);
	row_put(ROW(x, cb, a), b);
	ROW_EACH(ROW(x, cb, a), x->words, i)
		row_put(ROW(x, cbp, i), a);
	row_or(ROW(x, set, SET_CHANGED), ROW(x, cb, a), x->words);
}

void execution_order_released(struct execution *x, uint32_t a, uint32_t b)
{
	const struct event *f = &x->event[a];
	if (f->kind != EVENT_FENCE || !f->where) {
		execution_order(x, a, b);
		return;
	}
	ROW_EACH(ROW(x, thread, f->thread), x->words, e) {
		if (e >= a)
			break;
		if (event_access(&x->event[e]) && event_covers(f, &x->event[e]))
			order_alone(x, e, b);
	}
}

bool execution_cohere(struct execution *x, uint32_t w, uint32_t v)
{
	if (row_has(RARE(x, co, w), v))
		return true;
	if (w == v || row_has(RARE(x, co, v), w))
		return false;
	const uint64_t *loc = ROW(x, phys, x->event[w].phys);
	ROW_EACH(loc, x->words, i) {
		if (i == w || row_has(RARE(x, co, i), w)) {
			uint64_t *row = execution_own(x, &x->co, i);
			row_or(row, RARE(x, co, v), x->words);
			row_put(row, v);
		}
	}
	return true;
}

void execution_cohere_set(struct execution *x, const uint64_t *before, uint32_t v)
{
	const uint64_t *loc = ROW(x, phys, x->event[v].phys);
	ROW_EACH(loc, x->words, i) {
		if (row_has(RARE(x, co, i), v) ||
			!(row_has(before, i) || row_meets(RARE(x, co, i), before, x->words)))
			continue;
		uint64_t *row = execution_own(x, &x->co, i);
		row_or(row, RARE(x, co, v), x->words);
		row_put(row, v);
	}
}

bool execution_po(const struct execution *x, uint32_t a, uint32_t b)
{
	return a < b && x->event[a].thread == x->event[b].thread &&
		x->event[a].thread != UINT16_MAX;
}

void execution_po_before(const struct execution *x, uint32_t a, uint64_t *out)
{
	uint32_t w = x->words;
	row_clear(out, w);
	if (x->event[a].thread == UINT16_MAX)
		return;
	const uint64_t *t = ROW(x, thread, x->event[a].thread);
	memcpy(out, t, (a >> 6) * sizeof *out);
	out[a >> 6] = t[a >> 6] & ((UINT64_C(1) << (a & 63)) - 1);
}

void execution_po_after(const struct execution *x, uint32_t a, uint64_t *out)
{
	uint32_t w = x->words, k = a >> 6;
	row_clear(out, w);
	if (x->event[a].thread == UINT16_MAX)
		return;
	const uint64_t *t = ROW(x, thread, x->event[a].thread);
	memcpy(out + k, t + k, (w - k) * sizeof *out);
	out[k] &= (a & 63) == 63 ? 0 : ~UINT64_C(0) << ((a & 63) + 1);
}

const char *event_scope_name(enum scope scope)
{
	static const char *const name[] = {"cta", "cluster", "gpu", "sys", "any"};
	return name[scope];
}
