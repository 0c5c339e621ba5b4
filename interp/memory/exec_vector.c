/* ld and st of vectors in plain runs: memory has the elements of a lane side by side, a register
 * those of all lanes, so that 32 accesses are a matrix to be transposed. Accesses of at most 8
 * bytes move as rows of whole accesses, which shifts take apart; longer ones by 16 bytes a lane,
 * which shuffles transpose. What the block path does not take goes lane by lane (exec_mem.c). */
#include "interp/memory/combine.h"
#include "interp/memory/row.h"
#include "interp/state/exec.h"

/* Shuffles of 16 bytes gain nothing from AVX-512, and the versions are many and long. */
#define VERSIONS CLONES_FOR("avx2")

typedef uint32_t four __attribute__((vector_size(16), aligned(4), may_alias));
typedef uint64_t two __attribute__((vector_size(16), aligned(8), may_alias));

/* One row for each element of a vector. */
struct rows {
	_Alignas(64) uint64_t row[MAX_VECTOR][LANES];
};

/* Whether the registers of column K have the elements' width of N bytes. */
INLINE bool same_width(const struct op_vector *v, unsigned k, unsigned elements, unsigned n)
{
	bool same = true;

	for (unsigned e = 0; e < elements; e++)
		same &= v->width[k][e] == n;
	return same;
}

/* row_put() and row_narrow() as functions: registers that are wider than elements, and warps that
 * have parted, are few, and there are many versions of what calls them. pair_put: two rows to
 * registers of the elements' width, for which lanes are told apart once. */
#define REGISTER_OF(n, T) \
	VERSIONS static __attribute__((noinline)) void put_##n(void *restrict to, unsigned width, \
		uint32_t mask, const void *restrict from, bool is_signed) \
	{ \
		row_put(to, width, mask, n, from, is_signed); \
	} \
	VERSIONS static __attribute__((noinline)) void pair_put_##n( \
		T *a, T *b, uint32_t mask, const T *from_a, const T *from_b) \
	{ \
		LANES_APART EVERY_LANE(i) \
		{ \
			const T was_a = a[i], was_b = b[i], now_a = from_a[i], now_b = from_b[i]; \
			a[i] = mask & lane_bit[i] ? now_a : was_a; \
			b[i] = mask & lane_bit[i] ? now_b : was_b; \
		} \
	} \
	VERSIONS static __attribute__((noinline)) void narrow_##n( \
		void *restrict to, const void *restrict from, unsigned width, uint32_t mask) \
	{ \
		row_narrow(to, n, from, width, mask); \
	}
REGISTER_OF(1, uint8_t)
REGISTER_OF(2, uint16_t)
REGISTER_OF(4, uint32_t)
REGISTER_OF(8, uint64_t)

INLINE void pair_put(
	void *a, void *b, unsigned n, uint32_t mask, const void *from_a, const void *from_b)
{
	switch (n) {
	case 1: pair_put_1(a, b, mask, from_a, from_b); break;
	case 2: pair_put_2(a, b, mask, from_a, from_b); break;
	case 4: pair_put_4(a, b, mask, from_a, from_b); break;
	default: pair_put_8(a, b, mask, from_a, from_b); break;
	}
}

INLINE void register_put(void *restrict to, unsigned width, uint32_t mask, unsigned n,
	const void *restrict from, bool is_signed)
{
	switch (n) {
	case 1: put_1(to, width, mask, from, is_signed); break;
	case 2: put_2(to, width, mask, from, is_signed); break;
	case 4: put_4(to, width, mask, from, is_signed); break;
	default: put_8(to, width, mask, from, is_signed); break;
	}
}

INLINE void register_narrow(
	void *restrict to, unsigned n, const void *restrict from, unsigned width, uint32_t mask)
{
	switch (n) {
	case 1: narrow_1(to, from, width, mask); break;
	case 2: narrow_2(to, from, width, mask); break;
	case 4: narrow_4(to, from, width, mask); break;
	default: narrow_8(to, from, width, mask); break;
	}
}

