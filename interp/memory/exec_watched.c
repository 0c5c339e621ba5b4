/* ld, st and atom in watched runs. What is usual goes as in plain runs, for a whole warp: all bytes
 * in one allocation or window, and with --check=init all of them written before, in registers and
 * in memory. It is located, observed and left to the function of plain runs. Everything else goes
 * lane by lane (exec_mem.c, exec_atom.c), with the same findings. */
#include "interp/memory/access_block.h"
#include "interp/memory/undefined.h"
#include "interp/state/exec.h"

/* Where the accesses of a warp are. */
struct located {
	struct region r;
	uint8_t *written; /* the shadow of r.host; NULL: there is none */
	/* the bytes of the lanes lie side by side, in the order of the lanes; or are the same */
	bool row, same;
	_Alignas(64) uint64_t off[LANES];
};

/* Whether the lanes' offsets are those of a row of elements of N bytes. */
INLINE bool is_row(const uint64_t *off, uint32_t mask, unsigned n)
{
	unsigned lead = lane_first(mask);
	uint64_t first = off[lead] - (uint64_t)lead * n, differs = 0;

	for (uint64_t i = 0; i < LANES; i++)
		differs |= (off[i] ^ (first + i * n)) & (0 - ((uint64_t)mask >> i & 1));
	return differs == 0;
}

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

/* Locates accesses of N bytes by the lanes of MASK. False: not all of them are in one place. */
CLONES static bool locate_watched(struct warp *w, const struct op *op, uint32_t mask, unsigned n,
	bool write, struct located *x)
{
	if (!locate(w, op, mask, n, write, &x->r, x->off))
		return false;
	x->written = w->machine->options.checks & CHECK_INIT ? written_of(w, &x->r) : NULL;
	if (lanes_few(mask)) {
		x->row = x->same = (mask & (mask - 1)) == 0;
		return true;
	}
	x->row = is_row(x->off, mask, n);
	x->same = !x->row && is_row(x->off, mask, 0);
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
	uint64_t i = 0;

	for (; i + 32 <= n; i += 32)
		all &= *(const part *)(const void *)(p + i);
	for (; i + 8 <= n; i += 8)
		all[0] &= *(const eight *)(const void *)(p + i);
	for (; i < n; i++)
		all[0] &= p[i] == 0xff ? UINT64_MAX : 0;
	return (all[0] & all[1] & all[2] & all[3]) == UINT64_MAX;
}

INLINE bool written_lanes(const struct located *x, uint32_t mask, unsigned n)
{
	bool all = true;

	FOR_LANES(lane, mask)
		all &= written_few(x->written + x->off[lane], n);
	return all;
}

/* Whether all N bytes of each lane of MASK are written. Those between the lanes of a row may count,
 * too: then the answer may be false. */
