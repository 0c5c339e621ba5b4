/* The report of a program that hangs: counts, which threads have arrived and which have not, where
 * they are, the wait cycle, and the likely mistake. */
#include "kernels.h"

#define BARS \
	".shared .align 8 .b64 bar; .shared .align 8 .b64 other; .shared .align 16 .b32 tile[64];\n"
#define LEADER "setp.eq.u32 %p1, %r0, 0;\n"
#define STUCK(threads, body, ...) \
	do { \
		static const char *const parts[] = {__VA_ARGS__}; \
		struct kernel *k = kernel_file(HEAD BARS BEGIN LEADER body END, threads); \
\
		cr_assert_eq(k->status, MACHINE_DEADLOCK, "%s", text_str(&k->text)); \
		for (unsigned i = 0; i < sizeof parts / sizeof *parts; i++) \
			cr_expect_not_null(strstr(text_str(&k->text), parts[i]), \
				"no '%s' in:\n%s", parts[i], text_str(&k->text)); \
		kernel_done(k); \
	} while (0)
#define WAIT(parity) \
	"W" #parity ": mbarrier.try_wait.parity.shared.b64 %p2, [bar], " #parity \
	"; @!%p2 bra W" #parity ";\n"

Test(ledger, a_thread_is_missing)
{
	STUCK(32,
		"@%p1 mbarrier.init.shared.b64 [bar], 32; bar.sync 0; @%p1 exit; mbarrier.arrive.shared.b64 _, [bar];\n" WAIT(
			0),
		"mbarrier 'bar', phase 0: 1 arrival is pending (it expects 32)",
		"threads 1 to 31 wait", "arrived in this phase: threads 1 to 31",
		"thread 0 exited without arriving", "arrive_drop");
}

Test(ledger, count_too_large)
{
	STUCK(31,
		"@%p1 mbarrier.init.shared.b64 [bar], 32; bar.sync 0; mbarrier.arrive.shared.b64 _, [bar];\n" WAIT(
			0),
		"initialised with 32", "but 31 arrive");
}

Test(ledger, bytes_are_missing)
{
	STUCK(32,
		"@%p1 mbarrier.init.shared.b64 [bar], 1; bar.sync 0; @%p1 mbarrier.arrive.expect_tx.shared.b64 _, [bar], 128;\n"
		"@%p1 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [tile], [%rd1], 64, [bar];\n" WAIT(
			0),
		"0 arrivals are pending (it expects 1), tx-count 64",
		"expect_tx announced 128 bytes", "64 were delivered");
}

Test(ledger, wrong_parity)
{
	STUCK(32,
		"@%p1 mbarrier.init.shared.b64 [bar], 32; bar.sync 0; mbarrier.arrive.shared.b64 _, [bar];\n" WAIT(
			0) WAIT(1),
		"phase 1: 32 arrivals are pending", "no thread has arrived in this phase",
		"parity 1");
}

Test(ledger, cp_async_counts_on_top)
{
	STUCK(32,
		"@%p1 mbarrier.init.shared.b64 [bar], 64; bar.sync 0; cp.async.mbarrier.arrive.shared.b64 [bar]; mbarrier.arrive.shared.b64 _, [bar];\n" WAIT(
			0),
		"32 arrivals are pending (it expects 64)", "by cp.async", "without .noinc");
}

Test(ledger, a_ring_of_barriers)
{
	STUCK(64,
		"setp.lt.u32 %p2, %r0, 32; @%p2 bra A; bar.sync 2, 64; bar.sync 1, 64; ret;\nA: bar.sync 1, 64; bar.sync 2, 64;",
		"barrier 1, phase 0: 32 of 64 threads have arrived (warp 0",
		"threads 32 to 63 wait at barrier 2", "wait cycle: warp 0 waits at barrier 1",
		"for warp 1, which waits at barrier 2", "for warp 0");
}

Test(ledger, two_locks)
{
	STUCK(64,
		"setp.lt.u32 %p2, %r0, 32; selp.u64 %rd5, 0, 4, %p2; selp.u64 %rd6, 4, 0, %p2; add.u64 %rd5, %rd1, %rd5; add.u64 %rd6, %rd1, %rd6;\n"
		"and.b32 %r5, %r0, 31; setp.ne.u32 %p3, %r5, 0; @%p3 ret;\n"
		"A: atom.acquire.cta.global.cas.b32 %r6, [%rd5], 0, 1; setp.ne.u32 %p3, %r6, 0; @%p3 bra A; nanosleep.u32 1000;\n"
		"B: atom.acquire.cta.global.cas.b32 %r6, [%rd6], 0, 1; setp.ne.u32 %p3, %r6, 0; @%p3 bra B;",
		"thread 0 in the loop", "polls buffer `out+4`", "thread 32 in the loop",
		"polls buffer `out`", "whose value is 1");
}

