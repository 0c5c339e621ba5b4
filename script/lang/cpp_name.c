/* C++ names as people write them: one spelling for both sides, then a comparison from the whole
 * name to its last part. */
#include "script/lang/cpp_name.h"
#include "base/demangle.h"
#include <string.h>

enum { WRITTEN = 4096 }; /* longer names are compared as symbols only */

static bool word_part(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
		c == '_' || c == '$';
}

static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

static bool same(const char *a, size_t n, const char *b)
{
	return strlen(b) == n && memcmp(a, b, n) == 0;
}

/* The words of a builtin type that were read so far: "long unsigned int" is "unsigned long". */
struct builtin_words {
	unsigned longs, shorts, unsigneds, signeds, ints, n;
};

static bool builtin_word(struct builtin_words *b, const char *w, size_t n)
{
	unsigned *of = same(w, n, "long") ? &b->longs
		: same(w, n, "short")     ? &b->shorts
		: same(w, n, "unsigned")  ? &b->unsigneds
		: same(w, n, "signed")    ? &b->signeds
		: same(w, n, "int")       ? &b->ints
					  : NULL;

	if (!of)
		return false;
	++*of;
	b->n++;
	return true;
}

struct spelling {
	struct text *out;
	struct builtin_words words;
	bool is_const, is_volatile; /* wait for the end of the type's name */
	bool any;                   /* a type's name has begun */
};

static void put_word(struct spelling *s, const char *w, size_t n)
{
	if (s->out->len && word_part(s->out->data[s->out->len - 1]))
		text_putc(s->out, ' ');
	text_add(s->out, w, n);
}

static void put_builtin(struct spelling *s)
{
	struct builtin_words *b = &s->words;
	const char *base = b->shorts ? "short"
		: b->longs > 1       ? "long long"
		: b->longs           ? "long"
				     : "int";

	if (!b->n)
		return;
	if (b->unsigneds)
		put_word(s, "unsigned", 8);
	put_word(s, base, strlen(base));
	*b = (struct builtin_words){0};
}

/* A char or double after such words keeps them. */
static bool joins(struct spelling *s, const char *w, size_t n)
{
	struct builtin_words *b = &s->words;
	bool is_char = same(w, n, "char"), is_double = same(w, n, "double") && b->longs;

	if (!b->n || !(is_char || is_double || same(w, n, "__int128")))
		return false;
	put_word(s,
		b->unsigneds                    ? "unsigned"
			: is_double             ? "long"
			: b->signeds && is_char ? "signed"
						: "",
		b->unsigneds                    ? 8
			: is_double             ? 4
			: b->signeds && is_char ? 6
						: 0);
	*b = (struct builtin_words){0};
	return true;
}

/* The name of a type ends: what was written before it follows it. */
static void end_type(struct spelling *s)
{
	put_builtin(s);
	if (s->is_const)
		put_word(s, "const", 5);
	if (s->is_volatile)
		put_word(s, "volatile", 8);
	s->is_const = s->is_volatile = s->any = false;
}

static size_t word_at(const char *p)
{
	size_t n = 0;

	while (word_part(p[n]))
		n++;
	return n;
}

/* An integer without its suffix. */
static size_t number_length(const char *w, size_t n)
{
	size_t k = n;

	while (k > 1 && strchr("uUlL", w[k - 1]))
		k--;
	for (size_t i = 0; i < k; i++)
		if (w[i] < '0' || w[i] > '9')
			return n;
	return k;
}

/* Spells P up to its end or the bracket that closes it. */
static const char *spell(struct text *out, const char *p, unsigned depth)
{
	struct spelling s = {.out = out};

	while (*p) {
		size_t n = word_at(p);

		if (is_blank(*p)) {
			p++;
		} else if (n) {
			if (same(p, n, "const") && !s.any && !s.words.n)
				s.is_const = true;
			else if (same(p, n, "volatile") && !s.any && !s.words.n)
				s.is_volatile = true;
			else if (same(p, n, "const") || same(p, n, "volatile")) {
				put_builtin(&s);
				put_word(&s, p, n);
			} else if (!builtin_word(&s.words, p, n)) {
				if (!joins(&s, p, n))
					put_builtin(&s);
				put_word(&s, p, *p >= '0' && *p <= '9' ? number_length(p, n) : n);
				s.any = true;
			}
			p += n;
		} else if (*p == ':') {
			text_putc(out, *p++);
		} else if ((*p == '<' || *p == '(') && depth < 64) {
			if (*p == '(')
				end_type(&s);
			text_putc(out, *p);
			p = spell(out, p + 1, depth + 1);
			if (out->len > 5 && !memcmp(out->data + out->len - 5, "(void", 5) &&
				*p == ')')
				out->data[out->len -= 4] = '\0';
			if (*p)
				text_putc(out, *p++);
			s.any = true;
		} else if (*p == '>' || *p == ')') {
			if (depth) {
				end_type(&s);
				return p;
			}
			text_putc(out, *p++);
		} else {
			end_type(&s);
			text_putc(out, *p);
			s.any = *p != ',';
			p++;
		}
	}
	end_type(&s);
	return p;
}

