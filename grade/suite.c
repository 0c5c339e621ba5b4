/* Reads a suite. Its lines have the words and comments of //@ lines, and the lines of a case are
 * //@ lines without the //@. All errors in them that do not depend on a submission are found here,
 * at their place in the suite. */
#include "grade/suite.h"
#include "base/memory.h"
#include "script/lang/options.h"
#include "script/lang/program.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
	MAX_SUITE = 16 << 20,
	MAX_EXERCISES = 1000,
	MAX_CASES = 1000,   /* of an exercise, and requirements */
	MAX_STARS = 4,      /* in a pattern */
	MAX_CHECKED = 4000, /* lines of a unit that is resolved when the suite is read */
	MAX_SECONDS = 86400
};
static const struct limits default_limits = {.steps = 10000000,
	.seconds = 10,
	.memory = (uint64_t)512 << 20,
	.output = 64 << 10,
	.source_size = 1 << 20};

struct reader {
	struct suite *s;
	const char *path;
	struct diags *diags;
	struct lexer x;          /* of the current line */
	struct exercise *at;     /* the current exercise, or NULL */
	struct script_lines set; /* its set lines, which apply to every case */
	uint32_t line;           /* the next line */
	bool points_given;
	struct program nothing; /* a module without kernels and variables; loaded when needed */
};

static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

/* The next word, or a text in quotes. */
static void next_word(struct reader *r)
{
	const char *t = r->x.source->text;
	uint32_t k = r->x.at;

	while (is_blank(t[k]))
		k++;
	if (t[k] == '"')
		lex_next(&r->x);
	else
		lex_next_free(&r->x);
}

static bool is_word(const struct reader *r, const char *word)
{
	return r->x.kind == T_WORD && strcmp(r->x.str, word) == 0;
}

static struct diag *complain(struct reader *r, enum diag_code code, const char *message)
{
	return diag_report(r->diags, code, r->x.source, r->x.span, "%s", message);
}

static void expect_end(struct reader *r)
{
	next_word(r);
	if (r->x.kind != T_END && r->x.kind != T_BAD)
		complain(r, DIAG_L0501,
			arena_printf(&r->s->arena, "%s is not expected here", lex_shown(&r->x)));
}

/* The value of a word such as `points`; NULL after an error. */
static const char *value_of(struct reader *r, const char *form)
{
	next_word(r);
	if (r->x.kind == T_WORD)
		return r->x.str;
	if (r->x.kind != T_BAD)
		diag_help(r->diags, complain(r, DIAG_L0501, "a value is missing"), "%s", form);
	return NULL;
}

static void bad_value(struct reader *r, const char *takes)
{
	diag_help(r->diags,
		complain(r, DIAG_L0502,
			arena_printf(&r->s->arena, "invalid value %s", lex_shown(&r->x))),
		"%s", takes);
}

bool points_parse(const char *s, uint64_t *out)
{
	uint64_t whole = 0, part = 0;
	unsigned digits = 0;

	if (!*s || strspn(s, "0123456789.") != strlen(s))
		return false;
	for (; *s && *s != '.'; s++)
		if ((whole = whole * 10 + (uint64_t)(*s - '0')) > MAX_POINTS / POINT)
			return false;
	if (*s == '.') {
		for (s++; *s && *s != '.' && digits < 2; s++, digits++)
			part = part * 10 + (uint64_t)(*s - '0');
		if (*s)
			return false;
	}
	*out = whole * POINT + (digits == 1 ? part * 10 : part);
	return *out <= MAX_POINTS;
}

static bool read_points(struct reader *r, uint64_t *out)
{
	const char *s = value_of(r, "points 10");

	if (!s)
		return false;
	if (points_parse(s, out))
		return true;
	bad_value(r,
		"points are a number from 0 to 1000000 with at most two decimals, such as 10 or 2.5");
	return false;
}

static void read_count(struct reader *r, uint64_t *out)
{
	const char *s = value_of(r, "steps 1000000");

	if (s && !(option_number(s, UINT64_MAX, out) && *out))
		bad_value(r, "steps is a whole number of at least 1");
}

static void read_bytes(struct reader *r, uint64_t *out)
{
	struct run_options o = {0};
	struct text why = {0};
	const char *s = value_of(r, "64K, 300M or 2G");

	if (s && option_apply(&o, "max-memory", s, true, &why) != OPTION_FITS)
		bad_value(r, text_str(&why));
	else if (s)
		*out = o.machine.max_memory;
	text_free(&why);
}

