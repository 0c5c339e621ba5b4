/* Warnings: each at the right location, and none if the program is right. */
#include "assemble.h"

static const char *warnings(struct assembled *a, const char *declarations, const char *body)
{
	*a = test_body(declarations, body);
	cr_assert_not_null(a->m, "%s: %s", body, a->diags.first ? a->diags.first->message : "");
	assembler_lint(a->m, &a->diags);
	return test_codes(a);
}

#define EXPECT_WARNINGS(declarations, body, codes) \
	do { \
		struct assembled a_; \
		cr_expect_str_eq(warnings(&a_, declarations, body), codes, "%s", body); \
		test_free(&a_); \
	} while (0)

Test(assembler_lint, uninitialised)
{
	EXPECT_WARNINGS("", "ld.param.u64 %rd1, [out]; st.global.u32 [%rd1], %r1;", "W0501");
	EXPECT_WARNINGS("",
		"ld.param.u64 %rd1, [out]; @%p1 mov.u32 %r1, 1; st.global.u32 [%rd1], %r1;",
		"W0501");
	EXPECT_WARNINGS("",
		"mov.u32 %r0, %tid.x; setp.eq.u32 %p1, %r0, 0; @%p1 bra L; mov.u32 %r1, 1; L: add.u32 %r2, %r1, 1;",
		"");
	EXPECT_WARNINGS("",
		"mov.u32 %r0, %tid.x; setp.eq.u32 %p1, %r0, 0; @%p1 bra L; mov.u32 %r1, 1; ret; L: add.u32 %r2, %r1, 1;",
		"W0501");
	EXPECT_WARNINGS(".func (.reg .b32 r) f(.reg .b32 a) { add.u32 r, a, 1; ret; }",
		"call (%r1), f, (3); add.u32 %r2, %r1, 1;", "");
}

/* The registers of an address count as read: its base, the index of a parameter array, and the
 * coordinates of a tensor. */
Test(assembler_lint, uninitialised_in_an_address)
{
#define PREFETCH \
	"ld.param.u64 %rd1, [out]; cp.async.bulk.prefetch.tensor.2d.L2.global.tile [%rd1, {%r1, %r2}];"
	EXPECT_WARNINGS("", "mov.u32 %r1, 0; mov.u32 %r2, 0; " PREFETCH, "");
	EXPECT_WARNINGS("", "mov.u32 %r1, 0; " PREFETCH, "W0501");
	EXPECT_WARNINGS("", "mov.u32 %r2, 0; " PREFETCH, "W0501");
	EXPECT_WARNINGS("", "ld.u32 %r1, [%rd1];", "W0501");
	EXPECT_WARNINGS("", "mov.b64 {%r1, %r2}, %rd1;", "W0501");
	EXPECT_WARNINGS("", "mov.u32 %r1, 0; mov.b64 %rd1, {%r1, %r2};", "W0501");
#undef PREFETCH
}

Test(assembler_lint, unreachable)
{
	EXPECT_WARNINGS("", "mov.u32 %r2, 1; ret; add.u32 %r1, %r2, 1;", "W0502");
	EXPECT_WARNINGS(
		"", "mov.u32 %r2, 1; bra L; mov.u32 %r1, 1; add.u32 %r1, %r2, 1; L: ret;", "W0502");
	/* as compilers leave it after an exit in inline assembly */
	EXPECT_WARNINGS("", "bra L; mov.u32 %r1, 1; L: ret;", "");
	EXPECT_WARNINGS("", "trap; exit;", "");
}

