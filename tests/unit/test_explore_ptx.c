/* The explorer on PTX kernels: every verdict is argued beside it. */
#include "assembler/assembler.h"
#include "explore/ptx/ptx.h"
#include "model/execution.h"
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#define HEAD \
	".version 8.6\n.target sm_90\n.address_size 64\n.global .align 8 .u32 x;\n.global .align 8 .u32 y;\n"

/* A launch of the kernel `k` of TEXT, with what is observed: "x" and "y", or "P1:%r2". */
struct ptx_test {
	struct arena arena;
	struct diags diags;
	struct ir_module *module;
	struct machine *machine;
	struct explore_result *result;
	const struct explore_program *program;
	struct observable observable[16];
	uint32_t nobservables;
};

static void observe(struct ptx_test *t, const char *name)
{
	struct observable o = {.name = name, .kind = OBSERVE_MEMORY, .size = 4};
	uint64_t size;
	if (name[0] == 'P') {
		o.kind = OBSERVE_REGISTER;
		o.thread = (uint32_t)(name[1] - '0');
		o.reg = ir_find_reg(t->module, ir_find_func(t->module, "k"), name + 3);
		cr_assert(o.reg != IR_NONE, "no register %s", name);
	} else {
		cr_assert(machine_symbol(t->machine, name, &o.phys, &size), "no variable %s", name);
	}
	t->observable[t->nobservables++] = o;
}

static uint32_t taken_away; /* set of enum model_off */
/* Every order of atoms that commute, and every one of threads that are alike. */
static bool all_orders;

static void explore(struct ptx_test *t, const char *text, uint32_t grid, uint32_t block,
	const char *const *names, unsigned jobs)
{
	*t = (struct ptx_test){0};
	struct assemble_options a = {0};
	struct machine_options m = {.jobs = 1, .devices = 1};
	struct explore_options o = {.jobs = jobs, .off = taken_away, .all_orders = all_orders};
	struct text out = {0};
	t->module = assemble(source_new(&t->arena, "test.ptx", text, strlen(text)), &a, &t->diags);
	diag_render(&t->diags, &out, false);
	cr_assert(t->module != NULL, "%s", text_str(&out));
	t->machine = machine_new(t->module, &m, &t->diags);
	struct machine_launch l = {.func = ir_find_func(t->module, "k"),
		.grid = {grid, 1, 1},
		.block = {block, 1, 1},
		.params = ""};
	cr_assert(machine_launch(t->machine, &l));
	for (; *names; names++)
		observe(t, *names);
	t->program = ptx_program(
		t->machine, NULL, t->observable, t->nobservables, &o, &t->arena, &t->diags);
	cr_assert(t->program != NULL);
	t->result = explore_run(t->program, &o);
	text_free(&out);
}

static void ptx_test_free(struct ptx_test *t)
{
	explore_free(t->result);
	machine_free(t->machine);
	ir_module_free(t->module);
	arena_free(&t->arena);
	diags_free(&t->diags);
}

static bool has(const struct ptx_test *t, uint64_t a, uint64_t b)
{
	for (uint32_t i = 0; i < t->result->outcomes.list.count; i++) {
		const uint64_t *v = t->result->outcomes.list.data[i].value;
		if (v[0] == a && (t->nobservables < 2 || v[1] == b))
			return true;
	}
	return false;
}

/* Two CTAs of one thread: CTA 0 does A, CTA 1 does B. */
static void two_incomplete(
	struct ptx_test *t, const char *a, const char *b, const char *first, const char *second)
{
	char text[4096];
	snprintf(text, sizeof text,
		HEAD
		".visible .entry k()\n{\n.reg .pred %%p<4>;\n.reg .b32 %%r<16>;\n.reg .b64 %%rd<8>;\nmov.u32 %%r15, %%ctaid.x;\nsetp.ne.u32 %%p1, %%r15, 0;\n@%%p1 bra B;\n%s\nret;\nB:\n%s\nret;\n}\n",
		a, b);
	explore(t, text, 2, 1, (const char *const[]){first, second, NULL}, 1);
}

static void two(
	struct ptx_test *t, const char *a, const char *b, const char *first, const char *second)
{
	two_incomplete(t, a, b, first, second);
	cr_assert(explore_complete(t->result), "%s", t->result->fault ? t->result->fault : "bound");
}

