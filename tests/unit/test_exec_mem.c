/* Memory instructions: every space, width, vector and form of address; the messages of faults. */
#include "base/rng.h"
#include "interp/state/state.h"
#include "tests/unit/kernels.h"
#include "weak/sampler.h"

#define FILE_OF(body) HEAD BEGIN body END

Test(exec_mem, rows_and_single_words)
{
	struct kernel *k = kernel_file(
		FILE_OF("st.global.u32 [%rd3], %r0; ld.global.u32 %r5, [%rd3]; add.u32 %r5, %r5, 100; st.global.u32 [%rd3+128], %r5;"
			"ld.global.u32 %r6, [%rd1+20]; st.global.u32 [%rd3+256], %r6;"),
		32);

	kernel_ok(k);
	for (uint32_t i = 0; i < 32; i++) {
		cr_assert_eq(k->word[i], i);
		cr_assert_eq(k->word[32 + i], 100 + i);
		cr_assert_eq(k->word[64 + i], 5);
	}
	kernel_done(k);
}

/* Registers are adjacent: a value loaded once for all lanes must not be written beyond the last of
 * them. */
Test(exec_mem, a_load_of_one_word_leaves_the_next_register_alone)
{
	struct kernel *k = kernel_file(
		FILE_OF("mov.b64 %rd5, 0x1122334455667788; st.global.u64 [%rd1], %rd5; mov.u32 %r6, 7; mov.u32 %r8, 9; mov.b64 %rd6, 11; mov.b16 %h2, 13;"
			"ld.global.u32 %r5, [%rd1]; ld.global.u32 %r7, [%rd1+4]; ld.global.u64 %rd5, [%rd1]; ld.global.u16 %h1, [%rd1];"
			"st.global.u32 [%rd3+128], %r6; st.global.u32 [%rd3+256], %r8; cvt.u32.u64 %r9, %rd6; st.global.u32 [%rd3+384], %r9;"
			"cvt.u32.u16 %r9, %h2; st.global.u32 [%rd3+512], %r9;"),
		32);

	kernel_ok(k);
	for (uint32_t i = 0; i < 32; i++) {
		cr_assert_eq(k->word[32 + i], 7);
		cr_assert_eq(k->word[64 + i], 9);
		cr_assert_eq(k->word[96 + i], 11);
		cr_assert_eq(k->word[128 + i], 13);
	}
	kernel_done(k);
}

Test(exec_mem, gather_and_partial_warps)
{
	struct kernel *k = kernel_file(
		FILE_OF("st.global.u32 [%rd3], %r0; xor.b32 %r5, %r0, 13; mul.wide.u32 %rd5, %r5, 4; add.s64 %rd5, %rd1, %rd5;"
			"bar.warp.sync 0xfffff; ld.global.u32 %r6, [%rd5]; st.global.u32 [%rd3+256], %r6;"
			"and.b32 %r7, %r0, 1; setp.eq.u32 %p1, %r7, 0; @%p1 st.global.u32 [%rd3+512], %r6; @%p1 ld.global.u32 %r8, [%rd5];"),
		20);

	kernel_ok(k);
	for (uint32_t i = 0; i < 20; i++) {
		uint32_t from = i ^ 13;

		cr_assert_eq(k->word[64 + i], from < 20 ? from : 0);
		cr_assert_eq(k->word[128 + i], i % 2 == 0 && from < 20 ? from : 0);
	}
	kernel_done(k);
}

Test(exec_mem, narrow_elements_extend_by_their_type)
{
	struct kernel *k = kernel_file(
		FILE_OF("mov.b32 %r5, 0x8081ff80; st.global.u32 [%rd1], %r5;"
			"ld.global.u8 %r6, [%rd1+1]; ld.global.s8 %r7, [%rd1+1]; ld.global.u16 %r8, [%rd1+2]; ld.global.s16 %r9, [%rd1+2];"
			"ld.global.s32 %rd5, [%rd1]; ld.global.u32 %rd6, [%rd1]; ld.global.s8 %h1, [%rd1]; cvt.s32.s16 %r10, %h1;"
			"st.global.v4.u32 [%rd1+16], {%r6, %r7, %r8, %r9}; st.global.v2.u64 [%rd1+32], {%rd5, %rd6}; st.global.u32 [%rd1+48], %r10;"
			"st.global.u8 [%rd1+53], %r5; st.global.u16 [%rd1+54], %rd5;"),
		1);

	kernel_ok(k);
	cr_assert_eq(k->word[4], 0xff);
	cr_assert_eq(k->word[5], UINT32_MAX);
	cr_assert_eq(k->word[6], 0x8081);
	cr_assert_eq(k->word[7], 0xffff8081);
	cr_assert_eq(k->wide[4], 0xffffffff8081ff80u);
	cr_assert_eq(k->wide[5], 0x8081ff80u);
	cr_assert_eq(k->word[12], 0xffffff80);
	cr_assert_eq(k->byte[52], 0);
	cr_assert_eq(k->byte[53], 0x80);
	cr_assert_eq(k->byte[54], 0x80);
	cr_assert_eq(k->byte[55], 0xff);
	kernel_done(k);
}

Test(exec_mem, vectors_and_sinks)
{
	struct kernel *k = kernel_file(
		FILE_OF("mul.wide.u32 %rd5, %r0, 32; add.s64 %rd5, %rd1, %rd5; mov.u32 %r5, 1; add.u32 %r6, %r0, 2; mov.u32 %r7, 3; mov.u32 %r8, 4;"
			"st.global.v4.b32 [%rd5], {%r5, %r6, %r7, %r8}; ld.global.v4.b32 {%r9, _, %r10, %r11}, [%rd5];"
			"st.global.v2.b32 [%rd5+16], {%r11, %r9}; ld.global.v2.b32 {_, %r12}, [%rd5]; st.global.b32 [%rd5+24], %r12;"
			"ld.global.v8.b32 {%r20, %r21, %r22, %r23, %r24, %r25, %r26, %r27}, [%rd5]; st.global.b32 [%rd5+28], %r25;"),
		32);

	kernel_ok(k);
	for (uint32_t i = 0; i < 32; i++) {
		const uint32_t want[8] = {1, i + 2, 3, 4, 4, 1, i + 2, 1};

		cr_assert_arr_eq(&k->word[8 * i], want, sizeof want);
	}
	kernel_done(k);
}

