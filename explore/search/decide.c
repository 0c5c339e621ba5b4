/* The options of each pending read: the writes that it may read from now, and to be deferred until
 * there are others, as long as others may come. A read with one option is no choice; of the others,
 * the one with the fewest options is next. */
#include "explore/search/decide.h"
#include "base/assert.h"
#include "explore/search/commute.h"
#include "explore/search/contest.h"
#include "explore/search/exchange.h"
#include "explore/search/retry.h"
#include <string.h>

struct deferral *decide_deferral(const struct node *n, uint32_t r)
{
	for (uint32_t i = 0; i < n->deferral.count; i++) {
		if (n->deferral.data[i].read == r)
			return &n->deferral.data[i];
	}
	return NULL;
}

/* Drops from ROW the writes that the deferred read of D must not read from any more. Writes added
 * since then have no bit in D. */
static void drop_seen(const struct execution *x, const struct deferral *d, uint64_t *row)
{
	assert(d->words <= x->words);
	for (uint32_t k = 0; k < d->words; k++)
		row[k] &= ~d->seen[k];
}

/* Collects, once for all reads of N, the threads that have not ended and the writes that are not
 * known yet. */
static void survey_node(struct worker *w, const struct node *n)
{
	const struct execution *x = &n->x;
	w->going.count = w->open.count = 0;
	for (uint32_t t = 0; t < w->grower.program->nthreads; t++) {
		if (n->run[t].status < RUN_ENDED && !stage_is_later(n, &w->grower, t))
			*vec_push(&w->going) = (struct going){
				t, row_last(ROW(x, thread, t), x->words)};
	}
	for (uint32_t i = 0; i < x->n; i++) {
		const struct event *f = &x->event[i];
		if ((f->kind == EVENT_WRITE && !(f->flags & EVENT_KNOWN)) ||
			(f->kind == EVENT_VOID && f->flags & EVENT_MAYBE))
			*vec_push(&w->open) = i;
	}
}

/* Whether write K, whose value is not known, may become known: so may the pending reads in ALIVE.
 */
static bool may_be_known(
	const struct worker *w, const struct execution *x, uint32_t k, const uint64_t *alive)
{
	const struct event *f = &x->event[k];
	if (f->partner != MODEL_NONE && row_has(ROW(x, set, SET_PENDING), f->partner))
		return row_has(alive, f->partner);
	return row_has(w->moving, f->thread);
}

/* Whether R may still read from some write that does not exist yet or whose value is not known.
 * Uses the result of survey_node(). ALIVE: given that of the pending reads only these can be
 * resolved, and only the threads W->moving can go on; NULL: given nothing. */
static bool may_defer(
	const struct worker *w, const struct node *n, uint32_t r, const uint64_t *alive)
{
	const struct explore_program *p = w->grower.program;
	const struct execution *x = &n->x;
	const struct event *e = &x->event[r];
	uint64_t phys = w->grower.locations.phys.data[e->phys].address;
	const uint64_t *after = ROW(x, cb, r);
	if (p->is_constant && p->is_constant(p, phys, e->size))
		return false;
	/* R cannot read from a write that follows it in base causality */
	bool after_is_lost = !p->aliases && !(w->grower.model.off & (OFF_CAUSALITY | OFF_BARRIER));
	for (uint32_t i = 0; i < w->open.count; i++) {
		uint32_t k = w->open.data[i];
		const struct event *f = &x->event[k];
		if (f->phys != e->phys && (f->kind != EVENT_VOID || f->phys != MODEL_NONE))
			continue;
		if ((after_is_lost && row_has(after, k)) ||
			(alive && !may_be_known(w, x, k, alive)))
			continue;
		if (f->phys == e->phys || !p->may_touch ||
			p->may_touch(p, f->thread, f->place, phys, e->size))
			return true;
	}
	for (uint32_t i = 0; i < w->going.count; i++) {
		const struct going *g = &w->going.data[i];
		if ((after_is_lost && g->last != ROW_END &&
			    (g->last == r || row_has(after, g->last))) ||
			(alive && !row_has(w->moving, g->thread)))
			continue;
		if (node_may_write(n, &w->grower, g->thread, phys, e->size))
			return true;
	}
	return false;
}

