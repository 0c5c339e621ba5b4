/* The judge: decides whether each expectation holds, whether the case passes, and if not, why. */
#include "script/judge.h"
#include "script/finding.h"
#include <ptxi/status.h>
#include <stdlib.h>
#include <string.h>

static bool read_element(void *self, int object, uint64_t element, void *bytes, bool *undefined)
{
	struct host *h = self;
	size_t size = type_bytes((enum type)h->request->in->object[object].type);
	const struct snapshot *s = host_snapshot(h, object, element * size, size);

	if (++h->looks % HOST_LOOK == 0 && host_late(h))
		return false;
	uint64_t at = element * size - s->first;

	if (s->unreadable)
		return false;
	for (size_t k = 0; k < size; k++)
		if (!s->defined[at + k]) {
			*undefined = true;
			return false;
		}
	memcpy(bytes, s->bytes + at, size);
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
		return arena_printf(
			e->arena, "%s[%llu]", x->name, (unsigned long long)(x->low + e->offset));
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
		(x->op == T_EQ || x->op == T_NE || x->op == T_NEAR || x->op == '<' ||
			x->op == '>' || x->op == T_LE || x->op == T_GE);
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
	return x->kind == EXPR_INT || x->kind == EXPR_FLOAT ||
		(x->kind == EXPR_UNARY && is_literal(x->sub[0]));
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
		return arena_printf(e->arena, "%s, expected approximately %s (they differ by %s)",
			s, expected,
			value_text(e,
				value_float(value_double(a) > value_double(b)
						? value_double(a) - value_double(b)
						: value_double(b) - value_double(a))));
	if (is_literal(right))
		return s;
	return arena_printf(e->arena, "%s, %s is %s", s, shown_part(e, right), expected);
}

struct failures {
	uint64_t count, last;
	struct diag *record;
};

static void note_failure(
	struct host *h, struct eval *e, const struct expr *x, uint64_t n, struct failures *f)
{
	const struct expr *part = culprit(e, x);
	struct diags *d = &h->report->findings;

	f->count++;
	f->last = (uint64_t)e->index;
	if (f->count == 1) {
		f->record = diag_report(
			d, DIAG_X0101, part->source, part->span, "%s", explain(e, part));
		if (n > 1)
			diag_note(d, f->record, "at i = %llu", (unsigned long long)e->index);
	} else if (f->count <= 4) {
		diag_note(d, f->record, "at i = %llu: %s", (unsigned long long)e->index,
			explain(e, part));
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
		if (k % HOST_LOOK == HOST_LOOK - 1 && host_late(h))
			return;
		e.offset = k;
		e.index = first ? (__int128)first->low + k : 0;
		if (!expr_eval(&e, x, &v)) {
			if (h->late)
				return;
			struct diag *d = diag_report(&h->report->findings,
				e.error.undefined ? DIAG_X0108 : DIAG_X0107, e.error.source,
				e.error.span, "%s", e.error.message);

			if (n > 1)
				diag_note(&h->report->findings, d, "at i = %llu",
					(unsigned long long)e.index);
			return;
		}
		if (!value_true(v))
			note_failure(h, &e, x, n, &f);
	}
	if (f.count > 4)
		diag_note(&h->report->findings, f.record,
			"%llu of %llu elements fail, the last at i = %llu",
			(unsigned long long)f.count, (unsigned long long)all,
			(unsigned long long)f.last);
}

/* How many of the printed lines are TEXT; *lines counts them all, *near is the nearest one. */
static uint64_t count_lines(
	const struct text *output, const char *text, size_t n, uint64_t *lines, struct slice *near)
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
		if (!expr_whole(t->count, 0, UINT32_MAX, "a number of lines", &wanted,
			    &h->report->arena, d))
			return;
		count_lines(&h->report->output, NULL, 0, &lines, NULL);
		if (lines != wanted)
			diag_report(d, DIAG_X0103, t->source, t->span,
				"the kernels printed %llu line%s, expected %llu",
				(unsigned long long)lines, lines == 1 ? "" : "s",
				(unsigned long long)wanted);
		return;
	}
	if (count_lines(&h->report->output, t->name, t->name_len, &lines, &near))
		return;
	r = diag_report(
		d, DIAG_X0103, t->source, t->name_span, "no printed line is \"%s\"", t->name);
	if (near.text)
		diag_note(d, r, "the nearest of %llu printed line%s is \"%.*s\"",
			(unsigned long long)lines, lines == 1 ? "" : "s", (int)near.len, near.text);
	else if (lines)
		diag_note(d, r, "%llu line%s printed", (unsigned long long)lines,
			lines == 1 ? " was" : "s were");
	else
		diag_note(d, r, "nothing was printed");
}

