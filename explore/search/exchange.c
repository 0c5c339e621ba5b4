/* Neighbours in a chain of atoms. The last block of a reduction asks whether its atom.add returned
 * the number of blocks less one; what the others got does not matter to them. Let atoms A and B of
 * two threads be neighbours in the chain of a location: B reads what A wrote. If A's thread does
 * the same with what B got, and B's with what A got, and both orders leave the same value, then
 * exchanging the two gives another execution with the same outcome. Of the two orders, only that in
 * which the thread with the smaller number comes first is explored: the least order of a class
 * contains no neighbours the other way round, so each class keeps at least that one.
 *
 * "The same" is tried: the thread is run from where it was with either value, until it stops or
 * reads what is not known yet, and must do the same and be in the same state then. So nothing in it
 * may be unknown: what it computes from the result and an unknown value would look the same. The
 * conditions besides: neither result orders anything that follows and that another CTA could notice
 * (after an acquire, the thread's CTA touches nothing but its own shared memory), nothing orders A
 * before B, and every other access of the location that is no such atom comes after both or before
 * both in base causality, so nobody sees the value in between. exchange_holds() checks this for
 * what comes later; where it fails, the search starts again with all orders. */
#include "explore/search/exchange.h"
#include "explore/search/commute.h"
#include "explore/search/trial.h"
#include <string.h>

/* An atom that was tried when it was read: the atoms then pending with which it may be exchanged.
 */
static const struct exchange *tried(const struct node *n, uint32_t q)
{
	for (uint32_t i = n->exchange.count; i-- > 0;) {
		if (n->exchange.data[i].read == q)
			return &n->exchange.data[i];
	}
	return NULL;
}

static bool has_twins(const struct explore_program *p, uint32_t t)
{
	return p->twin && p->twin[t] != UINT32_MAX;
}

/* Whether R is the read of an atom that is one whole access, certainly writes, and whose thread is
 * not reduced in another way. */
static bool is_plain_atom(const struct node *n, const struct grower *g, uint32_t r)
{
	const struct execution *x = &n->x;
	const struct event *e = &x->event[r];
	const struct explore_program *p = g->program;
	return row_has(ROW(x, set, SET_RMW), r) && e->quiet == QUIET_NOT &&
		e->group == MODEL_NONE && e->size <= 8 && event_strong(e) &&
		!(e->flags & EVENT_ELEMENT) && e->proxy == PROXY_GENERIC &&
		e->thread < p->nthreads - p->nhelpers && !has_twins(p, e->thread) &&
		!g->locations.phys.data[e->phys].overlaps;
}

/* --- which orders do not matter --- */

/* Whether the event of Z's access is half of an atom that atom A may have as a neighbour. */
static bool in_chain(const struct node *n, uint32_t a, uint32_t z)
{
	const struct execution *x = &n->x;
	const struct event *e = &x->event[z];
	uint32_t read = e->kind == EVENT_READ ? z : e->partner;
	return z == a || x->event[a].partner == z ||
		(read != MODEL_NONE && row_has(ROW(x, set, SET_RMW), read) &&
			x->event[read].quiet == QUIET_NOT && row_has(RARE(x, ms, a), z) &&
			x->event[z].virt == x->event[a].virt);
}

/* Whether every access of A's location that is no atom of its chain comes after both A and B, or
 * before both. */
static bool others_agree(const struct node *n, uint32_t a, uint32_t b)
{
	const struct execution *x = &n->x;
	ROW_EACH(ROW(x, phys, x->event[a].phys), x->words, z) {
		if (x->event[z].flags & EVENT_INITIAL || (in_chain(n, a, z) && in_chain(n, b, z)))
			continue;
		if (!(row_has(ROW(x, cb, a), z) && row_has(ROW(x, cb, b), z)) &&
			!(row_has(ROW(x, cbp, a), z) && row_has(ROW(x, cbp, b), z)))
			return false;
	}
	return true;
}

/* Whether event I, which an acquire precedes, can be noticed by its own CTA alone. */
static bool stays_inside(const struct node *n, const struct grower *g, uint32_t i)
{
	const struct event *e = &n->x.event[i];
	if (event_access(e))
		return explore_is_inside(
			g->program, e->thread, g->locations.phys.data[e->phys].address, e->size);
	return e->kind == EVENT_FENCE ? e->sem != SEM_SC
				      : e->kind == EVENT_BARRIER &&
			explore_is_inside(g->program, e->thread, e->value[0] / 2, 0);
}

