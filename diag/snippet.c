/* Prints the source line of a record with ^~~~ under the exact characters, ---- under other
 * locations on the same line, and their texts below. */
#include "diag/snippet.h"
#include <string.h>

enum { WINDOW = 150, TAB = 8 }; /* maximum columns; a longer line is cut around the caret */
/* in bytes: of a very long line only the part around the caret is processed */
enum { FAR = 2000, BEFORE = 1000, BYTES = 4000 };

/* The part of a line that is processed. */
struct part {
	const char *text;
	uint32_t skip, len; /* bytes of the line before the part; bytes in it */
};

/* The part of TEXT[0..len) around byte AT; it starts at a character boundary. */
static struct part part_around(const char *text, uint32_t len, uint32_t at)
{
	struct part p = {text, 0, len};

	if (at > FAR) {
		p.skip = at - BEFORE;
		while (p.skip < at && ((unsigned char)text[p.skip] & 0xc0) == 0x80)
			p.skip++;
	}
	p.text += p.skip;
	p.len -= p.skip;
	p.len = p.len > BYTES ? BYTES : p.len;
	return p;
}

/* One source line as displayed. */
struct shown {
	struct text line;  /* tabs expanded, control bytes replaced */
	struct text marks; /* one byte per column: blank, ^ ~ or - */
	unsigned begin;    /* first displayed column */
	bool cut, more;    /* text is omitted on the left; on the right */
};

/* The number of columns that the first N bytes of LINE occupy. */
static unsigned count_columns(const char *line, uint32_t n)
{
	unsigned column = 0;

	for (uint32_t i = 0; i < n;) {
		unsigned len = text_utf8(line + i, n - i);

		column = line[i] == '\t' ? (column / TAB + 1) * TAB : column + 1;
		i += len ? len : 1;
	}
	return column;
}

static void expand_line(struct shown *v, const char *line, uint32_t n)
{
	unsigned column = 0, end = v->begin + WINDOW;
	uint32_t i = 0;

	for (; i < n && column < end; i++) {
		unsigned len = text_utf8(line + i, n - i),
			 width = line[i] == '\t' ? TAB - column % TAB : 1;

		if (line[i] == '\t') {
			for (unsigned k = 0; k < width; k++)
				if (column + k >= v->begin && column + k < end)
					text_putc(&v->line, ' ');
		} else if (column >= v->begin) {
			terminal_safe(&v->line, line + i, len ? len : 1);
		}
		column += width;
		i += len ? len - 1 : 0;
	}
	v->more = i < n;
}

static void put_marks(struct shown *v, unsigned from, unsigned to, char head, char tail)
{
	from = from > v->begin ? from - v->begin : 0;
	to = to > v->begin ? to - v->begin : 0;
	to = to > WINDOW + 1 ? WINDOW + 1 : to;
	if (to <= from)
		to = from + 1;
	if (from > WINDOW)
		return;
	while (v->marks.len < to)
		text_putc(&v->marks, ' ');
	for (unsigned c = from; c < to; c++)
		if (v->marks.data[c] == ' ' || head == '^')
			v->marks.data[c] = c == from ? head : tail;
}

/* The bytes from..to of label L in part P of line LINE; false if it does not start there. */
static bool on_line(
	const struct diag_label *l, uint32_t line, struct part p, uint32_t *from, uint32_t *to)
{
	uint32_t at, column;

	source_place(l->source, l->span.off, &at, &column);
	if (at != line || column - 1 < p.skip || (p.skip && column - 1 > p.skip + p.len))
		return false;
	column -= p.skip;
	*from = column - 1 < p.len ? column - 1 : p.len;
	*to = l->span.len > p.len - *from ? p.len : *from + l->span.len;
	return true;
}

static void print_gutter(const struct terminal *s, uint32_t line, bool cut)
{
	terminal_color(s, COLOR_GUTTER);
	if (line)
		text_printf(s->out, " %*u | ", (int)s->gutter, line);
	else
		text_printf(s->out, " %*s | ", (int)s->gutter, "");
	terminal_color(s, "0");
	if (cut)
		text_puts(s->out, line ? "..." : "   ");
}

static void source_row(const struct terminal *s, const struct shown *v, uint32_t line)
{
	print_gutter(s, line, v->cut);
	text_puts(s->out, text_str(&v->line));
	text_puts(s->out, v->more ? "...\n" : "\n");
}

/* A label on this line; sorted by starting column, rightmost first. */
struct spot {
	unsigned column;
	const char *text;
	bool main;
};

static void marks_row(const struct terminal *s, const struct shown *v, const struct spot *right)
{
	print_gutter(s, 0, v->cut);
	for (size_t i = 0; i < v->marks.len;) {
		char c = v->marks.data[i];
		size_t n = 1;
		bool blank = c == ' ', main = c == '^' || c == '~';

		while (i + n < v->marks.len && (v->marks.data[i + n] == ' ') == blank &&
			(v->marks.data[i + n] == '^' || v->marks.data[i + n] == '~') == main)
			n++;
		if (!blank)
			terminal_color(s, main ? COLOR_HELP : COLOR_NOTE);
		text_add(s->out, v->marks.data + i, n);
		if (!blank)
			terminal_color(s, "0");
		i += n;
	}
	if (right && *right->text) {
		text_putc(s->out, ' ');
		terminal_safe(s->out, right->text, strlen(right->text));
	}
	text_putc(s->out, '\n');
}

