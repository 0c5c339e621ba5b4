/* Reductions that a host thread applies later: what the program itself observes, what others
 * observe and when, and that none is lost. Always with several CTAs and two host threads. */
#include "tests/unit/kernels.h"

static struct kernel *run(const char *body, uint32_t ctas, uint32_t threads)
{
	char text[8192];

	snprintf(text, sizeof text, "%s%s%s", HEAD BEGIN, body, END);
	struct kernel *k = kernel_load(text, CHECK_BOUNDS | CHECK_SYNC, 2, true);

	kernel_run(k, ctas, threads, 0);
	return k;
}

/* 16 CTAs of 64 threads; each thread executes INSN 1000 times on one of 8 words (or 8 pairs of
 * words), chosen by thread and round. */
static void many(const char *insn, uint64_t start, uint64_t want)
{
	char body[2048];
	struct kernel *k;
	uint64_t in[8];

	snprintf(body, sizeof body,
		"mov.u32 %%r5, 0; L: add.u32 %%r6, %%r5, %%r0; and.b32 %%r6, %%r6, 7; mul.wide.u32 %%rd5, %%r6, 8; add.s64 %%rd5, %%rd1, %%rd5;"
		"mad.lo.u32 %%r7, %%r1, 64, %%r0; cvt.u64.u32 %%rd6, %%r7; neg.s32 %%r8, %%r7; cvt.s64.s32 %%rd7, %%r8; %s;"
		"add.u32 %%r5, %%r5, 1; setp.lt.u32 %%p1, %%r5, 1000; @%%p1 bra L;",
		insn);
	char text[4096];

	snprintf(text, sizeof text, "%s%s%s", HEAD BEGIN, body, END);
	k = kernel_load(text, CHECK_BOUNDS, 2, true);
	for (unsigned i = 0; i < 8; i++)
		in[i] = start;
	machine_write(k->machine, k->out, in, sizeof in);
	kernel_run(k, 16, 64, 0);
	kernel_ok(k);
	for (unsigned i = 0; i < 8; i++)
		cr_assert_eq(k->wide[i], want, "%s: word %u is 0x%llx, not 0x%llx", insn, i,
			(unsigned long long)k->wide[i], (unsigned long long)want);
	kernel_done(k);
}

Test(combine, no_reduction_is_lost)
{
	/* each word: 16 CTAs * 64 threads * 125 rounds */
	many("red.global.add.u32 [%rd5], 3", 0xfffffff0, (uint32_t)(0xfffffff0 + 3 * 128000u));
	many("red.relaxed.cta.global.add.u64 [%rd5], 0x100000001", 7, 7 + 128000 * 0x100000001u);
	many("atom.global.add.s32 %r10, [%rd5], -1", 128000, 0);
	many("atom.add.u32 _, [%rd5], 1", 0, 128000);
	many("red.global.max.u32 [%rd5], %r7", 5, 1023);
	many("red.global.max.s32 [%rd5], %r8", 0xffff0000, 0);
	many("red.global.min.s32 [%rd5], %r8", 5, (uint32_t)-1023);
	many("red.global.min.u64 [%rd5], %rd6", 5, 0);
	many("red.global.min.s64 [%rd5], %rd7", 5, (uint64_t)-1023);
	many("red.global.or.b32 [%rd5], %r7", 1 << 20, 1 << 20 | 1023);
	many("red.global.and.b64 [%rd5], %rd7", UINT64_MAX, 0);
	many("red.global.xor.b64 [%rd5], 6", 1, 1); /* an even number of times */
	/* two sizes alternately */
	many("red.global.add.u32 [%rd5], 1; red.global.add.u64 [%rd5], 0x100000000", 0,
		128000 * UINT64_C(0x100000001));
	many("red.global.or.b32 [%rd5], 1; red.global.add.u32 [%rd5], 2", 1, 256001);
}

/* More words than the table has slots, and words that map to the same slot. */
Test(combine, more_words_than_slots)
{
	struct kernel *k = run(
		"mov.u32 %r5, 0; L: mad.lo.u32 %r6, %r5, 577, %r2; and.b32 %r6, %r6, 1023; mul.wide.u32 %rd5, %r6, 4; add.s64 %rd5, %rd1, %rd5;"
		"red.global.add.u32 [%rd5], 1; add.u32 %r5, %r5, 1; setp.lt.u32 %p1, %r5, 1024; @%p1 bra L;",
		16, 32);

	kernel_ok(k);
	for (unsigned i = 0; i < WORDS; i++)
		cr_assert_eq(k->word[i], 512, "word %u: %u", i, k->word[i]);
	kernel_done(k);
}

/* Each thread has words of its own, and what it reads after its reduction must include it; other
 * CTAs keep the second host thread busy. */
