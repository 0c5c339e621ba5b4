/* Escapes markup, and what XML does not allow at all. */
#include "diag/markup.h"
#include "diag/terminal.h"
#include <string.h>

void markup_put(struct text *out, const char *s)
{
	for (size_t left = strlen(s); left;) {
		unsigned len = text_utf8(s, left);

		/* U+FFFE and U+FFFF are not characters of XML */
		if (len == 3 &&
			(memcmp(s, "\357\277\276", 3) == 0 || memcmp(s, "\357\277\277", 3) == 0)) {
			text_puts(out, "\357\277\275");
			s += len;
			left -= len;
			continue;
		}
		switch (*s) {
		case '<': text_puts(out, "&lt;"); break;
		case '>': text_puts(out, "&gt;"); break;
		case '&': text_puts(out, "&amp;"); break;
		case '"': text_puts(out, "&quot;"); break;
		case '\n': text_puts(out, "&#10;"); break;
		case '\t': text_putc(out, '\t'); break;
		default: terminal_safe(out, s, len ? len : 1); break;
		}
		s += len ? len : 1;
		left -= len ? len : 1;
	}
}
