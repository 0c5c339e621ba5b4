/* Checking operands against the specs of a row: kind, register class and width, constants, state
 * space, number of elements (PTX ISA 6, 9.4). */
#include "isa/check.h"
#include <string.h>

bool type_agrees(enum type t, enum type r, bool wider)
{
	const struct type_info *ti = &type_info[t], *ri = &type_info[r];
	unsigned bits = ti->bits;
	switch (ti->class) {
	case CLASS_PRED: return r == TYPE_pred;
	case CLASS_BITS:
	case CLASS_UNSIGNED:
	case CLASS_SIGNED:
	case CLASS_FLOAT: break;
	case CLASS_PACKED:
		if (t == TYPE_f16x2)
			break;
		wider = false;
		break;
	case CLASS_ALT:
		wider = false;
		if (bits > 8)
			bits = t == TYPE_tf32 ? 32 : 16;
		break;
	default: return t == r;
	}
	if (ri->bits != bits && !(wider && ri->bits > bits))
		return false;
	switch (ti->class) {
	case CLASS_BITS:
		return ri->class != CLASS_PRED && ri->class != CLASS_OPAQUE &&
			ri->class != CLASS_NONE;
	case CLASS_UNSIGNED:
	case CLASS_SIGNED:
		return ri->class == CLASS_BITS || ri->class == CLASS_UNSIGNED ||
			ri->class == CLASS_SIGNED || r == TYPE_f16x2;
	case CLASS_FLOAT: return r == t || ri->class == CLASS_BITS;
	case CLASS_PACKED:
		return r == t || ri->class == CLASS_BITS ||
			(r == TYPE_f16x2 && (t == TYPE_u16x2 || t == TYPE_s16x2));
	default: return ri->class == CLASS_BITS;
	}
}

bool constant_agrees(enum type t, const struct isa_operand *o)
{
	switch (type_info[t].class) {
	case CLASS_PRED:
	case CLASS_UNSIGNED:
	case CLASS_SIGNED: return o->kind == OPERAND_INT;
	case CLASS_BITS:
		return o->kind == OPERAND_INT ||
			(o->type == TYPE_f32 ? t == TYPE_b32 : t == TYPE_b64);
	case CLASS_FLOAT: return o->kind == OPERAND_FLOAT && (t == TYPE_f32 || t == TYPE_f64);
	default: return false;
	}
}

static bool mismatch(struct miss *m, enum miss_kind kind, const struct spec *s)
{
	m->kind = (uint8_t)kind;
	m->spec = s;
	m->count = 1;
	return false;
}

static bool wrong_type(struct miss *m, enum miss_kind kind, const struct spec *s, enum type t)
{
	m->type = (uint8_t)t;
	return mismatch(m, kind, s);
}

static bool in_range(const struct spec *s, const struct isa_operand *o)
{
	int64_t x = (int64_t)o->value;
	if (x < s->lo || x > s->hi)
		return false;
	return s->multiple <= 1 || x % (int64_t)s->multiple == 0;
}

/* Whether selector W is valid for video instruction OP: bytes and half-words of one register
 * (vadd), pairs (vadd2) and quadruples (vadd4) of the two sources, or masks of the destination. */
static bool selector_fits(enum opcode op, enum word w, bool dest)
{
	const char *name = opcode_text(op), *text = word_text(w);
	size_t n = strlen(text);
	switch (name[strlen(name) - 1]) {
	case '2':
		return text[0] == 'h' &&
			(dest ? !strcmp(text, "h0") || !strcmp(text, "h1") || !strcmp(text, "h10")
			      : n == 3);
	case '4':
		return text[0] == 'b' &&
			(dest ? isa_word_info[w < WORD_COUNT ? w : 0].category == CAT_component ||
						w == W_b1 || w == W_b10
			      : n == 5);
	default:
		return n == 2 &&
			(text[0] == 'b' ? text[1] <= '3' : text[0] == 'h' && text[1] <= '1');
	}
}

/* Whether a .f16x2 register counts as any integer: in video instructions, votes without .sync, and
 * tensormap. */
