/* atom and red: every operation and type, lane order, vectors, 16 bytes, with one host thread and
 * with several. */
#include "base/rng.h"
#include "interp/state/state.h"
#include "tests/unit/kernels.h"
#include "weak/sampler.h"

#define FILE_OF(body) HEAD BEGIN body END

/* One atomic operation by one thread: checks the value in memory and the returned value, as
 * bits. */
static void one(
	const char *insn, uint64_t memory, uint64_t b, uint64_t c, uint64_t want, unsigned jobs)
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
	cr_assert_eq(k->wide[0], want, "%s: memory is 0x%llx, not 0x%llx", insn,
		(unsigned long long)k->wide[0], (unsigned long long)want);
	if (insn[0] == 'a')
		cr_assert_eq(k->wide[3], memory, "%s: returned 0x%llx, not 0x%llx", insn,
			(unsigned long long)k->wide[3], (unsigned long long)memory);
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
	snprintf(red, sizeof red, "red.global.%.*s %s", (int)strcspn(insn + 12, " "), insn + 12,
		strchr(insn, '['));
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
	/* flushed in global memory */
	both("atom.global.add.f32 %f5, [%rd1], %f6;", 0x00000001, 0x00000001, 0, 0);
	both("atom.global.add.f64 %fd5, [%rd1], %fd6;", 0x3ff0000000000000, 0x4000000000000000, 0,
		0x4008000000000000);
	both("atom.global.add.noftz.f16 %h8, [%rd1], %h6;", 0x3c00, 0x4000, 0, 0x4200);
	both("atom.global.add.noftz.bf16 %h8, [%rd1], %h6;", 0x3f80, 0x4000, 0, 0x4040);
	both("atom.global.add.noftz.f16x2 %r8, [%rd1], %r6;", 0x3c003c00, 0x40000001, 0,
		0x42003c00);
	both("atom.global.add.noftz.bf16x2 %r8, [%rd1], %r6;", 0x3f803f80, 0x40003f80, 0,
		0x40404000);
	one("{ .shared .b32 s; ld.global.u32 %r10, [%rd1]; st.shared.u32 [s], %r10; atom.shared.add.f32 %f5, [s], %f6; ld.shared.u32 %r10, [s]; st.global.u32 [%rd1], %r10; }",
		1, 1, 0, 2, 1); /* kept in shared memory */
}

