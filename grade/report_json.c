/* The results as JSON: one line for each exercise of the suite, student and unknown file, so that
 * diff and grep work on it. grade/read.c reads it back. */
#include "grade/report.h"
#include "grade/suite.h"
#include <string.h>

static void put_string(struct text *out, const char *key, const char *s)
{
	text_printf(out, "\"%s\": ", key);
	text_json(out, s, strlen(s));
}

static void put_points(struct text *out, const char *key, uint64_t points)
{
	text_printf(out, "\"%s\": ", key);
	points_put(out, points);
}

static void put_info(const struct graded_exercise_info *i, struct text *out)
{
	text_puts(out, "{");
	put_string(out, "name", i->name);
	text_puts(out, ", ");
	put_string(out, "title", i->title);
	text_puts(out, ", ");
	put_string(out, "file", i->file);
	text_puts(out, ", ");
	put_points(out, "points", i->points);
	text_puts(out, ", ");
	put_points(out, "weight", i->weight);
	text_puts(out, ", ");
	put_string(out, "limits", i->limits);
	text_puts(out, ", \"requirements\": [");
	for (uint32_t k = 0; k < i->nrequirements; k++) {
		text_puts(out, k ? ", {" : "{");
		put_string(out, "text", i->requirements[k].text);
		text_puts(out, ", ");
		put_points(out, "points", i->requirements[k].points);
		text_puts(out, "}");
	}
	text_puts(out, "], \"cases\": [");
	for (uint32_t k = 0; k < i->ncases; k++) {
		text_puts(out, k ? ", {" : "{");
		put_string(out, "name", i->cases[k].name);
		text_printf(out, ", \"hidden\": %s, ", i->cases[k].hidden ? "true" : "false");
		put_points(out, "points", i->cases[k].points);
		text_puts(out, ", ");
		put_string(out, "directives", i->cases[k].text);
		text_puts(out, "}");
	}
	text_puts(out, "]}");
}

static void put_part(
	const struct graded_part *p, const char *name, const char *amount, struct text *out)
{
	text_puts(out, "{");
	put_string(out, "name", name);
	text_puts(out, ", ");
	put_string(out, "verdict", graded_verdicts[p->verdict]);
	text_puts(out, ", ");
	put_string(out, "reason", p->reason);
	text_puts(out, ", ");
	put_string(out, "detail", p->detail);
	text_printf(out, ", \"%s\": %llu}", amount, (unsigned long long)p->amount);
}

static void put_exercise(
	const struct graded_exercise_info *i, const struct graded_exercise *e, struct text *out)
{
	bool judged = e->state == GRADED_JUDGED;

	text_puts(out, "{");
	put_string(out, "exercise", i->name);
	text_puts(out, ", ");
	put_string(out, "state", graded_states[e->state]);
	text_puts(out, ", ");
	put_points(out, "points", e->points);
	text_puts(out, ", ");
	put_string(out, "file", e->file);
	text_puts(out, ", ");
	put_string(out, "reason", e->reason);
	text_puts(out, ", ");
	put_string(out, "detail", e->detail);
	if (e->hash)
		text_printf(out, ", \"hash\": \"%016llx\"", (unsigned long long)e->hash);
	text_printf(out, ", \"ignored_lines\": %llu, \"requirements\": [",
		(unsigned long long)e->ignored);
	for (uint32_t k = 0; k < i->nrequirements && judged; k++) {
		text_puts(out, k ? ", " : "");
		put_part(&e->requirements[k], i->requirements[k].text, "count", out);
	}
	text_puts(out, "], \"cases\": [");
	for (uint32_t k = 0; k < i->ncases && judged; k++) {
		text_puts(out, k ? ", " : "");
		put_part(&e->cases[k], i->cases[k].name, "steps", out);
	}
	text_puts(out, "]}");
}

static void put_student(const struct graded *g, const struct graded_student *s, struct text *out)
{
	text_puts(out, "{");
	put_string(out, "student", s->name);
	text_puts(out, ", ");
	put_points(out, "points", s->points);
	text_puts(out, ", \"exercises\": [");
	for (uint32_t k = 0; k < g->nexercises; k++) {
		text_puts(out, k ? ", " : "");
		put_exercise(&g->exercises[k], &s->exercises[k], out);
	}
	text_puts(out, "]}");
}

void report_json(const struct graded *g, struct text *out)
{
	uint32_t of, unfinished = graded_unfinished(g, &of);

	text_puts(out, "{\"schema\": 1, \"kind\": \"grade\", ");
	put_string(out, "for", g->for_students ? "students" : "teacher");
	text_puts(out, ", ");
	put_string(out, "title", g->title);
	text_puts(out, ", ");
	put_points(out, "of", graded_maximum(g));
	if (g->shards > 1)
		text_printf(out, ", \"shard\": [%u, %u]", g->shard, g->shards);
	if (unfinished)
		text_printf(out, ", \"unfinished\": %u", unfinished);
	text_puts(out, ",\n\"exercises\": [");
	for (uint32_t k = 0; k < g->nexercises; k++) {
		text_puts(out, k ? ",\n" : "\n");
		put_info(&g->exercises[k], out);
	}
	text_puts(out, "\n],\n\"students\": [");
	for (uint32_t k = 0; k < g->students.count; k++) {
		text_puts(out, k ? ",\n" : "\n");
		put_student(g, &g->students.data[k], out);
	}
	text_puts(out, "\n],\n\"not_graded\": [");
	for (uint32_t k = 0; k < g->unknown.count; k++) {
		text_puts(out, k ? ",\n{" : "\n{");
		put_string(out, "path", g->unknown.data[k].path);
		text_puts(out, ", ");
		put_string(out, "why", g->unknown.data[k].why);
		text_puts(out, "}");
	}
	text_puts(out, "\n]}\n");
}