/* 2, 2s or 500ms */
static void read_seconds(struct reader *r, double *out)
{
	const char *s = value_of(r, "time 2s");
	char *end;
	double t;

	if (!s)
		return;
	t = strspn(s, "0123456789.") ? strtod(s, &end) : -1;
	if (t >= 0 && strcmp(end, "ms") == 0)
		t /= 1000;
	else if (t >= 0 && *end && strcmp(end, "s") != 0)
		t = -1;
	if (isfinite(t) && t >= 0.01 && t <= MAX_SECONDS)
		*out = t;
	else
		bad_value(
			r, "time is a number of seconds from 10ms to 86400s, such as 2s or 500ms");
}

/* Reads a line that sets a limit; false if it is another line. */
static bool read_limit(struct reader *r, struct limits *l)
{
	if (is_word(r, "steps"))
		read_count(r, &l->steps);
	else if (is_word(r, "time"))
		read_seconds(r, &l->seconds);
	else if (is_word(r, "memory"))
		read_bytes(r, &l->memory);
	else if (is_word(r, "output"))
		read_bytes(r, &l->output);
	else if (is_word(r, "size"))
		read_bytes(r, &l->source_size);
	else
		return false;
	if (r->x.kind == T_WORD)
		expect_end(r);
	return true;
}

/* --- cases --- */

/* [hidden] [points N] to the end of the line */
static bool read_attributes(struct reader *r, struct suite_case *c)
{
	for (;;) {
		next_word(r);
		if (r->x.kind == T_END)
			return true;
		if (is_word(r, "hidden")) {
			c->hidden = true;
		} else if (is_word(r, "points")) {
			if (!read_points(r, &c->points))
				return false;
		} else {
			if (r->x.kind != T_BAD)
				complain(r, DIAG_L0501,
					arena_printf(&r->s->arena,
						"%s is not expected here; a case may be 'hidden' and have 'points N'",
						lex_shown(&r->x)));
			return false;
		}
	}
}

static const char *lines_text(struct suite *s, const struct script_lines *l)
{
	struct text t = {0};
	const char *copy;

	for (uint32_t k = 0; k < l->line.count; k++) {
		const struct script_line *line = &l->line.data[k];

		for (uint32_t n = 0; n < line->npieces; n++) {
			const struct piece *p = &l->piece.data[line->piece + n];

			text_puts(&t, n ? " " : "");
			text_add(&t, line->source->text + p->off, p->end - p->off);
		}
		text_putc(&t, '\n');
	}
	copy = arena_text(&s->arena, text_str(&t), t.len);
	text_free(&t);
	return copy;
}

static bool is_expectation(const struct stmt *t)
{
	return t->kind == STMT_EXPECT || t->kind == STMT_EXPECT_PRINTS ||
		t->kind == STMT_EXPECT_FINDING || t->kind == STMT_CONDITION;
}

/* Reports what a suite may not contain although check takes it. */
static void check_case(struct reader *r, const struct script_case *c)
{
	bool expects = false;

	for (const struct stmt *t = c->first; t; t = t->next) {
		expects |= is_expectation(t);
		if ((t->kind == STMT_BUFFER || t->kind == STMT_WRITE) && t->init == INIT_FILE)
			diag_report(r->diags, DIAG_L0505, t->source, t->value_span,
				"a suite cannot use file(): submissions are graded without access to files");
		if (t->kind == STMT_NEEDS)
			diag_report(r->diags, DIAG_L0505, t->source, t->span,
				"a suite cannot use needs: a case that is skipped judges nothing");
	}
	if (!expects && c->source)
		diag_report(
			r->diags, DIAG_L0505, c->source, c->name_span, "this case expects nothing");
}

/* Whether only a submission can tell whether this is an error: names and parameters of its module.
 */
static bool is_of_module(enum diag_code code)
{
	return code == DIAG_L0106 || code == DIAG_L0107 || code == DIAG_L0108;
}

/* Reports errors in the directives that no submission can mend, such as an unknown option: they are
 * resolved against a module that has nothing. Resolving alters a script, so it is parsed again. */