#define TID "mov.u32 %r1, %tid.x; "
Test(assembler_lint, barriers)
{
	EXPECT_WARNINGS("", TID "setp.lt.u32 %p1, %r1, 16; @%p1 bar.sync 0;", "W0503");
	EXPECT_WARNINGS("",
		TID "setp.lt.u32 %p1, %r1, 16; @%p1 bra L; bar.sync 0; L: mov.u32 %r2, 1;",
		"W0503");
	EXPECT_WARNINGS(
		"", TID "setp.lt.u32 %p1, %r1, 16; @%p1 bra L; mov.u32 %r2, 1; L: bar.sync 0;", "");
	/* a write in another block does not matter after a write in this one */
	EXPECT_WARNINGS(".shared .u32 s;",
		TID
		"setp.eq.u32 %p2, %r1, 5; @%p2 bra M; mov.u32 %r2, 1; M: ld.shared.u32 %r1, [s]; setp.lt.u32 %p1, %r1, 16; @%p1 bra L; bar.sync 0; L: mov.u32 %r3, 1;",
		"");
	EXPECT_WARNINGS(
		"", "mov.u32 %r1, %ctaid.x; setp.lt.u32 %p1, %r1, 16; @%p1 bar.sync 0;", "");
	EXPECT_WARNINGS("",
		TID
		"shr.u32 %r2, %r1, 5; setp.eq.u32 %p1, %r2, 0; @%p1 bra L; bar.sync 1, 64; L: mov.u32 %r3, 1;",
		"");
	EXPECT_WARNINGS("",
		TID "setp.lt.u32 %p1, %r1, 64; @%p1 bra L; bar.sync 1, 64; L: mov.u32 %r3, 1;", "");
	EXPECT_WARNINGS("",
		TID "setp.lt.u32 %p1, %r1, 60; @%p1 bra L; bar.sync 1, 64; L: mov.u32 %r3, 1;",
		"W0504");
	EXPECT_WARNINGS("",
		TID "setp.lt.u32 %p1, %r1, 60; @%p1 bra L; barrier.sync 1, 64; L: mov.u32 %r3, 1;",
		"");
}

#define SKIP_IF_LESS "setp.lt.u32 %p1, %r2, 16; @%p1 bra L; bar.sync 0; L: mov.u32 %r3, 1; "
#define BLOCK "mov.u32 %r2, %ctaid.x; bra M; M: "
#define LOOP_OF_THREAD "N: add.u32 %r2, %r2, %r1; setp.lt.u32 %p2, %r2, 99; @%p2 bra N; "
Test(assembler_lint, only_what_reaches_a_barrier_counts)
{
	/* the register is written again, from %tid: later, or on the other path */
	EXPECT_WARNINGS("", TID BLOCK SKIP_IF_LESS LOOP_OF_THREAD, "");
	EXPECT_WARNINGS("", TID BLOCK LOOP_OF_THREAD SKIP_IF_LESS, "W0503");
	EXPECT_WARNINGS("", TID "mov.u32 %r2, 0; " LOOP_OF_THREAD BLOCK SKIP_IF_LESS, "");
	EXPECT_WARNINGS("",
		TID
		"mov.u32 %r4, %ctaid.x; setp.eq.u32 %p3, %r4, 7; @%p3 bra E; " BLOCK SKIP_IF_LESS
		"ret; E: mov.u32 %r2, %r1; bra F; F: add.u32 %r3, %r2, 1;",
		"");
	EXPECT_WARNINGS("",
		TID
		"mov.u32 %r4, %ctaid.x; mov.u32 %r2, %r4; setp.eq.u32 %p3, %r4, 7; @%p3 bra E; mov.u32 %r2, %r1; E: " SKIP_IF_LESS,
		"W0503");
	/* around a loop */
	EXPECT_WARNINGS("",
		TID BLOCK
		"N: " SKIP_IF_LESS
		"add.u32 %r2, %r2, %r1; mov.u32 %r4, %ctaid.y; setp.lt.u32 %p2, %r4, 99; @%p2 bra N;",
		"W0503");
	EXPECT_WARNINGS("",
		TID BLOCK
		"N: " SKIP_IF_LESS
		"add.u32 %r2, %r2, 1; mov.u32 %r4, %ctaid.y; setp.lt.u32 %p2, %r4, 99; @%p2 bra N; mov.u32 %r2, %r1;",
		"");
	/* a write under a guard, or of one component, keeps the rest */
	EXPECT_WARNINGS("",
		TID
		"mov.u32 %r2, %r1; mov.u32 %r4, %ctaid.y; setp.eq.u32 %p3, %r4, 0; bra K; K: @%p3 mov.u32 %r2, 0; bra M; M: " SKIP_IF_LESS,
		"W0503");
	EXPECT_WARNINGS("",
		TID
		"mov.u32 %r2, 0; mov.u32 %r4, %ctaid.y; setp.eq.u32 %p3, %r4, 0; bra K; K: @%p3 mov.u32 %r2, %r1; bra M; M: " SKIP_IF_LESS,
		"W0503");
	EXPECT_WARNINGS("",
		".reg .v2 .b32 %v; mov.u32 %v.x, %tid.x; mov.u32 %v.y, 0; setp.eq.u32 %p1, %v.x, 0; @%p1 bar.sync 0;",
		"W0503");
	/* a guard, with its value at the barrier */
	EXPECT_WARNINGS("",
		TID
		"mov.u32 %r2, %ctaid.x; setp.eq.u32 %p1, %r2, 0; bra M; M: @%p1 bar.sync 0; setp.eq.u32 %p1, %r1, 0; @%p1 add.u32 %r3, %r1, 1;",
		"");
	EXPECT_WARNINGS("",
		TID
		"setp.eq.u32 %p1, %r1, 0; bra M; M: @%p1 bar.sync 0; mov.u32 %r2, %ctaid.x; setp.eq.u32 %p1, %r2, 0; @%p1 bar.sync 0;",
		"W0503");
}