Test(combine, the_program_sees_its_own)
{
	static const char *const after[] = {
		/* 12 */
		"ld.global.u32 %r5, [%rd5];",
		/* narrower */
		"ld.global.u8 %r5, [%rd5];",
		/* wider */
		"ld.global.v2.u32 {%r5, %r6}, [%rd5];",
		"ld.volatile.global.u32 %r5, [%rd5];",
		"ld.acquire.gpu.global.u32 %r5, [%rd5];",
		/* generic */
		"ld.u32 %r5, [%rd5];",
		"atom.global.exch.b32 %r5, [%rd5], 1;",
		"atom.global.add.u32 %r5, [%rd5], 0; xor.b32 %r6, %r5, 1;",
		"atom.global.cas.b32 %r5, [%rd5], 12, 13;",
		"red.global.add.u32 [%rd5], 1; ld.global.u32 %r5, [%rd5]; sub.u32 %r5, %r5, 1;",
		/* another operation */
		"red.global.max.u32 [%rd5], 3; ld.global.u32 %r5, [%rd5];",
		/* another size */
		"red.global.add.u64 [%rd5], 0; ld.global.u32 %r5, [%rd5];",
		/* the store comes later */
		"st.global.u32 [%rd5], 100; ld.global.u32 %r5, [%rd5]; sub.u32 %r5, %r5, 88;",
		"st.global.u8 [%rd5+1], 1; ld.global.u32 %r5, [%rd5]; sub.u32 %r5, %r5, 256;",
		/* one thread per CTA */
		"{ .shared .align 16 .b32 s[4]; mov.u32 %r7, s; cp.async.ca.shared.global [%r7], [%rd5], 4; cp.async.wait_all; ld.shared.u32 %r5, [s]; }",
	};

	for (unsigned n = 0; n < sizeof after / sizeof *after; n++) {
		char body[2048];
		bool one = n == sizeof after / sizeof *after - 1;

		snprintf(body, sizeof body,
			"add.s64 %%rd5, %%rd4, 0; add.u64 %%rd6, %%rd4, 4; mov.u32 %%r9, 10; st.global.u32 [%%rd5], %%r9; red.global.add.u32 [%%rd5], 2; %s st.global.u32 [%%rd6], %%r5;",
			after[n]);
		/* %rd4 is out + 8 * thread for thread = 32 * cta + tid: it was computed as out + 4t
		 * + 4t */
		struct kernel *k = run(body, 8, one ? 1 : 32);

		kernel_ok(k);
		for (unsigned t = 0; t < 256; t += one ? 32 : 1)
			cr_assert_eq(k->word[2 * t + 1], 12, "%s: thread %u read %u", after[n], t,
				k->word[2 * t + 1]);
		kernel_done(k);
	}
}

/* A CTA that requests something by a reduction and waits for the answer, in a loop that changes
 * nothing. */
Test(combine, who_waits_has_asked)
{
	static const char *const loops[] = {
		"red.global.add.u32 [%rd1], 1; L: ld.volatile.global.u32 %r5, [%rd1+4]; setp.eq.u32 %p1, %r5, 0; @%p1 bra L;",
		"red.global.add.u32 [%rd1], 1; L: ld.relaxed.gpu.global.u32 %r5, [%rd1+4]; setp.eq.u32 %p1, %r5, 0; @%p1 bra L;",
		"red.global.or.b32 [%rd1], 1; L: atom.global.or.b32 %r5, [%rd1+4], 0; setp.eq.u32 %p1, %r5, 0; @%p1 bra L;",
		"red.global.max.u32 [%rd1], 1; L: ld.global.u32 %r5, [%rd1+4]; nanosleep.u32 20; setp.eq.u32 %p1, %r5, 0; @%p1 bra L;",
	};

	for (unsigned n = 0; n < sizeof loops / sizeof *loops; n++) {
		char body[2048];

		snprintf(body, sizeof body,
			"setp.eq.u32 %%p2, %%r1, 0; @%%p2 bra ASK; setp.ne.u32 %%p2, %%r1, 1; @%%p2 ret;"
			"W: ld.volatile.global.u32 %%r5, [%%rd1]; setp.eq.u32 %%p1, %%r5, 0; @%%p1 bra W; red.global.add.u32 [%%rd1+4], 1; ret; ASK: %s",
			loops[n]);
		for (unsigned again = 0; again < 10; again++) {
			struct kernel *k = run(body, 4, 1);

			kernel_ok(k);
			cr_assert_eq(k->word[0], 1);
			cr_assert_eq(k->word[1], 1);
			kernel_done(k);
		}
	}
}

/* Message passing: what was added before a release is visible to a thread that acquires it. CTA 0
 * is the consumer of all others. */
