/* Parsing one PTX file: sets up the state, runs the grammar's parser and returns the tree; also
 * queries on the tree. */
#include "parser/front.h"
#include "parser/ptx.tab.h"
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static uint32_t parse_name(struct symbols *symbols, const char *text)
{
	return symbol_intern(symbols, text, strlen(text));
}

struct ast_module *ast_parse_each(struct source *source, struct symbols *symbols,
	struct diags *diags, ast_taker *take, void *client)
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
	f->next_top = f->entry = &m->first;
	f->take = take;
	f->client = client;
	f->mark = arena_mark(&m->arena);
	directives_take(f);
	f->call = parse_name(symbols, "call");
	f->warp_sz = parse_name(symbols, "WARP_SZ");
	f->generic = parse_name(symbols, "generic");
	f->function_name = parse_name(symbols, "function_name");
	f->inlined_at = parse_name(symbols, "inlined_at");
	f->sink = parse_name(symbols, "_");
	lexer_begin(&f->lexer, source, symbols, diags);
	ptx_parse(f);
	lexer_end(&f->lexer);
	vec_free(&f->open);
	vec_free(&f->packed);
	vec_free(&f->head_of);
	vec_free(&f->head_words);
	symbols_free(&f->heads);
	arena_free(&f->nodes);
	return m;
}

struct ast_module *ast_parse(struct source *source, struct symbols *symbols, struct diags *diags)
{
	return ast_parse_each(source, symbols, diags, NULL, NULL);
}

void ast_free_before(struct ast_module *m, const struct ast_stmt *s)
{
	arena_free_before(&m->code, s);
}

void ast_free(struct ast_module *m)
{
	struct arena arena;

	arena_free(&m->code);
	arena_free(&m->operands);
	arena = m->arena; /* the module itself is in it */
	arena_free(&arena);
}

static uint32_t name_end(const char *text, uint32_t at, uint32_t end)
{
	while (at < end && (isalnum((unsigned char)text[at]) || text[at] == '_'))
		at++;
	return at;
}

/* Where the word that begins at AT, after its point, ends: .a, .a::b::c or .sp::4:16, as the lexer
 * divides the text. */
static uint32_t word_end(const char *text, uint32_t at, uint32_t end)
{
	static const char digits[] = "0123456789";
	uint32_t begin = at, next;

	at = name_end(text, at, end);
	while (end - at > 2 && memcmp(text + at, "::", 2) == 0 &&
		(next = name_end(text, at + 2, end)) > at + 2)
		at = next;
	if (at - begin > 4 && memcmp(text + begin, "sp::", 4) == 0 && text[at] == ':' &&
		strspn(text + begin + 4, digits) == at - begin - 4)
		at += 1 + (uint32_t)strspn(text + at + 1, digits);
	return at < end ? at : end;
}

struct span ast_word_span(const struct source *source, const struct ast_stmt *s, unsigned k)
{
	uint32_t at = s->name_span.off + s->name_span.len, end = s->span.off + s->span.len;

	for (;; k--) {
		uint32_t begin = front_skip_blank(source, at);

		if (begin >= end || source->text[begin] != '.')
			return s->name_span;
		at = word_end(source->text, begin + 1, end);
		if (k == 0)
			return (struct span){begin, at - begin};
	}
}
