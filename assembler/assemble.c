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
	uint32_t n = as->ast->ninsns;

	vec_reserve(&as->var_v, 1);
	vec_reserve(&as->reg_v, 1);
	vec_reserve(&as->label_v, 1);
	vec_reserve(&as->data_v, 1);
	vec_reserve(&as->word_v, 1);
	vec_reserve(&as->insn_v, n + 1);
	vec_reserve(&as->operand_v, n * 3 + n / 4 + 16);
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

struct ir_module *assemble(
	struct source *source, const struct assemble_options *options, struct diags *diags)
{
	struct ir_module *m = memory_zeroed(1, sizeof *m);
	struct assembler as = {
		.source = source, .diags = diags, .m = m, .symbols = &m->symbols, .func = IR_NONE};
	unsigned before = diags->errors, old = diags->count;

	m->source = source;
	as.ast = ast_parse(source, &m->symbols, diags);
	as.syntax_errors = diags->count - old;
	names_open(&as, variable_make);
	reserve_arrays(&as);
	directive_header(&as, options);
	for (const struct ast_top *t = as.ast->first; t; t = t->next)
		assemble_top(&as, t);
	directive_end(&as);
	ast_free(as.ast);
	if (diags->errors == before)
		module_finish(&as);
	else
		module_reject(&as);
	discard_arrays(&as);
	if (diags->errors == before)
		return m;
	ir_module_free(m);
	return NULL;
}
