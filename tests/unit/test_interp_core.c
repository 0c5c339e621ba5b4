/* The core of the interpreter: lanes that part and meet, calls, CTA barriers as hardware counts them, warp rendezvous, deadlock and livelock, streams, budgets. */
#include "assembler/assembler.h"
#include "interp/machine.h"
#include "interp/observer.h"
#include <criterion/criterion.h>
#include <string.h>

enum { WORDS = 1024 };

struct world {
	struct arena arena;
	struct diags diags;
	struct source *source;
	struct ir_module *module;
	struct machine *machine;
	uint64_t out; /* WORDS zeroed u32 */
	uint32_t word[WORDS];
};

#define HEAD ".version 8.0\n.target sm_90\n.address_size 64\n"
/* A kernel of one parameter: the address of the words. */
#define KERNEL(name, body) ".visible .entry " #name "(.param .u64 out)\n{\n" REGS body "\n}\n"
#define REGS                                                                                                                                                   \
	".reg .pred %p<8>; .reg .b32 %r<32>; .reg .b64 %rd<8>;\n"                                                                                              \
	"ld.param.u64 %rd0, [out]; cvta.to.global.u64 %rd1, %rd0; mov.u32 %r0, %tid.x; mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x;\n"                         \
	"mad.lo.u32 %r3, %r1, %r2, %r0; mul.wide.u32 %rd2, %r3, 4; add.s64 %rd3, %rd1, %rd2;\n"
/* %rd1: words, %r0: tid, %r1: cta, %r3: linear thread, %rd3: the thread's own word. */

static void show(struct world *w)
{
	struct text t = {0};

	diag_render(&w->diags, &t, false);
	cr_log_info("%s", text_str(&t));
	text_free(&t);
}

static struct world *load(const char *text, const struct machine_options *options)
{
	struct world *w = calloc(1, sizeof *w);
	static const struct machine_options plain = {.checks = CHECK_BOUNDS | CHECK_SYNC, .jobs = 1};

	w->source = source_new(&w->arena, "test.ptx", text, strlen(text));
	w->module = assemble(w->source, &(struct assemble_options){0}, &w->diags);
	if (!w->module)
		show(w);
	cr_assert_not_null(w->module);
	w->machine = machine_new(w->module, options ? options : &plain, &w->diags);
	cr_assert_not_null(w->machine);
	w->out = machine_alloc(w->machine, sizeof w->word, "out", true);
	cr_assert(machine_write(w->machine, w->out, w->word, sizeof w->word));
	return w;
}

static bool queue(struct world *w, const char *kernel, uint32_t ctas, uint32_t threads, uint32_t stream)
{
	struct machine_launch l = {.grid = {ctas, 1, 1}, .block = {threads, 1, 1}, .stream = stream, .params = &w->out, .source = w->source};

	l.func = ir_find_func(w->module, kernel);
	cr_assert_neq(l.func, IR_NONE);
	return machine_launch(w->machine, &l);
}

static enum machine_status sync_all(struct world *w)
{
	enum machine_status s = machine_sync(w->machine);

	show(w);
	cr_assert(machine_read(w->machine, w->out, w->word, sizeof w->word, NULL));
	return s;
}

static enum machine_status run(struct world *w, const char *kernel, uint32_t ctas, uint32_t threads)
{
	cr_assert(queue(w, kernel, ctas, threads, 0));
	return sync_all(w);
}

static void done(struct world *w)
{
	machine_free(w->machine);
	ir_module_free(w->module);
	diags_free(&w->diags);
	arena_free(&w->arena);
	free(w);
}

static bool found(const struct world *w, enum diag_code code)
{
	for (const struct diag *d = w->diags.first; d; d = d->next)
		if (d->code == code)
			return true;
	return false;
}

static bool noted(const struct world *w, const char *text)
{
	for (const struct diag *d = w->diags.first; d; d = d->next)
		for (unsigned k = 0; k < d->nnotes; k++)
			if (strstr(d->notes[k], text))
				return true;
	return false;
}

/* ---- control flow ---- */

Test(flow, lanes_part_and_meet_again)
{
	/* Every lane loops tid times; after the loop all 32 are together: activemask shows how many. */
	struct world *w = load(HEAD KERNEL(k, "mov.u32 %r5, 0; mov.u32 %r6, 0;\n"
					      "again: setp.ge.u32 %p0, %r5, %r0; @%p0 bra out_of_it;\n"
					      "add.u32 %r6, %r6, %r5; add.u32 %r5, %r5, 1; bra again;\n"
					      "out_of_it: activemask.b32 %r7; st.global.u32 [%rd3], %r6; st.global.u32 [%rd3+512], %r7; ret;"),
			       NULL);

	cr_assert_eq(run(w, "k", 1, 32), MACHINE_DONE);
	for (unsigned t = 0; t < 32; t++) {
		cr_assert_eq(w->word[t], t * (t - 1) / 2 * (t > 0));
		cr_assert_eq(w->word[128 + t], UINT32_MAX);
	}
	done(w);
}

Test(flow, indexed_branch_goes_everywhere)
{
	struct world *w = load(HEAD KERNEL(k, "ts: .branchtargets a, b, c;\n and.b32 %r5, %r0, 3; min.u32 %r5, %r5, 2; mov.u32 %r6, 7; brx.idx %r5, ts;\n"
					      "a: mov.u32 %r6, 100; bra e;\nb: mov.u32 %r6, 200; bra e;\nc: mov.u32 %r6, 300;\n"
					      "e: st.global.u32 [%rd3], %r6; ret;"),
			       NULL);

	cr_assert_eq(run(w, "k", 1, 32), MACHINE_DONE);
	for (unsigned t = 0; t < 32; t++)
		cr_assert_eq(w->word[t], (t & 3) == 0 ? 100u : (t & 3) == 1 ? 200u : 300u);
	done(w);
}

Test(flow, index_out_of_range_is_a_fault)
{
	struct world *w = load(HEAD KERNEL(k, "ts: .branchtargets a, b;\n brx.idx %r0, ts;\na: ret;\nb: ret;"), NULL);

	cr_assert_eq(run(w, "k", 1, 32), MACHINE_FAULT);
	cr_assert(found(w, DIAG_F0107));
	cr_assert_eq(w->diags.first->thread, 2);
	done(w);
}

