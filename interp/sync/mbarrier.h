/* The mbarrier object: 64 bits of shared memory and the effect of each operation on them. (PTX
 * ISA 9.7.15.16)
 *
 * Layout, chosen so that a state token has the phase's parity in bit 63, as on hardware:
 *   63 parity of the phase
 *   62..43 pending count
 *   42..22 tx-count, two's complement
 *   21..2 expected count
 *   1..0 a mark that zeroed memory does not have: 1, or 2 for an object of .layout::v1, whose
 * arrival counts are below 512, so that there is room for:
 *   21 the payload report of the current phase: whether an operation has reported
 *   20 that of the phase before
 *   19 parity of the conditional phase, which stays behind when a phase ends with a report
 *
 * A state token holds the object's parity and pending count before the arrive, and the low 41
 * bits of the phase number in place of tx-count and expected count. Hardware has no room for the
 * phase number; here only findings use it. */
#ifndef PTXI_INTERP_MBARRIER_H
#define PTXI_INTERP_MBARRIER_H
#include <stdbool.h>
#include <stdint.h>

/* the largest count; the tx-count ranges from minus to plus this value; the largest count of
 * arrivals in an object of .layout::v1 */
enum { MBARRIER_MAX = (1 << 20) - 1, MBARRIER_V1_MAX = (1 << 9) - 1 };

/* Misuse that is a fault on hardware: the launch fails. */
enum mbarrier_trouble {
	MBARRIER_FINE,
	MBARRIER_COUNT,   /* init: a count of 0 or above MBARRIER_MAX */
	MBARRIER_PENDING, /* more arrivals than pending */
	MBARRIER_TX,      /* tx-count out of range */
	/* more than MBARRIER_MAX bytes in one operation, whatever the tx-count (measured on an
	 * H200; the manual does not say) */
	MBARRIER_BYTES,
	MBARRIER_EXPECTED, /* arrive_drop: more than expected */
	/* cp.async.mbarrier.arrive: the pending count would exceed MBARRIER_MAX */
	MBARRIER_RAISED,
};

static inline uint32_t mbarrier_pending(uint64_t w) { return (uint32_t)(w >> 43) & MBARRIER_MAX; }
static inline int32_t mbarrier_tx(uint64_t w) { return (int32_t)((int64_t)(w << 21) >> 43); }
static inline unsigned mbarrier_parity(uint64_t w) { return (unsigned)(w >> 63); }
/* Whether W has the mark of an initialised object. */
static inline bool mbarrier_marked(uint64_t w) { return (w & 3) == 1 || (w & 3) == 2; }
static inline bool mbarrier_is_v1(uint64_t w) { return (w & 3) == 2; }
static inline uint32_t mbarrier_expected(uint64_t w)
{
	return (uint32_t)(w >> 2) & (uint32_t)(mbarrier_is_v1(w) ? MBARRIER_V1_MAX : MBARRIER_MAX);
}
/* The payload report of the last phase that is complete, and the parity of the conditional phase.
 */
static inline bool mbarrier_payload(uint64_t w) { return mbarrier_is_v1(w) && w >> 20 & 1; }
static inline unsigned mbarrier_conditional(uint64_t w)
{
	return mbarrier_is_v1(w) ? (unsigned)(w >> 19) & 1 : mbarrier_parity(w);
}

/* *W becomes a new object that expects COUNT arrivals, of .layout::v1 or v0. */
enum mbarrier_trouble mbarrier_init(uint64_t *w, uint32_t count, bool v1);
/* The operations. A phase completes when pending count and tx-count are both zero; *FLIPPED says
 * whether it did. An expect_tx that brings the tx-count to zero completes a phase with no
 * pending arrivals, too (measured on an H200). *W is unchanged after an error. */
enum mbarrier_trouble mbarrier_arrive(uint64_t *w, uint32_t count, bool *flipped);
enum mbarrier_trouble mbarrier_drop(uint64_t *w, uint32_t count);
enum mbarrier_trouble mbarrier_expect_tx(uint64_t *w, uint32_t bytes, bool *flipped);
enum mbarrier_trouble mbarrier_complete_tx(uint64_t *w, uint32_t bytes, bool *flipped);
/* cp.async.mbarrier.arrive without .noinc: one more pending arrival, in this phase only. */
enum mbarrier_trouble mbarrier_raise(uint64_t *w);
/* An operation that the current phase tracks reports. False: an object of .layout::v0 has no room
 * for it. */
bool mbarrier_report_on(uint64_t *w);
/* The token of an arrive that found W in phase number PHASE, and the phase number in a token. */
uint64_t mbarrier_token(uint64_t w, uint64_t phase);
static inline uint64_t mbarrier_token_phase(uint64_t token)
{
	return token >> 2 & ((UINT64_C(1) << 41) - 1);
}

#endif
