/* Compares the outcomes of sampled runs of random kernels, and the race checker's findings, with a
 * recording: all of it follows from the seeds. A change to the machine, the sampler or the checker
 * that affects neither does not show here; after an intended change, update the recording with the
 * numbers that this test prints. FULL=1 (check-recorded) takes all groups of kernels, not half. */
#include "base/hash.h"
#include "explore/litmus/litmus.h"
#include "script/litmus/explorer.h"
#include "script/litmus/litmus_ptx.h"
#include "tests/oracle/random_kernel.h"
#include "tests/oracle/random_litmus.h"
#include <criterion/criterion.h>
#include <stdio.h>

enum { GROUPS = 8, KERNELS = 100, RUNS = 16 };

/* The recorded values for one group of kernels. */
struct record {
	uint32_t outcomes, findings;
	uint64_t all; /* hash of every outcome, its count, and all messages */
};

static void add_text(struct record *to, const char *s)
{
	to->all = hash_bytes(s, strlen(s), to->all);
}

static void add_report(struct record *to, struct report *r)
{
	char number[64];
	struct text text = {0};

	for (uint32_t k = 0; k < r->outcomes.count; k++) {
		for (uint32_t i = 0; i < r->nstate; i++)
			add_text(to, r->outcomes.data[k].text[i]);
		snprintf(number, sizeof number, ": %llu",
			(unsigned long long)r->outcomes.data[k].count);
		add_text(to, number);
	}
	to->outcomes += r->outcomes.count;
	to->findings += r->findings.count;
	diag_render(&r->findings, &text, false);
	add_text(to, text_str(&text));
	text_free(&text);
}

static void run(struct program *p, uint8_t memory, uint8_t checks, uint64_t seed, uint64_t runs,
	struct record *to)
{
	struct host_request h = {.module = p->module,
		.in = &p->script.cases.data[0],
		.options = {.machine = {.memory = memory,
				    .schedule = SCHEDULE_RANDOM,
				    .jobs = 1,
				    .seed = seed,
				    .checks = checks},
			.runs = runs}};
	struct report r;

	host_run(&h, &r);
	add_report(to, &r);
	report_free(&r);
}

static struct record group(void (*make)(struct rng *, struct text *), uint64_t first)
{
	struct record now = {0};

	for (uint64_t i = first; i < first + KERNELS; i++) {
		struct rng rng = {i * 7000003};
		struct text text = {0};
		struct program_request request = {.path = "random.ptx"};
		struct program p;

		make(&rng, &text);
		request.text = text_str(&text);
		request.size = text.len;
		program_load(&p, &request);
		cr_assert(p.module && p.script_ok, "%s", text_str(&text));
		run(&p, MEMORY_WEAK, 0, i, RUNS, &now);
		for (uint64_t k = 0; k < 3; k++) {
			run(&p, MEMORY_WEAK, CHECK_RACE, i + k, 1, &now);
			run(&p, MEMORY_FAST, CHECK_RACE | CHECK_SYNC, i + k, 1, &now);
		}
		program_free(&p);
		text_free(&text);
	}
	return now;
}

static void compare(void (*make)(struct rng *, struct text *), const struct record *known)
{
	unsigned groups = getenv("FULL") ? GROUPS : GROUPS / 2;

	for (unsigned g = 0; g < groups; g++) {
		struct record now = group(make, 1 + g * KERNELS);

		cr_expect(now.outcomes == known[g].outcomes && now.findings == known[g].findings &&
				now.all == known[g].all,
			"kernels %u to %u: {%u, %u, 0x%016llx},", 1 + g * KERNELS,
			(g + 1) * KERNELS, now.outcomes, now.findings, (unsigned long long)now.all);
	}
}

Test(recorded, kernels)
{
	static const struct record known[GROUPS] = {{1359, 1613, 0x1010553abc0f2df4},
		{1347, 1425, 0x2db18dd10153127d}, {1335, 1265, 0x6548e9adfefd9962},
		{1356, 1742, 0xa70d04bde2510065}, {1306, 1613, 0x9c14ca62a1f8e314},
		{1411, 1683, 0x378bce2247745a4f}, {1359, 1536, 0x13a33e8fbcc7b187},
		{1311, 1332, 0x77a7321e843ed096}};

	compare(random_kernel, known);
}

Test(recorded, protocols)
{
	static const struct record known[GROUPS] = {{1120, 241, 0xfe8ef575e10091e8},
		{1223, 431, 0xa10801ac4b6f28be}, {1193, 301, 0xa7302feba1a5e500},
		{1175, 472, 0x5404ebdecd6d9b44}, {1199, 339, 0xee55c75a3b632d9a},
		{1146, 333, 0x6a5274bf806b9ca6}, {1232, 419, 0xc06bc340de2fd313},
		{1216, 392, 0x5447bd23d48cb456}};

	compare(random_protocol, known);
}

Test(recorded, copies)
{
	static const struct record known[GROUPS] = {{711, 1204, 0xc57eff1cf9724ba4},
		{679, 1191, 0xa44b63b0ced8d22c}, {688, 1013, 0xbe2266d15b51bff0},
		{668, 1108, 0x4b6764a07793b898}, {714, 1197, 0x73d4de35a341f3fe},
		{683, 1223, 0x98feeba6a342013e}, {691, 1158, 0xd739c187adcfafcb},
		{713, 1328, 0x87cab7873fd0e868}};

	compare(random_copies, known);
}

/* How much is explored for random litmus tests: the effect of shortcuts, and the number of
 * outcomes. test_explore_oracle.c tests whether they are correct. */
struct explored {
	uint64_t executions, outcomes;
};

static struct explored explored(void (*draw)(struct rng *r, struct text *out), uint64_t first)
{
	struct explored now = {0};

	for (uint64_t i = first; i < first + KERNELS; i++) {
		struct rng rng = {i * 1000003};
		struct text text = {0};
		struct arena arena = {0};
		struct diags diags = {0};
		struct explore_options o = {0};
		struct explore_litmus l;

		draw(&rng, &text);
		struct litmus_test *t = litmus_parse(
			source_new(&arena, "random", text_str(&text), text.len), &arena, &diags);
		cr_assert_not_null(t);
		explore_litmus(t, &o, &arena, &l);
		now.executions += l.result->executions;
		now.outcomes += l.result->outcomes.list.count;
		explore_free(l.result);
		arena_free(&arena);
		diags_free(&diags);
		text_free(&text);
	}
	return now;
}

static void compare_explored(
	void (*draw)(struct rng *r, struct text *out), const struct explored *known)
{
	for (unsigned g = 0; g < GROUPS; g++) {
		struct explored now = explored(draw, 1 + g * KERNELS);

		cr_expect(
			now.executions == known[g].executions && now.outcomes == known[g].outcomes,
			"tests %u to %u: {%llu, %llu},", 1 + g * KERNELS, (g + 1) * KERNELS,
			(unsigned long long)now.executions, (unsigned long long)now.outcomes);
	}
}

Test(recorded, litmus)
{
	static const struct explored known[GROUPS] = {{1672, 841}, {748, 588}, {1869, 772},
		{2203, 1239}, {1235, 671}, {1417, 796}, {1747, 927}, {1648, 957}};

	compare_explored(random_litmus, known);
}

Test(recorded, litmus_fences)
{
	static const struct explored known[GROUPS] = {{707, 478}, {610, 455}, {588, 437},
		{938, 406}, {553, 378}, {799, 545}, {716, 473}, {689, 399}};

	compare_explored(random_litmus_fences, known);
}
