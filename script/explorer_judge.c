/* The outcomes of an explored case: shown, judged by its conditions, explained. */
#include "script/explorer_judge.h"
#include "base/memory.h"
#include "script/explorer_findings.h"
#include "script/judge.h"
#include <ptxi/status.h>
#include <inttypes.h>
#include <stdlib.h>

static const struct stmt *expects(const struct script_case *in, enum finding_kind kind)
{
	for (const struct stmt *t = in->first; t; t = t->next) {
		if (t->kind == STMT_EXPECT_FINDING && t->finding == kind)
			return t;
	}
	return NULL;
}

static bool element(void *self, int object, uint64_t index, void *bytes, bool *undefined)
{
	struct exploration *e = self;
	const struct object *o = &e->in.object[object];
	unsigned size = type_bytes((enum type)o->type);
	*undefined = false;
	return exploration_read(e, o->address + index * size, bytes, size, NULL);
}

static struct eval eval_of(struct exploration *e)
{
	return (struct eval){.arena = &e->report->arena,
		.object = e->in.object,
		.element = element,
		.reg = exploration_register,
		.self = e};
}

static bool condition_true(struct exploration *e, const struct expr *x, bool *known)
{
	struct eval v = eval_of(e);
	const struct expr *first;
	struct value value;
	bool ok;
	uint64_t n = expr_ranges(x, &ok, &first, NULL);
	*known = true;
	for (uint64_t k = 0; k < (n ? n : 1); k++) {
		v.offset = k;
		v.index = first ? (__int128)first->low + k : 0;
		if (!expr_eval(&v, x, &value)) {
			*known = false;
			return false;
		}
		if (!value_true(value))
			return false;
	}
	return true;
}

struct why {
	struct exploration *e;
	const struct expr *expr;
	bool negated;
};

static bool why_holds(void *client, const uint64_t *value)
{
	struct why *w = client;
	bool known;
	w->e->value = value;
	bool truth = condition_true(w->e, w->expr, &known);
	return known && truth != w->negated;
}

static void show_state(struct exploration *e, const struct explore_outcome *o, const char *mark)
{
	struct report *r = e->report;
	struct outcome *shown = vec_push(&r->outcomes);
	struct eval v = eval_of(e);
	*shown = (struct outcome){
		.text = judge_state(r, &v), .count = 1, .forbidden = *mark == '*'};
	text_printf(&r->listing, "%-8" PRIu64 "%s", o->count, mark);
	for (uint32_t k = 0; k < r->nstate; k++)
		text_printf(&r->listing, "%s%s=%s;", k ? " " : "", r->state[k], shown->text[k]);
	text_puts(&r->listing, "\n");
}

/* One outcome: its state, its effect on every condition. */
static void judge_outcome_row(struct exploration *e, uint32_t index, uint64_t *positive)
{
	struct report *r = e->report;
	const struct explore_outcome *o = &e->result->outcomes.list.data[index];
	bool forbidden = false, marked = false;
	e->value = o->value;
	for (uint32_t k = 0; k < r->conditions.count; k++) {
		struct judged_condition *c = &r->conditions.data[k];
		bool known, truth = condition_true(e, c->stmt->expr, &known);
		if (!known)
			continue;
		positive[k] += truth ? o->count : 0;
		marked |= truth && c->stmt->condition != CONDITION_ALWAYS;
		if (c->stmt->condition == CONDITION_ALLOW && truth) {
			c->holds = e->decided[k] = true;
		} else if (c->stmt->condition != CONDITION_ALLOW &&
			truth == (c->stmt->condition == CONDITION_FORBID)) {
			c->holds = false;
			e->decided[k] = forbidden = true;
		}
	}
	show_state(e, o, forbidden || marked ? "*> " : ":> ");
	if (e->request->verbose || e->result->outcomes.list.count <= EXPLORER_FEW)
		explore_print_execution(e->result, index, &e->names, &r->listing);
}

bool exploration_decided(void *self, const uint64_t *value)
{
	struct exploration *e = self;
	const struct report *r = e->report;
	bool all = true;
	e->value = value;
	for (uint32_t k = 0; k < r->conditions.count; k++) {
		const struct stmt *s = r->conditions.data[k].stmt;
		bool known = true;
		if (!e->found[k] &&
			condition_true(e, s->expr, &known) == (s->condition != CONDITION_ALWAYS) &&
			known)
			e->found[k] = true;
		all &= e->found[k];
	}
	e->value = NULL;
	return all;
}

