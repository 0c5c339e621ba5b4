/* The definitions and axioms of the memory model, each as docs/MEMORY-MODEL.md states it (section
 * numbers are those of the PTX manual). */
#include "model/axioms.h"
#include "base/memory.h"
#include "model/relation.h"
#include <stdlib.h>

const char *axiom_name(enum axiom axiom)
{
	static const char *const name[] = {"none", "Coherence", "FenceSC", "Atomicity",
		"No-thin-air", "SC-per-location", "Causality", "single-copy atomicity"};
	return name[axiom];
}

/* --- relations --- */

static bool relation_has(const struct axioms *x, const uint64_t *r, uint32_t i, uint32_t k)
{
	return row_has(axioms_row(x, r, i), k);
}
static void relation_put(const struct axioms *x, uint64_t *r, uint32_t i, uint32_t k)
{
	row_put(axioms_row(x, r, i), k);
}
static size_t relation_words(const struct axioms *x) { return (size_t)x->n * x->words; }
static void relation_clear(const struct axioms *x, uint64_t *r)
{
	memset(r, 0, relation_words(x) * sizeof *r);
}
static void relation_copy(const struct axioms *x, uint64_t *r, const uint64_t *s)
{
	memcpy(r, s, relation_words(x) * sizeof *r);
}
static void unite(const struct axioms *x, uint64_t *r, const uint64_t *s)
{
	for (size_t k = 0; k < relation_words(x); k++)
		r[k] |= s[k];
}
static void intersect(const struct axioms *x, uint64_t *r, const uint64_t *s)
{
	for (size_t k = 0; k < relation_words(x); k++)
		r[k] &= s[k];
}

/* OUT = R ; S */
static void compose(const struct axioms *x, const uint64_t *r, const uint64_t *s, uint64_t *out)
{
	relation_clear(x, out);
	for (uint32_t i = 0; i < x->n; i++) {
		ROW_EACH(axioms_row(x, r, i), x->words, k)
			row_or(axioms_row(x, out, i), axioms_row(x, s, k), x->words);
	}
}

/* Replaces R by R+. */
static void close_transitively(const struct axioms *x, uint64_t *r)
{
	for (uint32_t k = 0; k < x->n; k++) {
		for (uint32_t i = 0; i < x->n; i++) {
			if (relation_has(x, r, i, k))
				row_or(axioms_row(x, r, i), axioms_row(x, r, k), x->words);
		}
	}
}

static bool broken(struct axioms *x, enum axiom axiom, uint32_t n, const uint32_t *event)
{
	x->breach.axiom = axiom;
	x->breach.event.count = 0;
	for (uint32_t k = 0; k < n; k++)
		*vec_push(&x->breach.event) = event[k];
	return false;
}

static bool broken_by(struct axioms *x, enum axiom axiom, uint32_t a, uint32_t b)
{
	return broken(x, axiom, 2, (const uint32_t[]){a, b});
}

/* Whether R is acyclic. If not, AXIOM is broken by the shortest cycle through the first event that
 * lies on one. */
static bool acyclic(struct axioms *x, const uint64_t *r, enum axiom axiom)
{
	uint64_t *all = x->b;
	relation_copy(x, all, r);
	close_transitively(x, all);
	for (uint32_t start = 0; start < x->n; start++) {
		if (!relation_has(x, all, start, start))
			continue;
		/* breadth-first search backwards: NEXT leads from each event towards START */
		uint32_t *queue = memory_resize(NULL, 2u * x->n * sizeof *queue),
			 *next = queue + x->n, head = 0, tail = 0, at = start;
		memset(next, 0xff, x->n * sizeof *next); /* MODEL_NONE */
		for (queue[tail++] = start; head < tail && next[start] == MODEL_NONE; head++) {
			for (uint32_t i = 0; i < x->n; i++) {
				if (next[i] != MODEL_NONE || !relation_has(x, r, i, queue[head]))
					continue;
				next[i] = queue[head];
				if (i != start)
					queue[tail++] = i;
			}
		}
		broken(x, axiom, 0, NULL);
		do {
			*vec_push(&x->breach.event) = at;
			at = next[at];
		} while (at != start);
		memory_drop(queue);
		return false;
	}
	return true;
}

enum { RELATIONS = 20 };

