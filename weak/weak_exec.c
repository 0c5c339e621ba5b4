/* ld, st, atom and red on messages, per lane and per element: the elements of a vector access are
 * separate accesses. Memory that only one thread can access is read and written directly. */
#include "interp/memory/undefined.h"
#include "weak/weak.h"

static bool warp_is_watched(const struct warp *w)
{
	return (w->machine->interest & INTEREST_ACCESS) != 0 ||
		(w->machine->options.checks & CHECK_INIT) != 0;
}
static bool is_common(const struct access *a, unsigned lane)
{
	return a->space[lane] == W_global || a->space[lane] == W_shared;
}

/* The fields that the element accesses of OP by LANE have in common. */
static struct weak_access access_of(struct warp *w, const struct op *op, unsigned lane)
{
	return (struct weak_access){.k = w->machine->weak,
		.w = w->weak,
		.lane = lane,
		.n = op->access.bytes,
		.sem = op->access.sem,
		.scope = op->access.scope};
}

/* Location and width of element E in column COLUMN (0: destination, 1 and 2: sources); of operand K
 * if OP is not a vector access. */
static uint32_t element_of(
	const struct op *op, unsigned column, unsigned e, unsigned k, unsigned *width)
{
	const struct op_vector *v = op->access.vector_at;

	*width = v ? v->width[column][e] : op->width[k];
	return v ? v->place[column][e] : op->at[k];
}

static struct weak_place element_place(
	const struct warp *w, const struct op *op, unsigned column, unsigned e, unsigned k)
{
	unsigned width;
	uint32_t at = element_of(op, column, e, k, &width);

	return (struct weak_place){op_place(w, at), (uint8_t)width};
}

static void element_get(const struct weak_place *p, unsigned lane, unsigned n, uint64_t value[2])
{
	value[1] = 0;
	if (p->width == 16) {
		memcpy(value, p->at + lane * 16, 16);
	} else {
		value[0] = register_get(p->at, lane, p->width);
		if (n < 8)
			value[0] &= (UINT64_C(1) << 8 * n) - 1;
	}
}

static void element_put(const struct weak_place *p, unsigned lane, unsigned n, bool is_signed,
	const uint64_t value[2])
{
	if (n == 16)
		memcpy(p->at + lane * 16, value, 16);
	else
		register_set(
			p->at, lane, p->width, is_signed ? sign_extend(value[0], n) : value[0]);
}

/* --- loads --- */

static const uint8_t never_written[16];

/* Notifies observers of one lane's access to the element at OFFSET. */
static void observe_element(struct warp *w, const struct op *op, unsigned lane, unsigned how,
	uint64_t offset, uint16_t space)
{
	struct access at;

	if (!(w->machine->interest & INTEREST_ACCESS))
		return;
	at.offset[lane] = offset;
	at.space[lane] = space;
	access_observe(w, op, 1u << lane, op->access.bytes, how, &at);
}

/* Observers are notified of a weak access in program order, which decides whether it races; of a
 * strong one when it is executed, because that order determines which thread acquires from which.
 * Returns whether lanes must be notified one by one, because some of MASK may be executed later. */
static bool observe_now(struct warp *w, const struct op *op, uint32_t mask, unsigned how,
	const struct access *a, bool late)
{
	bool each = op->access.sem != SEM_WEAK && (late || w->weak->nlate);

	if (!each)
		access_observe(w, op, mask, (unsigned)op->access.bytes * op->access.vector, how, a);
	return each;
}

static void element_add_late(struct warp *w, const struct op *op, enum weak_late_kind kind,
	const struct weak_access *one, const struct weak_place *to, const struct weak_place *from,
	unsigned nfrom, const struct access *a, unsigned e)
{
	struct weak_late *l = weak_late_add(w, op, kind, one, to, from, nfrom);

	l->offset = a->offset[one->lane] + (uint64_t)e * op->access.bytes;
	l->space = a->space[one->lane];
}

/* The elements of a vector are read in any order: none knows what another acquires. */
static void load_lane(
	struct warp *w, const struct op *op, unsigned lane, struct access *a, bool late, bool each)
{
	struct weak_access one = access_of(w, op, lane);
	bool other_proxy = op->access.texture_proxy;
	struct weak_clock *clock = weak_clock_ref(
		other_proxy ? weak_launch_base(one.k, w) : w->weak->lane[lane].clock);

