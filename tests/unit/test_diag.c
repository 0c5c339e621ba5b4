/* diag: locations in a source, diagnostics, the renderer's carets, JSON. */
#include "diag/diag.h"
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

struct fixture {
	struct arena arena;
	struct diags diags;
	struct source *source;
	struct text out;
};

static void begin(struct fixture *x, const char *text)
{
	x->source = source_new(&x->arena, "k.ptx", text, strlen(text));
}

static void end(struct fixture *x)
{
	diags_free(&x->diags);
	text_free(&x->out);
	arena_free(&x->arena);
}

static struct span find(const struct fixture *x, const char *word)
{
	const char *p = strstr(x->source->text, word);

	cr_assert_not_null(p);
	return (struct span){(uint32_t)(p - x->source->text), (uint32_t)strlen(word)};
}

static const char *render(struct fixture *x, bool color)
{
	text_clear(&x->out);
	diag_render(&x->diags, &x->out, color);
	return text_str(&x->out);
}

Test(source, places)
{
	struct fixture x = {0};

	begin(&x, "ab\ncd\r\n\nlast");
	static const uint32_t want[][3] = {{0, 1, 1}, {1, 1, 2}, {2, 1, 3}, {3, 2, 1}, {6, 2, 4},
		{7, 3, 1}, {8, 4, 1}, {12, 4, 5}, {99, 4, 5}};
	uint32_t line, column, len;

	for (size_t i = 0; i < sizeof want / sizeof want[0]; i++) {
		source_place(x.source, want[i][0], &line, &column);
		cr_assert_eq(line, want[i][1], "offset %u", want[i][0]);
		cr_assert_eq(column, want[i][2], "offset %u", want[i][0]);
	}
	cr_assert_eq(x.source->nlines, 4);
	cr_assert_arr_eq(source_line(x.source, 2, &len), "cd", 2);
	cr_assert_eq(len, 2, "without \\r\\n");
	source_line(x.source, 3, &len);
	cr_assert_eq(len, 0);
	source_line(x.source, 4, &len);
	cr_assert_eq(len, 4);
	source_line(x.source, 5, &len);
	cr_assert_eq(len, 0);
	cr_assert_eq(x.source->text[x.source->len], '\0');
	cr_assert_eq(x.source->text[x.source->len + 1], '\0');
	end(&x);
}

/* Threads that report findings look up lines of one source at once, so no lookup may change it. */
Test(source, complete)
{
	struct fixture x = {0};

	begin(&x, "a\nb");
	cr_assert_not_null(x.source->mark);
	cr_assert_eq(x.source->nlines, 2);
	cr_assert_eq(source_line_begin(x.source, 1), 2);
	end(&x);
}

/* Lines between marks and at them, whose lengths take one byte of the table, two or three. Places
 * need no text. */
Test(source, many_lines)
{
	struct arena arena = {0};
	struct text t = {0};
	struct source *s;
	uint32_t begin[400], line, column;

	for (uint32_t k = 0; k < 400; k++) {
		begin[k] = (uint32_t)t.len;
		for (uint32_t n = k % 100 == 99 ? 20000 : k * 7 % 300; n; n--)
			text_putc(&t, 'x');
		text_putc(&t, '\n');
	}
	s = source_new(&arena, "many", text_str(&t), t.len);
	cr_assert_eq(s->nlines, 401);
	for (unsigned round = 0; round < 2; round++) {
		for (uint32_t k = 0; k < 400; k++) {
			uint32_t next = k < 399 ? begin[k + 1] : (uint32_t)t.len;

			cr_assert_eq(source_line_begin(s, k), begin[k]);
			source_place(s, begin[k], &line, &column);
			cr_assert(line == k + 1 && column == 1, "line %u", k);
			source_place(s, next - 1, &line, &column);
			cr_assert(line == k + 1 && column == next - begin[k], "line %u", k);
		}
		cr_assert_eq(source_line_begin(s, 400), t.len);
		cr_assert_eq(source_line_begin(s, 1000), t.len);
		source_drop_text(s);
		cr_assert_null(s->text);
	}
	arena_free(&arena);
	text_free(&t);
}

Test(source, empty)
{
	struct fixture x = {0};

	begin(&x, "");
	uint32_t line, column, len;

	source_place(x.source, 0, &line, &column);
	cr_assert_eq(line, 1);
	cr_assert_eq(column, 1);
	source_line(x.source, 1, &len);
	cr_assert_eq(len, 0);
	end(&x);
}

