/* Compares the sampler's words and clocks with simple models: which rings exist after any sequence
 * of calls, what they contain, and which agents' accesses a clock covers. */
#include "base/memory.h"
#include "base/rng.h"
#include "weak/weak.h"
#include <criterion/criterion.h>
#include <stdlib.h>

/* --- words --- */

enum { AREA = 256, SIZES = 5, FEW = 6 };

/* The contents of a ring of (place, size), oldest first; no messages: there is no ring. */
struct model {
	unsigned count;
	uint64_t value[WEAK_RING + 1];
	uint32_t total; /* whether each is ordered with all others */
};

static struct model model[AREA][SIZES];
static _Alignas(4096) uint8_t area[AREA];

static uint64_t low(uint64_t v, unsigned n)
{
	return n >= 8 ? v : v & ((UINT64_C(1) << 8 * n) - 1);
}
static bool meets(unsigned at, unsigned s, unsigned from, unsigned n)
{
	return at < from + n && from < at + (1u << s);
}

static uint64_t in_memory(unsigned at, unsigned n)
{
	uint64_t v[2];

	weak_host_load(area + at, n, v);
	return v[0];
}

static void check_area(struct weak *k)
{
	uint32_t blocks = 0, pages = 0;

	for (unsigned b = 0; b < AREA; b += 16) {
		bool any = false;

		for (unsigned at = b; at < b + 16; at++)
			for (unsigned s = 0; s < SIZES; s++) {
				const struct model *m = &model[at][s];
				struct weak_ring *r = at % (1u << s)
					? NULL
					: weak_ring_at(k, area + at, 1u << s, false, false);

				cr_assert_eq(
					r != NULL, m->count != 0, "%u bytes at %u", 1u << s, at);
				any = any || r;
				if (!r)
					continue;
				cr_assert_eq(r->count, m->count,
					"%u bytes at %u: %u messages, not %u", 1u << s, at,
					r->count, m->count);
				cr_assert(r->host == area + at && r->bytes == 1u << s);
				for (unsigned i = 0; i < m->count; i++) {
					uint64_t v[2];

					weak_value(r, i, v);
					cr_assert_eq(v[0],
						i + 1 < m->count ? m->value[i]
								 : in_memory(at, 1u << s),
						"message %u of %u, %u bytes at %u", i, m->count,
						1u << s, at);
					cr_assert_eq(r->message[i].before, (1u << i) - 1,
						"every message comes behind those before it");
				}
			}
		cr_assert_eq(weak_may_have_ring(k, area + b) || !any, true);
		blocks += any;
	}
	for (uint32_t p = 0; p < WEAK_PAGES; p++)
		pages += k->page[p];
	cr_assert_eq(k->used, blocks, "%u blocks, not %u", k->used, blocks);
	cr_assert_leq(k->nblocks, AREA / 16 + 1, "a place that is free is taken again");
	cr_assert_eq(pages, blocks);
}

static void append(struct weak *k, unsigned at, unsigned s, uint64_t value)
{
	struct weak_ring *r = weak_ring_at(k, area + at, 1u << s, true, true);
	struct model *m = &model[at][s];

	for (unsigned a = 0; a < AREA; a++)
		for (unsigned t = 0; t < SIZES; t++)
			if ((a != at || t != s) && meets(a, t, at, 1u << s))
				model[a][t].count = 0;
	if (!m->count)
		m->count = 1;
	m->value[m->count - 1] = in_memory(at, 1u << s);
	weak_insert(r, r->count, (1u << r->count) - 1, 0, (uint64_t[2]){low(value, 1u << s), 0});
	m->count++;
	if (m->count > WEAK_RING) {
		memmove(m->value, m->value + 1, sizeof m->value - sizeof *m->value);
		m->count--;
	}
}

