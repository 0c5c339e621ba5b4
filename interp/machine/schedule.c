/* The workers: each takes a CTA, runs it until it is done, waits, or its slice is used up, and
 * takes the next. A CTA that only polls goes to the end of the queue, and others are admitted,
 * so that the threads it waits for make progress: CTAs of its grid, kernels of other streams.
 * When all CTAs in flight only poll, the exact check of quiet.c decides whether this is a
 * livelock.
 *
 * random: which CTA begins, which continues and for how long are chosen at random, so that any
 * two can interleave at any instruction. */
#include "interp/machine/schedule.h"
#include "base/assert.h"
#include "base/lock.h"
#include "base/memory.h"
#include "base/pool.h"
#include "interp/state/cluster.h"
#include "interp/machine/cta.h"
#include "interp/state/limits.h"
#include "interp/state/queue.h"
#include "interp/stuck/report.h"
#include <stdlib.h>
#include <time.h>

enum {
	SLICE = 1 << 20,       /* warp instructions of a CTA before others have a turn */
	QUIET_SLICE = 1 << 14, /* of a CTA whose last slice changed nothing */
	/* a slice that changed nothing counts only from this length on (random ones may be
	 * shorter) */
	QUIET_MIN = 1 << 10,
	BATCH = 16, /* CTAs that a worker takes at once */
	/* warp instructions before other host threads are created, and before they are woken, so
	 * that small programs do not wait for them */
	ALONE = 1 << 14,
	ALONE_AWAKE = 1 << 12,
	ALONE_SLICE = 1 << 12,
	/* random: in one of so many launches, warps diverge at any instruction; only on targets
	 * with independent thread scheduling */
	SPLITS = 2,
	/* random: in one of three launches, only one slice in so many begins another CTA, so
	 * that late CTAs find everything done that they would wait for */
	RELUCTANT = 64,
	RANDOM_BITS = 15, /* random: slices of 1 to 2^14 instructions */
	/* random: CTAs begun while others can run; beyond that only when those make no progress */
	RANDOM_RESIDENT = 32,
	LONG = 4096, /* items that are remembered for the order of later ones */
	/* warp instructions after which a worker adds them to the machine's, where other workers
	 * would wait for that at every CTA */
	TELL = 1 << 18
};

/* CTAs of a launch that a worker has taken but not begun. */
struct batch {
	struct launch *launch;
	uint64_t next, end, finished; /* finished: not yet reported to the schedule */
	uint64_t untold;              /* finished, and not yet in launch->ended */
	char apart[APART];
};

struct schedule {
	struct machine *machine;
	struct queue queue;
	pthread_mutex_t lock;
	pthread_cond_t change;
	struct pool *pool;
	VEC(struct launch *) active;
	uint32_t next_active;
	struct cta *first, **last; /* parked CTAs, oldest first */
	uint32_t parked;
	uint32_t reluctance; /* random: another CTA begins at one slice in so many */
	uint32_t executing;  /* workers that are running a CTA */
	uint32_t waiting;
	bool parked_turn;        /* the last CTA taken was a new one */
	uint64_t quiet_slices;   /* consecutive slices without any effect */
	uint64_t quiet_patience; /* check for livelock after so many rounds of quiet slices */
	/* until worker 0 has executed so many instructions, it works alone; 0: all workers run */
	uint64_t alone_until;
	struct timespec begin;
	struct batch *batch; /* [nworkers] */
};

struct schedule *schedule_new(struct machine *m)
{
	struct schedule *s = memory_zeroed(1, sizeof *s);

	s->machine = m;
	s->last = &s->first;
	s->quiet_patience = 1;
	s->reluctance = 2;
	lock_new(&s->lock);
	pthread_cond_init(&s->change, NULL);
	return s;
}

void schedule_free(struct schedule *s)
{
	for (struct cta *c = s->first, *next; c; c = next) {
		next = c->next;
		cta_free(c);
	}
	if (s->pool)
		pool_free(s->pool);
	queue_free(&s->queue);
	vec_free(&s->active);
	memory_drop(s->batch);
	pthread_mutex_destroy(&s->lock);
	pthread_cond_destroy(&s->change);
	memory_drop(s);
}

