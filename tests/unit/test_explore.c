/* The explorer on litmus tests: a comment explains every verdict. */
#include "explore/explain/dot.h"
#include "explore/explain/why.h"
#include "explore/litmus/litmus.h"
#include "explore/litmus/program.h"
#include "explore/search/race.h"
#include "explore/search/witness.h"
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

struct explored {
	struct arena arena;
	struct diags diags;
	struct litmus_test *test;
	struct explore_litmus litmus;
};

static void explore_text(
	struct explored *r, const char *text, const struct explore_options *options)
{
	*r = (struct explored){0};
	r->test = litmus_parse(
		source_new(&r->arena, "test.litmus", text, strlen(text)), &r->arena, &r->diags);
	cr_assert(r->test != NULL, "does not parse:\n%s", text);
	explore_litmus(r->test, options, &r->arena, &r->litmus);
}

static void run_free(struct explored *r)
{
	explore_free(r->litmus.result);
	arena_free(&r->arena);
	diags_free(&r->diags);
}

struct expectation {
	const char *name, *text;
	bool holds;
	uint64_t positive, negative;
};

static void check(const struct expectation *e, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		struct explored r;
		struct explore_options o = {0};
		explore_text(&r, e[i].text, &o);
		cr_expect(r.litmus.verdict, "%s: undecided", e[i].name);
		cr_expect(r.litmus.condition_holds == e[i].holds, "%s: %s", e[i].name,
			r.litmus.condition_holds ? "holds" : "does not hold");
		cr_expect(r.litmus.positive == e[i].positive && r.litmus.negative == e[i].negative,
			"%s: %llu positive, %llu negative", e[i].name,
			(unsigned long long)r.litmus.positive,
			(unsigned long long)r.litmus.negative);
		run_free(&r);
	}
}

#define TWO(a1, b1, a2, b2) \
	"PTX t\n{}\nP0@cta 0,gpu 0 | P1@cta 1,gpu 0 ;\n" a1 " | " a2 " ;\n" b1 " | " b2 " ;\n"
#define THREE_ROWS(a1, b1, c1, a2, b2, c2) \
	"PTX t\n{}\nP0@cta 0,gpu 0 | P1@cta 1,gpu 0 ;\n" a1 " | " a2 " ;\n" b1 " | " b2 " ;\n" c1 \
	" | " c2 " ;\n"

Test(explore, message_passing)
{
	static const struct expectation e[] = {
		/* Nothing synchronises: all four outcomes are allowed. */
		{"relaxed",
			TWO("st.relaxed.gpu x, 1", "st.relaxed.gpu y, 1", "ld.relaxed.gpu r0, y",
				"ld.relaxed.gpu r1, x") "exists (1:r0 == 1 /\\ 1:r1 == 0)",
			true, 1, 3},
		/* The release synchronises with the acquire that reads from it. */
		{"release acquire",
			TWO("st.weak x, 1", "st.release.gpu y, 1", "ld.acquire.gpu r0, y",
				"ld.weak r1, x") "exists (1:r0 == 1 /\\ 1:r1 == 0)",
			false, 0, 3},
		/* Scope cta does not include the other CTA: not morally strong, so not observed. */
		{"narrow release",
			TWO("st.weak x, 1", "st.release.cta y, 1", "ld.acquire.gpu r0, y",
				"ld.weak r1, x") "exists (1:r0 == 1 /\\ 1:r1 == 0)",
			true, 1, 3},
		{"narrow acquire",
			TWO("st.weak x, 1", "st.release.gpu y, 1", "ld.acquire.cta r0, y",
				"ld.weak r1, x") "exists (1:r0 == 1 /\\ 1:r1 == 0)",
			true, 1, 3},
		/* One side alone does not synchronise. */
		{"release only",
			TWO("st.weak x, 1", "st.release.gpu y, 1", "ld.relaxed.gpu r0, y",
				"ld.weak r1, x") "exists (1:r0 == 1 /\\ 1:r1 == 0)",
			true, 1, 3},
		/* volatile is relaxed.sys, strong enough for patterns with fences. */
		{"volatile and membar",
			THREE_ROWS("st.volatile x, 1", "membar.gl", "st.volatile y, 1",
				"ld.volatile r0, y", "membar.gl",
				"ld.volatile r1, x") "exists (1:r0 == 1 /\\ 1:r1 == 0)",
			false, 0, 3},
		{"fence.release and fence.acquire",
			THREE_ROWS("st.weak x, 1", "fence.release.gpu", "st.relaxed.gpu y, 1",
				"ld.relaxed.gpu r0, y", "fence.acquire.gpu",
				"ld.weak r1, x") "exists (1:r0 == 1 /\\ 1:r1 == 0)",
			false, 0, 3},
		/* Fences in the wrong order. */
		{"fence.acquire and fence.release",
			THREE_ROWS("st.weak x, 1", "fence.acquire.gpu", "st.relaxed.gpu y, 1",
				"ld.relaxed.gpu r0, y", "fence.release.gpu",
				"ld.weak r1, x") "exists (1:r0 == 1 /\\ 1:r1 == 0)",
			true, 1, 3},
		/* A weak flag is not observed even between fences. */
		{"weak flag",
			THREE_ROWS("st.weak x, 1", "fence.sc.gpu", "st.weak y, 1", "ld.weak r0, y",
				"fence.acq_rel.gpu",
				"ld.weak r1, x") "exists (1:r0 == 1 /\\ 1:r1 == 0)",
			true, 1, 3},
		/* Decision: fence.sc also releases and acquires, here without a second fence.sc to
		   be ordered with. */
		{"fence.sc releases",
			THREE_ROWS("st.weak x, 1", "fence.sc.gpu", "st.relaxed.gpu y, 1",
				"ld.acquire.gpu r0, y", "",
				"ld.weak r1, x") "exists (1:r0 == 1 /\\ 1:r1 == 0)",
			false, 0, 3},
		/* Decision: the read of a red never acquires, not even before a fence: y is 2 at
		 * the end only if the red read the release. */
		{"red does not acquire",
			THREE_ROWS("st.weak x, 1", "st.release.gpu y, 1", "",
				"red.relaxed.gpu.add y, 1", "fence.acq_rel.gpu",
				"ld.weak r1, x") "exists (y == 2 /\\ 1:r1 == 0)",
			true, 1, 3},
		/* The same with an atom does. */
		{"atom acquires",
			THREE_ROWS("st.weak x, 1", "st.release.gpu y, 1", "",
				"atom.relaxed.gpu.add r0, y, 1", "fence.acq_rel.gpu",
				"ld.weak r1, x") "exists (1:r0 == 1 /\\ 1:r1 == 0)",
			false, 0, 3},
	};
	check(e, sizeof e / sizeof *e);
}