/* --- accesses of at most 8 bytes: PART is an element, WORD the whole access of a lane --- */

#define SPLIT(WORD, PART) \
	if (total == sizeof(WORD) && n == sizeof(PART)) { \
		PART *t = to; \
		const WORD *f = words; \
		EVERY_LANE(i) \
			t[i] = (PART)(f[i] >> shift); \
		return; \
	}
INLINE void split_words(void *restrict to, unsigned n, const void *restrict words, unsigned total,
	unsigned shift){SPLIT(uint64_t, uint32_t) SPLIT(uint64_t, uint16_t)
		SPLIT(uint32_t, uint16_t) SPLIT(uint32_t, uint8_t) SPLIT(uint16_t, uint8_t)}

/* The first element, at SHIFT 0, sets the words; the others are added. */
#define JOIN(WORD, PART) \
	if (total == sizeof(WORD) && n == sizeof(PART)) { \
		WORD *t = words; \
		const PART *f = from; \
		if (shift == 0) \
			EVERY_LANE(i) \
				t[i] = f[i]; \
		else \
			EVERY_LANE(i) \
				t[i] |= (WORD)((WORD)f[i] << shift); \
		return; \
	}
INLINE void join_words(
	void *restrict words, unsigned total, const void *restrict from, unsigned n, unsigned shift)
{
	JOIN(uint64_t, uint32_t)
	JOIN(uint64_t, uint16_t)
	JOIN(uint32_t, uint16_t)
	JOIN(uint32_t, uint8_t)
	JOIN(uint16_t, uint8_t)
}

/* --- accesses of 16 or 32 bytes --- */

/* 16 bytes of each of four lanes to four lanes of each of four registers, or back. */
struct block {
	four a, b, c, d;
};
#if defined(__clang__)
#define MIX(x, y, i, j, k, l) ((four)__builtin_shufflevector(x, y, i, j, k, l))
#else
#define MIX(x, y, i, j, k, l) ((four)__builtin_shuffle(x, y, (four){i, j, k, l}))
#endif
INLINE struct block transpose(struct block x)
{
	four ab = MIX(x.a, x.b, 0, 4, 1, 5), cd = MIX(x.c, x.d, 0, 4, 1, 5);
	four ab2 = MIX(x.a, x.b, 2, 6, 3, 7), cd2 = MIX(x.c, x.d, 2, 6, 3, 7);

	return (struct block){MIX(ab, cd, 0, 1, 4, 5), MIX(ab, cd, 2, 3, 6, 7),
		MIX(ab2, cd2, 0, 1, 4, 5), MIX(ab2, cd2, 2, 3, 6, 7)};
}

INLINE four four_at(const void *p) { return *(const four *)p; }
INLINE two two_at(const void *p) { return *(const two *)p; }

INLINE void load_parts(
	void *const *to, unsigned n, unsigned total, const uint8_t *host, const uint64_t *off)
{
	for (unsigned part = 0; part < total / 16; part++, host += 16, to += 16 / n)
		if (n == 4) {
			uint32_t *r0 = to[0], *r1 = to[1], *r2 = to[2], *r3 = to[3];

			for (unsigned i = 0; i < LANES; i += 4) {
				struct block x = transpose((struct block){four_at(host + off[i]),
					four_at(host + off[i + 1]), four_at(host + off[i + 2]),
					four_at(host + off[i + 3])});

				*(four *)(r0 + i) = x.a;
				*(four *)(r1 + i) = x.b;
				*(four *)(r2 + i) = x.c;
				*(four *)(r3 + i) = x.d;
			}
		} else {
			uint64_t *r0 = to[0], *r1 = to[1];

			for (unsigned i = 0; i < LANES; i += 2) {
				two a = two_at(host + off[i]), b = two_at(host + off[i + 1]);

				*(two *)(r0 + i) = (two){a[0], b[0]};
				*(two *)(r1 + i) = (two){a[1], b[1]};
			}
		}
}