static bool counts_as_integer(const struct view *v, const struct spec *s)
{
	bool set = v->op == OP_vset || v->op == OP_vset2 || v->op == OP_vset4;

	return v->op == OP_tensormap ||
		(opcode_text(v->op)[0] == 'v' && !view_has(v, W_sync) &&
			(!set || s->flags & SPEC_SELECT));
}

/* Whether ptxas rejects a sum here: it splits a video instruction into several, and computes no sum
 * for sources with selectors, nor for any source of the two-wide and four-wide ones. */
static bool sum_selected(const struct view *v, const struct spec *s)
{
	const char *name = opcode_text(v->op);
	char last = name[strlen(name) - 1];

	return v->row->selects && (s->flags & SPEC_SELECT || last == '2' || last == '4');
}

bool scalar_fits(const struct view *v, const struct spec *s, enum type t,
	const struct isa_operand *o, struct miss *m)
{
	bool dest = s->kind == SPEC_DEST;
	switch (o->kind) {
	case OPERAND_REG:
		if (s->kind == SPEC_CONST || (o->sum && (dest || v->op == OP_tcgen05)))
			return mismatch(m, MISS_KIND, s);
		if (o->negated && !((s->flags & SPEC_NEG) && o->type == TYPE_pred) &&
			!(s->flags & SPEC_MINUS))
			return mismatch(m, MISS_NEGATED, s);
		if ((o->sum && sum_selected(v, s)) ||
			(v->row->selects && o->component && o->component <= 4))
			return mismatch(m, MISS_SELECT, s);
		if (o->component > 4 &&
			!((s->flags & SPEC_SELECT) &&
				selector_fits(v->op, (enum word)o->space, dest)))
			return mismatch(m, MISS_SELECT, s);
		if (o->vector && !o->component) {
			m->expected = 0;
			return mismatch(m, MISS_VECTOR, s);
		}
		/* a .f16x2 register counts as an integer if the type comes from the instruction,
		 * not if the operand's spec has its own */
		if (o->type == TYPE_f16x2 && s->type && s->type < REF_T1 &&
			!(s->kind != SPEC_DEST && counts_as_integer(v, s)) &&
			type_info[t].class != CLASS_BITS && t != TYPE_f16x2)
			return wrong_type(m, MISS_TYPE, s, t);
		return t == TYPE_NONE ||
			type_agrees(t, (enum type)o->type, s->flags & SPEC_WIDER) ||
			wrong_type(m, MISS_TYPE, s, t);
	case OPERAND_SREG:
		if (v->op != OP_cvt || dest || s->kind == SPEC_CONST || view_has(v, W_pack) ||
			view_has(v, W_rs))
			return mismatch(m, MISS_SREG, s);
		if (o->negated)
			return mismatch(m, MISS_NEGATED, s);
		return type_agrees(t, (enum type)o->type, true) || wrong_type(m, MISS_TYPE, s, t);
	case OPERAND_INT:
	case OPERAND_FLOAT:
		if (dest || s->kind == SPEC_REG)
			return mismatch(m, MISS_KIND, s);
		if (o->negated && !(s->flags & SPEC_NEG))
			return mismatch(m, MISS_NEGATED, s);
		if (t != TYPE_NONE && !constant_agrees(t, o))
			return wrong_type(m, MISS_CONST, s, t);
		return !(s->flags & SPEC_RANGE) || o->kind != OPERAND_INT || in_range(s, o) ||
			mismatch(m, MISS_RANGE, s);
	case OPERAND_SINK:
		return (s->flags & SPEC_SINK) || mismatch(m, dest ? MISS_SINK : MISS_KIND, s);
	default: return mismatch(m, MISS_KIND, s);
	}
}

/* multimem only moves bits: for most of its types ptxas checks only the width of the register. */
static enum type multimem_register(const struct view *v, enum type t)
{
	bool red = view_has(v, W_red);

	switch ((int)t) {
	case TYPE_bf16x2:
	case TYPE_e4m3x4:
	case TYPE_e5m2x4: return red ? t : TYPE_b32;
	case TYPE_f32: return view_vector(v) ? TYPE_b32 : t;
	case TYPE_f16: return TYPE_b16;
	case TYPE_bf16:
	case TYPE_e4m3x2:
	case TYPE_e5m2x2: return red ? t : TYPE_b16;
	default: return t;
	}
}

