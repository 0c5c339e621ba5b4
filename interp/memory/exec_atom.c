/* atom and red: every operation, type, order and scope. The lanes of one instruction take effect
 * in lane order. With one host thread the operations are plain reads and writes; with several
 * they are the host's sequentially consistent atomics, at least as strong as any .sem. Shared
 * memory belongs to one host thread at a time and is always plain. (PTX ISA 9.7.15.5 atom,
 * 9.7.15.6 red) */
#include "arith/atomic.h"
#include "base/memory.h"
#include "interp/memory/access_block.h"
#include "interp/memory/combine.h"
#include "interp/state/exec.h"
#include "interp/memory/undefined.h"

/* --- 16 bytes --- */

struct pair {
	uint64_t low, high;
};

#if defined(__x86_64__)
/* Compare and swap at P: WAS by NOW; returns the previous value. */
static struct pair swap16(uint8_t *p, struct pair was, struct pair now)
{
	__asm__ volatile("lock cmpxchg16b %0"
			 : "+m"(*(struct pair *)(void *)p), "+a"(was.low), "+d"(was.high)
			 : "b"(now.low), "c"(now.high)
			 : "cc", "memory");
	return was;
}
#else
#include <pthread.h>
/* other processors: one lock for all 16-byte operations */
static pthread_mutex_t swap_lock = PTHREAD_MUTEX_INITIALIZER;
static struct pair swap16(uint8_t *p, struct pair was, struct pair now)
{
	struct pair there;

	pthread_mutex_lock(&swap_lock);
	memcpy(&there, p, 16);
	if (there.low == was.low && there.high == was.high)
		memcpy(p, &now, 16);
	pthread_mutex_unlock(&swap_lock);
	return there;
}
#endif

static struct pair read16(uint8_t *p)
{
	struct pair any = {0, 0};

	return swap16(p, any, any); /* writes only the value that is already there */
}

/* Stores NOW; returns the previous value. */
static struct pair exchange16(uint8_t *p, struct pair now)
{
	struct pair was = read16(p), there;

	for (;;) {
		there = swap16(p, was, now);
		if (there.low == was.low && there.high == was.high)
			return was;
		was = there;
	}
}

void exec_load16(uint8_t *from, void *to)
{
	struct pair v = read16(from);

	memcpy(to, &v, 16);
}

bool exec_store16(uint8_t *to, const void *value)
{
	struct pair now, was;

	memcpy(&now, value, 16);
	was = exchange16(to, now);
	return was.low != now.low || was.high != now.high;
}

static bool atom16(struct warp *w, const struct op *op, unsigned lane, uint8_t *host)
{
	struct pair was, b, c;

	memcpy(&b, (const char *)op_lanes(w, op, 2) + lane * 16, 16);
	if (op->access.atomic == ATOMIC_CAS) {
		memcpy(&c, (const char *)op_lanes(w, op, 3) + lane * 16, 16);
		was = swap16(host, b, c);
		if (was.low != b.low || was.high != b.high)
			c = was;
	} else {
		c = b;
		was = exchange16(host, c);
	}
	memcpy((char *)op_lanes(w, op, 0) + lane * 16, &was, 16);
	return was.low != c.low || was.high != c.high;
}

/* --- up to 8 bytes --- */

static inline uint32_t flush_f32(uint32_t v, bool ftz)
{
	return ftz && !(v & 0x7f800000u) ? v & 0x80000000u : v;
}

static inline uint32_t add_f32(uint32_t a, uint32_t b, bool ftz)
{
	float x, y;
	uint32_t r;

	a = flush_f32(a, ftz);
	b = flush_f32(b, ftz);
	memcpy(&x, &a, 4);
	memcpy(&y, &b, 4);
	x += y;
	if (x != x)
		return 0x7fffffffu;
	memcpy(&r, &x, 4);
	return flush_f32(r, ftz);
}

/* How an element is computed, a constant where the function is inlined: integers by enum atomic,
 * or one of these. */
enum path { PATH_ADD_F32 = ATOMIC_COUNT, PATH_ANY /* by arith_atomic() */ };

INLINE uint64_t atom_compute(unsigned path, bool is_signed, const struct op *op, unsigned n,
	bool ftz, uint64_t old, uint64_t b, uint64_t c)
{
	uint64_t ones = n < 8 ? (UINT64_C(1) << 8 * n) - 1 : UINT64_MAX;

	if (path == PATH_ADD_F32)
		return add_f32((uint32_t)old, (uint32_t)b, ftz);
	if (path == PATH_ANY)
		return arith_atomic(
			(enum atomic)op->access.atomic, (enum type)op->access.type, ftz, old, b, c);
	return atomic_integer((enum atomic)path, is_signed ? (ones >> 1) + 1 : 0, ones, old, b, c);
}

