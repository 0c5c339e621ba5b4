/* Runs the search on several host threads (divide.c) and collects outcomes. Sets are merged by
 * value and least trail, so the result depends neither on the number of workers nor on what each of
 * them has searched. */
#include "explore/search/explore.h"
#include "base/lock.h"
#include "base/memory.h"
#include "base/pool.h"
#include "explore/search/divide.h"
#include "explore/search/final.h"
#include "explore/search/found.h"
#include "explore/search/part.h"
#include "explore/search/search.h"
#include "explore/search/verify.h"
#include <inttypes.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/* Seconds between two calls of progress. */
#define TELL_AFTER 0.2
/* A part of a search has about as many branches of the tree, in as many stretches, so that the
 * parts take about equally long. */
enum { PART_BRANCHES = 64, PART_STRETCHES = 8 };

struct shared {
	const struct explore_program *program;
	const struct explore_options *options;
	struct division division;
	atomic_bool stop, enough;
	pthread_mutex_t asking; /* options->enough and options->progress */
	atomic_ullong bytes;
	atomic_ullong told;     /* when progress was last called, in milliseconds since begin */
	atomic_ullong outcomes; /* the most that one worker has found */
	double begin;
	struct gather *gather; /* [workers] */
	unsigned workers;
	double whole; /* of the tree: the part that is searched */
};

/* A stage that is being searched. */
struct stage_frame {
	struct found above;  /* what was found before it was entered */
	struct races before; /* the races of earlier stages */
	bool kept;           /* what is found serves all executions that leave the same (found.c) */
	uint64_t effort;     /* of the worker before it was entered */
	uint64_t *word;      /* [nwords] what they left */
	uint16_t *trail;     /* [ntrail] of the node in which it begins */
	uint32_t nwords, ntrail;
};

/* The findings of one worker. */
struct gather {
	struct shared *shared;
	struct worker worker;
	/* Only these are read by the others, so what they read seldom changes. */
	_Atomic double done;
	atomic_ullong executions, effort, repeated;
	struct found found; /* since it entered the last of FRAME */
	VEC(struct stage_frame) frame;
	struct found_stages stages;
	uint64_t within; /* effort of searching what STAGES has */
	struct execution scratch;
	struct verify verify;
	const struct node *node; /* whose outcomes are being found */
	uint64_t *row;
	bool timed_out, interrupted, enough;
	struct explore_choice *chosen; /* of the branch in which the time ended */
	uint32_t nchosen;
	uint32_t ticks;
	uint64_t bytes; /* its share of shared.bytes */
	bool pauses;    /* the search goes on with several workers */
};

/* Whether all workers together exceed max_memory. Checked rarely, because a branch has a bound of
 * its own. */
static bool memory_is_full(struct gather *g)
{
	const struct explore_options *o = g->shared->options;
	if (!o->max_memory || g->ticks % 64)
		return false;

	const uint64_t now = worker_bytes(&g->worker) + found_bytes(&g->found) + g->stages.bytes;
	unsigned long long all = atomic_fetch_add_explicit(
					 &g->shared->bytes, now - g->bytes, memory_order_relaxed) +
		(now - g->bytes);
	g->bytes = now;
	return all > o->max_memory;
}

/* How much of the search is done (decision_share). */
static double part_done(const struct shared *s)
{
	double done = 0;
	for (unsigned i = 0; i < s->workers; i++)
		done += atomic_load_explicit(&s->gather[i].done, memory_order_relaxed);
	return done < s->whole ? done / s->whole : 1;
}

static uint64_t count_executions(const struct shared *s)
{
	uint64_t n = 0;
	for (unsigned i = 0; i < s->workers; i++)
		n = outcomes_sum(
			n, atomic_load_explicit(&s->gather[i].executions, memory_order_relaxed));
	return n;
}

