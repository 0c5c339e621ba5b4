/* The report as text, JUnit XML and CSV. */
#include "grade/report.h"
#include "diag/markup.h"
#include "diag/terminal.h"
#include "grade/suite.h"
#include <string.h>

const char *const graded_states[] = {[GRADED_MISSING] = "missing",
	[GRADED_REFUSED] = "refused",
	[GRADED_UNFINISHED] = "unfinished",
	[GRADED_REJECTED] = "rejected",
	[GRADED_JUDGED] = "graded"};
const char *const graded_verdicts[] = {
	[VERDICT_PASS] = "pass", [VERDICT_FAIL] = "fail", [VERDICT_SKIP] = "skip"};

static void put_safe(struct text *out, const char *s) { terminal_safe(out, s, strlen(s)); }

static void put_of(struct text *out, uint64_t points, uint64_t of)
{
	points_put(out, points);
	text_putc(out, '/');
	points_put(out, of);
}

static void text_part(const struct graded_part *p, const char *name, bool verbose, struct text *out)
{
	static const char *const words[] = {"PASS", "FAIL", "SKIP"};

	if (p->verdict == VERDICT_PASS && !verbose)
		return;
	text_printf(out, "    %s ", words[p->verdict]);
	put_safe(out, name);
	text_puts(out, *p->reason ? ": " : "");
	put_safe(out, p->reason);
	text_putc(out, '\n');
	for (const char *s = verbose ? p->detail : ""; *s;) {
		size_t n = strcspn(s, "\n");

		text_puts(out, "        ");
		terminal_safe(out, s, n);
		text_putc(out, '\n');
		s += n + (s[n] == '\n');
	}
}

static void text_exercise(const struct graded_exercise_info *i, const struct graded_exercise *e,
	bool verbose, struct text *out)
{
	text_puts(out, "  ");
	put_safe(out, i->name);
	text_putc(out, ' ');
	put_of(out, e->points, i->points);
	if (e->state != GRADED_JUDGED || *e->reason) {
		text_puts(out, ": ");
		put_safe(out, e->reason);
	}
	if (e->ignored)
		text_printf(out, " (%llu //@ line%s ignored)", (unsigned long long)e->ignored,
			e->ignored == 1 ? "" : "s");
	text_putc(out, '\n');
	if (e->state != GRADED_JUDGED)
		return;
	for (uint32_t k = 0; k < i->nrequirements; k++)
		text_part(&e->requirements[k], i->requirements[k].text, verbose, out);
	for (uint32_t k = 0; k < i->ncases; k++)
		text_part(&e->cases[k], i->cases[k].name, verbose, out);
}

void report_text(const struct graded *g, bool verbose, struct text *out)
{
	uint64_t maximum = graded_maximum(g);
	uint32_t of, unfinished = graded_unfinished(g, &of);

	for (uint32_t s = 0; s < g->students.count; s++) {
		const struct graded_student *x = &g->students.data[s];

		put_safe(out, x->name);
		text_putc(out, ' ');
		put_of(out, x->points, maximum);
		text_putc(out, '\n');
		for (uint32_t k = 0; k < g->nexercises; k++)
			if (verbose || x->exercises[k].points < g->exercises[k].points ||
				x->exercises[k].ignored)
				text_exercise(&g->exercises[k], &x->exercises[k], verbose, out);
	}
	for (uint32_t k = 0; k < g->unknown.count; k++) {
		text_puts(out, "not graded: ");
		put_safe(out, g->unknown.data[k].path);
		text_puts(out, ": ");
		put_safe(out, g->unknown.data[k].why);
		text_putc(out, '\n');
	}
	if (unfinished)
		text_printf(out, "%u of %u submissions were not judged: the run was interrupted\n",
			unfinished, of);
	text_printf(out, "%u student%s, %u exercise%s, %u file%s not graded\n", g->students.count,
		g->students.count == 1 ? "" : "s", g->nexercises, g->nexercises == 1 ? "" : "s",
		g->unknown.count, g->unknown.count == 1 ? "" : "s");
}

/* --- JUnit --- */

static void junit_case(const char *student, const char *exercise, const char *name,
	const struct graded_part *p, struct text *out)
{
	text_puts(out, "<testcase classname=\"");
	markup_put(out, student);
	text_putc(out, '.');
	markup_put(out, exercise);
	text_puts(out, "\" name=\"");
	markup_put(out, name);
	if (p->verdict == VERDICT_PASS) {
		text_puts(out, "\"/>\n");
		return;
	}
	text_printf(out, "\"><%s message=\"", p->verdict == VERDICT_SKIP ? "skipped" : "failure");
	markup_put(out, p->reason);
	text_puts(out, "\">");
	markup_put(out, p->detail);
	text_printf(out, "</%s></testcase>\n", p->verdict == VERDICT_SKIP ? "skipped" : "failure");
}