/* The same for what follows atom A in the other threads of its CTA. */
static bool cta_stays_inside(const struct node *n, const struct grower *g, uint32_t a)
{
	const struct execution *x = &n->x;
	const struct placement *place = g->program->place;
	uint32_t own = x->event[a].thread;
	ROW_EACH(ROW(x, cb, a), x->words, i) {
		const struct event *e = &x->event[i];
		if (e->thread == own || e->thread == UINT16_MAX || e->kind == EVENT_VOID ||
			!scope_includes(SCOPE_CTA, &place[own], &place[e->thread]))
			continue;
		if (!stays_inside(n, g, i))
			return false;
	}
	return true;
}

/* Whether nothing that follows atom A could tell what A got by what it orders. */
static bool orders_nothing(const struct node *n, const struct grower *g, uint32_t a)
{
	const struct execution *x = &n->x;
	const struct event *e = &x->event[a];
	bool acquired = event_acquires(e);
	const uint64_t *thread = ROW(x, thread, e->thread);
	for (uint32_t i = row_next(thread, x->words, a + 1); i != ROW_END;
		i = row_next(thread, x->words, i + 1)) {
		const struct event *f = &x->event[i];
		if (i == e->partner || f->kind == EVENT_VOID)
			continue;
		if (f->kind == EVENT_FENCE && f->sem == SEM_SC)
			return false;
		if (f->kind == EVENT_FENCE)
			acquired |= event_acquires(f);
		else if (acquired && !stays_inside(n, g, i))
			return false;
	}
	return !acquired || cta_stays_inside(n, g, a);
}

/* Whether atom Q, whose write pending atom R may read, and R could be exchanged. */
static bool may_exchange(const struct node *n, const struct grower *g, uint32_t q, uint32_t r)
{
	const struct execution *x = &n->x;
	const struct exchange *e = tried(n, q);
	uint32_t w = x->event[q].partner;
	return e && r < e->words * 64 && row_has(e->with, r) && !row_has(ROW(x, cb, q), r) &&
		!row_has(ROW(x, cb, w), r) && commute_order_is_closed(x, r) &&
		!(execution_fences_open(x) && commute_fences_may_order(x, q, r)) &&
		orders_nothing(n, g, q) && orders_nothing(n, g, r) && others_agree(n, q, r);
}

void exchange_drop(const struct node *n, const struct grower *g, uint32_t r, uint64_t *row)
{
	const struct execution *x = &n->x;
	if (!n->exchange.count || !is_plain_atom(n, g, r))
		return;
	ROW_EACH(row, x->words, w) {
		uint32_t q = x->event[w].partner;
		if (q != MODEL_NONE && x->event[q].thread > x->event[r].thread &&
			may_exchange(n, g, q, r))
			row_drop(row, w);
	}
}

/* Whether B is a pending atom of another thread at the location of atom R. */
static bool is_rival(const struct node *n, const struct grower *g, uint32_t r, uint32_t b)
{
	const struct execution *x = &n->x;
	return b != r && x->event[b].rf == MODEL_NONE && x->event[b].thread != x->event[r].thread &&
		is_plain_atom(n, g, b) && in_chain(n, r, b);
}

void exchange_note(struct node *n, struct grower *g, uint32_t w, uint32_t r)
{
	struct execution *x = &n->x;
	if (!g->commute || g->program->aliases || !is_plain_atom(n, g, r))
		return;
	uint32_t q = x->event[w].partner;
	if (q != MODEL_NONE && may_exchange(n, g, q, r)) {
		row_put(ROW(x, set, SET_EXCHANGED), q);
		row_put(ROW(x, set, SET_EXCHANGED), r);
	}
	if (!(x->event[w].flags & EVENT_INITIAL) && !row_has(RARE(x, ms, r), w) &&
		!row_has(ROW(x, cbp, r), w))
		return;
	uint64_t *with = NULL, first = x->event[w].value[0], own, did;
	ROW_EACH(ROW(x, phys, x->event[r].phys), x->words, b) {
		if (!is_rival(n, g, r, b))
			continue;
		uint64_t written[2], late[2], same[2];
		if (!with && !trial_apart(n, g, r, first, &own, &did))
			return;
		if (!with) {
			with = node_alloc(n, x->words * sizeof *with);
			row_clear(with, x->words);
		}
		if (trial_apart(n, g, b, first, &written[0], &same[0]) &&
			trial_apart(n, g, b, own, &written[1], &same[1]) && same[0] == same[1] &&
			trial_apart(n, g, r, written[0], &late[0], &late[1]) && late[1] == did &&
			late[0] == written[1])
			row_put(with, b);
	}
	if (with && !row_empty(with, x->words))
		*vec_push(&n->exchange) = (struct exchange){r, x->words, with};
}

