/* Arithmetic replaces each NaN by the canonical one (PTX ISA 9.7.3), which takes longer than the
 * arithmetic. Where only arithmetic and comparisons read a result, until it is written again or
 * nothing reads it, nobody sees which NaN it is, and what they make of it is the same. */
#include "native/nan.h"
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

const char *nan_expression(const struct writer *u, uint32_t at, const struct arith_text *t)
{
	const char *text = t->elements == 1 ? without(t) : NULL;
	uint32_t place = place_find(u, u->c->op[at].at[0]);

	if (!text || place == NO_PLACE || u->framed || u->parting || is_masked(u, &u->c->op[at]))
		return NULL;
	for (uint32_t k = at + 1; k < u->c->nops; k++) {
		struct set reads, writes;

		/* here all registers that are useful may go to the frame */
		if (checks_before(u, k) || is_exit(u, k))
			return set_has(&u->useful[k], place) ? NULL : text;
		uses(u, k, &reads, &writes);
		if (set_has(&reads, place) && !is_blind(u, k))
			return NULL;
		if (set_has(&writes, place))
			return set_has(&reads, place) && is_masked(u, &u->c->op[k]) ? NULL : text;
	}
	return NULL;
}
