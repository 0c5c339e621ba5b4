/* mov (PTX ISA 9.7.10.3): registers and constants, special registers, addresses of variables and
 * functions, packing and unpacking of vectors. */
#include "isa/rule.h"

static const struct spec dest = {.kind = SPEC_DEST, .name = "d"};
static const struct spec source = {.kind = SPEC_SOURCE, .flags = SPEC_NEG, .name = "a"};

static bool mov_is_integer(enum type t)
{
	unsigned c = type_info[t].class;
	return c == CLASS_BITS || c == CLASS_UNSIGNED || c == CLASS_SIGNED;
}

/* Whether instruction type T may read special register type S: same width; 32-bit ones also as .u16
 * and .s16. */
static bool sreg_fits(enum type t, enum type s)
{
	unsigned have = type_info[s].bits, want = type_info[t].bits;
	return mov_is_integer(t) && (want == have || (t != TYPE_b16 && want == 16 && have == 32));
}

static bool at_operand(struct miss *m, int operand)
{
	m->operand = operand;
	return false;
}

/* Reports a negated special register other than a predicate. */
static bool reject_negated(const struct isa_operand *o, int k, struct miss *m)
{
	if (!o->negated || o->type == TYPE_pred)
		return false;
	m->kind = MISS_NEGATED;
	m->count = 1;
	m->spec = &source;
	at_operand(m, k);
	return true;
}

/* Checks O, which is operand K or an element of it. */
static bool mov_scalar(
	const struct view *v, enum type t, int k, const struct isa_operand *o, struct miss *m)
{
	if (k == 0)
		return scalar_fits(v, &dest, t, o, m) || at_operand(m, k);
	switch (o->kind) {
	case OPERAND_SREG:
		if (reject_negated(o, k, m))
			return false;
		if (sreg_info[o->value < SREG_COUNT ? o->value : 0].vector && !o->component)
			return rule_says(m, -1, k,
				"this special register has the components .x .y .z .w",
				"name one of them, or use mov.v4.u32");
		if (o->component && !sreg_info[o->value < SREG_COUNT ? o->value : 0].vector)
			return rule_says(m, -1, k, "this special register has no components", NULL);
		if (o->type == TYPE_pred ? t == TYPE_pred : sreg_fits(t, (enum type)o->type))
			return true;
		m->type = (uint8_t)t;
		m->kind = MISS_TYPE;
		m->count = 1;
		m->spec = &source;
		return at_operand(m, k);
	case OPERAND_VAR:
		if (mov_is_integer(t) && type_info[t].bits >= 32 && type_info[t].bits <= 64) {
			enum word s = (enum word)o->space;
			if (type_info[t].bits == 32 && (s == W_global || s == W_const) &&
				v->target->address_size != 32)
				return rule_says(m, -1, k,
					"the address of a .global or .const variable has 64 bits",
					"mov.u64");
			return true;
		}
		return rule_says(m, -1, k,
			"the address of a variable is an integer of 32 or 64 bits", "mov.u64");
	case OPERAND_FUNC: /* ptxas truncates or extends the address to any type */
		if (mov_is_integer(t) && type_info[t].bits == 64)
			return true;
		m->lax = true;
		return (type_info[t].bits <= 64 && t != TYPE_pred) ||
			rule_says(m, -1, k, "the address of a function has 64 bits", "mov.u64");
	default: return scalar_fits(v, &source, t, o, m) || at_operand(m, k);
	}
}

static bool whole_vector(const struct isa_operand *o)
{
	return o->kind == OPERAND_VECTOR || (o->kind == OPERAND_REG && o->vector && !o->component);
}

static bool mov_element(
	const struct view *v, enum type t, int vector, const struct isa_operand *o, struct miss *m)
{
	return (o->kind == OPERAND_SINK && !vector) ||
		(vector && o->kind == OPERAND_SREG
				? mov_scalar(v, t, vector, o, m)
				: scalar_fits(v, vector ? &source : &dest, t, o, m));
}

/* Checks mov.b32 d, {a, b} and mov.b32 {a, b}, d: the elements together have as many bits as the
 * type. VECTOR: index of the vector operand. */