#define FACTORIAL                                                                                                                                              \
	".func (.reg .u32 r) fact(.reg .u32 n)\n{ .reg .pred %p; .reg .u32 %m, %v;\n"                                                                           \
	" setp.le.u32 %p, n, 1; @%p bra one; sub.u32 %m, n, 1; call (%v), fact, (%m); mul.lo.u32 r, %v, n; ret;\none: mov.u32 r, 1; ret; }\n"

Test(flow, recursion_to_a_different_depth_in_each_lane)
{
	struct world *w = load(HEAD FACTORIAL KERNEL(k, "and.b32 %r5, %r0, 7; call (%r6), fact, (%r5); st.global.u32 [%rd3], %r6; ret;"), NULL);
	static const uint32_t expected[8] = {1, 1, 2, 6, 24, 120, 720, 5040};

	cr_assert_eq(run(w, "k", 2, 64), MACHINE_DONE);
	for (unsigned t = 0; t < 128; t++)
		cr_assert_eq(w->word[t], expected[t & 7]);
	done(w);
}

Test(flow, parameters_in_param_space)
{
	struct world *w = load(HEAD ".func (.param .b32 ret0) twice(.param .b32 a, .param .align 8 .b8 s[16])\n{ .reg .b32 %r<4>; .reg .b64 %rd<2>;\n"
				    " ld.param.u32 %r0, [a]; ld.param.u64 %rd0, [s+8]; cvt.u32.u64 %r1, %rd0; mad.lo.u32 %r2, %r0, 2, %r1;"
				    " st.param.b32 [ret0], %r2; ret; }\n" KERNEL(k, "cvt.u64.u32 %rd4, %r0;\n { .param .b32 p0; .param .align 8 .b8 p1[16]; .param .b32 q;\n"
										    "st.param.b32 [p0], %r0; st.param.b64 [p1+8], %rd4; call.uni (q), twice, (p0, p1);\n"
										    "ld.param.b32 %r5, [q]; }\n st.global.u32 [%rd3], %r5; ret;"),
			       NULL);

	cr_assert_eq(run(w, "k", 1, 32), MACHINE_DONE);
	for (unsigned t = 0; t < 32; t++)
		cr_assert_eq(w->word[t], 3 * t);
	done(w);
}

Test(flow, indirect_calls_go_to_several_functions_at_once)
{
	struct world *w = load(HEAD ".func (.reg .u32 r) one(.reg .u32 a) { add.u32 r, a, 1; ret; }\n"
				    ".func (.reg .u32 r) ten(.reg .u32 a) { add.u32 r, a, 10; ret; }\n" KERNEL(
					    k, "proto: .callprototype (.reg .u32 _) _ (.reg .u32 _);\n and.b32 %r5, %r0, 1; setp.eq.u32 %p0, %r5, 0;\n"
					       "mov.u64 %rd4, one; mov.u64 %rd5, ten; selp.b64 %rd6, %rd4, %rd5, %p0; call (%r6), %rd6, (%r0), proto;\n"
					       "st.global.u32 [%rd3], %r6; ret;"),
			       NULL);

	cr_assert_eq(run(w, "k", 1, 32), MACHINE_DONE);
	for (unsigned t = 0; t < 32; t++)
		cr_assert_eq(w->word[t], t & 1 ? t + 10 : t + 1);
	done(w);
}

Test(flow, call_through_a_number_is_a_fault)
{
	struct world *w = load(HEAD KERNEL(k, "proto: .callprototype _ ();\n mov.u64 %rd4, 12; call %rd4, (), proto; ret;"), NULL);

	cr_assert_eq(run(w, "k", 1, 1), MACHINE_FAULT);
	cr_assert(found(w, DIAG_F0108));
	done(w);
}

Test(flow, endless_recursion_is_a_fault)
{
	struct world *w = load(HEAD ".func deep(.reg .u32 n) { .reg .u32 %m; add.u32 %m, n, 1; call deep, (%m); ret; }\n" KERNEL(k, "call deep, (%r0); ret;"), NULL);

	cr_assert_eq(run(w, "k", 1, 32), MACHINE_FAULT);
	cr_assert(found(w, DIAG_F0110));
	done(w);
}

Test(flow, predicated_return_and_exit)
{
	struct world *w = load(HEAD ".func (.reg .u32 r) f(.reg .u32 a) { .reg .pred %p; mov.u32 r, 1; setp.lt.u32 %p, a, 16; @%p ret; mov.u32 r, 2; ret; }\n" KERNEL(
					    k, "setp.eq.u32 %p0, %r0, 3; @%p0 exit; call (%r5), f, (%r0); st.global.u32 [%rd3], %r5; ret;"),
			       NULL);

	cr_assert_eq(run(w, "k", 1, 32), MACHINE_DONE);
	for (unsigned t = 0; t < 32; t++)
		cr_assert_eq(w->word[t], t == 3 ? 0u : t < 16 ? 1u : 2u);
	done(w);
}

Test(flow, trap_names_kernel_cta_and_thread)
{
	struct world *w = load(HEAD KERNEL(k, "setp.eq.u32 %p0, %r3, 37; @%p0 trap; ret;"), NULL);

	cr_assert_eq(run(w, "k", 3, 16), MACHINE_FAULT);
	cr_assert(found(w, DIAG_F0105));
	cr_assert_eq(w->diags.first->cta, 2);
	cr_assert_eq(w->diags.first->thread, 5);
	cr_assert(noted(w, "in kernel 'k', CTA 2, thread 5"));
	done(w);
}

Test(flow, what_is_not_executed_says_so)
{
	struct world *w = load(HEAD KERNEL(k, "mov.u32 %r6, 0; ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r5}, [%r6]; ret;"), NULL);

	cr_assert_eq(run(w, "k", 1, 32), MACHINE_UNSUPPORTED);
	cr_assert(found(w, DIAG_U0001));
	done(w);
}

/* ---- spin locks inside a warp ---- */

