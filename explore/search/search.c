/* The search: reaches every consistent execution graph by exactly one sequence of choices. Running
 * threads involves no choice. A choice is which existing write a pending read reads from, or to
 * defer the read until there are other writes; and which group passes a barrier first, where more
 * threads may arrive than the barrier counts. */
#include "explore/search/search.h"
#include "base/assert.h"
#include "explore/search/twins.h"
#include "base/memory.h"
#include "explore/search/commute.h"
#include "explore/search/contest.h"
#include "explore/search/exchange.h"
#include "explore/search/retry.h"
#include <stdlib.h>
#include <string.h>

/* Once it has returned true, it always does: a caller that continued would take partial results for
 * complete ones. */
static bool worker_stopped(void *arg)
{
	struct worker *w = arg;
	w->halted = w->halted || w->stopped(w->leaf_arg);
	return w->halted;
}

void worker_init(struct worker *w, const struct explore_program *p, const struct explore_options *o)
{
	*w = (struct worker){0};
	grower_init(&w->grower, p, o->off);
	w->ordered = memory_zeroed(1, sizeof *w->ordered);
	node_init(w->ordered, &w->grower);
	w->grower.model.stopped = worker_stopped;
	w->grower.model.stopped_arg = w;
	w->max_bytes = o->max_memory && o->max_memory < EXPLORE_BYTES ? (size_t)o->max_memory
								      : EXPLORE_BYTES;
	w->max_node = o->max_memory && o->max_memory < EXPLORE_NODE_BYTES ? (size_t)o->max_memory
									  : EXPLORE_NODE_BYTES;
	w->max_branching = o->jobs == 1 ? w->max_node : w->max_bytes;
	w->max_bytes = o->max_branch ? (size_t)o->max_branch : w->max_bytes;
	w->grower.fences = o->fences;
	w->grower.commute = !o->off && !o->all_orders;
	w->grower.waits = !o->off && !o->all_branches;
	w->grower.stages = w->grower.waits && p->stage;
	w->moving = memory_zeroed(p->nthreads / 64 + 1, sizeof *w->moving);
	for (uint32_t k = 0; k < o->ncuts; k++)
		grower_cut(&w->grower, &o->cut[k]);
	if (o->max_events)
		w->grower.max_events = o->max_events;
}

void worker_free(struct worker *w)
{
	for (uint32_t i = 0; i < w->nnodes; i++) {
		node_free(w->node[i]);
		memory_drop(w->node[i]);
	}
	memory_drop(w->node);
	node_free(w->ordered);
	memory_drop(w->ordered);
	vec_free(&w->trail);
	vec_free(&w->chosen);
	vec_free(&w->kept);
	vec_free(&w->going);
	vec_free(&w->open);
	vec_free(&w->forced);
	vec_free(&w->hope);
	vec_free(&w->end.word);
	memory_drop(w->moving);
	grower_free(&w->grower);
}

size_t worker_bytes(const struct worker *w)
{
	size_t bytes = node_bytes(w->ordered);
	for (uint32_t i = 0; i < w->nnodes; i++)
		bytes += node_bytes(w->node[i]);
	return bytes;
}

static struct node *node_at(struct worker *w, uint32_t depth)
{
	if (depth == w->nnodes) {
		w->node = memory_resize(w->node, (depth + 1u) * sizeof *w->node);
		w->node[depth] = memory_zeroed(1, sizeof **w->node);
		node_init(w->node[depth], &w->grower);
		w->nnodes++;
	}
	return w->node[depth];
}

static struct deferral *deferral_of(const struct node *n, uint32_t r)
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

/* ROW: the writes that pending read R may read from now and with which its thread goes on. Returns
 * whether its thread may also repeat it forever. */
