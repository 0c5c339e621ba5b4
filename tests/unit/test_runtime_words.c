/* Each flag, length and limit of device printf's conversions with the text that they must produce,
 * and the descriptions of every address inside the device heap. */
#include "interp/memory/runtime_heap.h"
#include "interp/memory/runtime_printf.h"
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

struct given {
	uint64_t word[36];
	unsigned readable;  /* number of readable bytes */
	const char *string; /* at address 1000 */
	unsigned asked;     /* how often an argument was requested */
};

static bool argument(void *self, unsigned offset, unsigned n, uint64_t *value)
{
	struct given *g = self;

	g->asked++;
	if (offset + n > g->readable)
		return false;
	cr_assert_eq(offset % n, 0);
	*value = 0;
	memcpy(value, (char *)g->word + offset, n);
	return true;
}

static bool byte(void *self, uint64_t address, char *c)
{
	struct given *g = self;

	if (address < 1000 || address - 1000 > strlen(g->string))
		return false;
	*c = g->string[address - 1000];
	return true;
}

static void is(const char *format, struct given g, int count, const char *want)
{
	struct text out = {0};

	g.readable = sizeof g.word;
	int n = printf_format(
		&out, format, strlen(format), &(struct printf_source){&g, argument, byte});

	cr_expect_str_eq(text_str(&out), want, "'%s' gives '%s'", format, text_str(&out));
	cr_expect_eq(n, count, "'%s' took %d", format, n);
	text_free(&out);
}

#define ONE(x) ((struct given){.word = {(uint64_t)(x)}})
#define TWO(x, y) \
	((struct given){.word = {(uint64_t)(uint32_t)(x) | (uint64_t)(uint32_t)(y) << 32}})
#define STRING(s) ((struct given){.word = {1000}, .string = s})

static struct given real(double x)
{
	struct given g = {{0}, 0, NULL, 0};

	memcpy(g.word, &x, 8);
	return g;
}

Test(printf_words, flags)
{
	is("[% d|% d]", TWO(5, -5), 2, "[ 5|-5]");
	is("[%+d|%+d]", TWO(5, -5), 2, "[+5|-5]");
	is("[%-6d|%06d]", TWO(5, -5), 2, "[5     |-00005]");
	is("[%#o|%#x]", TWO(8, 8), 2, "[010|0x8]");
	is("[%-+ #08x|]", ONE(16), 1, "[0x10    |]");
	is("[% f|%+.1f]", real(2.5), 2, "[ 2.500000|+0.0]");
	is("[%#.0f]", real(3), 1, "[3.]");
}

Test(printf_words, widths_and_precisions)
{
	is("[%3d|%.3d]", TWO(7, 7), 2, "[  7|007]");
	is("[%12.5d]", ONE(42), 1, "[       00042]");
	is("[%*d]", TWO(-6, 42), 2, "[42    ]");
	is("[%*d]", TWO(6, 42), 2, "[    42]");
	is("[%*d]", TWO(0x80000000u, 42), 2, "[42]");
	is("[%-*d]", TWO(-4, 42), 2, "[42  ]");
	is("[%9.3s|%-4.2s|]", (struct given){.word = {1000, 1001}, .string = "abcdef"}, 2,
		"[      abc|bc  |]");
	is("[%.0s]", STRING("abc"), 1, "[]");
	is("[%.3s]", ONE(0), 1, "[(nu]");
	is("[%.6s|%8s]", ONE(0), 2, "[(null)|  (null)]");
	is("[%5c|%-5c|]", TWO('x', 'y'), 2, "[    x|y    |]");
	is("[%1c%2c]", TWO('x', 'y'), 2, "[x y]");
	is("[%6p|%-6p|]", (struct given){.word = {0, 0xab}}, 2, "[ (nil)|0xab  |]");
	is("[%8p|%-8p|]", (struct given){.word = {0xab, 0}}, 2, "[    0xab|(nil)   |]");
	is("[%012p]", ONE(0xab), 1, "[        0xab]");
	is("%.9e", real(1), 1, "1.000000000e+00");
	is("%G %A", (struct given){.word = {0x3e112e0be826d695, 0x3ff8000000000000}}, 2,
		"1E-09 0X1.8P+0");
	is("%E %F", (struct given){.word = {0x7ff0000000000000, 0xfff0000000000000}}, 2,
		"INF -INF");
}

