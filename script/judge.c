/* The judge: says of each expectation whether it holds, and of the case whether it passes, and why not. */
#include "script/judge.h"
#include <stdlib.h>
#include <string.h>

static bool read_element(void *self, int object, uint64_t element, void *bytes, bool *undefined)
{
	struct host *h = self;
	const struct snapshot *s = host_snapshot(h, object);
	size_t size = type_bytes((enum type)h->request->in->object[object].type);

	if (s->unreadable)
		return false;
	for (size_t k = 0; k < size; k++)
		if (!s->defined[element * size + k]) {
			*undefined = true;
			return false;
		}
	memcpy(bytes, s->bytes + element * size, size);
	return true;
}

static bool read_register(void *self, uint32_t thread, uint32_t reg, uint64_t *value, bool *defined)
{
	struct host *h = self;

	return h->backend.reg && h->backend.reg(h->backend.self, thread, reg, value, defined);
}

struct eval host_eval(struct host *h)
{
	return (struct eval){
		.arena = &h->report->arena,
		.object = h->request->in->object,
		.element = read_element,
		.reg = read_register,
		.self = h,
	};
}

/* c[0..9] as c[3] for the element in question. */
static const char *shown_part(struct eval *e, const struct expr *x)
{
	if (x->kind == EXPR_NAME && x->range == RANGE_SPAN)
		return arena_printf(e->arena, "%s[%llu]", x->name, (unsigned long long)(x->low + e->offset));
	return expr_text(x, e->arena);
}

/* The first conjunct that is false. */
static const struct expr *culprit(struct eval *e, const struct expr *x)
{
	struct value v;

	while (x->kind == EXPR_BINARY && x->op == T_AND)
		x = expr_eval(e, x->sub[0], &v) && value_true(v) ? x->sub[1] : x->sub[0];
	return x;
}

static bool is_comparison(const struct expr *x)
{
	return x->kind == EXPR_BINARY &&
	       (x->op == T_EQ || x->op == T_NE || x->op == T_NEAR || x->op == '<' || x->op == '>' || x->op == T_LE || x->op == T_GE);
}

static const char *value_text(struct eval *e, struct value v)
{
	struct text t = {0};
	const char *s;

	value_print(v, false, &t);
	s = arena_text(e->arena, text_str(&t), t.len);
	text_free(&t);
	return s;
}

static bool is_literal(const struct expr *x)
{
	return x->kind == EXPR_INT || x->kind == EXPR_FLOAT || (x->kind == EXPR_UNARY && is_literal(x->sub[0]));
}

/* "c[3] is 13, expected 14" for the current index. */
static const char *explain(struct eval *e, const struct expr *x)
{
	const struct expr *left, *right;
	struct value a, b;
	const char *s, *expected;

	if (!is_comparison(x))
		return arena_printf(e->arena, "%s is false", expr_text(x, e->arena));
	left = x->sub[is_literal(x->sub[0])];
	right = x->sub[!is_literal(x->sub[0])];
	if (!expr_eval(e, left, &a) || !expr_eval(e, right, &b))
		return "it has no value";
	s = arena_printf(e->arena, "%s is %s", shown_part(e, left), value_text(e, a));
	expected = value_text(e, b);
	if (x->op == T_EQ)
		return arena_printf(e->arena, "%s, expected %s", s, expected);
	if (x->op == T_NEAR)
		return arena_printf(e->arena, "%s, expected %s or near it (they differ by %s)", s, expected,
				    value_text(e, value_float(value_double(a) > value_double(b) ? value_double(a) - value_double(b) : value_double(b) - value_double(a))));
	if (is_literal(right))
		return s;
	return arena_printf(e->arena, "%s, %s is %s", s, shown_part(e, right), expected);
}

struct failures {
	uint64_t count, last;
	struct diag *record;
};

static void note_failure(struct host *h, struct eval *e, const struct expr *x, uint64_t n, struct failures *f)
{
	const struct expr *part = culprit(e, x);
	struct diags *d = &h->report->findings;

	f->count++;
	f->last = (uint64_t)e->index;
	if (f->count == 1) {
		f->record = diag_report(d, DIAG_X0101, part->source, part->span, "%s", explain(e, part));
		if (n > 1)
			diag_note(d, f->record, "at i = %llu", (unsigned long long)e->index);
	} else if (f->count <= 4) {
		diag_note(d, f->record, "at i = %llu: %s", (unsigned long long)e->index, explain(e, part));
	}
}

