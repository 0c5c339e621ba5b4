/* Samples a case and explores the same case: every sampled outcome must be allowed, and the number
 * of allowed outcomes that were sampled is counted. */
#ifndef PTXI_TESTS_SAMPLED_H
#define PTXI_TESTS_SAMPLED_H
#include "script/litmus/explorer.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static inline uint64_t setting(const char *name, uint64_t value)
{
	const char *s = getenv(name);
	return s ? strtoull(s, NULL, 0) : value;
}

static inline bool same_state(
	const struct report *r, const struct outcome *a, const struct outcome *b)
{
	for (uint32_t k = 0; k < r->nstate; k++)
		if (strcmp(a->text[k], b->text[k]) != 0)
			return false;
	return true;
}

static inline void print_state(const struct report *r, const struct outcome *o, struct text *out)
{
	for (uint32_t k = 0; k < r->nstate; k++)
		text_printf(out, "%s=%s; ", r->state[k], o->text[k]);
}

struct tally {
	/* whole: cases of which every allowed outcome was sampled */
	uint32_t cases, skipped, whole;
	uint64_t sampled, allowed, runs;
	double parts; /* sum over the cases of the fraction that was sampled */
};

/* At least LEAST runs, and more, up to MOST, while an allowed outcome has not occurred. */
struct sampling {
	uint64_t least, most, seed;
	double seconds; /* limit on exploring; 0: one */
	/* receives the allowed outcomes that were not sampled; NULL: not needed */
	struct text *missing;
};

/* Adds the outcomes of runs FIRST to LAST - 1 to SHOWN[explored->outcomes]; false, with WHY, for
 * one that is not allowed. */
static inline bool sample(struct program *p, struct script_case *c, const struct sampling *s,
	uint64_t first, uint64_t last, const struct report *explored, bool *shown, struct text *why)
{
	struct run_options options = {.machine = {.memory = MEMORY_WEAK,
					      .schedule = SCHEDULE_RANDOM,
					      .jobs = 1,
					      .seed = s->seed + first},
		.runs = last - first};
	struct host_request h = {.module = p->module, .in = c, .options = options};
	struct report sampled;
	bool ok = true;
	host_run(&h, &sampled);
	if (sampled.ended != MACHINE_DONE || sampled.executions != last - first) {
		text_printf(why, "it did not end");
		ok = false;
	}
	for (uint32_t k = 0; k < sampled.outcomes.count && ok; k++) {
		uint32_t at = 0;
		while (at < explored->outcomes.count &&
			!same_state(
				explored, &explored->outcomes.data[at], &sampled.outcomes.data[k]))
			at++;
		ok = at < explored->outcomes.count;
		if (ok)
			shown[at] = true;
		else
			print_state(&sampled, &sampled.outcomes.data[k], why);
	}
	report_free(&sampled);
	return ok;
}

/* Whether there are findings other than data races, which do not affect outcomes. */
static inline bool found_other_than_races(const struct report *r)
{
	for (const struct diag *d = r->findings.first; d; d = d->next)
		if (d->code != DIAG_R0150 && !diag_is_warning(d->code))
			return true;
	return false;
}

/* Whether all sampled outcomes of the case are allowed; WHY names one that is not. */
static inline bool sampled_is_explored(struct program *p, struct script_case *c,
	const struct sampling *s, struct tally *t, struct text *why)
{
	struct explorer_request e = {.program = p,
		.in = c,
		.jobs = 1,
		.judge = true,
		.options = {.machine = {.jobs = 1, .timeout = s->seconds > 0 ? s->seconds : 1}}};
	struct report explored;
	bool ok = true;
	explorer_run(&e, &explored);
	/* not complete, or nothing to compare */
	if (explored.status == 7 || explored.verdict == VERDICT_SKIP ||
		found_other_than_races(&explored)) {
		t->skipped++;
		if (getenv("PTXI_SAMPLED_SKIPS"))
			fprintf(stderr, "not compared: status %d, %s\n", explored.status,
				explored.findings.first ? explored.findings.first->message : "");
		report_free(&explored);
		return true;
	}
	bool *shown = calloc(explored.outcomes.count + 1, sizeof *shown);
	uint64_t done = 0;
	uint32_t n = 0;
	for (uint64_t next = s->least; ok && done < next;
		next = next * 2 < s->most ? next * 2 : s->most) {
		ok = sample(p, c, s, done, next, &explored, shown, why);
		done = next;
		n = 0;
		for (uint32_t k = 0; k < explored.outcomes.count; k++)
			n += shown[k];
		if (n == explored.outcomes.count)
			break;
	}
	t->cases++;
	t->whole += n == explored.outcomes.count;
	t->sampled += n;
	t->allowed += explored.outcomes.count;
	t->runs += done;
	t->parts += explored.outcomes.count ? (double)n / explored.outcomes.count : 1;
	for (uint32_t k = 0; s->missing && k < explored.outcomes.count; k++)
		if (!shown[k]) {
			print_state(&explored, &explored.outcomes.data[k], s->missing);
			text_puts(s->missing, "\n");
		}
	free(shown);
	report_free(&explored);
	return ok;
}

#endif