bool exchange_holds(const struct node *n, const struct grower *g)
{
	const struct execution *x = &n->x;
	const uint64_t *all = ROW(x, set, SET_EXCHANGED);
	ROW_EACH(all, x->words, a) {
		if (!orders_nothing(n, g, a))
			return false;
		/* what agrees about the first atom of the location and each other one agrees about
		 * all */
		ROW_EACH(all, x->words, b) {
			if (x->event[b].phys != x->event[a].phys)
				continue;
			if (b != a && !others_agree(n, a, b))
				return false;
			break;
		}
	}
	return true;
}

/* The atom that is last in the chain of plain atom R's location, if there is only one such. */
static uint32_t last_in_chain(const struct node *n, const struct grower *g, uint32_t r)
{
	const struct execution *x = &n->x;
	uint32_t last = MODEL_NONE;
	ROW_EACH(ROW(x, phys, x->event[r].phys), x->words, q) {
		bool read = false;
		if (x->event[q].rf == MODEL_NONE || !is_plain_atom(n, g, q))
			continue;
		ROW_EACH(ROW(x, phys, x->event[r].phys), x->words, z)
			read |= x->event[z].kind == EVENT_READ &&
				x->event[z].rf == x->event[q].partner;
		if (!read && last != MODEL_NONE)
			return MODEL_NONE;
		if (!read)
			last = q;
	}
	return last;
}

/* Whether all pending atoms of R's location do the same with VALUE as with BEFORE, and write the
 * same, *NEXT. */
static bool all_alike(const struct node *n, struct grower *g, uint32_t r, uint64_t before,
	uint64_t value, uint64_t *next)
{
	const struct execution *x = &n->x;
	bool first = true;
	ROW_EACH(ROW(x, phys, x->event[r].phys), x->words, b) {
		uint64_t written[2], did[2];
		if (b != r && !is_rival(n, g, r, b))
			continue;
		if (!trial_apart(n, g, b, before, &written[0], &did[0]) ||
			!trial_apart(n, g, b, value, &written[1], &did[1]) || did[0] != did[1] ||
			(!first && written[1] != *next))
			return false;
		*next = written[1];
		first = false;
	}
	return true;
}

/* An atom that could have come before the last one of the chain, and must not come right after it,
 * must not follow the next ones either as long as none of them makes a difference. If there are
 * fewer others than such positions, some position stays empty. */
bool exchange_is_full(const struct node *n, struct grower *g, uint32_t r)
{
	const struct execution *x = &n->x;
	uint32_t q, pending = 0, awake = 0;
	if (!n->exchange.count || !is_plain_atom(n, g, r) ||
		(q = last_in_chain(n, g, r)) == MODEL_NONE)
		return false;
	ROW_EACH(ROW(x, phys, x->event[r].phys), x->words, b) {
		if (b != r && !is_rival(n, g, r, b))
			continue;
		pending++;
		awake += !(x->event[q].thread > x->event[b].thread && may_exchange(n, g, q, b));
	}
	uint64_t before = x->event[q].value[0], value = x->event[x->event[q].partner].value[0],
		 next = 0;
	for (uint32_t k = 0; awake < pending && k <= awake; k++) {
		if (!all_alike(n, g, r, before, value, &next))
			return false;
		before = value;
		value = next;
	}
	return awake < pending;
}

/* --- an order for all --- */

enum { PLAN_LEAST = 3 };

/* Whether pending atom B, which is one of the atoms at A's location, may come right after W, and
 * nothing but the values could tell its place among the others. */
static bool may_come_next(
	const struct node *n, struct grower *g, uint32_t w, uint32_t a, uint32_t b)
{
	const struct execution *x = &n->x;
	uint64_t *row = ROW(x, tmp, SCRATCH_CANDIDATES);
	if (!(x->event[w].flags & EVENT_INITIAL) && !row_has(RARE(x, ms, b), w) &&
		!row_has(ROW(x, cbp, b), w))
		return false;
	for (uint32_t i = 0; i < n->deferral.count; i++) {
		const struct deferral *d = &n->deferral.data[i];
		if (d->read == b && w < d->words * 64 && row_has(d->seen, w))
			return false;
	}
	execution_candidates(x, b, row);
	exchange_drop(n, g, b, row);
	return row_has(row, w) && row_count(row, x->words) == 1 && orders_nothing(n, g, b) &&
		commute_order_is_closed(x, b) && (a == b || others_agree(n, a, b));
}