/* The location named is the first at which threads diverge: if a guard also diverges, the branch
 * before it is named. */
Test(assembler_lint, cause_of_a_barrier_that_some_reach)
{
	static const struct {
		const char *body, *cause;
	} rows[] = {
		{TID "setp.lt.u32 %p1, %r1, 16; @%p1 bra L; bar.sync 0; L: mov.u32 %r2, 1;",
			"@%p1 bra L;"},
		{TID "setp.lt.u32 %p1, %r1, 16; @%p1 bar.sync 0;", "@%p1 bar.sync 0;"},
		{TID "setp.lt.u32 %p1, %r1, 16; @%p1 bra L; @!%p1 bar.sync 0; L: mov.u32 %r2, 1;",
			"@%p1 bra L;"},
		{TID "mov.u32 %r2, %ctaid.x; setp.eq.u32 %p2, %r2, 0; setp.lt.u32 %p1, %r1, 16; @%p2 bra L; @%p1 bar.sync 0; L: mov.u32 %r2, 1;",
			"@%p1 bar.sync 0;"},
	};

	for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
		struct assembled a;
		const char *at;

		cr_expect_str_eq(warnings(&a, "", rows[k].body), "W0503", "%s", rows[k].body);
		cr_assert_eq(a.diags.first->nlabels, 2);
		at = a.m->source->text + a.diags.first->label[1].span.off;
		cr_expect_eq(strncmp(at, rows[k].cause, strlen(rows[k].cause)), 0, "%s: %.20s",
			rows[k].body, at);
		test_free(&a);
	}
}

/* More registers that are live through more blocks than the search examines: those not reached
 * count as differing if any write to them does. */
Test(assembler_lint, many_registers_through_many_blocks)
{
	enum { MANY = 3000 };
	struct text t = {0};

	text_printf(&t,
		"mov.u32 %%r1, %%tid.x; mov.u32 %%r2, %%ctaid.x; setp.eq.u32 %%p2, %%r2, 0; .reg .b32 %%k<%u>; ",
		MANY);
	for (unsigned i = 0; i < MANY; i++)
		text_printf(&t, "mov.u32 %%k%u, %u; ", i, i);
	for (unsigned i = 0; i < MANY; i++)
		text_printf(&t, "@%%p2 bra L%u; add.u32 %%r3, %%r2, 1; L%u: ", i, i);
	for (unsigned i = 0; i < MANY; i++)
		text_printf(&t, "add.u32 %%k%u, %%k%u, %%r1; ", i, i);
	text_printf(&t, "bra M; M: setp.lt.u32 %%p1, %%k%u, 16; @%%p1 bra L; bar.sync 0; L: ret;",
		MANY - 1);
	EXPECT_WARNINGS("", text_str(&t), "W0503");
	text_free(&t);
}

/* A register that a block writes before reading it is not searched for beyond that block, however
 * many blocks there are: the search still reaches the last register. */
Test(assembler_lint, many_registers_within_one_block)
{
	enum { MANY = 3000 };
	struct text t = {0};

	text_puts(&t, TID "mov.u32 %r4, %ctaid.y; setp.eq.u32 %p2, %r4, 0; ");
	text_printf(&t, ".reg .b32 %%k<%u>, %%last; ", MANY);
	for (unsigned i = 0; i < MANY; i++)
		text_printf(&t, "mov.u32 %%k%u, %u; ", i, i);
	for (unsigned i = 0; i < MANY; i++)
		text_printf(&t, "@%%p2 bra L%u; add.u32 %%r3, %%r4, 1; L%u: ", i, i);
	for (unsigned i = 0; i < MANY; i++)
		text_printf(&t, "mov.u32 %%k%u, 0; add.u32 %%k%u, %%k%u, %%r1; ", i, i, i);
	text_puts(&t,
		"mov.u32 %last, %ctaid.x; bra M; M: setp.lt.u32 %p1, %last, 16; @%p1 bra L; bar.sync 0; "
		"L: add.u32 %last, %last, %r1; setp.lt.u32 %p2, %last, 99; @%p2 bra L;");
	EXPECT_WARNINGS("", text_str(&t), "");
	text_free(&t);
}

