/* The report as one HTML page without scripts and without references to other files. */
#include "grade/report.h"
#include "diag/markup.h"
#include "grade/suite.h"
#include <string.h>

/* A long finding scrolls in its cell (.r), and the table of the class in its frame: a page is as
 * wide as the screen, also on a telephone. */
static const char style[] =
	":root{color-scheme:light dark}"
	"body{font:15px/1.45 system-ui,sans-serif;margin:1.5em auto;padding:0 1em;max-width:75em;"
	"overflow-wrap:anywhere}"
	".wide{overflow-x:auto}table{border-collapse:collapse;margin:1em 0}.wide table{margin:0}"
	"td,th{border:1px solid #ccc;padding:.25em .6em;text-align:left;vertical-align:top}"
	"th,td.n,td.v{overflow-wrap:normal}td.n{text-align:right}td.s{min-width:6em}"
	"table.cases{width:100%}td.c{min-width:5em}td.r{width:70%;max-width:0}"
	"pre{background:#f6f6f6;padding:.6em;overflow:auto;overflow-wrap:normal}"
	".pass{color:#176b2c}.fail{color:#a40000}.skip{color:#8a6000}"
	"@media(prefers-color-scheme:dark){body{background:#181818;color:#ddd}"
	"a{color:#8ab4f8}pre{background:#242424}td,th{border-color:#444}"
	".pass{color:#7fce93}.fail{color:#ff8c8c}.skip{color:#e3bd5b}}"
	"@media(max-width:45em){.cases,.cases tbody{display:block}.cases th{display:none}"
	".cases tr{display:block;margin:.4em 0}"
	".cases td{display:inline-block;border:0;padding:0 .8em 0 0;min-width:0}"
	".cases td.w::before{content:'weight '}.cases td.r{display:block;width:auto;"
	"max-width:none}}";

static void put_pre(struct text *out, const char *s)
{
	if (!*s)
		return;
	text_puts(out, "<pre>");
	markup_put(out, s);
	text_puts(out, "</pre>\n");
}

static void put_of(struct text *out, uint64_t points, uint64_t of)
{
	points_put(out, points);
	text_puts(out, " / ");
	points_put(out, of);
}

static void put_part(const struct graded_part *p, const char *name, uint64_t points, bool condition,
	bool hidden, struct text *out)
{
	text_printf(out, "<tr><td class=\"v %s\">%s</td><td class=\"c\">",
		graded_verdicts[p->verdict], graded_verdicts[p->verdict]);
	markup_put(out, name);
	text_puts(out, hidden ? " (hidden)</td>" : "</td>");
	text_puts(out, condition ? "<td class=\"n\">required" : "<td class=\"n w\">");
	if (!condition)
		points_put(out, points);
	text_puts(out, "</td><td class=\"r\">");
	markup_put(out, p->reason);
	if (*p->detail) {
		text_puts(out, "<details><summary>findings</summary>");
		put_pre(out, p->detail);
		text_puts(out, "</details>");
	}
	text_puts(out, "</td></tr>\n");
}

static void put_exercise(
	const struct graded_exercise_info *i, const struct graded_exercise *e, struct text *out)
{
	text_puts(out, "<h3>");
	markup_put(out, i->name);
	text_puts(out, ": ");
	put_of(out, e->points, i->points);
	text_puts(out, "</h3>\n");
	if (e->state != GRADED_JUDGED || *e->reason) {
		text_puts(out, "<p class=\"fail\">");
		markup_put(out, *e->file ? e->file : i->file);
		text_puts(out, ": ");
		markup_put(out, e->reason);
		text_puts(out, "</p>\n");
	}
	put_pre(out, e->detail);
	if (e->ignored)
		text_printf(out,
			"<p>%llu //@ line%s in the file %s ignored: the suite alone decides what is run.</p>\n",
			(unsigned long long)e->ignored, e->ignored == 1 ? "" : "s",
			e->ignored == 1 ? "was" : "were");
	if (e->state != GRADED_JUDGED)
		return;
	text_puts(out,
		"<table class=\"cases\"><tr><th></th><th>case</th><th>weight</th><th>reason</th></tr>\n");
	for (uint32_t k = 0; k < i->nrequirements; k++)
		put_part(&e->requirements[k], i->requirements[k].text, i->requirements[k].points,
			!i->requirements[k].points, false, out);
	for (uint32_t k = 0; k < i->ncases; k++)
		put_part(&e->cases[k], i->cases[k].name, i->cases[k].points, false,
			i->cases[k].hidden, out);
	text_puts(out, "</table>\n");
}