static void judge_expr(struct host *h, const struct expr *x)
{
	struct eval e = host_eval(h);
	const struct expr *first;
	struct failures f = {0};
	struct value v;
	bool ok;
	uint64_t n = expr_ranges(x, &ok, &first, NULL), all = n ? n : 1;

	for (uint64_t k = 0; k < all; k++) {
		e.offset = k;
		e.index = first ? (__int128)first->low + k : 0;
		if (!expr_eval(&e, x, &v)) {
			struct diag *d = diag_report(&h->report->findings, e.error.undefined ? DIAG_X0108 : DIAG_X0107, e.error.source, e.error.span, "%s", e.error.message);

			if (n > 1)
				diag_note(&h->report->findings, d, "at i = %llu", (unsigned long long)e.index);
			return;
		}
		if (!value_true(v))
			note_failure(h, &e, x, n, &f);
	}
	if (f.count > 4)
		diag_note(&h->report->findings, f.record, "%llu of %llu elements fail, the last at i = %llu", (unsigned long long)f.count, (unsigned long long)all,
			  (unsigned long long)f.last);
}

/* How many of the printed lines are TEXT; *lines counts them all, *near is the nearest one. */
static uint64_t count_lines(const struct text *output, const char *text, size_t n, uint64_t *lines, struct slice *near)
{
	const char *s = text_str(output), *end = s + output->len;
	uint64_t hits = 0;
	unsigned least = 9;

	*lines = 0;
	while (s < end) {
		const char *stop = memchr(s, '\n', (size_t)(end - s));
		size_t len = (size_t)((stop ? stop : end) - s);

		++*lines;
		if (text && len == n && memcmp(s, text, n) == 0) {
			hits++;
		} else if (text && near && *lines < 10000) {
			unsigned d = text_distance(s, len, text, n, 8);

			if (d < least) {
				least = d;
				*near = (struct slice){s, (uint32_t)len};
			}
		}
		s = stop ? stop + 1 : end;
	}
	return hits;
}

static void judge_prints(struct host *h, const struct stmt *t)
{
	struct diags *d = &h->report->findings;
	struct slice near = {0};
	uint64_t lines, wanted;
	struct diag *r;

	if (t->count) {
		if (!expr_whole(t->count, 0, UINT32_MAX, "a number of lines", &wanted, &h->report->arena, d))
			return;
		count_lines(&h->report->output, NULL, 0, &lines, NULL);
		if (lines != wanted)
			diag_report(d, DIAG_X0103, t->source, t->span, "the kernels printed %llu line%s, expected %llu", (unsigned long long)lines, lines == 1 ? "" : "s",
				    (unsigned long long)wanted);
		return;
	}
	if (count_lines(&h->report->output, t->name, t->name_len, &lines, &near))
		return;
	r = diag_report(d, DIAG_X0103, t->source, t->name_span, "no printed line is \"%s\"", t->name);
	if (near.text)
		diag_note(d, r, "the nearest of %llu printed line%s is \"%.*s\"", (unsigned long long)lines, lines == 1 ? "" : "s", (int)near.len, near.text);
	else if (lines)
		diag_note(d, r, "%llu line%s printed", (unsigned long long)lines, lines == 1 ? " was" : "s were");
	else
		diag_note(d, r, "nothing was printed");
}

void judge_expectation(struct host *h, const struct stmt *t)
{
	if (h->broken || (h->stopped && h->report->ended == MACHINE_UNSUPPORTED))
		return;
	if (t->kind == STMT_EXPECT_PRINTS)
		judge_prints(h, t);
	else if (t->expr)
		judge_expr(h, t->expr);
}

static bool is_uninitialised(enum diag_code code)
{
	const char *name = diag_code_info(code)->name;

	return diag_code_info(code)->code[0] == 'R' && (strstr(name, "uninit") || strstr(name, "undefined") || strstr(name, "never_written"));
}

/* A driver refuses a launch without saying which of the interpreter's reasons it had. */
static bool is_refusal(const struct stmt *t, const struct diag *d)
{
	for (unsigned k = 1; d->code == DIAG_F0902 && k < DIAG_COUNT; k++)
		if (!strncmp(diag_code_info((enum diag_code)k)->name, "launch_", 7) && (!t->name || script_fault_is((enum diag_code)k, t->name)))
			return true;
	return false;
}

