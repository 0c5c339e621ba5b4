/* Printing source lines with carets; internal to the renderer. */
#ifndef PTXI_DIAG_SNIPPET_H
#define PTXI_DIAG_SNIPPET_H
#include "diag/terminal.h"

/* Prints the source line (or the first and last line) of label FIRST, with all later labels of R on
 * that line; sets the bits of the printed labels in DONE. */
void snippet_render(const struct terminal *s, const struct diag *r, unsigned first, unsigned *done);

#endif
