/* The explorer on PTX kernels: what each kind of instruction allows. A comment explains every
 * verdict. */
#include "tests/unit/explore_ptx.h"

Test(explore_ptx, message_passing)
{
	struct ptx_test t;
	/* volatile is relaxed.sys, membar.gl is fence.sc.gpu: the fences synchronise. */
	two(&t, "st.volatile.global.u32 [x], 1;\nmembar.gl;\nst.volatile.global.u32 [y], 1;",
		"ld.volatile.global.u32 %r1, [y];\nmembar.gl;\nld.volatile.global.u32 %r2, [x];",
		"P1:%r1", "P1:%r2");
	cr_expect(t.result->outcomes.list.count == 3 && !has(&t, 1, 0) && !t.result->nraces);
	ptx_test_free(&t);
	/* Without fences all four outcomes are allowed. */
	two(&t, "st.volatile.global.u32 [x], 1;\nst.volatile.global.u32 [y], 1;",
		"ld.volatile.global.u32 %r1, [y];\nld.volatile.global.u32 %r2, [x];", "P1:%r1",
		"P1:%r2");
	cr_expect(t.result->outcomes.list.count == 4 && has(&t, 1, 0));
	ptx_test_free(&t);
	/* Weak accesses race. A weak flag is not observed, so the fences do not synchronise; but
	 * one fence.sc comes first, and either order makes (1,0) impossible. */
	two(&t, "st.global.u32 [x], 1;\nmembar.gl;\nst.global.u32 [y], 1;",
		"ld.global.u32 %r1, [y];\nmembar.gl;\nld.global.u32 %r2, [x];", "P1:%r1", "P1:%r2");
	cr_expect(t.result->nraces == 2 && t.result->outcomes.list.count == 3 && !has(&t, 1, 0));
	ptx_test_free(&t);
	/* fence.acq_rel does not forbid it. */
	two(&t, "st.global.u32 [x], 1;\nfence.acq_rel.gpu;\nst.global.u32 [y], 1;",
		"ld.global.u32 %r1, [y];\nfence.acq_rel.gpu;\nld.global.u32 %r2, [x];", "P1:%r1",
		"P1:%r2");
	cr_expect(t.result->nraces == 2 && has(&t, 1, 0));
	ptx_test_free(&t);
	/* Two fence.sc have either order: there is a race, though not with the order that is tried
	 * first. */
	two(&t, "st.global.u32 [x], 1;\nfence.sc.gpu;", "fence.sc.gpu;\nst.global.u32 [x], 2;", "x",
		"y");
	cr_expect(t.result->nraces == 1);
	ptx_test_free(&t);
	two(&t, "fence.sc.gpu;\nst.global.u32 [x], 1;", "st.global.u32 [x], 2;\nfence.sc.gpu;",
		"P0:%r15", "P1:%r15");
	cr_expect(t.result->nraces == 1);
	ptx_test_free(&t);
	/* A generic address and a spin on it: only the last round counts. */
	two(&t, "st.global.u32 [x], 1;\nst.release.gpu.global.u32 [y], 1;",
		"mov.u64 %rd1, y;\ncvta.global.u64 %rd2, %rd1;\nL: ld.acquire.gpu.u32 %r1, [%rd2];\nsetp.eq.u32 %p2, %r1, 0;\n@%p2 bra L;\nld.global.u32 %r2, [x];",
		"P1:%r1", "P1:%r2");
	cr_expect(t.result->executions == 1 && has(&t, 1, 1) && !t.result->stuck.list.count &&
		!t.result->nraces);
	ptx_test_free(&t);
}

