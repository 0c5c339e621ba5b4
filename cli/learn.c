/* ptxi learn: lists the lessons, shows one, writes its files, and judges a solution of its
 * exercise. */
#include "base/guard.h"
#include "cli/interrupt.h"
#include "cli/learned.h"
#include "cli/put.h"
#include "grade/grade.h"
#include "lessons/lesson.h"
#include "script/lang/program.h"
#include <errno.h>
#include <ptxi/status.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void usage(struct cli *c, const char *what)
{
	diag_help(&c->diags, diag_plain(&c->diags, DIAG_L0304, "%s", what),
		"'ptxi learn' lists the lessons, 'ptxi learn 1' shows the first one, 'ptxi help learn' what else there is");
}

static const char *word(const struct cli *c, uint32_t k)
{
	return k < c->files.count ? c->files.data[k] : NULL;
}

/* Reads a lesson of this program; one that is not well-formed is a bug. */
static void read_lesson(struct lesson *l, unsigned number)
{
	lesson_read(l, number);
	if (l->mistake || number > MAX_LESSONS)
		guard_bug(l->mistake ? l->mistake : "too many lessons",
			arena_printf(&l->arena, "lesson %u", number), (int)l->mistake_line);
}

/* --- the list --- */

static void list(struct text *out)
{
	struct learned p;
	unsigned next = 0;

	learned_read(&p);
	for (unsigned k = 1; k <= lesson_count(); k++) {
		const struct learned_lesson *at = &p.lesson[k];
		struct lesson l;

		read_lesson(&l, k);
		text_printf(out, "%-5s %2u  %s (%u minutes)\n",
			at->done            ? "done"
				: at->tries ? "begun"
					    : "",
			k, l.title, l.minutes);
		if (!at->done && !next)
			next = k;
		lesson_free(&l);
	}
	if (next)
		text_printf(out, "\nnext: ptxi learn %u\n", next);
	else
		text_puts(out, "\nall lessons are done\n");
}

/* --- the files --- */

static const char *shown_kind(const struct lesson_file *f)
{
	return f->kind == LESSON_PROGRAM  ? "a program that is right"
		: f->kind == LESSON_WRONG ? "the same program with a mistake"
					  : "the exercise: where you begin";
}

/* Nothing is overwritten: a file of that name may be the student's work. */
static bool nothing_there(struct cli *c, const struct lesson *l, const char *folder)
{
	for (uint32_t k = 0; k < l->files.count; k++) {
		const char *path = arena_printf(&c->arena, "%s/%s", folder, l->files.data[k].name);

		if (access(path, F_OK) == 0) {
			diag_help(&c->diags,
				diag_plain(&c->diags, DIAG_L0207, "%s exists; nothing was written",
					path),
				"choose another folder: ptxi learn %u start FOLDER", l->number);
			return false;
		}
	}
	return true;
}

static int start(struct cli *c, const struct lesson *l, const char *folder, struct text *out)
{
	if (!folder)
		folder = arena_printf(&c->arena, "lesson-%02u", l->number);
	if (mkdir(folder, 0777) != 0 && errno != EEXIST) {
		diag_plain(&c->diags, DIAG_L0207, "%s: %s", folder, strerror(errno));
		return PTXI_USAGE;
	}
	if (!nothing_there(c, l, folder))
		return PTXI_USAGE;
	for (uint32_t k = 0; k < l->files.count; k++) {
		const struct lesson_file *f = &l->files.data[k];

		if (!file_write(arena_printf(&c->arena, "%s/%s", folder, f->name), f->text, f->len,
			    &c->diags))
			return PTXI_USAGE;
		text_printf(out, "%s/%s: %s\n", folder, f->name, shown_kind(f));
	}
	text_printf(out, "\nread:  ptxi learn %u\ncheck: ptxi learn %u check %s/exercise.ptx\n",
		l->number, l->number, folder);
	return PTXI_OK;
}

/* --- checking --- */

/* The first code of an error in a text, "[R0101]", or DIAG_NONE. */
static enum diag_code code_in(const char *text)
{
	for (const char *at = strchr(text, '['); at; at = strchr(at + 1, '[')) {
		char name[6] = {0};
		enum diag_code code;

		if (strlen(at) < 7 || at[6] != ']')
			continue;
		memcpy(name, at + 1, 5);
		code = diag_code_find(name);
		if (code != DIAG_NONE && !diag_is_warning(code))
			return code;
	}
	return DIAG_NONE;
}

/* What is wrong: the finding, and the rule that it breaks. */
static void put_finding(const char *detail, struct text *out)
{
	enum diag_code code = code_in(detail);

	text_puts(out, detail);
	if (code != DIAG_NONE)
		text_printf(
			out, "rule %s: %s\n", diag_code_info(code).code, diag_code_info(code).rule);
}

/* One line for each check, and the finding of the first one that fails. Returns the number of
 * checks that failed. */
static uint32_t put_parts(
	const struct graded_exercise_info *i, const struct graded_exercise *e, struct text *out)
{
	const char *finding = NULL;
	uint32_t failed = 0;

	for (uint32_t k = 0; k < i->nrequirements; k++) {
		const struct graded_part *p = &e->requirements[k];

		if (p->verdict == VERDICT_PASS) {
			text_printf(out, "PASS %s\n", i->requirements[k].text);
		} else {
			text_printf(out, "FAIL %s: %s\n", i->requirements[k].text, p->reason);
			failed++;
		}
	}
	for (uint32_t k = 0; k < i->ncases; k++) {
		const struct graded_part *p = &e->cases[k];

		if (p->verdict == VERDICT_PASS) {
			text_printf(out, "PASS %s\n", i->cases[k].name);
			continue;
		}
		text_printf(out, "FAIL %s: %s\n", i->cases[k].name, p->reason);
		if (!finding)
			finding = p->detail;
		failed++;
	}
	if (finding && *finding)
		put_finding(finding, out);
	return failed;
}