Test(diag, codes)
{
	cr_assert_eq(diag_code_find("E0102"), DIAG_E0102);
	cr_assert_eq(diag_code_find("missing_semicolon"), DIAG_E0102);
	cr_assert_eq(diag_code_find("nonsense"), DIAG_NONE);
	cr_assert_str_eq(diag_code_info(DIAG_E0102).code, "E0102");
	cr_assert_eq(diag_status(DIAG_E0102), 3);
	cr_assert_eq(diag_status(DIAG_NONE), 0);
	cr_assert_str_eq(diag_code_info(DIAG_COUNT).code, "");
	for (unsigned i = 1; i < DIAG_COUNT; i++) {
		const struct diag_code_info info = diag_code_info((enum diag_code)i);

		cr_assert_eq(strlen(info.code), 5, "%s", info.code);
		cr_assert_eq(diag_code_find(info.code), i, "%s is given twice", info.code);
		cr_assert_eq(diag_code_find(info.name), i, "%s is given twice", info.name);
		cr_assert(*info.title && *info.rule, "%s", info.code);
	}
}

Test(diag, limit_counts_but_does_not_keep)
{
	struct fixture x = {0};

	begin(&x, "text");
	struct diag *r;

	x.diags.limit = 3;
	for (int i = 0; i < 10; i++) {
		r = diag_report(
			&x.diags, DIAG_E0101, x.source, (struct span){0, 1}, "number %d", i);
		diag_label(&x.diags, r, x.source, (struct span){1, 1}, "label");
		diag_help(&x.diags, r, "help");
		diag_note(&x.diags, r, "note");
	}
	cr_assert_eq(x.diags.count, 3);
	cr_assert_eq(x.diags.errors, 10);
	cr_assert_eq(x.diags.dropped, 7);
	cr_assert_str_eq(x.diags.first->next->next->message, "number 2");
	cr_assert_null(x.diags.first->next->next->next);
	cr_assert_not_null(strstr(render(&x, false), "7 more messages not shown"));
	end(&x);
}

Test(diag, at_most_three_labels_and_eight_notes)
{
	struct fixture x = {0};

	begin(&x, "text");
	struct diag *r = diag_report(&x.diags, DIAG_E0101, x.source, (struct span){0, 1}, "m");

	for (int i = 0; i < 20; i++) {
		diag_label(&x.diags, r, x.source, (struct span){1, 1}, "l%d", i);
		diag_note(&x.diags, r, "n%d", i);
	}
	cr_assert_eq(r->nlabels, 3);
	cr_assert_str_eq(r->label[2].text, "l1");
	cr_assert_eq(r->nnotes, 8);
	cr_assert_str_eq(r->notes[7], "n7");
	end(&x);
}

Test(render, caret_after_tabs)
{
	struct fixture x = {0};

	begin(&x, "// one\n\tadd.s32\t%r1, %r2;\n");

	diag_report(&x.diags, DIAG_E0101, x.source, find(&x, "%r1"), "wrong register");
	cr_assert_str_eq(render(&x, false),
		"k.ptx:2:10: error: wrong register [E0101]\n"
		"    2 |         add.s32 %r1, %r2;\n"
		"      |                 ^~~\n");
	end(&x);
}

Test(render, labels_on_one_line_and_on_another)
{
	struct fixture x = {0};

	begin(&x, "add.s32 %r1, %r2;\n.reg .b32 %r<9>;\n");
	struct diag *r = diag_report(&x.diags, DIAG_E0101, x.source, find(&x, "%r1"), "m");

	r->label[0].text = "this one";
	diag_label(&x.diags, r, x.source, find(&x, "add.s32"), "for this");
	diag_label(&x.diags, r, x.source, find(&x, "%r<9>"), "declared here");
	diag_note(&x.diags, r, "a note");
	diag_help(&x.diags, r, "first\nsecond");
	cr_assert_str_eq(render(&x, false),
		"k.ptx:1:9: error: m [E0101]\n"
		"    1 | add.s32 %r1, %r2;\n"
		"      | ------- ^~~ this one\n"
		"      | for this\n"
		"k.ptx:2:11: note: declared here\n"
		"    2 | .reg .b32 %r<9>;\n"
		"      |           ^~~~~\n"
		"      note: a note\n"
		"      help: first\n"
		"            second\n");
	end(&x);
}

Test(render, span_over_lines)
{
	struct fixture x = {0};

	begin(&x, "call (r),\n  f,\n  (a, b);\n");

	diag_report(&x.diags, DIAG_E0101, x.source, (struct span){0, 24}, "m");
	cr_assert_str_eq(render(&x, false),
		"k.ptx:1:1: error: m [E0101]\n"
		"    1 | call (r),\n"
		"      | ^~~~~~~~~\n"
		"  ... |\n"
		"    3 |   (a, b);\n"
		"      |   ~~~~~~~\n");
	end(&x);
}