Test(explore_ptx, dependencies)
{
	struct ptx_test t;
	/* Load buffering through memory without dependencies: allowed. */
	two(&t, "ld.relaxed.gpu.global.u32 %r1, [x];\nst.relaxed.gpu.global.u32 [y], 1;",
		"ld.relaxed.gpu.global.u32 %r2, [y];\nst.relaxed.gpu.global.u32 [x], 1;", "P0:%r1",
		"P1:%r2");
	cr_expect(t.result->outcomes.list.count == 4 && has(&t, 1, 1));
	ptx_test_free(&t);
	/* With arithmetic in both threads: values out of thin air. */
	two(&t, "ld.relaxed.gpu.global.u32 %r1, [x];\nadd.u32 %r3, %r1, 0;\nst.relaxed.gpu.global.u32 [y], %r3;",
		"ld.relaxed.gpu.global.u32 %r2, [y];\nmul.lo.u32 %r3, %r2, 1;\nst.relaxed.gpu.global.u32 [x], %r3;",
		"P0:%r1", "P1:%r2");
	cr_expect(t.result->outcomes.list.count == 1 && has(&t, 0, 0));
	ptx_test_free(&t);
	/* A loaded address is a dependency of that access, not of the store after it. */
	two(&t, "ld.relaxed.gpu.global.u32 %r1, [x];\nand.b32 %r3, %r1, 0;\ncvt.u64.u32 %rd1, %r3;\nmov.u64 %rd2, x;\nadd.u64 %rd3, %rd1, %rd2;\nld.relaxed.gpu.global.u32 %r4, [%rd3];\nst.relaxed.gpu.global.u32 [y], 1;",
		"ld.relaxed.gpu.global.u32 %r2, [y];\nst.relaxed.gpu.global.u32 [x], 1;", "P0:%r1",
		"P1:%r2");
	cr_expect(has(&t, 1, 1));
	ptx_test_free(&t);
	/* A branch on it is a dependency of everything that follows. */
	two(&t, "ld.relaxed.gpu.global.u32 %r1, [x];\nsetp.eq.u32 %p2, %r1, 7;\n@%p2 bra E;\nE: st.relaxed.gpu.global.u32 [y], 1;",
		"ld.relaxed.gpu.global.u32 %r2, [y];\nst.relaxed.gpu.global.u32 [x], %r2;",
		"P0:%r1", "P1:%r2");
	cr_expect(!has(&t, 1, 1));
	ptx_test_free(&t);
}

Test(explore_ptx, atomics)
{
	struct ptx_test t;
	two(&t, "atom.global.add.u32 %r1, [x], 1;", "atom.global.add.u32 %r1, [x], 1;", "P0:%r1",
		"x");
	cr_expect(t.result->outcomes.list.count == 2 && has(&t, 0, 2) && has(&t, 1, 2));
	ptx_test_free(&t);
	/* The destination is one of the sources. */
	two(&t, "mov.u32 %r1, 5;\natom.global.exch.b32 %r1, [x], %r1;", "ret;", "P0:%r1", "x");
	cr_expect(t.result->outcomes.list.count == 1 && has(&t, 0, 5));
	ptx_test_free(&t);
	/* One of two cas succeeds. */
	two(&t, "atom.relaxed.gpu.global.cas.b32 %r1, [x], 0, 1;",
		"atom.relaxed.gpu.global.cas.b32 %r1, [x], 0, 2;", "P0:%r1", "x");
	cr_expect(t.result->outcomes.list.count == 2 && has(&t, 0, 1) && has(&t, 2, 2));
	ptx_test_free(&t);
	two(&t, "red.global.max.s32 [x], 3;", "red.global.max.s32 [x], -4;", "x", "y");
	cr_expect(t.result->outcomes.list.count == 1 && has(&t, 3, 0));
	ptx_test_free(&t);
}

