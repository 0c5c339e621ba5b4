/* ld and st, written once for plain and watched runs. The plain variants first try a block path:
 * all lanes in one allocation or window, checked together and moved as a row, a broadcast or a
 * gather. Everything else, and every watched access, goes lane by lane. */
#include "interp/memory/access_block.h"
#include "interp/memory/combine.h"
#include "interp/state/exec.h"
#include "interp/memory/undefined.h"

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

/* --- loads --- */

/* Where the elements of N bytes of the lanes of MASK are side by side, by lane: in memory, or
 * gathered in TEMP. STRIDE: elements of a lane's access. E: which of them. */
INLINE const void *fetch_elements(void *temp, enum shape shape, uint32_t mask, unsigned n,
	unsigned stride, unsigned e, const struct region *r, const uint64_t *off)
{
	unsigned lead = lane_first(mask), total = n * stride;
	uint64_t begin = off[lead] - (uint64_t)lead * total;
	const uint8_t *host = r->host + e * n;

	/* the places of lanes that are not in MASK may be outside */
	if (shape == SHAPE_ROW && stride == 1 && begin <= r->size && r->size - begin >= LANES * n) {
		return host + begin;
	} else if (shape == SHAPE_SAME) {
		uint64_t value = element_load(host + off[lead], n, __ATOMIC_RELAXED);

		EVERY_LANE(i)
			lane_put(temp, i, n, value);
	} else {
		/* other lanes have the offset of the first */
		EVERY_LANE(i)
			lane_put(temp, i, n, element_load(host + off[i], n, __ATOMIC_RELAXED));
	}
	return temp;
}

/* Writes the elements FROM[lane] of N bytes into the lanes of MASK of a register of WIDTH >= N
 * bytes. */
#define WIDEN(N, TO, FROM) \
	if (n == N) { \
		TO *t = to; \
		const FROM *f = from; \
		_Pragma("GCC ivdep") EVERY_LANE(i) \
			t[i] ^= (TO)((t[i] ^ (TO)f[i]) & (0 - (TO)(mask >> i & 1))); \
		return; \
	}
INLINE void put_elements(void *restrict to, unsigned width, uint32_t mask, unsigned n,
	const void *restrict from, bool is_signed)
{
	switch (width + (is_signed ? 32u : 0u)) {
	case 1:
	case 33: WIDEN(1, uint8_t, uint8_t) break;
	case 2: WIDEN(1, uint16_t, uint8_t) WIDEN(2, uint16_t, uint16_t) break;
	case 34: WIDEN(1, int16_t, int8_t) WIDEN(2, int16_t, int16_t) break;
	case 4:
		WIDEN(1, uint32_t, uint8_t)
		WIDEN(2, uint32_t, uint16_t)
		WIDEN(4, uint32_t, uint32_t)
		break;
	case 36:
		WIDEN(1, int32_t, int8_t)
		WIDEN(2, int32_t, int16_t)
		WIDEN(4, int32_t, int32_t)
		break;
	case 8:
		WIDEN(1, uint64_t, uint8_t)
		WIDEN(2, uint64_t, uint16_t)
		WIDEN(4, uint64_t, uint32_t)
		WIDEN(8, uint64_t, uint64_t)
		break;
	case 40:
		WIDEN(1, int64_t, int8_t)
		WIDEN(2, int64_t, int16_t)
		WIDEN(4, int64_t, int32_t)
		WIDEN(8, int64_t, int64_t)
		break;
	default: break;
	}
	FOR_LANES(lane, mask) {
		uint64_t v = lane_get(from, lane, n);

		register_set(to, lane, width, is_signed ? sign_extend(v, n) : v);
	}
}

/* One element of each lane's access, which has STRIDE of them. */
INLINE void load_elements(void *to, unsigned width, enum shape shape, uint32_t mask, unsigned n,
	unsigned stride, unsigned e, const struct region *r, const uint64_t *off, bool is_signed)
{
	_Alignas(64) uint64_t temp[LANES];

	if (lanes_few(mask)) {
		FOR_LANES(lane, mask) {
			uint64_t v = element_load(r->host + off[lane] + e * n, n, __ATOMIC_RELAXED);

			register_set(to, lane, width, is_signed ? sign_extend(v, n) : v);
		}
	} else if ((shape == SHAPE_ANY || stride > 1) && width == n && mask == UINT32_MAX) {
		const uint8_t *host = r->host + e * n;

		EVERY_LANE(i)
			lane_put(to, i, n, element_load(host + off[i], n, __ATOMIC_RELAXED));
	} else {
		put_elements(to, width, mask, n,
			fetch_elements(temp, shape, mask, n, stride, e, r, off), is_signed);
	}
}