static void check_directives(struct reader *r, const struct suite_unit *u)
{
	static const char text[] = ".version 8.0\n.target sm_90\n.address_size 64\n";
	const struct program_request q = {
		.path = "", .text = text, .size = sizeof text - 1, .no_script = true};
	struct script again = {0};
	struct diags found = {0};

	if (u->lines.line.count > MAX_CHECKED)
		return; /* its names would take long; the limits of each submission apply */
	if (!r->nothing.module)
		program_load(&r->nothing, &q);
	script_parse(&again, &u->lines, &found);
	script_resolve(&again, r->nothing.module, &found);
	for (const struct diag *d = found.first; d; d = d->next) {
		struct diag *say;

		if (is_of_module(d->code) || diag_is_warning(d->code))
			continue;
		say = diag_report(
			r->diags, d->code, d->label[0].source, d->label[0].span, "%s", d->message);
		if (d->help)
			diag_help(r->diags, say, "%s", d->help);
	}
	diags_free(&found);
	script_free(&again);
}

/* Adds the unit U, whose lines are complete, and its cases. Each has the attributes of LIKE. */
static void add_unit(struct reader *r, struct suite_unit *u, const struct suite_case *like)
{
	struct exercise *e = r->at;
	unsigned before = r->diags->errors;

	script_parse(&u->script, &u->lines, r->diags);
	script_resolve_errors(&u->script, r->diags);
	for (const struct stmt *t = u->script.errors; t; t = t->next_error)
		diag_report(r->diags, DIAG_L0505, t->source, t->span,
			"a suite cannot use error: it judges what kernels do");
	u->first = e->cases.count;
	u->ncases = u->script.cases.count;
	if (u->ncases > MAX_CASES || e->cases.count + u->ncases > MAX_CASES) {
		complain(r, DIAG_L0502, "an exercise has at most 1000 cases");
		u->ncases = 0;
	}
	for (uint32_t k = 0; k < u->ncases; k++) {
		struct script_case *c = &u->script.cases.data[k];
		struct suite_case *add;
		const char *name = c->name ? c->name : like->name;

		if (!c->source && u->lines.line.count) {
			c->source = r->x.source;
			c->name_span = r->x.span;
		}
		if (r->diags->errors == before)
			check_case(r, c);
		for (uint32_t n = 0; n < e->cases.count; n++)
			if (strcmp(e->cases.data[n].name, name) == 0)
				diag_report(r->diags, DIAG_L0503, c->source, c->name_span,
					"the exercise has two cases named '%.80s'", name);
		add = vec_push(&e->cases);
		*add = *like;
		add->name = arena_text(&r->s->arena, name, strlen(name));
	}
	if (r->diags->errors == before)
		check_directives(r, u);
	*vec_push(&e->units) = *u;
}

static bool same_word(
	const struct script_lines *l, const struct script_line *line, const char *word)
{
	const struct piece *p = &l->piece.data[line->piece];
	size_t n = strlen(word);
	const char *t = line->source->text + p->off;

	return p->end - p->off >= n && memcmp(t, word, n) == 0 &&
		(p->end - p->off == n || is_blank(t[n]));
}

/* case NAME [hidden] [points N], its lines, end */
static void read_case(struct reader *r)
{
	struct suite *s = r->s;
	struct suite_case like = {.points = POINT};
	struct suite_unit u = {0};
	struct lexer begin;
	const char *name = value_of(r, "case NAME");
	bool ended = false;

	if (!name)
		return;
	like.name = name;
	begin = r->x;
	read_attributes(r, &like);
	u.lines.piece.data = s->lines.piece.data; /* shared; only suite.lines frees it */
	u.lines.piece.count = s->lines.piece.count;
	for (uint32_t k = 0; k < r->set.line.count; k++)
		*vec_push(&u.lines.line) = r->set.line.data[k];
	for (; r->line < s->lines.line.count && !ended; r->line++) {
		const struct script_line *line = &s->lines.line.data[r->line];

		if (same_word(&s->lines, line, "case") || same_word(&s->lines, line, "exercise"))
			break;
		ended = same_word(&s->lines, line, "end");
		if (!ended)
			*vec_push(&u.lines.line) = *line;
	}
	r->x = begin;
	if (!ended)
		diag_help(r->diags,
			diag_report(r->diags, DIAG_L0505, begin.source, begin.span,
				"the case '%.80s' has no end", name),
			"a line 'end' ends the lines of a case");
	like.text = lines_text(s, &u.lines);
	if (!u.lines.line.count)
		diag_report(r->diags, DIAG_L0505, begin.source, begin.span,
			"this case expects nothing");
	add_unit(r, &u, &like);
}

