/* The predicates of rule.def: what a pattern cannot express about modifiers, types and constants.
 * Each was checked against ptxas. */
#include "isa/rule.h"

static bool rule_mad_rounding(const struct view *v, struct miss *m)
{
	return v->target->sm < 20 || view_slot(v, 1) ||
		rule_says(m, -1, -1, "mad.f32 needs a rounding: .rn, .rz, .rm or .rp",
			"write fma.rn.f32 or mad.rn.f32");
}

static bool rule_compare(const struct view *v, struct miss *m)
{
	enum type t = view_type(v, 1) ? view_type(v, 1) : view_type(v, 0);
	unsigned cls = type_info[t].class, w = v->slot_word[0];
	int ftz = view_find(v, W_ftz);
	if (ftz >= 0 && t != TYPE_f32 && t != TYPE_f16 && t != TYPE_f16x2)
		return rule_says(
			m, ftz, -1, ".ftz is for .f32, .f16 and .f16x2 comparisons", "remove .ftz");
	if (w == W_eq || w == W_ne)
		return true;
	if (cls == CLASS_BITS)
		return rule_says(m, v->slot_from[0], -1,
			".b types are only compared with .eq and .ne",
			"use the .u or .s type of the same width");
	bool ordered = w == W_lt || w == W_le || w == W_gt || w == W_ge,
	     unsigned_only = w == W_lo || w == W_ls || w == W_hi || w == W_hs;
	if (cls == CLASS_UNSIGNED)
		return ordered || unsigned_only ||
			rule_says(m, v->slot_from[0], -1,
				"this comparison is for floating-point types",
				".eq .ne .lt .le .gt .ge .lo .ls .hi .hs");
	if (cls == CLASS_SIGNED)
		return ordered ||
			rule_says(m, v->slot_from[0], -1,
				unsigned_only ? "this comparison is for unsigned types"
					      : "this comparison is for floating-point types",
				"signed integers are compared with .eq .ne .lt .le .gt .ge");
	return !unsigned_only ||
		rule_says(m, v->slot_from[0], -1, "this comparison is for unsigned integers",
			"floating-point types take .lt .le .gt .ge and .ltu .leu .gtu .geu");
}

static bool rule_compare_packed(const struct view *v, struct miss *m)
{
	unsigned w = v->slot_word[0];
	enum type t = view_type(v, 0);

	return (w != W_lo && w != W_ls && w != W_hi && w != W_hs) || t == TYPE_u8x4 ||
		t == TYPE_u16x2 ||
		rule_says(m, v->slot_from[0], -1, "this comparison is for unsigned types",
			"signed integers are compared with .eq .ne .lt .le .gt .ge");
}

static bool is_shared_space(enum word w)
{
	return w == W_shared || w == W_shared__cta || w == W_shared__cluster;
}

static bool rule_vector(const struct view *v, struct miss *m)
{
	unsigned n = view_vector(v), bits = n * type_info[view_type(v, 0)].bits;
	if (!n)
		return true;
	int at = v->slot_from[v->row->vec - 1];
	bool plain = v->op == OP_ld || (v->op == OP_st && !view_has(v, W_async));
	if (plain && (n == 8 || bits == 256)) {
		enum word space = view_space(v, 0);
		if (bits != 256 || type_info[view_type(v, 0)].bits > 64)
			return rule_says(m, at, -1,
				bits > 256 ? "a vector has at most 256 bits"
					   : ".v8 takes elements of 32 bits",
				NULL);
		if (v->target->sm < 100 || v->target->ptx < 88)
			return rule_says(m, at, -1, "vectors of 256 bits need PTX 8.8 and sm_100",
				"split the access into two of 128 bits");
		return space == W_NONE || space == W_global ||
			rule_says(
				m, at, -1, "vectors of 256 bits are in .global memory only", NULL);
	}
	return bits <= 128 ||
		rule_says(m, at, -1, "a vector has at most 128 bits", "split the access");
}

