/* The search: every consistent execution graph by exactly one sequence of choices. Threads run without choices; a choice is which existing write a pending read
 * takes, or to put the read off until other writes are there; and who passes a barrier first where more may come than are counted. */
#include "explore/search.h"
#include "explore/twins.h"
#include "base/memory.h"
#include "explore/commute.h"
#include <stdlib.h>
#include <string.h>

void worker_init(struct worker *w, const struct explore_program *p, const struct explore_options *o)
{
	*w = (struct worker){0};
	grower_init(&w->grower, p, o->off);
	w->grower.fences = o->fences;
	w->grower.commute = !o->off && !o->all_orders;
	if (o->max_events)
		w->grower.max_events = o->max_events;
}

void worker_free(struct worker *w)
{
	for (uint32_t i = 0; i < w->nnodes; i++) {
		node_free(w->node[i]);
		free(w->node[i]);
	}
	free(w->node);
	vec_free(&w->trail);
	grower_free(&w->grower);
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

static struct deferral *deferral_of(struct node *n, uint32_t r)
{
	for (uint32_t i = 0; i < n->deferral.count; i++) {
		if (n->deferral.data[i].read == r)
			return &n->deferral.data[i];
	}
	return NULL;
}

/* Whether some write that does not exist yet, or whose value is not known, may still become one that R can read. */
static bool may_defer(const struct worker *w, const struct node *n, uint32_t r)
{
	const struct explore_program *p = w->grower.program;
	const struct execution *x = &n->x;
	const struct event *e = &x->event[r];
	uint64_t phys = w->grower.locations.phys.data[e->phys].address;
	bool after_is_lost = !p->aliases && !(w->grower.model.off & (OFF_CAUSALITY | OFF_BARRIER)); /* what comes after R in base causality cannot be read */
	for (uint32_t t = 0; t < p->nthreads; t++) {
		const struct run *run = &n->run[t];
		if (run->status >= RUN_ENDED)
			continue;
		uint32_t last = row_last(ROW(x, thread, t), x->words);
		if (after_is_lost && last != ROW_END && (last == r || row_has(ROW(x, cb, r), last)))
			continue;
		if (p->may_write(p, t, run->place, phys, e->size))
			return true;
	}
	for (uint32_t i = 0; i < x->n; i++) {
		const struct event *f = &x->event[i];
		bool unknown = (f->kind == EVENT_WRITE && !(f->flags & EVENT_KNOWN) && f->phys == e->phys) ||
			       (f->kind == EVENT_VOID && f->flags & EVENT_MAYBE && (f->phys == MODEL_NONE || f->phys == e->phys));
		if (unknown && !(after_is_lost && row_has(ROW(x, cb, r), i)))
			return true;
	}
	return false;
}

/* The read to decide next. */
struct decision {
	uint32_t read, noptions;
	bool defer;      /* putting it off is the last option */
	bool commutes;   /* the only option, by the order that counts */
	uint32_t nfrom, from[3]; /* nfrom not 0: the options, but for putting off */
};

/* Of candidates ROW of R, how many options there are, and which when they are few. WAIT: later than everything else. */
static void options(struct worker *w, const struct node *n, uint32_t r, const uint64_t *row, bool seen, struct decision *d, bool *late)
{
	const struct execution *x = &n->x;
	bool over = false;
	uint32_t few = UINT32_MAX;
	*d = (struct decision){.read = r};
	*late = false;
	if (w->grower.commute && x->event[r].quiet == QUIET_WAIT && !row_empty(row, x->words))
		few = commute_wait(n, r, row, seen, d->from, &over);
	d->nfrom = few == UINT32_MAX ? 0 : few;
	d->defer = !over && may_defer(w, n, r);
	d->noptions = (d->nfrom ? d->nfrom : row_count(row, x->words)) + d->defer;
	*late = (d->nfrom && !over) || (w->grower.commute && x->event[r].quiet >= QUIET_ATOM);
}

/* Fewest options first. False: some read can never be resolved. */
static bool decide(struct worker *w, struct node *n, struct decision *best, uint64_t *row)
{
	struct execution *x = &n->x;
	uint32_t from, least = UINT32_MAX;
	*best = (struct decision){.read = MODEL_NONE};
	ROW_EACH(ROW(x, set, SET_PENDING), x->words, r) {
		if (!w->grower.commute || x->event[r].quiet < QUIET_ATOM || !commute_next(n, r, &from))
			continue;
		const struct deferral *d = deferral_of(n, r);
		if (!d || from >= d->words * 64 || !row_has(d->seen, from)) {
			*best = (struct decision){.read = r, .noptions = 1, .commutes = true, .nfrom = 1, .from = {from}};
			return true;
		}
	}
	ROW_EACH(ROW(x, set, SET_PENDING), x->words, r) {
		execution_candidates(x, r, row);
		const struct deferral *d = deferral_of(n, r);
		struct decision one;
		bool late;
		if (d) {
			for (uint32_t k = 0; k < x->words && k < d->words; k++)
				row[k] &= ~d->seen[k];
			if (row_empty(row, x->words))
				continue;
		}
		options(w, n, r, row, d != NULL, &one, &late);
		if (!one.noptions)
			return false;
		uint32_t cost = one.noptions + (late ? 1u << 20 : 0);
		if (cost < least) {
			least = cost;
			*best = one;
		}
		if (least == 1)
			break;
	}
	return true;
}

static void put_off(struct node *n, uint32_t r)
{
	struct execution *x = &n->x;
	struct deferral *d = deferral_of(n, r);
	uint64_t *seen = node_alloc(n, x->words * sizeof *seen);
	memcpy(seen, ROW(x, set, SET_KNOWN), x->words * sizeof *seen);
	if (!d)
		d = vec_push(&n->deferral);
	*d = (struct deferral){r, x->words, seen};
}

/* Writes that R must not read any more: its first PASSED candidates. */
static void pass_over(struct node *n, uint32_t r, const uint64_t *row, uint32_t passed)
{
	struct execution *x = &n->x;
	struct deferral *d = deferral_of(n, r);
	uint64_t *seen = node_alloc(n, x->words * sizeof *seen);
	memset(seen, 0, x->words * sizeof *seen);
	for (uint32_t k = 0; d && k < d->words && k < x->words; k++)
		seen[k] = d->seen[k];
	ROW_EACH(row, x->words, w) {
		if (!passed--)
			break;
		row_put(seen, w);
	}
	if (!d)
		d = vec_push(&n->deferral);
	*d = (struct deferral){r, x->words, seen};
}

/* What read R of D passes over by taking OPTION is lost to the twins of its thread, too. */
static void tell_twins(struct worker *w, struct node *n, const struct decision *d, uint32_t option)
{
	const uint32_t *twin = w->grower.program->twin;
	struct execution *x = &n->x;
	uint32_t t = x->event[d->read].thread;
	if (!twin || !w->grower.commute || !option || d->nfrom || twin[t] == UINT32_MAX)
		return;
	uint64_t *row = ROW(x, scratch, 0);
	execution_candidates(x, d->read, row);
	const struct deferral *old = deferral_of(n, d->read);
	for (uint32_t k = 0; old && k < x->words && k < old->words; k++)
		row[k] &= ~old->seen[k];
	uint32_t nthreads = w->grower.program->nthreads - w->grower.program->nhelpers;
	bool *equal = node_alloc(n, nthreads);
	for (uint32_t u = 0; u < nthreads; u++)
		equal[u] = u != t && twin[u] == twin[t] && twins_equal(n, &w->grower, t, u);
	for (uint32_t u = 0; u < nthreads; u++) {
		if (equal[u])
			pass_over(n, twins_event(n, d->read, u), row, option);
	}
}

static void take(struct worker *w, struct node *n, const struct decision *d, uint32_t option)
{
	struct execution *x = &n->x;
	if (d->read == MODEL_NONE) {
		node_barrier_take(n, &w->grower, option);
		return;
	}
	tell_twins(w, n, d, option);
	if (d->defer && option == d->noptions - 1) {
		put_off(n, d->read);
		return;
	}
	uint64_t *row = ROW(x, tmp, 9);
	if (!d->nfrom)
		execution_candidates(x, d->read, row);
	struct deferral *old = deferral_of(n, d->read);
	for (uint32_t k = 0; !d->nfrom && old && k < x->words && k < old->words; k++)
		row[k] &= ~old->seen[k];
	uint32_t from = d->nfrom ? d->from[option] : row_next(row, x->words, 0);
	while (!d->nfrom && option--)
		from = row_next(row, x->words, from + 1);
	if (old)
		*old = n->deferral.data[--n->deferral.count];
	node_read_from(n, from, d->read);
	if (d->commutes)
		commute_taken(n, d->read);
}

/* A thread that spins reads what it reads for ever only if nothing follows that in coherence. */
static bool spin_is_broken(const struct node *n, uint32_t nthreads)
{
	const struct execution *x = &n->x;
	for (uint32_t t = 0; t < nthreads; t++) {
		if (n->run[t].status != RUN_SPINS)
			continue;
		uint32_t total = row_count(ROW(x, thread, t), x->words), skip = total - n->run[t].spin_events, k = 0;
		ROW_EACH(ROW(x, thread, t), x->words, e) {
			if (k++ >= skip && x->event[e].kind == EVENT_READ && x->event[e].rf != MODEL_NONE && !row_empty(ROW(x, co, x->event[e].rf), x->words))
				return true;
		}
	}
	return false;
}

/* Runs threads and barriers until nothing moves. False: the branch ends without an outcome. */
static bool settle(struct worker *w, struct node *n)
{
	do {
		if (!node_run(n, &w->grower))
			return false;
	} while (node_complete_barriers(n, &w->grower));
	bool ok = execution_saturate(&n->x);
	if (w->grower.commute && !commute_holds(n))
		w->grower.regret = true;
	return ok && !spin_is_broken(n, w->grower.program->nthreads);
}

/* Of all faults the first in the text is told, of its threads the first, whoever finds which. */
static void note_fault(struct worker *w, const struct run *r, uint32_t thread)
{
	if (w->fault && (w->fault_place < r->place || (w->fault_place == r->place && w->fault_thread <= thread)))
		return;
	w->fault = r->fault;
	w->fault_thread = thread;
	w->fault_place = r->place;
	w->unsupported = r->unsupported;
}

static void at_end(struct worker *w, struct node *n)
{
	if (!row_empty(ROW(&n->x, set, SET_PENDING), n->x.words))
		return; /* a read that was put off for a write that never came */
	enum leaf_kind kind = LEAF_EXECUTION;
	node_mixes_sizes(n, &w->grower);
	for (uint32_t t = 0; t < w->grower.program->nthreads; t++) {
		const struct run *r = &n->run[t];
		if (r->status == RUN_BOUND) {
			w->bound_reached = true;
			return;
		}
		if (r->status == RUN_FAULT) {
			note_fault(w, r, t);
			return;
		}
		if (r->status == RUN_STALLED)
			return;
		if (r->status != RUN_ENDED)
			kind = LEAF_STUCK;
	}
	w->leaf(w->leaf_arg, w, n, kind);
}

static void search(struct worker *w, uint32_t depth)
{
	struct node *n = w->node[depth];
	struct decision d;
	for (;;) {
		if (w->stopped(w->leaf_arg))
			return;
		if (!settle(w, n))
			return;
		d = (struct decision){.read = MODEL_NONE};
		if (!node_barrier_choice(n, &w->grower, &d.noptions)) {
			if (!decide(w, n, &d, ROW(&n->x, tmp, 9)))
				return;
			if (d.read == MODEL_NONE) {
				at_end(w, n);
				return;
			}
		}
		uint32_t option = 0;
		if (d.noptions > 1) {
			if (w->trail.count >= w->nprefix)
				break;
			option = w->prefix[w->trail.count];
			*vec_push(&w->trail) = (uint16_t)option;
		}
		take(w, n, &d, option);
	}
	if (w->choice && w->trail.count >= w->split_depth) {
		w->choice(w->leaf_arg, w);
		return;
	}
	/* Memory is counted along the branch, so the bound does not depend on what a worker has seen before. */
	size_t bytes = node_bytes(n);
	if (w->bytes + bytes > EXPLORE_BYTES) {
		w->out_of_memory = true;
		return;
	}
	w->bytes += bytes;
	uint32_t length = w->trail.count;
	struct node *child = node_at(w, depth + 1);
	for (uint32_t option = 0; option < d.noptions && !w->stopped(w->leaf_arg); option++) {
		node_copy(child, n, &w->grower);
		*vec_push(&w->trail) = (uint16_t)option;
		take(w, child, &d, option);
		search(w, depth + 1);
		w->trail.count = length;
	}
	w->bytes -= bytes;
}

void worker_search(struct worker *w, const uint16_t *prefix, uint32_t nprefix)
{
	w->prefix = prefix;
	w->nprefix = nprefix;
	w->trail.count = 0;
	node_begin(node_at(w, 0), &w->grower);
	search(w, 0);
}