/* A width of more than 4096 counts as 4096, whether written or passed. */
Test(printf_words, greatest_width)
{
	static const char *const format[] = {
		"%4095d", "%4096d", "%4097d", "%40960d", "%*d", "%*d", "%*d", "%.4097d"};
	static const uint32_t given[] = {0, 0, 0, 0, 4096, 4097, UINT32_MAX - 9999, 0};
	static const size_t want[] = {4095, 4096, 4096, 4096, 4096, 4096, 4096, 4096};

	for (size_t k = 0; k < sizeof format / sizeof *format; k++) {
		struct given g = TWO(given[k], 1);
		struct text out = {0};

		g.readable = sizeof g.word;
		printf_format(&out, format[k], strlen(format[k]),
			&(struct printf_source){&g, argument, byte});
		cr_expect_eq(out.len, want[k], "%s: %zu", format[k], out.len);
		text_free(&out);
	}
}

Test(printf_words, lengths)
{
	is("%d %hd %hhd", (struct given){.word = {UINT64_C(0x12345ffff8000), 0x1280}}, 3,
		"-32768 9029 -128");
	is("%hu %hhu", TWO(0x18001, 0x181), 2, "32769 129");
	is("%hi|%hx|%hho", (struct given){.word = {UINT64_C(0x1ffff00018000), 0x1ff}}, 3,
		"-32768|ffff|377");
	is("%ld %li %lu %lx",
		(struct given){.word = {UINT64_MAX, 1ull << 40, UINT64_MAX, 1ull << 60}}, 4,
		"-1 1099511627776 18446744073709551615 1000000000000000");
	is("%jd %zd %td %llo", (struct given){.word = {1ull << 40, 1ull << 41, 1ull << 42, 8}}, 4,
		"1099511627776 2199023255552 4398046511104 10");
	is("%lhd", ONE(1ull << 40), 1, "1099511627776");
	is("%u %i", TWO(-1, -1), 2, "4294967295 -1");
	is("%x %X %o", (struct given){.word = {UINT64_MAX, 9}}, 3, "ffffffff FFFFFFFF 11");
	is("%llld|%hhhd|%zld|%hd", ONE(65537), 1, "%llld|%hhhd|%zld|1");
	is("%d %lld %d", (struct given){.word = {1, 2, 3}}, 3, "1 2 3");
}

Test(printf_words, what_is_no_conversion)
{
	is("%", ONE(1), 0, "%");
	is("%5", ONE(1), 0, "%5");
	is("%.", ONE(1), 0, "%.");
	is("%*", ONE(1), 0, "%*");
	is("%l", ONE(1), 0, "%l");
	is("%+-# 0", ONE(1), 0, "%+-# 0");
	is("%.*d%d", ONE(1), 1, "%.*d1");
	is("%5%|%-3%|%%", ONE(1), 0, "%|%|%");
	is("%q%d%w", ONE(3), 1, "%q3%w");
	is("a%db%dc", TWO(1, 2), 2, "a1b2c");
}

/* Of 33 conversions the last is printed as written; %% is not a conversion and is printed even
 * after them. */
Test(printf_words, thirty_two_arguments)
{
	char format[256] = "", want[256] = "";
	struct given g = {{0}, 0, NULL, 0};

	for (unsigned k = 0; k < 33; k++) {
		uint32_t value = k % 10;

		memcpy((char *)g.word + 4 * k, &value, 4);
		strcat(format, "%d");
		snprintf(want + strlen(want), 8, k < 32 ? "%u" : "%%d", value);
	}
	strcat(format, "%%.%");
	strcat(want, "%.%");
	is(format, g, 32, want);
}

/* An unreadable argument ends the formatting, and no further argument is requested. */
Test(printf_words, unreadable)
{
	static const char *const format[] = {"%d %d %d", "%d %lld %d", "%d %s %d", "%d %p %s",
		"%d %c %d", "%d %f %d", "%d %*d %d"};

	for (size_t k = 0; k < sizeof format / sizeof *format; k++) {
		struct given g = {.word = {7}, .readable = 4};
		struct text out = {0};

		cr_expect_eq(printf_format(&out, format[k], strlen(format[k]),
				     &(struct printf_source){&g, argument, byte}),
			-1, "%s", format[k]);
		cr_expect_eq(g.asked, 2, "%s: asked %u times", format[k], g.asked);
		cr_expect_eq(strncmp(text_str(&out), "7 ", 2), 0);
		text_free(&out);
	}
	struct given g = STRING("ab");
	struct text out = {0};

	g.readable = sizeof g.word;
	g.word[0] = 1003; /* after its NUL */
	cr_expect_eq(
		printf_format(&out, "%s%s", 4, &(struct printf_source){&g, argument, byte}), -1);
	cr_expect_eq(g.asked, 1);
	text_free(&out);
}

/* --- the heap --- */

static void place_is(struct heap *h, uint64_t address, uint64_t n, const char *want)
{
	struct text out = {0};

	heap_describe(h, address, n, &out);
	cr_expect_str_eq(
		text_str(&out), want, "0x%llx: %s", (unsigned long long)address, text_str(&out));
	text_free(&out);
}

