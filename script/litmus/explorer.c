/* Entry point of the explorer. Litmus tests are explored here, cases of PTX files in
 * explorer_case.c. */
#include "script/litmus/explorer.h"
#include "explore/explain/why.h"
#include "explore/litmus/litmus.h"
#include "explore/litmus/program.h"
#include "script/litmus/explorer_case.h"
#include "script/litmus/explorer_findings.h"
#include "script/litmus/explorer_picture.h"
#include <ptxi/status.h>

static void litmus_fill_report(const struct explore_litmus *l, struct report *out)
{
	/* nearly every value: printing thousands of outcomes takes as long as finding them */
	static const char digit[10][2] = {"0", "1", "2", "3", "4", "5", "6", "7", "8", "9"};
	const struct explore_result *x = l->result;

	out->executions = x->executions;
	out->opened = true;
	out->nstate = x->program->nobservables;
	out->state = ARENA_ARRAY(&out->arena, const char *, out->nstate + 1);
	for (uint32_t k = 0; k < out->nstate; k++)
		out->state[k] = arena_printf(&out->arena, "%s", x->program->observable[k].name);
	for (uint32_t n = 0; n < x->outcomes.list.count; n++) {
		struct outcome *o = vec_push(&out->outcomes);

		*o = (struct outcome){
			.text = ARENA_ARRAY(&out->arena, const char *, out->nstate + 1),
			.count = 1};
		for (uint32_t k = 0; k < out->nstate; k++) {
			uint64_t value = x->outcomes.list.data[n].value[k];
			o->text[k] = value < 10
				? digit[value]
				: arena_printf(&out->arena, "%lld", (long long)value);
		}
	}
	*vec_push(&out->conditions) = (struct judged_condition){
		.kind = litmus_quantifier_text(l->test),
		.text = arena_printf(&out->arena, "%s", l->test->cond_text),
		.holds = l->condition_holds,
		.decided = l->verdict};
}

static bool litmus_holds(void *client, const uint64_t *value)
{
	const struct litmus_test *test = client;

	return litmus_condition_holds(test, test->cond, value);
}

/* The request's question about an outcome. */
struct litmus_question {
	const struct explorer_request *request;
	const struct litmus_test *test;
};

static bool litmus_is_enough(void *self, const uint64_t *value)
{
	const struct litmus_question *q = self;
	bool holds = litmus_condition_holds(q->test, q->test->cond, value), enough;
	struct text t = {0};

	for (uint32_t k = 0; k < q->test->nobserved; k++)
		text_printf(&t, "%lld;", (long long)value[k]);
	enough = q->request->enough(q->request->enough_arg, text_str(&t), &holds);
	text_free(&t);
	return enough;
}

static void litmus_verdict(const struct explore_litmus *l, const struct explored_threads *t,
	uint32_t races, struct report *out)
{
	out->verdict = VERDICT_PASS;
	out->reason = explorer_race_remark(races, &out->arena);
	out->incomplete = !explore_complete(l->result);
	explorer_limits(t, &out->findings);
	if (!l->verdict) {
		out->verdict = VERDICT_FAIL;
		out->status = PTXI_UNDECIDED;
		out->reason = l->result->fault
			? arena_printf(&out->arena, "%s", l->result->fault)
			: "not all executions were explored, and those that were do not decide the condition";
		diag_plain(&out->findings, l->result->fault ? DIAG_F0150 : DIAG_B0151,
			"undecided: %s", out->reason);
	} else if (!l->condition_holds) {
		out->verdict = VERDICT_FAIL;
		out->status = PTXI_FAILED;
		out->reason = arena_printf(&out->arena, "%s %s does not hold",
			out->conditions.data[0].kind, l->test->cond_text);
		diag_plain(&out->findings, DIAG_X0106, "%s: %s", l->test->name, out->reason);
	}
}

