/* Runtime functions called by device code: vprintf, malloc, free, __assertfail; and the heap and
 * the formatter by themselves. */
#include "interp/memory/runtime_heap.h"
#include "interp/memory/runtime_printf.h"
#include "tests/unit/kernels.h"

/* --- the formatter --- */

struct packed {
	uint64_t word[8];
	const char *string;
};

static bool packed_argument(void *self, unsigned offset, unsigned n, uint64_t *value)
{
	struct packed *p = self;

	if (offset + n > sizeof p->word)
		return false;
	*value = 0;
	memcpy(value, (char *)p->word + offset, n);
	return true;
}

static bool packed_byte(void *self, uint64_t address, char *c)
{
	struct packed *p = self;

	if (address < 1000)
		return false;
	*c = p->string[address - 1000];
	return true;
}

static void format(const char *fmt, struct packed p, int count, const char *want)
{
	struct printf_source source = {&p, packed_argument, packed_byte};
	struct text out = {0};
	int n = printf_format(&out, fmt, strlen(fmt), &source);

	cr_assert_eq(n, count, "'%s' took %d arguments, not %d", fmt, n, count);
	cr_assert_str_eq(text_str(&out), want);
	text_free(&out);
}

#define INTS(a, b) \
	((struct packed){.word = {(uint64_t)(uint32_t)(a) | (uint64_t)(uint32_t)(b) << 32}})
static struct packed real(double a)
{
	struct packed p = {0};

	memcpy(p.word, &a, 8);
	return p;
}

Test(printf, conversions)
{
	format("plain 100%%\n", (struct packed){0}, 0, "plain 100%\n");
	format("%d %u", INTS(-1, -1), 2, "-1 4294967295");
	format("[%5d][%-5d]", INTS(42, 43), 2, "[   42][43   ]");
	format("%05d %+d", INTS(42, 43), 2, "00042 +43");
	format("%x %#X", INTS(255, 255), 2, "ff 0XFF");
	format("%o %i", INTS(8, -8), 2, "10 -8");
	format("%hd %hhu", INTS(70000, 300), 2, "4464 44");
	format("%lld", (struct packed){.word = {UINT64_MAX}}, 1, "-1");
	format("%c%c", INTS('a', 'b'), 2, "ab");
	format("%d %llx", (struct packed){.word = {7, 0x123456789abcdef}}, 2, "7 123456789abcdef");
	format("%zu %ld", (struct packed){.word = {5, UINT64_MAX}}, 2, "5 -1");
	format("%f|%5.1f", (struct packed){.word = {0x3ff8000000000000, 0x4004000000000000}}, 2,
		"1.500000|  2.5");
	format("%e", real(1e10), 1, "1.000000e+10");
	format("%g", real(0.0001), 1, "0.0001");
	format("%a", real(1), 1, "0x1p+0");
	format("%f", real(1 / 0.0), 1, "inf");
	format("%p", (struct packed){.word = {0x1234}}, 1, "0x1234");
	format("%p", (struct packed){0}, 1, "(nil)");
	format("%s|%.2s", (struct packed){.word = {1000, 1003}, .string = "abcdef"}, 2,
		"abcdef|de");
	format("[%8s][%-8s]", (struct packed){.word = {1003, 1003}, .string = "abcdef"}, 2,
		"[     def][def     ]");
	format("%*d", INTS(6, 42), 2, "    42");
	format("%-*d|", INTS(4, 42), 2, "42  |");
}

Test(printf, what_is_no_conversion_stays)
{
	format("%y %d", INTS(1, 2), 1, "%y 1");
	format("%n", INTS(1, 2), 0, "%n");
	format("100%", (struct packed){0}, 0, "100%");
	format("%-", (struct packed){0}, 0, "%-");
	format("%lll", (struct packed){0}, 0, "%lll");
	format("%.*f %Lf %llld %'d", (struct packed){0}, 0, "%.*f %Lf %llld %'d");
	format("%s", (struct packed){0}, 1, "(null)");
	struct packed p = {.word = {5}};
	struct printf_source source = {&p, packed_argument, packed_byte};
	struct text out = {0};

	cr_assert_eq(printf_format(&out, "%s", 2, &source), -1);
	cr_assert_eq(printf_format(&out, "%99999999999999d", 17, &source), -1 + 2);
	cr_assert_leq(out.len, 5000);
	text_free(&out);
}

/* --- the heap --- */

