/* Runs a litmus test many times. */
#include "script/litmus/litmus_run.h"
#include "explore/litmus/litmus.h"
#include "explore/litmus/program.h"
#include "gpu/backend.h"
#include "script/litmus/harness.h"
#include "script/litmus/litmus_ptx.h"
#include <ptxi/status.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { GPU_RUNS = 100000, EXPLORE_SECONDS = 20 };

struct run {
	const struct litmus_request *request;
	struct report *report;
	const struct litmus_test *test;
	struct litmus_ptx ptx;
	struct explore_litmus explored;
	struct explore_outcomes seen;
	uint64_t positive, negative;
	struct text harness; /* summary of the harness run */
};

static void litmus_skip(struct run *x, const char *why)
{
	struct report *r = x->report;
	r->verdict = VERDICT_SKIP;
	r->status = PTXI_UNSUPPORTED;
	r->reason = why;
	diag_plain(&r->findings, DIAG_U0151, "%s: %s", x->test->name, why);
}

/* Threads of a CTA are joined by +, CTAs by spaces; clusters are in parentheses if one has several
 * CTAs; GPUs are separated by /. */
static const char *litmus_placement(const struct run *x)
{
	const struct litmus_ptx *p = &x->ptx;
	struct text t = {0};
	for (uint32_t g = 0; g < p->gpus; g++) {
		bool begun = false;
		text_puts(&t, g ? " / " : "");
		for (uint32_t c = 0; c < p->clusters; c++) {
			bool open = false;
			for (uint32_t a = 0; a < p->ranks; a++) {
				bool first = true;
				for (uint32_t k = 0; k < x->test->nthreads; k++) {
					const struct litmus_seat *s = &p->seat[k];
					if (s->gpu != g || s->cluster != c || s->rank != a)
						continue;
					if (first)
						text_puts(&t, begun ? " " : "");
					if (first && !open && p->ranks > 1)
						text_puts(&t, "(");
					text_printf(&t, "%s%s", first ? "" : "+",
						x->test->thread[k].name);
					first = false;
					open = begun = true;
				}
			}
			text_puts(&t, open && p->ranks > 1 ? ")" : "");
		}
	}
	const char *out = arena_text(&x->report->arena, text_str(&t), t.len);
	text_free(&t);
	return out;
}

/* --- the interpreter --- */

static const char *const unreadable = "the generated PTX was rejected";

static void litmus_add_outcomes(struct run *x, const struct report *r)
{
	static const uint16_t no_trail;
	uint64_t *value = ARENA_ARRAY(&x->report->arena, uint64_t, x->test->nobserved + 1);
	for (uint32_t k = 0; k < r->outcomes.count; k++) {
		const struct outcome *o = &r->outcomes.data[k];
		for (uint32_t i = 0; i < x->test->nobserved; i++)
			value[i] = (uint64_t)strtoll(o->text[i], NULL, 10);
		outcomes_add(&x->seen, value, o->count, &no_trail, 0);
	}
}

static bool litmus_on_interp(struct run *x)
{
	struct report *out = x->report, one;
	struct text file = {0};
	struct program p;
	litmus_ptx_file(&x->ptx, &file);
	struct program_request load = {.path = arena_printf(&out->arena, "%s.ptx", x->test->name),
		.text = text_str(&file),
		.size = file.len};
	program_load(&p, &load);
	bool ok = p.status == PTXI_OK && p.script.cases.count == 1;
	if (ok) {
		struct host_request h = {.module = p.module,
			.in = &p.script.cases.data[0],
			.options = x->request->options,
			.ran = x->request->ran,
			.self = x->request->self};
		if (!h.options.runs)
			h.options.runs = 1;
		host_run(&h, &one);
		/* The findings point into the generated text, so only their messages are kept. */
		for (const struct diag *d = one.findings.first; d; d = d->next)
			diag_plain(&out->findings, d->code, "%s", d->message);
		litmus_add_outcomes(x, &one);
		out->executions = one.executions;
		out->opened = one.opened;
		out->ended = one.ended;
		out->status = one.status;
		out->verdict = one.verdict;
		out->reason = one.reason ? arena_printf(&out->arena, "%s", one.reason) : NULL;
		ok = one.status == PTXI_OK;
		report_free(&one);
	} else {
		for (const struct diag *d = p.diags.first; d; d = d->next)
			diag_plain(&out->findings, d->code, "%s", d->message);
		if (!out->findings.first)
			diag_plain(&out->findings, DIAG_L0402, "%s", unreadable);
		out->status = PTXI_BUG;
		out->verdict = VERDICT_FAIL;
		out->reason = unreadable;
	}
	program_free(&p);
	text_free(&file);
	return ok;
}

