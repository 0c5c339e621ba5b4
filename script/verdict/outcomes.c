/* Outcomes, and conditions on them: which values an outcome consists of, what they are in a state,
 * and which conditions hold there. */
#include "script/verdict/judge.h"
#include "base/hash.h"
#include <string.h>

enum { STATE_STEP = 64, MAX_ELEMENTS = 64, MAX_DEFAULT_VALUES = 64, MAX_PRINTED = 60 };

/* Adds X to the values of an outcome, unless it is already among them. */
static void add_part(struct report *r, const struct expr *x, const char *name)
{
	struct arena *arena = &r->arena;
	uint32_t n = r->nstate;

	for (uint32_t k = 0; k < n; k++)
		if (strcmp(r->state[k], name) == 0)
			return;
	if (n % STATE_STEP == 0) {
		const char **names = ARENA_ARRAY(arena, const char *, n + STATE_STEP);
		struct expr **parts = ARENA_ARRAY(arena, struct expr *, n + STATE_STEP);

		if (n) {
			memcpy(names, r->state, n * sizeof *names);
			memcpy(parts, r->state_part, n * sizeof *parts);
		}
		r->state = names;
		r->state_part = parts;
	}
	r->state[n] = name;
	r->state_part[n] = arena_copy(arena, x, sizeof *x, _Alignof(struct expr));
	r->state_part[n]->next = NULL;
	r->nstate++;
}

static void add_name(struct report *r, const struct expr *x)
{
	struct arena *arena = &r->arena;

	if (x->range != RANGE_SPAN) {
		add_part(r, x, expr_text(x, arena));
		return;
	}
	for (uint64_t k = x->low; k <= x->high && k - x->low < MAX_ELEMENTS; k++) {
		struct expr one = *x;

		one.low = one.high = k;
		add_part(r, &one, arena_printf(arena, "%s[%llu]", x->name, (unsigned long long)k));
	}
}

static void add_state(struct report *r, const struct expr *x)
{
	if (!x)
		return;
	if (x->kind == EXPR_REGISTER) {
		add_part(r, x, expr_text(x, &r->arena));
	} else if (x->kind == EXPR_NAME && x->object >= 0) {
		add_name(r, x);
	} else if (x->kind == EXPR_CALL) {
		for (const struct expr *a = x->sub[0]; a; a = a->next)
			add_state(r, a);
	} else {
		for (unsigned k = 0; k < 3; k++)
			add_state(r, x->sub[k]);
	}
}

static const char *condition_kind(const struct stmt *t)
{
	static const char *const kinds[] = {"allow", "forbid", "always"};

	return kinds[t->condition];
}

/* Whether the case has neither conditions nor observe directives. */
static bool lacks_conditions(const struct script_case *in)
{
	for (const struct stmt *t = in->first; t; t = t->next)
		if (t->kind == STMT_CONDITION || t->kind == STMT_OBSERVE)
			return false;
	return true;
}

void judge_prepare(
	const struct script_case *in, const struct ir_module *m, bool all, struct report *r)
{
	all &= lacks_conditions(in);
	for (const struct stmt *t = in->first; t; t = t->next) {
		if (t->kind != STMT_CONDITION && t->kind != STMT_OBSERVE &&
			!(all && (t->kind == STMT_EXPECT || t->kind == STMT_PRINT)))
			continue;
		for (const struct expr *x = t->expr; x; x = x->next)
			add_state(r, x);
		if (t->kind == STMT_CONDITION)
			*vec_push(&r->conditions) = (struct judged_condition){.stmt = t,
				.kind = condition_kind(t),
				.text = expr_text(t->expr, &r->arena),
				.holds = t->condition != CONDITION_ALLOW};
	}
	if (all && r->nstate > MAX_DEFAULT_VALUES)
		r->nstate = MAX_DEFAULT_VALUES;
	if (all && ir_find_func(m, "vprintf") != IR_NONE)
		add_part(r, &(struct expr){.kind = EXPR_PRINTED}, "printed");
}

const char **judge_state(const struct report *r, struct eval *e)
{
	const char **texts = ARENA_ARRAY(e->arena, const char *, r->nstate + 1);
	struct text t = {0};

	for (uint32_t k = 0; k < r->nstate; k++) {
		struct value v;

		text_clear(&t);
		e->error.message = NULL;
		if (r->state_part[k]->kind != EXPR_PRINTED && expr_eval(e, r->state_part[k], &v))
			value_print(v, true, &t);
		else
			text_puts(&t, "null");
		texts[k] = arena_text(e->arena, text_str(&t), t.len);
	}
	text_free(&t);
	return texts;
}

bool judge_seen(struct evidence *e, struct report *whole, struct outcome *o, uint64_t count)
{
	bool marked = false;

	for (uint32_t k = 0; k < whole->conditions.count; k++) {
		struct judged_condition *c = &whole->conditions.data[k];
		bool known, truth = judge_true(e, c->stmt->expr, &known);

		if (!known && whole->findings.errors == 0)
			judge_no_value(whole, &e->eval);
		if (!known)
			continue;
		c->positive += truth ? count : 0;
		marked |= truth && c->stmt->condition != CONDITION_ALWAYS;
		if (c->stmt->condition == CONDITION_ALLOW) {
			c->holds |= truth;
			c->decided |= truth;
		} else if (truth == (c->stmt->condition == CONDITION_FORBID)) {
			c->holds = false;
			c->decided = o->forbidden = true;
		}
	}
	return marked || o->forbidden;
}

/* The start of a run's output. A longer output also gets its size and a hash, since it may differ
 * further on. */
static const char *printed_text(const struct text *output, struct arena *arena)
{
	size_t n = output->len < MAX_PRINTED ? output->len : MAX_PRINTED, lines = 0;
	struct text begin = {0}, t = {0};
	const char *s;

	text_add(&begin, text_str(output), n);
	for (size_t k = 0; k < output->len; k++)
		lines += text_str(output)[k] == '\n' || k + 1 == output->len;
	if (output->len > n)
		text_printf(&begin, "... %zu lines, %zu bytes, %08x", lines, output->len,
			(unsigned)hash_bytes(text_str(output), output->len, 0));
	text_json(&t, text_str(&begin), begin.len);
	s = arena_text(arena, text_str(&t), t.len);
	text_free(&begin);
	text_free(&t);
	return s;
}

void judge_outcome(struct evidence *e, struct report *whole)
{
	const char **texts = judge_state(whole, &e->eval);
	struct outcome *o;

	if (whole->nstate && whole->state_part[whole->nstate - 1]->kind == EXPR_PRINTED)
		texts[whole->nstate - 1] = printed_text(&e->report->output, e->eval.arena);
	o = report_outcome(whole, texts);
	if (o->count++ == 0 && e->report->output.len > MAX_PRINTED)
		report_keep_printed(whole, o, text_str(&e->report->output), e->report->output.len);
	judge_seen(e, whole, o, 1);
}