Test(ledger, a_ring_of_mbarriers)
{
	STUCK(64,
		"@%p1 mbarrier.init.shared.b64 [bar], 32; @%p1 mbarrier.init.shared.b64 [other], 32; bar.sync 0; setp.lt.u32 %p2, %r0, 32; mov.u32 %r6, 0; @!%p2 bra C;\n"
		"P: mbarrier.arrive.shared.b64 _, [bar]; and.b32 %r5, %r6, 1;\n"
		"U: mbarrier.try_wait.parity.shared.b64 %p3, [other], %r5; @!%p3 bra U; add.u32 %r6, %r6, 1; bra P;\n"
		"C: and.b32 %r5, %r6, 1;\nV: mbarrier.try_wait.parity.shared.b64 %p3, [bar], %r5; @!%p3 bra V; setp.eq.u32 %p3, %r6, 3; @!%p3 mbarrier.arrive.shared.b64 _, [other];\n"
		"add.u32 %r6, %r6, 1; bra C;",
		"mbarrier 'other', phase 3", "wait cycle: warp 0 waits for mbarrier 'other'",
		"where warp 1 has not arrived, which waits for mbarrier 'bar'");
}

/* Findings with one cause are merged: the report of the hang is part of the finding that explains
 * it. */
Test(ledger, phases_out_of_step)
{
	STUCK(64,
		"@%p1 mbarrier.init.shared.b64 [bar], 32; bar.sync 0; mbarrier.arrive.shared.b64 %rd5, [bar];\nW: mbarrier.try_wait.shared.b64 %p2, [bar], %rd5; @!%p2 bra W;\n"
		"bar.sync 0; mbarrier.arrive.shared.b64 _, [bar]; bar.sync 0; setp.ge.u32 %p3, %r0, 32; @%p3 ret;\n" WAIT(
			0),
		"mbarrier 'bar', phase 4");
	STUCK(64,
		"@%p1 mbarrier.init.shared.b64 [bar], 32; bar.sync 0; mbarrier.arrive.shared.b64 %rd5, [bar]; bar.sync 0;\n" WAIT(
			0),
		"phase 0 of mbarrier 'bar' completed with the 32 arrivals that mbarrier.init expects, without this thread's",
		"the program then hangs: livelock", "mbarrier 'bar', phase 2");
	STUCK(64,
		"@%p1 mbarrier.init.shared.b64 [bar], 64; bar.sync 0; mbarrier.arrive.shared.b64 _, [bar];\n" WAIT(
			1) "mbarrier.arrive.shared.b64 _, [bar];\n"
			   "V: mbarrier.try_wait.parity.shared.b64 %p2, [bar], 1; @!%p2 bra V;\n" WAIT(
				   0),
		"the wait for parity 1 at line", "returned at once for thread",
		"until phase 0 completes", "the program then hangs: livelock",
		"mbarrier 'bar', phase 1");
}

Test(ledger, an_mbarrier_is_named_as_the_source_does)
{
	STUCK(32,
		".shared .align 8 .b64 slot[4]; @%p1 mbarrier.init.shared.b64 [slot+16], 64; bar.sync 0; mbarrier.arrive.shared.b64 _, [slot+16];\n"
		"W: mbarrier.try_wait.parity.shared.b64 %p2, [slot+16], 0; @!%p2 bra W;",
		"mbarrier 'slot[2]', phase 0");
	STUCK(32,
		".shared .align 8 .b8 _ZZ1kPiE3bar[16]; @%p1 mbarrier.init.shared.b64 [_ZZ1kPiE3bar+8], 64; bar.sync 0; mbarrier.arrive.shared.b64 _, [_ZZ1kPiE3bar+8];\n"
		"W: mbarrier.try_wait.parity.shared.b64 %p2, [_ZZ1kPiE3bar+8], 0; @!%p2 bra W;",
		"mbarrier 'bar[1]', phase 0");
}
