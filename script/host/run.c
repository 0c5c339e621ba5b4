/* Runs one case, from its options to its verdict: whether the backend can run it, how often it
 * runs, and how it is judged. */
#include "base/time.h"
#include "script/host/backends.h"
#include "script/host/state.h"
#include <ptxi/status.h>

void host_set_options(const struct script_case *in, struct run_options *out)
{
	struct text why = {0};

	for (const struct stmt *t = in->first; t; t = t->next)
		if (t->kind == STMT_SET)
			for (const struct script_option *o = t->options; o; o = o->next)
				option_apply(out, o->name, o->value, false, &why);
	text_free(&why);
}

void host_options(const struct host_request *r, struct run_options *out)
{
	*out = r->options;
	host_set_options(r->in, out);
	if (!(out->given & RUN_CHECK)) /* a case that expects a finding enables the check for it */
		for (const struct stmt *t = r->in->first; t; t = t->next)
			if (t->kind == STMT_EXPECT_FINDING)
				out->machine.checks |= t->finding == FINDING_RACE ? CHECK_RACE
					: t->finding == FINDING_UNINITIALISED     ? CHECK_INIT
					: t->finding == FINDING_MISUSE            ? CHECK_SYNC
										  : 0;
	/* Several runs and weak memory imply a random schedule, unless another one was
	 * requested. */
	if ((out->runs || out->machine.memory == MEMORY_WEAK) && !out->on_gpu &&
		!(out->given & RUN_SCHEDULE) && out->machine.schedule == SCHEDULE_FAIR)
		out->machine.schedule = SCHEDULE_RANDOM;
	out->machine.devices = r->in->devices;
	/* A time limit on the command line covers all cases of a file, and its deadline is already
	 * set; one in a set directive covers this case only. */
	if (out->machine.timeout > 0 && !out->on_gpu &&
		!(out->given & RUN_TIMEOUT && out->machine.deadline > 0))
		out->machine.deadline = time_now() + out->machine.timeout;
}

/* Whether KIND names a fault that hardware does not report: misuse (an S code) or an access outside
 * a single buffer. */
static bool silent_on_gpu(const char *kind)
{
	for (unsigned k = 1; k < DIAG_COUNT; k++)
		if ((diag_code_info((enum diag_code)k).code[0] == 'S' || k == DIAG_F0201) &&
			script_fault_is((enum diag_code)k, kind))
			return true;
	return false;
}

/* What the case needs that only the interpreter supports, or NULL. */
static const char *beyond_gpu(const struct host *h)
{
	if (h->options.machine.schedule != SCHEDULE_FAIR)
		return "a GPU has its own schedule";
	if (h->request->in->wants_registers)
		return "the registers of a GPU cannot be read";
	for (const struct stmt *t = h->request->in->first; t; t = t->next)
		if (t->kind == STMT_EXPECT_FINDING &&
			(t->finding == FINDING_RACE || t->finding == FINDING_UNINITIALISED))
			return "a GPU does not report races or uninitialised reads";
		else if (t->kind == STMT_EXPECT_FINDING &&
			(t->finding == FINDING_MISUSE ||
				(t->finding == FINDING_FAULT && t->name && silent_on_gpu(t->name))))
			return "a GPU reports neither misuse nor accesses outside a single buffer";
	return NULL;
}

/* Whether the backend supports everything the case requires; if not, the report says what is
 * missing. */
static bool case_possible(struct host *h)
{
	enum backend_kind kind = h->options.on_gpu ? BACKEND_GPU : BACKEND_INTERP;
	unsigned missing = h->options.insisted & ~backend_checks(kind);
	const char *why = NULL;

	if (h->options.on_gpu)
		why = backend_lacks(kind, "gpu");
	if (h->options.on_gpu && !why)
		why = beyond_gpu(h);
	for (const struct stmt *t = h->request->in->first; t && !why; t = t->next)
		if (t->kind == STMT_NEEDS)
			why = backend_lacks(kind, t->name);
	if (!why && h->options.machine.memory == MEMORY_WEAK)
		why = backend_lacks(kind, "weak");
	if (!why && missing)
		why = missing & CHECK_RACE ? backend_lacks(kind, "race")
			: missing & CHECK_INIT
			? backend_lacks(kind, "init")
			: "a GPU does not support the checks that --check names";
	if (!why)
		return true;
	h->report->reason = why;
	h->report->verdict = VERDICT_SKIP;
	h->report->status = PTXI_UNSUPPORTED;
	diag_plain(&h->report->findings, h->options.on_gpu ? DIAG_L0401 : DIAG_L0403, "%s", why);
	return false;
}

/* Skips the case if opening the backend showed that there is no GPU for it. */
static bool case_skipped(struct report *r)
{
	for (const struct diag *d = r->opened ? NULL : r->findings.first; d; d = d->next)
		if (d->code == DIAG_L0401) {
			r->reason = d->message;
			r->verdict = VERDICT_SKIP;
			r->status = PTXI_UNSUPPORTED;
			return true;
		}
	return false;
}

void host_run(const struct host_request *request, struct report *out)
{
	struct host h = {.request = request, .report = out};
	double begin = time_now();

	*out = (struct report){0};
	host_options(request, &h.options);
	if (!case_possible(&h))
		return;
	judge_prepare(request->in, request->module, h.options.runs > 0, out);
	if (h.options.runs && !request->open) {
		host_execute_many(&h, h.options.runs);
	} else {
		h.outcomes = out;
		host_execute(&h, request->in->conditions && !request->open);
		out->executions = 1;
		if (request->judge)
			host_execute_seeds(&h);
	}
	out->incomplete |= h.broken;
	if (!case_skipped(out) && !request->open) {
		struct evidence e = host_evidence(&h);

		judge_case(&e, h.broken);
	}
	out->seconds = time_now() - begin;
}
