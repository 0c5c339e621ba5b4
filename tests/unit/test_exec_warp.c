/* Communication between lanes, and special registers. */
#include "tests/unit/kernels.h"

#define FILE_OF(body) HEAD BEGIN body END

Test(exec_warp, vote)
{
	struct kernel *k = kernel_file(
		FILE_OF("setp.lt.u32 %p1, %r0, 5; vote.sync.ballot.b32 %r5, %p1, -1; vote.sync.any.pred %p2, %p1, -1; vote.sync.all.pred %p3, %p1, -1;"
			"vote.sync.uni.pred %p4, %p1, -1; vote.sync.all.pred %p5, !%p3, -1; selp.u32 %r6, 1, 0, %p2; @%p3 add.u32 %r6, %r6, 2; @%p4 add.u32 %r6, %r6, 4;"
			"@%p5 add.u32 %r6, %r6, 8; st.global.u32 [%rd3], %r5; st.global.u32 [%rd3+128], %r6;"
			"setp.lt.u32 %p6, %r0, 16; @%p6 bra A; vote.sync.ballot.b32 %r7, 1, 0xffff0000; bra B; A: vote.sync.ballot.b32 %r7, %p1, 0x0000ffff; B: "
			"st.global.u32 [%rd3+256], %r7; activemask.b32 %r8; st.global.u32 [%rd3+384], %r8;"),
		32);

	kernel_ok(k);
	for (uint32_t i = 0; i < 32; i++) {
		cr_assert_eq(k->word[i], 31);
		cr_assert_eq(k->word[32 + i], 9);
		cr_assert_eq(k->word[64 + i], i < 16 ? 31 : 0xffff0000);
		cr_assert(k->word[96 + i] >> i & 1);
	}
	kernel_done(k);
}

Test(exec_warp, match_redux_elect)
{
	struct kernel *k = kernel_file(
		FILE_OF("and.b32 %r5, %r0, 3; match.any.sync.b32 %r6, %r5, -1; match.all.sync.b32 %r7|%p1, %r5, -1; cvt.u64.u32 %rd5, %r5; match.any.sync.b64 %r8, %rd5, "
			"-1; mov.u32 %r9, 7; match.all.sync.b32 %r10|%p2, %r9, -1; st.global.u32 [%rd3], %r6; selp.u32 %r11, 1, 0, %p1; @%p2 add.u32 %r11, %r11, 2;"
			"xor.b32 %r10, %r10, -1; or.b32 %r11, %r11, %r10; or.b32 %r11, %r11, %r7; st.global.u32 [%rd3+128], %r11; sub.u32 %r6, %r6, %r8; st.global.u32 "
			"[%rd3+256], %r6; redux.sync.add.u32 %r12, %r0, -1; redux.sync.min.s32 %r13, %r0, -1; not.b32 %r14, %r0; redux.sync.max.s32 %r15, %r14, -1; "
			"redux.sync.max.u32 %r16, %r14, -1; redux.sync.and.b32 %r17, %r14, -1; redux.sync.xor.b32 %r18, %r0, -1; elect.sync %r19|%p3, 0xfffffff0 ;"
			"selp.u32 %r20, 100, 0, %p3; add.u32 %r20, %r20, %r19; mad.lo.u32 %r12, %r12, 10, %r13; add.u32 %r12, %r12, %r18; st.global.u32 [%rd3+384], %r12;"
			"add.u32 %r15, %r15, %r16; st.global.u32 [%rd3+512], %r15; st.global.u32 [%rd3+640], %r17; st.global.u32 [%rd3+768], %r20;"),
		32);

	cr_assert_eq(k->status, MACHINE_DONE, "%s", text_str(&k->text));
	for (uint32_t i = 0; i < 32; i++) {
		cr_assert_eq(k->word[i], 0x11111111u << (i & 3));
		cr_assert_eq(k->word[32 + i], 2);
		cr_assert_eq(k->word[64 + i], 0);
		cr_assert_eq(k->word[96 + i], 4960);
		cr_assert_eq(k->word[128 + i], 0xfffffffeu);
		cr_assert_eq(k->word[160 + i], 0xffffffe0u);
		if (i >= 4)
			cr_assert_eq(k->word[192 + i], i == 4 ? 104 : 4);
	}
	kernel_done(k);
}

static void shfl(const char *mode, uint32_t b, uint32_t c, const uint32_t *want, uint32_t preds)
{
	char text[4096];
	struct kernel *k;

	snprintf(text, sizeof text,
		"%sadd.u32 %%r5, %%r0, 100; shfl.sync.%s.b32 %%r5|%%p1, %%r5, %u, %u, -1;%s",
		HEAD BEGIN, mode, b, c,
		"vote.sync.ballot.b32 %r6, %p1, -1; st.global.u32 [%rd3], %r5; st.global.u32 [%rd1+128], %r6;" END);
	k = kernel_file(text, 32);
	kernel_ok(k);
	for (uint32_t i = 0; i < 32; i++)
		cr_assert_eq(k->word[i], 100 + want[i], "%s %u %u: lane %u has %u", mode, b, c, i,
			k->word[i]);
	cr_assert_eq(k->word[32], preds, "%s %u %u: predicates 0x%x", mode, b, c, k->word[32]);
	kernel_done(k);
}

