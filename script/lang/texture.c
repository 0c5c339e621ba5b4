/* The //@ texture and //@ surface lines: what the host's calls would make of a buffer. */
#include "script/lang/texture.h"
#include <stdlib.h>
#include <string.h>

/* --- parsing --- */

static bool is_text(const struct lexer *x, const char *word)
{
	return x->kind == T_WORD && x->len == strlen(word) && strncmp(x->str, word, x->len) == 0;
}

static bool refuse(struct lexer *x, const char *why)
{
	diag_report(x->diags, DIAG_L0132, x->source, x->span, "%s", why);
	return false;
}

/* The format of texels: a scalar type, and x2 or x4 for several channels. */
static bool parse_format(struct lexer *x, struct texture *t)
{
	static const struct {
		const char *name;
		uint8_t kind, bits;
	} formats[] = {{"u8", TEXEL_UNSIGNED, 8}, {"u16", TEXEL_UNSIGNED, 16},
		{"u32", TEXEL_UNSIGNED, 32}, {"s8", TEXEL_SIGNED, 8}, {"s16", TEXEL_SIGNED, 16},
		{"s32", TEXEL_SIGNED, 32}, {"f16", TEXEL_FLOAT, 16}, {"f32", TEXEL_FLOAT, 32}};
	const char *many = x->kind == T_WORD ? strchr(x->str, 'x') : NULL;
	size_t n = many ? (size_t)(many - x->str) : x->kind == T_WORD ? x->len : 0;

	if (many && strcmp(many, "x2") != 0 && strcmp(many, "x4") != 0)
		return refuse(x, "a texel has one, two or four channels: f32, f32x2, f32x4");
	t->channels = (uint8_t)(many ? many[1] - '0' : 1);
	for (unsigned k = 0; k < sizeof formats / sizeof *formats; k++)
		if (strlen(formats[k].name) == n && strncmp(formats[k].name, x->str, n) == 0) {
			t->kind = formats[k].kind;
			t->bits = formats[k].bits;
			lex_next(x);
			return true;
		}
	return refuse(x,
		"the channels of a texture are u8, u16, u32, s8, s16, s32, f16 or f32, as in f32 or u8x4");
}

static bool parse_outside(struct lexer *x, struct texture *t)
{
	static const char *const words[] = {"wrap", "clamp", "mirror", "border"};

	for (uint8_t k = 0; k < 4; k++)
		if (is_text(x, words[k])) {
			memset(t->outside, k, sizeof t->outside);
			lex_next(x);
			return true;
		}
	return expr_expected(x, "wrap, clamp, mirror or border") != NULL;
}

static bool parse_option(struct lexer *x, struct texture_line *l)
{
	struct texture *t = &l->texture;
	struct expr **number = is_text(x, "layers") ? &l->layers
		: is_text(x, "pitch")               ? &l->pitch
						    : NULL;

	if (number) {
		lex_next(x);
		return expr_accept(x, '=', "'='") && (*number = expr_parse(x)) != NULL;
	}
	if (!l->surface && is_text(x, "outside")) {
		lex_next(x);
		return expr_accept(x, '=', "'='") && parse_outside(x, t);
	}
	bool *flag = l->surface            ? NULL
		: is_text(x, "filter")     ? &t->filters
		: is_text(x, "normalized") ? &t->normalized
		: is_text(x, "unit")       ? &t->unit_range
		: is_text(x, "linear")     ? &t->linear
		: is_text(x, "cube")       ? &t->cube
					   : NULL;

	if (!flag)
		return expr_expected(x,
			       l->surface
				       ? "layers=N, pitch=BYTES or the end of the line"
				       : "layers=N, pitch=BYTES, outside=clamp|border|wrap|mirror, filter, normalized, unit, linear, cube or the end of the line") !=
			NULL;
	*flag = true;
	lex_next(x);
	return true;
}

