/* Lists, judges and explains the outcomes of an explored case. */
#include "script/litmus/explorer_judge.h"
#include "script/litmus/explorer_picture.h"
#include "base/memory.h"
#include "explore/explain/why.h"
#include "script/litmus/explorer_findings.h"
#include "script/verdict/judge.h"
#include <ptxi/status.h>
#include <inttypes.h>
#include <stdlib.h>

static bool exploration_element(
	void *self, int object, uint64_t index, void *bytes, bool *undefined)
{
	struct exploration *e = self;
	const struct object *o = &e->in.object[object];
	unsigned size = type_bytes((enum type)o->type);
	*undefined = false;
	return exploration_read(e, o->address + index * size, bytes, size, NULL);
}

/* Evidence whose state is the current outcome. */
static struct evidence evidence_of(struct exploration *e)
{
	return (struct evidence){.in = e->request->in,
		.report = e->report,
		.eval = {.arena = &e->report->arena,
			.object = e->in.object,
			.element = exploration_element,
			.reg = exploration_register,
			.self = e},
		.explored = true,
		.open = !e->result || !explore_complete(e->result),
		.unchecked = CHECK_INIT | CHECK_SYNC};
}

struct why {
	struct exploration *e;
	const struct expr *expr;
	bool negated;
};

static bool why_holds(void *client, const uint64_t *value)
{
	struct why *w = client;
	struct evidence of = evidence_of(w->e);
	bool known;
	w->e->value = value;
	bool truth = judge_true(&of, w->expr, &known);
	return known && truth != w->negated;
}

/* Lists one outcome and updates the conditions. */
static void judge_outcome_row(struct exploration *e, uint32_t index)
{
	struct report *r = e->report;
	const struct explore_outcome *o = &e->result->outcomes.list.data[index];
	struct evidence of = evidence_of(e);
	struct outcome *shown = vec_push(&r->outcomes);
	e->value = o->value;
	*shown = (struct outcome){.text = judge_state(r, &of.eval), .count = 1};
	bool marked = judge_seen(&of, r, shown, o->count);
	text_printf(&r->listing, "%-8" PRIu64 "%s", o->count, marked ? "*> " : ":> ");
	report_put_outcome(r, shown, &r->listing);
	text_puts(&r->listing, "\n");
	if (e->request->verbose || e->result->outcomes.list.count <= EXPLORER_MAX_LISTED)
		explore_print_execution(e->result, index, &e->names, &r->listing);
}

/* An expect directive is judged on final values, and holds if it is true in every outcome. */
static void judge_expect(struct exploration *e, const struct stmt *t)
{
	struct report *r = e->report;
	struct evidence of = evidence_of(e);
	for (uint32_t i = 0; i < r->outcomes.count; i++) {
		bool known;
		e->value = e->result->outcomes.list.data[i].value;
		if (judge_true(&of, t->expr, &known))
			continue;
		struct diag *d = judge_expectation(&of, t);
		struct text state = {0};
		report_put_outcome(r, &r->outcomes.data[i], &state);
		diag_note(&r->findings, d, "in the outcome %s", text_str(&state));
		text_free(&state);
		return;
	}
}

bool exploration_decided(void *self, const uint64_t *value)
{
	struct exploration *e = self;
	const struct report *r = e->report;
	struct evidence of = evidence_of(e);
	bool all = true;
	e->value = value;
	for (uint32_t k = 0; k < r->conditions.count; k++) {
		const struct stmt *s = r->conditions.data[k].stmt;
		bool known = true;
		if (!e->found[k] &&
			judge_true(&of, s->expr, &known) == (s->condition != CONDITION_ALWAYS) &&
			known)
			e->found[k] = true;
		all &= e->found[k];
	}
	e->value = NULL;
	return all;
}

bool exploration_is_enough(void *self, const uint64_t *value)
{
	struct exploration *e = self;
	const struct explorer_request *q = e->request;
	struct report *r = e->report;
	struct evidence of = evidence_of(e);
	struct text text = {0};
	const char **state;
	bool *condition = ARENA_ARRAY(&r->arena, bool, r->conditions.count + 1), enough, known;
	e->value = value;
	state = judge_state(r, &of.eval);
	for (uint32_t k = 0; k < r->nstate; k++)
		text_printf(&text, "%s;", state[k]);
	for (uint32_t k = 0; k < r->conditions.count; k++)
		condition[k] = judge_true(&of, r->conditions.data[k].stmt->expr, &known);
	enough = q->enough(q->enough_arg, text_str(&text), condition);
	text_free(&text);
	e->value = NULL;
	return enough;
}

