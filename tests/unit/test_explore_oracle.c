/* Compares the explorer with the brute-force second implementation: complete outcome sets of random
 * programs, and numbers of executions, when commuting atoms are explored in all orders.
 * PTXI_RANDOM_PROGRAMS (default 150) is the number of programs, PTXI_SEED the first seed,
 * PTXI_RANDOM_LARGEST (default 2000) the number of candidate executions that brute force tries;
 * `make check-explore N=10000` tests more and larger programs. */
#include "explore/litmus/litmus.h"
#include "tests/oracle/bruteforce.h"
#include "tests/oracle/random_litmus.h"
#include "model/execution.h"
#include "script/litmus/explorer.h"
#include "script/litmus/litmus_ptx.h"
#include <criterion/criterion.h>
#include <stdio.h>

static uint64_t setting(const char *name, uint64_t value)
{
	const char *s = getenv(name);
	return s ? strtoull(s, NULL, 0) : value;
}

static bool same_outcomes(const struct bruteforce *b, const struct explore_result *r)
{
	if (b->count != r->outcomes.list.count ||
		(r->options.all_orders && b->executions != r->executions) || !explore_complete(r))
		return false;
	for (uint32_t i = 0; i < b->count; i++) {
		if (b->width &&
			memcmp(b->value + (size_t)i * b->width, r->outcomes.list.data[i].value,
				b->width * sizeof *b->value))
			return false;
	}
	return true;
}

/* Totals of a comparison of many programs. */
struct tally {
	uint64_t drawn, outcomes, executions, verified;
};

/* How many of N programs that DRAW makes from SEED differ; or, if OFF is removed from the explorer
 * or CHANGE applied to brute force, whether one does. Programs that are too large for brute force
 * are replaced by the next one. */
static uint32_t differences_of(void (*draw)(struct rng *r, struct text *out), uint64_t seed,
	uint64_t n, uint32_t off, unsigned change, struct tally *tally)
{
	uint32_t bad = 0;
	bool report = !off == !change; /* equality is expected */
	*tally = (struct tally){0};
	for (uint64_t i = 0, compared = 0; compared < n && (report || !bad); i++) {
		cr_assert(i < 2 * n + 100, "most programs are too large for brute force");
		tally->drawn++;
		struct rng rng = {seed + i * 1000003};
		struct text text = {0};
		struct arena arena = {0};
		struct diags diags = {0};
		struct bruteforce b;
		struct explore_litmus l;
		struct explore_options o = {.off = off, .all_orders = true, .verify = !off};
		draw(&rng, &text);
		struct litmus_test *t = litmus_parse(
			source_new(&arena, "random", text_str(&text), text.len), &arena, &diags);
		cr_assert(t != NULL, "seed %llu does not parse:\n%s",
			(unsigned long long)(seed + i * 1000003), text_str(&text));
		bruteforce_run(t, NULL, setting("PTXI_RANDOM_LARGEST", 2000), change, &b);
		if (!b.too_large) {
			explore_litmus(t, &o, &arena, &l);
			bool same = same_outcomes(&b, l.result) && !l.result->verified.broken;
			tally->verified += l.result->verified.executions;
			if (same && !off) { /* omitting orders loses no outcome */
				struct explore_litmus one;
				o.all_orders = false;
				explore_litmus(t, &o, &arena, &one);
				same = same_outcomes(&b, one.result) &&
					!one.result->verified.broken;
				explore_free(one.result);
			}
			if (!same && report)
				cr_log_error(
					"seed %llu: brute force %u outcomes, %llu executions; explorer %u, %llu\n%s",
					(unsigned long long)(seed + i * 1000003), b.count,
					(unsigned long long)b.executions,
					l.result->outcomes.list.count,
					(unsigned long long)l.result->executions, text_str(&text));
			bad += !same;
			tally->outcomes += b.count;
			tally->executions += b.executions;
			compared++;
			explore_free(l.result);
		}
		bruteforce_free(&b);
		arena_free(&arena);
		diags_free(&diags);
		text_free(&text);
	}
	return bad;
}

static uint32_t differences(
	uint64_t seed, uint64_t n, uint32_t off, unsigned change, struct tally *tally)
{
	return differences_of(random_litmus, seed, n, off, change, tally);
}

/* N programs that DRAW makes; WORDS: of what kind, for the report. */
static void compare_programs(
	void (*draw)(struct rng *r, struct text *out), const char *words, uint64_t n)
{
	struct tally t;
	uint32_t bad = differences_of(draw, setting("PTXI_SEED", 1), n, 0, 0, &t);
	printf("explore and brute force: %llu of %llu random programs %s have the same outcomes (%llu outcomes, %llu executions; %llu drawn)\n",
		(unsigned long long)(n - bad), (unsigned long long)n, words,
		(unsigned long long)t.outcomes, (unsigned long long)t.executions,
		(unsigned long long)t.drawn);
	fflush(stdout);
	cr_expect(bad == 0, "%u programs differ", bad);
}

