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
#include "explore/ptx/any_grid.h"
#include "base/memory.h"
#include "explore/ptx/linear.h"
#include "explore/ptx/thread.h"
#include "interp/memory/memory.h"
#include <string.h>

enum {
	MAX_PATHS = 1024,
	MAX_STEPS = 1 << 18,
	MAX_REACHED = 1024,
	MAX_PHASES = 1024,
	MAX_REQUIRED = 40,
	MAX_CALCULATIONS = 40000,
	MAX_COMPARED = 4
};

/* What a register is, if it is not a number: in bytes WIDTH, EXPR modulo 2^(8 WIDTH). */
struct shadow {
	bool some;
	struct linear expr;
	/* the buffer that it points into; also of numbers */
	const struct memory_block *into;
};

enum relation { AT_MOST, EQUAL, UNEQUAL }; /* compared with 0 */
struct comparison {
	struct linear expr;
	enum relation relation;
};

/* A predicate: all of its comparisons, or, ANY, any of them. */
struct condition {
	uint32_t n;
	bool any;
	struct comparison at[MAX_COMPARED];
};

struct path {
	struct ptx_state *state;
	struct shadow *shadow;       /* [nslots] */
	struct condition *condition; /* [nslots] */
	struct linear required[MAX_REQUIRED];
	uint32_t nrequired, barriers;
	bool accessed; /* since the last barrier */
};

struct reached {
	uint32_t op, bytes, interval;
	bool write, shared, anywhere; /* ANYWHERE: the address is not known */
	const struct memory_block *into;
	struct linear at;
	const struct linear *required;
	uint32_t nrequired;
};

struct proof {
	const struct explore_program *program;
	const struct ptx_client *client;
	const struct ptx_launch *launch;
	const struct ptx_code *code;
	struct ptx_bench *bench;
	struct arena *arena;
	struct any_grid *out;
	uint64_t most[3];
	VEC(struct path) open;
	VEC(struct reached) reached;
	uint32_t steps, paths, calculations;
	uint64_t barrier[MAX_PHASES]; /* the number of each, in the order of every path */
	uint32_t barriers;            /* of the longest path so far */
	uint32_t shortest; /* of the paths that end after an access without a further barrier */
	bool failed;
	bool smaller; /* a smaller grid may make a difference */
};

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

/* --- what is required of a thread --- */

/* Requires that %tid and %ctaid, the variables from FIRST on, are those of a thread. */
static void require_thread(const struct proof *p, uint32_t first, struct linear_set *s)
{
	for (uint32_t v = 0; v < LINEAR_OWN; v++) {
		uint64_t most = v < LINEAR_CTAID ? p->out->block[v] : p->most[v - LINEAR_CTAID];
		struct linear low = {0}, high = linear_constant(-(int64_t)(most - 1));
		low.k[first + v] = -1;
		high.k[first + v] = 1;
		linear_require(s, &low);
		linear_require(s, &high);
	}
}

/* The same expression for the second thread; of the same CTA: %ctaid is the same. */
static struct linear of_second(const struct linear *l, bool same_cta)
{
	struct linear out = linear_constant(l->k[LINEAR_ONE]);
	for (uint32_t v = 0; v < LINEAR_OWN; v++)
		out.k[same_cta && v >= LINEAR_CTAID ? v : v + LINEAR_OWN] = l->k[v];
	return out;
}

static bool is_impossible(struct proof *p, struct linear_set *s)
{
	p->calculations++;
	return linear_impossible(s);
}

/* Whether path H requires L <= 0. */
static bool is_certain(struct proof *p, const struct path *h, const struct linear *l)
{
	struct linear_set s = {0};
	struct linear zero = linear_constant(1), not ;
	if (!linear_add(&zero, -1, l, &not )) /* 1 - L <= 0 */
		return false;
	require_thread(p, 0, &s);
	for (uint32_t k = 0; k < h->nrequired; k++)
		linear_require(&s, &h->required[k]);
	linear_require(&s, &not );
	return is_impossible(p, &s);
}

/* Whether EXPR is certainly in [LOW, HIGH]. */
static bool is_within(
	struct proof *p, const struct path *h, const struct linear *expr, int64_t low, int64_t high)
{
	struct linear zero = linear_constant(low), most = linear_constant(-high), a, b;
	return linear_add(&zero, -1, expr, &a) && linear_add(&most, 1, expr, &b) &&
		is_certain(p, h, &a) && is_certain(p, h, &b);
}

