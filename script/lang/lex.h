/* The //@ lines of a source, and their tokens. The lexer and parser are written by hand, not with
 * flex and bison: a directive is embedded in comments, may continue over several of them, mixes
 * free words (case names, set options) with expressions, and every error in it should point at the
 * exact location and suggest the right spelling. */
#ifndef PTXI_SCRIPT_LEX_H
#define PTXI_SCRIPT_LEX_H
#include "base/vec.h"
#include "diag/diag.h"

/* A piece of a line: bytes [off, end) of its source. */
struct piece {
	uint32_t off, end;
};
/* One //@ line with its continuation lines. */
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

/* Appends the //@ lines of SOURCE: those in // comments, outside block comments and strings. A
 * second //@ in the same comment starts another line. */
void script_scan(struct source *source, struct script_lines *out);
/* Appends every line of SOURCE; the //@ may be omitted (for -e and --script). */
void script_scan_plain(struct source *source, struct script_lines *out);
/* Whether a line of SOURCE begins with //@. */
bool script_has_marks(const struct source *source);

enum token {
	T_END,
	T_WORD, /* name, %register or $name */
	T_INT,
	T_FLOAT,
	T_TEXT,         /* "text"; str has its escapes replaced */
	T_BAD,          /* already reported */
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
	/* any other token is the character itself */
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
	uint32_t last_end; /* where the previous token ended */
	bool spaced;       /* white space precedes it */
};

void lex_begin(struct lexer *x, const struct script_lines *lines, const struct script_line *line,
	struct diags *diags, struct arena *arena);
/* Reads the next token into X. */
void lex_next(struct lexer *x);
/* The same, but the token is a free word: everything up to white space ("lock-step",
 * "max-steps=7"), T_WORD or T_END. */
void lex_next_free(struct lexer *x);
/* The current token for messages: "'x'" or "the end of the line". */
const char *lex_shown(struct lexer *x);

#endif