Test(oracle, random_programs)
{
	uint64_t n = setting("PTXI_RANDOM_PROGRAMS", 150);
	struct tally t;
	uint32_t bad = differences(setting("PTXI_SEED", 1), n, 0, 0, &t);
	printf("explore and brute force: %llu of %llu random programs have the same outcomes (%llu outcomes, %llu executions; %llu drawn), and %llu executions satisfy the axioms\n",
		(unsigned long long)(n - bad), (unsigned long long)n,
		(unsigned long long)t.outcomes, (unsigned long long)t.executions,
		(unsigned long long)t.drawn, (unsigned long long)t.verified);
	fflush(stdout);
	cr_expect(bad == 0, "%u programs differ", bad);
	cr_expect(t.verified == t.executions);
}

/* Explores TEXT in all orders and in canonical ones: brute force has the same outcomes, and the
 * condition is POSSIBLE or not. */
static void compare_with_brute_force(const char *text, bool possible)
{
	struct arena arena = {0};
	struct diags diags = {0};
	struct bruteforce b;
	struct litmus_test *t = litmus_parse(
		source_new(&arena, "test", text, strlen(text)), &arena, &diags);
	cr_assert(t != NULL, "does not parse:\n%s", text);
	bruteforce_run(t, NULL, 100000, 0, &b);
	for (int all = 0; all < 2; all++) {
		struct explore_litmus l;
		struct explore_options o = {.all_orders = all, .verify = true};
		explore_litmus(t, &o, &arena, &l);
		cr_expect(!b.too_large && same_outcomes(&b, l.result),
			"brute force %u outcomes, explorer %u:\n%s", b.count,
			l.result->outcomes.list.count, text);
		cr_expect(!l.result->verified.broken, "an axiom is broken:\n%s", text);
		cr_expect(
			l.verdict && l.condition_holds == possible, "the condition of:\n%s", text);
		explore_free(l.result);
	}
	bruteforce_free(&b);
	diags_free(&diags);
	arena_free(&arena);
}

/* A branch before a barrier controls what others do after it: P1 cannot write y before P0 has
 * arrived, and P0 does not arrive before it has read x. Both implementations forbid values that
 * depend on themselves. */
Test(oracle, control_through_a_barrier)
{
	static const char *const text[] = {
		"PTX t\n{\n}\nP0@cta 0,gpu 0 | P1@cta 0,gpu 0 | P2@cta 1,gpu 0 ;\nld.relaxed.gpu r1, x | bar.cta.sync 2 | ld.relaxed.gpu r3, y ;\n"
		"bne r1, 0, L | st.relaxed.gpu y, 1 | st.relaxed.gpu x, r3 ;\nL: | | ;\nbar.cta.sync 2 | | ;\nexists (P0:r1 == 1 /\\ P2:r3 == 1)\n",
		/* through two barriers and a thread between */
		"PTX t\n{\n}\nP0@cta 0,gpu 0 | P1@cta 0,gpu 0 | P2@cta 0,gpu 0 | P3@cta 1,gpu 0 ;\nld.relaxed.gpu r1, x | bar.cta.sync 2 | bar.cta.sync 3 | ld.relaxed.gpu r3, y ;\n"
		"bne r1, 0, L | bar.cta.sync 3 | st.relaxed.gpu y, 1 | st.relaxed.gpu x, r3 ;\nL: | | | ;\nbar.cta.sync 2 | | | ;\nexists (P0:r1 == 1 /\\ P3:r3 == 1)\n",
		/* a thread that exits instead of arriving lets the others pass, too */
		"PTX t\n{\n}\nP0@cta 0,gpu 0 | P1@cta 0,gpu 0 | P2@cta 1,gpu 0 ;\nld.relaxed.gpu r1, x | bar.cta.sync 2 | ld.relaxed.gpu r3, y ;\n"
		"bne r1, 0, L | st.relaxed.gpu y, 1 | st.relaxed.gpu x, r3 ;\nbar.cta.sync 2 | | ;\nL: | | ;\nexists (P0:r1 == 1 /\\ P2:r3 == 1)\n",
	};
	for (uint32_t k = 0; k < sizeof text / sizeof *text; k++)
		compare_with_brute_force(text[k], false);
}

/* Programs in which one order of fences depends on another, or on the order of atoms. The condition
 * of each is possible. */
