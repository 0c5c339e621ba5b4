/* ld and st: written once over (plain, watched). The plain variants first try a block path: all lanes in one allocation or window, checked together, moved as one
 * row, broadcast or gathered; what does not fit, and everything watched, goes lane by lane. */
#include "interp/exec_mem.h"
#include "interp/undefined.h"

#if defined(__x86_64__) && defined(__gnu_linux__) && !defined(__SANITIZE_ADDRESS__) && ACCESS_BLOCKS && defined(__OPTIMIZE__)
#define CLONES __attribute__((target_clones("default", "avx2", "avx512f")))
#else
#define CLONES
#endif
#define INLINE static inline __attribute__((always_inline))

/* Memory that a block path may touch: SIZE bytes at HOST, which are the addresses from BASE on. */
struct region {
	uint8_t *host;
	uint64_t base, size;
};

INLINE struct region region_global(const struct warp *w, uint64_t address, bool write)
{
	const struct memory_block *b = memory_find(w->machine->memory, address);

	return (struct region){b->host, b->base, write ? b->writable : b->readable};
}

INLINE struct region region_shared(const struct warp *w)
{
	return (struct region){w->cta->shared, 0, w->cta->shared_bytes};
}

enum shape { SHAPE_NONE, SHAPE_ROW, SHAPE_SAME, SHAPE_ANY };

/* How 32 addresses (A[i] + ADD) lie in R: offsets into it in OFF. NONE: some access of N bytes is not inside, or misaligned. */
INLINE enum shape shape64(const uint64_t *a, uint64_t add, const struct region *r, unsigned n, uint64_t *off)
{
	uint64_t delta = add - r->base, first = a[0] + delta, limit = r->size - n;
	uint64_t outside = 0, low = 0, row = 0, same = 0;

	if (r->size < n)
		return SHAPE_NONE;
	for (unsigned i = 0; i < LANES; i++) {
		uint64_t o = a[i] + delta;

		off[i] = o;
		outside |= o | (limit - o); /* a sign bit: below the region or above its end */
		low |= o;
		row |= o - first - (uint64_t)i * n;
		same |= o ^ first;
	}
	if ((int64_t)outside < 0 || (low & (n - 1)))
		return SHAPE_NONE;
	return row == 0 ? SHAPE_ROW : same == 0 ? SHAPE_SAME : SHAPE_ANY;
}

INLINE enum shape shape32(const uint32_t *a, uint32_t add, const struct region *r, unsigned n, uint64_t *off)
{
	uint32_t first = a[0] + add, limit = (uint32_t)r->size - n, outside = 0, low = 0, row = 0, same = 0;
	uint32_t narrow[LANES];

	if (r->size < n)
		return SHAPE_NONE;
	for (unsigned i = 0; i < LANES; i++) {
		uint32_t o = a[i] + add;

		narrow[i] = o;
		outside |= o | (limit - o);
		low |= o;
		row |= o - first - i * n;
		same |= o ^ first;
	}
	if ((int32_t)outside < 0 || (low & (n - 1)))
		return SHAPE_NONE;
	off[0] = first;
	if (row == 0)
		return SHAPE_ROW;
	if (same == 0)
		return SHAPE_SAME;
	for (unsigned i = 0; i < LANES; i++)
		off[i] = narrow[i];
	return SHAPE_ANY;
}

/* The same for the lanes of a partial mask: never ROW or SAME. */
INLINE bool some_inside(const struct warp *w, const struct op *op, const void *a, unsigned wide, uint32_t mask, const struct region *r, unsigned n, uint64_t *off)
{
	(void)w;
	if (r->size < n)
		return false;
	FOR_LANES(lane, mask)
	{
		uint64_t o = wide == 8 ? ((const uint64_t *)a)[lane] + (uint64_t)op->imm - r->base : (uint32_t)(((const uint32_t *)a)[lane] + (uint32_t)op->imm);

		if (o > r->size - n || (o & (n - 1)))
			return false;
		off[lane] = o;
	}
	return true;
}

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

INLINE uint64_t lane_take(const void *from, unsigned lane, unsigned n)
{
	switch (n) {
	case 1: return ((const uint8_t *)from)[lane];
	case 2: return ((const uint16_t *)from)[lane];
	case 4: return ((const uint32_t *)from)[lane];
	default: return ((const uint64_t *)from)[lane];
	}
}

/* ---- loads ---- */