static bool put_result(const struct graded *g, const char *path, struct text *out)
{
	const struct graded_exercise *e = &g->students.data[0].exercises[0];
	const struct graded_exercise_info *i = &g->exercises[0];
	uint32_t failed, all = i->ncases + i->nrequirements;

	if (e->state != GRADED_JUDGED) {
		text_printf(out, "FAIL %s: %s\n", path, e->reason);
		put_finding(e->detail, out);
		return false;
	}
	failed = put_parts(i, e, out);
	text_printf(out, "%u of %u checks passed\n", all - failed, all);
	return failed == 0;
}

static void keep_result(struct cli *c, const struct lesson *l, bool passed, struct text *out)
{
	struct learned p;
	struct learned_lesson *at = &p.lesson[l->number];

	learned_read(&p);
	at->done |= passed;
	at->tries += !passed && at->tries < 1000000;
	if (passed && l->number < lesson_count())
		text_printf(out, "Lesson %u is done. The next one: ptxi learn %u\n", l->number,
			l->number + 1);
	else if (passed)
		text_printf(out, "Lesson %u is done. It was the last one.\n", l->number);
	else
		text_printf(out, "A hint: ptxi learn %u hint\n", l->number);
	if (!learned_write(&p) && !c->quiet)
		text_puts(out,
			"(your progress could not be kept: no file can be written in your home folder)\n");
}

static int check(struct cli *c, const struct lesson *l, const char *path, struct text *out)
{
	const char *suite = arena_printf(&c->arena, "exercise e\nfile exercise.ptx\n%s", l->checks);
	struct graded g;
	int status = PTXI_USAGE;

	if (access(path, R_OK) != 0) {
		diag_plain(&c->diags, errno == ENOENT ? DIAG_L0201 : DIAG_L0203, "%s: %s", path,
			strerror(errno));
		return PTXI_USAGE;
	}
	interrupts_watch(c);
	interrupts_work();
	if (grade_file(path,
		    source_new(&c->diags.arena,
			    arena_printf(&c->arena, "checks of lesson %u", l->number), suite,
			    strlen(suite)),
		    c->options.machine.interrupted, &g, &c->diags)) {
		bool passed = put_result(&g, path, out);

		interrupts_report();
		if (g.students.data[0].exercises[0].state != GRADED_UNFINISHED)
			keep_result(c, l, passed, out);
		status = passed ? PTXI_OK : PTXI_FAILED;
	}
	graded_free(&g);
	return status;
}

/* Each call shows one hint more. */
static void hint(const struct lesson *l, struct text *out)
{
	struct learned p;
	struct learned_lesson *at = &p.lesson[l->number];

	learned_read(&p);
	at->hints = at->hints < l->hints.count ? at->hints + 1 : l->hints.count;
	for (unsigned k = 0; k < at->hints; k++)
		text_printf(out, "%u. %s", k + 1, l->hints.data[k]);
	if (at->hints < l->hints.count)
		text_printf(out, "(%u more: ask again)\n", l->hints.count - at->hints);
	else
		text_printf(out, "(that was the last one; ptxi learn %u solution)\n", l->number);
	if (!learned_write(&p))
		text_puts(out, "(how many hints you have seen could not be kept)\n");
}

static int lesson_command(struct cli *c, const struct lesson *l, struct text *out)
{
	const char *what = word(c, 1), *which = word(c, 2);

	if (!what) {
		lesson_show(l->number, c->color, out);
		text_printf(out,
			"\nthe files: ptxi learn %u start     your solution: ptxi learn %u check exercise.ptx\nhelp:      ptxi learn %u hint\n",
			l->number, l->number, l->number);
		return PTXI_OK;
	}
	if (word(c, 3))
		usage(c, arena_printf(&c->arena, "'%.80s' is one word too many", word(c, 3)));
	else if (strcmp(what, "start") == 0)
		return start(c, l, which, out);
	else if (strcmp(what, "check") == 0 && !which)
		usage(c, "which file is to be checked?");
	else if (strcmp(what, "check") == 0)
		return check(c, l, which, out);
	else if (which)
		usage(c, arena_printf(&c->arena, "'%.80s' is one word too many", which));
	else if (strcmp(what, "hint") == 0) {
		hint(l, out);
		return PTXI_OK;
	} else if (strcmp(what, "solution") == 0) {
		text_puts(out, l->solution);
		return PTXI_OK;
	} else
		usage(c,
			arena_printf(
				&c->arena, "'%.80s' is not start, check, hint or solution", what));
	return PTXI_USAGE;
}

int command_learn(struct cli *c)
{
	const char *first = word(c, 0);
	struct text t = {0};
	int status = PTXI_OK;
	uint64_t n;

	if (!first) {
		list(&t);
	} else if (!option_number(first, lesson_count(), &n) || n == 0) {
		usage(c,
			arena_printf(&c->arena,
				"there is no lesson '%.80s': they are numbered 1 to %u", first,
				lesson_count()));
		status = PTXI_USAGE;
	} else {
		struct lesson l;

		read_lesson(&l, (unsigned)n);
		status = lesson_command(c, &l, &t);
		lesson_free(&l);
	}
	put(&t);
	text_free(&t);
	return status;
}