bool exploration_wants_conditions_only(const struct exploration *e)
{
	const struct explorer_request *q = e->request;
	bool findings = expects(q->in, FINDING_DEADLOCK) || expects(q->in, FINDING_CLEAN) ||
		expects(q->in, FINDING_RACE);
	return q->judge && !q->verbose && !q->why && !q->graph && !findings &&
		e->report->conditions.count;
}

static const char *case_name(const struct exploration *e)
{
	return e->in.name ? e->in.name : e->request->program->path;
}

static void footer(struct exploration *e, const uint64_t *positive)
{
	struct report *r = e->report;
	uint64_t all = 0;
	for (uint32_t i = 0; i < e->result->outcomes.list.count && !e->result->mixed.some; i++)
		all += e->result->outcomes.list.data[i].count;
	for (uint32_t k = 0; k < r->conditions.count; k++) {
		const struct judged_condition *c = &r->conditions.data[k];
		text_printf(&r->listing,
			"%s\nCondition %s %s\nObservation %s %s %" PRIu64 " %" PRIu64 "\n",
			!e->decided[k]     ? "Undecided"
				: c->holds ? "Ok"
					   : "No",
			c->kind, c->text, case_name(e),
			!positive[k]                 ? "Never"
				: positive[k] == all ? "Always"
						     : "Sometimes",
			positive[k], all - positive[k]);
	}
}

static void explain(struct exploration *e)
{
	struct report *r = e->report;
	struct text words = {0};
	/* for the last one, which nobody judges */
	bool asked = e->request->why && *e->request->why;
	for (uint32_t k = asked && r->conditions.count ? r->conditions.count - 1 : 0;
		k < r->conditions.count; k++) {
		const struct judged_condition *c = &r->conditions.data[k];
		struct why w = {e, c->stmt->expr, c->stmt->condition == CONDITION_ALWAYS};
		struct explore_condition condition = {&w, why_holds};
		text_clear(&e->graph);
		text_printf(&words, "%s %s\n", c->kind, c->text);
		explore_why(e->result, &condition, &e->names, &words, &e->graph);
	}
	if (!r->conditions.count && e->result->outcomes.list.count)
		explore_graph(e->result, 0, &e->names, "the first outcome", &e->graph);
	if (e->request->why)
		text_add(&r->listing, text_str(&words), words.len);
	if (asked && r->conditions.count)
		r->conditions.count--;
	text_free(&words);
}

void exploration_judge(struct exploration *e)
{
	struct report *r = e->report;
	const struct explore_result *x = e->result;
	struct explored_threads threads = {.result = x,
		.source = e->request->program->module->source,
		.arena = &r->arena,
		.launches = e->order.count};
	uint64_t *positive = memory_zeroed(r->conditions.count + 1u, sizeof *positive);
	/* The host program's own end, which saw memory before anything ran, does not count. */
	r->outcomes.count = 0;
	e->decided = ARENA_ARRAY(&r->arena, bool, r->conditions.count + 1);
	for (uint32_t k = 0; k < r->conditions.count; k++) {
		r->conditions.data[k].holds = r->conditions.data[k].stmt->condition !=
			CONDITION_ALLOW;
		r->conditions.data[k].decided = false;
	}
	/* what was seen then is no outcome of the model's */
	uint32_t states = x->mixed.some ? 0 : x->outcomes.list.count;
	text_printf(&r->listing, "Test %s\nStates %u\n", case_name(e), states);
	for (uint32_t i = 0; i < states; i++)
		judge_outcome_row(e, i, positive);
	for (uint32_t k = 0; k < r->conditions.count; k++)
		e->decided[k] |= explore_complete(x);
	footer(e, positive);
	if ((e->request->why || e->request->graph) && !x->mixed.some)
		explain(e);
	e->value = NULL;
	explorer_limits(x, &r->findings);
	explorer_mixed(&threads, &r->findings);
	if (x->fault) {
		diag_report(&r->findings, x->unsupported ? DIAG_U0150 : DIAG_F0150, threads.source,
			ptx_span(e->program, x->fault_thread, x->fault_place), "%s meets %s",
			explorer_thread(&threads, x->fault_thread), x->fault);
	}
	explorer_stuck(&threads, &r->findings);
	e->races = explorer_races(&threads, &r->findings);
	if (e->races)
		text_printf(&r->listing, "Data races %u\n", e->races);
	if (e->request->stats)
		explore_print_work(x, &r->listing);
	free(positive);
}