/* Elements of N bytes that lie at OFF in R. */
INLINE void load_located(struct warp *w, const struct op *op, uint32_t mask, unsigned n,
	enum shape shape, const struct region *r, const uint64_t *off)
{
	const struct op_vector *v = op->access.vector_at;
	unsigned elements = op->access.vector;
	bool is_signed = op->access.is_signed;

	w->worker->stats.bytes_loaded[r->space] += lanes_of(mask) * n * elements;
	if (!v) {
		load_elements(
			op_lanes(w, op, 0), op->width[0], shape, mask, n, 1, 0, r, off, is_signed);
		return;
	}
	for (unsigned e = 0; e < elements; e++)
		load_elements(op_place(w, v->place[0][e]), v->width[0][e], shape, mask, n, elements,
			e, r, off, is_signed);
}

/* Loads the elements of one lane's access into its registers. */
INLINE void load_lane(
	const struct warp *w, const struct op *op, unsigned lane, const uint8_t *host, int order)
{
	const struct op_vector *v = op->access.vector_at;
	unsigned n = op->access.bytes;

	for (unsigned e = 0; e < op->access.vector; e++, host += n) {
		unsigned width = v ? v->width[0][e] : op->width[0];
		void *to = v ? op_place(w, v->place[0][e]) : op_lanes(w, op, 0);

		if (n == 16) {
			uint64_t half[2] = {
				element_load(host, 8, order), element_load(host + 8, 8, order)};

			memcpy((unsigned char *)to + lane * 16, half, 16);
			continue;
		}
		uint64_t value = element_load(host, n, order);

		if (op->access.is_signed)
			value = sign_extend(value, n);
		register_set(to, lane, width, value);
	}
}

static void load_undefined(
	struct warp *w, const struct op *op, uint32_t mask, const struct access *a)
{
	const struct op_vector *v = op->access.vector_at;

	for (unsigned e = 0; e < op->access.vector; e++)
		undefined_load(w, op, mask, a, e, v ? v->place[0][e] : op->at[0],
			v ? v->width[0][e] : op->width[0]);
}

INLINE enum flow mem_load(struct warp *w, const struct op *op, uint32_t mask, bool watched)
{
	unsigned n = (unsigned)op->access.bytes * op->access.vector;
	struct access a;

	access_addresses(w, op, mask, a.address);
	if (watched)
		undefined_use(w, op, mask, op->at[op->access.base_operand],
			"used in the address of a load");
	if (!access_resolve(w, op, mask, n, ACCESS_READ, &a))
		return FLOW_STOP;
	if (watched)
		access_observe(w, op, mask, n, ACCESS_READ, &a);
	if (op->access.sem != SEM_WEAK) {
		w->polled = 1;
		combine_settle(w->worker);
		if (op->access.sem > SEM_RELAXED) {
			FOR_LANES(lane, mask)
				load_lane(w, op, lane, a.host[lane], __ATOMIC_ACQUIRE);
			goto loaded;
		}
	}
	if (op->access.bytes == 16 && op->access.sem != SEM_WEAK) {
		FOR_LANES(lane, mask)
			exec_load16(a.host[lane], (unsigned char *)op_lanes(w, op, 0) + lane * 16);
	} else {
		FOR_LANES(lane, mask)
			load_lane(w, op, lane, a.host[lane], __ATOMIC_RELAXED);
	}
loaded:
	access_count(w, mask, n, ACCESS_READ, &a);
	if (watched && w->frame->defined)
		load_undefined(w, op, mask, &a);
	return FLOW_NEXT;
}

enum flow exec_ld(struct warp *w, const struct op *op, uint32_t mask)
{
	return mem_load(w, op, mask, false);
}
enum flow exec_ld_watched(struct warp *w, const struct op *op, uint32_t mask)
{
	return mem_load(w, op, mask, true);
}

/* A row, or the same for all lanes, in a full warp; the rest in functions of its own, which would
 * cost this one registers. */
INLINE bool load_whole(struct warp *w, const struct op *op, unsigned n, enum shape shape,
	const struct region *r, uint64_t first)
{
	void *to = op_lanes(w, op, 0);

	if (op->width[0] != n || shape == SHAPE_ANY)
		return false;
	w->worker->stats.bytes_loaded[r->space] += LANES * n;
	if (shape == SHAPE_ROW) {
		row_copy(to, r->host + first, LANES * n);
	} else {
		uint64_t value = element_load(r->host + first, n, __ATOMIC_RELAXED);

		EVERY_LANE(i)
			lane_put(to, i, n, value);
	}
	return true;
}