static bool is_finding(const struct diag *d)
{
	return strchr("FSRDB", diag_code_info(d->code)->code[0]) != NULL;
}

static const struct diag *first_of(const struct report *r, const char *letters)
{
	for (const struct diag *d = r->findings.first; d; d = d->next)
		if (strchr(letters, diag_code_info(d->code)->code[0]) && !diag_is_warning(d->code))
			return d;
	return NULL;
}

void judge_expectation(struct host *h, const struct stmt *t)
{
	if (h->broken ||
		(h->stopped &&
			(h->report->ended == MACHINE_UNSUPPORTED ||
				h->report->ended == MACHINE_BUDGET)))
		return; /* what memory holds then is nobody's result */
	if (t->kind == STMT_EXPECT_PRINTS)
		judge_prints(h, t);
	/* one cause, one finding */
	else if (t->expr && !(host_lost(h) && !judge_is_expected(h, first_of(h->report, "FB"))))
		judge_expr(h, t->expr);
}

static const char *article(const struct stmt *t)
{
	return t->finding == FINDING_MISUSE           ? ""
		: t->finding == FINDING_UNINITIALISED ? "an "
						      : "a ";
}

static uint8_t checks_of(const struct stmt *t)
{
	switch (t->finding) {
	case FINDING_RACE: return CHECK_RACE;
	case FINDING_UNINITIALISED: return CHECK_INIT;
	case FINDING_MISUSE: return CHECK_SYNC;
	case FINDING_FAULT:
		for (unsigned k = 1; t->name && k < DIAG_COUNT; k++)
			if (diag_code_info((enum diag_code)k)->code[0] == 'S' &&
				script_fault_is((enum diag_code)k, t->name))
				return CHECK_SYNC;
		return t->name && script_fault_is(DIAG_F0201, t->name) ? CHECK_BOUNDS : 0;
	default: return 0;
	}
}

static bool has_come(const struct host *h, const struct stmt *t)
{
	for (const struct diag *d = h->report->findings.first; d; d = d->next)
		if (finding_expected(t, d))
			return true;
	/* told by the finding of its cause */
	return t->finding == FINDING_DEADLOCK && h->report->ended == MACHINE_DEADLOCK;
}

/* Whether T names a warning that -W turns off. */
static bool is_off(const struct host *h, const struct stmt *t)
{
	bool named = t->name && (t->finding == FINDING_MISUSE || t->finding == FINDING_FAULT);

	for (unsigned k = 1; named && k < DIAG_COUNT; k++)
		if (diag_is_off(&h->report->findings, (enum diag_code)k) &&
			script_fault_is((enum diag_code)k, t->name))
			return true;
	return false;
}

const struct stmt *judge_not_looked_for(const struct host *h)
{
	uint8_t without = h->options.given & RUN_CHECK ? (uint8_t)~h->options.machine.checks : 0;

	for (const struct stmt *t = h->request->in->first; t; t = t->next)
		if (t->kind == STMT_EXPECT_FINDING && (checks_of(t) & without || is_off(h, t)) &&
			!has_come(h, t))
			return t;
	return NULL;
}

/* What `expect clean` refuses: a warning, too. */
static const struct diag *first_finding(const struct report *r)
{
	const struct diag *d = first_of(r, "FSRDB");

	for (const struct diag *w = r->findings.first; w && !d; w = w->next)
		d = is_finding(w) ? w : NULL;
	return d;
}

