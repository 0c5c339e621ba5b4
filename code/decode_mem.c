/* Decoding of ld, st, atom and red: state space, order, type and elements. */
#include "base/assert.h"
#include "code/decode.h"

static enum word space_of(const struct decoder *d)
{
	static const uint16_t spaces[] = {W_global, W_shared, W_local, W_const, W_param,
		W_shared__cta, W_shared__cluster, W_param__entry, W_param__func};
	enum word s = decode_which(d, spaces, sizeof spaces / sizeof *spaces);

	switch ((int)s) {
	case W_shared__cta:
	case W_shared__cluster: return W_shared;
	case W_param__entry:
	case W_param__func: return W_param;
	default: return s;
	}
}

static void set_order(const struct decoder *d, struct op_access *a)
{
	a->sem = (uint8_t)decode_sem(d, SEM_WEAK);
	/* volatile is relaxed with system scope (PTX ISA 8.4) */
	a->scope = (uint8_t)(decode_has(d, W_volatile) ? SCOPE_SYS : decode_scope(d, SCOPE_SYS));
}

/* The base of an address: a place, the constant offset, and the state space with .param resolved to
 * entry or function parameters. */
struct base {
	uint32_t place;
	unsigned width;
	int64_t add;
	uint8_t from; /* enum op_base */
	uint16_t space;
	bool constant; /* no base register: the address is `add` */
};

static uint16_t param_space(const struct decoder *d, const struct decode_address *a)
{
	if (a->var != IR_NONE)
		return a->frame_base ? W_local : W_param;
	return d->func->is_entry && !decode_has(d, W_param__func) ? W_param : W_local;
}

static struct base decode_base(struct decoder *d, const struct ir_operand *o, enum word space)
{
	struct decode_address a;
	struct base b = {.space = (uint16_t)space};

	decode_addressing(d, o, &a);
	if (space == W_param)
		b.space = param_space(d, &a);
	/* without a state space, the address of a variable is generic */
	else if (space == W_NONE && a.var != IR_NONE)
		b.space = a.space == W_shared__cta           ? W_shared
			: a.space == W_param && a.frame_base ? W_local
							     : a.space;
	b.add = a.offset;
	b.from = a.frame_base ? BASE_FRAME : a.dynamic_shared ? BASE_DYNAMIC : BASE_PLAIN;
	if (a.has_base) {
		b.place = a.place;
		b.width = a.width;
	} else {
		b.constant = true;
		b.width = b.space == W_shared || b.space == W_local ? 4 : 8;
		b.place = b.space == W_shared && a.var != IR_NONE ? decode_shared(d, 0, b.width)
								  : decode_constant(d, 0, b.width);
	}
	return b;
}

static void set_base(struct op *op, unsigned operand, const struct base *b)
{
	op->access.base_operand = (uint8_t)operand;
	op->access.base = b->from;
	op->access.add = b->add;
	op->access.space = b->space;
}

/* The elements of a vector operand, or the single element of a scalar. Returns their number. */
static unsigned vector_elements(
	const struct decoder *d, const struct ir_operand *o, const struct ir_operand **e)
{
	if (o->kind == IR_VEC || o->kind == IR_PAIR || o->kind == IR_LIST) {
		assert(o->count <= MAX_VECTOR);
		*e = &d->module->operand[o->index];
		return o->count;
	}
	*e = o;
	return 1;
}

/* A source of at least WIDTH bytes per lane: no form accepts narrower registers. */
static uint32_t access_source(
	struct decoder *d, const struct ir_operand *o, unsigned width, unsigned *have)
{
	uint32_t place;

	*have = width;
	place = decode_source(d, o, have);
	assert(*have >= width);
	return place;
}

/* The number of components of a whole vector register (.v2, .v4) given as one operand, or 0. */
static unsigned vector_register(const struct decoder *d, const struct ir_operand *o)
{
	return o->kind == IR_REG && !o->aux ? d->module->reg[d->func->reg + o->index].vector : 0;
}

static struct op_vector *vector_new(struct decoder *d)
{
	return ARENA_NEW(d->arena, struct op_vector);
}

/* Sets column K of V to the places of the N elements of operand O. */
static void vector_places(struct decoder *d, struct op_vector *v, unsigned k,
	const struct ir_operand *o, unsigned n, unsigned bytes, bool write)
{
	const struct ir_operand *e;
	unsigned have = vector_elements(d, o, &e), width;

	for (unsigned i = 0; i < n; i++) {
		width = bytes;
		if (vector_register(d, o) && n > 1)
			v->place[k][i] = decode_register(d, o, i, &width);
		else if (write)
			v->place[k][i] = i < have ? decode_dest(d, &e[i], &width)
						  : decode_scratch(d, bytes);
		else
			v->place[k][i] = i < have ? access_source(d, &e[i], bytes, &width)
						  : decode_constant(d, 0, bytes);
		v->width[k][i] = (uint8_t)width;
	}
}

/* The number of elements: the instruction's vector word. */
static unsigned element_count(const struct decoder *d)
{
	return decode_has(d, W_v8) ? 8 : decode_has(d, W_v4) ? 4 : decode_has(d, W_v2) ? 2 : 1;
}

/* The fields of op_access that the words of a memory instruction determine. */
static struct op_access access_of(const struct decoder *d)
{
	enum type t = decode_type(d);
	struct op_access a = {.type = (uint8_t)t,
		.bytes = (uint8_t)type_bytes(t),
		.vector = (uint8_t)element_count(d),
		.is_signed = type_info[t].class == CLASS_SIGNED,
		.atomic = ATOMIC_NONE};