void axioms_init(struct axioms *x, uint32_t n, const struct event *event,
	const struct placement *place, const uint32_t *issue)
{
	*x = (struct axioms){.n = n,
		.words = n ? (n + 63) / 64 : 1,
		.event = event,
		.place = place,
		.issue = issue};
	uint64_t **const relation[RELATIONS] = {&x->po, &x->barrier, &x->released, &x->dep, &x->sc,
		&x->co, &x->ms, &x->poloc, &x->release, &x->acquire, &x->rf, &x->obs, &x->sync,
		&x->alone, &x->cb, &x->ppcb, &x->cause, &x->fr, &x->a, &x->b};
	x->block = memory_zeroed(relation_words(x) * RELATIONS, sizeof *x->block);
	for (uint32_t k = 0; k < RELATIONS; k++)
		*relation[k] = x->block + relation_words(x) * k;
}

void axioms_free(struct axioms *x)
{
	memory_drop(x->block);
	vec_free(&x->breach.event);
	*x = (struct axioms){0};
}

/* --- events --- */

static bool is_write(const struct event *e) { return e->kind == EVENT_WRITE; }
static bool is_read(const struct event *e) { return e->kind == EVENT_READ; }
static bool is_fence(const struct event *e) { return e->kind == EVENT_FENCE; }
static bool is_initial(const struct event *e) { return e->flags & EVENT_INITIAL; }

/* The read of a read-modify-write; its partner is the write. */
static bool is_rmw(const struct event *e) { return is_read(e) && e->partner != MODEL_NONE; }

static bool is_strong(const struct event *e)
{
	return !is_initial(e) && (is_fence(e) || (event_access(e) && event_strong(e)));
}

/* 8.2.1: same address and size, so the accesses overlap completely. */
static bool same_location(const struct event *e, const struct event *f)
{
	return event_access(e) && event_access(f) && e->virt != MODEL_NONE && e->virt == f->virt &&
		event_overlaps_all(e, f);
}

static bool scope_reaches(const struct axioms *x, const struct event *e, const struct event *f)
{
	return scope_includes((enum scope)e->scope, &x->place[e->thread], &x->place[f->thread]);
}

/* 8.7: related by program order, or both strong with scopes that include each other's thread;
 * performed via the same proxy; if both are accesses, they overlap completely. Initial writes
 * belong to no thread. */
static bool morally_strong(const struct axioms *x, uint32_t i, uint32_t k)
{
	const struct event *e = &x->event[i], *f = &x->event[k];
	if (!(is_fence(e) || event_access(e)) || !(is_fence(f) || event_access(f)) ||
		is_initial(e) || is_initial(f))
		return false;
	bool ordered = relation_has(x, x->po, i, k) || relation_has(x, x->po, k, i),
	     mutual = is_strong(e) && is_strong(f) && scope_reaches(x, e, f) &&
		scope_reaches(x, f, e);
	return i != k && (ordered || mutual) && e->proxy == f->proxy &&
		!(event_access(e) && event_access(f) && !same_location(e, f));
}

/* 8.8: release pattern, from its FIRST event to W, the strong write that is observed. */
static bool release_pattern(const struct axioms *x, uint32_t first, uint32_t w)
{
	const struct event *e = &x->event[first], *f = &x->event[w];
	if (!is_write(f) || !is_strong(f) || is_initial(e) || !event_releases(e))
		return false;
	return is_write(e) ? first == w || relation_has(x, x->poloc, first, w)
			   : is_fence(e) && relation_has(x, x->po, first, w);
}

/* 8.8: acquire pattern, from R, the strong read that observes, to its LAST event. The read of a red
 * takes part in no acquire pattern. */
static bool acquire_pattern(const struct axioms *x, uint32_t r, uint32_t last)
{
	const struct event *e = &x->event[r], *f = &x->event[last];
	if (!is_read(e) || !is_strong(e) || e->flags & EVENT_REDUCTION || !event_acquires(f))
		return false;
	return is_read(f)
		? !(f->flags & EVENT_REDUCTION) && (r == last || relation_has(x, x->poloc, r, last))
		: is_fence(f) && relation_has(x, x->po, r, last);
}

