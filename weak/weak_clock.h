/* The knowledge of a thread's view: for each agent (thread, warp, CTA, launch) the time up to which
 * everything that the agent did is known. Times are numbers of events in the run, which one host
 * thread executes, so that they order all events.
 *
 * Clocks are immutable and reference counted. When one exceeds its maximum size, the entries of
 * each CTA's threads are merged into one entry for the CTA at their latest time; if it is still too
 * large, all entries become one time for all agents. The clock then claims to know more than it
 * does, which removes behaviours and never adds one. */
#ifndef PTXI_WEAK_WEAK_CLOCK_H
#define PTXI_WEAK_WEAK_CLOCK_H
#include "base/clock.h"

/* A thread and its position. CTAs, clusters and launches are numbered within the run, CTAs from 1.
 * cta 0: no thread (initial values). */
struct weak_who {
	uint32_t cta, cluster, launch;
	uint16_t thread; /* in the CTA, 0..1023 */
	uint8_t device;
};
static inline bool weak_same(const struct weak_who *a, const struct weak_who *b)
{
	return a->cta == b->cta && a->thread == b->thread;
}

/* Keys of the agents: the CTA's number, and in the low bits 0 for the CTA itself, from 1 its warps,
 * from 64 its threads. Keys of launches are greater than those of all CTAs. */
static inline uint64_t weak_key_cta(uint32_t cta) { return (uint64_t)cta << 12; }
static inline uint64_t weak_key_warp(uint32_t cta, uint32_t warp)
{
	return (uint64_t)cta << 12 | (1 + warp);
}
static inline uint64_t weak_key_thread(uint32_t cta, uint32_t thread)
{
	return (uint64_t)cta << 12 | (64 + thread);
}
static inline uint64_t weak_key_launch(uint32_t launch) { return UINT64_C(1) << 60 | launch; }

/* A clock of base/clock.h with these keys, without entries that wider entries of the same CTA
 * cover. */
struct weak_clock;

/* NULL is the clock that knows nothing. */
struct weak_clock *weak_clock_ref(struct weak_clock *c);
void weak_clock_unref(struct weak_clock *c);
/* Returns a new reference to the join of A, B, the N entries of MORE (ascending keys), and
 * everything up to time ALL. */
struct weak_clock *weak_clock_join(struct weak_clock *a, struct weak_clock *b,
	const struct known *more, uint32_t n, uint64_t all);
/* Replaces *C by the join of *C and B. */
void weak_clock_add(struct weak_clock **c, struct weak_clock *b);
/* weak_clock_add(), which J may know. */
void weak_clock_add_again(struct clock_joins *j, struct weak_clock **c, struct weak_clock *b);
/* Whether C knows what WHO did at time STAMP. */
bool weak_clock_knows(const struct weak_clock *c, const struct weak_who *who, uint64_t stamp);

#endif