/* The number of blocks searched for a definition is limited: beyond the limit nothing is
 * reported. */
Test(assembler_lint, most_blocks_before_a_read)
{
	enum { MOST = 4096 };

	for (unsigned n = MOST; n <= MOST + 1; n++) {
		struct text t = {0};

		for (unsigned k = 0; k < n; k++)
			text_printf(&t, "bra L%u; L%u: ", k, k);
		text_puts(&t, "add.u32 %r2, %r1, 1; mov.u32 %r1, 1;");
		EXPECT_WARNINGS("", text_str(&t), n == MOST ? "W0501" : "");
		text_free(&t);
	}
}

Test(assembler_lint, one_register_through_many_blocks, .timeout = 20)
{
	struct text t = {0};

	text_puts(&t, "mov.u32 %r1, 0;\nsetp.eq.u32 %p1, %r1, 0;\nt: .branchtargets L<30000>;\n");
	for (unsigned k = 0; k < 200; k++)
		text_puts(&t, "@%p1 brx.idx %r1, t;\n");
	for (unsigned k = 0; k < 30000; k++)
		text_printf(&t, "L%u: add.u32 %%r1, %%r1, 1;\n", k);
	EXPECT_WARNINGS("", text_str(&t), "");
	text_free(&t);
}

Test(assembler_lint, addresses)
{
	EXPECT_WARNINGS(".shared .align 8 .b8 buf[16];", "ld.shared.u32 %r1, [buf+2];", "W0505");
	EXPECT_WARNINGS(".shared .align 8 .b8 buf[16];", "ld.shared.u32 %r1, [buf+16];", "W0506");
	EXPECT_WARNINGS(
		".shared .align 8 .b8 buf[16];", "ld.shared.v2.u32 {%r1, %r2}, [buf+12];", "W0505");
	EXPECT_WARNINGS(
		".shared .align 8 .b8 buf[16];", "ld.shared.v2.u32 {%r1, %r2}, [buf+8];", "");
	EXPECT_WARNINGS(".shared .align 8 .b8 buf[16];", "ld.shared.u32 %r1, [buf+-4];", "W0506");
	EXPECT_WARNINGS(".extern .shared .align 8 .b8 dyn[];", "ld.shared.u32 %r1, [dyn+400];", "");
}

Test(assembler_lint, spins)
{
	EXPECT_WARNINGS(".global .u32 flag;",
		"L: ld.global.u32 %r1, [flag]; setp.eq.u32 %p1, %r1, 0; @%p1 bra L;", "W0507");
	EXPECT_WARNINGS(".global .u32 flag;",
		"L: ld.global.u32 %r1, [flag]; and.b32 %r2, %r1, 1; setp.eq.u32 %p1, %r2, 0; @%p1 bra L;",
		"W0507");
	EXPECT_WARNINGS(".global .u32 flag;",
		"L: ld.acquire.gpu.global.u32 %r1, [flag]; setp.eq.u32 %p1, %r1, 0; @%p1 bra L;",
		"");
	EXPECT_WARNINGS(".global .u32 flag;",
		"L: ld.volatile.global.u32 %r1, [flag]; setp.eq.u32 %p1, %r1, 0; @%p1 bra L;", "");
	EXPECT_WARNINGS(".global .u32 a[64];",
		"mov.u64 %rd1, a; L: ld.global.u32 %r1, [%rd1]; add.u64 %rd1, %rd1, 4; setp.eq.u32 %p1, %r1, 0; @%p1 bra L;",
		"");
}

