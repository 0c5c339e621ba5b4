/* mov (PTX ISA 9.7.9.3): registers and constants, special registers, addresses of variables and functions, packing and unpacking of vectors. */
#include "isa/rule.h"

static const struct spec dest = {.kind = SPEC_DEST, .name = "d"};
static const struct spec source = {.kind = SPEC_SOURCE, .flags = SPEC_NEG, .name = "a"};

static bool integer(enum type t)
{
	unsigned c = type_info[t].class;
	return c == CLASS_BITS || c == CLASS_UNSIGNED || c == CLASS_SIGNED;
}

/* A special register is read with its own width; 32-bit ones also as .u16 and .s16. */
static bool sreg_fits(enum type t, enum type s)
{
	unsigned have = type_info[s].bits, want = type_info[t].bits;
	return integer(t) && (want == have || (t != TYPE_b16 && want == 16 && have == 32));
}

static bool at(struct miss *m, int operand)
{
	m->operand = operand;
	return false;
}

static bool scalar(const struct view *v, enum type t, int k, struct miss *m)
{
	const struct isa_operand *o = &v->operands[k];
	if (k == 0)
		return scalar_fits(v, &dest, t, o, m) || at(m, k);
	switch (o->kind) {
	case OPERAND_SREG:
		if (sreg_info[o->value < SREG_COUNT ? o->value : 0].vector && !o->component)
			return rule_says(m, -1, k, "this special register has the components .x .y .z .w", "name one of them, or use mov.v4.u32");
		if (o->component && !sreg_info[o->value < SREG_COUNT ? o->value : 0].vector)
			return rule_says(m, -1, k, "this special register has no components", NULL);
		if (o->type == TYPE_pred ? t == TYPE_pred : sreg_fits(t, (enum type)o->type))
			return true;
		m->type = (uint8_t)t;
		m->kind = MISS_TYPE;
		m->count = 1;
		m->spec = &source;
		return at(m, k);
	case OPERAND_VAR:
		if (integer(t) && type_info[t].bits >= 32 && type_info[t].bits <= 64) {
			enum word s = (enum word)o->space;
			if (type_info[t].bits == 32 && (s == W_global || s == W_const) && v->target->address_size != 32)
				return rule_says(m, -1, k, "the address of a .global or .const variable has 64 bits", "mov.u64");
			return true;
		}
		return rule_says(m, -1, k, "the address of a variable is an integer of 32 or 64 bits", "mov.u64");
	case OPERAND_FUNC: /* ptxas cuts the address, or fills it up, whatever the type */
		if (integer(t) && type_info[t].bits == 64)
			return true;
		m->lax = true;
		return (type_info[t].bits <= 64 && t != TYPE_pred) || rule_says(m, -1, k, "the address of a function has 64 bits", "mov.u64");
	default: return scalar_fits(v, &source, t, o, m) || at(m, k);
	}
}

/* mov.b32 d, {a, b} and mov.b32 {a, b}, d: the elements have the bits of the type together. */
static bool packed(const struct view *v, enum type t, int vector, struct miss *m)
{
	const struct isa_operand *o = &v->operands[vector];
	if (type_info[t].class != CLASS_BITS || type_info[t].bits < 16)
		return rule_says(m, v->slot_from[v->row->type[0] - 1], vector, "packing and unpacking need a .b type", "mov.b32 or mov.b64");
	if (!elements_agree(o, m))
		return at(m, vector);
	if (o->nsub != 2 && o->nsub != 4)
		return rule_says(m, -1, vector, "a vector has two or four elements", NULL);
	unsigned bits = type_info[t].bits / o->nsub;
	enum type element = bits == 8 ? TYPE_b8 : bits == 16 ? TYPE_b16 : bits == 32 ? TYPE_b32 : bits == 64 ? TYPE_b64 : TYPE_NONE;
	unsigned known = 0;
	for (unsigned i = 0; i < o->nsub; i++) {
		if (o->sub[i].kind == OPERAND_SINK && !vector)
			continue;
		known += o->sub[i].kind == OPERAND_REG;
		if (element == TYPE_NONE || !scalar_fits(v, vector ? &source : &dest, element, &o->sub[i], m)) {
			m->sub = (int)i;
			m->operand = vector;
			if (element == TYPE_NONE)
				return rule_says(m, -1, vector, "the elements cannot be that small", NULL);
			return false;
		}
	}
	if (!known && !vector)
		return rule_says(m, -1, vector, "at least one element is a register", NULL);
	return scalar_fits(v, vector ? &dest : &source, t, &v->operands[!vector], m) || at(m, !vector);
}

static bool vectors(const struct view *v, enum type t, unsigned n, struct miss *m)
{
	for (int k = 0; k < 2; k++) {
		const struct isa_operand *o = &v->operands[k];
		m->expected = (uint8_t)n;
		if (o->kind == OPERAND_REG && o->vector == n && !o->component) {
			if (!type_agrees(t, (enum type)o->type, false)) {
				m->kind = MISS_TYPE;
				m->type = (uint8_t)t;
				m->count = 1;
				m->spec = &source;
				return at(m, k);
			}
			continue;
		}
		if (k && o->kind == OPERAND_SREG && !o->component && integer(t) && type_info[t].bits == 32 && sreg_info[o->value < SREG_COUNT ? o->value : 0].vector == n)
			continue;
		if (o->kind == OPERAND_VECTOR && !elements_agree(o, m))
			return at(m, k);
		if (o->kind != OPERAND_VECTOR || o->nsub != n) {
			m->kind = MISS_VECTOR;
			m->count = 1;
			m->spec = &source;
			return at(m, k);
		}
		for (unsigned i = 0; i < n; i++)
			if (!(o->sub[i].kind == OPERAND_SINK && !k) && !scalar_fits(v, k ? &source : &dest, t, &o->sub[i], m)) {
				m->sub = (int)i;
				return at(m, k);
			}
	}
	return true;
}

bool rule_mov(const struct view *v, struct miss *m)
{
	enum type t = view_type(v, 0);
	unsigned n = view_vector(v);
	if (n)
		return vectors(v, t, n, m);
	bool left = v->operands[0].kind == OPERAND_VECTOR, right = v->operands[1].kind == OPERAND_VECTOR;
	if (left && right)
		return rule_says(m, -1, 1, "one side is a vector, the other a register", NULL);
	if (left || right)
		return packed(v, t, right, m);
	return scalar(v, t, 0, m) && scalar(v, t, 1, m);
}
