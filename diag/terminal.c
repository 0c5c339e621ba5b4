/* Terminal output: colours if enabled, and no control bytes from user files. */
#include "diag/terminal.h"

void terminal_color(const struct terminal *s, const char *code)
{
	if (s->color)
		text_printf(s->out, "\033[%sm", code);
}

void terminal_safe(struct text *out, const char *s, size_t n)
{
	while (n) {
		unsigned len = text_utf8(s, n);

		if (len == 0 || (len == 1 && ((unsigned char)*s < 0x20 || *s == 0x7f))) {
			text_puts(out, "\xef\xbf\xbd");
			len = 1;
		} else {
			text_add(out, s, len);
		}
		s += len;
		n -= len;
	}
}