bool texture_line_parse(struct lexer *x, struct stmt *t, bool surface)
{
	struct texture_line *l = t->texture = ARENA_NEW(x->arena, struct texture_line);

	l->surface = surface;
	memset(l->texture.outside, OUTSIDE_CLAMP, sizeof l->texture.outside);
	if (x->kind != T_WORD || x->str[0] == '%')
		return expr_expected(x, "the texture's name") != NULL;
	t->name = x->str;
	t->name_span = x->span;
	lex_next(x);
	if (!expr_accept(x, ':', "':' and a format, as in 'texture t : f32[64, 64] = a'"))
		return false;
	if (!parse_format(x, &l->texture) ||
		!expr_accept(x, '[', "'[' and the dimensions, the innermost first") ||
		!expr_parse_list(x, ']', 3, "at most three dimensions", &l->dims) ||
		!expr_accept(x, '=', "'=' and a buffer") || !(t->value = expr_parse_argument(x)))
		return false;
	while (x->kind != T_END)
		if (!parse_option(x, l))
			return false;
	return true;
}

/* --- resolving --- */

static bool number(
	struct resolver *r, struct expr *x, uint64_t high, const char *what, uint64_t *out)
{
	return resolve_constant(r, x) && expr_whole(x, 1, high, what, out, &r->s->arena, r->diags);
}

static bool resolve_shape(struct resolver *r, struct stmt *t)
{
	struct texture_line *l = t->texture;
	struct texture *x = &l->texture;
	uint64_t n = 0;
	unsigned k = 0;

	for (struct expr *e = l->dims; e; e = e->next, k++) {
		/* the most that hardware has; in a row of memory 2^27 */
		if (!number(r, e, l->dims->next ? 131072 : 1 << 27, "a dimension", &n))
			return false;
		x->size[k] = (uint32_t)n;
	}
	if (l->layers) {
		if (!number(r, l->layers, 2048, "the number of layers", &n))
			return false;
		x->layers = (uint32_t)n;
	}
	x->pitch = (uint64_t)x->size[0] * texel_bytes(x);
	if (l->pitch) {
		if (!number(r, l->pitch, UINT32_MAX, "a pitch", &n))
			return false;
		x->pitch = n;
	}
	x->slice = x->pitch * (x->size[1] ? x->size[1] : 1);
	return true;
}

static bool resolve_rest(struct resolver *r, struct stmt *t)
{
	const struct texture *x = &t->texture->texture;

	const char *why = texture_refused(x);

	if (why)
		return resolve_wrong(r, t, DIAG_L0132, why);
	if (!x->normalized && (x->outside[0] == OUTSIDE_WRAP || x->outside[0] == OUTSIDE_MIRROR))
		return resolve_wrong(
			r, t, DIAG_L0132, "wrap and mirror need normalized coordinates");
	return true;
}

bool texture_line_resolve(struct resolver *r, struct stmt *t)
{
	int old = resolve_object(r, t->name);
	bool ok = !t->broken;
	struct object *o;

	/* a direction from the centre of a cube, of any length */
	t->texture->texture.normalized |= t->texture->texture.cube;
	if (old >= 0 && r->object.data[old].stmt) {
		struct diag *d = diag_report(r->diags, DIAG_L0112, t->source, t->name_span,
			"there is already '%.80s'", t->name);

		diag_label(r->diags, d, t->source, r->object.data[old].stmt->name_span, "here");
		return false;
	}
	ok = ok && resolve_shape(r, t) && resolve_rest(r, t) &&
		resolve_expr(r, t->value, (struct name_use){.address = true});
	if (t->texture->surface)
		t->texture->texture.surface = t->texture->texture.linear = true;
	/* entered even if it has an error, so that later directives do not report it as unknown */
	o = vec_push(&r->object);
	*o = (struct object){.name = t->name,
		.type = TYPE_u64,
		.count = 1,
		.is_buffer = true,
		.stmt = t,
		.broken = !ok};
	t->object = (int)r->object.count - 1;
	return ok;
}