void axioms_events(struct axioms *x)
{
	relation_clear(x, x->ms);
	relation_clear(x, x->poloc);
	relation_clear(x, x->release);
	relation_clear(x, x->acquire);
	for (uint32_t i = 0; i < x->n; i++) {
		ROW_EACH(axioms_row(x, x->po, i), x->words, k) {
			if (same_location(&x->event[i], &x->event[k]))
				relation_put(x, x->poloc, i, k);
		}
	}
	for (uint32_t i = 0; i < x->n; i++) {
		for (uint32_t k = 0; k < x->n; k++) {
			if (morally_strong(x, i, k))
				relation_put(x, x->ms, i, k);
			if (release_pattern(x, i, k))
				relation_put(x, x->release, i, k);
			if (acquire_pattern(x, i, k))
				relation_put(x, x->acquire, i, k);
		}
	}
}

/* --- reads --- */

/* 8.10.4: no value justifies itself, whether through dependencies or through barriers that a thread
 * reaches only after reading that value (ctrlbar, decision 8). */
static bool axiom_no_thin_air(struct axioms *x)
{
	uint64_t *way = x->a, *pass = x->b;
	/* pass = barrier; (po; barrier)*; po */
	relation_copy(x, way, x->po);
	unite(x, way, x->barrier);
	close_transitively(x, way);
	compose(x, x->barrier, way, pass);
	relation_copy(x, way, x->rf);
	unite(x, way, x->dep);
	for (uint32_t r = 0; r < x->n; r++) {
		if (is_rmw(&x->event[r]))
			relation_put(x, way, r, x->event[r].partner);
		ROW_EACH(axioms_row(x, x->dep, r), x->words, arrive) {
			if (x->event[arrive].kind != EVENT_BARRIER)
				continue;
			ROW_EACH(axioms_row(x, pass, arrive), x->words, e) {
				if (event_access(&x->event[e]))
					relation_put(x, way, r, e);
			}
		}
	}
	return acyclic(x, way, AXIOM_NO_THIN_AIR);
}

/* 8.9.2: obs = (ms & rf); (rmw; (ms & rf))* */
static void observation(struct axioms *x)
{
	relation_copy(x, x->obs, x->rf);
	intersect(x, x->obs, x->ms);
	for (bool more = true; more;) {
		more = false;
		for (uint32_t w = 0; w < x->n; w++) {
			ROW_EACH(axioms_row(x, x->obs, w), x->words, r) {
				if (!is_rmw(&x->event[r]))
					continue;
				ROW_EACH(axioms_row(x, x->obs, x->event[r].partner), x->words, s) {
					more |= !relation_has(x, x->obs, w, s);
					relation_put(x, x->obs, w, s);
				}
			}
		}
	}
}

/* A fence that covers only certain operations (fence.mbarrier_init) releases the earlier ones of
 * its thread, each alone: the events before such an operation are not released (decision 11). */
static void release_covered(struct axioms *x, uint32_t fence)
{
	uint64_t *last = axioms_row(x, x->sync, fence);
	for (uint32_t e = 0; e < x->n; e++) {
		if (event_access(&x->event[e]) && relation_has(x, x->po, e, fence) &&
			event_covers(&x->event[fence], &x->event[e]))
			row_or(axioms_row(x, x->alone, e), last, x->words);
	}
	row_clear(last, x->words);
}

/* 8.9.4: sync = ms & (release pattern; obs; acquire pattern) */
static void synchronizes_with(struct axioms *x)
{
	compose(x, x->release, x->obs, x->a);
	compose(x, x->a, x->acquire, x->sync);
	intersect(x, x->sync, x->ms);
	relation_copy(x, x->alone, x->released);
	for (uint32_t f = 0; f < x->n; f++) {
		if (is_fence(&x->event[f]) && x->event[f].where)
			release_covered(x, f);
	}
}

bool axioms_reads(struct axioms *x)
{
	relation_clear(x, x->rf);
	for (uint32_t r = 0; r < x->n; r++) {
		if (is_read(&x->event[r]) && x->event[r].rf != MODEL_NONE)
			relation_put(x, x->rf, x->event[r].rf, r);
	}
	observation(x);
	synchronizes_with(x);
	return axiom_no_thin_air(x);
}

/* --- fences and causality --- */

static bool is_sc_pair(const struct axioms *x, uint32_t f, uint32_t g)
{
	return is_fence(&x->event[f]) && is_fence(&x->event[g]) && x->event[f].sem == SEM_SC &&
		x->event[g].sem == SEM_SC && relation_has(x, x->ms, f, g);
}