Test(render, end_of_file_and_no_place)
{
	struct fixture x = {0};

	begin(&x, "ret");

	diag_report(&x.diags, DIAG_E0101, x.source, (struct span){3, 0}, "too early");
	diag_report(&x.diags, DIAG_E0101, NULL, (struct span){0, 0}, "no place");
	cr_assert_str_eq(render(&x, false),
		"k.ptx:1:4: error: too early [E0101]\n"
		"    1 | ret\n"
		"      |    ^\n"
		"error: no place [E0101]\n");
	end(&x);
}

Test(render, terminal_is_safe_from_the_source)
{
	struct fixture x = {0};

	begin(&x, "a\033[31m\x07 b \xff c");
	const char *out;

	diag_report(&x.diags, DIAG_E0101, x.source, find(&x, "b"), "not %s", "\033[2J");
	out = render(&x, false);
	cr_assert_null(strchr(out, '\033'));
	cr_assert_null(strchr(out, '\x07'));
	cr_assert_null(strchr(out, '\xff'));
	out = render(&x, true);
	cr_assert_not_null(strchr(out, '\033'));
	cr_assert_null(strstr(out, "\033[2J"));
	end(&x);
}

Test(render, multibyte_counts_as_one_column)
{
	struct fixture x = {0};

	begin(&x, "\xc3\xa9\xc3\xa9 b");

	diag_report(&x.diags, DIAG_E0101, x.source, find(&x, "b"), "m");
	cr_assert_not_null(strstr(render(&x, false), "      |    ^\n"));
	end(&x);
}

Test(render, long_lines_are_cut_around_the_caret)
{
	char line[5001];
	struct fixture x = {0};
	const char *out, *caret, *source;

	memset(line, 'a', 5000);
	line[5000] = '\0';
	line[4000] = 'X';
	x = (struct fixture){0};
	begin(&x, line);
	diag_report(&x.diags, DIAG_E0101, x.source, (struct span){4000, 1}, "m");
	out = render(&x, false);
	cr_assert_lt(strlen(out), 600);
	source = strchr(out, '\n') + 1;
	caret = strchr(source, '\n') + 1;
	cr_assert_eq(strchr(source, 'X') - source, strchr(caret, '^') - caret,
		"the caret is under the X");
	end(&x);
}

Test(json, record)
{
	struct fixture x = {0};

	begin(&x, "add \"x\";\nret;");
	struct diag *r = diag_report(
		&x.diags, DIAG_E0101, x.source, find(&x, "ret"), "a \"quoted\" one");

	diag_label(&x.diags, r, x.source, find(&x, "add"), "there");
	diag_note(&x.diags, r, "n1");
	r->cta = 2;
	r->thread = 31;
	r->count = 4;
	diag_report(&x.diags, DIAG_E0101, NULL, (struct span){0, 0}, "no place");
	diag_render_json(&x.diags, &x.out);
	cr_assert_str_eq(text_str(&x.out),
		"[{\"kind\": \"error\", \"code\": \"E0101\", \"message\": \"a \\\"quoted\\\" one\", \"places\": ["
		"{\"file\": \"k.ptx\", \"line\": 2, \"column\": 1, \"length\": 3, \"text\": \"\", \"cta\": 2, \"thread\": 31}, "
		"{\"file\": \"k.ptx\", \"line\": 1, \"column\": 1, \"length\": 3, \"text\": \"there\"}], "
		"\"help\": null, \"notes\": [\"n1\"], \"count\": 4}, "
		"{\"kind\": \"error\", \"code\": \"E0101\", \"message\": \"no place\", \"places\": [], \"help\": null, \"notes\": [], \"count\": 1}]");
	end(&x);
}

Test(render, the_caret_fits_wherever_on_a_line_of_megabytes_it_is)
{
	static const uint32_t at[] = {0, 149, 150, 1999, 2000, 2001, 2500, 5000, 1000000, 1999999};
	char *line = malloc(2000001);

	for (unsigned i = 0; i < sizeof at / sizeof at[0]; i++) {
		struct fixture x = {0};
		const char *out, *caret, *source;

		memset(line, 'a', 2000000);
		line[2000000] = '\0';
		line[at[i]] = 'X';
		x = (struct fixture){0};
		begin(&x, line);
		diag_report(&x.diags, DIAG_E0101, x.source, (struct span){at[i], 1}, "m");
		out = render(&x, false);
		cr_assert_lt(strlen(out), 600);
		source = strchr(out, '\n') + 1;
		caret = strchr(source, '\n') + 1;
		cr_assert_eq(strchr(source, 'X') - source, strchr(caret, '^') - caret, "at %u\n%s",
			at[i], out);
		end(&x);
	}
	free(line);
}
