/* Litmus tests as PTX, and the hardware harness, both run on the interpreter: every outcome must be one that the explorer allows. */
#include "explore/litmus_program.h"
#include "script/harness.h"
#include "script/litmus_ptx.h"
#include "script/litmus_run.h"
#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const char mp[] = "PTX MP\n{\nx=0;\nflag=0;\n}\n P0@cta 0,gpu 0 | P1@cta 1,gpu 0 ;\n st.weak x, 1 | ld.acquire.gpu r1, flag ;\n st.release.gpu flag, 1 | ld.weak r2, x ;\n"
			 "~exists (P1:r1 == 1 /\\ P1:r2 == 0)\n";
/* Three CTAs, one of them with two threads, atomics, a spin, arithmetic, final values. */
static const char lock[] = "PTX lock\n{\nin=0;\nout=0;\nx=5;\nP1:r9=3;\n}\n"
			   " P0@cta 0,gpu 0 | P1@cta 1,gpu 0 | P2@cta 0,gpu 0 ;\n"
			   " atom.relaxed.gpu.add r1, in, 1 | atom.relaxed.gpu.add r1, in, 1 | red.acq_rel.sys.max x, 3 ;\n"
			   " L0: | L0: | atom.acq_rel.sys.cas r1, x, 5, 7 ;\n"
			   " ld.acquire.gpu r2, out | ld.acquire.gpu r2, out | fence.sc.sys ;\n"
			   " beq r1, r2, L1 | beq r1, r2, L1 | ;\n"
			   " goto L0 | goto L0 | ;\n"
			   " L1: | L1: | ;\n"
			   " add r3, r1, 10 | sub r3, r9, r1 | ;\n"
			   " atom.release.gpu.add r4, out, 1 | atom.release.gpu.add r4, out, 1 | ;\n"
			   "exists (P0:r3 == 11 /\\ P1:r3 == 3 /\\ P2:r1 == 5 /\\ x == 7)\n";
static const char barrier[] = "PTX barrier\n{\nx=0;\ny=0;\nP1:r3=1;\n}\n"
			      " P0@cta 0,gpu 0 | P1@cta 0,gpu 0 | P2@cta 1,gpu 0 ;\n"
			      " st.weak x, 1 | st.weak y, 1 | ld.weak r0, x ;\n"
			      " bar.cta.sync 4, 1 | bar.cta.sync 4, r3 | bar.cta.sync 4 ;\n"
			      " ld.weak r0, y | ld.weak r1, x | ld.weak r1, y ;\n"
			      " bar.cta.arrive 2 | bar.cta.sync 2 | ;\n"
			      "forall (P0:r0 == 1 /\\ P1:r1 == 1 \\/ P2:r0 == 7)\n";
static const char cluster[] = "PTX cluster\n{\nx=0;\ny=0;\n}\n"
			      " P0@cta 0,cluster 0,gpu 0 | P1@cta 1,cluster 0,gpu 0 | P2@cta 2,cluster 1,gpu 0 ;\n"
			      " st.relaxed.cluster x, 1 | ld.acquire.cluster r0, x | ld.relaxed.gpu r0, y ;\n"
			      " fence.release.gpu | st.release.gpu y, 2 | ld.relaxed.gpu r1, x ;\n"
			      "exists (P1:r0 == 1 /\\ P2:r0 == 2 /\\ P2:r1 == 0)\n";

static const char near[] = "PTX near\n{\nx=0;\ny=0;\n}\n P0@cta 0,gpu 0 | P1@cta 0,gpu 0 ;\n st.weak x, 1 | st.weak y, 1 ;\n ld.weak r0, y | ld.weak r0, x ;\n"
			   "exists (P0:r0 == 0 /\\ P1:r0 == 0)\n";

static struct litmus_test *parse(const char *text, struct arena *arena)
{
	struct diags diags = {0};
	struct litmus_test *t = litmus_parse(source_new(arena, "test.litmus", text, strlen(text)), arena, &diags);
	cr_assert_not_null(t, "%s", diags.first ? diags.first->message : "");
	diags_free(&diags);
	return t;
}

static struct harness harness_of(const struct litmus_ptx *p, struct arena *arena)
{
	const struct litmus_test *t = p->test;
	struct harness_role *role = ARENA_ARRAY(arena, struct harness_role, t->nthreads);
	int32_t *init = ARENA_ARRAY(arena, int32_t, t->nlocations), *final = ARENA_ARRAY(arena, int32_t, t->nobserved);
	for (uint32_t k = 0; k < t->nthreads; k++) {
		struct text body = {0};
		litmus_ptx_body(p, k, &body);
		role[k] = (struct harness_role){p->seat[k].cluster, p->seat[k].rank, p->seat[k].warp, arena_text(arena, text_str(&body), body.len)};
		text_free(&body);
	}
	for (uint32_t k = 0; k < t->nlocations; k++)
		init[k] = (int32_t)t->location[k].init;
	for (uint32_t k = 0; k < t->nobserved; k++)
		final[k] = t->observed[k].kind == LITMUS_TERM_LOCATION ? (int32_t)t->observed[k].index : -1;
	return (struct harness){role, t->nthreads, p->clusters, p->ranks, p->warps, init, t->nlocations, final, t->nobserved, p->nbarriers, p->version, p->target};
}

static bool has(const struct explore_outcomes *all, const uint64_t *value)
{
	for (uint32_t k = 0; k < all->list.count; k++)
		if (!memcmp(all->list.data[k].value, value, all->width * sizeof *value))
			return true;
	return false;
}

