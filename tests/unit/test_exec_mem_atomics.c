/* atom and red: every operation and type, lane order, vectors, 16 bytes, with one host thread and with several. */
#include "tests/unit/kernels.h"

#define FILE_OF(body) HEAD BEGIN body END

/* One atomic by one thread: memory's and the returned value, both as bits. */
static void one(const char *insn, uint64_t memory, uint64_t b, uint64_t c, uint64_t want, unsigned jobs)
{
	char text[4096];
	struct kernel *k;

	snprintf(text, sizeof text, "%s%s%s%s", HEAD BEGIN,
		 "ld.global.u64 %rd6, [%rd1+8]; cvt.u32.u64 %r6, %rd6; cvt.u16.u64 %h6, %rd6; mov.b32 %f6, %r6; mov.b64 %fd6, %rd6; ld.global.u64 %rd7, [%rd1+16];"
		 "cvt.u32.u64 %r7, %rd7; cvt.u16.u64 %h7, %rd7; mov.u64 %rd8, 0; mov.u32 %r8, 0; mov.u16 %h8, 0; mov.b32 %f5, %r8; mov.b64 %fd5, %rd8;\n",
		 insn,
		 "\ncvt.u64.u32 %rd9, %r8; cvt.u64.u16 %rd10, %h8; mov.b32 %r9, %f5; cvt.u64.u32 %rd11, %r9; mov.b64 %rd12, %fd5;"
		 "or.b64 %rd8, %rd8, %rd9; or.b64 %rd8, %rd8, %rd10; or.b64 %rd8, %rd8, %rd11; or.b64 %rd8, %rd8, %rd12; st.global.u64 [%rd1+24], %rd8;" END);
	k = kernel_load(text, CHECK_BOUNDS, jobs, true);
	const uint64_t in[3] = {memory, b, c};

	machine_write(k->machine, k->out, in, sizeof in);
	kernel_run(k, 1, 1, 0);
	kernel_ok(k);
	cr_assert_eq(k->wide[0], want, "%s: memory is 0x%llx, not 0x%llx", insn, (unsigned long long)k->wide[0], (unsigned long long)want);
	if (insn[0] == 'a')
		cr_assert_eq(k->wide[3], memory, "%s: returned 0x%llx, not 0x%llx", insn, (unsigned long long)k->wide[3], (unsigned long long)memory);
	kernel_done(k);
}

static void both(const char *insn, uint64_t memory, uint64_t b, uint64_t c, uint64_t want)
{
	char red[256], generic[256];

	one(insn, memory, b, c, want, 1);
	one(insn, memory, b, c, want, 2);
	if (strncmp(insn, "atom.global.", 12) != 0)
		return;
	snprintf(generic, sizeof generic, "atom.acq_rel.sys.%s", insn + 12);
	one(generic, memory, b, c, want, 2);
	if (strstr(insn, "cas") || strstr(insn, "exch"))
		return;
	snprintf(red, sizeof red, "red.global.%.*s %s", (int)strcspn(insn + 12, " "), insn + 12, strchr(insn, '['));
	one(red, memory, b, c, want, 2);
}