INLINE bool swap_element(uint8_t *p, unsigned n, uint64_t *old, uint64_t now)
{
	switch (n) {
	case 2: {
		uint16_t was = (uint16_t)*old;
		bool done = __atomic_compare_exchange_n((uint16_t *)(void *)p, &was, (uint16_t)now,
			false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);

		*old = was;
		return done;
	}
	case 4: {
		uint32_t was = (uint32_t)*old;
		bool done = __atomic_compare_exchange_n((uint32_t *)(void *)p, &was, (uint32_t)now,
			false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);

		*old = was;
		return done;
	}
	default:
		return __atomic_compare_exchange_n(
			(uint64_t *)(void *)p, old, now, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
	}
}

/* Applies the operation to one element of one lane. Returns the old value; sets *CHANGED when
 * memory changes. */
INLINE uint64_t atom_change(unsigned path, bool is_signed, const struct op *op, uint8_t *p,
	unsigned n, bool alone, bool ftz, uint64_t b, uint64_t c, bool *changed)
{
	uint64_t old, now;

	if (alone) {
		old = element_load(p, n, __ATOMIC_RELAXED);
		now = atom_compute(path, is_signed, op, n, ftz, old, b, c);
		element_store(p, now, n, __ATOMIC_RELAXED);
	} else if (path == ATOMIC_ADD && n >= 4) {
		old = n == 4
			? __atomic_fetch_add((uint32_t *)(void *)p, (uint32_t)b, __ATOMIC_SEQ_CST)
			: __atomic_fetch_add((uint64_t *)(void *)p, b, __ATOMIC_SEQ_CST);
		now = old + b;
	} else if (path == ATOMIC_EXCH && n >= 4) {
		old = n == 4
			? __atomic_exchange_n((uint32_t *)(void *)p, (uint32_t)b, __ATOMIC_SEQ_CST)
			: __atomic_exchange_n((uint64_t *)(void *)p, b, __ATOMIC_SEQ_CST);
		now = b;
	} else {
		old = element_load(p, n, __ATOMIC_RELAXED);
		do
			now = atom_compute(path, is_signed, op, n, ftz, old, b, c);
		while (!swap_element(p, n, &old, now));
	}
	*changed |= now != old;
	return old;
}

/* Whether MASK has several lanes and all have the same address. */
static bool lanes_same_address(const uint64_t *off, uint32_t mask)
{
	unsigned first = lane_first(mask);

	FOR_LANES(lane, mask & (mask - 1))
		if (off[lane] != off[first])
			return false;
	return (mask & (mask - 1)) != 0;
}

/* The result of all lanes' operations on BEFORE, in lane order. */
INLINE uint64_t atom_chain(unsigned path, bool is_signed, const struct op *op, uint32_t mask,
	unsigned n, bool ftz, const void *b, const void *c, uint64_t before)
{
	uint64_t now = before;

	FOR_LANES(lane, mask)
		now = atom_compute(path, is_signed, op, n, ftz, now, register_get(b, lane, n),
			register_get(c, lane, n));
	return now;
}

/* All lanes on one address: changes memory once, for all of them. Returns the previous value.
 * With ALONE the caller stores the result. */
INLINE uint64_t atom_change_once(unsigned path, bool is_signed, const struct op *op, uint32_t mask,
	unsigned n, bool alone, bool ftz, const void *b, const void *c, uint8_t *p)
{
	uint64_t before, now;

	if (!alone && path == ATOMIC_ADD && n >= 4) {
		now = atom_chain(path, is_signed, op, mask, n, ftz, b, c, 0);
		return n == 4
			? __atomic_fetch_add((uint32_t *)(void *)p, (uint32_t)now, __ATOMIC_SEQ_CST)
			: __atomic_fetch_add((uint64_t *)(void *)p, now, __ATOMIC_SEQ_CST);
	}
	before = element_load(p, n, __ATOMIC_RELAXED);
	if (!alone)
		do
			now = atom_chain(path, is_signed, op, mask, n, ftz, b, c, before);
		while (!swap_element(p, n, &before, now));
	return before;
}

/* The lanes of MASK, on scalars of N bytes at HOST + OFF[lane]. */
INLINE void atom_lanes(unsigned path, bool is_signed, struct warp *w, const struct op *op,
	uint32_t mask, unsigned n, bool alone, bool ftz, uint8_t *host, const uint64_t *off)
{
	const void *b = op_lanes(w, op, 2),
		   *c = path == ATOMIC_CAS || path == PATH_ANY ? op_lanes(w, op, 3) : b;
	void *to = op_lanes(w, op, 0);
	bool changed = w->effect;

	if (lanes_same_address(off, mask)) {
		uint8_t *p = host + off[lane_first(mask)];
		uint64_t now = atom_change_once(path, is_signed, op, mask, n, alone, ftz, b, c, p);

		FOR_LANES(lane, mask) {
			uint64_t old = now;

			now = atom_compute(path, is_signed, op, n, ftz, old,
				register_get(b, lane, n), register_get(c, lane, n));
			register_set(to, lane, n, old);
			changed |= now != old;
		}
		if (alone)
			element_store(p, now, n, __ATOMIC_RELAXED);
		w->effect = changed;
		return;
	}
	FOR_LANES(lane, mask) {
		uint64_t old = atom_change(path, is_signed, op, host + off[lane], n, alone, ftz,
			register_get(b, lane, n), register_get(c, lane, n), &changed);

		register_set(to, lane, n, old);
	}
	w->effect = changed;
}

/* A separate path for each integer operation, and for f32 addition; any other operation by
 * arith_atomic(). */
INLINE void atom_scalar(struct warp *w, const struct op *op, uint32_t mask, unsigned n, bool alone,
	bool ftz, uint8_t *host, const uint64_t *off)
{
	if (!op->access.integer) {
		if (op->access.type == TYPE_f32 && op->access.atomic == ATOMIC_ADD)
			atom_lanes(PATH_ADD_F32, false, w, op, mask, n, alone, ftz, host, off);
		else
			atom_lanes(PATH_ANY, false, w, op, mask, n, alone, ftz, host, off);
		return;
	}
	switch ((enum atomic)op->access.atomic) {
#define ATOMIC(NAME, word, commutes, result) \
	case ATOMIC_##NAME: \
		atom_lanes(ATOMIC_##NAME, op->access.is_signed, w, op, mask, n, alone, ftz, host, \
			off); \
		break;
#include "isa/atomic.def"
	case ATOMIC_NONE: break;
	}
}

static void scalar_4(struct warp *w, const struct op *op, uint32_t mask, bool alone, bool ftz,
	uint8_t *host, const uint64_t *off)
{
	if (alone)
		atom_scalar(w, op, mask, 4, true, ftz, host, off);
	else
		atom_scalar(w, op, mask, 4, false, ftz, host, off);
}

static void scalar_8(struct warp *w, const struct op *op, uint32_t mask, bool alone, bool ftz,
	uint8_t *host, const uint64_t *off)
{
	if (alone)
		atom_scalar(w, op, mask, 8, true, ftz, host, off);
	else
		atom_scalar(w, op, mask, 8, false, ftz, host, off);
}

static void scalar_2(struct warp *w, const struct op *op, uint32_t mask, bool alone, bool ftz,
	uint8_t *host, const uint64_t *off)
{
	if (op->access.atomic == ATOMIC_CAS)
		atom_lanes(ATOMIC_CAS, false, w, op, mask, 2, alone, ftz, host, off);
	else
		atom_lanes(PATH_ANY, false, w, op, mask, 2, alone, ftz, host, off);
}

/* --- the block path: all lanes in one allocation or in shared memory --- */

bool exec_atom_has_block(const struct op *op)
{
	return op->access.vector == 1 && (op->access.bytes == 4 || op->access.bytes == 8) &&
		(op->width[1] == 8 || op->access.space == W_shared);
}

CLONES static bool atom_block(struct warp *w, const struct op *op, uint32_t mask, unsigned n)
{
	uint64_t off[LANES];
	struct region r;

	if (!locate(w, op, mask, n, true, &r, off) || r.space > 1)
		return false;
	bool alone = r.space == 1 || machine_alone(w->machine),
	     ftz = op->access.type == TYPE_f32 && r.space == 0 && !op->access.noftz;

	if (n == 4)
		scalar_4(w, op, mask, alone, ftz, r.host, off);
	else
		scalar_8(w, op, mask, alone, ftz, r.host, off);
	w->worker->stats.bytes_loaded[r.space] += lanes_of(mask) * n;
	w->worker->stats.bytes_stored[r.space] += lanes_of(mask) * n;
	return true;
}

/* --- the general path --- */

static void atom_vector(
	struct warp *w, const struct op *op, uint32_t mask, bool alone, const struct access *a)
{
	const struct op_vector *v = op->access.vector_at;
	unsigned n = op->access.bytes;

	FOR_LANES(lane, mask)
		for (unsigned e = 0; e < op->access.vector; e++) {
			uint64_t b = register_get(
				op_place(w, v->place[1][e]), lane, v->width[1][e]);
			uint64_t old = atom_change(PATH_ANY, false, op, a->host[lane] + e * n, n,
				alone, op->access.type == TYPE_f32 && !op->access.noftz, b, 0,
				&w->effect);

			register_set(op_place(w, v->place[0][e]), lane, v->width[0][e], old);
		}
}

static void atom_undefined(
	struct warp *w, const struct op *op, uint32_t mask, const struct access *a)
{
	const struct op_vector *v = op->access.vector_at;
	unsigned n = op->access.bytes;

	for (unsigned e = 0; e < op->access.vector; e++) {
		uint32_t unknown = 0;

		undefined_use(w, op, mask, v ? v->place[1][e] : op->at[2],
			"given to an atomic operation");
		if (!v && op->access.atomic == ATOMIC_CAS)
			undefined_use(w, op, mask, op->at[3], "given to an atomic operation");
		FOR_LANES(lane, mask)
			for (unsigned b = e * n; a->defined[lane] && b < (e + 1) * n; b++) {
				if (!__atomic_load_n(&a->defined[lane][b], __ATOMIC_RELAXED) &&
					op->access.atomic != ATOMIC_EXCH)
					unknown |= 1u << lane;
				__atomic_store_n(&a->defined[lane][b], 0xff, __ATOMIC_RELAXED);
			}
		if (unknown)
			undefined_memory(
				w, op, unknown, a, "the operand in memory of an atomic operation");
		undefined_set(w, v ? v->place[0][e] : op->at[0], mask, 0);
	}
}

INLINE enum flow atom(struct warp *w, const struct op *op, uint32_t mask, bool watched)
{
	unsigned n = (unsigned)op->access.bytes * op->access.vector;
	bool alone = machine_alone(w->machine);
	uint64_t none[LANES] = {0};
	struct access a;

	w->polled = 1;
	combine_settle(w->worker);
	w->worker->stats.atomics += lanes_of(mask);
	if (!watched && exec_atom_has_block(op) && atom_block(w, op, mask, op->access.bytes))
		return FLOW_NEXT;
	access_addresses(w, op, mask, a.address);
	if (watched)
		undefined_use(w, op, mask, op->at[1], "used in the address of an atomic operation");
	if (!access_resolve(w, op, mask, n, ACCESS_READ | ACCESS_WRITE | ACCESS_ATOMIC, &a))
		return FLOW_STOP;
	if (watched) {
		access_observe(w, op, mask, n, ACCESS_READ | ACCESS_WRITE | ACCESS_ATOMIC, &a);
		if (w->frame->defined)
			atom_undefined(w, op, mask, &a);
	}
	if (op->access.vector > 1) {
		atom_vector(w, op, mask, alone, &a);
	} else {
		FOR_LANES(lane, mask) {
			if (op->access.bytes == 16)
				w->effect |= atom16(w, op, lane, a.host[lane]);
			else if (op->access.bytes == 8)
				scalar_8(w, op, 1u << lane, alone,
					op->access.type == TYPE_f32 && !op->access.noftz &&
						a.space[lane] == W_global,
					a.host[lane], none);
			else if (op->access.bytes == 4)
				scalar_4(w, op, 1u << lane, alone,
					op->access.type == TYPE_f32 && !op->access.noftz &&
						a.space[lane] == W_global,
					a.host[lane], none);
			else
				scalar_2(w, op, 1u << lane, alone,
					op->access.type == TYPE_f32 && !op->access.noftz &&
						a.space[lane] == W_global,
					a.host[lane], none);
		}
	}
	access_count(w, mask, n, ACCESS_READ | ACCESS_WRITE, &a);
	return FLOW_NEXT;
}

enum flow exec_atom(struct warp *w, const struct op *op, uint32_t mask)
{
	return atom(w, op, mask, false);
}
enum flow exec_atom_lanes(struct warp *w, const struct op *op, uint32_t mask)
{
	return atom(w, op, mask, true);
}
enum flow exec_combine(struct warp *w, const struct op *op, uint32_t mask)
{
	return combine_add(w, op, mask) ? FLOW_NEXT : exec_atom(w, op, mask);
}
