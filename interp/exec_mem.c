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

/* Memory that a block path may touch: SIZE bytes at HOST, which are the addresses from BASE on; of lane k STRIDE * k bytes further. */
struct region {
	uint8_t *host;
	uint64_t base, size;
	uint32_t stride;
	unsigned space; /* index in the statistics */
};

INLINE struct region region_of(const struct warp *w, const struct op *op, uint64_t first, bool write)
{
	const struct cta *c = w->cta;

	switch (op->space) {
	case W_shared: return (struct region){c->shared, 0, c->shared_bytes, 0, 1};
	case W_local: return (struct region){w->local, 0, w->frame->local_top < w->local_bytes ? w->frame->local_top : w->local_bytes, w->local_bytes, 2};
	case W_NONE:
		if (first >> MEMORY_SLOT_SHIFT == MEMORY_SHARED_WINDOW >> MEMORY_SLOT_SHIFT)
			return (struct region){c->shared, MEMORY_SHARED_WINDOW, c->shared_bytes, 0, 1};
		if (first >> MEMORY_SLOT_SHIFT == MEMORY_LOCAL_WINDOW >> MEMORY_SLOT_SHIFT)
			return (struct region){w->local, MEMORY_LOCAL_WINDOW, w->frame->local_top < w->local_bytes ? w->frame->local_top : w->local_bytes, w->local_bytes, 2};
		break;
	default: break;
	}
	const struct memory_block *b = memory_find(w->machine->memory, op->space == W_const ? first + MEMORY_CONST_WINDOW : first);

	return (struct region){b->host, op->space == W_const ? b->base - MEMORY_CONST_WINDOW : b->base, write ? b->writable : b->readable, 0, op->space == W_const ? 3 : 0};
}

enum shape { SHAPE_NONE, SHAPE_ROW, SHAPE_SAME, SHAPE_ANY };

/* How 32 addresses (A[i] + ADD) lie in R: offsets into it in OFF. NONE: some access of N bytes is not inside, or misaligned. */
INLINE enum shape shape64(const uint64_t *a, uint64_t add, const struct region *r, unsigned n, uint64_t *off)
{
	uint64_t delta = add - r->base, first = a[0] + delta, limit = r->size - n;
	uint64_t outside = 0, low = 0, row = 0, same = 0;

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
	uint32_t delta = add - (uint32_t)r->base, first = a[0] + delta, limit = (uint32_t)r->size - n, outside = 0, low = 0, row = 0, same = 0;
	uint32_t narrow[LANES];

	for (unsigned i = 0; i < LANES; i++) {
		uint32_t o = a[i] + delta;

		narrow[i] = o;
		outside |= o | (limit - o);
		low |= o;
		row |= o - first - i * n;
		same |= o ^ first;
	}
	if ((int32_t)outside < 0 || (low & (n - 1)))
		return SHAPE_NONE;
	for (unsigned i = 0; i < LANES; i++)
		off[i] = narrow[i];
	return row == 0 ? SHAPE_ROW : same == 0 ? SHAPE_SAME : SHAPE_ANY;
}

