/* The explorer on PTX kernels, at its bounds: orders that it omits, loops that it follows, and what
 * it rejects. A comment explains every verdict. */
#include "tests/unit/explore_ptx.h"

/* Four threads count under a cas lock; the result is the same for any number of workers. They are
 * symmetric: 24 executions that differ in the order of the threads are one. */
Test(explore_ptx_bounds, lock)
{
	static const char text[] = HEAD
		".visible .entry k()\n{\n.reg .pred %p<3>;\n.reg .b32 %r<16>;\nSPIN:\natom.acquire.gpu.global.cas.b32 %r1, [x], 0, 1;\nsetp.ne.s32 %p1, %r1, 0;\n"
		"@%p1 bra SPIN;\nld.global.u32 %r2, [y];\nadd.s32 %r3, %r2, 1;\nst.global.u32 [y], %r3;\nst.release.gpu.global.u32 [x], 0;\nret;\n}\n";
	for (unsigned jobs = 1; jobs <= 4; jobs *= 2) {
		struct ptx_test t;
		for (int all = 0; all < 2; all++) {
			all_orders = all;
			explore(&t, text, 4, 1, (const char *const[]){"x", "y", NULL}, jobs);
			cr_expect(t.result->executions == (all ? 24 : 1) &&
				t.result->outcomes.list.count == 1 && has(&t, 0, 4) &&
				!t.result->nraces && explore_complete(t.result));
			ptx_test_free(&t);
		}
	}
}

/* CTAs 1 and 2 add their numbers to x; CTA 0 executes what follows this after it has read w. */
#define LATE \
	"mov.u32 %r4, %ctaid.x;\nsetp.eq.u32 %p1, %r4, 0;\n@%p1 bra L;\nred.relaxed.gpu.global.add.u32 [x], %r4;\nret;\nE: ret;\n" \
	"L: ld.relaxed.gpu.global.u32 %r1, [w];\nsetp.ne.u32 %p1, %r1, 0;\n@%p1 bra E;\n"

/* An mbarrier that expects two arrivals. */
#define TWO_EXPECTED \
	".shared .align 8 .b64 b;\nmov.u32 %r4, %tid.x;\nsetp.eq.u32 %p1, %r4, 0;\n@%p1 mbarrier.init.shared.b64 [b], 2;\nbar.sync 0;\n"

/* Omitting orders loses nothing. Kernels of symmetric threads, correct and broken, and of commuting
 * atoms, with and without a thread that observes them. */
