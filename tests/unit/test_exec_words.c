/* The messages of findings that golden files cannot have with --check=all, and those of
 * --check=init for atomic operations, calls, branches and collective instructions. */
#include "tests/unit/kernels.h"

#define FILE_OF(body) HEAD BEGIN body END

struct said {
	const char *body, *words;
	uint32_t threads;
	enum diag_code code;
};

static void said(const struct said *s, size_t n, uint8_t checks)
{
	for (size_t i = 0; i < n; i++) {
		char *text = malloc(strlen(HEAD BEGIN END) + strlen(s[i].body) + 1);

		sprintf(text, "%s%s%s", HEAD BEGIN, s[i].body, END);
		struct kernel *k = kernel_load(text, checks, 1, true);

		kernel_run(k, 1, s[i].threads, 0);
		cr_expect(kernel_found(k, s[i].code), "%s\n%s", s[i].body, text_str(&k->text));
		cr_expect_not_null(strstr(text_str(&k->text), s[i].words), "%s\n%s", s[i].body,
			text_str(&k->text));
		cr_expect_eq(k->diags.count, 1, "%s\n%s", s[i].body, text_str(&k->text));
		kernel_done(k);
		free(text);
	}
}

Test(exec_words, where_a_shuffle_reads)
{
	static const struct said list[] = {
		{"shfl.sync.idx.b32 %r5, %r0, 24, 31, -1;",
			"lane 0 reads from lane 24, which does not exist: the block is smaller: the value is undefined",
			20, DIAG_S0109},
		{"shfl.sync.idx.b32 %r5, %r0, 25, 31, -1;",
			"lane 0 reads from lane 25, which does not exist: the block is smaller: the value is undefined",
			20, DIAG_S0109},
		{"setp.ge.u32 %p1, %r0, 16; @%p1 exit; bar.warp.sync 0xffff; shfl.sync.bfly.b32 %r5, %r0, 18, 31, -1;",
			"lane 0 reads from lane 18, which has exited: the value is undefined", 32,
			DIAG_S0109},
		{"setp.ge.u32 %p1, %r0, 16; @%p1 exit; bar.warp.sync 0xffff; shfl.sync.bfly.b32 %r5, %r0, 17, 31, -1;",
			"lane 0 reads from lane 17, which has exited: the value is undefined", 32,
			DIAG_S0109},
		{"setp.eq.u32 %p1, %r0, 19; @%p1 exit; bar.warp.sync 0x7ffff; shfl.sync.idx.b32 %r5, %r0, 19, 31, -1;",
			"lane 0 reads from lane 19, which has exited: the value is undefined", 20,
			DIAG_S0109},
		{"setp.ge.u32 %p1, %r0, 18; @%p1 exit; bar.warp.sync 0x3ffff; setp.eq.u32 %p2, %r0, 17; selp.u32 %r6, 0x20000, 0x1ffff, %p2; shfl.sync.idx.b32 %r5, %r0, 17, 31, %r6;",
			"lane 0 reads from lane 17, which is not in its membermask: the value is undefined",
			32, DIAG_S0109},
		{"setp.lt.u32 %p1, %r0, 8; @%p1 shfl.sync.idx.b32 %r5, %r0, 9, 31, 0xff;",
			"lane 0 reads from lane 9, which is not in its membermask: the value is undefined",
			32, DIAG_S0109},
	};

	said(list, sizeof list / sizeof *list, CHECK_SYNC | CHECK_BOUNDS);
}

