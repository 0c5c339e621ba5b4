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
typedef u8 any8 __attribute__((may_alias));
typedef u16 any16 __attribute__((may_alias));
typedef u32 any32 __attribute__((may_alias));
typedef u64 any64 __attribute__((may_alias));
#define PIECES(width) (LANES * (width) / VECTOR)
#define EACH EVERY_IN(LANES)
/* Backward branches of a warp that is whole again before another copy of its unit goes on. */
enum { CALM = 3 };

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

/* The lane that MASK lacks; LANES if these are several, and more if it lacks none. */
INLINE u64 hole_of(u32 mask)
{
	const u32 gone = ~mask;

	return !gone ? LANES + 1 : gone & (gone - 1) ? LANES : (u64)__builtin_ctz(gone);
}

INLINE unsigned count_of(u32 mask)
{
	return mask == UINT32_MAX ? LANES : (unsigned)__builtin_popcount(mask);
}

/* The memory of a weak access whose first lane has address FIRST: not an allocation for which
 * reductions wait. */
INLINE bool global_region(
	const struct native_state *s, u64 first, unsigned n, bool write, struct region *r)
{
	const struct native_block *b = first >> 32 < s->nslots ? s->slot[first >> 32] : NULL;

	if (!b || (const void *)b == *s->combining)
		return false;
	*r = (struct region){b->host, b->base, write ? b->writable : b->readable, 0, 0};
	return r->size >= n;
}

/* Elements of 4 bytes of all lanes, where each half of them accesses a row or one address: blocks
 * that are 16 wide. False: TO is not valid. */
INLINE bool load_halves(u32 *to, const void *reg, bool wide, u64 add, const struct region *r)
{
	for (unsigned h = 0; h < LANES; h += LANES / 2) {
		const u64 *const far = (const u64 *)reg + h;
		const u32 *const near = (const u32 *)reg + h;
		const u64 past = wide ? far[LANES / 2 - 1] - far[0] : near[LANES / 2 - 1] - near[0],
			  step = past ? 4 : 0,
			  at = wide ? far[0] + add - r->base : (u32)(near[0] + (u32)add);
		u64 differ = past != (LANES / 2 - 1) * step;
		u32 narrow = 0;

		if (differ || (at & 3) || at >= r->size ||
			r->size - at < (step ? LANES / 2 * sizeof *to : sizeof *to))
			return false;
		if (wide)
			EVERY_IN(LANES / 2) differ |= (far[i] - far[0]) ^ i * step;
		else
			EVERY_IN(LANES / 2) narrow |= (near[i] - near[0]) ^ i * (u32)step;
		if (differ | narrow)
			return false;
		if (step) {
			const u32 *const row = (const u32 *)(const void *)(r->host + at);

			EVERY_IN(LANES / 2) to[h + i] = row[i];
		} else {
			const u32 v = *(const u32 *)(const void *)(r->host + at);

			EVERY_IN(LANES / 2) to[h + i] = v;
		}
	}
	return true;
}

/* Elements of N bytes of the lanes of MASK, a row, one, or any that are inside R and aligned. */
#define MOVE_ROW(T) EACH((T *)to)[i] = ((const T *)(const void *)row)[i]
#define MOVE_ONE(T) \
	{ \
		const T v = *(const T *)(const void *)one; \
		EACH((T *)to)[i] = v; \
	}
#define GATHER(T) EACH((T *)to)[i] = *(const T *)(const void *)(r->host + off[i])
static __attribute__((noinline)) bool load_any(const struct native_state *s, void *to,
	const void *reg, bool wide, u64 add, const struct region *r, u32 mask, unsigned n)
{
	const struct addresses x = {reg, add, wide, *r};
	const u8 *row = row_of(&x, mask, n), *one = row ? NULL : one_of(&x, mask, n);
	u64 off[LANES];

	if (row) {
		switch (n) {
		case 1: MOVE_ROW(u8); break;
		case 2: MOVE_ROW(u16); break;
		case 4: MOVE_ROW(u32); break;
		default: MOVE_ROW(u64); break;
		}
	} else if (one) {
		switch (n) {
		case 1: MOVE_ONE(u8) break;
		case 2: MOVE_ONE(u16) break;
		case 4: MOVE_ONE(u32) break;
		default: MOVE_ONE(u64) break;
		}
	} else if (n != 4 || !load_halves(to, reg, wide, add, r)) {
		if (shape_of(&x, mask, n, off) == SHAPE_NONE)
			return false;
		switch (n) {
		case 1: GATHER(u8); break;
		case 2: GATHER(u16); break;
		case 4: GATHER(u32); break;
		default: GATHER(u64); break;
		}
	}
	s->loaded[r->space] += (u64)count_of(mask) * n;
	return true;
}

