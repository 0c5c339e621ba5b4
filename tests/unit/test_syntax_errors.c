/* parser: every syntax error of a file is reported once, at its location, with a correction; no
 * input crashes the parser. */
#include "parser/ast.h"
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HEADER ".version 9.0\n.target sm_90\n.address_size 64\n"

struct parse {
	struct arena arena;
	struct symbols symbols;
	struct diags diags;
	struct source *source;
	struct ast_module *module;
};

static struct parse *parse(const char *text, size_t n)
{
	struct parse *p = calloc(1, sizeof *p);

	p->source = source_new(&p->arena, "t.ptx", text, n);
	p->module = ast_parse(p->source, &p->symbols, &p->diags);
	cr_assert_arr_eq(p->source->text, text, n, "the source is whole again");
	return p;
}

static void done(struct parse *p)
{
	ast_free(p->module);
	diags_free(&p->diags);
	symbols_free(&p->symbols);
	arena_free(&p->arena);
	free(p);
}

/* WANT lists "line:column code" of every message, lines counted from the first after BEFORE. */
static struct parse *errors(
	const char *before, const char *text, const char *after, const char *want)
{
	struct text all = {0}, got = {0};
	struct parse *p;
	uint32_t skip = 1;

	text_printf(&all, "%s%s%s", before, text, after);
	for (const char *c = before; *c; c++)
		skip += *c == '\n';
	p = parse(text_str(&all), all.len);
	for (const struct diag *r = p->diags.first; r; r = r->next) {
		uint32_t line, column;

		source_place(p->source, r->label[0].span.off, &line, &column);
		text_printf(&got, "%s%u:%u %s", got.len ? ", " : "", line - skip + 1, column,
			diag_code_info(r->code).code);
	}
	cr_assert_str_eq(
		text_str(&got), want, "%s\n   gives %s\n   not %s", text, text_str(&got), want);
	text_free(&all);
	text_free(&got);
	return p;
}

static void in_body(const char *text, const char *want)
{
	done(errors(HEADER ".entry k()\n{\n", text, "\nret;\n}\n.entry next() { ret; }\n", want));
}

static void at_top(const char *text, const char *want)
{
	done(errors(HEADER, text, "\n.entry next() { ret; }\n", want));
}

static void helped(const char *text, const char *message, const char *help)
{
	struct text all = {0};
	struct parse *p;

	text_printf(&all, HEADER ".entry k()\n{\n%s\n}\n", text);
	p = parse(text_str(&all), all.len);
	cr_assert_eq(p->diags.count, 1, "%s: %u messages", text, p->diags.count);
	cr_assert_str_eq(p->diags.first->message, message);
	if (help)
		cr_assert_str_eq(p->diags.first->help, help);
	text_free(&all);
	done(p);
}

static void expected_in(const char *before, const char *text, const char *after,
	const char *message, const char *want)
{
	struct text all = {0}, help = {0};
	struct parse *p;

	text_printf(&all, HEADER "%s%s%s", before, text, after);
	text_printf(&help, "expected here: %s", want);
	p = parse(text_str(&all), all.len);
	cr_assert_not_null(p->diags.first, "%s", text);
	cr_expect_str_eq(p->diags.first->message, message, "%s: %s", text, p->diags.first->message);
	cr_expect_not_null(p->diags.first->help, "%s", text);
	if (p->diags.first->help)
		cr_expect_str_eq(p->diags.first->help, text_str(&help), "%s: %s", text,
			p->diags.first->help);
	text_free(&all);
	text_free(&help);
	done(p);
}

