/* Finds //@ lines and splits them into tokens. */
#include "script/lang/lex.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

void script_lines_free(struct script_lines *l)
{
	vec_free(&l->line);
	vec_free(&l->piece);
}

static bool blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f'; }

/* Where the tokens of [off, end) end: before a comment (# or //, outside a string). *next is where
 * another //@ begins, or END. */
static uint32_t words_end(const char *t, uint32_t off, uint32_t end, uint32_t *next)
{
	bool text = false;

	*next = end;
	for (uint32_t k = off; k < end; k++) {
		if (text && t[k] == '\\' && k + 1 < end) {
			k++;
		} else if (t[k] == '"') {
			text = !text;
		} else if (!text && t[k] == '#') {
			return k;
		} else if (!text && t[k] == '/' && k + 1 < end && t[k + 1] == '/') {
			if (k + 2 < end && t[k + 2] == '@')
				*next = k;
			return k;
		}
	}
	return end;
}

struct scan {
	struct source *source;
	struct script_lines *out;
	uint32_t line;
	bool open; /* the last line ended in a backslash and continues */
};

/* Appends a piece: [off, end), without a comment. */
static void add_piece(struct scan *s, uint32_t off, uint32_t end)
{
	const char *t = s->source->text;
	bool goes_on;

	while (end > off && blank(t[end - 1]))
		end--;
	goes_on = end > off && t[end - 1] == '\\';
	if (goes_on)
		end--;
	while (off < end && blank(t[off]))
		off++;
	if (!s->open) {
		if (off == end && !goes_on)
			return;
		*vec_push(&s->out->line) = (struct script_line){
			.source = s->source, .piece = s->out->piece.count, .line = s->line};
	}
	*vec_push(&s->out->piece) = (struct piece){off, end};
	s->out->line.data[s->out->line.count - 1].npieces++;
	s->open = goes_on;
}

/* Appends the pieces of [off, end), which follows a //@ and may contain more of them. */
static void add_comment(struct scan *s, uint32_t off, uint32_t end)
{
	for (;;) {
		uint32_t next, stop = words_end(s->source->text, off, end, &next);

		add_piece(s, off, stop);
		if (next >= end)
			return;
		off = next + 3;
	}
}

static uint32_t line_end(const struct source *source, uint32_t k)
{
	const char *nl = memchr(source->text + k, '\n', source->len - k);

	return nl ? (uint32_t)(nl - source->text) : source->len;
}

void script_scan(struct source *source, struct script_lines *out)
{
	struct scan s = {.source = source, .out = out, .line = 1};
	const char *t = source->text;
	uint32_t n = source->len;

	for (uint32_t k = 0; k < n; k++) {
		if (t[k] == '\n') {
			s.line++;
		} else if (t[k] == '/' && k + 1 < n && t[k + 1] == '*') {
			for (k += 2; k < n && !(t[k] == '*' && k + 1 < n && t[k + 1] == '/'); k++)
				s.line += t[k] == '\n';
			k++;
		} else if (t[k] == '/' && k + 1 < n && t[k + 1] == '/') {
			uint32_t end = line_end(source, k);

			if (k + 2 < end && t[k + 2] == '@')
				add_comment(&s, k + 3, end);
			k = end - 1;
		} else if (t[k] == '"') {
			for (k++; k < n && t[k] != '"' && t[k] != '\n'; k++)
				k += t[k] == '\\' && k + 1 < n && t[k + 1] != '\n';
			if (k < n && t[k] == '\n')
				k--;
		}
	}
}

void script_scan_plain(struct source *source, struct script_lines *out)
{
	struct scan s = {.source = source, .out = out, .line = 1};

	for (uint32_t k = 0; k < source->len; k++, s.line++) {
		uint32_t end = line_end(source, k);

		while (k < end && blank(source->text[k]))
			k++;
		if (end - k >= 3 && memcmp(source->text + k, "//@", 3) == 0)
			k += 3;
		add_comment(&s, k, end);
		k = end;
	}
}

bool script_has_marks(const struct source *source)
{
	for (uint32_t k = 0; k < source->len;) {
		uint32_t end = line_end(source, k);

		while (k < end && blank(source->text[k]))
			k++;
		if (end - k >= 3 && memcmp(source->text + k, "//@", 3) == 0)
			return true;
		k = end + 1;
	}
	return false;
}

void lex_begin(struct lexer *x, const struct script_lines *lines, const struct script_line *line,
	struct diags *diags, struct arena *arena)
{
	*x = (struct lexer){.lines = lines,
		.line = line,
		.source = line->source,
		.diags = diags,
		.arena = arena};
	x->at = x->last_end = lines->piece.data[line->piece].off;
}

static uint32_t piece_end(const struct lexer *x)
{
	return x->lines->piece.data[x->line->piece + x->piece].end;
}

static bool name_start(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$' || c == '%';
}

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

