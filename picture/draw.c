/* Shapes and texts of a drawing. */
#include "picture/draw.h"
#include "diag/markup.h"
#include <string.h>

static size_t char_at(const char *s)
{
	unsigned n = text_utf8(s, strlen(s));

	return n ? n : 1;
}

unsigned draw_chars(const char *s)
{
	unsigned n = 0;

	for (; *s; s += char_at(s))
		n++;
	return n;
}

int draw_width(const char *s, int per_char) { return ((int)draw_chars(s) * per_char + 9) / 10; }

void draw_escaped(struct text *out, const char *s, unsigned most)
{
	bool cut = draw_chars(s) > most;
	struct text part = {0};
	const char *end = s;

	for (unsigned k = 0; *end && k + cut < most; k++)
		end += char_at(end);
	text_add(&part, s, (size_t)(end - s));
	if (cut)
		text_puts(&part, "\342\200\246");
	markup_put(out, text_str(&part));
	text_free(&part);
}

void draw_text(struct drawing *d, int x, int y, const char *class, const char *s, unsigned most)
{
	text_printf(&d->svg, "<text x=\"%d\" y=\"%d\"", x, y);
	if (*class)
		text_printf(&d->svg, " class=\"%s\"", class);
	text_putc(&d->svg, '>');
	draw_escaped(&d->svg, s, most);
	text_puts(&d->svg, "</text>\n");
}

int draw_lines(struct drawing *d, int x, int y, const char *class, const char *s, unsigned most)
{
	while (*s) {
		struct text line = {0};
		const char *at = s, *space = NULL;

		for (unsigned k = 0; *at && k < most; k++, at += char_at(at))
			if (*at == ' ')
				space = at;
		if (*at && *at != ' ' && space)
			at = space;
		text_add(&line, s, (size_t)(at - s));
		draw_text(d, x, y, class, text_str(&line), most);
		text_free(&line);
		y += DRAW_LINE;
		s = *at == ' ' ? at + 1 : at;
	}
	return y;
}

void draw_box(struct drawing *d, int x, int y, int w, int h, int round, const char *class)
{
	text_printf(&d->svg,
		"<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" rx=\"%d\" class=\"%s\"/>\n", x,
		y, w, h, round, class);
}

void draw_line(struct drawing *d, int x1, int y1, int x2, int y2, const char *class)
{
	text_printf(&d->svg, "<path d=\"M%d %dL%d %d\" class=\"%s\"/>\n", x1, y1, x2, y2, class);
}

void draw_begin(struct drawing *d, const char *tip)
{
	enum { TIP = 240 };

	text_puts(&d->svg, "<g>");
	if (!tip)
		return;
	text_puts(&d->svg, "<title>");
	draw_escaped(&d->svg, tip, TIP);
	text_puts(&d->svg, "</title>\n");
}

void draw_end(struct drawing *d) { text_puts(&d->svg, "</g>\n"); }
