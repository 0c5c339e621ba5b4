/* Removes each axiom and each decision of the memory model: a program then has another verdict.
 * (SC-per-location and No-thin-air: test_explore_oracle.c. mbarriers: test_explore_ptx.c. The async
 * proxy: test_model.c.) */
#include "explore/litmus/litmus.h"
#include "model/execution.h"
#include "script/litmus/explorer_findings.h"
#include "script/verdict/show.h"
#include <criterion/criterion.h>
#include <ptxi/status.h>
#include <stdio.h>
#include <string.h>

struct removal {
	const char *name;
	uint32_t off;
	bool semantic; /* with semantic dependencies */
	const char *text;
	/* whether the condition holds in the full model; without OFF it is the opposite */
	bool holds;
	/* the axiom that --verify reports for executions found without OFF; AXIOM_NONE: there are
	 * fewer executions, or those of another program */
	enum axiom breaks;
};

#define APART "P0@cta 0,gpu 0 | P1@cta 1,gpu 0"
#define APART3 APART " | P2@cta 2,gpu 0"

static const struct removal removal[] = {
	/* The second store comes after the first in causality, so the first is never the final
	 * value. Both are weak and in different threads: no other axiom applies. */
	{"Coherence", OFF_COHERENCE, false,
		"PTX t\n{}\n" APART
		" ;\nst.weak x, 1 | ld.acquire.gpu r0, y ;\nst.release.gpu y, 1 | st.weak x, 2 ;\nexists (1:r0 == 1 /\\ x == 1)",
		false, AXIOM_COHERENCE},
	/* Store buffering with fence.sc. */
	{"FenceSC", OFF_FENCE_SC, false,
		"PTX t\n{}\n" APART
		" ;\nst.weak x, 1 | st.weak y, 1 ;\nfence.sc.gpu | fence.sc.gpu ;\nld.weak r0, y | ld.weak r1, x ;\nexists (0:r0 == 0 /\\ 1:r1 == 0)",
		false, AXIOM_FENCE_SC},
	/* Two exchanges do not both read the initial value. */
	{"Atomicity", OFF_ATOMICITY, false,
		"PTX t\n{}\n" APART
		" ;\natom.relaxed.gpu.exch r0, x, 1 | atom.relaxed.gpu.exch r1, x, 1 ;\nexists (0:r0 == 0 /\\ 1:r1 == 0)",
		false, AXIOM_ATOMICITY},
	/* Message passing. */
	{"Causality", OFF_CAUSALITY, false,
		"PTX t\n{}\n" APART
		" ;\nst.weak x, 1 | ld.acquire.gpu r0, y ;\nst.release.gpu y, 1 | ld.weak r1, x ;\nexists (1:r0 == 1 /\\ 1:r1 == 0)",
		false, AXIOM_CAUSALITY},
	/* Decision 1: thread 0 reads what the atom writes, then stores what the atom reads, at a
	 * scope too narrow for the other thread: nothing precedes the atom's read. If the atom were
	 * one event, its write, which thread 0 observes, would put it before the store. */
	{"an atom is two events", OFF_ATOM_HALVES, false,
		"PTX t\n{}\n" APART
		" ;\nld.relaxed.gpu r0, x | atom.relaxed.gpu.add r1, x, 2 ;\nst.relaxed.cta x, 1 | ;\nexists (0:r0 == 3 /\\ 1:r1 == 1)",
		true, AXIOM_NONE},
	/* Decision 2: a fence.sc on one side releases as fence.acq_rel does. */
	{"fence.sc releases", OFF_FENCE_SC_SYNC, false,
		"PTX t\n{}\n" APART
		" ;\nst.weak x, 1 | ld.acquire.gpu r0, y ;\nfence.sc.gpu | ld.weak r1, x ;\nst.relaxed.gpu y, 1 | ;\nexists (1:r0 == 1 /\\ 1:r1 == 0)",
		false, AXIOM_CAUSALITY},
	{"fence.sc acquires", OFF_FENCE_SC_SYNC, false,
		"PTX t\n{}\n" APART
		" ;\nst.weak x, 1 | ld.relaxed.gpu r0, y ;\nst.release.gpu y, 1 | fence.sc.gpu ;\n | ld.weak r1, x ;\nexists (1:r0 == 1 /\\ 1:r1 == 0)",
		false, AXIOM_CAUSALITY},
	/* Decision 3: y == 2 means that the red read the release; a fence after it does not
	 * acquire. */
	{"the read of a red never acquires", OFF_RED_DECISION, false,
		"PTX t\n{}\n" APART
		" ;\nst.weak x, 1 | red.relaxed.gpu.add y, 1 ;\nst.release.gpu y, 1 | fence.acq_rel.gpu ;\n | ld.weak r1, x ;\nexists (y == 2 /\\ 1:r1 == 0)",
		true, AXIOM_NONE},
	/* Decision 3: only the store remains. If the cas wrote the 0 back, it could come last: the
	 * weak store between its halves does not violate atomicity. */
	{"a failed cas writes nothing", OFF_FAILED_CAS, false,
		"PTX t\n{}\n" APART
		" ;\natom.relaxed.gpu.cas r0, x, 5, 6 | st.weak x, 1 ;\nexists (x == 0)",
		false, AXIOM_NONE},
	/* Decision 3: thread 1 reads what the exchange writes, and the exchange reads what thread 1
	 * computes from that. */
	{"rmw is a dependency", OFF_RMW_DEPENDENCY, false,
		"PTX t\n{}\n" APART
		" ;\natom.relaxed.gpu.exch r0, x, 1 | ld.weak r1, x ;\n | add r2, r1, 1 ;\n | st.weak x, r2 ;\nexists (0:r0 == 2 /\\ 1:r1 == 1)",
		false, AXIOM_NO_THIN_AIR},
	/* Decision 4: r0 ^ r0 depends on r0. */
	{"dependencies are syntactic", 0, true,
		"PTX t\n{}\n" APART
		" ;\nld.relaxed.gpu r0, y | ld.relaxed.gpu r1, x ;\nxor r2, r0, r0 | xor r2, r1, r1 ;\nadd r2, r2, 1 | add r2, r2, 1 ;\n"
		"st.relaxed.gpu x, r2 | st.relaxed.gpu y, r2 ;\nexists (0:r0 == 1 /\\ 1:r1 == 1)",
		false, AXIOM_NONE},
	/* A chain of atoms continues the release. */
	{"obs follows rmw", OFF_RMW_CHAIN, false,
		"PTX t\n{}\n" APART3
		" ;\nst.weak x, 1 | atom.relaxed.gpu.add r0, y, 1 | ld.acquire.gpu r1, y ;\nst.release.gpu y, 1 | | ld.weak r2, x ;\nexists (2:r1 == 2 /\\ 2:r2 == 0)",
		false, AXIOM_CAUSALITY},
	/* What a thread has observed before it releases comes before what follows the acquire. */
	{"cause continues obs", OFF_OBS_CAUSE, false,
		"PTX t\n{}\n" APART3
		" ;\nst.relaxed.gpu x, 1 | ld.relaxed.gpu r0, x | ld.acquire.gpu r1, y ;\n | st.release.gpu y, 1 | ld.relaxed.gpu r2, x ;\n"
		"exists (1:r0 == 1 /\\ 2:r1 == 1 /\\ 2:r2 == 0)",
		false, AXIOM_CAUSALITY},
	/* A later strong store of the same thread to the same location releases, too. */
	{"a pattern may begin or end with another access of its location", OFF_PATTERN_LOCATION,
		false,
		"PTX t\n{}\n" APART
		" ;\nst.weak x, 1 | ld.acquire.gpu r0, y ;\nst.release.gpu y, 1 | ld.weak r1, x ;\nst.relaxed.gpu y, 2 | ;\nexists (1:r0 == 2 /\\ 1:r1 == 0)",
		false, AXIOM_CAUSALITY},
	{"moral strength needs the scope", OFF_SCOPE, false,
		"PTX t\n{}\n" APART
		" ;\nst.weak x, 1 | ld.acquire.cta r0, y ;\nst.release.cta y, 1 | ld.weak r1, x ;\nexists (1:r0 == 1 /\\ 1:r1 == 0)",
		true, AXIOM_NONE},
	{"barriers order", OFF_BARRIER, false,
		"PTX t\n{}\nP0@cta 0,gpu 0 | P1@cta 0,gpu 0 ;\nst.weak x, 1 | bar.cta.sync 0 ;\nbar.cta.sync 0 | ld.weak r0, x ;\nexists (1:r0 == 0)",
		false, AXIOM_CAUSALITY},
	/* Decision 10: a read returns all of a write, or nothing of it. */
	{"an access is one", OFF_WHOLE, false,
		"PTX t\n{}\n" APART
		" ;\nst.weak x, 4294967297 | ld.weak r0, x ;\nexists (1:r0 == 1)",
		false, AXIOM_SINGLE_COPY},
	/* A surface read does not observe the preceding generic store without a proxy fence. */
	{"proxies are apart", OFF_PROXY, false,
		"PTX t\n{\nx=0;\ns @ surface aliases x;\n}\nP0@cta 0,gpu 0 ;\nst.weak x, 1 ;\nsuld.weak r0, s ;\nexists (P0:r0 == 0)",
		true, AXIOM_NONE},
};

