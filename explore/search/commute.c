/* Commuting atoms whose results are unused (red.add, arrivals on an mbarrier) are explored in one
 * canonical order: by event number. That loses nothing as long as no read can see the values
 * between them. Let Q be a set of atoms ordered in this way, and take an execution in which one of
 * them comes later: all atoms before it there commute with it. Moving it to the front therefore
 * gives the same final values, the same synchronisation (their reads never acquire, and a read that
 * observes one of them through the chain of atoms observes all) and the same outcome.
 *
 * The conditions: no read of the location is pending, except those that follow all of Q, and
 * mbarrier waits, which see only whether a phase is complete; nothing is open that could still
 * order another event before an atom in base causality; no order of fence.sc, of present or later
 * fences, could order an atom of Q before one that the canonical order puts in front of it; and a
 * phase gets no more arrivals than it expects. Events added later must follow all of Q in base
 * causality or commute with Q, too (for an mbarrier: follow the arrival that completed a phase).
 * commute_holds() checks this.
 *
 * Atoms of Q that an open order of fence.sc could put in another order wait. If they are all that
 * is left in the end, the fences come first: for each order of them that an outcome needs, the
 * atoms get an order that agrees with it, and their common result is always the same
 * (commute_rest(), commute_complete()). */
#include "explore/search/commute.h"
#include "base/assert.h"
#include "interp/sync/mbarrier.h"

/* Q precedes one of these fences, R follows another, and the second does not precede the first. */
bool commute_fences_may_order(const struct execution *x, uint32_t q, uint32_t r)
{
	const uint64_t *fences = ROW(x, set, SET_FENCE_SC), *after = ROW(x, cb, q);
	if (!row_meets(after, fences, x->words))
		return false;
	const uint64_t *before = execution_all_before(x, r);
	if (!row_meets(before, fences, x->words))
		return false;
	ROW_EACH(fences, x->words, f) {
		for (uint32_t k = 0; k < x->words && row_has(after, f); k++) {
			if (before[k] & fences[k] & ~ROW(x, cbp, f)[k] &
				~(k == f >> 6 ? UINT64_C(1) << (f & 63) : 0))
				return true;
		}
	}
	return false;
}

/* Weak reads do not count: they observe only their own thread. */
bool commute_order_is_closed(const struct execution *x, uint32_t r)
{
	const uint64_t *before = execution_all_before(x, r);
	for (uint32_t i = 0; i < x->n; i++) {
		const struct event *e = &x->event[i];
		bool open = (e->kind == EVENT_READ && e->rf == MODEL_NONE &&
				    e->quiet < QUIET_ATOM && event_strong(e)) ||
			(e->kind == EVENT_VOID && e->flags & EVENT_MAYBE);
		if (open && row_has(before, i))
			return false;
	}
	return true;
}

/* The write of R's location that all other known ones precede in coherence, provided that the
 * remaining ones are halves of pending atoms that commute with R; or MODEL_NONE. */
static uint32_t last_write(const struct execution *x, uint32_t r)
{
	const struct event *e = &x->event[r];
	const uint64_t *loc = ROW(x, phys, e->phys);
	uint32_t last = MODEL_NONE;
	ROW_EACH(loc, x->words, w) {
		const struct event *f = &x->event[w];
		if (f->kind != EVENT_WRITE)
			continue;
		if (f->partner != MODEL_NONE && x->event[f->partner].rf == MODEL_NONE) {
			if (x->event[f->partner].quiet != e->quiet)
				return MODEL_NONE;
			continue;
		}
		if (!(f->flags & EVENT_KNOWN))
			return MODEL_NONE;
		if (last == MODEL_NONE || row_has(RARE(x, co, last), w))
			last = w;
	}
	ROW_EACH(loc, x->words, w) {
		const struct event *f = &x->event[w];
		bool pending = f->partner != MODEL_NONE && x->event[f->partner].rf == MODEL_NONE;
		if (f->kind == EVENT_WRITE && !pending && w != last &&
			!row_has(RARE(x, co, w), last))
			return MODEL_NONE;
	}
	return last;
}

/* The write that the chain of commuted atoms ending in LAST, which commute with R, starts from. */
static uint32_t base_of(const struct execution *x, uint32_t last, uint32_t r)
{
	uint32_t half = x->event[last].partner;
	while (half != MODEL_NONE && row_has(ROW(x, set, SET_COMMUTED), half) &&
		x->event[half].quiet == x->event[r].quiet && row_has(RARE(x, ms, r), last)) {
		last = x->event[half].rf;
		half = x->event[last].partner;
	}
	return last;
}

