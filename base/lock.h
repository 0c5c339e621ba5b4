/* Locks that detect misuse: locking one twice, or unlocking one that is not held, fails an
 * assertion in every build, even without contention. A call that fails releases the locks that its
 * thread holds, and its other threads fail at the next lock (base/guard.h). */
#ifndef PTXI_BASE_LOCK_H
#define PTXI_BASE_LOCK_H
#include "base/assert.h"
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
	if (guard_watches) {
		guard_locked(lock);
		guard_check();
	}
}

static inline void lock_give(pthread_mutex_t *lock)
{
	int trouble;

	if (guard_watches)
		guard_unlocked(lock);
	trouble = pthread_mutex_unlock(lock);
	assert(!trouble);
}
#endif