/* Reads that are examined for a decision at most. */
enum { MAX_HOPES = 256 };

/* Whether some read in W->hope can never be resolved if read DEFERRED (MODEL_NONE: no other) takes
 * none of its present candidates: every write that it could read from later waits, directly or not,
 * for such a read. */
static bool is_hopeless(struct worker *w, const struct node *n, uint32_t deferred)
{
	const struct execution *x = &n->x;
	uint64_t *alive = ROW(x, tmp, SCRATCH_LOOK);
	if (!w->grower.waits || w->hope.count > MAX_HOPES)
		return false;
	memset(w->moving, 255, (w->grower.program->nthreads / 64 + 1) * sizeof *w->moving);
	row_clear(alive, x->words);
	for (uint32_t i = 0; i < w->hope.count; i++) {
		uint32_t t = x->event[w->hope.data[i].read].thread;
		if (n->run[t].status != RUN_READY && n->run[t].status != RUN_BLOCKED)
			row_drop(w->moving, t);
	}
	for (bool changed = true; changed;) {
		changed = false;
		for (uint32_t i = 0; i < w->hope.count; i++) {
			const struct hope *h = &w->hope.data[i];
			if (row_has(alive, h->read) ||
				!((h->open && h->read != deferred) ||
					may_defer(w, n, h->read, alive)))
				continue;
			row_put(alive, h->read);
			row_put(w->moving, x->event[h->read].thread);
			changed = true;
		}
	}
	for (uint32_t i = 0; i < w->hope.count; i++) {
		if (!w->hope.data[i].forever && !row_has(alive, w->hope.data[i].read))
			return true;
	}
	return false;
}

/* Costs of decisions that are better made later: weak reads that may get more candidates, which
 * synchronisation nearly always decides; atoms that may still get their position in the canonical
 * order of commuting atoms; and, last of all, waits for a phase that no arrival has completed. */
enum { COST_WEAK = 1 << 16, COST_LATE = 1 << 20, COST_LAST = 1 << 21 };

bool decide_options(
	struct worker *w, const struct node *n, uint32_t r, uint64_t *row, struct options *o)
{
	const struct execution *x = &n->x;
	const struct deferral *d = decide_deferral(n, r);
	*o = (struct options){0};
	execution_candidates(x, r, row);
	bool forever = false;
	if (!w->grower.commute || x->event[r].quiet != QUIET_WAIT) {
		o->again = w->grower.commute && x->event[r].quiet == QUIET_POLL &&
			commute_poll(n, &w->grower, r, row);
		uint32_t allowed = row_count(row, x->words);
		/* of all candidates, since what it was deferred for need not come */
		forever = retry_drop(n, &w->grower, r, row);
		exchange_drop(n, &w->grower, r, row);
		o->narrowed = row_count(row, x->words) < allowed;
	}
	if (d)
		drop_seen(x, d, row);
	return forever;
}

/* Fills D with the number of options that R has with candidates ROW and, if only a few count,
 * which. *LATE: its additional cost; AGAIN, FOREVER: see find_options. */