Test(exec_mem, sixteen_bytes)
{
	struct kernel *k = kernel_file(
		FILE_OF("mul.wide.u32 %rd5, %r0, 16; add.s64 %rd5, %rd1, %rd5; mov.u64 %rd6, 7; cvt.u64.u32 %rd7, %r0; mov.b128 %q1, {%rd6, %rd7};"
			"st.global.b128 [%rd5], %q1; ld.global.b128 %q2, [%rd5]; st.relaxed.gpu.global.b128 [%rd5+512], %q2; ld.acquire.gpu.global.b128 %q3, "
			"[%rd5+512]; mov.b128 {%rd8, %rd9}, %q3; add.u64 %rd9, %rd9, 1; st.global.v2.u64 [%rd5+1024], {%rd9, %rd8};"),
		32);

	kernel_ok(k);
	for (uint32_t i = 0; i < 32; i++) {
		cr_assert_eq(k->wide[64 + 2 * i], 7);
		cr_assert_eq(k->wide[64 + 2 * i + 1], i);
		cr_assert_eq(k->wide[128 + 2 * i], i + 1);
		cr_assert_eq(k->wide[128 + 2 * i + 1], 7);
	}
	kernel_done(k);
}

Test(exec_mem, shared_static_and_dynamic)
{
	struct kernel *k = kernel_load(HEAD
		".extern .shared .align 16 .b8 dyn[];\n" BEGIN ".shared .align 8 .b32 s[32];"
		"shl.b32 %r5, %r0, 2; mov.u32 %r6, s; add.u32 %r6, %r6, %r5; xor.b32 %r7, %r0, 31; st.shared.u32 [%r6], %r7;"
		"mov.u32 %r8, dyn; add.u32 %r9, %r8, %r5; st.shared.u32 [%r9], %r0; bar.sync 0;"
		"ld.shared.u32 %r10, [s+4]; ld.shared.u32 %r11, [%r9]; ld.shared.u32 %r12, [dyn+8]; add.u32 %r10, %r10, %r11; add.u32 %r10, %r10, %r12;"
		"cvt.u64.u32 %rd5, %r6; ld.shared.u32 %r13, [%rd5]; cvta.shared.u64 %rd6, %rd5; ld.u32 %r14, [%rd6]; st.global.u32 [%rd3], %r10;"
		"add.u32 %r14, %r14, %r13; st.global.u32 [%rd3+128], %r14; cvta.to.shared.u64 %rd7, %rd6; sub.u64 %rd7, %rd7, %rd5; st.global.u32 "
		"[%rd3+256], %rd7; isspacep.shared %p1, %rd6; isspacep.global %p2, %rd6; isspacep.global %p3, %rd1; selp.u32 %r15, 1, 0, %p1; "
		"@%p2 add.u32 %r15, %r15, 2; @%p3 add.u32 %r15, %r15, 4; st.global.u32 [%rd3+384], %r15;" END,
		CHECK_BOUNDS, 1, true);

	kernel_run(k, 1, 32, 128);
	kernel_ok(k);
	for (uint32_t i = 0; i < 32; i++) {
		cr_assert_eq(k->word[i], 30 + i + 2);
		cr_assert_eq(k->word[32 + i], 2 * (31 - i));
		cr_assert_eq(k->word[64 + i], 0);
		cr_assert_eq(k->word[96 + i], 5);
	}
	kernel_done(k);
}

Test(exec_mem, local_memory_is_each_threads_own)
{
	struct kernel *k = kernel_file(
		FILE_OF(".local .align 16 .b32 l[8]; st.local.u32 [l+4], %r0; mov.u64 %rd5, l; cvta.local.u64 %rd6, %rd5; add.u32 %r5, %r0, 1;"
			"st.u32 [%rd6+8], %r5; ld.local.v4.u32 {%r6, %r7, %r8, %r9}, [l]; ld.u32 %r10, [%rd6+4]; mad.lo.u32 %r8, %r8, 1000, %r7;"
			"st.global.u32 [%rd3], %r8; st.global.u32 [%rd3+128], %r10; isspacep.local %p1, %rd6; selp.u32 %r11, 1, 0, %p1; st.global.u32 "
			"[%rd3+256], %r11;"),
		32);

	kernel_ok(k);
	for (uint32_t i = 0; i < 32; i++) {
		cr_assert_eq(k->word[i], (i + 1) * 1000 + i);
		cr_assert_eq(k->word[32 + i], i);
		cr_assert_eq(k->word[64 + i], 1);
	}
	kernel_done(k);
}

Test(exec_mem, constants_and_their_addresses)
{
	struct kernel *k = kernel_file(HEAD
		".func k2();\n.const .align 4 .b32 c[4] = {5, 6, 7, 8};\n.const .align 4 .b32 d = 9;\n.global .align 8 .u64 to[3] = {generic(c)+4, c+8, k2};\n"
		".func k2() { ret; }\n" BEGIN
		"ld.const.u32 %r5, [c+12]; mov.u64 %rd5, c; ld.const.u32 %r6, [%rd5+4]; cvta.const.u64 %rd6, %rd5; ld.u32 %r7, [%rd6];"
		"ld.global.u64 %rd7, [to]; ld.u32 %r8, [%rd7]; ld.global.u64 %rd8, [to+8]; ld.const.u32 %r9, [%rd8]; ld.const.u32 %r10, [d];"
		"st.global.v4.u32 [%rd1], {%r5, %r6, %r7, %r8}; st.global.v2.u32 [%rd1+16], {%r9, %r10}; ld.global.u64 %rd9, [to+16]; mov.u64 %rd10, k2;"
		"sub.u64 %rd9, %rd9, %rd10; st.global.u64 [%rd1+24], %rd9; isspacep.const %p1, %rd6; selp.u32 %r11, 1, 0, %p1; st.global.u32 [%rd1+32], %r11;" END,
		1);
	const uint32_t want[9] = {8, 6, 5, 6, 7, 9, 0, 0, 1};
	uint64_t address, size;
	uint32_t value;

	kernel_ok(k);
	cr_assert_arr_eq(k->word, want, sizeof want);
	cr_assert(machine_symbol(k->machine, "c", &address, &size));
	cr_assert_eq(size, 16);
	cr_assert(machine_read(k->machine, address + 8, &value, 4, NULL));
	cr_assert_eq(value, 7);
	cr_assert_not(machine_read(k->machine, address + 13, &value, 4, NULL));
	kernel_done(k);
}

