/* The //@ texture and //@ surface lines. */
#ifndef PTXI_SCRIPT_TEXTURE_H
#define PTXI_SCRIPT_TEXTURE_H
#include "script/lang/resolve.h"
#include "texture/texture.h"

struct texture_line {
	bool surface;
	struct expr *dims, *layers, *pitch; /* lists; NULL: not given */
	struct texture texture;             /* resolved, but for its address */
};

/* Parses what follows the word texture or, if SURFACE, the word surface. The address is t->value.
 */
bool texture_line_parse(struct lexer *x, struct stmt *t, bool surface);
/* Checks T and fills its texture; its name becomes an object. */
bool texture_line_resolve(struct resolver *r, struct stmt *t);
#endif