/* cases FILE [hidden] [points N]: as check --script=FILE takes them */
static void read_cases(struct reader *r)
{
	struct suite *s = r->s;
	struct suite_case like = {.points = POINT};
	struct suite_unit u = {0};
	const char *name = value_of(r, "cases FILE"), *slash = strrchr(r->path, '/'), *path;
	struct lexer begin = r->x;
	struct source *source;

	if (!name || !read_attributes(r, &like))
		return;
	r->x = begin;
	path = name[0] == '/' || !slash
		? name
		: arena_printf(&s->arena, "%.*s/%s", (int)(slash - r->path), r->path, name);
	if (access(path, R_OK) != 0) {
		complain(r, errno == ENOENT ? DIAG_L0201 : DIAG_L0203,
			arena_printf(&s->arena, "%s: %s", path, strerror(errno)));
		return;
	}
	source = file_read(path, &r->diags->arena, r->diags); /* messages show its lines */
	if (!source)
		return;
	if (source->len > MAX_SUITE) {
		complain(r, DIAG_L0206, "the file is larger than 16 MiB");
		return;
	}
	if (script_has_marks(source))
		script_scan(source, &u.lines);
	else
		script_scan_plain(source, &u.lines);
	like.name = name;
	like.text = lines_text(s, &u.lines);
	if (!u.lines.line.count)
		complain(r, DIAG_L0505, "this file has no case");
	add_unit(r, &u, &like);
}

/* --- requirements --- */

/* [points N] to the end of the line; adds the requirement that begins at FIRST. */
static void add_requirement(struct reader *r, struct suite_requirement *q, struct span first)
{
	struct span last = r->x.span;

	next_word(r);
	if (is_word(r, "points")) {
		if (!read_points(r, &q->points))
			return;
		expect_end(r);
	} else if (r->x.kind != T_END) {
		complain(r, DIAG_L0501,
			arena_printf(&r->s->arena, "%s is not expected here", lex_shown(&r->x)));
	}
	q->text = arena_text(
		&r->s->arena, r->x.source->text + first.off, last.off + last.len - first.off);
	if (r->at->requirements.count == MAX_CASES)
		complain(r, DIAG_L0502, "an exercise has at most 1000 requirements");
	else
		*vec_push(&r->at->requirements) = *q;
}

static bool read_kind(struct reader *r, const char *word, struct instruction_kind *kind)
{
	const char *near;
	struct text groups = {0};
	struct diag *d;

	if (instruction_kind_parse(word, kind, &near))
		return true;
	d = diag_report(r->diags, DIAG_L0504, r->x.source, r->x.span,
		"PTX has no instruction or word '%.60s'", word);
	instruction_groups(&groups);
	if (near)
		diag_help(r->diags, d, "did you mean %s?", near);
	else
		diag_help(r->diags, d,
			"an instruction such as mbarrier.try_wait, a word such as shared, or one of %s",
			text_str(&groups));
	text_free(&groups);
	return false;
}

/* uses WORD, no WORD */
static void read_uses(struct reader *r, bool uses)
{
	struct span first = r->x.span;
	struct suite_requirement q = {.relation = uses ? RELATION_GE : RELATION_EQ, .bound = uses};
	const char *word = value_of(r, uses ? "uses mbarrier" : "no shared");

	if (word && read_kind(r, word, &q.kind))
		add_requirement(r, &q, first);
}

/* WORD <= N, after WORD. Returns false if the line has another form. */
static bool read_bound(struct reader *r)
{
	struct suite_requirement q = {0};
	struct lexer begin = r->x;
	const char *word = r->x.str, *s;

	next_word(r);
	if (r->x.kind != T_WORD || !relation_parse(r->x.str, &q.relation)) {
		r->x = begin;
		return false;
	}
	{
		struct lexer relation = r->x;

		r->x = begin;
		if (!read_kind(r, word, &q.kind))
			return true;
		r->x = relation;
	}
	s = value_of(r, "atoms <= 2");
	if (!s)
		return true;
	if (option_number(s, UINT64_MAX, &q.bound))
		add_requirement(r, &q, begin.span);
	else
		bad_value(r, "a requirement compares with a whole number, such as atoms <= 2");
	return true;
}

/* --- exercises --- */

