/* Finding //@ lines and splitting them into words. */
#include "script/lang/lex.h"
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

static struct arena arena;
static struct diags diags;
static struct script_lines lines;

static void scan(const char *text)
{
	lines = (struct script_lines){0};
	diags = (struct diags){0};
	script_scan(source_new(&arena, "t.ptx", text, strlen(text)), &lines);
}

static void done(void)
{
	script_lines_free(&lines);
	diags_free(&diags);
	arena_free(&arena);
}

static struct lexer begin(unsigned k)
{
	struct lexer x;

	cr_assert(k < lines.line.count);
	lex_begin(&x, &lines, &lines.line.data[k], &diags, &arena);
	lex_next(&x);
	return x;
}

Test(script_lex, only_comments_that_begin_with_the_mark)
{
	scan("// @ not this\n//@ sync\n/* //@ nor this\n */ .global .b8 s = \"//@ nor this\"; //@ print s\n// //@ nor this\n");
	cr_assert_eq(lines.line.count, 2);
	cr_assert_eq(lines.line.data[0].line, 2);
	cr_assert_eq(lines.line.data[1].line, 4);
	cr_assert_str_eq(begin(1).str, "print");
	done();
}

Test(script_lex, several_in_one_comment_and_remarks)
{
	scan("//@ record a 1 //@ wait a 2   //@ sync # remark //@ no line\n//@ print x // another remark\n//@ expect prints \"# // //@ in a text\"\n");
	cr_assert_eq(lines.line.count, 5);
	cr_assert_str_eq(begin(1).str, "wait");
	cr_assert_str_eq(begin(2).str, "sync");
	struct lexer x = begin(4);
	lex_next(&x);
	lex_next(&x);
	cr_assert_eq(x.kind, T_TEXT);
	cr_assert_str_eq(x.str, "# // //@ in a text");
	done();
}

Test(script_lex, continued_lines)
{
	scan("//@ launch k \\   \n  add.u32 %r1, %r1, 1; //@ <<<1, 2>>> \\ # remark\n");
	cr_assert_eq(lines.line.count, 1, "%u lines", lines.line.count);
	struct lexer x = begin(0);
	lex_next(&x);
	cr_assert_str_eq(x.str, "k");
	lex_next(&x);
	cr_assert_eq(x.kind, T_LAUNCH);
	done();
}

Test(script_lex, numbers)
{
	scan("//@ 0 10 0x1F 0b101 017 3U .5 1e-3 0f3f800000 0dc000000000000000 0..59 2.5..3 170141183460469231731687303715884105727\n");
	struct lexer x = begin(0);
	static const struct {
		int kind;
		long long i;
		double f;
	} want[] = {{T_INT, 0, 0}, {T_INT, 10, 0}, {T_INT, 31, 0}, {T_INT, 5, 0}, {T_INT, 15, 0},
		{T_INT, 3, 0}, {T_FLOAT, 0, .5}, {T_FLOAT, 0, 1e-3}, {T_FLOAT, 0, 1.0},
		{T_FLOAT, 0, -2}, {T_INT, 0, 0}, {T_RANGE, 0, 0}, {T_INT, 59, 0}, {T_FLOAT, 0, 2.5},
		{T_RANGE, 0, 0}, {T_INT, 3, 0}};

	for (size_t k = 0; k < sizeof want / sizeof want[0]; k++) {
		cr_assert_eq(x.kind, want[k].kind, "token %zu: %d", k, x.kind);
		if (x.kind == T_INT)
			cr_assert(x.i == want[k].i, "token %zu", k);
		if (x.kind == T_FLOAT)
			cr_assert_eq(x.f, want[k].f, "token %zu", k);
		lex_next(&x);
	}
	cr_assert(x.i == (__int128)(~(unsigned __int128)0 >> 1));
	cr_assert_eq(diags.count, 0);
	done();
}

Test(script_lex, bad_numbers_and_texts_have_their_place)
{
	static const char *const bad[] = {"0x", "08", "1x", "1e", "0f3f80", "0b2",
		"170141183460469231731687303715884105728", "\"open", "\x80\x81", NULL};

	for (unsigned k = 0; bad[k]; k++) {
		char text[100] = "//@ print ";

		strcat(text, bad[k]);
		scan(text);
		struct lexer x = begin(0);
		lex_next(&x);
		cr_assert_eq(x.kind, T_BAD, "%s", bad[k]);
		cr_assert_eq(diags.count, 1);
		cr_assert_eq(diags.first->label[0].span.off, 10);
		cr_assert_eq(diags.first->label[0].span.len, strlen(bad[k]), "%s: %u", bad[k],
			diags.first->label[0].span.len);
		done();
	}
}

Test(script_lex, free_words)
{
	scan("//@ set max-steps=10 check=race,init\n");
	struct lexer x = begin(0);
	lex_next_free(&x);
	cr_assert_str_eq(x.str, "max-steps=10");
	lex_next_free(&x);
	cr_assert_str_eq(x.str, "check=race,init");
	lex_next_free(&x);
	cr_assert_eq(x.kind, T_END);
	done();
}

Test(script_lex, plain_lines)
{
	lines = (struct script_lines){0};
	const char *text =
		"buffer a : u32[4]\n# a remark\n\n//@ print a\nlaunch k \\\n<<<1, 1>>>()\n";
	struct source *s = source_new(&arena, "s", text, strlen(text));

	cr_assert(script_has_marks(s));
	script_scan_plain(s, &lines);
	cr_assert_eq(lines.line.count, 3);
	cr_assert_eq(lines.line.data[2].npieces, 2);
	cr_assert_eq(lines.line.data[2].line, 5);
	done();
}

Test(script_lex, arbitrary_bytes_end)
{
	char text[400];
	unsigned long long seed = 1;

	for (unsigned run = 0; run < 3000; run++) {
		size_t n = 4;

		memcpy(text, "//@ ", 4);
		while (n < sizeof text) {
			static const char some[] = "\"#\\/@ .<>=~&|0123456789abxefP%$[](){}:,\n\t";

			seed = seed * 6364136223846793005u + 1442695040888963407u;
			text[n++] = seed >> 60 ? some[(seed >> 33) % (sizeof some - 1)]
					       : (char)(seed >> 40);
		}
		lines = (struct script_lines){0};
		diags = (struct diags){0};
		script_scan(source_new(&arena, "t", text, n), &lines);
		for (uint32_t k = 0; k < lines.line.count; k++) {
			struct lexer x = begin(k);
			unsigned tokens = 0;

			for (; x.kind != T_END; lex_next(&x))
				cr_assert(tokens++ < sizeof text);
		}
		done();
	}
}
