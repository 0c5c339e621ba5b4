/* lexer: kinds, spans and values of tokens, and text that is not a token. */
#include "lexer/lexer.h"
#include "parser/ptx.tab.h"
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 64 };

struct scan {
	struct arena arena;
	struct symbols symbols;
	struct diags diags;
	struct source *source;
	struct token token[MOST];
	unsigned count; /* without the end-of-file token */
};

static struct scan *scan_bytes(const char *text, size_t n)
{
	struct scan *s = calloc(1, sizeof *s);
	struct lexer l;

	s->source = source_new(&s->arena, "t.ptx", text, n);
	lexer_begin(&l, s->source, &s->symbols, &s->diags);
	for (;;) {
		struct token *t = &s->token[s->count];

		t->kind = lexer_next(&l, &t->value, &t->span);
		cr_assert(t->span.off + t->span.len <= n);
		if (t->kind == PTX_END)
			break;
		cr_assert_lt(++s->count, MOST);
	}
	lexer_end(&l);
	cr_assert_arr_eq(s->source->text, text, n, "the source is whole again");
	return s;
}

static struct scan *scan(const char *text) { return scan_bytes(text, strlen(text)); }

static void done(struct scan *s)
{
	diags_free(&s->diags);
	symbols_free(&s->symbols);
	arena_free(&s->arena);
	free(s);
}

/* The text is one token of KIND, without a message. */
static struct scan *one(const char *text, int kind)
{
	struct scan *s = scan(text);

	cr_assert_eq(s->count, 1, "%s: %u tokens", text, s->count);
	cr_assert_eq(s->token[0].kind, kind, "%s: kind %d", text, s->token[0].kind);
	cr_assert_eq(s->token[0].span.len, strlen(text));
	cr_assert_eq(s->diags.count, 0, "%s", text);
	return s;
}

static void integer(const char *text, uint64_t value, unsigned flag)
{
	struct scan *s = one(text, PTX_INT);

	cr_assert_eq(s->token[0].value.number.value, value, "%s", text);
	cr_assert_eq(s->token[0].value.number.flag, flag, "%s", text);
	done(s);
}

static void number(const char *text, uint64_t bits, unsigned flag)
{
	struct scan *s = one(text, PTX_FLOAT);

	cr_assert_eq(s->token[0].value.number.value, bits, "%s", text);
	cr_assert_eq(s->token[0].value.number.flag, flag, "%s", text);
	done(s);
}

static void decimal(const char *text, double value)
{
	uint64_t bits;

	memcpy(&bits, &value, sizeof bits);
	number(text, bits, 0);
}

/* TEXT yields one message of CODE at OFF, LEN bytes long. */
static void rejected(const char *text, enum diag_code code, uint32_t off, uint32_t len)
{
	struct scan *s = scan(text);

	cr_assert_eq(s->diags.count, 1, "%s: %u messages", text, s->diags.count);
	cr_assert_eq(s->diags.first->code, code, "%s: %s", text,
		diag_code_info(s->diags.first->code).code);
	cr_assert_eq(s->diags.first->label[0].span.off, off, "%s: at %u", text,
		s->diags.first->label[0].span.off);
	cr_assert_eq(s->diags.first->label[0].span.len, len, "%s: %u long", text,
		s->diags.first->label[0].span.len);
	done(s);
}

Test(lexer, integers)
{
	integer("0", 0, 0);
	integer("0U", 0, 1);
	integer("12", 12, 0);
	integer("12U", 12, 1);
	integer("017", 15, 0);
	integer("0x1f", 31, 0);
	integer("0XFFU", 255, 1);
	integer("0b101", 5, 0);
	integer("0B11U", 3, 1);
	integer("18446744073709551615", UINT64_MAX, 0);
	integer("0xffffffffffffffff", UINT64_MAX, 0);
	integer("01777777777777777777777", UINT64_MAX, 0);
}

Test(lexer, integers_of_more_than_64_bits)
{
	rejected("18446744073709551616", DIAG_E0106, 0, 20);
	rejected(" 0x10000000000000000", DIAG_E0106, 1, 19);
	rejected("02000000000000000000000", DIAG_E0106, 0, 23);
	rejected("99999999999999999999999999999999999999", DIAG_E0106, 0, 38);
}

Test(lexer, floating_point)
{
	decimal("1.5", 1.5);
	decimal("0.1", 0.1);
	decimal("12345.0123456789", 12345.0123456789);
	decimal(".999999999999999", .999999999999999);
	decimal(".9999999999999999", .9999999999999999);
	decimal("123456789012345.", 123456789012345.);
	decimal(".5", 0.5);
	decimal("1.", 1.0);
	decimal("1e5", 1e5);
	decimal("1.25E-3", 1.25e-3);
	decimal(".5e+1", 5.0);
	number("0f3F800000", 0x3f800000, NUMBER_SINGLE);
	number("0FBf800000", 0xbf800000, NUMBER_SINGLE);
	number("0d3ff0000000000000", 0x3ff0000000000000, NUMBER_DOUBLE);
	number("0DFFFFFFFFFFFFFFFF", UINT64_MAX, NUMBER_DOUBLE);
}