Test(weak_words, as_the_model_has_them)
{
	struct weak *k = memory_zeroed(1, sizeof *k);
	struct rng rng = {3};

	for (unsigned round = 0; round < 6000; round++) {
		unsigned s = (unsigned)(rng_next(&rng) % SIZES), n = 1u << s,
			 at = (unsigned)(rng_next(&rng) % AREA) & ~(n - 1),
			 what = (unsigned)(rng_next(&rng) % 12);
		unsigned from = (unsigned)(rng_next(&rng) % AREA),
			 length = 1 + (unsigned)(rng_next(&rng) % 40);

		if (from + length > AREA)
			length = AREA - from;
		if (what < 8) {
			append(k, at, s, rng_next(&rng));
		} else {
			void (*const call[])(struct weak *, uint8_t *, uint64_t) = {
				weak_overwritten, weak_forget, weak_agreed};

			if (what < 11)
				call[what - 8](k, area + from, length);
			for (unsigned a = 0; what < 11 && a < AREA; a++)
				for (unsigned t = 0; t < SIZES; t++)
					if (model[a][t].count &&
						(what == 10 ? a >= from && a < from + length
							    : meets(a, t, from, length)))
						model[a][t].count = what == 8;
			if (what == 11 && round % 50 == 0) {
				weak_forget_all(k);
				memset(model, 0, sizeof model);
			}
		}
		check_area(k);
	}
	weak_word_free(k);
	free(k);
}

static void count_ring(void *arg, struct weak_ring *r)
{
	(void)r;
	++*(unsigned *)arg;
}

/* All rings inside the range are visited, and no others. */
Test(weak_words, rings_in_a_range)
{
	struct weak *k = memory_zeroed(1, sizeof *k);

	for (unsigned at = 0; at < AREA; at += 8)
		append(k, at, 2 + at / 8 % 2, at);
	for (unsigned from = 0; from < 40; from++)
		for (unsigned n = 0; n < 70; n++) {
			unsigned want = 0, got = 0;

			for (unsigned at = 0; at < AREA; at += 8)
				want += at >= from && at + (4u << at / 8 % 2) <= from + n;
			weak_rings_in(k, area + from, n, count_ring, &got);
			cr_assert_eq(got, want, "%u bytes from %u: %u rings, not %u", n, from, got,
				want);
		}
	weak_word_free(k);
	free(k);
}

/* The number of blocks is limited; those that a release has written to are kept while others can be
 * evicted, and what was released in an evicted block is kept. */
Test(weak_words, the_oldest_are_forgotten)
{
	enum { BLOCKS = 60000, MOST = 1 << 15 };
	uint8_t *many = memory_zeroed(BLOCKS + 1, 16), *first = many + (16 - (uintptr_t)many % 16);
	struct known one = {weak_key_thread(1, 7), 99};
	const struct weak_who who = {.cta = 1, .thread = 7};
	uint32_t here = 0;

	for (int all = 0; all < 2; all++) {
		struct weak *k = memory_zeroed(1, sizeof *k);

		for (uint32_t b = 0; b < BLOCKS; b++) {
			struct weak_ring *r = weak_ring_at(k, first + 16 * b, 4, true, true);
			struct weak_headset s = {0};

			if (all || b % 16 == 15) {
				struct weak_clock *c = weak_clock_join(NULL, NULL, &one, 1, 0);

				weak_headset_add(&s, &(struct weak_head){who, SCOPE_GPU, 0, c});
				r->message[0].heads = weak_headset_take(&s);
				weak_clock_unref(c);
			}
			cr_assert_leq(k->used, MOST);
		}
		for (uint32_t b = here = 0; b < BLOCKS; b++) {
			bool is = weak_ring_at(k, first + 16 * b, 4, false, false) != NULL;

			here += is;
			cr_assert(is || all || b % 16 != 15,
				"block %u, which a release wrote to, is gone", b);
		}
		cr_assert_eq(here, MOST);
		cr_assert_eq(weak_clock_knows(k->lost, &who, 99), all == 1, "what releases gave");
		weak_word_free(k);
		free(k);
	}
	free(many);
}