/* Whether EXPR fits into an integer of BYTES bytes. */
static bool fits(struct proof *p, const struct path *h, const struct linear *expr, unsigned bytes,
	bool is_signed)
{
	if (bytes == 8)
		return is_within(p, h, expr, is_signed ? -(INT64_C(1) << 60) : 0, INT64_C(1) << 60);
	int64_t half = INT64_C(1) << (8 * bytes - 1);
	return is_within(p, h, expr, is_signed ? -half : 0, is_signed ? half - 1 : 2 * half - 1);
}

/* Adds L <= 0 to what H requires; too many requirements are left out. */
static void require(struct path *h, const struct linear *l)
{
	if (!linear_is_constant(l) && h->nrequired < MAX_REQUIRED)
		h->required[h->nrequired++] = *l;
}

static bool negated(const struct linear *l, int64_t add, struct linear *out)
{
	struct linear c = linear_constant(add);
	return linear_add(&c, -1, l, out);
}

static void require_comparison(
	struct proof *p, struct path *h, const struct comparison *c, bool holds)
{
	struct linear other, up, one = linear_constant(1);
	enum relation relation = c->relation;
	if (!negated(&c->expr, 0, &other))
		return;
	if (relation != AT_MOST && !holds)
		relation = relation == EQUAL ? UNEQUAL : EQUAL;
	switch (relation) {
	case AT_MOST:
		if (holds)
			require(h, &c->expr);
		else if (negated(&c->expr, 1, &up))
			require(h, &up);
		break;
	case EQUAL:
		require(h, &c->expr);
		require(h, &other);
		break;
	case UNEQUAL: /* of use only at the end of a range */
		if (is_certain(p, h, &c->expr) && linear_add(&c->expr, 1, &one, &up))
			require(h, &up);
		else if (is_certain(p, h, &other) && linear_add(&other, 1, &one, &up))
			require(h, &up);
		break;
	}
}

/* Adds what follows from condition C being HOLDS. False: it cannot be. */
static bool assume(struct proof *p, struct path *h, const struct condition *c, bool holds)
{
	if (c->n != 1 && c->any == holds)
		return true; /* one of several, which is not known */
	for (uint32_t k = 0; k < c->n; k++)
		require_comparison(p, h, &c->at[k], holds);
	struct linear never = linear_constant(1);
	return c->n == 0 || !is_certain(p, h, &never);
}

/* --- registers --- */

static uint16_t slot_of(const struct proof *p, uint32_t place)
{
	return ptx_slot_at(p->bench->part, place);
}

/* Operand K of OP as an expression, modulo its width. False: it may be anything. */
static bool operand(const struct proof *p, const struct path *h, const struct op *op, unsigned k,
	struct shadow *out)
{
	uint16_t s = slot_of(p, op->at[k]);
	*out = (struct shadow){.some = true};
	if (s != PTX_NO_SLOT) {
		out->into = h->shadow[s].into;
		if (!row_has(ptx_known(p->code, h->state), s)) {
			*out = h->shadow[s];
			return out->some;
		}
	}
	uint64_t v = register_get(op_lanes(&p->bench->warp, op, k), p->bench->lane, op->width[k]);
	int64_t c = op->width[k] == 4 ? (int32_t)(uint32_t)v
		: op->width[k] == 2   ? (int16_t)(uint16_t)v
				      : (int64_t)v;
	out->expr = linear_constant(c);
	return op->width[k] >= 2 && op->width[k] <= 8 && c < INT64_C(1) << 60 &&
		c > -(INT64_C(1) << 60);
}

static void set_anything(const struct proof *p, struct path *h, uint16_t slot)
{
	row_drop(ptx_known(p->code, h->state), slot);
	h->shadow[slot] = (struct shadow){0};
	h->condition[slot] = (struct condition){0};
}

static void set_expression(
	const struct proof *p, struct path *h, uint16_t slot, const struct shadow *v)
{
	set_anything(p, h, slot);
	h->shadow[slot] = *v;
}

static void forget_results(struct proof *p, struct path *h, const struct ptx_op *o)
{
	for (const uint16_t *d = o->dest; *d != PTX_NO_SLOT; d++)
		set_anything(p, h, *d);
}

/* The words of OP's instruction: the types, of which there may be two, and the others as a set of
 * those that matter. */
struct spelling {
	enum opcode opcode;
	enum type type[2];
	uint32_t ntypes;
	bool lo, wide, other;
	enum word compare;
};