Test(explore_ptx_bounds, fewer_orders)
{
	static const struct {
		const char *text;
		uint32_t grid, block;
	} kernel[] = {
		/* no order between the critical sections */
		{"S: atom.relaxed.gpu.global.cas.b32 %r1, [x], 0, 1;\nsetp.ne.s32 %p1, %r1, 0;\n@%p1 bra S;\nld.global.u32 %r2, [y];\nadd.s32 %r3, %r2, 1;\nst.global.u32 [y], %r3;\nst.relaxed.gpu.global.u32 [x], 0;",
			3, 1},
		{"S: atom.acquire.gpu.global.exch.b32 %r1, [x], 1;\nsetp.ne.s32 %p1, %r1, 0;\n@%p1 bra S;\nld.global.u32 %r2, [y];\nadd.s32 %r3, %r2, 1;\nst.global.u32 [y], %r3;\nst.release.gpu.global.u32 [x], 0;",
			3, 1},
		/* a ticket lock */
		{"atom.relaxed.gpu.global.add.u32 %r1, [x], 1;\nS: ld.acquire.gpu.global.u32 %r2, [w];\nsetp.ne.s32 %p1, %r1, %r2;\n@%p1 bra S;\nld.global.u32 %r2, [y];\nadd.s32 %r3, %r2, 1;\nst.global.u32 [y], %r3;\nred.release.gpu.global.add.u32 [w], 1;",
			3, 1},
		/* a lost update */
		{"ld.relaxed.gpu.global.u32 %r1, [x];\nadd.u32 %r1, %r1, 1;\nst.relaxed.gpu.global.u32 [x], %r1;\nred.global.add.u32 [y], %r1;",
			3, 1},
		/* one thread reads a counter while others count */
		{"mov.u32 %r4, %ctaid.x;\nsetp.eq.u32 %p1, %r4, 0;\n@%p1 bra L;\nred.global.add.u32 [x], %r4;\nret;\nL: ld.relaxed.gpu.global.u32 %r1, [x];\nst.relaxed.gpu.global.u32 [y], %r1;",
			4, 1},
		/* ... and when they have counted: message passing through a counter */
		{"mov.u32 %r4, %ctaid.x;\nsetp.eq.u32 %p1, %r4, 0;\n@%p1 bra L;\nred.release.gpu.global.add.u32 [x], 1;\nret;\nL: ld.acquire.gpu.global.u32 %r1, [x];\nsetp.ne.u32 %p1, %r1, 3;\n@%p1 bra L;\nst.relaxed.gpu.global.u32 [y], %r1;",
			4, 1},
		/* ... and counts its failed attempts */
		{"mov.u32 %r4, %ctaid.x;\nsetp.eq.u32 %p1, %r4, 0;\n@%p1 bra L;\nred.release.gpu.global.add.u32 [x], 1;\nret;\nL: ld.acquire.gpu.global.u32 %r1, [x];\nadd.u32 %r2, %r2, 1;\nmin.u32 %r2, %r2, 2;\nsetp.ne.u32 %p1, %r1, 2;\n@%p1 bra L;\nst.relaxed.gpu.global.u32 [y], %r2;",
			3, 1},
		/* a store between the atoms */
		{"mov.u32 %r4, %ctaid.x;\nsetp.eq.u32 %p1, %r4, 0;\n@%p1 st.relaxed.gpu.global.u32 [x], 10;\nred.global.add.u32 [x], 1;\nred.global.max.u32 [y], %r4;",
			3, 1},
		/* the last thread to arrive does something */
		{"atom.global.add.u32 %r1, [x], 1;\nsetp.eq.u32 %p1, %r1, 2;\n@%p1 st.global.u32 [y], 7;",
			3, 1},
		/* an mbarrier that expects fewer arrivals than there are */
		{".shared .align 8 .b64 b;\nmov.u32 %r4, %tid.x;\nsetp.eq.u32 %p1, %r4, 0;\n@%p1 mbarrier.init.shared.b64 [b], 2;\nbar.sync 0;\nred.shared.add.u32 [z], 1;\nmbarrier.arrive.shared.b64 _, [b];\n"
		 "setp.ne.u32 %p1, %r4, 0;\n@%p1 ret;\nW: mbarrier.test_wait.parity.shared.b64 %p2, [b], 0;\n@!%p2 bra W;\nld.shared.u32 %r2, [z];\nst.global.u32 [y], %r2;",
			1, 4},
		/* a single test of a phase */
		{".shared .align 8 .b64 b;\nmov.u32 %r4, %tid.x;\nsetp.eq.u32 %p1, %r4, 0;\n@%p1 mbarrier.init.shared.b64 [b], 3;\nbar.sync 0;\nst.shared.u32 [z], 1;\nmbarrier.arrive.shared.b64 _, [b];\n"
		 "mbarrier.test_wait.parity.shared.b64 %p2, [b], 0;\nselp.u32 %r1, 1, 0, %p2;\nshl.b32 %r1, %r1, %r4;\nred.global.or.b32 [x], %r1;",
			1, 3},
		/* what accesses a location only after additions have been ordered: an arrival that
		 * may take another's place in the phase, */
		{".shared .align 8 .b64 b;\n.shared .u32 v;\nmov.u32 %r4, %tid.x;\nsetp.eq.u32 %p1, %r4, 0;\n@%p1 mbarrier.init.shared.b64 [b], 2;\nbar.sync 0;\nsetp.eq.u32 %p1, %r4, 3;\n@%p1 bra W;\nsetp.eq.u32 %p1, %r4, 2;\n@%p1 bra L;\n"
		 "setp.eq.u32 %p1, %r4, 0;\n@%p1 st.shared.u32 [z], 1;\n@!%p1 st.shared.u32 [v], 1;\nA: mbarrier.arrive.shared.b64 _, [b];\nret;\n"
		 "L: ld.relaxed.cta.global.u32 %r1, [w];\nsetp.eq.u32 %p1, %r1, 0;\n@%p1 bra A;\nret;\n"
		 "W: mbarrier.test_wait.parity.shared.b64 %p2, [b], 0;\n@!%p2 bra W;\nld.shared.u32 %r1, [z];\nld.shared.u32 %r2, [v];\nst.global.u32 [x], %r1;\nst.global.u32 [y], %r2;",
			1, 4},
		/* another operation, */
		{LATE "red.relaxed.gpu.global.max.u32 [x], 1;", 3, 1},
		/* an addition of another scope, */
		{LATE "red.relaxed.cta.global.add.u32 [x], 4;", 3, 1},
		/* or whose result is used, */
		{LATE "atom.relaxed.gpu.global.add.u32 %r1, [x], 1;\nst.global.u32 [y], %r1;", 3,
			1},
		/* a store, */
		{LATE "st.relaxed.gpu.global.u32 [x], 7;", 3, 1},
		/* a load, */
		{LATE "ld.relaxed.gpu.global.u32 %r1, [x];\nst.global.u32 [y], %r1;", 3, 1},
		/* one more addition, */
		{LATE "red.relaxed.gpu.global.add.u32 [x], 4;", 3, 1},
		/* or one that may come before the store that the others add to */
		{"mov.u32 %r4, %ctaid.x;\nsetp.eq.u32 %p1, %r4, 0;\n@%p1 bra L;\nst.relaxed.gpu.global.u32 [x], 10;\nred.relaxed.gpu.global.add.u32 [x], 1;\nred.relaxed.gpu.global.add.u32 [x], 2;\nret;\nE: ret;\n"
		 "L: ld.relaxed.gpu.global.u32 %r1, [w];\nsetp.ne.u32 %p1, %r1, 0;\n@%p1 bra E;\nred.relaxed.gpu.global.add.u32 [x], 4;",
			2, 1},
		/* a fence that comes after a waiting addition and may precede one already ordered
		 */
		{"mov.u32 %r4, %ctaid.x;\nsetp.eq.u32 %p1, %r4, 1;\n@%p1 bra L;\nst.global.u32 [y], 1;\nmembar.gl;\nred.relaxed.gpu.global.add.u32 [x], 1;\nret;\nE: ret;\n"
		 "L: ld.relaxed.gpu.global.u32 %r1, [w];\nred.relaxed.gpu.global.add.u32 [x], 2;\nsetp.ne.u32 %p1, %r1, 0;\n@%p1 bra E;\nmembar.gl;\nld.global.u32 %r2, [y];\nadd.u32 %r2, %r2, 7;\nst.global.u32 [y], %r2;",
			2, 1},
		/* three arrivals of one thread, which a wait follows, and an earlier one that may
		 * come last */
		{TWO_EXPECTED
			"setp.eq.u32 %p1, %r4, 1;\n@%p1 bra A;\nld.relaxed.cta.global.u32 %r1, [w];\n"
			"mbarrier.arrive.shared.b64 _, [b];\nmbarrier.arrive.shared.b64 _, [b];\nmbarrier.arrive.shared.b64 _, [b];\nld.shared.u32 %r2, [z];\nst.global.u32 [x], %r2;\n"
			"W: mbarrier.test_wait.parity.shared.b64 %p2, [b], 0;\n@!%p2 bra W;\nst.global.u32 [y], 1;\nret;\nA: mbarrier.arrive.shared.b64 _, [b];",
			1, 2},
		/* one thread whose two arrivals, known late, can complete the phase without the
		 * other's */
		{TWO_EXPECTED
			"setp.eq.u32 %p1, %r4, 1;\n@%p1 bra W;\nsetp.eq.u32 %p1, %r4, 2;\n@%p1 bra L;\nst.shared.u32 [z], 1;\nmbarrier.arrive.shared.b64 _, [b];\nret;\n"
			"W: mbarrier.test_wait.parity.shared.b64 %p2, [b], 0;\n@!%p2 bra W;\nld.shared.u32 %r1, [z];\nst.global.u32 [x], %r1;\nret;\n"
			"L: ld.relaxed.cta.global.u32 %r1, [w];\nsetp.eq.u32 %p1, %r1, 1;\n@%p1 bra S;\nmbarrier.arrive.shared.b64 _, [b];\nS: mbarrier.arrive.shared.b64 _, [b];",
			1, 3},
		/* a wait that may miss the phase, so that its thread never arrives */
		{TWO_EXPECTED
			"setp.eq.u32 %p1, %r4, 1;\n@%p1 bra W;\nld.relaxed.cta.global.u32 %r1, [w];\nsetp.eq.u32 %p1, %r1, 1;\n@%p1 bra S;\n"
			"S: mbarrier.arrive.shared.b64 _, [b];\nmbarrier.arrive.shared.b64 _, [b];\nmbarrier.arrive.shared.b64 _, [b];\nret;\n"
			"W: mbarrier.test_wait.parity.shared.b64 %p2, [b], 1;\n@!%p2 bra W;\nmbarrier.arrive.shared.b64 _, [b];\nst.global.u32 [y], 1;",
			1, 2},
	};
	for (uint32_t k = 0; k < sizeof kernel / sizeof *kernel; k++) {
		char text[4096], what[32];
		snprintf(what, sizeof what, "kernel %u", k);
		snprintf(text, sizeof text,
			HEAD
			".global .u32 w;\n.shared .u32 z;\n.visible .entry k()\n{\n.reg .pred %%p<3>;\n.reg .b32 %%r<8>;\n%s\nret;\n}\n",
			kernel[k].text);
		compare_orders(text, kernel[k].grid, kernel[k].block,
			(const char *const[]){"x", "y", NULL}, what);
	}
}

