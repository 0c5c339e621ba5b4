/* Source text and its line table, which is complete from the start, since several threads may need
 * line numbers at once. */
#include "diag/source.h"
#include "base/assert.h"
#include <stdlib.h>
#include <string.h>

enum { MARKED = 64 }; /* lines from one mark to the next */

/* The number at *P, which moves past it. */
static inline uint32_t next_length(const uint8_t **p)
{
	uint32_t n = 0;
	unsigned shift = 0;

	for (; **p & 0x80; shift += 7)
		n |= (uint32_t)(*(*p)++ & 0x7f) << shift;
	return n | (uint32_t) * (*p)++ << shift;
}

void source_set_lines(struct source *s, const uint8_t *length, uint32_t n)
{
	const uint8_t *p = length;
	uint32_t off = 0;

	s->length = length;
	s->nlength = n;
	s->nlines = 1;
	for (uint32_t i = 0; i < n; i++)
		s->nlines += length[i] < 0x80;
	s->mark = ARENA_ARRAY(s->home, struct line_mark, s->nlines / MARKED + 1);
	s->mark[0] = (struct line_mark){0, 0};
	for (uint32_t k = 1; k < s->nlines; k++) {
		off += next_length(&p);
		if (k % MARKED == 0)
			s->mark[k / MARKED] = (struct line_mark){off, (uint32_t)(p - length)};
	}
}

static void make_lines(struct source *s)
{
	const char *end = s->text + s->len, *line = s->text;
	uint8_t *length, *to;
	uint32_t n = 0;

	for (const char *p = line; (p = memchr(p, '\n', (size_t)(end - p))) != NULL; line = ++p)
		for (size_t left = (size_t)(p - line) + 1; left; left >>= 7)
			n++;
	length = to = ARENA_ARRAY(s->home, uint8_t, n);
	line = s->text;
	for (const char *p = line; (p = memchr(p, '\n', (size_t)(end - p))) != NULL; line = ++p) {
		size_t left = (size_t)(p - line) + 1;

		for (; left >= 0x80; left >>= 7)
			*to++ = (uint8_t)(left | 0x80);
		*to++ = (uint8_t)left;
	}
	source_set_lines(s, length, n);
}

uint32_t source_line_begin(const struct source *s, uint32_t line)
{
	const uint8_t *p;
	uint32_t off;

	if (line >= s->nlines)
		return s->len;
	off = s->mark[line / MARKED].off;
	p = s->length + s->mark[line / MARKED].at;
	for (uint32_t k = line % MARKED; k; k--)
		off += next_length(&p);
	return off;
}

void source_drop_text(struct source *s)
{
	if (arena_drop(s->home, s->text))
		s->text = NULL;
}

struct source *source_adopt(struct arena *a, const char *name, const char *text, size_t n)
{
	struct source *s = ARENA_NEW(a, struct source);

	if (n >= (size_t)1 << 31)
		never();
	s->name = name;
	s->text = text;
	s->len = (uint32_t)n;
	s->home = a;
	make_lines(s);
	return s;
}

struct source *source_new(struct arena *a, const char *name, const char *text, size_t n)
{
	char *copy;

	if (n >= (size_t)1 << 31)
		never();
	copy = arena_alloc(a, n + 2, 1);
	if (n)
		memcpy(copy, text, n);
	copy[n] = copy[n + 1] = '\0';
	return source_adopt(a, arena_text(a, name, strlen(name)), copy, n);
}

struct source *source_joined(struct arena *a, const char *name)
{
	struct source *s = source_new(a, name, "", 0);

	s->room = 4;
	s->part = ARENA_ARRAY(a, struct source *, s->room);
	s->begin = ARENA_ARRAY(a, uint32_t, s->room);
	return s;
}

bool source_join(struct source *s, struct source *part, uint32_t *at)
{
	uint32_t n = s->nparts;

	*at = n ? s->begin[n - 1] + s->part[n - 1]->len + 1 : 0;
	if (part->len + UINT64_C(1) > UINT32_MAX - *at)
		return false;
	if (n == s->room) {
		struct source **parts = ARENA_ARRAY(s->home, struct source *, 2 * (size_t)n);
		uint32_t *begin = ARENA_ARRAY(s->home, uint32_t, 2 * (size_t)n);

		memcpy(parts, s->part, n * sizeof *parts);
		memcpy(begin, s->begin, n * sizeof *begin);
		s->part = parts;
		s->begin = begin;
		s->room = 2 * n;
	}
	s->part[n] = part;
	s->begin[n] = *at;
	s->nparts++;
	return true;
}

struct source *source_part(const struct source *s, uint32_t *off)
{
	uint32_t low = 0, high = s->nparts;

	if (!high)
		return (struct source *)(uintptr_t)s;
	while (high - low > 1) {
		uint32_t middle = low + (high - low) / 2;

		if (s->begin[middle] <= *off)
			low = middle;
		else
			high = middle;
	}
	*off -= s->begin[low];
	return s->part[low];
}

const char *source_bytes(const struct source *s, uint32_t off, uint32_t len)
{
	s = source_part(s, &off);
	return off < s->len && len <= s->len - off ? s->text + off : NULL;
}

void source_place(const struct source *s, uint32_t off, uint32_t *line, uint32_t *column)
{
	uint32_t low = 0, high, begin, next;
	const uint8_t *p;

	s = source_part(s, &off);
	if (off > s->len)
		off = s->len;
	high = (s->nlines - 1) / MARKED + 1;
	while (high - low > 1) {
		uint32_t middle = low + (high - low) / 2;

		if (s->mark[middle].off <= off)
			low = middle;
		else
			high = middle;
	}
	begin = s->mark[low].off;
	p = s->length + s->mark[low].at;
	for (low *= MARKED; low + 1 < s->nlines; low++, begin = next)
		if ((next = begin + next_length(&p)) > off)
			break;
	*line = low + 1;
	*column = off - begin + 1;
}

const char *source_line(const struct source *s, uint32_t line, uint32_t *len)
{
	uint32_t begin, end;

	if (line < 1 || line > s->nlines) {
		*len = 0;
		return "";
	}
	begin = source_line_begin(s, line - 1);
	end = source_line_begin(s, line) - (line < s->nlines);
	if (end > begin && s->text[end - 1] == '\r')
		end--;
	*len = end - begin;
	return s->text + begin;
}