static bool name_part(char c) { return (name_start(c) && c != '%') || is_digit(c); }

/* Skips white space, continuing in the next piece; false at the end of the line. */
static bool to_token(struct lexer *x)
{
	for (;;) {
		while (x->at < piece_end(x) && blank(x->source->text[x->at])) {
			x->at++;
			x->spaced = true;
		}
		if (x->at < piece_end(x))
			return true;
		if (x->piece + 1 >= x->line->npieces)
			return false;
		x->piece++;
		x->spaced = true;
		x->at = x->lines->piece.data[x->line->piece + x->piece].off;
	}
}

static int digit_value(char c)
{
	if (is_digit(c))
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	return c >= 'A' && c <= 'F' ? c - 'A' + 10 : 99;
}

static void bad_number(struct lexer *x, const char *what)
{
	diag_report(x->diags, DIAG_L0103, x->source, x->span, "'%.*s' %s",
		(int)(x->span.len > 80 ? 80 : x->span.len), x->source->text + x->span.off, what);
	x->kind = T_BAD;
}

/* 0f3f800000 and 0d3ff0000000000000: the bits of a float or a double. */
static bool lex_bits(struct lexer *x, const char *s, uint32_t n)
{
	uint32_t want = s[1] == 'f' || s[1] == 'F' ? 8 : 16;
	uint64_t bits = 0;

	if (n != want + 2)
		return false;
	for (uint32_t k = 2; k < n; k++) {
		if (digit_value(s[k]) > 15)
			return false;
		bits = bits << 4 | (uint64_t)digit_value(s[k]);
	}
	if (want == 8) {
		uint32_t low = (uint32_t)bits;
		float f;

		memcpy(&f, &low, sizeof f);
		x->f = f;
	} else {
		memcpy(&x->f, &bits, sizeof bits);
	}
	x->kind = T_FLOAT;
	return true;
}

static void lex_integer(struct lexer *x, const char *s, uint32_t n)
{
	int base = 10;
	uint32_t k = 0;
	__int128 v = 0;

	if (n > 1 && s[n - 1] == 'U')
		n--;
	if (n > 1 && s[0] == '0') {
		base = s[1] == 'x' || s[1] == 'X' ? 16 : s[1] == 'b' || s[1] == 'B' ? 2 : 8;
		k = base == 8 ? 1 : 2;
	}
	if (k == n) {
		bad_number(x, "is not a number: digits are missing");
		return;
	}
	for (; k < n; k++) {
		int d = digit_value(s[k]);

		if (d >= base) {
			bad_number(x,
				base == 8 ? "is not an octal number (a leading 0 means octal)"
					  : "is not a number");
			return;
		}
		if (__builtin_mul_overflow(v, (__int128)base, &v) ||
			__builtin_add_overflow(v, (__int128)d, &v)) {
			bad_number(x, "does not fit in 128 bits");
			return;
		}
	}
	x->kind = T_INT;
	x->i = v;
}

static void lex_number(struct lexer *x)
{
	const char *t = x->source->text;
	uint32_t k = x->at, end = piece_end(x);
	bool real = false, hex = t[k] == '0' && k + 1 < end && (t[k + 1] == 'x' || t[k + 1] == 'X');
	bool bits = t[k] == '0' && k + 1 < end && strchr("fFdD", t[k + 1]);

	while (k < end) {
		if (t[k] == '.') {
			if (hex || bits || (k + 1 < end && t[k + 1] == '.') || real)
				break;
			real = true;
		} else if ((t[k] == 'e' || t[k] == 'E') && !hex && !bits) {
			real = true;
			if (k + 1 < end && (t[k + 1] == '-' || t[k + 1] == '+'))
				k++;
		} else if (!name_part(t[k])) {
			break;
		}
		k++;
	}
	x->span.len = k - x->at;
	if (bits) {
		if (!lex_bits(x, t + x->at, x->span.len))
			bad_number(x,
				t[x->at + 1] == 'f' || t[x->at + 1] == 'F'
					? "is not a float: 0f takes 8 hex digits"
					: "is not a double: 0d takes 16 hex digits");
	} else if (real) {
		char *stop;

		x->f = strtod(arena_text(x->arena, t + x->at, x->span.len), &stop);
		x->kind = T_FLOAT;
		if (*stop)
			bad_number(x, "is not a number");
		else if (isinf(x->f))
			bad_number(x, "exceeds the largest double");
	} else {
		lex_integer(x, t + x->at, x->span.len);
	}
	x->at = k;
}

static uint32_t lex_escape(const char *t, uint32_t k, uint32_t end, char *out)
{
	int v = 0;
	uint32_t from;

	switch (t[k]) {
	case 'n': *out = '\n'; return k + 1;
	case 't': *out = '\t'; return k + 1;
	case 'r': *out = '\r'; return k + 1;
	case 'x':
		for (from = ++k; k < end && k < from + 2 && digit_value(t[k]) < 16; k++)
			v = v * 16 + digit_value(t[k]);
		*out = (char)v;
		return k;
	default: *out = t[k]; return k + 1;
	}
}