#define LOAD_BLOCK(n) \
	CLONES static __attribute__((noinline)) enum flow load_any_##n(struct warp *w, \
		const struct op *op, enum shape shape, const struct region *r, \
		const uint64_t *off) \
	{ \
		load_located(w, op, UINT32_MAX, n, shape, r, off); \
		return FLOW_NEXT; \
	} \
	CLONES static __attribute__((noinline)) enum flow load_some_##n( \
		struct warp *w, const struct op *op, uint32_t mask) \
	{ \
		struct region r; \
		uint64_t off[LANES]; \
		enum shape shape = op->access.vector_at \
			? locate(w, op, mask, n * op->access.vector, false, &r, off) \
			: locate(w, op, mask, n, false, &r, off); \
\
		if (shape == SHAPE_NONE) \
			return exec_ld(w, op, mask); \
		load_located(w, op, mask, n, shape, &r, off); \
		return FLOW_NEXT; \
	} \
	CLONES enum flow exec_ld_##n(struct warp *w, const struct op *op, uint32_t mask) \
	{ \
		struct region r; \
		uint64_t off[LANES]; \
\
		w->polled |= op->access.sem != SEM_WEAK; \
		combine_before_access(w, op, mask); \
		if (mask != UINT32_MAX || op->access.vector_at) \
			return load_some_##n(w, op, mask); \
		enum shape shape = locate(w, op, UINT32_MAX, n, false, &r, off); \
\
		if (shape == SHAPE_NONE) \
			return exec_ld(w, op, mask); \
		return load_whole(w, op, n, shape, &r, off[0]) \
			? FLOW_NEXT \
			: load_any_##n(w, op, shape, &r, off); \
	}
LOAD_BLOCK(1)
LOAD_BLOCK(2)
LOAD_BLOCK(4)
LOAD_BLOCK(8)

/* A kernel parameter at a constant offset, checked at decoding: one value for all lanes. */
enum flow exec_ld_param(struct warp *w, const struct op *op, uint32_t mask)
{
	const uint8_t *from = (const uint8_t *)w->cta->launch->ask.params + op->access.add;
	unsigned n = op->access.bytes, width = op->width[0];
	void *to = op_lanes(w, op, 0);
	uint64_t v = 0;

	memcpy(&v, from, n);
	if (op->access.is_signed)
		v = sign_extend(v, n);
	FOR_LANES(lane, mask)
		register_set(to, lane, width, v);
	w->worker->stats.bytes_loaded[4] += lanes_of(mask) * n;
	return FLOW_NEXT;
}

/* --- stores --- */

/* Stores the elements FROM[lane] of N bytes of the lanes of MASK to the row at HOST,
 * of whose other places nothing is written. With COMPARE, whether memory changed; else false. */
#define STORE_SOME(N, T) \
	if (n == N) { \
		T *to = (T *)(void *)host; \
		const T *f = from; \
		T d = 0; \
		if (compare) { \
			EVERY_LANE(i) \
				d |= mask >> i & 1 ? to[i] ^ f[i] : 0; \
		} \
		_Pragma("GCC ivdep") EVERY_LANE(i) if (mask >> i & 1) to[i] = f[i]; \
		return d != 0; \
	}
INLINE bool store_row(uint8_t *host, const void *from, uint32_t mask, unsigned n, bool compare)
{
	STORE_SOME(1, uint8_t)
	STORE_SOME(2, uint16_t)
	STORE_SOME(4, uint32_t)
	STORE_SOME(8, uint64_t)
	return false;
}

/* Stores an element of N bytes of each lane to OFF[lane], in the order of the lanes. LOCAL: local
 * memory is private to a thread, so changes are not an effect. */