Test(explore, store_and_load_buffering)
{
	static const struct expectation e[] = {
		{"SB relaxed",
			TWO("st.relaxed.gpu x, 1", "ld.relaxed.gpu r0, y", "st.relaxed.gpu y, 1",
				"ld.relaxed.gpu r1, x") "exists (0:r0 == 0 /\\ 1:r1 == 0)",
			true, 1, 3},
		/* acq_rel fences order neither thread's store before its load. */
		{"SB acq_rel",
			THREE_ROWS("st.relaxed.gpu x, 1", "fence.acq_rel.gpu",
				"ld.relaxed.gpu r0, y", "st.relaxed.gpu y, 1", "fence.acq_rel.gpu",
				"ld.relaxed.gpu r1, x") "exists (0:r0 == 0 /\\ 1:r1 == 0)",
			true, 1, 3},
		{"SB fence.sc",
			THREE_ROWS("st.weak x, 1", "fence.sc.gpu", "ld.weak r0, y", "st.weak y, 1",
				"fence.sc.gpu", "ld.weak r1, x") "exists (0:r0 == 0 /\\ 1:r1 == 0)",
			false, 0, 3},
		/* One fence.sc is too narrow: the two are not morally strong and need no order. */
		{"SB fence.sc narrow",
			THREE_ROWS("st.weak x, 1", "fence.sc.cta", "ld.weak r0, y", "st.weak y, 1",
				"fence.sc.gpu", "ld.weak r1, x") "exists (0:r0 == 0 /\\ 1:r1 == 0)",
			true, 1, 3},
		{"LB relaxed",
			TWO("ld.relaxed.gpu r0, x", "st.relaxed.gpu y, 1", "ld.relaxed.gpu r1, y",
				"st.relaxed.gpu x, 1") "exists (0:r0 == 1 /\\ 1:r1 == 1)",
			true, 1, 3},
		/* Data dependencies on both sides: values out of thin air. Three reads-from remain,
		   all with zeros. */
		{"LB data",
			TWO("ld.relaxed.gpu r0, x", "st.relaxed.gpu y, r0", "ld.relaxed.gpu r1, y",
				"st.relaxed.gpu x, r1") "exists (0:r0 == 1 /\\ 1:r1 == 1)",
			false, 0, 3},
		/* Syntactic dependencies count: r0 xor r0. */
		{"LB xor",
			THREE_ROWS("ld.relaxed.gpu r0, x", "xor r2, r0, r0", "st.relaxed.gpu y, r2",
				"ld.relaxed.gpu r1, y", "",
				"st.relaxed.gpu x, r1") "exists (0:r0 == 0)",
			true, 3, 0},
		/* One reads-from, four final states: coherence of x and of y is free. */
		{"2+2W relaxed",
			TWO("st.relaxed.gpu x, 1", "st.relaxed.gpu y, 2", "st.relaxed.gpu y, 1",
				"st.relaxed.gpu x, 2") "exists (x == 1 /\\ y == 1)",
			true, 1, 3},
	};
	check(e, sizeof e / sizeof *e);
}

#define SPLIT \
	"PTX t\n{y=0;}\nP0@cta 0,gpu 0 | P1@cta 1,gpu 0 | P2@cta 2,gpu 0 | P3@cta 3,gpu 0 ;\nst.weak x, 1 | st.weak x, 3 | ld.relaxed.gpu r0, x | ld.relaxed.gpu r0, x ;\n" \
	"st.relaxed.gpu x, 2 | st.relaxed.gpu x, 4 | ld.weak r1, x | ld.weak r1, x ;\n"

