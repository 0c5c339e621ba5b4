/* What the parser keeps while it reads one file; the grammar's actions are calls of the functions
 * here. */
#ifndef PTXI_PARSER_FRONT_H
#define PTXI_PARSER_FRONT_H
#include "base/vec.h"
#include "lexer/lexer.h"
#include "parser/ast.h"

enum { FRONT_WORDS = 255, FRONT_DEPTH = 1000, FRONT_RANGE = 65536 };

struct front {
	struct lexer lexer;
	struct ast_module *module;
	struct arena *arena; /* the module's */
	struct diags *diags;
	struct source *source;

	/* tokens (recover.c) */
	struct span last, look; /* the token before the lookahead, and the lookahead */
	int last_kind;          /* the lookahead's */
	struct token held;      /* delivered next when held.kind > 0, after CLOSE virtual } */
	unsigned close;
	VEC(struct span) open; /* the { that are open in this function */
	/* what is wrong has been said: the next syntax error is only its echo */
	bool quiet;
	bool outside; /* the error just reported is an instruction at module scope */

	/* the statement being read */
	uint16_t words[FRONT_WORDS];
	unsigned nwords, glued; /* glued: words before the first that has a blank in front of it */
	bool bad;               /* a part of it was reported: it is left out of the AST */
	bool in_initialiser;
	bool in_section;       /* between the braces of a section */
	uint16_t section_word; /* type of the values being read there */
	uint32_t inner;        /* braces of vectors and initialisers that are open */
	struct span head;      /* the last token of the opcode and its modifiers */

	/* the declaration being read (declare.c) */
	struct ast_var spec;
	bool has_space, has_type, is_param;
	uint8_t kept_linkage;
	struct span linkage_span, attribute_span;
	struct ast_var_list parameters;

	struct ast_func *func; /* being read, or NULL */
	struct ast_stmt **next_stmt, *last_stmt;
	struct ast_top **next_top;
	struct ast_directive *directives, **next_directive;
	struct ast_table *table;
	struct ast_list targets; /* names of all .target lines so far */
	uint32_t ranged;         /* names made by L<3> so far */

	/* symbols of names with a meaning here */
	uint32_t call, warp_sz, generic, function_name, inlined_at, sink;
};

static inline struct span span_join(struct span a, struct span b)
{
	return (struct span){a.off, b.off + b.len - a.off};
}

/* recover.c: tokens, and where to go on after an error; LOOK is the parser's lookahead (kind
 * FRONT_EMPTY: none was read). */
enum { FRONT_EMPTY = -2, FRONT_HELD_END = 1 << 20 };
int front_token(struct front *f, union token_value *value, struct span *span);
/* The same for the parser; SUSPICIOUS: the token may show that something is missing between it and
 * the one before, and the parser should be asked whether it takes it. */
int front_parse_token(
	struct front *f, union token_value *value, struct span *span, bool *suspicious);
void recover_statement(struct front *f, struct token *look);
void recover_top(struct front *f, struct token *look);
void recover_parameter(struct front *f, struct token *look);
/* Whether a statement ends before the lookahead, of KIND: it begins a line or closes a block. */
bool front_ends_line(const struct front *f, int kind);
/* Whether the lookahead, of KIND, reads as the next operand of the list that the token before it,
 * of kind BEFORE, belongs to. */
bool front_lacks_comma(const struct front *f, int before, int kind);
/* Reports that MISSING (; or ,) is missing before the token of KIND, keeps that for later and makes
 * VALUE and SPAN those of the missing one. */
int front_insert(
	struct front *f, int missing, int kind, const union token_value *value, struct span *span);
bool front_begins_line(const struct front *f, struct span span);

/* blank.c */
/* Whether a line ends between the lookahead and the token before it. */
bool front_newline_before(const struct front *f);

/* The offset of what follows the blanks and comments at AT. */
uint32_t front_skip_blank(const struct source *source, uint32_t at);

/* report.c */
enum { FRONT_TOKENS = 80 };
struct expected {
	const char *name[FRONT_TOKENS]; /* by token: its name, NULL where it cannot stand */
};
void report_syntax(struct front *f, int kind, struct span span, const struct expected *expected);
/* The opcode stands alone on its line, and what was read as its operand begins the next
 * statement. */
bool report_head_alone(const struct front *f);
void report_missing(struct front *f, int missing, int kind);
void report_depth(struct front *f, struct span span);

/* operand.c: nodes of expressions and operands, checked for what PTX has */
struct ast_operand *operand_new(struct front *f, enum ast_operand_kind kind, struct span span);
struct ast_operand *operand_name(
	struct front *f, uint32_t symbol, enum word component, struct span span);
struct ast_operand *operand_number(
	struct front *f, enum ast_operand_kind kind, struct lexer_number n, struct span span);
struct ast_operand *operand_group(
	struct front *f, enum ast_operand_kind kind, struct ast_operand *sub, struct span span);
struct ast_operand *operand_unary(struct front *f, int op, struct ast_operand *a, struct span span);
struct ast_operand *operand_binary(
	struct front *f, int op, struct ast_operand *a, struct ast_operand *b, struct span span);