Test(exec_words, what_has_no_value)
{
	static const struct said list[] = {
		{".shared .b32 s[4]; atom.shared.add.u32 %r5, [s+4], 1;",
			"the operand in memory of an atomic operation was never written: s[1] in shared memory",
			1, DIAG_R0201},
		{".shared .b32 s[4]; atom.shared.cas.b32 %r5, [s], 1, 2;",
			"the operand in memory of an atomic operation was never written: s[0] in shared memory",
			1, DIAG_R0201},
		{".shared .b32 s[4]; st.shared.u32 [s], 1; atom.shared.add.u32 %r5, [%r7], 1;",
			"register %r7, used in the address of an atomic operation, has no value: it was never written",
			1, DIAG_R0201},
		{"atom.global.add.u32 %r5, [%rd1], %r7;",
			"register %r7, given to an atomic operation, has no value", 1, DIAG_R0201},
		{"atom.global.cas.b32 %r5, [%rd1], 0, %r7;",
			"register %r7, given to an atomic operation, has no value", 1, DIAG_R0201},
		{"atom.global.cas.b32 %r5, [%rd1], %r7, 0;",
			"register %r7, given to an atomic operation, has no value", 1, DIAG_R0201},
		{".shared .b32 s[4]; st.shared.u32 [%r7], 1;",
			"register %r7, used in the address of a store, has no value", 1,
			DIAG_R0201},
		{".shared .b32 s[4]; ld.shared.u32 %r5, [%r7];",
			"register %r7, used in the address of a load, has no value", 1, DIAG_R0201},
		{"vote.sync.any.pred %p1, 1, %r7;",
			"register %r7, used as a membermask, has no value", 1, DIAG_R0201},
		{"t: .branchtargets a, b; brx.idx %r7, t; a: bra b; b:",
			"register %r7, used as the index of a branch, has no value", 1, DIAG_R0201},
		{"setp.eq.u32 %p1, %r7, 5; @%p1 bra L; st.global.u32 [%rd1], 1; L:",
			"register %p1, used as the condition of a branch, has no value: it was computed from %r7, which was never written",
			1, DIAG_R0201},
		{"setp.eq.u32 %p1, %r7, 5; @!%p1 st.global.u32 [%rd1], 1;",
			"register %p1, used as a guard, has no value: it was computed from %r7, which was never written",
			1, DIAG_R0201},
		{"add.u32 %r8, %r7, 5; mov.u32 %r9, %r8; st.global.u32 [%rd1], %r9;",
			"register %r9, stored to global memory, has no value: it was computed from %r7, which was never written",
			1, DIAG_R0201},
		{".shared .b32 s[4]; ld.shared.u32 %r7, [s+8]; add.u32 %r8, %r7, 5; st.global.u32 [%rd1], %r8;",
			"of memory that was never written (s[2] in shared memory)", 1, DIAG_R0201},
		{".local .b32 l[4]; ld.local.u32 %r7, [l+8]; add.u32 %r8, %r7, 5; st.global.u32 [%rd1], %r8;",
			"of memory that was never written (byte 0x8 of the local memory window)", 1,
			DIAG_R0201},
		{"isspacep.global %p1, %rd7; @%p1 bra L; L:",
			"register %p1, used as the condition of a branch, has no value: it was computed from %rd7, which was never written",
			1, DIAG_R0201},
	};

	said(list, sizeof list / sizeof *list, CHECK_INIT | CHECK_BOUNDS);
}

