/* Two threads stand for all. A thread is run with %tid and %ctaid unknown: a register is a number,
 * which all threads have, or a linear expression over them, or anything. A guard that is not known
 * splits the path, and each direction keeps what it says about the expressions. The accesses of a
 * path are divided by the barriers of all threads that precede them. Two accesses race if, for some
 * two threads that satisfy what their paths require, their bytes overlap; that no such threads
 * exist is shown for each pair of accesses, by linear inequalities: two threads of one CTA between
 * the same barriers, and, for global memory, two threads of two CTAs.
 *
 * Nothing is proved about a kernel that does something else: atoms, mbarriers, copies, calls,
 * addresses that are read from memory (unless nobody writes there), loops whose rounds differ
 * without end. A register wraps around, an expression does not: it is used as a number only where
 * it fits into the register's type, which for large grids it does not; then a smaller bound of the
 * number of CTAs is tried. */
#include "explore/ptx/any_thread.h"
#include "base/memory.h"
#include <string.h>

enum { MAX_PATHS = 1024, MAX_STEPS = 1 << 18, MAX_REACHED = 1024, MAX_CALCULATIONS = 40000 };

static void fail(struct proof *p, uint32_t a, uint32_t b, const char *why)
{
	struct any_grid *out = p->out;
	p->failed = true;
	out->reason = why;
	out->nspans = 0;
	for (uint32_t k = 0; k < 2; k++) {
		uint32_t op = k ? b : a;
		if (op < p->code->nops && p->code->ops[op].insn != IR_NONE && (!k || b != a))
			out->span[out->nspans++] =
				p->code->module->insn[p->code->ops[op].insn].span;
	}
}

/* --- memory --- */

static void record(struct proof *p, struct path *h, const struct op *op, bool write)
{
	struct shadow at;
	uint16_t space = op->access.space;
	struct reached r = {.op = (uint32_t)(op - p->code->ops),
		.bytes = (uint32_t)op->access.bytes * op->access.vector,
		.interval = h->barriers,
		.write = write,
		.other_proxy = op->access.texture_proxy,
		.nrequired = h->nrequired};
	struct linear add = linear_constant(op->access.add);
	bool known = any_operand(p, h, op, op->access.base_operand, &at) &&
		linear_add(&at.expr, 1, &add, &at.expr);
	uint64_t offset;
	if (op->access.base == BASE_DYNAMIC)
		known = false;
	if (space == W_NONE && at.into)
		space = W_global;
	if (space == W_NONE && known && linear_is_constant(&at.expr)) {
		space = window_space((uint64_t)at.expr.k[LINEAR_ONE], &offset);
		if (space == W_shared)
			at.expr = linear_constant((int64_t)offset);
	}
	r.shared = space == W_shared;
	if (space != W_global && space != W_shared) {
		fail(p, r.op, r.op, "it is not known which memory a generic address points to");
		return;
	}
	unsigned width = op->width[op->access.base_operand];
	known = known && any_fits(p, h, &at.expr, width, width == 8);
	if (!r.shared && !at.into && known && linear_is_constant(&at.expr)) {
		const struct memory_block *m = memory_find(
			p->client->machine->memory, (uint64_t)at.expr.k[LINEAR_ONE]);
		at.into = m->kind != MEMORY_NOTHING ? m : NULL;
	}
	r.into = r.shared ? NULL : at.into;
	r.anywhere = !known || (!r.shared && !at.into);
	r.at = at.expr;
	r.required = arena_copy(p->arena, h->required, (h->nrequired + 1u) * sizeof *h->required,
		_Alignof(struct linear));
	h->accessed = true;
	for (uint32_t k = 0; k < p->reached.count; k++) {
		const struct reached *q = &p->reached.data[k];
		if (q->op == r.op && q->interval == r.interval && q->anywhere == r.anywhere &&
			q->into == r.into && q->nrequired == r.nrequired &&
			!memcmp(&q->at, &r.at, sizeof r.at) &&
			!memcmp(q->required, r.required, r.nrequired * sizeof *r.required))
			return;
	}
	if (p->reached.count == MAX_REACHED)
		fail(p, r.op, r.op, "the paths of a thread have too many accesses");
	else
		*vec_push(&p->reached) = r;
}