Test(exec_warp, shfl_modes_and_segments)
{
	uint32_t want[32];

#define WANT(expr) \
	for (uint32_t i = 0; i < 32; i++) \
	want[i] = (expr)
	WANT(i >= 3 ? i - 3 : i);
	shfl("up", 3, 0, want, 0xfffffff8);
	WANT(i < 29 ? i + 3 : i);
	shfl("down", 3, 31, want, 0x1fffffff);
	WANT(i ^ 5);
	shfl("bfly", 5, 31, want, UINT32_MAX);
	WANT(8);
	shfl("idx", 40, 31, want, UINT32_MAX);
	/* segments of 8: width w is ((32 - w) << 8) | 31, for up without the 31 */
	WANT((i & 7) >= 2 ? i - 2 : i);
	shfl("up", 2, 24 << 8, want, 0xfcfcfcfc);
	WANT((i & 7) < 6 ? i + 2 : i);
	shfl("down", 2, 24 << 8 | 31, want, 0x3f3f3f3f);
	WANT((i & ~7u) + 3);
	shfl("idx", 3, 24 << 8 | 31, want, UINT32_MAX);
	WANT((i & ~7u) + 3);
	shfl("idx", 11, 24 << 8 | 31, want, UINT32_MAX);
	/* clamp below the segment's end */
	WANT(i < 8 ? 8 - 8 + (i + 1 <= 5 ? i + 1 : i) : i);
	shfl("down", 1, 5, want, 0x1f);
}

Test(exec_warp, lanes_wait_for_each_other)
{
	struct kernel *k = kernel_file(
		FILE_OF("mov.u32 %r5, 0; L: add.u32 %r5, %r5, 1; setp.lt.u32 %p1, %r5, %r0; @%p1 bra L; shfl.sync.idx.b32 %r6, %r5, 31, 31, -1; st.global.u32 [%rd3], %r6;"
			"setp.lt.u32 %p2, %r0, 8; @%p2 exit; vote.sync.ballot.b32 %r7, 1, -1; st.global.u32 [%rd3+128], %r7;"),
		32);

	cr_assert_eq(k->status, MACHINE_DONE, "%s", text_str(&k->text));
	for (uint32_t i = 0; i < 32; i++) {
		cr_assert_eq(k->word[i], 31);
		cr_assert_eq(k->word[32 + i], i < 8 ? 0 : 0xffffff00);
	}
	kernel_done(k);
}

/* A whole warp that executes together, with masks that name each half; and the rest of a short
 * warp. */
Test(exec_warp, each_half_names_itself)
{
	for (uint32_t threads = 24; threads <= 32; threads += 8) {
		struct kernel *k = kernel_file(
			FILE_OF("setp.lt.u32 %p1, %r0, 16; selp.b32 %r9, 0x0000ffff, 0xffff0000, %p1; not.b32 %r10, 0; and.b32 %r11, %r0, 1; setp.eq.u32 %p2, %r11, 0;\n"
				"vote.sync.ballot.b32 %r5, %p2, %r9; st.global.u32 [%rd3], %r5;\n"
				"match.any.sync.b32 %r5, %r11, %r9; st.global.u32 [%rd3+128], %r5;\n"
				"redux.sync.add.u32 %r5, %r0, %r9; st.global.u32 [%rd3+256], %r5;\n"
				"shfl.sync.idx.b32 %r5, %r0, 3, 0x1f, %r9; st.global.u32 [%rd3+384], %r5;\n"
				"vote.sync.all.pred %p3, %p1, %r9; selp.u32 %r5, 1, 0, %p3; st.global.u32 [%rd3+512], %r5;\n"
				"elect.sync %r5|%p4, %r9; st.global.u32 [%rd3+640], %r5; bar.warp.sync %r9;"),
			threads);

		cr_assert_eq(k->status, MACHINE_DONE, "%s", text_str(&k->text));
		for (uint32_t i = 0; i < threads; i++) {
			uint32_t end = i < 16 ? 16 : threads,
				 own = i < 16 ? 0xffff : (threads == 32 ? 0xffff0000 : 0x00ff0000),
				 sum = 0;

			for (uint32_t j = i & 16; j < end; j++)
				sum += j;
			cr_assert_eq(k->word[i], own & 0x55555555, "lane %u of %u: %x", i, threads,
				k->word[i]);
			cr_assert_eq(k->word[32 + i], own & (i & 1 ? 0xaaaaaaaa : 0x55555555));
			cr_assert_eq(k->word[64 + i], sum);
			if (i < 16)
				cr_assert_eq(k->word[96 + i], 3);
			cr_assert_eq(k->word[128 + i], i < 16);
			cr_assert_eq(k->word[160 + i], i & 16);
		}
		kernel_done(k);
	}
}

/* Lane 0's mask names all lanes, the upper half's only itself: although the whole warp is here, a
 * lane must not receive values from lanes outside its membermask. */
