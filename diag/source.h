/* Source text and its lines. A location is a span of bytes; line and column are computed only for
 * printing. */
#ifndef PTXI_DIAG_SOURCE_H
#define PTXI_DIAG_SOURCE_H
#include "base/arena.h"
#include <stdbool.h>
#include <stdint.h>

struct span {
	uint32_t off, len; /* bytes of source.text; len 0: the point before off */
};

struct origins;

struct source {
	const char *name; /* as given by the user; "<stdin>" for - */
	/* len bytes, then two NUL bytes (as flex requires for scanning in place) */
	const char *text;
	uint32_t len;
	/* the line table, shorter than a number a line would be: the lengths of all lines but the
	 * last one, seven bits a byte, least significant first; and marks of each 64th line */
	const uint8_t *length;
	uint32_t nlength, nlines; /* bytes, lines */
	struct line_mark *mark;
	struct arena *home;      /* what belongs to the source is allocated here */
	struct origins *origins; /* what the text was compiled from (diag/origin.h), or NULL */
	/* a joined source: [nparts] its parts in order, and where each begins; it has no text */
	struct source **part;
	uint32_t *begin, nparts, room;
};

/* Where a line begins: its offset, and its place among the lengths. */
struct line_mark {
	uint32_t off, at;
};

/* Creates a source in arena A from copies of NAME and of TEXT, N < 2^31 bytes. */
struct source *source_new(struct arena *a, const char *name, const char *text, size_t n);
/* Like source_new, without copying: NAME and TEXT must be in the arena, TEXT followed by two NUL
 * bytes. */
struct source *source_adopt(struct arena *a, const char *name, const char *text, size_t n);
/* A source that consists of others, for code that comes from several files: the parts, each with
 * one byte of gap after it, share the offsets. What is in the arena lasts as long as the source. */
struct source *source_joined(struct arena *a, const char *name);
/* Adds PART to S, whose offsets from *AT on are PART's. False: offsets have 32 bits. */
bool source_join(struct source *s, struct source *part, uint32_t *at);
/* The part of S to which offset *OFF belongs, where it is offset *OFF; a source that is not joined
 * is its own part. */
struct source *source_part(const struct source *s, uint32_t *off);
/* The LEN bytes at offset OFF; NULL: they are not all in one part. */
const char *source_bytes(const struct source *s, uint32_t off, uint32_t len);
/* The line and column, both from 1, of offset OFF. Columns count bytes; a tab is one. */
void source_place(const struct source *s, uint32_t off, uint32_t *line, uint32_t *column);
/* Gives S the lines whose lengths are in the N bytes at LENGTH, which stay as long as S. */
void source_set_lines(struct source *s, const uint8_t *length, uint32_t n);
/* The offset of line LINE, counted from 0; that of the end if there is no such line. */
uint32_t source_line_begin(const struct source *s, uint32_t line);
/* Frees the text, if it is alone in its chunk: only places may be asked for from then on. */
void source_drop_text(struct source *s);
/* The text of line LINE, counted from 1, without its line end; *LEN is its length. "" if there is
 * no such line. */
const char *source_line(const struct source *s, uint32_t line, uint32_t *len);

#endif
