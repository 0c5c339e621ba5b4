/* What a thread computes, with %tid and %ctaid unknown: a register is a number, which all threads
 * have, or a linear expression over them, or anything. A register wraps around, an expression does
 * not: it is used as a number only where it fits into the register's type, given what the path
 * requires. */
#include "explore/ptx/any_thread.h"

/* --- what is required of a thread --- */

void any_require_thread(const struct proof *p, uint32_t first, struct linear_set *s)
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

bool any_impossible(struct proof *p, struct linear_set *s)
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
	any_require_thread(p, 0, &s);
	for (uint32_t k = 0; k < h->nrequired; k++)
		linear_require(&s, &h->required[k]);
	linear_require(&s, &not );
	return any_impossible(p, &s);
}

/* Whether EXPR is certainly in [LOW, HIGH]. */
static bool is_within(
	struct proof *p, const struct path *h, const struct linear *expr, int64_t low, int64_t high)
{
	struct linear zero = linear_constant(low), most = linear_constant(-high), a, b;
	return linear_add(&zero, -1, expr, &a) && linear_add(&most, 1, expr, &b) &&
		is_certain(p, h, &a) && is_certain(p, h, &b);
}

bool any_fits(struct proof *p, const struct path *h, const struct linear *expr, unsigned bytes,
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

bool any_assume(struct proof *p, struct path *h, const struct condition *c, bool holds)
{
	if (c->n != 1 && c->any == holds)
		return true; /* one of several, which is not known */
	for (uint32_t k = 0; k < c->n; k++)
		require_comparison(p, h, &c->at[k], holds);
	struct linear never = linear_constant(1);
	return c->n == 0 || !is_certain(p, h, &never);
}

/* --- registers --- */

bool any_operand(const struct proof *p, const struct path *h, const struct op *op, unsigned k,
	struct shadow *out)
{
	uint16_t s = slot_of(p, op->at[k]);
	*out = (struct shadow){.some = true};
	if (s != PTX_NO_SLOT) {
		out->into = h->shadow[s].into;
		out->mixed = h->shadow[s].mixed;
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

void any_forget(struct proof *p, struct path *h, const struct ptx_op *o)
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
	*out = (struct shadow){.some = true, .mixed = a->into || b->into || a->mixed || b->mixed};
	return linear_is_constant(&c->expr) &&
		linear_add(&zero, c->expr.k[LINEAR_ONE], &x->expr, &out->expr);
}

/* A + SIGN * B. */
static bool sum(const struct shadow *a, int sign, const struct shadow *b, struct shadow *out)
{
	bool mixed = a->mixed || b->mixed || (b->into && (a->into || sign < 0));
	const struct memory_block *into = mixed ? NULL : a->into ? a->into : b->into;
	struct linear expr;
	if (!linear_add(&a->expr, sign, &b->expr, &expr))
		return false;
	*out = (struct shadow){.some = true, .into = into, .mixed = mixed, .expr = expr};
	return true;
}

/* The value of V's register as an integer of type T; false: it may have wrapped around. */
static bool as_number(struct proof *p, const struct path *h, enum type t, struct shadow *v)
{
	unsigned bytes = type_bytes(t);
	if (linear_is_constant(&v->expr) && !is_signed_type(t) && bytes < 8)
		v->expr.k[LINEAR_ONE] &= (INT64_C(1) << 8 * bytes) - 1;
	return is_integer(t) && any_fits(p, h, &v->expr, bytes, is_signed_type(t));
}

/* What OP, whose instruction is spelled S, computes from expressions. False: anything. */
static bool compute_expression(struct proof *p, const struct path *h, const struct op *op,
	const struct spelling *s, struct shadow *out)
{
	struct shadow a, b = {0}, c = {0}, ab;
	unsigned n = op->noperands - op->ndests;
	/* what is narrower than its register is extended, and then no longer the same modulo that
	 */
	if (op->ndests != 1 || s->ntypes == 0 ||
		op->width[0] != type_bytes(s->type[0]) * (s->wide ? 2 : 1) || !n ||
		!any_operand(p, h, op, 1, &a) || (n > 1 && !any_operand(p, h, op, 2, &b)) ||
		(n > 2 && !any_operand(p, h, op, 3, &c)) || s->other || !is_integer(s->type[0]))
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
		!any_operand(p, h, op, 1, &a) || !any_operand(p, h, op, 2, &b) ||
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
	} else if (op->kind == KIND_CVTA && to != PTX_NO_SLOT && any_operand(p, h, op, 1, &v)) {
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
	any_forget(p, h, o);
}

/* Registers whose values are the same in every grid. */
static bool same_everywhere(const struct op *op)
{
	return op->kind == KIND_SREG ? op->sreg.which == SREG_ntid
				     : op->kind != KIND_MAPA && op->kind != KIND_GETCTARANK;
}

void any_compute(struct proof *p, struct path *h, const struct op *op, const struct ptx_op *o)
{
	bool known = same_everywhere(op);
	const struct memory_block *into = NULL;
	uint32_t pointers = 0;
	bool mixed = false;
	for (const uint16_t *k = o->source; *k != PTX_NO_SLOT; k++) {
		known &= row_has(ptx_known(p->code, h->state), *k);
		pointers += h->shadow[*k].into != NULL;
		into = h->shadow[*k].into ? h->shadow[*k].into : into;
		mixed |= h->shadow[*k].mixed;
	}
	if (!known) {
		compute_unknown(p, h, op, o);
		return;
	}
	mixed |= pointers > 1;
	ptx_compute(p->bench, op);
	for (const uint16_t *d = o->dest; *d != PTX_NO_SLOT; d++) {
		set_anything(p, h, *d);
		row_put(ptx_known(p->code, h->state), *d);
		h->shadow[*d].into = mixed ? NULL : into;
		h->shadow[*d].mixed = mixed;
		if (!pointers && !mixed && (op->kind == KIND_ADDRESS || op->kind == KIND_ALU)) {
			uint64_t v = register_get(
				op_lanes(&p->bench->warp, op, 0), p->bench->lane, op->width[0]);
			const struct memory_block *m = memory_find(p->client->machine->memory, v);
			h->shadow[*d].into = op->width[0] == 8 && m->kind != MEMORY_NOTHING ? m
											    : NULL;
		}
	}
}
