/* --check=init: tracks, bit by bit, which values were computed from written values. Registers
 * have their state in frame.defined and frame.bits, memory in its shadows (that of memory.h, the
 * CTA's shared_defined, the second half of a warp's local memory).
 *
 * Loads, moves and arithmetic propagate undefined bits without a report (undefined_bits.h has
 * the rules). A finding is raised where an undefined value decides something or becomes visible:
 * in an address, a guard, an operand of an atomic, a store to global memory, an argument of
 * vprintf, and similar. It names the register or variable and, as far as known, the origin of
 * the value. Structures are copied with their padding, by accesses whose bytes were partly
 * written: storing such a value as it was loaded is not a finding, and the bytes keep their
 * state. */
#ifndef PTXI_INTERP_UNDEFINED_H
#define PTXI_INTERP_UNDEFINED_H
#include "interp/memory/access.h"

/* Lanes in which PLACE holds an undefined value. Constants are always defined. */
static inline uint32_t undefined_lanes(const struct warp *w, uint32_t place)
{
	return place & 1u || !w->frame->defined ? 0 : ~w->frame->defined[place / 4];
}

/* Forgets which ops are sure to find defined values (struct frame). */
void undefined_unsure(struct frame *f);

static inline void undefined_set(struct warp *w, uint32_t place, uint32_t mask, uint32_t undefined)
{
	if (undefined & mask && w->frame->any_sure)
		undefined_unsure(w->frame);
	if (w->frame->defined && !(place & 1u))
		w->frame->defined[place / 4] = (w->frame->defined[place / 4] & ~mask) |
			(~undefined & mask);
}

/* The same for a register of WIDTH bytes per lane; in the UNDEFINED lanes all its bits are
 * undefined. */
void undefined_whole(
	struct warp *w, uint32_t place, unsigned width, uint32_t mask, uint32_t undefined);

/* Sets the origin of the undefined value in PLACE to OP, a shfl that reads a lane which does not
 * take part. */
void undefined_comes_from(struct warp *w, uint32_t place, unsigned width, const struct op *op);

/* Sets it to unwritten bytes at ADDRESS that OP read. */
void undefined_comes_from_memory(
	struct warp *w, uint32_t place, unsigned width, const struct op *op, uint64_t address);

/* The low 32 undefined bits, in lane LANE, of a register of WIDTH bytes per lane; and the
 * function that sets them in the lanes of MASK. */
uint32_t undefined_word(const struct warp *w, uint32_t place, unsigned width, unsigned lane);
void undefined_value(
	struct warp *w, uint32_t place, unsigned width, uint32_t mask, const uint32_t *bits);

/* Reports a use of PLACE in lanes of MASK where it is undefined; WHAT describes the use ("used
 * as a guard"). The lanes then count as defined, so that each value is reported once. */
void undefined_report_use(
	struct warp *w, const struct op *op, uint32_t mask, uint32_t place, const char *what);
static inline void undefined_use(
	struct warp *w, const struct op *op, uint32_t mask, uint32_t place, const char *what)
{
	if (undefined_lanes(w, place) & mask)
		undefined_report_use(w, op, mask, place, what);
}

/* Reports that the lanes of MASK use bytes at A that were never written. */
void undefined_memory(struct warp *w, const struct op *op, uint32_t mask, const struct access *a,
	const char *what);
/* After a load of element E (op->access.bytes bytes of the access) into PLACE, of WIDTH bytes
 * per lane: records which bits are undefined in the lanes of MASK. */
void undefined_load(struct warp *w, const struct op *op, uint32_t mask, const struct access *a,
	unsigned e, uint32_t place, unsigned width);
/* Before a store of such an element: updates the shadow of the bytes, and reports an undefined
 * value stored to global memory. */
void undefined_store(struct warp *w, const struct op *op, uint32_t mask, const struct access *a,
	unsigned e, uint32_t place, unsigned width);

/* The name of the register at PLACE of W's running frame; NULL: a temporary. */
const char *undefined_register(const struct warp *w, uint32_t place);

/* Before an MMA: an element of D is undefined if its row of A, its column of B or its element of C
 * is, in any of the lanes that hold them. */
void undefined_matrix(
	struct warp *w, const struct op *op, uint32_t mask, const struct matrix_scales *scales);

/* Before OP executes for MASK of the running group's lanes ACTIVE: checks the guard, and
 * propagates undefined bits from sources to destinations for everything that does not access
 * memory. Called by the loop for watched runs. */
void undefined_insn(struct warp *w, const struct op *op, uint32_t active, uint32_t mask);
/* The same after a look at what is defined. SURE: where to remember it; NULL: nowhere. */
void undefined_look(
	struct warp *w, const struct op *op, uint32_t active, uint32_t mask, uint32_t *sure);

/* undefined_insn() where W's frame tracks what is defined. In the most common case nothing changes:
 * the guard and all operands are defined in the lanes ACTIVE, destinations from before. (A call has
 * others.) Then this is remembered. */
static inline void undefined_before(
	struct warp *w, const struct op *op, uint32_t active, uint32_t mask)
{
	struct frame *f = w->frame;
	uint32_t *sure = f->sure ? &f->sure[op - f->code->op] : NULL;

	if (!sure || active & ~*sure)
		undefined_look(w, op, active, mask, sure);
}

#endif