static enum type spec_type(const struct view *v, const struct spec *s)
{
	switch (s->type) {
	case REF_T1:
		return v->op == OP_multimem ? multimem_register(v, view_type(v, 0))
					    : view_type(v, 0);
	case REF_T2: return view_type(v, 1);
	case REF_T3: return view_type(v, 2);
	case REF_T4: return view_type(v, 3);
	case REF_ANY: return TYPE_NONE;
	case REF_WIDE:
		switch ((int)view_type(v, 0)) {
		case TYPE_u16: return TYPE_u32;
		case TYPE_s16: return TYPE_s32;
		case TYPE_u32: return TYPE_u64;
		case TYPE_s32: return TYPE_s64;
		default: return TYPE_NONE;
		}
	default: return (enum type)s->type;
	}
}

static bool is_shared_space(unsigned space)
{
	return space == W_shared || space == W_shared__cta || space == W_shared__cluster;
}

static unsigned base_space(unsigned space)
{
	return is_shared_space(space)                               ? W_shared
		: space == W_param__entry || space == W_param__func ? W_param
								    : space;
}

/* Checks a base register. ptxas only checks the width of 32-bit registers, and not in every
 * instruction; narrower ones are always accepted. */
static bool base_register(const struct view *v, const struct spec *s, const struct isa_operand *b,
	bool wide, struct miss *m)
{
	const struct type_info *t = &type_info[b->type];
	bool integer = t->class == CLASS_BITS || t->class == CLASS_UNSIGNED ||
		t->class == CLASS_SIGNED;
	/* ptxas translates these with a move, which checks the width */
	bool moved = v->op == OP_tcgen05 || v->op == OP_tensormap || v->op == OP_wmma ||
		(v->op != OP_cp && (view_has(v, W_async) || view_has(v, W_bulk))) ||
		view_has(v, W_mbarrier);
	bool unseen = v->op == OP_cp || v->op == OP_createpolicy || v->op == OP_tensormap ||
		v->op == OP_wmma || view_has(v, W_tensormap) || view_has(v, W_async);

	if (!integer || t->bits > 64 || (b->vector && !b->component) || b->negated)
		return mismatch(m, MISS_ADDRESS, s);
	if ((t->bits == 32 && wide && !unseen) || (t->bits < 32 && moved)) {
		m->type = TYPE_b64;
		return mismatch(m, MISS_ADDRESS, s);
	}
	m->lax |= t->bits < 32 || (t->bits == 32 && wide);
	return true;
}

/* Whether a variable may be the base of an address in state space SAID (W_NONE: generic). */
static bool base_variable(const struct view *v, const struct isa_operand *b, unsigned said,
	bool fixed, struct miss *m)
{
	unsigned have = base_space(b->space), want = base_space(said);

	if (type_info[b->type].class == CLASS_OPAQUE && want != W_shared)
		return false;
	if (want == W_NONE) {
		if ((have == W_local &&
			    (v->op == OP_atom || v->op == OP_prefetch || v->op == OP_prefetchu)) ||
			(have == W_shared && (v->op == OP_discard || v->op == OP_prefetchu)))
			return false;
		return have == W_global || have == W_shared || have == W_local || have == W_NONE;
	}
	/* if the space is fixed by the row rather than by a word, ptxas accepts what a generic
	 * address could reach */
	if (fixed && want == W_shared && (have == W_global || have == W_local))
		return m->lax = true;
	return have == want;
}