void schedule_launch(struct schedule *s, struct launch *l)
{
	queue_add(&s->queue, l, l->ask.stream, IR_NONE);
}

void schedule_record(struct schedule *s, uint32_t event, uint32_t stream)
{
	queue_record(&s->queue, event, stream);
}

void schedule_wait(struct schedule *s, uint32_t event, uint32_t stream)
{
	queue_wait(&s->queue, event, stream);
}

void schedule_work(
	struct schedule *s, uint32_t stream, uint32_t order, void (*work)(void *self), void *self)
{
	queue_work(&s->queue, work, self, order, stream);
}

void schedule_host_stream(struct schedule *s, uint32_t stream)
{
	queue_host_stream(&s->queue, stream);
}

void schedule_host_event(struct schedule *s, uint32_t event) { queue_host_event(&s->queue, event); }

void schedule_settle(struct schedule *s) { queue_reset(&s->queue); }

bool schedule_is_long(const struct schedule *s) { return s->queue.item.count > LONG; }

bool schedule_is_only(const struct schedule *s, uint32_t stream)
{
	return queue_is_only(&s->queue, stream);
}

uint32_t schedule_queued(const struct schedule *s) { return s->queue.item.count - s->queue.done; }

void schedule_before(const struct schedule *s, uint32_t order, bool *before)
{
	queue_before(&s->queue, order, s->machine->settled_order, before);
}

static bool is_random(const struct schedule *s)
{
	return s->machine->options.schedule == SCHEDULE_RANDOM;
}

/* --- launches --- */

static uint64_t common_divisor(uint64_t a, uint64_t b)
{
	while (b) {
		uint64_t rest = a % b;

		a = b;
		b = rest;
	}
	return a;
}

/* random: decides whether warps diverge at any instruction, and the order of units: the k-th
 * begun is number (k * step + first) modulo their number. */
static void launch_shuffle(struct schedule *s, struct launch *l)
{
	uint32_t n = l->nunits < UINT32_MAX ? (uint32_t)l->nunits : UINT32_MAX;

	l->unit_step = 1;
	if (is_random(s) && l->threads > 1 &&
		ir_target(s->machine->module, l->ask.func)->sm >= INDEPENDENT_SM)
		l->splits = choose(s->machine->chooser, CHOICE_GROUP, SPLITS) == SPLITS - 1;
	if (!is_random(s) || n < 2)
		return;
	/* sampling of weak outcomes needs threads that overlap */
	if (s->machine->options.memory != MEMORY_WEAK)
		s->reluctance = choose(s->machine->chooser, CHOICE_CTA, 3) ? 2 : RELUCTANT;
	l->unit_first = choose(s->machine->chooser, CHOICE_CTA, n);
	l->unit_step = 1 + choose(s->machine->chooser, CHOICE_CTA, n - 1);
	while (common_divisor(l->unit_step, l->nunits) != 1)
		l->unit_step = l->unit_step % (n - 1) + 1; /* ends at 1 at the latest */
}

static uint64_t unit_of(const struct launch *l, uint64_t k)
{
	return l->unit_step == 1
		? (k + l->unit_first) % l->nunits
		: (uint64_t)(((unsigned __int128)k * l->unit_step + l->unit_first) % l->nunits);
}

static void launch_report(struct machine *m, enum life_kind kind, struct launch *l)
{
	if (machine_watches(m, INTEREST_LIFE))
		observers_life(m, &(struct life_event){kind, l, NULL, NULL, 0});
}

static void launches_activate(struct schedule *s)
{
	struct launch *l;

	while ((l = queue_next(&s->queue))) {
		l->running = true;
		launch_shuffle(s, l);
		launch_report(s->machine, LIFE_LAUNCH_BEGIN, l);
		*vec_push(&s->active) = l;
	}
}

static void launch_finish(struct schedule *s, struct launch *l)
{
	for (uint32_t k = 0; k < s->active.count; k++)
		if (s->active.data[k] == l)
			s->active.data[k] = s->active.data[--s->active.count];
	l->running = false;
	l->done = true;
	launch_report(s->machine, LIFE_LAUNCH_END, l);
	queue_done(&s->queue, l);
	launches_activate(s);
	pthread_cond_broadcast(&s->change);
}

