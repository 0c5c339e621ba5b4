/* The block path of memory instructions: checks 32 addresses at once against one allocation, the
 * shared window or the threads' local memory. Used by exec_mem.c and exec_atom.c, whose handlers
 * are compiled for several processors (CLONES). */
#ifndef PTXI_INTERP_ACCESS_BLOCK_H
#define PTXI_INTERP_ACCESS_BLOCK_H
#include "interp/memory/access.h"

/* not with clang: clang 14's clones do not link */
#if defined(__x86_64__) && defined(__gnu_linux__) && !defined(__clang__) && \
	!defined(__SANITIZE_ADDRESS__) && ACCESS_BLOCKS && defined(__OPTIMIZE__)
#define CLONES_FOR(...) __attribute__((target_clones("default", __VA_ARGS__)))
#else
#define CLONES_FOR(...)
#endif
#define CLONES CLONES_FOR("avx2", "avx512f")
#define INLINE static inline __attribute__((always_inline))
#include "interp/memory/shape.h"

INLINE struct region region_of(
	const struct warp *w, const struct op *op, uint64_t first, bool write)
{
	const struct cta *c = w->cta;

	switch (op->access.space) {
	case W_shared:
		return (struct region){
			c->shared, MEMORY_RANK_BITS(c->cluster_rank), c->shared_bytes, 0, 1};
	case W_local:
		return (struct region){w->local, 0,
			w->frame->local_top < w->local_bytes ? w->frame->local_top : w->local_bytes,
			w->local_bytes, 2};
	case W_NONE:
		if (first >> MEMORY_SLOT_SHIFT == MEMORY_SHARED_WINDOW >> MEMORY_SLOT_SHIFT)
			return (struct region){c->shared,
				MEMORY_SHARED_WINDOW + MEMORY_RANK_BITS(c->cluster_rank),
				c->shared_bytes, 0, 1};
		if (first >> MEMORY_SLOT_SHIFT == MEMORY_LOCAL_WINDOW >> MEMORY_SLOT_SHIFT)
			return (struct region){w->local, MEMORY_LOCAL_WINDOW,
				w->frame->local_top < w->local_bytes ? w->frame->local_top
								     : w->local_bytes,
				w->local_bytes, 2};
		break;
	default: break;
	}
	const struct memory_block *b = memory_find(w->machine->memory,
		op->access.space == W_const ? first + MEMORY_CONST_WINDOW : first);

	return (struct region){b->host,
		op->access.space == W_const ? b->base - MEMORY_CONST_WINDOW : b->base,
		write ? b->writable : b->readable, 0, op->access.space == W_const ? 3 : 0};
}

/* Accesses of N bytes by the lanes of MASK. False: none is inside the region. */
INLINE bool find_addresses(struct warp *w, const struct op *op, uint32_t mask, unsigned n,
	bool write, struct addresses *x)
{
	unsigned k = op->access.base_operand, lead = mask == UINT32_MAX ? 0 : lane_first(mask);

	x->reg = op_lanes(w, op, k);
	x->wide = op->width[k] == 8;
	x->add = op->access.base == BASE_PLAIN ? (uint64_t)op->access.add : access_constant(w, op);
	x->r = region_of(w, op,
		(x->wide ? ((const uint64_t *)x->reg)[lead] : ((const uint32_t *)x->reg)[lead]) +
			x->add,
		write);
	return x->r.size >= n && (x->wide || x->r.size <= INT32_MAX);
}

/* The same, but false where whole rows must not be moved (access.h). */
INLINE bool addresses_of(struct warp *w, const struct op *op, uint32_t mask, unsigned n, bool write,
	struct addresses *x)
{
	return ACCESS_BLOCKS && find_addresses(w, op, mask, n, write, x);
}

/* Whether nobody else may write meanwhile what lies in R, so that elements of other lanes can be
 * written as they are: processors take long to store a part of a vector. */
INLINE bool is_own(const struct warp *w, const struct region *r)
{
	return r->space == 1 || r->space == 2 || machine_alone(w->machine);
}

/* MASK, which is that of all lanes, or is not: so that the compiler knows. */
INLINE uint32_t all_of(uint32_t mask)
{
	(void)mask;
	return UINT32_MAX;
}
INLINE uint32_t some_of(uint32_t mask)
{
	if (mask == UINT32_MAX)
		__builtin_unreachable();
	return mask;
}

/* So few that they are faster one by one than as a vector of 32 of which most are left out. */
INLINE bool lanes_few(uint32_t mask) { return lanes_of(mask) < 8; }

/* The same one by one, for few lanes; the others get no offset. */
INLINE enum shape shape_of_few(const struct addresses *x, uint32_t mask, unsigned n, uint64_t *off)
{
	FOR_LANES(lane, mask) {
		uint64_t o = x->wide ? ((const uint64_t *)x->reg)[lane] + x->add - x->r.base
				     : (uint32_t)(((const uint32_t *)x->reg)[lane] +
					       (uint32_t)x->add - (uint32_t)x->r.base);

		if (o > x->r.size - n || (o & (n - 1)))
			return SHAPE_NONE;
		off[lane] = o + (uint64_t)lane * x->r.stride;
	}
	return SHAPE_ANY;
}

/* The region of the accesses of N bytes by the lanes of MASK and their offsets in it. False: not
 * all of them are inside one. */
INLINE bool locate_lanes(struct warp *w, const struct op *op, uint32_t mask, unsigned n, bool write,
	struct region *r, uint64_t *off)
{
	struct addresses x;

	if (!find_addresses(w, op, mask, n, write, &x))
		return false;
	*r = x.r;
	return (lanes_few(mask) ? shape_of_few(&x, mask, n, off) : shape_of(&x, mask, n, off)) !=
		SHAPE_NONE;
}

/* The same, but false where whole rows must not be moved (access.h). */
INLINE bool locate(struct warp *w, const struct op *op, uint32_t mask, unsigned n, bool write,
	struct region *r, uint64_t *off)
{
	return ACCESS_BLOCKS && locate_lanes(w, op, mask, n, write, r, off);
}

#endif