Test(exec_atom, sixteen_bytes)
{
	for (unsigned jobs = 1; jobs <= 2; jobs++) {
		struct kernel *k = kernel_load(
			FILE_OF("mov.u64 %rd5, 1; mov.u64 %rd6, 2; mov.b128 %q1, {%rd5, %rd6}; mov.u64 %rd7, 3; mov.b128 %q2, {%rd6, %rd7};"
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
	struct kernel *k = kernel_file(
		FILE_OF("mov.f32 %f1, 0f3F800000; mov.f32 %f2, 0f40000000; atom.global.add.v2.f32 {%f3, %f4}, [%rd1], {%f1, %f2};"
			"red.global.add.v4.f32 [%rd1], {%f1, %f1, %f2, %f2}; mov.b16 %h1, 0x3c00; mov.b16 %h2, 0x4000;"
			"atom.global.max.noftz.v4.f16 {%h3, %h4, %h5, %h6}, [%rd1+16], {%h1, %h2, %h1, %h2}; red.global.add.noftz.v8.bf16 [%rd1+32], {%h1, %h1, %h1, "
			"%h1, %h1, %h1, %h1, %h2}; mov.b32 %r5, 0x40003c00; red.global.add.noftz.v2.f16x2 [%rd1+16], {%r5, %r5}; st.global.f32 [%rd1+48], %f4;"),
		1);
	const uint32_t want[13] = {0x40000000, 0x40400000, 0x40000000, 0x40000000, 0x44004000,
		0x44004000, 0, 0, 0x3c003c00, 0x3c003c00, 0x3c003c00, 0x40003c00, 0};

	kernel_ok(k);
	cr_assert_arr_eq(k->word, want, sizeof want);
	kernel_done(k);
}

Test(exec_atom, lanes_take_effect_in_order)
{
	struct kernel *k = kernel_file(
		FILE_OF("atom.global.exch.b32 %r5, [%rd1+2048], %r0; st.global.u32 [%rd3], %r5; .shared .b32 s; atom.shared.inc.u32 %r6, [s], 100;"
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
		cr_assert_eq(n == 2 ? (uint32_t)f : k->word[0], 64 * threads, "%s: %u", insn[n],
			k->word[0]);
		kernel_done(k);
	}
}

/* --- every operation, type, order and space, by lanes with shared or separate words, compared with
 * the same in C --- */

struct change {
	const char *name, *type;
	unsigned bytes;
	bool is_signed;
};

static const struct change change[] = {
	{"add", "u32", 4, false},
	{"add", "s32", 4, true},
	{"add", "u64", 8, false},
	{"min", "u32", 4, false},
	{"min", "s32", 4, true},
	{"min", "u64", 8, false},
	{"min", "s64", 8, true},
	{"max", "u32", 4, false},
	{"max", "s32", 4, true},
	{"max", "u64", 8, false},
	{"max", "s64", 8, true},
	{"and", "b32", 4, false},
	{"and", "b64", 8, false},
	{"or", "b32", 4, false},
	{"or", "b64", 8, false},
	{"xor", "b32", 4, false},
	{"xor", "b64", 8, false},
	{"inc", "u32", 4, false},
	{"dec", "u32", 4, false},
	{"exch", "b32", 4, false},
	{"exch", "b64", 8, false},
	{"cas", "b32", 4, false},
	{"cas", "b64", 8, false},
	{"cas", "b16", 2, false},
};

static uint64_t cut(uint64_t v, unsigned bytes)
{
	return bytes == 8 ? v : v & ((UINT64_C(1) << 8 * bytes) - 1);
}

static uint64_t changed(const struct change *o, uint64_t old, uint64_t b, uint64_t c)
{
	unsigned shift = 64 - 8 * o->bytes;
	bool less = o->is_signed ? (int64_t)(old << shift) < (int64_t)(b << shift) : old < b;

	switch (o->name[0] << 8 | o->name[1]) {
	case 'a' << 8 | 'd': return cut(old + b, o->bytes);
	case 'a' << 8 | 'n': return old & b;
	case 'm' << 8 | 'i': return less ? old : b;
	case 'm' << 8 | 'a': return less ? b : old;
	case 'o' << 8 | 'r': return old | b;
	case 'x' << 8 | 'o': return old ^ b;
	case 'i' << 8 | 'n': return old >= b ? 0 : old + 1;
	case 'd' << 8 | 'e': return old == 0 || old > b ? b : old - 1;
	case 'e' << 8 | 'x': return b;
	default: return old == b ? c : old; /* cas */
	}
}

enum { TARGET = 0, OPERAND = 256, SECOND = 512, OLD = 768, END_OF_ALL = 1024 };
enum { ONE_JOB, WATCHED, TWO_JOBS, WEAK, WAYS };

static void check_change(const struct change *o, bool red, const char *order, unsigned space,
	unsigned shape, bool some, unsigned way, struct rng *r)
{
	static const struct machine_options option[] = {{.jobs = 1},
		{.jobs = 1, .checks = CHECK_BOUNDS | CHECK_SYNC | CHECK_INIT}, {.jobs = 2},
		{.jobs = 1}};
	static const char *const name[] = {".global", "", ".shared", ""};
	const char *reg = o->bytes == 8 ? "%rd1" : o->bytes == 4 ? "%r1" : "%h";
	uint64_t area[END_OF_ALL / 8];
	uint8_t *bytes = (uint8_t *)area;
	struct text t = {0};
	struct kernel *k;

	text_puts(&t, HEAD BEGIN);
	text_printf(&t,
		"mul.wide.u32 %%rd5, %%r0, 8; add.s64 %%rd6, %%rd1, %%rd5; and.b32 %%r6, %%r0, 5; setp.ne.u32 %%p1, %%r%s;\n",
		some ? "6, 0" : "0, 99");
	text_printf(&t,
		"ld.global.b%u %s1, [%%rd6+%u]; ld.global.b%u %s2, [%%rd6+%u]; ld.global.b%u %s3, [%%rd6+%u];\n",
		8 * o->bytes, reg, OPERAND, 8 * o->bytes, reg, SECOND, 8 * o->bytes, reg, OLD);
	if (space >= 2)
		text_puts(&t,
			".shared .align 8 .b8 mine[256]; mov.u64 %rd7, mine; add.s64 %rd8, %rd7, %rd5; ld.global.b64 %rd9, [%rd6]; st.shared.b64 [%rd8], %rd9; bar.sync 0;\n");
	else
		text_puts(&t, "mov.u64 %rd7, %rd1;\n");
	if (space == 3)
		text_puts(&t, "cvta.shared.u64 %rd7, %rd7;\n");
	text_printf(&t, "%s mul.wide.u32 %%rd8, %%r5, 8; add.s64 %%rd8, %%rd7, %%rd8;\n",
		shape == 0           ? "mov.u32 %r5, %r0;"
			: shape == 1 ? "mov.u32 %r5, 3;"
				     : "shr.u32 %r5, %r0, 2;");
	text_printf(&t, "@%%p1 %s%s%s.%s.%s ", red ? "red" : "atom", order, name[space], o->name,
		o->type);
	if (!red)
		text_printf(&t, "%s3, ", reg);
	text_printf(&t, "[%%rd8], %s1", reg);
	if (o->name[0] == 'c')
		text_printf(&t, ", %s2", reg);
	text_printf(&t, ";\nst.global.b%u [%%rd6+%u], %s3;\n", 8 * o->bytes, OLD, reg);
	if (space >= 2)
		text_puts(&t,
			"bar.sync 0; mov.u64 %rd7, mine; add.s64 %rd8, %rd7, %rd5; ld.shared.b64 %rd9, [%rd8]; st.global.b64 [%rd6], %rd9;\n");
	text_puts(&t, END);
	k = kernel_load(text_str(&t), option[way].checks, option[way].jobs, true);
	if (way == WEAK) {
		k->machine->options.memory = MEMORY_WEAK;
		sampler_attach(k->machine);
	}
	for (unsigned n = 0; n < END_OF_ALL / 8; n++) {
		uint64_t v = rng_next(r);

		area[n] = v % 3 == 0 ? (v & UINT64_C(0x0000000300000003)) : v;
	}
	for (unsigned lane = 0; lane < 32; lane++) /* some cas succeed */
		if (rng_next(r) & 1)
			area[OPERAND / 8 + lane] = area[TARGET / 8 +
				(shape == 0                  ? lane
						: shape == 1 ? 3
							     : lane / 4)];
	cr_assert(machine_write(k->machine, k->out, area, sizeof area));
	kernel_run(k, 1, 32, 0);
	cr_assert_eq(k->status, MACHINE_DONE, "%s\n%s", text_str(&t), text_str(&k->text));
	for (unsigned lane = 0; lane < 32; lane++) {
		unsigned at = 8 * (shape == 0 ? lane : shape == 1 ? 3 : lane / 4);
		uint64_t old = 0, b = 0, c = 0, now;

		if (some && !(lane & 5))
			continue;
		memcpy(&old, bytes + at, o->bytes);
		memcpy(&b, bytes + OPERAND + 8 * lane, o->bytes);
		memcpy(&c, bytes + SECOND + 8 * lane, o->bytes);
		now = changed(o, old, b, c);
		memcpy(bytes + at, &now, o->bytes);
		if (!red)
			memcpy(bytes + OLD + 8 * lane, &old, o->bytes);
	}
	for (unsigned b = 0; b < END_OF_ALL; b++)
		cr_assert_eq(k->byte[b], bytes[b], "byte %u is %02x, not %02x, way %u:\n%s", b,
			k->byte[b], bytes[b], way, text_str(&t));
	sampler_detach(k->machine);
	kernel_done(k);
	text_free(&t);
}

Test(exec_atom, every_one_as_in_c)
{
	static const char *const orders[] = {"", ".relaxed.gpu", ".release.sys", ".relaxed.cta",
		".acquire.gpu", ".acq_rel.cluster", ".acquire.cta"};
	struct rng r = {12};

	for (unsigned k = 0; k < sizeof change / sizeof *change; k++)
		for (unsigned way = 0; way < WAYS; way++)
			for (unsigned space = 0; space < 4; space++)
				for (unsigned n = 0; n < 6; n++) {
					bool red = n % 2 && change[k].name[0] != 'c' &&
						strcmp(change[k].name, "exch") != 0;
					/* the order of the threads is random there */
					unsigned shape = way == WEAK ? 0 : n / 2;

					check_change(&change[k], red,
						orders[rng_next(&r) % (red ? 4 : 7)], space, shape,
						rng_next(&r) & 1, way, &r);
				}
}

/* Bulk reductions from shared to global memory are the same operations, element by element; bulk
 * copies and cp.async copy exactly the bytes of their size. */
static void check_bulk(
	const struct change *o, const char *copy, unsigned bytes, unsigned way, struct rng *r)
{
	static const struct machine_options option[] = {{.jobs = 1},
		{.jobs = 1, .checks = CHECK_BOUNDS | CHECK_SYNC | CHECK_INIT}, {.jobs = 2},
		{.jobs = 1}};
	uint64_t area[END_OF_ALL / 8];
	uint8_t *at = (uint8_t *)area;
	struct text t = {0};
	struct kernel *k;

	/* shared memory is initialised from the second half of the words, and copied back there */
	text_puts(&t,
		HEAD BEGIN
		".shared .align 128 .b8 mine[512]; .shared .align 8 .b64 bar; mov.u32 %r7, mine; mov.u32 %r6, 0;\n"
		"L: cvt.u64.u32 %rd5, %r6; add.s64 %rd5, %rd1, %rd5; ld.global.b64 %rd6, [%rd5+512]; add.u32 %r8, %r7, %r6; st.shared.b64 [%r8], %rd6; add.u32 %r6, %r6, 8;\n"
		"setp.lt.u32 %p1, %r6, 512; @%p1 bra L; mbarrier.init.shared.b64 [bar], 1; fence.proxy.async;\n");
	if (o)
		text_printf(&t,
			"cp.reduce.async.bulk.global.shared::cta.bulk_group.%s.%s [%%rd1+64], [mine+128], %u; cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;\n",
			o->name, o->type, bytes);
	else
		text_printf(&t, copy, bytes);
	text_puts(&t,
		"\nmov.u32 %r6, 0; M: cvt.u64.u32 %rd5, %r6; add.s64 %rd5, %rd1, %rd5; add.u32 %r8, %r7, %r6; ld.shared.b64 %rd6, [%r8]; st.global.b64 [%rd5+512], %rd6; add.u32 %r6, %r6, 8;\n"
		"setp.lt.u32 %p1, %r6, 512; @%p1 bra M;" END);
	k = kernel_load(text_str(&t), option[way].checks, option[way].jobs, true);
	if (way == WEAK) {
		k->machine->options.memory = MEMORY_WEAK;
		sampler_attach(k->machine);
	}
	for (unsigned n = 0; n < END_OF_ALL / 8; n++) {
		uint64_t v = rng_next(r);

		area[n] = v % 3 == 0 ? (v & UINT64_C(0x0000000300000003)) : v;
	}
	for (unsigned n = 0; n < 32; n++) /* some yield 0 */
		if (rng_next(r) & 1)
			area[(512 + 128) / 8 + n] = rng_next(r) & 1 ? area[64 / 8 + n]
								    : ~area[64 / 8 + n] + 1;
	cr_assert(machine_write(k->machine, k->out, area, sizeof area));
	kernel_run(k, 1, 1, 0);
	cr_assert_eq(k->status, MACHINE_DONE, "%s\n%s", text_str(&t), text_str(&k->text));
	for (unsigned e = 0; o && e < bytes; e += o->bytes) {
		uint64_t old = 0, b = 0, now;

		memcpy(&old, at + 64 + e, o->bytes);
		memcpy(&b, at + 512 + 128 + e, o->bytes);
		now = changed(o, old, b, 0);
		memcpy(at + 64 + e, &now, o->bytes);
	}
	if (!o && strstr(copy, "[%%rd1+64], [mine"))
		memcpy(at + 64, at + 512 + 128, bytes);
	else if (!o && strstr(copy, ", 16, 5"))
		memset(memcpy(at + 512 + 128, at + 64, 5) + (size_t)5, 0, 11);
	else if (!o)
		memcpy(at + 512 + 128, at + 64, bytes);
	for (unsigned b = 0; b < END_OF_ALL; b++)
		cr_assert_eq(k->byte[b], at[b], "byte %u is %02x, not %02x, way %u:\n%s", b,
			k->byte[b], at[b], way, text_str(&t));
	sampler_detach(k->machine);
	kernel_done(k);
	text_free(&t);
}

Test(exec_atom, bulk_operations_as_in_c)
{
	static const char *const copy[] = {
		"cp.async.bulk.global.shared::cta.bulk_group [%%rd1+64], [mine+128], %u; cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;",
		"mbarrier.arrive.expect_tx.shared.b64 %%rd8, [bar], %1$u; cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [mine+128], [%%rd1+64], %1$u, [bar];\n"
		"W: mbarrier.try_wait.shared.b64 %%p1, [bar], %%rd8; @!%%p1 bra W;",
	};
	static const char *const small[] = {
		"cp.async.ca.shared.global [mine+128], [%%rd1+64], %u; cp.async.wait_all;",
		"cp.async.ca.shared.global [mine+128], [%%rd1+64], %u; cp.async.commit_group; cp.async.wait_group 0;",
		"cp.async.ca.shared.global [mine+128], [%%rd1+64], %u; cp.async.mbarrier.arrive.noinc.shared.b64 [bar]; W: mbarrier.try_wait.parity.shared.b64 %%p1, [bar], 0; @!%%p1 bra W;"};
	struct rng r = {13};

	for (unsigned way = 0; way < WAYS; way++) {
		for (unsigned k = 0; k < sizeof change / sizeof *change; k++)
			if (change[k].name[0] != 'c' && change[k].name[0] != 'e')
				for (unsigned bytes = 16; bytes <= 256; bytes *= 4)
					check_bulk(&change[k], NULL, bytes, way, &r);
		for (unsigned bytes = 16; bytes <= 320; bytes += 16)
			for (unsigned k = 0; k < sizeof copy / sizeof *copy; k++)
				check_bulk(NULL, copy[k], bytes, way, &r);
		for (unsigned bytes = 4; bytes <= 16; bytes *= 2)
			for (unsigned k = 0; k < sizeof small / sizeof *small; k++)
				check_bulk(NULL, small[k], bytes, way, &r);
		check_bulk(NULL,
			"cp.async.ca.shared.global [mine+128], [%%rd1+64], 16, 5; cp.async.wait_all; // %u",
			16, way, &r);
	}
}

/* Both halves matter, in every way of execution. */
Test(exec_atom, sixteen_bytes_in_every_way)
{
	static const char text[] = HEAD BEGIN
		"mul.wide.u32 %rd5, %r0, 16; add.s64 %rd5, %rd1, %rd5; cvt.u64.u32 %rd6, %r0; add.u64 %rd7, %rd6, 100; mov.b128 %q1, {%rd6, %rd7}; mov.b128 %q2, {%rd7, %rd6};\n"
		"atom.global.exch.b128 %q3, [%rd5], %q1; atom.global.cas.b128 %q4, [%rd5], %q2, %q3; atom.global.cas.b128 %q5, [%rd5], %q1, %q2; ld.relaxed.gpu.global.b128 %q6, [%rd5];\n"
		"add.s64 %rd8, %rd7, 1; mov.b128 %q7, {%rd6, %rd8}; atom.global.exch.b128 %q3, [%rd5], %q1; atom.global.cas.b128 %q4, [%rd5], %q7, %q2; st.global.b128 [%rd5+512], %q5; st.global.b128 [%rd5+1024], %q6;\n"
		"st.global.b128 [%rd5+1536], %q4;" END;

	for (unsigned way = 0; way < WAYS; way++) {
		struct kernel *k = kernel_load(text, way == WATCHED ? CHECK_BOUNDS | CHECK_INIT : 0,
			way == TWO_JOBS ? 2 : 1, true);

		if (way == WEAK) {
			k->machine->options.memory = MEMORY_WEAK;
			sampler_attach(k->machine);
		}
		kernel_run(k, 1, 32, 0);
		kernel_ok(k);
		for (unsigned i = 0; i < 32; i++) {
			cr_expect(k->wide[2 * i] == i && k->wide[2 * i + 1] == i + 100,
				"what differs in one half alone is not what cas looks for, way %u",
				way);
			cr_expect(k->wide[64 + 2 * i] == i && k->wide[64 + 2 * i + 1] == i + 100,
				"way %u", way);
			cr_expect(k->wide[128 + 2 * i] == i + 100 && k->wide[128 + 2 * i + 1] == i,
				"way %u", way);
			cr_expect(k->wide[192 + 2 * i] == i && k->wide[192 + 2 * i + 1] == i + 100,
				"way %u", way);
		}
		sampler_detach(k->machine);
		kernel_done(k);
	}
}