static bool is_private(const struct op *op)
{
	return op->access.space == W_param || op->access.space == W_const ||
		op->access.space == W_local;
}

/* Loads and stores. */
static void reach_memory(
	struct proof *p, struct path *h, const struct op *op, const struct ptx_op *o)
{
	struct ptx_state *s = h->state;
	if (!is_private(op)) {
		record(p, h, op, o->class == PTX_STORE);
		any_forget(p, h, o);
		s->pc++;
		return;
	}
	uint32_t pc = s->pc, thread = p->launch->first_thread;
	struct action a = {.scratch = p->bench};
	while (s->pc == pc && !p->failed) {
		if (!ptx_memory(p->client, thread, p->bench, s, &a))
			fail(p, pc, pc, "an access to memory of the thread has an unknown address");
	}
	for (const uint16_t *d = o->dest; *d != PTX_NO_SLOT; d++) {
		h->shadow[*d] = (struct shadow){0};
		h->condition[*d] = (struct condition){0};
		if (!row_has(ptx_known(p->code, s), *d) || p->code->slot[*d].width != 8)
			continue;
		uint64_t v = register_get(p->bench->regs + p->code->slot[*d].at, p->bench->lane, 8);
		const struct memory_block *m = memory_find(p->client->machine->memory, v);
		h->shadow[*d].into = m->kind != MEMORY_NOTHING ? m : NULL;
		/* it may be a distance between two buffers that was stored there */
		h->shadow[*d].mixed = op->access.space == W_local && m->kind == MEMORY_NOTHING;
	}
}

static void reach_barrier(struct proof *p, struct path *h, const struct op *op)
{
	struct shadow number;
	uint32_t at = (uint32_t)(op - p->code->ops), k = h->barriers;
	if (op->barrier.kind != BARRIER_SYNC || op->barrier.counted ||
		!any_operand(p, h, op, op->ndests, &number) || !linear_is_constant(&number.expr) ||
		k == MAX_PHASES) {
		fail(p, at, at, "a barrier that is not one of all threads of a CTA");
		return;
	}
	uint64_t which = (uint64_t)number.expr.k[LINEAR_ONE];
	p->smaller = k < p->barriers && p->barrier[k] != which;
	if (p->smaller)
		fail(p, at, at, "threads of a CTA come to different barriers");
	p->barrier[k] = which;
	h->barriers++;
	p->barriers = h->barriers > p->barriers ? h->barriers : p->barriers;
	h->accessed = false;
	h->state->pc++;
}

/* --- paths --- */

static struct path copy_path(struct proof *p, const struct path *h)
{
	struct path c = *h;
	size_t n = p->code->nslots + 1u;
	c.state = arena_copy(p->arena, h->state, p->program->state_size, 8);
	c.shadow = arena_copy(p->arena, h->shadow, n * sizeof *h->shadow, _Alignof(struct shadow));
	c.condition = arena_copy(
		p->arena, h->condition, n * sizeof *h->condition, _Alignof(struct condition));
	return c;
}

/* The guard of OP is not known: H goes on with one value, which *HOLDS becomes, and a copy with the
 * other. False: neither is possible. */
static bool split(struct proof *p, struct path *h, const struct op *op, bool *holds)
{
	uint16_t slot = slot_of(p, op->guard);
	const struct condition c = h->condition[slot];
	struct path other = copy_path(p, h);
	/* the guard holds where the predicate differs from guard_xor */
	bool is = any_assume(p, h, &c, !op->guard_xor),
	     is_not = any_assume(p, &other, &c, op->guard_xor);
	*holds = is;
	if (is && is_not) {
		if (++p->paths > MAX_PATHS)
			fail(p, h->state->pc, h->state->pc, "a thread has too many paths");
		ptx_pack(p->bench, other.state);
		row_put(ptx_known(p->code, other.state), slot);
		other.state->word[p->code->slot[slot].word] = op->guard_xor != 0;
		*vec_push(&p->open) = other;
	} else if (is_not) {
		*h = other;
	}
	if (!is && !is_not)
		return false;
	row_put(ptx_known(p->code, h->state), slot);
	register_set(
		p->bench->regs + p->code->slot[slot].at, p->bench->lane, 0, is == !op->guard_xor);
	return true;
}