	for (unsigned e = 0; e < op->access.vector; e++) {
		struct weak_place to = element_place(w, op, 0, e, 0);
		uint64_t value[2] = {0};

		one.host = a->host[lane] + e * op->access.bytes;
		weak_issue(&one);
		one.clock = clock;
		if (other_proxy)
			/* not even what its own thread has written: no PTX fence orders the two
			 * proxies */
			one.own = 0;
		if (!is_common(a, lane)) {
			weak_host_load(one.host, one.n, value);
		} else if (one.sem > SEM_RELAXED) {
			weak_late_at(w, lane, one.host, one.n);
			weak_read(&one, value);
			if (late)
				weak_late_chosen(w, op, &one, &to);
		} else if (weak_late_behind(w, &one, late)) {
			element_add_late(w, op, LATE_LOAD, &one, &to, NULL, 0, a, e);
			continue;
		} else {
			weak_read(&one, value);
			if (one.undefined && a->defined[lane] && op->access.vector == 1)
				/* only read from here on */
				a->defined[lane] = (uint8_t *)(uintptr_t)never_written;
		}
		element_put(&to, lane, one.n, op->access.is_signed, value);
		if (each)
			observe_element(w, op, lane, ACCESS_READ,
				a->offset[lane] + e * op->access.bytes, a->space[lane]);
	}
	weak_clock_unref(clock);
}

/* The lanes of MASK that can read only what memory holds, and that have no late operation. */
static uint32_t plain_lanes(
	const struct warp *w, const struct op *op, uint32_t mask, const struct access *a)
{
	unsigned n = (unsigned)op->access.bytes * op->access.vector - 1;
	uint32_t plain = 0;

	if (op->access.sem > SEM_RELAXED)
		return 0;
	FOR_LANES(lane, mask & ~w->weak->late_lanes)
		if (!is_common(a, lane) ||
			(!weak_may_have_ring(w->machine->weak, a->host[lane]) &&
				!weak_may_have_ring(w->machine->weak, a->host[lane] + n)))
			plain |= 1u << lane;
	return plain;
}

static void load_plain(struct warp *w, const struct op *op, uint32_t mask, const struct access *a)
{
	for (unsigned e = 0; e < op->access.vector; e++) {
		struct weak_place to = element_place(w, op, 0, e, 0);

		FOR_LANES(lane, mask) {
			uint64_t value[2];

			weak_host_load(
				a->host[lane] + e * op->access.bytes, op->access.bytes, value);
			element_put(&to, lane, op->access.bytes, op->access.is_signed, value);
		}
	}
}

enum flow exec_weak_ld(struct warp *w, const struct op *op, uint32_t mask)
{
	unsigned n = (unsigned)op->access.bytes * op->access.vector;
	uint32_t late = weak_late_lanes(w, op, mask), plain;
	bool watch = warp_is_watched(w), each;
	struct access a;

	access_addresses(w, op, mask, a.address);
	if (watch)
		undefined_use(w, op, mask, op->at[op->access.base_operand],
			"used in the address of a load");
	if (!access_resolve(w, op, mask, n, ACCESS_READ, &a))
		return FLOW_STOP;
	each = watch && observe_now(w, op, mask, ACCESS_READ, &a, late != 0);
	if (op->access.sem != SEM_WEAK)
		w->polled = 1;
	plain = each ? 0 : plain_lanes(w, op, mask & ~late, &a);
	if (plain)
		load_plain(w, op, plain, &a);
	FOR_LANES(lane, mask & ~plain)
		load_lane(w, op, lane, &a, late >> lane & 1, each);
	access_count(w, mask, n, ACCESS_READ, &a);
	if (watch && w->frame->defined)
		for (unsigned e = 0; e < op->access.vector; e++) {
			unsigned width;
			uint32_t place = element_of(op, 0, e, 0, &width);

			undefined_load(w, op, mask, &a, e, place, width);
		}
	return FLOW_NEXT;
}

/* --- stores --- */

static bool is_unwritten(const struct access *a, unsigned lane, unsigned at)
{
	return a->defined[lane] && !a->defined[lane][at];
}