/* With COMPARE, what changed in memory. */
INLINE two put_part(uint8_t *at, two x, bool compare)
{
	two *to = (two *)(void *)at, changed = {0, 0};

	if (compare)
		changed = *to ^ x;
	*to = x;
	return changed;
}

/* Stores to AT[lane], in the order of the lanes. With COMPARE, whether memory changed. */
INLINE bool store_parts(
	uint8_t *const *at, const void *const *from, unsigned n, unsigned total, bool compare)
{
	two changed = {0, 0};

	for (unsigned part = 0; part < total / 16; part++, from += 16 / n)
		if (n == 4) {
			const uint32_t *r0 = from[0], *r1 = from[1], *r2 = from[2], *r3 = from[3];

			for (unsigned i = 0; i < LANES; i += 4) {
				struct block x = transpose((struct block){four_at(r0 + i),
					four_at(r1 + i), four_at(r2 + i), four_at(r3 + i)});

				changed |= put_part(at[i] + part * 16, (two)x.a, compare);
				changed |= put_part(at[i + 1] + part * 16, (two)x.b, compare);
				changed |= put_part(at[i + 2] + part * 16, (two)x.c, compare);
				changed |= put_part(at[i + 3] + part * 16, (two)x.d, compare);
			}
		} else {
			const uint64_t *r0 = from[0], *r1 = from[1];

			for (unsigned i = 0; i < LANES; i += 2) {
				two a = two_at(r0 + i), b = two_at(r1 + i);

				changed |= put_part(at[i] + part * 16, (two){a[0], b[0]}, compare);
				changed |= put_part(
					at[i + 1] + part * 16, (two){a[1], b[1]}, compare);
			}
		}
	return (changed[0] | changed[1]) != 0;
}

/* --- loads --- */

/* Elements of N bytes, TOTAL bytes a lane, at X, to the registers of PUT; WORDS: at most 8 bytes.
 * False: nothing was done. */
INLINE bool load_rows(struct warp *w, const struct op *op, uint32_t mask, uint32_t put, unsigned n,
	unsigned total, bool words, const struct addresses *x)
{
	const struct op_vector *v = op->access.vector_at;
	unsigned elements = total / n;
	bool same = same_width(v, 0, elements, n);
	const uint8_t *row = words ? row_of(x, mask, total) : NULL;
	_Alignas(64) uint64_t gathered[LANES];
	uint64_t off[LANES];
	void *to[MAX_VECTOR];
	struct rows temp;

	if (!row &&
		!(words ? row_collect(gathered, total, mask, x, one_of(x, mask, total))
			: shape_of(x, mask, total, off) != SHAPE_NONE))
		return false;
	for (unsigned e = 0; e < elements; e++)
		to[e] = same && put == UINT32_MAX ? op_place(w, v->place[0][e]) : temp.row[e];
	for (unsigned e = 0; words && e < elements; e++)
		split_words(to[e], n, row ? row : (const uint8_t *)gathered, total, 8 * n * e);
	if (!words)
		load_parts(to, n, total, x->r.host, off);
	for (unsigned e = 0; same && put != UINT32_MAX && e < elements; e += 2)
		pair_put(op_place(w, v->place[0][e]), op_place(w, v->place[0][e + 1]), n, put,
			to[e], to[e + 1]);
	for (unsigned e = 0; !same && e < elements; e++)
		register_put(op_place(w, v->place[0][e]), v->width[0][e], put, n, to[e],
			op->access.is_signed);
	return true;
}