Test(exec_mem, parameters_by_offset_and_by_address)
{
	const char *text = HEAD
		".visible .entry k(.param .u64 out, .param .align 8 .b8 s[16])\n{ .reg .b32 %r<9>; .reg .b64 %rd<9>;\n"
		"ld.param.u64 %rd1, [out]; ld.param.u32 %r1, [s+4]; ld.param.s8 %r2, [s+8]; mov.b64 %rd2, s; ld.param.u32 %r3, [%rd2]; cvta.param.u64 %rd3, %rd2;"
		"ld.u32 %r4, [%rd3+12]; st.global.v4.u32 [%rd1], {%r1, %r2, %r3, %r4}; ret; }";
	struct kernel *k = kernel_load(text, CHECK_BOUNDS, 1, true);
	struct {
		uint64_t out;
		uint32_t field[4];
	} params = {k->out, {1, 2, 0xfe, 4}};
	struct machine_launch l = {.func = ir_find_func(k->module, "k"),
		.grid = {1, 1, 1},
		.block = {1, 1, 1},
		.params = &params};
	const uint32_t want[4] = {2, 0xfffffffe, 1, 4};

	cr_assert(machine_launch(k->machine, &l));
	cr_assert_eq(machine_sync(k->machine), MACHINE_DONE);
	machine_read(k->machine, k->out, k->word, 16, NULL);
	cr_assert_arr_eq(k->word, want, sizeof want);
	kernel_done(k);
}

Test(exec_mem, structs_by_value_through_calls)
{
	struct kernel *k = kernel_file(HEAD
		".func (.param .align 8 .b8 r[16]) swap(.param .align 8 .b8 p[16])\n{ .reg .b64 %rd<4>;\n"
		"ld.param.u64 %rd1, [p]; ld.param.u64 %rd2, [p+8]; st.param.u64 [r], %rd2; st.param.u64 [r+8], %rd1; ret; }\n" BEGIN
		"cvt.u64.u32 %rd5, %r0; mov.u64 %rd6, 50; { .param .align 8 .b8 a[16]; .param .align 8 .b8 b[16]; st.param.v2.b64 [a+0], {%rd5, %rd6};"
		"call (b), swap, (a); ld.param.v2.b64 {%rd7, %rd8}, [b+0]; } mul.lo.u64 %rd7, %rd7, 1000; add.u64 %rd7, %rd7, %rd8; st.global.u64 [%rd4], %rd7;" END,
		32);

	kernel_ok(k);
	for (uint32_t i = 0; i < 32; i++)
		cr_assert_eq(k->wide[i], 50000 + i);
	kernel_done(k);
}

Test(exec_mem, alloca_and_the_stack_pointer)
{
	struct kernel *k = kernel_file(
		FILE_OF("stacksave.u64 %rd5; alloca.u64 %rd6, 40, 16; and.b64 %rd7, %rd6, 15; st.local.u32 [%rd6+36], %r0; ld.local.u32 %r5, [%rd6+36];"
			"stackrestore.u64 %rd5; stacksave.u64 %rd8; sub.u64 %rd8, %rd8, %rd5; add.u64 %rd7, %rd7, %rd8; st.global.u32 [%rd3], %r5;"
			"st.global.u32 [%rd3+128], %rd7;"),
		32);

	kernel_ok(k);
	for (uint32_t i = 0; i < 32; i++) {
		cr_assert_eq(k->word[i], i);
		cr_assert_eq(k->word[32 + i], 0);
	}
	kernel_done(k);
	k = kernel_file(
		FILE_OF("mov.u64 %rd10, 0; mov.u64 %rd9, 0; alloca.u64 %rd6, 40, 16; stacksave.u64 %rd5; alloca.u64 %rd6, 400; stacksave.u64 %rd7; stackrestore.u64 %rd5; add.u64 %rd9, %rd10, 1;"
			"stacksave.u64 %rd8; setp.eq.u64 %p1, %rd8, %rd5; setp.ge.u64 %p2, %rd7, 440; selp.u32 %r5, 1, 0, %p1; selp.u32 %r6, 2, 0, %p2; add.u32 %r5, %r5, %r6; st.global.u32 [%rd3], %r5;"),
		1);
	kernel_ok(k);
	cr_assert_eq(k->word[0], 3);
	kernel_done(k);
	k = kernel_file(FILE_OF("alloca.u64 %rd6, 1000000;"), 1);
	kernel_fault(k, DIAG_F0212, "alloca of 1000000 bytes");
	kernel_done(k);
	k = kernel_file(FILE_OF("stackrestore.u64 %rd1;"), 1);
	kernel_fault(k, DIAG_F0213, "stackrestore of");
	kernel_done(k);
}

/* --- every form moves every byte, and no other --- */

struct copy_form {
	const char *load, *store; /* the modifiers between the opcode and the space */
	bool wide;                /* also of 16 bytes */
	bool only_global;
};

static const struct copy_form copy_forms[] = {
	{"", "", true, false},
	{".weak", ".weak", true, false},
	{".volatile", ".volatile", false, false},
	{".relaxed.gpu", ".relaxed.cta", true, false},
	{".acquire.sys", ".release.gpu", true, false},
	{".relaxed.cluster", ".relaxed.sys", true, false},
	{".mmio.relaxed.sys", ".mmio.relaxed.sys", false, true},
};

enum { MATRIX = 1536, AREA = 1024 };

/* Each lane i for which %r6 is not 0 copies N elements of TYPE from location FROM(i) to location i;
 * SHAPE: 0 its own, 1 lane 5's, 2 that of the mirrored lane. */