/* 8.9.3, 8.10.2: sc orders every morally strong pair of fence.sc, is acyclic, and agrees with base
 * causality. */
static bool axiom_fence_sc(struct axioms *x)
{
	for (uint32_t f = 0; f < x->n; f++) {
		ROW_EACH(axioms_row(x, x->ms, f), x->words, g) {
			if (is_sc_pair(x, f, g) &&
				((!relation_has(x, x->sc, f, g) && !relation_has(x, x->sc, g, f)) ||
					(relation_has(x, x->cb, f, g) &&
						!relation_has(x, x->sc, f, g))))
				return broken_by(x, AXIOM_FENCE_SC, f, g);
		}
	}
	return acyclic(x, x->sc, AXIOM_FENCE_SC);
}

/* Whether A comes before access B: in base causality or, for an access of an asynchronous
 * operation, before the instruction that issued it, because the operation is in no other thread's
 * program order (8.9.1.1). */
static bool comes_before(const struct axioms *x, uint32_t a, uint32_t b)
{
	uint16_t thread = x->event[b].thread;
	uint32_t issue = x->issue && thread != UINT16_MAX ? x->issue[thread] : MODEL_NONE;
	return relation_has(x, x->cb, a, b) ||
		(issue != MODEL_NONE && (a == issue || relation_has(x, x->cb, a, issue)));
}

/* Whether F is a fence of access E's proxy in E's CTA that covers its memory. */
static bool is_fence_of(const struct axioms *x, uint32_t f, uint32_t e)
{
	const struct event *fence = &x->event[f], *access = &x->event[e];
	return fence->kind == EVENT_PROXY_FENCE && fence->proxy == access->proxy &&
		same_cta(&x->place[fence->thread], &x->place[access->thread]) &&
		event_covers(fence, access);
}

/* Whether access A leaves its proxy at event P: P is A itself, if it is generic, or a later fence
 * of A's proxy. */
static bool leaves_proxy(const struct axioms *x, uint32_t a, uint32_t p)
{
	return x->event[a].proxy == PROXY_GENERIC
		? a == p
		: is_fence_of(x, p, a) && relation_has(x, x->cb, a, p);
}
static bool enters_proxy(const struct axioms *x, uint32_t p, uint32_t b)
{
	return x->event[b].proxy == PROXY_GENERIC ? b == p
						  : is_fence_of(x, p, b) && comes_before(x, p, b);
}

/* Whether P, where an access leaves its proxy, comes before Q, where B enters its own; for
 * different virtual addresses, with a fence.proxy.alias in between. */
static bool meets_between(
	const struct axioms *x, uint32_t p, uint32_t q, uint32_t b, bool same_address)
{
	if (same_address)
		return p == q || (q == b ? comes_before(x, p, b) : relation_has(x, x->cb, p, q));
	for (uint32_t k = 0; k < x->n; k++) {
		if (x->event[k].kind == EVENT_PROXY_FENCE && x->event[k].proxy == PROXY_ALIAS &&
			relation_has(x, x->cb, p, k) &&
			(q == b ? comes_before(x, k, b) : relation_has(x, x->cb, k, q)))
			return true;
	}
	return false;
}

/* 8.9.5: proxy-preserved base causality. */
static bool is_preserved(const struct axioms *x, uint32_t a, uint32_t b)
{
	const struct event *e = &x->event[a], *f = &x->event[b];
	bool same = e->virt == f->virt;
	if (a == b || !event_access(e) || !event_access(f) || is_initial(e) || is_initial(f) ||
		e->phys != f->phys)
		return false;
	if (same && e->proxy == f->proxy &&
		(e->proxy == PROXY_GENERIC ||
			same_cta(&x->place[e->thread], &x->place[f->thread])) &&
		comes_before(x, a, b))
		return true;
	if (same && e->proxy == PROXY_GENERIC && f->proxy == PROXY_GENERIC)
		return false;
	for (uint32_t p = 0; p < x->n; p++) {
		for (uint32_t q = 0; q < x->n && leaves_proxy(x, a, p); q++) {
			if (enters_proxy(x, q, b) && meets_between(x, p, q, b, same))
				return true;
		}
	}
	return false;
}

