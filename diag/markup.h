/* Text inside XML and HTML. */
#ifndef PTXI_DIAG_MARKUP_H
#define PTXI_DIAG_MARKUP_H
#include "base/text.h"

/* Appends S as it may stand in XML and HTML, in text and in a quoted attribute: escapes markup, and
 * replaces invalid UTF-8 and characters that XML does not allow. */
void markup_put(struct text *out, const char *s);

#endif
