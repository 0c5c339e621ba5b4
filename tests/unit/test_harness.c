/* Litmus tests as PTX, and the hardware harness, both run on the interpreter: every outcome must be
 * one that the explorer allows. */
#include "explore/litmus/litmus.h"
#include "explore/litmus/program.h"
#include "script/litmus/harness.h"
#include "script/litmus/harness_case.h"
#include "script/litmus/litmus_ptx.h"
#include "script/litmus/litmus_run.h"
#include <criterion/criterion.h>
#include <glob.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char mp[] =
	"PTX MP\n{\nx=0;\nflag=0;\n}\n P0@cta 0,gpu 0 | P1@cta 1,gpu 0 ;\n st.weak x, 1 | ld.acquire.gpu r1, flag ;\n st.release.gpu flag, 1 | ld.weak r2, x ;\n"
	"~exists (P1:r1 == 1 /\\ P1:r2 == 0)\n";
/* Three CTAs, one of them with two threads, atomics, a spin, arithmetic, final values. */
static const char lock[] =
	"PTX lock\n{\nin=0;\nout=0;\nx=5;\nP1:r9=3;\n}\n"
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
static const char counted[] =
	"PTX counted\n{\nx=0;\ny=0;\n}\n"
	" P0@cta 0,gpu 0 | P1@cta 0,gpu 0 ;\n st.weak x, 1 | st.weak y, 1 ;\n bar.cta.sync 1, 1, 2 | bar.cta.sync 1, 1, 2 ;\n ld.weak r0, y | ld.weak r0, x ;\n"
	"forall (P0:r0 == 1 /\\ P1:r0 == 1)\n";
static const char cluster[] =
	"PTX cluster\n{\nx=0;\ny=0;\n}\n"
	" P0@cta 0,cluster 0,gpu 0 | P1@cta 1,cluster 0,gpu 0 | P2@cta 2,cluster 1,gpu 0 ;\n"
	" st.relaxed.cluster x, 1 | ld.acquire.cluster r0, x | ld.relaxed.gpu r0, y ;\n"
	" fence.release.gpu | st.release.gpu y, 2 | ld.relaxed.gpu r1, x ;\n"
	"exists (P1:r0 == 1 /\\ P2:r0 == 2 /\\ P2:r1 == 0)\n";

static const char near[] =
	"PTX near\n{\nx=0;\ny=0;\n}\n P0@cta 0,gpu 0 | P1@cta 0,gpu 0 ;\n st.weak x, 1 | st.weak y, 1 ;\n ld.weak r0, y | ld.weak r0, x ;\n"
	"exists (P0:r0 == 0 /\\ P1:r0 == 0)\n";

static struct litmus_test *parse(const char *text, struct arena *arena)
{
	struct diags diags = {0};
	struct litmus_test *t = litmus_parse(
		source_new(arena, "test.litmus", text, strlen(text)), arena, &diags);
	cr_assert_not_null(t, "%s", diags.first ? diags.first->message : "");
	diags_free(&diags);
	return t;
}

static struct harness harness_of(const struct litmus_ptx *p, struct arena *arena)
{
	const struct litmus_test *t = p->test;
	struct harness_role *role = ARENA_ARRAY(arena, struct harness_role, t->nthreads);
	int32_t *init = ARENA_ARRAY(arena, int32_t, t->nlocations),
		*final = ARENA_ARRAY(arena, int32_t, t->nobserved);
	for (uint32_t k = 0; k < t->nthreads; k++) {
		struct text body = {0};
		litmus_ptx_body(p, k, &body);
		role[k] = (struct harness_role){p->seat[k].cluster, p->seat[k].rank,
			p->seat[k].warp, arena_text(arena, text_str(&body), body.len)};
		text_free(&body);
	}
	for (uint32_t k = 0; k < t->nlocations; k++)
		init[k] = (int32_t)t->location[k].init;
	for (uint32_t k = 0; k < t->nobserved; k++)
		final[k] = t->observed[k].kind == LITMUS_TERM_LOCATION
			? (int32_t)t->observed[k].index
			: -1;
	return (struct harness){.role = role,
		.nroles = t->nthreads,
		.clusters = p->clusters,
		.ranks = p->ranks,
		.warps = p->warps,
		.init = init,
		.nlocations = t->nlocations,
		.final = final,
		.nobserved = t->nobserved,
		.barriers = p->nbarriers,
		.version = p->version,
		.target = p->target};
}