/* Where the accesses of N bytes (a power of two) of the lanes of MASK lie: offsets from R->host in OFF. ROW and SAME only for the full mask. */
INLINE enum shape locate(struct warp *w, const struct op *op, uint32_t mask, unsigned n, bool write, struct region *r, uint64_t *off)
{
	unsigned k = op->flag[FLAG_ADDRESS];
	const void *a = op_lanes(w, op, k);
	bool wide = op->width[k] == 8;
	unsigned lead = lane_first(mask);
	uint64_t add = (uint64_t)op->imm;
	enum shape shape = SHAPE_ANY;

	if (op->flag[FLAG_FRAME])
		add += op->flag[FLAG_FRAME] == 1 ? w->frame->local_base : w->cta->launch->code->shared_end;
	*r = region_of(w, op, (wide ? ((const uint64_t *)a)[lead] : ((const uint32_t *)a)[lead]) + add, write);
	if (!ACCESS_BLOCKS || r->size < n || (!wide && r->size > INT32_MAX))
		return SHAPE_NONE;
	if (mask == UINT32_MAX) {
		shape = wide ? shape64(a, add, r, n, off) : shape32(a, (uint32_t)add, r, n, off);
		if (r->stride && shape != SHAPE_NONE) {
			shape = SHAPE_ANY;
			for (unsigned i = 0; i < LANES; i++)
				off[i] += (uint64_t)i * r->stride;
		}
		return shape;
	}
	FOR_LANES(lane, mask)
	{
		uint64_t o = wide ? ((const uint64_t *)a)[lane] + add - r->base : (uint32_t)(((const uint32_t *)a)[lane] + (uint32_t)add - (uint32_t)r->base);

		if (o > r->size - n || (o & (n - 1)))
			return SHAPE_NONE;
		off[lane] = o + (uint64_t)lane * r->stride;
	}
	return SHAPE_ANY;
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

/* Element at OFF[lane] + AT of each lane into registers of WIDTH >= N bytes. */
INLINE void load_elements(void *to, unsigned width, uint32_t mask, unsigned n, const uint8_t *host, const uint64_t *off, bool is_signed)
{
	if (width == n) {
		if (mask == UINT32_MAX)
			for (unsigned i = 0; i < LANES; i++)
				lane_put(to, i, n, element_load(host + off[i], n, __ATOMIC_RELAXED));
		else
			FOR_LANES(lane, mask) lane_put(to, lane, n, element_load(host + off[lane], n, __ATOMIC_RELAXED));
		return;
	}
	FOR_LANES(lane, mask)
	{
		uint64_t v = element_load(host + off[lane], n, __ATOMIC_RELAXED);

		register_set(to, lane, width, is_signed ? sign_extend(v, n) : v);
	}
}

/* Elements of N bytes. False: nothing was done. */
INLINE bool load_block(struct warp *w, const struct op *op, uint32_t mask, unsigned n)
{
	const struct access_vector *v = op->extra;
	unsigned elements = op->vector, total = n * elements;
	struct region r;
	uint64_t off[LANES];
	enum shape shape = locate(w, op, mask, total, false, &r, off);

	if (shape == SHAPE_NONE)
		return false;
	w->worker->stats.bytes_loaded[r.space] += lanes_of(mask) * total;
	if (v) {
		for (unsigned e = 0; e < elements; e++)
			load_elements(op_place(w, v->place[0][e]), v->width[0][e], mask, n, r.host + e * n, off, op->flag[FLAG_SIGNED]);
		return true;
	}
	void *to = op_lanes(w, op, 0);

	if (shape == SHAPE_ROW && op->width[0] == n) {
		row_copy(to, r.host + off[0], LANES * n);
	} else if (shape == SHAPE_SAME && op->width[0] == n) {
		uint64_t value = element_load(r.host + off[0], n, __ATOMIC_RELAXED);

		for (unsigned i = 0; i < LANES; i++)
			lane_put(to, i, n, value);
	} else {
		load_elements(to, op->width[0], mask, n, r.host, off, op->flag[FLAG_SIGNED]);
	}
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

#define LOAD_BLOCK(n)                                                                                                                                          \
	CLONES enum flow exec_ld_##n(struct warp *w, const struct op *op, uint32_t mask)                                                                       \
	{                                                                                                                                                      \
		w->polled |= op->flag[FLAG_STRONG];                                                                                                            \
		return load_block(w, op, mask, n) ? FLOW_NEXT : exec_ld(w, op, mask);                                                                          \
	}
LOAD_BLOCK(1)
LOAD_BLOCK(2)
LOAD_BLOCK(4)
LOAD_BLOCK(8)

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

/* Element of each lane to OFF[lane]. LOCAL memory is nobody else's: changes to it are no effect. */
INLINE void store_elements(struct warp *w, const void *from, unsigned width, uint32_t mask, unsigned n, uint8_t *host, const uint64_t *off, bool local)
{
	bool effect = w->effect || local;

	FOR_LANES(lane, mask)
	{
		uint64_t v = width == n ? lane_take(from, lane, n) : register_get(from, lane, width);

		if (!effect && element_load(host + off[lane], n, __ATOMIC_RELAXED) != (n < 8 ? v & ((UINT64_C(1) << 8 * n) - 1) : v))
			w->effect = effect = true;
		element_store(host + off[lane], v, n, __ATOMIC_RELAXED);
	}
}

INLINE bool store_block(struct warp *w, const struct op *op, uint32_t mask, unsigned n)
{
	const struct access_vector *v = op->extra;
	unsigned elements = op->vector, total = n * elements;
	struct region r;
	uint64_t off[LANES];
	enum shape shape = locate(w, op, mask, total, true, &r, off);

	if (shape == SHAPE_NONE)
		return false;
	w->worker->stats.bytes_stored[r.space] += lanes_of(mask) * total;
	if (v) {
		for (unsigned e = 0; e < elements; e++)
			store_elements(w, op_place(w, v->place[1][e]), v->width[1][e], mask, n, r.host + e * n, off, r.space == 2);
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

#define STORE_BLOCK(n)                                                                                                                                         \
	CLONES enum flow exec_st_##n(struct warp *w, const struct op *op, uint32_t mask)                                                                       \
	{                                                                                                                                                      \
		return store_block(w, op, mask, n) ? FLOW_NEXT : exec_st(w, op, mask);                                                                         \
	}
STORE_BLOCK(1)
STORE_BLOCK(2)
STORE_BLOCK(4)
STORE_BLOCK(8)