/* --- the harness --- */

static bool litmus_loops(const struct litmus_test *test)
{
	for (uint32_t k = 0; k < test->nthreads; k++) {
		const struct litmus_thread *t = &test->thread[k];
		for (uint32_t i = 0; i < t->ninsns; i++) {
			if ((t->insn[i].op == LITMUS_BRANCH || t->insn[i].op == LITMUS_GOTO) &&
				t->insn[i].target <= i)
				return true;
		}
	}
	return false;
}

static struct harness harness_of(struct run *x)
{
	const struct litmus_test *test = x->test;
	const struct litmus_ptx *p = &x->ptx;
	struct arena *arena = &x->report->arena;
	struct harness_role *role = ARENA_ARRAY(arena, struct harness_role, test->nthreads + 1);
	int32_t *init = ARENA_ARRAY(arena, int32_t, test->nlocations + 1),
		*final = ARENA_ARRAY(arena, int32_t, test->nobserved + 1);
	for (uint32_t k = 0; k < test->nthreads; k++) {
		struct text body = {0};
		litmus_ptx_body(p, k, &body);
		role[k] = (struct harness_role){p->seat[k].cluster, p->seat[k].rank,
			p->seat[k].warp, arena_text(arena, text_str(&body), body.len)};
		text_free(&body);
	}
	for (uint32_t k = 0; k < test->nlocations; k++)
		init[k] = (int32_t)test->location[k].init;
	for (uint32_t k = 0; k < test->nobserved; k++)
		final[k] = test->observed[k].kind == LITMUS_TERM_LOCATION
			? (int32_t)test->observed[k].index
			: -1;
	return (struct harness){.role = role,
		.nroles = test->nthreads,
		.clusters = p->clusters,
		.ranks = p->ranks,
		.warps = p->warps,
		.init = init,
		.nlocations = test->nlocations,
		.final = final,
		.nobserved = test->nobserved,
		.barriers = p->nbarriers,
		.loops = litmus_loops(test),
		.version = p->version,
		.target = p->target};
}

static bool litmus_on_gpu(struct run *x)
{
	struct report *out = x->report;
	const char *lacks = gpu_lacks();
	if (x->ptx.gpus > 1)
		lacks = "its threads are on several GPUs, but one is used";
	else if (!lacks && !x->explored.terminates)
		lacks = "it may wait or spin forever";
	if (lacks) {
		litmus_skip(x, arena_printf(&out->arena, "%s", lacks));
		return false;
	}
	struct harness h = harness_of(x);
	struct harness_request request = {.harness = &h,
		.options = &x->request->options,
		.runs = x->request->options.runs ? x->request->options.runs : GPU_RUNS};
	struct harness_result result;
	bool ok = harness_run(&request, &out->findings, &result);
	outcomes_free(&x->seen);
	x->seen = result.outcomes;
	harness_describe(&result, &x->harness);
	out->executions = result.runs;
	out->opened = true;
	out->ended = result.ended;
	if (!ok) {
		out->verdict = VERDICT_FAIL;
		out->status = out->findings.first ? diag_status(out->findings.first->code)
						  : PTXI_FAULT;
		out->reason = out->findings.first ? out->findings.first->message
						  : "the harness did not run";
	}
	return ok;
}