/* Whether the record is what an expect line waits for. */
static bool expected_by(const struct stmt *t, const struct diag *d)
{
	char letter = diag_code_info(d->code)->code[0];

	if (t->kind != STMT_EXPECT_FINDING)
		return false;
	switch (t->finding) {
	case FINDING_RACE: return letter == 'R' && !is_uninitialised(d->code);
	case FINDING_DEADLOCK: return letter == 'D' || d->code == DIAG_B0901; /* a GPU that hangs cannot say more */
	case FINDING_FAULT: return d->code == DIAG_F0901 || is_refusal(t, d) || ((letter == 'F' || letter == 'S') && (!t->name || script_fault_is(d->code, t->name)));
	case FINDING_UNINITIALISED: return is_uninitialised(d->code);
	default: return false;
	}
}

static bool is_finding(const struct diag *d)
{
	return strchr("FSRDB", diag_code_info(d->code)->code[0]) != NULL;
}

static const struct diag *first_of(const struct report *r, const char *letters)
{
	for (const struct diag *d = r->findings.first; d; d = d->next)
		if (strchr(letters, diag_code_info(d->code)->code[0]))
			return d;
	return NULL;
}

static const char *finding_name(const struct stmt *t)
{
	static const char *const names[] = {"", "race", "deadlock", "fault", "uninitialised read"};

	return names[t->finding];
}

/* expect race and the like: each must have come. */
static void judge_findings(struct host *h)
{
	struct report *r = h->report;
	const struct diag *bad = first_of(r, "FSRDB");

	for (const struct stmt *t = h->request->in->first; t; t = t->next) {
		bool seen = false;

		if (t->kind != STMT_EXPECT_FINDING)
			continue;
		if (t->finding == FINDING_CLEAN) {
			if (bad)
				diag_report(&r->findings, DIAG_X0109, t->source, t->span, "the run was not clean: %s", bad->message);
			continue;
		}
		for (const struct diag *d = r->findings.first; d && !seen; d = d->next)
			seen = expected_by(t, d);
		if (!seen && !h->broken)
			diag_report(&r->findings, DIAG_X0102, t->source, t->span, "expected a %s%s%s, and the run had none%s%s", finding_name(t), t->name ? " " : "",
				    t->name ? t->name : "", bad ? ", but: " : "", bad ? bad->message : "");
	}
}

static bool is_expected(const struct host *h, const struct diag *d)
{
	for (const struct stmt *t = h->request->in->first; t; t = t->next)
		if (expected_by(t, d))
			return true;
	return false;
}

/* What an outcome shows: the names and registers of conditions and observe lines, each once. */
static void add_part(struct host *h, const struct expr *x, const char *name, const char ***names, struct expr ***parts, uint32_t *n, uint32_t *cap)
{
	struct arena *arena = &h->report->arena;

	for (uint32_t k = 0; k < *n; k++)
		if (strcmp((*names)[k], name) == 0)
			return;
	if (*n == *cap) {
		uint32_t more = *cap ? *cap * 2 : 16;
		const char **grown = ARENA_ARRAY(arena, const char *, more);
		struct expr **grown_parts = ARENA_ARRAY(arena, struct expr *, more);

		if (*n) {
			memcpy(grown, *names, *n * sizeof *grown);
			memcpy(grown_parts, *parts, *n * sizeof *grown_parts);
		}
		*names = grown;
		*parts = grown_parts;
		*cap = more;
	}
	(*names)[*n] = name;
	(*parts)[*n] = arena_copy(arena, x, sizeof *x, _Alignof(struct expr));
	(*parts)[(*n)++]->next = NULL;
}

enum { ELEMENTS_MOST = 64 };

static void add_name(struct host *h, const struct expr *x, const char ***names, struct expr ***parts, uint32_t *n, uint32_t *cap)
{
	struct arena *arena = &h->report->arena;

	if (x->range != RANGE_SPAN) {
		add_part(h, x, expr_text(x, arena), names, parts, n, cap);
		return;
	}
	for (uint64_t k = x->low; k <= x->high && k - x->low < ELEMENTS_MOST; k++) {
		struct expr one = *x;

		one.low = one.high = k;
		add_part(h, &one, arena_printf(arena, "%s[%llu]", x->name, (unsigned long long)k), names, parts, n, cap);
	}
}