/* Whether nobody else may write meanwhile what lies in SPACE, so that elements of other lanes can
 * be written as they are: processors take long to store a part of a vector. */
INLINE bool is_own(const struct native_state *s, unsigned space) { return s->alone || space == 1; }

static _Alignas(64) const u32 near_number[] = {
	0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};

/* The words of which ALL, the mask in each of them, has bit number LANE: what put_words() takes. */
INLINE part words_of(part all, part lane)
{
#if VECTOR == 32
	return all << (31 - lane);
#else
	return all & (((part){0} + 1) << lane);
#endif
}

/* Writes the words of NEW that WHICH has, and no other byte; or if OWN, is_own() what is there,
 * those that it does not have. */
typedef u32 loose_part __attribute__((vector_size(VECTOR), may_alias, aligned(1)));
INLINE void put_words(loose_part *to, part new, part which, bool own)
{
#if VECTOR == 64
	u16 on;

	__asm__("vptestmd %1, %1, %0" : "=Yk"(on) : "v"(which));
	if (own)
		__asm__("vpblendmd %1, %2, %0 %{%3%}" : "=v"(new) : "m"(*to), "v"(new), "Yk"(on));
	else
		__asm__("vmovdqu32 %1, %0 %{%2%}" : "+m"(*to) : "v"(new), "Yk"(on));
#elif VECTOR == 32
	if (own)
		__asm__("vblendvps %3, %1, %2, %0" : "=x"(new) : "m"(*to), "x"(new), "x"(which));
	else
		__asm__("vpmaskmovd %1, %2, %0" : "+m"(*to) : "x"(new), "x"(which));
#else
	const part on = (part)(which != 0);

	if (own)
		new = (*to & on) | (new & ~on);
	else
		for (unsigned i = 0; i < VECTOR / 4; i++)
			if (on[i])
				((any32 *)to)[i] = new[i];
#endif
	if (own)
		*to = new;
}

/* WORDS words to AT, EACH of them for one lane, of the lanes of MASK. OWN: is_own() what is there.
 */
INLINE void store_words(
	void *at, const void *from, u32 mask, unsigned words, unsigned each, bool own)
{
	enum { W = VECTOR / 4 };
	const part lane = *(const part *)near_number >> __builtin_ctz(each),
		   all = (part){0} + (own ? ~mask : mask);

#pragma GCC unroll 32
	for (unsigned j = 0; j < words / W; j++)
		put_words((loose_part *)at + j, ((const part *)from)[j],
			words_of(all, lane + j * W / each), own);
}

/* The same for N lanes of so many bytes, half a warp or a whole one, as functions: they are long,
 * and mostly something else is done. */
#define STORE_VECTORS(bytes) \
	static __attribute__((noinline)) void store_vectors_##bytes( \
		void *at, const void *from, u32 mask, unsigned n, bool own) \
	{ \
		enum { HALF = LANES / 2 }; \
		for (unsigned i = 0; i < n; i += HALF) { \
			u8 *const to = (u8 *)at + i * bytes; \
			const u8 *const new = (const u8 *)from + i *bytes; \
\
			if (own) \
				store_words( \
					to, new, mask >> i, HALF * bytes / 4, bytes / 4, true); \
			else \
				store_words( \
					to, new, mask >> i, HALF * bytes / 4, bytes / 4, false); \
		} \
	}
STORE_VECTORS(4)
STORE_VECTORS(8)
STORE_VECTORS(16)
STORE_VECTORS(32)

