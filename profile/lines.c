/* Adds the counters of instructions up by source line, and prints the lines. */
#include "profile/lines.h"
#include "base/memory.h"
#include "diag/origin.h"
#include <stdlib.h>
#include <string.h>

enum { HOT = 10, SHOWN_TEXT = 60, SHOWN_FILE = 400 };

static void add_counts(struct profile_count *to, const struct profile_count *c)
{
	to->warps += c->warps;
	to->lanes += c->lanes;
	to->branches += c->branches;
	to->passes += c->passes;
	to->passes_least += c->passes_least;
	to->sectors += c->sectors;
	to->sectors_least += c->sectors_least;
}

static int by_place(const void *a, const void *b)
{
	const struct profile_line *x = a, *y = b;
	int files = x->file == y->file ? 0 : strcmp(x->file, y->file);

	return files ? files : (x->line > y->line) - (x->line < y->line);
}

static struct profile_line line_of(const struct ir_module *m, const struct ir_insn *i)
{
	const struct origin *o = origin_users(source_origin(m->source, i->span.off));
	uint32_t column, off = i->span.off;
	struct source *text = source_part(m->source, &off);
	struct profile_line l = {.file = text->name};

	if (o) {
		l.file = o->file->name;
		l.line = o->line;
		text = origin_text(m->source, o);
	} else {
		source_place(text, off, &l.line, &column);
	}
	if (text)
		l.text = source_line(text, l.line, &l.len);
	return l;
}

uint32_t profile_lines(struct arena *arena, const struct ir_module *m,
	const struct profile_count *count, struct profile_line **out)
{
	struct profile_line *list;
	uint32_t used = 0, n = 0;
	uint64_t all = 0;

	for (uint32_t k = 0; k < m->ninsns; k++)
		used += count[k].warps != 0;
	list = ARENA_ARRAY(arena, struct profile_line, used + 1);
	used = 0;
	for (uint32_t k = 0; k < m->ninsns; k++)
		if (count[k].warps) {
			list[used] = line_of(m, &m->insn[k]);
			list[used++].count = count[k];
			all += count[k].warps;
		}
	qsort(list, used, sizeof *list, by_place);
	for (uint32_t k = 0; k < used; k++)
		if (n && by_place(&list[n - 1], &list[k]) == 0)
			add_counts(&list[n - 1].count, &list[k].count);
		else
			list[n++] = list[k];
	for (uint32_t k = 0; k < n; k++)
		list[k].hot = list[k].count.warps * HOT >= all;
	*out = list;
	return n;
}

/* S as printable text, cut to LIMIT bytes at a character: files and their names may contain
 * anything. */
static void put_clean(const char *s, size_t n, size_t limit, struct text *out)
{
	size_t from = out->len;

	while (n && out->len - from < limit) {
		unsigned size = text_utf8(s, n);

		if (size && (unsigned char)*s >= ' ' && *s != 0x7f)
			text_add(out, s, size);
		else
			text_putc(out, *s == '\t' ? ' ' : '?');
		size = size ? size : 1;
		s += size;
		n -= size;
	}
	if (n)
		text_puts(out, "...");
}

/* The source line without its indentation. */
static void show_text(const struct profile_line *l, struct text *out)
{
	const char *s = l->text;
	uint32_t n = l->len;

	while (n && (*s == ' ' || *s == '\t')) {
		s++;
		n--;
	}
	while (n && (s[n - 1] == ' ' || s[n - 1] == '\t' || s[n - 1] == '\r'))
		n--;
	if (!n)
		return;
	text_puts(out, "  ");
	put_clean(s, n, SHOWN_TEXT, out);
}

/* A count, or - where the line has no such accesses. */
static void show_cell(struct text *out, int width, uint64_t n, bool any)
{
	if (any)
		text_printf(out, " %*llu", width, (unsigned long long)n);
	else
		text_printf(out, " %*s", width, "-");
}

void profile_show(const struct ir_module *m, const struct profile_count *count, struct text *out)
{
	struct arena arena = {0};
	struct profile_line *list;
	uint32_t n = profile_lines(&arena, m, count, &list);

	text_puts(out,
		"profile by source line, of warp instructions (*: a tenth of all, or more):\n"
		"  lanes: of a warp that were there, on average      diverged: branches that went both ways\n"
		"  conflicts: extra passes over the 32 banks of shared memory\n"
		"  sectors: of 32 bytes of global memory that were touched; best: that hold the bytes accessed\n");
	for (uint32_t k = 0; k < n; k++) {
		const struct profile_line *l = &list[k];
		const struct profile_count *c = &l->count;

		if (!k || strcmp(l->file, list[k - 1].file) != 0) {
			put_clean(l->file, strlen(l->file), SHOWN_FILE, out);
			text_putc(out, '\n');
			text_printf(out, "%7s %12s %5s %9s %10s %10s %10s\n", "line", "instr",
				"lanes", "diverged", "conflicts", "sectors", "best");
		}
		text_printf(out, "%c%6u %12llu %5.1f %9llu", l->hot ? '*' : ' ', l->line,
			(unsigned long long)c->warps, (double)c->lanes / (double)c->warps,
			(unsigned long long)c->branches);
		show_cell(out, 10, c->passes - c->passes_least, c->passes != 0);
		show_cell(out, 10, c->sectors, c->sectors != 0);
		show_cell(out, 10, c->sectors_least, c->sectors != 0);
		if (l->text)
			show_text(l, out);
		text_putc(out, '\n');
	}
	if (!n)
		text_puts(out, "  no instruction was executed\n");
	arena_free(&arena);
}

void profile_json(const struct ir_module *m, const struct profile_count *count, struct text *out)
{
	struct arena arena = {0};
	struct profile_line *list;
	uint32_t n = profile_lines(&arena, m, count, &list);

	text_puts(out, "[");
	for (uint32_t k = 0; k < n; k++) {
		const struct profile_line *l = &list[k];
		const struct profile_count *c = &l->count;

		text_puts(out, k ? ", {\"file\": " : "{\"file\": ");
		text_json(out, l->file, strlen(l->file));
		text_printf(out,
			", \"line\": %u, \"instructions\": %llu, \"lanes\": %llu, \"divergent_branches\": %llu, ",
			l->line, (unsigned long long)c->warps, (unsigned long long)c->lanes,
			(unsigned long long)c->branches);
		text_printf(out,
			"\"bank_conflicts\": %llu, \"shared_passes\": %llu, \"sectors\": %llu, \"sectors_best\": %llu",
			(unsigned long long)(c->passes - c->passes_least),
			(unsigned long long)c->passes, (unsigned long long)c->sectors,
			(unsigned long long)c->sectors_least);
		if (l->text) {
			text_puts(out, ", \"text\": ");
			text_json(out, l->text, l->len);
		}
		text_puts(out, "}");
	}
	text_puts(out, "]");
	arena_free(&arena);
}
