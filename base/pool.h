/* A pool of host threads that all run one function; the caller is worker 0. */
#ifndef PTXI_BASE_POOL_H
#define PTXI_BASE_POOL_H

struct pool;

/* N >= 1 workers in all (N - 1 threads are started). Falls back to fewer when the system refuses a
 * thread. */
struct pool *pool_new(unsigned n);
unsigned pool_size(const struct pool *p);
/* Runs work(arg, worker) once on every worker, and returns when all have returned. */
void pool_run(struct pool *p, void (*work)(void *arg, unsigned worker), void *arg);
void pool_free(struct pool *p);
/* Processors that this process may use, at least 1. */
unsigned pool_processors(void);

#endif
