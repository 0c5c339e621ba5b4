/* A failure (memory is exhausted, or ptxi has a bug) ends a call of the library and not its
 * process: it unwinds to the recovery point of the thread, and what the call held is released.
 *
 * A guard owns the blocks of memory, threads and files of one handle of the library. While a thread
 * works for a guard, memory_resize, memory_zeroed and memory_drop keep the guard's list of blocks.
 * Without a guard a failure aborts; a guard with END ends the process in its own way. */
#ifndef PTXI_BASE_GUARD_H
#define PTXI_BASE_GUARD_H
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum failure { FAILURE_NONE, FAILURE_MEMORY, FAILURE_BUG };

struct guard;
/* Returns NULL if there is not enough memory. END, which may be NULL, is called in place of
 * unwinding and does not return; such a guard keeps no list of blocks. */
struct guard *guard_new(void (*end)(enum failure why, const char *what));
/* Runs WORK(ARG) for G. After a failure everything that G owned has been released, and G can be
 * used again. */
enum failure guard_run(struct guard *g, void (*work)(void *arg), void *arg);
/* What failed in the last guard_run, in words; "" if nothing did. */
const char *guard_what(const struct guard *g);
/* From now on this thread works for G until the process ends; for a main program. */
void guard_enter(struct guard *g);
/* Releases everything that G owns, and G. */
void guard_free(struct guard *g);

/* Ends the call. */
_Noreturn void guard_fail(enum failure why, const char *what);
_Noreturn void guard_bug(const char *what, const char *file, int line);

/* --- for base/memory.c, base/lock.h and base/pool.c --- */

/* Whether this thread works for a guard that keeps lists, or a test limits its allocations; if not,
 * the functions below need not be called, which is faster. */
extern _Thread_local bool guard_watches;
/* The guard that this thread works for, or NULL. */
struct guard *guard_current(void);
/* Ends the call of this thread if it has failed in another thread. */
void guard_check(void);
/* A nested recovery point: whether WORK(ARG) ended without a failure. */
bool guard_try(void (*work)(void *arg), void *arg);
/* As guard_try, in a new thread that works for G (NULL: without recovery). */
bool guard_join(struct guard *g, void (*work)(void *arg), void *arg);
/* Ends the call again, once no other thread works for it. */
_Noreturn void guard_fail_again(void);
/* The locks that this thread holds, which a failure unlocks. */
void guard_locked(pthread_mutex_t *lock);
void guard_unlocked(pthread_mutex_t *lock);
/* Whether a block of this size may be allocated; false only in tests. Called before every
 * allocation. */
bool guard_allows(void);
/* Notes that block OLD (may be NULL) is now block P (may be NULL). False: there is no memory for
 * the list; then the list has OLD still. */
bool guard_note(void *old, void *p);
/* END(ARG) is called if G's things are released before guard_forget(ARG). */
void guard_keep(void (*end)(void *arg), void *arg);
void guard_forget(void *arg);
/* Blocks allocated until guard_resume belong to the caller and not to the guard. */
void guard_pause(void);
void guard_resume(void);

/* For tests: calls by this thread may allocate LEFT more blocks, and then memory is exhausted.
 * NULL: no limit. */
void guard_allowance(_Atomic uint64_t *left);
/* For tests: the number of blocks that G owns. */
size_t guard_blocks(const struct guard *g);

#endif