static void put_copy(struct text *t, const struct copy_form *f, const char *space, const char *type,
	unsigned bits, unsigned n, unsigned shape)
{
	/* for four or more: %rd10.., %r20.. */
	const char *reg = bits == 128 ? "%q" : bits == 64 ? "%rd1" : bits == 32 ? "%r2" : "%h";
	unsigned size = bits / 8 * n;
	struct text v = {0};

	for (unsigned e = 0; e < n; e++)
		text_printf(&v, "%s%s%u", e ? ", " : n > 1 ? "{" : "", reg, e);
	if (n > 1)
		text_putc(&v, '}');
	text_printf(t,
		"%s mul.wide.u32 %%rd5, %%r5, %u; mul.wide.u32 %%rd6, %%r0, %u; add.s64 %%rd5, %%rd5, %%rd7; add.s64 %%rd6, %%rd6, %%rd8; mov.u64 %%rd9, 0;\n",
		shape == 0           ? "mov.u32 %r5, %r0;"
			: shape == 1 ? "mov.u32 %r5, 5;"
				     : "sub.u32 %r5, 31, %r0;",
		size, size);
	text_puts(t, "setp.ne.u32 %p1, %r6, 0;\n");
	text_printf(t, "@%%p1 ld%s%s%s.%s %s, [%%rd5];\n", f->load, space,
		n == 8           ? ".v8"
			: n == 4 ? ".v4"
			: n == 2 ? ".v2"
				 : "",
		type, text_str(&v));
	text_printf(t, "@%%p1 st%s%s%s.%s [%%rd6], %s;\n", f->store, space,
		n == 8           ? ".v8"
			: n == 4 ? ".v4"
			: n == 2 ? ".v2"
				 : "",
		type, text_str(&v));
	text_free(&v);
}

/* The words are AREA bytes of the source, then of the destination. For other spaces than global
 * memory both are first copied there by b32, and copied back at the end. */
static void check_copy(const struct copy_form *f, unsigned space, const char *type, unsigned bits,
	unsigned n, unsigned shape, uint32_t lanes, unsigned mode, struct rng *r)
{
	static const char *const name[] = {".global", "", ".shared", "", ".local"};
	static const uint8_t checks[] = {0, CHECK_BOUNDS | CHECK_INIT | CHECK_SYNC, CHECK_BOUNDS};
	unsigned size = bits / 8 * n;
	uint8_t was[2 * AREA];
	struct text t = {0};
	struct kernel *k;

	text_puts(&t, HEAD BEGIN);
	text_printf(
		&t, "mov.u32 %%r6, %u; shr.u32 %%r6, %%r6, %%r0; and.b32 %%r6, %%r6, 1;\n", lanes);
	if (space < 2) {
		text_printf(&t, "mov.u64 %%rd7, %%rd1; add.s64 %%rd8, %%rd1, %u;\n", AREA);
	} else {
		const char *s = space == 4 ? "local" : "shared";

		text_printf(&t,
			".%s .align 32 .b8 mine[%u]; mov.u64 %%rd7, mine; mov.u32 %%r7, 0; mul.wide.u32 %%rd6, %%r0, %u;\n",
			s, 2 * AREA, space == 4 ? 0 : 4);
		text_printf(&t,
			"C: add.s64 %%rd9, %%rd1, %%rd6; ld.global.b32 %%r8, [%%rd9]; add.s64 %%rd9, %%rd7, %%rd6; st.%s.b32 [%%rd9], %%r8; add.s64 %%rd6, %%rd6, %u; setp.lt.u64 %%p2, %%rd6, %u; @%%p2 bra C;\n",
			s, space == 4 ? 4 : 128, 2 * AREA);
		text_puts(&t, "bar.sync 0;\n");
		if (space == 3)
			text_puts(&t, "cvta.shared.u64 %rd7, %rd7;\n");
		text_printf(&t, "add.s64 %%rd8, %%rd7, %u;\n", AREA);
	}
	put_copy(&t, f, name[space], type, bits, n, shape);
	if (space >= 2) {
		const char *s = space == 4 ? "local" : "shared";

		/* a lane's own part of the destination, by bytes; local memory is private to each
		 * thread */
		text_printf(&t,
			"bar.sync 0; mov.u64 %%rd7, mine; mul.wide.u32 %%rd6, %%r0, %u; add.s64 %%rd6, %%rd6, %u; mov.u32 %%r7, 0;\n",
			size, AREA);
		text_printf(&t,
			"D: add.s64 %%rd9, %%rd7, %%rd6; ld.%s.u8 %%r8, [%%rd9]; add.s64 %%rd9, %%rd1, %%rd6; st.global.u8 [%%rd9], %%r8; add.s64 %%rd6, %%rd6, 1; add.u32 %%r7, %%r7, 1;"
			"setp.lt.u32 %%p2, %%r7, %u; @%%p2 bra D;\n",
			s, size);
	}
	text_puts(&t, END);
	k = kernel_load(text_str(&t), checks[mode], 1, true);
	if (mode == 2) {
		k->machine->options.memory = MEMORY_WEAK;
		sampler_attach(k->machine);
	}
	for (unsigned b = 0; b < sizeof was; b++)
		was[b] = (uint8_t)rng_next(r);
	cr_assert(machine_write(k->machine, k->out, was, sizeof was));
	kernel_run(k, 1, 32, 0);
	cr_assert_eq(k->status, MACHINE_DONE, "%s\n%s", text_str(&t), text_str(&k->text));
	for (unsigned lane = 0; lane < 32; lane++)
		if (lanes >> lane & 1)
			memcpy(was + AREA + lane * size,
				was +
					(shape == 0                  ? lane
							: shape == 1 ? 5
								     : 31 - lane) *
						size,
				size);
	for (unsigned b = 0; b < sizeof was; b++)
		cr_assert_eq(k->byte[b], was[b],
			"byte %u is %02x, not %02x, mode %u, shape %u, lanes %08x:\n%s", b,
			k->byte[b], was[b], mode, shape, lanes, text_str(&t));
	sampler_detach(k->machine);
	kernel_done(k);
	text_free(&t);
}