/* What is not explored is reported by name, and only if some thread reaches it. */
Test(explore_ptx_bounds, refusals)
{
	/* The message, functions and variables, and the kernel's text. */
	static const char *const kernel[][3] = {
		/* Every use of a clock that affects something. */
		{"a clock", "", "mov.u32 %r1, %clock;\nst.global.u32 [x], %r1;"},
		{"a clock", "", "mov.u32 %r1, %clock;\nred.relaxed.gpu.global.add.u32 [x], %r1;"},
		{"a clock", "",
			"mov.u32 %r1, %clock;\nsetp.eq.u32 %p1, %r1, 7;\n@%p1 st.global.u32 [x], 1;"},
		{"a clock", "",
			"mov.u32 %r1, %clock;\nsetp.eq.u32 %p1, %r1, 7;\n@%p1 bra L;\nst.global.u32 [x], 1;\nL:"},
		{"a clock", "",
			"mov.u32 %r1, %clock;\nsetp.eq.u32 %p1, %r1, 7;\nmov.u32 %r2, 1;\n@%p1 mov.u32 %r2, 2;\nst.global.u32 [x], %r2;"},
		{"a clock", "",
			"mov.u32 %r1, %clock;\nsetp.eq.u32 %p1, %r1, 7;\nmov.u32 %r2, 1;\n@%p1 bra L;\nmov.u32 %r2, 2;\nL: st.global.u32 [x], %r2;"},
		{"a clock", "",
			"mov.u32 %r1, %clock;\ncvt.u64.u32 %rd1, %r1;\nld.global.u32 %r2, [%rd1];"},
		{"a clock", "", "mov.u32 %r1, %clock;\nand.b32 %r1, %r1, 1;\nbar.sync %r1;"},
		{"a clock", ".func (.reg .b32 %r) f(.reg .b32 %a)\n{\nmov.u32 %r, %a;\nret;\n}\n",
			"mov.u32 %r1, %clock;\ncall (%r2), f, (%r1);\nst.global.u32 [x], %r2;"},
		{"vprintf",
			".extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);\n",
			"{\n.param .b64 f;\n.param .b64 a;\n.param .b32 r;\nst.param.b64 [f], 0;\nst.param.b64 [a], 0;\ncall (r), vprintf, (f, a);\nld.param.b32 %r1, [r];\n}\nst.global.u32 [x], %r1;"},
		{"malloc", ".extern .func (.param .b64 r) malloc(.param .b64 n);\n",
			"{\n.param .b64 n;\n.param .b64 r;\nst.param.b64 [n], 8;\ncall (r), malloc, (n);\n}"},
		/* Lane 1 is absent. */
		{"shfl reads from a lane", "",
			"shfl.sync.idx.b32 %r1, %r2, 1, 31, 1;\nst.global.u32 [x], %r1;"},
		{"16 activations",
			".func f(.reg .b32 %n)\n{\n.reg .pred %p;\n.reg .b32 %m;\nsub.u32 %m, %n, 1;\nsetp.ne.u32 %p, %m, 0;\n@%p call f, (%m);\nret;\n}\n",
			"mov.u32 %r1, 17;\ncall f, (%r1);"},
		{NULL, ".func f(.reg .b32 %n)\n{\n.reg .pred %p;\n.reg .b32 %m;\nsub.u32 %m, %n, 1;\nsetp.ne.u32 %p, %m, 0;\n@%p call f, (%m);\nret;\n}\n",
			"mov.u32 %r1, 16;\ncall f, (%r1);"},
		{"no body here", ".extern .func f();\n",
			"mov.u64 %rd1, f;\np: .callprototype _ ();\ncall %rd1, p;"},
		{"alloca: ", "", "alloca.u64 %rd1, 16;"},
		{"discard, which makes memory undefined", "", "discard.global.L2 [%rd1], 128;"},
		{"multimem: ", "", "multimem.st.relaxed.gpu.global.u32 [%rd1], %r1;"},
		{"clusterlaunchcontrol: ", ".shared .align 16 .b8 s[32];\n",
			"clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.b128 [s], [s+16];"},
		{"txq, which the explorer does not follow", ".global .texref t;\n",
			"txq.width.b32 %r1, [t];"},
		{"fabric, which ptxi does not execute", "", "fabric.submit;"},
		{"istypep, which the explorer does not follow", "", "istypep.texref %p1, %rd1;"},
		{"more than 64 elements to global memory",
			".global .align 16 .b8 big[512];\n.shared .align 16 .b8 s[512];\n",
			"mov.u64 %rd1, big;\ncp.async.bulk.global.shared::cta.bulk_group [%rd1], [s], 512;"},
		{"more asynchronous operations of one thread", ".shared .align 16 .b8 s[16];\n",
			"mov.u64 %rd1, x;\nL:\ncp.async.ca.shared.global [s], [%rd1], 4;\nadd.u32 %r1, %r1, 1;\nsetp.lt.u32 %p1, %r1, 65;\n@%p1 bra L;"},
		{"larger than the explorer accepts",
			".func f(.reg .b32 %n)\n{\n.reg .pred %p;\n.reg .b32 %m;\nsub.u32 %m, %n, 1;\nsetp.eq.u32 %p, %m, 0;\n@%p ret;\ncall f, (%m);\ncall f, (%m);\nret;\n}\n",
			"mov.u32 %r1, 12;\ncall f, (%r1);"},
		{NULL, "",
			"mov.u32 %r1, %clock;\nmov.u32 %r2, %clock;\nsub.u32 %r1, %r2, %r1;\nnanosleep.u32 %r1;"},
		{NULL, "",
			"setp.eq.u32 %p1, %r1, 7;\n@%p1 mov.u32 %r1, %clock;\n@%p1 st.global.u32 [x], %r1;"},
	};
	for (uint32_t k = 0; k < sizeof kernel / sizeof *kernel; k++) {
		char text[2048];
		struct ptx_test t;
		snprintf(text, sizeof text,
			".version 9.4\n.target sm_100\n.address_size 64\n.global .align 8 .u32 x;\n%s.visible .entry k()\n{\n.reg .pred %%p<4>;\n.reg .b32 %%r<4>;\n.reg .b64 %%rd<4>;\n%s\nret;\n}\n",
			kernel[k][1], kernel[k][2]);
		explore(&t, text, 1, 1, (const char *const[]){"x", NULL}, 1);
		if (kernel[k][0])
			cr_expect(t.result->unsupported && t.result->fault &&
					strstr(t.result->fault, kernel[k][0]),
				"%s: %s", kernel[k][2],
				t.result->fault ? t.result->fault : "explored");
		else
			cr_expect(!t.result->fault && t.result->executions == 1, "%s: %s",
				kernel[k][2], t.result->fault ? t.result->fault : "no execution");
		ptx_test_free(&t);
	}
}