static void add_executions(struct gather *g, uint64_t more)
{
	uint64_t n = atomic_load_explicit(&g->executions, memory_order_relaxed);
	atomic_store_explicit(&g->executions, outcomes_sum(n, more), memory_order_relaxed);
}

/* The outermost of FRAME whose findings are kept, or their number. */
static uint32_t kept_frame(const struct gather *g)
{
	uint32_t k = 0;
	while (k < g->frame.count && !g->frame.data[k].kept)
		k++;
	return k;
}

/* Tells the other workers what this one has done, and what of it another one would do again if it
 * came to the same stages. */
static void gather_publishes(struct gather *g)
{
	uint64_t effort = worker_effort(&g->worker), repeated = g->within;
	uint32_t k = kept_frame(g);
	if (k < g->frame.count)
		repeated += effort - g->frame.data[k].effort;
	atomic_store_explicit(&g->done, g->worker.done, memory_order_relaxed);
	atomic_store_explicit(&g->effort, effort, memory_order_relaxed);
	atomic_store_explicit(&g->repeated, repeated, memory_order_relaxed);
}

/* Gives branches to a worker that has nothing to do; but none below a stage whose findings are
 * kept. */
static void gather_gives(struct gather *g)
{
	struct shared *s = g->shared;
	uint32_t kept = kept_frame(g);
	struct kept *k = worker_spare(
		&g->worker, kept < g->frame.count ? g->frame.data[kept].ntrail : UINT32_MAX);
	if (!k)
		return;
	uint64_t effort = 0, repeated = 0;
	gather_publishes(g);
	for (unsigned i = 0; i < s->workers; i++) {
		struct gather *one = &s->gather[i];
		effort += atomic_load_explicit(&one->effort, memory_order_relaxed);
		repeated += atomic_load_explicit(&one->repeated, memory_order_relaxed);
	}
	division_give(&s->division, &g->worker, k, k->early ? repeated : 0, effort);
}

/* The limit is reached: keeps what was chosen on the way to the present branch. */
static void gather_ends(struct gather *g)
{
	const struct worker *w = &g->worker;
	g->timed_out = true;
	if (g->chosen || !w->chosen.count)
		return;
	g->nchosen = w->chosen.count;
	g->chosen = memory_resize(NULL, g->nchosen * sizeof *g->chosen);
	memcpy(g->chosen, w->chosen.data, g->nchosen * sizeof *g->chosen);
}

/* Calls progress, if no worker has done so recently. */
static void gather_tells(struct gather *g, double now)
{
	struct shared *s = g->shared;
	const struct explore_options *o = s->options;
	unsigned long long before = atomic_load_explicit(&s->told, memory_order_relaxed),
			   since = (unsigned long long)(1000 * (now - s->begin)),
			   most = atomic_load_explicit(&s->outcomes, memory_order_relaxed);

	while (most < g->found.outcomes.list.count &&
		!atomic_compare_exchange_weak(&s->outcomes, &most, g->found.outcomes.list.count))
		;
	if (since < before + (unsigned long long)(1000 * TELL_AFTER) ||
		!atomic_compare_exchange_strong(&s->told, &before, since))
		return;
	lock_take(&s->asking);
	o->progress(o->progress_arg, count_executions(s), atomic_load(&s->outcomes), part_done(s));
	lock_give(&s->asking);
}

