/* The search: reaches every consistent execution graph by exactly one sequence of choices. Running
 * threads involves no choice. A choice is which existing write a pending read reads from, or to
 * defer the read until there are other writes; and which group passes a barrier first, where more
 * threads may arrive than the barrier counts. (Which read is next: decide.c) */
#include "explore/search/search.h"
#include "base/assert.h"
#include "base/memory.h"
#include "explore/search/commute.h"
#include "explore/search/decide.h"
#include "explore/search/exchange.h"
#include "explore/search/retry.h"
#include "explore/search/twins.h"
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

static void defer_read(struct node *n, uint32_t r)
{
	struct execution *x = &n->x;
	struct deferral *d = decide_deferral(n, r);
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
	struct deferral *d = decide_deferral(n, r);
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
	decide_options(w, n, d->read, row, &o);
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
	struct deferral *old = decide_deferral(n, d->read);
	struct options o = {0};
	if (d->forever)
		retry_forever(n, &w->grower, d->read, row);
	else if (!d->nfrom)
		decide_options(w, n, d->read, row, &o);
	/* another forced decision, taken just before, leaves the search none: decide_next() goes on
	 */
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
		bool commutes = false; /* of all decisions or none, see decide_next() */
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
	} while (decide_planned(w, n) || decide_commuting(w, n));
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
			if (stage_leaves_atoms(n, &w->grower) && !decide_planned(w, n) &&
				!decide_commuting(w, n)) {
				n->stage++;
				continue;
			}
		}
		if (!node_barrier_choice(n, &w->grower, &d.noptions)) {
			if (!decide_next(w, n, &d, ROW(&n->x, tmp, SCRATCH_OUTER)))
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
			w->share *= decision_share(&d, option);
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
	w->share *= decision_share(d, first);
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
		w->share = own.share * decision_share(d, own.option);
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
		w->share *= decision_share(&d, last);
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