Test(explore, coherence_and_atomicity)
{
	static const struct expectation e[] = {
		/* Morally strong reads of one location cannot go back. */
		{"CoRR",
			TWO("st.relaxed.gpu x, 1", "", "ld.relaxed.gpu r0, x",
				"ld.relaxed.gpu r1, x") "exists (1:r0 == 1 /\\ 1:r1 == 0)",
			false, 0, 3},
		/* Weak ones can. */
		{"CoRR weak",
			TWO("st.relaxed.gpu x, 1", "", "ld.weak r0, x",
				"ld.weak r1, x") "exists (1:r0 == 1 /\\ 1:r1 == 0)",
			true, 1, 3},
		/* Two exchanges cannot both read the initial value. */
		{"exch exch",
			TWO("atom.relaxed.gpu.exch r0, x, 1", "", "atom.relaxed.gpu.exch r1, x, 1",
				"") "exists (0:r0 == 0 /\\ 1:r1 == 0)",
			false, 0, 2},
		/* Two threads read the two last stores in opposite orders, and then what one of
		 * these stores comes after, without moral strength: for either order of the stores
		 * one of the reads is forbidden. */
		{"CoRR split", SPLIT "exists (2:r0 == 4 /\\ 2:r1 == 1 /\\ 3:r0 == 2 /\\ 3:r1 == 3)",
			false, 0, 433},
		{"CoRR split, with memory",
			SPLIT
			"exists (2:r0 == 4 /\\ 2:r1 == 1 /\\ 3:r0 == 2 /\\ 3:r1 == 3 /\\ x < 5)",
			false, 0, 722},
		{"CoRR split, with memory that no thread accesses",
			SPLIT
			"exists (2:r0 == 4 /\\ 2:r1 == 1 /\\ 3:r0 == 2 /\\ 3:r1 == 3 /\\ y == 0)",
			false, 0, 433},
		/* At scope cta across CTAs they are not atomic with each other. */
		{"exch exch narrow",
			TWO("atom.relaxed.cta.exch r0, x, 1", "", "atom.relaxed.cta.exch r1, x, 1",
				"") "exists (0:r0 == 0 /\\ 1:r1 == 0)",
			true, 1, 2},
		/* A failed cas writes nothing. */
		{"cas",
			TWO("atom.relaxed.gpu.cas r0, x, 0, 1", "",
				"atom.relaxed.gpu.cas r1, x, 0, 2",
				"") "forall (x == 1 \\/ x == 2)",
			true, 2, 0},
		/* inc and dec wrap at their operand. */
		{"inc", "PTX t\n{x=5; y=0;}\nP0@cta 0,gpu 0 ;\natom.relaxed.gpu.inc r0, x, 5 ;\natom.relaxed.gpu.dec r1, y, 5 ;\nforall (x == 0 /\\ y == 5 /\\ P0:r0 == 5)",
			true, 1, 0},
	};
	check(e, sizeof e / sizeof *e);
}

Test(explore, barriers)
{
	static const char *const head = "PTX t\n{}\nP0@cta 0,gpu 0 | P1@cta 0,gpu 0 ;\n";
	char text[512];
	struct explored r;
	struct explore_options o = {0};
	snprintf(text, sizeof text,
		"%sst.weak x, 1 | bar.cta.sync 0 ;\nbar.cta.sync 0 | ld.weak r0, x ;\nforall (1:r0 == 1)",
		head);
	explore_text(&r, text, &o);
	cr_expect(r.litmus.verdict && r.litmus.condition_holds && r.litmus.terminates &&
		!r.litmus.result->nraces);
	run_free(&r);
	/* Crossed barriers: a deadlock, and no outcome. */
	snprintf(text, sizeof text,
		"%sbar.cta.sync 0 | bar.cta.sync 1 ;\nbar.cta.sync 1 | bar.cta.sync 0 ;\nexists 0 == 0",
		head);
	explore_text(&r, text, &o);
	cr_expect(
		!r.litmus.terminates && !r.litmus.condition_holds && !r.litmus.result->executions);
	cr_expect(r.litmus.result->stuck.list.count == 1 &&
		r.litmus.result->stuck.list.data[0].value[0] == STUCK_DEADLOCK);
	run_free(&r);
	/* An arrive does not wait and does not order what follows it: the store after it may be
	 * observed earlier. */
	snprintf(text, sizeof text,
		"%sld.weak r0, x | bar.cta.arrive 1 ;\nbar.cta.sync 1 | st.weak x, 1 ;\nexists (0:r0 == 1)",
		head);
	explore_text(&r, text, &o);
	cr_expect(r.litmus.condition_holds && r.litmus.terminates);
	run_free(&r);
	/* Whether thread 2 arrives is not known before it has read; if it does not, the two others
	 * have synchronised nevertheless. */
	explore_text(&r,
		"PTX t\n{}\nP0@cta 0,gpu 0 | P1@cta 0,gpu 0 | P2@cta 0,gpu 0 | P3@cta 1,gpu 0 ;\nbar.cta.sync 1, 1, 2 | st.weak x, 1 | ld.relaxed.gpu r0, y | st.relaxed.gpu y, 0 ;\n"
		"ld.weak r1, x | bar.cta.arrive 1, 1, 2 | beq r0, 0, L | ;\n | | bar.cta.sync 1, 1, 2 | ;\n | | L: | ;\nforall (0:r1 == 1)",
		&o);
	cr_expect(r.litmus.verdict && r.litmus.condition_holds && r.litmus.terminates &&
		r.litmus.result->executions == 2);
	run_free(&r);
	/* In a loop a barrier proceeds to its next phase. */
	snprintf(text, sizeof text,
		"%sL: | L: ;\nadd r1, r1, 1 | add r1, r1, 1 ;\nst.weak x, r1 | bar.cta.sync 0 ;\nbar.cta.sync 0 | ld.weak r0, x ;\nbar.cta.sync 1 | bar.cta.sync 1 ;\n"
		"bne r1, 3, L | bne r1, 3, L ;\nforall (1:r0 == 3)",
		head);
	explore_text(&r, text, &o);
	cr_expect(r.litmus.verdict && r.litmus.condition_holds && r.litmus.result->executions == 1);
	run_free(&r);
}

