/* Text to tokens: what the lexer keeps while it scans a source, and the tokens it makes. */
#ifndef PTXI_LEXER_LEXER_H
#define PTXI_LEXER_LEXER_H
#include "base/symbol.h"
#include "diag/diag.h"
#include "isa/vocab.h"
#include "lexer/token.h"

/* A number as written: its value, and ast_operand's flag (INT: 1 for the suffix U; FLOAT: 0
 * decimal, 'f', 'd'). */
struct lexer_number {
	uint64_t value;
	uint8_t flag;
};

/* The value of a token, by its kind. */
union token_value {
	uint32_t symbol; /* names, strings (without their quotes), dotted words of a .section */
	uint16_t word;   /* dotted words; W_NONE where the word was unknown and has been reported */
	struct lexer_number number;
	/* what the grammar's rules make of tokens */
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
	void *scanner; /* flex's */
	/* 1 + the offset of the last token that was reported and delivered all the same */
	uint32_t reported;
	/* the parser leaves out what comes: bad bytes and numbers are not worth a message */
	bool skipping;
	bool in_section; /* between .section and its }: dotted words are names there */
};

/* Begins to scan; source->text is written to while scanning (a NUL after the current token) and
 * whole again after lexer_end. */
void lexer_begin(
	struct lexer *l, struct source *source, struct symbols *symbols, struct diags *diags);
/* The next token; the end of the file for ever after the last one. Reports what is no token and
 * goes on. */
int lexer_next(struct lexer *l, union token_value *value, struct span *span);
/* The first byte after the last token that is no blank, NUL at the end. */
char lexer_peek(const struct lexer *l);
void lexer_end(struct lexer *l);

/* Literals (lexer/literal.c): the token kind; a literal that is not one is reported and stands for
 * 0. TEXT is NUL-terminated; its digits, of base BASE, begin behind PREFIX bytes. */
int lexer_integer(struct lexer *l, const char *text, unsigned len, unsigned base, unsigned prefix,
	struct span span, struct lexer_number *n);
int lexer_float(const char *text, struct lexer_number *n);
int lexer_hex_float(const char *text, struct lexer_number *n);
int lexer_bad_number(
	struct lexer *l, const char *text, unsigned len, struct span span, struct lexer_number *n);

/* Dotted words (lexer/dotted.c): TEXT without the dot; SPAN has it. */
int lexer_word(struct lexer *l, const char *text, unsigned len, struct span span,
	union token_value *value);

/* What is no token (lexer/reject.c). */
void lexer_reject_bytes(struct lexer *l, const char *text, unsigned len, struct span span);
void lexer_reject_ascii(
	struct lexer *l, const char *text, unsigned len, struct span span, const char *where);
void lexer_reject_string(struct lexer *l, struct span span);
void lexer_reject_comment(struct lexer *l, struct span span);
void lexer_reject_hash(struct lexer *l, struct span span);

#endif