Test(heap, blocks_have_bounds)
{
	struct heap *h = heap_new(0x1000, 1024);
	uint64_t a = heap_alloc(h, 20), b = heap_alloc(h, 0);

	cr_assert_eq(a, 0x1000);
	cr_assert_eq(a % 16, 0);
	cr_assert_eq(b % 16, 0);
	cr_assert_geq(b, a + 36);
	cr_assert(heap_inside(h, a, 20));
	cr_assert(heap_inside(h, a + 16, 4));
	cr_assert_not(heap_inside(h, a + 16, 8));
	cr_assert_not(heap_inside(h, a + 20, 1));
	cr_assert_not(heap_inside(h, a - 1, 2));
	cr_assert(heap_inside(h, b, 1));
	cr_assert_eq(heap_release(h, a + 16), HEAP_NOT_A_BLOCK);
	cr_assert_eq(heap_release(h, a), HEAP_OK);
	cr_assert_eq(heap_release(h, a), HEAP_FREED_BEFORE);
	cr_assert_not(heap_inside(h, a, 1));
	cr_assert(heap_was_freed(h, a + 3));
	cr_assert_eq(heap_release(h, 0), HEAP_NOT_A_BLOCK);
	heap_free(h);
}

/* A freed block keeps its name in the free run that it became part of, until its bytes are
 * allocated again. */