/* N elements FROM to AT of the lanes of MASK. OWN: is_own() what is there. */
#define STORE_SOME(T, N) \
	if (sizeof(T) >= 4 && own) { \
		store_words(at, from, mask, (N) * sizeof(T) / 4, sizeof(T) / 4 + (sizeof(T) < 4), \
			true); \
	} else if (sizeof(T) == 4) { \
		store_vectors_4(at, from, mask, N, false); \
	} else if (sizeof(T) == 8) { \
		store_vectors_8(at, from, mask, N, false); \
	} else if (sizeof(T) == 1 && own && (N) == LANES) { \
		bytes_blend(at, from, mask); \
	} else if (own) { \
		EVERY_IN(N) \
		{ \
			const T old = at[i], new = from[i]; \
			at[i] = mask & lane_bit[i] ? new : old; \
		} \
	} else { \
		EVERY_IN(N) if (mask & lane_bit[i]) at[i] = from[i]; \
	}
static __attribute__((noinline)) void store_vectors_2(
	void *row, const void *value, u32 mask, unsigned n, bool own)
{
	any16 *const at = row;
	const any16 *const from = value;

	STORE_SOME(u16, n)
}

/* Nothing is changed in the places of other lanes. Those of several lanes at one address are
 * written in the order of the lanes. As long as nothing has changed memory, what is no row is the
 * interpreter's, which looks for a change lane by lane. */
#define STORE_ROW(T) \
	{ \
		T *const at = (T *)(void *)row; \
		const T *const from = value; \
		T d = 0; \
		if (!*s->effect) { \
			EACH d |= mask & lane_bit[i] ? at[i] ^ from[i] : 0; \
			*s->effect = d != 0; \
		} \
		STORE_SOME(T, LANES) \
	}
#define SCATTER(T) \
	FOR_LANES(i, mask) \
	*(T *)(void *)(r->host + off[i]) = ((const T *)value)[i]
static __attribute__((noinline)) bool store_any(const struct native_state *s, const void *value,
	const void *reg, bool wide, u64 add, const struct region *r, u32 mask, unsigned n)
{
	const struct addresses x = {reg, add, wide, *r};
	const bool own = is_own(s, r->space);
	u8 *const row = row_of(&x, mask, n);
	u64 off[LANES];

	if (row) {
		switch (n) {
		case 1: STORE_ROW(u8) break;
		case 2: STORE_ROW(u16) break;
		case 4: STORE_ROW(u32) break;
		default: STORE_ROW(u64) break;
		}
	} else {
		if (!*s->effect || shape_of(&x, mask, n, off) == SHAPE_NONE)
			return false;
		switch (n) {
		case 1: SCATTER(u8); break;
		case 2: SCATTER(u16); break;
		case 4: SCATTER(u32); break;
		default: SCATTER(u64); break;
		}
	}
	s->stored[r->space] += (u64)count_of(mask) * n;
	return true;
}

INLINE bool find_region(const struct native_state *s, const void *reg, bool wide, u64 add, u32 mask,
	unsigned n, bool shared, bool write, struct region *r)
{
	if (shared) {
		*r = (struct region){s->shared, 0, s->shared_bytes, 0, 1};
		return r->size >= n;
	}
	return global_region(s, ((const u64 *)reg)[mask == UINT32_MAX ? 0 : lane_first(mask)] + add,
		n, write, r);
}

INLINE void count_atomics(const struct native_state *s, u32 mask, unsigned n, unsigned space)
{
	*s->polled = 1;
	*s->atomics += count_of(mask);
	s->loaded[space] += (u64)count_of(mask) * n;
	s->stored[space] += (u64)count_of(mask) * n;
}

/* The memory of atomic operations by the lanes of MASK, at the offsets OFF; counts them. NULL: they
 * are not done here. Memory that other host threads may access is not. */
static __attribute__((noinline)) u8 *atomic_places(const struct native_state *s, const void *reg,
	bool wide, u64 add, bool shared, u32 mask, unsigned n, u64 *off)
{
	struct region r;

	if (*s->combining || !(shared || s->alone) ||
		!find_region(s, reg, wide, add, mask, n, shared, true, &r))
		return NULL;
	const struct addresses x = {reg, add, wide, r};

	if (shape_of(&x, mask, n, off) == SHAPE_NONE)
		return NULL;
	count_atomics(s, mask, n, r.space);
	return r.host;
}

/* The memory of reductions ATOMIC of TYPE by the lanes of MASK, at the offsets OFF, if the table
 * has sums of such ones for it; counts them. NULL: the interpreter begins a table, or judges
 * whether it helps. */