static bool mov_packed(const struct view *v, enum type t, int vector, struct miss *m)
{
	const struct isa_operand *o = &v->operands[vector];
	unsigned n = o->kind == OPERAND_VECTOR ? o->nsub : o->vector;
	if (type_info[t].class != CLASS_BITS || type_info[t].bits < 16)
		return rule_says(m, v->slot_from[v->row->type[0] - 1], vector,
			"packing and unpacking need a .b type", "mov.b32 or mov.b64");
	if (o->kind == OPERAND_REG && n * type_info[o->type].bits != type_info[t].bits)
		return rule_says(m, -1, vector,
			"the elements of the vector register must have as many bits as the type",
			NULL);
	if (!elements_agree(o, m))
		return at_operand(m, vector);
	if (n != 1 && n != 2 && n != 4)
		return rule_says(m, -1, vector, "a vector has one, two or four elements", NULL);
	unsigned bits = type_info[t].bits / n;
	enum type each = bits == 8 ? TYPE_b8
		: bits == 16       ? TYPE_b16
		: bits == 32       ? TYPE_b32
		: bits == 64       ? TYPE_b64
		: bits == 128      ? TYPE_b128
				   : TYPE_NONE;
	unsigned known = o->kind == OPERAND_REG;
	if (each == TYPE_NONE)
		return rule_says(m, -1, vector, "the elements cannot be that small", NULL);
	for (unsigned i = 0; i < o->nsub; i++) {
		known += o->sub[i].kind == OPERAND_REG;
		if (!mov_element(v, each, vector, &o->sub[i], m)) {
			m->sub = (int)i;
			return at_operand(m, vector);
		}
	}
	if (!known && !vector)
		return rule_says(m, -1, vector, "at least one element is a register", NULL);
	m->singles |= (uint32_t)(o->kind == OPERAND_VECTOR && n == 1) << vector;
	return mov_scalar(v, t, !vector, &v->operands[!vector], m);
}

static bool mov_vectors(const struct view *v, enum type t, unsigned n, struct miss *m)
{
	if (t == TYPE_pred)
		return rule_says(m, v->slot_from[v->row->vec - 1], -1,
			"there are no vectors of predicates", NULL);
	if (n * type_info[t].bits > 128)
		return rule_says(m, v->slot_from[v->row->vec - 1], -1,
			"a vector has at most 128 bits", NULL);
	for (int k = 0; k < 2; k++) {
		const struct isa_operand *o = &v->operands[k];
		unsigned known = 0;
		m->expected = (uint8_t)n;
		if (o->kind == OPERAND_REG && o->vector == n && !o->component) {
			if (!type_agrees(t, (enum type)o->type, false)) {
				m->kind = MISS_TYPE;
				m->type = (uint8_t)t;
				m->count = 1;
				m->spec = &source;
				return at_operand(m, k);
			}
			continue;
		}
		if (k && o->kind == OPERAND_SREG && !o->component &&
			sreg_fits(t, (enum type)o->type) &&
			sreg_info[o->value < SREG_COUNT ? o->value : 0].vector == n) {
			if (reject_negated(o, k, m))
				return false;
			continue;
		}
		if (o->kind == OPERAND_VECTOR && !elements_agree(o, m))
			return at_operand(m, k);
		if (o->kind != OPERAND_VECTOR || o->nsub != n) {
			m->kind = MISS_VECTOR;
			m->count = 1;
			m->spec = &source;
			return at_operand(m, k);
		}
		for (unsigned i = 0; i < n; i++) {
			known += o->sub[i].kind == OPERAND_REG;
			if (!mov_element(v, t, k, &o->sub[i], m)) {
				m->sub = (int)i;
				return at_operand(m, k);
			}
		}
		if (!known && !k)
			return rule_says(m, -1, k, "at least one element is a register", NULL);
	}
	return true;
}

bool rule_mov(const struct view *v, struct miss *m)
{
	enum type t = view_type(v, 0);
	unsigned n = view_vector(v);
	if (n)
		return mov_vectors(v, t, n, m);
	bool left = whole_vector(&v->operands[0]), right = whole_vector(&v->operands[1]);
	if (left && right)
		return rule_says(m, -1, 1, "one side is a vector, the other a register", NULL);
	if (left || right)
		return mov_packed(v, t, right, m);
	return mov_scalar(v, t, 0, &v->operands[0], m) && mov_scalar(v, t, 1, &v->operands[1], m);
}
