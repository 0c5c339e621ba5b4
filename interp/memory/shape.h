/* What the addresses of 32 lanes have in common: whether they are a row, one address, or any that
 * are inside a region of memory. Only arithmetic; the text of this file is also part of translated
 * code (native/), so that both check in the same way. Before it come LANES, INLINE, EVERY_LANE and
 * lane_first(). */
#ifndef PTXI_INTERP_SHAPE_H
#define PTXI_INTERP_SHAPE_H

/* Memory that a block path may access: SIZE bytes at HOST, for addresses from BASE on; lane k's
 * copy lies STRIDE * k bytes further. */
struct region {
	uint8_t *host;
	uint64_t base, size;
	uint32_t stride;
	unsigned space; /* index in the statistics */
};

/* The addresses of a warp: lane k's is that of the register REG, of 8 bytes if WIDE and else of 4,
 * plus ADD; R has the memory that the first lane accesses. */
struct addresses {
	const void *reg;
	uint64_t add;
	bool wide;
	struct region r;
};

static _Alignas(64) const uint32_t lane_bit[LANES] = {1u << 0, 1u << 1, 1u << 2, 1u << 3, 1u << 4,
	1u << 5, 1u << 6, 1u << 7, 1u << 8, 1u << 9, 1u << 10, 1u << 11, 1u << 12, 1u << 13,
	1u << 14, 1u << 15, 1u << 16, 1u << 17, 1u << 18, 1u << 19, 1u << 20, 1u << 21, 1u << 22,
	1u << 23, 1u << 24, 1u << 25, 1u << 26, 1u << 27, 1u << 28, 1u << 29, 1u << 30, 1u << 31};

typedef uint64_t wide_part __attribute__((vector_size(32), may_alias));
typedef uint32_t narrow_part __attribute__((vector_size(32), may_alias));

typedef uint64_t half_part __attribute__((vector_size(16), may_alias));

INLINE uint64_t any_bit(wide_part x)
{
	const half_part *const half = (const half_part *)&x;
	const half_part both = half[0] | half[1];

	return both[0] | both[1];
}

/* Whether the registers A of the lanes of MASK are ROW, ROW + N, ROW + 2 * N and so on. */
INLINE bool is_row64(const void *a, uint64_t row, uint32_t mask, unsigned n)
{
	const wide_part *at = a;
	wide_part next = {row, row + n, row + (uint64_t)2 * n, row + (uint64_t)3 * n};
	wide_part bit = {1, 2, 4, 8}, sum = {0}; /* what differs, or the lanes that do not */

#pragma GCC unroll 8
	for (unsigned i = 0; i < LANES / 4; i++) {
		if (mask == UINT32_MAX)
			sum |= at[i] ^ next;
		else
			sum |= (wide_part)(at[i] == next) & (bit << 4 * i);
		next += (uint64_t)4 * n;
	}
	return mask == UINT32_MAX ? any_bit(sum) == 0 : (~any_bit(sum) & mask) == 0;
}

INLINE bool is_row32(const void *a, uint32_t row, uint32_t mask, unsigned n)
{
	const narrow_part *at = a;
	narrow_part next = {row, row + n, row + 2 * n, row + 3 * n, row + 4 * n, row + 5 * n,
		row + 6 * n, row + 7 * n};
	narrow_part bit = {1, 2, 4, 8, 16, 32, 64, 128}, sum = {0};

#pragma GCC unroll 4
	for (unsigned i = 0; i < LANES / 8; i++) {
		if (mask == UINT32_MAX)
			sum |= at[i] ^ next;
		else
			sum |= (narrow_part)(at[i] == next) & (bit << 8 * i);
		next += 8 * n;
	}
	const uint64_t bits = any_bit((wide_part)sum);

	return mask == UINT32_MAX ? bits == 0 : (~(bits | bits >> 32) & mask) == 0;
}

/* The bytes FROM of 32 lanes to AT, of the lanes of MASK; the others' are written as they are. */
INLINE void bytes_blend(void *at, const void *from, uint32_t mask)
{
	typedef uint8_t bytes __attribute__((vector_size(LANES), may_alias));
	typedef wide_part loose __attribute__((aligned(1)));
	static const bytes bit = {1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4,
		8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128};
	wide_part all = (((wide_part){0} + mask) >> (wide_part){0, 8, 16, 24}) & 0xff;

	all |= all << 8;
	all |= all << 16;
	all |= all << 32;
	const wide_part on = (wide_part)(((bytes)all & bit) == bit), old = *(const loose *)at,
			new = *(const loose *)from;

	*(loose *)at = ((old ^ new) & on) ^ old;
}

/* Where lane 0's element is if the elements of N bytes of the lanes of MASK are those of a row of
 * 32 that is inside the region and aligned; else NULL. The ends are compared first, as most others
 * differ there. */