static void put_info(const struct graded_exercise_info *i, struct text *out)
{
	text_puts(out, "<details><summary>");
	markup_put(out, i->name);
	text_puts(out, " ");
	markup_put(out, i->title);
	text_puts(out, "</summary>\n<p>");
	markup_put(out, i->file);
	text_puts(out, "; ");
	markup_put(out, i->limits);
	text_puts(out, "</p>\n");
	for (uint32_t k = 0; k < i->ncases; k++) {
		text_puts(out, "<p>");
		markup_put(out, i->cases[k].name);
		text_puts(out, i->cases[k].hidden ? " (hidden)</p>\n" : "</p>\n");
		put_pre(out, i->cases[k].text);
	}
	text_puts(out, "</details>\n");
}

static void put_table(const struct graded *g, struct text *out)
{
	text_puts(out, "<div class=\"wide\"><table><tr><th>student</th><th>points</th>");
	for (uint32_t k = 0; k < g->nexercises; k++) {
		text_puts(out, "<th>");
		markup_put(out, g->exercises[k].name);
		text_puts(out, "</th>");
	}
	text_puts(out, "</tr>\n");
	for (uint32_t s = 0; s < g->students.count; s++) {
		const struct graded_student *x = &g->students.data[s];

		text_printf(out, "<tr><td class=\"s\"><a href=\"#s%u\">", s);
		markup_put(out, x->name);
		text_puts(out, "</a></td><td class=\"n\">");
		points_put(out, x->points);
		text_puts(out, "</td>");
		for (uint32_t k = 0; k < g->nexercises; k++) {
			const struct graded_exercise *e = &x->exercises[k];

			text_printf(out, "<td class=\"n %s\">",
				e->state == GRADED_UNFINISHED                 ? "skip"
					: e->points == g->exercises[k].points ? "pass"
									      : "fail");
			if (e->state == GRADED_UNFINISHED)
				text_puts(out, "not judged");
			else
				points_put(out, e->points);
			text_puts(out, "</td>");
		}
		text_puts(out, "</tr>\n");
	}
	text_puts(out, "</table></div>\n");
}

void report_html(const struct graded *g, struct text *out)
{
	const char *title = *g->title ? g->title : "Results";
	bool one = g->students.count == 1;
	uint32_t of, unfinished = graded_unfinished(g, &of);

	text_puts(out,
		"<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n<meta name=\"viewport\" content=\"width=device-width\">\n<title>");
	markup_put(out, title);
	text_printf(out, "</title>\n<style>%s</style></head><body>\n<h1>", style);
	markup_put(out, title);
	text_puts(out, "</h1>\n");
	if (unfinished)
		text_printf(out,
			"<p class=\"fail\">%u of %u submissions were not judged: the run was interrupted.</p>\n",
			unfinished, of);
	if (!one)
		put_table(g, out);
	for (uint32_t s = 0; s < g->students.count; s++) {
		const struct graded_student *x = &g->students.data[s];

		text_printf(out, "<section id=\"s%u\"><h2>", s);
		markup_put(out, x->name);
		text_puts(out, ": ");
		put_of(out, x->points, graded_maximum(g));
		text_puts(out, "</h2>\n");
		for (uint32_t k = 0; k < g->nexercises; k++)
			put_exercise(&g->exercises[k], &x->exercises[k], out);
		text_puts(out, "</section>\n");
	}
	if (g->unknown.count)
		text_puts(out, "<h2>Not graded</h2>\n<table>\n");
	for (uint32_t k = 0; k < g->unknown.count; k++) {
		text_puts(out, "<tr><td>");
		markup_put(out, g->unknown.data[k].path);
		text_puts(out, "</td><td>");
		markup_put(out, g->unknown.data[k].why);
		text_puts(out, "</td></tr>\n");
	}
	text_puts(
		out, g->unknown.count ? "</table>\n<h2>Exercises</h2>\n" : "<h2>Exercises</h2>\n");
	for (uint32_t k = 0; k < g->nexercises; k++)
		put_info(&g->exercises[k], out);
	text_puts(out, "</body></html>\n");
}
