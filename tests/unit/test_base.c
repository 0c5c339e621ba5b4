/* base: arena, clock, vec, symbols, map, text, rng, pool. */
#include "base/arena.h"
#include "base/clock.h"
#include "base/map.h"
#include "base/pool.h"
#include "base/rng.h"
#include "base/symbol.h"
#include "base/text.h"
#include "base/vec.h"
#include <criterion/criterion.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

Test(arena, aligns_every_allocation)
{
	struct arena a = {0};

	for (size_t i = 0; i < 2000; i++) {
		size_t align = (size_t)1 << (i % 7);
		char *p = arena_alloc(&a, i % 37, align);

		cr_assert_not_null(p);
		cr_assert_eq((uintptr_t)p % align, 0, "allocation %zu", i);
		memset(p, 0xa5, i % 37);
	}
	arena_free(&a);
	cr_assert_eq(a.total, 0);
}

Test(arena, allocations_do_not_overlap)
{
	struct arena a = {0};
	uint32_t *p[500];

	for (uint32_t i = 0; i < 500; i++) {
		p[i] = arena_alloc(&a, (i % 9 + 1) * sizeof *p[i], _Alignof(uint32_t));
		for (uint32_t k = 0; k <= i % 9; k++)
			p[i][k] = i;
	}
	for (uint32_t i = 0; i < 500; i++)
		for (uint32_t k = 0; k <= i % 9; k++)
			cr_assert_eq(p[i][k], i);
	arena_free(&a);
}

Test(arena, rewind_frees_what_came_later)
{
	struct arena a = {0};
	struct arena_mark none = arena_mark(&a), some;
	char *kept = arena_text(&a, "kept", 4);
	size_t before = a.total;

	some = arena_mark(&a);
	for (unsigned round = 0; round < 3; round++) {
		for (unsigned i = 0; i < 1000; i++)
			memset(arena_alloc(&a, 1000, 8), 0xa5, 1000);
		cr_assert_gt(a.total, 1000000);
		arena_rewind(&a, some);
		cr_assert_eq(a.total, before);
		cr_assert_str_eq(kept, "kept");
	}
	cr_assert_eq(arena_alloc(&a, 8, 1), kept + 5, "the next byte is used again");
	arena_rewind(&a, none);
	cr_assert_eq(a.total, 0);
	arena_free(&a);
}

Test(arena, clear_keeps_one_chunk)
{
	struct arena a = {0};
	size_t total;
	void *p;

	arena_clear(&a);
	cr_assert_eq(a.total, 0);
	for (unsigned i = 0; i < 1000; i++)
		arena_alloc(&a, 1000, 8);
	arena_clear(&a);
	total = a.total;
	cr_assert_lt(total, 1000000, "smaller chunks are freed");
	p = arena_alloc(&a, 1000, 8);
	arena_clear(&a);
	cr_assert_eq(arena_alloc(&a, 1000, 8), p);
	cr_assert_eq(a.total, total);
	arena_free(&a);
}

Test(arena, older_chunks_are_freed)
{
	struct arena a = {0};
	uint32_t *p[1000];

	for (uint32_t i = 0; i < 1000; i++) {
		p[i] = arena_alloc(&a, 4000, _Alignof(uint32_t));
		*p[i] = i;
	}
	arena_free_before(&a, p[0]);
	cr_assert_gt(a.total, 4000000, "there is no older chunk");
	arena_free_before(&a, p[900]);
	cr_assert_lt(a.total, 3000000);
	for (uint32_t i = 900; i < 1000; i++)
		cr_assert_eq(*p[i], i);
	arena_free_before(&a, p[999]);
	cr_assert_eq(*p[999], 999);
	arena_free(&a);
}