/* Whether atom R cannot precede write BASE: BASE is the initial write, or it causes R. */
static bool cannot_precede(const struct execution *x, uint32_t base, uint32_t r)
{
	return x->event[base].flags & EVENT_INITIAL || row_has(RARE(x, cause, r), base);
}

/* Whether pending read Q raises the count of arrivals that the phase expects. */
static bool raises_count(const struct execution *x, uint32_t q)
{
	const struct event *e = &x->event[q];
	return e->kind == EVENT_READ && e->rf == MODEL_NONE && e->quiet == QUIET_MBARRIER &&
		e->value[0] == UINT64_MAX;
}

/* Whether Q, which raises the count, precedes enough of the pending arrivals: of its thread's
 * asynchronous operations at least one for each raise that is not before Q, and besides another
 * one. */
static bool raise_is_early(const struct execution *x, uint32_t q)
{
	uint32_t thread = x->event[q].thread, raises = 0, own = 0;
	bool other = false;
	ROW_EACH(ROW(x, phys, x->event[q].phys), x->words, a) {
		const struct event *f = &x->event[a];
		if (f->kind != EVENT_READ || f->rf != MODEL_NONE || f->quiet != QUIET_MBARRIER)
			continue;
		if (raises_count(x, a)) {
			raises += f->thread == thread && !row_has(ROW(x, cb, a), q);
			continue;
		}
		if (!f->value[0] || !row_has(execution_all_before(x, a), q))
			continue;
		uint32_t issue = x->issue ? x->issue[f->thread] : MODEL_NONE;
		if (issue == MODEL_NONE)
			other = true;
		else
			own += f->value[0] == 1 && x->event[issue].thread == thread;
	}
	return other && own >= raises;
}

/* Whether no order of the pending arrivals at R's mbarrier, of which there are ARRIVALS less
 * raises, completes its phase before all raises have come: whatever raises are missing, more
 * arrivals are missing than they. LAST: its value. */
static bool raises_are_early(
	const struct execution *x, uint32_t r, uint64_t arrivals, uint64_t last)
{
	uint64_t raises = 0;
	if ((int64_t)arrivals > (int64_t)mbarrier_pending(last))
		return false;
	ROW_EACH(ROW(x, phys, x->event[r].phys), x->words, q) {
		if (raises_count(x, q) && (++raises, !raise_is_early(x, q)))
			return false;
	}
	return mbarrier_pending(last) + raises <= MBARRIER_MAX;
}

/* Whether pending read Z follows all pending atoms that commute with R: then it sees only their
 * common result. */
static bool sees_all(const struct execution *x, uint32_t z, uint32_t r)
{
	ROW_EACH(ROW(x, phys, x->event[r].phys), x->words, q) {
		const struct event *f = &x->event[q];
		if (f->kind == EVENT_READ && f->rf == MODEL_NONE && f->quiet == x->event[r].quiet &&
			!row_has(ROW(x, cb, q), z))
			return false;
	}
	return true;
}

bool commute_next(const struct node *n, uint32_t r, bool open, uint32_t *from)
{
	const struct execution *x = &n->x;
	const struct event *e = &x->event[r];
	uint64_t arrivals = 0;
	if (e->quiet < QUIET_ATOM)
		return false;
	ROW_EACH(ROW(x, phys, e->phys), x->words, q) {
		const struct event *f = &x->event[q];
		if (f->kind != EVENT_READ || f->rf != MODEL_NONE || f->quiet == QUIET_WAIT)
			continue;
		if (f->quiet == QUIET_POLL || (f->quiet != e->quiet && sees_all(x, q, r)))
			continue;
		if (f->quiet != e->quiet || (q != r && !row_has(RARE(x, ms, r), q)))
			return false;
		arrivals += f->value[0];
	}
	uint32_t last = last_write(x, r);
	if (last == MODEL_NONE || row_has(RARE(x, cause, last), r) ||
		!commute_order_is_closed(x, r))
		return false;
	uint32_t base = base_of(x, last, r);
	if (!cannot_precede(x, base, r))
		return false;
	/* R must be the first atom that nothing orders after another. */
	ROW_EACH(ROW(x, phys, e->phys), x->words, q) {
		const struct event *f = &x->event[q];
		if (f->kind != EVENT_READ || f->quiet != e->quiet || q == r)
			continue;
		if (f->rf != MODEL_NONE) {
			if (open && row_has(ROW(x, set, SET_COMMUTED), q) &&
				commute_fences_may_order(x, r, q))
				return false;
			continue;
		}
		if (row_has(execution_all_before(x, r), q) || !cannot_precede(x, base, q) ||
			(open && commute_fences_may_order(x, q, r)))
			return false;
	}
	if (e->quiet == QUIET_MBARRIER &&
		(!mbarrier_marked(x->event[last].value[0]) ||
			!raises_are_early(x, r, arrivals, x->event[last].value[0])))
		return false;
	*from = last;
	return true;
}

