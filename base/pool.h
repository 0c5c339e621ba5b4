/* A pool of host threads that all run one function; the caller is worker 0. */
#ifndef PTXI_BASE_POOL_H
#define PTXI_BASE_POOL_H

struct pool;

/* Creates a pool of N >= 1 workers (N - 1 threads). Uses fewer if the system refuses to create a
 * thread. */
struct pool *pool_new(unsigned n);
unsigned pool_size(const struct pool *p);
/* Runs work(arg, worker) once on every worker and returns when all have finished. If one fails
 * (base/guard.h), the call fails once all have ended. WAKE, which may be NULL, is then called by
 * each worker that failed, so that no other worker waits for it; it may not fail itself. */
void pool_run(struct pool *p, void (*work)(void *arg, unsigned worker), void (*wake)(void *arg),
	void *arg);
void pool_free(struct pool *p);
/* The number of processors available to this process, at least 1. */
unsigned pool_processors(void);

#endif