Test(exec_atom, integers)
{
	both("atom.global.add.u32 %r8, [%rd1], %r6;", 0xffffffff, 2, 0, 1);
	both("atom.global.add.s32 %r8, [%rd1], %r6;", 5, 0xfffffffe, 0, 3);
	both("atom.global.add.u64 %rd8, [%rd1], %rd6;", 0xffffffff, 2, 0, 0x100000001);
	both("atom.global.min.u32 %r8, [%rd1], %r6;", 0x80000000, 1, 0, 1);
	both("atom.global.min.s32 %r8, [%rd1], %r6;", 0x80000000, 1, 0, 0x80000000);
	both("atom.global.max.u32 %r8, [%rd1], %r6;", 0x80000000, 1, 0, 0x80000000);
	both("atom.global.max.s32 %r8, [%rd1], %r6;", 0x80000000, 1, 0, 1);
	both("atom.global.min.u64 %rd8, [%rd1], %rd6;", UINT64_MAX, 1, 0, 1);
	both("atom.global.min.s64 %rd8, [%rd1], %rd6;", UINT64_MAX, 1, 0, UINT64_MAX);
	both("atom.global.max.u64 %rd8, [%rd1], %rd6;", UINT64_MAX, 1, 0, UINT64_MAX);
	both("atom.global.max.s64 %rd8, [%rd1], %rd6;", UINT64_MAX, 1, 0, 1);
	both("atom.global.inc.u32 %r8, [%rd1], %r6;", 7, 5, 0, 0);
	both("atom.global.inc.u32 %r8, [%rd1], %r6;", 4, 5, 0, 5);
	both("atom.global.dec.u32 %r8, [%rd1], %r6;", 9, 5, 0, 5);
	both("atom.global.dec.u32 %r8, [%rd1], %r6;", 0, 5, 0, 5);
	both("atom.global.dec.u32 %r8, [%rd1], %r6;", 3, 5, 0, 2);
	both("atom.global.and.b32 %r8, [%rd1], %r6;", 0xff, 0xf0f, 0, 0xf);
	both("atom.global.or.b32 %r8, [%rd1], %r6;", 0xff, 0xf0f, 0, 0xfff);
	both("atom.global.xor.b32 %r8, [%rd1], %r6;", 0xff, 0xf0f, 0, 0xff0);
	both("atom.global.and.b64 %rd8, [%rd1], %rd6;", 0xff000000ff, 0xf0000000f0f, 0, 0xf);
	both("atom.global.or.b64 %rd8, [%rd1], %rd6;", 0xff, 0xf0000000000, 0, 0xf00000000ff);
	both("atom.global.xor.b64 %rd8, [%rd1], %rd6;", 0xff, 0xf000000000f, 0, 0xf00000000f0);
	both("atom.global.exch.b32 %r8, [%rd1], %r6;", 1, 2, 0, 2);
	both("atom.global.exch.b64 %rd8, [%rd1], %rd6;", 1, 0x200000000, 0, 0x200000000);
	both("atom.global.cas.b16 %h8, [%rd1], %h6, %h7;", 1, 1, 9, 9);
	both("atom.global.cas.b16 %h8, [%rd1], %h6, %h7;", 1, 2, 9, 1);
	both("atom.global.cas.b32 %r8, [%rd1], %r6, %r7;", 1, 1, 9, 9);
	both("atom.global.cas.b32 %r8, [%rd1], %r6, %r7;", 1, 2, 9, 1);
	both("atom.global.cas.b64 %rd8, [%rd1], %rd6, %rd7;", 1, 1, UINT64_MAX, UINT64_MAX);
}

Test(exec_atom, floats)
{
	both("atom.global.add.f32 %f5, [%rd1], %f6;", 0x3f800000, 0x40000000, 0, 0x40400000);
	both("atom.global.add.f32 %f5, [%rd1], %f6;", 0x00000001, 0x00000001, 0, 0); /* flushed in global memory */
	both("atom.global.add.f64 %fd5, [%rd1], %fd6;", 0x3ff0000000000000, 0x4000000000000000, 0, 0x4008000000000000);
	both("atom.global.add.noftz.f16 %h8, [%rd1], %h6;", 0x3c00, 0x4000, 0, 0x4200);
	both("atom.global.add.noftz.bf16 %h8, [%rd1], %h6;", 0x3f80, 0x4000, 0, 0x4040);
	both("atom.global.add.noftz.f16x2 %r8, [%rd1], %r6;", 0x3c003c00, 0x40000001, 0, 0x42003c00);
	both("atom.global.add.noftz.bf16x2 %r8, [%rd1], %r6;", 0x3f803f80, 0x40003f80, 0, 0x40404000);
	one("{ .shared .b32 s; ld.global.u32 %r10, [%rd1]; st.shared.u32 [s], %r10; atom.shared.add.f32 %f5, [s], %f6; ld.shared.u32 %r10, [s]; st.global.u32 [%rd1], %r10; }",
	    1, 1, 0, 2, 1); /* kept in shared memory */
}

Test(exec_atom, sixteen_bytes)
{
	for (unsigned jobs = 1; jobs <= 2; jobs++) {
		struct kernel *k = kernel_load(FILE_OF("mov.u64 %rd5, 1; mov.u64 %rd6, 2; mov.b128 %q1, {%rd5, %rd6}; mov.u64 %rd7, 3; mov.b128 %q2, {%rd6, %rd7};"
						       "atom.global.exch.b128 %q3, [%rd1], %q1; atom.global.cas.b128 %q4, [%rd1], %q2, %q3; atom.global.cas.b128 %q5, [%rd1], %q1, %q2;"
						       "st.global.b128 [%rd1+16], %q3; st.global.b128 [%rd1+32], %q4; st.global.b128 [%rd1+48], %q5;"),
					       CHECK_BOUNDS, jobs, true);
		const uint64_t in[2] = {8, 9}, want[8] = {2, 3, 8, 9, 1, 2, 1, 2};

		machine_write(k->machine, k->out, in, sizeof in);
		kernel_run(k, 1, 1, 0);
		kernel_ok(k);
		cr_assert_arr_eq(k->wide, want, sizeof want);
		kernel_done(k);
	}
}

