/* Reads the pages of the lessons. A page is read line by line; a fenced block ends in a file, a
 * hint, the solution or the checks, by the words after its fence. */
#include "lessons/lesson.h"
#include "base/memory.h"
#include "lessons/text.h"
#include <stdlib.h>
#include <string.h>

unsigned lesson_count(void) { return lesson_page_count; }

static bool begins(const char *line, const char *word)
{
	return strncmp(line, word, strlen(word)) == 0;
}

/* Whether students are not shown a block with this fence. */
static bool kept_back(const char *fence)
{
	return begins(fence, "```hint") || begins(fence, "```solution") ||
		begins(fence, "```checks");
}

struct reader {
	struct lesson *l;
	const char *at;
	unsigned line;
};

/* The next line, without its newline, or NULL. */
static const char *next_line(struct reader *r)
{
	size_t n = strcspn(r->at, "\n");
	const char *line;

	if (!*r->at)
		return NULL;
	line = arena_text(&r->l->arena, r->at, n);
	r->at += n + (r->at[n] == '\n');
	r->line++;
	return line;
}

static void mistake(struct reader *r, const char *what)
{
	if (r->l->mistake)
		return;
	r->l->mistake = what;
	r->l->mistake_line = r->line;
}

/* --- changes --- */

/* The lines of a change that are in the text before it (WITHOUT '+') or after it (WITHOUT '-'). */
static void side(const char *change, size_t n, char without, struct text *out)
{
	while (n) {
		size_t line = strcspn(change, "\n");

		line = line < n ? line + 1 : n;
		/* an editor may have removed the space of a line that is empty */
		if (change[0] == '\n')
			text_putc(out, '\n');
		else if (change[0] != without)
			text_add(out, change + 1, line - 1);
		change += line;
		n -= line;
	}
}

/* The one place in TEXT where PART stands, from the beginning of a line; NULL: none or several. */
static const char *only_place(const char *text, const char *part)
{
	const char *found = NULL, *next;

	for (const char *line = text; *part && *line; line = next) {
		next = line + strcspn(line, "\n");
		next += *next == '\n';
		if (!begins(line, part))
			continue;
		if (found)
			return NULL;
		found = line;
	}
	return found;
}

/* TEXT with a change: lines with - are replaced by those with +, and lines with a space say where;
 * "@@" separates changes. NULL: a change fits nowhere, or in several places. */
static const char *changed(struct lesson *l, const char *text, const char *change)
{
	while (*change) {
		const char *end = begins(change, "@@\n") ? change : strstr(change, "\n@@\n");
		size_t n = end ? (size_t)(end - change) + (end != change) : strlen(change);
		struct text before = {0}, after = {0};
		const char *place;

		side(change, n, '+', &before);
		side(change, n, '-', &after);
		place = only_place(text, text_str(&before));
		if (place)
			text = arena_printf(&l->arena, "%.*s%s%s", (int)(place - text), text,
				text_str(&after), place + before.len);
		text_free(&before);
		text_free(&after);
		if (!place)
			return NULL;
		change += n + (end ? strlen("@@\n") : 0);
	}
	return text;
}

/* --- blocks --- */

/* Word K of a fence: "```diff no-barrier.ptx R0101" has diff, no-barrier.ptx, R0101. "" if it has
 * none. */
static const char *word(struct lesson *l, const char *fence, unsigned k)
{
	fence += strlen("```");
	for (; k; k--) {
		fence += strcspn(fence, " ");
		fence += strspn(fence, " ");
	}
	return arena_text(&l->arena, fence, strcspn(fence, " "));
}

static const struct lesson_file *last_program(const struct lesson *l)
{
	for (uint32_t k = l->files.count; k; k--)
		if (l->files.data[k - 1].kind == LESSON_PROGRAM)
			return &l->files.data[k - 1];
	return NULL;
}

static void add_file(struct reader *r, enum lesson_file_kind kind, const char *name,
	const char *code, const char *text)
{
	if (!text)
		mistake(r, "the change fits nowhere, or in several places");
	else
		*vec_push(&r->l->files) = (struct lesson_file){
			kind, name, code, text, strlen(text)};
}

static void end_block(struct reader *r, const char *fence, const char *text)
{
	struct lesson *l = r->l;
	const char *kind = word(l, fence, 0), *name = word(l, fence, 1);
	const struct lesson_file *program = last_program(l);

	if (strcmp(kind, "ptx") == 0 && *name) {
		add_file(r, strcmp(name, "exercise.ptx") == 0 ? LESSON_EXERCISE : LESSON_PROGRAM,
			name, "", text);
	} else if (strcmp(kind, "diff") == 0 && *name) {
		if (!program)
			mistake(r, "a change comes before any program");
		else
			add_file(r, LESSON_WRONG, name, word(l, fence, 2),
				changed(l, program->text, text));
	} else if (strcmp(kind, "hint") == 0) {
		*vec_push(&l->hints) = text;
	} else if (strcmp(kind, "checks") == 0) {
		l->checks = text;
	} else if (strcmp(kind, "solution") == 0) {
		const struct lesson_file *e = l->files.count ? &l->files.data[l->files.count - 1]
							     : NULL;

		if (!e || e->kind != LESSON_EXERCISE)
			mistake(r, "the solution does not follow exercise.ptx");
		else if ((text = changed(l, e->text, text)))
			l->solution = text;
		else
			mistake(r, "the solution fits nowhere, or in several places");
	}
}