Test(assembler_lint, mbarriers)
{
	const char *wait =
		"mbarrier.arrive.shared.b64 %rd1, [mb]; W: mbarrier.test_wait.shared.b64 %p1, [mb], %rd1; @!%p1 bra W;";
	struct text t = {0};

	EXPECT_WARNINGS(".shared .b64 mb;",
		"mbarrier.init.shared.b64 [mb], 1; W: mbarrier.test_wait.parity.shared.b64 %p1, [mb], 0; @!%p1 bra W;",
		"W0508");
	text_printf(&t, "mbarrier.init.shared.b64 [mb], 2000; %s", wait);
	EXPECT_WARNINGS(".shared .b64 mb;", text_str(&t), "W0508");
	text_clear(&t);
	text_printf(&t, "mbarrier.init.shared.b64 [mb], 256; %s", wait);
	EXPECT_WARNINGS(".shared .b64 mb;", text_str(&t), "");
	text_free(&t);
	/* the number of arrivals is not known: a count in a register, a loop, a function */
#define WAIT "W: mbarrier.test_wait.parity.shared.b64 %p1, [mb], 0; @!%p1 bra W;"
	EXPECT_WARNINGS(".shared .b64 mb;",
		"mbarrier.init.shared.b64 [mb], 5000; mov.u32 %r1, 5000; mbarrier.arrive.shared.b64 _, [mb], %r1; " WAIT,
		"");
	EXPECT_WARNINGS(".shared .b64 mb;",
		"mbarrier.init.shared.b64 [mb], 5000; mbarrier.arrive.shared.b64 _, [mb], 4; " WAIT,
		"W0508");
	EXPECT_WARNINGS(".shared .b64 mb;",
		"mbarrier.init.shared.b64 [mb], 5000; mbarrier.arrive.shared.b64 _, [mb], 40; " WAIT,
		"");
	EXPECT_WARNINGS(".shared .b64 mb;",
		"mbarrier.init.shared.b64 [mb], 5000; mbarrier.arrive.expect_tx.shared.b64 _, [mb], 5000; " WAIT,
		"W0508");
	EXPECT_WARNINGS(".shared .b64 mb;",
		"mbarrier.init.shared.b64 [mb], 5000; mov.u32 %r1, 0; A: mbarrier.arrive.shared.b64 _, [mb]; add.u32 %r1, %r1, 1; setp.lt.u32 %p2, %r1, 9; @%p2 bra A; " WAIT,
		"");
	EXPECT_WARNINGS(
		".shared .b64 mb; .func f() { .reg .b64 %t; mbarrier.arrive.shared.b64 %t, [mb]; ret; }",
		"mbarrier.init.shared.b64 [mb], 5000; call f; " WAIT, "");
	/* nor if another address is used, or the address is in a register */
	EXPECT_WARNINGS(".shared .b64 mb; .shared .b64 other;",
		"mbarrier.init.shared.b64 [mb], 1; mbarrier.arrive.shared.b64 _, [other]; " WAIT,
		"W0508");
	EXPECT_WARNINGS(".shared .b64 mb;",
		"mbarrier.init.shared.b64 [mb], 1; mov.u32 %r1, mb; mbarrier.arrive.shared.b64 _, [%r1]; " WAIT,
		"");
	EXPECT_WARNINGS(".shared .b64 mb;",
		"mbarrier.init.shared.b64 [mb], 1; mbarrier.init.shared.b64 [mb], 9; " WAIT, "");
#undef WAIT
}

Test(assembler_lint, others)
{
	EXPECT_WARNINGS("", "setp.eq.u32 %p2, 1, 1; vote.sync.any.pred %p1, %p2, 0;", "W0509");
	EXPECT_WARNINGS("", "setp.eq.u32 %p2, 1, 1; vote.sync.any.pred %p1, %p2, 0xffff;", "");
	EXPECT_WARNINGS("", "unused: mov.u32 %r1, 1;", "W0510");
	EXPECT_WARNINGS(".shared .u32 unused;", "", "W0511");
	EXPECT_WARNINGS(".visible .global .u32 unused;", "", "");
	EXPECT_WARNINGS("", ".pragma \"what\";", "W0513");
}

/* `if (i >= n) return;` before a barrier leaves no thread waiting, even if the kernel has only one
 * ret; `if (t < 16) barrier;` does. */
Test(assembler_lint, bounds_check_and_leave)
{
	EXPECT_WARNINGS("",
		"ld.param.u32 %r1, [n]; mov.u32 %r2, %tid.x; setp.ge.u32 %p1, %r2, %r1; @%p1 bra L; bar.sync 0; L:",
		"");
	EXPECT_WARNINGS("",
		"ld.param.u32 %r1, [n]; mov.u32 %r2, %tid.x; setp.ge.u32 %p1, %r2, %r1; @%p1 bra L; bar.sync 0; L: mov.u32 %r3, 1;",
		"");
	EXPECT_WARNINGS("",
		"mov.u32 %r2, %tid.x; setp.ge.u32 %p1, %r2, 16; @%p1 bra L; bar.sync 0; L:",
		"W0503");
	EXPECT_WARNINGS("",
		"ld.param.u32 %r1, [n]; mov.u32 %r2, %tid.x; setp.ge.u32 %p1, %r2, %r1; @%p1 bra L; bar.sync 0; L: bar.sync 1;",
		"W0503");
}
