/* What operand values mean nothing to the hardware or the manual: each rule once, for whoever
 * executes. A rule gives the code of what is wrong, or DIAG_NONE; whether that is a fault, a
 * finding or the end of a path is the engine's. */
#ifndef PTXI_CODE_VALID_H
#define PTXI_CODE_VALID_H
#include "code/code.h"
#include "diag/diag.h"

enum { BULK_MOST = 1048560 }; /* bytes of a bulk copy */

/* A CTA has barriers 0 to 15. (PTX ISA 9.7.13.1) */
static inline enum diag_code valid_barrier_number(uint64_t number)
{
	return number < MAX_BARRIERS ? DIAG_NONE : DIAG_S0105;
}
/* Threads are counted by warps; 0 means all of the CTA, but an arrival names a number.
 * (9.7.13.1) */
static inline enum diag_code valid_barrier_count(enum barrier_kind kind, uint64_t count)
{
	return count % LANES || (!count && kind == BARRIER_ARRIVE) ? DIAG_S0106 : DIAG_NONE;
}
/* Lane LANE gives the membermask MEMBERS. (9.7.13.2 and the .sync instructions) */
static inline enum diag_code valid_member(uint64_t members, unsigned lane)
{
	return members >> lane & 1 ? DIAG_NONE : DIAG_S0201;
}
/* Sizes of bulk copies and of st.bulk. (9.7.9.25.4, 9.7.9.13) */
static inline enum diag_code valid_bulk_size(uint64_t bytes)
{
	return bytes % 16 == 0 && bytes <= BULK_MOST ? DIAG_NONE : DIAG_S0307;
}
static inline enum diag_code valid_st_bulk_size(uint64_t bytes)
{
	return bytes % 8 == 0 ? DIAG_NONE : DIAG_S0307;
}
/* src-size of a cp.async of BYTES. (9.7.9.25.3.1) */
static inline enum diag_code valid_cp_source(uint64_t source, uint64_t bytes)
{
	return source <= bytes ? DIAG_NONE : DIAG_S0308;
}
/* The ctaMask of a multicast names CTAs of a cluster of N. (9.7.9.25.4) */
static inline enum diag_code valid_cta_mask(uint32_t mask, uint32_t n)
{
	return mask >> n ? DIAG_S0401 : DIAG_NONE;
}

#endif