static bool is_comparison(enum word w)
{
	switch ((unsigned)w) {
	case W_eq:
	case W_ne:
	case W_lt:
	case W_le:
	case W_gt:
	case W_ge:
	case W_lo:
	case W_ls:
	case W_hi:
	case W_hs: return true;
	default: return false;
	}
}

static struct spelling spelling_of(const struct proof *p, const struct op *op)
{
	const struct ir_module *m = p->code->module;
	const struct ir_insn *insn = &m->insn[op->insn];
	struct spelling s = {.opcode = (enum opcode)ir_form(insn)->opcode};
	for (uint32_t k = 0; k < insn->nwords; k++) {
		enum word w = (enum word)m->word[insn->word + k];
		if (word_type(w) != TYPE_NONE) {
			if (s.ntypes < 2)
				s.type[s.ntypes++] = word_type(w);
		} else if (s.opcode == OP_setp && is_comparison(w)) {
			s.compare = w;
		} else if (w == W_lo) {
			s.lo = true;
		} else if (w == W_wide) {
			s.wide = true;
		} else if (w != W_to && w != W_global && w != W_shared) {
			s.other = true;
		}
	}
	return s;
}

static bool is_signed_type(enum type t) { return t == TYPE_s16 || t == TYPE_s32 || t == TYPE_s64; }
static bool is_integer(enum type t)
{
	switch ((unsigned)t) {
	case TYPE_s16:
	case TYPE_s32:
	case TYPE_s64:
	case TYPE_u16:
	case TYPE_u32:
	case TYPE_u64:
	case TYPE_b16:
	case TYPE_b32:
	case TYPE_b64: return true;
	default: return false;
	}
}

/* A * B, one of which is a constant. */
static bool product(const struct shadow *a, const struct shadow *b, struct shadow *out)
{
	struct linear zero = linear_constant(0);
	const struct shadow *c = linear_is_constant(&a->expr) ? a : b, *x = c == a ? b : a;
	*out = (struct shadow){.some = true};
	return linear_is_constant(&c->expr) &&
		linear_add(&zero, c->expr.k[LINEAR_ONE], &x->expr, &out->expr);
}

/* A + SIGN * B. */
static bool sum(const struct shadow *a, int sign, const struct shadow *b, struct shadow *out)
{
	const struct memory_block *into = !b->into ? a->into
		: !a->into && sign > 0             ? b->into
						   : NULL;
	struct linear expr;
	if (!linear_add(&a->expr, sign, &b->expr, &expr))
		return false;
	*out = (struct shadow){.some = true, .into = into, .expr = expr};
	return true;
}

/* The value of V's register as an integer of type T; false: it may have wrapped around. */
static bool as_number(struct proof *p, const struct path *h, enum type t, struct shadow *v)
{
	unsigned bytes = type_bytes(t);
	if (linear_is_constant(&v->expr) && !is_signed_type(t) && bytes < 8)
		v->expr.k[LINEAR_ONE] &= (INT64_C(1) << 8 * bytes) - 1;
	return is_integer(t) && fits(p, h, &v->expr, bytes, is_signed_type(t));
}

/* What OP, whose instruction is spelled S, computes from expressions. False: anything. */
static bool compute_expression(struct proof *p, const struct path *h, const struct op *op,
	const struct spelling *s, struct shadow *out)
{
	struct shadow a, b = {0}, c = {0}, ab;
	unsigned n = op->noperands - op->ndests;
	if (op->ndests != 1 || !n || !operand(p, h, op, 1, &a) ||
		(n > 1 && !operand(p, h, op, 2, &b)) || (n > 2 && !operand(p, h, op, 3, &c)) ||
		s->other || !s->ntypes || !is_integer(s->type[0]))
		return false;
	switch ((unsigned)s->opcode) {
	case OP_mov: *out = a; return n == 1;
	case OP_add: return n == 2 && sum(&a, 1, &b, out);
	case OP_sub: return n == 2 && sum(&a, -1, &b, out);
	case OP_shl:
		if (n != 2 || !linear_is_constant(&b.expr) || b.expr.k[LINEAR_ONE] < 0 ||
			b.expr.k[LINEAR_ONE] >= 8 * (int)type_bytes(s->type[0]) ||
			b.expr.k[LINEAR_ONE] > 40)
			return false;
		b.expr = linear_constant(INT64_C(1) << b.expr.k[LINEAR_ONE]);
		return product(&a, &b, out);
	case OP_mul:
	case OP_mad:
		if (n != (s->opcode == OP_mul ? 2u : 3u) || s->lo == s->wide ||
			(s->wide &&
				(!as_number(p, h, s->type[0], &a) ||
					!as_number(p, h, s->type[0], &b))) ||
			!product(&a, &b, &ab))
			return false;
		*out = ab;
		return s->opcode == OP_mul || sum(&ab, 1, &c, out);
	case OP_cvt:
		*out = a;
		if (n != 1 || s->ntypes != 2 || !is_integer(s->type[1]))
			return false;
		/* a narrower result is the same modulo its width */
		return type_bytes(s->type[0]) <= type_bytes(s->type[1]) ||
			as_number(p, h, s->type[1], out);
	default: return false;
	}
}

