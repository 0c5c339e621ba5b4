/* A row is one element for each of 32 lanes, side by side, as a register has them: how rows move
 * between registers and memory, whole or by some lanes. */
#ifndef PTXI_INTERP_ROW_H
#define PTXI_INTERP_ROW_H
#include "interp/memory/access_block.h"

/* Before a loop whose lanes do not touch each other's elements, though source and destination may
 * be the same; clang compares the addresses instead. */
#if defined(__clang__)
#define LANES_APART
#else
#define LANES_APART _Pragma("GCC ivdep") _Pragma("GCC unroll 4")
#endif

typedef uint64_t row_part __attribute__((vector_size(32), aligned(1), may_alias));

INLINE void row_copy(void *to, const void *from, unsigned bytes)
{
	for (unsigned i = 0; i < bytes / 32; i++)
		((row_part *)to)[i] = ((const row_part *)from)[i];
}

INLINE bool row_differs(const void *a, const void *b, unsigned bytes)
{
	row_part d = {0};

	for (unsigned i = 0; i < bytes / 32; i++)
		d |= ((const row_part *)a)[i] ^ ((const row_part *)b)[i];
	return (d[0] | d[1] | d[2] | d[3]) != 0;
}

INLINE void lane_put(void *to, unsigned lane, unsigned n, uint64_t v)
{
	switch (n) {
	case 1: ((uint8_t *)to)[lane] = (uint8_t)v; break;
	case 2: ((uint16_t *)to)[lane] = (uint16_t)v; break;
	case 4: ((uint32_t *)to)[lane] = (uint32_t)v; break;
	default: ((uint64_t *)to)[lane] = v; break;
	}
}

INLINE uint64_t lane_get(const void *from, unsigned lane, unsigned n)
{
	switch (n) {
	case 1: return ((const uint8_t *)from)[lane];
	case 2: return ((const uint16_t *)from)[lane];
	case 4: return ((const uint32_t *)from)[lane];
	default: return ((const uint64_t *)from)[lane];
	}
}

/* Gathers the elements of N bytes at OFF[lane] from R into TO, also of lanes that have the offset
 * of another one. */
INLINE void row_gather(void *to, unsigned n, const struct region *r, const uint64_t *off)
{
	EVERY_LANE(i)
		lane_put(to, i, n, element_load(r->host + off[i], n, __ATOMIC_RELAXED));
}

/* INTO gets NEW in the lanes of MASK and OLD in the others, as elements of type T; it may be OLD.
 */
#define ROW_BLEND(T, INTO, OLD, NEW) \
	LANES_APART EVERY_LANE(i) \
	{ \
		const T old_ = (OLD)[i], new_ = (T)(NEW)[i]; \
		(INTO)[i] = mask & lane_bit[i] ? new_ : old_; \
	}

/* VALUE to the lanes of MASK of a register of N bytes. */
#define ROW_FILL(N, T) \
	if (n == N) { \
		T *t = to; \
		const T v = (T)value; \
		LANES_APART EVERY_LANE(i) \
		{ \
			const T old = t[i]; \
			t[i] = mask == UINT32_MAX || mask & lane_bit[i] ? v : old; \
		} \
	}
INLINE void row_fill(void *to, unsigned n, uint32_t mask, uint64_t value){
	ROW_FILL(1, uint8_t) ROW_FILL(2, uint16_t) ROW_FILL(4, uint32_t) ROW_FILL(8, uint64_t)}

/* The elements of N bytes at X of the lanes of MASK into TO, and any into those of others; ONE:
 * one_of() them. False: some are misaligned or outside. */
INLINE bool row_collect(
	void *to, unsigned n, uint32_t mask, const struct addresses *x, const uint8_t *one)
{
	uint64_t off[LANES];

	if (one) {
		row_fill(to, n, UINT32_MAX, element_load(one, n, __ATOMIC_RELAXED));
		return true;
	}
	if (shape_of(x, mask, n, off) == SHAPE_NONE)
		return false;
	row_gather(to, n, &x->r, off);
	return true;
}

/* Writes the elements FROM[lane] of N bytes into the lanes of MASK of a register of WIDTH >= N
 * bytes. */
#define ROW_PUT(N, TO, FROM) \
	if (n == N) { \
		TO *t = to; \
		const FROM *f = from; \
		if (mask == UINT32_MAX) \
			EVERY_LANE(i) \
				t[i] = (TO)f[i]; \
		else \
			ROW_BLEND(TO, t, t, f) \
		return; \
	}