Test(explore_ptx, vectors_and_widths)
{
	struct ptx_test t;
	/* A vector store is two scalar stores, which may be observed separately. */
	static const char text[] =
		".version 8.5\n.target sm_90\n.address_size 64\n.global .align 8 .u32 v[2];\n.visible .entry k()\n{\n.reg .pred %p<4>;\n.reg .b32 %r<16>;\nmov.u32 %r15, %ctaid.x;\n"
		"setp.ne.u32 %p1, %r15, 0;\n@%p1 bra B;\nmov.u32 %r3, 1;\nst.global.v2.u32 [v], {%r3, %r3};\nret;\nB:\nld.global.v2.u32 {%r1, %r2}, [v];\nret;\n}\n";
	explore(&t, text, 2, 1, (const char *const[]){"P1:%r1", "P1:%r2", NULL}, 1);
	cr_expect(t.result->outcomes.list.count == 4 && !t.result->mixed.some);
	ptx_test_free(&t);
	/* Sign extension. */
	two(&t, "st.global.u8 [x], 255;\nld.global.s8 %r1, [x];", "ret;", "P0:%r1", "y");
	cr_expect(has(&t, 0xffffffff, 0));
	ptx_test_free(&t);
	/* Overlapping accesses of different sizes void the model if they race, which is reported;
	 * but not within a thread. */
	two_incomplete(&t, "st.global.u32 [x], 1;", "ld.global.u8 %r1, [x];", "x", "P1:%r1");
	cr_expect(t.result->mixed.some && t.result->mixed.thread[0] == 0 &&
		t.result->mixed.thread[1] == 1 && !explore_complete(t.result));
	ptx_test_free(&t);
	two(&t, "st.global.u32 [x], 0x201;\nld.global.u8 %r1, [x+1];", "ret;", "x", "P0:%r1");
	cr_expect(t.result->outcomes.list.count == 1 && has(&t, 0x201, 2) &&
		explore_complete(t.result));
	ptx_test_free(&t);
	/* Atoms of different sizes are not morally strong. */
	two_incomplete(&t, "atom.global.add.u32 %r1, [x], 1;",
		".reg .b16 %h;\natom.global.cas.b16 %h, [x], 0, 1;", "x", "y");
	cr_expect(t.result->mixed.some);
	ptx_test_free(&t);
	/* A copy has no access size of its own: its race with a larger access is an ordinary
	 * one. */
	two(&t, ".shared .align 4 .b8 s[4];\ncp.async.ca.shared.global [s], [x], 4;\nld.shared.u16 %r1, [s];\ncp.async.wait_all;\nld.shared.u16 %r2, [s];",
		"ret;", "P0:%r1", "P0:%r2");
	cr_expect(!t.result->mixed.some && explore_complete(t.result) && t.result->nraces == 1);
	ptx_test_free(&t);
}

/* Three threads write two locations: six races, ordered by the first thread, its instruction, the
 * second thread. */
Test(explore_ptx, races_in_order)
{
	struct ptx_test t;
	for (unsigned jobs = 1; jobs <= 2; jobs++) {
		static const uint8_t thread[6][2] = {
			{0, 1}, {0, 2}, {0, 1}, {0, 2}, {1, 2}, {1, 2}};
		explore(&t,
			HEAD
			".visible .entry k()\n{\n.reg .b32 %r<4>;\nmov.u32 %r1, %ctaid.x;\nst.global.u32 [x], %r1;\nst.global.u32 [y], %r1;\nret;\n}\n",
			3, 1, (const char *const[]){"x", NULL}, jobs);
		cr_assert(t.result->nraces == 6);
		for (uint32_t k = 0; k < 6; k++) {
			const struct explore_race *r = &t.result->race[k];
			cr_expect(r->thread[0] == thread[k][0] && r->thread[1] == thread[k][1] &&
					r->place[0] == r->place[1],
				"race %u", k);
			cr_expect((r->place[0] == t.result->race[0].place[0]) == (k < 2 || k == 4),
				"race %u", k);
			cr_expect(r->write[0] && r->write[1]);
		}
		cr_expect(t.result->race[0].place[0] < t.result->race[2].place[0]);
		ptx_test_free(&t);
	}
}