Test(explore_ptx, message_passing)
{
	struct ptx_test t;
	/* volatile is relaxed.sys, membar.gl is fence.sc.gpu: the fences synchronise. */
	two(&t, "st.volatile.global.u32 [x], 1;\nmembar.gl;\nst.volatile.global.u32 [y], 1;",
		"ld.volatile.global.u32 %r1, [y];\nmembar.gl;\nld.volatile.global.u32 %r2, [x];",
		"P1:%r1", "P1:%r2");
	cr_expect(t.result->outcomes.list.count == 3 && !has(&t, 1, 0) && !t.result->nraces);
	ptx_test_free(&t);
	/* Without them all four outcomes. */
	two(&t, "st.volatile.global.u32 [x], 1;\nst.volatile.global.u32 [y], 1;",
		"ld.volatile.global.u32 %r1, [y];\nld.volatile.global.u32 %r2, [x];", "P1:%r1",
		"P1:%r2");
	cr_expect(t.result->outcomes.list.count == 4 && has(&t, 1, 0));
	ptx_test_free(&t);
	/* Plain accesses race. A weak flag is not observed, so the fences do not synchronise; but
	 * one fence.sc comes first, and either way (1,0) is impossible. */
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
	/* Two fence.sc come in either order: it is a race, though not in the order that is tried
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
	/* Through the arithmetic of both threads: out of thin air. */
	two(&t, "ld.relaxed.gpu.global.u32 %r1, [x];\nadd.u32 %r3, %r1, 0;\nst.relaxed.gpu.global.u32 [y], %r3;",
		"ld.relaxed.gpu.global.u32 %r2, [y];\nmul.lo.u32 %r3, %r2, 1;\nst.relaxed.gpu.global.u32 [x], %r3;",
		"P0:%r1", "P1:%r2");
	cr_expect(t.result->outcomes.list.count == 1 && has(&t, 0, 0));
	ptx_test_free(&t);
	/* An address that a load gives is a dependency of that access, not of the store behind
	 * it. */
	two(&t, "ld.relaxed.gpu.global.u32 %r1, [x];\nand.b32 %r3, %r1, 0;\ncvt.u64.u32 %rd1, %r3;\nmov.u64 %rd2, x;\nadd.u64 %rd3, %rd1, %rd2;\nld.relaxed.gpu.global.u32 %r4, [%rd3];\nst.relaxed.gpu.global.u32 [y], 1;",
		"ld.relaxed.gpu.global.u32 %r2, [y];\nst.relaxed.gpu.global.u32 [x], 1;", "P0:%r1",
		"P1:%r2");
	cr_expect(has(&t, 1, 1));
	ptx_test_free(&t);
	/* A branch on it is one of all that follows. */
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
	/* A vector store is two scalar ones, which may be seen one by one. */
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
	/* Sizes that overlap void the model where they race, and that is said; not within a
	 * thread. */
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
	/* A copy has no size of its own: its race with a larger access is one like any other. */
	two(&t, ".shared .align 4 .b8 s[4];\ncp.async.ca.shared.global [s], [x], 4;\nld.shared.u16 %r1, [s];\ncp.async.wait_all;\nld.shared.u16 %r2, [s];",
		"ret;", "P0:%r1", "P0:%r2");
	cr_expect(!t.result->mixed.some && explore_complete(t.result) && t.result->nraces == 1);
	ptx_test_free(&t);
}

