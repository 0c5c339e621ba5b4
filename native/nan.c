/* Arithmetic replaces each NaN by the canonical one (PTX ISA 9.7.3), which takes longer than the
 * arithmetic. Where only arithmetic and comparisons read a result, until it is written again or
 * nothing reads it, nobody sees which NaN it is, and what they make of it is the same. Where the
 * unit is left before, the registers that go to the frame are made canonical then. */
#include "native/nan.h"
#include "native/values.h"
#include <string.h>

/* The expressions whose last step is that replacement, and the same without it. */
static const char *const plain[][2] = {
	{"f32_fma(a, b, c, 0, 0, F32_RN)", "fmaf(a, b, c)"},
	{"f32_mul(a, b, 0, 0, F32_RN)", "a * b"},
	{"f32_done(f32_ftz(a, 0) + f32_ftz(b, 0), 0, 0)", "a + b"},
	{"f32_done(f32_ftz(a, 0) - f32_ftz(b, 0), 0, 0)", "a - b"},
};

static const char *without(const struct arith_text *t)
{
	for (unsigned k = 0; k < sizeof plain / sizeof *plain; k++)
		if (strlen(plain[k][0]) == t->length &&
			memcmp(plain[k][0], t->expression, t->length) == 0)
			return plain[k][1];
	return NULL;
}

static bool compares_floats(const struct arith_text *t)
{
	return t->form && strchr("snxy", t->form) && t->type_length[0] == strlen("float") &&
		memcmp(t->type[0], "float", t->type_length[0]) == 0;
}

/* Whether the result of op AT does not depend on which NaN a source is. */
static bool is_blind(const struct writer *u, uint32_t at)
{
	struct arith_text t;

	return u->way[at] == WAY_LANES && arith_text(u->c->op[at].run.kernel, &t) &&
		t.elements == 1 && (without(&t) || compares_floats(&t));
}

/* Whether PLACE may have any NaN at OP, number AT, where the unit can be left: it goes on at the
 * next op only, and nothing is written twice for lanes that part there. */
static bool may_stay(const struct writer *u, const struct op *op, uint32_t at, uint32_t place)
{
	return u->way[at] == WAY_BRANCH && op_is_guarded(op) && !u->meeting[at] &&
		!set_has(&u->useful[op->branch.target], place);
}

const char *nan_expression(const struct writer *u, uint32_t at, const struct arith_text *t)
{
	const char *text = t->elements == 1 ? without(t) : NULL;
	uint32_t place = place_find(u, u->c->op[at].at[0]);

	if (!text || place == NO_PLACE || u->framed || u->parting || is_masked(u, &u->c->op[at]))
		return NULL;
	for (uint32_t k = at + 1; k < u->c->nops; k++) {
		const struct op *op = &u->c->op[k];
		struct set reads, writes;

		if ((u->entry[k] || is_exit(u, k)) && !set_has(&u->useful[k], place))
			return text;
		if (u->entry[k] & ENTRY_TARGET || (is_exit(u, k) && !may_stay(u, op, k, place)))
			return NULL;
		uses(u, k, &reads, &writes);
		if (set_has(&reads, place) && !is_blind(u, k))
			return NULL;
		if (set_has(&writes, place))
			return set_has(&reads, place) && is_masked(u, op) ? NULL : text;
	}
	return NULL;
}

void nan_pass(struct writer *u, uint32_t at)
{
	const struct op *op = &u->c->op[at];
	struct arith_text t;
	struct set reads, writes;

	uses(u, at, &reads, &writes);
	for (unsigned j = 0; j < SET_WORDS; j++)
		u->nans.word[j] &= ~writes.word[j];
	if (u->way[at] == WAY_LANES && !is_line(u, op, 0) && arith_text(op->run.kernel, &t) &&
		nan_expression(u, at, &t))
		set_join(&u->nans, &writes);
}