/* N bytes a lane into registers of N bytes; SHARED: offsets in the CTA's window. False: nothing was done. */
INLINE bool load_block(struct warp *w, const struct op *op, uint32_t mask, unsigned n, bool shared, unsigned wide)
{
	const void *a = op_lanes(w, op, 1);
	unsigned char *to = op_lanes(w, op, 0);
	unsigned lead = lane_first(mask);
	struct region r = shared ? region_shared(w) : region_global(w, ((const uint64_t *)a)[lead] + (uint64_t)op->imm, false);
	uint64_t off[LANES];
	enum shape shape;

	if (!ACCESS_BLOCKS)
		return false;
	if (mask == UINT32_MAX) {
		shape = wide == 8 ? shape64(a, (uint64_t)op->imm, &r, n, off) : shape32(a, (uint32_t)op->imm, &r, n, off);
		switch (shape) {
		case SHAPE_NONE: return false;
		case SHAPE_ROW: row_copy(to, r.host + off[0], LANES * n); break;
		case SHAPE_SAME: {
			uint64_t v = element_load(r.host + off[0], n, __ATOMIC_RELAXED);

			for (unsigned i = 0; i < LANES; i++)
				lane_put(to, i, n, v);
			break;
		}
		default:
			for (unsigned i = 0; i < LANES; i++)
				lane_put(to, i, n, element_load(r.host + off[i], n, __ATOMIC_RELAXED));
		}
		w->worker->stats.bytes_loaded[shared] += LANES * n;
		return true;
	}
	if (!some_inside(w, op, a, wide, mask, &r, n, off))
		return false;
	FOR_LANES(lane, mask) lane_put(to, lane, n, element_load(r.host + off[lane], n, __ATOMIC_RELAXED));
	w->worker->stats.bytes_loaded[shared] += lanes_of(mask) * n;
	return true;
}

/* The lanes' bytes of one access into their registers, element by element. */
INLINE void load_lane(const struct warp *w, const struct op *op, unsigned lane, const uint8_t *host, int order)
{
	const struct access_vector *v = op->extra;
	unsigned n = op->bytes;

	for (unsigned e = 0; e < op->vector; e++, host += n) {
		unsigned width = v ? v->width[0][e] : op->width[0];
		void *to = v ? op_place(w, v->place[0][e]) : op_lanes(w, op, 0);

		if (n == 16) {
			uint64_t half[2] = {element_load(host, 8, order), element_load(host + 8, 8, order)};

			memcpy((unsigned char *)to + lane * 16, half, 16);
			continue;
		}
		uint64_t value = element_load(host, n, order);

		if (op->flag[FLAG_SIGNED])
			value = sign_extend(value, n);
		register_set(to, lane, width, value);
	}
}

/* Undefined bytes make the element's register undefined; of a load with a used-bytes mask only the used ones count. */
static void load_undefined(struct warp *w, const struct op *op, uint32_t mask, const struct access *a)
{
	const struct access_vector *v = op->extra;
	const struct ir_insn *i = op_insn(w, op);
	uint32_t used = i->pragma_bytes_set ? i->used_bytes : UINT32_MAX;

	for (unsigned e = 0; e < op->vector; e++) {
		uint32_t undefined = 0;

		FOR_LANES(lane, mask)
		for (unsigned b = e * op->bytes; a->defined[lane] && b < (e + 1u) * op->bytes; b++)
			if ((b >= 32 || used >> b & 1) && !__atomic_load_n(&a->defined[lane][b], __ATOMIC_RELAXED))
				undefined |= 1u << lane;
		undefined_set(w, v ? v->place[0][e] : op->at[0], mask, undefined);
		if (undefined)
			undefined_from(w, op, v ? v->place[0][e] : op->at[0]);
	}
}

INLINE enum flow load(struct warp *w, const struct op *op, uint32_t mask, bool watched)
{
	unsigned n = (unsigned)op->bytes * op->vector;
	struct access a;

	access_addresses(w, op, mask, a.address);
	if (watched)
		undefined_use(w, op, mask, op->at[op->flag[FLAG_ADDRESS]], "used in the address of a load");
	if (!access_resolve(w, op, mask, n, ACCESS_READ, &a))
		return FLOW_STOP;
	if (watched)
		access_observe(w, op, mask, n, ACCESS_READ, &a);
	if (op->flag[FLAG_STRONG]) {
		w->polled = 1;
		if (op->flag[FLAG_STRONG] == ORDER_SYNC) {
			FOR_LANES(lane, mask) load_lane(w, op, lane, a.host[lane], __ATOMIC_ACQUIRE);
			goto loaded;
		}
	}
	if (op->bytes == 16 && op->flag[FLAG_STRONG]) {
		FOR_LANES(lane, mask) exec_load16(a.host[lane], (unsigned char *)op_lanes(w, op, 0) + lane * 16);
	} else {
		FOR_LANES(lane, mask) load_lane(w, op, lane, a.host[lane], __ATOMIC_RELAXED);
	}
loaded:
	access_count(w, mask, n, ACCESS_READ, &a);
	if (watched && w->frame->defined)
		load_undefined(w, op, mask, &a);
	return FLOW_NEXT;
}