/* A kernel is refused before the search if it comes to an instruction that is not explored whatever
 * it reads; otherwise only where a thread does come to it. */
Test(explore_ptx_bounds, refused_at_once)
{
	static const char wait[] =
		"W: atom.or.acquire.gpu.global.b32 %r1, [y], 1;\nsetp.eq.u32 %p1, %r1, 0;\n@%p1 bra W;\n",
			  use[] = "discard.global.L2 [x], 128;\n";
	static const struct {
		const char *before, *after;
		bool at_once, refused;
	} want[] = {{"", "", true, true}, {wait, "", true, true}, {"bar.sync 0;\n", "", true, true},
		{"ld.relaxed.gpu.global.u32 %r1, [y];\nsetp.eq.u32 %p1, %r1, 0;\n@%p1 bra E;\n",
			"E:\n", false, false},
		{"atom.add.relaxed.gpu.global.u32 %r1, [y], 1;\nsetp.eq.u32 %p1, %r1, 0;\n@!%p1 bra E;\n",
			"E:\n", false, true},
		{"mov.u32 %r1, %nctaid.x;\nsetp.eq.u32 %p1, %r1, 1;\n@%p1 ret;\n", "", false,
			false},
		{"mov.u32 %r1, %nctaid.x;\nsetp.eq.u32 %p1, %r1, 2;\n@%p1 ret;\n", "", true, true}};
	for (uint32_t k = 0; k < sizeof want / sizeof *want; k++) {
		struct ptx_test t;
		char text[1024];
		snprintf(text, sizeof text,
			HEAD
			".visible .entry k()\n{\n.reg .pred %%p<2>;\n.reg .b32 %%r<2>;\n%s%s%sret;\n}\n",
			want[k].before, use, want[k].after);
		explore(&t, text, 1, 1, (const char *const[]){"y", NULL}, 1);
		cr_expect_eq(t.program->refusal != NULL, want[k].at_once, "%s", want[k].before);
		cr_expect_eq(t.result->unsupported, want[k].refused, "%s", want[k].before);
		cr_expect_eq(!t.result->executions, want[k].refused, "%s", want[k].before);
		ptx_test_free(&t);
	}
}