static void end_exercise(struct reader *r)
{
	struct exercise *e = r->at;

	if (!e)
		return;
	vec_free(&r->set.line);
	if (!e->file)
		diag_report(r->diags, DIAG_L0503, r->s->lines.line.data[0].source, e->span,
			"the exercise '%.80s' has no 'file NAME' line", e->name);
	if (!e->cases.count && r->diags->errors == 0)
		diag_report(r->diags, DIAG_L0505, r->s->lines.line.data[0].source, e->span,
			"the exercise '%.80s' has no case", e->name);
	for (uint32_t k = 0; k < e->cases.count; k++)
		e->weight += e->cases.data[k].points;
	for (uint32_t k = 0; k < e->requirements.count; k++)
		e->weight += e->requirements.data[k].points;
	if (!r->points_given)
		e->points = e->weight;
	r->at = NULL;
}

static const char *read_title(struct reader *r)
{
	const char *title = "";

	next_word(r);
	if (r->x.kind == T_TEXT) {
		title = arena_text(&r->s->arena, r->x.str, r->x.len);
		expect_end(r);
	} else if (r->x.kind != T_END && r->x.kind != T_BAD) {
		complain(r, DIAG_L0501, "a title is a text in double quotes");
	}
	return title;
}

static void read_exercise(struct reader *r)
{
	struct suite *s = r->s;
	const char *name;

	end_exercise(r);
	name = value_of(r, "exercise NAME \"Title\"");
	if (!name)
		return;
	for (uint32_t k = 0; k < s->exercises.count; k++)
		if (strcmp(s->exercises.data[k].name, name) == 0)
			complain(r, DIAG_L0503, "the suite has two exercises of this name");
	if (s->exercises.count == MAX_EXERCISES) {
		complain(r, DIAG_L0502, "a suite has at most 1000 exercises");
		return;
	}
	r->at = vec_push(&s->exercises);
	*r->at = (struct exercise){.name = name, .span = r->x.span, .limits = s->limits};
	r->at->title = read_title(r);
	r->points_given = false;
}