static bool has(const struct explore_outcomes *all, const uint64_t *value)
{
	for (uint32_t k = 0; k < all->list.count; k++)
		if (!memcmp(all->list.data[k].value, value, all->width * sizeof *value))
			return true;
	return false;
}

/* Runs the harness on the interpreter and compares the outcomes with the explorer's; returns how
 * many threads met no other. */
static uint64_t play_test(const struct litmus_test *t, uint64_t seed, uint64_t runs)
{
	struct arena arena = {0};
	struct diags findings = {0};
	struct litmus_ptx p;
	struct explore_options none = {.jobs = 1};
	struct explore_litmus x;
	struct run_options options = {.machine = {.seed = seed, .jobs = 1}};
	struct harness_result out;
	litmus_ptx_begin(&p, t, &arena);
	explore_litmus(t, &none, &arena, &x);
	if (p.lacks || p.gpus > 1 || !x.terminates) {
		explore_free(x.result);
		arena_free(&arena);
		return UINT64_MAX;
	}
	struct harness h = harness_of(&p, &arena);
	struct harness_request r = {&h, &options, runs};
	bool ok = harness_run(&r, &findings, &out);
	cr_expect(ok, "%s: %s", t->name, findings.first ? findings.first->message : "");
	cr_expect_geq(out.runs, runs);
	cr_expect_gt(out.launches, 0);
	uint64_t sum = 0;
	for (uint32_t k = 0; k < out.outcomes.list.count; k++) {
		sum += out.outcomes.list.data[k].count;
		cr_expect(has(&x.result->outcomes, out.outcomes.list.data[k].value),
			"%s: outcome %u is not allowed, its first value is %" PRId64, t->name, k,
			(int64_t)out.outcomes.list.data[k].value[0]);
	}
	cr_expect_eq(sum, out.runs);
	outcomes_free(&out.outcomes);
	explore_free(x.result);
	diags_free(&findings);
	arena_free(&arena);
	return out.alone;
}

static uint64_t play(const char *text, uint64_t seed)
{
	struct arena arena = {0};
	uint64_t alone = play_test(parse(text, &arena), seed, 300);
	cr_expect_neq(alone, UINT64_MAX);
	arena_free(&arena);
	return alone;
}

Test(harness, plays_every_role_of_every_instance)
{
	play(mp, 1);
	play(lock, 2);
	play(barrier, 3);
	play(cluster, 4);
}

/* On the interpreter the turns of different CTAs are too long for that. */
static unsigned times(const char *text, const char *part)
{
	unsigned n = 0;

	for (; (text = strstr(text, part)); text++)
		n++;
	return n;
}

/* Measures that make outcomes on a GPU more frequent, and must not change the set of outcomes:
 * other cache lines, warm lines, other traffic. */
Test(harness, warms_and_stresses)
{
	struct arena arena = {0};
	struct litmus_ptx p;
	struct text t = {0};

	litmus_ptx_begin(&p, parse(mp, &arena), &arena);
	struct harness h = harness_of(&p, &arena);

	harness_ptx(&h, &t);
	cr_expect_eq(times(text_str(&t), "ld.global.b32 %a2, [%w1];\n\txor.b32 %a18, %a18, %a2;"),
		8 + h.nlocations, "8 evicted lines and the locations");
	cr_expect_eq(
		times(text_str(&t),
			"and.b32 %a2, %a2, 15;\n\tsetp.ge.u32 %q0, %a2, %a1;\n\t@%q0 bra WARMED;"),
		1);
	cr_expect_eq(
		times(text_str(&t),
			"MORE:\n\tsetp.eq.u32 %q0, %a1, 0;\n\t@%q0 bra DONE;\n\tsub.u32 %a1, %a1, 1;"),
		1);
	cr_expect_eq(times(text_str(&t), "@%q0 st.global.b32 [%w1], %a3;"), 1);
	cr_expect_eq(times(text_str(&t), "bra MORE;"), 1);
	text_free(&t);
	arena_free(&arena);
}

Test(harness, threads_of_an_instance_meet) { cr_expect_eq(play(near, 5), 0); }