void cpp_normal(const char *name, struct text *out)
{
	text_puts(out, "");
	spell(out, name, 0);
}

/* Where the parameters of NAME begin: at the ( that the last ) closes, unless that is part of the
 * name. LEN if there are none. */
static size_t parameters_at(const char *name, size_t len)
{
	size_t k = len, deep = 0;

	while (k && name[k - 1] != ')')
		k--;
	if (!k || memchr(name + k, ':', len - k) || memchr(name + k, '>', len - k))
		return len;
	while (k--) {
		if (name[k] == ')')
			deep++;
		else if (name[k] == '(' && --deep == 0)
			return k;
	}
	return len;
}

/* Where the template arguments at the end of NAME begin; LEN if there are none. */
static size_t arguments_at(const char *name, size_t len)
{
	size_t k = len, deep = 0;

	if (!len || name[len - 1] != '>')
		return len;
	while (k--) {
		if (name[k] == '>' || name[k] == ')')
			deep++;
		else if ((name[k] == '<' || name[k] == '(') && --deep == 0)
			return k;
	}
	return len;
}

/* What follows the return type, if one is written. */
static size_t name_at(const char *name, size_t len)
{
	size_t deep = 0, at = 0;

	for (size_t k = 0; k < len; k++) {
		if (name[k] == '<' || name[k] == '(' || name[k] == '{')
			deep++;
		else if ((name[k] == '>' || name[k] == ')' || name[k] == '}') && deep)
			deep--;
		else if (name[k] == ' ' && !deep &&
			!(k >= 8 && !memcmp(name + k - 8, "operator", 8)))
			at = k + 1;
	}
	return at;
}

/* Whether A ends with B, which begins a part of the name. */
static bool ends_with(const char *a, size_t na, const char *b, size_t nb)
{
	return nb && na > nb + 2 && !memcmp(a + na - nb, b, nb) &&
		!memcmp(a + na - nb - 2, "::", 2);
}

static bool equal(const char *a, size_t na, const char *b, size_t nb)
{
	return na == nb && memcmp(a, b, na) == 0;
}

static enum cpp_fit fit_name(const char *have, size_t nh, const char *want, size_t nw)
{
	size_t bare = arguments_at(have, nh);

	if (equal(have, nh, want, nw))
		return CPP_WHOLE;
	if (equal(have, bare, want, nw))
		return CPP_BARE;
	if (ends_with(have, nh, want, nw) || ends_with(have, bare, want, nw))
		return CPP_PART;
	return CPP_NO;
}

enum cpp_fit cpp_fit(const char *written, const char *symbol)
{
	struct text whole = {0}, have = {0}, want = {0}, after = {0};
	struct demangled part;
	enum cpp_fit fit = CPP_NO;

	if (strcmp(written, symbol) == 0)
		return CPP_SYMBOL;
	if (strlen(written) > WRITTEN || !demangle(&whole, symbol, &part))
		return CPP_NO;
	cpp_normal(written, &want);
	text_add(&after, whole.data + part.at, part.len);
	cpp_normal(text_str(&after), &have);
	size_t from = parameters_at(text_str(&want), want.len), at = name_at(text_str(&want), from);

	fit = fit_name(text_str(&have), have.len, text_str(&want) + at, from - at);
	if (fit && from < want.len) {
		struct text parameters = {0};

		cpp_normal(whole.data + part.at + part.len, &parameters);
		if (strcmp(text_str(&parameters), want.data + from) != 0)
			fit = CPP_NO;
		text_free(&parameters);
	}
	text_free(&whole);
	text_free(&have);
	text_free(&want);
	text_free(&after);
	return fit;
}

void cpp_short(const char *symbol, bool bare, struct text *out)
{
	struct text whole = {0};
	struct demangled part;

	if (demangle(&whole, symbol, &part))
		text_add(out, whole.data + part.at,
			bare ? arguments_at(whole.data + part.at, part.len) : part.len);
	else
		text_puts(out, symbol);
	text_free(&whole);
}
