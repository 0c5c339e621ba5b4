/* A JSON reader for the results of a class. The file may come from another machine, so everything
 * in it is checked: kinds, counts, verdicts and that every part belongs to the suite. */
#include "grade/read.h"
#include "grade/report.h"
#include "grade/suite.h"
#include "script/lang/options.h"
#include "script/lang/program.h"
#include <stdlib.h>
#include <string.h>

enum { MAX_DEPTH = 16, MAX_SHARDS = 1000000 };
enum json_kind { JSON_NULL, JSON_BOOL, JSON_NUMBER, JSON_STRING, JSON_LIST, JSON_OBJECT };

struct json {
	enum json_kind kind;
	bool truth;
	const char *key;  /* in an object */
	const char *text; /* STRING, NUMBER */
	uint32_t count;   /* LIST, OBJECT */
	struct json *first, *next;
};

struct parser {
	struct source *source;
	struct diags *diags;
	struct arena arena; /* of the tree */
	struct arena *keep; /* of the strings */
	uint32_t at;
	bool failed;
};

static void fail(struct parser *p, const char *why)
{
	if (!p->failed)
		diag_report(p->diags, DIAG_L0506, p->source,
			(struct span){p->at < p->source->len ? p->at : p->source->len, 0},
			"this is not a result of 'ptxi grade --format=json': %s", why);
	p->failed = true;
}

static char peek(struct parser *p)
{
	while (p->at < p->source->len && strchr(" \t\r\n", p->source->text[p->at]) &&
		p->source->text[p->at])
		p->at++;
	return p->source->text[p->at]; /* the source ends with a NUL */
}

static bool take(struct parser *p, char c)
{
	if (peek(p) != c)
		return false;
	p->at++;
	return true;
}

static void put_utf8(struct text *t, uint32_t c)
{
	if (c < 0x80) {
		text_putc(t, (char)c);
	} else if (c < 0x800) {
		text_putc(t, (char)(0xc0 | c >> 6));
		text_putc(t, (char)(0x80 | (c & 63)));
	} else {
		text_putc(t, (char)(0xe0 | c >> 12));
		text_putc(t, (char)(0x80 | (c >> 6 & 63)));
		text_putc(t, (char)(0x80 | (c & 63)));
	}
}

static bool read_escape(struct parser *p, struct text *t)
{
	static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
	char c = p->source->text[p->at++];
	const char *known = c ? strchr(from, c) : NULL;
	char digits[5] = {0}, *end;
	unsigned long code;

	if (known) {
		text_putc(t, to[known - from]);
		return true;
	}
	if (c != 'u' || p->source->len - p->at < 4)
		return false;
	memcpy(digits, p->source->text + p->at, 4);
	code = strtoul(digits, &end, 16);
	if (*end || code == 0 || (code >= 0xd800 && code < 0xe000))
		return false;
	p->at += 4;
	put_utf8(t, (uint32_t)code);
	return true;
}

static const char *read_string(struct parser *p)
{
	struct text t = {0};
	const char *s = "", *text = p->source->text;

	if (!take(p, '"'))
		fail(p, "a string is missing");
	while (!p->failed) {
		unsigned n = text_utf8(text + p->at, p->source->len - p->at);

		if (p->at >= p->source->len || !n || (unsigned char)text[p->at] < 32) {
			fail(p, "a string does not end");
		} else if (text[p->at] == '"') {
			p->at++;
			break;
		} else if (text[p->at] == '\\') {
			p->at++;
			if (!read_escape(p, &t))
				fail(p, "an escape is not valid");
		} else {
			text_add(&t, text + p->at, n);
			p->at += n;
		}
	}
	s = arena_text(p->keep, text_str(&t), t.len);
	text_free(&t);
	return s;
}

static struct json *read_value(struct parser *p, unsigned depth);

static void read_members(struct parser *p, struct json *j, char end, unsigned depth)
{
	struct json **last = &j->first;

	p->at++;
	if (take(p, end))
		return;
	do {
		const char *key = NULL;
		struct json *member;

		if (j->kind == JSON_OBJECT) {
			key = (peek(p), read_string(p));
			if (!take(p, ':'))
				fail(p, "':' is missing");
		}
		member = read_value(p, depth + 1);
		member->key = key;
		*last = member;
		last = &member->next;
		j->count++;
	} while (!p->failed && take(p, ','));
	if (!take(p, end))
		fail(p, "a list or an object does not end");
}

static struct json *read_value(struct parser *p, unsigned depth)
{
	struct json *j = ARENA_NEW(&p->arena, struct json);
	const char *at;
	char c = peek(p);
	size_t n;