#define LOCK_INSIDE                                                                                                                                            \
	KERNEL(k, "again: atom.global.cas.b32 %r5, [%rd1], 0, 1; setp.ne.s32 %p0, %r5, 0; @%p0 bra skip;\n"                                                     \
		  "ld.volatile.global.u32 %r6, [%rd1+4]; add.u32 %r6, %r6, 1; st.volatile.global.u32 [%rd1+4], %r6; membar.gl;\n"                              \
		  "atom.global.exch.b32 %r7, [%rd1], 0;\nskip: @%p0 bra again; ret;")
#define LOCK_OUTSIDE                                                                                                                                           \
	KERNEL(k, "again: atom.global.cas.b32 %r5, [%rd1], 0, 1; setp.ne.s32 %p0, %r5, 0; @%p0 bra again;\n"                                                    \
		  "ld.volatile.global.u32 %r6, [%rd1+4]; add.u32 %r6, %r6, 1; st.volatile.global.u32 [%rd1+4], %r6; membar.gl;\n"                              \
		  "atom.global.exch.b32 %r7, [%rd1], 0; ret;")

static void lock_counts(const char *text, const struct machine_options *o)
{
	struct world *w = load(text, o);

	cr_assert_eq(run(w, "k", 3, 96), MACHINE_DONE);
	cr_assert_eq(w->word[1], 288);
	cr_assert_eq(w->word[0], 0);
	done(w);
}

Test(spin, fair_ends_both_forms)
{
	lock_counts(HEAD LOCK_INSIDE, NULL);
	lock_counts(HEAD LOCK_OUTSIDE, NULL);
	lock_counts(HEAD LOCK_OUTSIDE, &(struct machine_options){.jobs = 2, .checks = CHECK_SYNC});
}

Test(spin, random_ends_both_forms)
{
	for (uint64_t seed = 0; seed < 8; seed++) {
		lock_counts(HEAD LOCK_INSIDE, &(struct machine_options){.schedule = SCHEDULE_RANDOM, .seed = seed});
		lock_counts(HEAD LOCK_OUTSIDE, &(struct machine_options){.schedule = SCHEDULE_RANDOM, .seed = seed});
	}
}

Test(spin, lockstep_ends_one_and_reports_the_other)
{
	struct machine_options o = {.schedule = SCHEDULE_LOCKSTEP, .jobs = 1};
	struct world *w = load(HEAD LOCK_OUTSIDE, &o);

	lock_counts(HEAD LOCK_INSIDE, &o);
	cr_assert_eq(run(w, "k", 2, 64), MACHINE_DEADLOCK);
	cr_assert(found(w, DIAG_D0201));
	done(w);
}

Test(spin, a_flag_that_nobody_sets)
{
	struct world *w = load(HEAD KERNEL(k, "again: ld.relaxed.gpu.global.u32 %r5, [%rd1]; setp.eq.u32 %p0, %r5, 0; @%p0 bra again; ret;"), NULL);

	cr_assert_eq(run(w, "k", 2, 64), MACHINE_DEADLOCK);
	cr_assert(found(w, DIAG_D0201));
	done(w);
}

Test(spin, an_empty_loop)
{
	struct world *w = load(HEAD KERNEL(k, "here: bra here;"), NULL);

	cr_assert_eq(run(w, "k", 1, 32), MACHINE_DEADLOCK);
	cr_assert(found(w, DIAG_D0201));
	done(w);
}

Test(spin, sleeping_and_reading_clocks_is_no_progress)
{
	struct world *w = load(HEAD KERNEL(k, "again: nanosleep.u32 200; mov.u64 %rd4, %globaltimer; mov.u64 %rd5, %clock64;\n"
					      "ld.acquire.gpu.global.u32 %r5, [%rd1]; setp.eq.u32 %p0, %r5, 0; @%p0 bra again; ret;"),
			       NULL);

	cr_assert_eq(run(w, "k", 2, 64), MACHINE_DEADLOCK);
	cr_assert(found(w, DIAG_D0201));
	done(w);
}

Test(spin, a_wait_that_is_limited_in_time_ends)
{
	/* Gives up after a day of %globaltimer. */
	struct world *w = load(HEAD KERNEL(k, "mov.u64 %rd4, %globaltimer;\nagain: ld.acquire.gpu.global.u32 %r5, [%rd1+256]; setp.ne.u32 %p0, %r5, 0; @%p0 bra on;\n"
					      "nanosleep.u32 1000; mov.u64 %rd5, %globaltimer; sub.u64 %rd6, %rd5, %rd4; setp.lt.u64 %p1, %rd6, 86400000000000; @%p1 bra again;\n"
					      "mov.u32 %r5, 99;\non: st.global.u32 [%rd3], %r5; ret;"),
			       NULL);

	cr_assert_eq(run(w, "k", 1, 32), MACHINE_DONE);
	cr_assert_eq(w->word[0], 99);
	cr_assert_eq(w->word[31], 99);
	done(w);
}

Test(spin, ctas_wait_for_each_other)
{
	/* Each CTA waits for the flag of the next one; the last sets it at once. 500 CTAs on one host thread. */
	struct world *w = load(HEAD KERNEL(k, "mul.wide.u32 %rd4, %r1, 4; add.s64 %rd4, %rd1, %rd4; mov.u32 %r8, %nctaid.x; sub.u32 %r8, %r8, 1; setp.eq.u32 %p0, %r1, %r8; @%p0 bra set;\n"
					      "wait: ld.acquire.gpu.global.u32 %r5, [%rd4+4]; setp.eq.u32 %p1, %r5, 0; @%p1 bra wait;\n"
					      "set: st.release.gpu.global.u32 [%rd4], 1; ret;"),
			       NULL);

	cr_assert_eq(run(w, "k", 500, 1), MACHINE_DONE);
	for (unsigned k = 0; k < 500; k++)
		cr_assert_eq(w->word[k], 1);
	done(w);
}

/* ---- CTA barriers ---- */

