/* One schedule is not enough: after its first run, which is fair, check runs a case under random
 * schedules and weak memory, by turns, as often as a budget of steps allows. Steps and seeds are
 * the same on every machine, and so is the verdict. A case that asks for a schedule, memory, seed
 * or number of runs has what it asks for and no more; one that expects a finding is over when it
 * has come. */
#include "base/time.h"
#include "script/host/state.h"

enum {
	/* runs, unless --seeds says otherwise: cases are mostly small, and would be run thousands
	   of times */
	MOST = 20,
	TIMES = 3,             /* the steps of all of them: so often those of the first run, */
	LEAST_STEPS = 10000000 /* but so many at least */
};

/* How often the case is to be run again. */
static uint64_t runs_wanted(const struct host *h)
{
	const struct run_options *o = &h->options;
	const unsigned particular = RUN_SCHEDULE | RUN_SEED | RUN_MEMORY | RUN_RUNS;

	if (o->on_gpu || h->request->open || h->request->in->conditions || o->set & particular)
		return 0;
	if ((o->given | o->set) & RUN_SEEDS)
		return o->seeds;
	return o->given & particular ? 0 : MOST;
}

/* Whether the case expects findings, and all of them have come. */
static bool has_all(struct host *h)
{
	const struct evidence e = host_evidence(h);
	bool any = false;

	for (const struct stmt *t = h->request->in->first; t; t = t->next)
		any |= t->kind == STMT_EXPECT_FINDING && t->finding != FINDING_CLEAN;
	return any && !judge_missing(&e);
}

/* Whether the first run leaves anything to be asked of others. */
static bool is_open(struct host *h)
{
	const struct evidence e = host_evidence(h);

	if (h->broken || h->report->ended != MACHINE_DONE || has_all(h) || judge_not_looked_for(&e))
		return false;
	for (const struct diag *d = h->report->findings.first; d; d = d->next)
		if (judge_is_failure(h->request->in, d) || diag_code_info(d->code)->code[0] == 'U')
			return false;
	return true;
}

/* Run ONE, with seed SEED, failed: its records are the case's, and say how to see them again. */
static void take_failure(struct host *h, const struct host *one, uint64_t seed)
{
	struct report *whole = h->report;
	bool said = false;

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
		if (said)
			continue;
		diag_note(&whole->findings, copy,
			"found with %s, but not in the first run: the result depends on the schedule",
			whole->how);
		diag_note(&whole->findings, copy, "reproduce it with: %s", whole->repeat);
		said = true;
	}
	whole->ended = one->report->ended;
}

enum result { GOES_ON, ENDS };

/* What an expectation waits for may have come, or something may have failed; a warning of any run
 * is the case's. */
static enum result look_at_run(struct host *h, const struct host *one, uint64_t seed)
{
	const struct report *r = one->report;
	bool failed = false;

	for (const struct diag *d = r->findings.first; d; d = d->next) {
		if (diag_code_info(d->code)->code[0] == 'B' ||
			diag_code_info(d->code)->code[0] == 'U')
			/* too long for the budget, or not executed so: it says nothing */
			return ENDS;
		failed |= judge_is_failure(h->request->in, d);
	}
	if (one->broken && !failed)
		return ENDS;
	if (failed) {
		take_failure(h, one, seed);
		return ENDS;
	}
	for (const struct diag *d = r->findings.first; d; d = d->next)
		if ((diag_is_warning(d->code) || judge_is_expected(h->request->in, d)) &&
			!report_has(h->report, d))
			report_copy(h->report, d);
	/* which is expected, and may be told by the finding of its cause alone */
	if (r->ended == MACHINE_DEADLOCK)
		h->report->ended = r->ended;
	return has_all(h) ? ENDS : GOES_ON;
}

void host_execute_seeds(struct host *h)
{
	uint64_t runs = is_open(h) ? runs_wanted(h) : 0, first = h->report->stats.warp_instructions,
		 steps = 0;
	uint64_t budget = first > LEAST_STEPS / TIMES ? first * TIMES : LEAST_STEPS;
	bool asked = (h->options.given | h->options.set) & RUN_SEEDS;
	uint64_t most = h->options.machine.max_steps;
	enum result result = GOES_ON;
	double deadline = h->options.machine.deadline, now = time_now();

	if (deadline > 0 && h->request->cases_left > 1)
		deadline = now + (deadline - now) / (2 * h->request->cases_left);
	for (uint64_t k = 0; k < runs && result == GOES_ON; k++) {
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
		one.options.machine.max_steps = most && most < left ? most : left;
		host_execute(&one, false);
		h->report->executions++;
		steps += r.stats.warp_instructions;
		result = look_at_run(h, &one, k / 2 + 1);
		if (!asked && steps >= budget)
			result = ENDS;
		report_free(&r);
	}
}