/* Whether the phase of wait R is complete at write W. */
static bool phase_is_complete(const struct execution *x, uint32_t r, uint32_t w)
{
	return mbarrier_parity(x->event[w].value[0]) != x->event[r].asks;
}

/* An execution in which a wait succeeds with some write is like the one in which it reads the first
 * write with which it succeeds, where it observes less. So that write represents the others. An
 * unsuccessful wait retries: forever, and then it reads the last write, or without any effect. */
uint32_t commute_wait(
	const struct node *n, uint32_t r, const uint64_t *row, uint32_t *out, bool *complete)
{
	const struct execution *x = &n->x;
	uint32_t first = MODEL_NONE, last = MODEL_NONE, count = 0;
	*complete = false;
	if (!commute_order_is_closed(x, r))
		return UINT32_MAX;
	ROW_EACH(row, x->words, w) {
		bool over = phase_is_complete(x, r, w);
		if (!mbarrier_marked(x->event[w].value[0]))
			return UINT32_MAX;
		ROW_EACH(row, x->words, v) {
			if (v != w && !row_has(RARE(x, co, v), w) && !row_has(RARE(x, co, w), v))
				return UINT32_MAX;
		}
		if (over && (first == MODEL_NONE || row_has(RARE(x, co, w), first)))
			first = w;
		if (!over && (last == MODEL_NONE || row_has(RARE(x, co, last), w)))
			last = w;
	}
	for (uint32_t w = row_next(row, x->words, 0); first != MODEL_NONE && w != ROW_END;
		w = row_next(row, x->words, w + 1)) {
		if (row_has(RARE(x, co, first), w) && !phase_is_complete(x, r, w))
			/* the following phase is complete, too, and so late a wait is for the phase
			 * * after it */
			return UINT32_MAX;
	}
	if (last != MODEL_NONE && row_empty(RARE(x, co, last), x->words))
		out[count++] = last;
	if (first != MODEL_NONE)
		out[count++] = first;
	*complete = first != MODEL_NONE;
	return count;
}

void commute_waited(struct node *n, uint32_t r) { row_put(ROW(&n->x, set, SET_WAITED), r); }

/* Whether wait R, which succeeded with the first write that completes its phase, need not have read
 * a later one: it has since got no candidate with which it would have missed the completion of its
 * phase, and no order of fence.sc puts a later write before it. OPEN: fences are unordered. */
static bool wait_holds(const struct execution *x, uint32_t r, bool open)
{
	uint32_t from = x->event[r].rf, own = MODEL_NONE;
	ROW_EACH(RARE(x, co, from), x->words, w) {
		if (row_has(ROW(x, cb, w), r) || (open && commute_fences_may_order(x, w, r)))
			return false;
	}
	/* R cannot read a write that follows, in coherence, a write after R. */
	ROW_EACH(ROW(x, phys, x->event[r].phys), x->words, w) {
		if (x->event[w].kind == EVENT_WRITE && row_has(ROW(x, cb, r), w) &&
			(own == MODEL_NONE || row_has(RARE(x, co, w), own)))
			own = w;
	}
	ROW_EACH(ROW(x, phys, x->event[r].phys), x->words, w) {
		if (row_has(ROW(x, set, SET_KNOWN), w) && !row_has(ROW(x, cb, r), w) &&
			(own == MODEL_NONE || !row_has(RARE(x, co, own), w)) && w != from &&
			!row_has(RARE(x, co, w), from) && !phase_is_complete(x, r, w))
			return false;
	}
	return true;
}

static bool asks_again(const struct execution *x, const struct grower *g, uint32_t r, uint32_t w)
{
	return g->program->asks_again(
		g->program, x->event[r].thread, x->event[r].place, x->event[w].value, g->scratch);
}

