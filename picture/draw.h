/* Shapes and texts of a drawing. Colours, line widths and patterns belong to classes, of which
 * picture.c has the style sheet. Internal to picture/. */
#ifndef PTXI_PICTURE_DRAW_H
#define PTXI_PICTURE_DRAW_H
#include "picture/picture.h"

/* Widths of characters: of texts, of small texts (class "s"), of titles (class "t"), in tenths of
 * a unit. The fonts have fixed width, so that a text's width is known without its font. */
enum { DRAW_CHAR = 74, DRAW_SMALL = 62, DRAW_TITLE = 92, DRAW_LINE = 17 };

/* The number of characters of S. */
unsigned draw_chars(const char *s);
/* The width of a text of class "" or "s". */
int draw_width(const char *s, int per_char);
/* Appends S, which may be hostile, cut to MOST characters. */
void draw_escaped(struct text *out, const char *s, unsigned most);
/* Writes a text at (X, Y), its baseline, cut to MOST characters. */
void draw_text(struct drawing *d, int x, int y, const char *class, const char *s, unsigned most);
/* The same, in lines of at most MOST characters, broken at spaces; returns the Y of the next
 * line. */
int draw_lines(struct drawing *d, int x, int y, const char *class, const char *s, unsigned most);
void draw_box(struct drawing *d, int x, int y, int w, int h, int round, const char *class);
void draw_line(struct drawing *d, int x1, int y1, int x2, int y2, const char *class);
/* Begins a group that shows TIP when the pointer rests on it. */
void draw_begin(struct drawing *d, const char *tip);
void draw_end(struct drawing *d);

#endif
