/* Statements of a body, appended to the current function. */
#include "parser/front.h"
#include <string.h>

/* EXTRA: bytes after it. */
static struct ast_stmt *append_stmt(
	struct front *f, enum ast_stmt_kind kind, struct span span, size_t extra)
{
	struct ast_stmt *s = arena_alloc(
		&f->module->code, sizeof *s + extra, _Alignof(struct ast_stmt));

	*s = (struct ast_stmt){.kind = (uint8_t)kind, .span = span};
	if (f->next_stmt) {
		*f->next_stmt = s;
		f->next_stmt = &s->next;
	}
	f->last_stmt = s;
	return s;
}

void insn_nodes(struct front *f)
{
	f->packs = !f->take || f->look.off - f->open.data[0].off > FRONT_KEPT;
	f->arena = f->packs ? &f->nodes : &f->module->code;
	if (f->packs)
		arena_clear(&f->nodes);
}

void insn_begin(struct front *f, struct ast_guard guard, struct span guard_span, uint32_t opcode,
	struct span opcode_span)
{
	f->guard = guard;
	f->guard_span = guard_span;
	f->opcode = opcode;
	f->opcode_span = opcode_span;
	f->nwords = f->glued = f->inner = 0;
	f->bad = f->quiet = false;
	f->head = f->last;
}

void insn_word(struct front *f, enum word w, struct span span)
{
	if (w == W_NONE) { /* reported by the lexer */
		f->bad = true;
	} else if (f->nwords < FRONT_WORDS) {
		/* safe: a word is never at the start of a file */
		char before = f->source->text[span.off - 1];

		if (f->glued == f->nwords && before != ' ' && before != '\t' && before != '\n' &&
			before != '\r' && before != '/')
			f->glued++;
		f->words[f->nwords++] = (uint16_t)w;
		f->head = span;
	} else if (!f->bad) {
		f->bad = true;
		diag_report(f->diags, DIAG_E0121, f->source, span,
			"an instruction has at most %d modifiers", (int)FRONT_WORDS);
	}
}

void insn_end(struct front *f, struct ast_operand *operands, struct span span)
{
	size_t words = f->nwords * sizeof f->words[0];
	struct ast_stmt *s;
	bool bad;

	if (f->opcode != f->call)
		for (struct ast_operand **o = &operands; *o; o = &(*o)->next)
			*o = operand_plain(f, *o);
	f->arena = &f->module->arena;
	bad = f->bad;
	f->bad = false;
	if (bad)
		return;
	if (f->packs || !operands) {
		operands_pack(f, operands, span.off);
		operands = NULL;
	} else {
		f->packed.count = 0;
	}
	s = append_stmt(f, AST_INSN, span, words + f->packed.count);
	s->operands = operands;
	s->symbol = f->opcode;
	s->name_span = f->opcode_span;
	s->nwords = (uint8_t)f->nwords;
	s->glued = (uint8_t)f->glued;
	memcpy(s->words, f->words, words);
	if (f->packed.count)
		memcpy(s->words + f->nwords, f->packed.data, f->packed.count);
	if (f->guard.symbol) {
		s->guard = f->guard.symbol;
		s->guard_negated = f->guard.negated;
		s->guard_len = f->guard_span.len;
	}
	f->module->ninsns++;
}

void stmt_label(struct front *f, uint32_t name, struct span name_span, struct span span)
{
	struct ast_stmt *s = append_stmt(f, AST_LABEL, span, 0);

	s->symbol = name;
	s->name_span = name_span;
}

void stmt_decl(struct front *f, struct ast_var *vars, struct span span)
{
	if (!f->bad && vars)
		append_stmt(f, AST_DECL, span, 0)->decl = vars;
	f->bad = false;
}

void stmt_block(struct front *f, bool begin, struct span span)
{
	append_stmt(f, begin ? AST_BLOCK_BEGIN : AST_BLOCK_END, span, 0);
}

void stmt_pragma(struct front *f, struct ast_operand *strings, struct span span)
{
	for (; strings; strings = strings->next)
		append_stmt(f, AST_PRAGMA, span, 0)->symbol = strings->symbol;
}

void stmt_loc(struct front *f, struct ast_loc *loc, struct span span)
{
	append_stmt(f, AST_LOC, span, 0)->loc = loc;
}

void table_begin(struct front *f, enum word w)
{
	f->table = ARENA_NEW(f->arena, struct ast_table);
	f->table->word = (uint16_t)w;
	f->bad = false;
	directives_take(f);
}

void table_targets(struct front *f, struct ast_operand *targets) { f->table->targets = targets; }

void table_prototype(struct front *f) { f->table->directives = directives_take(f); }

/* The label before a table is the table's name, not a branch target. */
void stmt_table(struct front *f, struct span span)
{
	struct ast_stmt *s = f->last_stmt;

	if (!s || s->kind != AST_LABEL) {
		struct diag *r = diag_report(f->diags, DIAG_E0117, f->source, span,
			"a list of targets or a prototype needs a label");

		diag_help(f->diags, r, "write NAME: .%s ...", word_text((enum word)f->table->word));
		s = append_stmt(f, AST_TABLE, span, 0);
	}
	s->kind = AST_TABLE;
	s->span = span_join(s->span, span);
	s->table = f->table;
	f->table->name = s->symbol;
	f->table->span = s->span;
}

/* L<3> means L0, L1, L2. */
struct ast_list target_range(
	struct front *f, uint32_t name, struct lexer_number count, struct span span)
{
	struct ast_list all = {NULL, NULL};
	uint64_t n = count.value;

	if (n == 0 || n > FRONT_RANGE - f->ranged) {
		diag_report(f->diags, DIAG_E0121, f->source, span,
			"the parameterised lists of a file have at most %d names in total",
			(int)FRONT_RANGE);
		n = 1;
	} else {
		f->ranged += (uint32_t)n;
	}
	for (uint64_t i = 0; i < n; i++) {
		struct text t = {0};
		struct ast_operand *o;

		text_printf(&t, "%s%u", symbol_text(f->lexer.symbols, name), (unsigned)i);
		o = operand_name(
			f, symbol_intern(f->lexer.symbols, text_str(&t), t.len), W_NONE, span);
		text_free(&t);
		all = all.last ? list_add(all, o) : list_of(o);
	}
	return all;
}

struct ast_loc *loc_new(struct front *f, struct lexer_number file, struct lexer_number line,
	struct lexer_number column)
{
	struct ast_loc *l = ARENA_NEW(&f->module->code, struct ast_loc);

	l->file = file.value;
	l->line = line.value;
	l->column = column.value;
	return l;
}

static void expect_word(struct front *f, uint32_t word, uint32_t wanted, struct span span)
{
	if (word != wanted)
		diag_report(f->diags, DIAG_E0120, f->source, span, "expected '%s' here",
			symbol_text(f->lexer.symbols, wanted));
}

void loc_inlined(struct front *f, struct ast_loc *loc, uint32_t word1, struct span span1,
	struct ast_name_ref name, uint32_t word2, struct span span2)
{
	expect_word(f, word1, f->function_name, span1);
	expect_word(f, word2, f->inlined_at, span2);
	loc->inlined = true;
	loc->function_name = name.symbol;
	loc->function_offset = name.offset;
}