/* --- judging --- */

static bool explored_has(const struct run *x, const uint64_t *value)
{
	const struct explore_outcomes *all = &x->explored.result->outcomes;
	for (uint32_t k = 0; k < all->list.count; k++) {
		if (!memcmp(all->list.data[k].value, value, x->test->nobserved * sizeof *value))
			return true;
	}
	return false;
}

static void litmus_report_outcomes(struct run *x)
{
	struct report *r = x->report;
	const struct explore_program *p = x->explored.result->program;
	bool known = explore_complete(x->explored.result);
	r->nstate = x->test->nobserved;
	r->state = ARENA_ARRAY(&r->arena, const char *, r->nstate + 1);
	for (uint32_t k = 0; k < r->nstate; k++)
		r->state[k] = arena_printf(&r->arena, "%s", p->observable[k].name);
	outcomes_sort(&x->seen);
	for (uint32_t n = 0; n < x->seen.list.count; n++) {
		const struct explore_outcome *seen = &x->seen.list.data[n];
		struct outcome *o = vec_push(&r->outcomes);
		bool has = explored_has(x, seen->value);
		*o = (struct outcome){.text = ARENA_ARRAY(&r->arena, const char *, r->nstate + 1),
			.count = seen->count};
		o->allowed = has ? ALLOWED_YES : known ? ALLOWED_NO : ALLOWED_UNKNOWN;
		o->forbidden = o->allowed == ALLOWED_NO;
		for (uint32_t k = 0; k < r->nstate; k++)
			o->text[k] = arena_printf(&r->arena, "%" PRId64, (int64_t)seen->value[k]);
		*(litmus_condition_holds(x->test, x->test->cond, seen->value)
				? &x->positive
				: &x->negative) += seen->count;
	}
}

static void litmus_fail(struct run *x, const char *reason)
{
	struct report *r = x->report;
	r->verdict = VERDICT_FAIL;
	r->status = PTXI_FAILED;
	if (!r->reason)
		r->reason = reason;
}

static bool litmus_judge(struct run *x)
{
	struct report *r = x->report;
	const struct litmus_test *test = x->test;
	bool forall = test->quantifier == LITMUS_FORALL,
	     decided = forall ? x->negative > 0 : x->positive > 0;
	bool holds = test->quantifier == LITMUS_EXISTS ? x->positive > 0
		: forall                               ? !x->negative
						       : !x->positive;
	*vec_push(&r->conditions) = (struct judged_condition){.kind = litmus_quantifier_text(test),
		.text = arena_printf(&r->arena, "%s", test->cond_text),
		.holds = holds,
		.decided = decided};
	for (uint32_t n = 0; n < r->outcomes.count; n++) {
		struct text t = {0};
		if (r->outcomes.data[n].allowed != ALLOWED_NO)
			continue;
		report_put_outcome(r, &r->outcomes.data[n], &t);
		diag_plain(&r->findings, DIAG_X0110,
			"%s: %s was seen %" PRIu64 " times, but the memory model does not allow it",
			test->name, text_str(&t), r->outcomes.data[n].count);
		litmus_fail(x, arena_printf(&r->arena, "%s is not allowed", text_str(&t)));
		text_free(&t);
	}
	if (!holds && test->quantifier != LITMUS_EXISTS) {
		litmus_fail(x,
			arena_printf(&r->arena, "%s %s does not hold", litmus_quantifier_text(test),
				test->cond_text));
		diag_plain(&r->findings, DIAG_X0106, "%s: %s %s does not hold", test->name,
			litmus_quantifier_text(test), test->cond_text);
	}
	return holds;
}

