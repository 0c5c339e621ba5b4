/* Thread pool: the workers sleep until a new generation of work is announced; the caller works as
 * well and then waits for the others. The pool takes its own lock without base/lock.h, because it
 * must work for a call that has failed. */
#define _GNU_SOURCE /* sched_getaffinity */
#include "base/pool.h"
#include "base/guard.h"
#include "base/memory.h"
#include "base/platform.h"
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>

struct worker {
	struct pool *pool;
	unsigned index;
	pthread_t thread;
};

struct pool {
	unsigned size;         /* number of workers, including the caller */
	struct worker *worker; /* [size]; index 0 is the caller */
	pthread_mutex_t lock;
	pthread_cond_t start, done;
	unsigned long generation;
	unsigned busy;
	bool ending, failed;
	struct guard *guard; /* of the call that made the pool */
	void (*work)(void *arg, unsigned worker);
	void (*wake)(void *arg);
	void *arg;
};

static void work_once(void *arg)
{
	struct worker *w = arg;

	w->pool->work(w->pool->arg, w->index);
}

static void *pool_worker(void *arg)
{
	struct worker *w = arg;
	struct pool *p = w->pool;
	unsigned long seen = 0;

	pthread_mutex_lock(&p->lock);
	for (;;) {
		while (p->generation == seen && !p->ending)
			pthread_cond_wait(&p->start, &p->lock);
		if (p->ending)
			break;
		seen = p->generation;
		pthread_mutex_unlock(&p->lock);
		bool ended = guard_join(p->guard, work_once, w);

		if (!ended && p->wake)
			p->wake(p->arg);
		pthread_mutex_lock(&p->lock);
		p->failed |= !ended;
		if (--p->busy == 0)
			pthread_cond_signal(&p->done);
	}
	pthread_mutex_unlock(&p->lock);
	return NULL;
}

/* Ends the threads; the blocks remain. */
static void pool_end(void *arg)
{
	struct pool *p = arg;

	pthread_mutex_lock(&p->lock);
	p->ending = true;
	pthread_cond_broadcast(&p->start);
	pthread_mutex_unlock(&p->lock);
	for (unsigned i = 1; i < p->size; i++)
		pthread_join(p->worker[i].thread, NULL);
	pthread_cond_destroy(&p->done);
	pthread_cond_destroy(&p->start);
	pthread_mutex_destroy(&p->lock);
}

struct pool *pool_new(unsigned n)
{
	struct pool *p = memory_zeroed(1, sizeof *p);

	if (n < 1)
		n = 1;
	p->worker = memory_zeroed(n, sizeof *p->worker);
	p->size = 1;
	p->worker[0] = (struct worker){.pool = p};
	p->guard = guard_current();
	pthread_mutex_init(&p->lock, NULL);
	pthread_cond_init(&p->start, NULL);
	pthread_cond_init(&p->done, NULL);
	guard_keep(pool_end, p);
	while (p->size < n) {
		struct worker *w = &p->worker[p->size];

		*w = (struct worker){.pool = p, .index = p->size};
		if (pthread_create(&w->thread, NULL, pool_worker, w))
			break;
		p->size++;
	}
	return p;
}

unsigned pool_size(const struct pool *p) { return p->size; }

void pool_run(struct pool *p, void (*work)(void *arg, unsigned worker), void (*wake)(void *arg),
	void *arg)
{
	bool ended = true;

	pthread_mutex_lock(&p->lock);
	p->work = work;
	p->wake = wake;
	p->arg = arg;
	p->busy = p->size - 1;
	p->generation++;
	pthread_cond_broadcast(&p->start);
	pthread_mutex_unlock(&p->lock);
	if (p->guard)
		ended = guard_try(work_once, &p->worker[0]);
	else
		work(arg, 0);
	if (!ended && wake)
		wake(arg);
	pthread_mutex_lock(&p->lock);
	while (p->busy)
		pthread_cond_wait(&p->done, &p->lock);
	ended &= !p->failed;
	p->failed = false;
	pthread_mutex_unlock(&p->lock);
	if (!ended)
		guard_fail_again();
}

void pool_free(struct pool *p)
{
	if (!p)
		return;
	guard_forget(p);
	pool_end(p);
	memory_drop(p->worker);
	memory_drop(p);
}

unsigned pool_processors(void)
{
	long n;

#ifdef __linux__
	cpu_set_t mine;

	if (sched_getaffinity(0, sizeof mine, &mine) == 0)
		return (unsigned)CPU_COUNT(&mine);
		/* there are more processors than a cpu_set_t can represent */
#endif
	if (!PLATFORM_THREADS)
		return 1;
	n = sysconf(_SC_NPROCESSORS_ONLN);
	return n < 1 ? 1 : (unsigned)n;
}