Test(lexer, malformed_numbers)
{
	rejected("1.0f", DIAG_E0105, 0, 4);
	rejected("08", DIAG_E0105, 0, 2);
	rejected("0b102", DIAG_E0105, 0, 5);
	rejected("0x", DIAG_E0105, 0, 2);
	rejected("12u", DIAG_E0105, 0, 3);
	rejected("12abc", DIAG_E0105, 0, 5);
	rejected("0f3f8", DIAG_E0105, 0, 5);
	rejected("0f3f80000000", DIAG_E0105, 0, 12);
	rejected("1.5e", DIAG_E0105, 0, 4);
}

Test(lexer, c_float_is_shown_as_ptx)
{
	struct scan *s = scan("1.5f");

	cr_assert_not_null(strstr(s->diags.first->help, "0f3FC00000"));
	done(s);
}

Test(lexer, names)
{
	static const char *const name[] = {
		"a", "add", "%r1", "$L__BB0_1", "_x", "__", "%tid", "a$b", "WARP_SZ", "_Z3fooPi"};

	for (size_t i = 0; i < sizeof name / sizeof name[0]; i++) {
		struct scan *s = one(name[i], PTX_NAME);

		cr_assert_str_eq(symbol_text(&s->symbols, s->token[0].value.symbol), name[i]);
		done(s);
	}
	done(one("_", PTX_SINK));
	done(one("%", PTX_PERCENT));
}

Test(lexer, dotted_words)
{
	static const struct {
		const char *text;
		int kind;
		enum word word;
	} want[] = {
		{".u32", PTX_TYPE, W_u32},
		{".global", PTX_SPACE, W_global},
		{".reg", PTX_REG, W_reg},
		{".v4", PTX_VECTOR, W_v4},
		{".visible", PTX_LINKAGE, W_visible},
		{".relaxed", PTX_MODIFIER, W_relaxed},
		{".shared::cta", PTX_MODIFIER, W_shared__cta},
		{".version", PTX_D_VERSION, W_version},
		{".entry", PTX_D_ENTRY, W_entry},
		{".maxntid", PTX_D_TUNE, W_maxntid},
		{".noreturn", PTX_D_TUNE0, W_noreturn},
		{".callprototype", PTX_D_CALLPROTOTYPE, W_callprototype},
	};

	for (size_t i = 0; i < sizeof want / sizeof want[0]; i++) {
		struct scan *s = one(want[i].text, want[i].kind);

		cr_assert_eq(s->token[0].value.word, want[i].word, "%s", want[i].text);
		done(s);
	}
}

Test(lexer, digits_after_a_dot_are_a_number_unless_a_letter_follows)
{
	struct scan *s = scan(".5 .1d %r1.x");

	cr_assert_eq(s->count, 4);
	cr_assert_eq(s->token[0].kind, PTX_FLOAT);
	cr_assert_eq(s->token[1].kind, PTX_MODIFIER);
	cr_assert_eq(s->token[2].kind, PTX_NAME);
	cr_assert_eq(s->token[3].kind, PTX_MODIFIER);
	cr_assert_eq(s->token[3].span.off, 10);
	cr_assert_eq(s->token[3].span.len, 2);
	done(s);
}

Test(lexer, unknown_word_is_read_as_the_nearest)
{
	struct scan *s = scan("ld.gobal.u32");

	cr_assert_eq(s->count, 3);
	cr_assert_eq(s->token[1].kind, PTX_SPACE);
	cr_assert_eq(s->token[1].value.word, W_global);
	cr_assert_eq(s->diags.count, 1);
	cr_assert_eq(s->diags.first->code, DIAG_E0103);
	cr_assert_str_eq(s->diags.first->help, "did you mean '.global'?");
	done(s);
	s = scan(".nothinglikethis");
	cr_assert_eq(s->token[0].kind, PTX_MODIFIER);
	cr_assert_eq(s->token[0].value.word, W_NONE);
	cr_assert_null(s->diags.first->help);
	done(s);
}

Test(lexer, section_names_are_no_words)
{
	struct scan *s = scan(".section .debug_str { .b8 0 .debug_foo } .nothinglikethis");

	cr_assert_eq(s->token[1].kind, PTX_DOTTED);
	cr_assert_str_eq(symbol_text(&s->symbols, s->token[1].value.symbol), ".debug_str");
	cr_assert_eq(s->token[3].kind, PTX_TYPE);
	cr_assert_eq(s->token[5].kind, PTX_DOTTED);
	cr_assert_eq(s->diags.count, 1, "only the word after the section");
	done(s);
}