/* The public litmus tests, which are not in this repository. */
Test(harness, plays_the_corpus)
{
	const char *folder = getenv("PTXI_LITMUS");
	glob_t files = {0};
	unsigned played = 0;
	char pattern[512];

	if (!folder || !*folder)
		cr_skip("PTXI_LITMUS, the folder of public litmus tests, is not set");
	snprintf(pattern, sizeof pattern, "%s/*/*.litmus", folder);
	glob(pattern, 0, NULL, &files);
	snprintf(pattern, sizeof pattern, "%s/*/*/*.litmus", folder);
	glob(pattern, GLOB_APPEND, NULL, &files);
	for (size_t k = 0; k < files.gl_pathc; k++) {
		struct arena arena = {0};
		struct diags diags = {0};
		struct source *s = file_read(files.gl_pathv[k], &arena, &diags);
		struct litmus_test *t = s ? litmus_parse(s, &arena, &diags) : NULL;
		cr_expect_not_null(t, "%s", files.gl_pathv[k]);
		played += t && play_test(t, k, 20) != UINT64_MAX;
		diags_free(&diags);
		arena_free(&arena);
	}
	cr_expect_geq(played, 100);
	globfree(&files);
}

static void run(const char *text, uint64_t runs, struct report *out)
{
	struct arena arena = {0};
	struct program p = {.path = "test.litmus",
		.kind = PROGRAM_LITMUS,
		.source = source_new(&arena, "test.litmus", text, strlen(text))};
	struct litmus_request r = {.program = &p,
		.options = {.machine = {.seed = 1, .jobs = 1, .checks = CHECK_BOUNDS | CHECK_SYNC},
			.runs = runs},
		.jobs = 1};
	litmus_run(&r, out);
	arena_free(&arena);
}

/* The random choices of a round (roles, disturbances) use mixed bits: the low bits of a product and
 * a sum would only alternate. */
Test(harness, mixes_chance)
{
	struct arena arena = {0};
	struct litmus_ptx p;
	struct text t = {0};
	litmus_ptx_begin(&p, parse(mp, &arena), &arena);
	struct harness h = harness_of(&p, &arena);
	harness_ptx(&h, &t);
	for (const char *const *reg = (const char *const[]){"%a16", "%a17", NULL}; *reg; reg++) {
		const char *at = strstr(
				   text_str(&t), arena_printf(&arena, "\tmad.lo.u32 %s, ", *reg)),
			   *mixed = strstr(text_str(&t),
				   arena_printf(
					   &arena, "\tmul.lo.u32 %s, %s, 0x7feb352d;", *reg, *reg));
		const char *used = strstr(text_str(&t),
			(*reg)[3] == '6' ? "\trem.u32 %a1, %a16, %a13;"
					 : "\tand.b32 %a2, %a17, 15;");
		cr_expect(at && mixed && used && at < mixed && mixed < used, "%s is used as it is",
			*reg);
	}
	text_free(&t);
	arena_free(&arena);
}