/* The second location of a message, and its text. */
Test(syntax_error, other_places)
{
	static const struct {
		const char *text, *want;
	} rows[] = {
		{".entry k()\n{\nret;\n.entry l() { ret; }\n",
			"E0111 2:1 this '{' is never closed"},
		{".entry k()\n{\n{ { ret; }\n.entry l() { ret; }\n",
			"E0111 3:1 this '{' is never closed"},
		{".entry k() {\nret;\n{\n", "E0111 3:1 this '{' is never closed"},
	};

	for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
		struct text all = {0}, got = {0};
		struct parse *p;

		text_printf(&all, HEADER "%s", rows[k].text);
		p = parse(text_str(&all), all.len);
		for (const struct diag *d = p->diags.first; d; d = d->next)
			for (unsigned j = 1; j < d->nlabels; j++) {
				uint32_t line, column;

				source_place(p->source, d->label[j].span.off, &line, &column);
				text_printf(&got, "%s%s %u:%u %s", got.len ? ", " : "",
					diag_code_info(d->code).code, line - 3, column,
					d->label[j].text);
			}
		cr_expect_str_eq(text_str(&got), rows[k].want, "%s\n   gives %s", rows[k].text,
			text_str(&got));
		text_free(&all);
		text_free(&got);
		done(p);
	}
}

/* Readable words describe each kind of token, and all kinds. */
Test(syntax_error, what_could_stand_there)
{
	static const struct {
		const char *text, *what, *want;
	} body[] =
		{
			{"5 ;", "'5'", "a statement or '}'"},
			{".visible ret;", "'ret'", "a state space"},
			{"@ret;", "';'", "a name"},
			{"mov.u32 %r1, ;", "';'", "an operand"},
			{"ld.u32 %r1, [ ;", "';'", "an operand"},
			{"mov.u32 %r1, 1 + ;", "';'", "an expression"},
			{"ld.u32 %r1, [%rd1+];", "']'", "an expression"},
			{"add %r1, (;", "';'", "an operand, ')' or a type"},
			{"mov.u32 %r1, (1;", "';'", "',' or ')'"},
			{"mov.u32 %r1, {%r2;", "';'", "',' or '}'"},
			{".reg .u32 %a<;", "';'", "an integer"},
			{"L: .branchtargets ;", "';'", "a name"},
			{".pragma ;", "';'", "a string"},
		},
	  top[] = {
		  {".visible 5", "'5'", "a declaration or a function"},
		  {".global .u32 a[;", "';'", "']', a name or an integer"},
		  {".global .u32 a = ;", "';'", "an expression or '{'"},
		  {".entry k(5) { }", "'5'", "a state space or ')'"},
		  {".alias a;", "';'", "','"},
		  {".section 5", "'5'", "a section name"},
		  {".func f() { ret; } 17", "'17'", "a declaration or a function or end of file"},
	  };

	for (size_t i = 0; i < sizeof body / sizeof *body; i++) {
		char message[64];
		snprintf(message, sizeof message, "unexpected %s", body[i].what);
		expected_in(".entry k()\n{\n", body[i].text, "\n}\n", message, body[i].want);
	}
	for (size_t i = 0; i < sizeof top / sizeof *top; i++) {
		char message[64];
		snprintf(message, sizeof message, "unexpected %s", top[i].what);
		expected_in("", top[i].text, "\n.entry next() { ret; }\n", message, top[i].want);
	}
	expected_in(
		".entry k()\n{\n", "ld.u32 %r1, [%rd1+4", "\n}\n", "unexpected '}'", "',' or ']'");
}

Test(syntax_error, what_follows_a_wrong_declaration_is_kept)
{
	struct parse *p = errors(
		HEADER, ".global .b8 .u32 a;\n.global .u32 b;", "\n", "1:13 E0117");
	uint32_t kept = 0;

	for (const struct ast_top *t = p->module->first; t; t = t->next)
		kept += t->kind == AST_TOP_VAR;
	cr_expect_eq(kept, 1);
	done(p);
}

Test(syntax_error, parentheses_around_names)
{
	at_top(".global .texref t = {addr_mode_0 = (wrap)};", "1:36 E0115");
	at_top(".global .texref t = {(addr_mode_0) = wrap};", "1:22 E0115");
	at_top(".global .texref t = {5 = wrap};", "1:22 E0115");
	in_body("mov.u32 %r1, (%r2);", "1:14 E0115");
	in_body("mov.u32 %r1, (2);", "");
}

