/* What a thread knows to come before it, as one immutable shared list: "all of CTA 7 up to stamp
 * 90; thread 3 of warp 12 up to 95". Stamps are times of the whole machine, so that a whole warp,
 * CTA or launch takes one entry. */
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

/* Who belongs to whom: warps to CTAs, CTAs to launches. */
struct family {
	VEC(uint32_t) warp_cta;
	VEC(uint32_t) cta_launch;
};

struct clock *clock_new(uint64_t floor);
/* Whether C covers thread LANE of WARP up to STAMP. */
bool clock_knows(const struct clock *c, const struct family *f, uint32_t warp, unsigned lane,
	uint32_t stamp);
/* The same for all lanes of WARP: those of some may differ. */
enum coverage { COVERS_NONE, COVERS_SOME, COVERS_ALL };
enum coverage clock_covers(
	const struct clock *c, const struct family *f, uint32_t warp, uint32_t stamp);
/* C and what B and the N entries of MORE say; takes the caller's reference to C and returns one: to
 * C itself when nothing is new. B may be NULL. NOW is the present stamp: a clock that grows too
 * long forgets details by knowing everything up to it, which can only hide races. */
struct clock *clock_join(struct clock *c, const struct family *f, const struct clock *b,
	const struct known *more, uint32_t n, uint32_t now);

#endif