/* Three threads write two places: six races, in the order of the first thread, its instruction, the
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
	/* A CTA of two threads: shared memory behind bar.sync. */
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
	/* Who has arrived and goes on is not waited for, though it comes to the barrier again: it
	 * does so after the other has seen the first phase end. */
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
	/* Operands of barriers that are known only when they are executed. */
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
	/* An assertion, and a number that is no function's. */
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
	/* Thread 0 initialises the object and both meet; thread 0 stores and arrives, thread 1
	 * waits for the phase: the arrive releases, the wait acquires. */
	static const char handover[] = HEAD
		".visible .entry k()\n{\n.reg .pred %p<4>;\n.reg .b32 %r<8>;\n.reg .b64 %rd<4>;\n.shared .align 8 .b64 bar;\nmov.u32 %r1, %tid.x;\nsetp.ne.u32 %p1, %r1, 0;\n@%p1 bra B;\n"
		"mbarrier.init.shared.b64 [bar], 1;\nbar.sync 0;\nst.global.u32 [x], 1;\nmbarrier.arrive.shared.b64 %rd1, [bar];\nret;\nB:\nbar.sync 0;\n"
		"L: mbarrier.test_wait.parity.shared.b64 %p2, [bar], 0;\n@!%p2 bra L;\nld.global.u32 %r2, [x];\nret;\n}\n";
	explore(&t, handover, 1, 2, (const char *const[]){"P1:%r2", NULL}, 1);
	cr_expect(t.result->executions == 1 && has(&t, 1, 0) && !t.result->nraces &&
		!t.result->stuck.list.count && explore_complete(t.result));
	ptx_test_free(&t);
	/* That decision taken away is noticed. */
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
	/* Two arrivals in either order complete the phase; both stores are seen. */
	explore(&t,
		HEAD
		".visible .entry k()\n{\n.reg .pred %p<4>;\n.reg .b32 %r<8>;\n.reg .b64 %rd<4>;\n.shared .align 8 .b64 bar;\nmov.u32 %r1, %tid.x;\nsetp.ne.u32 %p1, %r1, 0;\n@%p1 bra I;\n"
		"mbarrier.init.shared.b64 [bar], 2;\nI: bar.sync 0;\nsetp.eq.u32 %p1, %r1, 2;\n@%p1 bra W;\nsetp.eq.u32 %p1, %r1, 0;\n@%p1 st.global.u32 [x], 1;\n@!%p1 st.global.u32 [y], 1;\n"
		"mbarrier.arrive.shared.b64 _, [bar];\nret;\nW:\nL: mbarrier.try_wait.parity.shared.b64 %p2, [bar], 0;\n@!%p2 bra L;\nld.global.u32 %r2, [x];\nld.global.u32 %r3, [y];\nret;\n}\n",
		1, 3, (const char *const[]){"P2:%r2", "P2:%r3", NULL}, 1);
	/* The two orders of the arrivals look the same to everybody and count as one. */
	cr_expect(t.result->executions == 1 && t.result->outcomes.list.count == 1 &&
		has(&t, 1, 1) && !t.result->nraces);
	ptx_test_free(&t);
	/* Nobody arrives: the wait never ends. */
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
	/* The sum of 1 to 4 by shuffles; every lane gets it, and memory is not ordered by them. */
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

/* Four threads count under a cas lock; the result is the same for any number of workers. They are
 * alike: 24 executions that differ in who comes first are one. */
Test(explore_ptx, lock)
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

/* CTAs 1 and 2 add their numbers to x; CTA 0 comes to what stands behind this when it has looked at
 * w. */
#define LATE \
	"mov.u32 %r4, %ctaid.x;\nsetp.eq.u32 %p1, %r4, 0;\n@%p1 bra L;\nred.relaxed.gpu.global.add.u32 [x], %r4;\nret;\nE: ret;\n" \
	"L: ld.relaxed.gpu.global.u32 %r1, [w];\nsetp.ne.u32 %p1, %r1, 0;\n@%p1 bra E;\n"

/* What leaving out orders loses: nothing. Kernels of threads that are alike, correct and broken,
 * and of atoms that commute, with and without somebody who looks. */