/* The manual: 0f... keeps its 32 bits and cannot be part of a constant expression. */
Test(syntax_error, exact_numbers_stand_alone)
{
	in_body("mov.f32 %f1, -0f3f800000;", "1:15 E0115");
	in_body("mov.f32 %f1, +0f3f800000;", "1:15 E0115");
	in_body("mov.f64 %fd1, 0f3f800000+0.0;", "1:15 E0115");
	in_body("mov.f32 %f1, 1.5*0f3f800000;", "1:18 E0115");
	in_body("mov.f32 %f1, 1.5-(2.0+0f3f800000);", "1:23 E0115");
	at_top(".global .f32 x[2] = {0f3f800000, -0f3f800000};", "1:35 E0115");
	in_body("mov.f32 %f1, 0fbf800000;", "");
	in_body("mov.f32 %f1, (0f3f800000);", "");
	in_body("mov.f32 %f1, -(0f3f800000);", "");
	in_body("mov.f64 %fd1, -0d3ff0000000000000;", "");
}

Test(syntax_error, missing_semicolon_is_at_the_end_of_the_token_before)
{
	in_body("add.u32 %r1, %r2, %r3\nsub.u32 %r1, %r2, %r3;", "1:22 E0102");
	in_body(".reg .b32 %r<9>\n.reg .b64 %rd<9>\nret\nmov.u32 %r1, 5;",
		"1:16 E0102, 2:17 E0102, 3:4 E0102");
	in_body("ret // because\n\nmov.u32 %r1, 5;", "1:4 E0102");
	in_body("ret\n.reg .b32 x;", "1:4 E0102");
	in_body("ret\n@%p1 ret;", "1:4 E0102");
	in_body("{ ret }", "1:6 E0102");
	in_body("T: .branchtargets A, B\nbrx.idx %r1, T;", "1:23 E0102");
	at_top(".global .u32 x\n.global .u32 y;", "1:15 E0102");
	at_top(".alias a, b\n.alias c, d;", "1:12 E0102");
}

Test(syntax_error, what_lacks_only_its_semicolon_is_kept)
{
	struct parse *p = errors(HEADER ".entry k()\n{\n",
		"mov.u32 %r1, 1\nmov.u32 %r1, 2\nmov.u32 %r1, 3;", "\n}\n",
		"1:15 E0102, 2:15 E0102");

	cr_assert_eq(p->module->ninsns, 3);
	done(p);
}

Test(syntax_error, missing_comma)
{
	in_body("add.u32 %r1 %r2, %r3;", "1:12 E0114");
	in_body("mov.b64 {%r1 %r2}, %rd1;", "1:13 E0114");
	in_body("call (%r1), f, (%r2 %r3);", "1:20 E0114");
	at_top(".entry k(.param .u32 a .param .u32 b) { ret; }", "1:23 E0114");
	at_top(".entry k(.param .u32 a\n .param .u32 b) { ret; }", "1:23 E0114");
	at_top(".global .u32 x[2] = {1 2};", "1:23 E0114");
}

Test(syntax_error, all_of_a_file_at_once)
{
	in_body("add.u32 %r1, ];\nmov.u32 %r1, 1;\nmov.u32 , %r1;\nld.gobal.u32 %r1, [%rd1];\nmov.u32 %r1, 08;",
		"1:14 E0101, 3:9 E0101, 4:3 E0103, 5:14 E0105");
	at_top(".entry a( { ret; }\n.entry b() { add ]; ret; }\n.func c() { ret; } }\n.func d() { mov.u32 %r1 }",
		"1:11 E0101, 2:18 E0101, 3:20 E0112, 4:24 E0102");
}

