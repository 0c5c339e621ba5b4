/* ld, st and atom in watched runs. What is usual goes as in plain runs, for a whole warp: all bytes
 * in one allocation or window, and with --check=init all of them written before, in registers and
 * in memory. It is located, observed and left to the function of plain runs. Everything else goes
 * lane by lane (exec_mem.c, exec_atom.c), with the same findings. */
#include "interp/memory/row.h"
#include "interp/memory/undefined.h"
#include "interp/state/exec.h"

/* How the accesses of a warp lie: lane k's bytes behind those of lane k - 1, with gaps for lanes
 * that do not access; the same for each half of the warp, with any two equal steps; anyhow. */
enum pattern { PATTERN_ROW, PATTERN_HALVES, PATTERN_ANY };

/* Where the accesses of a warp are, of N bytes a lane. */
struct located {
	struct region r;
	uint32_t mask;
	unsigned n;
	enum pattern pattern;
	bool inside;      /* PATTERN_ROW: so are the bytes of the lanes that do not access */
	uint8_t *written; /* the shadow of r.host; NULL: there is none */
	/* PATTERN_ROW, PATTERN_HALVES: the offset of the first lane of each half, and the steps */
	uint64_t begin[2], by[2];
	uint32_t next, same;              /* as in struct access_event */
	_Alignas(64) uint64_t off[LANES]; /* PATTERN_ANY */
};

static uint8_t *written_of(const struct warp *w, const struct region *r)
{
	const struct memory_block *b;

	switch (r->space) {
	case 1: return w->cta->shared_defined;
	case 2: return memory_local_defined(w, 0);
	default:
		b = memory_find(w->machine->memory,
			r->space == 3 ? r->base + MEMORY_CONST_WINDOW : r->base);
		return b->defined;
	}
}

/* Sets X's steps by the offsets of all lanes. */
INLINE void find_all_steps(struct located *x)
{
	typedef wide_part part __attribute__((aligned(8)));
	const wide_part bit = {1, 2, 4, 8};
	wide_part next = {0}, same = {0};

	/* without the last one, as lane 0 has none before it */
	for (unsigned k = 0; k < LANES - 4; k += 4) {
		wide_part step = *(const part *)(x->off + k + 1) - *(const part *)(x->off + k);

		next |= (wide_part)(step == x->n) & (bit << k);
		same |= (wide_part)(step == 0) & (bit << k);
	}
	x->next = (uint32_t)(next[0] | next[1] | next[2] | next[3]) << 1;
	x->same = (uint32_t)(same[0] | same[1] | same[2] | same[3]) << 1;
	for (unsigned lane = LANES - 3; lane < LANES; lane++) {
		uint64_t step = x->off[lane] - x->off[lane - 1];

		x->next |= (uint32_t)(step == x->n) << lane;
		x->same |= (uint32_t)(step == 0) << lane;
	}
}

/* The same lane by lane, of those that access. */
INLINE void find_steps(struct located *x)
{
	unsigned last = lane_first(x->mask);

	if (x->mask == UINT32_MAX) {
		find_all_steps(x);
		return;
	}
	x->next = x->same = 0;
	FOR_LANES(lane, x->mask & (x->mask - 1)) {
		uint64_t step = x->off[lane] - x->off[last];

		x->next |= (uint32_t)(step == x->n && lane == last + 1) << lane;
		x->same |= (uint32_t)(step == 0) << lane;
		last = lane;
	}
}

enum { HALF = LANES / 2 };

/* Whether the registers of each half of the warp grow in equal steps: offsets from BEGIN in steps
 * of BY. */
INLINE bool halves_are_lines(const struct addresses *a, uint64_t *begin, uint64_t *by)
{
	const narrow_part count = {0, 1, 2, 3, 4, 5, 6, 7};
	wide_part differs = {0};

	for (unsigned half = 0; half < 2; half++)
		if (a->wide) {
			const uint64_t *reg = (const uint64_t *)a->reg + half * HALF;
			const uint64_t step = reg[1] - reg[0];
			wide_part next = {
				reg[0], reg[0] + step, reg[0] + 2 * step, reg[0] + 3 * step};

			for (unsigned k = 0; k < HALF; k += 4) {
				differs |= *(const wide_part *)(reg + k) ^ next;
				next += 4 * step;
			}
			begin[half] = reg[0] + a->add - a->r.base;
			by[half] = step;
		} else {
			const uint32_t *reg = (const uint32_t *)a->reg + half * HALF;
			const uint32_t step = reg[1] - reg[0];
			narrow_part next = reg[0] + count * step;

			for (unsigned k = 0; k < HALF; k += 8) {
				differs |= (wide_part)(*(const narrow_part *)(reg + k) ^ next);
				next += 8 * step;
			}
			begin[half] = (uint32_t)(reg[0] + (uint32_t)a->add - (uint32_t)a->r.base);
			by[half] = (uint64_t)(int64_t)(int32_t)step;
		}
	return !(differs[0] | differs[1] | differs[2] | differs[3]);
}