static __attribute__((noinline)) u8 *sums_of(const struct native_state *s, const void *reg, u64 add,
	u32 mask, unsigned n, unsigned atomic, unsigned type, u64 *off)
{
	struct combine *const c = *s->combine;
	const u64 first = ((const u64 *)reg)[lane_first(mask)] + add;

	if (!*s->combining || c->skip || c->tried >= COMBINE_PERIOD || c->atomic != atomic ||
		c->type != type || first >> 32 >= s->nslots ||
		(const void *)s->slot[first >> 32] != *s->combining)
		return NULL;
	const struct native_block *const b = s->slot[first >> 32];
	const struct addresses x = {reg, add, true, {b->host, b->base, b->writable, 0, 0}};

	if (x.r.size < n || shape_of(&x, mask, n, off) == SHAPE_NONE)
		return NULL;
	c->tried += count_of(mask);
	count_atomics(s, mask, n, 0);
	return b->host;
}

/* Whether the addresses A are A[0], A[0] + STEP, A[0] + 2 * STEP and so on; of the lanes of MASK.
 */
static __attribute__((noinline)) bool some_in_steps(const void *a, bool wide, u64 step, u32 mask)
{
	const u32 first = lane_first(mask);
	const u64 far = wide ? ((const u64 *)a)[first] - first * step : 0;
	const u32 near = wide ? 0 : ((const u32 *)a)[first] - first * (u32)step;

	FOR_LANES(i, mask)
		if (wide ? ((const u64 *)a)[i] - i * step != far
			 : ((const u32 *)a)[i] - i * (u32)step != near)
			return false;
	return true;
}
/* Whether X has no bit. */
INLINE bool is_zero(part x)
{
#if VECTOR == 64
	u16 on;

	__asm__("vptestmd %1, %1, %0" : "=Yk"(on) : "v"(x));
	return !on;
#elif VECTOR == 32
	bool zero;

	__asm__("vptest %1, %1" : "=@ccz"(zero) : "x"(x));
	return zero;
#else
	return !(x[0] | x[1] | x[2] | x[3]);
#endif
}

typedef u64 wide_words __attribute__((vector_size(VECTOR), may_alias));
static _Alignas(64) const u64 far_number[] = {0, 1, 2, 3, 4, 5, 6, 7};
INLINE bool in_steps(const void *a, bool wide, u64 step, u32 mask)
{
	enum { W = VECTOR / 8 };
	const wide_words *const far = a;
	const part *const near = a;
	part differ = {0};

	if (mask != UINT32_MAX)
		return some_in_steps(a, wide, step, mask);
	if (wide) {
		wide_words next = *(const wide_words *)far_number * step + ((const u64 *)a)[0];

#pragma GCC unroll 16
		for (unsigned k = 0; k < LANES / W; k++) {
			differ |= (part)(far[k] ^ next);
			next += W * step;
		}
	} else {
		part next = *(const part *)near_number * (u32)step + ((const u32 *)a)[0];

#pragma GCC unroll 8
		for (unsigned k = 0; k < LANES / (2 * W); k++) {
			differ |= near[k] ^ next;
			next += 2 * W * (u32)step;
		}
	}
	return is_zero(differ);
}

/* The same for each half of them. */
INLINE bool in_halves(const void *a, bool wide, u64 step, u32 mask)
{
	u64 far = 0;
	u32 near = 0;

	if (mask != UINT32_MAX)
		return false;

	for (unsigned h = 0; h < LANES; h += LANES / 2)
		if (wide)
			EVERY_IN(LANES / 2)
	far |= (((const u64 *)a)[h + i] - ((const u64 *)a)[h]) ^ i * step;
	else EVERY_IN(LANES / 2)
		near |= (((const u32 *)a)[h + i] - ((const u32 *)a)[h]) ^ i * (u32)step;
	return !far && !near;
}

/* Where the N bytes at ADDRESS are, with ROOM bytes from there on, if they are aligned and inside;
 * else NULL. */