Test(syntax_error, one_message_a_statement)
{
	in_body("add.u32 %r1, ], ), %r2 };", "1:14 E0101");
	in_body("add.u32 %r1, * %r2 * %r3 * ];", "1:14 E0101");
	in_body("add.u32 %r1, ],\n\t%r2,\n\t%r3;", "1:14 E0101");
	in_body("1L: bra 1L;", "1:1 E0105");
	in_body("ld.u32 %r1, [%rd1\nret;\nadd ];", "1:18 E0101, 3:5 E0101");
	at_top(".global .u32 1a;", "1:14 E0105");
	at_top(".global .u32 x = (u32)5;", "1:23 E0101");
	at_top(".entry k() .nothinglikethis 3 { ret; }", "1:12 E0103");
	at_top(".entry k()\n.nothinglikethis 3\n{ ret; }", "2:1 E0103");
	in_body("mov.u32 %r1, \"abc\";", "1:14 E0101");
	in_body("mov.u32 %r1, `%r2` + 3;", "1:14 E0104");
	in_body(".nothinglikethis %r1, %r2;", "1:1 E0103");
	in_body("ld.nothinglikethis.u32 %r1, [%rd1];", "1:3 E0103");
	at_top(".nothinglikethis .u32 x;", "1:1 E0103");
}

Test(syntax_error, guards)
{
	in_body("@%p1 { ret; }", "1:6 E0116");
	in_body("@%p1 L: ret;", "1:7 E0101");
	in_body("@!!%p1 ret;", "1:3 E0101");
	in_body("@%p1;", "1:5 E0101");
}

Test(syntax_error, empty_statements)
{
	in_body("ret;;", "1:5 E0113");
	in_body("{ ; }", "1:3 E0113");
	at_top(";", "1:1 E0113");
}

Test(syntax_error, expressions)
{
	in_body("ld.u32 %r1, [%rd1-4];", "1:14 E0115");
	in_body("ld.u32 %r1, [4+%rd1];", "1:14 E0115");
	in_body("ld.u32 %r1, [%rd1+%rd2];", "1:19 E0115");
	in_body("add.u32 %r1, %r2, 4*%r3;", "1:21 E0115");
	in_body("add.u32 %r1, %r2, -(%r3+1);", "1:21 E0115");
	in_body("add.u32 %r1, %r2, ~%r3;", "1:20 E0115");
	in_body("mov.u32 %r1, (.s32)5;", "1:14 E0115");
	in_body("mov.u32 %r1, %p1 ? 2 : 3;", "1:14 E0115");
	in_body("mov.u64 %rd1, generic(x);", "1:15 E0115");
	in_body("mov.u64 %rd1, sizeof(x);", "1:15 E0115");
	in_body("mov.b64 %rd1, {{%r1}, %r2};", "1:16 E0115");
	at_top(".global .u64 x = y-4;", "1:18 E0115");
	at_top(".global .u64 x = generic(y+4);", "1:26 E0115");
	at_top(".global .u8 x[1] = {0xff(4)};", "1:26 E0115");
	helped("ld.u32 %r1, [%rd1-4];", "an address takes + only; write +- for a negative offset",
		"write [%rd1+-4]");
	helped("ld.u32 %r1, [4+%rd1];", "the name comes first in an address", "write [%rd1+4]");
}

Test(syntax_error, declarations)
{
	in_body(".reg b32 %x;", "1:1 E0119");
	in_body(".reg .b32 .b32 %x;", "1:11 E0117");
	in_body(".reg .f32 .v4 %x;", "1:11 E0117");
	in_body(".global .u32 .align 8 x;", "1:14 E0117");
	in_body(".visible .shared .u32 x;", "1:1 E0117");
	in_body(".reg .v8 .b32 %x;", "1:6 E0117");
	at_top(".visible .extern .global .u32 x;", "1:10 E0117");
	at_top(".global x;", "1:1 E0119");
	at_top(".global .u32 x[1+1];", "1:17 E0101");
	at_top(".func g(.param .u32 a, .param .u32) { ret; }", "1:35 E0101");
	at_top(".entry k(.param .ptr .u64 a) { ret; }", "1:17 E0117");
	at_top(".entry k() .maxntid { ret; }", "1:21 E0101");
	helped(".reg b32 %x;", "this declaration has no type",
		"types begin with a dot: write .b32");
}