static void end_path(struct proof *p, const struct path *h)
{
	if (h->accessed && h->barriers < p->shortest)
		p->shortest = h->barriers;
}

/* Executes one op. False: the path ends. */
static bool step(struct proof *p, struct path *h)
{
	struct ptx_state *s = h->state;
	const struct op *op = &p->code->ops[s->pc];
	const struct ptx_op *o = &p->code->op[s->pc];
	uint32_t pc = s->pc;
	ptx_enter(p->bench, &p->code->part[p->code->part_of[pc]]);
	if (++p->steps > MAX_STEPS) {
		fail(p, pc, pc, "a thread takes too many steps");
		return false;
	}
	bool holds = true;
	if (!ptx_place_known(p->bench, s, op->guard)) {
		if (!split(p, h, op, &holds))
			return false;
		s = h->state;
	} else {
		holds = ptx_guard_holds(p->bench, op);
	}
	if (!holds) {
		s->pc++;
		return true;
	}
	switch ((enum ptx_class)o->class) {
	case PTX_REGISTERS: any_compute(p, h, op, o); break;
	case PTX_BRANCH: s->pc = op->branch.target; return true;
	case PTX_LOAD:
	case PTX_STORE: reach_memory(p, h, op, o); return !p->failed;
	case PTX_BARRIER: reach_barrier(p, h, op); return !p->failed;
	case PTX_EXIT:
	case PTX_TRAP: end_path(p, h); return false;
	/* what these order is left out: then more can race, not less */
	case PTX_WARP_BARRIER:
	case PTX_FENCE:
	case PTX_COLLECTIVE:
	case PTX_TOGETHER:
	case PTX_OPEN:
	case PTX_NOTHING: any_forget(p, h, o); break;
	case PTX_ATOM:
	case PTX_RED: fail(p, pc, pc, "an atomic operation"); return false;
	case PTX_CALL:
	case PTX_RETURN:
	case PTX_BRANCH_INDEX:
	case PTX_PRINT: fail(p, pc, pc, "a call or an indexed branch"); return false;
	case PTX_PROXY_FENCE:
	case PTX_MBARRIER:
	case PTX_CLUSTER_BARRIER:
	case PTX_ASYNC:
	case PTX_ASYNC_COMMIT:
	case PTX_ASYNC_WAIT:
	case PTX_BULK_STORE:
	case PTX_UNSUPPORTED:
	default:
		fail(p, pc, pc,
			"an instruction that is neither a load, a store nor a barrier of a CTA");
		return false;
	}
	s->pc++;
	return true;
}

static void run_paths(struct proof *p)
{
	struct path first = {0};
	size_t n = p->code->nslots + 1u;
	first.state = arena_alloc(p->arena, p->program->state_size, 8);
	memset(first.state, 0, p->program->state_size);
	p->program->begin(p->program, p->launch->first_thread, first.state);
	first.shadow = ARENA_ARRAY(p->arena, struct shadow, n);
	first.condition = ARENA_ARRAY(p->arena, struct condition, n);
	*vec_push(&p->open) = first;
	while (p->open.count && !p->failed) {
		struct path h = p->open.data[--p->open.count];
		ptx_set_up(p->client, p->launch->first_thread, p->bench);
		ptx_unpack(p->bench, h.state);
		while (step(p, &h))
			;
	}
	p->smaller |= !p->failed && p->shortest < p->barriers;
	if (!p->failed && p->shortest < p->barriers)
		fail(p, p->code->nops, p->code->nops,
			"a thread ends after an access, while others come to another barrier");
}

/* --- pairs --- */

/* The same expression for the second thread; of the same CTA: %ctaid is the same. */
static struct linear of_second(const struct linear *l, bool same_cta)
{
	struct linear out = linear_constant(l->k[LINEAR_ONE]);
	for (uint32_t v = 0; v < LINEAR_OWN; v++)
		out.k[same_cta && v >= LINEAR_CTAID ? v : v + LINEAR_OWN] = l->k[v];
	return out;
}