INLINE void store_scattered(struct warp *w, const void *from, uint32_t mask, unsigned n,
	uint8_t *host, const uint64_t *off, bool local)
{
	bool effect = w->effect || local;
	uint64_t nowhere;
	uint8_t *at[LANES];

	if (!effect || lanes_few(mask)) {
		FOR_LANES(lane, mask) {
			uint64_t v = lane_get(from, lane, n);

			if (!effect && element_load(host + off[lane], n, __ATOMIC_RELAXED) != v)
				w->effect = effect = true;
			element_store(host + off[lane], v, n, __ATOMIC_RELAXED);
		}
	} else if (mask == UINT32_MAX) {
		EVERY_LANE(i)
			element_store(host + off[i], lane_get(from, i, n), n, __ATOMIC_RELAXED);
	} else {
		/* without a branch a lane: those that store nothing store it nowhere */
		EVERY_LANE(i)
			at[i] = mask >> i & 1 ? host + off[i] : (uint8_t *)&nowhere;
		EVERY_LANE(i)
			element_store(at[i], lane_get(from, i, n), n, __ATOMIC_RELAXED);
	}
}

/* The low N bytes of each lane of a register of more bytes. */
#define NARROW(N, TO, WIDTH, FROM) \
	if (n == N && width == WIDTH) { \
		TO *t = to; \
		const FROM *f = from; \
		EVERY_LANE(i) \
			t[i] = (TO)f[i]; \
		return; \
	}
INLINE void narrow_elements(
	void *restrict to, unsigned n, const void *restrict from, unsigned width, uint32_t mask)
{
	NARROW(1, uint8_t, 2, uint16_t)
	NARROW(1, uint8_t, 4, uint32_t)
	NARROW(1, uint8_t, 8, uint64_t)
	NARROW(2, uint16_t, 4, uint32_t)
	NARROW(2, uint16_t, 8, uint64_t)
	NARROW(4, uint32_t, 8, uint64_t)
	FOR_LANES(lane, mask)
		lane_put(to, lane, n, register_get(from, lane, width));
}

/* Single elements of N bytes from a register of WIDTH bytes. */
INLINE void store_elements(struct warp *w, const void *from, unsigned width, enum shape shape,
	uint32_t mask, unsigned n, const struct region *r, const uint64_t *off)
{
	_Alignas(64) uint64_t temp[LANES];
	unsigned lead = lane_first(mask);

	if (width != n) {
		narrow_elements(temp, n, from, width, mask);
		from = temp;
	}
	if (shape == SHAPE_ROW) {
		w->effect |= store_row(r->host + (off[lead] - lead * n), from, mask, n, !w->effect);
	} else {
		store_scattered(w, from, mask, n, r->host, off, r->space == 2);
	}
}

/* Elements of N bytes that lie at OFF in R. */
INLINE void store_located(struct warp *w, const struct op *op, uint32_t mask, unsigned n,
	enum shape shape, const struct region *r, const uint64_t *off)
{
	const struct op_vector *v = op->access.vector_at;
	unsigned elements = op->access.vector;
	_Alignas(64) uint64_t temp[LANES];

	w->worker->stats.bytes_stored[r->space] += lanes_of(mask) * n * elements;
	if (!v) {
		store_elements(w, op_lanes(w, op, 1), op->width[1], shape, mask, n, r, off);
		return;
	}
	for (unsigned e = 0; e < elements; e++) {
		const void *from = op_place(w, v->place[1][e]);

		if (v->width[1][e] != n) {
			narrow_elements(temp, n, from, v->width[1][e], mask);
			from = temp;
		}
		store_scattered(w, from, mask, n, r->host + e * n, off, r->space == 2);
	}
}

INLINE bool store_one(uint8_t *host, uint64_t v, unsigned n, int order, bool compare)
{
	bool changed = compare &&
		element_load(host, n, __ATOMIC_RELAXED) !=
			(n < 8 ? v & ((UINT64_C(1) << 8 * n) - 1) : v);

	element_store(host, v, n, order);
	return changed;
}

/* Whether memory changed (valid only with COMPARE). */
INLINE bool store_lane(const struct warp *w, const struct op *op, unsigned lane, uint8_t *host,
	int order, bool compare)
{
	const struct op_vector *v = op->access.vector_at;
	unsigned n = op->access.bytes;
	bool changed = false;

	for (unsigned e = 0; e < op->access.vector; e++, host += n) {
		unsigned k = op->access.base_operand + 1u;
		unsigned width = v ? v->width[1][e] : op->width[k];
		const void *from = v ? op_place(w, v->place[1][e]) : op_lanes(w, op, k);

		if (n == 16) {
			uint64_t half[2];

			memcpy(half, (const unsigned char *)from + lane * 16, 16);
			changed |= store_one(host, half[0], 8, order, compare);
			changed |= store_one(host + 8, half[1], 8, order, compare);
		} else {
			changed |= store_one(
				host, register_get(from, lane, width), n, order, compare);
		}
	}
	return changed;
}