static bool gather_stopped(void *arg)
{
	struct gather *g = arg;
	struct shared *s = g->shared;
	if (g->pauses)
		return true;
	if (g->worker.grower.regret || g->worker.grower.cut.count || g->worker.crowded) {
		atomic_store(&s->stop, true);
		return true;
	}
	/* what is left when it pauses includes all that it would give */
	if (!g->worker.choice && atomic_load_explicit(&s->division.wanted, memory_order_relaxed))
		gather_gives(g);
	if (++g->ticks % 4)
		return atomic_load_explicit(&s->stop, memory_order_relaxed);
	const struct explore_options *o = s->options;
	bool enough = atomic_load_explicit(&s->enough, memory_order_relaxed);
	if (memory_is_full(g)) {
		g->worker.out_of_memory = true;
		atomic_store(&s->stop, true);
	}
	double now = o->deadline > 0 || o->progress || enough ? time_now() : 0;
	if (enough && (o->at_once || now > s->begin + EXPLORE_ANYHOW)) {
		g->enough = true;
		atomic_store(&s->stop, true);
	}
	if (explore_interrupted(o)) {
		g->interrupted = true;
		atomic_store(&s->stop, true);
	}
	if ((o->deadline > 0 && now > o->deadline) ||
		(o->max_executions && count_executions(s) >= o->max_executions)) {
		gather_ends(g);
		atomic_store(&s->stop, true);
	}
	gather_publishes(g);
	if (o->progress)
		gather_tells(g, now);
	return atomic_load_explicit(&s->stop, memory_order_relaxed);
}

static void gather_outcome(void *arg, const uint64_t *value)
{
	struct gather *g = arg;
	const struct explore_options *o = g->shared->options;
	uint32_t known = g->found.outcomes.list.count;
	if (o->verify)
		verify_outcome(&g->verify, g->node, &g->worker.grower, value, g->worker.trail.data,
			g->worker.trail.count);
	outcomes_add(&g->found.outcomes, value, 1, g->worker.trail.data, g->worker.trail.count);
	if (!o->enough || g->found.outcomes.list.count == known ||
		atomic_load_explicit(&g->shared->enough, memory_order_relaxed))
		return;
	lock_take(&g->shared->asking);
	if (o->enough(o->enough_arg, value))
		atomic_store(&g->shared->enough, true);
	lock_give(&g->shared->asking);
}

/* Adds what follows the stage in F, for the choices TRAIL and the races BEFORE that precede it. */
static void gather_adds(struct gather *g, const struct found *f, uint32_t skip,
	const uint16_t *trail, uint32_t ntrail, struct races *before)
{
	found_add(&g->found, f, skip, trail, ntrail, before);
	races_free(before);
}

static bool gather_enters(void *arg, struct worker *w, struct node *n, bool whole)
{
	struct gather *g = arg;
	const struct stage_end *end = &w->end;
	/* without a choice before it, there is only one way to a stage */
	struct stage_frame f = {.nwords = end->word.count,
		.ntrail = w->trail.count,
		.kept = whole && w->trail.count,
		.effort = worker_effort(w)};
	races_of_sizes(n, &w->grower);
	races_find(&f.before, n, &w->grower, w->trail.data, w->trail.count);
	const struct found_stage *known = f.kept
		? found_stages_find(&g->stages, end->word.data, end->word.count)
		: NULL;
	if (known) {
		add_executions(g, known->found.executions);
		gather_adds(
			g, &known->found, known->skip, w->trail.data, w->trail.count, &f.before);
		return false;
	}
	f.word = memory_resize(NULL, f.nwords * sizeof *f.word);
	memcpy(f.word, end->word.data, f.nwords * sizeof *f.word);
	f.trail = memory_resize(NULL, (f.ntrail + 1) * sizeof *f.trail);
	if (f.ntrail)
		memcpy(f.trail, w->trail.data, f.ntrail * sizeof *f.trail);
	f.above = g->found;
	found_init(&g->found, w->grower.program);
	*vec_push(&g->frame) = f;
	return true;
}

static void gather_leaves(void *arg, struct worker *w)
{
	struct gather *g = arg;
	struct stage_frame *f = &g->frame.data[--g->frame.count];
	struct found below = g->found;
	if (f->kept && kept_frame(g) == g->frame.count)
		g->within += worker_effort(w) - f->effort;
	g->found = f->above;
	gather_adds(g, &below, f->ntrail, f->trail, f->ntrail, &f->before);
	memory_drop(f->trail);
	if (!f->kept || gather_stopped(g) || w->halted || g->stages.bytes > EXPLORE_BYTES) {
		memory_drop(f->word);
		found_free(&below);
	} else {
		found_stages_keep(&g->stages, f->word, f->nwords, f->ntrail, &below);
	}
}