INLINE u8 *bytes_at(const struct native_state *s, u64 address, unsigned n, unsigned room,
	bool shared, bool write, unsigned *space)
{
	struct region r = {s->shared, 0, s->shared_bytes, 0, 1};

	if (!shared && !global_region(s, address, n, write, &r))
		return NULL;
	address -= r.base;
	*space = r.space;
	return (address & (n - 1)) || address >= r.size || r.size - address < room
		? NULL
		: r.host + address;
}

/* Whether an access of N bytes that needs ROOM may be at ADDRESS of BYTES of shared memory. */
INLINE bool near_fits(u64 bytes, u64 address, unsigned n, unsigned room)
{
	return !(address & (n - 1)) && address <= UINT64_MAX - room && address + room <= bytes;
}

/* Accesses by the lanes of MASK: the elements of N bytes into TO. False: nothing was done. A row
 * and a single address are here if those of the other lanes belong to it, which then are read, too;
 * the rest is not, because it is long. */
#define LOAD(T) \
	INLINE bool load_##T(const struct native_state *s, T *to, const void *reg, bool wide, \
		u64 add, bool shared, u32 mask) \
	{ \
		const unsigned n = sizeof(T); \
		struct region r; \
\
		if (!find_region(s, reg, wide, add, mask, n, shared, false, &r)) \
			return false; \
		{ \
			const u64 first = wide ? ((const u64 *)reg)[0] + add - r.base \
					       : (u32)(((const u32 *)reg)[0] + (u32)add), \
				  past = wide \
				? ((const u64 *)reg)[LANES - 1] - ((const u64 *)reg)[0] \
				: ((const u32 *)reg)[LANES - 1] - ((const u32 *)reg)[0]; \
\
			if (past == (LANES - 1) * n && !(first & (n - 1)) && first < r.size && \
				r.size - first >= LANES * n && \
				in_steps(reg, wide, n, UINT32_MAX)) { \
				EACH to[i] = ((const T *)(const void *)(r.host + first))[i]; \
				s->loaded[r.space] += (u64)count_of(mask) * n; \
				return true; \
			} \
			if (past == 0 && !(first & (n - 1)) && first < r.size && \
				r.size - first >= n && in_steps(reg, wide, 0, UINT32_MAX)) { \
				const T v = *(const T *)(const void *)(r.host + first); \
\
				EACH to[i] = v; \
				s->loaded[r.space] += (u64)count_of(mask) * n; \
				return true; \
			} \
		} \
		return load_any(s, to, reg, wide, add, &r, mask, n); \
	}
LOAD(u8)
LOAD(u16)
LOAD(u32)
LOAD(u64)

/* The same into memory, where nothing of other lanes changes. */
#define STORE(T) \
	INLINE bool store_##T(const struct native_state *s, const T *from, const void *reg, \
		bool wide, u64 add, bool shared, u32 mask) \
	{ \
		const unsigned n = sizeof(T); \
		struct region r; \
\
		if (!find_region(s, reg, wide, add, mask, n, shared, true, &r)) \
			return false; \
		if (*s->effect && (mask == UINT32_MAX || is_own(s, r.space))) { \
			const bool own = true; \
			const u64 first = wide ? ((const u64 *)reg)[0] + add - r.base \
					       : (u32)(((const u32 *)reg)[0] + (u32)add), \
				  past = wide \
				? ((const u64 *)reg)[LANES - 1] - ((const u64 *)reg)[0] \
				: ((const u32 *)reg)[LANES - 1] - ((const u32 *)reg)[0]; \
\
			if (past == (LANES - 1) * n && !(first & (n - 1)) && first < r.size && \
				r.size - first >= LANES * n && \
				in_steps(reg, wide, n, UINT32_MAX)) { \
				T *const at = (T *)(void *)(r.host + first); \
\
				if (mask == UINT32_MAX) \
					EACH at[i] = from[i]; \
				else \
					STORE_SOME(T, LANES) \
				s->stored[r.space] += (u64)count_of(mask) * n; \
				return true; \
			} \
		} \
		return store_any(s, from, reg, wide, add, &r, mask, n); \
	}
STORE(u8)
STORE(u16)
STORE(u32)
STORE(u64)

/* The elements of the lanes of MASK, whose hole_of() is HOLE, to a row of N that is inside and
 * aligned. Where nobody else can see it, one lane's place is written, too, and what was there put
 * back. */
