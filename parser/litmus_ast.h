/* The result of the grammar of .litmus files, before names are resolved (litmus.c). */
#ifndef PTXI_PARSER_LITMUS_AST_H
#define PTXI_PARSER_LITMUS_AST_H
#include "lexer/litmus_token.h"
#include "parser/litmus.h"

struct litmus_text {
	const char *text; /* NUL-terminated, in the arena */
	struct span span;
	int64_t value;
	bool is_integer;
};

/* One entry of the initial block: REG of THREAD = value; NAME = value; NAME @ proxy aliases
 * TARGET. */
struct litmus_init {
	struct litmus_text thread, name, proxy, target;
	int64_t value;
	struct litmus_init *next;
};

struct litmus_operand {
	struct litmus_text text;
	struct litmus_operand *next;
};

enum litmus_cell_kind { CELL_EMPTY, CELL_HEAD, CELL_LABEL, CELL_INSN };
struct litmus_cell {
	uint8_t kind;
	struct litmus_text name;        /* of the thread, label or instruction */
	struct litmus_operand *operand; /* HEAD: names with their numbers */
	struct litmus_cell *next;       /* in the row */
};
struct litmus_row {
	struct litmus_cell *first;
	struct litmus_row *next;
};

/* A condition with unresolved names. */
struct litmus_raw_term {
	struct litmus_text thread, name;
	bool has_thread;
};
struct litmus_raw_cond {
	uint8_t kind, relation;
	struct litmus_raw_term left, right;
	struct litmus_raw_cond *a, *b;
};
struct litmus_raw_list {
	struct litmus_raw_term term;
	struct litmus_raw_list *next;
};

struct litmus_parse {
	struct source *source;
	struct arena *arena;
	struct diags *diags;
	struct litmus_scanner scanner;
	struct litmus_text name;
	struct litmus_init *init;
	struct litmus_row *row;
	struct litmus_raw_list *locations;
	uint8_t quantifier;
	uint32_t ncomparisons; /* of the condition */
	struct litmus_raw_cond *cond;
	struct span cond_span, quantifier_span;
	bool failed;
};

#endif
