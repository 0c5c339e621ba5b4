/* Assembling one file: parses it, then processes the header and everything at module scope in
 * order. */
#include "assembler/internal.h"
#include "base/memory.h"
#include <stdlib.h>
#include <string.h>

static void top_section(struct assembler *as, const struct ast_top *t)
{
	struct span body = t->section.body;

	*vec_push(&as->section_v) = (struct ir_section){
		.name = t->section.name,
		.len = body.len,
		.text = arena_text(&as->m->arena, as->source->text + body.off, body.len),
	};
}

static void assemble_top(struct assembler *as, const struct ast_top *t)
{
	switch (t->kind) {
	case AST_TOP_FUNC: function_assemble(as, t->func); break;
	case AST_TOP_VAR: variable_declare(as, t->var); break;
	case AST_TOP_FILE:
		for (uint32_t i = 0; i < as->file_v.count; i++)
			if (as->file_v.data[i].number == t->file.number) {
				REPORT(as, E0438, t->span, "file number %u already has a name",
					(unsigned)t->file.number);
				return;
			}
		*vec_push(&as->file_v) = (struct ir_file){
			.number = (uint32_t)t->file.number,
			.name = t->file.name,
			.mtime = t->file.mtime,
			.size = t->file.size,
			.has_mtime = t->file.has_mtime,
		};
		break;
	case AST_TOP_SECTION: top_section(as, t); break;
	case AST_TOP_CODE_BLOCK:
		if (directive_require(as, t->span, ".nv_intermediate_source_section", 94, 0))
			directive_file(as, t->file.number, t->span);
		break;
	case AST_TOP_PRAGMA: directive_pragma(as, t->pragma, t->span, IR_NONE); break;
	case AST_TOP_ALIAS: function_alias(as, t->alias.name, t->alias.target, t->span); break;
	}
}

static void reserve_arrays(struct assembler *as)
{
	vec_reserve(&as->var_v, 1);
	vec_reserve(&as->reg_v, 1);
	vec_reserve(&as->label_v, 1);
	vec_reserve(&as->data_v, 1);
	vec_reserve(&as->word_v, 1);
	vec_reserve(&as->insn_v, 1);
	vec_reserve(&as->operand_v, 1);
}

static void discard_arrays(struct assembler *as)
{
	vec_free(&as->func_v);
	vec_free(&as->var_v);
	vec_free(&as->group_v);
	vec_free(&as->insn_v);
	vec_free(&as->operand_v);
	vec_free(&as->reg_v);
	vec_free(&as->label_v);
	vec_free(&as->table_v);
	vec_free(&as->reloc_v);
	vec_free(&as->loc_v);
	vec_free(&as->loc_end);
	vec_free(&as->func_end);
	vec_free(&as->file_v);
	vec_free(&as->pragma_v);
	vec_free(&as->section_v);
	vec_free(&as->word_v);
	vec_free(&as->data_v);
	vec_free(&as->dim_v);
	map_free(&as->places);
	map_free(&as->inlined);
	vec_free(&as->inlined_name);
	vec_free(&as->file_wanted);
	vec_free(&as->fixup);
	vec_free(&as->sum);
	vec_free(&as->pending);
	vec_free(&as->block_label);
	vec_free(&as->local);
	vec_free(&as->shape);
	vec_free(&as->sign);
	vec_free(&as->key);
	vec_free(&as->known);
	memory_drop(as->known_slot);
	names_close(as);
	arena_free(&as->scratch);
}

static unsigned reports(const struct diags *d) { return d->count + d->dropped; }

static void begin_module(struct assembler *as, struct ast_module *ast)
{
	as->ast = ast;
	names_open(as, variable_make);
	reserve_arrays(as);
	directive_header(as, as->options);
}

/* Once, when enough of the text is assembled: its arrays get room for what the rest will need. */
static void expect_arrays(struct assembler *as, uint32_t at)
{
	enum { PART = 1 << 16 }; /* of the text, from which the rest is known */

	if (as->expects || at < PART)
		return;
	as->expects = true;
	vec_move(&as->insn_v, expected(as, as->insn_v.count, at));
	vec_move(&as->operand_v, expected(as, as->operand_v.count, at));
	vec_move(&as->var_v, expected(as, as->var_v.count, at));
	vec_move(&as->reg_v, expected(as, as->reg_v.count, at));
	vec_move(&as->func_v, expected(as, as->func_v.count, at));
	vec_move(&as->label_v, expected(as, as->label_v.count, at));
	memory_settle(as->source->len / 16 * 5); /* names, and what grows */
	names_expect(as, at);
}

/* Assembles T as soon as it has been read. After a syntax error the file is read to its end first:
 * syntax errors are reported before others, some of which only follow from them. */
static bool take_top(void *client, struct ast_module *ast, const struct ast_top *t)
{
	struct assembler *as = client;

	if (reports(as->diags) != as->reported || ast->late_target)
		return false;
	if (!as->ast)
		begin_module(as, ast);
	expect_arrays(as, t->span.off);
	as->taking = true;
	assemble_top(as, t);
	as->taking = false;
	as->reported = reports(as->diags);
	return true;
}

/* Reads and assembles the file into a new module: each entry as soon as it has been read, or, if
 * ALL, the first one after the last one has been read. False: what was assembled and reported did
 * not take into account what came later in the file, so that it has to be done again with ALL. */
static bool assemble_file(struct assembler *as, bool all)
{
	unsigned before = reports(as->diags), old = as->diags->count;
	struct ast_module *ast;
	bool in_order = true;

	as->m = memory_zeroed(1, sizeof *as->m);
	as->m->source = as->source;
	as->symbols = &as->m->symbols;
	as->reported = before;
	ast = ast_parse_each(as->source, as->symbols, as->diags, all ? NULL : take_top, as);
	if (as->reported == before)
		as->syntax_errors = as->diags->count - old;
	else
		in_order = reports(as->diags) == as->reported;
	if (as->ast)
		in_order = in_order && !ast->late_target;
	else
		begin_module(as, ast);
	for (const struct ast_top *t = ast->first; in_order && t; t = t->next)
		assemble_top(as, t);
	if (in_order)
		directive_end(as);
	ast_free(ast);
	return in_order;
}

struct ir_module *assemble(
	struct source *source, const struct assemble_options *options, struct diags *diags)
{
	struct assembler start = {
		.options = options, .source = source, .diags = diags, .func = IR_NONE};
	struct assembler as = start;
	struct diags before = *diags;

	if (!assemble_file(&as, false)) {
		discard_arrays(&as);
		ir_module_free(as.m);
		as = start;
		diags_rewind(diags, &before);
		assemble_file(&as, true);
	}
	if (diags->errors == before.errors)
		module_finish(&as);
	else
		module_reject(&as);
	discard_arrays(&as);
	if (diags->errors == before.errors)
		return as.m;
	ir_module_free(as.m);
	return NULL;
}