/* setp: the difference of the operands, compared with 0. */
static bool compute_comparison(struct proof *p, const struct path *h, const struct op *op,
	const struct spelling *s, struct condition *out)
{
	struct shadow a, b, d, one = {.some = true, .expr = linear_constant(1)};
	*out = (struct condition){.n = 1};
	struct comparison *c = &out->at[0];
	if (op->ndests != 1 || op->noperands != 3 || s->ntypes != 1 || s->other ||
		!operand(p, h, op, 1, &a) || !operand(p, h, op, 2, &b) ||
		!as_number(p, h, s->type[0], &a) || !as_number(p, h, s->type[0], &b))
		return false;
	bool greater = s->compare == W_gt || s->compare == W_ge || s->compare == W_hi ||
		s->compare == W_hs,
	     strict = s->compare == W_lt || s->compare == W_gt || s->compare == W_lo ||
		s->compare == W_hi;
	if (!(greater ? sum(&b, -1, &a, &d) : sum(&a, -1, &b, &d)) ||
		(strict && !sum(&d, 1, &one, &d)))
		return false;
	c->expr = d.expr;
	c->relation = s->compare == W_eq ? EQUAL : s->compare == W_ne ? UNEQUAL : AT_MOST;
	return true;
}

/* and, or, not of predicates. */
static bool compute_condition(const struct proof *p, const struct path *h, const struct op *op,
	const struct spelling *s, struct condition *out)
{
	uint16_t a = slot_of(p, op->at[1]), b = op->noperands > 2 ? slot_of(p, op->at[2]) : a;
	if (a == PTX_NO_SLOT || b == PTX_NO_SLOT || (s->opcode != OP_and && s->opcode != OP_or) ||
		op->alu.complemented || op->ndests != 1)
		return false;
	bool any = s->opcode == OP_or;
	*out = (struct condition){.any = any};
	for (unsigned k = 0; k < 2; k++) {
		uint16_t slot = k ? b : a;
		const struct condition *from = &h->condition[slot];
		/* a part that is not known is left out: what is left still follows from all of
		 * them, or from none of them */
		if (row_has(ptx_known(p->code, h->state), slot))
			return false;
		for (uint32_t i = 0; i < from->n && (from->n == 1 || from->any == any); i++) {
			if (out->n < MAX_COMPARED)
				out->at[out->n++] = from->at[i];
		}
	}
	/* one that is left alone would be taken for the whole */
	if (out->n == 1)
		out->at[out->n++] = out->at[0];
	return true;
}

static bool alone_in_instruction(const struct proof *p, const struct op *op)
{
	uint32_t k = (uint32_t)(op - p->code->ops);
	return op->insn != IR_NONE && op->first &&
		(k + 1 == p->code->nops || p->code->ops[k + 1].insn != op->insn ||
			p->code->ops[k + 1].first);
}

/* OP has an operand that is not a number. */
static void compute_unknown(
	struct proof *p, struct path *h, const struct op *op, const struct ptx_op *o)
{
	struct shadow v = {.some = true};
	struct condition c;
	uint16_t to = op->ndests ? slot_of(p, op->at[0]) : PTX_NO_SLOT;
	bool predicate = to != PTX_NO_SLOT && p->code->slot[to].width == 0;
	if (op->kind == KIND_SREG) {
		bool tid = op->sreg.which == SREG_tid,
		     axis = op->sreg.component >= 1 && op->sreg.component <= 3;
		if (axis && (tid || op->sreg.which == SREG_ctaid)) {
			v.expr.k[(tid ? LINEAR_TID : LINEAR_CTAID) + op->sreg.component - 1] = 1;
			set_expression(p, h, to, &v);
			return;
		}
	} else if (op->kind == KIND_CVTA && to != PTX_NO_SLOT && operand(p, h, op, 1, &v)) {
		struct linear add = linear_constant(op->cvta.add);
		if (op->width[1] == 8 && linear_add(&v.expr, 1, &add, &v.expr)) {
			set_expression(p, h, to, &v);
			return;
		}
	} else if (op->kind == KIND_ALU && to != PTX_NO_SLOT && alone_in_instruction(p, op)) {
		struct spelling s = spelling_of(p, op);
		if (predicate &&
			(s.opcode == OP_setp ? compute_comparison(p, h, op, &s, &c)
					     : compute_condition(p, h, op, &s, &c))) {
			set_anything(p, h, to);
			h->condition[to] = c;
			return;
		}
		if (!predicate && compute_expression(p, h, op, &s, &v)) {
			set_expression(p, h, to, &v);
			return;
		}
	}
	forget_results(p, h, o);
}