static void count_options(struct worker *w, const struct node *n, uint32_t r, const uint64_t *row,
	bool again, bool forever, struct decision *d, uint32_t *late)
{
	const struct execution *x = &n->x;
	bool over = false;
	uint32_t few = UINT32_MAX;
	*d = (struct decision){.read = r};
	w->grower.work[WORK_READS]++;
	if (w->grower.commute && x->event[r].quiet == QUIET_WAIT && !row_empty(row, x->words))
		few = commute_wait(n, r, row, d->from, &over);
	d->nfrom = few == UINT32_MAX ? 0 : few;
	d->over = over;
	d->defer = !over && (forever || may_defer(w, n, r, NULL));
	d->noptions = (few != UINT32_MAX ? few : row_count(row, x->words)) + d->defer;
	/* better after the thread's other reads are resolved: then spinning is detected */
	bool waits = x->event[r].quiet == QUIET_WAIT && few == UINT32_MAX;
	*late = waits                                                  ? 2 * COST_WEAK
		: again || (few != UINT32_MAX && !over)                ? COST_LAST
		: w->grower.commute && x->event[r].quiet >= QUIET_ATOM ? COST_LATE
		: d->defer && !event_strong(&x->event[r])              ? COST_WEAK
								       : 0;
}

static bool location_is_forced(const struct worker *w, const struct execution *x, uint32_t phys)
{
	for (uint32_t i = 0; i < w->forced.count; i++) {
		if (x->event[w->forced.data[i].read].phys == phys)
			return true;
	}
	return false;
}

bool decide_commuting(struct worker *w, struct node *n)
{
	const struct execution *x = &n->x;
	uint32_t from;
	bool open = w->grower.commute && execution_fences_open(x);
	ROW_EACH(ROW(x, set, SET_PENDING), x->words, r) {
		if (!w->grower.commute || x->event[r].quiet < QUIET_ATOM || r >= w->settled ||
			location_is_forced(w, x, x->event[r].phys) ||
			!commute_next(n, r, open, &from))
			continue;
		const struct deferral *d = decide_deferral(n, r);
		if (!d || from >= d->words * 64 || !row_has(d->seen, from))
			*vec_push(&w->forced) = (struct decision){.read = r,
				.noptions = 1,
				.commutes = true,
				.nfrom = 1,
				.from = {from}};
	}
	return w->forced.count > 0;
}

/* Nothing but reads that their threads may repeat forever is left, in W->hope: BEST is the decision
 * from which write the first of them does. */
static bool decide_forever(
	struct worker *w, const struct node *n, struct decision *best, uint64_t *row)
{
	for (uint32_t i = 0; i < w->hope.count; i++) {
		if (!w->hope.data[i].forever)
			return false;
	}
	if (!w->hope.count)
		return true;
	*best = (struct decision){.read = w->hope.data[0].read, .forever = true};
	retry_forever(n, &w->grower, best->read, row);
	best->noptions = row_count(row, n->x.words);
	if (best->noptions == 1)
		*vec_push(&w->forced) = *best;
	return best->noptions;
}

/* Whether some thread may still write to R's location with a write that does not exist yet. */
static bool other_atoms_come(const struct worker *w, const struct node *n, uint32_t r)
{
	uint32_t phys = n->x.event[r].phys;
	for (uint32_t i = 0; i < w->going.count; i++) {
		if (node_may_write(n, &w->grower, w->going.data[i].thread,
			    w->grower.locations.phys.data[phys].address, n->x.event[r].size))
			return true;
	}
	return false;
}

/* For how many writes read R is put off if it is: for an atom, the atoms that could come first
 * instead; otherwise the writes that are not known yet. */
static uint32_t writes_to_come(const struct worker *w, const struct execution *x, uint32_t r)
{
	uint32_t n = 0, phys = x->event[r].phys;
	bool atom = row_has(ROW(x, set, SET_RMW), r);
	for (uint32_t i = 0; atom && i < w->hope.count; i++) {
		const struct hope *h = &w->hope.data[i];
		n += h->open && h->read != r && x->event[h->read].phys == phys;
	}
	for (uint32_t i = 0; !atom && i < w->open.count; i++)
		n += x->event[w->open.data[i]].phys == phys;
	return n ? n : 1;
}

double decision_share(const struct decision *d, uint32_t option)
{
	if (!d->defer)
		return 1.0 / d->noptions;
	uint32_t all = d->noptions - 1 + d->later;
	return (double)(option == d->noptions - 1 ? d->later : 1) / all;
}