bool axioms_fences(struct axioms *x)
{
	/* cb = (po | sync | sc | barriers)+ */
	relation_copy(x, x->cb, x->po);
	unite(x, x->cb, x->sync);
	unite(x, x->cb, x->sc);
	unite(x, x->cb, x->barrier);
	close_transitively(x, x->cb);
	/* | alone; cb? */
	compose(x, x->alone, x->cb, x->a);
	unite(x, x->a, x->alone);
	unite(x, x->cb, x->a);
	if (x->alter)
		x->alter(x, x->cb);
	if (!axiom_fence_sc(x))
		return false;
	relation_clear(x, x->ppcb);
	for (uint32_t a = 0; a < x->n; a++) {
		for (uint32_t b = 0; b < x->n; b++) {
			if (is_preserved(x, a, b))
				relation_put(x, x->ppcb, a, b);
		}
	}
	/* cause = ppcb | (obs; ppcb) */
	compose(x, x->obs, x->ppcb, x->cause);
	unite(x, x->cause, x->ppcb);
	if (x->alter)
		x->alter(x, x->cause);
	return true;
}

/* --- writes --- */

static bool are_writes(const struct axioms *x, uint32_t a, uint32_t b)
{
	return is_write(&x->event[a]) && is_write(&x->event[b]) && a != b &&
		x->event[a].phys == x->event[b].phys;
}

/* Whether coherence must order write A before write B of the same location: the initial write is
 * first (8.9.6), and a write that precedes another in causality order precedes it in coherence
 * (8.10.1). */
static bool must_precede(const struct axioms *x, uint32_t a, uint32_t b)
{
	return (is_initial(&x->event[a]) && !is_initial(&x->event[b])) ||
		relation_has(x, x->cause, a, b);
}

/* The piece of E's access at location PHYS that is of E's kind (read or write), or MODEL_NONE. */
static uint32_t piece_at(const struct axioms *x, uint32_t e, uint32_t phys)
{
	for (uint32_t i = 0; x->event[e].group != MODEL_NONE && i < x->n; i++) {
		if (x->event[i].group == x->event[e].group &&
			x->event[i].kind == x->event[e].kind && x->event[i].phys == phys)
			return i;
	}
	return MODEL_NONE;
}

/* Whether single-copy atomicity applies to the accesses of which E and F are pieces: they overlap
 * completely, and both have a size. */
static bool are_whole(const struct event *e, const struct event *f)
{
	return e->group != MODEL_NONE && f->group != MODEL_NONE && event_overlaps_all(e, f) &&
		!((e->flags | f->flags) & EVENT_SIZELESS);
}

/* Two writes in pieces that overlap completely have the same order in all pieces. Whether C is
 * another piece of A's write with a counterpart in B's at the same location: *D. */
static bool other_pieces(const struct axioms *x, uint32_t a, uint32_t b, uint32_t c, uint32_t *d)
{
	if (x->event[c].group != x->event[a].group || !is_write(&x->event[c]) ||
		!are_whole(&x->event[a], &x->event[b]))
		return false;
	*d = piece_at(x, b, x->event[c].phys);
	return *d != MODEL_NONE;
}

void axioms_least_coherence(struct axioms *x)
{
	uint32_t d;
	for (uint32_t a = 0; a < x->n; a++) {
		for (uint32_t b = 0; b < x->n; b++) {
			if (are_writes(x, a, b) && must_precede(x, a, b))
				relation_put(x, x->co, a, b);
		}
	}
	for (bool more = true; more;) {
		more = false;
		close_transitively(x, x->co);
		for (uint32_t a = 0; a < x->n; a++) {
			if (!is_write(&x->event[a]) || x->event[a].group == MODEL_NONE)
				continue;
			ROW_EACH(axioms_row(x, x->co, a), x->words, b) {
				for (uint32_t c = 0; c < x->n; c++) {
					if (!other_pieces(x, a, b, c, &d) ||
						relation_has(x, x->co, c, d))
						continue;
					relation_put(x, x->co, c, d);
					more = true;
				}
			}
		}
	}
}

/* 8.9.6, 8.10.1: co is a partial order of the writes of each location that orders all morally
 * strong ones and every pair of must_precede. */