/* Lists the outcomes in the form of litmus7. */
static void litmus_list(struct run *x, bool holds)
{
	static const char *const kind[] = {"Allowed", "Forbidden", "Required"};
	struct report *r = x->report;
	struct text *out = &r->listing;
	const struct litmus_test *test = x->test;
	text_printf(out, "Test %s %s\nHistogram (%u states)\n", test->name, kind[test->quantifier],
		x->seen.list.count);
	for (uint32_t k = 0; k < x->seen.list.count; k++) {
		const struct explore_outcome *o = &x->seen.list.data[k];
		text_printf(out, "%-8" PRIu64 "%c>", o->count,
			litmus_condition_holds(test, test->cond, o->value) ? '*' : ':');
		report_put_outcome(r, &r->outcomes.data[k], out);
		text_puts(out,
			r->outcomes.data[k].allowed == ALLOWED_NO ? " not allowed\n"
				: r->outcomes.data[k].allowed == ALLOWED_UNKNOWN
				? " (not compared)\n"
				: "\n");
	}
	text_printf(out,
		"%s\n\nWitnesses\nPositive: %" PRIu64 ", Negative: %" PRIu64
		"\nCondition %s %s is %svalidated\n",
		holds ? "Ok" : "No", x->positive, x->negative, litmus_quantifier_text(test),
		test->cond_text, holds ? "" : "NOT ");
	text_printf(out, "Observation %s %s %" PRIu64 " %" PRIu64 "\n", test->name,
		!x->positive           ? "Never"
			: !x->negative ? "Always"
				       : "Sometimes",
		x->positive, x->negative);
	if (x->request->verbose)
		text_printf(out, "Placement %s\n%s", r->placement, text_str(&x->harness));
}

static void litmus_begin(struct run *x)
{
	struct report *out = x->report;
	double timeout = x->request->options.machine.timeout;
	/* The driver's compiler simplifies x^x and similar expressions, which removes dependencies
	 * on x. */
	struct explore_options explore = {.jobs = x->request->jobs,
		.timeout = timeout > 0 ? timeout : EXPLORE_SECONDS,
		.max_memory = x->request->options.machine.max_memory,
		.semantic_deps = x->request->options.on_gpu};
	outcomes_init(&x->seen, x->test->nobserved);
	litmus_ptx_begin(&x->ptx, x->test, &out->arena);
	out->placement = litmus_placement(x);
	if (x->ptx.lacks) {
		litmus_skip(x, x->ptx.lacks);
		return;
	}
	explore_litmus(x->test, &explore, &out->arena, &x->explored);
	if (x->request->options.on_gpu ? litmus_on_gpu(x) : litmus_on_interp(x)) {
		litmus_report_outcomes(x);
		litmus_list(x, litmus_judge(x));
	}
	explore_free(x->explored.result);
}

void litmus_run(const struct litmus_request *request, struct report *out)
{
	struct run x = {.request = request, .report = out};
	*out = (struct report){0};
	x.test = litmus_parse(request->program->source, &out->arena, &out->findings);
	if (!x.test) {
		out->verdict = VERDICT_FAIL;
		out->status = PTXI_REJECTED;
		out->reason = out->findings.first ? out->findings.first->message : "no litmus test";
		return;
	}
	litmus_begin(&x);
	outcomes_free(&x.seen);
	text_free(&x.harness);
}

void litmus_tsv(const char *name, const struct report *r, struct text *out)
{
	static const char *const allowed[] = {"unknown", "yes", "no"};
	if (r->verdict == VERDICT_SKIP || !r->outcomes.count) {
		text_printf(out, "%s\t-\t%s\t0\t-\n", name,
			r->reason                   ? r->reason
				: r->findings.first ? r->findings.first->message
						    : "");
		return;
	}
	for (uint32_t n = 0; n < r->outcomes.count; n++) {
		const struct outcome *o = &r->outcomes.data[n];
		text_printf(out, "%s\t%s\t{", name, r->placement ? r->placement : "");
		for (uint32_t k = 0; k < r->nstate; k++) {
			text_puts(out, k ? ", " : "");
			text_json(out, r->state[k], strlen(r->state[k]));
			text_printf(out, ": %s", o->text[k]);
		}
		text_printf(out, "}\t%" PRIu64 "\t%s\n", o->count, allowed[o->allowed]);
	}
}