/* The harness on the interpreter, compared with the explorer; how many threads met nobody. */
static uint64_t play(const char *text, uint64_t seed)
{
	struct arena arena = {0};
	struct diags findings = {0};
	struct litmus_test *t = parse(text, &arena);
	struct litmus_ptx p;
	struct explore_options none = {.jobs = 1};
	struct explore_litmus x;
	struct run_options options = {.machine = {.seed = seed, .jobs = 1}};
	struct harness_result out;
	litmus_ptx_begin(&p, t, &arena);
	cr_assert_null(p.lacks, "%s", p.lacks);
	explore_litmus(t, &none, &arena, &x);
	struct harness h = harness_of(&p, &arena);
	struct harness_request r = {&h, &options, 300};
	bool ok = harness_run(&r, &findings, &out);
	cr_expect(ok, "%s: %s", t->name, findings.first ? findings.first->message : "");
	cr_expect_geq(out.runs, 300);
	cr_expect_gt(out.launches, 1);
	uint64_t sum = 0;
	for (uint32_t k = 0; k < out.outcomes.list.count; k++) {
		sum += out.outcomes.list.data[k].count;
		cr_expect(has(&x.result->outcomes, out.outcomes.list.data[k].value), "%s: outcome %u is not allowed, its first value is %" PRId64, t->name, k,
			  (int64_t)out.outcomes.list.data[k].value[0]);
	}
	cr_expect_eq(sum, out.runs);
	outcomes_free(&out.outcomes);
	explore_free(x.result);
	diags_free(&findings);
	arena_free(&arena);
	return out.alone;
}

Test(harness, plays_every_role_of_every_instance)
{
	play(mp, 1);
	play(lock, 2);
	play(barrier, 3);
	play(cluster, 4);
}

/* Threads of different CTAs have turns too long for that on the interpreter. */
Test(harness, threads_of_an_instance_meet)
{
	cr_expect_eq(play(near, 5), 0);
}

static void run(const char *text, uint64_t runs, struct report *out)
{
	struct arena arena = {0};
	struct program p = {.path = "test.litmus", .kind = PROGRAM_LITMUS, .source = source_new(&arena, "test.litmus", text, strlen(text))};
	struct litmus_request r = {.program = &p, .options = {.machine = {.seed = 1, .jobs = 1, .checks = CHECK_BOUNDS | CHECK_SYNC}, .runs = runs}, .jobs = 1};
	litmus_run(&r, out);
	arena_free(&arena);
}

Test(litmus_run, gives_a_histogram_of_allowed_outcomes)
{
	static const char *const tests[] = {mp, lock, barrier, cluster};
	for (unsigned k = 0; k < 4; k++) {
		struct report r;
		uint64_t sum = 0;
		run(tests[k], 50, &r);
		cr_expect_eq(r.status, 0, "%u: %s", k, r.reason ? r.reason : "");
		cr_expect_gt(r.outcomes.count, 0);
		for (uint32_t n = 0; n < r.outcomes.count; n++) {
			cr_expect_eq(r.outcomes.data[n].allowed, ALLOWED_YES);
			sum += r.outcomes.data[n].count;
		}
		cr_expect_eq(sum, 50);
		report_free(&r);
	}
}

Test(litmus_run, judges_the_condition)
{
	struct report r;
	run("PTX T\n{\nx=0;\n}\n P0@cta 0,gpu 0 ;\n st.weak x, 2 ;\n ld.weak r0, x ;\n~exists (P0:r0 == 2)\n", 3, &r);
	cr_expect_eq(r.status, 1);
	cr_expect_eq(r.findings.first->code, DIAG_X0106);
	cr_expect_str_eq(text_str(&r.listing), "Test T Forbidden\nHistogram (1 states)\n3       *>P0:r0=2;\nNo\n\nWitnesses\nPositive: 3, Negative: 0\n"
					       "Condition ~exists (P0:r0 == 2) is NOT validated\nObservation T Always 3 0\n");
	report_free(&r);
	/* What may be is not violated by not being seen. */
	run("PTX T\n{\nx=0;\n}\n P0@cta 0,gpu 0 ;\n st.weak x, 2 ;\n ld.weak r0, x ;\nexists (P0:r0 == 1)\n", 3, &r);
	cr_expect_eq(r.status, 0);
	report_free(&r);
}

static void lacks(const char *lines, const char *what)
{
	struct arena arena = {0};
	struct report r;
	run(arena_printf(&arena, "PTX T\n{\nx=0;\ny @ generic aliases x;\ns @ surface aliases x;\n}\n P0@cta 0,gpu 0 | P1@cta 0,gpu 0 ;\n%sexists (x == 1)\n", lines), 2, &r);
	cr_expect_eq(r.status, 8);
	cr_expect_eq(r.verdict, VERDICT_SKIP);
	cr_assert_not_null(r.reason);
	cr_expect(strstr(r.reason, what) != NULL, "'%s' says nothing of '%s'", r.reason, what);
	report_free(&r);
	arena_free(&arena);
}

Test(litmus_ptx, says_what_it_cannot_say)
{
	lacks(" sust.weak s, 1 | ;\n", "surface");
	lacks(" st.weak y, 1 | ;\n", "mapped twice");
	lacks(" fence.proxy.texture | ;\n", "proxy fence");
	lacks(" st.weak x, 4294967296 | ;\n", "32 bits");
	lacks(" atom.relaxed.gpu.mul r0, x, 3 | ;\n", "multiplication");
	lacks(" ld.weak r0, x | ;\n bar.cta.sync 1, r0 | bar.cta.sync 1 ;\n", "computed");
	lacks(" bar.cta.sync 1, 1, 1 | bar.cta.sync 1, 1, 1 ;\n", "counted");
}
