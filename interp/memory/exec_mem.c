/* ld and st, written once for plain and watched runs. The plain variants first try a block path:
 * all lanes in one allocation or window, checked together and moved as a row, a broadcast or a
 * gather. Everything else goes lane by lane, and so does what exec_watched.c leaves. */
#include "interp/memory/combine.h"
#include "interp/memory/row.h"
#include "interp/memory/undefined.h"
#include "interp/state/exec.h"

/* --- loads --- */

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
enum flow exec_ld_lanes(struct warp *w, const struct op *op, uint32_t mask)
{
	return mem_load(w, op, mask, true);
}

/* Elements of N bytes at X to the registers of MASK; ROW: those of a row (access_block.h). False:
 * nothing was done. */
INLINE bool load_block(struct warp *w, const struct op *op, uint32_t mask, unsigned n,
	const struct addresses *x, const uint8_t *row)
{
	void *to = op_lanes(w, op, 0);
	unsigned width = op->width[0];
	const uint8_t *one = row ? NULL : one_of(x, mask, n);
	bool direct = mask == UINT32_MAX && width == n;
	_Alignas(64) uint64_t gathered[LANES];

	if (one && width == n) {
		row_fill(to, n, mask, element_load(one, n, __ATOMIC_RELAXED));
		return true;
	}
	if (!row && !row_collect(direct ? to : gathered, n, mask, x, one))
		return false;
	if (!direct)
		row_put(to, width, mask, n, row ? row : (const uint8_t *)gathered,
			op->access.is_signed);
	return true;
}

INLINE enum flow load_few(
	struct warp *w, const struct op *op, uint32_t mask, unsigned lanes, unsigned n)
{
	struct addresses x;
	uint64_t off[LANES];

	if (!addresses_of(w, op, mask, n, false, &x) ||
		shape_of_few(&x, mask, n, off) == SHAPE_NONE)
		return exec_ld(w, op, mask);
	w->worker->stats.bytes_loaded[x.r.space] += lanes * n;
	FOR_LANES(lane, mask) {
		uint64_t v = element_load(x.r.host + off[lane], n, __ATOMIC_RELAXED);

		register_set(op_lanes(w, op, 0), lane, op->width[0],
			op->access.is_signed ? sign_extend(v, n) : v);
	}
	return FLOW_NEXT;
}

/* Functions of their own, as most accesses are rows: these keep what they need in registers. mask
 * is that of all lanes in `all`, and another one in `some`. Those of few lanes have one version,
 * since nothing in them is a vector. */
#define LOAD_LANES(n, lanes) \
	CLONES static __attribute__((noinline)) bool load_any_##lanes##_##n(struct warp *w, \
		const struct op *op, uint32_t mask, const struct addresses *x, const uint8_t *row) \
	{ \
		return load_block(w, op, lanes##_of(mask), n, x, row); \
	} \
	CLONES static __attribute__((noinline)) enum flow load_##lanes##_##n( \
		struct warp *w, const struct op *op, uint32_t mask) \
	{ \
		struct addresses x; \
\
		mask = lanes##_of(mask); \
		if (!addresses_of(w, op, mask, n, false, &x)) \
			return exec_ld(w, op, mask); \
		const uint8_t *row = row_of(&x, mask, n); \
\
		if (row && op->width[0] == n) \
			row_put(op_lanes(w, op, 0), n, mask, n, row, false); \
		else if (!load_any_##lanes##_##n(w, op, mask, &x, row)) \
			return exec_ld(w, op, mask); \
		w->worker->stats.bytes_loaded[x.r.space] += lanes_of(mask) * n; \
		return FLOW_NEXT; \
	}
#define LOAD_BLOCK(n) \
	LOAD_LANES(n, all) \
	LOAD_LANES(n, some) \
	static __attribute__((noinline)) enum flow load_few_##n( \
		struct warp *w, const struct op *op, uint32_t mask, unsigned lanes) \
	{ \
		return load_few(w, op, mask, lanes, n); \
	} \
	CLONES enum flow exec_ld_##n(struct warp *w, const struct op *op, uint32_t mask) \
	{ \
		w->polled |= op->access.sem != SEM_WEAK; \
		combine_before_access(w, op, mask); \
		return mask == UINT32_MAX ? load_all_##n(w, op, mask) \
			: lanes_few(mask) ? load_few_##n(w, op, mask, lanes_of(mask)) \
					  : load_some_##n(w, op, mask); \
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
	if (mask == UINT32_MAX && width == 8)
		EVERY_LANE(lane)
			((uint64_t *)to)[lane] = v;
	else if (mask == UINT32_MAX && width == 4)
		EVERY_LANE(lane)
			((uint32_t *)to)[lane] = (uint32_t)v;
	else
		FOR_LANES(lane, mask)
			register_set(to, lane, width, v);
	w->worker->stats.bytes_loaded[4] += lanes_of(mask) * n;
	return FLOW_NEXT;
}

/* --- stores --- */

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
enum flow exec_st_lanes(struct warp *w, const struct op *op, uint32_t mask)
{
	return mem_store(w, op, mask, true);
}

