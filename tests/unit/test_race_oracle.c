/* Compares the race checker with the explorer, on random kernels: what it reports in a run must be
 * a race of some allowed execution, of the same two lines; and most of the existing races must be
 * reported in some run. PTXI_RACE_KERNELS (default 30) is the number of kernels, PTXI_RACE_RUNS
 * (default 12) the runs of each, PTXI_SEED the first seed, PTXI_RACE_MS the time limit for
 * exploring one; PTXI_RACE_MISSED prints races that are never reported. `make check-races` tests
 * more. */
#include "script/litmus/explorer.h"
#include "tests/oracle/random_kernel.h"
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>

static uint64_t setting(const char *name, uint64_t value)
{
	const char *s = getenv(name);
	return s ? strtoull(s, NULL, 0) : value;
}

/* Two lines, the smaller first. */
struct pair {
	uint32_t line[2];
	bool seen;
};
struct pairs {
	VEC(struct pair) list;
};

static struct pair *find(struct pairs *p, struct pair x)
{
	for (uint32_t k = 0; k < p->list.count; k++)
		if (p->list.data[k].line[0] == x.line[0] && p->list.data[k].line[1] == x.line[1])
			return &p->list.data[k];
	return NULL;
}

static struct pair pair_of(const struct diag *d)
{
	struct pair p = {0};
	uint32_t column;
	for (unsigned k = 0; k < 2; k++)
		source_place(d->label[k].source, d->label[k].span.off, &p.line[k], &column);
	if (p.line[0] > p.line[1])
		p = (struct pair){{p.line[1], p.line[0]}, false};
	return p;
}

static bool is_race(const struct diag *d)
{
	return diag_code_info(d->code).code[0] == 'R' && d->nlabels >= 2;
}

struct tally {
	uint32_t kernels, skipped, racy, caught, pairs, seen, wrong;
};

/* Finds the races of all allowed executions; false if they are not all known. */
static bool explored(struct program *p, struct pairs *out)
{
	struct explorer_request e = {.program = p,
		.in = &p->script.cases.data[0],
		.jobs = 1,
		.options = {.machine = {.jobs = 1,
				    .timeout = (double)setting("PTXI_RACE_MS", 250) / 1000}}};
	struct report r;
	bool all;
	explorer_run(&e, &r);
	all = !r.incomplete && r.status != 8 && !r.findings.dropped;
	for (const struct diag *d = r.findings.first; all && d; d = d->next) {
		struct pair x;
		if (!is_race(d))
			continue;
		x = pair_of(d);
		if (!find(out, x))
			*vec_push(&out->list) = x;
	}
	report_free(&r);
	return all;
}

/* One run: marks its races in KNOWN; WRONG counts those that are not there. */
static void run_once(struct program *p, struct pairs *known, uint8_t memory, uint64_t seed,
	const char *text, struct tally *t)
{
	struct host_request h = {.module = p->module,
		.in = &p->script.cases.data[0],
		.options = {.machine = {.memory = memory,
				    .schedule = SCHEDULE_RANDOM,
				    .jobs = 1,
				    .seed = seed,
				    .checks = CHECK_RACE}}};
	struct report r;
	host_run(&h, &r);
	for (const struct diag *d = r.findings.first; d; d = d->next) {
		struct pair *x, here;
		if (!is_race(d))
			continue;
		here = pair_of(d);
		x = find(known, here);
		if (x) {
			x->seen = true;
			continue;
		}
		t->wrong++;
		cr_log_error("%s memory, seed %llu: lines %u and %u do not race: %s\n%s",
			memory == MEMORY_WEAK ? "weak" : "fast", (unsigned long long)seed,
			here.line[0], here.line[1], d->message, text);
	}
	report_free(&r);
}

static void compare(void (*make)(struct rng *, struct text *), uint64_t n, uint64_t runs,
	uint64_t seed, struct tally *t)
{
	for (uint64_t i = seed; i < seed + n; i++) {
		struct rng rng = {i * 1000003};
		struct text text = {0};
		struct program_request request = {.path = "random.ptx"};
		struct program p;
		struct pairs known = {0};
		uint32_t seen = 0;
		make(&rng, &text);
		request.text = text_str(&text);
		request.size = text.len;
		program_load(&p, &request);
		cr_assert(p.module && p.script_ok, "%s", text_str(&text));
		if (explored(&p, &known)) {
			for (uint64_t k = 0; k < runs; k++) {
				run_once(&p, &known, MEMORY_FAST, i + k, text_str(&text), t);
				run_once(&p, &known, MEMORY_WEAK, i + k, text_str(&text), t);
			}
			t->kernels++;
			t->racy += known.list.count > 0;
			for (uint32_t k = 0; k < known.list.count; k++) {
				seen += known.list.data[k].seen;
				if (!known.list.data[k].seen && getenv("PTXI_RACE_MISSED"))
					cr_log_warn("%llu: never reported: lines %u and %u\n%s",
						(unsigned long long)i, known.list.data[k].line[0],
						known.list.data[k].line[1], text_str(&text));
			}
			t->pairs += known.list.count;
			t->seen += seen;
			t->caught += seen > 0;
		} else {
			t->skipped++;
		}
		vec_free(&known.list);
		program_free(&p);
		text_free(&text);
	}
}

static void report(const char *what, const struct tally *t)
{
	printf("races and explore: %u %s (%u not compared), %u with races, %u of these reported; of %u pairs of lines %u; %u reported that are none\n",
		t->kernels, what, t->skipped, t->racy, t->caught, t->pairs, t->seen, t->wrong);
	fflush(stdout);
	cr_expect(t->wrong == 0);
	cr_expect(t->caught >= t->racy - t->racy / 10 && t->seen >= t->pairs / 2,
		"what is reported is too little");
	cr_expect(t->kernels >= 100 * (t->kernels + t->skipped) / 125 && t->racy > 0 &&
		t->racy < t->kernels);
}

Test(race_oracle, random_kernels)
{
	struct tally t = {0};
	compare(random_kernel, setting("PTXI_RACE_KERNELS", 30), setting("PTXI_RACE_RUNS", 12),
		setting("PTXI_SEED", 1), &t);
	report("kernels", &t);
}

Test(race_oracle, random_protocols)
{
	struct tally t = {0};
	compare(random_protocol, setting("PTXI_RACE_KERNELS", 30), setting("PTXI_RACE_RUNS", 12),
		setting("PTXI_SEED", 1), &t);
	report("protocols", &t);
}

/* --check=sync reports missing proxy fences: many races that explore finds are due to one. */
Test(race_oracle, random_copies)
{
	struct tally t = {0};
	compare(random_copies, setting("PTXI_RACE_KERNELS", 30), setting("PTXI_RACE_RUNS", 12),
		setting("PTXI_SEED", 1), &t);
	report("kernels with copies", &t);
}