Test(explore_ptx, barriers)
{
	struct ptx_test t;
	/* A CTA of two threads: shared memory after bar.sync. */
	explore(&t,
		HEAD
		".visible .entry k()\n{\n.reg .b32 %r<8>;\n.shared .u32 s[2];\nmov.u32 %r1, %tid.x;\nshl.b32 %r2, %r1, 2;\nmov.u32 %r3, s;\nadd.u32 %r4, %r3, %r2;\nadd.u32 %r5, %r1, 1;\n"
		"st.shared.u32 [%r4], %r5;\nbar.sync 0;\nxor.b32 %r6, %r2, 4;\nadd.u32 %r6, %r6, %r3;\nld.shared.u32 %r7, [%r6];\nret;\n}\n",
		1, 2, (const char *const[]){"P0:%r7", "P1:%r7", NULL}, 1);
	cr_expect(t.result->executions == 1 && has(&t, 2, 1) && !t.result->nraces);
	ptx_test_free(&t);
	/* Without the barrier the reads race. */
	explore(&t,
		HEAD
		".visible .entry k()\n{\n.reg .b32 %r<8>;\n.shared .u32 s[2];\nmov.u32 %r1, %tid.x;\nshl.b32 %r2, %r1, 2;\nmov.u32 %r3, s;\nadd.u32 %r4, %r3, %r2;\nadd.u32 %r5, %r1, 1;\n"
		"st.shared.u32 [%r4], %r5;\nxor.b32 %r6, %r2, 4;\nadd.u32 %r6, %r6, %r3;\nld.shared.u32 %r7, [%r6];\nret;\n}\n",
		1, 2, (const char *const[]){"P0:%r7", "P1:%r7", NULL}, 1);
	cr_expect(t.result->outcomes.list.count == 4 && t.result->nraces == 2);
	ptx_test_free(&t);
	/* bar.red counts the true predicates of all threads. */
	explore(&t,
		HEAD
		".visible .entry k()\n{\n.reg .pred %p<4>;\n.reg .b32 %r<8>;\nmov.u32 %r1, %tid.x;\nsetp.gt.u32 %p1, %r1, 0;\nbar.red.popc.u32 %r2, 0, %p1;\nret;\n}\n",
		1, 3, (const char *const[]){"P0:%r2", "P2:%r2", NULL}, 1);
	cr_expect(t.result->outcomes.list.count == 1 && has(&t, 2, 2));
	ptx_test_free(&t);
	/* Two warps wait at two barriers in opposite order. */
	explore(&t,
		HEAD
		".visible .entry k()\n{\n.reg .pred %p<4>;\n.reg .b32 %r<8>;\nmov.u32 %r1, %tid.x;\nsetp.ge.u32 %p1, %r1, 32;\n@%p1 bra B;\nbar.sync 1, 64;\nbar.sync 2, 64;\nret;\nB:\nbar.sync 2, 64;\n"
		"bar.sync 1, 64;\nret;\n}\n",
		1, 64, (const char *const[]){"x", NULL}, 1);
	cr_expect(t.result->executions == 0 && t.result->stuck.list.count == 1 &&
		t.result->stuck.list.data[0].value[0] == STUCK_DEADLOCK);
	ptx_test_free(&t);
	/* A thread that has arrived and continues is not waited for, although it reaches the
	 * barrier again: it does so after the other has observed the end of the first phase. */
	explore(&t,
		HEAD
		".visible .entry k()\n{\n.reg .pred %p<4>;\n.reg .b32 %r<8>;\nmov.u32 %r1, %tid.x;\nand.b32 %r5, %r1, 31;\nsetp.ne.u32 %p2, %r5, 0;\nsetp.ge.u32 %p1, %r1, 32;\n@%p1 bra B;\n"
		"bar.sync 1, 64;\n@!%p2 st.release.cta.global.u32 [y], 1;\nbar.sync 1, 64;\nld.relaxed.cta.global.u32 %r2, [x];\nret;\n"
		"B:\nbar.arrive 1, 64;\n@%p2 bra D;\nC: ld.acquire.cta.global.u32 %r4, [y];\nsetp.eq.u32 %p3, %r4, 0;\n@%p3 bra C;\nst.relaxed.cta.global.u32 [x], 7;\nD:\nbar.arrive 1, 64;\nret;\n}\n",
		1, 64, (const char *const[]){"P0:%r2", NULL}, 1);
	cr_expect(explore_complete(t.result) && t.result->outcomes.list.count == 1 &&
		has(&t, 7, 0) && !t.result->stuck.list.count);
	ptx_test_free(&t);
	/* bar.warp.sync orders its participants. */
	explore(&t,
		HEAD
		".visible .entry k()\n{\n.reg .pred %p<4>;\n.reg .b32 %r<8>;\nmov.u32 %r1, %tid.x;\nsetp.ne.u32 %p1, %r1, 0;\n@%p1 bra B;\nst.global.u32 [x], 1;\nbar.warp.sync 3;\nret;\nB:\nbar.warp.sync 3;\n"
		"ld.global.u32 %r2, [x];\nret;\n}\n",
		1, 2, (const char *const[]){"P1:%r2", NULL}, 1);
	cr_expect(t.result->executions == 1 && has(&t, 1, 0));
	ptx_test_free(&t);
}

