/* Rules for mbarrier, cp.async and multimem (PTX ISA 9.7.10, 9.7.15). */
#include "isa/rule.h"

bool rule_mbarrier(const struct view *v, struct miss *m)
{
	int relaxed = view_find(v, W_relaxed), release = view_find(v, W_release),
	    acquire = view_find(v, W_acquire);
	int sem = relaxed >= 0 ? relaxed : release >= 0 ? release : acquire;
	if (sem >= 0 && !rule_since(v, m, relaxed >= 0 ? 86 : 80, relaxed >= 0 ? 90 : 80, sem))
		return false;
	if (!view_has(v, W_arrive) && !view_has(v, W_arrive_drop))
		return true;
	bool no_complete = view_has(v, W_noComplete), expect_tx = view_has(v, W_expect_tx);
	const struct isa_operand *o = v->operands;
	if (o[0].kind == OPERAND_SINK && !rule_since(v, m, 71, 80, -1))
		return false;
	if (v->noperands == 3 && !no_complete && !rule_since(v, m, 78, 90, -1))
		return false;
	return v->noperands < 3 || expect_tx || o[2].kind != OPERAND_INT ||
		(o[2].value && !o[2].value_signed) ||
		rule_says(m, -1, 2, "the count of an arrival must be at least 1", NULL);
}

bool rule_cp_async(const struct view *v, struct miss *m)
{
	const struct isa_operand *o = v->operands;
	uint64_t size = o[2].value;
	if (size != 4 && size != 8 && size != 16)
		return rule_says(m, -1, 2, "cp.async copies 4, 8 or 16 bytes", NULL);
	unsigned hint = view_has(v, W_L2__cache_hint);
	if (v->noperands < 4 + hint)
		return true;
	const struct isa_operand *s = &o[3];
	if (s->kind == OPERAND_REG && s->type == TYPE_pred)
		return rule_since(v, m, 75, 80, -1);
	if (s->kind == OPERAND_INT)
		return s->value <= size ||
			rule_says(
				m, -1, 3, "the source size must not exceed the copied size", NULL);
	return (s->kind == OPERAND_REG && !s->negated && s->type != TYPE_f16x2 &&
		       type_agrees(TYPE_u32, (enum type)s->type, false)) ||
		rule_says(m, -1, 3,
			"this must be the source size (a 32-bit register) or the ignore-src predicate",
			NULL);
}

/* A multimem vector has 32 to 128 bits. */
bool rule_mm_vector(const struct view *v, struct miss *m)
{
	unsigned n = view_vector(v), bits = n * type_info[view_type(v, 0)].bits;
	if (!n)
		return true;
	int at = v->slot_from[v->row->vec - 1];
	return (bits <= 128 && bits >= 32) ||
		rule_says(m, at, -1, "a vector has 32 to 128 bits", NULL);
}

/* The handle of fabric memory: a logical endpoint, an offset, and the offset of its counter. */
bool rule_fabric(const struct view *v, struct miss *m)
{
	static const struct spec element = {.kind = SPEC_SOURCE, .name = "a"};
	unsigned n = view_has(v, W_counted__bytes) ? 3 : 2,
		 k = view_has(v, W_try_put) || view_has(v, W_try_red) ? 0 : 1;
	const struct isa_operand *a = &v->operands[k];

	if (a->nsub != n)
		return rule_says(m, -1, (int)k,
			n == 3 ? "with .counted::bytes the handle is [endpoint, offset, counter offset]"
			       : "the handle is [endpoint, offset]",
			NULL);
	for (unsigned i = 0; i < n; i++)
		if (!scalar_fits(v, &element, i ? TYPE_u64 : TYPE_u32, &a->sub[i], m)) {
			m->operand = (int)k;
			m->sub = (int)i;
			return false;
		}
	return true;
}

bool rule_mm_fp8(const struct view *v, struct miss *m) { return rule_mm_vector(v, m); }