	set_order(d, &a);
	return a;
}

/* Whether ld.param A with base B reads the same bytes of F's parameters in every lane. */
static bool is_fixed(const struct op_access *a, const struct base *b, const struct ir_func *f)
{
	return a->vector == 1 && b->space == W_param && b->constant && a->bytes <= 8 &&
		b->add >= 0 && b->add % a->bytes == 0 &&
		(uint64_t)b->add + a->bytes <= f->param_bytes;
}

void decode_ld(struct decoder *d, const struct ir_insn *i)
{
	struct base b = decode_base(d, decode_operand(d, i, 1), space_of(d));
	const struct ir_operand *to = decode_operand(d, i, 0);
	struct op_access a = access_of(d);
	struct op_vector *v = NULL;
	uint32_t place = 0;
	unsigned width = a.bytes;
	struct op *op;

	if (a.vector > 1) {
		v = vector_new(d);
		vector_places(d, v, 0, to, a.vector, a.bytes, true);
	} else {
		place = decode_dest(d, to, &width);
	}
	a.vector_at = v;
	a.texture_proxy = decode_has(d, W_nc) || decode_has(d, W_proxy__readonly);
	a.fixed = is_fixed(&a, &b, d->func);
	op = decode_emit(d, KIND_LOAD);
	op->access = a;
	for (unsigned k = 0; v && k < a.vector; k++)
		decode_add(op, v->place[0][k], v->width[0][k]);
	if (!v)
		decode_add(op, place, width);
	op->ndests = op->noperands;
	decode_add(op, b.place, b.width);
	set_base(op, op->ndests, &b);
}

void decode_st(struct decoder *d, const struct ir_insn *i)
{
	struct base b = decode_base(d, decode_operand(d, i, 0), space_of(d));
	const struct ir_operand *from = decode_operand(d, i, 1);
	struct op_access a = access_of(d);
	struct op_vector *v = NULL;
	uint32_t place = 0;
	unsigned width;
	struct op *op;

	if (a.vector > 1) {
		v = vector_new(d);
		vector_places(d, v, 1, from, a.vector, a.bytes, false);
	} else {
		place = access_source(d, from, a.bytes, &width);
	}
	a.vector_at = v;
	op = decode_emit(d, KIND_STORE);
	op->access = a;
	decode_add(op, b.place, b.width);
	for (unsigned k = 0; v && k < a.vector; k++)
		decode_add(op, v->place[1][k], v->width[1][k]);
	if (!v)
		decode_add(op, place, width);
	set_base(op, 0, &b);
}

/* --- atom, red: operands of the op are destination (scratch for red), address, b, c --- */

static bool is_integer_access(const struct op_access *a)
{
	unsigned class = type_info[a->type].class;

	return a->bytes >= 4 && a->bytes <= 8 &&
		(class == CLASS_BITS || class == CLASS_UNSIGNED || class == CLASS_SIGNED);
}

static void decode_atomic(struct decoder *d, const struct ir_insn *i, bool red)
{
	unsigned first = red ? 0 : 1, w0, w2, w3 = 0;
	struct base b = decode_base(d, decode_operand(d, i, first), space_of(d));
	struct op_access a = access_of(d);
	struct op_vector *v = NULL;
	uint32_t to = 0, p2 = 0, p3 = 0;
	struct op *op;

	a.atomic = (uint8_t)decode_atomic_operation(d);
	w0 = w2 = a.bytes;
	if (a.vector > 1) {
		v = vector_new(d);
		vector_places(d, v, 1, decode_operand(d, i, first + 1), a.vector, a.bytes, false);
		for (unsigned k = 0; red && k < a.vector; k++) {
			v->place[0][k] = decode_scratch(d, a.bytes);
			v->width[0][k] = a.bytes;
		}
		if (!red)
			vector_places(d, v, 0, decode_operand(d, i, 0), a.vector, a.bytes, true);
		to = v->place[0][0];
		p2 = v->place[1][0];
	} else {
		p2 = access_source(d, decode_operand(d, i, first + 1), a.bytes, &w2);
		if (a.atomic == ATOMIC_CAS)
			p3 = access_source(d, decode_operand(d, i, first + 2), a.bytes, &w3);
		to = red ? decode_scratch(d, a.bytes)
			 : decode_dest(d, decode_operand(d, i, 0), &w0);
		a.unread = red || decode_unread(d, decode_operand(d, i, 0));
	}
	a.sem = (uint8_t)decode_sem(d, SEM_RELAXED); /* the default order (PTX ISA 9.7.15.5) */
	a.scope = (uint8_t)decode_scope(d, SCOPE_GPU);
	a.vector_at = v;
	a.integer = is_integer_access(&a);
	a.noftz = decode_has(d, W_noftz);
	op = decode_emit(d, red ? KIND_RED : KIND_ATOM);
	op->access = a;
	decode_add(op, to, w0);
	op->ndests = 1;
	decode_add(op, b.place, b.width);
	decode_add(op, p2, w2);
	if (w3)
		decode_add(op, p3, w3);
	set_base(op, 1, &b);
}

void decode_atom(struct decoder *d, const struct ir_insn *i) { decode_atomic(d, i, false); }

void decode_red(struct decoder *d, const struct ir_insn *i) { decode_atomic(d, i, true); }
