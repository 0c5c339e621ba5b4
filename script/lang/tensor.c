/* The //@ tensormap line: a tensor map in global memory, as the driver would make it. */
#include "script/lang/tensor.h"
#include <string.h>

static const char *const option_name[TENSOR_OPTIONS] = {
	[OPTION_BOX] = "box",
	[OPTION_STRIDE] = "stride",
	[OPTION_STEP] = "step",
	[OPTION_LOWER] = "lower",
	[OPTION_UPPER] = "upper",
	[OPTION_CHANNELS] = "channels",
	[OPTION_PIXELS] = "pixels",
	[OPTION_SWIZZLE] = "swizzle",
	[OPTION_ATOM] = "atom",
	[OPTION_INTERLEAVE] = "interleave",
	[OPTION_PROMOTION] = "promotion",
	[OPTION_FILL] = "fill",
};

/* --- parsing --- */

static bool parse_option(struct lexer *x, struct tensor_line *l)
{
	unsigned k = 0;

	while (k < TENSOR_OPTIONS &&
		(x->kind != T_WORD || strlen(option_name[k]) != x->len ||
			strncmp(x->str, option_name[k], x->len) != 0))
		k++;
	if (k == TENSOR_OPTIONS)
		return expr_expected(x,
			       "box, stride, step, lower, upper, channels, pixels, swizzle, atom, interleave, promotion, fill or the end of the line") !=
			NULL;
	if (l->option[k])
		return diag_report(x->diags, DIAG_L0131, x->source, x->span, "%s is given twice",
			       option_name[k]),
		       false;
	lex_next(x);
	if (!expr_accept(x, '=', "'='"))
		return false;
	if (x->kind != '(')
		return (l->option[k] = expr_parse(x)) != NULL;
	lex_next(x);
	return expr_parse_list(x, ')', TENSOR_DIMS, "at most five numbers", &l->option[k]);
}

/* A scalar type, or one of those of less than a byte. */
static enum type type_named(const char *name, size_t n)
{
	static const uint8_t packed[] = {TYPE_b4x16, TYPE_b4x16_p64, TYPE_b6x16_p32, TYPE_b6p2x16};

	for (unsigned k = 0; k < sizeof packed; k++)
		if (strlen(type_info[packed[k]].name) == n &&
			strncmp(type_info[packed[k]].name, name, n) == 0)
			return (enum type)packed[k];
	return scalar_find(name, n);
}

bool tensor_line_parse(struct lexer *x, struct stmt *t)
{
	struct tensor_line *l = t->tensor = ARENA_NEW(x->arena, struct tensor_line);

	if (x->kind != T_WORD || x->str[0] == '%')
		return expr_expected(x, "the tensor map's name") != NULL;
	t->name = x->str;
	t->name_span = x->span;
	lex_next(x);
	if (!expr_accept(
		    x, ':', "':' and a type, as in 'tensormap t : f32[64, 64] = a box=(8, 8)'"))
		return false;
	if (x->kind == '.')
		lex_next(x);
	if (x->kind != T_WORD)
		return expr_expected(x, "a type") != NULL;
	t->type = (uint8_t)type_named(x->str, x->len);
	t->value_span = x->span;
	lex_next(x);
	if (!expr_accept(x, '[', "'[' and the dimensions, the innermost first") ||
		!expr_parse_list(x, ']', TENSOR_DIMS, "at most five numbers", &l->dims) ||
		!expr_accept(x, '=', "'=' and a buffer") || !(t->value = expr_parse_argument(x)))
		return false;
	while (x->kind != T_END)
		if (!parse_option(x, l))
			return false;
	return true;
}

/* --- resolving --- */

static bool type_of(struct resolver *r, const struct stmt *t, uint8_t *type)
{
	static const struct {
		uint8_t from, to;
	} types[] = {{TYPE_u8, TENSOR_U8}, {TYPE_s8, TENSOR_U8}, {TYPE_b8, TENSOR_U8},
		{TYPE_u16, TENSOR_U16}, {TYPE_s16, TENSOR_U16}, {TYPE_b16, TENSOR_U16},
		{TYPE_u32, TENSOR_U32}, {TYPE_b32, TENSOR_U32}, {TYPE_s32, TENSOR_S32},
		{TYPE_u64, TENSOR_U64}, {TYPE_b64, TENSOR_U64}, {TYPE_s64, TENSOR_S64},
		{TYPE_f16, TENSOR_F16}, {TYPE_bf16, TENSOR_BF16}, {TYPE_f32, TENSOR_F32},
		{TYPE_f64, TENSOR_F64}, {TYPE_tf32, TENSOR_TF32}, {TYPE_b4x16, TENSOR_B4X16},
		{TYPE_b4x16_p64, TENSOR_B4X16_P64}, {TYPE_b6x16_p32, TENSOR_B6X16_P32},
		{TYPE_b6p2x16, TENSOR_B6X16_P32}};

	for (unsigned k = 0; k < sizeof types / sizeof *types; k++)
		if (types[k].from == t->type) {
			*type = types[k].to;
			return true;
		}
	diag_report(r->diags, DIAG_L0131, t->source, t->value_span,
		"a tensor has elements of u8, u16, u32, s32, u64, s64, f16, bf16, f32, tf32, f64, b4x16, b4x16_p64 or b6x16_p32");
	return false;
}