Test(barrier, all_warps_meet)
{
	struct world *w = load(HEAD KERNEL(k, ".shared .b32 s[128]; mov.u32 %r5, s; mad.lo.u32 %r6, %r0, 4, %r5; st.shared.u32 [%r6], %r0; bar.sync 0;\n"
					      "xor.b32 %r7, %r0, 127; mad.lo.u32 %r7, %r7, 4, %r5; ld.shared.u32 %r8, [%r7]; st.global.u32 [%rd3], %r8; ret;"),
			       NULL);

	cr_assert_eq(run(w, "k", 2, 128), MACHINE_DONE);
	for (unsigned t = 0; t < 256; t++)
		cr_assert_eq(w->word[t], 127 - (t & 127));
	cr_assert_null(w->diags.first);
	done(w);
}

Test(barrier, exited_warps_are_dropped)
{
	struct world *w = load(HEAD KERNEL(k, "setp.lt.u32 %p0, %r0, 64; @%p0 exit; bar.sync 3; st.global.u32 [%rd3], 1; ret;"), NULL);

	cr_assert_eq(run(w, "k", 1, 128), MACHINE_DONE);
	cr_assert_eq(w->word[127], 1);
	done(w);
}

Test(barrier, counted_barrier_with_an_exited_warp_hangs)
{
	struct world *w = load(HEAD KERNEL(k, "setp.lt.u32 %p0, %r0, 32; @%p0 exit; bar.sync 1, 64; ret;"), NULL);

	cr_assert_eq(run(w, "k", 1, 64), MACHINE_DEADLOCK);
	cr_assert(found(w, DIAG_D0101));
	cr_assert(noted(w, "barrier 1, phase 0: 32 of 64 threads have arrived"));
	cr_assert(noted(w, "warp 0 has exited without coming to barrier 1"));
	done(w);
}

Test(barrier, half_a_warp_counts_for_all_of_it)
{
	struct world *w = load(HEAD KERNEL(k, "setp.lt.u32 %p0, %r0, 16; @%p0 exit; barrier.sync 1, 32; st.global.u32 [%rd3], 1; ret;"), NULL);

	cr_assert_eq(run(w, "k", 1, 32), MACHINE_DONE);
	cr_assert_eq(w->word[16], 1);
	done(w);
	w = load(HEAD KERNEL(k, "setp.ge.u32 %p0, %r0, 48; @%p0 exit; barrier.sync 1, 64; st.global.u32 [%rd3], 1; ret;"), NULL);
	cr_assert_eq(run(w, "k", 1, 64), MACHINE_DONE);
	cr_assert_eq(w->word[47], 1);
	done(w);
}

Test(barrier, two_places_in_one_warp)
{
	struct world *w = load(HEAD KERNEL(k, "and.b32 %r5, %r0, 16; setp.eq.u32 %p0, %r5, 0; @%p0 bra low; bar.sync 0; bra on;\nlow: bar.sync 0;\non: st.global.u32 [%rd3], 1; ret;"), NULL);

	cr_assert_eq(run(w, "k", 1, 64), MACHINE_DONE);
	for (unsigned t = 0; t < 64; t++)
		cr_assert_eq(w->word[t], 1);
	cr_assert(found(w, DIAG_S0104), "the divergence is reported");
	done(w);
}

Test(barrier, odd_lanes_go_to_another_barrier)
{
	struct world *w = load(HEAD KERNEL(k, "and.b32 %r5, %r0, 1; setp.eq.u32 %p0, %r5, 0; @%p0 bar.sync 0; bar.sync 1; st.global.u32 [%rd3], 1; ret;"), NULL);

	cr_assert_eq(run(w, "k", 1, 64), MACHINE_DONE);
	cr_assert_eq(w->word[0] + w->word[63], 2);
	done(w);
}

Test(barrier, crossed_barriers_deadlock)
{
	struct world *w = load(HEAD KERNEL(k, "setp.ge.u32 %p0, %r0, 32; @%p0 bra b; bar.sync 1, 64; bar.sync 2, 64; ret;\nb: bar.sync 2, 64; bar.sync 1, 64; ret;"), NULL);

	cr_assert_eq(run(w, "k", 1, 64), MACHINE_DEADLOCK);
	cr_assert(noted(w, "warp 1 has not come to barrier 1: threads 32 to 63 wait at barrier 2"));
	cr_assert_eq(w->diags.first->nlabels, 2);
	done(w);
}

Test(barrier, each_warp_its_own_phase)
{
	struct world *w = load(HEAD KERNEL(k, "bar.sync 1, 32; st.global.u32 [%rd3], 1; ret;"), NULL);

	cr_assert_eq(run(w, "k", 1, 64), MACHINE_DONE);
	cr_assert_eq(w->word[63], 1);
	done(w);
}

Test(barrier, arrive_does_not_wait)
{
	/* Warp 0 produces, warp 1 consumes; ping-pong over two barriers. */
	struct world *w = load(HEAD KERNEL(k, ".shared .u32 s; mov.u32 %r9, 0; mov.u32 %r10, 0; setp.ge.u32 %p0, %r0, 32; @%p0 bra consumer;\n"
					      "producer: setp.ne.u32 %p1, %r0, 0; @!%p1 st.shared.u32 [s], %r9; bar.arrive 1, 64; bar.sync 2, 64;\n"
					      "add.u32 %r9, %r9, 1; setp.lt.u32 %p2, %r9, 10; @%p2 bra producer; ret;\n"
					      "consumer: bar.sync 1, 64; ld.shared.u32 %r5, [s]; add.u32 %r10, %r10, %r5; bar.arrive 2, 64;\n"
					      "add.u32 %r9, %r9, 1; setp.lt.u32 %p2, %r9, 10; @%p2 bra consumer; st.global.u32 [%rd3], %r10; ret;"),
			       NULL);

	cr_assert_eq(run(w, "k", 1, 64), MACHINE_DONE);
	for (unsigned t = 32; t < 64; t++)
		cr_assert_eq(w->word[t], 45);
	cr_assert_null(w->diags.first);
	done(w);
}