Test(heap_words, places)
{
	struct heap *h = heap_new(0x10000, 1024);
	uint64_t a, b;

	place_is(h, 0x10000, 4, "inside the device heap, where malloc has allocated nothing");
	place_is(
		h, 0x10000 + 1023, 4, "inside the device heap, where malloc has allocated nothing");
	place_is(
		h, 0x10000 + 1024, 4, "inside the device heap, where malloc has allocated nothing");
	cr_assert_not(heap_was_freed(h, 0x10000));
	a = heap_alloc(h, 20);
	b = heap_alloc(h, 16);
	cr_assert_eq(a, 0x10000);
	cr_assert_eq(b, a + 48, "20 bytes take two granules, and one is unused");
	place_is(h, a + 18, 4,
		"byte 18 of a block of 20 bytes from malloc, of which 4 bytes would be accessed");
	place_is(h, a + 19, 8,
		"byte 19 of a block of 20 bytes from malloc, of which 8 bytes would be accessed");
	place_is(h, a + 20, 1,
		"0 bytes past a block of 20 bytes from malloc, which ends at 0x10014");
	place_is(
		h, a + 21, 1, "1 byte past a block of 20 bytes from malloc, which ends at 0x10014");
	place_is(h, a + 47, 1,
		"27 bytes past a block of 20 bytes from malloc, which ends at 0x10014");
	place_is(h, b, 32,
		"byte 0 of a block of 16 bytes from malloc, of which 32 bytes would be accessed");
	place_is(h, 0x10000 + 1023, 1,
		"959 bytes past a block of 16 bytes from malloc, which ends at 0x10040");
	place_is(
		h, 0x10000 + 1024, 1, "inside the device heap, where malloc has allocated nothing");
	cr_assert(heap_inside(h, a, 20));
	cr_assert_not(heap_inside(h, a, 21));
	cr_assert(heap_inside(h, a + 15, 5));
	cr_assert_not(heap_inside(h, a + 15, 6));
	cr_assert(heap_inside(h, b, 16));
	cr_assert_not(heap_inside(h, b, 17));
	cr_assert_not(heap_inside(h, 0x10000 + 1024, 1));
	cr_assert_not(heap_inside(h, 0x10000 - 1, 1));
	cr_assert(heap_inside(h, a + 1023, 0));
	cr_assert_eq(heap_release(h, a + 1), HEAP_NOT_A_BLOCK);
	cr_assert_eq(heap_release(h, 0x10000 + 1024), HEAP_NOT_A_BLOCK);
	cr_assert_eq(heap_release(h, a), HEAP_OK);
	place_is(h, a + 19, 1, "byte 19 of a block of 20 bytes from malloc that was freed");
	place_is(h, a + 20, 1,
		"0 bytes past a block of 20 bytes from malloc, which ends at 0x10014");
	cr_assert(heap_was_freed(h, a));
	cr_assert(heap_was_freed(h, a + 19));
	cr_assert_not(heap_was_freed(h, a + 20));
	cr_assert_not(heap_was_freed(h, b));
	cr_assert_not(heap_was_freed(h, 0x10000 + 1024));
	heap_free(h);
}

/* A block of N bytes takes (N + 15) / 16 granules and one unused one; the search continues after
 * the last block, and wraps around once. */
Test(heap_words, where_blocks_lie)
{
	static const uint64_t size[] = {1, 15, 16, 17, 32, 33, 0};
	static const uint64_t granules[] = {2, 2, 2, 3, 3, 4, 2};
	struct heap *h = heap_new(0x10000, 16 * 18);
	uint64_t at = 0x10000, block[7];

	for (unsigned k = 0; k < 7; k++) {
		block[k] = heap_alloc(h, size[k]);
		cr_expect_eq(block[k], at, "%u", k);
		at += 16 * granules[k];
		if (k == 2 || k == 4)
			cr_expect_eq(heap_release(h, block[k]), HEAP_OK);
	}
	cr_expect_eq(heap_alloc(h, 33), 0, "no three granules together are free, and one");
	cr_expect_eq(heap_alloc(h, 32), block[4], "the next one with room");
	cr_expect_eq(heap_alloc(h, 1), block[2], "once round");
	cr_expect_eq(heap_alloc(h, 1), 0);
	heap_free(h);
	h = heap_new(0, 16);
	cr_expect_eq(heap_alloc(h, 1), 0, "a granule, and none behind it");
	heap_free(h);
	h = heap_new(0x20, 32);
	cr_expect_eq(heap_alloc(h, 17), 0);
	cr_expect_eq(heap_alloc(h, 16), 0x20);
	cr_expect_eq(heap_alloc(h, 1), 0);
	heap_free(h);
	h = heap_new(0x20, 0);
	cr_expect_eq(heap_alloc(h, 0), 0);
	heap_free(h);
}