Test(litmus_run, gives_a_histogram_of_allowed_outcomes)
{
	static const char *const tests[] = {mp, lock, barrier, counted, cluster};
	for (unsigned k = 0; k < sizeof tests / sizeof *tests; k++) {
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
	run("PTX T\n{\nx=0;\n}\n P0@cta 0,gpu 0 ;\n st.weak x, 2 ;\n ld.weak r0, x ;\n~exists (P0:r0 == 2)\n",
		3, &r);
	cr_expect_eq(r.status, 1);
	cr_expect_eq(r.findings.first->code, DIAG_X0106);
	cr_expect_str_eq(text_str(&r.listing),
		"Test T Forbidden\nHistogram (1 states)\n3       *>P0:r0=2;\nNo\n\nWitnesses\nPositive: 3, Negative: 0\n"
		"Condition ~exists (P0:r0 == 2) is NOT validated\nObservation T Always 3 0\n");
	report_free(&r);
	/* An `exists` condition is not violated if its outcome is not observed. */
	run("PTX T\n{\nx=0;\n}\n P0@cta 0,gpu 0 ;\n st.weak x, 2 ;\n ld.weak r0, x ;\nexists (P0:r0 == 1)\n",
		3, &r);
	cr_expect_eq(r.status, 0);
	report_free(&r);
}

/* The placement of threads: CTAs, clusters, GPUs. */
Test(litmus_run, says_who_sits_where)
{
	static const struct {
		const char *where[4], *placement;
	} rows[] = {
		{{"cta 0,gpu 0"}, "P0"},
		{{"cta 0,gpu 0", "cta 1,gpu 0"}, "P0 P1"},
		{{"cta 0,gpu 0", "cta 0,gpu 0"}, "P0+P1"},
		{{"cta 0,gpu 0", "cta 1,gpu 0", "cta 0,gpu 0", "cta 1,gpu 0"}, "P0+P2 P1+P3"},
		{{"cta 0,cluster 0,gpu 0", "cta 1,cluster 0,gpu 0"}, "(P0 P1)"},
		{{"cta 0,cluster 0,gpu 0", "cta 1,cluster 0,gpu 0", "cta 2,cluster 1,gpu 0",
			 "cta 3,cluster 1,gpu 0"},
			"(P0 P1) (P2 P3)"},
		{{"cta 0,cluster 0,gpu 0", "cta 1,cluster 0,gpu 0", "cta 0,cluster 0,gpu 0",
			 "cta 3,cluster 1,gpu 0"},
			"(P0+P2 P1) (P3)"},
		{{"cta 0,gpu 0", "cta 1,gpu 1"}, "P0 / P1"},
		{{"cta 0,gpu 0", "cta 1,gpu 0", "cta 2,gpu 1", "cta 3,gpu 1"}, "P0 P1 / P2 P3"},
	};

	for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
		struct text t = {0};
		struct report r;
		unsigned n = 0;

		text_puts(&t, "PTX T\n{\nx=0;\n}\n");
		for (; n < 4 && rows[k].where[n]; n++)
			text_printf(&t, "%s P%u@%s", n ? " |" : "", n, rows[k].where[n]);
		for (unsigned i = 0; i < n; i++)
			text_puts(&t, i ? " | st.weak x, 1" : " ;\n st.weak x, 1");
		text_puts(&t, " ;\nexists (x == 1)\n");
		run(text_str(&t), 1, &r);
		cr_expect_str_eq(r.placement, rows[k].placement);
		report_free(&r);
		text_free(&t);
	}
}

/* Compares all lines of --format=tsv. */
static void tsv(const char *text, const char *lines)
{
	struct text t = {0};
	struct report r;

	run(text, 7, &r);
	litmus_tsv("file", &r, &t);
	cr_expect_str_eq(text_str(&t), lines);
	text_free(&t);
	report_free(&r);
}

Test(litmus_run, writes_outcomes_as_tsv)
{
	tsv("PTX T\n{\nx=0;\n}\n P0@cta 0,gpu 0 ;\n st.weak x, 2 ;\n ld.weak r0, x ;\nexists (P0:r0 == 2 /\\ x == 2)\n",
		"file\tP0\t{\"P0:r0\": 2, \"x\": 2}\t7\tyes\n");
	tsv("PTX T\n{\nx=0;\ns @ surface aliases x;\n}\n P0@cta 0,gpu 0 ;\n sust.weak s, 1 ;\nexists (x == 1)\n",
		"file\t-\tsurface, texture and constant accesses require bound memory\t0\t-\n");
	const char *text[1] = {"5"}, *name[1] = {"x"};
	struct report r = {.state = name, .nstate = 1, .placement = "P0"};
	struct text t = {0};

	*vec_push(&r.outcomes) = (struct outcome){.text = text, .count = 3, .allowed = ALLOWED_NO};
	*vec_push(&r.outcomes) = (struct outcome){
		.text = text, .count = 4, .allowed = ALLOWED_UNKNOWN};
	litmus_tsv("f", &r, &t);
	r.placement = NULL;
	r.outcomes.count = 1;
	litmus_tsv("f", &r, &t);
	r.outcomes.count = 0;
	r.reason = "why not";
	litmus_tsv("f", &r, &t);
	r.verdict = VERDICT_SKIP;
	r.outcomes.count = 1;
	litmus_tsv("f", &r, &t);
	cr_expect_str_eq(text_str(&t),
		"f\tP0\t{\"x\": 5}\t3\tno\nf\tP0\t{\"x\": 5}\t4\tunknown\nf\t\t{\"x\": 5}\t3\tno\nf\t-\twhy not\t0\t-\nf\t-\twhy not\t0\t-\n");
	vec_free(&r.outcomes);
	text_free(&t);
}