Test(barrier, reductions_of_live_threads)
{
	struct world *w = load(HEAD KERNEL(k, "setp.ge.u32 %p0, %r0, 90; @%p0 exit; and.b32 %r5, %r0, 1; setp.eq.u32 %p1, %r5, 0; setp.lt.u32 %p5, %r0, 1000;\n"
					      "bar.red.popc.u32 %r6, 0, %p1; bar.red.and.pred %p2, 0, %p5; bar.red.or.pred %p3, 0, !%p5; bar.red.and.pred %p4, 0, %p1;\n"
					      "selp.u32 %r7, 1, 0, %p2; selp.u32 %r8, 2, 0, %p3; selp.u32 %r9, 4, 0, %p4; or.b32 %r7, %r7, %r8; or.b32 %r7, %r7, %r9;\n"
					      "st.global.u32 [%rd3], %r6; st.global.u32 [%rd3+512], %r7; ret;"),
			       NULL);

	cr_assert_eq(run(w, "k", 1, 96), MACHINE_DONE);
	for (unsigned t = 0; t < 90; t++) {
		cr_assert_eq(w->word[t], 45);
		cr_assert_eq(w->word[128 + t], 1);
	}
	done(w);
}

Test(barrier, misuse_is_found)
{
	struct world *w = load(HEAD KERNEL(k, "mov.u32 %r5, 48; bar.sync 1, %r5; ret;"), NULL);

	cr_assert_eq(run(w, "k", 1, 64), MACHINE_FAULT);
	cr_assert(found(w, DIAG_S0106));
	done(w);
	w = load(HEAD KERNEL(k, "bar.sync %r2; st.global.u32 [%rd3], 1; ret;"), NULL); /* goes on as barrier 0 */
	cr_assert_eq(run(w, "k", 1, 64), MACHINE_DONE);
	cr_assert(found(w, DIAG_S0105));
	cr_assert_eq(w->word[63], 1);
	done(w);
	w = load(HEAD KERNEL(k, "bar.arrive 1, 128; bar.arrive 1, 128; bar.arrive 1, 128; bar.sync 1, 128; st.global.u32 [%rd3], 1; ret;"), NULL);
	cr_assert_eq(run(w, "k", 1, 32), MACHINE_DONE); /* each arrival counts */
	cr_assert(found(w, DIAG_S0103));
	cr_assert_eq(w->word[31], 1);
	done(w);
	w = load(HEAD KERNEL(k, "setp.lt.u32 %p0, %r0, 32; @%p0 bra a; bar.sync 1, 96; ret;\na: bar.sync 1, 64; ret;"), NULL);
	cr_assert_eq(run(w, "k", 1, 64), MACHINE_FAULT);
	cr_assert(found(w, DIAG_S0101));
	done(w);
	w = load(HEAD KERNEL(k, "setp.lt.u32 %p0, %r0, 32; @%p0 bra a; bar.red.popc.u32 %r5, 0, %p0; ret;\na: bar.sync 0; ret;"), NULL);
	cr_assert_eq(run(w, "k", 1, 64), MACHINE_FAULT);
	cr_assert(found(w, DIAG_S0102));
	done(w);
}

Test(barrier, a_count_of_zero_is_all_of_the_cta)
{
	struct world *w = load(HEAD KERNEL(k, "setp.lt.u32 %p0, %r0, 32; @%p0 exit; bar.sync 0, 0; st.global.u32 [%rd3], 1; ret;"), NULL);

	cr_assert_eq(run(w, "k", 1, 64), MACHINE_DONE);
	cr_assert_eq(w->word[63], 1);
	done(w);
}

Test(barrier, lanes_that_spin_keep_their_warp_from_arriving)
{
	/* Hangs on hardware: the odd lanes wait for a flag that is set after the barrier at which the even lanes wait. */
	struct world *w = load(HEAD KERNEL(k, "and.b32 %r5, %r0, 1; setp.ge.u32 %p2, %r0, 32; @%p2 bra second; setp.eq.u32 %p0, %r5, 0; @%p0 bra even;\n"
					      "spin: ld.volatile.global.u32 %r6, [%rd1+1024]; setp.eq.u32 %p1, %r6, 0; @%p1 bra spin; ret;\n"
					      "even: bar.sync 0; ret;\nsecond: bar.sync 0; st.volatile.global.u32 [%rd1+1024], 1; ret;"),
			       NULL);

	cr_assert_eq(run(w, "k", 1, 64), MACHINE_DEADLOCK);
	cr_assert(found(w, DIAG_D0201));
	done(w);
}

Test(barrier, a_barrier_inside_a_function)
{
	struct world *w = load(HEAD ".func meet() { bar.sync 0; ret; }\n" KERNEL(
					    k, ".shared .b32 s[64]; mov.u32 %r5, s; mad.lo.u32 %r6, %r0, 4, %r5; st.shared.u32 [%r6], %r0; call meet;\n"
					       "xor.b32 %r7, %r0, 63; mad.lo.u32 %r7, %r7, 4, %r5; ld.shared.u32 %r8, [%r7]; st.global.u32 [%rd3], %r8; ret;"),
			       NULL);

	cr_assert_eq(run(w, "k", 1, 64), MACHINE_DONE);
	cr_assert_eq(w->word[10], 53);
	done(w);
}

/* ---- inside a warp ---- */

Test(gather, halves_meet_at_bar_warp_sync)
{
	struct world *w = load(HEAD KERNEL(k, ".shared .b32 s[32]; mov.u32 %r5, s; mad.lo.u32 %r6, %r0, 4, %r5; setp.lt.u32 %p0, %r0, 16; @%p0 bra low;\n"
					      "mov.u32 %r9, 100; bra on;\nlow: mov.u32 %r9, 200;\non: st.shared.u32 [%r6], %r9; bar.warp.sync -1;\n"
					      "xor.b32 %r7, %r0, 31; mad.lo.u32 %r7, %r7, 4, %r5; ld.shared.u32 %r8, [%r7]; st.global.u32 [%rd3], %r8; ret;"),
			       NULL);

	cr_assert_eq(run(w, "k", 1, 32), MACHINE_DONE);
	cr_assert_eq(w->word[0], 100);
	cr_assert_eq(w->word[31], 200);
	done(w);
}