Test(lexer, punctuation)
{
	static const int want[] = {PTX_LE, PTX_GE, PTX_EQ, PTX_NE, PTX_LAND, PTX_LOR, PTX_SHL,
		PTX_SHR, PTX_SEMI, PTX_COMMA, PTX_COLON, PTX_LPAREN, PTX_RPAREN, PTX_LBRACK,
		PTX_RBRACK, PTX_LBRACE, PTX_RBRACE, PTX_LANGLE, PTX_RANGLE, PTX_AT, PTX_BANG,
		PTX_PIPE, PTX_PLUS, PTX_MINUS, PTX_EQUALS, PTX_STAR, PTX_SLASH, PTX_PERCENT,
		PTX_AMP, PTX_CARET, PTX_TILDE, PTX_QUESTION};
	struct scan *s = scan(
		"<= >= == != && || << >> ; , : ( ) [ ] { } < > @ ! | + - = * / % & ^ ~ ?");

	cr_assert_eq(s->count, sizeof want / sizeof want[0]);
	for (unsigned i = 0; i < s->count; i++)
		cr_assert_eq(s->token[i].kind, want[i], "token %u", i);
	done(s);
}

Test(lexer, blanks_comments_and_line_markers)
{
	struct scan *s = scan(
		" \t\r\n\f// one\n/* two * / ** **/add//three\r\n# 12 \"a.cu\" 1\n#line 3 \"b.cu\"\nsub/**/mul/***/");

	cr_assert_eq(s->count, 3);
	cr_assert_eq(s->diags.count, 0);
	cr_assert_eq(s->token[0].span.len, 3);
	done(s);
}

Test(lexer, strings)
{
	struct scan *s = scan("\"C:\\dir\\\" \"\"");

	cr_assert_eq(s->count, 2);
	cr_assert_str_eq(symbol_text(&s->symbols, s->token[0].value.symbol), "C:\\dir\\",
		"a backslash stands for itself");
	cr_assert_eq(s->token[1].value.symbol, 0);
	done(s);
}

Test(lexer, no_tokens)
{
	rejected("ret `", DIAG_E0104, 4, 1);
	rejected("ret \xc3\xa9", DIAG_E0104, 4, 2);
	rejected("ret \xff", DIAG_E0104, 4, 1);
	rejected("\"abc\nret", DIAG_E0107, 0, 4);
	rejected("ret /* abc * /", DIAG_E0108, 4, 2);
	rejected("/*", DIAG_E0108, 0, 2);
	rejected("/*/", DIAG_E0108, 0, 2);
	rejected("// \xc3\xa9", DIAG_E0104, 3, 2);
	rejected("/* \xc3\xa9 */", DIAG_E0104, 3, 2);
	rejected("\"\xc3\xa9\"", DIAG_E0104, 1, 2);
	rejected("# foo", DIAG_E0104, 0, 1);
	rejected("@@DWARF .byte 1", DIAG_E0104, 0, 2);
	rejected("\x01", DIAG_E0104, 0, 1);
}

Test(lexer, nul_bytes)
{
	static const char *const text[] = {"ret\0;", "//\0a\n", "/*\0*/", "\"\0\"  "};

	for (int i = 0; i < 4; i++) {
		struct scan *s = scan_bytes(text[i], 5);

		cr_assert_eq(s->diags.count, 1, "text %d", i);
		cr_assert_eq(s->diags.first->code, DIAG_E0104);
		done(s);
	}
}

Test(lexer, the_end_comes_for_ever)
{
	struct scan s = {0};
	struct lexer l;
	union token_value value;
	struct span span;

	s.source = source_new(&s.arena, "t", "x", 1);
	lexer_begin(&l, s.source, &s.symbols, &s.diags);
	cr_assert_eq(lexer_next(&l, &value, &span), PTX_NAME);
	for (int i = 0; i < 3; i++) {
		cr_assert_eq(lexer_next(&l, &value, &span), PTX_END);
		cr_assert_eq(span.off, 1);
		cr_assert_eq(span.len, 0);
	}
	lexer_end(&l);
	symbols_free(&s.symbols);
	arena_free(&s.arena);
}

Test(lexer, stopping_early_leaves_the_source_whole)
{
	struct scan s = {0};
	struct lexer l;
	union token_value value;
	struct span span;

	s.source = source_new(&s.arena, "t", "add.u32 %r1", 11);
	lexer_begin(&l, s.source, &s.symbols, &s.diags);
	lexer_next(&l, &value, &span);
	lexer_end(&l);
	cr_assert_str_eq(s.source->text, "add.u32 %r1");
	symbols_free(&s.symbols);
	arena_free(&s.arena);
}
