/* Grades a class, and joins the results of its parts. */
#include "grade/grade.h"
#include "base/hash.h"
#include "base/memory.h"
#include "grade/read.h"
#include "grade/sandbox.h"
#include <stdlib.h>
#include <string.h>

static const char *limits_text(const struct limits *l, struct arena *arena)
{
	struct text t = {0};
	const char *s;

	text_printf(&t, "%llu steps, %g s, ", (unsigned long long)l->steps, l->seconds);
	bytes_put(&t, l->memory);
	text_puts(&t, " of memory, ");
	bytes_put(&t, l->output);
	text_puts(&t, " of output, a file of ");
	bytes_put(&t, l->source_size);
	s = arena_text(arena, text_str(&t), t.len);
	text_free(&t);
	return s;
}

/* Texts of the suite, as reports show them. */
static const char *copied(struct graded *g, const char *s)
{
	return arena_printf(&g->arena, "%s", s);
}

void graded_describe(struct graded *g, const struct suite *suite)
{
	g->title = copied(g, suite->title);
	g->nexercises = suite->exercises.count;
	g->exercises = ARENA_ARRAY(&g->arena, struct graded_exercise_info, g->nexercises + 1u);
	for (uint32_t n = 0; n < g->nexercises; n++) {
		const struct exercise *e = &suite->exercises.data[n];
		struct graded_exercise_info *i = &g->exercises[n];

		*i = (struct graded_exercise_info){.name = copied(g, e->name),
			.title = copied(g, e->title),
			.file = copied(g, e->file),
			.limits = limits_text(&e->limits, &g->arena),
			.points = e->points,
			.weight = e->weight,
			.cases = ARENA_ARRAY(
				&g->arena, struct graded_case_info, e->cases.count + 1u),
			.requirements = ARENA_ARRAY(&g->arena, struct graded_requirement_info,
				e->requirements.count + 1u),
			.ncases = e->cases.count,
			.nrequirements = e->requirements.count};
		for (uint32_t k = 0; k < i->ncases; k++)
			i->cases[k] = (struct graded_case_info){copied(g, e->cases.data[k].name),
				copied(g, e->cases.data[k].text), e->cases.data[k].hidden,
				e->cases.data[k].points};
		for (uint32_t k = 0; k < i->nrequirements; k++)
			i->requirements[k] = (struct graded_requirement_info){
				copied(g, e->requirements.data[k].text),
				e->requirements.data[k].points};
	}
}

static bool same_suite(const struct graded *a, const struct graded *b);

static int by_student(const void *name, const void *student)
{
	return strcmp(name, ((const struct graded_student *)student)->name);
}

/* Lets each submission know what the interrupted run R->earlier found out about it. */
static bool find_earlier(const struct grade_request *r, struct graded *g, struct submissions *found,
	struct diags *diags)
{
	struct graded old;
	bool ok = graded_read(&old, r->earlier, &g->arena, diags);

	if (ok &&
		(old.for_students || old.shard != g->shard || old.shards != g->shards ||
			!same_suite(&old, g))) {
		diag_plain(diags, DIAG_L0506, "%s is not the result of this suite and shard",
			r->earlier);
		ok = false;
	}
	graded_sort(&old);
	for (uint32_t k = 0; k < found->list.count && ok && old.students.count; k++) {
		struct submission *s = &found->list.data[k];
		const struct graded_student *student = &g->students.data[s->student], *was;
		const struct graded_exercise *e;

		was = bsearch(student->name, old.students.data, old.students.count,
			sizeof *old.students.data, by_student);
		e = was ? &was->exercises[s->exercise] : NULL;
		if (e && e->hash && strcmp(e->file, student->exercises[s->exercise].file) == 0)
			s->earlier = e;
	}
	vec_free(&old.students);
	vec_free(&old.unknown);
	return ok;
}

bool grade_run(const struct grade_request *r, struct graded *out, struct diags *diags)
{
	struct suite suite;
	struct submissions found = {0};
	bool ok;

	*out = (struct graded){.title = "", .shard = r->shard, .shards = r->shards};
	ok = suite_read(&suite, r->suite, diags);
	if (ok) {
		graded_describe(out, &suite);
		ok = submissions_find(&found, &suite, r->folder, out, diags);
	}
	if (ok && r->earlier)
		ok = find_earlier(r, out, &found, diags);
	if (ok) {
		struct sandbox_request q = {.suite = &suite,
			.path = r->folder,
			.submissions = &found,
			.graded = out,
			.jobs = r->jobs,
			.interrupted = r->interrupted,
			.progress = r->progress,
			.self = r->self};

		sandbox_run(&q, diags);
	}
	vec_free(&found.list);
	suite_free(&suite);
	return ok;
}

bool grade_file(const char *path, struct source *source, const _Atomic int *interrupted,
	struct graded *out, struct diags *diags)
{
	const char *slash = strrchr(path, '/');
	struct suite suite;
	bool ok;