Test(exec_atom, vectors)
{
	struct kernel *k = kernel_file(FILE_OF("mov.f32 %f1, 0f3F800000; mov.f32 %f2, 0f40000000; atom.global.add.v2.f32 {%f3, %f4}, [%rd1], {%f1, %f2};"
					       "red.global.add.v4.f32 [%rd1], {%f1, %f1, %f2, %f2}; mov.b16 %h1, 0x3c00; mov.b16 %h2, 0x4000;"
					       "atom.global.max.noftz.v4.f16 {%h3, %h4, %h5, %h6}, [%rd1+16], {%h1, %h2, %h1, %h2}; red.global.add.noftz.v8.bf16 [%rd1+32], {%h1, %h1, %h1, "
					       "%h1, %h1, %h1, %h1, %h2}; mov.b32 %r5, 0x40003c00; red.global.add.noftz.v2.f16x2 [%rd1+16], {%r5, %r5}; st.global.f32 [%rd1+48], %f4;"),
				       1);
	const uint32_t want[13] = {0x40000000, 0x40400000, 0x40000000, 0x40000000, 0x44004000, 0x44004000, 0, 0, 0x3c003c00, 0x3c003c00, 0x3c003c00, 0x40003c00, 0};

	kernel_ok(k);
	cr_assert_arr_eq(k->word, want, sizeof want);
	kernel_done(k);
}

Test(exec_atom, lanes_take_effect_in_order)
{
	struct kernel *k = kernel_file(FILE_OF("atom.global.exch.b32 %r5, [%rd1+2048], %r0; st.global.u32 [%rd3], %r5; .shared .b32 s; atom.shared.inc.u32 %r6, [s], 100;"
					       "st.global.u32 [%rd3+128], %r6; cvta.shared.u64 %rd5, s; atom.add.u32 %r7, [%rd5], 1; st.global.u32 [%rd3+256], %r7;"),
				       32);

	kernel_ok(k);
	for (uint32_t i = 0; i < 32; i++) {
		cr_assert_eq(k->word[i], i ? i - 1 : 0);
		cr_assert_eq(k->word[32 + i], i);
		cr_assert_eq(k->word[64 + i], 32 + i);
	}
	kernel_done(k);
}

Test(exec_atom, host_threads_lose_no_update)
{
	static const char *const insn[] = {"red.global.add.u32 [%rd1], 1;",
					   "atom.global.inc.u32 %r5, [%rd1], -1;",
					   "mov.b32 %f1, 0f3F800000; atom.global.add.f32 %f2, [%rd1], %f1;",
					   "L: ld.relaxed.gpu.global.u32 %r5, [%rd1]; add.u32 %r6, %r5, 1; atom.global.cas.b32 %r7, [%rd1], %r5, %r6; setp.ne.u32 %p1, %r5, %r7; @%p1 bra L;",
					   ("mov.u64 %rd6, 1; L: atom.global.exch.b64 %rd5, [%rd1+8], %rd6; setp.ne.u64 %p1, %rd5, 0; @%p1 bra L; membar.gl; ld.volatile.global.u32 %r5, [%rd1];"
					   "add.u32 %r5, %r5, 1; st.volatile.global.u32 [%rd1], %r5; membar.gl; atom.global.exch.b64 %rd5, [%rd1+8], 0;")};

	for (unsigned n = 0; n < sizeof insn / sizeof *insn; n++) {
		unsigned threads = n == 4 ? 1 : 64;
		char text[4096];
		struct kernel *k;
		float f;

		snprintf(text, sizeof text, "%s%s%s%s", HEAD, BEGIN, insn[n], END);
		k = kernel_load(text, CHECK_BOUNDS, 4, true);
		kernel_run(k, 64, threads, 0);
		kernel_ok(k);
		memcpy(&f, k->word, 4);
		cr_assert_eq(n == 2 ? (uint32_t)f : k->word[0], 64 * threads, "%s: %u", insn[n], k->word[0]);
		kernel_done(k);
	}
}