static bool rule_cached(const struct view *v, struct miss *m)
{
	enum word space = view_space(v, 0);
	int cop = -1, eviction = -1, l2 = -1;
	for (unsigned i = 0; i < v->nwords; i++)
		switch (isa_word_info[v->words[i]].category) {
		case CAT_cop: cop = (int)i; break;
		case CAT_l1: eviction = (int)i; break;
		case CAT_l2: l2 = (int)i; break;
		default: break;
		}
	if (cop >= 0 && eviction >= 0)
		return rule_says(m, eviction, -1,
			"a cache operator and an eviction priority exclude each other",
			"keep one of them");
	if (l2 >= 0 && view_vector(v) * type_info[view_type(v, 0)].bits != 256)
		return rule_says(m, l2, -1,
			"an L2 eviction priority is for accesses of 256 bits (.v8.b32, .v4.b64)",
			"use .L2::cache_hint with a policy");
	if (space == W_NONE || space == W_global)
		return true;
	for (unsigned i = 0; i < v->nwords; i++) {
		unsigned c = isa_word_info[v->words[i]].category;
		if (c == CAT_hint || c == CAT_l2fetch || c == CAT_l2 || c == CAT_l1)
			return rule_says(m, (int)i, -1,
				"this cache word is for .global and generic addresses",
				"remove it");
	}
	return true;
}

static bool rule_wide_at_sys(const struct view *v, struct miss *m)
{
	int sys = view_find(v, W_sys);

	return view_type(v, 0) != TYPE_b128 || sys < 0 || v->target->ptx >= 84 ||
		rule_says(m, sys, -1, ".b128 at .sys scope needs PTX 8.4", NULL);
}

static bool rule_atom(const struct view *v, struct miss *m)
{
	int hint = view_find(v, W_L2__cache_hint);
	if (hint >= 0 && is_shared_space(view_space(v, 0)))
		return rule_says(m, hint, -1,
			".L2::cache_hint is for .global and generic addresses", "remove it");
	return rule_wide_at_sys(v, m);
}

static bool rule_alloca(const struct view *v, struct miss *m)
{
	if (v->noperands < 3)
		return true;
	uint64_t a = v->operands[2].value;
	return (a && !(a & (a - 1))) ||
		rule_says(m, -1, 2, "the alignment must be a power of two", NULL);
}

static bool rule_nonzero(const struct view *v, struct miss *m)
{
	return v->operands[1].kind != OPERAND_INT || v->operands[1].value ||
		rule_says(m, -1, 1,
			"an arrival without waiting needs a thread count, which cannot be 0",
			"give the same count as the waiting bar.sync");
}

static bool requires_sync(const struct view *v, struct miss *m)
{
	return v->target->sm < 70 || v->target->ptx < 64 ||
		rule_says(m, -1, -1,
			"with PTX 6.4 and sm_70 or later, this instruction needs .sync and a membermask",
			"write it with .sync and the mask as last operand");
}
static bool rule_vote_old(const struct view *v, struct miss *m) { return requires_sync(v, m); }
static bool rule_shfl_old(const struct view *v, struct miss *m) { return requires_sync(v, m); }

/* The source of mapa: an address in a register, or a .shared variable. */
static bool rule_mapa(const struct view *v, struct miss *m)
{
	const struct isa_operand *o = &v->operands[1];
	static const struct spec source = {.kind = SPEC_SOURCE, .name = "a"};
	if (o->kind == OPERAND_VAR) {
		if (is_shared_space((enum word)o->space))
			return true;
		return rule_says(m, -1, 1, "this needs a variable in .shared", NULL);
	}
	if (scalar_fits(v, &source, view_type(v, 0), o, m))
		return true;
	m->operand = 1;
	return false;
}

static bool rule_random_bits(const struct view *v, struct miss *m)
{
	return v->operands[v->noperands - 1].type == TYPE_b32 ||
		rule_says(m, -1, (int)v->noperands - 1,
			"the random bits must be in a .b32 register", NULL);
}

static bool rule_elect(const struct view *v, struct miss *m)
{
	const struct isa_operand *o = &v->operands[0];
	return o->kind != OPERAND_PAIR || o->sub[1].kind != OPERAND_SINK ||
		rule_says(m, -1, 0, "the predicate cannot be discarded",
			"write _|%p1, with a predicate");
}

