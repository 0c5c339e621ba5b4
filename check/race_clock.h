/* What a thread knows to come before it in causality order, as an immutable shared list: "all of
 * CTA 7 up to stamp 90; thread 3 of warp 12 up to 95". Stamps are machine-wide times, so that one
 * entry can stand for a whole warp, CTA or launch. */
#ifndef PTXI_CHECK_RACE_CLOCK_H
#define PTXI_CHECK_RACE_CLOCK_H
#include "base/clock.h"
#include "base/vec.h"

enum key_kind { KEY_LAUNCH, KEY_CTA, KEY_WARP, KEY_THREAD };

/* The keys of clocks (base/clock.h): a kind and a number. */
static inline uint64_t key_of(enum key_kind kind, uint64_t id) { return (uint64_t)kind << 60 | id; }
static inline uint64_t key_thread(uint32_t warp, unsigned lane)
{
	return key_of(KEY_THREAD, (uint64_t)warp << 5 | lane);
}

/* The CTA of each warp, and the launch of each CTA. */
struct family {
	VEC(uint32_t) warp_cta;
	VEC(uint32_t) cta_launch;
};

struct clock *clock_new(uint64_t floor);
/* Whether C covers thread LANE of WARP up to STAMP. */
bool clock_knows(const struct clock *c, const struct family *f, uint32_t warp, unsigned lane,
	uint32_t stamp);
/* clock_knows() for all lanes of WARP. COVERS_SOME: lanes may differ. */
enum coverage { COVERS_NONE, COVERS_SOME, COVERS_ALL };
enum coverage clock_covers(
	const struct clock *c, const struct family *f, uint32_t warp, uint32_t stamp);
/* Joins B (may be NULL) and the N entries of MORE to C. Takes over the caller's reference to C and
 * returns one: to C itself when nothing is new, and to B when C adds nothing to it, so that threads
 * that have acquired the same share one clock. NOW is the current stamp: a clock that grows too
 * long drops its entries and counts as knowing everything up to NOW, which can only hide races. */
struct clock *clock_join(struct clock *c, const struct family *f, struct clock *b,
	const struct known *more, uint32_t n, uint32_t now);

/* clock_join() of C and B, which J may know. */
struct clock *clock_join_again(struct clock_joins *j, struct clock *c, const struct family *f,
	struct clock *b, uint32_t now);

#endif