Test(exec_mem, every_form_moves_every_byte)
{
	static const char *const kind[] = {"b", "u", "s"};
	struct rng r = {6};

	for (unsigned round = 0; round < MATRIX; round++) {
		const struct copy_form *f =
			&copy_forms[rng_next(&r) % (sizeof copy_forms / sizeof *copy_forms)];
		unsigned bits = 8u << rng_next(&r) % 5, n = 1u << rng_next(&r) % 4,
			 space = (unsigned)(rng_next(&r) % 5), shape = (unsigned)(rng_next(&r) % 3);
		char type[8];

		if (bits == 128 && (!f->wide || n > 1 || space == 4))
			bits = 64;
		while (bits * n > (space == 0 && (f->load[0] == 0 || f->load[1] == 'w') ? 256
											: 128) ||
			(n == 8 && bits != 32))
			n /= 2;
		if (f->only_global)
			space = 0, n = 1;
		if (f->load[0] && space == 4)
			f = &copy_forms[rng_next(&r) % 2];
		snprintf(type, sizeof type, "%s%u", bits == 128 ? "b" : kind[rng_next(&r) % 3],
			bits);
		/* all lanes; all but one; few; any */
		uint32_t lanes = round % 4 == 0 ? UINT32_MAX
			: round % 4 == 1        ? ~(UINT32_C(1) << rng_next(&r) % 32)
			: round % 4 == 2        ? 0x108421u << rng_next(&r) % 8
						: (uint32_t)rng_next(&r) | 1;

		check_copy(f, space, type, bits, n, shape, lanes, (unsigned)(rng_next(&r) % 3), &r);
	}
}

/* Warps that lack lanes move the others' elements as a row. The buffer is WORDS words; the places
 * that the missing lanes would have in the row are partly outside it. */
Test(exec_mem, rows_of_some_lanes_at_the_ends_of_a_buffer)
{
	static const uint32_t masks[] = {0x7fffffff, 0xfffffffe, 0xffff0000, 0x0000ffff, 0x55555555,
		0xaaaaaaaa, 0x80000001, 0x7ffffffe, 0x00ff0000};

	for (unsigned m = 0; m < sizeof masks / sizeof *masks; m++)
		for (unsigned end = 0; end < 2; end++) {
			uint32_t mask = masks[m];
			int first = end ? WORDS - 32 + __builtin_clz(mask) : -__builtin_ctz(mask);
			struct text t = {0};
			struct kernel *k;

			/* word[at] = word[at] + 1 with at = first + tid; the words of other lanes'
			 * registers, 77, to the middle */
			text_puts(&t, HEAD BEGIN);
			text_printf(&t,
				"mov.u32 %%r6, %u; shr.u32 %%r6, %%r6, %%r0; and.b32 %%r6, %%r6, 1; setp.ne.u32 %%p1, %%r6, 0; mov.u32 %%r5, 77; mov.u32 %%r7, 77;"
				"add.s32 %%r8, %%r0, %d; mul.wide.s32 %%rd5, %%r8, 4; add.s64 %%rd5, %%rd5, %%rd1; @%%p1 ld.global.u32 %%r5, [%%rd5]; @%%p1 ld.global.u8 %%r7, [%%rd5];"
				"@%%p1 add.u32 %%r9, %%r5, 1; @%%p1 st.global.u32 [%%rd5], %%r9; st.global.u32 [%%rd3+1024], %%r5; st.global.u32 [%%rd3+2048], %%r7;" END,
				mask, first);
			k = kernel_load(text_str(&t), CHECK_BOUNDS, 1, true);
			for (uint32_t i = 0; i < WORDS; i++)
				k->word[i] = 1000 + i;
			cr_assert(machine_write(k->machine, k->out, k->word, sizeof k->word));
			kernel_run(k, 1, 32, 0);
			kernel_ok(k);
			for (uint32_t i = 0; i < 32; i++) {
				bool on = mask >> i & 1;
				uint32_t value = 1000u + (uint32_t)(first + (int)i);

				if (first + (int)i >= 0 && first + (int)i < WORDS)
					cr_assert_eq(
						k->word[first + (int)i], on ? value + 1 : value);
				cr_assert_eq(k->word[256 + i], on ? value : 77);
				cr_assert_eq(k->word[512 + i], on ? (value & 0xff) : 77);
			}
			kernel_done(k);
			text_free(&t);
		}
}

/* The first lane of the mask that is outside or misaligned is named; lanes that do not execute the
 * access have any address. */
Test(exec_mem, a_fault_names_the_lane_also_when_lanes_are_missing)
{
	static const char *const access[] = {"ld.global.u32 %r9, [%rd5]",
		"st.global.u32 [%rd5], %r0", "ld.global.u8 %r9, [%rd5]",
		"st.global.v2.u32 [%rd5], {%r0, %r0}"};
	struct rng r = {11};

	for (unsigned round = 0; round < 200; round++) {
		uint32_t mask = (uint32_t)(rng_next(&r) | rng_next(&r)),
			 bad = (uint32_t)rng_next(&r);
		struct text t = {0};
		struct kernel *k;
		char part[32];

		bad &= (uint32_t)rng_next(&r) & (uint32_t)rng_next(&r);
		text_puts(&t, HEAD BEGIN);
		text_printf(&t,
			"mov.u32 %%r6, %u; shr.u32 %%r6, %%r6, %%r0; and.b32 %%r6, %%r6, 1; setp.ne.u32 %%p1, %%r6, 0;"
			"mov.u32 %%r7, %u; shr.u32 %%r7, %%r7, %%r0; and.b32 %%r7, %%r7, 1; mul.wide.u32 %%rd6, %%r7, 0x40000000;"
			"mul.wide.u32 %%rd5, %%r0, 8; add.s64 %%rd5, %%rd5, %%rd1; add.s64 %%rd5, %%rd5, %%rd6; @%%p1 %s;" END,
			mask, bad, access[round % 4]);
		k = kernel_file(text_str(&t), 32);
		if (mask & bad) {
			snprintf(
				part, sizeof part, "CTA 0, thread %d\n", __builtin_ctz(mask & bad));
			kernel_fault(k, DIAG_F0201, part);
		} else {
			kernel_ok(k);
		}
		kernel_done(k);
		text_free(&t);
	}
}