#define STORE_LINE(T) \
	INLINE void store_row_##T(const struct native_state *s, u8 *row, const T *from, u32 mask, \
		u64 hole, unsigned n, unsigned space) \
	{ \
		T *const at = (T *)(void *)row; \
		const bool own = is_own(s, space); \
		T d = 0; \
\
		if (!*s->effect) { \
			EVERY_IN(n) d |= mask & lane_bit[i] ? at[i] ^ from[i] : 0; \
			*s->effect = d != 0; \
		} \
		if (hole > LANES) \
			EVERY_IN(n) at[i] = from[i]; \
		else if (hole < LANES && own) { \
			const T kept = at[hole]; \
\
			EVERY_IN(n) at[i] = from[i]; \
			at[hole] = kept; \
		} else \
			STORE_SOME(T, n) \
	}
STORE_LINE(u8)
STORE_LINE(u16)
STORE_LINE(u32)
STORE_LINE(u64)

/* Vectors of COUNT elements of N bytes of the lanes of MASK, to or from arrays of each element. */
#define GATHER_PART(T) EACH((T *)to[e])[i] = *(const T *)(const void *)(r.host + off[i] + e * n)
static __attribute__((noinline)) bool load_vector(const struct native_state *s, void *const *to,
	const void *reg, bool wide, u64 add, bool shared, u32 mask, unsigned n, unsigned count)
{
	struct region r;
	u64 off[LANES];

	if (!find_region(s, reg, wide, add, mask, n * count, shared, false, &r))
		return false;
	const struct addresses x = {reg, add, wide, r};

	if (shape_of(&x, mask, n * count, off) == SHAPE_NONE)
		return false;
	for (unsigned e = 0; e < count; e++)
		switch (n) {
		case 1: GATHER_PART(u8); break;
		case 2: GATHER_PART(u16); break;
		case 4: GATHER_PART(u32); break;
		default: GATHER_PART(u64); break;
		}
	s->loaded[r.space] += (u64)count_of(mask) * n * count;
	return true;
}

#define SCATTER_PART(T) \
	FOR_LANES(i, mask) \
	*(T *)(void *)(r.host + off[i] + e * n) = ((const T *)from[e])[i]
static __attribute__((noinline)) bool store_vector(const struct native_state *s,
	const void *const *from, const void *reg, bool wide, u64 add, bool shared, u32 mask,
	unsigned n, unsigned count)
{
	struct region r;
	u64 off[LANES];

	if (!*s->effect || !find_region(s, reg, wide, add, mask, n * count, shared, true, &r))
		return false;
	const struct addresses x = {reg, add, wide, r};

	if (shape_of(&x, mask, n * count, off) == SHAPE_NONE)
		return false;
	for (unsigned e = 0; e < count; e++)
		switch (n) {
		case 1: SCATTER_PART(u8); break;
		case 2: SCATTER_PART(u16); break;
		case 4: SCATTER_PART(u32); break;
		default: SCATTER_PART(u64); break;
		}
	s->stored[r.space] += (u64)count_of(mask) * n * count;
	return true;
}

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
/* N straight runs that end before op FROM are followed by runs from op TO on. */
INLINE void count_edge(const struct native_state *s, u32 from, u32 to, u32 lanes, u64 n)
{
	int64_t *c = s->count;

	c[2 * (u64)from] -= (s64)(lanes * n);
	c[2 * (u64)from + 1] -= (s64)n;
	c[2 * (u64)to] += (s64)(lanes * n);
	c[2 * (u64)to + 1] += (s64)n;
}
/* Only the lanes of MASK go so, and the warp executes what is in between; or it does not. */
INLINE void count_away(const struct native_state *s, u32 from, u32 to, u32 mask)
{
	const s64 away = __builtin_popcount(mask);

	s->count[2 * (u64)from] -= away;
	s->count[2 * (u64)to] += away;
}
INLINE void count_skip(const struct native_state *s, u32 from, u32 to)
{
	--s->count[2 * (u64)from + 1];
	++s->count[2 * (u64)to + 1];
}
/* Where a straight run from START on stops. */
INLINE u32 stop_of(u32 start, u32 left, u32 watch)
{
	const u32 stop = start + left < start ? UINT32_MAX : start + left;

	return watch > start && watch < stop ? watch : stop;
}
