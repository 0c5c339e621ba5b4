/* Guards: the blocks are in a hash table of addresses, because blocks have no header of ours. A
 * guard without threads of its own takes its lock without contention. */
#include "base/guard.h"
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { HELD = 8, SLOTS_FIRST = 64 };

struct kept {
	struct kept *next;
	void (*end)(void *arg);
	void *arg;
};

struct guard {
	void (*end)(enum failure why, const char *what);
	pthread_mutex_t lock;
	uintptr_t *slot; /* [slots] addresses of blocks, open addressing; 0: free */
	size_t slots, count;
	struct kept *kept;
	_Atomic uint64_t *allowance;
	_Atomic int failure; /* enum failure */
	char what[200];
};

struct recovery {
	jmp_buf to;
	struct recovery *before;
	unsigned nheld;
};

/* What a thread must know to end the call that it works for; the only writable data below
 * backend/. */
static _Thread_local struct {
	struct guard *guard;
	struct recovery *point;
	bool paused;
	unsigned nheld;
	pthread_mutex_t *held[HELD];
	_Atomic uint64_t *allowance;
} here;

_Thread_local bool guard_watches;

static void watch(struct guard *g)
{
	here.guard = g;
	guard_watches = (g && !g->end) || here.allowance;
}

/* --- the table of blocks --- */

static size_t slot_of(const struct guard *g, uintptr_t p)
{
	return (size_t)((p >> 4) * 0x9e3779b97f4a7c15u >> 20) & (g->slots - 1);
}

static size_t slot_find(const struct guard *g, uintptr_t p)
{
	size_t k = slot_of(g, p);

	while (g->slot[k] && g->slot[k] != p)
		k = (k + 1) & (g->slots - 1);
	return k;
}

static bool table_grow(struct guard *g)
{
	struct guard bigger = {.slots = g->slots ? g->slots * 2 : SLOTS_FIRST};

	bigger.slot = calloc(bigger.slots, sizeof *bigger.slot);
	if (!bigger.slot)
		return false;
	for (size_t k = 0; k < g->slots; k++)
		if (g->slot[k])
			bigger.slot[slot_find(&bigger, g->slot[k])] = g->slot[k];
	free(g->slot);
	g->slot = bigger.slot;
	g->slots = bigger.slots;
	return true;
}

/* Removes P if it is there. Later entries of its run move up, so that no marks remain. */
static void table_remove(struct guard *g, uintptr_t p)
{
	size_t mask = g->slots - 1, hole, k;

	if (!g->slots)
		return;
	hole = slot_find(g, p);
	if (!g->slot[hole])
		return;
	g->count--;
	for (k = (hole + 1) & mask; g->slot[k]; k = (k + 1) & mask) {
		size_t home = slot_of(g, g->slot[k]);

		if (((k - home) & mask) >= ((k - hole) & mask)) {
			g->slot[hole] = g->slot[k];
			hole = k;
		}
	}
	g->slot[hole] = 0;
}

bool guard_note(void *old, void *p)
{
	struct guard *g = here.guard;
	bool fits = true;

	if (!g || g->end || here.paused)
		return true;
	pthread_mutex_lock(&g->lock);
	if (p && 2 * (g->count + 1) > g->slots)
		fits = table_grow(g);
	if (fits && old)
		table_remove(g, (uintptr_t)old);
	if (fits && p) {
		g->slot[slot_find(g, (uintptr_t)p)] = (uintptr_t)p;
		g->count++;
	}
	pthread_mutex_unlock(&g->lock);
	return fits;
}

size_t guard_blocks(const struct guard *g) { return g->count; }

/* --- what else is released --- */

void guard_keep(void (*end)(void *arg), void *arg)
{
	struct guard *g = here.guard;
	struct kept *k;

	if (!g || g->end)
		return;
	k = guard_allows() ? malloc(sizeof *k) : NULL;
	if (!k) {
		end(arg);
		guard_fail(FAILURE_MEMORY, "out of memory");
	}
	*k = (struct kept){.end = end, .arg = arg};
	pthread_mutex_lock(&g->lock);
	k->next = g->kept;
	g->kept = k;
	pthread_mutex_unlock(&g->lock);
}

void guard_forget(void *arg)
{
	struct guard *g = here.guard;
	struct kept *found = NULL;

	if (!g)
		return;
	pthread_mutex_lock(&g->lock);
	for (struct kept **k = &g->kept; *k && !found; k = found ? k : &(*k)->next)
		if ((*k)->arg == arg) {
			found = *k;
			*k = found->next;
		}
	pthread_mutex_unlock(&g->lock);
	free(found);
}

