/* The tokens of .litmus files and their scanner. */
#ifndef PTXI_LEXER_LITMUS_TOKEN_H
#define PTXI_LEXER_LITMUS_TOKEN_H
#include "diag/source.h"
#include <stdbool.h>

enum litmus_token {
	LITMUS_TOKEN_END = 0,
	LITMUS_TOKEN_TITLE = 258, /* PTX NAME: the span is that of the name */
	LITMUS_TOKEN_STRING,
	LITMUS_TOKEN_NAME,
	LITMUS_TOKEN_INTEGER,
	LITMUS_TOKEN_RELATION, /* == = != < <= > >= */
	LITMUS_TOKEN_CONJUNCTION,
	LITMUS_TOKEN_DISJUNCTION,
	LITMUS_TOKEN_EXISTS,
	LITMUS_TOKEN_NOT_EXISTS,
	LITMUS_TOKEN_FORALL,
	LITMUS_TOKEN_ALIASES,
	LITMUS_TOKEN_LOCATIONS,
	LITMUS_TOKEN_BAD
};

struct litmus_scanner {
	void *scanner; /* flex's scanner */
	uint32_t off;
	struct span span; /* of the last token */
	int64_t value;    /* INTEGER; RELATION: 0 == 1 != 2 < 3 <= 4 > 5 >= */
};

bool litmus_scanner_begin(struct litmus_scanner *s, const struct source *source);
int litmus_scanner_next(struct litmus_scanner *s);
void litmus_scanner_end(struct litmus_scanner *s);

#endif
