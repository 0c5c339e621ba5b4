/* Internal to the renderer: source lines with carets. */
#ifndef PTXI_DIAG_SNIPPET_H
#define PTXI_DIAG_SNIPPET_H
#include "diag/terminal.h"

/* The source line (or first and last line) of label FIRST with all the labels of R behind it that
 * lie on that line; sets the bits of the labels shown in DONE. */
void snippet_render(const struct terminal *s, const struct diag *r, unsigned first, unsigned *done);

#endif
