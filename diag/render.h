/* What the renderer's two files share. */
#ifndef PTXI_DIAG_RENDER_H
#define PTXI_DIAG_RENDER_H
#include "diag/diag.h"

/* Where a record is rendered to, and how. */
struct snippet {
	struct arena *arena;
	struct text *out;
	bool color;
	unsigned gutter; /* columns of the line number */
};

/* The source line (or first and last line) of label FIRST with all the labels of R behind it that lie on that line; sets the bits of the labels shown in DONE. */
void render_snippet(const struct snippet *s, const struct diag *r, unsigned first, unsigned *done);
/* S[0..n) with control bytes and what is not UTF-8 replaced, so that no text of a user's file can drive the terminal. */
void render_safe(struct text *out, const char *s, size_t n);
/* Switches a colour on, or all off ("0"), where there is colour. */
void render_color(const struct snippet *s, const char *code);

#define COLOR_ERROR "1;31"
#define COLOR_WARNING "1;35"
#define COLOR_NOTE "1;36"
#define COLOR_HELP "1;32"
#define COLOR_BOLD "1"
#define COLOR_GUTTER "34"

#endif