bool exploration_wants_conditions_only(const struct exploration *e)
{
	const struct explorer_request *q = e->request;
	for (const struct stmt *t = q->in->first; t; t = t->next) {
		if (t->kind == STMT_EXPECT_FINDING || t->kind == STMT_EXPECT)
			return false;
	}
	return q->judge && !q->verbose && !q->why && !q->graph && !q->picture &&
		e->report->conditions.count;
}

static const char *exploration_name(const struct exploration *e)
{
	return e->in.name ? e->in.name : e->request->program->path;
}

static void list_conditions(struct exploration *e)
{
	struct report *r = e->report;
	uint64_t all = 0;
	for (uint32_t i = 0; i < e->result->outcomes.list.count && !e->result->mixed.some; i++)
		all += e->result->outcomes.list.data[i].count;
	for (uint32_t k = 0; k < r->conditions.count; k++) {
		const struct judged_condition *c = &r->conditions.data[k];
		text_printf(&r->listing,
			"%s\nCondition %s %s\nObservation %s %s %" PRIu64 " %" PRIu64 "\n",
			!c->decided        ? "Undecided"
				: c->holds ? "Ok"
					   : "No",
			c->kind, c->text, exploration_name(e),
			!c->positive                 ? "Never"
				: c->positive == all ? "Always"
						     : "Sometimes",
			c->positive, all - c->positive);
	}
}

/* Without conditions: the graph of the first outcome, and a picture of the first few. */
static void exploration_draw_outcomes(struct exploration *e)
{
	enum { DRAWN = 4 };
	uint32_t all = e->result->outcomes.list.count;
	struct text title = {0};
	if (e->request->graph && all)
		explore_graph(e->result, 0, &e->names, "the first outcome", &e->graph);
	for (uint32_t k = 0; e->request->picture && k < all && k < DRAWN; k++) {
		struct graph graph = {.title = NULL};
		text_clear(&title);
		text_printf(&title, "outcome %u of %u", k + 1, all);
		explore_graph(e->result, k, &e->names, text_str(&title), &graph);
		explorer_draw(e->request, &graph, exploration_name(e), NULL);
		graph_free(&graph);
	}
	text_free(&title);
}

static void exploration_explain(struct exploration *e)
{
	struct report *r = e->report;
	struct text words = {0}, question = {0};
	/* --why=COND is the last condition, and is not judged */
	bool asked = e->request->why && *e->request->why;
	for (uint32_t k = asked && r->conditions.count ? r->conditions.count - 1 : 0;
		k < r->conditions.count; k++) {
		const struct judged_condition *c = &r->conditions.data[k];
		struct why w = {e, c->stmt->expr, c->stmt->condition == CONDITION_ALWAYS};
		struct explore_condition condition = {&w, why_holds};
		graph_free(&e->graph);
		text_printf(&words, "%s %s\n", c->kind, c->text);
		explore_why(e->result, &condition, &e->names, &words, &e->graph);
		text_clear(&question);
		text_printf(&question, "%s%s%s", asked ? "" : c->kind, asked ? "" : " ", c->text);
		explorer_draw(e->request, &e->graph, exploration_name(e), text_str(&question));
	}
	if (!r->conditions.count && !asked)
		exploration_draw_outcomes(e);
	if (e->request->why) {
		text_add(&r->listing, text_str(&words), words.len);
		text_add(&r->why, text_str(&words), words.len);
	}
	if (asked && r->conditions.count)
		r->conditions.count--;
	text_free(&words);
	text_free(&question);
}

void exploration_judge(struct exploration *e)
{
	struct report *r = e->report;
	const struct explore_result *x = e->result;
	struct explored_threads threads = {.result = x,
		.source = e->request->program->module->source,
		.arena = &r->arena,
		.launches = e->order.count};
	/* after a race of mixed sizes, the outcomes are not those of the memory model */
	uint32_t states = x->mixed.some ? 0 : x->outcomes.list.count;
	text_printf(&r->listing, "Test %s\nStates %u\n", exploration_name(e), states);
	for (uint32_t i = 0; i < states; i++)
		judge_outcome_row(e, i);
	for (uint32_t k = 0; k < r->conditions.count; k++)
		r->conditions.data[k].decided |= explore_complete(x);
	list_conditions(e);
	if ((e->request->why || e->request->graph || e->request->picture) && !x->mixed.some)
		exploration_explain(e);
	for (const struct stmt *t = e->request->in->first; t; t = t->next) {
		if (t->kind == STMT_EXPECT && e->judges_expect)
			judge_expect(e, t);
	}
	e->value = NULL;
	explorer_limits(&threads, &r->findings);
	explorer_mixed(&threads, &r->findings);
	if (x->fault) {
		struct diag *d = diag_report(&r->findings, x->unsupported ? DIAG_U0150 : DIAG_F0150,
			threads.source, ptx_span(e->program, x->fault_thread, x->fault_place),
			"%s encounters %s", explorer_thread(&threads, x->fault_thread), x->fault);
		d->label[0].call = ptx_call_span(e->program, x->fault_thread, x->fault_place);
	}
	explorer_stuck(&threads, &r->findings);
	e->races = explorer_races(&threads, &r->findings);
	if (e->races)
		text_printf(&r->listing, "Data races %u\n", e->races);
	if (e->request->stats)
		explore_print_work(x, &r->listing);
	if (x->options.verify)
		explorer_verified(x, &e->names, r);
}