/* For who listens; done_ctas counts when a batch is settled. */
static void batch_tell(struct batch *b)
{
	if (b->untold)
		atomic_fetch_add_explicit(&b->launch->ended, b->untold, memory_order_relaxed);
	b->untold = 0;
}

static void batch_settle(struct schedule *s, struct batch *b)
{
	struct launch *l = b->launch;

	batch_tell(b);
	if (!l || !b->finished)
		return;
	l->done_ctas += b->finished;
	b->finished = 0;
	s->quiet_slices = 0;
	if (l->done_ctas == l->nunits)
		launch_finish(s, l);
}

/* A launch with units that may begin now; launches take turns. */
static struct launch *launch_admissible(struct schedule *s)
{
	if (is_random(s) && s->active.count)
		s->next_active = choose(s->machine->chooser, CHOICE_CTA, s->active.count);
	for (uint32_t k = 0; k < s->active.count; k++) {
		struct launch *l = s->active.data[(s->next_active + k) % s->active.count];

		if (l->next_cta < l->nunits && l->next_cta - l->done_ctas < l->resident_limit) {
			s->next_active = (s->next_active + k + 1) % s->active.count;
			return l;
		}
	}
	return NULL;
}

static void take_batch(struct schedule *s, struct launch *l, struct batch *b)
{
	uint64_t left = l->nunits - l->next_cta, n = left / (4u * s->machine->nworkers);

	n = n < 1 || s->active.count > 1 || is_random(s) ? 1 : n > BATCH ? BATCH : n;
	b->launch = l;
	b->next = l->next_cta;
	b->end = l->next_cta += n;
	s->quiet_slices = 0;
}

bool schedule_cancel(struct schedule *s, struct launch *l, uint64_t *unit)
{
	bool any;

	lock_take(&s->lock);
	any = l->next_cta < l->nunits;
	if (any) {
		*unit = unit_of(l, l->next_cta++);
		atomic_fetch_add_explicit(&l->ended, 1, memory_order_relaxed);
		l->done_ctas++; /* the unit that asked is not done, so neither is the launch */
	}
	lock_give(&s->lock);
	return any;
}

/* --- parked CTAs --- */

static void cta_park(struct schedule *s, struct cta *c)
{
	c->next = NULL;
	*s->last = c;
	s->last = &c->next;
	s->parked++;
	if (s->waiting)
		pthread_cond_signal(&s->change);
}

/* The oldest parked CTA that can run, or any one when the schedule is random. *WAKE: when the
 * first sleeper wakes up; valid only when NULL is returned. */
static struct cta **runnable_cta(struct schedule *s, uint64_t *wake)
{
	uint64_t now = atomic_load_explicit(&s->machine->clock, memory_order_relaxed);
	uint32_t skip = is_random(s) ? choose(s->machine->chooser, CHOICE_CTA, s->parked) : 0;
	struct cta **found = NULL;

	*wake = UINT64_MAX;
	for (struct cta **at = &s->first; *at; at = &(*at)->next) {
		if (!(*at)->turns->sleeping || (*at)->turns->wake <= now) {
			found = at;
			if (!skip--)
				return at;
		} else if ((*at)->turns->wake < *wake) {
			*wake = (*at)->turns->wake;
		}
	}
	return found;
}

static struct cta *cta_unpark(struct schedule *s, struct cta **at)
{
	struct cta *c = *at;

	if (s->last == &c->next)
		s->last = at;
	*at = c->next;
	c->turns->sleeping = false;
	s->parked--;
	return c;
}

/* The director names a turn: its CTA if that is parked and awake. Otherwise NULL; the next CTA of
 * its launch begins then, until it is there, or the turn is refused. */
static struct cta *directed_cta(struct schedule *s, struct launch **begin)
{
	struct machine *m = s->machine;
	uint64_t now = atomic_load_explicit(&m->clock, memory_order_relaxed);
	const struct turn *t = &m->options.director->turn;
	struct launch *l = t->launch < m->launches.count ? m->launches.data[t->launch] : NULL;