/* --- faults --- */

static void expect_fault(const char *body, enum diag_code code, const char *part)
{
	char text[8192];
	struct kernel *k;

	snprintf(text, sizeof text, "%s%s%s%s", HEAD ".const .align 4 .b32 c = 1;\n", BEGIN, body,
		END);
	k = kernel_file(text, 32);
	cr_assert_eq(k->status, MACHINE_FAULT, "%s: %s", body, text_str(&k->text));
	kernel_fault(k, code, part);
	kernel_done(k);
}

Test(exec_mem, faults_say_what_lies_there)
{
	expect_fault(
		"mov.u32 %r5, 1; st.global.u32 [%rd3+4000], %r5;", DIAG_F0201, "writes 4 bytes at");
	expect_fault("mov.u32 %r5, 1; st.global.u32 [%rd3+4000], %r5;", DIAG_F0201,
		"just past buffer `out`");
	expect_fault("mov.u32 %r5, 1; st.global.u32 [%rd3+4000], %r5;", DIAG_F0201, "thread 24");
	expect_fault("ld.global.u32 %r5, [%rd1+4100];", DIAG_F0201,
		"4 bytes past buffer `out`, which ends at");
	expect_fault("ld.global.u32 %r5, [%rd1+-4];", DIAG_F0201, "4 bytes before buffer `out`");
	expect_fault("ld.global.v4.u32 {%r5, %r6, %r7, %r8}, [%rd1+8];", DIAG_F0202,
		"not a multiple of 16");
	expect_fault("ld.global.u32 %r5, [%rd3+2];", DIAG_F0202, "not a multiple of 4");
	expect_fault("mov.u64 %rd5, 0; ld.global.u32 %r5, [%rd5];", DIAG_F0203, "the null pointer");
	expect_fault("mov.u64 %rd5, 0; st.u32 [%rd5+8], %r0;", DIAG_F0203,
		"8 bytes past the null pointer");
	expect_fault("mov.u64 %rd5, 0x123456789abc0; ld.u32 %r5, [%rd5];", DIAG_F0205,
		"no allocation is near it");
	expect_fault("mov.u64 %rd5, 0xfedcba9876543210; ld.u64 %rd6, [%rd5];", DIAG_F0205,
		"no allocation is near it");
	expect_fault("mov.u64 %rd5, c; cvta.const.u64 %rd5, %rd5; st.u32 [%rd5], %r0;", DIAG_F0204,
		".const variable `c`");
	expect_fault("mov.u64 %rd5, c; cvta.const.u64 %rd5, %rd5; ld.u32 %r5, [%rd5+4];",
		DIAG_F0201, "just past .const variable `c`");
	expect_fault(".shared .b32 s[4]; ld.shared.u32 %r5, [s+64];", DIAG_F0201,
		"48 bytes past the CTA's shared memory, which has 16 bytes: s[16] of 4 elements");
	expect_fault(".shared .b32 s[4]; ld.shared.u32 %r5, [s+16];", DIAG_F0201,
		"just past the CTA's shared memory, which has 16 bytes: s[4] of 4 elements");
	expect_fault(".shared .b32 s[4]; mov.u32 %r5, 0xfffffff0; ld.shared.u32 %r5, [%r5];",
		DIAG_F0201, "shared memory");
	expect_fault(
		".shared .b32 s[4]; mov.u64 %rd5, s; cvta.shared.u64 %rd5, %rd5; ld.global.u32 %r5, [%rd5];",
		DIAG_F0206, "of the shared memory window");
	expect_fault(
		".shared .b32 s[4]; mov.u64 %rd5, s; cvta.shared.u64 %rd5, %rd5; ld.shared.u32 %r5, [%rd5];",
		DIAG_F0206, "not an offset in .shared memory");
	expect_fault(".local .b32 l[4]; ld.local.u32 %r5, [l+60000];", DIAG_F0201,
		"thread's local memory");
	expect_fault(
		".local .b32 l[4]; mov.u64 %rd5, l; cvta.local.u64 %rd5, %rd5; atom.add.u32 %r5, [%rd5], 1;",
		DIAG_F0206, "no atomic operations");
	expect_fault("mov.u64 %rd5, k; st.u32 [%rd5], %r0;", DIAG_F0205, "of the code");
	expect_fault("atom.global.add.u32 %r5, [%rd1+4096], 1;", DIAG_F0201, "changes 4 bytes");
	expect_fault("setp.eq.u32 %p1, %r0, 17; @%p1 ld.global.u32 %r5, [%rd1+4096];", DIAG_F0201,
		"thread 17");
}

Test(exec_mem, a_fault_of_one_lane_leaves_memory_alone)
{
	struct kernel *k = kernel_file(
		FILE_OF("mul.wide.u32 %rd5, %r0, 256; add.s64 %rd5, %rd1, %rd5; mov.u32 %r5, 1; st.global.u32 [%rd5], %r5;"),
		32);

	kernel_fault(k, DIAG_F0201, "thread 16");
	cr_assert_eq(k->word[0], 0);
	kernel_done(k);
}

/* --- --check=init --- */

static void expect_undefined(const char *body, const char *part)
{
	char text[8192];
	struct kernel *k;

	snprintf(text, sizeof text, "%s%s%s%s", HEAD, BEGIN, body, END);
	k = kernel_load(text, CHECK_BOUNDS | CHECK_INIT, 1, false);
	kernel_run(k, 1, 32, 0);
	if (part)
		kernel_fault(k, DIAG_R0201, part);
	else
		kernel_ok(k);
	kernel_done(k);
}