Test(explore_ptx, fewer_orders)
{
	static const struct {
		const char *text;
		uint32_t grid, block;
	} kernel[] = {
		/* no order at all between the critical sections */
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
		/* one looks at a counter while others count */
		{"mov.u32 %r4, %ctaid.x;\nsetp.eq.u32 %p1, %r4, 0;\n@%p1 bra L;\nred.global.add.u32 [x], %r4;\nret;\nL: ld.relaxed.gpu.global.u32 %r1, [x];\nst.relaxed.gpu.global.u32 [y], %r1;",
			4, 1},
		/* ... and when they have: message passing through a counter */
		{"mov.u32 %r4, %ctaid.x;\nsetp.eq.u32 %p1, %r4, 0;\n@%p1 bra L;\nred.release.gpu.global.add.u32 [x], 1;\nret;\nL: ld.acquire.gpu.global.u32 %r1, [x];\nsetp.ne.u32 %p1, %r1, 3;\n@%p1 bra L;\nst.relaxed.gpu.global.u32 [y], %r1;",
			4, 1},
		/* ... and counts whether it was told no */
		{"mov.u32 %r4, %ctaid.x;\nsetp.eq.u32 %p1, %r4, 0;\n@%p1 bra L;\nred.release.gpu.global.add.u32 [x], 1;\nret;\nL: ld.acquire.gpu.global.u32 %r1, [x];\nadd.u32 %r2, %r2, 1;\nmin.u32 %r2, %r2, 2;\nsetp.ne.u32 %p1, %r1, 2;\n@%p1 bra L;\nst.relaxed.gpu.global.u32 [y], %r2;",
			3, 1},
		/* a store between the atoms */
		{"mov.u32 %r4, %ctaid.x;\nsetp.eq.u32 %p1, %r4, 0;\n@%p1 st.relaxed.gpu.global.u32 [x], 10;\nred.global.add.u32 [x], 1;\nred.global.max.u32 [y], %r4;",
			3, 1},
		/* the last to arrive does something */
		{"atom.global.add.u32 %r1, [x], 1;\nsetp.eq.u32 %p1, %r1, 2;\n@%p1 st.global.u32 [y], 7;",
			3, 1},
		/* an mbarrier that expects fewer than arrive */
		{".shared .align 8 .b64 b;\nmov.u32 %r4, %tid.x;\nsetp.eq.u32 %p1, %r4, 0;\n@%p1 mbarrier.init.shared.b64 [b], 2;\nbar.sync 0;\nred.shared.add.u32 [z], 1;\nmbarrier.arrive.shared.b64 _, [b];\n"
		 "setp.ne.u32 %p1, %r4, 0;\n@%p1 ret;\nW: mbarrier.test_wait.parity.shared.b64 %p2, [b], 0;\n@!%p2 bra W;\nld.shared.u32 %r2, [z];\nst.global.u32 [y], %r2;",
			1, 4},
		/* a single look at a phase */
		{".shared .align 8 .b64 b;\nmov.u32 %r4, %tid.x;\nsetp.eq.u32 %p1, %r4, 0;\n@%p1 mbarrier.init.shared.b64 [b], 3;\nbar.sync 0;\nst.shared.u32 [z], 1;\nmbarrier.arrive.shared.b64 _, [b];\n"
		 "mbarrier.test_wait.parity.shared.b64 %p2, [b], 0;\nselp.u32 %r1, 1, 0, %p2;\nshl.b32 %r1, %r1, %r4;\nred.global.or.b32 [x], %r1;",
			1, 3},
		/* what comes to a location only when additions have been put in order: an arrival
		 * that may take another's place in the phase, */
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
		/* one addition more, */
		{LATE "red.relaxed.gpu.global.add.u32 [x], 4;", 3, 1},
		/* or one that may come before the store that the others add to */
		{"mov.u32 %r4, %ctaid.x;\nsetp.eq.u32 %p1, %r4, 0;\n@%p1 bra L;\nst.relaxed.gpu.global.u32 [x], 10;\nred.relaxed.gpu.global.add.u32 [x], 1;\nred.relaxed.gpu.global.add.u32 [x], 2;\nret;\nE: ret;\n"
		 "L: ld.relaxed.gpu.global.u32 %r1, [w];\nsetp.ne.u32 %p1, %r1, 0;\n@%p1 bra E;\nred.relaxed.gpu.global.add.u32 [x], 4;",
			2, 1},
	};
	for (uint32_t k = 0; k < sizeof kernel / sizeof *kernel; k++) {
		char text[4096];
		struct ptx_test few, all;
		snprintf(text, sizeof text,
			HEAD
			".global .u32 w;\n.shared .u32 z;\n.visible .entry k()\n{\n.reg .pred %%p<3>;\n.reg .b32 %%r<8>;\n%s\nret;\n}\n",
			kernel[k].text);
		all_orders = false;
		explore(&few, text, kernel[k].grid, kernel[k].block,
			(const char *const[]){"x", "y", NULL}, 1);
		all_orders = true;
		explore(&all, text, kernel[k].grid, kernel[k].block,
			(const char *const[]){"x", "y", NULL}, 1);
		cr_expect(explore_complete(few.result) && explore_complete(all.result), "kernel %u",
			k);
		cr_expect(few.result->executions <= all.result->executions,
			"kernel %u: %llu and %llu", k, (unsigned long long)few.result->executions,
			(unsigned long long)all.result->executions);
		cr_expect(few.result->outcomes.list.count == all.result->outcomes.list.count &&
				few.result->stuck.list.count <= all.result->stuck.list.count &&
				!few.result->stuck.list.count == !all.result->stuck.list.count,
			"kernel %u: %u of %u outcomes", k, few.result->outcomes.list.count,
			all.result->outcomes.list.count);
		for (uint32_t i = 0;
			i < few.result->outcomes.list.count && i < all.result->outcomes.list.count;
			i++)
			cr_expect(!memcmp(few.result->outcomes.list.data[i].value,
					  all.result->outcomes.list.data[i].value,
					  2 * sizeof(uint64_t)),
				"kernel %u, outcome %u", k, i);
		ptx_test_free(&few);
		ptx_test_free(&all);
	}
}