	*begin = NULL;
	for (struct cta **at = &s->first; *at; at = &(*at)->next)
		EVERY_CTA(c, (*at)->cluster) {
			if (!directed_to(m, c))
				continue;
			if (!(*at)->turns->sleeping || (*at)->turns->wake <= now)
				return cta_unpark(s, at);
			direct_refuse(m, "sleeps");
			return NULL;
		}
	if (!l || !l->running || t->cta >= l->nctas || l->next_cta >= l->nunits)
		direct_refuse(m, "belongs to a CTA that does not run");
	else if (l->next_cta - l->done_ctas >= l->resident_limit)
		direct_refuse(m, "belongs to a CTA that has not begun: the GPU is full");
	else
		*begin = l;
	return NULL;
}

/* --- livelock --- */

static enum quiet_result quiet_check_all(struct schedule *s, struct worker *k, bool *timed)
{
	enum quiet_result worst = QUIET_PROVEN;

	for (struct cta *c = s->first; c && worst == QUIET_PROVEN; c = c->next) {
		c->turns->sleeping = false;
		for (uint32_t rank = 0; rank < c->cluster->n && worst == QUIET_PROVEN; rank++)
			worst = quiet_check(k, c->cluster->member[rank], timed);
	}
	return worst;
}

/* All CTAs in flight had a slice that changed nothing, and no other can begin. When every state
 * repeats with a frozen clock but a thread reads it, advances the clock by larger and larger
 * steps, in case a thread waits for a time. If even years change nothing, it is a livelock. */
static void check_livelock(struct schedule *s, struct worker *k)
{
	bool timed = false;
	enum quiet_result r = quiet_check_all(s, k, &timed);

	for (unsigned leap = 10; r == QUIET_PROVEN && timed && leap < 62; leap++) {
		atomic_fetch_add(&s->machine->clock, UINT64_C(1) << leap);
		r = quiet_check_all(s, k, &timed);
	}
	s->quiet_slices = 0;
	if (r == QUIET_PROVEN)
		report_livelock(s->machine, s->first);
	else if (r == QUIET_PROGRESS)
		s->quiet_patience = 1;
	else if (s->quiet_patience < 1 << 20)
		s->quiet_patience *= 2;
}

static bool all_quiet(const struct schedule *s)
{
	return s->parked && s->quiet_slices > s->quiet_patience * s->parked;
}

/* --- budgets --- */

static double seconds_since(const struct timespec *since)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)(now.tv_sec - since->tv_sec) + (double)(now.tv_nsec - since->tv_nsec) * 1e-9;
}

static void check_budgets(struct schedule *s)
{
	struct machine *m = s->machine;

	if (m->options.max_steps && atomic_load(&m->steps) >= m->options.max_steps)
		limits_end(m, DIAG_B0001);
	else
		limits_reached(m);
}

static uint64_t slice_length(const struct schedule *s)
{
	const struct machine *m = s->machine;
	uint64_t most = is_random(s) ? choose_length(m->chooser, CHOICE_QUANTUM, RANDOM_BITS)
		: s->quiet_slices    ? QUIET_SLICE
		: s->alone_until     ? ALONE_SLICE
				     : SLICE;

	if (m->options.max_steps) {
		uint64_t done = atomic_load_explicit(&s->machine->steps, memory_order_relaxed),
			 left = m->options.max_steps - done;

		if (done >= m->options.max_steps)
			return 1;
		most = left < most ? left : most;
	}
	return most;
}

/* --- a worker's loop --- */

static struct cta *worker_begin(struct schedule *s, struct worker *k, struct batch *b)
{
	struct machine *m = s->machine;
	struct cta *c = cta_begin(m, b->launch, unit_of(b->launch, b->next++), k->spare);

	k->spare = NULL;
	k->stats.ctas += b->launch->cluster_ctas;
	k->stats.warps += (uint64_t)b->launch->nwarps * b->launch->cluster_ctas;
	k->stats.threads += (uint64_t)b->launch->threads * b->launch->cluster_ctas;
	if (!c) {
		lock_take(&m->fault_lock);
		if (!atomic_load(&m->stop))
			diag_report(m->findings, DIAG_F0110, b->launch->ask.source,
				b->launch->ask.span, "not enough memory for another CTA");
		lock_give(&m->fault_lock);
		machine_halt(m, MACHINE_FAULT);
	}
	return c;
}

