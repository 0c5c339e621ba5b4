/* Control flow: lanes that diverge and reconverge, branches by index, calls, exits, and spin loops
 * inside a warp that end or are detected. */
#include "interp/state/state.h"
#include "tests/unit/world.h"
#include "weak/sampler.h"

/* --- control flow --- */

Test(flow, lanes_part_and_meet_again)
{
	/* Every lane loops tid times; after the loop all 32 have reconverged, as activemask
	 * shows. */
	struct world *w = load(
		HEAD KERNEL(k,
			"mov.u32 %r5, 0; mov.u32 %r6, 0;\n"
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
	struct world *w = load(
		HEAD KERNEL(k,
			"ts: .branchtargets a, b, c;\n and.b32 %r5, %r0, 3; min.u32 %r5, %r5, 2; mov.u32 %r6, 7; brx.idx %r5, ts;\n"
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
	struct world *w = load(
		HEAD KERNEL(k, "ts: .branchtargets a, b;\n brx.idx %r0, ts;\na: ret;\nb: ret;"),
		NULL);

	cr_assert_eq(run(w, "k", 1, 32), MACHINE_FAULT);
	cr_assert(found(w, DIAG_F0107));
	cr_assert_eq(w->diags.first->thread, 2);
	done(w);
}

#define FACTORIAL \
	".func (.reg .u32 r) fact(.reg .u32 n)\n{ .reg .pred %p; .reg .u32 %m, %v;\n" \
	" setp.le.u32 %p, n, 1; @%p bra one; sub.u32 %m, n, 1; call (%v), fact, (%m); mul.lo.u32 r, %v, n; ret;\none: mov.u32 r, 1; ret; }\n"

Test(flow, recursion_to_a_different_depth_in_each_lane)
{
	struct world *w = load(
		HEAD FACTORIAL KERNEL(k,
			"and.b32 %r5, %r0, 7; call (%r6), fact, (%r5); st.global.u32 [%rd3], %r6; ret;"),
		NULL);
	static const uint32_t expected[8] = {1, 1, 2, 6, 24, 120, 720, 5040};

	cr_assert_eq(run(w, "k", 2, 64), MACHINE_DONE);
	for (unsigned t = 0; t < 128; t++)
		cr_assert_eq(w->word[t], expected[t & 7]);
	done(w);
}

Test(flow, parameters_in_param_space)
{
	struct world *w = load(HEAD
		".func (.param .b32 ret0) twice(.param .b32 a, .param .align 8 .b8 s[16])\n{ .reg .b32 %r<4>; .reg .b64 %rd<2>;\n"
		" ld.param.u32 %r0, [a]; ld.param.u64 %rd0, [s+8]; cvt.u32.u64 %r1, %rd0; mad.lo.u32 %r2, %r0, 2, %r1;"
		" st.param.b32 [ret0], %r2; ret; }\n" KERNEL(k,
			"cvt.u64.u32 %rd4, %r0;\n { .param .b32 p0; .param .align 8 .b8 p1[16]; .param .b32 q;\n"
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
	struct world *w = load(HEAD
		".func (.reg .u32 r) one(.reg .u32 a) { add.u32 r, a, 1; ret; }\n"
		".func (.reg .u32 r) ten(.reg .u32 a) { add.u32 r, a, 10; ret; }\n" KERNEL(k,
			"proto: .callprototype (.reg .u32 _) _ (.reg .u32 _);\n and.b32 %r5, %r0, 1; setp.eq.u32 %p0, %r5, 0;\n"
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
	struct world *w = load(
		HEAD KERNEL(k,
			"proto: .callprototype _ ();\n mov.u64 %rd4, 12; call %rd4, (), proto; ret;"),
		NULL);

	cr_assert_eq(run(w, "k", 1, 1), MACHINE_FAULT);
	cr_assert(found(w, DIAG_F0108));
	done(w);
}

Test(flow, endless_recursion_is_a_fault)
{
	struct world *w = load(HEAD
		".func deep(.reg .u32 n) { .reg .u32 %m; add.u32 %m, n, 1; call deep, (%m); ret; }\n" KERNEL(
			k, "call deep, (%r0); ret;"),
		NULL);

	cr_assert_eq(run(w, "k", 1, 32), MACHINE_FAULT);
	cr_assert(found(w, DIAG_F0110));
	done(w);
}

/* The registers of a function that are named, not those that a range declares, must fit in 64 MB a
 * warp. */
Test(flow, too_many_registers)
{
	struct text t = {0};
	struct world *w;

	for (unsigned count = 131072; count <= 131073; count++) {
		text_clear(&t);
		text_puts(&t, ".version 8.3\n.target sm_70\n.address_size 64\n");
		text_printf(
			&t, ".visible .entry k(.param .u64 out)\n{\n.reg .b128 %%q<%u>;\n", count);
		for (unsigned i = 0; i < count; i++)
			text_printf(&t, "mov.b128 %%q%u, %%q0;\n", i);
		text_puts(&t, "ret;\n}\n");
		w = load(text_str(&t), NULL);
		cr_expect_eq(queue(w, "k", 1, 1, 0), count == 131072);
		cr_expect_eq(found(w, DIAG_F0111), count != 131072);
		cr_expect(count != 131072 || sync_all(w) == MACHINE_DONE);
		done(w);
	}
	text_free(&t);
}

Test(flow, predicated_return_and_exit)
{
	struct world *w = load(HEAD
		".func (.reg .u32 r) f(.reg .u32 a) { .reg .pred %p; mov.u32 r, 1; setp.lt.u32 %p, a, 16; @%p ret; mov.u32 r, 2; ret; }\n" KERNEL(
			k,
			"setp.eq.u32 %p0, %r0, 3; @%p0 exit; call (%r5), f, (%r0); st.global.u32 [%rd3], %r5; ret;"),
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
	struct world *w = load(
		HEAD KERNEL(k, "mov.u32 %r5, %envreg1; setp.eq.u32 %p0, %r5, 0; @%p0 trap; ret;"),
		NULL);

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

static const char *message_of(const struct world *w, enum diag_code code)
{
	for (const struct diag *d = w->diags.first; d; d = d->next)
		if (d->code == code)
			return d->message;
	return "";
}

Test(flow, what_is_not_executed_says_so)
{
	struct world *w = load(
		HEAD KERNEL(k,
			".reg .f64 %x; mov.f64 %x, 0d3ff0000000000000; rcp.rn.ftz.f64 %x, %x; ret;"),
		NULL);

	cr_assert_eq(run(w, "k", 1, 32), MACHINE_UNSUPPORTED);
	cr_assert(found(w, DIAG_U0001));
	cr_assert(strstr(
		message_of(w, DIAG_U0001), "ptxas accepts it, but the manual does not have it"));
	done(w);
	w = load(
		".version 9.3\n.target sm_100\n.address_size 64\n" KERNEL(k, "fabric.submit; ret;"),
		NULL);
	cr_assert_eq(run(w, "k", 1, 32), MACHINE_UNSUPPORTED);
	cr_assert(found(w, DIAG_U0001));
	cr_assert(strstr(w->diags.first->help, "there is no fabric to the memory of another node"));
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
	struct world *w = load(HEAD
		".func (.reg .u32 r) one(.reg .u32 a) { add.u32 r, a, 1; ret; }\n" KERNEL(k,
			"proto: .callprototype _ ();\n mov.u64 %rd4, one; call %rd4, (), proto; ret;"),
		NULL);

	cr_assert_eq(run(w, "k", 1, 32), MACHINE_FAULT);
	cr_assert(found(w, DIAG_F0109));
	done(w);
}

/* For a call through a register the assembler can check only the call's own prototype. BODY makes
 * the call; FUNC is f. */
#define CALLS(func, body) HEAD func KERNEL(k, "mov.u64 %rd4, f; { " body " } ret;")

Test(flow, an_indirect_call_passes_what_the_function_takes)
{
	static const char *const right[] = {
		CALLS(".func f(.param .b8 x[16]) { ret; }\n",
			".param .b8 a[16]; p: .callprototype _ (.param .b8 _[16]); call %rd4, (a), p;"),
		CALLS(".func f(.param .align 8 .b8 x[8]) { ret; }\n",
			".param .align 8 .b8 a[8]; p: .callprototype _ (.param .align 8 .b8 _[8]); call %rd4, (a), p;"),
		CALLS(".func f(.param .f32 x) { ret; }\n",
			".param .b32 a; p: .callprototype _ (.param .b32 _); call %rd4, (a), p;"),
		CALLS(".func f(.param .u32 x, .param .u64 y) { ret; }\n",
			"p: .callprototype _ (.param .u32 _, .param .u64 _); call %rd4, (%r0, 5), p;"),
		CALLS(".func (.reg .u32 r) f(.reg .u32 x) { mov.u32 r, x; ret; }\n",
			"p: .callprototype (.reg .u32 _) _ (.reg .u32 _); call (%r5), %rd4, (7), p;"),
		CALLS(".func (.param .b64 r) f(.reg .pred x) { ret; }\n",
			".param .b64 b; p: .callprototype (.param .b64 _) _ (.reg .pred _); call (b), %rd4, (%p0), p;"),
		CALLS(".func (.param .u32 r) f() { ret; }\n",
			"p: .callprototype (.param .u32 _) _ (); call (_), %rd4, (), p;"),
	};
	static const struct {
		const char *text, *message;
	} wrong[] = {
		{CALLS(".func f(.param .b8 x[4000]) { ret; }\n",
			 ".param .b8 a[8]; p: .callprototype _ (.param .b8 _[8]); call %rd4, (a), p;"),
			"parameter 1 of 'f' is an array of 4000 bytes, aligned to 1, and this call passes an array of 8 bytes, aligned to 1"},
		{CALLS(".func f(.param .align 8 .b8 x[8]) { ret; }\n",
			 ".param .align 4 .b8 a[8]; p: .callprototype _ (.param .align 4 .b8 _[8]); call %rd4, (a), p;"),
			"parameter 1 of 'f' is an array of 8 bytes, aligned to 8, and this call passes an array of 8 bytes, aligned to 4"},
		{CALLS(".func f(.param .b64 x) { ret; }\n",
			 ".param .b32 a; p: .callprototype _ (.param .b32 _); call %rd4, (a), p;"),
			"parameter 1 of 'f' is 8 bytes, and this call passes 4 bytes"},
		{CALLS(".func f(.param .b64 x) { ret; }\n",
			 ".param .align 8 .b8 a[8]; p: .callprototype _ (.param .align 8 .b8 _[8]); call %rd4, (a), p;"),
			"parameter 1 of 'f' is 8 bytes, and this call passes an array of 8 bytes, aligned to 8"},
		{CALLS(".func f(.param .u64 x) { ret; }\n",
			 "p: .callprototype _ (.param .u32 _); call %rd4, (%r0), p;"),
			"parameter 1 of 'f' is 8 bytes, and this call passes 4 bytes"},
		{CALLS(".func (.param .b64 r) f() { ret; }\n",
			 ".param .b32 b; p: .callprototype (.param .b32 _) _ (); call (b), %rd4, (), p;"),
			"result 1 of 'f' is 8 bytes, and this call takes 4 bytes"},
		{CALLS(".func (.reg .u64 r) f() { ret; }\n",
			 "p: .callprototype (.reg .u32 _) _ (); call (%r5), %rd4, (), p;"),
			"result 1 of 'f' is 8 bytes, and this call takes 4 bytes"},
		{CALLS(".func f(.param .b8 x[1]) { ret; }\n",
			 ".param .b8 a; p: .callprototype _ (.param .b8 _); call %rd4, (a), p;"),
			"parameter 1 of 'f' is an array of 1 byte, aligned to 1, and this call passes 1 byte"},
	};

	for (unsigned k = 0; k < sizeof right / sizeof *right; k++) {
		struct world *w = load(right[k], NULL);

		cr_assert_eq(run(w, "k", 1, 32), MACHINE_DONE, "right %u: %s", k,
			w->diags.first ? w->diags.first->message : "");
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

/* --- spin locks inside a warp --- */

#define LOCK_INSIDE \
	KERNEL(k, \
		"again: atom.global.cas.b32 %r5, [%rd1], 0, 1; setp.ne.s32 %p0, %r5, 0; @%p0 bra skip;\n" \
		"ld.volatile.global.u32 %r6, [%rd1+4]; add.u32 %r6, %r6, 1; st.volatile.global.u32 [%rd1+4], %r6; membar.gl;\n" \
		"atom.global.exch.b32 %r7, [%rd1], 0;\nskip: @%p0 bra again; ret;")
#define LOCK_OUTSIDE \
	KERNEL(k, \
		"again: atom.global.cas.b32 %r5, [%rd1], 0, 1; setp.ne.s32 %p0, %r5, 0; @%p0 bra again;\n" \
		"ld.volatile.global.u32 %r6, [%rd1+4]; add.u32 %r6, %r6, 1; st.volatile.global.u32 [%rd1+4], %r6; membar.gl;\n" \
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
		lock_counts(HEAD LOCK_INSIDE,
			&(struct machine_options){.schedule = SCHEDULE_RANDOM, .seed = seed});
		lock_counts(HEAD LOCK_OUTSIDE,
			&(struct machine_options){.schedule = SCHEDULE_RANDOM, .seed = seed});
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
	struct world *w = load(
		HEAD KERNEL(k,
			"again: ld.relaxed.gpu.global.u32 %r5, [%rd1]; setp.eq.u32 %p0, %r5, 0; @%p0 bra again; ret;"),
		NULL);

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
	struct world *w = load(
		HEAD KERNEL(k,
			"again: nanosleep.u32 200; mov.u64 %rd4, %globaltimer; mov.u64 %rd5, %clock64;\n"
			"ld.acquire.gpu.global.u32 %r5, [%rd1]; setp.eq.u32 %p0, %r5, 0; @%p0 bra again; ret;"),
		NULL);

	cr_assert_eq(run(w, "k", 2, 64), MACHINE_DEADLOCK);
	cr_assert(found(w, DIAG_D0201));
	done(w);
}

Test(spin, a_wait_that_is_limited_in_time_ends)
{
	/* Gives up after a day of %globaltimer. */
	struct world *w = load(
		HEAD KERNEL(k,
			"mov.u64 %rd4, %globaltimer;\nagain: ld.acquire.gpu.global.u32 %r5, [%rd1+256]; setp.ne.u32 %p0, %r5, 0; @%p0 bra on;\n"
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
	/* Each CTA waits for the flag of the next one; the last sets its flag at once. 500 CTAs on
	 * one host thread. */
	struct world *w = load(
		HEAD KERNEL(k,
			"mul.wide.u32 %rd4, %r1, 4; add.s64 %rd4, %rd1, %rd4; mov.u32 %r8, %nctaid.x; sub.u32 %r8, %r8, 1; setp.eq.u32 %p0, %r1, %r8; @%p0 bra set;\n"
			"wait: ld.acquire.gpu.global.u32 %r5, [%rd4+4]; setp.eq.u32 %p1, %r5, 0; @%p1 bra wait;\n"
			"set: st.release.gpu.global.u32 [%rd4], 1; ret;"),
		NULL);

	cr_assert_eq(run(w, "k", 500, 1), MACHINE_DONE);
	for (unsigned k = 0; k < 500; k++)
		cr_assert_eq(w->word[k], 1);
	done(w);
}

/* --- endless loops, in every mode: those in which nothing changes are detected, others keep
 * running --- */

enum mode { MODE_PLAIN, MODE_WATCHED, MODE_WEAK, MODE_RANDOM, MODES };

static enum machine_status run_in(
	enum mode mode, const char *body, uint64_t max_steps, uint32_t threads, struct world **out)
{
	static const struct machine_options option[] = {{.jobs = 1},
		{.jobs = 1, .checks = CHECK_BOUNDS | CHECK_SYNC | CHECK_INIT},
		{.jobs = 1, .memory = MEMORY_WEAK},
		{.jobs = 1, .schedule = SCHEDULE_RANDOM, .seed = 3}};
	struct machine_options o = option[mode];
	struct text t = {0};
	enum machine_status status;

	o.max_steps = max_steps;
	text_puts(&t,
		HEAD
		".extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);\n.extern .func (.param .b64 r) malloc(.param .b64 n);\n"
		".visible .entry k(.param .u64 out)\n{\n" REGS);
	text_puts(&t, body);
	text_puts(&t, "\n}\n");
	*out = load(text_str(&t), &o);
	text_free(&t);
	sampler_attach((*out)->machine);
	status = run(*out, "k", 1, threads);
	sampler_detach((*out)->machine);
	return status;
}

#define UNTIL_SET \
	"ld.relaxed.gpu.global.u32 %r5, [%rd1+256]; setp.eq.u32 %p0, %r5, 0; @%p0 bra L; ret;"
static const char *const stuck[] = {
	"L: " UNTIL_SET,
	"L: ld.volatile.global.u32 %r5, [%rd1]; setp.eq.u32 %p0, %r5, 0; @%p0 bra L; ret;",
	"L: ld.acquire.gpu.global.v2.u32 {%r5, %r6}, [%rd1]; or.b32 %r5, %r5, %r6; setp.eq.u32 %p0, %r5, 0; @%p0 bra L; ret;",
	"L: st.relaxed.gpu.global.u32 [%rd1], 5; " UNTIL_SET,
	"L: st.global.u32 [%rd3], 5; " UNTIL_SET,
	"mov.u32 %r6, 0x12345605; L: st.global.u8 [%rd3+1], %r6; st.global.u16 [%rd3+2], %r6; " UNTIL_SET,
	"L: st.release.gpu.global.u64 [%rd1], 7; st.volatile.global.u32 [%rd1+8], 7; " UNTIL_SET,
	"mov.u32 %r6, 3; L: st.global.v2.u32 [%rd1+8], {%r6, %r6}; st.relaxed.gpu.global.v2.u32 [%rd1+16], {%r6, %r6}; " UNTIL_SET,
	".local .b32 l[4]; mov.u32 %r6, 0; L: add.u32 %r6, %r6, 1; and.b32 %r6, %r6, 1; st.local.u32 [l], %r6; " UNTIL_SET,
	".shared .b32 s[64]; mov.u32 %r7, s; shl.b32 %r8, %r0, 2; add.u32 %r7, %r7, %r8; L: st.shared.u32 [%r7], %r0; st.volatile.shared.u32 [s], 0; " UNTIL_SET,
	"L: atom.global.add.u32 %r6, [%rd1], 0; " UNTIL_SET,
	"L: atom.relaxed.gpu.global.or.b32 %r6, [%rd1], 4; red.relaxed.gpu.global.max.u32 [%rd1], 3; " UNTIL_SET,
	"L: atom.acquire.gpu.global.cas.b32 %r6, [%rd1], 9, 8; " UNTIL_SET,
	"L: atom.release.gpu.global.exch.b64 %rd5, [%rd1], 77; red.global.add.u64 [%rd1+8], 0; " UNTIL_SET,
};

/* One thread, so that it alone accesses what it stores. */
static const char *const busy[] = {
	"mov.u32 %r6, 0; L: add.u32 %r6, %r6, 1; st.relaxed.gpu.global.u32 [%rd1], %r6; " UNTIL_SET,
	"mov.u32 %r6, 0; L: add.u32 %r6, %r6, 1; st.global.u8 [%rd1], %r6; " UNTIL_SET,
	"mov.u32 %r6, 0; L: add.u32 %r6, %r6, 1; st.release.gpu.global.u16 [%rd1], %r6; " UNTIL_SET,
	"mov.u32 %r6, 0; L: add.u32 %r6, %r6, 1; st.global.v2.u32 [%rd1], {0, %r6}; " UNTIL_SET,
	".shared .b32 s; mov.u32 %r6, 0; L: add.u32 %r6, %r6, 1; st.shared.u32 [s], %r6; " UNTIL_SET,
	"L: atom.global.add.u32 %r6, [%rd1], 1; " UNTIL_SET,
	"L: red.relaxed.gpu.global.add.u32 [%rd1], 1; " UNTIL_SET,
	"L: atom.global.xor.b32 %r6, [%rd1], 1; " UNTIL_SET,
	"L: atom.relaxed.gpu.global.inc.u32 %r6, [%rd1], 99; " UNTIL_SET,
	"mov.u64 %rd5, 0; L: add.u64 %rd5, %rd5, 1; atom.global.exch.b64 %rd6, [%rd1], %rd5; " UNTIL_SET,
	"mov.u32 %r6, 0; L: atom.global.cas.b32 %r7, [%rd1], %r6, 1; xor.b32 %r6, %r6, 1; atom.global.cas.b32 %r7, [%rd1], 1, 0; " UNTIL_SET,
	".global .b8 f[4] = {120, 0}; mov.u64 %rd5, f; cvta.global.u64 %rd5, %rd5;\n"
	"L: { .param .b64 a; .param .b64 b; .param .b32 c; st.param.b64 [a], %rd5; st.param.b64 [b], 0; call.uni (c), vprintf, (a, b); ld.param.b32 %r10, [c]; } " UNTIL_SET,
};

Test(spin, nothing_changes_in_any_mode)
{
	for (unsigned k = 0; k < sizeof stuck / sizeof *stuck; k++)
		for (enum mode m = 0; m < MODES; m++)
			for (uint32_t threads = 1; threads <= 64; threads += 63) {
				struct world *w;
				enum machine_status s = run_in(m, stuck[k], 200000, threads, &w);

				cr_expect_eq(s, MACHINE_DEADLOCK,
					"mode %u, %u threads: status %u: %s", m, threads, s,
					stuck[k]);
				cr_expect(found(w, DIAG_D0201), "mode %u, %u threads: %s", m,
					threads, stuck[k]);
				done(w);
			}
}

Test(spin, something_changes_in_any_mode)
{
	for (unsigned k = 0; k < sizeof busy / sizeof *busy; k++)
		for (enum mode m = 0; m < MODES; m++) {
			struct world *w;
			enum machine_status s = run_in(m, busy[k], 30000, 1, &w);

			cr_expect_eq(s, MACHINE_BUDGET, "mode %u: status %u: %s", m, s, busy[k]);
			done(w);
		}
}

/* --- a thread executes nothing after a fault --- */

Test(flow, a_fault_ends_its_thread_in_every_mode)
{
	static const char *const wrong[] = {"ld.global.u32 %r5, [%rd4];",
		"st.global.u32 [%rd4], 1;", "ld.global.v2.u32 {%r5, %r6}, [%rd4];",
		"st.global.v4.u32 [%rd4], {1, 2, 3, 4};", "st.relaxed.gpu.global.u64 [%rd4], 1;",
		"ld.acquire.gpu.global.u8 %r5, [%rd4];", "ld.volatile.u32 %r5, [%rd4];",
		"st.volatile.u16 [%rd4], 1;", "atom.global.add.u32 %r5, [%rd4], 1;",
		"atom.cas.b64 %rd5, [%rd4], 1, 2;", "red.global.max.u32 [%rd4], 1;",
		"red.relaxed.gpu.add.u64 [%rd4], 1;", "atom.global.exch.b32 %r5, [%rd1+1], 1;",
		"ld.global.u32 %r5, [%rd1+2];", "st.global.u64 [%rd1+4], 1;",
		".shared .b32 s[4]; ld.shared.u32 %r5, [s+64];",
		".shared .b32 s[4]; st.shared.u32 [s+64], 1;",
		".shared .b32 s[4]; atom.shared.add.u32 %r5, [s+64], 1;",
		".shared .b32 s[4]; red.shared.add.u32 [s+65], 1;",
		".local .b32 l[4]; ld.local.u32 %r5, [l+999999];",
		".local .b32 l[4]; st.local.u32 [l+999999], 1;", "ld.const.u32 %r5, [%rd4];",
		".shared .b64 m; mbarrier.init.shared.b64 [m], 0;",
		"mbarrier.arrive.b64 %rd5, [%rd1];", "P: .callprototype _ ();\ncall %rd1, (), P;",
		".shared .b32 s[4]; cp.async.ca.shared.global [s], [%rd4], 4;",
		".shared .b32 s[4]; cp.async.ca.shared.global [s+64], [%rd1], 4;", "trap;",
		"mov.u32 %r5, 33; bar.sync 0, %r5;", "discard.global.L2 [%rd4], 128;",
		"ts: .branchtargets A, A;\nbrx.idx 7, ts; A:"};

	for (unsigned k = 0; k < sizeof wrong / sizeof *wrong; k++)
		for (enum mode m = 0; m < MODES; m++) {
			struct text t = {0};
			struct world *w;
			enum machine_status s;

			/* the other lanes take another path, and arrive later */
			text_printf(&t,
				"mov.u64 %%rd4, 64; setp.ne.u32 %%p7, %%r0, 0; @%%p7 bra E; st.global.u32 [%%rd3], 11; %s\nst.global.u32 [%%rd3+256], 22; E: ret;",
				wrong[k]);
			s = run_in(m, text_str(&t), 200000, 2, &w);
			cr_expect_eq(s, MACHINE_FAULT, "mode %u: status %u: %s", m, s, wrong[k]);
			cr_expect_eq(w->word[0], 11, "mode %u: %s", m, wrong[k]);
			cr_expect_eq(w->word[64], 0,
				"mode %u: what comes after it was executed: %s", m, wrong[k]);
			cr_expect_eq(w->diags.count, 1, "mode %u: %u findings: %s", m,
				w->diags.count, wrong[k]);
			done(w);
			text_free(&t);
		}
}

/* --- arguments and results of a call by some lanes --- */

Test(flow, a_call_by_some_lanes_leaves_the_others_registers)
{
	static const char text[] = HEAD
		".func (.reg .pred r, .reg .b16 h, .reg .b32 w, .reg .b64 d) f(.reg .pred p, .reg .b32 a)\n{ not.pred r, p; cvt.u16.u32 h, a; add.u32 w, a, 1; cvt.u64.u32 d, a; shl.b64 d, d, 33; ret; }\n" KERNEL(
			k,
			".reg .b16 %h<2>; and.b32 %r5, %r0, 1; setp.eq.u32 %p1, %r5, 0; and.b32 %r5, %r0, 2; setp.eq.u32 %p2, %r5, 0; and.b32 %r5, %r0, 4; setp.eq.u32 %p3, %r5, 0;\n"
			"mov.u16 %h1, 7; mov.u32 %r6, 8; mov.u64 %rd5, 9;\n"
			"@%p1 call (%p3, %h1, %r6, %rd5), f, (%p2, %r0);\n"
			"selp.u32 %r7, 1, 0, %p3; selp.u32 %r8, 2, 0, %p2; add.u32 %r7, %r7, %r8; st.global.u32 [%rd3], %r7; cvt.u32.u16 %r8, %h1; st.global.u32 [%rd3+128], %r8;\n"
			"st.global.u32 [%rd3+256], %r6; shr.u64 %rd5, %rd5, 1; st.global.u32 [%rd3+384], %rd5; shr.u64 %rd5, %rd5, 32; st.global.u32 [%rd3+512], %rd5; ret;");

	for (enum mode m = 0; m < MODE_RANDOM; m++) {
		static const struct machine_options option[] = {{.jobs = 1},
			{.jobs = 1, .checks = CHECK_BOUNDS | CHECK_INIT},
			{.jobs = 1, .memory = MEMORY_WEAK}};
		struct world *w = load(text, &option[m]);

		sampler_attach(w->machine);
		cr_assert_eq(run(w, "k", 1, 32), MACHINE_DONE);
		sampler_detach(w->machine);
		for (uint32_t i = 0; i < 32; i++) {
			bool calls = !(i & 1), p2 = !(i & 2), p3 = calls ? !p2 : !(i & 4);

			cr_expect_eq(w->word[i], p3 + 2u * p2, "lane %u: %u", i, w->word[i]);
			cr_expect_eq(w->word[32 + i], calls ? i : 7);
			cr_expect_eq(w->word[64 + i], calls ? i + 1 : 8);
			cr_expect_eq(w->word[96 + i], calls ? 0 : 4);
			cr_expect_eq(w->word[128 + i], calls ? i : 0);
		}
		done(w);
	}
}