Test(explore, loops)
{
	struct explored r;
	struct explore_options o = {0};
	/* The spin ends because the store is last in coherence order; only its last round
	 * counts. */
	explore_text(&r,
		"PTX t\n{}\nP0@cta 0,gpu 0 | P1@cta 1,gpu 0 ;\nst.weak x, 1 | L: ;\nst.release.gpu f, 1 | ld.acquire.gpu r0, f ;\n | beq r0, 0, L ;\n | ld.weak r1, x ;\nforall (1:r1 == 1)",
		&o);
	cr_expect(r.litmus.verdict && r.litmus.condition_holds && r.litmus.terminates &&
		r.litmus.result->executions == 1);
	run_free(&r);
	/* The flag is never set. */
	explore_text(&r,
		"PTX t\n{}\nP0@cta 0,gpu 0 ;\nL: ;\nld.relaxed.gpu r0, f ;\nbeq r0, 0, L ;\nexists (f == 0)",
		&o);
	cr_expect(!r.litmus.terminates &&
		r.litmus.result->stuck.list.data[0].value[0] == STUCK_LIVELOCK);
	run_free(&r);
	/* The flag is set and cleared: a thread that misses it spins forever. */
	explore_text(&r,
		"PTX t\n{}\nP0@cta 0,gpu 0 | P1@cta 1,gpu 0 ;\nst.relaxed.gpu f, 1 | L: ;\nst.relaxed.gpu f, 0 | ld.relaxed.gpu r0, f ;\n | beq r0, 0, L ;\nexists (1:r0 == 1)",
		&o);
	cr_expect(!r.litmus.terminates && r.litmus.condition_holds);
	run_free(&r);
	/* A round of a spin with exch restores what it read, and counts as if it had not happened.
	 * But it may restore what a weak store of another thread changed, or a strong one whose
	 * scope is too narrow: then the loop is bounded, which is reported. */
	static const struct {
		const char *release;
		bool bounded;
	} exch[] = {{"st.release.gpu", false}, {"st.weak", true}, {"st.release.cta", true},
		{"st.release.sys", false}};
	for (uint32_t k = 0; k < sizeof exch / sizeof *exch; k++) {
		char text[512];
		snprintf(text, sizeof text,
			"PTX t\n{}\nP0@cta 0,gpu 0 | P1@cta 1,gpu 0 ;\nL: | L: ;\natom.acquire.gpu.exch r0, l, 1 | atom.acquire.gpu.exch r0, l, 1 ;\nbne r0, 0, L | bne r0, 0, L ;\n"
			"ld.weak r1, x | ld.weak r1, x ;\nadd r1, r1, 1 | add r1, r1, 1 ;\nst.weak x, r1 | st.weak x, r1 ;\n%s l, 0 | %s l, 0 ;\nexists (x == 1)",
			exch[k].release, exch[k].release);
		explore_text(&r, text, &o);
		cr_expect(r.litmus.result->bound_reached == exch[k].bounded, "%s", exch[k].release);
		cr_expect(
			exch[k].bounded || (!r.litmus.positive && r.litmus.result->executions == 2),
			"%s", exch[k].release);
		run_free(&r);
	}
	/* An execution is not counted again in which another thread reads what such a round wrote:
	 * there are so many stores to y that the load of l is decided before the one that ends the
	 * round. */
	explore_text(&r,
		"PTX t\n{l=1;}\nP0@cta 0,gpu 0 | P1@cta 1,gpu 0 ;\nL: | ld.relaxed.gpu r2, l ;\natom.relaxed.gpu.exch r0, l, 1 | st.relaxed.gpu y, 0 ;\n"
		"ld.relaxed.gpu r1, y | st.relaxed.gpu y, 0 ;\nbeq r1, 0, L | st.relaxed.gpu y, 0 ;\nexists (l == 0)",
		&(struct explore_options){.verify = true});
	cr_expect(!r.litmus.terminates && r.litmus.result->verified.executions == 1,
		"%llu executions", (unsigned long long)r.litmus.result->verified.executions);
	run_free(&r);
	/* A counted loop is not bounded. */
	explore_text(&r,
		"PTX t\n{}\nP0@cta 0,gpu 0 ;\nL: ;\nadd r0, r0, 1 ;\nst.weak x, r0 ;\nbne r0, 50, L ;\nforall (x == 50)",
		&o);
	cr_expect(r.litmus.verdict && r.litmus.condition_holds && r.litmus.result->executions == 1);
	run_free(&r);
}