/* Locates accesses by all 32 lanes where the addresses of each half of the warp grow in equal
 * steps: one address, and what blocks that are 16 wide do. False: they do not, or some are
 * outside or misaligned. */
INLINE bool locate_halves(struct located *x, const struct addresses *a)
{
	const uint64_t n = x->n, size = a->r.size, limit = size - n;
	const uint64_t *begin = x->begin, *by = x->by;
	uint64_t jump;

	if (a->r.stride || !halves_are_lines(a, x->begin, x->by))
		return false;
	for (unsigned half = 0; half < 2; half++)
		if (by[half] + size > 2 * size || begin[half] > limit ||
			begin[half] + (HALF - 1) * by[half] > limit ||
			((begin[half] | by[half]) & (n - 1)))
			return false;
	x->pattern = PATTERN_HALVES;
	jump = begin[1] - begin[0] - (HALF - 1) * by[0];
	x->next = (by[0] == n ? 0x0000fffeu : 0) | (by[1] == n ? 0xfffe0000u : 0) |
		(jump == n ? 1u << HALF : 0);
	x->same = (by[0] == 0 ? 0x0000fffeu : 0) | (by[1] == 0 ? 0xfffe0000u : 0) |
		(jump == 0 ? 1u << HALF : 0);
	return true;
}

/* Locates accesses by the lanes of MASK, at least two, where they lie in a row. False: they do not,
 * or some are outside or misaligned. */
INLINE bool locate_row(struct located *x, const struct addresses *a, uint32_t mask)
{
	const uint64_t n = x->n, limit = a->r.size - n;
	const unsigned lead = mask == UINT32_MAX ? 0 : lane_first(mask),
		       last = mask == UINT32_MAX ? LANES - 1 : 31u - (unsigned)__builtin_clz(mask);
	uint64_t begin, end;

	if (a->r.stride)
		return false;
	if (a->wide) {
		const uint64_t *reg = a->reg, row = reg[lead] - lead * n;

		if (reg[last] - last * n != row || !is_row64(reg, row, mask, (unsigned)n))
			return false;
		begin = row + a->add - a->r.base;
		end = begin + last * n;
		x->inside = begin <= a->r.size - LANES * n && a->r.size >= LANES * n;
		begin += lead * n;
	} else {
		const uint32_t *reg = a->reg, bytes = (uint32_t)n, row = reg[lead] - lead * bytes;
		uint32_t first;

		if (reg[last] - last * bytes != row || !is_row32(reg, row, mask, bytes))
			return false;
		first = row + (uint32_t)a->add - (uint32_t)a->r.base;
		x->inside = first <= a->r.size - LANES * n && a->r.size >= LANES * n;
		begin = first + lead * bytes;
		end = first + last * bytes;
	}
	if (begin > limit || end > limit || (begin & (n - 1)))
		return false;
	x->pattern = PATTERN_ROW;
	x->begin[0] = begin - lead * n;
	x->begin[1] = x->begin[0] + HALF * n;
	x->by[0] = x->by[1] = n;
	x->next = mask & mask << 1;
	x->same = 0;
	return true;
}

/* Locates accesses of N bytes by the lanes of MASK. False: not all of them are in one place. */
CLONES_FOR("avx2")
static bool locate_watched(struct warp *w, const struct op *op, uint32_t mask, unsigned n,
	bool write, struct located *x)
{
	struct addresses a;
	enum shape shape;

	if (!addresses_of(w, op, mask, n, write, &a))
		return false;
	x->r = a.r;
	x->mask = mask;
	x->n = n;
	x->written = w->machine->options.checks & CHECK_INIT ? written_of(w, &x->r) : NULL;
	if (mask == UINT32_MAX) {
		if (locate_row(x, &a, UINT32_MAX) || locate_halves(x, &a))
			return true;
	} else if (mask & (mask - 1) && locate_row(x, &a, mask)) {
		return true;
	}
	x->pattern = PATTERN_ANY;
	shape = lanes_few(mask) ? shape_of_few(&a, mask, n, x->off) : shape_of(&a, mask, n, x->off);
	if (shape != SHAPE_NONE)
		find_steps(x);
	return shape != SHAPE_NONE;
}