Test(gather, bar_warp_sync_at_two_places)
{
	struct world *w = load(HEAD KERNEL(k, "setp.lt.u32 %p0, %r0, 16; @%p0 bra low; bar.warp.sync -1; bra on;\nlow: bar.warp.sync -1;\non: st.global.u32 [%rd3], 1; ret;"), NULL);

	cr_assert_eq(run(w, "k", 1, 32), MACHINE_DONE);
	cr_assert_eq(w->word[0] + w->word[31], 2);
	done(w);
}

Test(gather, vote_waits_for_the_lanes_of_its_mask)
{
	/* Lanes take loops of different lengths, then all vote. */
	struct world *w = load(HEAD KERNEL(k, "mov.u32 %r5, 0;\nagain: add.u32 %r5, %r5, 1; setp.lt.u32 %p0, %r5, %r0; @%p0 bra again;\n"
					      "and.b32 %r6, %r0, 1; setp.eq.u32 %p1, %r6, 1; vote.sync.ballot.b32 %r7, %p1, -1; st.global.u32 [%rd3], %r7; ret;"),
			       NULL);

	cr_assert_eq(run(w, "k", 1, 32), MACHINE_DONE);
	for (unsigned t = 0; t < 32; t++)
		cr_assert_eq(w->word[t], 0xaaaaaaaa);
	done(w);
}

Test(gather, the_same_instruction_at_two_places)
{
	/* As on hardware: vote.sync in both arms of a branch is one vote, with each arm's own operands. */
	struct world *w = load(HEAD KERNEL(k, "and.b32 %r5, %r0, 1; setp.eq.u32 %p1, %r5, 0; setp.eq.u32 %p2, %r5, 1; setp.lt.u32 %p0, %r0, 16; @%p0 bra low;\n"
					      "vote.sync.ballot.b32 %r7, %p1, -1; bra on;\nlow: vote.sync.ballot.b32 %r8, %p2, -1; mov.u32 %r7, %r8;\n"
					      "on: st.global.u32 [%rd3], %r7; ret;"),
			       NULL);

	cr_assert_eq(run(w, "k", 1, 32), MACHINE_DONE);
	for (unsigned t = 0; t < 32; t++)
		cr_assert_eq(w->word[t], 0x5555aaaa);
	done(w);
}

Test(gather, in_two_calls_of_one_function)
{
	struct world *w = load(HEAD ".func (.reg .u32 r) f(.reg .u32 a) { .reg .pred %p; setp.ne.u32 %p, a, 1; vote.sync.ballot.b32 r, %p, -1; ret; }\n" KERNEL(
				       k, "setp.lt.u32 %p0, %r0, 16; @%p0 bra low; call (%r7), f, (%r0); bra on;\nlow: call (%r7), f, (%r0);\non: st.global.u32 [%rd3], %r7; ret;"),
			       NULL);

	cr_assert_eq(run(w, "k", 1, 32), MACHINE_DONE);
	for (unsigned t = 0; t < 32; t++)
		cr_assert_eq(w->word[t], 0xfffffffd);
	done(w);
}

Test(gather, shuffles_at_two_places)
{
	struct world *w = load(HEAD KERNEL(k, "add.u32 %r5, %r0, 100; setp.lt.u32 %p0, %r0, 16; @%p0 bra low; shfl.sync.idx.b32 %r7, %r5, 3, 31, -1; bra on;\n"
					      "low: shfl.sync.idx.b32 %r7, %r0, 20, 31, -1;\non: st.global.u32 [%rd3], %r7; ret;"),
			       NULL);

	cr_assert_eq(run(w, "k", 1, 32), MACHINE_DONE);
	for (unsigned t = 0; t < 32; t++)
		cr_assert_eq(w->word[t], t < 16 ? 120u : 3u);
	done(w);
}

Test(gather, halves_with_their_own_masks_and_exited_lanes)
{
	struct world *w = load(HEAD KERNEL(k, "setp.eq.u32 %p0, %r0, 5; @%p0 exit; setp.lt.u32 %p1, %r0, 16; selp.b32 %r5, 0xffff, 0xffff0000, %p1; setp.ge.u32 %p2, %r0, 0;\n"
					      "vote.sync.ballot.b32 %r7, %p2, %r5; st.global.u32 [%rd3], %r7; ret;"),
			       NULL);

	cr_assert_eq(run(w, "k", 1, 32), MACHINE_DONE);
	cr_assert_eq(w->word[0], 0xffdf);
	cr_assert_eq(w->word[31], 0xffff0000);
	done(w);
}

Test(gather, lanes_that_never_come)
{
	struct world *w = load(HEAD KERNEL(k, "setp.lt.u32 %p0, %r0, 16; @%p0 bra low; bar.sync 1, 64; ret;\nlow: bar.warp.sync -1; ret;"), NULL);

	cr_assert_eq(run(w, "k", 1, 32), MACHINE_DEADLOCK);
	cr_assert(found(w, DIAG_D0101));
	cr_assert(noted(w, "threads 0 to 15 at line"));
	done(w);
}

Test(gather, a_lane_outside_its_own_mask)
{
	struct world *w = load(HEAD KERNEL(k, "bar.warp.sync 1; ret;"), NULL);

	cr_assert_eq(run(w, "k", 1, 32), MACHINE_DONE);
	cr_assert(found(w, DIAG_S0201));
	cr_assert_eq(w->diags.first->thread, 1);
	done(w);
}

/* ---- launches, streams, budgets ---- */

#define WAITER KERNEL(waiter, "again: ld.acquire.gpu.global.u32 %r5, [%rd1]; setp.eq.u32 %p0, %r5, 0; @%p0 bra again; st.global.u32 [%rd1+4], %r5; ret;")
#define SETTER KERNEL(setter, "st.release.gpu.global.u32 [%rd1], 7; ret;")
#define ADDER KERNEL(adder, "ld.global.u32 %r5, [%rd1+8]; mad.lo.u32 %r5, %r5, 10, 1; st.global.u32 [%rd1+8], %r5; ret;")
#define TRIPLER KERNEL(tripler, "ld.global.u32 %r5, [%rd1+8]; mad.lo.u32 %r5, %r5, 10, 2; st.global.u32 [%rd1+8], %r5; ret;")