bool commute_poll(const struct node *n, const struct grower *g, uint32_t r, uint64_t *row)
{
	const struct execution *x = &n->x;
	bool all = true;
	ROW_EACH(row, x->words, w) {
		bool again = asks_again(x, g, r, w);
		if (again && !row_empty(RARE(x, co, w), x->words))
			row_drop(row, w);
		all &= again;
	}
	return all;
}

/* The number that atom Q adds to its location. */
static uint64_t atom_difference(const struct execution *x, uint32_t q)
{
	uint64_t d = x->event[x->event[q].partner].value[0] - x->event[x->event[q].rf].value[0];
	return x->event[q].size >= 8 ? d : d & ((UINT64_C(1) << 8 * x->event[q].size) - 1);
}

/* Whether poll Z cannot distinguish the order of commuted atom Q and others: whichever comes first,
 * Z polls again until all have come. That holds if all of them add the same number and Z polls
 * again with every value in between. */
static bool poll_is_blind(const struct execution *x, const struct grower *g, uint32_t q, uint32_t z)
{
	uint32_t w = x->event[q].partner;
	if (row_has(ROW(x, cb, z), q))
		return true;
	if (w == MODEL_NONE || !(x->event[w].flags & EVENT_KNOWN))
		return true;
	uint32_t before = x->event[x->event[q].rf].partner;
	if (before != MODEL_NONE && row_has(ROW(x, set, SET_COMMUTED), before) &&
		atom_difference(x, before) != atom_difference(x, q))
		return false;
	/* the order then decides when Z succeeds, and so what it acquires */
	bool between = false,
	     own = row_meets(
		     ROW(x, set, SET_COMMUTED), ROW(x, thread, x->event[z].thread), x->words);
	ROW_EACH(ROW(x, phys, x->event[q].phys), x->words, r) {
		const struct event *f = &x->event[r];
		between |= f->kind == EVENT_READ && f->quiet == x->event[q].quiet && r != q &&
			(own || !row_has(ROW(x, cb, r), z)) && (f->rf == MODEL_NONE || f->rf == w);
	}
	return !between || asks_again(x, g, z, w);
}

void commute_taken(struct node *n, uint32_t r)
{
	struct execution *x = &n->x;
	uint32_t from = x->event[r].rf, to = x->event[r].partner;
	row_put(ROW(x, set, SET_COMMUTED), r);
	if (to != MODEL_NONE && row_has(RARE(x, ms, r), from))
		execution_cohere(
			x, from, to); /* follows without saturation, since R observes FROM */
	row_or(ROW(x, set, SET_SEEN), ROW(x, phys, x->event[r].phys), x->words);
}

/* Whether wait Z follows an arrival but waits for the phase before that of the arrival: then it can
 * distinguish whether other arrivals of this phase precede it. */
static bool waits_late(const struct execution *x, uint32_t z)
{
	uint32_t latest = MODEL_NONE;
	const uint64_t *loc = ROW(x, phys, x->event[z].phys), *before = ROW(x, cbp, z);
	ROW_EACH(loc, x->words, q) {
		uint32_t w = x->event[q].partner;
		if (!row_has(before, q))
			continue;
		if (row_has(ROW(x, set, SET_PENDING), q))
			return false; /* it follows an arrival that is still pending */
		if (row_has(ROW(x, set, SET_COMMUTED), q) && w != MODEL_NONE &&
			(latest == MODEL_NONE || row_has(RARE(x, co, x->event[latest].partner), w)))
			latest = q;
	}
	if (latest == MODEL_NONE || x->event[latest].quiet != QUIET_MBARRIER ||
		x->event[z].asks == mbarrier_parity(x->event[latest].value[0]))
		return false;
	/* not if it waits for the phase after that: an earlier wait saw the arrival's phase
	 * complete */
	ROW_EACH(loc, x->words, r) {
		uint32_t w = x->event[latest].partner, from = x->event[r].rf;
		if (row_has(before, r) && x->event[r].quiet == QUIET_WAIT && from != MODEL_NONE &&
			x->event[r].asks != x->event[z].asks && phase_is_complete(x, r, from) &&
			(from == w || row_has(RARE(x, co, w), from)))
			return false;
	}
	/* Any arrival that does not precede this one may belong to its phase, whatever its
	 * canonical position is. (In any order, a wait after an arrival acquires what that arrival
	 * read.) */
	before = ROW(x, cbp, latest);
	ROW_EACH(loc, x->words, r) {
		const struct event *f = &x->event[r];
		if (r != latest && f->kind == EVENT_READ && f->quiet == QUIET_MBARRIER &&
			!row_has(before, r) && !row_has(ROW(x, cb, z), r))
			return true;
	}
	return false;
}