Test(explore, locks)
{
	static const char cas[] =
		"PTX t\n{}\nP0@cta 0,gpu 0 | P1@cta 1,gpu 0 | P2@cta 2,gpu 0 ;\nL: | L: | L: ;\n"
		"atom.acquire.gpu.cas r0, l, 0, 1 | atom.acquire.gpu.cas r0, l, 0, 1 | atom.acquire.gpu.cas r0, l, 0, 1 ;\nbne r0, 0, L | bne r0, 0, L | bne r0, 0, L ;\n"
		"ld.weak r1, x | ld.weak r1, x | ld.weak r1, x ;\nadd r1, r1, 1 | add r1, r1, 1 | add r1, r1, 1 ;\nst.weak x, r1 | st.weak x, r1 | st.weak x, r1 ;\n"
		"st.release.gpu l, 0 | st.release.gpu l, 0 | st.release.gpu l, 0 ;\nforall (x == 3)";
	struct explored r;
	struct explore_options o = {0};
	explore_text(&r, cas, &o);
	cr_expect(r.litmus.verdict && r.litmus.condition_holds && r.litmus.terminates);
	cr_expect(r.litmus.result->executions == 6,
		"one execution for each order of the threads, not %llu",
		(unsigned long long)r.litmus.result->executions);
	cr_expect(!r.litmus.result->nraces);
	run_free(&r);
}

static void same_for_any_number_of_workers(const char *text)
{
	struct text first = {0};
	for (unsigned jobs = 1; jobs <= 5; jobs += 2) {
		struct explored r;
		struct explore_options o = {.jobs = jobs};
		struct text out = {0};
		explore_text(&r, text, &o);
		explore_litmus_print(&r.litmus, true, &out);
		if (jobs == 1)
			first = out;
		else
			cr_expect_str_eq(text_str(&out), text_str(&first));
		if (jobs != 1)
			text_free(&out);
		run_free(&r);
	}
	text_free(&first);
}

Test(explore, same_result_for_any_number_of_workers)
{
	static const char text[] =
		"PTX t\n{}\nP0@cta 0,gpu 0 | P1@cta 1,gpu 0 | P2@cta 2,gpu 0 | P3@cta 3,gpu 0 ;\n"
		"st.relaxed.gpu x, 1 | st.relaxed.gpu x, 2 | ld.relaxed.gpu r0, x | ld.weak r0, y ;\nld.relaxed.gpu r0, y | st.weak y, 1 | ld.weak r1, y | ld.relaxed.gpu r1, x ;\n"
		"locations [0:r0; 2:r0; 2:r1; 3:r0; 3:r1; x]\nexists (x == 1 /\\ 2:r0 == 2)";
	same_for_any_number_of_workers(text);
	/* A bound that is reached before the search is split between workers. */
	same_for_any_number_of_workers(
		"PTX t\n{}\nP0@cta 0,gpu 0 | P1@cta 1,gpu 0 ;\nL: | L: ;\natom.acquire.gpu.exch r0, l, 1 | atom.acquire.gpu.exch r0, l, 1 ;\nbne r0, 0, L | bne r0, 0, L ;\n"
		"st.weak l, 0 | st.weak l, 0 ;\nforall (l == 0)");
	same_for_any_number_of_workers(
		"PTX t\n{}\nP0@cta 0,gpu 0 | P1@cta 0,gpu 0 ;\nbar.cta.sync 0 | bar.cta.sync 1 ;\nbar.cta.sync 1 | bar.cta.sync 0 ;\nexists 0 == 0");
}

Test(explore, witnesses_satisfy_the_axioms_as_written)
{
	static const char text[] =
		"PTX t\n{}\nP0@cta 0,gpu 0 | P1@cta 1,gpu 0 | P2@cta 0,gpu 0 ;\nst.release.gpu x, 1 | atom.acq_rel.gpu.add r0, x, 1 | fence.sc.gpu ;\n"
		"fence.sc.gpu | fence.sc.gpu | ld.acquire.gpu r0, x ;\nld.weak r0, y | st.weak y, 1 | st.relaxed.gpu y, 2 ;\nlocations [0:r0; 1:r0; 2:r0; x; y]\nexists 0==0";
	struct explored r;
	struct explore_options o = {0};
	explore_text(&r, text, &o);
	const struct explore_result *e = r.litmus.result;
	cr_assert(e->outcomes.list.count > 5);
	for (uint32_t i = 0; i < e->outcomes.list.count; i++) {
		const struct explore_outcome *out = &e->outcomes.list.data[i];
		struct witness w;
		cr_assert(witness_build(&w, e, out->trail, out->ntrail, out->value, false));
		cr_expect(execution_violates(&w.x, NULL, NULL) == AXIOM_NONE, "outcome %u: %s", i,
			axiom_name(execution_violates(&w.x, NULL, NULL)));
		witness_free(&w);
	}
	run_free(&r);
}

static bool holds(void *client, const uint64_t *value)
{
	const struct litmus_test *t = client;
	return litmus_condition_holds(t, t->cond, value);
}

static void why(const char *text, const char *const *expected)
{
	struct explored r;
	struct explore_options o = {0};
	struct explore_names names;
	struct text out = {0}, dot = {0};
	struct graph graph = {.title = NULL};
	explore_text(&r, text, &o);
	explore_litmus_names(r.test, &r.arena, &names);
	struct explore_condition c = {r.test, holds};
	explore_why(r.litmus.result, &c, &names, &out, &graph);
	for (; *expected; expected++)
		cr_expect(strstr(text_str(&out), *expected) != NULL, "no '%s' in:\n%s", *expected,
			text_str(&out));
	dot_write(&graph, &dot);
	cr_expect(strstr(text_str(&dot), "color=\"red\"") != NULL);
	text_free(&out);
	text_free(&dot);
	graph_free(&graph);
	run_free(&r);
}