enum flow exec_ld(struct warp *w, const struct op *op, uint32_t mask) { return load(w, op, mask, false); }
enum flow exec_ld_watched(struct warp *w, const struct op *op, uint32_t mask) { return load(w, op, mask, true); }

#define LOAD_BLOCK(name, n, shared, wide)                                                                                                                      \
	CLONES enum flow name(struct warp *w, const struct op *op, uint32_t mask)                                                                              \
	{                                                                                                                                                      \
		w->polled |= op->flag[FLAG_STRONG];                                                                                                            \
		return load_block(w, op, mask, n, shared, wide) ? FLOW_NEXT : exec_ld(w, op, mask);                                                            \
	}
LOAD_BLOCK(exec_ld_global_1, 1, false, 8)
LOAD_BLOCK(exec_ld_global_2, 2, false, 8)
LOAD_BLOCK(exec_ld_global_4, 4, false, 8)
LOAD_BLOCK(exec_ld_global_8, 8, false, 8)
LOAD_BLOCK(exec_ld_shared_1, 1, true, 4)
LOAD_BLOCK(exec_ld_shared_2, 2, true, 4)
LOAD_BLOCK(exec_ld_shared_4, 4, true, 4)
LOAD_BLOCK(exec_ld_shared_8, 8, true, 4)
LOAD_BLOCK(exec_ld_shared64_4, 4, true, 8)
LOAD_BLOCK(exec_ld_shared64_8, 8, true, 8)

/* A kernel parameter at a constant offset that decode has checked: one value for all lanes. */
enum flow exec_ld_param(struct warp *w, const struct op *op, uint32_t mask)
{
	const uint8_t *from = (const uint8_t *)w->cta->launch->ask.params + op->imm;
	unsigned n = op->bytes, width = op->width[0];
	void *to = op_lanes(w, op, 0);
	uint64_t v = 0;

	memcpy(&v, from, n);
	if (op->flag[FLAG_SIGNED])
		v = sign_extend(v, n);
	FOR_LANES(lane, mask) register_set(to, lane, width, v);
	w->worker->stats.bytes_loaded[4] += lanes_of(mask) * n;
	return FLOW_NEXT;
}

/* ---- stores ---- */

INLINE bool store_block(struct warp *w, const struct op *op, uint32_t mask, unsigned n, bool shared, unsigned wide)
{
	const void *a = op_lanes(w, op, 0), *from = op_lanes(w, op, 1);
	unsigned lead = lane_first(mask);
	struct region r = shared ? region_shared(w) : region_global(w, ((const uint64_t *)a)[lead] + (uint64_t)op->imm, true);
	uint64_t off[LANES];

	if (!ACCESS_BLOCKS)
		return false;
	if (mask == UINT32_MAX) {
		enum shape shape = wide == 8 ? shape64(a, (uint64_t)op->imm, &r, n, off) : shape32(a, (uint32_t)op->imm, &r, n, off);

		if (shape == SHAPE_NONE)
			return false;
		if (shape == SHAPE_ROW) {
			if (!w->effect && row_differs(r.host + off[0], from, LANES * n))
				w->effect = 1;
			row_copy(r.host + off[0], from, LANES * n);
			w->worker->stats.bytes_stored[shared] += LANES * n;
			return true;
		}
		if (shape == SHAPE_SAME)
			for (unsigned i = 1; i < LANES; i++)
				off[i] = off[0];
	} else if (!some_inside(w, op, a, wide, mask, &r, n, off)) {
		return false;
	}
	FOR_LANES(lane, mask)
	{
		uint64_t v = lane_take(from, lane, n);

		if (!w->effect && element_load(r.host + off[lane], n, __ATOMIC_RELAXED) != v)
			w->effect = 1;
		element_store(r.host + off[lane], v, n, __ATOMIC_RELAXED);
	}
	w->worker->stats.bytes_stored[shared] += lanes_of(mask) * n;
	return true;
}

INLINE bool store_one(uint8_t *host, uint64_t v, unsigned n, int order, bool compare)
{
	bool changed = compare && element_load(host, n, __ATOMIC_RELAXED) != (n < 8 ? v & ((UINT64_C(1) << 8 * n) - 1) : v);

	element_store(host, v, n, order);
	return changed;
}