/* CTA 1 spins forever if it reads one value, and waits at a barrier if it reads the other: each is
 * reported by its own name, whichever is found first. */
Test(explore_ptx_bounds, deadlock_beside_livelock)
{
	for (unsigned spins_at = 0; spins_at < 2; spins_at++) {
		struct ptx_test t;
		char other[512];
		bool seen[2] = {false};
		snprintf(other, sizeof other,
			"ld.relaxed.gpu.global.u32 %%r1, [x];\nsetp.eq.u32 %%p2, %%r1, %u;\n@%%p2 bra L;\nbar.sync 1, 64;\nret;\n"
			"L: ld.relaxed.gpu.global.u32 %%r2, [y];\nsetp.eq.u32 %%p2, %%r2, 0;\n@%%p2 bra L;",
			spins_at);
		two(&t, "st.relaxed.gpu.global.u32 [x], 1;", other, "x", "y");
		cr_expect(!t.result->executions);
		cr_assert_eq(t.result->stuck.list.count, 2);
		for (uint32_t i = 0; i < 2; i++) {
			const uint64_t *row = t.result->stuck.list.data[i].value;
			bool spins = row[STUCK_STATUS(1)] == EXPLORE_SPINS;
			cr_expect_eq(row[STUCK_STATUS(0)], EXPLORE_ENDED);
			cr_expect(spins || row[STUCK_STATUS(1)] == EXPLORE_BLOCKED);
			cr_expect_eq(row[STUCK_KIND], spins ? STUCK_LIVELOCK : STUCK_DEADLOCK,
				"spins at %u", spins_at);
			seen[spins] = true;
		}
		cr_expect(seen[0] && seen[1]);
		ptx_test_free(&t);
	}
}