/* Only what is alone in its chunk, and not in the newest one. */
Test(arena, drops_one_large_piece)
{
	struct arena a = {0};
	char *small = arena_alloc(&a, 10, 1), *large, *next;
	size_t before;

	before = a.total;
	large = arena_alloc(&a, 100000, 1);
	cr_assert_not(arena_drop(&a, large), "it is the newest");
	next = arena_alloc(&a, 1, 1);
	cr_assert(next < large || next >= large + 100000);
	*next = 'x';
	cr_assert_not(arena_drop(&a, small));
	cr_assert_not(arena_drop(&a, large + 1));
	cr_assert_geq(a.total, before + 100000);
	cr_assert(arena_drop(&a, large));
	cr_assert_lt(a.total, before + 100000);
	cr_assert_not(arena_drop(&a, large));
	cr_assert_eq(*next, 'x');
	arena_free(&a);
	cr_assert_eq(a.total, 0);
}

Test(arena, large_zeroed_and_copied)
{
	struct arena a = {0};
	unsigned char *z = arena_zalloc(&a, 3000000, 64);
	char *t;

	for (size_t i = 0; i < 3000000; i += 997)
		cr_assert_eq(z[i], 0);
	cr_assert_geq(a.total, 3000000);
	t = arena_text(&a, "hello", 3);
	cr_assert_str_eq(t, "hel");
	cr_assert_str_eq(arena_printf(&a, "%d-%s", 7, "x"), "7-x");
	t = arena_printf(&a, "%0500d", 1);
	cr_assert_eq(strlen(t), 500);
	cr_assert_eq(t[499], '1');
	arena_free(&a);
	arena_free(&a); /* reusable, and empty */
	cr_assert_not_null(ARENA_NEW(&a, struct arena));
	arena_free(&a);
}

Test(vec, grows_and_keeps)
{
	VEC(uint64_t) v = {0};

	for (uint64_t i = 0; i < 10000; i++)
		*vec_push(&v) = i * i;
	cr_assert_eq(v.count, 10000);
	for (uint64_t i = 0; i < 10000; i++)
		cr_assert_eq(v.data[i], i * i);
	vec_reserve(&v, 50000);
	cr_assert_geq(v.cap, 60000);
	cr_assert_eq(v.data[9999], (uint64_t)9999 * 9999);
	vec_free(&v);
	cr_assert_null(v.data);
	cr_assert_eq(v.cap, 0);
}

Test(symbol, equal_text_equal_number)
{
	struct symbols s = {0};
	uint32_t number[5000];
	char name[32];

	cr_assert_str_eq(symbol_text(&s, 0), "");
	cr_assert_eq(symbol_find(&s, "x", 1), 0);
	cr_assert_eq(symbol_intern(&s, "", 0), 0);
	for (int i = 0; i < 5000; i++) {
		int n = snprintf(name, sizeof name, "%%r%d", i);

		number[i] = symbol_intern(&s, name, (size_t)n);
		cr_assert_neq(number[i], 0);
	}
	for (int i = 0; i < 5000; i++) {
		int n = snprintf(name, sizeof name, "%%r%d", i);

		cr_assert_eq(symbol_intern(&s, name, (size_t)n), number[i]);
		cr_assert_eq(symbol_find(&s, name, (size_t)n), number[i]);
		cr_assert_str_eq(symbol_text(&s, number[i]), name);
	}
	cr_assert_eq(symbol_find(&s, "%r", 2), 0);
	cr_assert_eq(symbol_find(&s, "%r5000", 6), 0);
	cr_assert_str_eq(symbol_text(&s, 1000000), "");
	cr_assert_eq(s.count, 5001);
	symbols_free(&s);
	cr_assert_eq(s.count, 0);
}