/* What is not followed says so by its name, and only where some thread comes to it. */
Test(explore_ptx, refusals)
{
	/* Beside what it says: functions and variables, and the kernel's text. */
	static const char *const kernel[][3] = {
		/* Every use of a clock that decides something. */
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
		/* Lane 1 is not there to be read. */
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
		{"txq, which ptxi does not execute", ".global .texref t;\n",
			"txq.width.b32 %r1, [t];"},
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
			".version 8.6\n.target sm_100\n.address_size 64\n.global .align 8 .u32 x;\n%s.visible .entry k()\n{\n.reg .pred %%p<4>;\n.reg .b32 %%r<4>;\n.reg .b64 %%rd<4>;\n%s\nret;\n}\n",
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

/* CTA 1 spins for ever when it reads one value, and waits at a barrier when it reads the other:
 * each is told by its own name, whichever is found first. */
Test(explore_ptx, deadlock_beside_livelock)
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

/* What is said of a launch that is too large, before anything is explored, or NULL. */
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

/* More threads, values of a kernel, or values handed over by one call than there is room for. */
Test(explore_ptx, refusals_of_sizes)
{
	struct ptx_test t;
	struct text text = {0};
	static const char one[] = HEAD ".visible .entry k()\n{\nret;\n}\n",
			  registers[] = "more registers than the explorer accepts";
	const char *words = refusal(&t, one, 1024);
	cr_expect(!words, "%s", words);
	refusal_free(&t);
	words = refusal(&t, one, 1025);
	cr_expect(words && strstr(words, "at most 1024 threads"));
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

/* A register that is looked at must not hold a time; nine lanes are too many to try every way in
 * which they may run together. */
Test(explore_ptx, refusals_of_registers_and_lanes)
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

/* Every partition of the lanes of a warp comes about once: 1, 2, 5, 15, 52 (Bell's numbers); and
 * for any number of workers. */
Test(explore_ptx, partitions)
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

/* CTA 1 goes round until it reads what CTA 0 writes. A round that leaves no trace is a spin, and
 * all but the last of them are left out; one that wrote, or met others, is followed as often as the
 * bound says. */
Test(explore_ptx, rounds_that_leave_a_trace)
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
			".version 8.6\n.target sm_100\n.address_size 64\n.global .align 8 .u32 x, y;\n.shared .align 8 .u32 s[2];\n.shared .align 8 .b64 b;\n"
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

/* CTA 1, or CTA 0, waits for x, which nobody writes, in a loop that reads more than that; the other
 * does OTHER. It spins for ever: that is said, or that it is not decided, whatever was read first.
 */
Test(explore_ptx, spins_beside_other_reads)
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
		/* the other's addition is put in order behind that of a round */
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

/* An exchange that leaves a lock as it was may still restore what a weak store changed: then the
 * loop is bounded, and that is said. */
Test(explore_ptx, exchange_and_weak_store)
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