/* {a, b, c, d}|p, the destination of tex. */
struct ast_operand *operand_residency(
	struct front *f, struct ast_operand *vector, struct ast_operand *p, struct span span);
struct ast_operand *operand_ternary(struct front *f, struct ast_operand *a, struct ast_operand *b,
	struct ast_operand *c, struct span span);
struct ast_operand *operand_cast(
	struct front *f, enum word type, struct ast_operand *a, struct span span);
struct ast_operand *operand_call(struct front *f, uint32_t symbol, struct lexer_number mask,
	struct ast_operand *sub, struct span head, struct span span);
struct ast_operand *operand_index(
	struct front *f, uint32_t symbol, struct ast_operand *index, struct span span);
struct ast_operand *operand_setting(
	struct front *f, struct ast_operand *name, struct ast_operand *value, struct span span);
/* A parenthesised single expression is the expression, unless it is an operand of call. */
struct ast_operand *operand_plain(struct front *f, struct ast_operand *o);

static inline struct ast_list list_of(struct ast_operand *o) { return (struct ast_list){o, o}; }

static inline struct ast_list list_join(struct ast_list list, struct ast_list more)
{
	list.last->next = more.first;
	list.last = more.last;
	return list;
}

static inline struct ast_list list_add(struct ast_list list, struct ast_operand *o)
{
	list.last->next = o;
	list.last = o;
	return list;
}

/* declare.c */
void spec_begin(struct front *f);
void spec_linkage(struct front *f, enum word w, struct span span);
void spec_space(struct front *f, enum word w, struct span span);
void spec_align(struct front *f, struct lexer_number n, struct span span);
void spec_vector(struct front *f, enum word w, struct span span);
void spec_type(struct front *f, enum word w, struct span span);
void spec_ptr(struct front *f, struct span span);
void spec_attribute(struct front *f, struct ast_operand *words, struct span span);
void spec_end(struct front *f, struct span span);
struct ast_var *var_new(struct front *f, uint32_t name, struct span span);
struct ast_list dims_name(struct front *f, struct ast_list before, uint32_t name, struct span span);
struct ast_list dims_open(struct front *f, struct ast_list before, struct span span);
void parameter_add(struct front *f, uint32_t name, struct ast_operand *dims, struct span span);
void var_range(struct front *f, struct ast_var *v, struct lexer_number n, struct span span);
static inline struct ast_var_list vars_add(struct ast_var_list list, struct ast_var *v)
{
	if (list.last)
		list.last->next = v;
	else
		list.first = v;
	list.last = v;
	return list;
}
void directive_add(struct front *f, enum word w, struct ast_operand *args, struct span span);
struct ast_directive *directives_take(struct front *f);
void func_begin(struct front *f, bool is_entry);
void func_name(struct front *f, uint32_t name, struct span span);
void func_end(struct front *f, bool has_body, struct span span);

/* statement.c */
void stmt_begin(struct front *f);
void word_add(struct front *f, enum word w, struct span span);
void stmt_insn(struct front *f, struct ast_guard guard, struct span guard_span, uint32_t opcode,
	struct span name_span, struct ast_operand *operands, struct span span);
void stmt_label(struct front *f, uint32_t name, struct span name_span, struct span span);
void stmt_decl(struct front *f, struct ast_var *vars, struct span span);
void stmt_block(struct front *f, bool begin, struct span span);
void stmt_pragma(struct front *f, struct ast_operand *strings, struct span span);
void stmt_loc(struct front *f, struct ast_loc *loc, struct span span);
void table_begin(struct front *f, enum word w);
void table_targets(struct front *f, struct ast_operand *targets);
void table_prototype(struct front *f);
void stmt_table(struct front *f, struct span span);
struct ast_list target_range(
	struct front *f, uint32_t name, struct lexer_number count, struct span span);
struct ast_loc *loc_new(struct front *f, struct lexer_number file, struct lexer_number line,
	struct lexer_number column);
void loc_inlined(struct front *f, struct ast_loc *loc, uint32_t word1, struct span span1,
	struct ast_name_ref name, uint32_t word2, struct span span2);

/* module.c */
void header_version(struct front *f, struct span span);
void header_target(struct front *f, struct ast_list targets, struct span span);
void header_again(struct front *f, struct ast_list targets);
void top_vars(struct front *f, struct ast_var *vars, struct span span);
void top_file(struct front *f, struct lexer_number number, uint32_t name,
	const struct lexer_number *mtime, const struct lexer_number *size, struct span span);
void top_section(
	struct front *f, uint32_t name, struct span open, struct span close, struct span span);
void section_type(struct front *f, enum word w, struct span span);
void section_number(struct front *f, struct lexer_number n, bool negative, struct span span);
void section_label(struct front *f, uint32_t name, struct span span);
void top_pragma(struct front *f, struct ast_operand *strings, struct span span);
void top_alias(struct front *f, uint32_t name, uint32_t target, struct span span);

/* top.c */
struct ast_top *top_new(struct front *f, enum ast_top_kind kind, struct span span);

#endif