static void gather_leaf(void *arg, struct worker *w, struct node *n, enum leaf_kind kind)
{
	struct gather *g = arg;
	bool verify = g->shared->options->verify;
	const struct node *free = n->unordered ? n->unordered : n; /* atoms in any order */
	g->node = n;
	races_of_sizes(free, &g->worker.grower);
	if (verify)
		verify_begin(&g->verify, n, &w->grower);
	if (kind == LEAF_EXECUTION) {
		/* first, because final_states chooses an order of the fences */
		races_find(&g->found.races, free, &w->grower, w->trail.data, w->trail.count);
		bool exists = final_states(n, &w->grower, gather_outcome, g);
		verify_end(&g->verify, verify && exists);
		if (!exists)
			return;
		found_execution(&g->found, w->trail.data, w->trail.count);
		add_executions(g, 1);
		return;
	}
	if (!final_stuck(n, &w->grower, &g->scratch))
		return;
	if (verify)
		verify_stuck(&g->verify, &g->scratch, w->trail.data, w->trail.count);
	verify_end(&g->verify, verify);
	uint32_t nthreads = w->grower.program->nthreads;
	g->row[STUCK_KIND] = STUCK_DEADLOCK;
	for (uint32_t t = 0; t < nthreads; t++) {
		if (n->run[t].status == RUN_SPINS)
			g->row[STUCK_KIND] = STUCK_LIVELOCK;
		g->row[STUCK_STATUS(t)] = n->run[t].status == RUN_SPINS ? EXPLORE_SPINS
			: n->run[t].status == RUN_BLOCKED               ? EXPLORE_BLOCKED
									: EXPLORE_ENDED;
		/* what follows a stage does not depend on where its threads ended */
		bool over = w->grower.program->stage && n->run[t].status == RUN_ENDED;
		g->row[STUCK_PLACE(t)] = over ? 0 : n->run[t].place;
	}
	outcomes_add(&g->found.stuck, g->row, 1, w->trail.data, w->trail.count);
}

/* G is zeroed. */
static void gather_init(struct gather *g, struct shared *s)
{
	g->shared = s;
	worker_init(&g->worker, s->program, s->options);
	g->worker.leaf = gather_leaf;
	g->worker.leaf_arg = g;
	g->worker.stopped = gather_stopped;
	if (!s->options->verify) { /* which judges whole executions */
		g->worker.enter_stage = gather_enters;
		g->worker.leave_stage = gather_leaves;
	}
	found_init(&g->found, s->program);
	execution_init(&g->scratch, &g->worker.grower.model);
	verify_init(&g->verify, &g->worker.grower.model);
	g->row = memory_zeroed(STUCK_WORDS((size_t)s->program->nthreads), sizeof *g->row);
}

static void gather_free(struct gather *g)
{
	execution_free(&g->scratch);
	verify_free(&g->verify);
	worker_free(&g->worker);
	found_free(&g->found);
	vec_free(&g->frame);
	found_stages_free(&g->stages);
	memory_drop(g->row);
	memory_drop(g->chosen);
}

