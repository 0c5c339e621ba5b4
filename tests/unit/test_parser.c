/* parser: the AST of accepted PTX. */
#include "parser/ast.h"
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct parse {
	struct arena arena;
	struct symbols symbols;
	struct diags diags;
	struct source *source;
	struct ast_module *module;
};

#define HEADER ".version 9.0\n.target sm_90\n.address_size 64\n"

static struct parse *parse(const char *text)
{
	struct parse *p = calloc(1, sizeof *p);
	struct text out = {0};

	p->source = source_new(&p->arena, "t.ptx", text, strlen(text));
	p->module = ast_parse(p->source, &p->symbols, &p->diags);
	diag_render(&p->diags, &out, false);
	cr_assert_eq(p->diags.count, 0, "%s", text_str(&out));
	text_free(&out);
	return p;
}

/* BODY inside a kernel. */
static struct parse *parse_body(const char *body)
{
	struct text t = {0};
	struct parse *p;

	text_printf(&t, HEADER ".entry k()\n{\n%s\n}\n", body);
	p = parse(text_str(&t));
	text_free(&t);
	return p;
}

static struct parse *parse_top(const char *top)
{
	struct text t = {0};
	struct parse *p;

	text_printf(&t, HEADER "%s\n", top);
	p = parse(text_str(&t));
	text_free(&t);
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

static const struct ast_stmt *first(const struct parse *p)
{
	cr_assert_not_null(p->module->first);
	cr_assert_eq(p->module->first->kind, AST_TOP_FUNC);
	cr_assert_not_null(p->module->first->func->body);
	return p->module->first->func->body;
}

static const char *name(const struct parse *p, uint32_t symbol)
{
	return symbol_text(&p->symbols, symbol);
}

/* Prints an expression in Lisp notation. */
static void show(const struct parse *p, const struct ast_operand *o, struct text *t)
{
	static const char *const two[] = {"<<", ">>", "<=", ">=", "==", "!=", "&&", "||"};
	static const char *const bracket[] = {
		[AST_ADDRESS] = "[]", [AST_VECTOR] = "{}", [AST_LIST] = "()"};

	switch (o->kind) {
	case AST_NAME:
		text_printf(t, "%s%s%s", name(p, o->symbol), o->word ? "." : "",
			word_text((enum word)o->word));
		return;
	case AST_INT:
		text_printf(t, "%llu%s", (unsigned long long)o->value, o->flag ? "U" : "");
		return;
	case AST_FLOAT:
		text_printf(t, "%c%llx", "e?fd"[o->flag], (unsigned long long)o -> value);
		return;
	case AST_SINK: text_puts(t, "_"); return;
	case AST_STRING: text_printf(t, "\"%s\"", name(p, o->symbol)); return;
	case AST_ADDRESS:
	case AST_VECTOR:
	case AST_LIST:
		text_printf(t, "%s%c", o->symbol ? name(p, o->symbol) : "", bracket[o->kind][0]);
		for (const struct ast_operand *s = ast_sub(o); s; s = s->next) {
			show(p, s, t);
			text_puts(t, s->next ? "," : "");
		}
		text_putc(t, bracket[o->kind][1]);
		return;
	case AST_CAST: text_printf(t, "(.%s ", word_text((enum word)o->word)); break;
	case AST_CALL: text_printf(t, "(%s ", o->symbol ? name(p, o->symbol) : "mask"); break;
	case AST_TERNARY: text_puts(t, "(? "); break;
	default:
		text_printf(t, "(%.2s ",
			o->op >= AST_SHL ? two[o->op - AST_SHL] : (const char[]){(char)o->op, 0});
		break;
	}
	for (const struct ast_operand *s = ast_sub(o); s; s = s->next) {
		show(p, s, t);
		text_puts(t, s->next ? " " : "");
	}
	text_putc(t, ')');
}

static void shape(const char *operands, const char *want)
{
	struct text body = {0}, got = {0};
	struct parse *p;

	text_printf(&body, "op %s;", operands);
	p = parse_body(text_str(&body));
	for (const struct ast_operand *o = ast_operands(p->module, first(p)); o; o = o->next) {
		show(p, o, &got);
		text_puts(&got, o->next ? ", " : "");
	}
	cr_assert_str_eq(text_str(&got), want, "%s: %s", operands, text_str(&got));
	text_free(&body);
	text_free(&got);
	done(p);
}

Test(parser, header)
{
	struct parse *p = parse(
		".version 7.10\n.target sm_90a, texmode_independent, debug\n.address_size 32");

	cr_assert_eq(p->module->version_major, 7);
	cr_assert_eq(p->module->version_minor, 10);
	cr_assert_eq(p->module->address_size, 32);
	cr_assert_str_eq(name(p, p->module->targets->symbol), "sm_90a");
	cr_assert_str_eq(name(p, p->module->targets->next->next->symbol), "debug");
	cr_assert_null(p->module->first);
	done(p);
	p = parse(".version 9.0 .target sm_90");
	cr_assert_eq(p->module->address_size, 0);
	done(p);
}

Test(parser, instruction)
{
	struct parse *p = parse_body("L: @!%p1 ld.relaxed.gpu.global.v2.u32 {%r1, _}, [%rd1+-4];");
	const struct ast_stmt *s = first(p);
	static const enum word word[] = {W_relaxed, W_gpu, W_global, W_v2, W_u32};

	cr_assert_eq(s->kind, AST_LABEL);
	cr_assert_str_eq(name(p, s->symbol), "L");
	s = s->next;
	cr_assert_eq(s->kind, AST_INSN);
	cr_assert_str_eq(name(p, s->symbol), "ld");
	cr_assert_str_eq(name(p, s->guard), "%p1");
	cr_assert(s->guard_negated);
	cr_assert_eq(s->nwords, 5);
	for (unsigned i = 0; i < 5; i++) {
		struct span at = ast_word_span(p->source, s, i);

		cr_assert_eq(s->words[i], word[i]);
		cr_assert_eq(p->source->text[at.off], '.');
		cr_assert_eq(
			strncmp(p->source->text + at.off + 1, word_text(word[i]), at.len - 1), 0);
	}
	cr_assert_eq(strncmp(p->source->text + s->span.off, "@!%p1 ld", 8), 0);
	cr_assert_eq(p->source->text[s->span.off + s->span.len], ';');
	cr_assert_eq(strncmp(p->source->text + s->span.off, "@!%p1", s->guard_len), 0);
	cr_assert_eq(strncmp(p->source->text + s->name_span.off, "ld", s->name_span.len), 0);
	cr_assert_null(s->next);
	cr_assert_eq(p->module->ninsns, 1);
	done(p);
}

Test(parser, words_apart_and_commented)
{
	struct parse *p = parse_body("mov /* a */ .b32\n // c\n\t.relaxed %r1, .5;");
	const struct ast_stmt *s = first(p);
	struct span at = ast_word_span(p->source, s, 1);

	cr_assert_eq(s->nwords, 2);
	cr_assert_eq(strncmp(p->source->text + at.off, ".relaxed", at.len), 0);
	at = ast_word_span(p->source, s, 2);
	cr_assert_eq(at.off, s->name_span.off, "there is no third word");
	done(p);
}

/* A word may contain a colon that is not doubled, if it is that of a sparse format. */
Test(parser, words_with_colons)
{
	static const char *const word[] = {".b8", ".sp::4:16", ".shared::cta", ".x1"};
	struct parse *p = parse_body("spdecompress.b8.sp::4:16.shared::cta.x1 %r1, %r2, %r3;");
	const struct ast_stmt *s = first(p);

	cr_assert_eq(s->nwords, 4);
	for (unsigned i = 0; i < 4; i++) {
		struct span at = ast_word_span(p->source, s, i);

		cr_assert_eq(at.len, strlen(word[i]), "%s", word[i]);
		cr_assert_eq(memcmp(p->source->text + at.off, word[i], at.len), 0, "%s", word[i]);
	}
	done(p);
}

Test(parser, operands)
{
	shape("", "");
	shape("%r1, 5, 0xFU, -3", "%r1, 5, 15U, (- 3)");
	shape("%tid.x, %r1.b1, v.r", "%tid.x, %r1.b1, v.r");
	shape("!%p, -%r1, -%r1.b0", "(! %p), (- %r1), (- %r1.b0)");
	shape("%p|%q, _|%q, %p|_", "(| %p %q), (| _ %q), (| %p _)");
	shape("[%rd1], [x], [%rd1+4], [x+-4], [16]",
		"[%rd1], [x], [(+ %rd1 4)], [(+ x (- 4))], [16]");
	shape("[%rd1+4+4], [%rd1+4*2], [%rd1+(4*2)]",
		"[(+ (+ %rd1 4) 4)], [(+ %rd1 (* 4 2))], [(+ %rd1 (* 4 2))]");
	shape("[t, {%r1, %r2}], [t, s, {%f1}]", "[t,{%r1,%r2}], [t,s,{%f1}]");
	shape("x[4], x+4", "x[4], (+ x 4)");
	shape("{%r1, _, 5}, {a}", "{%r1,_,5}, {a}");
	shape("(), (1), (a, b)", "(), 1, (a,b)");
	shape("0f3F800000, 0d3FF0000000000000, 1.0",
		"f3f800000, d3ff0000000000000, e3ff0000000000000");
}

Test(parser, constant_expressions_have_the_precedence_of_c)
{
	shape("1+2*3, (1+2)*3, 1-2-3", "(+ 1 (* 2 3)), (* (+ 1 2) 3), (- (- 1 2) 3)");
	shape("1<<2+3, 1<2==3>4", "(<< 1 (+ 2 3)), (== (< 1 2) (> 3 4))");
	shape("1|2^3&4, 1||2&&3", "(| 1 (^ 2 (& 3 4))), (|| 1 (&& 2 3))");
	shape("1?2:3?4:5, 1 % 2 / 3", "(? 1 2 (? 3 4 5)), (/ (% 1 2) 3)");
	shape("-(.s64)5+1, ~-+!1, (.u64)1*2",
		"(+ (- (.s64 5)) 1), (~ (- (+ (! 1)))), (* (.u64 1) 2)");
	shape("WARP_SZ*2, 1>=2, 1<=2, 1!=2, 8>>1",
		"(* WARP_SZ 2), (>= 1 2), (<= 1 2), (!= 1 2), (>> 8 1)");
	shape("((((7))))", "7");
}

Test(parser, call)
{
	struct parse *p = parse_body("call.uni (%r), f, (a, 4), proto; call (r), f, (x); call f;");
	const struct ast_stmt *s = first(p);
	const struct ast_operand *o = ast_operands(p->module, s);

	cr_assert_eq(o->kind, AST_LIST, "the parentheses of one result stay");
	cr_assert_eq(o->sub->kind, AST_NAME);
	o = o->next;
	cr_assert_eq(o->kind, AST_NAME);
	o = o->next;
	cr_assert_eq(o->kind, AST_LIST);
	cr_assert_eq(o->sub->next->kind, AST_INT);
	cr_assert_eq(o->next->kind, AST_NAME);
	o = ast_operands(p->module, s->next)->next->next;
	cr_assert_eq(o->kind, AST_LIST);
	cr_assert_str_eq(name(p, o->sub->symbol), "x");
	cr_assert_null(ast_operands(p->module, s->next->next)->next);
	done(p);
}

Test(parser, words_are_not_reserved)
{
	struct parse *p = parse_body(
		".reg .b32 add, bar, entry, function_name; mov: mov.u32 add, bar; bra mov; version: call: ret;");
	unsigned labels = 0, insns = 0;

	for (const struct ast_stmt *s = first(p); s; s = s->next) {
		labels += s->kind == AST_LABEL;
		insns += s->kind == AST_INSN;
	}
	cr_assert_eq(labels, 3);
	cr_assert_eq(insns, 3);
	done(p);
}

Test(parser, declarations_in_a_body)
{
	struct parse *p = parse_body(
		".reg .b32 %r<100>, x; .reg .v4 .f32 v; .shared .align 16 .b8 s[4][0x20]; .local .b64 l; .reg .pred p; .reg .b32;");
	const struct ast_stmt *s = first(p);
	const struct ast_var *v = s->decl;

	cr_assert_eq(s->kind, AST_DECL);
	cr_assert_eq(v->space, W_reg);
	cr_assert_eq(v->type, TYPE_b32);
	cr_assert(v->has_range);
	cr_assert_eq(v->range, 100);
	cr_assert_str_eq(name(p, v->name), "%r");
	cr_assert_str_eq(name(p, v->next->name), "x");
	cr_assert_not(v->next->has_range);
	cr_assert_null(v->next->next);
	s = s->next;
	cr_assert_eq(s->decl->vector, 4);
	s = s->next;
	v = s->decl;
	cr_assert_eq(v->align, 16);
	cr_assert_eq(v->dims->value, 4);
	cr_assert_eq(v->dims->next->value, 32);
	cr_assert_null(v->dims->next->next);
	s = s->next->next;
	cr_assert_eq(s->decl->type, TYPE_pred);
	cr_assert_null(s->next, "a declaration of nothing is nothing");
	done(p);
}

Test(parser, variables_and_initialisers)
{
	struct parse *p = parse_top(
		".visible .global .align 4 .u32 a[2][2] = {{1,2},{3}}, b = -1;\n"
		".global .u64 c[] = {a, a+8, generic(a), generic(a)+4};\n"
		".global .u8 d[2] = {0xff(a), 0xff00(generic(a)+4)};\n"
		".global .texref t = {addr_mode_0 = wrap, filter_mode = linear};\n"
		".extern .shared .b8 e[];\n.global .u32 f[0] = {};\n"
		".global .attribute(.managed) .u32 g; .attribute(.unified(19, 95)) .global .align 8 .f64 h;");
	static const char *const want[] = {"{{1,2},{3}}", "(- 1)",
		"{a,(+ a 8),(generic a),(+ (generic a) 4)}",
		"{(mask 255 a),(mask 65280 (+ (generic a) 4))}",
		"{(= addr_mode_0 wrap),(= filter_mode linear)}", NULL, "{}", NULL, NULL};
	const struct ast_top *t = p->module->first;

	for (unsigned i = 0; i < sizeof want / sizeof want[0]; i++, t = t->next) {
		struct text got = {0};

		cr_assert_not_null(t);
		cr_assert_eq(t->kind, AST_TOP_VAR);
		if (t->var->init)
			show(p, t->var->init, &got);
		cr_assert_str_eq(
			text_str(&got), want[i] ? want[i] : "", "%u: %s", i, text_str(&got));
		text_free(&got);
		if (i == 0)
			cr_assert_eq(t->var->linkage, 1);
		if (i == 5) {
			cr_assert_eq(t->var->linkage, 2);
			cr_assert_eq(t->var->dims->kind, AST_SINK);
		}
		if (i == 7)
			cr_assert_eq(t->var->attribute->word, W_managed);
		if (i == 8) {
			cr_assert_eq(t->var->attribute->word, W_unified);
			cr_assert_eq(t->var->attribute->sub->next->value, 95);
			cr_assert_eq(t->var->align, 8);
		}
	}
	cr_assert_null(t);
	done(p);
}

Test(parser, functions)
{
	struct parse *p = parse_top(
		".visible .entry k(.param .u64 .ptr .global .align 8 a, .param .align 4 .b8 b[7], .param .u64 .ptr c)\n"
		".maxntid 16, 2, 1 .minnctapersm 3 .pragma \"nounroll\"; { ret; }\n"
		".weak .func .attribute(.unified(1, 2)) (.param .b32 r) f(.reg .b32 x, .param .b8 y[]) .noreturn;\n"
		".func g;\n.func () h() { { { } } }\n.alias i, g;");
	const struct ast_top *t = p->module->first;
	const struct ast_func *f = t->func;
	const struct ast_directive *d = f->directives;

	cr_assert(f->is_entry && f->has_body);
	cr_assert_eq(f->linkage, 1);
	cr_assert(f->params->has_ptr);
	cr_assert_eq(f->params->ptr_space, W_global);
	cr_assert_eq(f->params->ptr_align, 8);
	cr_assert_eq(f->params->next->align, 4);
	cr_assert_eq(f->params->next->dims->value, 7);
	cr_assert_eq(f->params->next->next->ptr_space, W_NONE);
	cr_assert_eq(d->word, W_maxntid);
	cr_assert_eq(d->args->next->next->value, 1);
	d = d->next;
	cr_assert_eq(d->word, W_minnctapersm);
	d = d->next;
	cr_assert_eq(d->word, W_pragma);
	cr_assert_str_eq(name(p, d->args->symbol), "nounroll");
	cr_assert_null(d->next);
	t = t->next;
	f = t->func;
	cr_assert_not(f->is_entry || f->has_body);
	cr_assert_eq(f->linkage, 4);
	cr_assert_str_eq(name(p, f->rets->name), "r");
	cr_assert_eq(f->params->space, W_reg);
	cr_assert_eq(f->params->next->dims->kind, AST_SINK);
	cr_assert_eq(f->directives->word, W_attribute);
	cr_assert_eq(f->directives->next->word, W_noreturn);
	t = t->next;
	cr_assert_null(t->func->params);
	t = t->next;
	cr_assert_eq(t->func->body->kind, AST_BLOCK_BEGIN);
	cr_assert_eq(t->func->body->next->kind, AST_BLOCK_BEGIN);
	cr_assert_eq(t->func->body->next->next->kind, AST_BLOCK_END);
	cr_assert_eq(t->func->body->next->next->next->kind, AST_BLOCK_END);
	t = t->next;
	cr_assert_eq(t->kind, AST_TOP_ALIAS);
	cr_assert_str_eq(name(p, t->alias.target), "g");
	done(p);
}

Test(parser, tables)
{
	struct parse *p = parse_body(
		"L0: L1: T: .branchtargets L0, L1; U: .branchtargets L<2>, T; C: .calltargets f, g;\n"
		"P: .callprototype (.param .b32 _) _ (.param .b64 _, .param .align 8 .b8 _[16]) .noreturn;\nQ: .callprototype _ ();");
	const struct ast_stmt *s = first(p);
	const struct ast_table *t;

	cr_assert_eq(s->kind, AST_LABEL);
	s = s->next->next;
	cr_assert_eq(s->kind, AST_TABLE, "the label of a table is its name and no label");
	t = s->table;
	cr_assert_eq(t->word, W_branchtargets);
	cr_assert_str_eq(name(p, t->name), "T");
	cr_assert_str_eq(name(p, t->targets->next->symbol), "L1");
	s = s->next;
	cr_assert_str_eq(name(p, s->table->targets->symbol), "L0");
	cr_assert_str_eq(name(p, s->table->targets->next->symbol), "L1");
	cr_assert_str_eq(name(p, s->table->targets->next->next->symbol), "T");
	s = s->next;
	cr_assert_eq(s->table->word, W_calltargets);
	s = s->next;
	t = s->table;
	cr_assert_eq(t->word, W_callprototype);
	cr_assert_str_eq(name(p, t->name), "P");
	cr_assert_eq(t->rets->type, TYPE_b32);
	cr_assert_eq(t->params->next->align, 8);
	cr_assert_eq(t->directives->word, W_noreturn);
	s = s->next;
	cr_assert_null(s->table->rets);
	cr_assert_null(s->table->params);
	cr_assert_null(s->next);
	done(p);
}

Test(parser, debugging)
{
	struct parse *p = parse_top(
		".file 1 \"a.cu\"\n.file 2 \"b.cu\", 12, 34\n.entry k()\n{\n.loc 1 2 3\n.loc 2 7 5, function_name $L__info_string0+18, inlined_at 1 2 3\n"
		".pragma \"a\", \"b\";\nret;\n}\n"
		".section .debug_str\n{\nL:\n.b8 0,-1 // }\n.b32 L+4, M-L, .debug_abbrev, .debug_info+11\nM:\n.b64 M\n}\n.section .text { }");
	const struct ast_top *t = p->module->first;
	const struct ast_stmt *s;

	cr_assert_eq(t->file.number, 1);
	cr_assert_not(t->file.has_mtime);
	t = t->next;
	cr_assert(t->file.has_mtime);
	cr_assert_eq(t->file.size, 34);
	t = t->next;
	s = t->func->body;
	cr_assert_eq(s->kind, AST_LOC);
	cr_assert_eq(s->loc->column, 3);
	cr_assert_not(s->loc->inlined);
	s = s->next;
	cr_assert(s->loc->inlined);
	cr_assert_eq(s->loc->line, 7);
	cr_assert_eq(s->loc->function_offset, 18);
	cr_assert_eq(s->loc->at_line, 2);
	s = s->next;
	cr_assert_eq(s->kind, AST_PRAGMA);
	cr_assert_str_eq(name(p, s->next->symbol), "b");
	t = t->next;
	cr_assert_eq(t->kind, AST_TOP_SECTION);
	cr_assert_str_eq(name(p, t->section.name), ".debug_str");
	cr_assert_eq(p->source->text[t->section.body.off - 1], '{');
	cr_assert_eq(p->source->text[t->section.body.off + t->section.body.len], '}');
	cr_assert_str_eq(name(p, t->next->section.name), ".text");
	done(p);
}

Test(parser, line_markers_and_crlf)
{
	struct parse *p = parse(
		"# 1 \"a.cu\"\r\n.version 9.0\r\n#line 7 \"b.cu\"\r\n.target sm_90\r\n.entry k()\r\n{\r\nadd.u32 %r1, # 3 \"c\"\r\n %r2, 3;\r\n}\r\n");

	cr_assert_eq(p->module->ninsns, 1);
	done(p);
}

Test(parser, many_target_lines, .timeout = 20)
{
	struct text t = {0};
	struct parse *p;
	unsigned n = 0;

	text_puts(&t, ".version 9.0\n");
	for (unsigned k = 0; k < 200000; k++)
		text_puts(&t, k % 2 ? ".target sm_90\n" : ".target sm_80, debug\n");
	p = parse(text_str(&t));
	for (const struct ast_operand *o = p->module->targets; o; o = o->next)
		n++;
	cr_expect_eq(n, 300000);
	text_free(&t);
	done(p);
}

struct taker {
	const struct parse *p;
	struct text seen;
	unsigned most; /* entries that are taken */
	size_t memory; /* at most, of the tree */
};

static bool take(void *client, struct ast_module *m, const struct ast_top *t)
{
	struct taker *k = client;
	size_t memory = m->arena.total + m->code.total;

	if (!k->most)
		return false;
	k->most--;
	k->memory = memory > k->memory ? memory : k->memory;
	if (t->kind == AST_TOP_FUNC)
		text_printf(&k->seen, "%s ", name(k->p, t->func->name));
	else if (t->kind == AST_TOP_VAR)
		text_printf(&k->seen, ".%s ", name(k->p, t->var->name));
	else
		text_printf(&k->seen, "%u ", t->kind);
	return true;
}

/* Parses TEXT; MOST entries are taken. Returns the names of those that are left. */
static const char *parse_each(struct taker *k, const char *text, unsigned most)
{
	static char left[256];
	struct parse *p = calloc(1, sizeof *p);
	size_t n = 0;

	*k = (struct taker){.p = p, .most = most};
	p->source = source_new(&p->arena, "t.ptx", text, strlen(text));
	p->module = ast_parse_each(p->source, &p->symbols, &p->diags, take, k);
	cr_assert_eq(p->diags.count, 0);
	left[0] = '\0';
	for (const struct ast_top *t = p->module->first; t; t = t->next)
		n += (size_t)snprintf(left + n, sizeof left - n, "%s ",
			name(p, t->kind == AST_TOP_FUNC ? t->func->name : t->var->name));
	done(p);
	return left;
}

Test(parser, entries_one_at_a_time)
{
	static const char text[] = HEADER
		".global .u32 a, b = 7; .entry f(.param .u32 n) { ret; }"
		".global .u32 r<3>; .file 1 \"x\" .func g() { X: bra X; }";
	struct taker k;

	cr_assert_str_eq(parse_each(&k, text, 100), "");
	cr_assert_str_eq(text_str(&k.seen), ".a .b f .r 2 g ");
	text_free(&k.seen);
	cr_assert_str_eq(parse_each(&k,
				 HEADER ".entry f() { ret; } .func g() { ret; }"
					".global .u32 a, b; .func h() { bra X; X: }",
				 3),
		"b h ");
	cr_assert_str_eq(text_str(&k.seen), "f g .a ");
	text_free(&k.seen);
}

/* The memory of what has been taken is used again: for bodies, parameters and initial values. */
Test(parser, memory_of_one_entry)
{
	struct text t = {0};
	struct taker k;

	text_puts(&t, HEADER);
	for (unsigned i = 0; i < 2000; i++) {
		text_printf(&t,
			".entry k%u(.param .u64 p, .param .align 8 .b8 q[16]) .maxntid 32 {\n"
			".reg .b32 %%r<100>; .reg .b64 %%rd<9>; ld.param.u64 %%rd1, [p];\n",
			i);
		for (unsigned j = 0; j < 20; j++)
			text_printf(&t, "@%%p1 add.s32 %%r%u, %%r2, -7;\n.loc 1 %u 0\n", j, j);
		text_printf(&t, "}\n.global .u32 v%u[10] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 0};\n", i);
	}
	parse_each(&k, text_str(&t), 1000000);
	cr_assert_lt(k.memory, 65536, "%zu", k.memory);
	text_free(&k.seen);
	text_free(&t);
}

/* Every kind of operand is the same after it has been stored as bytes: large and small numbers,
 * long distances, deep nesting. */
Test(parser, operands_as_bytes)
{
	struct text body = {0}, got = {0};
	struct parse *p;
	const struct ast_operand *o;

	text_puts(&body, "op 18446744073709551615, 0d8000000000000001, 0f80000001, -1, 127U, 128,");
	for (unsigned i = 0; i < 70000; i++)
		text_putc(&body, ' ');
	text_puts(&body, "_, {x.y, _, 1}, [a+4, {b}], %r1|%p, ");
	for (unsigned i = 0; i < 900; i++)
		text_puts(&body, "~");
	text_puts(&body, "5;");
	p = parse_body(text_str(&body));
	for (o = ast_operands(p->module, first(p)); o && o->kind != AST_UNARY; o = o->next)
		cr_assert_neq(o->span.len, 0);
	cr_assert_not_null(o);
	o = ast_operands(p->module, first(p));
	cr_assert_eq(o->value, UINT64_MAX);
	cr_assert_eq(o->next->value, UINT64_C(0x8000000000000001));
	cr_assert_eq(o->next->flag, 3);
	cr_assert_eq(o->next->next->value, 0x80000001);
	cr_assert_eq(o->next->next->flag, 2);
	for (; o->next; o = o->next) {
		show(p, o, &got);
		text_putc(&got, ' ');
	}
	cr_assert_str_eq(text_str(&got),
		"18446744073709551615 d8000000000000001 f80000001 (- 1) 127U 128 _ {x.y,_,1} [(+ a 4),{b}] (| %r1 %p) ");
	cr_assert_eq(o->span.len, 901);
	cr_assert_eq(p->source->text[o->span.off], '~');
	for (unsigned i = 0; i < 900; i++, o = o->sub)
		cr_assert_eq(o->kind, AST_UNARY);
	cr_assert_eq(o->value, 5);
	text_free(&body);
	text_free(&got);
	done(p);
}

/* What was read, with places counted from offset AT. */
static void show_places(
	const struct parse *p, const struct ast_operand *o, uint32_t at, struct text *t)
{
	for (; o; o = o->next) {
		text_printf(t, " %u:%u+%u,%u", o->kind, o->span.off - at, o->span.len, o->depth);
		show_places(p, ast_sub(o), at, t);
	}
}

static void show_statement(struct parse *p, const struct ast_stmt *s, struct text *t)
{
	uint32_t at = s->span.off;

	if (s->kind == AST_LOC) {
		text_printf(t, "%u: %u %u %u %u", s->span.len, (unsigned)s->loc->file,
			(unsigned)s->loc->line, (unsigned)s->loc->column, s->loc->inlined);
		return;
	}
	text_printf(t, "%u %s %u@%u+%u %u %s%u %u:", s->kind, name(p, s->symbol), s->span.len,
		s->name_span.off - at, s->name_span.len, s->glued, name(p, s->guard),
		s->guard_negated, s->guard_len);
	for (unsigned i = 0; i < s->nwords; i++)
		text_printf(t, ".%s", word_text((enum word)s->words[i]));
	if (s->kind != AST_INSN)
		return;
	for (const struct ast_operand *o = ast_operands(p->module, s); o; o = o->next) {
		text_putc(t, ' ');
		show(p, o, t);
	}
	show_places(p, ast_operands(p->module, s), at, t);
}

/* An instruction whose opcode and words were seen before is the same without the grammar. */
Test(parser, instructions_seen_before)
{
	static const char *const all[] = {"ret;", "bar.sync 0;", "@%p1 bra $L_1;",
		"@ !%p bra.uni\tL;", "add.s32 \t%r1, %r2, -1;", "mov.u32 %r1, %tid.x ;",
		"ld.shared::cta.v4.f32 {%f1, %f2,%f3 , %f4}, [%rd1+16];", "call f;",
		"st.global.u32 [ %rd1 ], 0x7fFF;", "st.b64 [a+-8], 0d3FF0000000000000;",
		"fma.rn.f32 _a, $b, 0f3F800000, 0F00000000;", "prefetch.global.L2 [0], [a, b];",
		"mov.b64 {x.y, 1, -2}, WARP_SZ;", "setp.lt\n.s32 p, a\n, b\n;", "L: ret;",
		"mov.b32 a, 999999999999999999;", "mov.b32 a, 18446744073709551615;",
		"mov.b32 a, 017;", "mov.b32 a, 0x1U;", "mov.b32 a, 0b1;", "mov.b32 a, 1.5;",
		"mov.b32 a|b, !c;", "ld.u8 a, b[3];", "ld.u8 a, [b+1+2];", "call (a), f, ();",
		"mov.b32 a, -0x1;", "op.u32 a.b0, - 1, +1;", "op a, b // c\n;", ".loc 1 20 5\n",
		".loc 1\t0x10 0 // c\n\n", ".loc 1 2 3, function_name $d, inlined_at 1 4 5\n"};

	for (unsigned i = 0; i < sizeof all / sizeof *all; i++) {
		struct text body = {0}, by_grammar = {0}, without = {0};
		const struct ast_stmt *s;
		struct parse *p;

		text_printf(&body, "%s // seen\n%sret;", all[i], all[i]);
		p = parse_body(text_str(&body));
		s = first(p);
		show_statement(p, s, &by_grammar);
		for (s = s->next; s->kind != first(p)->kind;)
			s = s->next;
		show_statement(p, s, &without);
		cr_expect_str_eq(text_str(&without), text_str(&by_grammar), "%s", all[i]);
		text_free(&body);
		text_free(&by_grammar);
		text_free(&without);
		done(p);
	}
}
