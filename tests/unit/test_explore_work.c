/* How long and how much the explorer searches: every bound at its limit and its message, the same
 * result however the search is split, and the work for random programs. */
#include "explore/explain/interleave.h"
#include "explore/litmus/litmus.h"
#include "explore/search/witness.h"
#include "tests/oracle/random_litmus.h"
#include "tests/unit/explore_ptx.h"
#include <criterion/criterion.h>
#include <pthread.h>
#include <string.h>
#include <time.h>

struct explored {
	struct arena arena;
	struct diags diags;
	struct litmus_test *test;
	struct explore_litmus litmus;
	struct text printed;
};

static void explore_text(
	struct explored *r, const char *text, const struct explore_options *options)
{
	*r = (struct explored){0};
	r->test = litmus_parse(
		source_new(&r->arena, "test.litmus", text, strlen(text)), &r->arena, &r->diags);
	cr_assert(r->test != NULL, "does not parse:\n%s", text);
	explore_litmus(r->test, options, &r->arena, &r->litmus);
	explore_litmus_print(&r->litmus, true, &r->printed);
}

static void run_free(struct explored *r)
{
	explore_free(r->litmus.result);
	text_free(&r->printed);
	arena_free(&r->arena);
	diags_free(&r->diags);
}

static bool says(struct explored *r, const char *words)
{
	return strstr(text_str(&r->printed), words) != NULL;
}

/* Eight events, two of them initial writes; four executions. */
#define MESSAGE \
	"PTX t\n{}\nP0@cta 0,gpu 0 | P1@cta 1,gpu 0 ;\nst.relaxed.gpu x, 1 | ld.relaxed.gpu r0, y ;\n" \
	"st.relaxed.gpu y, 1 | ld.relaxed.gpu r1, x ;\nfence.sc.gpu | fence.sc.gpu ;\nexists (1:r0 == 7 /\\ 1:r1 == 7)\n"

Test(explore_work, events)
{
	for (uint32_t most = 6; most <= 9; most++) {
		struct explored r;
		explore_text(&r, MESSAGE, &(struct explore_options){.jobs = 1, .max_events = most});
		bool fits = most >= 8;
		cr_expect_eq(r.litmus.result->too_large, !fits, "%u events", most);
		cr_expect_eq(explore_complete(r.litmus.result), fits);
		cr_expect_eq(says(&r, "Bound reached: an execution has too many events\n"), !fits);
		cr_expect_eq(r.litmus.result->executions, fits ? 4 : 0);
		cr_expect_eq(r.litmus.verdict, fits);
		run_free(&r);
	}
}

Test(explore_work, executions)
{
	struct explored r;
	explore_text(&r, MESSAGE, &(struct explore_options){.jobs = 1, .max_executions = 1});
	cr_expect(r.litmus.result->timed_out && !r.litmus.verdict);
	cr_expect_geq(r.litmus.result->executions, 1);
	cr_expect_lt(r.litmus.result->executions, 4);
	cr_expect(says(&r, "Bound reached: the time or the number of executions ran out\n"));
	cr_expect(says(&r, "\nUndecided\n"));
	run_free(&r);
	explore_text(&r, MESSAGE, &(struct explore_options){.jobs = 1, .max_executions = 5});
	cr_expect(!r.litmus.result->timed_out && r.litmus.result->executions == 4);
	cr_expect(!says(&r, "Bound reached") && !says(&r, "Dependencies"));
	run_free(&r);
}

/* Writers and readers of one location: 47 executions. */
#define READERS \
	"PTX t\n{}\nP0@cta 0,gpu 0 | P1@cta 1,gpu 0 | P2@cta 2,gpu 0 | P3@cta 3,gpu 0 ;\n" \
	"st.relaxed.gpu x, 1 | st.relaxed.gpu x, 3 | ld.relaxed.gpu r0, x | ld.relaxed.gpu r0, x ;\n" \
	"st.relaxed.gpu x, 2 | st.relaxed.gpu x, 4 | ld.relaxed.gpu r1, x | ld.relaxed.gpu r1, x ;\n" \
	"exists (2:r0 == 1)\n"