static void collect_gathered(struct explore_result *r, struct gather *g, struct races *races)
{
	for (unsigned k = 0; k < WORK_COUNT; k++)
		r->work[k] += g->worker.grower.work[k];
	r->executions = outcomes_sum(r->executions, g->found.executions);
	r->timed_out |= g->timed_out;
	if (g->nchosen && !r->nchosen) {
		r->nchosen = g->nchosen;
		r->chosen = arena_copy(&r->arena, g->chosen, g->nchosen * sizeof *g->chosen,
			_Alignof(struct explore_choice));
	}
	r->interrupted |= g->interrupted;
	r->enough |= g->enough;
	r->bound_reached |= g->worker.bound_reached;
	r->lost_spin |= g->worker.grower.lost_spin;
	r->too_large |= g->worker.grower.too_large;
	r->out_of_memory |= g->worker.out_of_memory;
	explore_mixed_merge(&r->mixed, &g->worker.grower.mixed);
	r->regret |= g->worker.grower.regret;
	r->crowded |= g->worker.crowded;
	for (uint32_t k = 0; k < g->worker.grower.cut.count; k++)
		*vec_push(&r->cut) = g->worker.grower.cut.data[k];
	part_add_fault(r, g->worker.fault, g->worker.fault_thread, g->worker.fault_place,
		g->worker.unsupported);
	races_merge(races, &g->found.races);
	verify_collect(&g->verify, r);
}

struct split_branch {
	struct edge edge;
	double share; /* of the whole tree */
};

/* The branches of the tree down to a certain depth, which are found instead of searching deeper. */
struct splitter {
	struct gather gather;
	VEC(struct split_branch) branch;
	uint32_t depth;
	bool deeper; /* some of them can be divided */
};

static void add_branch(struct splitter *p, const struct worker *w)
{
	*vec_push(&p->branch) = (struct split_branch){
		edge_before(w->trail.data, w->trail.count), w->share};
}

static bool split_choice(void *arg, struct worker *w)
{
	struct splitter *p = arg;
	if (w->trail.count < p->depth)
		return false;
	p->deeper = true;
	add_branch(p, w);
	return true;
}

static void split_leaf(void *arg, struct worker *w, struct node *n, enum leaf_kind kind)
{
	(void)n;
	(void)kind;
	add_branch(arg, w);
}

/* What a stage leaves does not matter here. */
static bool split_enters(void *arg, struct worker *w, struct node *n, bool whole)
{
	(void)arg;
	(void)w;
	(void)n;
	(void)whole;
	return true;
}

static void split_leaves(void *arg, struct worker *w)
{
	(void)arg;
	(void)w;
}

static void splitter_free(struct splitter *p)
{
	for (uint32_t k = 0; k < p->branch.count; k++)
		memory_drop(p->branch.data[k].edge.trail);
	vec_free(&p->branch);
	gather_free(&p->gather);
}

/* Adds the stretches of a part: of all, every SHARDS-th. What ends without being a branch, at the
 * bound of a loop or in a fault, belongs to the stretch around it. */
static void add_stretches(struct shared *s, const struct splitter *p)
{
	const struct explore_options *o = s->options;
	uint64_t n = p->branch.count, all = PART_STRETCHES * (uint64_t)o->shards;
	s->whole = 0;
	for (uint64_t k = o->shard - 1; k < all; k += o->shards) {
		uint32_t from = (uint32_t)(k * n / all), to = (uint32_t)((k + 1) * n / all);
		struct stretch one = {{NULL, 0}, {NULL, 0}};
		if (from == to && (n || k))
			continue;
		if (from)
			one.from = edge_before(
				p->branch.data[from].edge.trail, p->branch.data[from].edge.n);
		if (to < n)
			one.to = edge_before(
				p->branch.data[to].edge.trail, p->branch.data[to].edge.n);
		for (uint32_t i = from; i < to; i++)
			s->whole += p->branch.data[i].share;
		division_add(&s->division, one);
	}
}

/* Splits the tree at a depth at which it has enough branches. That depends on nothing but the
 * program and the number of parts. R: why the search has ended already, if it has. */