/* Whether the condition holds with OPTIONS; sets *AXIOM to the one that some execution violates,
 * according to --verify. */
static bool holds(const struct removal *r, struct explore_options options, enum axiom *axiom)
{
	struct arena arena = {0};
	struct diags diags = {0};
	struct explore_litmus l;
	struct litmus_test *t = litmus_parse(
		source_new(&arena, r->name, r->text, strlen(r->text)), &arena, &diags);
	cr_assert(t != NULL, "%s does not parse", r->name);
	options.verify = true;
	explore_litmus(t, &options, &arena, &l);
	cr_expect(l.result->verified.executions > 0 && !l.result->verified.unverified);
	*axiom = l.result->verified.broken ? l.result->verified.axiom : AXIOM_NONE;
	cr_expect(!l.result->verified.broken || l.result->verified.nevents > 1);
	cr_expect(l.verdict, "%s: undecided", r->name);
	bool is = l.condition_holds;
	explore_free(l.result);
	arena_free(&arena);
	diags_free(&diags);
	return is;
}

Test(explore_axioms, each_is_noticed)
{
	uint32_t noticed = 0;
	for (uint32_t i = 0; i < sizeof removal / sizeof *removal; i++) {
		const struct removal *r = &removal[i];
		enum axiom broken;
		cr_expect(
			holds(r, (struct explore_options){0}, &broken) == r->holds, "%s", r->name);
		cr_expect(broken == AXIOM_NONE, "%s: an execution breaks %s", r->name,
			axiom_name(broken));
		bool changes = holds(r,
				       (struct explore_options){
					       .off = r->off, .semantic_deps = r->semantic},
				       &broken) != r->holds;
		cr_expect(broken == r->breaks, "%s: --verify finds %s, not %s", r->name,
			axiom_name(broken), axiom_name(r->breaks));
		cr_expect(changes, "without it nothing changes: %s", r->name);
		noticed += changes;
	}
	printf("axioms and decisions removed, one at a time: %u of %zu detected by their own program\n",
		noticed, sizeof removal / sizeof *removal);
	fflush(stdout);
}

