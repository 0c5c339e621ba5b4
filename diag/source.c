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

void source_place(const struct source *s, uint32_t off, uint32_t *line, uint32_t *column)
{
	uint32_t low = 0, high;

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