static bool address_fits(
	const struct view *v, const struct spec *s, const struct isa_operand *o, struct miss *m)
{
	if (o->kind != OPERAND_ADDRESS || !o->nsub ||
		(o->component && v->op != OP_ld && v->op != OP_ldu))
		return mismatch(m, MISS_KIND, s);
	if (o->nsub > 1 && !(s->flags & SPEC_TENSOR))
		return mismatch(m, MISS_ADDRESS, s);
	const struct isa_operand *b = &o->sub[0];
	/* the state space: from a word of the instruction, or fixed by the row */
	unsigned said = s->space == SPACE_SECOND ? view_space(v, 1)
		: s->space == SPACE_FIRST        ? view_space(v, 0)
		: s->space == SPACE_ANY          ? W_NONE
						 : s->space;
	bool generic = (said == W_NONE && s->space != SPACE_ANY) ||
		((s->flags & SPEC_MAYBE) && view_space(v, 0) == W_NONE);
	bool fixed = s->space < SPACE_FIRST && view_space(v, 0) == W_NONE &&
		!(s->flags & SPEC_MAYBE);
	m->sub = 0;
	if (s->space == SPACE_ANY) { /* textures, tensor memory: checked by the rule */
		m->sub = -1;
		return b->kind == OPERAND_REG || b->kind == OPERAND_VAR || b->kind == OPERAND_INT ||
			mismatch(m, MISS_ADDRESS, s);
	}
	switch (b->kind) {
	case OPERAND_REG:
		if (!base_register(v, s, b,
			    (generic || said == W_global) && v->target->address_size != 32, m))
			return false;
		break;
	case OPERAND_VAR:
		if (!base_variable(v, b, said, fixed, m))
			return mismatch(m, MISS_SPACE, s);
		break;
	case OPERAND_INT:
		if (said != W_local)
			return mismatch(m, MISS_ADDRESS, s);
		break;
	default: return mismatch(m, MISS_ADDRESS, s);
	}
	m->sub = -1;
	return true;
}

static bool may_be_neighbours(enum type a, enum type b)
{
	if (type_info[a].bits != type_info[b].bits)
		return false;
	if (type_info[a].class == CLASS_BITS || type_info[b].class == CLASS_BITS || a == b)
		return true;
	return a != TYPE_f16x2 && b != TYPE_f16x2 && type_agrees(a, b, false);
}

bool elements_agree(const struct isa_operand *vector, struct miss *m)
{
	enum type last = TYPE_NONE;
	for (unsigned i = 0; i < vector->nsub; i++) {
		enum type t = (enum type)vector->sub[i].type;
		if (vector->sub[i].kind != OPERAND_REG)
			continue;
		if (last && !may_be_neighbours(last, t)) {
			static const struct spec any = {.kind = SPEC_REG, .name = "r"};
			m->sub = (int)i;
			return wrong_type(m, MISS_TYPE, &any, last);
		}
		last = t;
	}
	return true;
}

static bool vector_fits(const struct view *v, const struct spec *s, unsigned lo, unsigned hi,
	enum type t, const struct isa_operand *o, struct miss *m)
{
	m->expected = (uint8_t)lo;
	if (o->kind == OPERAND_SINK && (s->flags & SPEC_SINK))
		return true;
	if (o->kind == OPERAND_PAIR && o->nsub == 2 && (s->flags & SPEC_PAIR_OK)) {
		m->sub = 1;
		if (!scalar_fits(v, s, TYPE_pred, &o->sub[1], m))
			return false;
		m->sub = -1;
		o = &o->sub[0];
	}
	if (o->kind == OPERAND_REG && t == TYPE_NONE && o->vector >= lo && o->vector <= hi &&
		!o->component)
		return true;
	if (o->kind == OPERAND_REG && o->vector >= lo && o->vector <= hi && !o->component)
		return type_agrees(t, (enum type)o->type, s->flags & SPEC_WIDER) ||
			wrong_type(m, MISS_TYPE, s, t);
	if (o->kind != OPERAND_VECTOR || o->nsub < lo || o->nsub > hi)
		return mismatch(m, MISS_VECTOR, s);
	for (unsigned i = 0; i < o->nsub && t == TYPE_f16x2 && v->op == OP_multimem; i++)
		/* with one .b32 register, the others may have any type */
		if (o->sub[i].type == TYPE_b32)
			t = TYPE_b32;
	unsigned sinks = 0;
	if (!elements_agree(o, m))
		return false;
	for (unsigned i = 0; i < o->nsub; i++) {
		if (o->sub[i].kind == OPERAND_SINK && s->kind == SPEC_DEST) {
			sinks++;
			continue;
		}
		if (!scalar_fits(v, s, t, &o->sub[i], m)) {
			m->sub = (int)i;
			return false;
		}
	}
	return sinks < o->nsub || mismatch(m, MISS_SINK, s);
}