/* The message for a launch that is too large, before anything is explored, or NULL. */
static const char *refusal(struct ptx_test *t, const char *text, uint32_t grid)
{
	struct assemble_options a = {0};
	struct machine_options m = {.jobs = 1, .devices = 1};
	struct explore_options o = {.jobs = 1};
	struct machine_launch l = {.grid = {grid, 1, 1}, .block = {1, 1, 1}, .params = ""};
	const char *words = NULL;
	*t = (struct ptx_test){0};
	t->module = assemble(source_new(&t->arena, "test.ptx", text, strlen(text)), &a, &t->diags);
	cr_assert(t->module != NULL, "%s", t->diags.first ? t->diags.first->message : "");
	l.func = ir_find_func(t->module, "k");
	t->machine = machine_new(t->module, &m, &t->diags);
	cr_assert(machine_launch(t->machine, &l));
	if (!ptx_program(t->machine, NULL, NULL, 0, &o, &t->arena, &t->diags)) {
		cr_assert(t->diags.first);
		words = t->diags.first->message;
	}
	machine_free(t->machine);
	ir_module_free(t->module);
	return words;
}

static void refusal_free(struct ptx_test *t)
{
	arena_free(&t->arena);
	diags_free(&t->diags);
}

/* NFUNCS functions of 255 parameters and a call, through a register, of any of them. */
static void put_call_of_many(
	struct text *out, unsigned nfuncs, bool reg_formals, bool reg_arguments)
{
	const char *formal = reg_formals ? ".reg .b32" : ".param .b32";
	const char *argument = reg_arguments ? "%r1" : "a";
	text_puts(out, ".version 8.6\n.target sm_90\n.address_size 64\n");
	for (unsigned f = 0; f < nfuncs; f++) {
		text_printf(out, ".func f%u(", f);
		for (unsigned k = 0; k < 255; k++)
			text_printf(out, "%s%s p%u", k ? ", " : "", formal, k);
		text_puts(out, ")\n{\nret;\n}\n");
	}
	text_puts(out,
		".visible .entry k()\n{\n.reg .b64 %rd1;\n.reg .b32 %r1;\n.param .b32 a;\nmov.u64 %rd1, f0;\nlist: .calltargets ");
	for (unsigned f = 0; f < nfuncs; f++)
		text_printf(out, "%sf%u", f ? ", " : "", f);
	text_puts(out, ";\ncall %rd1, (");
	for (unsigned k = 0; k < 255; k++)
		text_printf(out, "%s%s", k ? ", " : "", argument);
	text_puts(out, "), list;\nret;\n}\n");
}

/* More threads, values in a kernel, or values passed by one call than are supported. */
Test(explore_ptx_bounds, refusals_of_sizes)
{
	struct ptx_test t;
	struct text text = {0};
	static const char one[] = HEAD ".visible .entry k()\n{\nret;\n}\n",
			  registers[] = "more registers than the explorer accepts";
	const char *words = refusal(&t, one, 32768);
	cr_expect(!words, "%s", words);
	refusal_free(&t);
	words = refusal(&t, one, 32769);
	cr_expect(words && strstr(words, "at most 32768 threads"));
	refusal_free(&t);
	text_puts(&text, HEAD ".visible .entry k()\n{\n.reg .b32 %r<65538>;\n");
	for (unsigned k = 0; k < 65538; k += 3)
		text_printf(&text, "add.u32 %%r%u, %%r%u, %%r%u;\n", k, k + 1, k + 2);
	text_puts(&text, "ret;\n}\n");
	words = refusal(&t, text_str(&text), 1);
	cr_expect(words && strstr(words, registers));
	refusal_free(&t);
	for (unsigned k = 0; k < 8; k++) {
		bool fits = k & 1, reg_formals = k & 2, reg_arguments = k & 4;
		text.len = 0;
		put_call_of_many(&text, fits ? 16 : 17, reg_formals, reg_arguments);
		words = refusal(&t, text_str(&text), 1);
		if (fits || (!reg_formals && !reg_arguments))
			cr_expect(!words, "%s", words);
		else
			cr_expect(words && strstr(words, registers), "%u", k);
		refusal_free(&t);
	}
	text_free(&text);
}

/* An observed register must not contain a time; nine lanes are too many to try every way in which
 * they may execute together. */