/* Whether X is a row whose elements are the whole registers of operand K, so that it can be moved
 * as it is. */
INLINE bool is_plain_row(const struct op *op, const struct located *x, unsigned k)
{
	return x->pattern == PATTERN_ROW && x->inside && op->width[k] == x->n && x->n >= 4 &&
		x->n <= 8 && !op->access.vector_at;
}

/* --- written bytes --- */

typedef uint64_t eight __attribute__((aligned(1), may_alias));

/* Whether the N bytes at P, a power of two up to 32, are all written. */
INLINE bool written_few(const uint8_t *p, unsigned n)
{
	switch (n) {
	case 1: return *p == 0xff;
	case 2: return *(const uint16_t *)(const void *)p == UINT16_MAX;
	case 4: return *(const uint32_t *)(const void *)p == UINT32_MAX;
	default: break;
	}
	uint64_t all = UINT64_MAX;

	for (unsigned i = 0; i < n; i += 8)
		all &= *(const eight *)(const void *)(p + i);
	return all == UINT64_MAX;
}

/* The same for any number of bytes. */
INLINE bool written_many(const uint8_t *p, uint64_t n)
{
	typedef uint64_t part __attribute__((vector_size(32), aligned(1), may_alias));
	part all = {UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX};
	uint64_t i = 0, rest = UINT64_MAX;

	for (; i + 32 <= n; i += 32)
		all &= *(const part *)(const void *)(p + i);
	for (; i + 8 <= n; i += 8)
		rest &= *(const eight *)(const void *)(p + i);
	for (; i < n; i++)
		rest &= UINT64_MAX << 8 | p[i];
	return (all[0] & all[1] & all[2] & all[3] & rest) == UINT64_MAX;
}

/* The same for the 4 bytes of each of the lanes of MASK, in the row of 32 at P. */
INLINE bool written_row(const uint8_t *p, uint32_t mask)
{
	typedef narrow_part part __attribute__((aligned(1)));
	const narrow_part bit = {1, 2, 4, 8, 16, 32, 64, 128};
	narrow_part missing = {0};
	wide_part sum;

	for (unsigned k = 0; k < LANES; k += 8)
		missing |= ~*(const part *)(const void *)(p + 4 * k) &
			(narrow_part)((bit & mask >> k) != 0);
	sum = (wide_part)missing;
	return (sum[0] | sum[1] | sum[2] | sum[3]) == 0;
}

INLINE uint64_t offset_of(const struct located *x, uint32_t lane)
{
	const unsigned half = lane / HALF;

	return x->pattern == PATTERN_ANY ? x->off[lane]
					 : x->begin[half] + lane % HALF * x->by[half];
}

INLINE bool written_lanes(const struct located *x, unsigned n)
{
	bool all = true;

	FOR_LANES(lane, x->mask)
		all &= written_few(x->written + offset_of(x, lane), n);
	return all;
}

/* Whether all bytes of the accesses are written. */
CLONES_FOR("avx2") static bool all_written(const struct located *x)
{
	const uint8_t *p = x->written;
	const uint64_t n = x->n;

	if (!p)
		return true;
	if (x->pattern == PATTERN_ROW && x->mask == UINT32_MAX)
		return written_many(p + x->begin[0], LANES * n);
	if (x->pattern == PATTERN_ROW && x->inside && n == 4)
		return written_row(p + x->begin[0], x->mask);
	if (x->pattern == PATTERN_HALVES && (x->by[0] == n || !x->by[0]) &&
		(x->by[1] == n || !x->by[1])) {
		bool all = true;

		for (unsigned half = 0; half < 2; half++)
			all &= x->by[half] ? written_many(p + x->begin[half], HALF * n)
					   : written_few(p + x->begin[half], x->n);
		return all;
	}
	switch (n) {
	case 1: return written_lanes(x, 1);
	case 2: return written_lanes(x, 2);
	case 4: return written_lanes(x, 4);
	default: return written_lanes(x, x->n);
	}
}

static void write_few(uint8_t *p, unsigned n)
{
	switch (n) {
	case 1: element_store(p, UINT64_MAX, 1, __ATOMIC_RELAXED); break;
	case 2: element_store(p, UINT64_MAX, 2, __ATOMIC_RELAXED); break;
	case 4: element_store(p, UINT64_MAX, 4, __ATOMIC_RELAXED); break;
	default:
		for (unsigned i = 0; i < n; i += 8)
			element_store(p + i, UINT64_MAX, 8, __ATOMIC_RELAXED);
	}
}