Test(oracle, orders_of_fences)
{
	static const char *const text[] = {
		/* a == 1 needs the fence of P1 before that of P0 or that of P2 before that of P1,
		 * and x == 1 excludes the first */
		"PTX t\n{\n}\nP0@cta 0,gpu 0 | P1@cta 0,gpu 0 | P2@cta 1,gpu 0 ;\nst.weak a, 1 | st.weak x, 1 | fence.sc.gpu ;\n"
		"fence.sc.cta | fence.sc.cta | st.weak a, 2 ;\nst.weak x, 2 | fence.sc.gpu | ;\nexists (a == 1 /\\ x == 1)\n",
		/* x == 3 excludes the second */
		"PTX t\n{\n}\nP0@cta 0,gpu 0 | P1@cta 0,gpu 0 | P2@cta 1,gpu 0 ;\nst.weak a, 1 | st.weak x, 2 | st.weak x, 3 ;\n"
		"fence.sc.cta | fence.sc.cta | fence.sc.gpu ;\n | fence.sc.gpu | st.weak a, 2 ;\n | st.weak x, 1 | ;\nexists (a == 1 /\\ x == 3)\n",
		/* P0's red is taken first, and then P1 gets a fence that must come before P0's */
		"PTX t\n{\n}\nP0@cta 0,gpu 0 | P1@cta 1,gpu 0 ;\nst.weak z, 1 | ld.relaxed.gpu r1, y ;\nfence.sc.gpu | red.relaxed.gpu.add c, 1 ;\n"
		"red.relaxed.gpu.add c, 1 | bne r1, 0, L ;\n | L: ;\n | fence.sc.gpu ;\n | ld.weak r2, z ;\nexists (P1:r2 == 0 /\\ c == 2)\n",
		/* reds with fences before and after them: the order in which z is last decides
		   theirs */
		"PTX t\n{\n}\nP0@cta 0,gpu 0 | P1@cta 1,gpu 0 | P2@cta 2,gpu 0 ;\nfence.sc.gpu | fence.sc.gpu | fence.sc.gpu ;\nst.weak z, 1 | st.weak z, 2 | st.weak z, 3 ;\n"
		"red.relaxed.gpu.add c, 1 | red.relaxed.gpu.add c, 2 | red.relaxed.gpu.add c, 4 ;\nfence.sc.gpu | fence.sc.gpu | ;\nexists (z == 1 /\\ c == 7)\n",
	};
	for (uint32_t k = 0; k < sizeof text / sizeof *text; k++)
		compare_with_brute_force(text[k], true);
}

/* fence.sc of all scopes, whose orders are chosen only where they matter, among commuting atoms. */
Test(oracle, random_fences)
{
	compare_programs(random_litmus_fences, "with many fence.sc",
		setting("PTXI_RANDOM_PROGRAMS", 250) / 2);
}

/* Up to five fence.sc: their orders depend on each other, fences come into being after atoms have
 * been put in order, and some atoms have fences before and after them. */
Test(oracle, random_orders)
{
	compare_programs(random_litmus_orders, "with up to five fence.sc",
		setting("PTXI_RANDOM_PROGRAMS", 150) / 4);
}

/* Many cas: whether one writes, and so releases, may become known only after other threads have
 * observed later stores of its thread. */
Test(oracle, random_cas)
{
	compare_programs(
		random_litmus_cas, "with many cas", setting("PTXI_RANDOM_PROGRAMS", 150) / 2);
}

/* Removing each axiom or decision changes the result of some random program. (The others:
 * test_explore_axioms.c, with a program for each.) */
Test(oracle, every_axiom_is_noticed)
{
	static const uint32_t off[] = {OFF_COHERENCE, OFF_ATOMICITY, OFF_CAUSALITY, OFF_SCOPE,
		OFF_OBS_CAUSE, OFF_PROXY, OFF_RMW_DEPENDENCY, OFF_PATTERN_LOCATION};
	for (uint32_t i = 0; i < sizeof off / sizeof *off; i++) {
		struct tally t;
		uint32_t bad = 0;
		for (uint64_t seed = 7; !bad && seed < 7 + 3000u * 1000003; seed += 100u * 1000003)
			bad = differences(seed, 100, off[i], 0, &t);
		cr_expect(bad > 0, "taking away %u changes nothing", off[i]);
	}
}

/* Another decision, the same in both implementations: atoms as one event. */
Test(oracle, atoms_as_one_event)
{
	struct tally t;
	uint32_t bad = differences(5, setting("PTXI_RANDOM_PROGRAMS", 150), OFF_ATOM_HALVES,
		BRUTEFORCE_ATOM_ONE_EVENT, &t);
	cr_expect(bad == 0, "%u programs differ with atoms as one event", bad);
}

Test(oracle, no_thin_air_is_noticed)
{
	struct tally t;
	uint32_t bad = differences(5, 300, 0, BRUTEFORCE_THIN_AIR, &t);
	cr_expect(bad > 0, "values out of thin air change nothing");
}

