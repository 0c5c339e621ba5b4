/* CUDA sources as input of the commands that take PTX: they are compiled first, and what the
 * compiler says becomes messages like those of the assembler. */
#include "base/text.h"
#include "cli/compile.h"
#include <ptxi/status.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST = 20 }; /* errors that are reported */

/* A line of the compiler: "a.cu:3:12: error: TEXT", or nvcc's "a.cu(3): error: TEXT". */
struct said {
	const char *path, *text;
	size_t npath, ntext;
	uint32_t line, column; /* 0: not known */
};

static const char *find(const char *line, size_t n, const char *word)
{
	const char *at = strstr(line, word);

	return at && at + strlen(word) <= line + n ? at : NULL;
}

/* The number that TEXT ends with, which becomes shorter; 0: there is none. */
static uint32_t last_number(const char *text, size_t *n)
{
	size_t digits = *n;
	uint32_t value = 0;

	while (digits && text[digits - 1] >= '0' && text[digits - 1] <= '9')
		digits--;
	if (digits == *n || *n - digits > 9)
		return 0;
	for (size_t k = digits; k < *n; k++)
		value = 10 * value + (uint32_t)(text[k] - '0');
	*n = digits;
	return value;
}

static void read_place(struct said *s)
{
	size_t n = s->npath;
	uint32_t last, first = 0;

	n -= n && s->path[n - 1] == ')';
	last = last_number(s->path, &n);
	if (!last || !n || !strchr(":(", s->path[n - 1]))
		return;
	n--;
	if (s->path[n] == ':') {
		size_t shorter = n;

		first = last_number(s->path, &shorter);
		if (first && shorter && s->path[shorter - 1] == ':')
			n = shorter - 1;
		else
			first = 0;
	}
	s->npath = n;
	s->line = first ? first : last;
	s->column = first ? last : 0;
}

/* Whether the line of N bytes is an error. */
static bool is_error(const char *line, size_t n, struct said *s)
{
	const char *at = find(line, n, "error: "), *number = find(line, n, "error #");

	if (!at && number)
		at = number;
	if (!at)
		return false;
	*s = (struct said){.path = line, .npath = (size_t)(at - line)};
	s->text = at + strlen("error: ");
	s->ntext = (size_t)(line + n - s->text);
	if (find(line, s->npath, ": fatal "))
		s->npath = (size_t)(strstr(line, ": fatal ") - line);
	while (s->npath && strchr(": ", line[s->npath - 1]))
		s->npath--;
	read_place(s);
	return true;
}

static bool is_name(char c)
{
	return c == '_' || (c >= '0' && c <= '9') || ((c | 32) >= 'a' && (c | 32) <= 'z');
}

/* What the place means: a name, or a character; without a column the line. */
static struct span span_of(const struct source *s, const struct said *a)
{
	uint32_t n, at = a->column ? a->column - 1 : 0, end;
	const char *line = source_line(s, a->line, &n);

	while (!a->column && at < n && strchr(" \t", line[at]))
		at++;
	if (at > n)
		at = n;
	end = a->column ? at : n;
	while (a->column && end < n && is_name(line[end]))
		end++;
	end += end == at && at < n;
	return (struct span){(uint32_t)(line - s->text) + at, end - at};
}

static void report(struct source *source, const struct said *a, struct diags *diags)
{
	bool here = a->line && a->line <= source->nlines && strlen(source->name) == a->npath &&
		memcmp(source->name, a->path, a->npath) == 0;

	if (here)
		diag_report(diags, DIAG_E0470, source, span_of(source, a), "%.*s", (int)a->ntext,
			a->text);
	else if (a->line)
		diag_plain(diags, DIAG_E0470, "%.*s:%u: %.*s", (int)a->npath, a->path, a->line,
			(int)a->ntext, a->text);
	else
		diag_plain(diags, DIAG_E0470, "%.*s", (int)a->ntext, a->text);
}

/* The compiler failed. */
static void report_all(const struct compiler *k, struct source *source, const struct text *text,
	struct diags *diags)
{
	unsigned n = 0;
	struct said a;

	for (const char *line = text_str(text); *line; line += strcspn(line, "\n")) {
		line += *line == '\n';
		if (!is_error(line, strcspn(line, "\n"), &a))
			continue;
		if (n++ < MOST)
			report(source, &a, diags);
	}
	if (!n)
		diag_plain(diags, DIAG_E0470, "%s: %s failed%s%.2000s", source->name, k->program,
			text->len ? ": " : "", text_str(text));
}

/* Appends PTX, in which files below FOLDER are named from there. */
static void name_files(const char *ptx, const char *folder, struct text *out)
{
	static const char begin[] = "\t.file\t";
	size_t n = strlen(folder);

	for (const char *line = ptx; *line;) {
		size_t length = strcspn(line, "\n");
		const char *name = strncmp(line, begin, strlen(begin)) == 0
			? memchr(line, '"', length)
			: NULL;

		length += line[length] == '\n';
		if (name && strncmp(name + 1, folder, n) == 0 && name[n + 1] == '/') {
			text_add(out, line, (size_t)(name + 1 - line));
			name += n + 2;
			text_add(out, name, length - (size_t)(name - line));
		} else {
			text_add(out, line, length);
		}
		line += length;
	}
}

static int make_ptx(void *self, struct source *source, const char *path, bool linked,
	double deadline, struct text *out, struct diags *diags)
{
	struct cli *c = self;
	struct text ptx = {0}, said = {0};
	char folder[4096];
	struct compiler k;
	int status;

	if (!compiler_begin(&k, c, diags))
		return PTXI_USAGE;
	k.linked = linked;
	k.deadline = deadline;
	status = compiler_ptx(&k, path, &ptx, &said);
	compiler_end(&k);
	/* the compilers name files by their whole paths; messages name this one as the user did */
	if (*path != '/' && getcwd(folder, sizeof folder))
		name_files(text_str(&ptx), folder, out);
	else
		text_add(out, text_str(&ptx), ptx.len);
	if (status == PTXI_REJECTED)
		report_all(&k, source, &said, diags);
	else if (said.len && !c->no_warnings && !c->quiet && c->command != COMMAND_CHECK)
		fputs(text_str(&said), stderr);
	text_free(&ptx);
	text_free(&said);
	return status;
}

const struct program_compiler *cuda_compiler(struct cli *c)
{
	c->compiler = (struct program_compiler){make_ptx, c};
	return &c->compiler;
}