/* A branch has its own bound, and all workers together have another. */
Test(explore_work, memory)
{
	struct explored r;
	uint64_t enough = 0;
	for (uint64_t bytes = 1; bytes < 1 << 24 && !enough; bytes *= 4) {
		explore_text(
			&r, READERS, &(struct explore_options){.jobs = 1, .max_memory = bytes});
		cr_expect_eq(r.litmus.result->out_of_memory, !explore_complete(r.litmus.result));
		if (!r.litmus.result->out_of_memory)
			enough = bytes;
		run_free(&r);
	}
	cr_expect(enough > 4096 && enough < 1 << 22, "%llu bytes", (unsigned long long)enough);
}

static void told(void *arg, uint64_t executions, uint64_t outcomes, double part)
{
	uint64_t *last = arg;
	cr_expect(part >= 0 && part < 1.001, "%g", part);
	cr_expect_geq(outcomes, last[2]);
	last[2] = outcomes;
	cr_expect_geq(executions, last[1]);
	last[0]++;
	last[1] = executions;
}

/* Ten distinguishable threads, and the outcome names what each found: far more orders than can be
 * explored in a second. */
#define LONG \
	"PTX t\n{}\nP0@cta 0,gpu 0 | P1@cta 1,gpu 0 | P2@cta 2,gpu 0 | P3@cta 3,gpu 0 | P4@cta 4,gpu 0 | P5@cta 5,gpu 0 | P6@cta 6,gpu 0 | P7@cta 7,gpu 0 | P8@cta 8,gpu 0 | P9@cta 9,gpu 0 ;\n" \
	"atom.relaxed.gpu.add r0, x, 1 | atom.relaxed.gpu.add r0, x, 2 | atom.relaxed.gpu.add r0, x, 3 | atom.relaxed.gpu.add r0, x, 4 | atom.relaxed.gpu.add r0, x, 5 | atom.relaxed.gpu.add r0, x, 6 | atom.relaxed.gpu.add r0, x, 7 | atom.relaxed.gpu.add r0, x, 8 | atom.relaxed.gpu.add r0, x, 9 | atom.relaxed.gpu.add r0, x, 10 ;\n" \
	"exists (0:r0 == 1 /\\ 1:r0 == 1 /\\ 2:r0 == 1 /\\ 3:r0 == 1 /\\ 4:r0 == 1 /\\ 5:r0 == 1 /\\ 6:r0 == 1 /\\ 7:r0 == 1 /\\ 8:r0 == 1 /\\ 9:r0 == 1)\n"

Test(explore_work, time)
{
	struct explored r;
	uint64_t calls[3] = {0};
	explore_text(&r, LONG,
		&(struct explore_options){
			.jobs = 1, .timeout = 0.7, .progress = told, .progress_arg = calls});
	cr_expect(r.litmus.result->timed_out && !explore_complete(r.litmus.result));
	cr_expect(calls[0] >= 1 && calls[0] <= 8, "progress is told %llu times",
		(unsigned long long)calls[0]);
	cr_expect_leq(calls[1], r.litmus.result->executions);
	run_free(&r);
}

/* 256 threads that meet at a barrier, eight of which then read what one of them stores: nodes that
 * wait for the search to return take less than a megabyte each, so none is made again. */
Test(explore_work, packed)
{
	static const char text[] = HEAD
		".shared .b32 s[256];\n.visible .entry k()\n{\n.reg .pred %p;\n.reg .b32 %r<4>;\n.reg .b64 %a, %b;\n"
		"mov.u32 %r0, %tid.x;\nmul.wide.u32 %a, %r0, 4;\nmov.u64 %b, s;\nadd.u64 %a, %b, %a;\nst.shared.u32 [%a], %r0;\n"
		"bar.sync 0;\nxor.b32 %r1, %r0, 255;\nmul.wide.u32 %a, %r1, 4;\nadd.u64 %a, %b, %a;\nld.shared.u32 %r2, [%a];\n"
		"add.u32 %r2, %r2, 1;\nst.shared.u32 [%a], %r2;\nsetp.eq.u32 %p, %r2, 3;\n@%p st.relaxed.gpu.global.u32 [x], 1;\n"
		"setp.gt.u32 %p, %r2, 8;\n@%p ret;\nld.relaxed.gpu.global.u32 %r2, [x];\nret;\n}\n";
	uint64_t steps[2];
	for (int k = 0; k < 2; k++) {
		struct ptx_test t;
		max_branch = k ? 8 << 20 : 0;
		explore(&t, text, 1, 256, (const char *const[]){"x", NULL}, 1);
		max_branch = 0;
		cr_expect(explore_complete(t.result));
		cr_expect_eq(t.result->executions, 128, "%llu executions",
			(unsigned long long)t.result->executions);
		steps[k] = t.result->work[WORK_STEPS];
		ptx_test_free(&t);
	}
	cr_expect_eq(steps[0], steps[1], "%llu and %llu steps", (unsigned long long)steps[0],
		(unsigned long long)steps[1]);
}

