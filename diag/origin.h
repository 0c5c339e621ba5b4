/* Where PTX text was compiled from: the places of .loc and .file. A source with such places has a
 * table of them, sorted by text offset; each holds from its offset to the next. */
#ifndef PTXI_DIAG_ORIGIN_H
#define PTXI_DIAG_ORIGIN_H
#include "diag/source.h"
#include <stdbool.h>

/* A file that .file names. Its name may contain anything. */
struct origin_file {
	const char *name;
	bool users;          /* written by the user; not a header of a library */
	bool tried;          /* origin_text has looked for its text */
	struct source *text; /* NULL: cannot be read */
};

struct origin {
	struct origin_file *file;
	uint32_t line, column; /* from 1; column 0: the whole line */
	/* the function as its symbol is written, at most ORIGIN_NAME bytes; NULL if unknown */
	const char *function;
	/* the place of the call into which FUNCTION was inlined, or NULL */
	const struct origin *caller;
};

enum { ORIGIN_NAME = 4096, ORIGIN_DEPTH = 256 }; /* longer chains of callers are cut */

struct origins {
	uint32_t n;
	uint32_t *off;            /* [n] ascending */
	const struct origin **at; /* [n] NULL: no place from here on */
	/* reads the file NAME, or returns NULL; NULL: no file is read. The layers below script/
	 * perform no input themselves. */
	struct source *(*read)(void *self, const char *name);
	void *self;
};

/* The innermost place from which the text at OFF of S was compiled, or NULL. */
const struct origin *source_origin(const struct source *s, uint32_t off);
/* Of O and its callers, the innermost one in a file of the user's; the outermost if there is none.
 * NULL for NULL. */
const struct origin *origin_users(const struct origin *o);
/* The user's place for the text at OFF of S. If that is a library's and CALL (len 0: none) is a
 * call in the user's own code that leads there, the place of the call. */
const struct origin *origin_shown(const struct source *s, uint32_t off, struct span call);
/* The text of O's file if it can be read and has O's line, otherwise NULL. S is the source that O
 * is from. */
struct source *origin_text(const struct source *s, const struct origin *o);
/* The part of O->line that O->column names, in the text of O's file. */
struct span origin_span(struct source *text, const struct origin *o);
/* The last component of a file's name. */
const char *origin_base(const char *name);
/* Whether file NAME lies in the folder of file OF, or below. */
bool origin_beside(const char *name, const char *of);
/* "reduce.cu:12 [line 85]" when the text at OFF of S has a place (as origin_shown), otherwise "line
 * 85", in a joined source "line 85 of a.ptx". A value, so that threads need no common memory. */
struct line_text {
	char text[112];
};
struct line_text source_line_text(const struct source *s, uint32_t off, struct span call);

#endif
