/* Where records are rendered to. */
#ifndef PTXI_DIAG_TERMINAL_H
#define PTXI_DIAG_TERMINAL_H
#include "diag/diag.h"

struct terminal {
	struct arena *arena;
	struct text *out;
	bool color;
	unsigned gutter; /* columns of the line number */
};

/* S[0..n) with control bytes and what is not UTF-8 replaced, so that no text of a user's file can
 * drive the terminal. */
void terminal_safe(struct text *out, const char *s, size_t n);
/* Switches a colour on, or all off ("0"), where there is colour. */
void terminal_color(const struct terminal *s, const char *code);

#define COLOR_ERROR "1;31"
#define COLOR_WARNING "1;35"
#define COLOR_NOTE "1;36"
#define COLOR_HELP "1;32"
#define COLOR_BOLD "1"
#define COLOR_GUTTER "34"

#endif