	at = p->source->text + p->at;
	if (p->failed) {
		;
	} else if (depth > MAX_DEPTH) {
		fail(p, "it is nested too deeply");
	} else if (c == '{' || c == '[') {
		j->kind = c == '{' ? JSON_OBJECT : JSON_LIST;
		read_members(p, j, c == '{' ? '}' : ']', depth);
	} else if (c == '"') {
		j->kind = JSON_STRING;
		j->text = read_string(p);
	} else if (c >= '0' && c <= '9') {
		n = strspn(at, "0123456789.");
		j->kind = JSON_NUMBER;
		j->text = arena_text(&p->arena, at, n);
		p->at += (uint32_t)n;
	} else if (strncmp(at, "true", 4) == 0 || strncmp(at, "false", 5) == 0) {
		j->kind = JSON_BOOL;
		j->truth = c == 't';
		p->at += j->truth ? 4 : 5;
	} else {
		fail(p, "a value is missing");
	}
	return j;
}

/* --- the tree as results --- */

/* The member KEY of kind KIND; reports one that is missing, and returns an empty value. */
static const struct json *member(
	struct parser *p, const struct json *j, const char *key, enum json_kind kind)
{
	static const struct json nothing = {.text = ""};

	for (const struct json *m = j->kind == JSON_OBJECT ? j->first : NULL; m; m = m->next)
		if (strcmp(m->key, key) == 0 && m->kind == kind)
			return m;
	fail(p, arena_printf(&p->arena, "it has no \"%s\"", key));
	return &nothing;
}

static const char *string_of(struct parser *p, const struct json *j, const char *key)
{
	return member(p, j, key, JSON_STRING)->text;
}

static uint64_t points_of(struct parser *p, const struct json *j, const char *key)
{
	uint64_t n = 0;
	const char *s = member(p, j, key, JSON_NUMBER)->text, *dot = strchr(s, '.');
	unsigned part = 0;

	/* a sum may be larger than the points of one line of a suite */
	if (!option_number(arena_text(&p->arena, s, dot ? (size_t)(dot - s) : strlen(s)),
		    UINT64_MAX / 1000, &n))
		fail(p, arena_printf(&p->arena, "\"%s\" is not a number of points", key));
	if (dot && dot[1])
		part = (unsigned)(dot[1] - '0') * 10 + (dot[2] ? (unsigned)(dot[2] - '0') : 0);
	return n * POINT + part % POINT;
}

static uint64_t number_of(struct parser *p, const struct json *j, const char *key)
{
	uint64_t n = 0;

	if (!option_number(member(p, j, key, JSON_NUMBER)->text, UINT64_MAX, &n))
		fail(p, arena_printf(&p->arena, "\"%s\" is not a whole number", key));
	return n;
}

static uint8_t one_of(struct parser *p, const char *word, const char *const *words, uint8_t count)
{
	for (uint8_t k = 0; k < count; k++)
		if (strcmp(words[k], word) == 0)
			return k;
	fail(p, arena_printf(&p->arena, "'%.40s' is not a verdict", word));
	return 0;
}

static void read_info(struct parser *p, const struct json *j, struct graded_exercise_info *out)
{
	const struct json *cases = member(p, j, "cases", JSON_LIST),
			  *requirements = member(p, j, "requirements", JSON_LIST);
	uint32_t k = 0;

	*out = (struct graded_exercise_info){.name = string_of(p, j, "name"),
		.title = string_of(p, j, "title"),
		.file = string_of(p, j, "file"),
		.limits = string_of(p, j, "limits"),
		.points = points_of(p, j, "points"),
		.weight = points_of(p, j, "weight"),
		.cases = ARENA_ARRAY(p->keep, struct graded_case_info, cases->count + 1u),
		.requirements = ARENA_ARRAY(
			p->keep, struct graded_requirement_info, requirements->count + 1u),
		.ncases = cases->count,
		.nrequirements = requirements->count};
	for (const struct json *c = cases->first; c; c = c->next, k++)
		out->cases[k] = (struct graded_case_info){string_of(p, c, "name"),
			string_of(p, c, "directives"), member(p, c, "hidden", JSON_BOOL)->truth,
			points_of(p, c, "points")};
	k = 0;
	for (const struct json *c = requirements->first; c; c = c->next, k++)
		out->requirements[k] = (struct graded_requirement_info){
			string_of(p, c, "text"), points_of(p, c, "points")};
}

static struct graded_part *read_parts(
	struct parser *p, const struct json *list, uint32_t count, const char *amount)
{
	struct graded_part *parts = ARENA_ARRAY(p->keep, struct graded_part, count + 1u);
	uint32_t k = 0;

	if (list->count != count)
		fail(p, "a student has another number of cases or requirements than the exercise");
	for (const struct json *c = p->failed ? NULL : list->first; c; c = c->next, k++)
		parts[k] = (struct graded_part){
			one_of(p, string_of(p, c, "verdict"), graded_verdicts, VERDICT_SKIP + 1),
			string_of(p, c, "reason"), string_of(p, c, "detail"),
			number_of(p, c, amount)};
	return parts;
}

/* The hash of a submission; 0 in results of a version of ptxi that wrote none. */
static uint64_t hash_of(struct parser *p, const struct json *j)
{
	uint64_t hash = 0;

	for (const struct json *m = j->kind == JSON_OBJECT ? j->first : NULL; m; m = m->next)
		if (strcmp(m->key, "hash") == 0) {
			if (m->kind != JSON_STRING || strlen(m->text) != 16 ||
				strspn(m->text, "0123456789abcdef") != 16)
				fail(p, "\"hash\" is not 16 hexadecimal digits");
			else
				hash = strtoull(m->text, NULL, 16);
		}
	return hash;
}

