/* Compares the sampler with the explorer: every sampled outcome must be one that the memory model
 * allows, for every case of tests/ptx/litmus and for random kernels. PTXI_SAMPLED_RUNS (default 60)
 * is the number of runs, PTXI_SAMPLED_KERNELS (default 50) that of kernels, PTXI_SEED the first
 * seed; `make check-sampler` tests much more. */
#include "script/litmus/litmus_ptx.h"
#include "tests/oracle/random_kernel.h"
#include "tests/unit/sampled.h"
#include <criterion/criterion.h>
#include <glob.h>
#include <unistd.h>

static void run_case(struct program *p, struct script_case *c, uint64_t runs, uint64_t seed,
	unsigned jobs, struct report *out)
{
	struct host_request h = {.module = p->module,
		.in = c,
		.options = {.machine = {.memory = MEMORY_WEAK, .jobs = jobs, .seed = seed},
			.runs = runs}};
	host_run(&h, out);
	cr_assert_eq(out->ended, MACHINE_DONE);
}

static void load_file(struct program *p, const char *path)
{
	struct program_request r = {.path = path};
	if (access(path, R_OK) != 0)
		cr_skip("run from the repository's root");
	program_load(p, &r);
	cr_assert(p->module && p->script_ok, "%s", path);
}

/* The outcomes that the file allows occur, and those that it forbids do not: always with the same
 * seeds, so that the result does not change. */
static void shows_its_conditions(const char *path, uint64_t runs)
{
	struct program p;
	load_file(&p, path);
	for (uint32_t k = 0; k < p.script.cases.count; k++) {
		struct report r;
		run_case(&p, &p.script.cases.data[k], runs, 1, 1, &r);
		for (uint32_t i = 0; i < r.conditions.count; i++)
			cr_expect(r.conditions.data[i].holds, "%s: %s %s",
				p.script.cases.data[k].name, r.conditions.data[i].kind,
				r.conditions.data[i].text);
		report_free(&r);
	}
	program_free(&p);
}

Test(sampler, patterns) { shows_its_conditions("tests/ptx/litmus/patterns.ptx", 1500); }
Test(sampler, late) { shows_its_conditions("tests/ptx/litmus/late.ptx", 1500); }
Test(sampler, async) { shows_its_conditions("tests/ptx/litmus/async.ptx", 300); }
Test(sampler, vectors) { shows_its_conditions("tests/ptx/litmus/vectors.ptx", 300); }
Test(sampler, lb) { shows_its_conditions("tests/ptx/litmus/lb.ptx", 1500); }
Test(sampler, shapes) { shows_its_conditions("tests/ptx/litmus/shapes.ptx", 1500); }

/* The seed fully determines a run: the same outcomes and counts for any number of host threads, and
 * one run at a time. */
Test(sampler, replay)
{
	struct program p;
	struct report a, b, one;
	load_file(&p, "tests/ptx/litmus/patterns.ptx");
	struct script_case *c = &p.script.cases.data[p.script.cases.count - 2];
	run_case(&p, c, 100, 5, 1, &a);
	run_case(&p, c, 100, 5, 4, &b);
	cr_assert_eq(a.outcomes.count, b.outcomes.count);
	cr_expect(a.outcomes.count > 4, "%u outcomes", a.outcomes.count);
	for (uint32_t k = 0; k < a.outcomes.count; k++)
		cr_expect(same_state(&a, &a.outcomes.data[k], &b.outcomes.data[k]) &&
			a.outcomes.data[k].count == b.outcomes.data[k].count);
	for (uint64_t k = 0; k < 100; k++) { /* run k of many is the run with seed 5 + k */
		run_case(&p, c, 1, 5 + k, 1, &one);
		uint32_t at = 0;
		while (at < a.outcomes.count &&
			!same_state(&a, &a.outcomes.data[at], &one.outcomes.data[0]))
			at++;
		cr_assert(at < a.outcomes.count && a.outcomes.data[at].count > 0);
		a.outcomes.data[at].count--;
		report_free(&one);
	}
	report_free(&a);
	report_free(&b);
	program_free(&p);
}

/* PTXI_SAMPLED_MISSING: a file that receives every kernel with the outcomes that were allowed and
 * never sampled. */
static FILE *missing_file(void)
{
	const char *name = getenv("PTXI_SAMPLED_MISSING");
	return name ? fopen(name, "a") : NULL;
}

static void compare(struct program *p, struct script_case *c, struct sampling s, const char *name,
	const char *text, FILE *to, struct tally *t)
{
	struct text why = {0}, missing = {0};
	s.missing = to ? &missing : NULL;
	cr_expect(sampled_is_explored(p, c, &s, t, &why), "%s: sampled, and not allowed: %s\n%s",
		name, text_str(&why), text);
	if (to && missing.len)
		fprintf(to, "==== %s\n%s%s\n", name, text, text_str(&missing));
	text_free(&why);
	text_free(&missing);
}