bool decide_planned(struct worker *w, const struct node *n)
{
	uint32_t from, r = exchange_next(n, &from);
	if (r == MODEL_NONE)
		return false;
	if (from == MODEL_NONE || !(n->x.event[from].flags & EVENT_KNOWN)) {
		w->grower.regret = true; /* it did not do what it was expected to do */
		return false;
	}
	*vec_push(&w->forced) = (struct decision){
		.read = r, .noptions = 1, .planned = true, .nfrom = 1, .from = {from}};
	return true;
}

/* Whether the next decision is the order of all atoms of BEST's location: then BEST is that. */
static bool plan_atoms(struct worker *w, struct node *n, struct decision *best, uint64_t *row)
{
	struct options o;
	if (best->nfrom || !row_has(ROW(&n->x, set, SET_RMW), best->read) ||
		decide_options(w, n, best->read, row, &o) || row_count(row, n->x.words) != 1)
		return false;
	uint32_t orders = exchange_plan(n, &w->grower, row_next(row, n->x.words, 0), best->read);
	if (!orders)
		return false;
	*best = (struct decision){.read = best->read, .noptions = orders, .plans = true};
	if (orders == 1)
		*vec_push(&w->forced) = *best;
	return true;
}

bool decide_next(struct worker *w, struct node *n, struct decision *best, uint64_t *row)
{
	struct execution *x = &n->x;
	uint32_t least = UINT32_MAX;
	*best = (struct decision){.read = MODEL_NONE};
	w->forced.count = 0;
	if (decide_planned(w, n) || decide_commuting(w, n))
		return true;
	w->rest = w->grower.commute && commute_rest(n, &w->grower, w->ordered);
	if (w->rest)
		return true;
	survey_node(w, n);
	w->hope.count = 0;
	struct contest contest = {.phys = MODEL_NONE};
	ROW_EACH(ROW(x, set, SET_PENDING), x->words, r) {
		struct options o;
		bool forever = decide_options(w, n, r, row, &o), open = !row_empty(row, x->words);
		struct decision one;
		uint32_t late;
		*vec_push(&w->hope) = (struct hope){r, open, forever};
		if (!open) {
			if (!forever && !may_defer(w, n, r, NULL))
				return false;
			continue;
		}
		count_options(w, n, r, row, o.again, forever, &one, &late);
		if (!one.noptions)
			return false;
		uint32_t first;
		if (one.noptions > 1 && contest_lost(n, &w->grower, &contest, r, row, &first))
			one = (struct decision){
				.read = r, .noptions = 1, .nfrom = 1, .from = {first}};
		/* of two reads with as many options, that of an atom first: it cannot wait for one
		 * that only reads */
		uint32_t cost = 2 * (one.noptions + late) + !row_has(ROW(x, set, SET_RMW), r);
		if (one.noptions + late == 1)
			*vec_push(&w->forced) = one;
		if (cost < least) {
			least = cost;
			*best = one;
		}
	}
	if (w->forced.count)
		return true;
	if (best->read == MODEL_NONE) {
		bool goes_on = decide_forever(w, n, best, row);
		if (!goes_on && w->dead)
			w->dead(w->leaf_arg, w,
				n); /* a read was deferred for a write that never came */
		return goes_on;
	}
	bool all = !other_atoms_come(w, n, best->read);
	if (all && plan_atoms(w, n, best, row))
		return true;
	if ((all && exchange_is_full(n, &w->grower, best->read)) || is_hopeless(w, n, MODEL_NONE))
		return false;
	if (best->defer && best->noptions > 1 && is_hopeless(w, n, best->read)) {
		best->defer = false;
		best->hopeless = true;
		if (--best->noptions == 1)
			*vec_push(&w->forced) = *best;
	}
	if (best->defer)
		best->later = writes_to_come(w, x, best->read);
	return true;
}
