/* What every translated unit begins with, as text: before it come the fixed-width types,
 * arith/lane.h, arith/fp.h, interp/native.h and interp/memory/shape.h (native/module.mk); VECTOR is
 * the number of bytes of a vector register. No include guard: it is not included. */

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
typedef int8_t s8;
typedef int16_t s16;
typedef int32_t s32;
typedef int64_t s64;
/* A register of 4 bytes a lane is PIECES(4) of these. */
typedef u32 part __attribute__((vector_size(VECTOR), may_alias));
#define PIECES(width) (LANES * (width) / VECTOR)
#define EACH EVERY_IN(LANES)

/* The bits of 32 lanes that are all ones or zero. */
INLINE u32 bits_of(const u32 *x)
{
	u32 bits = 0;

#if VECTOR == 64
	u16 half[2];

	__asm__("vpmovd2m %1, %0" : "=Yk"(half[0]) : "v"(((const part *)(const void *)x)[0]));
	__asm__("vpmovd2m %1, %0" : "=Yk"(half[1]) : "v"(((const part *)(const void *)x)[1]));
	bits = half[0] | (u32)half[1] << 16;
#elif VECTOR == 32
	for (unsigned k = 0; k < 4; k++) {
		u32 some;

		__asm__("vmovmskps %1, %0" : "=r"(some) : "x"(((const part *)(const void *)x)[k]));
		bits |= some << 8 * k;
	}
#else
	EACH bits |= x[i] & lane_bit[i];
#endif
	return bits;
}

INLINE unsigned count_of(u32 mask)
{
	return mask == UINT32_MAX ? LANES : (unsigned)__builtin_popcount(mask);
}

/* The memory of an access whose first lane has address FIRST. */
INLINE bool global_region(
	const struct native_state *s, u64 first, unsigned n, bool write, struct region *r)
{
	const struct native_block *b = first >> 32 < s->nslots ? s->slot[first >> 32] : NULL;

	if (!b)
		return false;
	*r = (struct region){b->host, b->base, write ? b->writable : b->readable, 0, 0};
	return r->size >= n;
}

/* Lane K's element of N bytes at the shape's offset OFF[K]; of other lanes, that of the first. */
#define GATHER(T) EACH((T *)to)[i] = *(const T *)(const void *)(x->r.host + off[i])
static __attribute__((noinline)) bool load_any(
	void *to, const struct addresses *x, u32 mask, unsigned n)
{
	u64 off[LANES];

	if (shape_of(x, mask, n, off) == SHAPE_NONE)
		return false;
	switch (n) {
	case 1: GATHER(u8); break;
	case 2: GATHER(u16); break;
	case 4: GATHER(u32); break;
	default: GATHER(u64); break;
	}
	return true;
}

/* In the order of the lanes: the last of several at one address stays. */
#define SCATTER(T) \
	FOR_LANES(i, mask) \
	*(T *)(void *)(x->r.host + off[i]) = ((const T *)from)[i]
static __attribute__((noinline)) bool store_any(
	const void *from, const struct addresses *x, u32 mask, unsigned n)
{
	u64 off[LANES];

	if (shape_of(x, mask, n, off) == SHAPE_NONE)
		return false;
	switch (n) {
	case 1: SCATTER(u8); break;
	case 2: SCATTER(u16); break;
	case 4: SCATTER(u32); break;
	default: SCATTER(u64); break;
	}
	return true;
}

INLINE bool find_region(const struct native_state *s, struct addresses *x, u32 mask, unsigned n,
	bool shared, bool write)
{
	unsigned lead = mask == UINT32_MAX ? 0 : lane_first(mask);

	if (*s->combining)
		return false;
	if (shared) {
		x->r = (struct region){s->shared, 0, s->shared_bytes, 0, 1};
		return x->r.size >= n;
	}
	return global_region(s, ((const u64 *)x->reg)[lead] + x->add, n, write, &x->r);
}

/* The elements of N bytes of the lanes of MASK into the same lanes of TO, whose other lanes get any
 * value. False: nothing was done. */
#define LOAD(T) \
	INLINE bool load_##T(const struct native_state *s, T *to, const void *reg, bool wide, \
		u64 add, bool shared, u32 mask) \
	{ \
		const unsigned n = sizeof(T), lead = mask == UINT32_MAX ? 0 : lane_first(mask), \
			       last = mask == UINT32_MAX ? LANES - 1 \
							 : 31u - (unsigned)__builtin_clz(mask); \
		struct addresses x = {reg, add, wide, {0}}; \
\
		if (!find_region(s, &x, mask, n, shared, false)) \
			return false; \
		const u64 first = wide ? ((const u64 *)reg)[lead] : ((const u32 *)reg)[lead], \
			  end = wide ? ((const u64 *)reg)[last] : ((const u32 *)reg)[last]; \
		const u8 *row = NULL; \
\
		if (end - first == (u64)(last - lead) * n) \
			row = row_of(&x, mask, n); \
		if (row) { \
			EACH to[i] = ((const T *)(const void *)row)[i]; \
		} else if (!load_any(to, &x, mask, n)) { \
			return false; \
		} \
		s->loaded[x.r.space] += (u64)count_of(mask) * n; \
		return true; \
	}
LOAD(u8)
LOAD(u16)
LOAD(u32)
LOAD(u64)

/* The same into memory. As long as nothing has changed memory, what does not move as a row is the
 * interpreter's, which looks for a change lane by lane. */
#define STORE(T) \
	INLINE bool store_##T(const struct native_state *s, const T *from, const void *reg, \
		bool wide, u64 add, bool shared, u32 mask) \
	{ \
		const unsigned n = sizeof(T); \
		struct addresses x = {reg, add, wide, {0}}; \
\
		if (!find_region(s, &x, mask, n, shared, true)) \
			return false; \
		T *const row = (T *)(void *)row_of(&x, mask, n); \
\
		if (!row) { \
			if (!*s->effect || !store_any(from, &x, mask, n)) \
				return false; \
		} else { \
			if (!*s->effect) { \
				T d = 0; \
				EACH d |= mask & lane_bit[i] ? row[i] ^ from[i] : 0; \
				*s->effect = d != 0; \
			} \
			if (mask == UINT32_MAX) { \
				EACH row[i] = from[i]; \
			} else { \
				EACH if (mask & lane_bit[i]) row[i] = from[i]; \
			} \
		} \
		s->stored[x.r.space] += (u64)count_of(mask) * n; \
		return true; \
	}
STORE(u8)
STORE(u16)
STORE(u32)
STORE(u64)

/* N straight runs of ops START to END - 1 by LANES_ lanes. */
INLINE void count_runs(const struct native_state *s, u32 start, u32 end, u32 lanes, u64 n)
{
	int64_t *c = s->count;

	c[2 * (u64)start] += (s64)(lanes * n);
	c[2 * (u64)start + 1] += (s64)n;
	c[2 * (u64)end] -= (s64)(lanes * n);
	c[2 * (u64)end + 1] -= (s64)n;
	*s->slice_steps += (end - start) * n;
}
/* Where a straight run from START on stops. */
INLINE u32 stop_of(u32 start, u32 left, u32 watch)
{
	const u32 stop = start + left < start ? UINT32_MAX : start + left;

	return watch > start && watch < stop ? watch : stop;
}
