/* Source text and its line table, which is complete from the start, since several threads may need
 * line numbers at once. */
#include "diag/source.h"
#include "base/assert.h"
#include <stdlib.h>
#include <string.h>

static void make_lines(struct source *s)
{
	const char *end = s->text + s->len;
	uint32_t n = 1, k = 1;

	for (const char *p = s->text; (p = memchr(p, '\n', (size_t)(end - p))) != NULL; p++)
		n++;
	s->line_off = ARENA_ARRAY(s->home, uint32_t, n);
	for (const char *p = s->text; (p = memchr(p, '\n', (size_t)(end - p))) != NULL; p++)
		s->line_off[k++] = (uint32_t)(p + 1 - s->text);
	s->nlines = n;
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
	uint32_t low = 0, high;

	s = source_part(s, &off);
	if (off > s->len)
		off = s->len;
	high = s->nlines;
	while (high - low > 1) {
		uint32_t middle = low + (high - low) / 2;

		if (s->line_off[middle] <= off)
			low = middle;
		else
			high = middle;
	}
	*line = low + 1;
	*column = off - s->line_off[low] + 1;
}

const char *source_line(const struct source *s, uint32_t line, uint32_t *len)
{
	uint32_t begin, end;

	if (line < 1 || line > s->nlines) {
		*len = 0;
		return "";
	}
	begin = s->line_off[line - 1];
	end = line < s->nlines ? s->line_off[line] - 1 : s->len;
	if (end > begin && s->text[end - 1] == '\r')
		end--;
	*len = end - begin;
	return s->text + begin;
}