/* Whether A of one thread and B of another one overlap, if besides the threads' own requirements
 * those of S hold. */
static bool may_overlap(struct proof *p, const struct reached *a, const struct reached *b,
	bool same_cta, const struct linear_set *more)
{
	struct linear_set s = *more;
	struct linear second = of_second(&b->at, same_cta), d, low, high;
	any_require_thread(p, 0, &s);
	any_require_thread(p, LINEAR_OWN, &s);
	for (uint32_t k = 0; k < a->nrequired; k++)
		linear_require(&s, &a->required[k]);
	for (uint32_t k = 0; k < b->nrequired; k++) {
		struct linear l = of_second(&b->required[k], same_cta);
		linear_require(&s, &l);
	}
	if (!a->anywhere && !b->anywhere) {
		/* a - b <= size of b - 1, b - a <= size of a - 1 */
		struct linear one = linear_constant(-(int64_t)(b->bytes - 1)),
			      two = linear_constant(-(int64_t)(a->bytes - 1));
		if (!linear_add(&a->at, -1, &second, &d) || !linear_add(&one, 1, &d, &low) ||
			!linear_add(&two, -1, &d, &high))
			return true;
		linear_require(&s, &low);
		linear_require(&s, &high);
	}
	return !any_impossible(p, &s);
}

/* The same; where the inequalities have a solution, but perhaps not one of integers, once more for
 * each sign of the difference of %tid, from dimension V on. */
static bool may_overlap_by_sign(struct proof *p, const struct reached *a, const struct reached *b,
	bool same_cta, const struct linear_set *more, uint32_t v)
{
	struct linear less = linear_constant(0), greater = less;
	if (!may_overlap(p, a, b, same_cta, more))
		return false;
	while (v < LINEAR_CTAID && p->out->block[v] == 1)
		v++;
	if (v == LINEAR_CTAID || p->calculations > MAX_CALCULATIONS)
		return true;
	less.k[v] = greater.k[v + LINEAR_OWN] = 1;
	less.k[v + LINEAR_OWN] = greater.k[v] = -1;
	for (uint32_t sign = 0; sign < 3; sign++) { /* equal, less, greater */
		struct linear_set s = *more;
		less.k[LINEAR_ONE] = greater.k[LINEAR_ONE] = sign > 0;
		if (sign != 2)
			linear_require(&s, &less);
		if (sign != 1)
			linear_require(&s, &greater);
		if (may_overlap_by_sign(p, a, b, same_cta, &s, v + 1))
			return true;
	}
	return false;
}

/* The same for all threads that differ first in dimension ORDER[0], [1] or [2]. */
static bool may_meet_in(struct proof *p, const struct reached *a, const struct reached *b,
	bool same_cta, const uint8_t order[3])
{
	uint32_t first = same_cta ? LINEAR_TID : LINEAR_CTAID;
	struct linear_set equal = {0};
	for (uint32_t i = 0; i < 3; i++) {
		uint32_t v = first + order[i];
		struct linear d = {0}, back = {0};
		d.k[v] = 1;
		d.k[v + LINEAR_OWN] = -1;
		back.k[v] = -1;
		back.k[v + LINEAR_OWN] = 1;
		for (uint32_t sign = 0; sign < (a == b ? 1u : 2u); sign++) {
			struct linear_set s = equal;
			struct linear differ = sign ? back : d;
			differ.k[LINEAR_ONE] = 1; /* the first is less */
			linear_require(&s, &differ);
			if (may_overlap_by_sign(p, a, b, same_cta, &s, LINEAR_TID))
				return true;
		}
		linear_require(&equal, &d);
		linear_require(&equal, &back);
	}
	return false;
}

/* Whether two different threads, of one CTA or of two, can make A and B overlap. In one of the
 * orders of the dimensions the inequalities may suffice, and in another not: that in which the
 * greatest distance comes first (the row of an element before its column). */
