/* The mbarrier object: 64 bits of shared memory and what each operation does to them. (PTX
 * ISA 9.7.13.15)
 *
 * Layout, chosen so that a state token shows the phase's parity where hardware's does (bit 63):
 *   63 parity of the phase | 62..43 pending count | 42..22 tx-count, two's complement | 21..2
 * expected count | 1..0 a mark that zeroed memory does not have A state token is the object's
 * parity and pending count before the arrive, with the low 41 bits of the phase's number where
 * tx-count and expected count were: hardware has no room for the number, and only findings look at
 * it. */
#ifndef PTXI_INTERP_MBARRIER_H
#define PTXI_INTERP_MBARRIER_H
#include <stdbool.h>
#include <stdint.h>

/* of the counts; the tx-count goes from minus to plus this */
enum { MBARRIER_MOST = (1 << 20) - 1 };

/* What hardware refuses: the launch fails. */
enum mbarrier_trouble {
	MBARRIER_FINE,
	MBARRIER_COUNT,   /* init: a count of 0 or above MBARRIER_MOST */
	MBARRIER_PENDING, /* more arrivals than are pending */
	MBARRIER_TX,      /* tx-count out of its range */
	/* more than MBARRIER_MOST bytes in one operation, wherever the tx-count stands (asked of an
	   H200; the manual is silent) */
	MBARRIER_BYTES,
	MBARRIER_EXPECTED, /* arrive_drop: more than are expected */
	/* cp.async.mbarrier.arrive: the pending count would pass MBARRIER_MOST */
	MBARRIER_RAISED,
};

static inline uint32_t mbarrier_pending(uint64_t w) { return (uint32_t)(w >> 43) & MBARRIER_MOST; }
static inline uint32_t mbarrier_expected(uint64_t w) { return (uint32_t)(w >> 2) & MBARRIER_MOST; }
static inline int32_t mbarrier_tx(uint64_t w) { return (int32_t)((int64_t)(w << 21) >> 43); }
static inline unsigned mbarrier_parity(uint64_t w) { return (unsigned)(w >> 63); }
/* Whether the mark is there: memory that was never initialised does not have it. */
static inline bool mbarrier_marked(uint64_t w) { return (w & 3) == 1; }

/* *W becomes a fresh object of COUNT expected arrivals. */
enum mbarrier_trouble mbarrier_init(uint64_t *w, uint32_t count);
/* The phase completes when pending and tx-count are both zero; *FLIPPED says whether it did. An
 * expect_tx that brings the tx-count back to zero completes a phase with nothing pending, too
 * (asked of an H200). Nothing changes on trouble. */
enum mbarrier_trouble mbarrier_arrive(uint64_t *w, uint32_t count, bool *flipped);
enum mbarrier_trouble mbarrier_drop(uint64_t *w, uint32_t count);
enum mbarrier_trouble mbarrier_expect_tx(uint64_t *w, uint32_t bytes, bool *flipped);
enum mbarrier_trouble mbarrier_complete_tx(uint64_t *w, uint32_t bytes, bool *flipped);
/* cp.async.mbarrier.arrive without .noinc: one more arrival is pending in this phase alone. */
enum mbarrier_trouble mbarrier_raise(uint64_t *w);
/* The token of an arrive that found W in phase number PHASE; the parts of a token. */
uint64_t mbarrier_token(uint64_t w, uint64_t phase);
static inline uint64_t mbarrier_token_phase(uint64_t token)
{
	return token >> 2 & ((UINT64_C(1) << 41) - 1);
}

#endif