struct sender {
	long delay; /* nanoseconds */
	_Atomic int flag;
};

static void *send_flag(void *arg)
{
	struct sender *s = arg;
	nanosleep(&(struct timespec){.tv_nsec = s->delay}, NULL);
	s->flag = 2;
	return NULL;
}

/* A signal is not taken for another limit, whatever part of the search it comes in: also while the
 * search is split. */
Test(explore_work, interrupted)
{
	for (unsigned k = 0; k < 150; k++) {
		struct explored r;
		struct sender s = {.delay = k * 80000L};
		pthread_t thread;
		cr_assert_eq(pthread_create(&thread, NULL, send_flag, &s), 0);
		explore_text(&r, LONG,
			&(struct explore_options){.jobs = 1 + k % 5, .interrupted = &s.flag});
		pthread_join(thread, NULL);
		cr_expect(r.litmus.result->interrupted && !r.litmus.result->timed_out,
			"%u threads, after %ld ns", 1 + k % 5, s.delay);
		cr_expect(!explore_complete(r.litmus.result));
		run_free(&r);
	}
}

/* Explores TEXT with several workers, which give each other branches as often as possible, with and
 * without room for unfinished executions: all results are the same, and no branch is searched
 * twice. */
static void compare_jobs(const char *text, unsigned most)
{
	struct explored one, many;
	explore_text(&one, text, &(struct explore_options){.jobs = 1});
	for (unsigned k = 0; k < 3 * most; k++) {
		struct explore_options o = {.jobs = k / 3 + 1,
			.divide = true,
			.max_branch = (const uint64_t[]){0, 1, 8000}[k % 3]};
		explore_text(&many, text, &o);
		cr_expect_str_eq(text_str(&many.printed), text_str(&one.printed),
			"%u workers, %llu bytes:\n%s", o.jobs, (unsigned long long)o.max_branch,
			text);
		cr_expect_eq(many.litmus.result->work[WORK_BRANCHES],
			one.litmus.result->work[WORK_BRANCHES], "%u workers, %llu bytes:\n%s",
			o.jobs, (unsigned long long)o.max_branch, text);
		run_free(&many);
	}
	run_free(&one);
}

Test(explore_work, jobs)
{
	compare_jobs(READERS, 5);
	for (uint64_t i = 0; i < 60; i++) {
		struct rng rng = {7 + i * 1000003};
		struct text text = {0};
		(i % 2 ? random_litmus_cas : random_litmus)(&rng, &text);
		compare_jobs(text_str(&text), 2);
		text_free(&text);
	}
}

/* Only the accesses of an execution that are on some cycle of po, rf, co and fr can violate an
 * axiom; the others need not be examined. */
Test(explore_work, core)
{
	static const struct {
		const char *condition;
		uint64_t r0, r1;
		uint32_t core;
	} want[] = {{"all in order", 1, 1, 0}, {"neither", 0, 0, 0}, {"the second alone", 0, 1, 0},
		{"the first alone", 1, 0, 4}};
	struct explored r;
	explore_text(&r, MESSAGE, &(struct explore_options){.jobs = 1});
	cr_assert_eq(r.litmus.result->outcomes.list.count, 4);
	for (unsigned k = 0; k < 4; k++) {
		for (uint32_t i = 0; i < 4; i++) {
			const struct explore_outcome *o = &r.litmus.result->outcomes.list.data[i];
			struct witness w;
			if (o->value[0] != want[k].r0 || o->value[1] != want[k].r1)
				continue;
			cr_assert(witness_build(
				&w, r.litmus.result, o->trail, o->ntrail, o->value, false));
			uint64_t *barriers = interleave_barriers(&w.x), core[8];
			cr_assert(w.x.words <= 8);
			interleave_core(&w.x, barriers, core);
			cr_expect_eq(row_count(core, w.x.words), want[k].core, "%s: %u",
				want[k].condition, row_count(core, w.x.words));
			free(barriers);
			witness_free(&w);
		}
	}
	run_free(&r);
}