/* Elements of N bytes at X; ROW as for loads. False: nothing was done. */
INLINE bool store_block(struct warp *w, const struct op *op, uint32_t mask, unsigned n,
	const struct addresses *x, uint8_t *row)
{
	const void *from = op_lanes(w, op, 1);
	unsigned width = op->width[1];
	_Alignas(64) uint64_t narrow[LANES];
	uint64_t off[LANES], nowhere, elsewhere = offset_to(&nowhere, x->r.host);

	if (!row && shape_and(x, mask, n, off, &elsewhere) == SHAPE_NONE)
		return false;
	if (width != n) {
		row_narrow(narrow, n, from, width, mask);
		from = narrow;
	}
	if (row)
		w->effect |= row_store(row, from, mask, n, is_own(w, &x->r), !w->effect);
	else
		row_scatter(w, from, mask, n, &x->r, off);
	return true;
}

INLINE enum flow store_few(
	struct warp *w, const struct op *op, uint32_t mask, unsigned lanes, unsigned n)
{
	struct addresses x;
	uint64_t off[LANES];

	if (!addresses_of(w, op, mask, n, true, &x) || shape_of_few(&x, mask, n, off) == SHAPE_NONE)
		return exec_st(w, op, mask);
	w->worker->stats.bytes_stored[x.r.space] += lanes * n;
	FOR_LANES(lane, mask)
		w->effect |= store_one(x.r.host + off[lane],
			register_get(op_lanes(w, op, 1), lane, op->width[1]), n, __ATOMIC_RELAXED,
			!w->effect && x.r.space != 2);
	return FLOW_NEXT;
}

/* As for loads. */
#define STORE_LANES(n, lanes) \
	CLONES static __attribute__((noinline)) bool store_any_##lanes##_##n(struct warp *w, \
		const struct op *op, uint32_t mask, const struct addresses *x, uint8_t *row) \
	{ \
		return store_block(w, op, lanes##_of(mask), n, x, row); \
	} \
	CLONES static __attribute__((noinline)) enum flow store_##lanes##_##n( \
		struct warp *w, const struct op *op, uint32_t mask) \
	{ \
		struct addresses x; \
\
		mask = lanes##_of(mask); \
		if (!addresses_of(w, op, mask, n, true, &x)) \
			return exec_st(w, op, mask); \
		uint8_t *row = row_of(&x, mask, n); \
\
		if (row && op->width[1] == n && (mask == UINT32_MAX || is_own(w, &x.r))) \
			w->effect |= row_store( \
				row, op_lanes(w, op, 1), mask, n, true, !w->effect); \
		else if (!store_any_##lanes##_##n(w, op, mask, &x, row)) \
			return exec_st(w, op, mask); \
		w->worker->stats.bytes_stored[x.r.space] += lanes_of(mask) * n; \
		return FLOW_NEXT; \
	}
#define STORE_BLOCK(n) \
	STORE_LANES(n, all) \
	STORE_LANES(n, some) \
	static __attribute__((noinline)) enum flow store_few_##n( \
		struct warp *w, const struct op *op, uint32_t mask, unsigned lanes) \
	{ \
		return store_few(w, op, mask, lanes, n); \
	} \
	CLONES enum flow exec_st_##n(struct warp *w, const struct op *op, uint32_t mask) \
	{ \
		combine_before_access(w, op, mask); \
		return mask == UINT32_MAX ? store_all_##n(w, op, mask) \
			: lanes_few(mask) ? store_few_##n(w, op, mask, lanes_of(mask)) \
					  : store_some_##n(w, op, mask); \
	}
STORE_BLOCK(1)
STORE_BLOCK(2)
STORE_BLOCK(4)
STORE_BLOCK(8)

/* --- which of them --- */

/* Whether the block path applies (exec.h). 32-bit addresses belong to shared, local and .const
 * memory. */
static bool has_block_path(const struct op *op)
{
	const struct op_access *a = &op->access;
	unsigned width = op->width[a->base_operand];

	if (a->bytes > 8 || a->sem > SEM_RELAXED || a->space == W_param ||
		(width != 4 && width != 8))
		return false;
	return width == 8 || a->space == W_shared || a->space == W_local || a->space == W_const;
}

/* The block path of an access among those for scalars of 1, 2, 4, 8 bytes and for vectors of 2, 4,
 * 8, 16, 32 in all. */
static exec_fn *block_path(const struct op *op, exec_fn *const scalar[4], exec_fn *const vector[5])
{
	const struct op_access *a = &op->access;
	unsigned size = (unsigned)__builtin_ctz((unsigned)a->bytes * a->vector);

	if (!has_block_path(op))
		return NULL;
	if (a->vector == 1)
		return scalar[size];
	return size > 3 ? (a->bytes >= 4 ? vector[size - 1] : NULL)
			: (a->vector <= 4 ? vector[size - 1] : NULL);
}

exec_fn *exec_ld_block(const struct op *op)
{
	static exec_fn *const scalar[] = {exec_ld_1, exec_ld_2, exec_ld_4, exec_ld_8};
	static exec_fn *const vector[] = {
		exec_ld_word2, exec_ld_word4, exec_ld_word8, exec_ld_part16, exec_ld_part32};

	return op->access.fixed ? exec_ld_param : block_path(op, scalar, vector);
}

exec_fn *exec_st_block(const struct op *op)
{
	static exec_fn *const scalar[] = {exec_st_1, exec_st_2, exec_st_4, exec_st_8};
	static exec_fn *const vector[] = {
		exec_st_word2, exec_st_word4, exec_st_word8, exec_st_part16, exec_st_part32};

	return block_path(op, scalar, vector);
}