/* A message inserted before others preserves their order, and the position of each among them. */
Test(weak_words, order_among_messages)
{
	struct rng rng = {8};

	for (unsigned round = 0; round < 300; round++) {
		struct weak *k = memory_zeroed(1, sizeof *k);
		struct weak_ring *r = weak_ring_at(k, area, 4, true, true);
		bool before[64][64] = {{false}}; /* by value */
		unsigned at[WEAK_RING + 1] = {0}, count = 1;

		weak_host_store(area, 4, (uint64_t[2]){0, 0});
		for (unsigned v = 1; v < 20; v++) {
			unsigned where = 1 + (unsigned)(rng_next(&rng) % count);
			uint32_t behind = (uint32_t)rng_next(&rng) & ((1u << where) - 1),
				 front = (uint32_t)rng_next(&rng) & ((1u << count) - 1) &
				~((1u << where) - 1);

			weak_insert(r, where, behind, front, (uint64_t[2]){v, 0});
			memmove(at + where + 1, at + where, (count - where) * sizeof *at);
			for (unsigned i = 0; i < count; i++) {
				unsigned x = at[i + (i >= where)];

				before[x][v] = i < where && behind >> i & 1;
				before[v][x] = i >= where && front >> i & 1;
			}
			at[where] = v;
			if (++count > WEAK_RING) {
				memmove(at, at + 1, WEAK_RING * sizeof *at);
				count--;
			}
			cr_assert_eq(r->count, count);
			for (unsigned i = 0; i < count; i++) {
				uint64_t value[2];

				weak_value(r, i, value);
				cr_assert_eq(value[0], at[i]);
				for (unsigned j = 0; j < count; j++)
					cr_assert_eq(r->message[i].before >> j & 1,
						before[at[j]][at[i]], "messages %u and %u of %u", j,
						i, count);
			}
		}
		weak_word_free(k);
		free(k);
	}
}

/* With more readers than there is room for, the message is known to all threads; of each reader
 * that is kept the first time counts. */
Test(weak_words, readers)
{
	struct weak *k = memory_zeroed(1, sizeof *k);
	struct weak_ring *r = weak_ring_at(k, area, 4, true, true);

	for (unsigned v = 1; v < 4; v++)
		weak_insert(r, v, (1u << v) - 1, 0, (uint64_t[2]){v, 0});
	for (unsigned t = 0; t < WEAK_READERS; t++)
		for (unsigned again = 0; again < 2; again++)
			weak_read_by(r, 2,
				&(struct weak_who){.cta = 1 + t % 2, .thread = (uint16_t)t},
				10 * t + again);
	cr_assert_eq(r->message[2].nreaders, WEAK_READERS);
	for (unsigned t = 0; t < WEAK_READERS; t++)
		cr_assert_eq(r->message[2].reader[t].stamp, 10 * t);
	cr_assert_not(r->message[2].known_to_all);
	weak_read_by(r, 2, &(struct weak_who){.cta = 9, .thread = 9}, 999);
	cr_assert_eq(r->count, 2, "what came before can no longer be read");
	cr_assert(r->message[0].known_to_all && r->message[0].nreaders == 0);
	weak_read_by(r, 0, &(struct weak_who){.cta = 9, .thread = 10}, 1000);
	cr_assert_eq(r->message[0].nreaders, 0);
	weak_word_free(k);
	free(k);
}

/* --- clocks --- */

enum { CTAS = 4, THREADS = 96, LAUNCHES = 3 };

/* The time up to which each thread's accesses are known. */
struct view {
	uint64_t of[CTAS][THREADS];
};

static struct weak_who thread(unsigned cta, unsigned t)
{
	return (struct weak_who){.cta = cta + 1,
		.cluster = cta + 1,
		.launch = cta % LAUNCHES,
		.thread = (uint16_t)t};
}

static void tell(struct view *v, const struct known *k)
{
	for (unsigned c = 0; c < CTAS; c++)
		for (unsigned t = 0; t < THREADS; t++)
			if ((k->key == weak_key_launch(c % LAUNCHES) ||
				    k->key == weak_key_cta(c + 1) ||
				    k->key == weak_key_warp(c + 1, t / 32) ||
				    k->key == weak_key_thread(c + 1, t)) &&
				v->of[c][t] < k->stamp)
				v->of[c][t] = k->stamp;
}

static int by_key(const void *a, const void *b)
{
	const struct known *x = a, *y = b;

	return x->key < y->key ? -1 : x->key > y->key;
}

static void check_clock(const struct weak_clock *c, const struct view *v, bool exactly)
{
	for (unsigned cta = 0; cta < CTAS; cta++)
		for (unsigned t = 0; t < THREADS; t++) {
			struct weak_who who = thread(cta, t);

			cr_assert(!v->of[cta][t] || weak_clock_knows(c, &who, v->of[cta][t]),
				"thread %u of CTA %u at %u", t, cta, (unsigned)v->of[cta][t]);
			cr_assert(!exactly || !weak_clock_knows(c, &who, v->of[cta][t] + 1),
				"thread %u of CTA %u after %u", t, cta, (unsigned)v->of[cta][t]);
		}
}

