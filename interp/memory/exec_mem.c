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

/* Loads the element at OFF[lane] of each lane into registers of WIDTH >= N bytes. */
INLINE void load_elements(void *to, unsigned width, uint32_t mask, unsigned n, const uint8_t *host,
	const uint64_t *off, bool is_signed)
{
	if (width == n) {
		if (mask == UINT32_MAX)
			EVERY_LANE(i)
				lane_put(
					to, i, n, element_load(host + off[i], n, __ATOMIC_RELAXED));
		else
			FOR_LANES(lane, mask)
				lane_put(to, lane, n,
					element_load(host + off[lane], n, __ATOMIC_RELAXED));
		return;
	}
	FOR_LANES(lane, mask) {
		uint64_t v = element_load(host + off[lane], n, __ATOMIC_RELAXED);

		register_set(to, lane, width, is_signed ? sign_extend(v, n) : v);
	}
}

/* Elements of N bytes. False: nothing was done. */
INLINE bool load_block(struct warp *w, const struct op *op, uint32_t mask, unsigned n)
{
	const struct op_vector *v = op->access.vector_at;
	unsigned elements = op->access.vector, total = n * elements;
	struct region r;
	uint64_t off[LANES];
	enum shape shape = locate(w, op, mask, total, false, &r, off);

	if (shape == SHAPE_NONE)
		return false;
	w->worker->stats.bytes_loaded[r.space] += lanes_of(mask) * total;
	if (v) {
		for (unsigned e = 0; e < elements; e++)
			load_elements(op_place(w, v->place[0][e]), v->width[0][e], mask, n,
				r.host + e * n, off, op->access.is_signed);
		return true;
	}
	void *to = op_lanes(w, op, 0);

	if (shape == SHAPE_ROW && op->width[0] == n) {
		row_copy(to, r.host + off[0], LANES * n);
	} else if (shape == SHAPE_SAME && op->width[0] == n) {
		uint64_t value = element_load(r.host + off[0], n, __ATOMIC_RELAXED);

		EVERY_LANE(i)
			lane_put(to, i, n, value);
	} else {
		load_elements(to, op->width[0], mask, n, r.host, off, op->access.is_signed);
	}
	return true;
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

#define LOAD_BLOCK(n) \
	CLONES enum flow exec_ld_##n(struct warp *w, const struct op *op, uint32_t mask) \
	{ \
		w->polled |= op->access.sem != SEM_WEAK; \
		combine_before_access(w, op, mask); \
		return load_block(w, op, mask, n) ? FLOW_NEXT : exec_ld(w, op, mask); \
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

/* Stores each lane's element to OFF[lane]. LOCAL: local memory is private to a thread, so
 * changes are not an effect. */
INLINE void store_elements(struct warp *w, const void *from, unsigned width, uint32_t mask,
	unsigned n, uint8_t *host, const uint64_t *off, bool local)
{
	bool effect = w->effect || local;

	if (effect && width == n && mask == UINT32_MAX) {
		EVERY_LANE(i)
			element_store(host + off[i], lane_get(from, i, n), n, __ATOMIC_RELAXED);
	} else {
		FOR_LANES(lane, mask) {
			uint64_t v = width == n ? lane_get(from, lane, n)
						: register_get(from, lane, width);

			if (!effect &&
				element_load(host + off[lane], n, __ATOMIC_RELAXED) !=
					(n < 8 ? v & ((UINT64_C(1) << 8 * n) - 1) : v))
				w->effect = effect = true;
			element_store(host + off[lane], v, n, __ATOMIC_RELAXED);
		}
	}
}

INLINE bool store_block(struct warp *w, const struct op *op, uint32_t mask, unsigned n)
{
	const struct op_vector *v = op->access.vector_at;
	unsigned elements = op->access.vector, total = n * elements;
	struct region r;
	uint64_t off[LANES];
	enum shape shape = locate(w, op, mask, total, true, &r, off);

	if (shape == SHAPE_NONE)
		return false;
	w->worker->stats.bytes_stored[r.space] += lanes_of(mask) * total;
	if (v) {
		for (unsigned e = 0; e < elements; e++)
			store_elements(w, op_place(w, v->place[1][e]), v->width[1][e], mask, n,
				r.host + e * n, off, r.space == 2);
		return true;
	}
	const void *from = op_lanes(w, op, 1);

	if (shape == SHAPE_ROW && op->width[1] == n) {
		if (!w->effect && row_differs(r.host + off[0], from, LANES * n))
			w->effect = 1;
		row_copy(r.host + off[0], from, LANES * n);
	} else {
		store_elements(w, from, op->width[1], mask, n, r.host, off, r.space == 2);
	}
	return true;
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

#define STORE_BLOCK(n) \
	CLONES enum flow exec_st_##n(struct warp *w, const struct op *op, uint32_t mask) \
	{ \
		combine_before_access(w, op, mask); \
		return store_block(w, op, mask, n) ? FLOW_NEXT : exec_st(w, op, mask); \
	}
STORE_BLOCK(1)
STORE_BLOCK(2)
STORE_BLOCK(4)
STORE_BLOCK(8)