/* A register that an instruction has written is defined, whatever it was before. */
Test(exec_words, results_have_values)
{
	static const char *const list[] = {
		"isspacep.global %p1, %rd1; @%p1 bra L; L:",
		"cvta.to.global.u64 %rd7, %rd1; st.global.u32 [%rd7], 1;",
		"activemask.b32 %r7; st.global.u32 [%rd1], %r7;",
		"elect.sync %r7|%p1, -1; @%p1 st.global.u32 [%rd1], %r7;",
		"match.all.sync.b32 %r7|%p1, %r0, -1; @%p1 st.global.u32 [%rd1], %r7;",
		"vote.sync.uni.pred %p1, 1, -1; @%p1 bra L; L:",
		"vote.sync.ballot.b32 %r7, 1, -1; st.global.u32 [%rd1], %r7;",
		"redux.sync.add.u32 %r7, %r0, -1; st.global.u32 [%rd1], %r7;",
		"shfl.sync.idx.b32 %r7|%p1, %r0, 0, 31, -1; @%p1 st.global.u32 [%rd1], %r7;",
		"bar.red.popc.u32 %r7, 0, 1; st.global.u32 [%rd1], %r7;",
		"bar.red.and.pred %p1, 0, 1; @%p1 bra L; L:",
		"atom.global.add.u32 %r7, [%rd1], 1; st.global.u32 [%rd1+4], %r7;",
		"ld.global.v2.u32 {%r7, %r8}, [%rd1]; st.global.v2.u32 [%rd1+8], {%r8, %r7};",
		"mov.u32 %r7, %clock; st.global.u32 [%rd1], %r7;",
		"mov.b64 {%r7, %r8}, %rd1; st.global.v2.u32 [%rd1], {%r7, %r8};",
		"mov.b64 %rd7, {%r0, %r1}; st.global.u64 [%rd1], %rd7;",
		"not.pred %p1, 1; @%p1 bra L; L:",
		".shared .align 8 .b64 s; mbarrier.init.shared.b64 [s], 1; mbarrier.arrive.shared.b64 %rd7, [s]; mbarrier.test_wait.shared.b64 %p1, [s], %rd7; @%p1 bra L; L: st.global.u64 [%rd1], %rd7;",
		".shared .align 8 .b64 s; mbarrier.init.shared.b64 [s], 2; mbarrier.arrive.noComplete.shared.b64 %rd7, [s], 1; mbarrier.pending_count.b64 %r7, %rd7; st.global.u32 [%rd1], %r7;",
		"mapa.shared::cluster.u32 %r7, 0, 0; getctarank.shared::cluster.u32 %r8, %r7; st.global.v2.u32 [%rd1], {%r7, %r8};",
		"stacksave.u64 %rd7; alloca.u64 %rd8, 16; stackrestore.u64 %rd7; st.global.v2.u64 [%rd1], {%rd7, %rd8};",
		"createpolicy.fractional.L2::evict_last.b64 %rd7, 1.0; st.global.u64 [%rd1], %rd7;",
	};

	for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
		char text[2048];

		snprintf(text, sizeof text, "%s%s%s", HEAD BEGIN, list[i], END);
		struct kernel *k = kernel_load(
			text, CHECK_INIT | CHECK_BOUNDS | CHECK_SYNC, 1, true);

		kernel_run(k, 1, 1, 0);
		cr_expect_eq(k->status, MACHINE_DONE, "%s\n%s", list[i], text_str(&k->text));
		cr_expect_eq(k->diags.count, 0, "%s\n%s", list[i], text_str(&k->text));
		kernel_done(k);
	}
}

/* Every vote, with .sync among some lanes and among all, for different predicates. */
Test(exec_words, votes)
{
	static const uint32_t says[] = {0, 1, 2, 0x80000000, 0x7fffffff, 0xfffffffe, UINT32_MAX,
		0xff, 0xff00, 0xfe, 0xff01};

	for (size_t i = 0; i < sizeof says / sizeof *says; i++)
		for (unsigned some = 0; some < 2; some++) {
			uint32_t members = some ? 0xff : UINT32_MAX, yes = says[i] & members;
			uint32_t want = (uint32_t)(yes == members) | (uint32_t)(yes != 0) << 1 |
				(uint32_t)(yes == members || !yes) << 2;
			char text[2048];

			snprintf(text, sizeof text,
				"%s%smov.u32 %%r5, %u; shr.u32 %%r5, %%r5, %%r0; and.b32 %%r5, %%r5, 1; setp.eq.u32 %%p1, %%r5, 1; setp.ge.u32 %%p2, %%r0, %u; @%%p2 bra L;"
				"vote.sync.all.pred %%p3, %%p1, %u; vote.sync.any.pred %%p4, %%p1, %u; vote.sync.uni.pred %%p5, %%p1, %u; vote.sync.ballot.b32 %%r6, %%p1, %u;"
				"selp.u32 %%r7, 1, 0, %%p3; @%%p4 or.b32 %%r7, %%r7, 2; @%%p5 or.b32 %%r7, %%r7, 4; st.global.u32 [%%rd3], %%r7; st.global.u32 [%%rd3+128], %%r6; L:%s",
				HEAD, BEGIN, says[i], some ? 8 : 32, members, members, members,
				members, END);
			struct kernel *k = kernel_file(text, 32);

			kernel_ok(k);
			for (unsigned lane = 0; lane < (some ? 8 : 32); lane++) {
				cr_expect_eq(k->word[lane], want, "%x %u: %u", says[i], some,
					k->word[lane]);
				cr_expect_eq(k->word[32 + lane], yes);
			}
			kernel_done(k);
		}
}