static void compare_file(const char *path, const struct sampling *s, struct tally *t)
{
	FILE *to = missing_file();
	struct program p;
	load_file(&p, path);
	for (uint32_t k = 0; k < p.script.cases.count; k++) {
		struct script_case *c = &p.script.cases.data[k];
		char name[128];
		snprintf(name, sizeof name, "%s:%s", path, c->name ? c->name : "");
		if (c->conditions)
			compare(&p, c, *s, name, "", to, t);
	}
	program_free(&p);
	if (to)
		fclose(to);
}

/* Runs stop after the first that faults, the same one for any number of threads. */
Test(sampler, many_runs_stop_at_a_fault)
{
	static const char text[] =
		".version 8.6\n.target sm_90\n.address_size 64\n//@ launch k<<<2, 1>>>()\n//@ observe P1:%r1, x\n.global .u32 x;\n.visible .entry k()\n{\n"
		".reg .pred %p<4>;\n.reg .b32 %r<8>;\nmov.u32 %r7, %ctaid.x;\nsetp.ne.u32 %p1, %r7, 0;\n@%p1 bra B;\nst.relaxed.gpu.global.u32 [x], 1;\n"
		"st.relaxed.gpu.global.u32 [x], 2;\nst.relaxed.gpu.global.u32 [x], 3;\nret;\nB: ld.relaxed.gpu.global.u32 %r1, [x];\nld.relaxed.gpu.global.u32 %r2, [x];\n"
		"setp.eq.u32 %p2, %r1, 1;\nsetp.eq.and.u32 %p2, %r2, 2, %p2;\n@%p2 trap;\nret;\n}\n";
	struct program_request request = {
		.path = "trap.ptx", .text = text, .size = sizeof text - 1};
	struct program p;
	uint64_t stopped = 0;
	program_load(&p, &request);
	cr_assert(p.module && p.script_ok);
	for (uint64_t seed = 0; seed < 3000; seed += 300) {
		struct report r[2];
		for (unsigned k = 0; k < 2; k++) {
			struct host_request h = {.module = p.module,
				.in = &p.script.cases.data[0],
				.options = {.machine = {.memory = MEMORY_WEAK,
						    .jobs = k ? 4 : 1,
						    .seed = seed},
					.runs = 300}};
			host_run(&h, &r[k]);
		}
		cr_expect_eq(r[0].executions, r[1].executions);
		cr_expect_eq(r[0].ended, r[1].ended);
		cr_expect_eq(r[0].findings.errors, r[1].findings.errors);
		cr_assert_eq(r[0].outcomes.count, r[1].outcomes.count);
		for (uint32_t i = 0; i < r[0].outcomes.count; i++)
			cr_expect(
				same_state(&r[0], &r[0].outcomes.data[i], &r[1].outcomes.data[i]) &&
				r[0].outcomes.data[i].count == r[1].outcomes.data[i].count);
		stopped += r[0].ended == MACHINE_FAULT && r[0].executions > 16;
		report_free(&r[0]);
		report_free(&r[1]);
	}
	cr_expect(stopped > 0);
	program_free(&p);
}

/* --schedule=random alone: two CTAs of one thread run in either order, and may be interrupted at
 * any instruction. */
Test(sampler, random_schedule_shuffles_ctas)
{
	struct program p;
	struct report r;
	load_file(&p, "tests/ptx/litmus/shapes.ptx");
	struct host_request h = {.module = p.module,
		.in = &p.script.cases.data[0],
		.options = {.machine = {.schedule = SCHEDULE_RANDOM, .jobs = 2, .seed = 1},
			.runs = 200}};
	host_run(&h, &r);
	/* store buffering under sequential consistency: all but (0,0) */
	cr_expect_eq(r.outcomes.count, 3);
	report_free(&r);
	h.options.runs = 20;
	host_run(&h, &r);
	cr_expect(r.outcomes.count >= 2);
	report_free(&r);
	program_free(&p);
}

static void say(const char *what, const struct tally *t)
{
	cr_log_info(
		"%s: %u compared, %u not: %llu of %llu allowed outcomes were sampled (%.2f %%; %.2f %% of a program's on average), all of them of %u; %llu runs",
		what, t->cases, t->skipped, (unsigned long long)t->sampled,
		(unsigned long long)t->allowed,
		t->allowed ? 100.0 * (double)t->sampled / (double)t->allowed : 100.0,
		t->cases ? 100.0 * t->parts / t->cases : 100.0, t->whole,
		(unsigned long long)t->runs);
}

static struct sampling settings(void)
{
	uint64_t runs = setting("PTXI_SAMPLED_RUNS", 60);
	return (struct sampling){.least = runs,
		.most = setting("PTXI_SAMPLED_MOST", runs),
		.seed = setting("PTXI_SEED", 1)};
}