/* Whether commuted arrival Q belongs to its phase in every order of the arrivals: the pending ones
 * that do not follow Q are not more than its phase still expects. */
static bool phase_is_fixed(const struct execution *x, uint32_t q)
{
	const uint64_t *loc = ROW(x, phys, x->event[q].phys);
	uint32_t own = x->event[q].partner, last = own;
	uint64_t arrivals = 0;
	bool complete = false, some = false;
	ROW_EACH_SHARED(loc, ROW(x, set, SET_PENDING), x->words, a)
	{
		if (x->event[a].quiet == QUIET_MBARRIER && !row_has(ROW(x, cb, q), a)) {
			arrivals += x->event[a].value[0];
			some |= x->event[a].value[0] != 0;
		}
	}
	if (own == MODEL_NONE || !some)
		return true;
	ROW_EACH(loc, x->words, w) {
		const struct event *e = &x->event[w];
		if (e->kind != EVENT_WRITE || !(e->flags & EVENT_KNOWN) ||
			(w != own && !row_has(RARE(x, co, own), w)))
			continue;
		complete |= mbarrier_parity(e->value[0]) != mbarrier_parity(x->event[q].value[0]);
		if (row_has(RARE(x, co, last), w))
			last = w;
	}
	return !complete && (int64_t)arrivals <= (int64_t)mbarrier_pending(x->event[last].value[0]);
}

/* Whether Z, added later, does not reveal the position of commuted atom Q in the order. */
static bool is_harmless(const struct execution *x, uint32_t q, uint32_t z)
{
	const struct event *e = &x->event[q], *f = &x->event[z];
	if (f->quiet == QUIET_WAIT || row_has(ROW(x, cb, q), z) ||
		row_has(execution_all_before(x, z), q))
		return true;
	uint8_t quiet = f->kind == EVENT_READ || f->partner == MODEL_NONE
		? f->quiet
		: x->event[f->partner].quiet;
	if (quiet != e->quiet)
		return false;
	uint32_t w = e->partner, half = f->kind == EVENT_READ ? z : f->partner;
	if (!row_has(RARE(x, ms, q), half) || !cannot_precede(x, base_of(x, e->rf, q), half))
		return false;
	return quiet != QUIET_MBARRIER || w == MODEL_NONE ||
		mbarrier_parity(e->value[0]) == mbarrier_parity(x->event[w].value[0]);
}

/* Whether commuted atom R may come before the atoms that commute with it and that its canonical
 * order puts after it, whatever the order of fence.sc is: no fence that such an atom precedes may
 * come before R. (Fences and atoms may have been added since R was taken.) */
static bool comes_first(const struct execution *x, uint32_t r, bool open)
{
	uint32_t v = x->event[r].partner;
	ROW_EACH(ROW(x, phys, x->event[r].phys), x->words, q) {
		const struct event *f = &x->event[q];
		if (f->kind != EVENT_READ || f->quiet != x->event[r].quiet || q == r)
			continue;
		bool later = f->rf == MODEL_NONE ||
			(f->partner != MODEL_NONE && row_has(RARE(x, co, v), f->partner));
		if (later &&
			(row_has(execution_all_before(x, r), q) ||
				(open && commute_fences_may_order(x, q, r))))
			return false;
	}
	return true;
}

/* Whether the order of commuted atoms contradicts no order of fence.sc, neither a known nor a
 * possible one. */
static bool order_is_free(const struct execution *x)
{
	const uint64_t *fences = ROW(x, set, SET_FENCE_SC);
	if (row_empty(fences, x->words))
		return true;
	bool open = execution_fences_open(x);
	ROW_EACH(ROW(x, set, SET_COMMUTED), x->words, r) {
		if (x->event[r].partner != MODEL_NONE &&
			row_meets(execution_all_before(x, r), fences, x->words) &&
			!comes_first(x, r, open))
			return false;
	}
	return true;
}