/* Whether one of the COUNT atoms ATOM must come before another. */
static bool some_are_ordered(const struct execution *x, const uint32_t *atom, uint32_t count)
{
	bool open = execution_fences_open(x);
	for (uint32_t i = 0; i < count; i++) {
		for (uint32_t k = 0; k < count; k++) {
			if (i != k &&
				(row_has(ROW(x, cb, atom[i]), atom[k]) ||
					(x->event[atom[i]].partner != MODEL_NONE &&
						row_has(ROW(x, cb, x->event[atom[i]].partner),
							atom[k])) ||
					(open && commute_fences_may_order(x, atom[i], atom[k]))))
				return true;
		}
	}
	return false;
}

/* Collects in ATOM, by thread, the pending atoms of R's location. False: something else is pending
 * there. */
static bool collect_atoms(const struct node *n, struct grower *g, uint32_t w, uint32_t r,
	uint32_t *atom, uint32_t *count)
{
	const struct execution *x = &n->x;
	*count = 0;
	ROW_EACH(ROW(x, phys, x->event[r].phys), x->words, b) {
		const struct event *e = &x->event[b];
		if (e->kind == EVENT_READ ? e->rf != MODEL_NONE
					  : e->flags & EVENT_KNOWN || e->partner != MODEL_NONE)
			continue;
		if (e->kind != EVENT_READ || !(b == r || is_rival(n, g, r, b)) ||
			!may_come_next(n, g, w, r, b))
			return false;
		uint32_t k = (*count)++;
		for (; k && x->event[atom[k - 1]].thread > e->thread; k--)
			atom[k] = atom[k - 1];
		atom[k] = b;
	}
	return true;
}

/* In how many of the first positions after a write of VALUE all atoms do the same. */
static uint32_t alike_positions(const struct node *n, struct grower *g, const uint32_t *atom,
	uint32_t count, uint64_t value)
{
	uint64_t *did = node_alloc((struct node *)n, count * sizeof *did);
	for (uint32_t at = 0; at < count; at++) {
		uint64_t next = 0;
		for (uint32_t k = 0; k < count; k++) {
			uint64_t written, now;
			if (!trial_apart(n, g, atom[k], value, &written, &now) ||
				(at && now != did[k]) || (k && written != next))
				return at;
			did[k] = now;
			next = written;
		}
		value = next;
	}
	return count;
}

uint32_t exchange_plan(struct node *n, struct grower *g, uint32_t w, uint32_t r)
{
	const struct execution *x = &n->x;
	uint32_t count, pending = row_count(ROW(x, set, SET_PENDING), x->words);
	if (!g->commute || g->program->aliases || pending < PLAN_LEAST || !is_plain_atom(n, g, r))
		return 0;
	uint32_t *atom = node_alloc(n, pending * sizeof *atom);
	if (!collect_atoms(n, g, w, r, atom, &count) || count < PLAN_LEAST ||
		some_are_ordered(x, atom, count))
		return 0;
	uint32_t alike = alike_positions(n, g, atom, count, x->event[w].value[0]);
	if (alike + 1 < count)
		return 0;
	n->plan = (struct plan){
		.read = atom, .count = count, .next = count, .from = w, .differs = alike < count};
	return n->plan.differs ? count : 1;
}

void exchange_choose(struct node *n, uint32_t option)
{
	struct plan *p = &n->plan;
	uint32_t *order = node_alloc(n, p->count * sizeof *order), last = p->count - 1 - option,
		 k = 0;
	for (uint32_t i = 0; i < p->count; i++) {
		if (i != last)
			order[k++] = p->read[i];
	}
	order[k] = p->read[last];
	p->read = order;
	p->next = 0;
}

uint32_t exchange_next(const struct node *n, uint32_t *from)
{
	const struct plan *p = &n->plan;
	if (p->next == p->count)
		return MODEL_NONE;
	*from = p->next ? n->x.event[p->read[p->next - 1]].partner : p->from;
	return p->read[p->next];
}

void exchange_taken(struct node *n)
{
	struct plan *p = &n->plan;
	uint32_t r = p->read[p->next++];
	if (p->next < p->count || !p->differs)
		row_put(ROW(&n->x, set, SET_EXCHANGED), r);
}
