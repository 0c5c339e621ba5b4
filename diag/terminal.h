/* The output of the renderer. */
#ifndef PTXI_DIAG_TERMINAL_H
#define PTXI_DIAG_TERMINAL_H
#include "diag/diag.h"

struct terminal {
	struct arena *arena;
	struct text *out;
	bool color;
	unsigned gutter; /* width of the line number */
};

/* Appends S[0..n) with control bytes and invalid UTF-8 replaced, so that text from user files
 * cannot control the terminal. */
void terminal_safe(struct text *out, const char *s, size_t n);
/* Switches to colour CODE ("0": back to normal) if colours are enabled. */
void terminal_color(const struct terminal *s, const char *code);

#define COLOR_ERROR "1;31"
#define COLOR_WARNING "1;35"
#define COLOR_NOTE "1;36"
#define COLOR_HELP "1;32"
#define COLOR_BOLD "1"
#define COLOR_GUTTER "34"

#endif