static void read_exercise(struct parser *p, const struct json *j,
	const struct graded_exercise_info *info, struct graded_exercise *out)
{
	*out = (struct graded_exercise){
		.state = one_of(p, string_of(p, j, "state"), graded_states, GRADED_STATES),
		.points = points_of(p, j, "points"),
		.file = string_of(p, j, "file"),
		.reason = string_of(p, j, "reason"),
		.detail = string_of(p, j, "detail"),
		.ignored = number_of(p, j, "ignored_lines")};
	if (out->state == GRADED_REJECTED || out->state == GRADED_JUDGED)
		out->hash = hash_of(p, j);
	if (out->state != GRADED_JUDGED)
		return;
	out->requirements = read_parts(
		p, member(p, j, "requirements", JSON_LIST), info->nrequirements, "count");
	out->cases = read_parts(p, member(p, j, "cases", JSON_LIST), info->ncases, "steps");
}

static void read_student(struct parser *p, const struct json *j, struct graded *g)
{
	const struct json *exercises = member(p, j, "exercises", JSON_LIST);
	struct graded_student *s = vec_push(&g->students);
	uint32_t k = 0;

	*s = (struct graded_student){.name = string_of(p, j, "student"),
		.exercises = ARENA_ARRAY(p->keep, struct graded_exercise, g->nexercises + 1u)};
	if (exercises->count != g->nexercises)
		fail(p, "a student has another number of exercises than the suite");
	for (const struct json *e = p->failed ? NULL : exercises->first; e; e = e->next, k++)
		read_exercise(p, e, &g->exercises[k], &s->exercises[k]);
	for (k = 0; k < g->nexercises && !p->failed; k++)
		graded_count(g, s, k);
	if (!p->failed && s->points != points_of(p, j, "points"))
		fail(p,
			arena_printf(&p->arena, "the points of '%.80s' are not those of its cases",
				s->name));
}

static void read_shard(struct parser *p, const struct json *j, struct graded *g)
{
	uint64_t k = 1, n = 1;

	for (const struct json *m = j->first; m; m = m->next)
		if (strcmp(m->key, "shard") == 0 && m->kind == JSON_LIST && m->count == 2 &&
			m->first->kind == JSON_NUMBER && m->first->next->kind == JSON_NUMBER &&
			(!option_number(m->first->text, MAX_SHARDS, &k) ||
				!option_number(m->first->next->text, MAX_SHARDS, &n)))
			n = 0;
	if (k < 1 || k > n)
		fail(p, "\"shard\" is not a part of a whole");
	g->shard = (uint32_t)k;
	g->shards = (uint32_t)n;
}

static void read_all(struct parser *p, const struct json *j, struct graded *g)
{
	const struct json *list;
	uint32_t k = 0;

	if (strcmp(string_of(p, j, "kind"), "grade") != 0)
		fail(p, "\"kind\" is not \"grade\"");
	if (p->failed)
		return;
	read_shard(p, j, g);
	g->for_students = strcmp(string_of(p, j, "for"), "students") == 0;
	g->title = string_of(p, j, "title");
	list = member(p, j, "exercises", JSON_LIST);
	g->nexercises = list->count;
	g->exercises = ARENA_ARRAY(p->keep, struct graded_exercise_info, list->count + 1u);
	for (const struct json *e = list->first; e; e = e->next)
		read_info(p, e, &g->exercises[k++]);
	for (const struct json *s = member(p, j, "students", JSON_LIST)->first; s && !p->failed;
		s = s->next)
		read_student(p, s, g);
	for (const struct json *u = member(p, j, "not_graded", JSON_LIST)->first; u && !p->failed;
		u = u->next)
		*vec_push(&g->unknown) = (struct graded_unknown){
			string_of(p, u, "path"), string_of(p, u, "why")};
}

bool graded_parse(struct graded *g, struct source *source, struct arena *arena, struct diags *diags)
{
	struct parser p = {.source = source, .diags = diags, .keep = arena};
	struct json *j = read_value(&p, 0);

	*g = (struct graded){.title = "", .shard = 1, .shards = 1};
	if (!p.failed && (peek(&p), p.at != p.source->len))
		fail(&p, "there is something after its end");
	if (!p.failed && j->kind != JSON_OBJECT)
		fail(&p, "it is not an object");
	if (!p.failed)
		read_all(&p, j, g);
	arena_free(&p.arena);
	return !p.failed;
}

bool graded_read(struct graded *g, const char *path, struct arena *arena, struct diags *diags)
{
	/* messages show lines of the file, so it lives as long as they do */
	struct source *source = file_read(path, &diags->arena, diags);

	*g = (struct graded){.title = "", .shard = 1, .shards = 1};
	return source && graded_parse(g, source, arena, diags);
}