INLINE uint8_t *row_of(const struct addresses *x, uint32_t mask, unsigned n)
{
	unsigned lead = mask == UINT32_MAX ? 0 : lane_first(mask);
	unsigned last = mask == UINT32_MAX ? LANES - 1 : 31u - (unsigned)__builtin_clz(mask);
	uint64_t begin;

	if (x->wide) {
		const uint64_t *a = x->reg;

		begin = a[lead] - (uint64_t)lead * n;
		if (a[last] - (uint64_t)last * n != begin || !is_row64(a, begin, mask, n))
			return NULL;
		begin += x->add - x->r.base;
	} else {
		const uint32_t *a = x->reg;
		uint32_t row = a[lead] - lead * n;

		if (a[last] - last * n != row || !is_row32(a, row, mask, n))
			return NULL;
		begin = row + (uint32_t)x->add - (uint32_t)x->r.base;
	}
	if ((begin & (n - 1)) || x->r.stride || x->r.size < LANES * n ||
		begin > x->r.size - LANES * n)
		return NULL;
	return x->r.host + begin;
}

/* Where the element of N bytes is if the lanes of MASK have one address, which is inside the region
 * and aligned; else NULL. */
INLINE uint8_t *one_of(const struct addresses *x, uint32_t mask, unsigned n)
{
	unsigned lead = mask == UINT32_MAX ? 0 : lane_first(mask);
	unsigned last = mask == UINT32_MAX ? LANES - 1 : 31u - (unsigned)__builtin_clz(mask);
	uint64_t at;

	if (x->wide) {
		const uint64_t *a = x->reg;

		if (a[last] != a[lead] || !is_row64(a, a[lead], mask, 0))
			return NULL;
		at = a[lead] + x->add - x->r.base;
	} else {
		const uint32_t *a = x->reg;

		if (a[last] != a[lead] || !is_row32(a, a[lead], mask, 0))
			return NULL;
		at = a[lead] + (uint32_t)x->add - (uint32_t)x->r.base;
	}
	if ((at & (n - 1)) || x->r.stride || x->r.size < n || at > x->r.size - n)
		return NULL;
	return x->r.host + at;
}

/* NONE: some access is misaligned or outside. */
enum shape { SHAPE_NONE, SHAPE_ANY };

/* OFF gets the offsets of accesses of N bytes by the lanes of MASK, for other lanes *ELSEWHERE, or
 * if that is NULL those of the first one. */
INLINE enum shape shape64(const uint64_t *a, uint64_t add, uint32_t mask, const struct region *r,
	unsigned n, uint64_t *off, const uint64_t *elsewhere)
{
	const unsigned lead = mask == UINT32_MAX ? 0 : lane_first(mask);
	const uint64_t delta = add - r->base, first = a[lead] + delta, limit = r->size - n;
	uint64_t outside = 0, low = 0;

	EVERY_LANE(i) {
		const uint64_t at = a[i] + delta,
			       o = mask == UINT32_MAX || (mask & lane_bit[i]) ? at : first;

		off[i] = elsewhere && mask != UINT32_MAX && !(mask & lane_bit[i]) ? *elsewhere : o;
		outside |= o | (limit - o); /* sign bit: below the region or beyond its end */
		low |= o;
	}
	return (int64_t)outside < 0 || (low & (n - 1)) ? SHAPE_NONE : SHAPE_ANY;
}

INLINE enum shape shape32(const uint32_t *a, uint32_t add, uint32_t mask, const struct region *r,
	unsigned n, uint64_t *off, const uint64_t *elsewhere)
{
	const unsigned lead = mask == UINT32_MAX ? 0 : lane_first(mask);
	const uint32_t delta = add - (uint32_t)r->base, first = a[lead] + delta,
		       limit = (uint32_t)r->size - n;
	uint32_t outside = 0, low = 0;

	EVERY_LANE(i) {
		const uint32_t at = a[i] + delta,
			       o = mask == UINT32_MAX || (mask & lane_bit[i]) ? at : first;

		off[i] = elsewhere && mask != UINT32_MAX && !(mask & lane_bit[i]) ? *elsewhere : o;
		outside |= o | (limit - o);
		low |= o;
	}
	return (int32_t)outside < 0 || (low & (n - 1)) ? SHAPE_NONE : SHAPE_ANY;
}

/* The shape of accesses of N bytes (a power of two) by the lanes of MASK; OFF gets the offsets from
 * R.host, for other lanes *ELSEWHERE, or if that is NULL those of the first one in their own copy.
 */
INLINE enum shape shape_and(const struct addresses *x, uint32_t mask, unsigned n, uint64_t *off,
	const uint64_t *elsewhere)
{
	const struct region *r = &x->r;
	enum shape shape = x->wide ? shape64(x->reg, x->add, mask, r, n, off, elsewhere)
				   : shape32(x->reg, (uint32_t)x->add, mask, r, n, off, elsewhere);

	if (r->stride && shape != SHAPE_NONE)
		EVERY_LANE(i)
			off[i] += elsewhere && !(mask & lane_bit[i]) ? 0 : (uint64_t)i * r->stride;
	return shape;
}
INLINE enum shape shape_of(const struct addresses *x, uint32_t mask, unsigned n, uint64_t *off)
{
	return shape_and(x, mask, n, off, NULL);
}

#endif