Test(explore, why)
{
	why(TWO("st.weak x, 1", "st.release.gpu y, 1", "ld.acquire.gpu r0, y",
		    "ld.weak r1, x") "exists (1:r0 == 1 /\\ 1:r1 == 0)",
		(const char *const[]){"Impossible", "Causality",
			"synchronises with P1: ld.acquire.gpu r0, y (line 4)", "must see x = 1",
			NULL});
	why(TWO("st.weak x, 1", "st.release.cta y, 1", "ld.acquire.gpu r0, y",
		    "ld.weak r1, x") "exists (1:r0 == 1 /\\ 1:r1 == 0)",
		(const char *const[]){"Possible",
			"the scope .cta of P0: st.release.cta y, 1 (line 5)", "use .gpu", NULL});
	why(TWO("st.weak x, 1", "st.relaxed.gpu y, 1", "ld.acquire.gpu r0, y",
		    "ld.weak r1, x") "exists (1:r0 == 1 /\\ 1:r1 == 0)",
		(const char *const[]){
			"Possible", "nothing releases at or before P0: st.relaxed.gpu y, 1", NULL});
	why(THREE_ROWS("st.weak x, 1", "fence.sc.gpu", "ld.weak r0, y", "st.weak y, 1",
		    "fence.sc.gpu", "ld.weak r1, x") "exists (0:r0 == 0 /\\ 1:r1 == 0)",
		(const char *const[]){"Impossible", "FenceSC",
			"if P0: fence.sc.gpu (line 5) comes before P1",
			"as written, fence.sc: impossible", "fence.acq_rel instead: possible",
			"no fences: possible", NULL});
	why(THREE_ROWS("st.weak x, 1", "fence.sc.gpu", "st.weak y, 1", "ld.weak r0, y",
		    "fence.sc.gpu", "ld.weak r1, x") "exists (1:r0 == 1 /\\ 1:r1 == 0)",
		(const char *const[]){"Impossible", "FenceSC",
			"P1: ld.weak r0, y (line 4) would read what P0: st.weak y, 1 (line 6) writes later",
			"as written, fence.sc: impossible\n    fence.acq_rel instead: possible\n      P0: st.weak y, 1 (line 6) is weak",
			NULL});
	why(THREE_ROWS("st.weak x, 1", "fence.acq_rel.gpu", "st.relaxed.gpu y, 1",
		    "ld.relaxed.gpu r0, y", "fence.acq_rel.gpu",
		    "ld.weak r1, x") "exists (1:r0 == 1 /\\ 1:r1 == 0)",
		(const char *const[]){"Impossible",
			"What its fences (line 5) forbid:", "as written: impossible",
			"fence.sc instead: impossible", "no fences: possible", NULL});
	why("PTX t\n{}\nP0@cta 0,gpu 0 ;\nst.weak x, 1 ;\nst.weak x, 2 ;\nexists (x == 1)",
		(const char *const[]){"Impossible", "Coherence", "is newer in coherence", NULL});
}

/* N threads that store, execute a fence and count; no thread observes the order of the fences and
 * of the counts. */
static void count_up(struct text *out, uint32_t n, const char *fence)
{
	text_puts(out, "PTX t\n{}\n");
	for (uint32_t row = 0; row < 4; row++) {
		for (uint32_t k = 0; k < n; k++) {
			text_puts(out, k ? " | " : "");
			if (row == 0)
				text_printf(out, "P%u@cta %u,gpu 0", k, k);
			else if (row == 1)
				text_printf(out, "st.weak x%u, 1", k);
			else
				text_printf(
					out, "%s", row == 2 ? fence : "red.relaxed.gpu.add c, 1");
		}
		text_puts(out, " ;\n");
	}
	text_printf(out, "locations [x0; x%u; c;]\nforall (c == %u)\n", n - 1, n);
}

Test(explore, fences_beside_counters)
{
	static const char *const fence[] = {"membar.gl", "membar.sys", "membar.cta", "fence.sc.gpu",
		"fence.sc.sys", "fence.sc.cluster", "fence.sc.cta", "fence.acq_rel.gpu"};
	for (uint32_t k = 0; k < sizeof fence / sizeof *fence; k++) {
		struct text text = {0};
		struct explored r;
		struct explore_options o = {.timeout = 20};
		count_up(&text, 16, fence[k]);
		explore_text(&r, text_str(&text), &o);
		cr_expect(r.litmus.verdict && r.litmus.condition_holds &&
				explore_complete(r.litmus.result),
			"%s", fence[k]);
		cr_expect(r.litmus.result->executions == 1, "%s: %llu executions", fence[k],
			(unsigned long long)r.litmus.result->executions);
		run_free(&r);
		text_free(&text);
	}
}

/* Store buffering in a ring of ten, whose 10! orders of fences give the same final memory: one of
 * them is enough for each execution. */
