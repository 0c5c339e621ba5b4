/* The module as a whole: header, declarations at module scope, debugging sections; and the parser's beginning and end. */
#include "parser/front.h"
#include "parser/ptx.tab.h"
#include <stdlib.h>
#include <string.h>

struct ast_top *top_new(struct front *f, enum ast_top_kind kind, struct span span)
{
	struct ast_top *t = ARENA_NEW(f->arena, struct ast_top);

	t->kind = (uint8_t)kind;
	t->span = span;
	*f->next_top = t;
	f->next_top = &t->next;
	return t;
}

/* The digits on both sides of the point, as written: 7.10 is not 7.1. */
void header_version(struct front *f, struct span span)
{
	const char *text = f->source->text + span.off;
	uint32_t part[2] = {0, 0}, k = 0;

	for (uint32_t i = 0; i < span.len && k < 2; i++) {
		if (text[i] >= '0' && text[i] <= '9')
			part[k] = part[k] > 6000 ? part[k] : part[k] * 10 + (uint32_t)(text[i] - '0');
		else if (text[i] == '.')
			k++;
		else
			break;
	}
	f->module->version_major = (uint16_t)part[0];
	f->module->version_minor = (uint16_t)part[1];
	f->module->version_span = span;
}

void header_target(struct front *f, struct ast_list targets, struct span span)
{
	header_again(f, targets);
	f->module->target_span = span;
}

/* A .target inside a body, which ptxas takes too, adds to the module's. */
void header_again(struct front *f, struct ast_list targets)
{
	f->targets = f->targets.last ? list_join(f->targets, targets) : targets;
	f->module->targets = f->targets.first;
}

void top_vars(struct front *f, struct ast_var *vars, struct span span)
{
	if (!f->bad)
		for (; vars; vars = vars->next)
			top_new(f, AST_TOP_VAR, span)->var = vars;
	f->bad = false;
}

void top_file(struct front *f, struct lexer_number number, uint32_t name, const struct lexer_number *mtime, const struct lexer_number *size, struct span span)
{
	struct ast_top *t = top_new(f, AST_TOP_FILE, span);

	t->file.number = number.value;
	t->file.name = name;
	t->file.has_mtime = mtime != NULL;
	t->file.mtime = mtime ? mtime->value : 0;
	t->file.size = size ? size->value : 0;
}

void top_section(struct front *f, uint32_t name, struct span open, struct span close, struct span span)
{
	struct ast_top *t = top_new(f, AST_TOP_SECTION, span);

	t->section.name = name;
	t->section.body = (struct span){open.off + open.len, close.off - open.off - open.len};
}

void section_type(struct front *f, enum word w, struct span span)
{
	if (w != W_b8 && w != W_b16 && w != W_b32 && w != W_b64)
		diag_report(f->diags, DIAG_E0120, f->source, span, "the data of a section is .b8, .b16, .b32 or .b64");
	f->section_word = (uint16_t)w;
}

/* As ptxas has it: a .b32 value is not looked at from above. */
void section_number(struct front *f, struct lexer_number n, bool negative, struct span span)
{
	unsigned bits = f->section_word == W_b8 ? 8 : f->section_word == W_b16 ? 16 : f->section_word == W_b32 ? 32 : 64;
	uint64_t most = negative ? (uint64_t)1 << (bits - 1) : bits < 32 ? ((uint64_t)1 << bits) - 1 : UINT64_MAX;

	if (n.value > most)
		diag_report(f->diags, DIAG_E0120, f->source, span, "this value does not fit .b%u", bits);
}

void section_label(struct front *f, uint32_t name, struct span span)
{
	struct ast_operand *o = operand_name(f, name, W_NONE, span);

	o->next = f->module->section_labels;
	f->module->section_labels = o;
}

void top_pragma(struct front *f, struct ast_operand *strings, struct span span)
{
	for (; strings; strings = strings->next)
		top_new(f, AST_TOP_PRAGMA, span)->pragma = strings->symbol;
}

void top_alias(struct front *f, uint32_t name, uint32_t target, struct span span)
{
	struct ast_top *t = top_new(f, AST_TOP_ALIAS, span);

	t->alias.name = name;
	t->alias.target = target;
}

static uint32_t name(struct symbols *symbols, const char *text)
{
	return symbol_intern(symbols, text, strlen(text));
}

struct ast_module *ast_parse(struct source *source, struct symbols *symbols, struct diags *diags)
{
	struct arena arena = {0};
	struct ast_module *m = ARENA_NEW(&arena, struct ast_module);
	struct front *f = ARENA_NEW(&arena, struct front);

	m->arena = arena;
	m->source = source;
	f->module = m;
	f->arena = &m->arena;
	f->diags = diags;
	f->source = source;
	f->next_top = &m->first;
	directives_take(f);
	f->call = name(symbols, "call");
	f->warp_sz = name(symbols, "WARP_SZ");
	f->generic = name(symbols, "generic");
	f->function_name = name(symbols, "function_name");
	f->inlined_at = name(symbols, "inlined_at");
	f->sink = name(symbols, "_");
	lexer_begin(&f->lexer, source, symbols, diags);
	ptx_parse(f);
	lexer_end(&f->lexer);
	vec_free(&f->open);
	return m;
}

void ast_free(struct ast_module *m)
{
	struct arena arena;

	if (!m)
		return;
	arena = m->arena; /* the module lies in it */
	arena_free(&arena);
}

struct span ast_word_span(const struct source *source, const struct ast_stmt *s, unsigned k)
{
	uint32_t at = s->name_span.off + s->name_span.len, end = s->span.off + s->span.len;

	for (;; k--) {
		uint32_t begin = front_skip_blank(source, at);

		if (begin >= end || source->text[begin] != '.')
			return s->name_span;
		at = begin + 1;
		while (at < end) {
			char c = source->text[at];

			if (!(c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')) &&
			    !(c == ':' && (source->text[at + 1] == ':' || source->text[at - 1] == ':')))
				break;
			at++;
		}
		if (k == 0)
			return (struct span){begin, at - begin};
	}
}