static void split_tree(struct shared *s, struct explore_result *r)
{
	bool last = false;
	for (uint32_t depth = 1; !last; depth += depth / 4 + 1) {
		struct splitter p = {.depth = depth};
		struct races none = {0};
		gather_init(&p.gather, s);
		p.gather.worker.leaf = split_leaf;
		p.gather.worker.choice = split_choice;
		if (p.gather.worker.enter_stage) {
			p.gather.worker.enter_stage = split_enters;
			p.gather.worker.leave_stage = split_leaves;
		}
		p.gather.worker.leaf_arg = &p;
		worker_search(&p.gather.worker, NULL, 0);
		last = !p.deeper || p.branch.count >= PART_BRANCHES * s->options->shards ||
			p.gather.worker.halted;
		if (p.gather.worker.halted)
			collect_gathered(r, &p.gather, &none);
		else if (last)
			add_stretches(s, &p);
		splitter_free(&p);
	}
}

static void run_worker(void *arg, unsigned index)
{
	struct shared *s = arg;
	struct gather *g = &s->gather[index];
	struct stretch task;
	bool had = g->pauses;
	if (had)
		g->pauses = g->worker.halted = false;
	for (; division_take(&s->division, had, &task); had = true) {
		if (!g->shared)
			gather_init(g, s);
		if (!atomic_load(&s->stop))
			worker_search_stretch(&g->worker, &task);
		gather_publishes(g);
		stretch_free(&task);
		if (g->pauses)
			return;
	}
	if (!g->shared)
		return;
	outcomes_sort(&g->found.outcomes);
	outcomes_sort(&g->found.stuck);
}

/* Leaves the rest of the search, if it is large enough, to several workers. */
static bool pause_search(void *arg, struct worker *w)
{
	struct gather *g = arg;
	struct division *d = &g->shared->division;
	/* what is found below a stage is not kept if the search pauses there */
	if (kept_frame(g) < g->frame.count || !division_pays(d, worker_path(w), worker_effort(w)))
		return false;
	division_add(d, worker_rest(w));
	g->pauses = true;
	return true;
}

/* A worker has failed, and its call with it. */
static void end_workers(void *arg)
{
	struct shared *s = arg;
	atomic_store(&s->stop, true);
	division_end(&s->division);
}

static void run_workers(struct shared *s, unsigned jobs)
{
	struct gather *first = &s->gather[0];
	s->workers = 1;
	gather_init(first, s);
	first->worker.choice = jobs > 1 ? pause_search : NULL;
	run_worker(s, 0);
	if (!first->pauses)
		return;
	first->worker.choice = NULL;
	struct pool *pool = pool_new(jobs);
	s->workers = pool_size(pool);
	pool_run(pool, run_worker, end_workers, s);
	pool_free(pool);
}

/* The outcomes of all workers, without copies. */
static void join_outcomes(struct explore_result *r, struct gather *g, unsigned workers)
{
	struct explore_outcomes *outcomes[EXPLORE_WORKERS], *stuck[EXPLORE_WORKERS];
	uint32_t n = 0;
	for (unsigned i = 0; i < workers; i++) {
		if (!g[i].shared)
			continue; /* it had nothing to do */
		outcomes[n] = &g[i].found.outcomes;
		stuck[n++] = &g[i].found.stuck;
	}
	outcomes_join(&r->outcomes, outcomes, n);
	outcomes_join(&r->stuck, stuck, n);
}

static struct explore_result *empty_result(
	const struct explore_program *program, const struct explore_options *o)
{
	struct explore_result *r = memory_zeroed(1, sizeof *r);
	r->program = program;
	r->options = *o;
	outcomes_init(&r->outcomes, program->nobservables);
	outcomes_init(&r->stuck, STUCK_WORDS(program->nthreads));
	return r;
}