/* A: the most bytes of an element; if the elements have less, they have A / 2. */
INLINE enum flow load_vector(struct warp *w, const struct op *op, uint32_t mask, uint32_t put,
	unsigned total, unsigned a)
{
	struct addresses x;

	if (!addresses_of(w, op, mask, total, false, &x) ||
		!(op->access.bytes == a ? load_rows(w, op, mask, put, a, total, a < 8, &x)
					: load_rows(w, op, mask, put, a / 2, total, a < 8, &x)))
		return exec_ld(w, op, mask);
	w->worker->stats.bytes_loaded[x.r.space] += lanes_of(mask) * total;
	return FLOW_NEXT;
}

INLINE void load_elements(struct warp *w, const struct op *op, uint32_t mask, unsigned n,
	const uint8_t *host, const uint64_t *off)
{
	const struct op_vector *v = op->access.vector_at;

	for (unsigned e = 0; e < op->access.vector; e++) {
		void *to = op_place(w, v->place[0][e]);

		FOR_LANES(lane, mask) {
			uint64_t x = element_load(host + off[lane] + e * n, n, __ATOMIC_RELAXED);

			register_set(to, lane, v->width[0][e],
				op->access.is_signed ? sign_extend(x, n) : x);
		}
	}
}

/* Few lanes, one by one. */
VERSIONS static enum flow load_few(struct warp *w, const struct op *op, uint32_t mask)
{
	unsigned n = op->access.bytes, total = n * op->access.vector;
	struct addresses x;
	uint64_t off[LANES];

	if (!addresses_of(w, op, mask, total, false, &x) ||
		shape_of_few(&x, mask, total, off) == SHAPE_NONE)
		return exec_ld(w, op, mask);
	switch (n) {
	case 1: load_elements(w, op, mask, 1, x.r.host, off); break;
	case 2: load_elements(w, op, mask, 2, x.r.host, off); break;
	case 4: load_elements(w, op, mask, 4, x.r.host, off); break;
	default: load_elements(w, op, mask, 8, x.r.host, off); break;
	}
	w->worker->stats.bytes_loaded[x.r.space] += lanes_of(mask) * total;
	return FLOW_NEXT;
}

/* The registers of lanes that the warp lacks for good may be written, too (state.h). */
#define LOAD_VECTOR(name, total, a) \
	VERSIONS static __attribute__((noinline)) enum flow load_some_##name( \
		struct warp *w, const struct op *op, uint32_t mask) \
	{ \
		return load_vector(w, op, some_of(mask), mask | warp_idle(w), total, a); \
	} \
	VERSIONS static __attribute__((noinline)) enum flow load_all_##name( \
		struct warp *w, const struct op *op) \
	{ \
		return load_vector(w, op, UINT32_MAX, UINT32_MAX, total, a); \
	} \
	VERSIONS enum flow exec_ld_##name(struct warp *w, const struct op *op, uint32_t mask) \
	{ \
		w->polled |= op->access.sem != SEM_WEAK; \
		combine_before_access(w, op, mask); \
		return mask == UINT32_MAX ? load_all_##name(w, op) \
			: lanes_few(mask) ? load_few(w, op, mask) \
					  : load_some_##name(w, op, mask); \
	}
LOAD_VECTOR(word2, 2, 1)
LOAD_VECTOR(word4, 4, 2)
LOAD_VECTOR(word8, 8, 4)
LOAD_VECTOR(part16, 16, 8)
LOAD_VECTOR(part32, 32, 8)

/* --- stores --- */