Test(explore_ptx, faults)
{
	struct ptx_test t;
	explore(&t,
		HEAD
		".visible .entry k()\n{\n.reg .b64 %rd<4>;\nmov.u64 %rd1, x;\nst.global.u32 [%rd1+4096], 1;\nret;\n}\n",
		1, 1, (const char *const[]){"x", NULL}, 1);
	cr_expect(t.result->fault && !t.result->unsupported && !explore_complete(t.result));
	ptx_test_free(&t);
	/* Operands of barriers that are known only at run time. */
	static const char *const barrier[][2] = {
		{"mov.u32 %r1, 16;\nbar.sync %r1;", "a barrier number above 15"},
		{"mov.u32 %r1, 33;\nbar.sync 15, %r1;",
			"a barrier count that is not a multiple of 32"},
		{"mov.u32 %r1, 33;\nbar.arrive 0, %r1;",
			"a barrier count that is not a multiple of 32"},
		{"mov.u32 %r1, 2;\nbar.warp.sync %r1;", "a thread that is not in its membermask"}};
	for (size_t k = 0; k < sizeof barrier / sizeof *barrier; k++) {
		char text[512];
		snprintf(text, sizeof text,
			HEAD ".visible .entry k()\n{\n.reg .b32 %%r<4>;\n%s\nret;\n}\n",
			barrier[k][0]);
		explore(&t, text, 1, 1, (const char *const[]){"x", NULL}, 1);
		cr_expect(t.result->fault && !t.result->unsupported &&
				strstr(t.result->fault, barrier[k][1]),
			"%s: %s", barrier[k][0], t.result->fault ? t.result->fault : "no fault");
		ptx_test_free(&t);
	}
	/* An assertion, and a number that is not the address of a function. */
	explore(&t,
		HEAD
		".extern .func __assertfail(.param .b64 m, .param .b64 f, .param .b32 l, .param .b64 n, .param .b64 c);\n.visible .entry k()\n{\n.param .b64 m;\n.param .b64 f;\n.param .b32 l;\n.param .b64 n;\n"
		".param .b64 c;\ncall __assertfail, (m, f, l, n, c);\nret;\n}\n",
		1, 1, (const char *const[]){"x", NULL}, 1);
	cr_expect(
		t.result->fault && !t.result->unsupported && strstr(t.result->fault, "assertion"));
	ptx_test_free(&t);
	explore(&t,
		HEAD
		".visible .entry k()\n{\n.reg .b64 %rd<4>;\nmov.u64 %rd1, x;\np: .callprototype _ ();\ncall %rd1, p;\nret;\n}\n",
		1, 1, (const char *const[]){"x", NULL}, 1);
	cr_expect(t.result->fault && !t.result->unsupported &&
		strstr(t.result->fault, "not the address of a function"));
	ptx_test_free(&t);
}