CLONES static bool all_written(const struct located *x, uint32_t mask, unsigned n)
{
	unsigned first = lane_first(mask), last = 31u - (unsigned)__builtin_clz(mask);

	if (!x->written)
		return true;
	if (x->same)
		return written_few(x->written + x->off[first], n);
	if (x->row)
		return written_many(x->written + x->off[first], x->off[last] + n - x->off[first]);
	switch (n) {
	case 1: return written_lanes(x, mask, 1);
	case 2: return written_lanes(x, mask, 2);
	case 4: return written_lanes(x, mask, 4);
	default: return written_lanes(x, mask, n);
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
static void mark_written(const struct located *x, uint32_t mask, unsigned n)
{
	/* mostly they are: no cache line becomes another host thread's or dirty */
	if (all_written(x, mask, n))
		return;
	FOR_LANES(lane, mask)
		write_few(x->written + x->off[lane], n);
}

/* --- the accesses --- */

static void observe(struct warp *w, const struct op *op, uint32_t mask, unsigned n, unsigned how,
	uint16_t space, const uint64_t *address)
{
	const struct access_event e = {.warp = w,
		.op = op,
		.mask = mask,
		.address = address,
		.space = space,
		.bytes = (uint16_t)n,
		.reads = (how & ACCESS_READ) != 0,
		.writes = (how & ACCESS_WRITE) != 0,
		.atomic = (how & ACCESS_ATOMIC) != 0,
		.sem = (enum sem)op->access.sem,
		.scope = (enum scope)op->access.scope};

	observers_access(w->machine, &e);
}

static void observe_located(struct warp *w, const struct op *op, uint32_t mask, unsigned n,
	unsigned how, const struct located *x)
{
	static const uint16_t space[] = {W_global, W_shared, W_local, W_const};
	uint64_t address[LANES], base = x->r.space == 0 ? x->r.base
		: x->r.space == 3                       ? x->r.base + MEMORY_CONST_WINDOW
							: 0;

	if (!(w->machine->interest & INTEREST_ACCESS))
		return;
	if (lanes_few(mask))
		FOR_LANES(lane, mask)
			address[lane] = base + x->off[lane] - (uint64_t)lane * x->r.stride;
	else
		EVERY_LANE(lane)
			address[lane] = base + x->off[lane] - (uint64_t)lane * x->r.stride;
	observe(w, op, mask, n, how, space[x->r.space], address);
}

static enum flow load_param(struct warp *w, const struct op *op, uint32_t mask)
{
	uint64_t address[LANES];

	if (w->machine->interest & INTEREST_ACCESS) {
		EVERY_LANE(lane)
			address[lane] = (uint64_t)op->access.add;
		observe(w, op, mask, op->access.bytes, ACCESS_READ, W_param, address);
	}
	undefined_set(w, op->at[0], mask, 0);
	return exec_ld_param(w, op, mask);
}

/* The lanes of MASK in which a value of OP, in operand K or the vector's column 1, is undefined. */
static uint32_t values_undefined(const struct warp *w, const struct op *op, uint32_t mask, unsigned k)
{
	const struct op_vector *v = op->access.vector_at;
	uint32_t undefined = 0;

	if (!w->frame->defined)
		return 0;
	for (unsigned e = 0; e < op->access.vector; e++)
		undefined |= undefined_lanes(w, v ? v->place[1][e] : op->at[k]);
	return undefined & mask;
}

enum flow exec_ld_watched(struct warp *w, const struct op *op, uint32_t mask)
{
	const struct op_vector *v = op->access.vector_at;
	unsigned n = (unsigned)op->access.bytes * op->access.vector;
	exec_fn *plain = w->machine->options.lane_by_lane ? NULL : exec_ld_block(op);
	struct located x;

	if (plain && op->access.fixed)
		return load_param(w, op, mask);
	undefined_use(w, op, mask, op->at[op->access.base_operand],
		"used in the address of a load");
	if (!plain || !locate_watched(w, op, mask, n, false, &x) || !all_written(&x, mask, n))
		return exec_ld_lanes(w, op, mask);
	observe_located(w, op, mask, n, ACCESS_READ, &x);
	for (unsigned e = 0; e < op->access.vector; e++)
		undefined_set(w, v ? v->place[0][e] : op->at[0], mask, 0);
	return plain(w, op, mask);
}

enum flow exec_st_watched(struct warp *w, const struct op *op, uint32_t mask)
{
	unsigned n = (unsigned)op->access.bytes * op->access.vector;
	exec_fn *plain = w->machine->options.lane_by_lane ? NULL : exec_st_block(op);
	struct located x;

	undefined_use(w, op, mask, op->at[op->access.base_operand],
		"used in the address of a store");
	if (!plain || values_undefined(w, op, mask, 1) ||
		!locate_watched(w, op, mask, n, true, &x))
		return exec_st_lanes(w, op, mask);
	observe_located(w, op, mask, n, ACCESS_WRITE, &x);
	mark_written(&x, mask, n);
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
		!locate_watched(w, op, mask, n, true, &x) || x.r.space > 1 ||
		!all_written(&x, mask, n))
		return exec_atom_lanes(w, op, mask);
	observe_located(w, op, mask, n, ACCESS_READ | ACCESS_WRITE | ACCESS_ATOMIC, &x);
	undefined_set(w, op->at[0], mask, 0);
	return exec_atom(w, op, mask);
}
