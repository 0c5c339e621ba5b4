/* What a thread's view knows: for each agent (thread, warp, CTA, launch) the time up to which
 * everything that the agent did is known. Times are those of the run, which is one host thread's,
 * so that one number orders all events.
 *
 * Clocks are immutable and counted. They never grow past a bound: then the entries of a CTA's
 * threads become one entry of the CTA at their latest time, and at last all become one time for
 * everybody. That says that more is known than really is, which takes behaviours away and never
 * adds one. */
#ifndef PTXI_WEAK_WEAK_CLOCK_H
#define PTXI_WEAK_WEAK_CLOCK_H
#include "base/clock.h"

/* A thread and where it is; CTAs, clusters and launches have numbers in the run, CTAs from 1. cta
 * 0: nobody (initial values). */
struct weak_who {
	uint32_t cta, cluster, launch;
	uint16_t thread; /* in the CTA, 0..1023 */
	uint8_t device;
};
static inline bool weak_same(const struct weak_who *a, const struct weak_who *b)
{
	return a->cta == b->cta && a->thread == b->thread;
}

/* Keys of the agents: the CTA's number, and below it 0 for the CTA itself, from 1 its warps, from
 * 64 its threads. Launches lie above all CTAs. */
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

/* base/clock.h's, with these keys: of one CTA it holds only what its wider entries do not say */
struct weak_clock;

/* NULL stands for the clock that knows nothing. */
struct weak_clock *weak_clock_ref(struct weak_clock *c);
void weak_clock_unref(struct weak_clock *c);
/* A new reference to what A and B and the N entries of MORE (ascending keys) know together, and
 * everything up to ALL. */
struct weak_clock *weak_clock_join(struct weak_clock *a, struct weak_clock *b,
	const struct known *more, uint32_t n, uint64_t all);
/* *C becomes what it and B know. */
void weak_clock_add(struct weak_clock **c, struct weak_clock *b);
/* Whether C knows what WHO did at time STAMP. */
bool weak_clock_knows(const struct weak_clock *c, const struct weak_who *who, uint64_t stamp);

#endif