static void junit_exercise(const struct graded *g, const struct graded_student *s, uint32_t k,
	unsigned count[4], struct text *out)
{
	const struct graded_exercise_info *i = &g->exercises[k];
	const struct graded_exercise *e = &s->exercises[k];

	if (e->state != GRADED_JUDGED) {
		struct graded_part p = {e->state == GRADED_UNFINISHED ? VERDICT_SKIP : VERDICT_FAIL,
			e->reason, e->detail, 0};

		junit_case(s->name, i->name, i->file, &p, out);
		count[p.verdict]++;
		return;
	}
	for (uint32_t n = 0; n < i->nrequirements; n++) {
		junit_case(s->name, i->name, i->requirements[n].text, &e->requirements[n], out);
		count[e->requirements[n].verdict]++;
	}
	for (uint32_t n = 0; n < i->ncases; n++) {
		junit_case(s->name, i->name, i->cases[n].name, &e->cases[n], out);
		count[e->cases[n].verdict]++;
	}
}

void report_junit(const struct graded *g, struct text *out)
{
	text_puts(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"");
	markup_put(out, g->title);
	text_puts(out, "\">\n");
	for (uint32_t s = 0; s < g->students.count; s++) {
		unsigned count[4] = {0};
		struct text cases = {0};

		for (uint32_t k = 0; k < g->nexercises; k++)
			junit_exercise(g, &g->students.data[s], k, count, &cases);
		text_puts(out, "<testsuite name=\"");
		markup_put(out, g->students.data[s].name);
		text_printf(out, "\" tests=\"%u\" failures=\"%u\" skipped=\"%u\">\n",
			count[VERDICT_PASS] + count[VERDICT_FAIL] + count[VERDICT_SKIP],
			count[VERDICT_FAIL], count[VERDICT_SKIP]);
		text_add(out, text_str(&cases), cases.len);
		text_puts(out, "</testsuite>\n");
		text_free(&cases);
	}
	text_puts(out, "</testsuites>\n");
}

/* --- CSV --- */

/* A spreadsheet executes a field that begins with one of these characters. */
static void csv_field(struct text *out, const char *s)
{
	text_putc(out, '"');
	if (*s && strchr("=+-@", *s))
		text_putc(out, '\'');
	for (; *s; s++) {
		if (*s == '"')
			text_putc(out, '"');
		text_putc(out, *s == '\n' || *s == '\r' ? ' ' : *s);
	}
	text_putc(out, '"');
}

/* What a teacher should know about an exercise in one line: what failed first. */
static void csv_remark(
	const struct graded_exercise_info *i, const struct graded_exercise *e, struct text *out)
{
	struct text t = {0};

	if (e->state != GRADED_JUDGED)
		text_puts(&t, e->reason);
	for (uint32_t k = 0; k < i->nrequirements && e->state == GRADED_JUDGED && !t.len; k++)
		if (e->requirements[k].verdict != VERDICT_PASS)
			text_printf(
				&t, "%s: %s", i->requirements[k].text, e->requirements[k].reason);
	for (uint32_t k = 0; k < i->ncases && e->state == GRADED_JUDGED && !t.len; k++)
		if (e->cases[k].verdict != VERDICT_PASS)
			text_printf(&t, "%s%s%s", i->cases[k].name, *e->cases[k].reason ? ": " : "",
				e->cases[k].reason);
	csv_field(out, text_str(&t));
	text_free(&t);
}

void report_csv(const struct graded *g, struct text *out)
{
	text_puts(out, "\"student\",\"points\",\"of\"");
	for (uint32_t k = 0; k < g->nexercises; k++) {
		struct text t = {0};

		text_putc(out, ',');
		csv_field(out, g->exercises[k].name);
		text_printf(&t, "%s remark", g->exercises[k].name);
		text_putc(out, ',');
		csv_field(out, text_str(&t));
		text_free(&t);
	}
	text_puts(out, "\n");
	for (uint32_t s = 0; s < g->students.count; s++) {
		const struct graded_student *x = &g->students.data[s];

		csv_field(out, x->name);
		text_putc(out, ',');
		points_put(out, x->points);
		text_putc(out, ',');
		points_put(out, graded_maximum(g));
		for (uint32_t k = 0; k < g->nexercises; k++) {
			text_putc(out, ',');
			points_put(out, x->exercises[k].points);
			text_putc(out, ',');
			csv_remark(&g->exercises[k], &x->exercises[k], out);
		}
		text_puts(out, "\n");
	}
}
