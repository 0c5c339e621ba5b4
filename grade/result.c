/* Points, order and what students may see. */
#include "grade/result.h"
#include "grade/suite.h"
#include <stdlib.h>
#include <string.h>

const char graded_not_judged[] = "not judged: the run was interrupted";

bool graded_gate(const struct graded_requirement_info *i, const struct graded_part *part)
{
	return i->points == 0 && part->verdict != VERDICT_PASS;
}

void graded_count(const struct graded *g, struct graded_student *s, uint32_t exercise)
{
	const struct graded_exercise_info *i = &g->exercises[exercise];
	struct graded_exercise *e = &s->exercises[exercise];
	unsigned __int128 got = 0;

	e->points = 0;
	if (e->state != GRADED_JUDGED || !i->weight)
		return;
	for (uint32_t k = 0; k < i->nrequirements; k++) {
		if (graded_gate(&i->requirements[k], &e->requirements[k]))
			return;
		got += e->requirements[k].verdict == VERDICT_PASS ? i->requirements[k].points : 0;
	}
	for (uint32_t k = 0; k < i->ncases; k++)
		got += e->cases[k].verdict == VERDICT_PASS ? i->cases[k].points : 0;
	/* rounded to hundredths, halves up */
	e->points = (uint64_t)((got * i->points * 2 + i->weight) /
		(2 * (unsigned __int128)i->weight));
	s->points += e->points;
}

uint64_t graded_maximum(const struct graded *g)
{
	uint64_t sum = 0;

	for (uint32_t k = 0; k < g->nexercises; k++)
		sum += g->exercises[k].points;
	return sum;
}

uint32_t graded_unfinished(const struct graded *g, uint32_t *of)
{
	uint32_t n = 0;

	*of = 0;
	for (uint32_t s = 0; s < g->students.count; s++)
		for (uint32_t k = 0; k < g->nexercises; k++) {
			uint8_t state = g->students.data[s].exercises[k].state;

			*of += state != GRADED_MISSING;
			n += state == GRADED_UNFINISHED;
		}
	return n;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(
		((const struct graded_student *)a)->name, ((const struct graded_student *)b)->name);
}

static int by_path(const void *a, const void *b)
{
	return strcmp(
		((const struct graded_unknown *)a)->path, ((const struct graded_unknown *)b)->path);
}

void graded_sort(struct graded *g)
{
	if (g->students.count)
		qsort(g->students.data, g->students.count, sizeof *g->students.data, by_name);
	if (g->unknown.count)
		qsort(g->unknown.data, g->unknown.count, sizeof *g->unknown.data, by_path);
}

void graded_redact(struct graded *g)
{
	if (g->for_students)
		return;
	g->for_students = true;
	for (uint32_t n = 0; n < g->nexercises; n++)
		for (uint32_t k = 0; k < g->exercises[n].ncases; k++) {
			if (!g->exercises[n].cases[k].hidden)
				continue;
			g->exercises[n].cases[k].text = "";
			for (uint32_t s = 0; s < g->students.count; s++) {
				struct graded_exercise *e = &g->students.data[s].exercises[n];
				struct graded_part *p;

				if (e->state != GRADED_JUDGED)
					continue;
				p = &e->cases[k];
				p->verdict = p->verdict == VERDICT_PASS ? VERDICT_PASS
									: VERDICT_FAIL;
				p->reason = p->detail = "";
				p->amount = 0;
			}
		}
}

void graded_free(struct graded *g)
{
	vec_free(&g->students);
	vec_free(&g->unknown);
	arena_free(&g->arena);
}