Test(symbol, prefixes_and_long_names_differ)
{
	struct symbols s = {0};
	char a[400], b[400];

	memset(a, 'a', sizeof a);
	memset(b, 'a', sizeof b);
	b[200] = 'b';
	cr_assert_neq(symbol_intern(&s, a, 400), symbol_intern(&s, b, 400));
	cr_assert_neq(symbol_intern(&s, a, 399), symbol_intern(&s, a, 400));
	for (size_t n = 1; n < 40; n++)
		cr_assert_neq(symbol_intern(&s, a, n), symbol_intern(&s, a, n + 1));
	cr_assert_neq(symbol_intern(&s, "a\0b", 3), symbol_intern(&s, "a\0c", 3));
	symbols_free(&s);
}

/* Names with numbers are found whether they came in order, backwards, far apart or with prefixes
 * that share a place. */
Test(symbol, numbered_names)
{
	static const char *const odd[] = {"%rd", "%rd0", "%rd00", "%rd01", "%rd1x", "%rd1x2", "%1",
		"%__1", "%rd4294967295", "%rd4294967296", "%rd4294967297",
		"%rd99999999999999999999", "%rd-1", "%longer7", "%longest7", "%rd1 "};
	enum { PREFIXES = 60, EACH = 3000, ODD = sizeof odd / sizeof *odd };
	struct symbols s = {0};
	uint32_t number[PREFIXES][EACH], other[ODD], count;
	char name[32];

	for (unsigned round = 0; round < 2; round++) {
		for (unsigned i = 0; i < EACH; i++)
			for (unsigned p = 0; p < PREFIXES; p++) {
				unsigned k = p % 3 == 0 ? i
					: p % 3 == 1    ? EACH - 1 - i
							: i * 1009 % EACH;
				int n = snprintf(name, sizeof name, "%%%c%u", 'A' + (int)p, k);
				uint32_t got = symbol_intern(&s, name, (size_t)n);

				if (round == 0)
					number[p][k] = got;
				cr_assert_eq(got, number[p][k], "%s", name);
				cr_assert_eq(symbol_find(&s, name, (size_t)n), got);
				cr_assert_str_eq(symbol_text(&s, got), name);
			}
		for (unsigned i = 0; i < ODD; i++) {
			uint32_t got = symbol_intern(&s, odd[i], strlen(odd[i]));

			if (round == 0)
				other[i] = got;
			cr_assert_eq(got, other[i], "%s", odd[i]);
			cr_assert_str_eq(symbol_text(&s, got), odd[i]);
		}
		if (round == 0)
			count = s.count;
		cr_assert_eq(s.count, count);
	}
	cr_assert_eq(count, 1 + PREFIXES * EACH + ODD);
	cr_assert_eq(symbol_find(&s, "%A3000", 6), 0);
	symbols_free(&s);
}

Test(map, keys_values_growth)
{
	struct map m = {0};

	cr_assert_eq(map_get(&m, 5, 99), 99);
	for (uint64_t k = 0; k < 20000; k++)
		cr_assert(map_add(&m, k << 32 | (k * 7), (uint32_t)k));
	cr_assert_eq(m.count, 20000);
	for (uint64_t k = 0; k < 20000; k++) {
		cr_assert_eq(map_get(&m, k << 32 | (k * 7), UINT32_MAX), k);
		cr_assert_eq(map_get(&m, k << 32 | (k * 7 + 1), UINT32_MAX), UINT32_MAX);
	}
	cr_assert_not(map_add(&m, 0, 1));
	cr_assert_eq(map_get(&m, 0, 9), 0, "a refused map_add changes nothing");
	map_set(&m, 0, 1);
	cr_assert_eq(map_get(&m, 0, 9), 1);
	cr_assert_eq(m.count, 20000);
	cr_assert(map_add(&m, UINT64_MAX - 1, 3));
	cr_assert_eq(map_get(&m, UINT64_MAX - 1, 9), 3);
	cr_assert_eq(map_get(&m, UINT64_MAX, 9), 9);
	map_clear(&m);
	cr_assert_eq(map_get(&m, 0, 9), 9);
	cr_assert(map_add(&m, 0, 4));
	map_free(&m);
	cr_assert_eq(m.slots, 0);
}

