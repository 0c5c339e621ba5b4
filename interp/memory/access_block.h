/* The block path of memory instructions: checks 32 addresses at once against one allocation, the
 * shared window or the threads' local memory. Used by exec_mem.c and exec_atom.c, whose handlers
 * are compiled for several processors (CLONES). */
#ifndef PTXI_INTERP_ACCESS_BLOCK_H
#define PTXI_INTERP_ACCESS_BLOCK_H
#include "interp/memory/access.h"

/* not with clang: clang 14's clones do not link */
#if defined(__x86_64__) && defined(__gnu_linux__) && !defined(__clang__) && \
	!defined(__SANITIZE_ADDRESS__) && ACCESS_BLOCKS && defined(__OPTIMIZE__)
#define CLONES __attribute__((target_clones("default", "avx2", "avx512f")))
#else
#define CLONES
#endif
#define INLINE static inline __attribute__((always_inline))

/* Memory that a block path may access: SIZE bytes at HOST, for addresses from BASE on; lane k's
 * copy lies STRIDE * k bytes further. */
struct region {
	uint8_t *host;
	uint64_t base, size;
	uint32_t stride;
	unsigned space; /* index in the statistics */
};

INLINE struct region region_of(
	const struct warp *w, const struct op *op, uint64_t first, bool write)
{
	const struct cta *c = w->cta;

	switch (op->access.space) {
	case W_shared: return (struct region){c->shared, 0, c->shared_bytes, 0, 1};
	case W_local:
		return (struct region){w->local, 0,
			w->frame->local_top < w->local_bytes ? w->frame->local_top : w->local_bytes,
			w->local_bytes, 2};
	case W_NONE:
		if (first >> MEMORY_SLOT_SHIFT == MEMORY_SHARED_WINDOW >> MEMORY_SLOT_SHIFT)
			return (struct region){
				c->shared, MEMORY_SHARED_WINDOW, c->shared_bytes, 0, 1};
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

enum shape { SHAPE_NONE, SHAPE_ROW, SHAPE_SAME, SHAPE_ANY };

/* How the addresses A[i] + ADD of the lanes of MASK lie in R: as a row of consecutive elements of
 * N bytes (of which those of other lanes are left out), all the same, or in any other way; OFF
 * gets their offsets, other lanes that of the first one. NONE: some access of N bytes is
 * misaligned or not inside R. */
INLINE enum shape shape64(const uint64_t *a, uint64_t add, uint32_t mask, const struct region *r,
	unsigned n, uint64_t *off)
{
	unsigned lead = mask == UINT32_MAX ? 0 : lane_first(mask);
	uint64_t delta = add - r->base, first = a[lead] + delta, limit = r->size - n;
	uint64_t begin = first - (uint64_t)lead * n, set = mask, outside = 0, low = 0, row = 0,
		 same = 0;

	if (mask == UINT32_MAX)
		EVERY_LANE(i) {
			uint64_t o = a[i] + delta;

			off[i] = o;
			outside |= o | (limit - o); /* sign bit: below the region or past its end */
			low |= o;
			row |= o - begin - (uint64_t)i * n;
			same |= o ^ first;
		}
	else
		/* all in 64 bits and without choices, as gcc can vectorise it */
		for (uint64_t i = 0; i < LANES; i++) {
			uint64_t on = 0 - (set >> i & 1);
			uint64_t o = ((a[i] + delta - first) & on) + first;

			off[i] = o;
			outside |= o | (limit - o);
			low |= o;
			row |= on & (o - begin - i * n);
			same |= o ^ first;
		}
	if ((int64_t)outside < 0 || (low & (n - 1)))
		return SHAPE_NONE;
	return row == 0 ? SHAPE_ROW : same == 0 ? SHAPE_SAME : SHAPE_ANY;
}

INLINE enum shape shape32(const uint32_t *a, uint32_t add, uint32_t mask, const struct region *r,
	unsigned n, uint64_t *off)
{
	unsigned lead = mask == UINT32_MAX ? 0 : lane_first(mask);
	uint32_t delta = add - (uint32_t)r->base, first = a[lead] + delta,
		 limit = (uint32_t)r->size - n, begin = first - lead * n, outside = 0, low = 0,
		 row = 0, same = 0;
	uint32_t narrow[LANES];

	if (mask == UINT32_MAX)
		EVERY_LANE(i) {
			uint32_t o = a[i] + delta;

			narrow[i] = o;
			outside |= o | (limit - o);
			low |= o;
			row |= o - begin - i * n;
			same |= o ^ first;
		}
	else
		EVERY_LANE(i) {
			uint32_t on = 0 - (mask >> i & 1);
			uint32_t o = ((a[i] + delta - first) & on) + first;

			narrow[i] = o;
			outside |= o | (limit - o);
			low |= o;
			row |= on & (o - begin - i * n);
			same |= o ^ first;
		}
	if ((int32_t)outside < 0 || (low & (n - 1)))
		return SHAPE_NONE;
	EVERY_LANE(i)
		off[i] = narrow[i];
	return row == 0 ? SHAPE_ROW : same == 0 ? SHAPE_SAME : SHAPE_ANY;
}

/* So few that they are faster one by one than as a vector of 32 of which most are left out. */
INLINE bool lanes_few(uint32_t mask) { return lanes_of(mask) < 8; }

/* How accesses of N bytes (a power of two) by the lanes of MASK lie in one region *R; OFF gets
 * the offsets from R->host, for other lanes that of the first one. For few lanes the shape is ANY,
 * and other lanes have no offset. */
INLINE enum shape locate_lanes(struct warp *w, const struct op *op, uint32_t mask, unsigned n,
	bool write, struct region *r, uint64_t *off)
{
	unsigned k = op->access.base_operand;
	const void *a = op_lanes(w, op, k);
	bool wide = op->width[k] == 8;
	unsigned lead = lane_first(mask);
	uint64_t add = (uint64_t)op->access.add;
	enum shape shape;

	if (op->access.base != BASE_PLAIN)
		add = access_constant(w, op);
	*r = region_of(w, op,
		(wide ? ((const uint64_t *)a)[lead] : ((const uint32_t *)a)[lead]) + add, write);
	if (r->size < n || (!wide && r->size > INT32_MAX))
		return SHAPE_NONE;
	if (lanes_few(mask)) {
		FOR_LANES(lane, mask) {
			uint64_t o = wide ? ((const uint64_t *)a)[lane] + add - r->base
					  : (uint32_t)(((const uint32_t *)a)[lane] + (uint32_t)add -
						    (uint32_t)r->base);

			if (o > r->size - n || (o & (n - 1)))
				return SHAPE_NONE;
			off[lane] = o + (uint64_t)lane * r->stride;
		}
		return SHAPE_ANY;
	}
	shape = wide ? shape64(a, add, mask, r, n, off)
		     : shape32(a, (uint32_t)add, mask, r, n, off);
	if (r->stride && shape != SHAPE_NONE) {
		shape = SHAPE_ANY;
		EVERY_LANE(i)
			off[i] += (uint64_t)(mask >> i & 1 ? i : lead) * r->stride;
	}
	return shape;
}

/* The same, but NONE where whole rows must not be moved (access.h). */
INLINE enum shape locate(struct warp *w, const struct op *op, uint32_t mask, unsigned n, bool write,
	struct region *r, uint64_t *off)
{
	return ACCESS_BLOCKS ? locate_lanes(w, op, mask, n, write, r, off) : SHAPE_NONE;
}

#endif
