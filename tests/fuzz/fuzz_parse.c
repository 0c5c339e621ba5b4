/* libFuzzer target of the PTX parser: any bytes are parsed, every diagnostic is rendered, and
 * everything is freed; the source must be unchanged afterwards. clang
 * -fsanitize=fuzzer,address,undefined */
#include "parser/ast.h"
#include "tests/fuzz/tokens.h"
#include <stdlib.h>
#include <string.h>

FUZZ_TARGET(token_mutate)

/* Walks all operands, as the assembler does, to detect wrong pointers and trees that are too
 * deep. */
static size_t walk(const struct ast_operand *o)
{
	size_t n = 0;

	for (; o; o = o->next)
		n += 1 + walk(ast_sub(o));
	return n;
}

static void walk_func(struct ast_module *m, const struct source *source, const struct ast_func *f)
{
	for (const struct ast_stmt *s = f->body; s; s = s->next) {
		if (s->span.off > source->len || s->span.len > source->len - s->span.off)
			abort();
		if (s->kind == AST_INSN) {
			walk(ast_operands(m, s));
			for (unsigned k = 0; k < s->nwords; k++) {
				struct span w = ast_word_span(source, s, k);

				if (w.off + w.len > source->len || source->text[w.off] != '.')
					abort();
			}
		}
		if (s->kind == AST_DECL)
			for (const struct ast_var *v = s->decl; v; v = v->next)
				walk(v->init);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena arena = {0};
	struct symbols symbols = {0};
	struct diags diags = {.limit = 50};
	struct text out = {0};
	struct source *source = source_new(&arena, "fuzz.ptx", (const char *)data, size);
	struct ast_module *m = ast_parse(source, &symbols, &diags);

	if (size && memcmp(source->text, data, size) != 0)
		abort();
	for (const struct ast_top *t = m->first; t; t = t->next)
		if (t->kind == AST_TOP_FUNC)
			walk_func(m, source, t->func);
	diag_render(&diags, &out, true);
	text_clear(&out);
	diag_render_json(&diags, &out);
	text_free(&out);
	ast_free(m);
	diags_free(&diags);
	symbols_free(&symbols);
	arena_free(&arena);
	return 0;
}