static void lex_text(struct lexer *x)
{
	const char *t = x->source->text;
	uint32_t k = x->at + 1, end = piece_end(x), n = 0;
	char *s = arena_alloc(x->arena, end - x->at + 1, 1);

	while (k < end && t[k] != '"') {
		if (t[k] == '\\' && k + 1 < end)
			k = lex_escape(t, k + 1, end, &s[n++]);
		else
			s[n++] = t[k++];
	}
	s[n] = 0;
	x->kind = T_TEXT;
	x->str = s;
	x->len = n;
	x->span.len = k - x->at + (k < end);
	x->at = k < end ? k + 1 : k;
	if (k >= end) {
		diag_report(
			x->diags, DIAG_L0104, x->source, x->span, "the text has no closing quote");
		x->kind = T_BAD;
	}
}

static void lex_symbol(struct lexer *x)
{
	static const struct {
		const char *text;
		int kind;
	} symbols[] = {{"<<<", T_LAUNCH}, {">>>", T_LAUNCHED}, {"..", T_RANGE}, {"==", T_EQ},
		{"!=", T_NE}, {"<=", T_LE}, {">=", T_GE}, {"~=", T_NEAR}, {"&&", T_AND},
		{"/\\", T_AND}, {"||", T_OR}, {"\\/", T_OR}, {"<<", T_SHL}, {">>", T_SHR}};
	const char *t = x->source->text + x->at;
	uint32_t left = piece_end(x) - x->at;

	for (size_t k = 0; k < sizeof symbols / sizeof symbols[0]; k++) {
		uint32_t n = (uint32_t)strlen(symbols[k].text);

		if (n <= left && memcmp(t, symbols[k].text, n) == 0) {
			x->kind = symbols[k].kind;
			x->span.len = n;
			x->at += n;
			return;
		}
	}
	x->kind = (unsigned char)*t;
	x->span.len = 1;
	x->at++;
	if (x->kind >= 0x80 || x->kind < 0x20) { /* one report for consecutive non-ASCII bytes */
		while (x->at < piece_end(x) && (unsigned char)x->source->text[x->at] >= 0x80)
			x->at++;
		x->span.len = x->at - x->span.off;
		diag_report(x->diags, DIAG_L0102, x->source, x->span,
			"a //@ line cannot contain this character outside quotes");
		x->kind = T_BAD;
	}
}

/* "::" and another name: a C++ name goes on. */
static bool begins_scope(const char *t)
{
	return t[0] == ':' && t[1] == ':' && t[2] != '%' && name_start(t[2]);
}

void lex_next(struct lexer *x)
{
	const char *t = x->source->text;

	if (x->kind)
		x->last_end = x->span.off + x->span.len;
	x->spaced = false;
	if (!to_token(x)) {
		x->kind = T_END;
		x->span = (struct span){x->last_end, 0};
		return;
	}
	x->span = (struct span){x->at, 0};
	if (name_start(t[x->at]) &&
		(t[x->at] != '%' || (x->at + 1 < piece_end(x) && name_start(t[x->at + 1])))) {
		uint32_t k = x->at + 1;

		while (k < piece_end(x) &&
			(name_part(t[k]) || (k + 2 < piece_end(x) && begins_scope(t + k))))
			k += t[k] == ':' ? 2 : 1;
		x->kind = T_WORD;
		x->len = x->span.len = k - x->at;
		x->str = arena_text(x->arena, t + x->at, x->len);
		x->at = k;
	} else if (is_digit(t[x->at]) ||
		(t[x->at] == '.' && x->at + 1 < piece_end(x) && is_digit(t[x->at + 1]))) {
		lex_number(x);
	} else if (t[x->at] == '"') {
		lex_text(x);
	} else {
		lex_symbol(x);
	}
}

void lex_next_free(struct lexer *x)
{
	const char *t = x->source->text;
	uint32_t k;

	if (x->kind)
		x->last_end = x->span.off + x->span.len;
	x->spaced = false;
	x->span = (struct span){x->last_end, 0};
	x->kind = T_END;
	if (!to_token(x))
		return;
	for (k = x->at; k < piece_end(x) && !blank(t[k]); k++)
		;
	x->span = (struct span){x->at, k - x->at};
	x->len = x->span.len;
	x->str = arena_text(x->arena, t + x->at, x->len);
	x->kind = T_WORD;
	x->at = k;
}

const char *lex_shown(struct lexer *x)
{
	if (x->kind == T_END)
		return "the end of the line";
	return arena_printf(x->arena, "'%.*s'", (int)(x->span.len > 60 ? 60 : x->span.len),
		x->source->text + x->span.off);
}
