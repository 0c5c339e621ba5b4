/* --check=init: which values were made from written ones. A bit a bit: registers have their lanes'
 * in frame.defined and frame.bits, memory in its shadows (those of memory.h, the CTA's
 * shared_defined, the second half of a warp's local memory).
 *
 * Loads, moves and arithmetic carry "undefined" on silently; undefined_bits.h says how. A finding
 * is raised where an undefined value decides something or is seen by others: in an address, a
 * guard, an operand of an atomic, a store to global memory, an argument of vprintf and the like. It
 * names the register or variable and where the value came from as far as that is known. Structures
 * are copied with their padding, by accesses of which some bytes were written and some not: such a
 * value, stored as it was loaded, is no finding, and its bytes stay what they were. */
#ifndef PTXI_INTERP_UNDEFINED_H
#define PTXI_INTERP_UNDEFINED_H
#include "interp/memory/access.h"

/* Lanes in which PLACE holds a defined value. Constants always do. */
static inline uint32_t undefined_lanes(const struct warp *w, uint32_t place)
{
	return place & 1u || !w->frame->defined ? 0 : ~w->frame->defined[place / 4];
}

static inline void undefined_set(struct warp *w, uint32_t place, uint32_t mask, uint32_t undefined)
{
	if (w->frame->defined && !(place & 1u))
		w->frame->defined[place / 4] = (w->frame->defined[place / 4] & ~mask) |
			(~undefined & mask);
}

/* The same for a register of WIDTH bytes a lane: where it is undefined, all of it is. */
void undefined_whole(
	struct warp *w, uint32_t place, unsigned width, uint32_t mask, uint32_t undefined);

/* What is undefined in PLACE was made so by OP, a shfl that reads a lane which does not take
 * part. */
void undefined_comes_from(struct warp *w, uint32_t place, unsigned width, const struct op *op);

/* Of a register of WIDTH bytes a lane its low 32 undefined bits in lane LANE, and the same to be
 * set in the lanes of MASK. */
uint32_t undefined_word(const struct warp *w, uint32_t place, unsigned width, unsigned lane);
void undefined_value(
	struct warp *w, uint32_t place, unsigned width, uint32_t mask, const uint32_t *bits);

/* Reports the use of PLACE in the lanes of MASK where it is undefined; WHAT says what for ("used as
 * a guard"). The lanes then count as defined: one report is enough. */
void undefined_use(
	struct warp *w, const struct op *op, uint32_t mask, uint32_t place, const char *what);

/* Reports that the lanes of MASK use bytes at A that were never written. */
void undefined_memory(struct warp *w, const struct op *op, uint32_t mask, const struct access *a,
	const char *what);
/* After a load of element E (op->bytes bytes of the access) into PLACE, WIDTH bytes a lane: the
 * lanes of MASK where it is undefined, byte by byte. */
void undefined_load(struct warp *w, const struct op *op, uint32_t mask, const struct access *a,
	unsigned e, uint32_t place, unsigned width);
/* Before the store of such an element: what becomes of the bytes' shadow, and the finding where the
 * store shows an undefined value to others. */
void undefined_store(struct warp *w, const struct op *op, uint32_t mask, const struct access *a,
	unsigned e, uint32_t place, unsigned width);

/* Before OP executes for MASK of the running group's lanes ACTIVE: looks at the guard and carries
 * "undefined" from sources to destinations for everything that is no access to memory. The loop for
 * watched runs calls it. */
void undefined_insn(struct warp *w, const struct op *op, uint32_t active, uint32_t mask);

#endif