static void lacks(const char *lines, const char *what)
{
	struct arena arena = {0};
	struct report r;
	run(arena_printf(&arena,
		    "PTX T\n{\nx=0;\ny @ generic aliases x;\ns @ surface aliases x;\n}\n P0@cta 0,gpu 0 | P1@cta 0,gpu 0 ;\n%sexists (x == 1)\n",
		    lines),
		2, &r);
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
	lacks(" bne 0, 1, L | ;\n bar.cta.sync 1 | bar.cta.sync 1 ;\n L: | ;\n",
		"branch skips or repeats");
}

static void play_case(const char *text, int status, const char *reason, uint32_t outcomes)
{
	struct program_request load = {.path = "case.ptx", .text = text, .size = strlen(text)};
	struct program p;
	struct report r;
	const char *why = NULL;
	program_load(&p, &load);
	cr_assert_eq(p.status, 0, "%s", p.diags.first ? p.diags.first->message : "");
	bool fits = harness_case_fits(&p, &p.script.cases.data[0], &why);
	if (!fits) {
		cr_assert_not_null(reason, "it fits: %s", why);
		cr_expect(why && strstr(why, reason), "'%s' says nothing of '%s'", why ? why : "",
			reason);
		program_free(&p);
		return;
	}
	struct explorer_request q = {.program = &p,
		.in = &p.script.cases.data[0],
		.options = {.machine = {.seed = 1, .jobs = 1}, .runs = 200},
		.jobs = 1};
	harness_case(&q, &r);
	cr_expect_eq(r.status, status, "status %d: %s", r.status, r.reason ? r.reason : "");
	cr_expect_eq(r.verdict, status ? VERDICT_FAIL : VERDICT_PASS);
	if (status)
		cr_expect(r.findings.first && r.reason == r.findings.first->message,
			"it fails without a reason");
	cr_expect_eq(r.ended, MACHINE_DONE);
	cr_expect_geq(r.executions, 200);
	cr_expect_geq(r.outcomes.count, outcomes);
	for (uint32_t n = 0; n < r.outcomes.count; n++)
		cr_expect_eq(r.outcomes.data[n].allowed, ALLOWED_YES, "outcome %u: %s", n,
			r.outcomes.data[n].text[0]);
	report_free(&r);
	program_free(&p);
}

#define HEAD \
	".version 7.8\n.target sm_90\n.address_size 64\n.global .u32 x = 3;\n.global .s32 y = -1;\n.global .u64 wide;\n.visible .entry k()\n{\n\t.reg .pred %p<4>;\n\t.reg .b32 %r<8>;\n\t.reg .b64 %rd<4>;\n"

Test(harness_case, plays_kernels)
{
	/* Thread 0 of CTA 1 reads x after thread 1 of CTA 0 has published it; addresses in
	 * registers, guarded returns, %ntid and %nctaid as numbers. */
	play_case(
		"//@ launch k<<<2, 2>>>()\n//@ forbid P2:%r3 == 5 && P2:%r4 == 3\n//@ always P0:%r2 == 4 && P3:%r2 == 4 && (y == -1 || y == -7)\n" HEAD
		"\tmov.u32 %r0, %tid.x;\n\tmov.u32 %r1, %ctaid.x;\n\tmov.u32 %r5, %ntid.x;\n\tmov.u32 %r6, %nctaid.x;\n\tmad.lo.u32 %r7, %r1, %r5, %r0;\n"
		"\tmul.lo.u32 %r2, %r5, %r6;\n\tsetp.eq.u32 %p0, %r7, 1;\n\tsetp.eq.u32 %p1, %r7, 2;\n\tmov.u64 %rd0, y;\n\t@%p0 bra W;\n\t@!%p1 ret;\n"
		"\tld.acquire.gpu.global.u32 %r3, [%rd0];\n\tneg.s32 %r3, %r3;\n\tsub.u32 %r3, %r3, 2;\n\tld.weak.global.u32 %r4, [x];\n\texit;\n"
		"W:\n\tst.weak.global.u32 [x], 4;\n\tst.release.gpu.global.s32 [y], -7;\n\tret;\n}\n",
		0, NULL, 1);
	play_case(
		"//@ launch k<<<2, 1>>>() cluster=2\n//@ allow P0:%r1 == 8\n" HEAD
		"\tmov.u32 %r0, %ctaid.x;\n\tsetp.eq.u32 %p0, %r0, 1;\n\t@%p0 st.relaxed.cluster.global.u32 [x], 8;\n\t@!%p0 ld.relaxed.cluster.global.u32 %r1, [x];\n\tret;\n}\n",
		0, NULL, 1);
}