static bool axiom_coherence(struct axioms *x)
{
	if (!acyclic(x, x->co, AXIOM_COHERENCE))
		return false;
	for (uint32_t a = 0; a < x->n; a++) {
		for (uint32_t b = 0; b < x->n; b++) {
			if (!are_writes(x, a, b) || relation_has(x, x->co, a, b))
				continue;
			if (must_precede(x, a, b) ||
				(relation_has(x, x->ms, a, b) && !relation_has(x, x->co, b, a)))
				return broken_by(x, AXIOM_COHERENCE, a, b);
			ROW_EACH(axioms_row(x, x->co, a), x->words, c) {
				if (relation_has(x, x->co, c, b)) /* not transitive */
					return broken(
						x, AXIOM_COHERENCE, 3, (const uint32_t[]){a, c, b});
			}
		}
	}
	return true;
}

/* Whether a read is torn when it takes one piece from write W and another piece, which W writes as
 * well, from write V. */
static bool tears(const struct axioms *x, uint32_t w, uint32_t v)
{
	uint32_t other = x->event[w].flags & EVENT_SIZELESS ? MODEL_NONE
							    : piece_at(x, w, x->event[v].phys);
	return other != MODEL_NONE && other != v &&
		(is_initial(&x->event[v]) || event_overlaps_all(&x->event[v], &x->event[other]) ||
			relation_has(x, x->co, v, other));
}

/* Decision 10: no read takes parts of two writes that it overlaps completely, and two writes that
 * overlap completely have the same order in all pieces. */
static bool axiom_single_copy(struct axioms *x)
{
	for (uint32_t i = 0; i < x->n; i++) {
		const struct event *e = &x->event[i];
		if (e->group == MODEL_NONE)
			continue;
		for (uint32_t k = 0; is_read(e) && k < x->n; k++) {
			const struct event *f = &x->event[k];
			if (k != i && is_read(f) && f->group == e->group && e->rf != MODEL_NONE &&
				f->rf != MODEL_NONE && !(e->flags & EVENT_SIZELESS) &&
				tears(x, e->rf, f->rf))
				return broken_by(x, AXIOM_SINGLE_COPY, i, k);
		}
		ROW_EACH(axioms_row(x, x->co, i), x->words, b) {
			uint32_t d;
			for (uint32_t c = 0; is_write(e) && c < x->n; c++) {
				if (other_pieces(x, i, b, c, &d) && !relation_has(x, x->co, c, d))
					return broken_by(x, AXIOM_SINGLE_COPY, i, b);
			}
		}
	}
	return true;
}

/* 8.10.3: empty rmw & ((ms & fr); (ms & co)) */
static bool axiom_atomicity(struct axioms *x)
{
	for (uint32_t r = 0; r < x->n; r++) {
		uint32_t w = x->event[r].partner;
		if (!is_rmw(&x->event[r]))
			continue;
		ROW_EACH(axioms_row(x, x->fr, r), x->words, v) {
			if (relation_has(x, x->ms, r, v) && relation_has(x, x->ms, v, w) &&
				relation_has(x, x->co, v, w))
				return broken(x, AXIOM_ATOMICITY, 3, (const uint32_t[]){r, v, w});
		}
	}
	return true;
}

/* 8.10.5: acyclic (ms & (rf | co | fr)) | poloc */
static bool axiom_sc_per_location(struct axioms *x)
{
	relation_copy(x, x->a, x->rf);
	unite(x, x->a, x->co);
	unite(x, x->a, x->fr);
	intersect(x, x->a, x->ms);
	unite(x, x->a, x->poloc);
	return acyclic(x, x->a, AXIOM_SC_PER_LOCATION);
}

/* 8.10.6: irreflexive (rf | fr); cause */
static bool axiom_causality(struct axioms *x)
{
	for (uint32_t a = 0; a < x->n; a++) {
		ROW_EACH(axioms_row(x, x->cause, a), x->words, b) {
			if (relation_has(x, x->rf, b, a) || relation_has(x, x->fr, b, a))
				return broken_by(x, AXIOM_CAUSALITY, a, b);
		}
	}
	return true;
}

bool axioms_writes(struct axioms *x)
{
	relation_clear(x, x->fr);
	for (uint32_t r = 0; r < x->n; r++) {
		if (is_read(&x->event[r]) && x->event[r].rf != MODEL_NONE)
			row_or(axioms_row(x, x->fr, r), axioms_row(x, x->co, x->event[r].rf),
				x->words);
	}
	return axiom_coherence(x) && axiom_single_copy(x) && axiom_atomicity(x) &&
		axiom_sc_per_location(x) && axiom_causality(x);
}