/* Whether no order of fence.sc puts a write before wait R that is not older than what R read. */
static bool wait_is_free(const struct execution *x, uint32_t r)
{
	uint32_t from = x->event[r].rf;
	ROW_EACH(ROW(x, phys, x->event[r].phys), x->words, w) {
		const struct event *e = &x->event[w];
		if ((e->kind == EVENT_WRITE || (e->kind == EVENT_READ && e->rf == MODEL_NONE)) &&
			w != from && w != r && !row_has(RARE(x, co, w), from) &&
			commute_fences_may_order(x, w, r))
			return false;
	}
	return true;
}

bool commute_waits_are_free(const struct node *n)
{
	const struct execution *x = &n->x;
	if (row_empty(ROW(x, set, SET_FENCE_SC), x->words))
		return true;
	ROW_EACH(ROW(x, set, SET_WAITED), x->words, r) {
		if (!wait_is_free(x, r))
			return false;
	}
	return true;
}

bool commute_holds(struct node *n, const struct grower *g)
{
	struct execution *x = &n->x;
	uint64_t *seen = ROW(x, set, SET_SEEN);
	if (!order_is_free(x))
		return false;
	ROW_EACH(ROW(x, set, SET_COMMUTED), x->words, q) {
		if (x->event[q].quiet == QUIET_MBARRIER && !phase_is_fixed(x, q))
			return false;
		ROW_EACH(ROW(x, phys, x->event[q].phys), x->words, z) {
			if (z == q)
				continue;
			if (x->event[z].kind == EVENT_READ && x->event[z].quiet == QUIET_POLL
					? !poll_is_blind(x, g, q, z)
					: !row_has(seen, z) && !is_harmless(x, q, z))
				return false;
		}
	}
	bool open = execution_fences_open(x);
	ROW_EACH(ROW(x, set, SET_READ), x->words, r) {
		if (x->event[r].quiet == QUIET_WAIT &&
			((row_has(ROW(x, set, SET_WAITED), r) && !wait_holds(x, r, open)) ||
				waits_late(x, r)))
			return false;
	}
	ROW_EACH(ROW(x, set, SET_COMMUTED), x->words, q)
		row_or(seen, ROW(x, phys, x->event[q].phys), x->words);
	return true;
}

bool commute_rest(const struct node *n, struct grower *g, struct node *to)
{
	const uint64_t *pending = ROW(&n->x, set, SET_PENDING);
	uint32_t from;
	/* a read that was put off had other candidates before */
	bool all = !n->deferral.count && !row_empty(pending, n->x.words);
	for (uint32_t r = 0; all && (r = row_next(pending, n->x.words, r)) != ROW_END; r++)
		all = n->x.event[r].quiet >= QUIET_INTEGER;
	for (uint32_t t = 0; all && t < g->program->nthreads; t++)
		all = n->run[t].status == RUN_ENDED;
	if (!all)
		return false;
	node_copy(to, n, g);
	pending = ROW(&to->x, set, SET_PENDING);
	while (all && !row_empty(pending, to->x.words)) {
		all = false;
		ROW_EACH(pending, to->x.words, r) {
			if (!commute_next(to, r, false, &from))
				continue;
			node_read_from(to, from, r);
			commute_taken(to, r);
			all = node_run(to, g);
			break;
		}
	}
	return all;
}

/* The last write before W in coherence. */
static uint32_t write_before(const struct execution *x, uint32_t w)
{
	uint32_t last = MODEL_NONE;
	ROW_EACH(ROW(x, phys, x->event[w].phys), x->words, v) {
		if (x->event[v].kind == EVENT_WRITE && row_has(RARE(x, co, v), w) &&
			(last == MODEL_NONE || row_has(RARE(x, co, last), v)))
			last = v;
	}
	return last;
}

bool commute_complete(struct node *n, struct grower *g)
{
	const uint64_t *pending = ROW(&n->x, set, SET_PENDING);
	for (uint32_t left = row_count(pending, n->x.words); left; left--) {
		uint32_t r = MODEL_NONE, from = MODEL_NONE;
		ROW_EACH(pending, n->x.words, q) {
			uint32_t v = write_before(&n->x, n->x.event[q].partner);
			if (v != MODEL_NONE && n->x.event[v].flags & EVENT_KNOWN) {
				r = q;
				from = v;
			}
		}
		assert(r != MODEL_NONE);
		node_read_from(n, from, r);
		if (!node_run(n, g))
			return false;
	}
	return execution_saturate(&n->x);
}