Test(syntax_error, braces)
{
	at_top(".entry k() { ret; } }", "1:21 E0112");
	at_top(".entry k() { { ret; }\n.visible .entry l() { ret; }", "2:10 E0111");
	at_top(".func k() { ret;\n.func l() { ret; }\n.func m() { ret;", "2:1 E0111, 4:1 E0111");
	at_top("mov.u32 %r1, 1;\nret;\n}", "1:1 E0118");
	done(errors(HEADER, ".entry k() { {\nret;", "", "2:5 E0111"));
	done(errors(HEADER, ".entry k() { ret", "", "1:17 E0102, 1:17 E0111"));
	done(errors(HEADER, ".entry k(", "", "1:10 E0101"));
}

Test(syntax_error, functions_go_on_after_an_unclosed_one)
{
	struct parse *p = errors(HEADER,
		".func k() { ret;\n.visible .entry l() { ret; }\n.entry m() { ret; }", "",
		"2:10 E0111");
	const struct ast_top *t = p->module->first;

	cr_assert_not(t->func->is_entry);
	cr_assert(t->func->has_body);
	t = t->next;
	cr_assert_eq(t->func->linkage, 1, "the .visible is l's");
	cr_assert_not_null(t->next);
	cr_assert_null(t->next->next);
	done(p);
}

Test(syntax_error, header)
{
	done(errors("", "", "", "1:1 E0109"));
	done(errors("", ".entry k() { ret; }", "", "1:1 E0109"));
	done(errors("", ".target sm_90\n.entry k() { add ]; }", "", "1:1 E0109, 2:18 E0101"));
	done(errors("", ".version 9.0\n.entry k() { add ]; }", "", "2:1 E0109, 2:18 E0101"));
	done(errors("", ".version 9\n.target sm_90\n", "", "1:10 E0101"));
	at_top(".version 9.0", "1:1 E0109");
}

Test(syntax_error, debugging)
{
	in_body(".loc 1 2", "1:9 E0101");
	in_body("ret;\n.loc 1 2", "2:9 E0101");
	in_body("ret;\n.loc 1 2 3 4", "2:11 E0114, 2:12 E0101");
	in_body("ret;\n.loc 1 2 3\n;", "3:1 E0113");
	in_body("bar.sync 0;\nbar.sync 0\nbar.sync 1 2;", "2:11 E0102, 3:11 E0114");
	in_body(".loc 1 2 3, fun x, inlined_at 1 2 3", "1:13 E0120");
	at_top(".section .debug_str { .u8 0 }", "1:23 E0120");
	at_top(".section .debug_str { .b8 0; }", "1:28 E0101");
	at_top(".file \"x\"", "1:7 E0101");
}

/* Whether EXAMPLE, as a module, at module scope or in a body, yields CODE (DIAG_NONE: no
 * message). */
static bool example_gives(const char *example, enum diag_code code)
{
	static const char *const around[][2] = {
		{"", ""}, {HEADER, "\n"}, {HEADER ".entry k()\n{\n", "\n}\n"}};
	bool found = false;

	for (int i = 0; i < 3 && !found; i++) {
		struct text all = {0};
		struct parse *p;

		text_printf(&all, "%s%s%s", around[i][0], example, around[i][1]);
		p = parse(text_str(&all), all.len);
		found = code == DIAG_NONE && p->diags.count == 0;
		for (const struct diag *r = p->diags.first; r; r = r->next)
			found |= r->code == code;
		text_free(&all);
		done(p);
	}
	return found;
}

