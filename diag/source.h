/* Source text and its lines. A place is a span of bytes; line and column are computed only when
 * somebody prints them. */
#ifndef PTXI_DIAG_SOURCE_H
#define PTXI_DIAG_SOURCE_H
#include "base/arena.h"
#include <stdint.h>

struct span {
	uint32_t off, len; /* bytes of source.text; len 0 = the point before off */
};

struct source {
	const char *name; /* as the user wrote it; "<stdin>" for - */
	/* len bytes, then two NUL bytes (what flex wants for scanning in place) */
	const char *text;
	uint32_t len;
	uint32_t *line_off; /* [nlines] offset of each line's first byte; made on first use */
	uint32_t nlines;
	/* where the line table goes: it lives as long as the source, whoever asks first */
	struct arena *home;
};

/* Copies TEXT (N < 2^31) into the arena; NAME is copied too. */
struct source *source_new(struct arena *a, const char *name, const char *text, size_t n);
/* The same without the copies: TEXT has two NUL bytes behind it and lies, as NAME does, in the
 * arena. */
struct source *source_adopt(struct arena *a, const char *name, const char *text, size_t n);
/* 1-based line and column (in bytes, a tab is one) of offset OFF. */
void source_place(
	struct arena *a, struct source *s, uint32_t off, uint32_t *line, uint32_t *column);
/* The text of 1-based LINE, without its line end. */
const char *source_line(struct arena *a, struct source *s, uint32_t line, uint32_t *len);

#endif