Test(explore_ptx, mbarriers)
{
	struct ptx_test t;
	/* Thread 0 initialises the object and both synchronise; thread 0 stores and arrives, thread
	 * 1 waits for the phase: the arrive releases, the wait acquires. */
	static const char handover[] = HEAD
		".visible .entry k()\n{\n.reg .pred %p<4>;\n.reg .b32 %r<8>;\n.reg .b64 %rd<4>;\n.shared .align 8 .b64 bar;\nmov.u32 %r1, %tid.x;\nsetp.ne.u32 %p1, %r1, 0;\n@%p1 bra B;\n"
		"mbarrier.init.shared.b64 [bar], 1;\nbar.sync 0;\nst.global.u32 [x], 1;\nmbarrier.arrive.shared.b64 %rd1, [bar];\nret;\nB:\nbar.sync 0;\n"
		"L: mbarrier.test_wait.parity.shared.b64 %p2, [bar], 0;\n@!%p2 bra L;\nld.global.u32 %r2, [x];\nret;\n}\n";
	explore(&t, handover, 1, 2, (const char *const[]){"P1:%r2", NULL}, 1);
	cr_expect(t.result->executions == 1 && has(&t, 1, 0) && !t.result->nraces &&
		!t.result->stuck.list.count && explore_complete(t.result));
	ptx_test_free(&t);
	/* Removing that decision changes the result. */
	taken_away = OFF_MBARRIER;
	explore(&t, handover, 1, 2, (const char *const[]){"P1:%r2", NULL}, 1);
	cr_expect(has(&t, 0, 0) && t.result->nraces == 1);
	ptx_test_free(&t);
	taken_away = 0;
	/* A relaxed wait does not acquire. */
	explore(&t,
		HEAD
		".visible .entry k()\n{\n.reg .pred %p<4>;\n.reg .b32 %r<8>;\n.reg .b64 %rd<4>;\n.shared .align 8 .b64 bar;\nmov.u32 %r1, %tid.x;\nsetp.ne.u32 %p1, %r1, 0;\n@%p1 bra B;\n"
		"mbarrier.init.shared.b64 [bar], 1;\nbar.sync 0;\nst.global.u32 [x], 1;\nmbarrier.arrive.shared.b64 %rd1, [bar];\nret;\nB:\nbar.sync 0;\n"
		"L: mbarrier.test_wait.parity.relaxed.cta.shared.b64 %p2, [bar], 0;\n@!%p2 bra L;\nld.global.u32 %r2, [x];\nret;\n}\n",
		1, 2, (const char *const[]){"P1:%r2", NULL}, 1);
	cr_expect(t.result->outcomes.list.count == 2 && has(&t, 0, 0) && t.result->nraces == 1);
	ptx_test_free(&t);
	/* Two arrivals in either order complete the phase; both stores are visible. */
	explore(&t,
		HEAD
		".visible .entry k()\n{\n.reg .pred %p<4>;\n.reg .b32 %r<8>;\n.reg .b64 %rd<4>;\n.shared .align 8 .b64 bar;\nmov.u32 %r1, %tid.x;\nsetp.ne.u32 %p1, %r1, 0;\n@%p1 bra I;\n"
		"mbarrier.init.shared.b64 [bar], 2;\nI: bar.sync 0;\nsetp.eq.u32 %p1, %r1, 2;\n@%p1 bra W;\nsetp.eq.u32 %p1, %r1, 0;\n@%p1 st.global.u32 [x], 1;\n@!%p1 st.global.u32 [y], 1;\n"
		"mbarrier.arrive.shared.b64 _, [bar];\nret;\nW:\nL: mbarrier.try_wait.parity.shared.b64 %p2, [bar], 0;\n@!%p2 bra L;\nld.global.u32 %r2, [x];\nld.global.u32 %r3, [y];\nret;\n}\n",
		1, 3, (const char *const[]){"P2:%r2", "P2:%r3", NULL}, 1);
	/* No thread can distinguish the two orders of the arrivals, so they count as one. */
	cr_expect(t.result->executions == 1 && t.result->outcomes.list.count == 1 &&
		has(&t, 1, 1) && !t.result->nraces);
	ptx_test_free(&t);
	/* No thread arrives: the wait never ends. */
	explore(&t,
		HEAD
		".visible .entry k()\n{\n.reg .pred %p<4>;\n.shared .align 8 .b64 bar;\nmbarrier.init.shared.b64 [bar], 1;\nL: mbarrier.try_wait.parity.shared.b64 %p2, [bar], 0;\n@!%p2 bra L;\nret;\n}\n",
		1, 1, (const char *const[]){"x", NULL}, 1);
	cr_expect(t.result->executions == 0 && t.result->stuck.list.count == 1);
	ptx_test_free(&t);
}