static void store_lane(struct warp *w, const struct op *op, unsigned lane, const struct access *a,
	uint32_t unwritten, bool each)
{
	struct weak_access one = access_of(w, op, lane);
	/* elements are written in any order */
	bool backwards = op->access.vector > 1 && choose(w->machine->chooser, CHOICE_ORDER, 2) == 1;

	one.unwritten = unwritten >> lane & 1;
	for (unsigned i = 0; i < op->access.vector; i++) {
		unsigned e = backwards ? op->access.vector - 1u - i : i;
		struct weak_place from = element_place(w, op, 1, e, op->access.base_operand + 1u);
		bool common = is_common(a, lane),
		     needs = w->weak->nlate && weak_late_writes(w, lane, &from);
		uint64_t value[2];

		one.host = a->host[lane] + e * op->access.bytes;
		weak_issue(&one);
		if (common && weak_late_behind(w, &one, needs && weak_can_wait(&one))) {
			element_add_late(w, op, LATE_STORE, &one, NULL, &from, 1, a, e);
			w->effect = 1;
			continue;
		}
		if (needs)
			weak_late_place(w, lane, &from);
		element_get(&from, lane, op->access.bytes, value);
		if (each)
			observe_element(w, op, lane, ACCESS_WRITE,
				a->offset[lane] + e * op->access.bytes, a->space[lane]);
		if (common) {
			weak_write(&one, value);
			w->effect |= one.changed;
		} else {
			weak_host_store(one.host, one.n, value);
		}
	}
}

enum flow exec_weak_st(struct warp *w, const struct op *op, uint32_t mask)
{
	unsigned n = (unsigned)op->access.bytes * op->access.vector;
	uint32_t unwritten = 0;
	bool each = false;
	struct access a;

	access_addresses(w, op, mask, a.address);
	if (warp_is_watched(w))
		undefined_use(w, op, mask, op->at[op->access.base_operand],
			"used in the address of a store");
	if (!access_resolve(w, op, mask, n, ACCESS_WRITE, &a))
		return FLOW_STOP;
	if (warp_is_watched(w)) {
		each = observe_now(w, op, mask, ACCESS_WRITE, &a, false);
		FOR_LANES(lane, mask)
			unwritten |= (uint32_t)is_unwritten(&a, lane, 0) << lane;
		for (unsigned e = 0; w->frame->defined && e < op->access.vector; e++) {
			unsigned width;
			uint32_t place = element_of(op, 1, e, 1, &width);

			undefined_store(w, op, mask, &a, e, place, width);
		}
	}
	FOR_LANES(lane, mask)
		store_lane(w, op, lane, &a, unwritten, each);
	access_count(w, mask, n, ACCESS_WRITE, &a);
	return FLOW_NEXT;
}

/* --- atoms --- */

enum { HOW_ATOM = ACCESS_READ | ACCESS_WRITE | ACCESS_ATOMIC };

struct operation {
	const struct op *op;
	bool ftz;
	uint64_t b[2], c[2];
};

static bool atom_compute(void *self, const uint64_t old[2], uint64_t value[2])
{
	const struct operation *o = self;
	const uint64_t *given = o->op->access.atomic == ATOMIC_CAS ? o->c : o->b;

	value[0] = given[0];
	value[1] = given[1];
	if (o->op->access.atomic == ATOMIC_CAS)
		return old[0] == o->b[0] && old[1] == o->b[1];
	if (o->op->access.atomic != ATOMIC_EXCH) {
		value[0] = arith_atomic((enum atomic)o->op->access.atomic,
			(enum type)o->op->access.type, o->ftz, old[0], o->b[0], 0);
		if (o->op->access.bytes < 8)
			value[0] &= (UINT64_C(1) << 8 * o->op->access.bytes) - 1;
		value[1] = 0;
	}
	return true;
}

static void atom_now(struct warp *w, const struct op *op, struct weak_access *one,
	const struct weak_place *to, const struct weak_place *from, bool is_global)
{
	struct operation o = {
		.op = op, .ftz = op->access.type == TYPE_f32 && is_global && !op->access.noftz};
	uint64_t old[2];

	element_get(&from[0], one->lane, op->access.bytes, o.b);
	if (op->access.atomic == ATOMIC_CAS)
		element_get(&from[1], one->lane, op->access.bytes, o.c);
	weak_change(one, atom_compute, &o, old);
	w->effect |= one->changed;
	element_put(to, one->lane, op->access.bytes, false, old);
}