Test(sampler, litmus_kernels)
{
	static const char *const files[] = {"mp", "sb", "lb", "co", "larger", "patterns", "shapes",
		"async", "calls", "locks", "mbarriers", "streams", "vectors", "late"};
	struct sampling s = settings();
	struct tally t = {0};
	for (unsigned k = 0; k < sizeof files / sizeof *files; k++) {
		char path[64];
		snprintf(path, sizeof path, "tests/ptx/litmus/%s.ptx", files[k]);
		compare_file(path, &s, &t);
	}
	say("litmus kernels", &t);
	cr_expect(t.cases > 200, "only %u cases were compared", t.cases);
	cr_expect(s.most < 60 || t.sampled >= t.allowed - t.allowed / 10,
		"only %llu of %llu allowed outcomes were sampled", (unsigned long long)t.sampled,
		(unsigned long long)t.allowed);
}

/* A third-party litmus test as a PTX file; false if PTX cannot express it. */
static bool litmus_as_ptx(const char *path, struct text *out)
{
	struct program_request r = {.path = path};
	struct program p;
	struct diags findings = {0};
	struct arena arena = {0};
	struct litmus_ptx ptx;
	program_load(&p, &r);
	struct litmus_test *test = p.source ? litmus_parse(p.source, &arena, &findings) : NULL;
	bool ok = false;
	if (test) {
		litmus_ptx_begin(&ptx, test, &arena);
		ok = !ptx.lacks;
		if (ok)
			litmus_ptx_file(&ptx, out);
	}
	program_free(&p);
	arena_free(&arena);
	return ok;
}

/* Every .litmus file of the folder PTXI_SAMPLED_LITMUS. */
Test(sampler, litmus_folder)
{
	const char *folder = getenv("PTXI_SAMPLED_LITMUS");
	struct sampling s = settings();
	struct tally t = {0};
	glob_t found;
	char pattern[512];
	FILE *to = missing_file();
	uint32_t lacking = 0;
	if (!folder || !*folder)
		cr_skip("no folder is named");
	s.seconds = 5;
	for (unsigned depth = 0; depth < 4; depth++) {
		static const char *const below[] = {"", "/*", "/*/*", "/*/*/*"};
		snprintf(pattern, sizeof pattern, "%s%s/*.litmus", folder, below[depth]);
		glob(pattern, depth ? GLOB_APPEND : 0, NULL, &found);
	}
	for (size_t k = 0; k < found.gl_pathc; k++) {
		struct text text = {0};
		struct program_request r = {.path = "litmus.ptx"};
		struct program p;
		if (!litmus_as_ptx(found.gl_pathv[k], &text)) {
			lacking++;
			text_free(&text);
			continue;
		}
		r.text = text_str(&text);
		r.size = text.len;
		program_load(&p, &r);
		cr_assert(p.module && p.script_ok, "%s", found.gl_pathv[k]);
		compare(&p, &p.script.cases.data[0], s, found.gl_pathv[k], text_str(&text), to, &t);
		program_free(&p);
		text_free(&text);
	}
	globfree(&found);
	if (to)
		fclose(to);
	say("litmus folder", &t);
	cr_log_info("%u tests need what PTX or one address space cannot say", lacking);
}

Test(sampler, random_kernels)
{
	uint64_t n = setting("PTXI_SAMPLED_KERNELS", 50),
		 measured = setting("PTXI_SAMPLED_MEASURED", n);
	struct sampling s = settings();
	uint64_t first = s.seed;
	struct tally t = {0}, rest = {0};
	FILE *to = missing_file();
	for (uint64_t i = 0; i < n; i++) {
		struct rng rng = {(first + i) * 1000003};
		struct text text = {0};
		struct program_request r = {.path = "random.ptx"};
		struct program p;
		char name[32];
		random_kernel(&rng, &text);
		r.text = text_str(&text);
		r.size = text.len;
		program_load(&p, &r);
		if (!p.module || !p.script_ok) {
			struct text d = {0};
			diag_render(&p.diags, &d, false);
			cr_assert_fail("%s\n%s", text_str(&d), text_str(&text));
		}
		snprintf(name, sizeof name, "kernel %llu", (unsigned long long)(first + i));
		s.seed = first + i;
		if (i == measured) /* from here on only soundness is checked */
			s.most = s.least;
		compare(&p, &p.script.cases.data[0], s, name, text_str(&text),
			i < measured ? to : NULL, i < measured ? &t : &rest);
		program_free(&p);
		text_free(&text);
	}
	if (to)
		fclose(to);
	say("random kernels", &t);
	if (rest.cases)
		say("more random kernels", &rest);
	cr_expect(t.cases + rest.cases >= n - n / 10, "only %u of %llu kernels were compared",
		t.cases + rest.cases, (unsigned long long)n);
}