Test(exec_mem, undefined_values_are_reported_where_they_matter)
{
	expect_undefined("st.global.u32 [%rd3], %r5;",
		"register %r5, stored to global memory, has no value: it was never written");
	expect_undefined("add.u32 %r6, %r5, 1; xor.b32 %r7, %r6, 3; st.global.u32 [%rd3], %r7;",
		"computed from %r5, which was never written");
	expect_undefined("ld.global.u32 %r5, [%rd3]; st.global.u32 [%rd3], %r5;",
		"comes from the load at line 9, of memory that was never written (buffer `out`)");
	expect_undefined("ld.global.u32 %r5, [%rd3]; mov.u32 %r6, %r5;", NULL);
	expect_undefined(
		"st.global.u32 [%rd3], %r0; ld.global.u32 %r5, [%rd3]; st.global.u32 [%rd3], %r5;",
		NULL);
	expect_undefined("@%p3 add.u32 %r5, %r0, 1;", "used as a guard");
	expect_undefined("setp.eq.u32 %p3, %r5, 1; @%p3 bra L; L:",
		"register %p3, used as the condition of a branch, has no value: it was computed from %r5, which was never written");
	expect_undefined("ld.global.u32 %r5, [%rd9];", "used in the address of a load");
	expect_undefined(
		".shared .b32 s[4]; ld.shared.u32 %r5, [s+4]; add.u32 %r5, %r5, 1; st.global.u32 [%rd3], %r5;",
		"s[1] in shared memory");
	expect_undefined(
		".shared .align 8 .b32 s[4]; st.shared.u32 [s], %r0; ld.shared.v2.u32 {%r5, %r6}, [s]; st.global.v2.u32 [%rd4], {%r5, %r6};",
		NULL);
	expect_undefined(
		".shared .align 8 .b32 s[4]; st.shared.u32 [s], %r0; ld.shared.v2.u32 {%r5, %r6}, [s]; add.u32 %r6, %r6, 1; st.global.u32 [%rd3], %r6;",
		"never written");
	expect_undefined(
		".shared .b32 s[4]; st.shared.u32 [s], %r0; ld.shared.u32 %r5, [s]; st.global.u32 [%rd3], %r5;",
		NULL);
	expect_undefined(
		".local .b32 l[4]; st.local.u32 [l], %r5; ld.local.u32 %r6, [l]; st.global.u32 [%rd3], %r6;",
		"never written");
	expect_undefined(
		".local .b32 l[4]; st.local.u32 [l], %r0; ld.local.u32 %r6, [l]; st.global.u32 [%rd3], %r6;",
		NULL);
	expect_undefined("atom.global.add.u32 %r5, [%rd3], 1;",
		"operand in memory of an atomic operation was never written");
	expect_undefined(
		"atom.global.exch.b32 %r5, [%rd3], 1; atom.global.add.u32 %r6, [%rd3], 1;", NULL);
	expect_undefined("shfl.sync.idx.b32 %r6, %r5, 0, 31, -1; st.global.u32 [%rd3], %r6;",
		"stored to global memory");
	expect_undefined(
		"setp.lt.u32 %p1, %r0, 16; @%p1 mov.u32 %r5, 3; shfl.sync.idx.b32 %r6, %r5, 2, 31, -1; st.global.u32 [%rd3], %r6;",
		NULL);
}

Test(exec_mem, used_bytes_of_a_wide_load)
{
	const char *part = "st.global.u32 [%rd3], %r0; bar.warp.sync -1; and.b64 %rd5, %rd3, -16;";
	char text[1024];

	snprintf(text, sizeof text,
		".shared .align 16 .b32 s[4]; %s st.shared.u32 [s], %%r0; .pragma \"used_bytes_mask 15\"; ld.shared.b64 %%rd6, [s]; cvt.u32.u64 %%r6, %%rd6;"
		"st.global.u32 [%%rd3], %%r6;",
		part);
	expect_undefined(text, NULL);
	snprintf(text, sizeof text,
		".shared .align 16 .b32 s[4]; %s st.shared.u32 [s], %%r0; ld.shared.b64 %%rd6, [s]; cvt.u32.u64 %%r6, %%rd6; st.global.u32 [%%rd3], %%r6;",
		part);
	expect_undefined(text, NULL); /* the half that was written */
	snprintf(text, sizeof text,
		".shared .align 16 .b32 s[4]; %s st.shared.u32 [s], %%r0; ld.shared.b64 %%rd6, [s]; mul.lo.u64 %%rd6, %%rd6, 3; cvt.u32.u64 %%r6, %%rd6; st.global.u32 [%%rd3], %%r6;",
		part);
	expect_undefined(text, "never written");
	snprintf(text, sizeof text,
		".shared .align 16 .b32 s[4]; %s st.shared.u32 [s], %%r0; .pragma \"used_bytes_mask 15\"; ld.shared.b64 %%rd6, [s]; mul.lo.u64 %%rd6, %%rd6, 3; cvt.u32.u64 %%r6, %%rd6; st.global.u32 [%%rd3], %%r6;",
		part);
	expect_undefined(text, NULL);
}

/* A result is defined if the defined sources determine it: conditions that mask a value read from
 * unwritten memory. */
