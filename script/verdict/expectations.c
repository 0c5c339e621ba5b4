/* Judges expect directives with an expression or prints: whether each holds in a state, and if not,
 * which element is wrong and what its value is. */
#include "script/verdict/judge.h"
#include <string.h>

/* The text of X at the current index: c[0..9] becomes c[3]. */
static const char *shown_part(struct eval *e, const struct expr *x)
{
	if (x->kind == EXPR_NAME && x->range == RANGE_SPAN)
		return arena_printf(
			e->arena, "%s[%llu]", x->name, (unsigned long long)(x->low + e->offset));
	return expr_text(x, e->arena);
}

/* The first conjunct that is false. */
static const struct expr *false_conjunct(struct eval *e, const struct expr *x)
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

/* Describes the values at the current index: "c[3] is 13, expected 14". */
static const char *explain_false(struct eval *e, const struct expr *x)
{
	const struct expr *left, *right;
	struct value a, b;
	const char *s, *expected;

	if (!is_comparison(x))
		return arena_printf(e->arena, "%s is false", expr_text(x, e->arena));
	left = x->sub[is_literal(x->sub[0])];
	right = x->sub[!is_literal(x->sub[0])];
	if (!expr_eval(e, left, &a) || !expr_eval(e, right, &b))
		return "the expression has no value";
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
	struct diags *d, struct eval *e, const struct expr *x, uint64_t n, struct failures *f)
{
	const struct expr *part = false_conjunct(e, x);

	f->count++;
	f->last = (uint64_t)e->index;
	if (f->count == 1) {
		f->record = diag_report(
			d, DIAG_X0101, part->source, part->span, "%s", explain_false(e, part));
		if (n > 1)
			diag_note(d, f->record, "at i = %llu", (unsigned long long)e->index);
	} else if (f->count <= 4) {
		diag_note(d, f->record, "at i = %llu: %s", (unsigned long long)e->index,
			explain_false(e, part));
	}
}

struct diag *judge_no_value(struct report *r, const struct eval *e)
{
	return diag_report(&r->findings, e->error.undefined ? DIAG_X0108 : DIAG_X0107,
		e->error.source, e->error.span, "%s", e->error.message);
}

static bool evidence_late(const struct evidence *e) { return e->late && e->late(e->eval.self); }

static struct diag *judge_expr(const struct evidence *evidence, const struct expr *x)
{
	struct eval e = evidence->eval;
	struct diags *findings = &evidence->report->findings;
	const struct expr *first;
	struct failures f = {0};
	struct value v;
	bool ok;
	uint64_t n = expr_ranges(x, &ok, &first, NULL), all = n ? n : 1;

	for (uint64_t k = 0; k < all; k++) {
		if (k % JUDGE_TIME_STEP == JUDGE_TIME_STEP - 1 && evidence_late(evidence))
			return NULL;
		e.offset = k;
		e.index = first ? (__int128)first->low + k : 0;
		if (!expr_eval(&e, x, &v)) {
			if (evidence_late(evidence))
				return NULL;
			struct diag *d = judge_no_value(evidence->report, &e);

			if (n > 1)
				diag_note(findings, d, "at i = %llu", (unsigned long long)e.index);
			return d;
		}
		if (!value_true(v))
			note_failure(findings, &e, x, n, &f);
	}
	if (f.count > 4)
		diag_note(findings, f.record, "%llu of %llu elements fail, the last at i = %llu",
			(unsigned long long)f.count, (unsigned long long)all,
			(unsigned long long)f.last);
	return f.record;
}

/* The number of printed lines equal to TEXT. *lines is the number of all lines, *near the most
 * similar one. */
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

static struct diag *judge_prints(struct report *report, const struct stmt *t)
{
	struct diags *d = &report->findings;
	struct slice near = {0};
	uint64_t lines, wanted;
	struct diag *r;

	if (t->count) {
		if (!expr_whole(t->count, 0, UINT32_MAX, "a number of lines", &wanted,
			    &report->arena, d))
			return d->first;
		count_lines(&report->output, NULL, 0, &lines, NULL);
		if (lines == wanted)
			return NULL;
		return diag_report(d, DIAG_X0103, t->source, t->span,
			"the kernels printed %llu line%s, expected %llu", (unsigned long long)lines,
			lines == 1 ? "" : "s", (unsigned long long)wanted);
	}
	if (count_lines(&report->output, t->name, t->name_len, &lines, &near))
		return NULL;
	r = diag_report(
		d, DIAG_X0103, t->source, t->name_span, "no printed line equals \"%s\"", t->name);
	if (near.text)
		diag_note(d, r, "the nearest of %llu printed line%s is \"%.*s\"",
			(unsigned long long)lines, lines == 1 ? "" : "s", (int)near.len, near.text);
	else if (lines)
		diag_note(d, r, "%llu line%s printed", (unsigned long long)lines,
			lines == 1 ? " was" : "s were");
	else
		diag_note(d, r, "nothing was printed");
	return r;
}

struct diag *judge_expectation(const struct evidence *e, const struct stmt *t)
{
	return t->kind == STMT_EXPECT_PRINTS ? judge_prints(e->report, t) : judge_expr(e, t->expr);
}

bool judge_true(struct evidence *e, const struct expr *x, bool *known)
{
	struct eval v = e->eval;
	const struct expr *first;
	struct value value;
	bool ok;
	uint64_t n = expr_ranges(x, &ok, &first, NULL);

	*known = true;
	for (uint64_t k = 0; k < (n ? n : 1); k++) {
		v.offset = k;
		v.index = first ? (__int128)first->low + k : 0;
		*known = expr_eval(&v, x, &value);
		if (!*known)
			e->eval.error = v.error;
		if (!*known || !value_true(value))
			return false;
	}
	return true;
}