Test(explore, ring_of_fences_with_memory)
{
	enum { N = 10 };
	struct text text = {0};
	struct explored r;
	struct explore_options o = {.timeout = 20};
	text_puts(&text, "PTX t\n{}\n");
	for (uint32_t row = 0; row < 4; row++) {
		for (uint32_t k = 0; k < N; k++) {
			text_puts(&text, k ? " | " : "");
			if (row == 0)
				text_printf(&text, "P%u@cta %u,gpu 0", k, k);
			else if (row == 1)
				text_printf(&text, "st.weak x%u, 1", k);
			else if (row == 2)
				text_puts(&text, "fence.sc.gpu");
			else
				text_printf(&text, "ld.weak r0, x%u", (k + 1) % N);
		}
		text_puts(&text, " ;\n");
	}
	text_puts(&text,
		"locations [P0:r0; P1:r0; P2:r0; P3:r0; P4:r0; P5:r0; P6:r0; P7:r0; P8:r0; P9:r0; x0; x1; x2; x3; x4; x5; x6; x7; x8; x9;]\nforall (x0 == 1)\n");
	explore_text(&r, text_str(&text), &o);
	cr_expect(r.litmus.verdict && r.litmus.condition_holds);
	cr_expect(
		r.litmus.result->executions == 1023 && r.litmus.result->outcomes.list.count == 1023,
		"%llu executions", (unsigned long long)r.litmus.result->executions);
	run_free(&r);
	text_free(&text);
}

/* A red before one fence.sc and a red after another: the order of the reds determines that of the
 * fences, so one representative order of the reds is not enough. */
Test(explore, fences_between_counters)
{
	static const struct expectation e[] = {
		{"the fence is there",
			"PTX t\n{}\nP0@cta 0,gpu 0 | P1@cta 1,gpu 0 ;\nst.relaxed.gpu a, 1 | red.relaxed.gpu.add x, 1 ;\nfence.sc.gpu | fence.sc.gpu ;\nred.relaxed.gpu.add x, 1 | ld.relaxed.gpu r1, a ;\n"
			"exists (1:r1 == 0)",
			true, 1, 1},
		{"the fence comes when a branch is decided",
			"PTX t\n{}\nP0@cta 0,gpu 0 | P1@cta 1,gpu 0 ;\nst.relaxed.gpu a, 1 | red.relaxed.gpu.add x, 1 ;\nfence.sc.gpu | ld.relaxed.gpu r0, z ;\nred.relaxed.gpu.add x, 1 | bne r0, 0, L ;\n | L: ;\n"
			" | fence.sc.gpu ;\n | ld.relaxed.gpu r1, a ;\nexists (1:r1 == 0)",
			true, 1, 2},
		{"membar.sys, and the other thread first",
			"PTX t\n{}\nP0@cta 0,gpu 0 | P1@cta 1,gpu 0 ;\nred.relaxed.gpu.add x, 1 | st.relaxed.gpu a, 1 ;\nld.relaxed.gpu r0, z | membar.sys ;\nbne r0, 0, L | red.relaxed.gpu.add x, 1 ;\nL: | ;\nmembar.sys | ;\n"
			"ld.relaxed.gpu r1, a | ;\nexists (0:r1 == 0)",
			true, 1, 1},
	};
	check(e, sizeof e / sizeof *e);
}

Test(explore, races)
{
	struct explored r;
	struct explore_options o = {0};
	explore_text(&r,
		TWO("st.weak x, 1", "st.release.gpu y, 1", "ld.acquire.gpu r0, y",
			"ld.weak r1, x") "exists (1:r0 == 1)",
		&o);
	/* if r0 is 0 nothing orders the two accesses of x; those of y are morally strong */
	cr_assert(r.litmus.result->nraces == 1);
	cr_expect(r.litmus.result->race[0].write[0] && !r.litmus.result->race[0].write[1]);
	run_free(&r);
}

static void rejected(const char *text, const char *message)
{
	struct arena arena = {0};
	struct diags diags = {0};
	struct litmus_test *test = litmus_parse(
		source_new(&arena, "test.litmus", text, strlen(text)), &arena, &diags);
	cr_expect(!test && diags.first && strstr(diags.first->message, message), "%s: %s", message,
		diags.first ? diags.first->message : "accepted");
	arena_free(&arena);
	diags_free(&diags);
}

#define ONE(init, condition) \
	"PTX t\n{" init "}\nP0@cta 0,gpu 0 ;\nst.weak x, 1 ;\nld.weak r0, x ;\n" condition

Test(explore, names_that_mean_nothing)
{
	rejected(ONE("", "exists (P0:r7 == 0)"), "this thread has no register 'r7'");
	rejected(ONE("", "exists (P1:r0 == 0)"), "there is no thread 'P1'");
	rejected(ONE("", "exists (y == 0)"), "there is no location 'y'");
	rejected(ONE("", ""), "the file ends before its condition");
	rejected(ONE("x=99999999999999999999;", "exists (x == 0)"),
		"an integer of more than 64 bits");
	rejected(ONE("x @ generic aliases y; y @ generic aliases x;", "exists (x == 0)"),
		"an alias of itself: 'x'");
	rejected(ONE("y @ generic aliases x; y @ surface aliases x;", "exists (x == 0)"),
		"this already is an alias: 'y'");
}

/* In whatever order the chain of aliases is declared, all of them are x; a number with a leading 0
 * is decimal; an alias's initial value is that of the memory. */
Test(explore, aliases_in_any_order)
{
	struct explored r;
	struct explore_options o = {0};
	explore_text(&r,
		"PTX t\n{ b @ generic aliases a; a @ generic aliases x; b=08; }\nP0@cta 0,gpu 0 ;\nld.weak r0, x ;\nfence.proxy.alias ;\nst.weak b, 1 ;\nfence.proxy.alias ;\n"
		"ld.weak r1, x ;\nforall (P0:r0 == 8 /\\ P0:r1 == 1 /\\ x == 1 /\\ a == 1)",
		&o);
	cr_expect(r.litmus.verdict && r.litmus.condition_holds);
	run_free(&r);
}