/* Marks the bytes as written. */
static void mark_written(const struct warp *w, const struct located *x)
{
	/* mostly they are: no cache line becomes another host thread's or dirty */
	if (all_written(x))
		return;
	if (x->pattern == PATTERN_ROW && x->mask == UINT32_MAX && is_own(w, &x->r)) {
		memset(x->written + x->begin[0], 0xff, LANES * x->n);
		return;
	}
	FOR_LANES(lane, x->mask)
		write_few(x->written + offset_of(x, lane), x->n);
}

/* --- the accesses --- */

INLINE void observe(struct warp *w, const struct op *op, unsigned how, uint16_t space,
	const uint64_t *address, const struct located *x)
{
	const struct access_event e = {.warp = w,
		.op = op,
		.mask = x->mask,
		.address = address,
		.space = space,
		.bytes = (uint16_t)x->n,
		.reads = (how & ACCESS_READ) != 0,
		.writes = (how & ACCESS_WRITE) != 0,
		.atomic = (how & ACCESS_ATOMIC) != 0,
		.sem = (enum sem)op->access.sem,
		.scope = (enum scope)op->access.scope,
		.steps = true,
		.row = x->pattern == PATTERN_ROW,
		.next = x->next,
		.same = x->same};

	observers_access(w->machine, &e);
}

/* The addresses of a half of the warp, from FIRST in steps of BY. */
INLINE void put_line(uint64_t *to, uint64_t first, uint64_t by)
{
	wide_part next = {first, first + by, first + 2 * by, first + 3 * by};

	for (unsigned k = 0; k < HALF; k += 4) {
		*(wide_part *)(to + k) = next;
		next += 4 * by;
	}
}

CLONES_FOR("avx2")
static void observe_located(
	struct warp *w, const struct op *op, unsigned how, const struct located *x)
{
	static const uint16_t space[] = {W_global, W_shared, W_local, W_const};
	_Alignas(64) uint64_t address[LANES];
	uint64_t base = x->r.space == 0 ? x->r.base
		: x->r.space == 1       ? MEMORY_RANK_BITS(w->cta->cluster_rank)
		: x->r.space == 3       ? x->r.base + MEMORY_CONST_WINDOW
					: 0;

	if (x->pattern != PATTERN_ANY) {
		put_line(address, base + x->begin[0], x->by[0]);
		put_line(address + HALF, base + x->begin[1], x->by[1]);
	} else if (lanes_few(x->mask) || x->r.stride) {
		FOR_LANES(lane, x->mask)
			address[lane] = base + x->off[lane] - (uint64_t)lane * x->r.stride;
	} else {
		EVERY_LANE(lane)
			address[lane] = base + x->off[lane];
	}
	observe(w, op, how, space[x->r.space], address, x);
}

static enum flow load_param(struct warp *w, const struct op *op, uint32_t mask)
{
	const struct located x = {.mask = mask, .n = op->access.bytes};
	uint64_t address[LANES];

	if (w->machine->interest & INTEREST_ACCESS) {
		EVERY_LANE(lane)
			address[lane] = (uint64_t)op->access.add;
		observe(w, op, ACCESS_READ, W_param, address, &x);
	}
	undefined_set(w, op->at[0], mask, 0);
	return exec_ld_param(w, op, mask);
}

/* The lanes of MASK in which a value of OP, in operand K or the vector's column 1, is undefined. */
static uint32_t values_undefined(
	const struct warp *w, const struct op *op, uint32_t mask, unsigned k)
{
	const struct op_vector *v = op->access.vector_at;
	uint32_t undefined = 0;

	if (!w->frame->defined)
		return 0;
	for (unsigned e = 0; e < op->access.vector; e++)
		undefined |= undefined_lanes(w, v ? v->place[1][e] : op->at[k]);
	return undefined & mask;
}

/* The elements of N bytes of a half of the warp. */
INLINE void load_half(uint8_t *to, const struct located *x, unsigned half, unsigned n)
{
	const uint8_t *from = x->r.host + x->begin[half];

	if (x->by[half] == n) {
		row_copy(to, from, HALF * n);
	} else if (x->by[half] == 0) {
		uint64_t v = element_load(from, n, __ATOMIC_RELAXED);

		for (unsigned i = 0; i < HALF; i++)
			lane_put(to, i, n, v);
	} else {
		for (unsigned i = 0; i < HALF; i++)
			lane_put(to, i, n,
				element_load(from + i * x->by[half], n, __ATOMIC_RELAXED));
	}
}