/* A clock knows what the clocks and entries from which it was made know and, while it is small,
 * nothing else. */
Test(weak_clocks, as_the_model_has_them)
{
	struct rng rng = {4};

	for (unsigned large = 0; large < 2; large++) {
		struct weak_clock *c[FEW] = {NULL};
		struct view v[FEW] = {{{{0}}}};

		for (unsigned round = 0; round < 4000; round++) {
			unsigned a = (unsigned)(rng_next(&rng) % FEW),
				 b = (unsigned)(rng_next(&rng) % FEW),
				 to = (unsigned)(rng_next(&rng) % FEW), n = 0;
			struct known more[64];
			struct weak_clock *was = c[to];
			struct view joined = v[a];
			uint64_t all = !large && rng_next(&rng) % 64 == 0 ? round / 2 : 0;

			if (!large && rng_next(&rng) % 4 == 0) {
				c[to] = NULL; /* and starts again */
				v[to] = (struct view){{{0}}};
				weak_clock_unref(was);
				continue;
			}
			for (unsigned k = (unsigned)(rng_next(&rng) % (large ? 40 : 4)); k; k--) {
				unsigned cta = (unsigned)(rng_next(&rng) % CTAS),
					 t = (unsigned)(rng_next(&rng) % THREADS),
					 kind = (unsigned)(rng_next(&rng) % 8);
				uint64_t stamp = 1 + rng_next(&rng) % (round + 1);

				more[n++] = (struct known){kind == 0
						? weak_key_launch(cta % LAUNCHES)
						: kind == 1 ? weak_key_cta(cta + 1)
						: kind < 4  ? weak_key_warp(cta + 1, t / 32)
							    : weak_key_thread(cta + 1, t),
					stamp};
			}
			qsort(more, n, sizeof *more, by_key);
			for (unsigned k = 0; k < n; k++)
				tell(&joined, &more[k]);
			for (unsigned cta = 0; cta < CTAS; cta++)
				for (unsigned t = 0; t < THREADS; t++) {
					if (joined.of[cta][t] < v[b].of[cta][t])
						joined.of[cta][t] = v[b].of[cta][t];
					if (joined.of[cta][t] < all)
						joined.of[cta][t] = all;
				}
			c[to] = weak_clock_join(c[a], c[b], more, n, all);
			v[to] = joined;
			weak_clock_unref(was);
			check_clock(c[to], &v[to], !large);
		}
		for (unsigned k = 0; k < FEW; k++)
			weak_clock_unref(c[k]);
	}
}

/* What a clock knows of a whole CTA or warp takes no extra room for each thread, which leaves room
 * for single threads. */
Test(weak_clocks, what_is_covered_takes_no_room)
{
	enum { COVERED = 90, SINGLE = 20, LATE = 2000, FLOOR = 1000 };

	for (unsigned by = 0; by < 3; by++) {
		struct known more[COVERED + SINGLE + 4];
		struct view v = {{{0}}};
		uint64_t all = by == 0 ? FLOOR : 0;
		unsigned n = 0;
		struct weak_clock *c;

		if (by == 1)
			more[n++] = (struct known){weak_key_cta(1), FLOOR};
		for (unsigned w = 0; by == 2 && w < 3; w++)
			more[n++] = (struct known){weak_key_warp(1, w), FLOOR};
		for (unsigned t = 0; t < COVERED; t++)
			more[n++] = (struct known){weak_key_thread(1, t), FLOOR - t};
		for (unsigned t = 0; t < SINGLE; t++)
			more[n++] = (struct known){weak_key_thread(2, t), LATE + t};
		qsort(more, n, sizeof *more, by_key);
		for (unsigned k = 0; k < n; k++)
			tell(&v, &more[k]);
		for (unsigned cta = 0; all && cta < CTAS; cta++)
			for (unsigned t = 0; t < THREADS; t++)
				v.of[cta][t] = v.of[cta][t] < all ? all : v.of[cta][t];
		c = weak_clock_join(NULL, NULL, more, n, all);
		check_clock(c, &v, true);
		weak_clock_unref(c);
	}
}