static void add_state(struct host *h, const struct expr *x, const char ***names, struct expr ***parts, uint32_t *n, uint32_t *cap)
{
	if (!x)
		return;
	if (x->kind == EXPR_REGISTER) {
		add_part(h, x, expr_text(x, &h->report->arena), names, parts, n, cap);
	} else if (x->kind == EXPR_NAME && x->object >= 0) {
		add_name(h, x, names, parts, n, cap);
	} else if (x->kind == EXPR_CALL) {
		for (const struct expr *a = x->sub[0]; a; a = a->next)
			add_state(h, a, names, parts, n, cap);
	} else {
		for (unsigned k = 0; k < 3; k++)
			add_state(h, x->sub[k], names, parts, n, cap);
	}
}

static const char *condition_kind(const struct stmt *t)
{
	static const char *const kinds[] = {"allow", "forbid", "always"};

	return kinds[t->condition];
}

void judge_prepare(struct host *h)
{
	struct report *r = h->report;
	uint32_t cap = 0;

	for (const struct stmt *t = h->request->in->first; t; t = t->next) {
		if (t->kind != STMT_CONDITION && t->kind != STMT_OBSERVE)
			continue;
		for (const struct expr *x = t->expr; x; x = x->next)
			add_state(h, x, &r->state, &r->state_part, &r->nstate, &cap);
		if (t->kind == STMT_CONDITION)
			*vec_push(&r->conditions) = (struct judged_condition){
				.stmt = t, .kind = condition_kind(t), .text = expr_text(t->expr, &r->arena), .holds = t->condition != CONDITION_ALLOW};
	}
}

static bool condition_true(struct host *h, const struct expr *x, bool *known)
{
	struct eval e = host_eval(h);
	const struct expr *first;
	struct value v;
	bool ok;
	uint64_t n = expr_ranges(x, &ok, &first, NULL);

	*known = true;
	for (uint64_t k = 0; k < (n ? n : 1); k++) {
		e.offset = k;
		e.index = first ? (__int128)first->low + k : 0;
		if (!expr_eval(&e, x, &v)) {
			if (h->outcomes->findings.errors < 1)
				diag_report(&h->outcomes->findings, e.error.undefined ? DIAG_X0108 : DIAG_X0107, e.error.source, e.error.span, "%s", e.error.message);
			*known = false;
			return false;
		}
		if (!value_true(v))
			return false;
	}
	return true;
}

static uint64_t hash_of(const char *s, size_t n)
{
	uint64_t h = 0xcbf29ce484222325u;

	for (size_t k = 0; k < n; k++)
		h = (h ^ (unsigned char)s[k]) * 0x100000001b3u;
	return h >> 1;
}

/* The outcome whose state is TEXTS, entered when it is new. */
static struct outcome *outcome_of(struct report *r, const char *const *texts)
{
	struct text all = {0};
	uint64_t key;
	uint32_t at;
	struct outcome *o;

	for (uint32_t k = 0; k < r->nstate; k++)
		text_add(&all, texts[k], strlen(texts[k]) + 1);
	key = hash_of(text_str(&all), all.len);
	text_free(&all);
	for (;; key++) { /* the next key while this one belongs to another state */
		bool same = true;

		at = map_get(&r->seen, key, UINT32_MAX);
		if (at == UINT32_MAX)
			break;
		for (uint32_t k = 0; k < r->nstate && same; k++)
			same = strcmp(r->outcomes.data[at].text[k], texts[k]) == 0;
		if (same)
			return &r->outcomes.data[at];
	}
	map_set(&r->seen, key, r->outcomes.count);
	o = vec_push(&r->outcomes);
	*o = (struct outcome){.text = ARENA_ARRAY(&r->arena, const char *, r->nstate + 1)};
	for (uint32_t k = 0; k < r->nstate; k++)
		o->text[k] = arena_text(&r->arena, texts[k], strlen(texts[k]));
	return o;
}

void judge_outcome(struct host *h, void *unused)
{
	struct report *whole = h->outcomes;
	const char **texts = ARENA_ARRAY(&h->report->arena, const char *, whole->nstate + 1);
	struct eval e = host_eval(h);
	struct outcome *o;
	struct text t = {0};

	(void)unused;
	for (uint32_t k = 0; k < whole->nstate; k++) {
		struct value v;

		text_clear(&t);
		e.error.message = NULL;
		if (expr_eval(&e, whole->state_part[k], &v))
			value_print(v, true, &t);
		else
			text_puts(&t, "null");
		texts[k] = arena_text(&h->report->arena, text_str(&t), t.len);
	}
	text_free(&t);
	o = outcome_of(whole, texts);
	o->count++;
	for (uint32_t k = 0; k < whole->conditions.count; k++) {
		struct judged_condition *c = &whole->conditions.data[k];
		bool known, truth = condition_true(h, c->stmt->expr, &known);

		if (!known)
			continue;
		if (c->stmt->condition == CONDITION_ALLOW) {
			c->holds |= truth;
			c->decided |= truth;
		} else if (truth == (c->stmt->condition == CONDITION_FORBID)) {
			c->holds = false;
			c->decided = true;
			o->forbidden = true;
		}
	}
}

