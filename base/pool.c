/* Thread pool: the workers sleep until a new generation of work is announced; the caller works as
 * well and then waits for the others. */
#define _GNU_SOURCE /* sched_getaffinity */
#include "base/pool.h"
#include "base/lock.h"
#include "base/memory.h"
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
	bool ending;
	void (*work)(void *arg, unsigned worker);
	void *arg;
};

static void *pool_worker(void *arg)
{
	struct worker *w = arg;
	struct pool *p = w->pool;
	unsigned long seen = 0;

	lock_take(&p->lock);
	for (;;) {
		while (p->generation == seen && !p->ending)
			pthread_cond_wait(&p->start, &p->lock);
		if (p->ending)
			break;
		seen = p->generation;
		lock_give(&p->lock);
		p->work(p->arg, w->index);
		lock_take(&p->lock);
		if (--p->busy == 0)
			pthread_cond_signal(&p->done);
	}
	lock_give(&p->lock);
	return NULL;
}

struct pool *pool_new(unsigned n)
{
	struct pool *p = memory_zeroed(1, sizeof *p);

	if (n < 1)
		n = 1;
	p->worker = memory_zeroed(n, sizeof *p->worker);
	p->size = 1;
	lock_new(&p->lock);
	if (pthread_cond_init(&p->start, NULL) || pthread_cond_init(&p->done, NULL))
		memory_out();
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

void pool_run(struct pool *p, void (*work)(void *arg, unsigned worker), void *arg)
{
	lock_take(&p->lock);
	p->work = work;
	p->arg = arg;
	p->busy = p->size - 1;
	p->generation++;
	pthread_cond_broadcast(&p->start);
	lock_give(&p->lock);
	work(arg, 0);
	lock_take(&p->lock);
	while (p->busy)
		pthread_cond_wait(&p->done, &p->lock);
	lock_give(&p->lock);
}

void pool_free(struct pool *p)
{
	if (!p)
		return;
	lock_take(&p->lock);
	p->ending = true;
	pthread_cond_broadcast(&p->start);
	lock_give(&p->lock);
	for (unsigned i = 1; i < p->size; i++)
		pthread_join(p->worker[i].thread, NULL);
	pthread_cond_destroy(&p->done);
	pthread_cond_destroy(&p->start);
	pthread_mutex_destroy(&p->lock);
	free(p->worker);
	free(p);
}

unsigned pool_processors(void)
{
	cpu_set_t mine;
	long n;

	if (sched_getaffinity(0, sizeof mine, &mine) == 0)
		return (unsigned)CPU_COUNT(&mine);
	/* there are more processors than a cpu_set_t can represent */
	n = sysconf(_SC_NPROCESSORS_ONLN);
	return n < 1 ? 1 : (unsigned)n;
}
