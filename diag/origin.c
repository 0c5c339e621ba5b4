/* Looking up where PTX text was compiled from. */
#include "diag/origin.h"
#include "base/text.h"
#include <stdio.h>
#include <string.h>

/* Whether OFF is in a // comment of S that begins its line: a //@ line inside a function belongs
 * to no statement of the user's source. */
static bool in_comment(const struct source *s, uint32_t off)
{
	enum { FAR = 1 << 16 };
	uint32_t begin = off < s->len ? off : s->len, first;

	while (begin && off - begin < FAR && s->text[begin - 1] != '\n')
		begin--;
	for (first = begin; s->text[first] == ' ' || s->text[first] == '\t';)
		first++;
	return s->text[first] == '/' && s->text[first + 1] == '/';
}

const struct origin *source_origin(const struct source *s, uint32_t off)
{
	const struct origins *t = s && (s = source_part(s, &off)) ? s->origins : NULL;
	uint32_t low = 0, high = t ? t->n : 0;

	while (low < high) { /* low: the number of entries at or before OFF */
		uint32_t middle = low + (high - low) / 2;

		if (t->off[middle] <= off)
			low = middle + 1;
		else
			high = middle;
	}
	return low && t->at[low - 1] && !in_comment(s, off) ? t->at[low - 1] : NULL;
}

const struct origin *origin_users(const struct origin *o)
{
	const struct origin *outermost = NULL;

	for (; o; o = o->caller) {
		if (o->file->users)
			return o;
		outermost = o;
	}
	return outermost;
}

const struct origin *origin_shown(const struct source *s, uint32_t off, struct span call)
{
	const struct origin *o = origin_users(source_origin(s, off)), *from;

	if (!call.len || (o && o->file->users))
		return o;
	from = origin_users(source_origin(s, call.off));
	return from && from->file->users ? from : o;
}

struct source *origin_text(const struct source *s, const struct origin *o)
{
	struct origin_file *f = o->file;
	if (!f->tried && s->origins && s->origins->read)
		f->text = s->origins->read(s->origins->self, f->name);
	f->tried = true;
	if (!f->text)
		return NULL;
	return o->line >= 1 && o->line <= f->text->nlines ? f->text : NULL;
}

struct span origin_span(struct source *text, const struct origin *o)
{
	uint32_t len, at = o->column ? o->column - 1 : 0;
	const char *line = source_line(text, o->line, &len);

	while (!o->column && at < len && (line[at] == ' ' || line[at] == '\t'))
		at++;
	return (struct span){(uint32_t)(line - text->text) + (at < len ? at : len), at < len};
}

static bool is_separator(char c) { return c == '/' || c == '\\'; }

const char *origin_base(const char *name)
{
	const char *base = name;

	for (; *name; name++)
		if (is_separator(*name) && name[1])
			base = name + 1;
	return base;
}

bool origin_beside(const char *name, const char *of)
{
	size_t folder = (size_t)(origin_base(of) - of);

	if (strncmp(name, of, folder) != 0 || (folder == 0 && is_separator(*name)))
		return false;
	for (name += folder; *name; name++) /* a ".." may lead out again */
		if (name[0] == '.' && name[1] == '.' && is_separator(name[2]))
			return false;
	return true;
}

/* Copies as much of NAME as fits, without what could control a terminal. */
static void copy_name(char *to, size_t room, const char *name)
{
	size_t n = strlen(name), used = 0;

	while (n) {
		unsigned len = text_utf8(name, n);
		bool safe = len > 1 || (len == 1 && (unsigned char)*name >= 0x20 && *name != 0x7f);

		len = len ? len : 1;
		if (used + len >= room)
			break;
		memcpy(to + used, safe ? name : "?", len);
		used += len;
		name += len;
		n -= len;
	}
	to[used] = '\0';
}

struct line_text source_line_text(const struct source *s, uint32_t off, struct span call)
{
	const struct origin *o = origin_shown(s, off, call);
	struct line_text t;
	uint32_t line, column;
	char name[64];

	source_place(s, off, &line, &column);
	if (o) {
		copy_name(name, sizeof name, origin_base(o->file->name));
		snprintf(t.text, sizeof t.text, "%s:%u [line %u]", name, o->line, line);
	} else if (s->nparts) {
		copy_name(name, sizeof name, origin_base(source_part(s, &off)->name));
		snprintf(t.text, sizeof t.text, "line %u of %s", line, name);
	} else {
		snprintf(t.text, sizeof t.text, "line %u", line);
	}
	return t;
}
