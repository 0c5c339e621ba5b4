/* ld, st and atom in watched runs. What is usual goes as in plain runs, for a whole warp: all bytes
 * in one allocation or window, and with --check=init all of them written before, in registers and
 * in memory. It is located, observed and left to the function of plain runs. Everything else goes
 * lane by lane (exec_mem.c, exec_atom.c), with the same findings. */
#include "interp/memory/row.h"
#include "interp/memory/undefined.h"
#include "interp/state/exec.h"

/* Where the accesses of a warp are, of N bytes a lane. */
struct located {
	struct region r;
	uint32_t mask;
	unsigned n;
	uint8_t *written;    /* the shadow of r.host; NULL: there is none */
	uint32_t next, same; /* as in struct access_event */
	bool row;
	_Alignas(64) uint64_t off[LANES];
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

/* Sets X's steps by its offsets, lane by lane. */
INLINE void find_steps(struct located *x)
{
	unsigned last = lane_first(x->mask);

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
	uint64_t begin[2], by[2], jump;

	if (a->r.stride || !halves_are_lines(a, begin, by))
		return false;
	for (unsigned half = 0; half < 2; half++)
		if (by[half] + size > 2 * size || begin[half] > limit ||
			begin[half] + (HALF - 1) * by[half] > limit ||
			((begin[half] | by[half]) & (n - 1)))
			return false;
	for (unsigned half = 0; half < 2; half++) {
		wide_part next = {begin[half], begin[half] + by[half], begin[half] + 2 * by[half],
			begin[half] + 3 * by[half]};

		for (unsigned k = 0; k < HALF; k += 4) {
			*(wide_part *)(x->off + half * HALF + k) = next;
			next += 4 * by[half];
		}
	}
	jump = x->off[HALF] - x->off[HALF - 1];
	x->next = (by[0] == n ? 0x0000fffeu : 0) | (by[1] == n ? 0xfffe0000u : 0) |
		(jump == n ? 1u << HALF : 0);
	x->same = (by[0] == 0 ? 0x0000fffeu : 0) | (by[1] == 0 ? 0xfffe0000u : 0) |
		(jump == 0 ? 1u << HALF : 0);
	return true;
}

/* Locates the accesses of A by the lanes of MASK, which are not few. */
INLINE bool locate_many(struct located *x, const struct addresses *a, uint32_t mask)
{
	const uint8_t *row = row_of(a, mask, x->n);
	enum shape shape;

	x->next = x->same = 0;
	x->row = row != NULL;
	if (row) {
		uint64_t off = (uint64_t)(row - x->r.host);

		EVERY_LANE(lane) {
			x->off[lane] = off;
			off += x->n;
		}
		x->next = mask & mask << 1;
		return true;
	}
	if (mask == UINT32_MAX && locate_halves(x, a))
		return true;
	shape = shape_of(a, mask, x->n, x->off);
	if (shape == SHAPE_SAME)
		x->same = mask & (mask - 1);
	else if (shape != SHAPE_NONE)
		find_steps(x);
	return shape != SHAPE_NONE;
}

/* Locates accesses of N bytes by the lanes of MASK. False: not all of them are in one place. */
CLONES_FOR("avx2")
static bool locate_watched(struct warp *w, const struct op *op, uint32_t mask, unsigned n,
	bool write, struct located *x)
{
	struct addresses a;

	if (!addresses_of(w, op, mask, n, write, &a))
		return false;
	x->r = a.r;
	x->mask = mask;
	x->n = n;
	x->written = w->machine->options.checks & CHECK_INIT ? written_of(w, &x->r) : NULL;
	if (mask == UINT32_MAX)
		return locate_many(x, &a, UINT32_MAX);
	if (!lanes_few(mask))
		return locate_many(x, &a, mask);
	x->row = false;
	if (shape_of_few(&a, mask, n, x->off) == SHAPE_NONE)
		return false;
	find_steps(x);
	return true;
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

/* How many of the bits from K on are set, one after another. */
static unsigned bits_set(uint64_t bits, unsigned k)
{
	return (unsigned)__builtin_ctzll(~(bits >> k));
}

INLINE bool written_lanes(const struct located *x, unsigned n)
{
	bool all = true;

	FOR_LANES(lane, x->mask)
		all &= written_few(x->written + x->off[lane], n);
	return all;
}

/* Whether all bytes of the accesses are written. */
CLONES_FOR("avx2") static bool all_written(const struct located *x)
{
	enum { MANY = LANES / 2 };

	if (!x->written)
		return true;
	if (lanes_of(x->next | x->same) < MANY)
		switch (x->n) {
		case 1: return written_lanes(x, 1);
		case 2: return written_lanes(x, 2);
		case 4: return written_lanes(x, 4);
		default: return written_lanes(x, x->n);
		}
	for (uint64_t left = x->mask, lane, rows; left; left &= UINT64_MAX << (lane + 1 + rows)) {
		lane = (unsigned)__builtin_ctzll(left);
		rows = bits_set(x->next, (unsigned)lane + 1);
		if (!(rows ? written_many(x->written + x->off[lane], (1 + rows) * x->n)
			   : written_few(x->written + x->off[lane], x->n)))
			return false;
		rows += bits_set(x->same, (unsigned)(lane + 1 + rows));
	}
	return true;
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
static void mark_written(const struct located *x)
{
	/* mostly they are: no cache line becomes another host thread's or dirty */
	if (!all_written(x))
		FOR_LANES(lane, x->mask)
			write_few(x->written + x->off[lane], x->n);
}

/* --- the accesses --- */

static void observe(struct warp *w, const struct op *op, unsigned how, uint16_t space,
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
		.row = x->row,
		.next = x->next,
		.same = x->same};

	observers_access(w->machine, &e);
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

	if (!(w->machine->interest & INTEREST_ACCESS))
		return;
	if (lanes_few(x->mask) || x->r.stride)
		FOR_LANES(lane, x->mask)
			address[lane] = base + x->off[lane] - (uint64_t)lane * x->r.stride;
	else
		EVERY_LANE(lane)
			address[lane] = base + x->off[lane];
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
	const uint32_t bits = 0xfffeu << half * HALF;
	const uint64_t *off = x->off + half * HALF;

	if ((x->next & bits) == bits) {
		row_copy(to, x->r.host + off[0], HALF * n);
	} else if ((x->same & bits) == bits) {
		uint64_t v = element_load(x->r.host + off[0], n, __ATOMIC_RELAXED);

		for (unsigned i = 0; i < HALF; i++)
			lane_put(to, i, n, v);
	} else {
		for (unsigned i = 0; i < HALF; i++)
			lane_put(to, i, n, element_load(x->r.host + off[i], n, __ATOMIC_RELAXED));
	}
}

/* Loads of 4 or 8 bytes by all lanes into registers of that size, the most common ones. */
CLONES_FOR("avx2")
static void load_located(struct warp *w, const struct op *op, const struct located *x)
{
	uint8_t *to = op_lanes(w, op, 0);

	w->worker->stats.bytes_loaded[x->r.space] += LANES * x->n;
	for (unsigned half = 0; half < 2; half++)
		if (x->n == 4)
			load_half(to + half * HALF * 4, x, half, 4);
		else
			load_half(to + half * HALF * 8, x, half, 8);
}

enum flow exec_ld_watched(struct warp *w, const struct op *op, uint32_t mask)
{
	const struct op_vector *v = op->access.vector_at;
	unsigned n = (unsigned)op->access.bytes * op->access.vector;
	exec_fn *plain = w->machine->options.lane_by_lane ? NULL : exec_ld_block(op);
	struct located x;

	if (plain && op->access.fixed)
		return load_param(w, op, mask);
	undefined_use(
		w, op, mask, op->at[op->access.base_operand], "used in the address of a load");
	if (!plain || !locate_watched(w, op, mask, n, false, &x) || !all_written(&x))
		return exec_ld_lanes(w, op, mask);
	observe_located(w, op, ACCESS_READ, &x);
	for (unsigned e = 0; e < op->access.vector; e++)
		undefined_set(w, v ? v->place[0][e] : op->at[0], mask, 0);
	if (mask == UINT32_MAX && !v && n >= 4 && op->width[0] == n && op->access.sem == SEM_WEAK) {
		load_located(w, op, &x);
		return FLOW_NEXT;
	}
	return plain(w, op, mask);
}

enum flow exec_st_watched(struct warp *w, const struct op *op, uint32_t mask)
{
	unsigned n = (unsigned)op->access.bytes * op->access.vector;
	exec_fn *plain = w->machine->options.lane_by_lane ? NULL : exec_st_block(op);
	struct located x;

	undefined_use(
		w, op, mask, op->at[op->access.base_operand], "used in the address of a store");
	if (!plain || values_undefined(w, op, mask, 1) || !locate_watched(w, op, mask, n, true, &x))
		return exec_st_lanes(w, op, mask);
	observe_located(w, op, ACCESS_WRITE, &x);
	mark_written(&x);
	return plain(w, op, mask);
}

enum flow exec_atom_watched(struct warp *w, const struct op *op, uint32_t mask)
{
	const struct op_access *a = &op->access;
	unsigned n = a->bytes;
	bool block = exec_atom_has_block(op) && !w->machine->options.lane_by_lane;
	struct located x;

	undefined_use(w, op, mask, op->at[1], "used in the address of an atomic operation");
	if (!block || values_undefined(w, op, mask, 2) ||
		(a->atomic == ATOMIC_CAS && values_undefined(w, op, mask, 3)) ||
		!locate_watched(w, op, mask, n, true, &x) || x.r.space > 1 || !all_written(&x))
		return exec_atom_lanes(w, op, mask);
	observe_located(w, op, ACCESS_READ | ACCESS_WRITE | ACCESS_ATOMIC, &x);
	undefined_set(w, op->at[0], mask, 0);
	return exec_atom(w, op, mask);
}