/* Whether another worker runs a CTA or has CTAs of its batch left (worker 0 may stop in the
 * middle of a batch when it works alone). */
static bool others_busy(const struct schedule *s)
{
	if (s->executing)
		return true;
	for (unsigned i = 0; i < s->machine->nworkers; i++)
		if (s->batch[i].next < s->batch[i].end)
			return true;
	return false;
}

/* Whether to take a new CTA, if there is one; AWAKE: a parked one can run. */
static bool prefers_new(const struct schedule *s, bool awake)
{
	if (!awake && (s->reluctance < RELUCTANT || !s->parked))
		return true;
	if (!is_random(s))
		return !s->parked_turn;
	return all_quiet(s) ||
		(s->parked < RANDOM_RESIDENT &&
			choose(s->machine->chooser, CHOICE_CTA, s->reluctance) == 1);
}

/* Takes a parked CTA (*C), or a new batch (then b->next < b->end). The lock is held. False: no
 * more work for this worker. */
static bool worker_take(struct schedule *s, struct worker *k, struct batch *b, struct cta **c)
{
	struct machine *m = s->machine;

	for (;;) {
		uint64_t wake = 0;

		*c = NULL;
		if (atomic_load(&m->stop) || queue_empty(&s->queue))
			return false;
		if (is_directed(m)) {
			struct launch *begin;

			*c = directed_cta(s, &begin);
			if (begin)
				take_batch(s, begin, b);
			if (*c || begin)
				return true;
		}
		struct cta **at = s->parked ? runnable_cta(s, &wake) : NULL;
		bool new_first = prefers_new(s, at);
		struct launch *l = new_first ? launch_admissible(s) : NULL;

		if (l) {
			take_batch(s, l, b);
			s->parked_turn = true;
			return true;
		}
		if (!others_busy(s) && all_quiet(s) && !launch_admissible(s)) {
			check_livelock(s, k);
			check_budgets(s);
			continue;
		}
		if (at && !(others_busy(s) && all_quiet(s))) {
			*c = cta_unpark(s, at);
			s->parked_turn = false;
			return true;
		}
		/* all that is left sleeps: advance to the first wake-up time */
		if (!others_busy(s)) {
			if (!s->parked)
				/* unreachable: items are left, but nothing is in flight and
				 * nothing can begin */
				never();
			atomic_store(&m->clock, wake);
			continue;
		}
		s->waiting++;
		pthread_cond_wait(&s->change, &s->lock);
		s->waiting--;
	}
}

/* Records the result of running C. The lock is held. */
static void worker_put(struct schedule *s, struct worker *k, struct batch *b, struct cta *c,
	enum cta_result r, uint64_t most, bool effect)
{
	if (r == CTA_FINISHED) {
		struct launch *l = c->launch;

		if (b->launch == l) {
			b->finished++;
			b->untold++;
		} else {
			struct batch other = {.launch = l, .finished = 1, .untold = 1};

			batch_settle(s, &other);
		}
		if (k->spare)
			cta_free(c);
		else
			k->spare = c;
		return;
	}
	if (effect)
		s->quiet_slices = 0;
	else if (!is_directed(s->machine) &&
		(r != CTA_SLICE || most >= QUIET_MIN)) /* a shorter one proves nothing */
		s->quiet_slices++;
	c->turns->sleeping = r == CTA_SLEEPING;
	if (r == CTA_STUCK) {
		lock_take(&s->machine->fault_lock);
		if (!atomic_load(&s->machine->stop))
			report_deadlock(s->machine, c);
		lock_give(&s->machine->fault_lock);
	}
	cta_park(s, c);
}