/* Exploration does not decide the verdict: an allowed outcome that is not observed does not fail a
 * run, and a forbidden outcome that is observed does. */
Test(harness_case, judges_what_it_sees)
{
	play_case("//@ launch k<<<2, 1>>>()\n//@ allow x == 99\n" HEAD
		  "\tst.relaxed.gpu.global.u32 [x], 4;\n\tret;\n}\n",
		0, NULL, 1);
	play_case("//@ launch k<<<2, 1>>>()\n//@ forbid x == 4\n//@ allow x == 4\n" HEAD
		  "\tst.relaxed.gpu.global.u32 [x], 4;\n\tret;\n}\n",
		1, NULL, 1);
	play_case("//@ launch k<<<2, 1>>>()\n//@ allow x == 99\n//@ always x == 3\n" HEAD
		  "\tst.relaxed.gpu.global.u32 [x], 4;\n\tret;\n}\n",
		1, NULL, 1);
}

/* It compares with every allowed outcome, not only with those that decide the conditions: the
 * conditions are soon decided, and exploration takes longer. */
Test(harness_case, knows_every_outcome)
{
	play_case(
		"//@ launch k<<<4, 1>>>()\n//@ observe P0:%r1, P0:%r2, P0:%r3, P1:%r1, P1:%r2, P1:%r3, P2:%r1, P2:%r2, P2:%r3, P3:%r1, P3:%r2, P3:%r3\n//@ allow P0:%r1 == 2\n" HEAD
		"\tmov.u32 %r4, %ctaid.x;\n\tadd.u32 %r4, %r4, 1;\n\tst.relaxed.gpu.global.u32 [x], %r4;\n\tld.relaxed.gpu.global.u32 %r1, [y];\n\tld.relaxed.gpu.global.u32 %r2, [x];\n"
		"\tst.relaxed.gpu.global.u32 [y], %r4;\n\tld.relaxed.gpu.global.u32 %r3, [x];\n\tret;\n}\n",
		0, NULL, 1);
}

/* A case that ends at its time limit is not complete. */
Test(harness_case, says_that_its_time_is_over)
{
	static const char text[] = "//@ launch k<<<2, 1>>>()\n//@ allow x == 4\n" HEAD
				   "\tst.relaxed.gpu.global.u32 [x], 4;\n\tret;\n}\n";
	struct program_request load = {.path = "case.ptx", .text = text, .size = strlen(text)};
	struct program p;
	struct report r;

	program_load(&p, &load);
	struct explorer_request q = {.program = &p,
		.in = &p.script.cases.data[0],
		.options = {.machine = {.seed = 1, .jobs = 1, .timeout = 0.05}, .runs = UINT64_MAX},
		.jobs = 1};
	harness_case(&q, &r);
	cr_expect_eq(r.ended, MACHINE_BUDGET);
	cr_expect_eq(r.status, 7, "status %d: %s", r.status, r.reason ? r.reason : "");
	cr_expect_eq(r.verdict, VERDICT_FAIL);
	report_free(&r);
	program_free(&p);
}

Test(harness_case, says_what_it_does_not_take)
{
	play_case("//@ launch k<<<1, 2>>>()\n//@ allow x == 3\n" HEAD
		  "\tbar.sync 0;\n\tld.global.u32 %r1, [x];\n\tret;\n}\n",
		0, "loads, stores", 0);
	play_case("//@ launch k<<<1, 2>>>()\n//@ allow wide == 0\n" HEAD
		  "\tld.global.u64 %rd1, [wide];\n\tret;\n}\n",
		0, "4 bytes", 0);
	play_case("//@ launch k<<<1, 2>>>()\n//@ allow x == 3\n" HEAD
		  "\tmov.u32 %r1, %laneid;\n\tst.global.u32 [x], %r1;\n\tret;\n}\n",
		0, "special register", 0);
	play_case("//@ launch k<<<65, 1>>>()\n//@ allow x == 3\n" HEAD "\tret;\n}\n", 0,
		"64 threads", 0);
	play_case("//@ launch k<<<1, 1>>>()\n//@ expect x == 3\n" HEAD "\tret;\n}\n", 0,
		"one launch", 0);
}
