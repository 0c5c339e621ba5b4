/* ld, st, atom and red on messages, lane by lane and element by element: a vector access is its elements. Memory that is nobody else's is read and written directly. */
#include "interp/exec_mem.h"
#include "interp/undefined.h"
#include "weak/weak.h"

static bool watched(const struct warp *w) { return (w->machine->interest & INTEREST_ACCESS) != 0 || (w->machine->options.checks & CHECK_INIT) != 0; }
static bool is_common(const struct access *a, unsigned lane) { return a->space[lane] == W_global || a->space[lane] == W_shared; }

/* What the element accesses of OP by LANE have in common. */
static struct weak_access access_of(struct warp *w, const struct op *op, unsigned lane)
{
	return (struct weak_access){.k = w->machine->weak, .w = w->weak, .lane = lane, .n = op->bytes, .sem = weak_sem(op->sem), .scope = weak_scope(op->scope)};
}

/* Place and width of element E in column COLUMN: 0 what is loaded, 1 and 2 sources. */
static uint32_t element(const struct op *op, unsigned column, unsigned e, unsigned k, unsigned *width)
{
	const struct access_vector *v = op->extra;

	if (v) {
		*width = v->width[column][e];
		return v->place[column][e];
	}
	*width = op->width[k];
	return op->at[k];
}

static void get(const struct warp *w, uint32_t place, unsigned width, unsigned lane, unsigned n, uint64_t value[2])
{
	value[1] = 0;
	if (width == 16) {
		memcpy(value, (const unsigned char *)op_place(w, place) + lane * 16, 16);
	} else {
		value[0] = register_get(op_place(w, place), lane, width);
		if (n < 8)
			value[0] &= (UINT64_C(1) << 8 * n) - 1;
	}
}

/* ---- loads ---- */

static const uint8_t never_written[16];

static void load_lane(struct warp *w, const struct op *op, unsigned lane, struct access *a, bool late)
{
	struct weak_access one = access_of(w, op, lane);

	for (unsigned e = 0; e < op->vector; e++) {
		unsigned width;
		uint32_t place = element(op, 0, e, 0, &width);
		uint64_t value[2] = {0};

		one.host = a->host[lane] + e * op->bytes;
		if (!is_common(a, lane)) {
			weak_host_load(one.host, one.n, value);
		} else {
			weak_late_at(w, lane, one.host, one.n);
			if (late) {
				weak_late_add(&one, w, op, a, e, place, width);
				continue;
			}
			weak_read(&one, value);
			if (one.undefined && a->defined[lane] && op->vector == 1)
				a->defined[lane] = (uint8_t *)(uintptr_t)never_written; /* only read from now on */
		}
		weak_register_set(op_place(w, place), lane, width, one.n, op->flag[FLAG_SIGNED], value);
	}
}

enum flow exec_weak_ld(struct warp *w, const struct op *op, uint32_t mask)
{
	unsigned n = (unsigned)op->bytes * op->vector;
	bool watch = watched(w), late = weak_is_late(w, op, mask);
	uint32_t now = 0;
	struct access a;

	access_addresses(w, op, mask, a.address);
	if (watch)
		undefined_use(w, op, mask, op->at[op->flag[FLAG_ADDRESS]], "used in the address of a load");
	if (!access_resolve(w, op, mask, n, ACCESS_READ, &a))
		return FLOW_STOP;
	FOR_LANES(lane, mask) now |= (uint32_t)(!late || !is_common(&a, lane)) << lane; /* late ones are told of when they happen */
	if (watch && now)
		access_observe(w, op, now, n, ACCESS_READ, &a);
	if (op->flag[FLAG_STRONG])
		w->polled = 1;
	FOR_LANES(lane, mask) load_lane(w, op, lane, &a, late);
	access_count(w, mask, n, ACCESS_READ, &a);
	if (watch && w->frame->defined)
		for (unsigned e = 0; e < op->vector; e++) {
			unsigned width;
			uint32_t place = element(op, 0, e, 0, &width);

			undefined_load(w, op, mask, &a, e, place, width);
		}
	return FLOW_NEXT;
}

/* ---- stores ---- */

static bool is_unwritten(const struct access *a, unsigned lane, unsigned at)
{
	return a->defined[lane] && !a->defined[lane][at];
}

static void store_lane(struct warp *w, const struct op *op, unsigned lane, const struct access *a, uint32_t unwritten)
{
	struct weak_access one = access_of(w, op, lane);

	one.unwritten = unwritten >> lane & 1;
	for (unsigned e = 0; e < op->vector; e++) {
		unsigned width;
		uint32_t place = element(op, 1, e, op->flag[FLAG_ADDRESS] + 1u, &width);
		uint64_t value[2];

		get(w, place, width, lane, op->bytes, value);
		one.host = a->host[lane] + e * op->bytes;
		if (is_common(a, lane)) {
			weak_late_at(w, lane, one.host, one.n);
			weak_write(&one, value);
			w->effect |= one.changed;
		} else {
			weak_host_store(one.host, one.n, value);
		}
	}
}

enum flow exec_weak_st(struct warp *w, const struct op *op, uint32_t mask)
{
	unsigned n = (unsigned)op->bytes * op->vector;
	uint32_t unwritten = 0;
	struct access a;