static unsigned distance(const char *a, const char *b, unsigned limit)
{
	unsigned d = text_distance(a, strlen(a), b, strlen(b), limit);

	cr_assert_eq(
		d, text_distance(b, strlen(b), a, strlen(a), limit), "the distance is symmetric");
	return d;
}

Test(text, edit_distance)
{
	cr_assert_eq(distance("", "", 3), 0);
	cr_assert_eq(distance("global", "global", 3), 0);
	cr_assert_eq(distance("gobal", "global", 3), 1);
	cr_assert_eq(distance("glboal", "global", 3), 1, "a swap of neighbours is one step");
	cr_assert_eq(distance("kitten", "sitting", 5), 3);
	cr_assert_eq(distance("kitten", "sitting", 2), 3, "gives up at limit + 1");
	cr_assert_eq(distance("abc", "xyz", 16), 3);
	cr_assert_eq(distance("", "abc", 3), 3);
	cr_assert_eq(distance("a", "abcdef", 2), 3);
	cr_assert_eq(distance("abcdef", "bcdefg", 4), 2);
}

/* The full matrix, to compare the banded computation with. */
static unsigned plain_distance(const char *a, size_t na, const char *b, size_t nb)
{
	unsigned d[16][16];

	for (size_t i = 0; i <= na; i++) {
		for (size_t j = 0; j <= nb; j++) {
			unsigned best = i == 0 ? (unsigned)j : j == 0 ? (unsigned)i : 99;

			if (i && j) {
				best = d[i - 1][j - 1] + (a[i - 1] != b[j - 1]);
				best = d[i - 1][j] + 1 < best ? d[i - 1][j] + 1 : best;
				best = d[i][j - 1] + 1 < best ? d[i][j - 1] + 1 : best;
				if (i > 1 && j > 1 && a[i - 1] == b[j - 2] &&
					a[i - 2] == b[j - 1] && d[i - 2][j - 2] + 1 < best)
					best = d[i - 2][j - 2] + 1;
			}
			d[i][j] = best;
		}
	}
	return d[na][nb];
}

Test(text, edit_distance_agrees_with_the_whole_matrix)
{
	struct rng r = {42};

	for (int n = 0; n < 20000; n++) {
		char a[12], b[12];
		size_t na = rng_below(&r, 12), nb = rng_below(&r, 12);
		unsigned limit = rng_below(&r, 13), want;

		for (size_t i = 0; i < 12; i++) {
			a[i] = (char)('a' + rng_below(&r, 3));
			b[i] = (char)('a' + rng_below(&r, 3));
		}
		want = plain_distance(a, na, b, nb);
		cr_assert_eq(text_distance(a, na, b, nb, limit), want > limit ? limit + 1 : want,
			"%.*s %.*s limit %u", (int)na, a, (int)nb, b, limit);
	}
}

Test(text, grows)
{
	struct text t = {0};

	cr_assert_str_eq(text_str(&t), "");
	for (int i = 0; i < 1000; i++)
		text_printf(&t, "%d,", i);
	cr_assert_eq(t.len, 10 * 2 + 90 * 3 + 900 * 4);
	cr_assert_eq(strlen(text_str(&t)), t.len);
	text_clear(&t);
	cr_assert_str_eq(text_str(&t), "");
	text_puts(&t, "ab");
	text_putc(&t, 'c');
	cr_assert_str_eq(text_str(&t), "abc");
	text_free(&t);
	cr_assert_str_eq(text_str(&t), "");
}