	*out = (struct graded){.title = "", .shard = 1, .shards = 1};
	ok = suite_parse(&suite, source, diags);
	if (ok) {
		struct submissions one = {0};
		struct graded_student *s;
		struct sandbox_request q = {.suite = &suite,
			.path = !slash ? "."
				: slash == path
				? "/"
				: arena_text(&out->arena, path, (size_t)(slash - path)),
			.submissions = &one,
			.graded = out,
			.jobs = 1,
			.interrupted = interrupted};

		for (uint32_t k = 0; k < suite.exercises.count; k++)
			suite.exercises.data[k].warnings = true;
		graded_describe(out, &suite);
		s = vec_push(&out->students);
		*s = (struct graded_student){.name = "",
			.exercises = ARENA_ARRAY(
				&out->arena, struct graded_exercise, suite.exercises.count)};
		for (uint32_t k = 0; k < suite.exercises.count; k++)
			s->exercises[k] = (struct graded_exercise){
				.file = shown_name(&out->arena, path), .reason = "", .detail = ""};
		*vec_push(&one.list) = (struct submission){
			.folder = "", .file = slash ? slash + 1 : path};
		sandbox_run(&q, diags);
		vec_free(&one.list);
	}
	suite_free(&suite);
	return ok;
}

/* --- merge --- */

/* Whether two results are of the same suite: they describe it with the same bytes. */
static bool same_suite(const struct graded *a, const struct graded *b)
{
	struct graded x = *a, y = *b;
	struct text t = {0}, u = {0};
	bool same;

	x.students.count = y.students.count = 0;
	x.unknown.count = y.unknown.count = 0;
	x.shards = y.shards = 1;
	report_json(&x, &t);
	report_json(&y, &u);
	same = t.len == u.len && memcmp(text_str(&t), text_str(&u), t.len) == 0;
	text_free(&t);
	text_free(&u);
	return same;
}

/* Whether the parts are each shard of a whole once (or all wholes of their own). */
static bool parts_fit(
	const char *const *files, const struct graded *part, uint32_t n, struct diags *diags)
{
	uint32_t shards = part[0].shards;
	uint32_t *at = memory_zeroed(shards + 1u, sizeof *at);
	bool ok = true;

	for (uint32_t k = 0; k < n && ok; k++) {
		ok = part[k].shards == shards && same_suite(&part[0], &part[k]);
		if (!ok)
			diag_plain(diags, DIAG_L0506, "%s and %s are not results of the same %s",
				files[0], files[k],
				part[k].shards == shards ? "suite" : "number of shards");
		else if (shards > 1 && at[part[k].shard]) {
			ok = false;
			diag_plain(diags, DIAG_L0506, "%s and %s are both shard %u/%u",
				files[at[part[k].shard] - 1], files[k], part[k].shard, shards);
		}
		at[part[k].shard] = k + 1;
	}
	for (uint32_t k = 1; k <= shards && ok; k++)
		if (!at[k]) {
			ok = false;
			diag_help(diags,
				diag_plain(diags, DIAG_L0506, "shard %u/%u is missing", k, shards),
				"merge takes the results of all shards");
		}
	free(at);
	return ok;
}

static bool no_student_twice(const struct graded *g, struct diags *diags)
{
	for (uint32_t k = 1; k < g->students.count; k++)
		if (strcmp(g->students.data[k - 1].name, g->students.data[k].name) == 0) {
			diag_plain(diags, DIAG_L0506, "the student '%.80s' is in two of the files",
				g->students.data[k].name);
			return false;
		}
	return true;
}

bool grade_merge(const char *const *files, uint32_t n, struct graded *out, struct diags *diags)
{
	struct graded *part = memory_zeroed(n, sizeof *part);
	bool ok = true;

	*out = (struct graded){.title = "", .shard = 1, .shards = 1};
	for (uint32_t k = 0; k < n; k++)
		ok = graded_read(&part[k], files[k], &out->arena, diags) && ok;
	ok = ok && parts_fit(files, part, n, diags);
	if (ok) {
		out->title = part[0].title;
		out->for_students = part[0].for_students;
		out->exercises = part[0].exercises;
		out->nexercises = part[0].nexercises;
	}
	for (uint32_t k = 0; k < n && ok; k++) {
		for (uint32_t s = 0; s < part[k].students.count; s++)
			*vec_push(&out->students) = part[k].students.data[s];
		for (uint32_t u = 0; u < part[k].unknown.count; u++)
			*vec_push(&out->unknown) = part[k].unknown.data[u];
	}
	graded_sort(out);
	ok = ok && no_student_twice(out, diags);
	for (uint32_t k = 0; k < n; k++) {
		vec_free(&part[k].students);
		vec_free(&part[k].unknown);
	}
	free(part);
	return ok;
}

/* --- one student --- */

const char *grade_file_name(const char *student, const char *end, struct arena *arena)
{
	enum { LONGEST = 120 };
	struct text t = {0};
	const char *s;

	for (const char *c = student; *c; c++)
		if ((*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') ||
			(*c >= '0' && *c <= '9') || *c == '_' || *c == '-' ||
			(*c == '.' && c != student))
			text_putc(&t, *c);
		else
			text_printf(&t, "%%%02X", (unsigned char)*c);
	if (t.len > LONGEST) {
		uint64_t h = hash_bytes(text_str(&t), t.len, 0);

		t.len = LONGEST;
		text_printf(&t, "%%%016llx", (unsigned long long)h);
	}
	s = arena_printf(arena, "%s%s", text_str(&t), end);
	text_free(&t);
	return s;
}

void grade_only(const struct graded *g, uint32_t k, struct graded *out)
{
	*out = *g;
	out->arena = (struct arena){0};
	memset(&out->students, 0, sizeof out->students);
	memset(&out->unknown, 0, sizeof out->unknown);
	*vec_push(&out->students) = g->students.data[k];
}