/* The numbers of LIST, N of them, of LOW to HIGH. */
static bool numbers(struct resolver *r, const struct stmt *t, struct expr *list, unsigned n,
	const char *what, int64_t low, int64_t high, int64_t *out)
{
	unsigned k = 0;

	for (struct expr *x = list; x; x = x->next, k++) {
		struct value v;

		if (!resolve_constant(r, x) || !expr_constant(x, &v, &r->s->arena, r->diags))
			return false;
		if (v.is_float || v.i < low || v.i > high) {
			diag_report(r->diags, DIAG_L0131, t->source, x->span,
				"%s is a whole number from %lld to %lld", what, (long long)low,
				(long long)high);
			return false;
		}
		if (k < n)
			out[k] = (int64_t)v.i;
	}
	if (k == n)
		return true;
	diag_report(r->diags, DIAG_L0131, t->source, list->span, "%s has %u number%s here, not %u",
		what, n, n == 1 ? "" : "s", k);
	return false;
}

/* A number that is 0, or FIRST times a power of two: 0 is kind 0, FIRST kind 1. */
static bool kind_of(struct resolver *r, const struct stmt *t, enum tensor_option o, unsigned first,
	unsigned kinds, uint8_t *out)
{
	int64_t v = 0;

	*out = 0;
	if (!t->tensor->option[o])
		return true;
	if (!numbers(r, t, t->tensor->option[o], 1, option_name[o], 0, first << (kinds - 1), &v))
		return false;
	for (unsigned k = 0; k < kinds; k++)
		if (v == first << k)
			*out = (uint8_t)(k + 1);
	return !v || *out ||
		resolve_wrong(r, t, DIAG_L0131,
			arena_printf(&r->s->arena, "%s is 0, or %u to %u in powers of two",
				option_name[o], first, first << (kinds - 1)));
}

/* swizzle=96 is beside the powers of two. */
static bool swizzle(struct resolver *r, const struct stmt *t, struct tensor_map *m)
{
	struct expr *x = t->tensor->option[OPTION_SWIZZLE];
	int64_t v = 0;

	if (x && !numbers(r, t, x, 1, "swizzle", 0, 128, &v))
		return false;
	if (v != 96)
		return kind_of(r, t, OPTION_SWIZZLE, 32, 3, &m->swizzle);
	m->swizzle = SWIZZLE_96;
	return true;
}

/* atom=16, 32 or 64; (32, 8): with a flip of 8 bytes. */
static bool atom(struct resolver *r, const struct stmt *t, struct tensor_map *m)
{
	struct expr *x = t->tensor->option[OPTION_ATOM];
	int64_t v[2] = {16, 0};

	if (x && !numbers(r, t, x, x->next ? 2 : 1, "atom", 8, 64, v))
		return false;
	m->atom = v[1] ? ATOM_32_FLIP_8 : v[0] == 64 ? ATOM_64 : v[0] == 32 ? ATOM_32 : ATOM_16;
	if (v[1] ? v[0] == 32 && v[1] == 8 : v[0] == 16 || v[0] == 32 || v[0] == 64)
		return true;
	return resolve_wrong(
		r, t, DIAG_L0131, "atom is 16, 32, 64, or (32, 8) for a flip of 8 bytes");
}

static void default_strides(struct tensor_map *m)
{
	uint64_t bytes = tensor_dim_bytes(m);

	for (unsigned k = 0; k + 1 < m->rank; k++) {
		m->stride[k] = bytes;
		bytes = bytes > UINT64_MAX / m->dim[k + 1] ? UINT64_MAX : bytes * m->dim[k + 1];
	}
}