static bool rule_isspacep(const struct view *v, struct miss *m)
{
	const struct isa_operand *o = &v->operands[1];
	if (o->kind == OPERAND_INT)
		return true;
	const struct type_info *t = &type_info[o->type];
	return (o->kind == OPERAND_REG && (t->bits == 32 || t->bits == 64) &&
		       (t->class == CLASS_BITS || t->class == CLASS_UNSIGNED ||
			       t->class == CLASS_SIGNED)) ||
		rule_says(m, -1, 1, "an address must be in a 32-bit or 64-bit integer register",
			NULL);
}

static bool rule_fp8(const struct view *v, struct miss *m)
{
	return v->target->sm >= 90 || rule_since(v, m, 81, 89, -1);
}

static bool rule_vmad(const struct view *v, struct miss *m)
{
	const struct isa_operand *o = v->operands;
	int po = view_find(v, W_po);
	return po < 0 || (o[1].negated == o[2].negated && !o[3].negated) ||
		rule_says(
			m, po, -1, ".po (plus one) and a negated operand exclude each other", NULL);
}

static double float_value(const struct isa_operand *o)
{
	union {
		uint64_t bits;
		double value;
	} u = {.bits = o->value};
	return u.value;
}

static bool rule_fraction(const struct view *v, struct miss *m)
{
	if (v->noperands < 2 || v->operands[1].kind != OPERAND_FLOAT)
		return true;
	double x = float_value(&v->operands[1]);
	return (x > 0 && x <= 1) ||
		rule_says(m, -1, 1, "a fraction must be greater than 0 and at most 1", NULL);
}

static bool rule_policy_range(const struct view *v, struct miss *m)
{
	const struct isa_operand *a = &v->operands[2], *b = &v->operands[3];
	return a->kind != OPERAND_INT || b->kind != OPERAND_INT || a->value <= b->value ||
		rule_says(m, -1, 2, "the primary size must not exceed the total size", NULL);
}

static bool rule_cvta(const struct view *v, struct miss *m)
{
	enum type t = view_type(v, 0);
	const struct isa_operand *o = &v->operands[1];
	static const struct spec source = {.kind = SPEC_SOURCE, .name = "a"};
	if (t == TYPE_u32 && v->target->address_size != 32)
		return rule_says(m, v->slot_from[v->row->type[0] - 1], -1,
			"generic addresses are 64 bits wide", "cvta....u64");
	if (o->kind == OPERAND_VAR && o->sum && v->row->nheads)
		/* ptxas accepts an offset from any variable here, but not its bare name */
		return m->lax = true;
	if (o->kind == OPERAND_VAR && v->row->nheads == 0) {
		enum word said = view_space(v, 0), have = (enum word)o->space;
		bool same = said == have || (is_shared_space(said) && is_shared_space(have)) ||
			(said == W_param__entry && have == W_param);
		return same || have == W_NONE ||
			rule_says(m, -1, 1,
				"the variable is not in the state space that cvta names", NULL);
	}
	if (scalar_fits(v, &source, t, o, m))
		return true;
	m->operand = 1;
	return false;
}

static bool rule_call(const struct view *v, struct miss *m)
{
	unsigned n = v->noperands, i = 0;
	const struct isa_operand *o = v->operands;
	if (i < n && o[i].kind == OPERAND_LIST)
		i++;
	if (i >= n)
		return rule_says(m, -1, -1, "the call has no function",
			"call (result), function, (arguments);");
	bool direct = o[i].kind == OPERAND_FUNC;
	if (!direct &&
		(o[i].kind != OPERAND_REG ||
			(type_info[o[i].type].bits != 64 && type_info[o[i].type].bits != 32) ||
			type_info[o[i].type].class == CLASS_FLOAT))
		return rule_says(m, -1, (int)i,
			"a call names a function, or a 64-bit register with its address", NULL);
	i++;
	if (i < n && o[i].kind == OPERAND_LIST)
		i++;
	if (i < n &&
		(o[i].kind == OPERAND_TABLE || o[i].kind == OPERAND_LABEL ||
			o[i].kind == OPERAND_VAR))
		i++;
	else if (!direct)
		return rule_says(m, -1, -1,
			"an indirect call must name its prototype or its targets",
			"call (result), %rd1, (arguments), prototype;");
	return i == n ||
		rule_says(m, -1, (int)i, "the call has one operand too many",
			"call (result), function, (arguments);");
}