Test(explore_ptx_bounds, refusals_of_registers_and_lanes)
{
	struct ptx_test t;
	explore(&t,
		HEAD ".visible .entry k()\n{\n.reg .b32 %r<4>;\nmov.u32 %r1, %clock;\nret;\n}\n", 1,
		1, (const char *const[]){"P0:%r1", NULL}, 1);
	cr_expect(t.result->unsupported && strstr(t.result->fault, "an observed register"));
	ptx_test_free(&t);
	explore(&t, HEAD ".visible .entry k()\n{\n.reg .b32 %r<4>;\nactivemask.b32 %r1;\nret;\n}\n",
		1, 9, (const char *const[]){"x", NULL}, 1);
	cr_expect(t.result->unsupported && strstr(t.result->fault, "more than 8 lanes"));
	ptx_test_free(&t);
}

/* Every partition of the lanes of a warp occurs once: 1, 2, 5, 15, 52 (Bell's numbers); and for any
 * number of workers. */
Test(explore_ptx_bounds, partitions)
{
	static const uint64_t bell[] = {1, 1, 2, 5, 15, 52};
	for (uint32_t lanes = 1; lanes <= 5; lanes++) {
		struct ptx_test t;
		explore(&t,
			HEAD
			".visible .entry k()\n{\n.reg .b32 %r<4>;\nactivemask.b32 %r1;\nret;\n}\n",
			1, lanes, (const char *const[]){"P0:%r1", NULL}, lanes % 2 ? 1 : 4);
		cr_expect(!t.result->fault && t.result->executions == bell[lanes] &&
				t.result->outcomes.list.count == 1u << (lanes - 1),
			"%u lanes: %lu executions", lanes, (unsigned long)t.result->executions);
		cr_expect(t.result->stuck.list.count == 0);
		ptx_test_free(&t);
	}
}

/* CTA 1 loops until it reads what CTA 0 writes. A round that leaves no trace is a spin, and all but
 * the last are omitted; one that wrote, or synchronised, is followed as often as the bound
 * allows. */
Test(explore_ptx_bounds, rounds_that_leave_a_trace)
{
	static const struct {
		const char *round;
		bool trace;
	} rows[] = {
		{"", false},
		{"ld.shared.u32 %r2, [s];", false},
		{"fence.acq_rel.gpu;", false},
		{"fence.proxy.async;", false},
		{"red.relaxed.gpu.global.add.u32 [y], 0;", false},
		{"atom.relaxed.gpu.global.exch.b32 %r2, [y], 0;", false},
		{"atom.relaxed.gpu.global.cas.b32 %r2, [y], 1, 2;", false},
		{"st.local.u32 [l], 5;", false},
		{"mbarrier.test_wait.parity.shared.b64 %p3, [b], 0;", false},
		{"cp.async.wait_all;", false},
		{"st.weak.global.u32 [y], 0;", true},
		{"st.shared.u32 [s], 0;", true},
		{"st.bulk.weak.shared::cta [s], 8, 0;", true},
		{"red.relaxed.gpu.global.add.u32 [y], 1;", true},
		{"atom.relaxed.gpu.global.exch.b32 %r2, [y], 1;\natom.relaxed.gpu.global.exch.b32 %r2, [y], 0;",
			true},
		{"ld.local.u32 %r2, [l];\nadd.u32 %r2, %r2, 1;\nst.local.u32 [l], %r2;", true},
		{"cp.async.ca.shared.global [s], [y], 4;", true},
		{"st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [s], 0, [b];", true},
		{"mbarrier.init.shared.b64 [b], 1;", true},
		{"mbarrier.arrive.shared.b64 _, [b];", true},
		{"mbarrier.expect_tx.relaxed.cta.shared.b64 [b], 0;", true},
		{"bar.sync 0;", true},
		{"bar.warp.sync 1;", true},
		{"vote.sync.any.pred %p3, %p1, 1;", true},
		{"activemask.b32 %r2;", true},
		{"barrier.cluster.arrive;\nbarrier.cluster.wait;", true},
	};
	for (uint32_t k = 0; k < sizeof rows / sizeof *rows; k++) {
		char text[2048];
		struct ptx_test t;
		snprintf(text, sizeof text,
			".version 9.4\n.target sm_100\n.address_size 64\n.global .align 8 .u32 x, y;\n.shared .align 8 .u32 s[2];\n.shared .align 8 .b64 b;\n"
			".visible .entry k()\n{\n.reg .pred %%p<4>;\n.reg .b32 %%r<4>;\n.local .u32 l;\nmov.u32 %%r1, %%ctaid.x;\nsetp.ne.u32 %%p1, %%r1, 0;\n@%%p1 bra B;\nst.relaxed.gpu.global.u32 [x], 1;\nret;\n"
			"B:\nmbarrier.init.shared.b64 [b], 1;\nst.local.u32 [l], 5;\nL:\nld.relaxed.gpu.global.u32 %%r1, [x];\n%s\nsetp.eq.u32 %%p2, %%r1, 0;\n@%%p2 bra L;\nret;\n}\n",
			rows[k].round);
		explore(&t, text, 2, 1, (const char *const[]){"P1:%r1", NULL}, 1);
		cr_expect(!t.result->fault, "%s: %s", rows[k].round, t.result->fault);
		cr_expect_eq(t.result->bound_reached, rows[k].trace, "%s", rows[k].round);
		cr_expect(t.result->outcomes.list.count == 1 && has(&t, 1, 0), "%s", rows[k].round);
		cr_expect_eq(t.result->executions, rows[k].trace ? 6 : 1, "%s: %llu", rows[k].round,
			(unsigned long long)t.result->executions);
		ptx_test_free(&t);
	}
}