Test(exec_warp, halves_that_disagree)
{
	for (uint32_t threads = 24; threads <= 32; threads += 8) {
		struct kernel *k = kernel_file(
			FILE_OF("setp.lt.u32 %p1, %r0, 16; selp.b32 %r9, 0xffffffff, 0xffff0000, %p1; vote.sync.ballot.b32 %r5, 1, %r9; redux.sync.min.u32 %r6, %r0, %r9;\n"
				"vote.sync.any.pred %p2, %p1, %r9; selp.u32 %r7, 1, 0, %p2; mov.u32 %r10, 9; match.any.sync.b32 %r8, %r10, %r9; st.global.u32 [%rd3], %r5;\n"
				"st.global.u32 [%rd3+128], %r6; st.global.u32 [%rd3+256], %r7; st.global.u32 [%rd3+384], %r8;"),
			threads);

		cr_assert_eq(k->status, MACHINE_DONE, "%s", text_str(&k->text));
		for (uint32_t i = 16; i < threads; i++) {
			const uint32_t upper = threads == 32 ? 0xffff0000 : 0x00ff0000;

			cr_assert_eq(k->word[i], upper, "%x", k->word[i]);
			cr_assert_eq(k->word[32 + i], 16);
			cr_assert_eq(k->word[64 + i], 0);
			cr_assert_eq(k->word[96 + i], upper);
		}
		kernel_done(k);
	}
}

Test(exec_sreg, who_am_i)
{
	struct kernel *k = kernel_load(
		FILE_OF("mov.u32 %r5, %laneid; mov.u32 %r6, %warpid; mad.lo.u32 %r5, %r6, 100, %r5; st.global.u32 [%rd3], %r5; mov.u32 %r7, %lanemask_lt; mov.u32 %r8, "
			"%lanemask_le; mov.u32 %r9, %lanemask_eq; mov.u32 %r10, %lanemask_ge; mov.u32 %r11, %lanemask_gt; or.b32 %r12, %r7, %r9; sub.u32 %r12, %r12, %r8;"
			"or.b32 %r13, %r11, %r9; sub.u32 %r13, %r13, %r10; or.b32 %r12, %r12, %r13; popc.b32 %r7, %r7; mad.lo.u32 %r12, %r12, 100, %r7;"
			"st.global.u32 [%rd3+512], %r12; setp.ne.u32 %p1, %r0, 0; @%p1 exit; mov.u32 %r14, %nctaid.x; mov.u32 %r15, %ntid.x; mov.u32 %r16, %ctaid.x;"
			"mov.u32 %r17, %ntid.y; mov.u32 %r18, %tid.z; mov.u32 %r19, %dynamic_smem_size; mov.u32 %r20, %total_smem_size; mov.u32 %r21, %cluster_nctarank;"
			"mov.pred %p2, %is_explicit_cluster; selp.u32 %r22, 1, 0, %p2; mov.u32 %r23, %clusterid.x; mov.u32 %r24, %nwarpid;"
			"st.global.v4.u32 [%rd1+1024], {%r14, %r15, %r16, %r17}; st.global.v4.u32 [%rd1+1040], {%r18, %r19, %r20, %r21}; st.global.v4.u32 [%rd1+1056], "
			"{%r22, %r23, %r24, %r24}; mov.u64 %rd5, %clock64; mov.u64 %rd6, %clock64; sub.u64 %rd7, %rd6, %rd5; mov.u64 %rd8, %globaltimer; st.global.v2.u64 "
			"[%rd1+1072], {%rd7, %rd8}; mov.v4.u32 {%r25, %r26, %r27, %r28}, %tid; st.global.v4.u32 [%rd1+1088], {%r25, %r26, %r27, %r28};"),
		CHECK_BOUNDS, 1, true);
	const uint32_t want[12] = {1, 64, 0, 1, 0, 48, 128, 1, 0, 0, 64, 64};

	kernel_run(k, 1, 64, 48);
	kernel_ok(k);
	for (uint32_t i = 0; i < 64; i++) {
		cr_assert_eq(k->word[i], i / 32 * 100 + i % 32);
		cr_assert_eq(k->word[128 + i], i % 32);
	}
	cr_assert_arr_eq(&k->word[256], want, sizeof want);
	cr_assert_eq(k->wide[134], 1);
	for (uint32_t i = 272; i < 276; i++)
		cr_assert_eq(k->word[i], 0, "%%tid of thread 0 has the components 0, 0, 0, 0");
	cr_assert_neq(k->wide[135], 0);
	kernel_done(k);
}

/* A predicate that a special register is copied to changes in the lanes that execute the copy. */
Test(exec_warp, special_predicate_of_some_lanes)
{
	struct kernel *k = kernel_file(
		FILE_OF("setp.lt.u32 %p1, %r0, 16; setp.ge.u32 %p2, %r0, 8; @%p1 mov.pred %p2, %is_explicit_cluster;"
			"selp.u32 %r5, 1, 0, %p2; st.global.u32 [%rd3], %r5;"),
		32);

	kernel_ok(k);
	for (uint32_t i = 0; i < 32; i++)
		cr_assert_eq(k->word[i], i >= 16);
	kernel_done(k);
}
