/* Outcomes of executions and the conditions over them: naming, collecting, counting, merging those
 * of many runs. */
#include "script/judge.h"
#include <string.h>

/* What an outcome shows: the names and registers of conditions and observe lines, each once. */
static void add_part(struct host *h, const struct expr *x, const char *name, const char ***names,
	struct expr ***parts, uint32_t *n, uint32_t *cap)
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

enum { ELEMENTS_MOST = 64, UNASKED_MOST = 64, PRINTED_MOST = 60 };

static void add_name(struct host *h, const struct expr *x, const char ***names,
	struct expr ***parts, uint32_t *n, uint32_t *cap)
{
	struct arena *arena = &h->report->arena;

	if (x->range != RANGE_SPAN) {
		add_part(h, x, expr_text(x, arena), names, parts, n, cap);
		return;
	}
	for (uint64_t k = x->low; k <= x->high && k - x->low < ELEMENTS_MOST; k++) {
		struct expr one = *x;

		one.low = one.high = k;
		add_part(h, &one, arena_printf(arena, "%s[%llu]", x->name, (unsigned long long)k),
			names, parts, n, cap);
	}
}

static void add_state(struct host *h, const struct expr *x, const char ***names,
	struct expr ***parts, uint32_t *n, uint32_t *cap)
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

/* Whether no line says what outcomes show, though many runs are counted: then the expect and print
 * lines do, as in explore, and the printed text. */
static bool unasked(const struct host *h)
{
	for (const struct stmt *t = h->request->in->first; t; t = t->next)
		if (t->kind == STMT_CONDITION || t->kind == STMT_OBSERVE)
			return false;
	return h->options.runs > 0;
}

void judge_prepare(struct host *h)
{
	struct report *r = h->report;
	bool all = unasked(h);
	uint32_t cap = 0;

	for (const struct stmt *t = h->request->in->first; t; t = t->next) {
		if (t->kind != STMT_CONDITION && t->kind != STMT_OBSERVE &&
			!(all && (t->kind == STMT_EXPECT || t->kind == STMT_PRINT)))
			continue;
		for (const struct expr *x = t->expr; x; x = x->next)
			add_state(h, x, &r->state, &r->state_part, &r->nstate, &cap);
		if (t->kind == STMT_CONDITION)
			*vec_push(&r->conditions) = (struct judged_condition){.stmt = t,
				.kind = condition_kind(t),
				.text = expr_text(t->expr, &r->arena),
				.holds = t->condition != CONDITION_ALLOW};
	}
	if (all && r->nstate > UNASKED_MOST)
		r->nstate = UNASKED_MOST;
	if (all && ir_find_func(h->request->module, "vprintf") != IR_NONE)
		add_part(h, &(struct expr){.kind = EXPR_PRINTED}, "printed", &r->state,
			&r->state_part, &r->nstate, &cap);
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
				diag_report(&h->outcomes->findings,
					e.error.undefined ? DIAG_X0108 : DIAG_X0107, e.error.source,
					e.error.span, "%s", e.error.message);
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

void judge_seen(struct judged_condition *c, bool truth, struct outcome *o)
{
	if (c->stmt->condition == CONDITION_ALLOW) {
		c->holds |= truth;
		c->decided |= truth;
	} else if (truth == (c->stmt->condition == CONDITION_FORBID)) {
		c->holds = false;
		c->decided = o->forbidden = true;
	}
}

/* The beginning of what a run printed; of a longer text also its length and a hash, since what
 * differs may come later. */
static const char *printed_text(const struct text *output, struct arena *arena)
{
	size_t n = output->len < PRINTED_MOST ? output->len : PRINTED_MOST;
	struct text begin = {0}, t = {0};
	const char *s;

	text_add(&begin, text_str(output), n);
	if (output->len > n)
		text_printf(&begin, "... %zu bytes, %08x", output->len,
			(unsigned)hash_of(text_str(output), output->len));
	text_json(&t, text_str(&begin), begin.len);
	s = arena_text(arena, text_str(&t), t.len);
	text_free(&begin);
	text_free(&t);
	return s;
}

void judge_outcome(struct host *h, void *unused)
{
	struct report *whole = h->outcomes;
	struct eval e = host_eval(h);
	const char **texts = judge_state(whole, &e);
	struct outcome *o;

	(void)unused;
	if (whole->nstate && whole->state_part[whole->nstate - 1]->kind == EXPR_PRINTED)
		texts[whole->nstate - 1] = printed_text(&h->report->output, e.arena);
	o = outcome_of(whole, texts);
	o->count++;
	for (uint32_t k = 0; k < whole->conditions.count; k++) {
		struct judged_condition *c = &whole->conditions.data[k];
		bool known, truth = condition_true(h, c->stmt->expr, &known);

		if (known)
			judge_seen(c, truth, o);
	}
}

struct diag *judge_copy(struct report *whole, const struct diag *d)
{
	struct diag *copy = diag_report(&whole->findings, d->code,
		d->nlabels ? d->label[0].source : NULL,
		d->nlabels ? d->label[0].span : (struct span){0, 0}, "%s", d->message);

	for (unsigned k = 1; k < d->nlabels; k++)
		diag_label(&whole->findings, copy, d->label[k].source, d->label[k].span, "%s",
			d->label[k].text);
	for (unsigned k = 0; k < d->nnotes; k++)
		diag_note(&whole->findings, copy, "%s", d->notes[k]);
	if (d->help)
		diag_help(&whole->findings, copy, "%s", d->help);
	copy->cta = d->cta;
	copy->thread = d->thread;
	return copy;
}

bool judge_has(const struct report *whole, const struct diag *d)
{
	for (const struct diag *k = whole->findings.first; k; k = k->next)
		if (k->code == d->code && k->nlabels == d->nlabels &&
			(!d->nlabels || k->label[0].span.off == d->label[0].span.off))
			return true;
	return false;
}

void judge_merge(struct report *whole, struct report *one)
{
	if (one->ended != MACHINE_DONE)
		whole->ended = one->ended;
	if (whole->findings.errors)
		return;
	for (const struct diag *d = one->findings.first; d; d = d->next)
		if (!judge_has(whole, d))
			judge_copy(whole, d);
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
