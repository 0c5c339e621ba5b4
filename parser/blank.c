/* The text between tokens: blanks, comments, line ends. */
#include "parser/front.h"
#include <string.h>

bool front_newline_before(const struct front *f)
{
	uint32_t from = f->last.off + f->last.len;

	return f->look.off > from && memchr(f->source->text + from, '\n', f->look.off - from);
}

uint32_t front_skip_blank(const struct source *source, uint32_t at)
{
	const char *t = source->text;

	for (;;) {
		if (t[at] == ' ' || (t[at] >= '\t' && t[at] <= '\r')) {
			at++;
		} else if (t[at] == '/' && t[at + 1] == '/') {
			while (at < source->len && t[at] != '\n')
				at++;
		} else if (t[at] == '/' && t[at + 1] == '*') {
			at += 2;
			while (at < source->len && !(t[at] == '*' && t[at + 1] == '/'))
				at++;
			at = at < source->len ? at + 2 : at;
		} else {
			return at;
		}
	}
}