/* Whether type D contains every value of integer type A. */
static bool type_contains(const struct type_info *d, const struct type_info *a)
{
	bool ds = d->class == CLASS_SIGNED, as = a->class == CLASS_SIGNED;
	return ds == as ? d->bits >= a->bits : ds && d->bits > a->bits;
}

static bool rule_cvt(const struct view *v, struct miss *m)
{
	enum type dt = view_type(v, 0), at = view_type(v, 1);
	const struct type_info *d = &type_info[dt], *a = &type_info[at];
	bool df = d->class == CLASS_FLOAT || d->class == CLASS_ALT,
	     af = a->class == CLASS_FLOAT || a->class == CLASS_ALT;
	enum word r = (enum word)v->slot_word[0];
	unsigned kind = r ? isa_word_info[r].category : CAT_mod;
	int word = r ? v->slot_from[0] : -1, sat = view_find(v, W_sat), ftz = view_find(v, W_ftz);
	bool bf = dt == TYPE_bf16 || at == TYPE_bf16;
	for (int k = 0; bf && k < 2; k++) {
		static const struct spec narrow = {.kind = SPEC_SOURCE, .name = "a"};
		if (v->operands[k].kind == OPERAND_REG &&
			!scalar_fits(v, &narrow, k ? at : dt, &v->operands[k], m)) {
			m->operand = k; /* with .bf16, registers must not be wider */
			return false;
		}
	}
	if (!df && !af) {
		if (r)
			return rule_says(m, word, -1,
				"a conversion between integers is not rounded",
				"remove the rounding");
	} else if (!df) {
		if (kind != CAT_iround)
			return rule_says(m, word, -1,
				"a conversion to an integer needs .rni, .rzi, .rmi or .rpi",
				"cvt.rzi truncates, as a cast in C does");
	} else if (!af) {
		if (kind != CAT_round)
			return rule_says(m, word, -1,
				"a conversion from an integer to floating point needs .rn, .rz, .rm or .rp",
				"cvt.rn rounds to nearest even");
	} else if (dt == at) {
		if (kind == CAT_round)
			return rule_says(m, word, -1,
				"a conversion to the same type rounds to an integral value (.rni, .rzi, .rmi, .rpi) or not at all",
				NULL);
	} else if (bf && (a->bits == 16 || at == TYPE_bf16)) {
		if (kind == CAT_iround)
			return rule_says(m, word, -1,
				"this conversion takes .rn, .rz, .rm, .rp or no rounding", NULL);
	} else if (d->bits < a->bits) {
		if (kind != CAT_round)
			return rule_says(m, word, -1,
				"a conversion to a narrower floating-point type needs .rn, .rz, .rm or .rp",
				"cvt.rn rounds to nearest even");
	} else if (r) {
		return rule_says(m, word, -1,
			"a conversion to a wider floating-point type is exact and not rounded",
			"remove the rounding");
	}
	if (ftz >= 0 && dt != TYPE_f32 && at != TYPE_f32)
		return rule_says(m, ftz, -1, ".ftz needs .f32 on one side", "remove .ftz");
	if (sat >= 0 && bf)
		return rule_says(m, sat, -1, ".sat does not apply to .bf16", "remove .sat");
	if (sat >= 0 && !df && !af && type_contains(d, a))
		return rule_says(m, sat, -1, "every value of the source fits: .sat has no effect",
			"remove .sat");
	if (!bf)
		return true;
	if (dt == TYPE_bf16 && at == TYPE_f32)
		return rule_since(v, m, 70, 80, -1);
	return dt == TYPE_f32 && ftz < 0 ? rule_since(v, m, 71, 80, -1)
					 : rule_since(v, m, 78, 90, -1);
}

static bool (*const rule[RULE_COUNT])(const struct view *, struct miss *) = {
#define RULE(name, values) rule_##name,
#include "isa/rule.def"
};

bool rules_fit(const struct view *v, struct miss *m)
{
	for (unsigned i = 0; i < v->row->nrules; i++)
		if (!rule[isa_row_rule[v->row->rule + i]](v, m))
			return false;
	return true;
}