/* expect race and the like: each must have come. */
static void judge_findings(struct host *h)
{
	struct report *r = h->report;
	const struct diag *bad = first_finding(r);

	for (const struct stmt *t = h->request->in->first; t; t = t->next) {
		if (t->kind != STMT_EXPECT_FINDING)
			continue;
		if (t->finding == FINDING_CLEAN) {
			if (bad)
				diag_report(&r->findings, DIAG_X0109, t->source, t->span,
					"the run was not clean: %s", bad->message);
			continue;
		}
		if (!h->broken && !has_come(h, t) && !judge_not_looked_for(h))
			diag_report(&r->findings, DIAG_X0102, t->source, t->span,
				"expected %s%s%s%s, but the run had none%s%s", article(t),
				finding_name(t), t->name ? " " : "", t->name ? t->name : "",
				bad ? "; instead: " : "", bad ? bad->message : "");
	}
}

static bool expects(const struct script_case *in, const struct diag *d)
{
	for (const struct stmt *t = in->first; t; t = t->next)
		if (finding_expected(t, d))
			return true;
	return false;
}

bool judge_is_expected(const struct host *h, const struct diag *d)
{
	return expects(h->request->in, d);
}

bool judge_is_failure(const struct host *h, const struct diag *d)
{
	char letter = diag_code_info(d->code)->code[0];

	return letter == 'X' || letter == 'L' || letter == 'E' ||
		(is_finding(d) && !diag_is_warning(d->code) && !judge_is_expected(h, d));
}

bool judge_all_found(const struct host *h)
{
	for (const struct stmt *t = h->request->in->first; t; t = t->next)
		if (t->kind == STMT_EXPECT_FINDING && t->finding != FINDING_CLEAN &&
			!has_come(h, t))
			return false;
	return true;
}

bool judge_warned(const struct report *r, const struct script_case *in)
{
	for (const struct diag *d = r->findings.first; d; d = d->next)
		if (diag_is_warning(d->code) && !expects(in, d))
			return true;
	return false;
}

static void judge_conditions(struct host *h)
{
	struct report *r = h->report;

	for (uint32_t k = 0; k < r->conditions.count; k++) {
		const struct judged_condition *c = &r->conditions.data[k];

		if (c->decided && !c->holds)
			diag_report(&r->findings, DIAG_X0106, c->stmt->source, c->stmt->expr->span,
				c->stmt->condition == CONDITION_FORBID
					? "this outcome is forbidden but was seen"
					: "an outcome was seen for which this is false");
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

		if (*s == 'D' && r->ended == MACHINE_DEADLOCK)
			return PTXI_DEADLOCK;

		d = first_of(r, letter);
		if (d)
			return diag_status(d->code);
	}
	switch (r->ended) {
	case MACHINE_FAULT: return PTXI_FAULT;
	case MACHINE_DEADLOCK: return PTXI_DEADLOCK;
	case MACHINE_BUDGET: return PTXI_UNDECIDED;
	case MACHINE_UNSUPPORTED: return PTXI_UNSUPPORTED;
	case MACHINE_DONE:
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
	const struct stmt *unlooked;
	const struct diag *d;

	judge_findings(h);
	judge_conditions(h);
	r->status = status_of(h);
	if (first_of(r, "U") || r->ended == MACHINE_UNSUPPORTED) {
		d = first_of(r, "U");
		r->verdict = VERDICT_SKIP;
		r->reason = arena_printf(
			&r->arena, "not executed: %s", d ? d->message : "this part of PTX");
		return;
	}
	for (d = r->findings.first; d; d = d->next)
		if (judge_is_failure(h, d))
			fail(r,
				r->how ? arena_printf(&r->arena, "%s (%s)", d->message, r->how)
				       : d->message);
	d = first_of(r, "B");
	if (r->ended == MACHINE_BUDGET && !(d && judge_is_expected(h, d)))
		fail(r, "a limit was reached before the case ended");
	if (h->broken)
		fail(r, "a line could not be executed");
	unlooked = judge_not_looked_for(h);
	if (r->verdict == VERDICT_PASS && unlooked) {
		r->verdict = VERDICT_SKIP;
		r->reason = arena_printf(&r->arena, "it expects %s%s%s%s, which %s",
			article(unlooked), finding_name(unlooked), unlooked->name ? " " : "",
			unlooked->name ? unlooked->name : "",
			is_off(h, unlooked) ? "-W disables" : "--check does not enable");
	}
}