	access_addresses(w, op, mask, a.address);
	if (watched(w))
		undefined_use(w, op, mask, op->at[op->flag[FLAG_ADDRESS]], "used in the address of a store");
	if (!access_resolve(w, op, mask, n, ACCESS_WRITE, &a))
		return FLOW_STOP;
	if (watched(w)) {
		access_observe(w, op, mask, n, ACCESS_WRITE, &a);
		FOR_LANES(lane, mask) unwritten |= (uint32_t)is_unwritten(&a, lane, 0) << lane;
		for (unsigned e = 0; w->frame->defined && e < op->vector; e++) {
			unsigned width;
			uint32_t place = element(op, 1, e, 1, &width);

			undefined_store(w, op, mask, &a, e, place, width);
		}
	}
	FOR_LANES(lane, mask) store_lane(w, op, lane, &a, unwritten);
	access_count(w, mask, n, ACCESS_WRITE, &a);
	return FLOW_NEXT;
}

/* ---- atoms ---- */

struct operation {
	const struct op *op;
	bool ftz;
	uint64_t b[2], c[2];
};

static bool compute(void *self, const uint64_t old[2], uint64_t value[2])
{
	const struct operation *o = self;
	const uint64_t *given = o->op->operation == W_cas ? o->c : o->b;

	value[0] = given[0];
	value[1] = given[1];
	if (o->op->operation == W_cas)
		return old[0] == o->b[0] && old[1] == o->b[1];
	if (o->op->operation != W_exch) {
		value[0] = arith_atomic((enum word)o->op->operation, (enum type)o->op->type, o->ftz, old[0], o->b[0], 0);
		if (o->op->bytes < 8)
			value[0] &= (UINT64_C(1) << 8 * o->op->bytes) - 1;
		value[1] = 0;
	}
	return true;
}

static void atom_lane(struct warp *w, const struct op *op, unsigned lane, const struct access *a, bool red)
{
	struct weak_access one = access_of(w, op, lane);

	one.reduction = red;
	for (unsigned e = 0; e < op->vector; e++) {
		struct operation o = {.op = op, .ftz = op->type == TYPE_f32 && a->space[lane] == W_global};
		unsigned width;
		uint32_t place = element(op, 1, e, 2, &width);
		uint64_t old[2];

		get(w, place, width, lane, op->bytes, o.b);
		if (op->operation == W_cas) {
			place = element(op, 2, e, 3, &width);
			get(w, place, width, lane, op->bytes, o.c);
		}
		one.host = a->host[lane] + e * op->bytes;
		one.changed = false;
		weak_late_at(w, lane, one.host, one.n);
		weak_change(&one, compute, &o, old);
		w->effect |= one.changed;
		place = element(op, 0, e, 0, &width);
		weak_register_set(op_place(w, place), lane, width, op->bytes, false, old);
	}
}

/* The undefined operands of an atomic operation, as exec_atom.c finds them. */
static void undefined(struct warp *w, const struct op *op, uint32_t mask, const struct access *a)
{
	for (unsigned e = 0; e < op->vector; e++) {
		uint32_t unknown = 0;
		unsigned width;

		undefined_use(w, op, mask, element(op, 1, e, 2, &width), "given to an atomic operation");
		if (!op->extra && op->operation == W_cas)
			undefined_use(w, op, mask, op->at[3], "given to an atomic operation");
		FOR_LANES(lane, mask)
		for (unsigned b = e * op->bytes; a->defined[lane] && b < (e + 1u) * op->bytes; b++) {
			if (!a->defined[lane][b] && op->operation != W_exch)
				unknown |= 1u << lane;
			a->defined[lane][b] = 0xff;
		}
		if (unknown)
			undefined_memory(w, op, unknown, a, "the operand in memory of an atomic operation");
		undefined_set(w, element(op, 0, e, 0, &width), mask, 0);
	}
}

static enum flow atom(struct warp *w, const struct op *op, uint32_t mask, bool red)
{
	unsigned n = (unsigned)op->bytes * op->vector, how = ACCESS_READ | ACCESS_WRITE | ACCESS_ATOMIC;
	struct access a;

	w->polled = 1;
	w->worker->stats.atomics += lanes_of(mask);
	access_addresses(w, op, mask, a.address);
	if (watched(w))
		undefined_use(w, op, mask, op->at[1], "used in the address of an atomic operation");
	if (!access_resolve(w, op, mask, n, how, &a))
		return FLOW_STOP;
	if (watched(w)) {
		access_observe(w, op, mask, n, how, &a);
		if (w->frame->defined)
			undefined(w, op, mask, &a);
	}
	FOR_LANES(lane, mask) atom_lane(w, op, lane, &a, red);
	access_count(w, mask, n, ACCESS_READ | ACCESS_WRITE, &a);
	return FLOW_NEXT;
}

enum flow exec_weak_atom(struct warp *w, const struct op *op, uint32_t mask) { return atom(w, op, mask, false); }
enum flow exec_weak_red(struct warp *w, const struct op *op, uint32_t mask) { return atom(w, op, mask, true); }