Test(combine, a_release_comes_after_them)
{
	static const char *const release[] = {
		"red.global.add.u32 [%rd1], 5; fence.acq_rel.gpu; st.relaxed.gpu.global.u32 [%rd5], 1;",
		"red.global.add.u32 [%rd1], 5; st.release.gpu.global.u32 [%rd5], 1;",
		"red.global.add.u32 [%rd1], 5; membar.gl; red.global.add.u32 [%rd5], 1;",
		"red.global.add.u32 [%rd1], 5; red.release.gpu.global.add.u32 [%rd5], 1;",
		"red.global.add.u32 [%rd1], 5; atom.acq_rel.gpu.global.exch.b32 %r9, [%rd5], 1;",
		"setp.eq.u32 %p3, %r0, 0; @!%p3 red.global.add.u32 [%rd1], 5; @%p3 red.global.add.u32 [%rd1], -150; bar.sync 0; @%p3 st.release.gpu.global.u32 [%rd5], 1;",
	};

	for (unsigned n = 0; n < sizeof release / sizeof *release; n++) {
		char body[2048];
		bool warp = n == sizeof release / sizeof *release - 1;

		snprintf(body, sizeof body,
			"mul.wide.u32 %%rd5, %%r1, 4; add.s64 %%rd5, %%rd1, %%rd5; setp.ne.u32 %%p2, %%r1, 0; @%%p2 bra GIVE; setp.ne.u32 %%p2, %%r0, 0; @%%p2 ret; mov.u32 %%r6, 1;"
			"N: mul.wide.u32 %%rd6, %%r6, 4; add.s64 %%rd6, %%rd1, %%rd6; W: ld.acquire.gpu.global.u32 %%r5, [%%rd6]; setp.eq.u32 %%p1, %%r5, 0; @%%p1 bra W;"
			"add.u32 %%r6, %%r6, 1; setp.lt.u32 %%p1, %%r6, 8; @%%p1 bra N; ld.global.u32 %%r7, [%%rd1]; st.global.u32 [%%rd1+128], %%r7; ret; GIVE: %s",
			release[n]);
		for (unsigned again = 0; again < 20; again++) {
			struct kernel *k = run(body, 8, warp ? 32 : 1);

			kernel_ok(k);
			cr_assert_eq(k->word[32], 35, "%s: %u", release[n], k->word[32]);
			kernel_done(k);
		}
	}
}

/* Reductions that no longer change anything are not progress. */
Test(combine, idle_reductions_are_a_livelock)
{
	struct kernel *k = run(
		"L: red.global.max.u32 [%rd1+8], 3; ld.volatile.global.u32 %r5, [%rd1]; setp.eq.u32 %p1, %r5, 0; @%p1 bra L;",
		4, 32);

	cr_assert_eq(k->status, MACHINE_DEADLOCK, "%s", text_str(&k->text));
	kernel_done(k);
}

/* A fault in any lane is reported, and the statistics count what the program did. */
Test(combine, faults_and_counts)
{
	struct kernel *k = run(
		"red.global.add.u32 [%rd1], 1; mul.wide.u32 %rd5, %r2, 64; add.s64 %rd5, %rd1, %rd5; red.global.add.u32 [%rd5], 1;",
		8, 32);

	cr_assert_eq(k->status, MACHINE_FAULT);
	kernel_fault(k, DIAG_F0201, "past");
	kernel_done(k);

	struct machine_stats s;

	k = run("red.global.add.u32 [%rd1], 1; red.global.add.u64 [%rd1+8], 1; setp.lt.u32 %p1, %r0, 10; @%p1 red.global.or.b32 [%rd1+4], 1;",
		8, 32);
	kernel_ok(k);
	machine_stats(k->machine, &s);
	cr_assert_eq(s.atomics, 8 * (32 + 32 + 10));
	cr_assert_eq(s.bytes_loaded[0], 8 * (32 * 12 + 10 * 4));
	cr_assert_eq(s.bytes_stored[0], 8 * (32 * 12 + 10 * 4));
	cr_assert_eq(k->word[0], 256);
	cr_assert_eq(k->word[1], 1);
	cr_assert_eq(k->word[2], 256);
	kernel_done(k);
}

/* The old value goes to a register that is read: such an operation is never delayed, whatever the
 * operation and the lanes. */
Test(combine, who_reads_the_old_value_has_it)
{
	struct kernel *k = run(
		"atom.global.add.u32 %r5, [%rd1], 1; add.u32 %r5, %r5, 1; mul.wide.u32 %rd5, %r5, 4; add.s64 %rd5, %rd1, %rd5; red.global.add.u32 [%rd5], 1;"
		"setp.gt.u32 %p1, %r0, 20; @%p1 atom.global.add.u32 %r7, [%rd1+4092], 2; @%p1 red.global.max.u32 [%rd1+4088], %r7;",
		16, 32);

	kernel_ok(k);
	cr_assert_eq(k->word[0], 512);
	for (unsigned i = 1; i <= 512; i++)
		cr_assert_eq(k->word[i], 1, "ticket %u: %u", i, k->word[i]);
	cr_assert_eq(k->word[1023], 16 * 11 * 2);
	cr_assert_eq(k->word[1022], 16 * 11 * 2 - 2);
	kernel_done(k);
}