Test(streams, a_kernel_waits_for_another_stream)
{
	for (unsigned jobs = 1; jobs <= 2; jobs++) {
		struct world *w = load(HEAD WAITER SETTER, &(struct machine_options){.jobs = jobs});

		cr_assert(queue(w, "waiter", 40, 64, 1));
		cr_assert(queue(w, "setter", 1, 1, 2));
		cr_assert_eq(sync_all(w), MACHINE_DONE);
		cr_assert_eq(w->word[1], 7);
		done(w);
	}
}

Test(streams, the_same_stream_never_gets_there)
{
	struct world *w = load(HEAD WAITER SETTER, NULL);

	cr_assert(queue(w, "waiter", 1, 32, 1));
	cr_assert(queue(w, "setter", 1, 1, 1));
	cr_assert_eq(sync_all(w), MACHINE_DEADLOCK);
	done(w);
}

Test(streams, the_default_stream_orders_with_all)
{
	struct world *w = load(HEAD WAITER SETTER, NULL);

	cr_assert(queue(w, "waiter", 1, 32, 1));
	cr_assert(queue(w, "setter", 1, 1, 0));
	cr_assert_eq(sync_all(w), MACHINE_DEADLOCK);
	done(w);
}

Test(streams, order_within_a_stream_and_by_event)
{
	struct world *w = load(HEAD ADDER TRIPLER, NULL);

	cr_assert(queue(w, "adder", 1, 1, 1));
	cr_assert(queue(w, "tripler", 1, 1, 1));
	machine_record(w->machine, 5, 1);
	machine_wait(w->machine, 5, 2);
	machine_wait(w->machine, 6, 2); /* never recorded */
	cr_assert(queue(w, "adder", 1, 1, 2));
	cr_assert(queue(w, "tripler", 1, 1, 0));
	cr_assert_eq(sync_all(w), MACHINE_DONE);
	cr_assert_eq(w->word[2], 1212);
	cr_assert(queue(w, "adder", 1, 1, 3));
	cr_assert_eq(sync_all(w), MACHINE_DONE);
	cr_assert_eq(w->word[2], 12121);
	done(w);
}

Test(launch, impossible_shapes)
{
	struct world *w = load(HEAD ".visible .entry k() .reqntid 64 { ret; }\n.visible .entry m() .maxntid 32 { ret; }\n", NULL);

	cr_assert_not(queue(w, "k", 1, 32, 0));
	cr_assert(found(w, DIAG_F0102));
	cr_assert(queue(w, "k", 1, 64, 0));
	cr_assert_not(queue(w, "m", 1, 33, 0));
	cr_assert_not(queue(w, "m", 0, 32, 0));
	cr_assert(found(w, DIAG_F0101));
	cr_assert_not(queue(w, "m", 1, 2048, 0));
	cr_assert_eq(sync_all(w), MACHINE_DONE);
	done(w);
}

Test(launch, a_bound_on_steps)
{
	struct world *w = load(HEAD KERNEL(k, "mov.u32 %r5, 0;\nagain: add.u32 %r5, %r5, 1; setp.ne.u32 %p0, %r5, 0; @%p0 bra again; ret;"),
			       &(struct machine_options){.max_steps = 100000, .jobs = 1});
	struct machine_stats s;

	cr_assert_eq(run(w, "k", 4, 64), MACHINE_BUDGET);
	cr_assert(found(w, DIAG_B0001));
	machine_stats(w->machine, &s);
	cr_assert_eq(s.warp_instructions, 100000);
	done(w);
}

Test(launch, a_bound_on_time)
{
	struct world *w = load(HEAD KERNEL(k, "mov.u64 %rd5, 0;\nagain: add.u64 %rd5, %rd5, 1; setp.ne.u64 %p0, %rd5, 0; @%p0 bra again; ret;"),
			       &(struct machine_options){.timeout = 0.2, .jobs = 1});

	cr_assert_eq(run(w, "k", 4, 64), MACHINE_BUDGET);
	cr_assert(found(w, DIAG_B0002));
	done(w);
}

Test(launch, statistics_count_threads)
{
	struct world *w = load(HEAD ".visible .entry k() { .reg .pred %p; .reg .b32 %r<2>; mov.u32 %r0, %tid.x; setp.lt.u32 %p, %r0, 8; @%p bra a; add.u32 %r1, %r0, 1; a: ret; }\n", NULL);
	struct machine_stats s;

	cr_assert_eq(run(w, "k", 3, 48), MACHINE_DONE);
	machine_stats(w->machine, &s);
	cr_assert_eq(s.thread_instructions, 3u * (48 * 4 + 40));
	cr_assert_eq(s.divergent_branches, 3);
	cr_assert_eq(s.launches, 1);
	cr_assert_eq(s.threads, 144);
	cr_assert_eq(s.warps, 6);
	cr_assert_eq(s.ctas, 3);
	done(w);
}

Test(launch, registers_at_exit)
{
	struct world *w = load(HEAD KERNEL(k, "setp.gt.u32 %p3, %r3, 20; mul.lo.u32 %r9, %r3, 3; ret;"), NULL);
	uint64_t value;
	bool defined;

	machine_keep_registers(w->machine, true);
	cr_assert_eq(run(w, "k", 2, 32), MACHINE_DONE);
	cr_assert(machine_register(w->machine, 40, ir_find_reg(w->module, ir_find_func(w->module, "k"), "%r9"), &value, &defined));
	cr_assert_eq(value, 120);
	cr_assert(machine_register(w->machine, 40, ir_find_reg(w->module, ir_find_func(w->module, "k"), "%p3"), &value, &defined));
	cr_assert_eq(value, 1);
	cr_assert_not(machine_register(w->machine, 64, 0, &value, &defined));
	done(w);
}

Test(launch, many_small_ctas_on_two_threads)
{
	struct world *w = load(HEAD KERNEL(k, "and.b32 %r5, %r1, 1023; mul.wide.u32 %rd4, %r5, 4; add.s64 %rd4, %rd1, %rd4; atom.global.add.u32 %r6, [%rd4], 1; ret;"),
			       &(struct machine_options){.jobs = 2});

	cr_assert_eq(run(w, "k", 20480, 32), MACHINE_DONE);
	for (unsigned k = 0; k < WORDS; k++)
		cr_assert_eq(w->word[k], 640);
	done(w);
}

