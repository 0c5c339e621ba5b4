/* The statements of a function: first a pass over labels and blocks, then every statement in
 * order. */
#include "base/memory.h"
#include "base/assert.h"
#include "assembler/internal.h"
#include <stdlib.h>

/* Statements: how far ahead they are looked at; after how many those before are freed, and returned
 * to the system, which needs room for what is made of them. */
enum { AHEAD = 2048, FREED = 8192, RETURNED = 8 * FREED };

/* A pass ahead of the statements: numbers every label and attaches it to its block, so that
 * branches may refer forward. */
static void collect_labels(struct assembler *as, const struct ast_stmt *s)
{
	VEC(uint32_t) open = {0};

	as->pending.count = as->block_label.count = 0;
	*vec_push(&as->pending) = (struct pending_label){0}; /* number 0 means none */
	*vec_push(&as->block_label) = 0;
	*vec_push(&open) = 0;
	for (; s; s = s->next) {
		uint32_t block = open.data[open.count - 1];

		/* the parser's nodes some statements ahead have left the caches by now */
		__builtin_prefetch((const char *)s + AHEAD);
		if (s->kind == AST_BLOCK_BEGIN) {
			*vec_push(&open) = as->block_label.count;
			*vec_push(&as->block_label) = 0;
		} else if (s->kind == AST_BLOCK_END) {
			assert(open.count > 1);
			open.count--;
		} else if (s->kind == AST_LABEL) {
			*vec_push(&as->pending) = (struct pending_label){
				as->block_label.data[block], as->label_v.count - as->func_label,
				s->name_span};
			as->block_label.data[block] = as->pending.count - 1;
			*vec_push(&as->label_v) = (struct ir_label){
				.name = s->symbol, .insn = 0, .span = s->name_span};
		}
	}
	vec_free(&open);
}

static void enter_block(struct assembler *as)
{
	uint32_t i = as->block_label.data[as->block++], n = 0;
	VEC(uint32_t) order = {0};

	for (; i; i = as->pending.data[i].next)
		*vec_push(&order) = i;
	for (n = order.count; n-- > 0;) {
		struct pending_label *p = &as->pending.data[order.data[n]];
		struct ir_label *l = &as->label_v.data[as->func_label + p->index];

		scope_declare(as, l->name, NAME_LABEL, p->index, p->span, false);
		as->label_v.data[as->func_label + p->index].name = name_unique(as, l->name);
	}
	vec_free(&order);
}

static void assemble_statement(struct assembler *as, const struct ast_stmt *s, unsigned *open)
{
	switch (s->kind) {
	case AST_INSN: insn_assemble(as, s); break;
	case AST_LABEL:
		as->label_v.data[as->next_label++].insn = as->insn_v.count - as->func_insn;
		break;
	case AST_DECL:
		for (const struct ast_var *v = s->decl; v; v = v->next)
			variable_declare(as, v);
		break;
	case AST_BLOCK_BEGIN:
		scope_push(as);
		enter_block(as);
		++*open;
		break;
	case AST_BLOCK_END:
		assert(*open);
		scope_pop(as);
		--*open;
		break;
	case AST_LOC: directive_loc(as, s->loc, s->span); break;
	case AST_PRAGMA:
		directive_pragma(as, s->symbol, s->span, as->insn_v.count - as->func_insn);
		break;
	case AST_TABLE: table_declare(as, s->table); break;
	}
}

/* Replaces labels by instruction numbers. */
static void resolve_labels(struct assembler *as)
{
	for (uint32_t i = 0; i < as->fixup.count; i++) {
		struct ir_operand *o = &as->operand_v.data[as->fixup.data[i].operand];

		o->more = as->fixup.data[i].label;
		o->index = as->label_v.data[as->func_label + o->more].insn;
	}
}

void body_assemble(struct assembler *as, const struct ast_stmt *first)
{
	unsigned open = 0;
	uint32_t done = 0;

	collect_labels(as, first);
	as->block = 0;
	as->next_label = as->func_label;
	enter_block(as);
	for (const struct ast_stmt *s = first; s; s = s->next) {
		assemble_statement(as, s, &open);
		if (as->taking && ++done % FREED == 0)
			ast_free_before(as->ast, s);
		if (as->taking && done % RETURNED == 0 && done)
			memory_return();
	}
	assert(!open && as->block == as->block_label.count);
	assert(as->next_label == as->label_v.count);
	resolve_labels(as);
}