/* The columns of a test: LEAD alone fences, and N threads that execute the instructions of ROW, in
 * which # stands for the thread's number and + for the next thread's. */
static void fence_test(struct text *out, uint32_t lead, uint32_t n, const char *const *row)
{
	text_puts(out, "PTX t\n{\n}\n");
	for (uint32_t t = 0; t < lead + n; t++)
		text_printf(out, "%sP%u@cta %u,gpu 0", t ? " | " : "", t, t);
	for (uint32_t i = 0; row[i]; i++) {
		text_puts(out, " ;\n");
		for (uint32_t t = 0; t < lead + n; t++) {
			text_puts(out, t ? " | " : "");
			if (t < lead)
				text_puts(out, i ? "" : "fence.sc.gpu");
			for (const char *c = row[i]; t >= lead && *c; c++) {
				if (*c == '#')
					text_printf(out, "%u", t - lead);
				else if (*c == '+')
					text_printf(out, "%u", (t - lead + 1) % n);
				else
					text_putc(out, *c);
			}
		}
	}
	text_puts(out, " ;\n");
}

/* The orders of k fences are k!, and none of these programs ends if they are tried one by one. */
Test(explore_work, orders_of_fences)
{
	static const struct {
		const char *row[8], *condition;
		uint32_t lead, threads, outcomes;
		uint64_t executions;
	} want[] = {
		/* each last write forbids an order of fences, all together are a cycle; the order
		 * of the fences before them does not matter */
		{{"st.weak x#, 1", "fence.sc.gpu", "st.weak x+, 2", NULL},
			"locations [x0; x1; x2; x3;]\nexists (0 == 0)\n", 16, 4, 15, 1},
		{{"fence.sc.gpu", "st.weak x, 1#", "fence.sc.gpu", NULL},
			"locations [x;]\nexists (0 == 0)\n", 0, 16, 16, 1},
		/* atoms adapt to the fences */
		{{"st.weak x#, 1", "fence.sc.gpu", "red.relaxed.gpu.add c, 1", NULL},
			"locations [c; x0;]\nexists (c == 16)\n", 0, 16, 1, 1},
		{{"fence.sc.gpu", "red.relaxed.gpu.add c, 1", "fence.sc.gpu",
			 "red.relaxed.gpu.add c, 1", "fence.sc.gpu", "st.weak x, #", NULL},
			"locations [c; x;]\nexists (c == 32)\n", 0, 16, 16, 1},
		/* a ring: every outcome except one */
		{{"st.weak x#, 1", "fence.sc.gpu", "ld.weak r0, x+", NULL},
			"locations [P0:r0; x0; x1; x2; x3; x4; x5;]\nexists (0 == 0)\n", 0, 6, 2,
			63},
	};
	for (uint32_t k = 0; k < sizeof want / sizeof *want; k++) {
		struct text text = {0};
		struct explored r;
		fence_test(&text, want[k].lead, want[k].threads, want[k].row);
		text_puts(&text, want[k].condition);
		explore_text(&r, text_str(&text),
			&(struct explore_options){.jobs = 1, .timeout = 60, .verify = true});
		cr_expect(explore_complete(r.litmus.result) && !r.litmus.result->verified.broken,
			"%u is not complete", k);
		cr_expect_eq(r.litmus.result->outcomes.list.count, want[k].outcomes,
			"%u: %u outcomes", k, r.litmus.result->outcomes.list.count);
		cr_expect_eq(r.litmus.result->executions, want[k].executions, "%u: %llu executions",
			k, (unsigned long long)r.litmus.result->executions);
		cr_expect(r.litmus.verdict, "the condition of %u", k);
		run_free(&r);
		text_free(&text);
	}
}

/* MANY has done the work of ONE, and of FIGURE, what takes the time, at most a twentieth more. */
static void compare_work(
	const struct explore_result *many, const struct explore_result *one, unsigned figure)
{
	cr_expect_eq(many->work[WORK_BRANCHES], one->work[WORK_BRANCHES]);
	cr_expect_leq(many->work[figure], one->work[figure] / 20 * 21, "%u workers: %llu, not %llu",
		many->options.jobs, (unsigned long long)many->work[figure],
		(unsigned long long)one->work[figure]);
}

/* A ring in which every thread's read may come before or after the others: 4,095 executions, to
 * which the way from the beginning is short. */