/* The same test as a PTX file: the explorer of kernels finds the same outcomes. WHY describes a
 * difference. */
static bool same_as_ptx(
	const struct litmus_ptx *p, const struct explore_result *litmus, struct text *why)
{
	struct text file = {0};
	struct program program;
	struct report r;
	litmus_ptx_file(p, &file);
	program_load(&program,
		&(struct program_request){
			.path = "random.ptx", .text = text_str(&file), .size = file.len});
	cr_assert(program.status == 0 && program.script.cases.count == 1, "%s", text_str(&file));
	explorer_run(
		&(struct explorer_request){
			.program = &program, .in = &program.script.cases.data[0], .jobs = 1},
		&r);
	bool same = r.status == 0 && r.outcomes.count == litmus->outcomes.list.count;
	for (uint32_t k = 0; same && k < r.outcomes.count; k++) {
		bool found = false;
		for (uint32_t i = 0; i < litmus->outcomes.list.count && !found; i++) {
			found = true;
			for (uint32_t o = 0; o < r.nstate; o++)
				found = found &&
					strtoll(r.outcomes.data[k].text[o], NULL, 10) ==
						(int64_t)litmus->outcomes.list.data[i].value[o];
		}
		same = found;
	}
	if (!same)
		text_printf(why, "as PTX %u outcomes, status %d, not %u:\n%s", r.outcomes.count,
			r.status, litmus->outcomes.list.count, text_str(&file));
	report_free(&r);
	program_free(&program);
	text_free(&file);
	return same;
}

static bool has_barrier(const struct litmus_test *t)
{
	for (uint32_t k = 0; k < t->nthreads; k++) {
		for (uint32_t i = 0; i < t->thread[k].ninsns; i++) {
			if (t->thread[k].insn[i].op == LITMUS_SYNC ||
				t->thread[k].insn[i].op == LITMUS_ARRIVE)
				return true;
		}
	}
	return false;
}

/* (Without tests with barriers, which count their threads in PTX, and proxies, which PTX hardly
 * has.) */
static void compare_as_kernels(void (*draw)(struct rng *r, struct text *out), uint64_t n)
{
	uint64_t seed = setting("PTXI_SEED", 1), compared = 0, outcomes = 0;
	for (uint64_t i = 0; compared < n; i++) {
		struct rng rng = {seed + i * 1000003};
		struct text text = {0}, why = {0};
		struct arena arena = {0};
		struct diags diags = {0};
		struct litmus_ptx p;
		struct explore_litmus l;
		draw(&rng, &text);
		struct litmus_test *t = litmus_parse(
			source_new(&arena, "random", text_str(&text), text.len), &arena, &diags);
		litmus_ptx_begin(&p, t, &arena);
		if (!p.lacks && !has_barrier(t)) {
			explore_litmus(t, &(struct explore_options){.jobs = 1}, &arena, &l);
			cr_expect(same_as_ptx(&p, l.result, &why), "seed %llu: %s\n%s",
				(unsigned long long)(seed + i * 1000003), text_str(&text),
				text_str(&why));
			outcomes += l.result->outcomes.list.count;
			explore_free(l.result);
			compared++;
		}
		arena_free(&arena);
		diags_free(&diags);
		text_free(&text);
		text_free(&why);
	}
	printf("explore: %llu random programs have the same outcomes as .litmus and as kernels (%llu outcomes)\n",
		(unsigned long long)n, (unsigned long long)outcomes);
	fflush(stdout);
}

Test(oracle, random_programs_as_kernels)
{
	compare_as_kernels(random_litmus, setting("PTXI_RANDOM_PROGRAMS", 150) / 3);
}

/* Threads that compete by cas: only of kernels is it known what a thread may still write, so only
 * there a lost contest is no choice. */
Test(oracle, random_contests)
{
	uint64_t n = setting("PTXI_RANDOM_PROGRAMS", 150) / 3;

	compare_programs(random_litmus_contests, "that compete by cas", n);
	compare_as_kernels(random_litmus_contests, n);
}

/* SC-per-location follows from the other axioms in all tests: without it the outcome sets are the
 * same. */
Test(oracle, sc_per_location_follows)
{
	uint64_t n = setting("PTXI_RANDOM_PROGRAMS", 150);
	struct tally t;
	uint32_t bad = differences(99, n, OFF_SC_PER_LOCATION, 0, &t);
	printf("explore without SC-per-location: %llu of %llu random programs have the same outcomes\n",
		(unsigned long long)(n - bad), (unsigned long long)n);
	fflush(stdout);
	cr_expect(bad == 0, "%u programs differ without SC-per-location", bad);
}