void judge_merge(struct report *whole, struct report *one)
{
	if (one->ended != MACHINE_DONE)
		whole->ended = one->ended;
	if (whole->findings.errors || !one->findings.first)
		return;
	for (const struct diag *d = one->findings.first; d; d = d->next) {
		struct diag *copy = diag_report(&whole->findings, d->code, d->nlabels ? d->label[0].source : NULL, d->nlabels ? d->label[0].span : (struct span){0, 0}, "%s",
						d->message);

		for (unsigned k = 1; k < d->nlabels; k++)
			diag_label(&whole->findings, copy, d->label[k].source, d->label[k].span, "%s", d->label[k].text);
		for (unsigned k = 0; k < d->nnotes; k++)
			diag_note(&whole->findings, copy, "%s", d->notes[k]);
		if (d->help)
			diag_help(&whole->findings, copy, "%s", d->help);
		copy->cta = d->cta;
		copy->thread = d->thread;
	}
}

void judge_join(struct report *whole, struct report *some)
{
	judge_merge(whole, some);
	whole->executions += some->executions;
	for (uint32_t k = 0; k < some->outcomes.count; k++) {
		const struct outcome *from = &some->outcomes.data[k];
		struct outcome *to = outcome_of(whole, from->text);

		to->count += from->count;
		to->forbidden |= from->forbidden;
	}
	for (uint32_t k = 0; k < some->conditions.count; k++) {
		struct judged_condition *to = &whole->conditions.data[k];
		const struct judged_condition *from = &some->conditions.data[k];

		if (!from->decided)
			continue;
		to->holds = from->holds;
		to->decided = true;
	}
}

static void judge_conditions(struct host *h)
{
	struct report *r = h->report;

	for (uint32_t k = 0; k < r->conditions.count; k++) {
		const struct judged_condition *c = &r->conditions.data[k];

		if (c->decided && !c->holds)
			diag_report(&r->findings, DIAG_X0106, c->stmt->source, c->stmt->expr->span,
				    c->stmt->condition == CONDITION_FORBID ? "this outcome is forbidden and was seen" : "an outcome was seen in which this is not so");
	}
}

/* As run exits: how the machine ended first, then the gravest finding, then expectations. */
static int status_of(const struct host *h)
{
	static const char order[] = "UBDFSREL";
	const struct report *r = h->report;
	const struct diag *d;

	for (const char *s = order; *s; s++) {
		const char letter[2] = {*s, 0};

		d = first_of(r, letter);
		if (d)
			return diag_status(d->code);
	}
	switch (r->ended) {
	case MACHINE_FAULT: return 4;
	case MACHINE_DEADLOCK: return 6;
	case MACHINE_BUDGET: return 7;
	case MACHINE_UNSUPPORTED: return 8;
	default: return first_of(r, "X") ? 1 : 0;
	}
}

static void fail(struct report *r, const char *reason)
{
	if (r->verdict == VERDICT_PASS) {
		r->verdict = VERDICT_FAIL;
		r->reason = reason;
	}
}

void judge_case(struct host *h)
{
	struct report *r = h->report;
	const struct diag *d;

	judge_findings(h);
	judge_conditions(h);
	r->status = status_of(h);
	r->verdict = VERDICT_PASS;
	if (first_of(r, "U") || r->ended == MACHINE_UNSUPPORTED) {
		d = first_of(r, "U");
		r->verdict = VERDICT_SKIP;
		r->reason = arena_printf(&r->arena, "not executed: %s", d ? d->message : "this part of PTX");
		return;
	}
	for (d = r->findings.first; d; d = d->next) {
		char letter = diag_code_info(d->code)->code[0];

		if (letter == 'X' || letter == 'L' || letter == 'E' || (is_finding(d) && !is_expected(h, d)))
			fail(r, d->message);
	}
	d = first_of(r, "B");
	if (r->ended == MACHINE_BUDGET && !(d && is_expected(h, d)))
		fail(r, "a budget ran out before the case ended");
	if (h->broken)
		fail(r, "a line could not be carried out");
}