Test(syntax_error, examples_of_the_codes)
{
	for (enum diag_code c = DIAG_E0101; c <= DIAG_E0121; c++) {
		const struct diag_code_info info = diag_code_info(c);

		if (info.wrong[0] == '$') /* a command */
			continue;
		cr_assert(example_gives(info.wrong, c), "%s: the wrong example does not give it",
			info.code);
		cr_assert(example_gives(info.right, DIAG_NONE),
			"%s: the right example gives a message", info.code);
	}
}

/* Parses COUNT copies of PART between HEAD and TAIL; the parser must return, with at least one
 * message if BAD. */
static struct parse *repeated(const char *head, const char *part, unsigned count, const char *tail)
{
	struct text all = {0};
	struct parse *p;

	text_printf(&all, HEADER ".entry k()\n{\n%s", head);
	for (unsigned i = 0; i < count; i++)
		text_puts(&all, part);
	text_puts(&all, tail);
	p = parse(text_str(&all), all.len);
	text_free(&all);
	return p;
}

static unsigned depth(const struct ast_operand *o)
{
	unsigned most = 0;

	for (; o; o = o->next) {
		unsigned d = 1 + depth(ast_sub(o));

		most = d > most ? d : most;
	}
	return most;
}

static void deep(const char *head, const char *part, unsigned count, const char *tail)
{
	struct parse *p = repeated(head, part, count, tail);

	cr_assert_geq(p->diags.errors, 1, "%u times %s", count, part);
	for (const struct ast_top *t = p->module->first; t; t = t->next)
		if (t->kind == AST_TOP_FUNC)
			for (const struct ast_stmt *s = t->func->body; s; s = s->next)
				if (s->kind == AST_INSN)
					cr_assert_leq(depth(ast_operands(p->module, s)), 1002);
	done(p);
}

Test(syntax_error, deep_nesting_ends_with_a_message)
{
	deep("", "{", 300000, "");
	deep("mov.u32 %r1, ", "(", 300000, "1;\n}\n");
	deep("mov.u32 %r1, ", "-", 300000, "1;\n}\n");
	deep("mov.u32 %r1, 1", "+1", 300000, ";\n}\n");
	deep("mov.u32 %r1, ", "1?", 300000, "1;\n}\n");
	deep("mov.u32 %r1, ", "(.s64)", 300000, "1;\n}\n");
	deep("mov.u32 %r1, ", "[", 300000, "1;\n}\n");
	deep(".global .u32 x = ", "{", 300000, "1;\n}\n");
	deep("", "a:}", 100000, "");
	deep("", "@", 300000, "");
}

Test(syntax_error, depth_that_is_allowed)
{
	struct parse *p = repeated("mov.u32 %r1, 1", "+1", 900, ";\n}\n");

	cr_assert_eq(p->diags.count, 0);
	done(p);
	p = repeated("", "{", 900, "");
	cr_assert_eq(p->diags.count, 1);
	cr_assert_eq(p->diags.first->code, DIAG_E0111);
	done(p);
}

Test(syntax_error, long_lists_are_no_nesting)
{
	struct parse *p = repeated("mov.u32 %r1", ", 1", 200000, ";\n}\n");

	cr_assert_eq(p->diags.count, 0);
	done(p);
	p = repeated("op", ".u32", 300, " %r1;\n}\n");
	cr_assert_eq(p->diags.count, 1);
	cr_assert_eq(p->diags.first->code, DIAG_E0121);
	done(p);
}

Test(syntax_error, parameterised_lists_are_bounded)
{
	struct parse *p = repeated("T: .branchtargets L<65536>", ", L<65536>", 1000, ";\n}\n");

	cr_assert_eq(p->diags.count, 1000);
	cr_assert_eq(p->diags.first->code, DIAG_E0121);
	cr_assert_lt(p->module->arena.total, (size_t)32 << 20);
	done(p);
}