static struct explore_result *run_once(
	const struct explore_program *program, const struct explore_options *options)
{
	struct explore_result *r = empty_result(program, options);
	struct shared s = {.program = program, .options = options, .whole = 1};
	if (program->refusal) {
		part_add_fault(
			r, program->refusal, program->refused_thread, program->refused_place, true);
		return r;
	}
	unsigned jobs = options->jobs ? options->jobs : pool_processors();
	jobs = jobs < EXPLORE_WORKERS ? jobs : EXPLORE_WORKERS;
	lock_new(&s.asking);
	s.begin = time_now();
	division_init(&s.division, options->divide);
	if (options->shards)
		split_tree(&s, r);
	else
		division_add(&s.division, (struct stretch){{NULL, 0}, {NULL, 0}});
	s.gather = memory_zeroed(jobs, sizeof *s.gather);
	run_workers(&s, jobs);
	r->part = part_done(&s);
	struct races races = {0};
	join_outcomes(r, s.gather, s.workers);
	for (unsigned i = 0; i < s.workers; i++) {
		if (!s.gather[i].shared)
			continue;
		collect_gathered(r, &s.gather[i], &races);
		gather_free(&s.gather[i]);
	}
	r->timed_out |= atomic_load(&s.stop) && !r->enough && !r->out_of_memory && !r->interrupted;
	races_report(&races, r);
	races_free(&races);
	memory_drop(s.gather);
	division_free(&s.division);
	pthread_mutex_destroy(&s.asking);
	return r;
}

void explore_free(struct explore_result *r)
{
	if (!r)
		return;
	outcomes_free(&r->outcomes);
	outcomes_free(&r->stuck);
	vec_free(&r->cut);
	arena_free(&r->arena);
	memory_drop(r);
}

/* Adds N splits to those of O; for each access, the smallest piece counts. */
static void add_cuts(struct explore_options *o, const struct explore_cut *cut, uint32_t ncuts,
	struct arena *arena)
{
	struct explore_cut *all = ARENA_ARRAY(arena, struct explore_cut, o->ncuts + ncuts + 1);
	uint32_t n = o->ncuts;
	if (n)
		memcpy(all, o->cut, n * sizeof *all);
	for (uint32_t k = 0; k < ncuts; k++) {
		const struct explore_cut *c = &cut[k];
		uint32_t i = 0;
		while (i < n && (all[i].place != c->place || all[i].size != c->size))
			i++;
		if (i == n)
			all[n++] = *c;
		else if (c->piece < all[i].piece)
			all[i].piece = c->piece;
	}
	o->cut = all;
	o->ncuts = n;
}

/* Whether a search with options A starts like one with B: no order and no piece differs. */
static bool starts_alike(const struct explore_options *a, const struct explore_options *b)
{
	uint32_t same = 0;
	for (uint32_t k = 0; k < a->ncuts; k++) {
		for (uint32_t i = 0; i < b->ncuts; i++)
			same += a->cut[k].place == b->cut[i].place &&
				a->cut[k].size == b->cut[i].size &&
				a->cut[k].piece == b->cut[i].piece;
	}
	return a->all_orders == b->all_orders && a->ncuts == b->ncuts && same == a->ncuts;
}

/* Whether R says that the search must start again; O then says how. */
static bool starts_again(
	struct explore_options *o, const struct explore_result *r, struct arena *arena)
{
	if (r->cut.count)
		add_cuts(o, r->cut.data, r->cut.count, arena);
	else if (r->regret && !o->all_orders && !explore_late(o))
		o->all_orders = true;
	else if (r->crowded && o->jobs != 1)
		o->jobs = 1;
	else
		return false;
	return true;
}

/* Joins the N results at PART. */
static struct explore_result *join_parts(
	struct explore_result **part, uint32_t n, const struct explore_options *o)
{
	struct explore_result *all = empty_result(part[0]->program, o);
	struct races races = {0};
	for (uint32_t k = 0; k < n; k++) {
		part_add(all, part[k]);
		races_add(&races, part[k]);
	}
	races_report(&races, all);
	for (uint32_t k = 0; k < all->nraces; k++)
		all->race[k].why = arena_text(
			&all->arena, all->race[k].why, strlen(all->race[k].why));
	races_free(&races);
	outcomes_sort(&all->outcomes);
	outcomes_sort(&all->stuck);
	return all;
}