/* The arguments are those of load_rows(). */
INLINE bool store_rows(struct warp *w, const struct op *op, uint32_t mask, unsigned n,
	unsigned total, bool words, const struct addresses *x)
{
	const struct op_vector *v = op->access.vector_at;
	unsigned elements = total / n;
	uint8_t *row = words ? row_of(x, mask, total) : NULL;
	uint64_t off[LANES], nowhere[4], elsewhere = offset_to(nowhere, x->r.host);
	const void *from[MAX_VECTOR];
	struct rows temp;

	/* of lanes that store nothing, what is nowhere would be compared, too */
	if (!words && mask != UINT32_MAX && !w->effect && x->r.space != 2)
		return false;
	if (!row && shape_and(x, mask, total, off, &elsewhere) == SHAPE_NONE)
		return false;
	for (unsigned e = 0; e < elements; e++) {
		from[e] = op_place(w, v->place[1][e]);
		if (v->width[1][e] != n) {
			register_narrow(temp.row[e], n, from[e], v->width[1][e], mask);
			from[e] = temp.row[e];
		}
	}
	if (words) {
		_Alignas(64) uint64_t joined[LANES];

		for (unsigned e = 0; e < elements; e++)
			join_words(joined, total, from[e], n, 8 * n * e);
		if (row)
			w->effect |= row_store(
				row, joined, mask, total, is_own(w, &x->r), !w->effect);
		else
			row_scatter(w, joined, mask, total, &x->r, off);
	} else {
		uint8_t *at[LANES];

		EVERY_LANE(i)
			at[i] = (uint8_t *)((uintptr_t)x->r.host + off[i]);
		if (w->effect || x->r.space == 2)
			store_parts(at, from, n, total, false);
		else
			w->effect |= store_parts(at, from, n, total, true);
	}
	return true;
}

INLINE enum flow store_vector(
	struct warp *w, const struct op *op, uint32_t mask, unsigned total, unsigned a)
{
	struct addresses x;

	if (!addresses_of(w, op, mask, total, true, &x) ||
		!(op->access.bytes == a ? store_rows(w, op, mask, a, total, a < 8, &x)
					: store_rows(w, op, mask, a / 2, total, a < 8, &x)))
		return exec_st(w, op, mask);
	w->worker->stats.bytes_stored[x.r.space] += lanes_of(mask) * total;
	return FLOW_NEXT;
}

VERSIONS static enum flow store_few(struct warp *w, const struct op *op, uint32_t mask)
{
	const struct op_vector *v = op->access.vector_at;
	unsigned n = op->access.bytes, total = n * op->access.vector;
	struct addresses x;
	uint64_t off[LANES];

	if (!addresses_of(w, op, mask, total, true, &x) ||
		shape_of_few(&x, mask, total, off) == SHAPE_NONE)
		return exec_st(w, op, mask);
	bool effect = w->effect || x.r.space == 2;

	FOR_LANES(lane, mask)
		for (unsigned e = 0; e < op->access.vector; e++) {
			uint8_t *to = x.r.host + off[lane] + e * n;
			uint64_t value = register_get(
				op_place(w, v->place[1][e]), lane, v->width[1][e]);

			if (n < 8)
				value &= (UINT64_C(1) << 8 * n) - 1;
			if (!effect && element_load(to, n, __ATOMIC_RELAXED) != value)
				w->effect = effect = true;
			element_store(to, value, n, __ATOMIC_RELAXED);
		}
	w->worker->stats.bytes_stored[x.r.space] += lanes_of(mask) * total;
	return FLOW_NEXT;
}

#define STORE_VECTOR(name, total, a) \
	VERSIONS static __attribute__((noinline)) enum flow store_some_##name( \
		struct warp *w, const struct op *op, uint32_t mask) \
	{ \
		return store_vector(w, op, some_of(mask), total, a); \
	} \
	VERSIONS static __attribute__((noinline)) enum flow store_all_##name( \
		struct warp *w, const struct op *op) \
	{ \
		return store_vector(w, op, UINT32_MAX, total, a); \
	} \
	VERSIONS enum flow exec_st_##name(struct warp *w, const struct op *op, uint32_t mask) \
	{ \
		combine_before_access(w, op, mask); \
		return mask == UINT32_MAX ? store_all_##name(w, op) \
			: lanes_few(mask) ? store_few(w, op, mask) \
					  : store_some_##name(w, op, mask); \
	}
STORE_VECTOR(word2, 2, 1)
STORE_VECTOR(word4, 4, 2)
STORE_VECTOR(word8, 8, 4)
STORE_VECTOR(part16, 16, 8)
STORE_VECTOR(part32, 32, 8)