static bool pair_fits(const struct view *v, const struct spec *s, enum type t,
	const struct isa_operand *o, struct miss *m)
{
	if (o->nsub != 2)
		return mismatch(m, MISS_PAIR, s);
	m->sub = 0;
	if (!scalar_fits(v, s, t, &o->sub[0], m))
		return false;
	m->sub = 1;
	if (o->sub[1].kind != OPERAND_SINK && !scalar_fits(v, s, TYPE_pred, &o->sub[1], m))
		return false;
	if (o->sub[0].kind == OPERAND_SINK && o->sub[1].kind == OPERAND_SINK)
		return mismatch(m, MISS_SINK, s);
	m->sub = -1;
	return true;
}

static bool operand_fits(
	const struct view *v, const struct spec *s, const struct isa_operand *o, struct miss *m)
{
	switch (s->kind) {
	case SPEC_ANY: return true;
	case SPEC_ONLY_SINK: return o->kind == OPERAND_SINK || mismatch(m, MISS_KIND, s);
	case SPEC_ADDRESS: return address_fits(v, s, o, m);
	case SPEC_LABEL: return o->kind == OPERAND_LABEL || mismatch(m, MISS_KIND, s);
	case SPEC_TABLE: return o->kind == OPERAND_TABLE || mismatch(m, MISS_KIND, s);
	default: break;
	}
	enum type t = spec_type(v, s);
	unsigned n = s->vector == VEC_WORD ? view_vector(v) : s->vector;
	if (n)
		return vector_fits(v, s, n, s->vector == VEC_WORD ? n : s->vector_hi, t, o, m);
	if (o->kind == OPERAND_PAIR && (s->flags & (SPEC_PAIR | SPEC_PAIR_OK)))
		return pair_fits(v, s, t, o, m);
	if (s->flags & SPEC_PAIR)
		return mismatch(m, MISS_PAIR, s);
	if (o->kind == OPERAND_VECTOR && o->nsub == 1 && s->vector == VEC_WORD &&
		(s->kind != SPEC_DEST || o->sub[0].kind != OPERAND_SINK)) {
		m->single = true;
		o = o->sub;
	}
	if (o->kind == OPERAND_VECTOR) {
		m->expected = 0;
		return mismatch(m, MISS_VECTOR, s);
	}
	return scalar_fits(v, s, t, o, m);
}

bool operands_fit(const struct view *v, struct miss *m)
{
	const struct row *r = v->row;
	const struct spec *spec = &isa_spec[r->spec];
	unsigned required = 0, optional = 0;
	bool policy = false, call = false;
	for (unsigned i = 0; i < r->nspecs; i++) {
		if (spec[i].kind == SPEC_ANY && r->nspecs == 1)
			call = true;
		if (spec[i].flags & SPEC_OPTIONAL)
			optional++;
		else if (!spec[i].when || view_has(v, (enum word)spec[i].when))
			required++;
		policy |= spec[i].when == W_L2__cache_hint && !view_has(v, W_L2__cache_hint);
	}
	if (call)
		return true;
	if (v->noperands < required || v->noperands > required + optional) {
		m->operand = v->noperands > required + optional ? (int)(required + optional) : -1;
		bool hint = (policy && v->noperands == required + optional + 1) ||
			(v->noperands + 1 == required && view_has(v, W_L2__cache_hint));
		mismatch(m, hint ? MISS_POLICY : MISS_COUNT, NULL);
		m->count = v->noperands < required ? required - v->noperands
						   : v->noperands - required - optional;
		return false;
	}
	unsigned extra = v->noperands - required, k = 0, misses = 0;
	for (unsigned i = 0; i < r->nspecs; i++) {
		if (spec[i].flags & SPEC_OPTIONAL) {
			if (!extra)
				continue;
			extra--;
		} else if (spec[i].when && !view_has(v, (enum word)spec[i].when)) {
			continue;
		}
		struct miss one = {.word = -1, .operand = (int)k, .sub = -1, .slot = -1};
		if (!operand_fits(v, &spec[i], &v->operands[k], &one)) {
			if (!misses++) {
				bool lax = m->lax;
				uint32_t single = m->singles;

				*m = one;
				m->lax = lax;
				m->singles = single;
			}
		} else {
			m->lax |= one.lax;
			m->singles |= (uint32_t)one.single << (k < 31 ? k : 31);
		}
		k++;
	}
	m->count = misses;
	return !misses;
}