static bool shape(struct resolver *r, struct stmt *t, struct tensor_map *m)
{
	struct tensor_line *l = t->tensor;
	int64_t v[TENSOR_DIMS];

	for (const struct expr *x = l->dims; x; x = x->next)
		m->rank++;
	if (!numbers(r, t, l->dims, m->rank, "a dimension", 1, (int64_t)1 << 32, v))
		return false;
	for (unsigned k = 0; k < m->rank; k++) {
		m->dim[k] = (uint64_t)v[k];
		m->step[k] = 1;
	}
	default_strides(m);
	if (l->option[OPTION_STRIDE] &&
		!numbers(r, t, l->option[OPTION_STRIDE], m->rank - 1u, "stride", 0,
			((int64_t)1 << 40) - 1, (int64_t *)v))
		return false;
	for (unsigned k = 0; l->option[OPTION_STRIDE] && k + 1 < m->rank; k++)
		m->stride[k] = (uint64_t)v[k];
	if (l->option[OPTION_STEP] &&
		!numbers(r, t, l->option[OPTION_STEP], m->rank, "step", 1, 8, v))
		return false;
	for (unsigned k = 0; l->option[OPTION_STEP] && k < m->rank; k++)
		m->step[k] = (uint32_t)v[k];
	return true;
}

static bool box(struct resolver *r, struct stmt *t, struct tensor_map *m)
{
	struct expr *const *o = t->tensor->option;
	int64_t v[TENSOR_DIMS];

	m->im2col = o[OPTION_LOWER] || o[OPTION_UPPER] || o[OPTION_CHANNELS] || o[OPTION_PIXELS];
	if (m->im2col ? o[OPTION_BOX] || !o[OPTION_LOWER] || !o[OPTION_UPPER] ||
				!o[OPTION_CHANNELS] || !o[OPTION_PIXELS]
		      : !o[OPTION_BOX])
		return resolve_wrong(r, t, DIAG_L0131,
			"a tensor map has a box, or, for im2col, lower, upper, channels and pixels");
	if (!m->im2col) {
		if (!numbers(r, t, o[OPTION_BOX], m->rank, "box", 1, 256, v))
			return false;
		for (unsigned k = 0; k < m->rank; k++)
			m->box[k] = (uint32_t)v[k];
		return true;
	}
	if (m->rank < 3)
		return resolve_wrong(r, t, DIAG_L0131, "im2col requires three to five dimensions");
	if (!numbers(r, t, o[OPTION_LOWER], m->rank - 2u, "lower", -32768, 32767, v))
		return false;
	for (unsigned k = 0; k + 2 < m->rank; k++)
		m->lower[k] = (int32_t)v[k];
	if (!numbers(r, t, o[OPTION_UPPER], m->rank - 2u, "upper", -32768, 32767, v))
		return false;
	for (unsigned k = 0; k + 2 < m->rank; k++)
		m->upper[k] = (int32_t)v[k];
	if (!numbers(r, t, o[OPTION_CHANNELS], 1, "channels", 1, 256, v))
		return false;
	m->channels = (uint32_t)v[0];
	if (!numbers(r, t, o[OPTION_PIXELS], 1, "pixels", 1, 1024, v))
		return false;
	m->pixels = (uint32_t)v[0];
	return true;
}

static bool fill(struct resolver *r, struct stmt *t, struct tensor_map *m)
{
	struct expr *x = t->tensor->option[OPTION_FILL];
	struct value v;

	if (!x)
		return true;
	if (!resolve_constant(r, x) || !expr_constant(x, &v, &r->s->arena, r->diags))
		return false;
	m->nan = v.is_float && v.f != v.f;
	return m->nan || (!v.is_float && v.i == 0) ||
		resolve_wrong(r, t, DIAG_L0131, "what is outside of a tensor is 0 or nan");
}

static bool complete(struct resolver *r, struct stmt *t)
{
	struct tensor_map *m = &t->tensor->map;
	const char *why;

	if (!type_of(r, t, &m->type) ||
		!resolve_expr(r, t->value, (struct name_use){.address = true}) ||
		!kind_of(r, t, OPTION_INTERLEAVE, 16, 2, &m->interleave) || !swizzle(r, t, m) ||
		!atom(r, t, m) || !kind_of(r, t, OPTION_PROMOTION, 64, 3, &m->promotion) ||
		!shape(r, t, m) || !box(r, t, m) || !fill(r, t, m))
		return false;
	why = tensor_map_refused(m);
	return !why || resolve_wrong(r, t, DIAG_L0131, why);
}

bool tensor_line_resolve(struct resolver *r, struct stmt *t)
{
	bool ok = !t->broken && complete(r, t);
	struct object *o;

	if (resolve_object(r, t->name) >= 0)
		return diag_report(r->diags, DIAG_L0112, t->source, t->name_span,
			       "there is already a buffer or variable '%.80s'", t->name),
		       false;
	o = vec_push(&r->object);
	*o = (struct object){.name = t->name,
		.type = TYPE_b32,
		.is_buffer = true,
		.count = TENSOR_IMAGE / 4,
		.stmt = t,
		.broken = !ok};
	t->object = (int)r->object.count - 1;
	return ok;
}