static void fail(struct report *r, int status, const char *reason)
{
	r->verdict = VERDICT_FAIL;
	if (!r->reason)
		r->reason = reason;
	if (!r->status)
		r->status = status;
}

/* What the case expects to be found, KIND, was: FOUND. */
static void judge_finding(
	struct exploration *e, enum finding_kind kind, bool found, const char *what)
{
	struct report *r = e->report;
	const struct stmt *t = expects(e->request->in, kind);
	if (!t || found)
		return;
	if (!explore_complete(e->result)) {
		fail(r, 7,
			arena_printf(&r->arena,
				"no explored execution has %s, but not all were explored", what));
		return;
	}
	diag_report(&r->findings, DIAG_X0102, t->source, t->span,
		"expected %s, but no execution has one", what);
	fail(r, 1, arena_printf(&r->arena, "expected %s, but no execution has one", what));
}

void exploration_verdict(struct exploration *e)
{
	static const struct span nowhere = {0, 0};
	struct report *r = e->report;
	const struct script_case *in = e->request->in;
	const struct explore_result *x = e->result;
	r->incomplete = !x || !explore_complete(x);
	r->verdict = VERDICT_PASS;
	r->status = PTXI_OK;
	r->reason = NULL;
	if (!x || x->unsupported) {
		const struct diag *d = r->findings.first;
		while (d && d->next && diag_code_info(d->code)->code[0] != 'U')
			d = d->next;
		r->verdict = d && diag_code_info(d->code)->code[0] != 'U' ? VERDICT_FAIL
									  : VERDICT_SKIP;
		r->status = d ? diag_status(d->code) : PTXI_UNSUPPORTED;
		r->reason = d ? arena_printf(&r->arena, "not explored: %s", d->message)
			      : "not explored";
		return;
	}
	r->executions = x->executions;
	for (uint32_t k = 0; k < r->conditions.count; k++)
		r->conditions.data[k].decided = e->decided[k];
	if (x->fault)
		fail(r, 4, "a thread may fault");
	for (uint32_t k = 0; k < r->conditions.count; k++) {
		const struct judged_condition *c = &r->conditions.data[k];
		if (c->decided && !c->holds) {
			struct diag *d = diag_report(&r->findings, DIAG_X0106, c->stmt->source,
				c->stmt->expr->span, "%s",
				c->stmt->condition == CONDITION_ALLOW
					? "no execution that the memory model allows gives this outcome"
					: c->stmt->condition == CONDITION_FORBID
					? "the memory model allows this outcome"
					: "the memory model allows an outcome for which this is false");
			fail(r, 1, d->message);
		} else if (!c->decided) {
			fail(r, 7,
				x->mixed.some
					? "accesses of different sizes race"
					: "not all executions were explored, and those that were do not decide every condition");
		}
	}
	if (!expects(in, FINDING_DEADLOCK) && x->stuck.list.count)
		fail(r, 6, "threads may wait or spin forever");
	judge_finding(e, FINDING_DEADLOCK, x->stuck.list.count > 0, "a deadlock");
	judge_finding(e, FINDING_RACE, e->races > 0, "a race");
	if (expects(in, FINDING_CLEAN) && e->races)
		fail(r, 5, "expected no finding, but some execution has a data race");
	if ((expects(in, FINDING_CLEAN) || !r->conditions.count) && !explore_complete(x))
		fail(r, 7, "not all executions were explored");
	if (r->status == PTXI_UNDECIDED && !x->mixed.some)
		diag_report(&r->findings, DIAG_B0151, NULL, nowhere, "undecided: %s", r->reason);
	if (r->verdict == VERDICT_PASS && !expects(in, FINDING_RACE))
		r->reason = explorer_race_remark(e->races, &r->arena);
}
