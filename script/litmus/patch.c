/* See patch.h. A hunk is a range of lines that are replaced; patches in the same or in adjacent
 * lines share one. */
#include "script/litmus/patch.h"
#include <stdbool.h>
#include <string.h>

void patches_sort(struct patch *patch, uint32_t n)
{
	for (uint32_t i = 1; i < n; i++) {
		struct patch p = patch[i];
		uint32_t at = i;

		for (; at > 0 &&
			(patch[at - 1].off > p.off ||
				(patch[at - 1].off == p.off && patch[at - 1].len > p.len));
			at--)
			patch[at] = patch[at - 1];
		patch[at] = p;
	}
}

/* Appends the bytes FROM to TO as the patches change them. An insertion at TO belongs to what
 * precedes it only if LAST. */
static void changed_part(const struct source *s, const struct patch *patch, uint32_t n,
	uint32_t from, uint32_t to, bool last, struct text *out)
{
	for (uint32_t k = 0; k < n; k++) {
		const struct patch *p = &patch[k];

		if (p->off < from || p->off > to || (p->off == to && !last))
			continue;
		text_add(out, s->text + from, p->off - from);
		text_puts(out, p->text);
		from = p->off + p->len;
	}
	text_add(out, s->text + from, to - from);
}

void patches_apply(const struct source *s, const struct patch *patch, uint32_t n, struct text *out)
{
	changed_part(s, patch, n, 0, s->len, true, out);
}

/* The index from 0 of the line that contains OFF. */
static uint32_t line_at(const struct source *s, uint32_t off)
{
	uint32_t line, column;

	source_place(s, off, &line, &column);
	return line - 1;
}

/* The lines [*FROM, *TO) that P replaces; none for whole lines that it inserts. */
static void patch_lines(const struct source *s, const struct patch *p, uint32_t *from, uint32_t *to)
{
	uint32_t end = p->off + p->len;
	size_t n = strlen(p->text);
	bool whole = p->off == source_line_begin(s, line_at(s, p->off)) &&
		(n == 0 || p->text[n - 1] == '\n');

	*from = line_at(s, p->off);
	*to = line_at(s, end) + 1;
	if (whole && end == source_line_begin(s, line_at(s, end)))
		*to = line_at(s, end);
}

/* Appends TEXT, each line with MARK in front. */
static void marked_lines(char mark, const char *text, size_t n, struct text *out)
{
	for (size_t at = 0; at < n;) {
		const char *end = memchr(text + at, '\n', n - at);
		size_t len = end ? (size_t)(end - text) - at + 1 : n - at;

		text_putc(out, mark);
		text_add(out, text + at, len);
		if (!end)
			text_puts(out, "\n\\ No newline at end of file\n");
		at += len;
	}
}

static uint32_t count_lines(const struct text *t)
{
	uint32_t n = t->len && t->data[t->len - 1] != '\n';

	for (size_t k = 0; k < t->len; k++)
		n += t->data[k] == '\n';
	return n;
}

static void hunk_range(char mark, uint32_t from, uint32_t n, struct text *out)
{
	text_printf(out, " %c%u", mark, n ? from + 1 : from);
	if (n != 1)
		text_printf(out, ",%u", n);
}

void patches_diff(const struct source *s, const struct patch *patch, uint32_t n, struct text *out)
{
	int64_t moved = 0; /* how many lines more the changed text has so far */

	text_printf(out, "--- %s\n+++ %s\n", s->name, s->name);
	for (uint32_t k = 0, next; k < n; k = next) {
		struct text part = {0};
		uint32_t from, to, a, b, lines;

		patch_lines(s, &patch[k], &from, &to);
		for (next = k + 1; next < n; next++) {
			patch_lines(s, &patch[next], &a, &b);
			if (a > to)
				break;
			to = b > to ? b : to;
		}
		a = source_line_begin(s, from);
		b = source_line_begin(s, to);
		changed_part(s, patch + k, next - k, a, b, true, &part);
		lines = count_lines(&part);
		text_puts(out, "@@");
		hunk_range('-', from, to - from, out);
		hunk_range('+', (uint32_t)((int64_t)from + moved), lines, out);
		text_puts(out, " @@\n");
		marked_lines('-', s->text + a, b - a, out);
		marked_lines('+', text_str(&part), part.len, out);
		moved += (int64_t)lines - (int64_t)(to - from);
		text_free(&part);
	}
}
