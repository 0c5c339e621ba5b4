/* CTA barriers, counted as by hardware, and lanes of a warp that synchronise at an instruction. */
#include "interp/observer.h"
#include "tests/unit/world.h"

/* --- CTA barriers --- */

Test(barrier, all_warps_meet)
{
	struct world *w = load(
		HEAD KERNEL(k,
			".shared .b32 s[128]; mov.u32 %r5, s; mad.lo.u32 %r6, %r0, 4, %r5; st.shared.u32 [%r6], %r0; bar.sync 0;\n"
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
	struct world *w = load(
		HEAD KERNEL(k,
			"setp.lt.u32 %p0, %r0, 64; @%p0 exit; bar.sync 3; st.global.u32 [%rd3], 1; ret;"),
		NULL);

	cr_assert_eq(run(w, "k", 1, 128), MACHINE_DONE);
	cr_assert_eq(w->word[127], 1);
	done(w);
}

Test(barrier, counted_barrier_with_an_exited_warp_hangs)
{
	struct world *w = load(
		HEAD KERNEL(k, "setp.lt.u32 %p0, %r0, 32; @%p0 exit; bar.sync 1, 64; ret;"), NULL);

	cr_assert_eq(run(w, "k", 1, 64), MACHINE_DEADLOCK);
	cr_assert(found(w, DIAG_D0101));
	cr_assert(noted(w, "barrier 1, phase 0: 32 of 64 threads have arrived"));
	cr_assert(noted(w, "warp 0 has exited without reaching barrier 1"));
	done(w);
}

Test(barrier, half_a_warp_counts_for_all_of_it)
{
	struct world *w = load(
		HEAD KERNEL(k,
			"setp.lt.u32 %p0, %r0, 16; @%p0 exit; barrier.sync 1, 32; st.global.u32 [%rd3], 1; ret;"),
		NULL);

	cr_assert_eq(run(w, "k", 1, 32), MACHINE_DONE);
	cr_assert_eq(w->word[16], 1);
	done(w);
	w = load(
		HEAD KERNEL(k,
			"setp.ge.u32 %p0, %r0, 48; @%p0 exit; barrier.sync 1, 64; st.global.u32 [%rd3], 1; ret;"),
		NULL);
	cr_assert_eq(run(w, "k", 1, 64), MACHINE_DONE);
	cr_assert_eq(w->word[47], 1);
	done(w);
}

Test(barrier, two_places_in_one_warp)
{
	struct world *w = load(
		HEAD KERNEL(k,
			"and.b32 %r5, %r0, 16; setp.eq.u32 %p0, %r5, 0; @%p0 bra low; bar.sync 0; bra on;\nlow: bar.sync 0;\non: st.global.u32 [%rd3], 1; ret;"),
		NULL);

	cr_assert_eq(run(w, "k", 1, 64), MACHINE_DONE);
	for (unsigned t = 0; t < 64; t++)
		cr_assert_eq(w->word[t], 1);
	cr_assert(found(w, DIAG_S0104), "the divergence is reported");
	done(w);
}

Test(barrier, odd_lanes_go_to_another_barrier)
{
	struct world *w = load(
		HEAD KERNEL(k,
			"and.b32 %r5, %r0, 1; setp.eq.u32 %p0, %r5, 0; @%p0 bar.sync 0; bar.sync 1; st.global.u32 [%rd3], 1; ret;"),
		NULL);

	cr_assert_eq(run(w, "k", 1, 64), MACHINE_DONE);
	cr_assert_eq(w->word[0] + w->word[63], 2);
	done(w);
}

Test(barrier, crossed_barriers_deadlock)
{
	struct world *w = load(
		HEAD KERNEL(k,
			"setp.ge.u32 %p0, %r0, 32; @%p0 bra b; bar.sync 1, 64; bar.sync 2, 64; ret;\nb: bar.sync 2, 64; bar.sync 1, 64; ret;"),
		NULL);

	cr_assert_eq(run(w, "k", 1, 64), MACHINE_DEADLOCK);
	cr_assert(noted(w, "warp 1 has not reached barrier 1: threads 32 to 63 wait at barrier 2"));
	cr_assert_eq(w->diags.first->nlabels, 2);
	done(w);
}

Test(barrier, each_warp_its_own_phase)
{
	struct world *w = load(
		HEAD KERNEL(k, "bar.sync 1, 32; st.global.u32 [%rd3], 1; ret;"), NULL);

	cr_assert_eq(run(w, "k", 1, 64), MACHINE_DONE);
	cr_assert_eq(w->word[63], 1);
	done(w);
}

Test(barrier, arrive_does_not_wait)
{
	/* Warp 0 produces, warp 1 consumes; ping-pong over two barriers. */
	struct world *w = load(
		HEAD KERNEL(k,
			".shared .u32 s; mov.u32 %r9, 0; mov.u32 %r10, 0; setp.ge.u32 %p0, %r0, 32; @%p0 bra consumer;\n"
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
	struct world *w = load(
		HEAD KERNEL(k,
			"setp.ge.u32 %p0, %r0, 90; @%p0 exit; and.b32 %r5, %r0, 1; setp.eq.u32 %p1, %r5, 0; setp.lt.u32 %p5, %r0, 1000;\n"
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
	/* continues as barrier 0 */
	w = load(HEAD KERNEL(k, "bar.sync %r2; st.global.u32 [%rd3], 1; ret;"), NULL);
	cr_assert_eq(run(w, "k", 1, 64), MACHINE_DONE);
	cr_assert(found(w, DIAG_S0105));
	cr_assert_eq(w->word[63], 1);
	done(w);
	w = load(
		HEAD KERNEL(k,
			"bar.arrive 1, 128; bar.arrive 1, 128; bar.arrive 1, 128; bar.sync 1, 128; st.global.u32 [%rd3], 1; ret;"),
		NULL);
	cr_assert_eq(run(w, "k", 1, 32), MACHINE_DONE); /* each arrival counts */
	cr_assert(found(w, DIAG_S0103));
	cr_assert_eq(w->word[31], 1);
	done(w);
	w = load(
		HEAD KERNEL(k,
			"setp.lt.u32 %p0, %r0, 32; @%p0 bra a; bar.sync 1, 96; ret;\na: bar.sync 1, 64; ret;"),
		NULL);
	cr_assert_eq(run(w, "k", 1, 64), MACHINE_FAULT);
	cr_assert(found(w, DIAG_S0101));
	done(w);
	w = load(
		HEAD KERNEL(k,
			"setp.lt.u32 %p0, %r0, 32; @%p0 bra a; bar.red.popc.u32 %r5, 0, %p0; ret;\na: bar.sync 0; ret;"),
		NULL);
	cr_assert_eq(run(w, "k", 1, 64), MACHINE_FAULT);
	cr_assert(found(w, DIAG_S0102));
	done(w);
}

Test(barrier, a_count_of_zero_is_all_of_the_cta)
{
	struct world *w = load(
		HEAD KERNEL(k,
			"setp.lt.u32 %p0, %r0, 32; @%p0 exit; bar.sync 0, 0; st.global.u32 [%rd3], 1; ret;"),
		NULL);

	cr_assert_eq(run(w, "k", 1, 64), MACHINE_DONE);
	cr_assert_eq(w->word[63], 1);
	done(w);
}

Test(barrier, lanes_that_spin_keep_their_warp_from_arriving)
{
	/* Hangs on hardware: the odd lanes wait for a flag that is set after the barrier at which
	 * the even lanes wait. */
	struct world *w = load(
		HEAD KERNEL(k,
			"and.b32 %r5, %r0, 1; setp.ge.u32 %p2, %r0, 32; @%p2 bra second; setp.eq.u32 %p0, %r5, 0; @%p0 bra even;\n"
			"spin: ld.volatile.global.u32 %r6, [%rd1+1024]; setp.eq.u32 %p1, %r6, 0; @%p1 bra spin; ret;\n"
			"even: bar.sync 0; ret;\nsecond: bar.sync 0; st.volatile.global.u32 [%rd1+1024], 1; ret;"),
		NULL);

	cr_assert_eq(run(w, "k", 1, 64), MACHINE_DEADLOCK);
	cr_assert(found(w, DIAG_D0201));
	done(w);
}

Test(barrier, a_barrier_inside_a_function)
{
	struct world *w = load(HEAD
		".func meet() { bar.sync 0; ret; }\n" KERNEL(k,
			".shared .b32 s[64]; mov.u32 %r5, s; mad.lo.u32 %r6, %r0, 4, %r5; st.shared.u32 [%r6], %r0; call meet;\n"
			"xor.b32 %r7, %r0, 63; mad.lo.u32 %r7, %r7, 4, %r5; ld.shared.u32 %r8, [%r7]; st.global.u32 [%rd3], %r8; ret;"),
		NULL);

	cr_assert_eq(run(w, "k", 1, 64), MACHINE_DONE);
	cr_assert_eq(w->word[10], 53);
	done(w);
}

/* --- inside a warp --- */

Test(gather, halves_meet_at_bar_warp_sync)
{
	struct world *w = load(
		HEAD KERNEL(k,
			".shared .b32 s[32]; mov.u32 %r5, s; mad.lo.u32 %r6, %r0, 4, %r5; setp.lt.u32 %p0, %r0, 16; @%p0 bra low;\n"
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
	struct world *w = load(
		HEAD KERNEL(k,
			"setp.lt.u32 %p0, %r0, 16; @%p0 bra low; bar.warp.sync -1; bra on;\nlow: bar.warp.sync -1;\non: st.global.u32 [%rd3], 1; ret;"),
		NULL);

	cr_assert_eq(run(w, "k", 1, 32), MACHINE_DONE);
	cr_assert_eq(w->word[0] + w->word[31], 2);
	done(w);
}

Test(gather, vote_waits_for_the_lanes_of_its_mask)
{
	/* Lanes execute loops of different lengths, then all vote. */
	struct world *w = load(
		HEAD KERNEL(k,
			"mov.u32 %r5, 0;\nagain: add.u32 %r5, %r5, 1; setp.lt.u32 %p0, %r5, %r0; @%p0 bra again;\n"
			"and.b32 %r6, %r0, 1; setp.eq.u32 %p1, %r6, 1; vote.sync.ballot.b32 %r7, %p1, -1; st.global.u32 [%rd3], %r7; ret;"),
		NULL);

	cr_assert_eq(run(w, "k", 1, 32), MACHINE_DONE);
	for (unsigned t = 0; t < 32; t++)
		cr_assert_eq(w->word[t], 0xaaaaaaaa);
	done(w);
}

Test(gather, the_same_instruction_at_two_places)
{
	/* As on hardware: vote.sync in both arms of a branch is one vote, with each arm's own
	 * operands. */
	struct world *w = load(
		HEAD KERNEL(k,
			"and.b32 %r5, %r0, 1; setp.eq.u32 %p1, %r5, 0; setp.eq.u32 %p2, %r5, 1; setp.lt.u32 %p0, %r0, 16; @%p0 bra low;\n"
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
	struct world *w = load(HEAD
		".func (.reg .u32 r) f(.reg .u32 a) { .reg .pred %p; setp.ne.u32 %p, a, 1; vote.sync.ballot.b32 r, %p, -1; ret; }\n" KERNEL(
			k,
			"setp.lt.u32 %p0, %r0, 16; @%p0 bra low; call (%r7), f, (%r0); bra on;\nlow: call (%r7), f, (%r0);\non: st.global.u32 [%rd3], %r7; ret;"),
		NULL);

	cr_assert_eq(run(w, "k", 1, 32), MACHINE_DONE);
	for (unsigned t = 0; t < 32; t++)
		cr_assert_eq(w->word[t], 0xfffffffd);
	done(w);
}

Test(gather, shuffles_at_two_places)
{
	struct world *w = load(
		HEAD KERNEL(k,
			"add.u32 %r5, %r0, 100; setp.lt.u32 %p0, %r0, 16; @%p0 bra low; shfl.sync.idx.b32 %r7, %r5, 3, 31, -1; bra on;\n"
			"low: shfl.sync.idx.b32 %r7, %r0, 20, 31, -1;\non: st.global.u32 [%rd3], %r7; ret;"),
		NULL);

	cr_assert_eq(run(w, "k", 1, 32), MACHINE_DONE);
	for (unsigned t = 0; t < 32; t++)
		cr_assert_eq(w->word[t], t < 16 ? 120u : 3u);
	done(w);
}

Test(gather, halves_with_their_own_masks_and_exited_lanes)
{
	struct world *w = load(
		HEAD KERNEL(k,
			"setp.eq.u32 %p0, %r0, 5; @%p0 exit; setp.lt.u32 %p1, %r0, 16; selp.b32 %r5, 0xffff, 0xffff0000, %p1; setp.ge.u32 %p2, %r0, 0;\n"
			"vote.sync.ballot.b32 %r7, %p2, %r5; st.global.u32 [%rd3], %r7; ret;"),
		NULL);

	cr_assert_eq(run(w, "k", 1, 32), MACHINE_DONE);
	cr_assert_eq(w->word[0], 0xffdf);
	cr_assert_eq(w->word[31], 0xffff0000);
	done(w);
}

Test(gather, lanes_that_never_come)
{
	struct world *w = load(
		HEAD KERNEL(k,
			"setp.lt.u32 %p0, %r0, 16; @%p0 bra low; bar.sync 1, 64; ret;\nlow: bar.warp.sync -1; ret;"),
		NULL);

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

/* --- the phases reported to observers --- */

struct phases {
	uint64_t asked[64];
	bool complete[64];
	unsigned n;
};

static void note_phase(struct observer *o, const struct sync_event *e)
{
	struct phases *p = o->self;

	if (e->kind != SYNC_MBARRIER_WAIT && e->kind != SYNC_MBARRIER_WAITING)
		return;
	cr_assert(p->n < 64);
	p->complete[p->n] = e->kind == SYNC_MBARRIER_WAIT;
	p->asked[p->n++] = e->phase;
}

/* Four phases; in each a wait by state and one by parity, before and after the phase is
 * complete. */
Test(mbarrier, every_wait_tells_its_phase)
{
	static const char text[] = HEAD KERNEL(k,
		".shared .b64 m; .reg .b64 %s<2>; mov.u32 %r5, 0; mbarrier.init.shared.b64 [m], 2; L: and.b32 %r6, %r5, 1; mbarrier.arrive.shared.b64 %s0, [m];\n"
		"mbarrier.test_wait.shared.b64 %p1, [m], %s0; mbarrier.test_wait.parity.shared.b64 %p2, [m], %r6; mbarrier.arrive.shared.b64 %s1, [m];\n"
		"mbarrier.test_wait.shared.b64 %p3, [m], %s0; mbarrier.try_wait.parity.shared.b64 %p4, [m], %r6; add.u32 %r5, %r5, 1; setp.lt.u32 %p0, %r5, 4; @%p0 bra L; ret;");

	for (unsigned checks = 0; checks < 2; checks++) {
		struct machine_options o = {.jobs = 1, .checks = checks ? CHECK_SYNC : 0};
		struct world *w = load(text, &o);
		struct phases p = {{0}, {false}, 0};
		struct observer watch = {.interest = INTEREST_SYNC, .self = &p, .sync = note_phase};

		machine_observe(w->machine, &watch);
		cr_assert_eq(run(w, "k", 1, 1), MACHINE_DONE);
		cr_assert_eq(p.n, 16);
		for (unsigned k = 0; k < p.n; k++) {
			cr_expect_eq(p.asked[k], k / 4, "wait %u asks for phase %u, checks %u", k,
				(unsigned)p.asked[k], checks);
			cr_expect_eq(p.complete[k], k % 4 >= 2, "wait %u", k);
		}
		done(w);
	}
}
