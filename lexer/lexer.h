/* From text to tokens: the lexer's state while it scans a source, and the tokens it produces. */
#ifndef PTXI_LEXER_LEXER_H
#define PTXI_LEXER_LEXER_H
#include "base/symbol.h"
#include "diag/diag.h"
#include "isa/vocab.h"
#include "lexer/token.h"

/* A number: its value, and a flag (INT: 1 for the suffix U; FLOAT: 0 decimal, or how its bits are
 * given: as 0f... or 0d...). */
enum { NUMBER_SINGLE = 2, NUMBER_DOUBLE = 3 };
struct lexer_number {
	uint64_t value;
	uint8_t flag;
};

/* The value of a token, depending on its kind. */
union token_value {
	uint32_t symbol; /* names, strings (without their quotes), dotted words of a .section */
	uint16_t word;   /* dotted words; W_NONE for an unknown word, which has been reported */
	struct lexer_number number;
	/* values of the grammar's nonterminals */
	struct ast_operand *operand;
	struct ast_list {
		struct ast_operand *first, *last;
	} list;
	struct ast_var_list {
		struct ast_var *first, *last;
	} vars;
	struct ast_guard {
		uint32_t symbol;
		uint8_t negated;
	} guard;
	struct ast_name_ref {
		uint32_t symbol;
		uint64_t offset;
	} ref;
	struct ast_loc *loc;
};

struct token {
	int kind; /* enum ptx_tokentype */
	union token_value value;
	struct span span;
};

struct lexer {
	struct source *source;
	struct symbols *symbols;
	struct diags *diags;
	void *scanner; /* flex's scanner */
	/* 1 + the offset of the last token that was reported but delivered anyway */
	uint32_t reported;
	/* the parser is skipping tokens: do not report bad bytes and numbers */
	bool skipping;
	bool in_section; /* between .section and its }: dotted words are names */
};

/* Starts scanning. While scanning, source->text is modified (a NUL after the current token);
 * lexer_end restores it. */
void lexer_begin(
	struct lexer *l, struct source *source, struct symbols *symbols, struct diags *diags);
/* Returns the next token; after the last one always the end of the file. Reports invalid text and
 * continues. */
int lexer_next(struct lexer *l, union token_value *value, struct span *span);
/* Where the text continues after the last token, for who reads some of it without tokens; then the
 * scanner continues at P. */
const char *lexer_leave(struct lexer *l);
void lexer_resume(struct lexer *l, const char *p);
/* The first nonblank byte after the last token; NUL at the end of the file. */
char lexer_peek(const struct lexer *l);
void lexer_end(struct lexer *l);

/* Literals (lexer/literal.c): return the token kind. An invalid literal is reported and has the
 * value 0. TEXT is NUL-terminated; its digits, in base BASE, start after PREFIX bytes. */
int lexer_integer(struct lexer *l, const char *text, unsigned len, unsigned base, unsigned prefix,
	struct span span, struct lexer_number *n);
int lexer_float(const char *text, struct lexer_number *n);
int lexer_hex_float(const char *text, struct lexer_number *n);
int lexer_bad_number(
	struct lexer *l, const char *text, unsigned len, struct span span, struct lexer_number *n);

/* Dotted words (lexer/dotted.c): TEXT excludes the dot, SPAN includes it. */
int lexer_word(struct lexer *l, const char *text, unsigned len, struct span span,
	union token_value *value);

/* Reports of invalid text (lexer/reject.c). */
void lexer_reject_bytes(struct lexer *l, const char *text, unsigned len, struct span span);
void lexer_reject_ascii(
	struct lexer *l, const char *text, unsigned len, struct span span, const char *where);
void lexer_reject_string(struct lexer *l, struct span span);
void lexer_reject_comment(struct lexer *l, struct span span);
void lexer_reject_hash(struct lexer *l, struct span span);

#endif