static void read_block(struct reader *r, const char *fence)
{
	const char *begin = r->at, *end = r->at, *line;

	while ((line = next_line(r)) && strcmp(line, "```") != 0)
		end = r->at;
	if (!line)
		mistake(r, "a block without an end");
	else
		end_block(r, fence, arena_text(&r->l->arena, begin, (size_t)(end - begin)));
}

/* "# 3. A data race", an empty line, and "20 minutes. What one can do afterwards." */
static void read_head(struct reader *r)
{
	const char *title = next_line(r), *empty = next_line(r), *goal = next_line(r);
	char *end;

	if (!title || !begins(title, "# ") || !empty || *empty || !goal) {
		mistake(r, "a page begins with its title, an empty line, and its minutes");
		return;
	}
	r->l->number = (unsigned)strtoul(title + 2, &end, 10);
	if (!begins(end, ". ") || r->l->number == 0)
		mistake(r, "a title has the form '# 3. A data race'");
	else
		r->l->title = end + 2;
	r->l->minutes = (unsigned)strtoul(goal, &end, 10);
	if (!begins(end, " minutes. ") || r->l->minutes == 0) {
		mistake(r, "the third line has the form '20 minutes. What one can do afterwards.'");
		return;
	}
	/* the rest of the paragraph */
	goal = end + strlen(" minutes. ");
	for (const char *more = next_line(r); more && *more; more = next_line(r))
		goal = arena_printf(&r->l->arena, "%s %s", goal, more);
	r->l->goal = goal;
}

void lesson_read(struct lesson *l, unsigned number)
{
	lesson_read_text(l, number, lesson_pages[number - 1].text);
	l->page = lesson_pages[number - 1].file;
}

void lesson_read_text(struct lesson *l, unsigned number, const char *text)
{
	struct reader r = {.l = l, .at = text};
	const char *line;

	*l = (struct lesson){.page = "", .title = "", .goal = "", .solution = "", .checks = ""};
	read_head(&r);
	while ((line = next_line(&r)))
		if (begins(line, "```"))
			read_block(&r, line);
	if (l->number != number)
		mistake(&r, "the number of the title is not that of the page");
	if (!l->files.count || l->files.data[l->files.count - 1].kind != LESSON_EXERCISE)
		mistake(&r, "the last file is not exercise.ptx");
	if (!l->hints.count || !*l->solution || !*l->checks)
		mistake(&r, "hints, the solution or the checks are missing");
}

void lesson_free(struct lesson *l)
{
	vec_free(&l->files);
	vec_free(&l->hints);
	arena_free(&l->arena);
}

/* "squares.ptx:" above the block that is this file; "bytes.ptx is squares.ptx with this change:"
 * above a change. *PROGRAM is the last program. */
static void put_file_name(const char *fence, const char **program, struct text *out)
{
	size_t kind = strcspn(fence, " \n");
	const char *name = fence + kind + 1;

	if (fence[kind] != ' ')
		return;
	text_printf(out, "%.*s", (int)strcspn(name, " \n"), name);
	if (begins(fence, "```diff") && *program)
		text_printf(
			out, " is %.*s with this change", (int)strcspn(*program, " \n"), *program);
	else
		*program = name;
	text_puts(out, ":\n\n");
}

void lesson_show(unsigned number, bool bold, struct text *out)
{
	enum { BLOCK_NONE, BLOCK_SHOWN, BLOCK_HIDDEN } block = BLOCK_NONE;
	const char *program = NULL;

	for (const char *at = lesson_pages[number - 1].text; *at;) {
		size_t n = strcspn(at, "\n");

		if (begins(at, "```")) {
			block = block != BLOCK_NONE ? BLOCK_NONE
				: kept_back(at)     ? BLOCK_HIDDEN
						    : BLOCK_SHOWN;
			if (block == BLOCK_SHOWN)
				put_file_name(at, &program, out);
		} else if (block == BLOCK_SHOWN) {
			text_printf(out, "%s%.*s\n", n ? "    " : "", (int)n, at);
		} else if (block == BLOCK_NONE && at[0] == '#') {
			size_t marks = strspn(at, "# ");

			text_printf(out, "%s%.*s%s\n", bold ? "\033[1m" : "", (int)(n - marks),
				at + marks, bold ? "\033[0m" : "");
		} else if (block == BLOCK_NONE && !begins(at, "![")) { /* not its pictures */
			/* the hidden blocks at the end leave no empty lines */
			if (n || (out->len > 1 && out->data[out->len - 2] != '\n'))
				text_printf(out, "%.*s\n", (int)n, at);
		}
		at += n + (at[n] == '\n');
	}
	while (out->len > 1 && out->data[out->len - 1] == '\n' && out->data[out->len - 2] == '\n')
		out->len--;
}