Test(exec_mem, undefined_conditions)
{
	/* %p3 is undefined, %p4 false, %p5 true, %r5 undefined */
#define LET "setp.gt.s32 %p3, %r5, 0; setp.ge.u32 %p4, %r0, 1000; not.pred %p5, %p4;\n"
	static const struct {
		const char *body;
		bool undefined;
	} form[] = {
		{"and.pred %p1, %p3, %p4;", false},
		{"and.pred %p1, %p3, %p5;", true},
		{"and.pred %p1, %p4, %p3;", false},
		{"or.pred %p1, %p3, %p5;", false},
		{"or.pred %p1, %p3, %p4;", true},
		{"xor.pred %p1, %p3, %p5;", true},
		{"not.pred %p1, %p3;", true},
		{"mov.pred %p1, %p3;", true},
		{"and.pred %p1, %p3, %p4; not.pred %p1, %p1;", false},
		{"or.pred %p1, %p3, %p4; and.pred %p1, %p1, %p4;", false},
		{"setp.gt.and.s32 %p1, %r5, 0, %p4;", false},
		{"setp.gt.and.s32 %p1, %r5, 0, !%p5;", false},
		{"setp.gt.and.s32 %p1, %r5, 0, %p5;", true},
		{"setp.gt.or.s32 %p1, %r5, 0, !%p4;", false},
		{"setp.gt.or.s32 %p1, %r5, 0, %p4;", true},
		{"setp.gt.xor.s32 %p1, %r5, 0, %p4;", true},
		{"setp.ge.and.s32 %p1, %r0, 1000, %p3;", false},
		{"setp.ge.and.s32 %p1|%p2, %r0, 1000, %p3;", false},
		{"setp.ge.and.s32 %p2|%p1, %r0, 1000, %p3;", true},
		{"setp.ge.or.s32 %p2|%p1, %r0, 1000, %p3;", false},
		{"mov.f32 %f1, 0f3F800000; setp.gt.or.f32 %p1, %f1, 0f00000000, %p3;", false},
		{"mov.f64 %fd1, 0d3FF0000000000000; setp.lt.or.f64 %p1, %fd1, 0d0000000000000000, %p3;",
			true},
		{"setp.gt.and.f32 %p1, %f5, 0f00000000, %p4;", false},
		{"setp.ge.u32 %p1, %r5, 0;", false},
		{"setp.lt.u32 %p1, %r5, 1;", true},
		{"or.b32 %r6, %r5, 4; setp.eq.u32 %p1, %r6, 3;", false},
		{"and.b32 %r6, %r5, 7; setp.lt.u32 %p1, %r6, 8;", false},
		{"and.b32 %r6, %r5, 7; setp.lt.s32 %p1, %r6, 7;", true},
		{"selp.u32 %r6, 1, 2, %p3; setp.eq.u32 %p1, %r6, 1;", true},
		{"selp.u32 %r6, 5, 5, %p3; setp.eq.u32 %p1, %r6, 5;", false},
		{"selp.u32 %r6, 5, 7, %p3; and.b32 %r6, %r6, 5; setp.eq.u32 %p1, %r6, 5;", false},
		{"selp.u32 %r6, %r5, 7, %p4; setp.eq.u32 %p1, %r6, 7;", false},
		{"selp.u32 %r6, %r5, 7, !%p5; setp.eq.u32 %p1, %r6, 7;", false},
		{"selp.u32 %r6, %r5, 7, !%p4; setp.eq.u32 %p1, %r6, 7;", true},
		{"slct.u32.s32 %r6, %r5, 7, -1; setp.eq.u32 %p1, %r6, 7;", false},
		{"slct.u32.s32 %r6, 7, 8, %r5; setp.eq.u32 %p1, %r6, 7;", true},
		{"and.b32 %r6, %r5, 9; slct.u32.s32 %r6, 7, %r5, %r6; setp.eq.u32 %p1, %r6, 7;",
			false},
		{"mov.f32 %f1, 0fBF800000; slct.u32.f32 %r6, %r5, 7, %f1; setp.eq.u32 %p1, %r6, 7;",
			false},
		{"set.gt.and.u32.s32 %r6, %r5, 0, %p4; setp.eq.u32 %p1, %r6, 0;", false},
		{"set.gt.and.u32.s32 %r6, %r5, 0, %p5; setp.eq.u32 %p1, %r6, 0;", true},
		{"lop3.b32 %r6, %r5, 0, 0, 0x80; setp.eq.u32 %p1, %r6, 0;", false},
		{"lop3.b32 %r6, %r5, 1, %r0, 0xca; setp.eq.u32 %p1, %r6, 0;", true},
		{"lop3.or.b32 %r6|%p1, %r5, 1, 0, 0xfc, %p4;", false},
		{"lop3.and.b32 %r6|%p1, %r5, 1, 1, 0x80, %p4;", false},
		{"lop3.and.b32 %r6|%p1, %r5, 1, 1, 0x80, !%p4;", true},
		{"min.u32 %r6, %r5, 0; setp.eq.u32 %p1, %r6, 0;", false},
		{"max.u32 %r6, %r5, 0; setp.eq.u32 %p1, %r6, 0;", true},
		{"max.s32 %r6, %r5, 0x7fffffff; setp.eq.s32 %p1, %r6, 0;", false},
		{"setp.eq.u32 %p6, %r0, 0; or.pred %p3, %p3, %p6; vote.sync.any.pred %p1, %p3, -1;",
			false},
		{"setp.eq.u32 %p6, %r0, 0; or.pred %p3, %p3, %p6; vote.sync.all.pred %p1, %p3, -1;",
			true},
		{"setp.eq.u32 %p6, %r0, 1; and.pred %p3, %p3, %p6; vote.sync.all.pred %p1, %p3, -1;",
			false},
		{"setp.eq.u32 %p6, %r0, 1; and.pred %p3, %p3, %p6; vote.sync.any.pred %p1, %p3, -1;",
			true},
		{"setp.eq.u32 %p6, %r0, 1; and.pred %p3, %p3, %p6; vote.sync.ballot.b32 %r6, %p3, -1; and.b32 %r6, %r6, 5; setp.eq.u32 %p1, %r6, 0;",
			false},
		{"setp.eq.u32 %p6, %r0, 1; and.pred %p3, %p3, %p6; vote.sync.ballot.b32 %r6, %p3, -1; and.b32 %r6, %r6, 2; setp.eq.u32 %p1, %r6, 0;",
			true},
		{"and.b32 %r6, %r5, %r0; redux.sync.or.b32 %r6, %r6, -1; and.b32 %r6, %r6, 64; setp.eq.u32 %p1, %r6, 0;",
			false},
		{"and.b32 %r6, %r5, %r0; redux.sync.or.b32 %r6, %r6, -1; and.b32 %r6, %r6, 4; setp.eq.u32 %p1, %r6, 0;",
			true},
		{"and.b32 %r6, %r5, %r0; redux.sync.and.b32 %r6, %r6, -1; setp.eq.u32 %p1, %r6, 0;",
			false},
		{"and.b32 %r6, %r5, %r0; redux.sync.add.u32 %r6, %r6, -1; setp.eq.u32 %p1, %r6, 0;",
			true},
	};

	for (unsigned n = 0; n < sizeof form / sizeof *form; n++) {
		struct text t = {0};

		text_puts(&t, LET);
		text_puts(&t, form[n].body);
		text_puts(&t, "\n@%p1 bra L; add.u32 %r7, %r0, 1; L:");
		expect_undefined(text_str(&t),
			form[n].undefined
				? "register %p1, used as the condition of a branch, has no value"
				: NULL);
		text_free(&t);
	}
}