/* Prints the texts that did not fit next to the marks, each on its own row, with a bar under the
 * labels that follow. */
static void text_rows(
	const struct terminal *s, const struct shown *v, const struct spot *spot, unsigned n)
{
	for (unsigned k = 1; k < n; k++) {
		unsigned at = 0;

		if (!*spot[k].text)
			continue;
		print_gutter(s, 0, v->cut);
		for (unsigned j = n; j-- > k + 1;) {
			unsigned column = spot[j].column - v->begin;

			if (!*spot[j].text || spot[j].column < v->begin || column < at ||
				spot[j].column == spot[k].column)
				continue;
			text_printf(s->out, "%*s|", (int)(column - at), "");
			at = column + 1;
		}
		if (spot[k].column > v->begin + at)
			text_printf(s->out, "%*s", (int)(spot[k].column - v->begin - at), "");
		terminal_safe(s->out, spot[k].text, strlen(spot[k].text));
		text_putc(s->out, '\n');
	}
}

static void sort_spots(struct spot *spot, unsigned n)
{
	for (unsigned i = 1; i < n; i++) {
		for (unsigned j = i; j && spot[j].column > spot[j - 1].column; j--) {
			struct spot t = spot[j];

			spot[j] = spot[j - 1];
			spot[j - 1] = t;
		}
	}
}

static void begin_window(struct shown *v, unsigned from, unsigned to)
{
	if (to >= WINDOW)
		v->begin = from > WINDOW / 3 ? from - WINDOW / 3 : 0;
	v->cut |= v->begin > 0;
}

static void free_shown(struct shown *v)
{
	text_free(&v->line);
	text_free(&v->marks);
}

/* Prints the last line of a span of several lines. */
static void last_line(
	const struct terminal *s, const struct diag_label *l, uint32_t first_line, bool main)
{
	uint32_t end = l->span.off + l->span.len, line, column, len;
	struct shown v = {0};
	struct part p;
	const char *text;
	unsigned to, from = 0;

	if (l->span.len == 0)
		return;
	source_place(l->source, end - 1, &line, &column);
	if (line == first_line)
		return;
	text = source_line(l->source, line, &len);
	p = part_around(text, len, column < len ? column : len);
	to = count_columns(p.text, (column < len ? column : len) - p.skip);
	while (from < p.len && (p.text[from] == ' ' || p.text[from] == '\t'))
		from++;
	from = count_columns(p.text, from);
	v.cut = p.skip > 0;
	if (line > first_line + 1) {
		terminal_color(s, COLOR_GUTTER);
		text_printf(s->out, " %*s |\n", (int)s->gutter, "...");
		terminal_color(s, "0");
	}
	begin_window(&v, to, to);
	expand_line(&v, p.text, p.len);
	v.more |= p.skip + p.len < len;
	put_marks(&v, from < to ? from : 0, to, main ? '~' : '-', main ? '~' : '-');
	source_row(s, &v, line);
	marks_row(s, &v, NULL);
	free_shown(&v);
}

void snippet_render(const struct terminal *s, const struct diag *r, unsigned first, unsigned *done)
{
	const struct diag_label *l = &r->label[first];
	uint32_t line, column, len, from = 0, to = 0;
	struct spot spot[3];
	struct shown v = {0};
	struct part p;
	unsigned n = 0;
	const char *text;

	source_place(l->source, l->span.off, &line, &column);
	text = source_line(l->source, line, &len);
	p = part_around(text, len, column - 1 < len ? column - 1 : len);
	v.cut = p.skip > 0;
	on_line(l, line, p, &from, &to);
	begin_window(&v, count_columns(p.text, from), count_columns(p.text, to));
	expand_line(&v, p.text, p.len);
	v.more |= p.skip + p.len < len;
	for (unsigned i = first; i < r->nlabels; i++) {
		const struct diag_label *o = &r->label[i];
		bool main = i == first; /* a location displayed separately has its own caret */

		if (!o->source || o->source != l->source || (*done >> i & 1) ||
			!on_line(o, line, p, &from, &to))
			continue;
		*done |= 1u << i;
		put_marks(&v, count_columns(p.text, from), count_columns(p.text, to),
			main ? '^' : '-', main ? '~' : '-');
		spot[n++] = (struct spot){
			count_columns(p.text, from), i == first && first > 0 ? "" : o->text, main};
	}
	sort_spots(spot, n);
	source_row(s, &v, line);
	marks_row(s, &v, &spot[0]);
	text_rows(s, &v, spot, n);
	free_shown(&v);
	last_line(s, l, line, true);
}