Test(heap, freed_blocks_stay_known)
{
	static const uint8_t order[][3] = {
		{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};

	for (size_t k = 0; k < sizeof order / sizeof order[0]; k++) {
		struct heap *h = heap_new(0x1000, 1024);
		uint64_t block[3], wall;

		for (unsigned j = 0; j < 3; j++)
			block[j] = heap_alloc(h, 16);
		wall = heap_alloc(h, 16);
		for (unsigned j = 0; j < 3; j++)
			cr_assert_eq(heap_release(h, block[order[k][j]]), HEAP_OK);
		cr_expect_eq(heap_alloc(h, 61 * 16), 0,
			"63 are free, 60 of them together: the looking joins the three");
		for (unsigned j = 0; j < 3; j++) {
			cr_expect_eq(heap_release(h, block[j]), HEAP_FREED_BEFORE,
				"order %zu, block %u", k, j);
			cr_expect(heap_was_freed(h, block[j]));
		}
		cr_expect_eq(heap_release(h, wall), HEAP_OK);
		cr_expect_eq(heap_alloc(h, 61 * 16), block[0]);
		for (unsigned j = 1; j < 3; j++)
			cr_expect_eq(heap_release(h, block[j]), HEAP_NOT_A_BLOCK,
				"order %zu: block %u is inside another one", k, j);
		heap_free(h);
	}
}

Test(heap, all_of_it_comes_back)
{
	struct heap *h = heap_new(0, 16 * 1024);
	uint64_t block[512];
	unsigned n = 0;

	while (n < 512 && ((block[n] = heap_alloc(h, 16)) != 0 || n == 0))
		n++;
	cr_assert_eq(n, 512);
	cr_assert_eq(heap_alloc(h, 16), 0);
	for (unsigned k = 0; k < n; k += 2)
		cr_assert_eq(heap_release(h, block[k]), HEAP_OK);
	cr_assert_eq(heap_alloc(h, 100), 0);
	for (unsigned k = 1; k < n; k += 2)
		cr_assert_eq(heap_release(h, block[k]), HEAP_OK);
	uint64_t all = heap_alloc(h, 16 * 1023);

	cr_assert(heap_inside(h, all, 16 * 1023));
	cr_assert_eq(heap_release(h, all), HEAP_OK);
	cr_assert_eq(heap_alloc(h, UINT64_MAX), 0);
	cr_assert_eq(heap_alloc(h, 16 * 1024), 0);
	heap_free(h);
}

Test(heap, random_use_keeps_blocks_apart)
{
	enum { SLOTS = 64, SIZE = 1 << 14 };
	struct heap *h = heap_new(SIZE, SIZE);
	static uint8_t owner[2 * SIZE];
	uint64_t at[SLOTS] = {0}, size[SLOTS] = {0};
	uint32_t r = 1;

	for (unsigned step = 0; step < 20000; step++) {
		unsigned k = (r = r * 1664525 + 1013904223) >> 26;

		if (at[k]) {
			for (uint64_t i = 0; i < size[k]; i++)
				cr_assert_eq(owner[at[k] + i], k + 1);
			memset(owner + at[k], 0, size[k]);
			cr_assert_eq(heap_release(h, at[k]), HEAP_OK);
			at[k] = 0;
		} else {
			size[k] = 1 + (r >> 8) % 500;
			at[k] = heap_alloc(h, size[k]);
			for (uint64_t i = 0; at[k] && i < size[k]; i++) {
				cr_assert_eq(owner[at[k] + i], 0);
				owner[at[k] + i] = (uint8_t)(k + 1);
			}
		}
	}
	heap_free(h);
}

/* --- calls from kernels --- */

#define DECLARE \
	".extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);\n.extern .func (.param .b64 r) malloc(.param .b64 n);\n" \
	".extern .func free(.param .b64 p);\n.extern .func __assertfail(.param .b64 m, .param .b64 f, .param .b32 l, .param .b64 fn, .param .b64 c);\n"

#define PRINT \
	"{ .param .b64 a; .param .b64 b; .param .b32 c; st.param.b64 [a], %rd6; st.param.b64 [b], %rd7; call.uni (c), vprintf, (a, b); ld.param.b32 %r10, [c]; }\n"

Test(runtime, vprintf_prints_lane_after_lane)
{
	struct kernel *k = kernel_file(HEAD DECLARE
		".global .align 1 .b8 f[32] = {116, 37, 100, 32, 37, 46, 49, 102, 10};\n" BEGIN
		".local .align 8 .b8 l[16]; st.local.u32 [l], %r0; mov.f64 %fd1, 0d3FF8000000000000; st.local.f64 [l+8], %fd1; mov.u64 %rd5, l; cvta.local.u64 %rd7, %rd5;"
		"mov.u64 %rd5, f; cvta.global.u64 %rd6, %rd5;" PRINT
		"st.global.u32 [%rd3], %r10;" END,
		3);
	size_t n;

	kernel_ok(k);
	cr_assert_str_eq(machine_output(k->machine, &n), "t0 1.5\nt1 1.5\nt2 1.5\n");
	cr_assert_eq(k->word[2], 2);
	kernel_done(k);
	k = kernel_file(HEAD DECLARE BEGIN "mov.u64 %rd6, 5; mov.u64 %rd7, 0;" PRINT END, 3);
	kernel_fault(k, DIAG_F0211, "vprintf reads at 0x5");
	kernel_done(k);
	k = kernel_file(HEAD DECLARE BEGIN "mov.u64 %rd6, 0; mov.u64 %rd7, 0;" PRINT
					   "st.global.u32 [%rd3], %r10;" END,
		3);
	kernel_ok(k);
	cr_assert_eq(k->word[0], UINT32_MAX);
	kernel_done(k);
}

#define MALLOC(n) \
	"{ .param .b64 a; .param .b64 b; st.param.b64 [a], " n \
	"; call.uni (b), malloc, (a); ld.param.b64 %rd5, [b]; }\n"
#define FREE(p) "{ .param .b64 a; st.param.b64 [a], " p "; call.uni free, (a); }\n"

Test(runtime, malloc_and_free)
{
	struct kernel *k = kernel_file(HEAD DECLARE BEGIN
		"mov.u64 %rd6, 24;" MALLOC("%rd6") "st.u32 [%rd5+20], %r0; bar.sync 0; ld.u32 %r5, [%rd5+20]; st.global.u32 [%rd3], %r5;" FREE(
			"%rd5") "mov.u64 %rd6, 1000000000000;" MALLOC("%rd6") "st.global.u64 [%rd4+2048], %rd5; mov.u64 %rd5, 0;" FREE("%rd5")
			END,
		64);

	kernel_ok(k);
	for (uint32_t i = 0; i < 64; i++) {
		cr_assert_eq(k->word[i], i);
		cr_assert_eq(k->wide[256 + i], 0);
	}
	kernel_done(k);
}

static void expect_fault(const char *body, enum diag_code code, const char *part)
{
	char text[4096];
	struct kernel *k;

	snprintf(text, sizeof text, "%s%s%s%s", HEAD DECLARE, BEGIN, body, END);
	k = kernel_file(text, 1);
	cr_assert_eq(k->status, MACHINE_FAULT);
	kernel_fault(k, code, part);
	kernel_done(k);
}

Test(runtime, misused_blocks)
{
	expect_fault("mov.u64 %rd6, 24;" MALLOC("%rd6") "st.u32 [%rd5+24], %r0;", DIAG_F0201,
		"past a block of 24 bytes");
	expect_fault("mov.u64 %rd6, 24;" MALLOC("%rd6") FREE("%rd5") "ld.u32 %r5, [%rd5];",
		DIAG_F0207, "that was freed");
	expect_fault("mov.u64 %rd6, 24;" MALLOC("%rd6") FREE("%rd5") FREE("%rd5"), DIAG_F0209,
		"already freed");
	expect_fault("mov.u64 %rd6, 24;" MALLOC("%rd6") "add.u64 %rd5, %rd5, 16;" FREE("%rd5"),
		DIAG_F0208, "malloc did not return");
	expect_fault(FREE("%rd1"), DIAG_F0208, "malloc did not return");
}

Test(runtime, failed_assertions)
{
	struct kernel *k = kernel_file(HEAD DECLARE
		".global .b8 m[4] = {120, 62, 48};\n.global .b8 f[4] = {102, 46, 99};\n" BEGIN
		"{ .param .b64 a; .param .b64 b; .param .b32 c; .param .b64 d; .param .b64 e; mov.u64 %rd5, m; st.param.b64 [a], %rd5; mov.u64 %rd6, f; st.param.b64 [b], %rd6;"
		"st.param.b32 [c], 12; st.param.b64 [d], %rd6; st.param.b64 [e], 1; call.uni __assertfail, (a, b, c, d, e); }" END,
		2);

	cr_assert_eq(k->status, MACHINE_FAULT);
	kernel_fault(k, DIAG_F0210, "assertion `x>0' failed at f.c:12");
	kernel_done(k);
}