Test(explore_work, divided)
{
	static const char *const row[] = {"st.weak x#, 1", "fence.sc.gpu", "ld.weak r0, x+", NULL};
	struct text text = {0};
	struct explored one, many;
	fence_test(&text, 0, 12, row);
	text_puts(&text, "exists (0 == 0)\n");
	explore_text(&one, text_str(&text), &(struct explore_options){.jobs = 1});
	cr_expect_eq(one.litmus.result->executions, 4095);
	for (unsigned jobs = 2; jobs <= 4; jobs++) {
		explore_text(&many, text_str(&text), &(struct explore_options){.jobs = jobs});
		compare_work(many.litmus.result, one.litmus.result, WORK_ROUNDS);
		cr_expect_str_eq(text_str(&many.printed), text_str(&one.printed));
		run_free(&many);
	}
	run_free(&one);
	text_free(&text);
}

/* CTAs of which the last one sums what all have stored. Nearly all of the work is the way from the
 * beginning to the only choice, of which CTA is the last: 48 executions. */
Test(explore_work, divided_late)
{
	static const char last[] = HEAD
		".global .u32 cnt;\n.global .align 8 .u32 part[48];\n.visible .entry k()\n{\n.reg .pred %p;\n.reg .b32 %r<8>;\n.reg .b64 %a, %b;\n"
		"mov.u64 %a, part;\nmov.u32 %r1, %ctaid.x;\nmul.wide.u32 %b, %r1, 4;\nadd.u64 %b, %a, %b;\nadd.u32 %r1, %r1, 1;\n"
		"st.global.u32 [%b], %r1;\nmembar.gl;\natom.relaxed.gpu.global.add.u32 %r2, [cnt], 1;\nsetp.ne.u32 %p, %r2, 47;\n@%p ret;\n"
		"membar.gl;\nmov.u32 %r3, 0;\nmov.u32 %r4, 0;\nA:\nld.global.u32 %r5, [%a];\nadd.u32 %r4, %r4, %r5;\nadd.u64 %a, %a, 4;\n"
		"add.u32 %r3, %r3, 1;\nsetp.lt.u32 %p, %r3, 48;\n@%p bra A;\nst.global.u32 [x], %r4;\nret;\n}\n";
	struct ptx_test one, many;
	explore(&one, last, 48, 1, (const char *const[]){"x", NULL}, 1);
	cr_expect_eq(one.result->executions, 48);
	cr_expect(has(&one, 48 * 49 / 2, 0) && one.result->outcomes.list.count == 1);
	for (unsigned jobs = 2; jobs <= 4; jobs++) {
		explore(&many, last, 48, 1, (const char *const[]){"x", NULL}, jobs);
		cr_expect_eq(many.result->executions, 48);
		compare_work(many.result, one.result, WORK_STEPS);
		ptx_test_free(&many);
	}
	/* its options are given away in many pieces, each once */
	divide = true;
	explore(&many, last, 48, 1, (const char *const[]){"x", NULL}, 2);
	divide = false;
	cr_expect_eq(many.result->executions, 48);
	cr_expect_eq(many.result->work[WORK_BRANCHES], one.result->work[WORK_BRANCHES]);
	ptx_test_free(&many);
	ptx_test_free(&one);
}

/* With one worker the work is always the same. If a version does more work for the same result, its
 * search is slower. */
Test(explore_work, random_programs)
{
	static const uint64_t want[2][WORK_COUNT] = {
		{400, 11315, 15103, 11256, 15002, 54548, 0, 0, 15400, 1083},
		{402, 4348, 7175, 6090, 7106, 33332, 0, 0, 9902, 777}};
	for (unsigned k = 0; k < 2; k++) {
		uint64_t sum[WORK_COUNT] = {0};
		for (uint64_t i = 0; i < 400; i++) {
			struct rng rng = {99 + i * 1000003};
			struct text text = {0};
			struct explored r;
			(k ? random_litmus_fences : random_litmus)(&rng, &text);
			explore_text(&r, text_str(&text), &(struct explore_options){.jobs = 1});
			for (unsigned n = 0; n < WORK_COUNT; n++)
				sum[n] += r.litmus.result->work[n];
			run_free(&r);
			text_free(&text);
		}
		for (unsigned n = 0; n < WORK_COUNT; n++)
			cr_expect_eq(sum[n], want[k][n], "%u, figure %u: %llu", k, n,
				(unsigned long long)sum[n]);
	}
}