INLINE void load_elements(uint8_t *to, const struct located *x, unsigned n)
{
	if (x->mask != UINT32_MAX)
		row_put(to, n, x->mask, n, x->r.host + x->begin[0], false);
	else if (x->pattern == PATTERN_ANY)
		row_gather(to, n, &x->r, x->off);
	else
		for (unsigned half = 0; half < 2; half++)
			load_half(to + half * HALF * n, x, half, n);
}

/* Loads of 4 or 8 bytes into registers of that size, by all lanes or from a row. */
CLONES_FOR("avx2")
static void load_located(struct warp *w, const struct op *op, const struct located *x)
{
	uint8_t *to = op_lanes(w, op, 0);

	w->worker->stats.bytes_loaded[x->r.space] += lanes_of(x->mask) * x->n;
	if (x->n == 4)
		load_elements(to, x, 4);
	else
		load_elements(to, x, 8);
}

enum flow exec_ld_watched(struct warp *w, const struct op *op, uint32_t mask)
{
	const struct op_vector *v = op->access.vector_at;
	unsigned n = (unsigned)op->access.bytes * op->access.vector;
	struct located x;

	if (op->access.fixed)
		return load_param(w, op, mask);
	undefined_use(
		w, op, mask, op->at[op->access.base_operand], "used in the address of a load");
	if (!locate_watched(w, op, mask, n, false, &x) || !all_written(&x))
		return exec_ld_lanes(w, op, mask);
	if (w->machine->interest & INTEREST_ACCESS)
		observe_located(w, op, ACCESS_READ, &x);
	for (unsigned e = 0; e < op->access.vector; e++)
		undefined_set(w, v ? v->place[0][e] : op->at[0], mask, 0);
	if (op->access.sem == SEM_WEAK &&
		(is_plain_row(op, &x, 0) ||
			(mask == UINT32_MAX && !v && n >= 4 && op->width[0] == n))) {
		load_located(w, op, &x);
		return FLOW_NEXT;
	}
	return exec_ld_block(op)(w, op, mask);
}

/* Stores of 4 or 8 bytes from registers of that size to a row. */
CLONES_FOR("avx2")
static void store_row(struct warp *w, const struct op *op, const struct located *x)
{
	const void *from = op_lanes(w, op, 1);
	uint8_t *row = x->r.host + x->begin[0];
	bool own = is_own(w, &x->r);

	w->worker->stats.bytes_stored[x->r.space] += lanes_of(x->mask) * x->n;
	w->effect |= x->n == 4 ? row_store(row, from, x->mask, 4, own, !w->effect)
			       : row_store(row, from, x->mask, 8, own, !w->effect);
}

enum flow exec_st_watched(struct warp *w, const struct op *op, uint32_t mask)
{
	unsigned n = (unsigned)op->access.bytes * op->access.vector;
	struct located x;

	undefined_use(
		w, op, mask, op->at[op->access.base_operand], "used in the address of a store");
	if (values_undefined(w, op, mask, 1) || !locate_watched(w, op, mask, n, true, &x))
		return exec_st_lanes(w, op, mask);
	if (w->machine->interest & INTEREST_ACCESS)
		observe_located(w, op, ACCESS_WRITE, &x);
	mark_written(w, &x);
	if (is_plain_row(op, &x, 1)) {
		store_row(w, op, &x);
		return FLOW_NEXT;
	}
	return exec_st_block(op)(w, op, mask);
}

enum flow exec_atom_watched(struct warp *w, const struct op *op, uint32_t mask)
{
	const struct op_access *a = &op->access;
	struct located x;

	undefined_use(w, op, mask, op->at[1], "used in the address of an atomic operation");
	if (values_undefined(w, op, mask, 2) ||
		(a->atomic == ATOMIC_CAS && values_undefined(w, op, mask, 3)) ||
		!locate_watched(w, op, mask, a->bytes, true, &x) || x.r.space > 1 ||
		!all_written(&x))
		return exec_atom_lanes(w, op, mask);
	if (w->machine->interest & INTEREST_ACCESS)
		observe_located(w, op, ACCESS_READ | ACCESS_WRITE | ACCESS_ATOMIC, &x);
	undefined_set(w, op->at[0], mask, 0);
	return exec_atom(w, op, mask);
}
