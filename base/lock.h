/* Locks that detect misuse: locking one twice, or unlocking one that is not held, fails an
 * assertion in every build, even without contention. */
#ifndef PTXI_BASE_LOCK_H
#define PTXI_BASE_LOCK_H
#include <assert.h>
#include <pthread.h>

static inline void lock_new(pthread_mutex_t *lock)
{
	pthread_mutexattr_t kind;

	pthread_mutexattr_init(&kind);
	pthread_mutexattr_settype(&kind, PTHREAD_MUTEX_ERRORCHECK);
	pthread_mutex_init(lock, &kind);
	pthread_mutexattr_destroy(&kind);
}

static inline void lock_take(pthread_mutex_t *lock)
{
	int trouble = pthread_mutex_lock(lock);

	assert(!trouble);
	(void)trouble;
}

static inline void lock_give(pthread_mutex_t *lock)
{
	int trouble = pthread_mutex_unlock(lock);

	assert(!trouble);
	(void)trouble;
}
#endif