/* Whether memory changed (told only when COMPARE). */
INLINE bool store_lane(const struct warp *w, const struct op *op, unsigned lane, uint8_t *host, int order, bool compare)
{
	const struct access_vector *v = op->extra;
	unsigned n = op->bytes;
	bool changed = false;

	for (unsigned e = 0; e < op->vector; e++, host += n) {
		unsigned k = op->flag[FLAG_ADDRESS] + 1u;
		unsigned width = v ? v->width[1][e] : op->width[k];
		const void *from = v ? op_place(w, v->place[1][e]) : op_lanes(w, op, k);

		if (n == 16) {
			uint64_t half[2];

			memcpy(half, (const unsigned char *)from + lane * 16, 16);
			changed |= store_one(host, half[0], 8, order, compare);
			changed |= store_one(host + 8, half[1], 8, order, compare);
		} else {
			changed |= store_one(host, register_get(from, lane, width), n, order, compare);
		}
	}
	return changed;
}

static void store_undefined(struct warp *w, const struct op *op, uint32_t mask, const struct access *a)
{
	const struct access_vector *v = op->extra;

	for (unsigned e = 0; e < op->vector; e++) {
		uint32_t place = v ? v->place[1][e] : op->at[op->flag[FLAG_ADDRESS] + 1u], undefined = undefined_lanes(w, place) & mask, seen = 0;

		FOR_LANES(lane, undefined) seen |= (uint32_t)(a->space[lane] == W_global) << lane;
		if (seen)
			undefined_use(w, op, seen, place, "stored to global memory");
		FOR_LANES(lane, mask)
		for (unsigned b = e * op->bytes; a->defined[lane] && b < (e + 1u) * op->bytes; b++)
			__atomic_store_n(&a->defined[lane][b], undefined >> lane & 1 ? 0 : 0xff, __ATOMIC_RELAXED);
	}
}

INLINE enum flow store(struct warp *w, const struct op *op, uint32_t mask, bool watched)
{
	unsigned n = (unsigned)op->bytes * op->vector;
	struct access a;

	access_addresses(w, op, mask, a.address);
	if (watched)
		undefined_use(w, op, mask, op->at[op->flag[FLAG_ADDRESS]], "used in the address of a store");
	if (!access_resolve(w, op, mask, n, ACCESS_WRITE, &a))
		return FLOW_STOP;
	if (watched) {
		access_observe(w, op, mask, n, ACCESS_WRITE, &a);
		if (w->frame->defined)
			store_undefined(w, op, mask, &a);
	}
	if (op->bytes == 16 && op->flag[FLAG_STRONG]) {
		FOR_LANES(lane, mask)
		w->effect |= exec_store16(a.host[lane], (const unsigned char *)op_lanes(w, op, op->flag[FLAG_ADDRESS] + 1u) + lane * 16);
	} else if (op->flag[FLAG_STRONG] == ORDER_SYNC) {
		FOR_LANES(lane, mask) w->effect |= store_lane(w, op, lane, a.host[lane], __ATOMIC_RELEASE, !w->effect && a.space[lane] != W_local);
	} else {
		FOR_LANES(lane, mask) w->effect |= store_lane(w, op, lane, a.host[lane], __ATOMIC_RELAXED, !w->effect && a.space[lane] != W_local);
	}
	access_count(w, mask, n, ACCESS_WRITE, &a);
	return FLOW_NEXT;
}

enum flow exec_st(struct warp *w, const struct op *op, uint32_t mask) { return store(w, op, mask, false); }
enum flow exec_st_watched(struct warp *w, const struct op *op, uint32_t mask) { return store(w, op, mask, true); }

#define STORE_BLOCK(name, n, shared, wide)                                                                                                                     \
	CLONES enum flow name(struct warp *w, const struct op *op, uint32_t mask)                                                                              \
	{                                                                                                                                                      \
		return store_block(w, op, mask, n, shared, wide) ? FLOW_NEXT : exec_st(w, op, mask);                                                           \
	}
STORE_BLOCK(exec_st_global_1, 1, false, 8)
STORE_BLOCK(exec_st_global_2, 2, false, 8)
STORE_BLOCK(exec_st_global_4, 4, false, 8)
STORE_BLOCK(exec_st_global_8, 8, false, 8)
STORE_BLOCK(exec_st_shared_1, 1, true, 4)
STORE_BLOCK(exec_st_shared_2, 2, true, 4)
STORE_BLOCK(exec_st_shared_4, 4, true, 4)
STORE_BLOCK(exec_st_shared_8, 8, true, 4)
STORE_BLOCK(exec_st_shared64_4, 4, true, 8)
STORE_BLOCK(exec_st_shared64_8, 8, true, 8)
