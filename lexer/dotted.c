/* Dotted words: directives, types, state spaces, modifiers. An unknown word is reported once and,
 * if a known word is similar, read as that word. */
#include "lexer/lexer.h"
#include <string.h>

static const uint8_t kind_by_word[WORD_COUNT] = {
	[W_NONE] = PTX_MODIFIER,
#define TYPE(name, class, bits) [W_##name] = PTX_TYPE,
#include "isa/type.def"
#define WORD(id, text, token, category) [W_##id] = PTX_##token,
#include "isa/word.def"
};

static int word_kind(enum word w)
{
	if (w == W_reg) /* never a modifier, so that a .reg after a missing ; is recognised */
		return PTX_REG;
	return (unsigned)w < WORD_COUNT ? kind_by_word[w] : PTX_MODIFIER;
}

/* The known word most similar to TEXT, W_NONE if none is similar. */
static enum word nearest_word(const char *text, unsigned len)
{
	unsigned best = len < 3 ? 1 : len < 6 ? 2 : 3;
	enum word found = W_NONE;

	for (unsigned w = 1; w < WORD_COUNT && len < 64; w++) {
		const char *known = word_text((enum word)w);
		unsigned d = text_distance(text, len, known, strlen(known), best - 1);

		if (d < best) {
			best = d;
			found = (enum word)w;
		}
	}
	return found;
}

static int unknown_word(
	struct lexer *l, const char *text, unsigned len, struct span span, union token_value *value)
{
	bool kept = l->diags->dropped == 0; /* a report over the limit needs no suggestion */
	enum word near = kept ? nearest_word(text, len) : W_NONE;
	struct diag *r = diag_report(l->diags, DIAG_E0103, l->source, span, "unknown word '.%.*s'",
		(int)(len > 60 ? 60 : len), text);

	if (near != W_NONE)
		diag_help(l->diags, r, "did you mean '.%s'?", word_text(near));
	value->word = (uint16_t)near;
	l->reported = span.off + 1;
	return word_kind(near);
}

int lexer_word(
	struct lexer *l, const char *text, unsigned len, struct span span, union token_value *value)
{
	enum word w = word_find(text, len);
	int kind = word_kind(w);

	if (l->in_section && kind != PTX_TYPE) {
		value->symbol = symbol_intern(l->symbols, text - 1, len + 1);
		return PTX_DOTTED;
	}
	if (w == W_NONE)
		return unknown_word(l, text, len, span, value);
	if (kind == PTX_D_SECTION)
		l->in_section = true;
	value->word = (uint16_t)w;
	return kind;
}