static void read_file_name(struct reader *r)
{
	const char *name = value_of(r, "file reduce.ptx");

	if (!name)
		return;
	if (strchr(name, '/') || strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
		bad_value(r, "the name of a file, without a folder");
	for (uint32_t k = 0; k + 1 < r->s->exercises.count; k++)
		if (r->s->exercises.data[k].file && strcmp(r->s->exercises.data[k].file, name) == 0)
			complain(r, DIAG_L0503, "two exercises have this file");
	r->at->file = name;
	expect_end(r);
}

/* How often WORD occurs in S. */
static unsigned occurrences(const char *s, const char *word)
{
	unsigned n = 0;

	for (; (s = strstr(s, word)); s += strlen(word))
		n++;
	return n;
}

static void read_patterns(struct reader *r)
{
	for (;;) {
		const char *p, *slash;

		next_word(r);
		if (r->x.kind != T_WORD && r->x.kind != T_TEXT)
			return;
		p = arena_text(&r->s->arena, r->x.str, r->x.len);
		slash = strchr(p, '/');
		if (occurrences(p, "{student}") != 1 || occurrences(p, "{file}") != 1 ||
			occurrences(p, "*") > MAX_STARS ||
			(slash &&
				(slash == p || strchr(slash + 1, '/') || !strstr(slash, "{file}"))))
			bad_value(r,
				"a pattern contains {student} and {file} once, at most one '/' and four '*', such as {student}/{file} or {student}_*_{file}");
		else
			*vec_push(&r->s->patterns) = p;
	}
}

static void unknown_line(struct reader *r)
{
	static const char *const words[] = {"suite", "submissions", "exercise", "file", "points",
		"steps", "time", "memory", "output", "size", "uses", "no", "set", "case", "cases"};
	const char *best = NULL;
	unsigned least = 3;
	struct diag *d = complain(r, DIAG_L0501,
		arena_printf(&r->s->arena,
			r->at ? "%s does not begin a line of an exercise"
			      : "%s does not begin a line of a suite",
			lex_shown(&r->x)));

	for (size_t k = 0; k < sizeof words / sizeof words[0]; k++) {
		unsigned n = text_distance(r->x.str, r->x.len, words[k], strlen(words[k]), 3);

		if (n < least) {
			least = n;
			best = words[k];
		}
	}
	if (best && strcmp(best, r->x.str) == 0)
		diag_help(r->diags, d, "it belongs %s",
			r->at ? "before the first exercise" : "after an 'exercise NAME' line");
	else if (best)
		diag_help(r->diags, d, "did you mean %s?", best);
	else if (r->at)
		diag_help(r->diags, d,
			"a requirement has the form 'uses WORD', 'no WORD' or 'WORD <= N'");
	else
		diag_help(
			r->diags, d, "a suite has suite, submissions, limits, and then exercises");
}

static void read_exercise_line(struct reader *r)
{
	if (is_word(r, "file"))
		read_file_name(r);
	else if (is_word(r, "points")) {
		r->points_given = read_points(r, &r->at->points);
		if (r->points_given)
			expect_end(r);
	} else if (is_word(r, "uses") || is_word(r, "no"))
		read_uses(r, is_word(r, "uses"));
	else if (is_word(r, "case"))
		read_case(r);
	else if (is_word(r, "cases"))
		read_cases(r);
	else if (is_word(r, "set"))
		*vec_push(&r->set.line) = r->s->lines.line.data[r->line - 1];
	else if (!read_limit(r, &r->at->limits) && !read_bound(r))
		unknown_line(r);
}

static void read_line(struct reader *r)
{
	lex_begin(&r->x, &r->s->lines, &r->s->lines.line.data[r->line++], r->diags, &r->s->arena);
	next_word(r);
	if (r->x.kind != T_WORD)
		complain(r, DIAG_L0501, "a line of a suite begins with a word");
	else if (is_word(r, "exercise"))
		read_exercise(r);
	else if (r->at)
		read_exercise_line(r);
	else if (is_word(r, "suite"))
		r->s->title = read_title(r);
	else if (is_word(r, "submissions"))
		read_patterns(r);
	else if (!read_limit(r, &r->s->limits))
		unknown_line(r);
}

bool suite_parse(struct suite *s, struct source *source, struct diags *diags)
{
	struct reader r = {.s = s, .path = source->name, .diags = diags};
	unsigned before = diags->errors;

	*s = (struct suite){.title = "", .limits = default_limits};
	if (source->len > MAX_SUITE) {
		diag_plain(diags, DIAG_L0206, "%s: is larger than 16 MiB", source->name);
		return false;
	}
	script_scan_plain(source, &s->lines);
	while (r.line < s->lines.line.count)
		read_line(&r);
	end_exercise(&r);
	program_free(&r.nothing);
	if (!s->exercises.count && diags->errors == before)
		diag_plain(diags, DIAG_L0503, "%s: has no exercise", source->name);
	if (!s->patterns.count) {
		*vec_push(&s->patterns) = "{student}/{file}";
		*vec_push(&s->patterns) = "{student}_{file}";
	}
	return diags->errors == before;
}

bool suite_read(struct suite *s, const char *path, struct diags *diags)
{
	struct source *source = file_read(path, &diags->arena, diags); /* messages show its lines */

	*s = (struct suite){.title = ""};
	return source && suite_parse(s, source, diags);
}

void suite_free(struct suite *s)
{
	for (uint32_t k = 0; k < s->exercises.count; k++) {
		struct exercise *e = &s->exercises.data[k];

		for (uint32_t n = 0; n < e->units.count; n++) {
			struct suite_unit *u = &e->units.data[n];

			script_free(&u->script);
			vec_free(&u->lines.line);
			if (u->lines.piece.data != s->lines.piece.data)
				vec_free(&u->lines.piece);
		}
		vec_free(&e->cases);
		vec_free(&e->units);
		vec_free(&e->requirements);
	}
	vec_free(&s->exercises);
	vec_free(&s->patterns);
	script_lines_free(&s->lines);
	arena_free(&s->arena);
}

void points_put(struct text *out, uint64_t points)
{
	unsigned part = (unsigned)(points % POINT);

	text_printf(out, "%llu", (unsigned long long)(points / POINT));
	if (part)
		text_printf(out, part % 10 ? ".%02u" : ".%u", part % 10 ? part : part / 10);
}

void bytes_put(struct text *out, uint64_t bytes)
{
	static const char *const units[] = {"bytes", "KB", "MB", "GB", "TB"};
	unsigned k = 0;

	for (; k < 4 && bytes >= 1024 && bytes % 1024 == 0; k++)
		bytes /= 1024;
	text_printf(out, "%llu %s", (unsigned long long)bytes, units[k]);
}