static void store_undefined(
	struct warp *w, const struct op *op, uint32_t mask, const struct access *a)
{
	const struct op_vector *v = op->access.vector_at;

	for (unsigned e = 0; e < op->access.vector; e++)
		undefined_store(w, op, mask, a, e, v ? v->place[1][e] : op->at[1],
			v ? v->width[1][e] : op->width[1]);
}

INLINE enum flow mem_store(struct warp *w, const struct op *op, uint32_t mask, bool watched)
{
	unsigned n = (unsigned)op->access.bytes * op->access.vector;
	struct access a;

	access_addresses(w, op, mask, a.address);
	if (watched)
		undefined_use(w, op, mask, op->at[op->access.base_operand],
			"used in the address of a store");
	if (!access_resolve(w, op, mask, n, ACCESS_WRITE, &a))
		return FLOW_STOP;
	if (watched) {
		access_observe(w, op, mask, n, ACCESS_WRITE, &a);
		if (w->frame->defined)
			store_undefined(w, op, mask, &a);
	}
	if (op->access.sem != SEM_WEAK)
		combine_settle(w->worker);
	if (op->access.bytes == 16 && op->access.sem != SEM_WEAK) {
		FOR_LANES(lane, mask)
			w->effect |= exec_store16(a.host[lane],
				(const unsigned char *)op_lanes(
					w, op, op->access.base_operand + 1u) +
					lane * 16);
	} else if (op->access.sem > SEM_RELAXED) {
		FOR_LANES(lane, mask)
			w->effect |= store_lane(w, op, lane, a.host[lane], __ATOMIC_RELEASE,
				!w->effect && a.space[lane] != W_local);
	} else {
		FOR_LANES(lane, mask)
			w->effect |= store_lane(w, op, lane, a.host[lane], __ATOMIC_RELAXED,
				!w->effect && a.space[lane] != W_local);
	}
	access_count(w, mask, n, ACCESS_WRITE, &a);
	return FLOW_NEXT;
}

enum flow exec_st(struct warp *w, const struct op *op, uint32_t mask)
{
	return mem_store(w, op, mask, false);
}
enum flow exec_st_watched(struct warp *w, const struct op *op, uint32_t mask)
{
	return mem_store(w, op, mask, true);
}

INLINE bool store_whole(struct warp *w, const struct op *op, unsigned n, enum shape shape,
	const struct region *r, uint64_t first)
{
	const void *from = op_lanes(w, op, 1);
	uint8_t *to = r->host + first;

	if (op->width[1] != n || shape != SHAPE_ROW)
		return false;
	w->worker->stats.bytes_stored[r->space] += LANES * n;
	if (!w->effect && row_differs(to, from, LANES * n))
		w->effect = 1;
	row_copy(to, from, LANES * n);
	return true;
}

#define STORE_BLOCK(n) \
	CLONES static __attribute__((noinline)) enum flow store_any_##n(struct warp *w, \
		const struct op *op, enum shape shape, const struct region *r, \
		const uint64_t *off) \
	{ \
		store_located(w, op, UINT32_MAX, n, shape, r, off); \
		return FLOW_NEXT; \
	} \
	CLONES static __attribute__((noinline)) enum flow store_some_##n( \
		struct warp *w, const struct op *op, uint32_t mask) \
	{ \
		struct region r; \
		uint64_t off[LANES]; \
		enum shape shape = op->access.vector_at \
			? locate(w, op, mask, n * op->access.vector, true, &r, off) \
			: locate(w, op, mask, n, true, &r, off); \
\
		if (shape == SHAPE_NONE) \
			return exec_st(w, op, mask); \
		store_located(w, op, mask, n, shape, &r, off); \
		return FLOW_NEXT; \
	} \
	CLONES enum flow exec_st_##n(struct warp *w, const struct op *op, uint32_t mask) \
	{ \
		struct region r; \
		uint64_t off[LANES]; \
\
		combine_before_access(w, op, mask); \
		if (mask != UINT32_MAX || op->access.vector_at) \
			return store_some_##n(w, op, mask); \
		enum shape shape = locate(w, op, UINT32_MAX, n, true, &r, off); \
\
		if (shape == SHAPE_NONE) \
			return exec_st(w, op, mask); \
		return store_whole(w, op, n, shape, &r, off[0]) \
			? FLOW_NEXT \
			: store_any_##n(w, op, shape, &r, off); \
	}
STORE_BLOCK(1)
STORE_BLOCK(2)
STORE_BLOCK(4)
STORE_BLOCK(8)