/* No thread works for G any more. Threads end first: they use blocks. */
static void release(struct guard *g)
{
	while (g->kept) {
		struct kept *k = g->kept;

		g->kept = k->next;
		k->end(k->arg);
		free(k);
	}
	for (size_t k = 0; k < g->slots; k++)
		if (g->slot[k])
			free((void *)g->slot[k]);
	free(g->slot);
	g->slot = NULL;
	g->slots = g->count = 0;
}

/* --- recovery --- */

struct guard *guard_new(void (*end)(enum failure why, const char *what))
{
	struct guard *g = here.allowance && !guard_allows() ? NULL : calloc(1, sizeof *g);

	if (!g)
		return NULL;
	g->end = end;
	pthread_mutex_init(&g->lock, NULL);
	return g;
}

struct guard *guard_current(void) { return here.guard; }

void guard_enter(struct guard *g) { watch(g); }

void guard_pause(void) { here.paused = true; }

void guard_resume(void) { here.paused = false; }

const char *guard_what(const struct guard *g) { return g->what; }

static bool has_failed(void) { return here.guard && atomic_load(&here.guard->failure); }

/* Jumps to the recovery point. Locks are released last taken, first released; whoever waits for
 * them fails as well (lock_take), so nobody sees what they protect. */
static _Noreturn void unwind(void)
{
	struct recovery *to = here.point;

	if (!to)
		abort();
	while (here.nheld > to->nheld)
		pthread_mutex_unlock(here.held[--here.nheld]);
	here.paused = false;
	longjmp(to->to, 1);
}

_Noreturn void guard_fail(enum failure why, const char *what)
{
	struct guard *g = here.guard;
	int none = FAILURE_NONE;

	if (g && g->end)
		g->end(why, what);
	if (g && atomic_compare_exchange_strong(&g->failure, &none, (int)why))
		snprintf(g->what, sizeof g->what, "%s", what);
	unwind();
}

_Noreturn void guard_bug(const char *what, const char *file, int line)
{
	char text[200];

	snprintf(text, sizeof text, "internal error: %s:%d: %s", file, line, what);
	guard_fail(FAILURE_BUG, text);
}

_Noreturn void guard_fail_again(void) { unwind(); }

void guard_check(void)
{
	if (here.point && has_failed())
		unwind();
}

static bool attempt(struct recovery *r, void (*work)(void *arg), void *arg)
{
	r->before = here.point;
	r->nheld = here.nheld;
	if (setjmp(r->to)) {
		here.point = r->before;
		return false;
	}
	here.point = r;
	work(arg);
	here.point = r->before;
	return true;
}

bool guard_try(void (*work)(void *arg), void *arg)
{
	struct recovery r;

	return attempt(&r, work, arg) && !has_failed();
}

bool guard_join(struct guard *g, void (*work)(void *arg), void *arg)
{
	bool ended = true;

	here.allowance = g ? g->allowance : NULL;
	watch(g);
	if (g)
		ended = guard_try(work, arg);
	else
		work(arg);
	watch(NULL);
	return ended;
}

enum failure guard_run(struct guard *g, void (*work)(void *arg), void *arg)
{
	struct guard *before = here.guard;
	bool paused = here.paused;
	enum failure failure;

	watch(g);
	here.paused = false;
	g->allowance = here.allowance;
	g->what[0] = '\0';
	atomic_store(&g->failure, FAILURE_NONE);
	guard_try(work, arg);
	failure = (enum failure)atomic_load(&g->failure);
	if (failure) {
		watch(NULL); /* what is released is not looked up */
		release(g);
	}
	watch(before);
	here.paused = paused;
	return failure;
}

void guard_free(struct guard *g)
{
	struct guard *before = here.guard;

	if (!g)
		return;
	watch(NULL);
	release(g);
	watch(before);
	pthread_mutex_destroy(&g->lock);
	free(g);
}

void guard_locked(pthread_mutex_t *lock)
{
	if (here.nheld == HELD)
		guard_bug("a thread holds too many locks", __FILE__, __LINE__);
	here.held[here.nheld++] = lock;
}

void guard_unlocked(pthread_mutex_t *lock)
{
	unsigned k = here.nheld;

	while (k && here.held[k - 1] != lock)
		k--;
	if (k) {
		memmove(&here.held[k - 1], &here.held[k], (here.nheld - k) * sizeof *here.held);
		here.nheld--;
	}
}

bool guard_allows(void)
{
	uint64_t left;

	if (!here.allowance)
		return true;
	left = atomic_load(here.allowance);
	while (left && !atomic_compare_exchange_weak(here.allowance, &left, left - 1))
		;
	return left > 0;
}

void guard_allowance(_Atomic uint64_t *left)
{
	here.allowance = left;
	watch(here.guard);
}