static void worker_run(void *arg, unsigned index)
{
	struct schedule *s = arg;
	struct machine *m = s->machine;

	assert(index < m->nworkers); /* the pool never has more threads */
	struct worker *k = &m->worker[index];
	struct batch *b = &s->batch[index];
	bool bounded = m->options.max_steps || m->options.deadline > 0;

	lock_take(&s->lock);
	while (!s->alone_until || k->steps < s->alone_until) {
		struct cta *c = NULL;

		if (b->next >= b->end) {
			batch_settle(s, b);
			if (!worker_take(s, k, b, &c))
				break;
		}
		s->executing++;
		uint64_t most = slice_length(s);
		lock_give(&s->lock);
		bool effect = false;
		enum cta_result r = CTA_STOPPED;

		if (!c)
			c = worker_begin(s, k, b);
		for (;;) {
			if (!c)
				break;
			r = cta_run(k, c, most, &effect);
			if (r != CTA_FINISHED || c->launch != b->launch || b->next >= b->end ||
				bounded || (s->alone_until && k->steps >= s->alone_until))
				break;
			/* the common case, without the lock: the next CTA of the batch */
			b->finished++;
			b->untold++;
			k->spare = c;
			if (m->nworkers == 1 || k->untold >= TELL) {
				worker_tell(k);
				batch_tell(b);
			}
			c = worker_begin(s, k, b);
		}
		worker_tell(k);
		batch_tell(b);
		lock_take(&s->lock);
		s->executing--;
		if (c)
			worker_put(s, k, b, c, r, most, effect);
		if (bounded)
			check_budgets(s);
		if (s->waiting && (s->executing == 0 || atomic_load(&m->stop)))
			pthread_cond_broadcast(&s->change);
	}
	if (b->next >= b->end)
		batch_settle(s, b);
	pthread_cond_broadcast(&s->change);
	lock_give(&s->lock);
}

/* A worker has failed, and its call with it. The lock is taken past base/lock.h, which would fail.
 */
static void workers_wake(void *arg)
{
	struct schedule *s = arg;

	machine_halt(s->machine, MACHINE_FAULT);
	pthread_mutex_lock(&s->lock);
	pthread_cond_broadcast(&s->change);
	pthread_mutex_unlock(&s->lock);
}

/* The number of workers that the queue can use: at most one per unit. */
static unsigned workers_wanted(const struct schedule *s)
{
	const struct machine *m = s->machine;
	unsigned most = m->options.jobs ? m->options.jobs : pool_processors();
	uint64_t ctas = 0;

	for (const struct observer *o = m->observers; o; o = o->next)
		if (o->serial)
			return 1;
	if (m->chooser->choose)
		return 1;
	for (uint32_t k = 0; k < s->queue.item.count; k++)
		if (s->queue.item.data[k].launch && !s->queue.item.data[k].done)
			ctas += s->queue.item.data[k].launch->nunits;
	return ctas < most ? (unsigned)(ctas ? ctas : 1) : most;
}

static void make_workers(struct schedule *s, unsigned n)
{
	struct machine *m = s->machine;

	if (n > m->nworkers) {
		m->worker = memory_resize(m->worker, n * sizeof *m->worker);
		for (unsigned k = m->nworkers; k < n; k++)
			m->worker[k] = (struct worker){.machine = m, .index = k};
		m->nworkers = n;
	}
	for (unsigned k = 0; k < m->nworkers; k++)
		worker_counters(&m->worker[k]);
	memory_drop(s->batch);
	s->batch = memory_zeroed(m->nworkers, sizeof *s->batch);
}

void schedule_run(struct schedule *s)
{
	struct machine *m = s->machine;

	launches_activate(s);
	if (queue_empty(&s->queue))
		return;
	unsigned n = workers_wanted(s);

	make_workers(s, n);
	clock_gettime(CLOCK_MONOTONIC, &s->begin);
	s->alone_until = n > 1 ? m->worker[0].steps + (s->pool ? ALONE_AWAKE : ALONE) : 0;
	worker_run(s, 0);
	s->alone_until = 0;
	if (!queue_empty(&s->queue) && !atomic_load(&m->stop)) {
		if (!s->pool || pool_size(s->pool) < n) {
			if (s->pool)
				pool_free(s->pool);
			s->pool = pool_new(n);
		}
		pool_run(s->pool, worker_run, workers_wake, s);
	}
	m->seconds += seconds_since(&s->begin);
	const struct launch *l = s->active.count ? s->active.data[0] : NULL;

	report_limit(m, s->first, l ? l->ask.source : NULL, l ? l->ask.span : (struct span){0, 0});
	for (unsigned k = 0; k < m->nworkers; k++) {
		cta_free(m->worker[k].spare);
		m->worker[k].spare = NULL;
	}
}