static void litmus_explain(
	const struct explorer_request *r, const struct explore_litmus *l, struct report *out)
{
	struct explore_condition condition = {(void *)(uintptr_t)l->test, litmus_holds};
	struct explore_names names;
	struct text words = {0}, question = {0};
	struct graph graph = {.title = NULL};

	if (!r->why && !r->graph && !r->picture)
		return;
	explore_litmus_names(l->test, &out->arena, &names);
	explore_why(l->result, &condition, &names, &words, &graph);
	if (r->why) {
		text_add(&out->listing, text_str(&words), words.len);
		text_add(&out->why, text_str(&words), words.len);
	}
	explorer_graph(r, &graph, out);
	text_printf(&question, "%s %s",
		out->conditions.count ? out->conditions.data[0].kind : "exists",
		l->test->cond_text);
	explorer_draw(r, &graph, l->test->name, text_str(&question));
	text_free(&words);
	text_free(&question);
	graph_free(&graph);
}

/* --why=COND: explains a condition other than the test's own. */
static void litmus_explain_other(const struct explorer_request *r,
	const struct explore_options *options, const struct litmus_test *test, struct report *out)
{
	struct litmus_test *asked = litmus_ask(test, r->why, &out->arena, &out->findings);
	struct explore_litmus l;

	if (!asked) {
		out->status = PTXI_USAGE;
		return;
	}
	explore_litmus(asked, options, &out->arena, &l);
	text_printf(&out->listing, "exists %s\n", asked->cond_text);
	litmus_explain(r, &l, out);
	explore_free(l.result);
}

static void explore_litmus_file(
	const struct explorer_request *r, const struct explore_options *options, struct report *out)
{
	struct litmus_test *test;
	struct litmus_question question;
	struct explore_options asked = *options;
	struct explore_litmus l;
	struct explore_names names;

	*out = (struct report){0};
	test = litmus_parse(r->program->source, &out->arena, &out->findings);
	if (!test) {
		out->verdict = VERDICT_FAIL;
		out->status = PTXI_REJECTED;
		out->reason = out->findings.first ? out->findings.first->message : "no litmus test";
		return;
	}
	question = (struct litmus_question){r, test};
	if (r->enough) {
		asked.enough = litmus_is_enough;
		asked.enough_arg = &question;
		asked.at_once = true;
	}
	explore_litmus(test, &asked, &out->arena, &l);
	litmus_fill_report(&l, out);
	explore_litmus_print(&l, r->verbose || l.result->outcomes.list.count <= EXPLORER_MAX_LISTED,
		&out->listing);
	struct explored_threads t = {
		.result = l.result, .test = test, .source = test->source, .arena = &out->arena};
	uint32_t races = 0;
	if (r->records || r->judge)
		races = explorer_races(&t, &out->findings);
	if (r->records)
		explorer_stuck(&t, &out->findings);
	litmus_verdict(&l, &t, races, out);
	if (r->stats)
		explore_print_work(l.result, &out->listing);
	if (r->why && *r->why)
		litmus_explain_other(r, options, test, out);
	else
		litmus_explain(r, &l, out);
	explore_litmus_names(test, &out->arena, &names);
	if (options->verify)
		explorer_verified(l.result, &names, out);
	explorer_unverified(l.result, out);
	explore_free(l.result);
}

void explorer_run(const struct explorer_request *r, struct report *out)
{
	struct explore_options options = {.jobs = r->jobs,
		.timeout = r->options.machine.timeout > 0 || !r->judge ? r->options.machine.timeout
								       : EXPLORER_JUDGE_SECONDS,
		.max_memory = r->options.machine.max_memory,
		.interrupted = r->options.machine.interrupted,
		.loop_bound = (uint32_t)r->options.rounds,
		.semantic_deps = r->semantic_deps,
		.verify = r->verify,
		.shard = r->shard,
		.shards = r->shards,
		.part = r->part,
		.parts = r->parts,
		.progress = r->progress,
		.progress_arg = r->self};

	if (r->program->kind == PROGRAM_LITMUS)
		explore_litmus_file(r, &options, out);
	else
		explorer_case(r, &options, out);
}