/* CTA 1, or CTA 0, waits for x, which is never written, in a loop that reads more than x; the other
 * CTA does OTHER. It spins forever: this is reported, or that it is undecided, whatever was read
 * first. */
Test(explore_ptx_bounds, spins_beside_other_reads)
{
	static const struct {
		const char *round, *other;
		bool first, decided;
	} rows[] = {
		{"ld.relaxed.gpu.global.u32 %r1, [x];", "st.relaxed.gpu.global.u32 [y], 1;", false,
			true},
		{"ld.relaxed.gpu.global.u32 %r2, [y];\nor.b32 %r3, %r3, %r2;\nld.relaxed.gpu.global.u32 %r1, [x];",
			"st.relaxed.gpu.global.u32 [y], 5;", false, false},
		{"ld.relaxed.gpu.global.u32 %r1, [x];\nred.relaxed.gpu.global.add.u32 [y], 0;",
			"red.relaxed.gpu.global.add.u32 [y], 1;", false, false},
		{"ld.relaxed.gpu.global.u32 %r1, [x];\nred.relaxed.gpu.global.add.u32 [y], 0;",
			"red.relaxed.gpu.global.add.u32 [y], 1;", true, false},
		{"red.relaxed.gpu.global.add.u32 [y], 0;\nld.relaxed.gpu.global.u32 %r1, [x];",
			"red.relaxed.gpu.global.add.u32 [y], 1;", false, true},
		/* the other's addition is ordered after that of a round */
		{"red.relaxed.gpu.global.add.u32 [y], 0;\nld.relaxed.gpu.global.u32 %r1, [x];",
			"red.relaxed.gpu.global.add.u32 [y], 1;", true, false},
	};
	for (uint32_t k = 0; k < sizeof rows / sizeof *rows; k++) {
		char text[1024];
		struct ptx_test t;
		snprintf(text, sizeof text,
			HEAD
			".visible .entry k()\n{\n.reg .pred %%p<2>;\n.reg .b32 %%r<5>;\nmov.u32 %%r3, 0;\nmov.u32 %%r4, %%ctaid.x;\nsetp.eq.u32 %%p1, %%r4, %u;\n@%%p1 bra L;\n%s\nret;\nL:\n%s\nsetp.eq.u32 %%p1, %%r1, 0;\n@%%p1 bra L;\nst.relaxed.gpu.global.u32 [y], %%r3;\nret;\n}\n",
			!rows[k].first, rows[k].other, rows[k].round);
		explore(&t, text, 2, 1, (const char *const[]){"y", NULL}, 1);
		cr_expect(!t.result->executions && !t.result->bound_reached, "row %u", k);
		cr_expect_eq(t.result->stuck.list.count, rows[k].decided, "row %u", k);
		cr_expect_eq(explore_complete(t.result), rows[k].decided, "row %u", k);
		cr_expect_eq(t.result->lost_spin, !rows[k].decided, "row %u", k);
		ptx_test_free(&t);
	}
}

/* An exchange that leaves a lock unchanged may still restore what a weak store changed: then the
 * loop is bounded, which is reported. */
Test(explore_ptx_bounds, exchange_and_weak_store)
{
	struct ptx_test t;
	two(&t, "st.relaxed.gpu.global.u32 [x], 1;\nret;",
		"L: atom.relaxed.gpu.global.exch.b32 %r1, [x], 0;\nsetp.eq.u32 %p2, %r1, 0;\n@%p2 bra L;",
		"P1:%r1", "x");
	cr_expect(t.result->executions == 1 && has(&t, 1, 0));
	ptx_test_free(&t);
	explore(&t,
		HEAD
		".visible .entry k()\n{\n.reg .pred %p<4>;\n.reg .b32 %r<16>;\nmov.u32 %r15, %ctaid.x;\nsetp.ne.u32 %p1, %r15, 0;\n@%p1 bra L;\nst.global.u32 [x], 1;\nret;\n"
		"L: atom.relaxed.gpu.global.exch.b32 %r1, [x], 0;\nsetp.eq.u32 %p2, %r1, 0;\n@%p2 bra L;\nret;\n}\n",
		2, 1, (const char *const[]){"x", NULL}, 1);
	cr_expect(t.result->bound_reached && !explore_complete(t.result));
	ptx_test_free(&t);
}
