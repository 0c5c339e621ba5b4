/* Runs a case under more than one schedule: after the first, fair run, check repeats it under
 * random schedules, alternately with fast and weak memory, as often as a budget of steps allows.
 * Steps and seeds are the same on every machine, and so is the verdict. A case that chooses a
 * schedule, memory mode, seed or number of runs gets no further runs; one that expects a finding
 * ends once it has occurred. */
#include "base/time.h"
#include "script/host/state.h"

enum {
	/* runs without --seeds; most cases are so small that the budget alone would allow thousands
	 * of runs */
	MAX_RUNS = 20,
	/* their step budget: a multiple of the first run's steps, but at least MIN_BUDGET */
	BUDGET_FACTOR = 3,
	MIN_BUDGET = 10000000
};

/* How many times to run the case again. */
static uint64_t runs_wanted(const struct host *h)
{
	const struct run_options *o = &h->options;
	const unsigned particular = RUN_SCHEDULE | RUN_SEED | RUN_MEMORY | RUN_RUNS;

	if (o->on_gpu || h->request->open || h->request->in->conditions || o->set & particular)
		return 0;
	if ((o->given | o->set) & RUN_SEEDS)
		return o->seeds;
	return o->given & particular ? 0 : MAX_RUNS;
}

/* Whether the case expects findings and all of them have occurred. */
static bool has_all_findings(struct host *h)
{
	const struct evidence e = host_evidence(h);
	bool any = false;

	for (const struct stmt *t = h->request->in->first; t; t = t->next)
		any |= t->kind == STMT_EXPECT_FINDING && t->finding != FINDING_CLEAN;
	return any && !judge_missing(&e);
}

/* Whether further runs could still change the verdict of the first run. */
static bool is_open(struct host *h)
{
	const struct evidence e = host_evidence(h);

	if (h->broken || h->report->ended != MACHINE_DONE || has_all_findings(h) ||
		judge_unchecked(&e))
		return false;
	for (const struct diag *d = h->report->findings.first; d; d = d->next)
		if (judge_is_failure(h->request->in, d) || diag_code_info(d->code).code[0] == 'U')
			return false;
	return true;
}

/* Adds the findings of run ONE, which failed with seed SEED, to the case, and says how to reproduce
 * them. */
static void seeds_add_failure(struct host *h, const struct host *one, uint64_t seed)
{
	struct report *whole = h->report;
	bool explained = false;

	whole->seed = seed;
	whole->how = arena_printf(&whole->arena, "%s --seed=%llu",
		one->options.machine.memory == MEMORY_WEAK ? "--memory=weak" : "--schedule=random",
		(unsigned long long)seed);
	whole->repeat = arena_printf(&whole->arena, "ptxi run --check=%s %s %s",
		option_checks(h->options.machine.checks, &whole->arena), whole->how,
		h->request->arguments ? h->request->arguments : "FILE");
	for (const struct diag *d = one->report->findings.first; d; d = d->next) {
		struct diag *copy;

		if (!judge_is_failure(h->request->in, d))
			continue;
		copy = report_copy(whole, d);
		if (explained)
			continue;
		diag_note(&whole->findings, copy,
			"found with %s, but not in the first run: the result depends on the schedule",
			whole->how);
		diag_note(&whole->findings, copy, "reproduce it with: %s", whole->repeat);
		explained = true;
	}
	whole->ended = one->report->ended;
}

enum result { CONTINUE, STOP };

/* Adds the findings of run ONE to the case. Further runs are unnecessary if it failed, proved
 * nothing, or completed the expected findings. */
static enum result seeds_judge_run(struct host *h, const struct host *one, uint64_t seed)
{
	const struct report *r = one->report;
	bool failed = false;

	for (const struct diag *d = r->findings.first; d; d = d->next) {
		if (diag_code_info(d->code).code[0] == 'B' ||
			diag_code_info(d->code).code[0] == 'U')
			/* over the budget or not executable in this mode: the run proves nothing */
			return STOP;
		failed |= judge_is_failure(h->request->in, d);
	}
	if (one->broken && !failed)
		return STOP;
	if (failed) {
		seeds_add_failure(h, one, seed);
		return STOP;
	}
	for (const struct diag *d = r->findings.first; d; d = d->next)
		if ((diag_is_warning(d->code) || judge_is_expected(h->request->in, d)) &&
			!report_has(h->report, d))
			report_copy(h->report, d);
	/* an expected deadlock, which may be reported only through the finding of its cause */
	if (r->ended == MACHINE_DEADLOCK)
		h->report->ended = r->ended;
	return has_all_findings(h) ? STOP : CONTINUE;
}

void host_execute_seeds(struct host *h)
{
	uint64_t runs = is_open(h) ? runs_wanted(h) : 0, first = h->report->stats.warp_instructions,
		 steps = 0;
	uint64_t budget = first > MIN_BUDGET / BUDGET_FACTOR ? first * BUDGET_FACTOR : MIN_BUDGET;
	bool asked = (h->options.given | h->options.set) & RUN_SEEDS;
	uint64_t max = h->options.machine.max_steps;
	enum result result = CONTINUE;
	double deadline = h->options.machine.deadline, now = time_now();

	if (deadline > 0 && h->request->cases_left > 1)
		deadline = now + (deadline - now) / (2 * h->request->cases_left);
	for (uint64_t k = 0; k < runs && result == CONTINUE; k++) {
		struct report r = {0};
		struct host_request request = *h->request;
		struct host one = *h;
		uint64_t left = asked ? budget : budget - steps;

		request.output = NULL;
		request.show = NULL;
		one.request = &request;
		one.report = one.outcomes = &r;
		one.options.machine.schedule = SCHEDULE_RANDOM;
		one.options.machine.memory = k % 2 ? MEMORY_WEAK : MEMORY_FAST;
		one.options.machine.seed = k / 2 + 1;
		one.options.machine.deadline = deadline;
		one.options.machine.max_steps = max && max < left ? max : left;
		host_execute(&one, false);
		h->report->executions++;
		steps += r.stats.warp_instructions;
		result = seeds_judge_run(h, &one, k / 2 + 1);
		if (!asked && steps >= budget)
			result = STOP;
		report_free(&r);
	}
}