static bool may_meet(
	struct proof *p, const struct reached *a, const struct reached *b, bool same_cta)
{
	static const uint8_t order[][3] = {
		{2, 1, 0}, {0, 1, 2}, {1, 0, 2}, {2, 0, 1}, {0, 2, 1}, {1, 2, 0}};
	for (uint32_t k = 0; k < sizeof order / sizeof *order; k++) {
		if (!may_meet_in(p, a, b, same_cta, order[k]))
			return false;
	}
	return true;
}

static bool may_race(struct proof *p, const struct reached *a, const struct reached *b)
{
	if ((!a->write && !b->write) || a->shared != b->shared)
		return false;
	/* an access without a buffer may be anywhere */
	if (!a->shared && a->into != b->into && a->into && b->into)
		return false;
	p->out->pairs++;
	/* no barrier orders accesses through different proxies, not even those of one thread */
	return a->other_proxy || b->other_proxy ||
		(a->interval == b->interval && may_meet(p, a, b, true)) ||
		(!a->shared && may_meet(p, a, b, false));
}

static void compare_accesses(struct proof *p)
{
	for (uint32_t i = 0; i < p->reached.count && !p->failed; i++) {
		for (uint32_t k = i; k < p->reached.count && !p->failed; k++) {
			const struct reached *a = &p->reached.data[i], *b = &p->reached.data[k];
			p->smaller = may_race(p, a, b);
			if (p->smaller)
				fail(p, a->op, b->op,
					a->other_proxy || b->other_proxy
						? "memory to which the kernel stores may be loaded with .nc"
						: a->anywhere || b->anywhere
						? "the address of an access is not a linear expression of %tid and %ctaid"
						: "two threads may access the same bytes here");
			else if (p->calculations > MAX_CALCULATIONS)
				fail(p, p->code->nops, p->code->nops,
					"there are too many pairs of accesses");
		}
	}
}

bool ptx_any_grid(const struct explore_program *program, uint32_t k, struct arena *arena,
	struct any_grid *out)
{
	/* until the indices fit into their registers; at last, as launched */
	static const uint64_t most[] = {INT32_MAX, 1 << 26, 1 << 25, 1 << 24, 1 << 23, 1 << 22,
		1 << 21, 1 << 20, 1 << 18, 1 << 16, 1 << 12, 0};
	const struct ptx_client *c = program->client;
	uint32_t n = 0;
	while (n < c->nlaunches && (!c->launch[n].launch || k--))
		n++;
	if (n == c->nlaunches)
		return false;
	const struct ptx_launch *l = &c->launch[n];
	const uint32_t *grid = l->launch->ask.grid;
	void *block = memory_zeroed(1, program->scratch_size + 64);
	*out = (struct any_grid){.kernel = symbol_text(&l->code->module->symbols,
					 l->code->module->func[l->launch->ask.func].name)};
	for (uint32_t i = 0; i < sizeof most / sizeof *most; i++) {
		struct proof p = {.program = program,
			.client = c,
			.launch = l,
			.code = l->code,
			.bench = (void *)((char *)block + (64 - (uintptr_t)block % 64)),
			.arena = arena,
			.out = out,
			.paths = 1,
			.shortest = UINT32_MAX};
		out->pairs = 0;
		for (uint32_t v = 0; v < 3; v++) {
			out->block[v] = l->launch->ask.block[v];
			/* y and z end at 65,535 */
			p.most[v] = !most[i] || (v && grid[v] <= 1) ? grid[v]
				: v && most[i] > 65535              ? 65535
								    : most[i];
		}
		if (l->launch->ask.cluster[0] * l->launch->ask.cluster[1] *
				l->launch->ask.cluster[2] >
			1)
			fail(&p, p.code->nops, p.code->nops, "the launch has clusters");
		else
			run_paths(&p);
		if (!p.failed)
			compare_accesses(&p);
		out->accesses = p.reached.count;
		out->as_launched = !most[i];
		if (!p.failed)
			memcpy(out->most, p.most, sizeof p.most);
		vec_free(&p.open);
		vec_free(&p.reached);
		if (!p.failed || !p.smaller)
			break;
	}
	memory_drop(block);
	return true;
}
