/* Control flow: lanes that part and meet, branches by index, calls, exits, and spin loops inside a warp that end or are found out. */
#include "tests/unit/world.h"

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

Test(flow, a_trap_for_want_of_a_cooperative_launch_says_so)
{
	struct world *w = load(HEAD KERNEL(k, "mov.u32 %r5, %envreg1; setp.eq.u32 %p0, %r5, 0; @%p0 trap; ret;"), NULL);

	cr_assert_eq(run(w, "k", 1, 32), MACHINE_FAULT);
	cr_assert(found(w, DIAG_F0105));
	cr_assert(strstr(w->diags.first->message, "not cooperative"));
	cr_assert(strstr(w->diags.first->help, "'cooperative'"));
	done(w);
}

Test(flow, a_trap_of_other_code_does_not)
{
	struct world *w = load(HEAD KERNEL(k, "mov.u32 %r5, %envreg3; trap; ret;"), NULL);

	cr_assert_eq(run(w, "k", 1, 32), MACHINE_FAULT);
	cr_assert_str_eq(w->diags.first->message, "trap");
	cr_assert_null(w->diags.first->help);
	done(w);
}

Test(flow, what_is_not_executed_says_so)
{
	struct world *w = load(HEAD KERNEL(k, "mov.u32 %r6, 0; ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r5}, [%r6]; ret;"), NULL);

	cr_assert_eq(run(w, "k", 1, 32), MACHINE_UNSUPPORTED);
	cr_assert(found(w, DIAG_U0001));
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

/* Through a register, the call's own prototype is all that the assembler can check. BODY makes the call; FUNC is f. */
#define CALLS(func, body) HEAD func KERNEL(k, "mov.u64 %rd4, f; { " body " } ret;")

Test(flow, an_indirect_call_passes_what_the_function_takes)
{
	static const char *const right[] = {
		CALLS(".func f(.param .b8 x[16]) { ret; }\n", ".param .b8 a[16]; p: .callprototype _ (.param .b8 _[16]); call %rd4, (a), p;"),
		CALLS(".func f(.param .align 8 .b8 x[8]) { ret; }\n", ".param .align 8 .b8 a[8]; p: .callprototype _ (.param .align 8 .b8 _[8]); call %rd4, (a), p;"),
		CALLS(".func f(.param .f32 x) { ret; }\n", ".param .b32 a; p: .callprototype _ (.param .b32 _); call %rd4, (a), p;"),
		CALLS(".func f(.param .u32 x, .param .u64 y) { ret; }\n", "p: .callprototype _ (.param .u32 _, .param .u64 _); call %rd4, (%r0, 5), p;"),
		CALLS(".func (.reg .u32 r) f(.reg .u32 x) { mov.u32 r, x; ret; }\n", "p: .callprototype (.reg .u32 _) _ (.reg .u32 _); call (%r5), %rd4, (7), p;"),
		CALLS(".func (.param .b64 r) f(.reg .pred x) { ret; }\n", ".param .b64 b; p: .callprototype (.param .b64 _) _ (.reg .pred _); call (b), %rd4, (%p0), p;"),
		CALLS(".func (.param .u32 r) f() { ret; }\n", "p: .callprototype (.param .u32 _) _ (); call (_), %rd4, (), p;"),
	};
	static const struct {
		const char *text, *message;
	} wrong[] = {
		{CALLS(".func f(.param .b8 x[4000]) { ret; }\n", ".param .b8 a[8]; p: .callprototype _ (.param .b8 _[8]); call %rd4, (a), p;"),
		 "parameter 1 of 'f' is an array of 4000 bytes, aligned to 1, and this call passes an array of 8 bytes, aligned to 1"},
		{CALLS(".func f(.param .align 8 .b8 x[8]) { ret; }\n", ".param .align 4 .b8 a[8]; p: .callprototype _ (.param .align 4 .b8 _[8]); call %rd4, (a), p;"),
		 "parameter 1 of 'f' is an array of 8 bytes, aligned to 8, and this call passes an array of 8 bytes, aligned to 4"},
		{CALLS(".func f(.param .b64 x) { ret; }\n", ".param .b32 a; p: .callprototype _ (.param .b32 _); call %rd4, (a), p;"),
		 "parameter 1 of 'f' is 8 bytes, and this call passes 4 bytes"},
		{CALLS(".func f(.param .b64 x) { ret; }\n", ".param .align 8 .b8 a[8]; p: .callprototype _ (.param .align 8 .b8 _[8]); call %rd4, (a), p;"),
		 "parameter 1 of 'f' is 8 bytes, and this call passes an array of 8 bytes, aligned to 8"},
		{CALLS(".func f(.param .u64 x) { ret; }\n", "p: .callprototype _ (.param .u32 _); call %rd4, (%r0), p;"),
		 "parameter 1 of 'f' is 8 bytes, and this call passes 4 bytes"},
		{CALLS(".func (.param .b64 r) f() { ret; }\n", ".param .b32 b; p: .callprototype (.param .b32 _) _ (); call (b), %rd4, (), p;"),
		 "result 1 of 'f' is 8 bytes, and this call takes 4 bytes"},
		{CALLS(".func (.reg .u64 r) f() { ret; }\n", "p: .callprototype (.reg .u32 _) _ (); call (%r5), %rd4, (), p;"),
		 "result 1 of 'f' is 8 bytes, and this call takes 4 bytes"},
		{CALLS(".func f(.param .b8 x[1]) { ret; }\n", ".param .b8 a; p: .callprototype _ (.param .b8 _); call %rd4, (a), p;"),
		 "parameter 1 of 'f' is an array of 1 byte, aligned to 1, and this call passes 1 byte"},
	};

	for (unsigned k = 0; k < sizeof right / sizeof *right; k++) {
		struct world *w = load(right[k], NULL);

		cr_assert_eq(run(w, "k", 1, 32), MACHINE_DONE, "right %u: %s", k, w->diags.first ? w->diags.first->message : "");
		done(w);
	}
	for (unsigned k = 0; k < sizeof wrong / sizeof *wrong; k++) {
		struct world *w = load(wrong[k].text, NULL);

		cr_assert_eq(run(w, "k", 1, 32), MACHINE_FAULT, "wrong %u", k);
		cr_assert(found(w, DIAG_F0109));
		cr_expect_str_eq(w->diags.first->message, wrong[k].message);
		done(w);
	}
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