Test(text, json)
{
	struct text t = {0};
	static const char raw[] = "a\"b\\c\n\t\r\x01\x7f\xc3\xa9\xff\xe2\x82";

	text_json(&t, raw, sizeof raw - 1);
	cr_assert_str_eq(text_str(&t),
		"\"a\\\"b\\\\c\\n\\t\\r\\u0001\\u007f\xc3\xa9\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\"");
	text_clear(&t);
	text_json(&t, "a\0b", 3);
	cr_assert_str_eq(text_str(&t), "\"a\\u0000b\"");
	text_free(&t);
	cr_assert_eq(text_utf8("\xed\xa0\x80", 3), 0, "a surrogate is no character");
	cr_assert_eq(text_utf8("\xf0\x9f\x98\x80", 4), 4);
	cr_assert_eq(text_utf8("\xf0\x9f\x98", 3), 0);
	cr_assert_eq(text_utf8("\xc0\x80", 2), 0, "overlong");
}

Test(rng, same_seed_same_numbers)
{
	struct rng a = {7}, b = {7}, c = {8};
	uint32_t seen[10] = {0};
	bool differ = false;

	for (int i = 0; i < 10000; i++) {
		uint64_t x = rng_next(&a);

		cr_assert_eq(x, rng_next(&b));
		differ |= x != rng_next(&c);
		seen[rng_below(&a, 10)]++;
		rng_next(&b);
	}
	cr_assert(differ);
	for (int i = 0; i < 10; i++)
		cr_assert(seen[i] > 800 && seen[i] < 1200);
}

struct shared {
	atomic_uint calls, bits;
};

static void work(void *arg, unsigned worker)
{
	struct shared *s = arg;

	atomic_fetch_add(&s->calls, 1);
	atomic_fetch_or(&s->bits, 1u << worker);
}

Test(pool, runs_once_on_every_worker)
{
	struct pool *p = pool_new(4);
	struct shared s = {0};
	unsigned n = pool_size(p);

	cr_assert(n >= 1 && n <= 4);
	for (unsigned i = 1; i <= 50; i++) {
		atomic_store(&s.bits, 0);
		pool_run(p, work, NULL, &s);
		cr_assert_eq(atomic_load(&s.calls), n * i);
		cr_assert_eq(atomic_load(&s.bits), (1u << n) - 1);
	}
	pool_free(p);
	p = pool_new(0);
	cr_assert_eq(pool_size(p), 1);
	pool_run(p, work, NULL, &s);
	pool_free(p);
	cr_assert_geq(pool_processors(), 1);
}

Test(clock, lists_are_read_as_one)
{
	struct known a[] = {{1, 10}, {5, 50}, {7, 70}}, b[] = {{5, 55}, {9, 90}},
		     c[] = {{9, 9}, {2, 20}, {5, 51}, {2, 21}};
	const struct known want[] = {{1, 10}, {2, 21}, {5, 55}, {7, 70}, {9, 90}};
	struct known next;

	clock_sort(c, 4);
	struct clock_lists l = {{a, b, c}, {3, 2, 4}};

	for (unsigned k = 0; k < 5; k++) {
		cr_assert(clock_next(&l, &next));
		cr_assert(next.key == want[k].key && next.stamp == want[k].stamp,
			"entry %u: %llu at %llu", k, (unsigned long long)next.key,
			(unsigned long long)next.stamp);
	}
	cr_assert_not(clock_next(&l, &next));
	cr_assert_not(clock_next(&(struct clock_lists){{NULL, NULL, NULL}, {0, 0, 0}}, &next));
}

Test(clock, first_entry_from_a_key)
{
	struct clock *c = clock_with_room(3), *same = clock_ref(c);

	cr_assert_eq(clock_first_from(c, 0), 0);
	for (uint32_t k = 0; k < 3; k++)
		c->known[c->n++] = (struct known){10 * (k + 1), 1};
	for (uint64_t key = 0; key <= 31; key++)
		cr_assert_eq(clock_first_from(c, key),
			key <= 10           ? 0
				: key <= 20 ? 1
				: key <= 30 ? 2
					    : 3,
			"key %llu", (unsigned long long)key);
	clock_unref(same);
	cr_assert_eq(c->refs, 1);
	clock_unref(c);
	clock_unref(clock_ref(NULL));
}