INLINE void row_put(void *restrict to, unsigned width, uint32_t mask, unsigned n,
	const void *restrict from, bool is_signed)
{
	if (width == n) {
		ROW_PUT(1, uint8_t, uint8_t)
		ROW_PUT(2, uint16_t, uint16_t)
		ROW_PUT(4, uint32_t, uint32_t)
		ROW_PUT(8, uint64_t, uint64_t)
	}
	switch (width + (is_signed ? 32u : 0u)) {
	case 2: ROW_PUT(1, uint16_t, uint8_t) break;
	case 34: ROW_PUT(1, int16_t, int8_t) break;
	case 4: ROW_PUT(1, uint32_t, uint8_t) ROW_PUT(2, uint32_t, uint16_t) break;
	case 36: ROW_PUT(1, int32_t, int8_t) ROW_PUT(2, int32_t, int16_t) break;
	case 8:
		ROW_PUT(1, uint64_t, uint8_t)
		ROW_PUT(2, uint64_t, uint16_t)
		ROW_PUT(4, uint64_t, uint32_t)
		break;
	case 40:
		ROW_PUT(1, int64_t, int8_t)
		ROW_PUT(2, int64_t, int16_t)
		ROW_PUT(4, int64_t, int32_t)
		break;
	default: break;
	}
	FOR_LANES(lane, mask) {
		uint64_t v = lane_get(from, lane, n);

		register_set(to, lane, width, is_signed ? sign_extend(v, n) : v);
	}
}

/* Stores the elements FROM[lane] of N bytes of the lanes of MASK to the row at HOST, of whose other
 * places nothing is changed, and nothing written unless OWN: is_own() the row. With COMPARE,
 * whether memory changed; else false. */
#define ROW_STORE(N, T) \
	if (n == N) { \
		T *to = (T *)(void *)host; \
		const T *f = from; \
		_Alignas(64) T row[LANES]; \
		if (own && !compare) { \
			if (N == 1) \
				bytes_blend(host, from, mask); \
			else \
				ROW_BLEND(T, to, to, f) \
			return false; \
		} \
		ROW_BLEND(T, row, to, f) \
		const bool changed = compare && row_differs(host, row, LANES * N); \
		if (own) \
			row_copy(host, row, LANES *N); \
		else \
			LANES_APART EVERY_LANE(i) if (mask & lane_bit[i]) to[i] = f[i]; \
		return changed; \
	}
INLINE bool row_store(
	uint8_t *host, const void *from, uint32_t mask, unsigned n, bool own, bool compare)
{
	if (mask == UINT32_MAX) {
		bool changed = compare && row_differs(host, from, LANES * n);

		row_copy(host, from, LANES * n);
		return changed;
	}
	ROW_STORE(1, uint8_t)
	ROW_STORE(2, uint16_t)
	ROW_STORE(4, uint32_t)
	ROW_STORE(8, uint64_t)
	return false;
}

/* Where lanes that store nothing store: without a branch a lane. As the offset from HOST. */
INLINE uint64_t offset_to(const uint64_t *nowhere, const uint8_t *host)
{
	return (uint64_t)(uintptr_t)nowhere - (uint64_t)(uintptr_t)host;
}

/* Stores an element of N bytes of each lane to OFF[lane] in R, in the order of the lanes; those
 * outside MASK have offset_to() something. Local memory is private to a thread, so changes are not
 * an effect. */
INLINE void row_scatter(struct warp *w, const void *from, uint32_t mask, unsigned n,
	const struct region *r, const uint64_t *off)
{
	bool effect = w->effect || r->space == 2;
	uint8_t *host = r->host;

	if (!effect) {
		FOR_LANES(lane, mask) {
			uint64_t v = lane_get(from, lane, n);

			if (!effect && element_load(host + off[lane], n, __ATOMIC_RELAXED) != v)
				w->effect = effect = true;
			element_store(host + off[lane], v, n, __ATOMIC_RELAXED);
		}
	} else {
#pragma GCC unroll 8
		EVERY_LANE(i)
			element_store((uint8_t *)((uintptr_t)host + off[i]), lane_get(from, i, n),
				n, __ATOMIC_RELAXED);
	}
}

/* The low N bytes of each lane of a register of more bytes. */
#define ROW_NARROW(N, TO, WIDTH, FROM) \
	if (n == N && width == WIDTH) { \
		TO *t = to; \
		const FROM *f = from; \
		EVERY_LANE(i) \
			t[i] = (TO)f[i]; \
		return; \
	}
INLINE void row_narrow(
	void *restrict to, unsigned n, const void *restrict from, unsigned width, uint32_t mask)
{
	ROW_NARROW(1, uint8_t, 2, uint16_t)
	ROW_NARROW(1, uint8_t, 4, uint32_t)
	ROW_NARROW(1, uint8_t, 8, uint64_t)
	ROW_NARROW(2, uint16_t, 4, uint32_t)
	ROW_NARROW(2, uint16_t, 8, uint64_t)
	ROW_NARROW(4, uint32_t, 8, uint64_t)
	FOR_LANES(lane, mask)
		lane_put(to, lane, n, register_get(from, lane, width));
}

#undef ROW_BLEND
#undef ROW_FILL
#undef ROW_PUT
#undef ROW_STORE
#undef ROW_NARROW
#endif