/* A cluster of two CTAs: CTA 0 stores into CTA 1's shared memory; barrier.cluster orders, and
 * arrive.relaxed does not. */
Test(explore_ptx, clusters)
{
	static const char *const arrive[] = {
		"barrier.cluster.arrive;", "barrier.cluster.arrive.relaxed;"};
	for (unsigned k = 0; k < 2; k++) {
		struct ptx_test t;
		char text[2048];
		snprintf(text, sizeof text,
			HEAD
			".visible .entry k() .reqnctapercluster 2, 1, 1\n{\n.reg .pred %%p<4>;\n.reg .b32 %%r<8>;\n.shared .u32 s;\nmov.u32 %%r1, %%cluster_ctarank;\nsetp.ne.u32 %%p1, %%r1, 0;\n@%%p1 bra B;\n"
			"mov.u32 %%r2, s;\nmapa.shared::cluster.u32 %%r3, %%r2, 1;\nst.shared::cluster.u32 [%%r3], 7;\n%s\nbarrier.cluster.wait;\nret;\nB:\n%s\nbarrier.cluster.wait;\nld.shared.u32 %%r4, [s];\nret;\n}\n",
			arrive[k], arrive[k]);
		explore(&t, text, 2, 1, (const char *const[]){"P1:%r4", NULL}, 1);
		cr_expect(explore_complete(t.result) && has(&t, 7, 0) &&
				t.result->outcomes.list.count == 1 + k && t.result->nraces == k,
			"%u outcomes, %u races, %s", t.result->outcomes.list.count,
			t.result->nraces, t.result->fault ? t.result->fault : "");
		ptx_test_free(&t);
	}
}

Test(explore_ptx, lanes_together)
{
	struct ptx_test t;
	/* The sum of 1 to 4 by shuffles; every lane receives it, and the shuffles do not order
	 * memory. */
	explore(&t,
		HEAD
		".visible .entry k()\n{\n.reg .pred %p<4>;\n.reg .b32 %r<8>;\nmov.u32 %r1, %tid.x;\nadd.u32 %r2, %r1, 1;\nshfl.sync.bfly.b32 %r3, %r2, 1, 31, 15;\nadd.u32 %r2, %r2, %r3;\n"
		"shfl.sync.bfly.b32 %r3, %r2, 2, 31, 15;\nadd.u32 %r2, %r2, %r3;\nsetp.gt.u32 %p1, %r1, 1;\nvote.sync.ballot.b32 %r4, %p1, 15;\nret;\n}\n",
		1, 4, (const char *const[]){"P0:%r2", "P3:%r4", NULL}, 1);
	cr_expect(t.result->executions == 1 && has(&t, 10, 12));
	ptx_test_free(&t);
	explore(&t,
		HEAD
		".visible .entry k()\n{\n.reg .pred %p<4>;\n.reg .b32 %r<8>;\nmov.u32 %r1, %tid.x;\nsetp.ne.u32 %p1, %r1, 0;\n@!%p1 st.global.u32 [x], 1;\nshfl.sync.idx.b32 %r3, %r1, 1, 31, 3;\n"
		"@%p1 ld.global.u32 %r4, [x];\nret;\n}\n",
		1, 2, (const char *const[]){"P0:%r3", "P1:%r4", NULL}, 1);
	cr_expect(t.result->outcomes.list.count == 2 && has(&t, 1, 0) && has(&t, 1, 1) &&
		t.result->nraces == 1);
	ptx_test_free(&t);
}