static void atom_lane(struct warp *w, const struct op *op, unsigned lane, const struct access *a,
	bool red, bool late, bool each)
{
	struct weak_access one = access_of(w, op, lane);
	unsigned nfrom = op->access.atomic == ATOMIC_CAS ? 2 : 1;

	one.reduction = red;
	for (unsigned e = 0; e < op->access.vector; e++) {
		struct weak_place to = element_place(w, op, 0, e, 0),
				  from[2] = {element_place(w, op, 1, e, 2)};
		bool needs = false;

		if (nfrom == 2)
			from[1] = element_place(w, op, 2, e, 3);
		for (unsigned k = 0; w->weak->nlate && k < nfrom; k++)
			needs = needs || weak_late_writes(w, lane, &from[k]);
		one.host = a->host[lane] + e * op->access.bytes;
		one.changed = false;
		weak_issue(&one);
		if (weak_late_behind(w, &one, (late || needs) && weak_can_wait(&one))) {
			element_add_late(w, op, LATE_ATOM, &one, &to, from, nfrom, a, e);
			w->effect = 1;
			continue;
		}
		for (unsigned k = 0; needs && k < nfrom; k++)
			weak_late_place(w, lane, &from[k]);
		if (each)
			observe_element(w, op, lane, HOW_ATOM,
				a->offset[lane] + e * op->access.bytes, a->space[lane]);
		weak_clock_ref(one.clock); /* an acquire replaces the thread's clock */
		struct weak_clock *clock = one.clock;

		atom_now(w, op, &one, &to, from, a->space[lane] == W_global);
		weak_clock_unref(clock);
	}
}

/* Checks for undefined operands of an atomic operation, as exec_atom.c does. */
static void atom_undefined(
	struct warp *w, const struct op *op, uint32_t mask, const struct access *a)
{
	for (unsigned e = 0; e < op->access.vector; e++) {
		uint32_t unknown = 0;
		unsigned width;

		undefined_use(w, op, mask, element_of(op, 1, e, 2, &width),
			"given to an atomic operation");
		if (!op->access.vector_at && op->access.atomic == ATOMIC_CAS)
			undefined_use(w, op, mask, op->at[3], "given to an atomic operation");
		FOR_LANES(lane, mask)
			for (unsigned b = e * op->access.bytes;
				a->defined[lane] && b < (e + 1u) * op->access.bytes; b++) {
				if (!a->defined[lane][b] && op->access.atomic != ATOMIC_EXCH)
					unknown |= 1u << lane;
				a->defined[lane][b] = 0xff;
			}
		if (unknown)
			undefined_memory(
				w, op, unknown, a, "the operand in memory of an atomic operation");
		undefined_set(w, element_of(op, 0, e, 0, &width), mask, 0);
	}
}

enum flow exec_weak_atom(struct warp *w, const struct op *op, uint32_t mask)
{
	unsigned n = (unsigned)op->access.bytes * op->access.vector;
	uint32_t late = weak_late_lanes(w, op, mask);
	bool each = false;
	struct access a;

	w->polled = 1;
	w->worker->stats.atomics += lanes_of(mask);
	access_addresses(w, op, mask, a.address);
	if (warp_is_watched(w))
		undefined_use(w, op, mask, op->at[1], "used in the address of an atomic operation");
	if (!access_resolve(w, op, mask, n, HOW_ATOM, &a))
		return FLOW_STOP;
	if (warp_is_watched(w)) {
		each = observe_now(w, op, mask, HOW_ATOM, &a, late != 0);
		if (w->frame->defined)
			atom_undefined(w, op, mask, &a);
	}
	FOR_LANES(lane, mask)
		atom_lane(w, op, lane, &a, op->kind == KIND_RED, late >> lane & 1, each);
	access_count(w, mask, n, ACCESS_READ | ACCESS_WRITE, &a);
	return FLOW_NEXT;
}

/* --- late --- */

void weak_execute(struct warp *w, struct weak_late *l)
{
	struct weak_access *a = &l->access;
	uint64_t value[2];

	if (a->sem != SEM_WEAK && !l->chosen)
		observe_element(w, l->op, a->lane,
			l->kind == LATE_LOAD            ? ACCESS_READ
				: l->kind == LATE_STORE ? ACCESS_WRITE
							: HOW_ATOM,
			l->offset, l->space);
	switch ((enum weak_late_kind)l->kind) {
	case LATE_ALU: {
		void *v[1 + WEAK_FROM] = {l->to.at};

		for (unsigned k = 0; k < l->nfrom; k++)
			v[1 + k] = l->from[k].at;
		l->op->run.kernel(v, 1u << a->lane);
		break;
	}
	case LATE_LOAD:
		if (!l->chosen)
			weak_read(a, value);
		else if (!weak_read_again(a, l->acquires, value))
			break;
		element_put(&l->to, a->lane, a->n, l->op->access.is_signed, value);
		break;
	case LATE_STORE:
		element_get(&l->from[0], a->lane, a->n, value);
		weak_write(a, value);
		w->effect |= a->changed;
		break;
	case LATE_ATOM: atom_now(w, l->op, a, &l->to, l->from, l->space == W_global); break;
	}
}
