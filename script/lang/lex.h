/* The //@ lines of a text, and their words. Written by hand, not with flex and bison: a //@ line is
 * cut out of comments, goes on over several comments, takes free words (case names, set options)
 * beside expressions, and every mistake in it should be answered with the exact place and the right
 * spelling. */
#ifndef PTXI_SCRIPT_LEX_H
#define PTXI_SCRIPT_LEX_H
#include "base/vec.h"
#include "diag/diag.h"

/* A piece of a line: bytes [off, end) of its source. */
struct piece {
	uint32_t off, end;
};
/* One //@ line with those that continue it. */
struct script_line {
	struct source *source;
	uint32_t piece, npieces; /* in script_lines.piece */
	uint32_t line;           /* 1-based line of the first piece */
};
struct script_lines {
	VEC(struct script_line) line;
	VEC(struct piece) piece;
};
void script_lines_free(struct script_lines *l);

/* Adds the //@ lines of SOURCE: those of // comments, outside block comments and texts. A second
 * //@ in the same comment begins another line. */
void script_scan(struct source *source, struct script_lines *out);
/* Adds all of SOURCE as lines without //@ (of -e and --script). */
void script_scan_plain(struct source *source, struct script_lines *out);
/* Whether SOURCE has a line that begins with //@. */
bool script_has_marks(const struct source *source);

enum token {
	T_END,
	T_WORD, /* name, %register or $name */
	T_INT,
	T_FLOAT,
	T_TEXT,         /* "text", escapes resolved in str */
	T_BAD,          /* reported already */
	T_LAUNCH = 256, /* <<< */
	T_LAUNCHED,     /* >>> */
	T_RANGE,        /* .. */
	T_EQ,
	T_NE,
	T_LE,
	T_GE,
	T_NEAR,
	T_AND,
	T_OR,
	T_SHL,
	T_SHR
	/* otherwise the character itself */
};

struct lexer {
	const struct script_lines *lines;
	const struct script_line *line;
	struct source *source;
	struct diags *diags;
	struct arena *arena;
	uint32_t piece; /* within the line */
	uint32_t at;    /* next byte to read */
	/* the current token */
	int kind;
	struct span span;
	const char *str; /* T_WORD, T_TEXT: NUL-terminated */
	uint32_t len;
	__int128 i;
	double f;
	uint32_t last_end; /* where the token before it ended */
	bool spaced;       /* white space stands before it */
};

void lex_begin(struct lexer *x, const struct script_lines *lines, const struct script_line *line,
	struct diags *diags, struct arena *arena);
/* Reads the next token into x. */
void lex_next(struct lexer *x);
/* The same, but the token is a free word: everything up to white space ("lock-step",
 * "max-steps=7"), T_WORD or T_END. */
void lex_next_free(struct lexer *x);
/* "'x'" or "the end of the line": the current token, for messages. */
const char *lex_shown(struct lexer *x);

#endif