static void exploration_fail(struct report *r, int status, const char *reason)
{
	judge_fail(r, reason);
	if (!r->status)
		r->status = status;
}

/* Verdict if the case could not be explored as written; the reason has already been reported. */
static void verdict_unexplored(struct report *r)
{
	const struct diag *d = judge_first(r, "U");
	bool lacks = d || !r->findings.first;
	r->incomplete = true;
	r->executions = 0;
	for (const struct diag *last = r->findings.first; last && !lacks; last = last->next)
		d = last;
	r->verdict = lacks ? VERDICT_SKIP : VERDICT_FAIL;
	r->status = d ? diag_status(d->code) : PTXI_UNSUPPORTED;
	r->reason = d ? arena_printf(&r->arena, "not explored: %s", d->message) : "not explored";
}

/* Whether a finding whose code begins with one of LETTERS is not expected and so fails the case. */
static bool has_unexpected(const struct exploration *e, const char *letters)
{
	const struct diag *d = judge_first(e->report, letters);
	return d && !judge_is_expected(e->request->in, d);
}

void exploration_verdict(struct exploration *e)
{
	struct report *r = e->report;
	const struct explore_result *x = e->result;
	struct evidence all = evidence_of(e);
	const struct stmt *missing;
	const struct diag *d;
	bool asks = !r->conditions.count; /* whether the verdict depends on every execution */
	/* incomplete: a directive of the host program could not be executed */
	if (!x || x->unsupported || r->incomplete) {
		verdict_unexplored(r);
		if (x)
			explorer_unverified(x, r);
		return;
	}
	r->incomplete = all.open;
	r->executions = x->executions;
	if (has_unexpected(e, "F"))
		exploration_fail(r, PTXI_FAULT, "a thread may fault");
	judge_conditions(&all);
	d = judge_first(r, "X"); /* including failed expect directives */
	if (d)
		exploration_fail(r, PTXI_FAILED, d->message);
	for (uint32_t k = 0; k < r->conditions.count; k++) {
		if (!r->conditions.data[k].decided)
			exploration_fail(r, PTXI_UNDECIDED,
				x->mixed.some
					? "accesses of different sizes race"
					: "not all executions were explored, and those that were do not decide every condition");
	}
	if (has_unexpected(e, "D"))
		exploration_fail(r, PTXI_DEADLOCK, "threads may wait or spin forever");
	missing = judge_missing(&all);
	if (missing && all.open)
		exploration_fail(r, PTXI_UNDECIDED,
			arena_printf(&r->arena,
				"no explored execution has %s, but not all were explored",
				judge_wanted(r, missing)));
	d = judge_findings(&all);
	if (d)
		exploration_fail(r, d->code == DIAG_X0109 ? PTXI_RACE : PTXI_FAILED, d->message);
	for (const struct stmt *t = e->request->in->first; t; t = t->next)
		asks |= (t->kind == STMT_EXPECT && e->judges_expect) ||
			(t->kind == STMT_EXPECT_FINDING && t->finding == FINDING_CLEAN);
	if (asks && all.open)
		exploration_fail(r, PTXI_UNDECIDED, "not all executions were explored");
	if (r->status == PTXI_UNDECIDED && !x->mixed.some)
		diag_plain(&r->findings, DIAG_B0151, "undecided: %s", r->reason);
	missing = judge_unchecked(&all);
	if (r->verdict == VERDICT_PASS && missing) {
		r->verdict = VERDICT_SKIP;
		r->reason = arena_printf(&r->arena, "it expects %s, which is not explored",
			judge_wanted(r, missing));
	}
	d = judge_first(r, "R");
	if (r->verdict == VERDICT_PASS && !(d && judge_is_expected(e->request->in, d)))
		r->reason = explorer_race_remark(e->races, &r->arena);
	explorer_unverified(x, r);
}
