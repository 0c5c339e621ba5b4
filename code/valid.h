/* Which operand values the manual or the hardware does not allow: each rule once, for all engines.
 * A rule returns the diagnostic code of the violation, or DIAG_NONE; the engine decides whether
 * that is a fault, a finding or the end of a path. */
#ifndef PTXI_CODE_VALID_H
#define PTXI_CODE_VALID_H
#include "code/code.h"
#include "diag/diag.h"

enum { MAX_BULK_BYTES = 1048560 }; /* maximum bytes of a bulk copy */

/* A CTA has barriers 0 to 15. (PTX ISA 9.7.15.1) */
static inline enum diag_code valid_barrier_number(uint64_t number)
{
	return number < MAX_BARRIERS ? DIAG_NONE : DIAG_S0105;
}
/* The thread count is a multiple of the warp size; 0 means all threads of the CTA, but an arrive
 * must give a count. (9.7.15.1) */
static inline enum diag_code valid_barrier_count(enum barrier_kind kind, uint64_t count)
{
	return count % LANES || (!count && kind == BARRIER_ARRIVE) ? DIAG_S0106 : DIAG_NONE;
}
/* Lane LANE must be in its membermask MEMBERS. (9.7.15.2 and the .sync instructions) */
static inline enum diag_code valid_member(uint64_t members, unsigned lane)
{
	return members >> lane & 1 ? DIAG_NONE : DIAG_S0201;
}
/* Sizes of bulk copies and of st.bulk. (9.7.10.28.4, 9.7.10.14) */
static inline enum diag_code valid_bulk_size(uint64_t bytes)
{
	return bytes % 16 == 0 && bytes <= MAX_BULK_BYTES ? DIAG_NONE : DIAG_S0307;
}
static inline enum diag_code valid_st_bulk_size(uint64_t bytes)
{
	return bytes % 8 == 0 ? DIAG_NONE : DIAG_S0307;
}
/* ignoreBytesLeft and ignoreBytesRight of a bulk copy of BYTES. (9.7.10.28.4.1) */
static inline enum diag_code valid_ignored(uint32_t left, uint32_t right, uint32_t bytes)
{
	return left < 16 && right < 16 && left + right <= bytes ? DIAG_NONE : DIAG_S0307;
}
/* src-size of a cp.async of BYTES. (9.7.10.28.3.1) */
static inline enum diag_code valid_cp_source(uint64_t source, uint64_t bytes)
{
	return source <= bytes ? DIAG_NONE : DIAG_S0308;
}
/* The ctaMask of a multicast may only name CTAs of the cluster, which has N. (9.7.10.28.4) */
static inline enum diag_code valid_cta_mask(uint32_t mask, uint32_t n)
{
	return n < 32 && mask >> n ? DIAG_S0401 : DIAG_NONE;
}

#endif