/* SC-per-location follows from the other axioms, so two must be removed for a violation: an old
 * value is read after the thread's own write. Checks the report. */
Test(explore_axioms, a_broken_axiom_is_told)
{
	static const char program[] =
		"PTX t\n{}\nP0@cta 0,gpu 0 ;\nst.weak x, 1 ;\nld.weak r0, x ;\nexists (0:r0 == 0)";
	static const char told[] =
		"internal error: an execution that the search found breaks the axiom SC-per-location; please report it together with the file. "
		"The events, each before the next and the last before the first:\n"
		"  P0: st.weak x, 1 (line 4)\n  P0: ld.weak r0, x (line 5)\n"
		"verified: 2 executions against the axioms\n";
	static const char in_json[] =
		", \"verified\": {\"executions\": 2, \"too_large\": 0, \"broken\": true, \"axiom\": \"SC-per-location\", "
		"\"events\": [\"P0: st.weak x, 1 (line 4)\", \"P0: ld.weak r0, x (line 5)\"]}";
	struct arena arena = {0};
	struct diags diags = {0};
	struct explore_litmus l;
	struct explore_names names;
	struct text out = {0};
	struct explore_options options = {
		.off = OFF_SC_PER_LOCATION | OFF_CAUSALITY, .verify = true, .jobs = 1};
	struct litmus_test *t = litmus_parse(
		source_new(&arena, "t", program, sizeof program - 1), &arena, &diags);
	explore_litmus(t, &options, &arena, &l);
	explore_litmus_names(t, &arena, &names);
	struct report report = {.verdict = VERDICT_PASS};
	explorer_verified(l.result, &names, &report);
	cr_expect_str_eq(text_str(&report.listing), told);
	explorer_unverified(l.result, &report);
	cr_expect(report.status == PTXI_BUG && report.verdict == VERDICT_FAIL);
	struct program file = {.path = "t"};
	json_report(&file, NULL, &report, NULL, &out);
	cr_expect(strstr(text_str(&out), in_json), "%s", text_str(&out));
	report_free(&report);
	text_free(&out);
	explore_free(l.result);
	arena_free(&arena);
	diags_free(&diags);
}