/* The results of all parts as one. A part may have found that the search must start again, with
 * all orders or with smaller pieces; where others did not know that, they are searched again, here.
 */
static struct explore_result *run_parts(
	const struct explore_program *program, struct explore_options *o, struct arena *arena)
{
	struct explore_parts *parts = o->parts;
	struct explore_result **part = memory_zeroed(parts->n, sizeof *part), *all = NULL;
	for (uint32_t k = 0; k < parts->n; k++) {
		part[k] = empty_result(program, o);
		parts->bad |= !part_read(parts->text[k], part[k]);
		o->all_orders |= part[k]->options.all_orders;
	}
	for (uint32_t k = 0; k < parts->n && !parts->bad; k++)
		add_cuts(o, part[k]->options.cut, part[k]->options.ncuts, arena);
	for (uint32_t k = 0; k < parts->n && !parts->bad; k++) {
		if (starts_alike(&part[k]->options, o))
			continue;
		struct explore_options own = *o;
		own.shard = k + 1;
		own.shards = parts->n;
		explore_free(part[k]);
		part[k] = run_once(program, &own);
		if (starts_again(o, part[k], arena))
			k = UINT32_MAX; /* from the first part on */
	}
	if (!parts->bad)
		all = join_parts(part, parts->n, o);
	for (uint32_t k = 0; k < parts->n; k++)
		explore_free(part[k]);
	memory_drop(part);
	return all ? all : empty_result(program, o);
}

/* The order in which accesses that must be split are found does not matter: every search stops
 * before it relies on unsplit accesses, so the final set of splits is the same. */
struct explore_result *explore_run(
	const struct explore_program *program, const struct explore_options *options)
{
	struct explore_options o = *options;
	if (o.timeout > 0 && !(o.deadline > 0))
		o.deadline = time_now() + o.timeout;
	struct arena arena = {0};
	uint64_t work[WORK_COUNT] = {0};
	for (;;) {
		struct explore_result *r = o.parts ? run_parts(program, &o, &arena)
						   : run_once(program, &o);
		r->work[WORK_SEARCHES] = 1;
		for (unsigned k = 0; k < WORK_COUNT; k++)
			work[k] += r->work[k];
		if (starts_again(&o, r, &arena)) {
			explore_free(r);
			continue;
		}
		if (r->regret && !o.all_orders) { /* it would have to start again */
			r->interrupted |= explore_interrupted(&o);
			r->timed_out |= !r->interrupted;
		}
		r->options.cut = o.ncuts ? arena_copy(&r->arena, o.cut, o.ncuts * sizeof *o.cut,
						   _Alignof(struct explore_cut))
					 : NULL;
		r->options.ncuts = o.ncuts;
		r->options.all_orders = o.all_orders;
		if (o.part)
			part_write(r, o.part);
		/* what explains the result searches everything */
		r->options.shard = r->options.shards = 0;
		r->options.part = NULL;
		r->options.parts = NULL;
		memcpy(r->work, work, sizeof work);
		arena_free(&arena);
		return r;
	}
}

void explore_print_work(const struct explore_result *r, struct text *out)
{
	static const char *const name[] = {[WORK_SEARCHES] = "searches",
		[WORK_BRANCHES] = "branches",
		[WORK_CHOICES] = "choices",
		[WORK_READS] = "reads",
		[WORK_ROUNDS] = "rounds",
		[WORK_STEPS] = "steps",
		[WORK_REACHES] = "reaches",
		[WORK_REACH_STEPS] = "reach steps",
		[WORK_LAST_WRITES] = "last writes",
		[WORK_CONFLICTS] = "conflicts"};
	for (unsigned k = 0; k < WORK_COUNT; k++)
		text_printf(out, "%s%" PRIu64 " %s", k ? ", " : "Work: ", r->work[k], name[k]);
	text_puts(out, "\n");
}