/* Registers whose values are the same in every grid. */
static bool same_everywhere(const struct op *op)
{
	return op->kind == KIND_SREG ? op->sreg.which == SREG_ntid
				     : op->kind != KIND_MAPA && op->kind != KIND_GETCTARANK;
}

static void compute(struct proof *p, struct path *h, const struct op *op, const struct ptx_op *o)
{
	bool known = same_everywhere(op);
	const struct memory_block *into = NULL;
	uint32_t pointers = 0;
	for (const uint16_t *k = o->source; *k != PTX_NO_SLOT; k++) {
		known &= row_has(ptx_known(p->code, h->state), *k);
		pointers += h->shadow[*k].into != NULL;
		into = h->shadow[*k].into ? h->shadow[*k].into : into;
	}
	if (!known) {
		compute_unknown(p, h, op, o);
		return;
	}
	ptx_compute(p->bench, op);
	for (const uint16_t *d = o->dest; *d != PTX_NO_SLOT; d++) {
		set_anything(p, h, *d);
		row_put(ptx_known(p->code, h->state), *d);
		h->shadow[*d].into = pointers == 1 ? into : NULL;
		if (!pointers && (op->kind == KIND_ADDRESS || op->kind == KIND_ALU)) {
			uint64_t v = register_get(
				op_lanes(&p->bench->warp, op, 0), p->bench->lane, op->width[0]);
			const struct memory_block *m = memory_find(p->client->machine->memory, v);
			h->shadow[*d].into = op->width[0] == 8 && m->kind != MEMORY_NOTHING ? m
											    : NULL;
		}
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
		.nrequired = h->nrequired};
	struct linear add = linear_constant(op->access.add);
	bool known = operand(p, h, op, op->access.base_operand, &at) &&
		linear_add(&at.expr, 1, &add, &at.expr);
	uint64_t offset;
	if (op->access.base == BASE_DYNAMIC)
		known = false;
	if (space == W_NONE && at.into)
		space = W_global;
	if (space == W_NONE && known && linear_is_constant(&at.expr))
		space = window_space((uint64_t)at.expr.k[LINEAR_ONE], &offset);
	r.shared = space == W_shared;
	if (space != W_global && space != W_shared) {
		fail(p, r.op, r.op, "it is not known which memory a generic address points to");
		return;
	}
	unsigned width = op->width[op->access.base_operand];
	known = known && fits(p, h, &at.expr, width, width == 8);
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
		forget_results(p, h, o);
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
	}
}

static void reach_barrier(struct proof *p, struct path *h, const struct op *op)
{
	struct shadow number;
	uint32_t at = (uint32_t)(op - p->code->ops), k = h->barriers;
	if (op->barrier.kind != BARRIER_SYNC || op->barrier.counted ||
		!operand(p, h, op, op->ndests, &number) || !linear_is_constant(&number.expr) ||
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
	bool is = assume(p, h, &c, !op->guard_xor), is_not = assume(p, &other, &c, op->guard_xor);
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
	case PTX_REGISTERS: compute(p, h, op, o); break;
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
	case PTX_NOTHING: forget_results(p, h, o); break;
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

/* Whether A of one thread and B of another one overlap, if besides the threads' own requirements
 * those of S hold. */
static bool may_overlap(struct proof *p, const struct reached *a, const struct reached *b,
	bool same_cta, const struct linear_set *more)
{
	struct linear_set s = *more;
	struct linear second = of_second(&b->at, same_cta), d, low, high;
	require_thread(p, 0, &s);
	require_thread(p, LINEAR_OWN, &s);
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
	return !is_impossible(p, &s);
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
	return (a->interval == b->interval && may_meet(p, a, b, true)) ||
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
					a->anywhere || b->anywhere
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