Test(launch, what_does_not_fit_is_refused)
{
	struct world *w = load(HEAD ".shared .align 16 .b8 big[40960];\n" KERNEL(k, "st.shared.u32 [big], %r0; ret;"), NULL);
	struct machine_launch l = {.grid = {1, 1, 1}, .block = {32, 1, 1}, .params = &w->out, .func = ir_find_func(w->module, "k"), .dynamic_shared = 200000};

	cr_assert_not(machine_launch(w->machine, &l));
	cr_assert(found(w, DIAG_F0103));
	l.dynamic_shared = 100000;
	l.device = 1;
	cr_assert_not(machine_launch(w->machine, &l));
	cr_assert(found(w, DIAG_F0104));
	l.device = 0;
	cr_assert(machine_launch(w->machine, &l));
	cr_assert_eq(sync_all(w), MACHINE_DONE);
	done(w);
}

Test(launch, a_function_without_a_body)
{
	struct world *w = load(HEAD ".extern .func elsewhere();\n" KERNEL(k, "call elsewhere; ret;") KERNEL(m, "ret;"), NULL);

	cr_assert_not(queue(w, "k", 1, 32, 0));
	cr_assert(found(w, DIAG_U0002));
	cr_assert(queue(w, "m", 1, 32, 0), "a kernel that does not need it runs");
	cr_assert_eq(sync_all(w), MACHINE_DONE);
	done(w);
}

Test(flow, breakpoint_without_a_debugger)
{
	struct world *w = load(HEAD KERNEL(k, "setp.eq.u32 %p0, %r0, 3; @%p0 brkpt; ret;"), NULL);

	cr_assert_eq(run(w, "k", 1, 32), MACHINE_FAULT);
	cr_assert(found(w, DIAG_F0106));
	cr_assert_eq(w->diags.first->thread, 3);
	done(w);
}

Test(flow, a_call_with_another_signature)
{
	struct world *w = load(HEAD ".func (.reg .u32 r) one(.reg .u32 a) { add.u32 r, a, 1; ret; }\n" KERNEL(
				       k, "proto: .callprototype _ ();\n mov.u64 %rd4, one; call %rd4, (), proto; ret;"),
			       NULL);

	cr_assert_eq(run(w, "k", 1, 32), MACHINE_FAULT);
	cr_assert(found(w, DIAG_F0109));
	done(w);
}

Test(launch, the_same_results_on_one_thread_and_on_three)
{
	static uint32_t first[WORDS];

	for (unsigned jobs = 1; jobs <= 3; jobs += 2) {
		struct world *w = load(HEAD KERNEL(k, "mov.u32 %r5, 0; mov.u32 %r6, %r3;\nagain: mad.lo.u32 %r6, %r6, 1664525, 1013904223; add.u32 %r5, %r5, 1; setp.lt.u32 %p0, %r5, 3000;\n"
						      "@%p0 bra again; bar.sync 0; st.global.u32 [%rd3], %r6; ret;"),
				       &(struct machine_options){.jobs = jobs});

		cr_assert_eq(run(w, "k", 16, 64), MACHINE_DONE);
		if (jobs == 1)
			memcpy(first, w->word, sizeof first);
		cr_assert_arr_eq(w->word, first, sizeof first);
		done(w);
	}
}

/* ---- observers ---- */

struct counts {
	uint64_t insns, arrivals, completions, begun, ended, exited;
};

static void count_insn(struct observer *o, struct warp *w, const struct op *op, uint32_t mask)
{
	(void)w;
	(void)op;
	((struct counts *)o->self)->insns += (unsigned)__builtin_popcount(mask);
}

static void count_sync(struct observer *o, const struct sync_event *e)
{
	struct counts *c = o->self;

	c->arrivals += e->kind == SYNC_ARRIVE;
	c->completions += e->kind == SYNC_COMPLETE;
}

static void count_life(struct observer *o, const struct life_event *e)
{
	struct counts *c = o->self;

	c->begun += e->kind == LIFE_CTA_BEGIN;
	c->ended += e->kind == LIFE_CTA_END;
	if (e->kind == LIFE_LANES_EXIT)
		c->exited += (unsigned)__builtin_popcount(e->mask);
}

Test(observer, sees_every_instruction_barrier_and_exit)
{
	struct world *w = load(HEAD ".visible .entry k() { bar.sync 0; ret; }\n", NULL);
	struct counts c = {0};
	struct observer o = {.interest = INTEREST_INSN | INTEREST_SYNC | INTEREST_LIFE, .serial = true, .self = &c, .insn = count_insn, .sync = count_sync, .life = count_life};

	machine_observe(w->machine, &o);
	cr_assert_eq(run(w, "k", 2, 96), MACHINE_DONE);
	cr_assert_eq(c.insns, 2 * 96 * 2);
	cr_assert_eq(c.arrivals, 6);
	cr_assert_eq(c.completions, 2);
	cr_assert_eq(c.begun, 2);
	cr_assert_eq(c.ended, 2);
	cr_assert_eq(c.exited, 192);
	done(w);
}

Test(launch, registers_without_a_value)
{
	struct world *w = load(HEAD ".visible .entry k() { .reg .b32 %r<3>; mov.u32 %r0, 5; add.u32 %r2, %r1, 1; ret; }\n", &(struct machine_options){.checks = CHECK_INIT, .jobs = 1});
	static const char *const name[] = {"%r0", "%r1", "%r2"};
	uint64_t value;
	bool defined;

	machine_keep_registers(w->machine, true);
	cr_assert_eq(run(w, "k", 1, 2), MACHINE_DONE);
	for (unsigned k = 0; k < 3; k++) {
		cr_assert(machine_register(w->machine, 1, ir_find_reg(w->module, ir_find_func(w->module, "k"), name[k]), &value, &defined));
		cr_assert_eq(defined, k == 0, "%s", name[k]);
	}
	done(w);
}