static bool find_options(
	struct worker *w, const struct node *n, uint32_t r, uint64_t *row, struct options *o)
{
	const struct execution *x = &n->x;
	const struct deferral *d = deferral_of(n, r);
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

/* Collects in W->forced the atoms that come next in the canonical order, one per location.
 * Considers only events that existed when the node was last settled: for others, causality is not
 * computed yet. */
static bool find_commuting(struct worker *w, struct node *n)
{
	const struct execution *x = &n->x;
	uint32_t from;
	bool open = w->grower.commute && execution_fences_open(x);
	ROW_EACH(ROW(x, set, SET_PENDING), x->words, r) {
		if (!w->grower.commute || x->event[r].quiet < QUIET_ATOM || r >= w->settled ||
			location_is_forced(w, x, x->event[r].phys) ||
			!commute_next(n, r, open, &from))
			continue;
		const struct deferral *d = deferral_of(n, r);
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

/* The part that OPTION has of what follows decision D, if all writes are alike: 0 to 1. It only
 * serves to estimate how much is left. */
static double share_of(const struct decision *d, uint32_t option)
{
	if (!d->defer)
		return 1.0 / d->noptions;
	uint32_t all = d->noptions - 1 + d->later;
	return (double)(option == d->noptions - 1 ? d->later : 1) / all;
}

/* Collects in W->forced the next atom of the order that N's plan has. */
static bool find_planned(struct worker *w, const struct node *n)
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
		find_options(w, n, best->read, row, &o) || row_count(row, n->x.words) != 1)
		return false;
	uint32_t orders = exchange_plan(n, &w->grower, row_next(row, n->x.words, 0), best->read);
	if (!orders)
		return false;
	*best = (struct decision){.read = best->read, .noptions = orders, .plans = true};
	if (orders == 1)
		*vec_push(&w->forced) = *best;
	return true;
}

/* Collects in W->forced the decisions with a single option: in the model, none of them can remove
 * the option of another; where the search allows less (find_options), take_option() leaves it. If
 * there are none, BEST is the decision with the fewest options; or W->rest says that none is
 * needed. False: some read can never be resolved. */
static bool decide(struct worker *w, struct node *n, struct decision *best, uint64_t *row)
{
	struct execution *x = &n->x;
	uint32_t least = UINT32_MAX;
	*best = (struct decision){.read = MODEL_NONE};
	w->forced.count = 0;
	if (find_planned(w, n) || find_commuting(w, n))
		return true;
	w->rest = w->grower.commute && commute_rest(n, &w->grower, w->ordered);
	if (w->rest)
		return true;
	survey_node(w, n);
	w->hope.count = 0;
	struct contest contest = {.phys = MODEL_NONE};
	ROW_EACH(ROW(x, set, SET_PENDING), x->words, r) {
		struct options o;
		bool forever = find_options(w, n, r, row, &o), open = !row_empty(row, x->words);
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

static void defer_read(struct node *n, uint32_t r)
{
	struct execution *x = &n->x;
	struct deferral *d = deferral_of(n, r);
	uint64_t *seen = node_alloc(n, x->words * sizeof *seen);
	memcpy(seen, ROW(x, set, SET_KNOWN), x->words * sizeof *seen);
	if (!d)
		d = vec_push(&n->deferral);
	*d = (struct deferral){r, x->words, seen};
}

/* Excludes the first PASSED writes of ROW for read R. */
static void exclude_candidates(struct node *n, uint32_t r, const uint64_t *row, uint32_t passed)
{
	struct execution *x = &n->x;
	struct deferral *d = deferral_of(n, r);
	uint64_t *seen = node_alloc(n, x->words * sizeof *seen);
	memset(seen, 0, x->words * sizeof *seen);
	if (d)
		memcpy(seen, d->seen, d->words * sizeof *seen);
	ROW_EACH(row, x->words, w) {
		if (!passed--)
			break;
		row_put(seen, w);
	}
	if (!d)
		d = vec_push(&n->deferral);
	*d = (struct deferral){r, x->words, seen};
}

/* Excludes for the twins of the thread of D's read the candidates that D passes over by taking
 * OPTION (twins.c). */
static void exclude_for_twins(
	struct worker *w, struct node *n, const struct decision *d, uint32_t option)
{
	const uint32_t *twin = w->grower.program->twin;
	struct execution *x = &n->x;
	uint32_t t = x->event[d->read].thread;
	if (!twin || !w->grower.commute || !option || d->nfrom || d->forever ||
		twin[t] == UINT32_MAX)
		return;
	uint64_t *row = ROW(x, tmp, SCRATCH_CANDIDATES);
	struct options o;
	find_options(w, n, d->read, row, &o);
	uint32_t nthreads = w->grower.program->nthreads - w->grower.program->nhelpers;
	bool *equal = node_alloc(n, nthreads);
	for (uint32_t u = 0; u < nthreads; u++)
		equal[u] = u != t && twin[u] == twin[t] && twins_equal(n, &w->grower, t, u);
	for (uint32_t u = 0; u < nthreads; u++) {
		if (equal[u])
			exclude_candidates(n, twins_event(n, d->read, u), row, option);
	}
}

static void take_option(struct worker *w, struct node *n, const struct decision *d, uint32_t option)
{
	struct execution *x = &n->x;
	w->grower.work[WORK_CHOICES]++;
	if (d->read == MODEL_NONE) {
		node_barrier_take(n, &w->grower, option);
		return;
	}
	if (d->plans) {
		exchange_choose(n, option);
		return;
	}
	if (d->planned) {
		node_read_from(n, d->from[0], d->read);
		exchange_taken(n);
		return;
	}
	exclude_for_twins(w, n, d, option);
	if (d->defer && option == d->noptions - 1) {
		defer_read(n, d->read);
		return;
	}
	uint64_t *row = ROW(x, tmp, SCRATCH_OUTER);
	struct deferral *old = deferral_of(n, d->read);
	struct options o = {0};
	if (d->forever)
		retry_forever(n, &w->grower, d->read, row);
	else if (!d->nfrom)
		find_options(w, n, d->read, row, &o);
	/* another forced decision, taken just before, leaves the search none: decide() goes on */
	if (!d->nfrom && row_empty(row, x->words))
		return;
	uint32_t from = d->nfrom ? d->from[option] : row_next(row, x->words, 0);
	while (!d->nfrom && option--)
		from = row_next(row, x->words, from + 1);
	if (old)
		*old = n->deferral.data[--n->deferral.count];
	/* only the model makes it so, not the search, or loops of atoms would have no bound */
	if (d->noptions == 1 && !d->nfrom && !old && !o.narrowed && !d->hopeless)
		x->event[d->read].flags |= EVENT_ONLY;
	bool over = x->event[d->read].quiet == QUIET_WAIT && d->over;
	exchange_note(n, &w->grower, from, d->read);
	node_read_from(n, from, d->read);
	if (over && from == d->from[d->nfrom - 1])
		commute_waited(n, d->read);
	if (d->commutes)
		commute_taken(n, d->read);
}

/* A spinning thread reads the same write forever only if nothing follows that write in coherence;
 * and spinning reads of one location cannot read from two morally strong writes, one of which must
 * follow the other. */
static bool spin_is_broken(struct node *n, uint32_t nthreads)
{
	const struct execution *x = &n->x;
	bool any = false;
	for (uint32_t t = 0; t < nthreads; t++)
		any |= n->run[t].status == RUN_SPINS;
	if (!any)
		return false;
	uint32_t *last = node_alloc(n, x->nphys * sizeof *last);
	memset(last, 255, x->nphys * sizeof *last); /* MODEL_NONE */
	for (uint32_t t = 0; t < nthreads; t++) {
		if (n->run[t].status != RUN_SPINS)
			continue;
		uint32_t total = row_count(ROW(x, thread, t), x->words),
			 skip = total - n->run[t].spin_events, k = 0;
		ROW_EACH(ROW(x, thread, t), x->words, e) {
			uint32_t w = x->event[e].rf, phys = x->event[e].phys;
			if (k++ < skip || x->event[e].kind != EVENT_READ || w == MODEL_NONE)
				continue;
			if (!row_empty(RARE(x, co, w), x->words) ||
				(last[phys] != MODEL_NONE && row_has(RARE(x, ms, last[phys]), w)))
				return true;
			last[phys] = w;
		}
	}
	return false;
}

/* Runs threads and completes barriers until nothing changes, and saturates. False: the branch ends
 * without an outcome. */
static bool settle_node(struct worker *w, struct node *n)
{
	do {
		w->grower.work[WORK_ROUNDS]++;
		if (!node_run(n, &w->grower))
			return false;
		w->seen_words += (uint64_t)n->x.n * n->x.words;
		if (node_bytes(n) > w->max_node) {
			w->out_of_memory = true;
			return false;
		}
	} while (!stage_has_ended(n, &w->grower) && node_complete_barriers(n, &w->grower));
	if (worker_stopped(w))
		return false;
	if (w->grower.commute && !commute_waits_are_free(n))
		w->grower.regret = true;
	bool ok = execution_grown(&n->x);
	w->settled = n->x.n;
	if (!w->halted && w->grower.commute &&
		!(commute_holds(n, &w->grower) && exchange_holds(n, &w->grower)))
		w->grower.regret = true;
	return ok && !spin_is_broken(n, w->grower.program->nthreads);
}

/* Of all faults, the one at the first place in the text counts, with its first thread, so the
 * result does not depend on the order of the search. */
static void record_fault(struct worker *w, const struct run *r, uint32_t thread)
{
	if (w->fault &&
		(w->fault_place < r->place ||
			(w->fault_place == r->place && w->fault_thread <= thread)))
		return;
	w->fault = r->fault;
	w->fault_thread = thread;
	w->fault_place = r->place;
	w->unsupported = r->unsupported;
}

/* Takes the decisions in W->forced; atoms that become next in the canonical order by this follow
 * immediately. False: see node_run. */
static bool take_forced(struct worker *w, struct node *n)
{
	do {
		bool commutes = false; /* of all decisions or none, see decide() */
		for (uint32_t i = 0; i < w->forced.count; i++) {
			const struct decision *d = &w->forced.data[i];
			bool next = d->commutes || d->plans || d->planned;
			assert(!i || commutes == next);
			commutes = next;
			take_option(w, n, d, 0);
		}
		if (!commutes)
			return true;
		if (!node_run(n, &w->grower) || worker_stopped(w))
			return false;
		w->forced.count = 0;
	} while (find_planned(w, n) || find_commuting(w, n));
	return true;
}

static void end_branch(struct worker *w, struct node *n)
{
	assert(w->rest || row_empty(ROW(&n->x, set, SET_PENDING), n->x.words));
	enum leaf_kind kind = LEAF_EXECUTION;
	for (uint32_t t = 0; t < w->grower.program->nthreads; t++) {
		const struct run *r = &n->run[t];
		if (r->status == RUN_BOUND) {
			w->bound_reached = true;
			return;
		}
		if (r->status == RUN_FAULT) {
			record_fault(w, r, t);
			return;
		}
		if (r->status == RUN_STALLED)
			return;
		if (r->status != RUN_ENDED)
			kind = LEAF_STUCK;
	}
	w->ordered->unordered = n;
	if (!node_waits_in_vain(n, &w->grower) && execution_finished(&n->x))
		w->leaf(w->leaf_arg, w, w->rest ? w->ordered : n, kind);
}

/* Adds OPTION of decision D to the trail. */
static void extend_trail(
	struct worker *w, const struct node *n, const struct decision *d, uint32_t option)
{
	const struct event *e = d->read == MODEL_NONE ? NULL : &n->x.event[d->read];
	*vec_push(&w->trail) = (uint16_t)option;
	*vec_push(&w->chosen) = (struct explore_choice){
		e ? e->thread : 0, e ? e->place : MODEL_NONE};
}

static void search_node(struct worker *w, uint32_t depth);

/* Takes decisions that leave no choice, and those of the prefix. False: the branch has ended.
 */
static bool go_on(struct worker *w, struct node *n, struct decision *choice)
{
	struct decision d;
	for (;;) {
		if (worker_stopped(w))
			return false;
		if (!settle_node(w, n))
			return false;
		d = (struct decision){.read = MODEL_NONE};
		if (stage_has_ended(n, &w->grower)) {
			d.stage = row_empty(ROW(&n->x, set, SET_PENDING), n->x.words);
			if (d.stage)
				break;
			w->forced.count = 0;
			if (stage_leaves_atoms(n, &w->grower) && !find_planned(w, n) &&
				!find_commuting(w, n)) {
				n->stage++;
				continue;
			}
		}
		if (!node_barrier_choice(n, &w->grower, &d.noptions)) {
			if (!decide(w, n, &d, ROW(&n->x, tmp, SCRATCH_OUTER)))
				return false;
			if (d.read == MODEL_NONE && !w->forced.count) {
				end_branch(w, n);
				return false;
			}
			if (w->forced.count) {
				if (!take_forced(w, n))
					return false;
				continue;
			}
		}
		uint32_t option = 0;
		if (d.noptions > 1) {
			if (w->trail.count >= w->nprefix)
				break;
			option = w->prefix[w->trail.count];
			if (option >= d.noptions)
				return false; /* a trail of another program, from a file */
			extend_trail(w, n, &d, option);
			w->share *= share_of(&d, option);
		}
		take_option(w, n, &d, option);
	}
	*choice = d;
	return true;
}

uint64_t worker_effort(const struct worker *w)
{
	return 2 * w->grower.work[WORK_STEPS] + w->seen_words; /* a step takes longer */
}

uint64_t worker_path(const struct worker *w) { return worker_effort(w) - w->origin; }

/* The current node is one that is reached with EFFORT. */
static void path_goes_on(struct worker *w, uint64_t effort)
{
	w->origin = worker_effort(w) - effort;
}

/* Whether only a part of what follows TRAIL is searched. */
static bool is_part(const struct worker *w, const uint16_t *trail, uint32_t n)
{
	return edge_parts(trail, n, &w->stretch->from) || edge_parts(trail, n, &w->stretch->to);
}

/* The end of the options of the node at TRAIL that are searched. */
static uint32_t end_of_options(
	const struct worker *w, const uint16_t *trail, uint32_t n, uint32_t noptions)
{
	const struct edge *to = &w->stretch->to;
	return edge_parts(trail, n, to) ? to->trail[n] + (n + 1u < to->n ? 1u : 0u) : noptions;
}

/* Counts the last choice of TRAIL. If only a part of what follows it is searched here, another
 * worker counts it. */
static void count_branch(struct worker *w, const uint16_t *trail, uint32_t n)
{
	w->grower.work[WORK_BRANCHES] += !is_part(w, trail, n);
}

/* Searches options FIRST to END - 1 of choice D without a copy of the node at DEPTH, for which
 * there is no room: for each option but the first, the node is made again, from the last one that
 * was kept or from the beginning, by the choices that led to it. */
static void search_again(
	struct worker *w, uint32_t depth, const struct decision *d, uint32_t first, uint32_t end)
{
	struct node *n = w->node[depth];
	const uint16_t *prefix = w->prefix;
	uint32_t nprefix = w->nprefix, length = w->trail.count;
	uint16_t *trail = memory_resize(NULL, (length + 1) * sizeof *trail);
	if (length)
		memcpy(trail, w->trail.data, length * sizeof *trail);
	extend_trail(w, n, d, first);
	count_branch(w, w->trail.data, length + 1);
	w->share *= share_of(d, first);
	take_option(w, n, d, first);
	search_node(w, depth);
	for (uint32_t option = first + 1; option < end && !worker_stopped(w); option++) {
		struct kept base = {.share = 1};
		if (depth)
			base = w->kept.data[depth - 1];
		trail[length] = (uint16_t)option;
		count_branch(w, trail, length + 1);
		w->prefix = trail;
		w->nprefix = length + 1;
		w->trail.count = w->chosen.count = base.length;
		w->share = base.share;
		path_goes_on(w, base.effort);
		if (depth)
			node_copy(n, w->node[depth - 1], &w->grower);
		else
			node_begin(n, &w->grower);
		search_node(w, depth);
	}
	w->prefix = prefix;
	w->nprefix = nprefix;
	memory_drop(trail);
}

/* A node that takes more than this part of the memory for a branch is packed while its options are
 * searched. */
enum { PACK_PART = 768 };

/* Searches options FIRST to END - 1 of choice D in copies of N, except the last, *LAST. False:
 * nothing is left to do, because N's memory is too much for a copy, or the last were given away, or
 * the search has stopped. */
static bool search_options(struct worker *w, uint32_t depth, const struct decision *d,
	uint32_t first, uint32_t end, uint32_t *last)
{
	struct node *n = w->node[depth];
	if (first + 1 == end) {
		*last = first;
		return true;
	}
	/* Memory is counted along the branch, so the bound does not depend on what a worker
	 * searched before. */
	size_t bytes = node_bytes(n);
	if (bytes > w->max_branching) {
		w->crowded = true;
		return false;
	}
	if (w->bytes + bytes > w->max_bytes) {
		search_again(w, depth, d, first, end);
		return false;
	}
	bool large = bytes > w->max_bytes / PACK_PART;
	struct node *child = node_at(w, depth + 1);
	struct kept own = {.length = w->trail.count,
		.share = w->share,
		.effort = worker_path(w),
		.option = first,
		.end = end,
		.early = w->grower.stages && n->stage + 1 < w->grower.program->nstages};
	*vec_push(&w->kept) = own;
	/* worker_give() may lower its end */
	while (own.option + 1 < w->kept.data[depth].end && !worker_stopped(w)) {
		if (large && own.option == first)
			node_pack(n, child, &w->grower);
		else
			node_copy(child, n, &w->grower);
		if (own.option == first)
			w->bytes += bytes = node_bytes(n);
		extend_trail(w, child, d, own.option);
		count_branch(w, w->trail.data, w->trail.count);
		w->share = own.share * share_of(d, own.option);
		take_option(w, child, d, own.option);
		search_node(w, depth + 1);
		w->trail.count = w->chosen.count = own.length;
		path_goes_on(w, own.effort);
		w->kept.data[depth].option = ++own.option;
	}
	*last = own.option;
	bool left = own.option < w->kept.data[depth].end;
	w->kept.count--;
	w->share = own.share;
	if (own.option > first)
		w->bytes -= bytes;
	if (n->packed.word.count)
		node_unpack(n, child);
	return left && !worker_stopped(w);
}

/* A stage of the node at DEPTH has ended. False: all that follows has been searched. */
static bool cross_stage(struct worker *w, uint32_t depth)
{
	struct node *n = w->node[depth];
	enum stage_result end = w->enter_stage ? stage_finish(n, &w->grower, &w->end) : STAGE_OPEN;
	if (end == STAGE_OPEN) {
		n->stage++;
		return true;
	}
	if (end == STAGE_CLOSED && w->trail.count < w->nprefix) {
		/* search_again() is within what follows this stage */
		stage_begin(n, &w->grower, &w->end);
		return true;
	}
	bool whole = !is_part(w, w->trail.data, w->trail.count);
	if (end == STAGE_CLOSED && w->enter_stage(w->leaf_arg, w, n, whole)) {
		stage_begin(n, &w->grower, &w->end);
		search_node(w, depth);
		w->leave_stage(w->leaf_arg, w);
	} else {
		w->done += w->share;
	}
	return false;
}

/* Searches everything below the node at DEPTH. The last option of each choice needs no copy: the
 * node is not used any more. */
static void search_node(struct worker *w, uint32_t depth)
{
	struct node *n = w->node[depth];
	struct decision d;
	while (go_on(w, n, &d)) {
		if (d.stage) {
			if (!cross_stage(w, depth))
				return;
			continue;
		}
		if (w->choice && w->choice(w->leaf_arg, w)) {
			/* whoever goes on from here counts it */
			if (w->trail.count && !is_part(w, w->trail.data, w->trail.count))
				w->grower.work[WORK_BRANCHES]--;
			return;
		}
		const struct edge *from = &w->stretch->from;
		const uint16_t *trail = w->trail.data;
		uint32_t length = w->trail.count, last;
		uint32_t first = edge_parts(trail, length, from) ? from->trail[length] : 0;
		uint32_t end = end_of_options(w, trail, length, d.noptions);
		assert(first < end && end <= d.noptions);
		if (!search_options(w, depth, &d, first, end, &last))
			return;
		extend_trail(w, n, &d, last);
		count_branch(w, w->trail.data, w->trail.count);
		w->share *= share_of(&d, last);
		take_option(w, n, &d, last);
	}
	w->done += w->share;
}

static void search_from(struct worker *w, const struct stretch *s)
{
	w->stretch = s;
	w->trail.count = w->chosen.count = w->kept.count = 0;
	w->share = 1;
	path_goes_on(w, 0);
	node_begin(node_at(w, 0), &w->grower);
	search_node(w, 0);
}

void worker_search(struct worker *w, const uint16_t *prefix, uint32_t nprefix)
{
	static const struct stretch all;
	w->prefix = prefix;
	w->nprefix = nprefix;
	search_from(w, &all);
}

void worker_search_stretch(struct worker *w, const struct stretch *s)
{
	w->nprefix = 0;
	search_from(w, s);
}

struct kept *worker_spare(struct worker *w, uint32_t limit)
{
	for (uint32_t i = 0; i < w->kept.count && w->kept.data[i].length < limit; i++) {
		struct kept *k = &w->kept.data[i];
		if (k->option + 1 < k->end)
			return k;
	}
	return NULL;
}

struct stretch worker_rest(const struct worker *w)
{
	const struct edge *from = &w->stretch->from, *to = &w->stretch->to;
	const struct edge here = {w->trail.data, w->trail.count};
	/* on the way to its first branch, nothing has been searched */
	if (!edge_parts(here.trail, here.n, from))
		from = &here;
	return (struct stretch){edge_copy(from), edge_copy(to)};
}

struct stretch worker_give(struct worker *w, struct kept *k)
{
	const uint16_t *trail = w->trail.data;
	const struct edge *to = &w->stretch->to;
	uint32_t left = k->end - k->option - 1, first = k->end - (left + 1) / 2;
	/* of the last option, W may have had only a part */
	bool last = edge_parts(trail, k->length, to) &&
		k->end == end_of_options(w, trail, k->length, k->end);
	struct stretch s = {edge_at(trail, k->length, first),
		last ? edge_copy(to) : edge_at(trail, k->length, k->end)};
	k->end = first;
	return s;
}