/* --why COND checks another condition of the same test, on the same lines. */
Test(explore, another_condition)
{
	struct explored r;
	struct explore_options o = {0};
	explore_text(&r, ONE("", "exists (x == 1)"), &o);
	struct litmus_test *asked = litmus_ask(r.test, "P0:r0 == 0", &r.arena, &r.diags);
	struct explore_litmus l;
	cr_assert(asked && !strcmp(asked->cond_text, "P0:r0 == 0") &&
		asked->thread[0].insn[1].span.off == r.test->thread[0].insn[1].span.off);
	explore_litmus(asked, &o, &r.arena, &l);
	cr_expect(l.verdict && !l.condition_holds);
	explore_free(l.result);
	cr_expect(!litmus_ask(r.test, "P0:r9 == 0", &r.arena, &r.diags) && r.diags.first);
	run_free(&r);
}

/* fence.sc with scopes that do not include each other, and orders of fences each of which violates
 * something else. */
Test(explore, why_fences)
{
	static const char readers[] =
		"PTX t\n{}\nP0@cta 0,gpu 0 | P1@cta 1,gpu 0 | P2@cta 2,gpu 0 | P3@cta 3,gpu 0 ;\n"
		"st.relaxed.gpu x, 1 | st.relaxed.gpu y, 1 | ld.relaxed.gpu r0, x | ld.relaxed.gpu r0, y ;\n | | fence.sc.gpu | fence.sc.cta ;\n"
		" | | ld.relaxed.gpu r1, y | ld.relaxed.gpu r1, x ;\nexists (P2:r0 == 1 /\\ P2:r1 == 0 /\\ P3:r0 == 1 /\\ P3:r1 == 0)";
	why(readers,
		(const char *const[]){"Possible",
			"P2: fence.sc.gpu (line 5)\n      is not ordered with P3: fence.sc.cta (line 5)\n      the scope .cta of P3: fence.sc.cta (line 5) does not include",
			NULL});
	why("PTX t\n{}\nP0@cta 0,gpu 0 | P1@cta 1,gpu 0 | P2@cta 2,gpu 0 | P3@cta 3,gpu 0 ;\n"
	    "st.relaxed.gpu x, 1 | ld.relaxed.gpu r0, x | st.relaxed.gpu y, 1 | ld.relaxed.gpu r0, y ;\n | fence.sc.gpu | | fence.sc.gpu ;\n"
	    " | ld.relaxed.gpu r1, y | | st.relaxed.gpu x, 2 ;\nexists (P1:r0 == 1 /\\ P1:r1 == 0 /\\ P3:r0 == 1 /\\ x == 1)",
		(const char *const[]){"Impossible", "If P1: fence.sc.gpu (line 5) comes before P3",
			"Coherence", "is newer in coherence",
			"If P3: fence.sc.gpu (line 5) comes before P1", "Causality",
			"must see y = 1", NULL});
	why(THREE_ROWS("st.relaxed.gpu x, 1", "fence.sc.gpu", "st.relaxed.gpu y, 1",
		    "st.relaxed.gpu y, 2", "fence.sc.gpu",
		    "ld.relaxed.gpu r1, x") "exists (y == 2 /\\ 1:r1 == 0)",
		(const char *const[]){"Impossible", "Coherence", "precedes in fence.sc order P0",
			"if P0: fence.sc.gpu (line 5) comes before P1", "must see x = 1", NULL});
}

/* Of two records of one race the one with the smaller trail is kept, whichever comes first; another
 * location or direction is another race. */
Test(explore, races_are_merged_by_their_trail)
{
	static uint16_t first[] = {0, 1}, second[] = {0, 2}, part[] = {0};
	static const struct race_record record = {
		.thread = {0, 1}, .place = {3, 4}, .write = {true, false}};

	for (int turn = 0; turn < 2; turn++) {
		struct races all = {0}, one = {0};
		struct race_record a = record, b = record, c = record, d = record;

		a.trail = turn ? second : first;
		b.trail = turn ? first : second;
		a.ntrail = b.ntrail = 2;
		a.why = turn ? "second" : "first";
		b.why = turn ? "first" : "second";
		*vec_push(&one.list) = a;
		races_merge(&all, &one);
		*one.list.data = b;
		races_merge(&all, &one);
		races_merge(&all, &one);
		cr_assert_eq(all.list.count, 1);
		cr_expect_str_eq(all.list.data->why, "first");
		cr_expect_eq(all.list.data->trail[1], 1);
		c.trail = part;
		c.ntrail = 1;
		c.why = "part";
		*one.list.data = c;
		races_merge(&all, &one);
		cr_assert_eq(all.list.count, 1);
		cr_expect_str_eq(all.list.data->why, "part");
		d.trail = part;
		d.ntrail = 1;
		d.place[1] = 5;
		*one.list.data = d;
		races_merge(&all, &one);
		d.write[1] = true;
		*one.list.data = d;
		races_merge(&all, &one);
		cr_expect_eq(all.list.count, 3);
		vec_free(&one.list);
		races_free(&all);
	}
}
