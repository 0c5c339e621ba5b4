/* Clocks of the race checker: lists of what is known, merged when threads synchronise. */
#include "check/race_clock.h"
#include "base/assert.h"
#include <string.h>

enum { CLOCK_MAX = 4096 };

struct clock *clock_new(uint64_t floor)
{
	struct clock *c = clock_with_room(0);

	c->floor = floor;
	return c;
}

static uint64_t clock_stamp(const struct clock *c, uint64_t key)
{
	uint32_t at = clock_first_from(c, key);

	return at < c->n && c->known[at].key == key ? c->known[at].stamp : 0;
}

/* The key of the group that KEY belongs to, a smaller one; UINT64_MAX: none. */
static inline uint64_t key_group(const struct family *f, uint64_t key)
{
	uint64_t id = key & ((UINT64_C(1) << 60) - 1);

	switch ((enum key_kind)(key >> 60)) {
	case KEY_THREAD: return key_of(KEY_WARP, id >> 5);
	case KEY_WARP: return key_of(KEY_CTA, f->warp_cta.data[id]);
	case KEY_CTA: return key_of(KEY_LAUNCH, f->cta_launch.data[id]);
	case KEY_LAUNCH: break;
	}
	return UINT64_MAX;
}

/* The stamp up to which the floor, or an entry for GROUP or a larger group, covers the members of
 * GROUP. */
static uint64_t clock_covers_group(const struct clock *c, const struct family *f, uint64_t group)
{
	uint64_t stamp = c->floor, entry;

	for (; c->n && group != UINT64_MAX && c->known[0].key <= group; group = key_group(f, group))
		if ((entry = clock_stamp(c, group)) > stamp)
			stamp = entry;
	return stamp;
}

static inline bool clock_covers_key(
	const struct clock *c, const struct family *f, uint64_t key, uint64_t stamp)
{
	if (stamp <= c->floor)
		return true;
	for (; c->n && key != UINT64_MAX && c->known[0].key <= key; key = key_group(f, key))
		if (clock_stamp(c, key) >= stamp)
			return true;
	return false;
}

/* Questions to a clock about ascending keys: neighbours mostly belong to the same group, and the
 * entry of the next key is mostly the next entry. */
struct ascent {
	uint64_t group, stamp; /* the last group, and clock_covers_group() of it */
	uint32_t at;           /* entries before it have smaller keys */
};
static const struct ascent ascent_begin = {UINT64_MAX, 0, 0};

static uint64_t ascent_group(
	struct ascent *a, const struct clock *c, const struct family *f, uint64_t key)
{
	uint64_t group = key_group(f, key);

	if (group == UINT64_MAX)
		return c->floor;
	if (group != a->group) {
		a->group = group;
		a->stamp = clock_covers_group(c, f, group);
	}
	return a->stamp;
}

/* The stamp of C's entry for KEY, or 0: steps that double find one that is far away. */
static uint64_t ascent_stamp(struct ascent *a, const struct clock *c, uint64_t key)
{
	uint32_t low = a->at, step = 1, high;

	while (low < c->n && c->known[low].key < key) {
		low++;
		for (high = low + step; high < c->n && c->known[high].key < key; step *= 2) {
			low = high + 1;
			high = low + step;
		}
		step = 1;
	}
	a->at = low;
	return low < c->n && c->known[low].key == key ? c->known[low].stamp : 0;
}

bool clock_knows(
	const struct clock *c, const struct family *f, uint32_t warp, unsigned lane, uint32_t stamp)
{
	return clock_covers_key(c, f, key_thread(warp, lane), stamp);
}

/* clock_covers() for few entries, one by one. */
static enum coverage few_cover(
	const struct clock *c, const struct family *f, uint32_t warp, uint32_t stamp)
{
	uint32_t cta = f->warp_cta.data[warp];
	uint64_t whole[] = {key_of(KEY_WARP, warp), key_of(KEY_CTA, cta),
		key_of(KEY_LAUNCH, f->cta_launch.data[cta])};
	enum coverage covers = COVERS_NONE;

	for (uint32_t k = 0; k < c->n; k++) {
		uint64_t key = c->known[k].key;

		if (key == whole[0] || key == whole[1] || key == whole[2]) {
			if (c->known[k].stamp >= stamp)
				return COVERS_ALL;
		} else if (key >= key_thread(warp, 0) && key <= key_thread(warp, 31)) {
			covers = COVERS_SOME;
		}
	}
	return covers;
}

enum coverage clock_covers(
	const struct clock *c, const struct family *f, uint32_t warp, uint32_t stamp)
{
	enum { FEW = 8 };
	uint32_t at;

	if (stamp <= c->floor)
		return COVERS_ALL;
	if (c->n <= FEW)
		return few_cover(c, f, warp, stamp);
	if (clock_covers_key(c, f, key_of(KEY_WARP, warp), stamp))
		return COVERS_ALL;
	at = clock_first_from(c, key_thread(warp, 0));
	return at < c->n && c->known[at].key <= key_thread(warp, 31) ? COVERS_SOME : COVERS_NONE;
}

/* Whether C covers the N entries of LIST; ascending keys are the fastest. */
static bool clock_covers_list(
	const struct clock *c, const struct family *f, const struct known *list, uint32_t n)
{
	struct ascent a = ascent_begin;

	for (uint32_t k = 0; k < n; k++) {
		uint64_t key = list[k].key, stamp = list[k].stamp;

		if (stamp <= c->floor)
			continue;
		if (k && key < list[k - 1].key)
			a.at = 0;
		if (ascent_stamp(&a, c, key) < stamp && ascent_group(&a, c, f, key) < stamp)
			return false;
	}
	return true;
}

static bool clock_nothing_new(const struct clock *c, const struct family *f, const struct clock *b,
	const struct known *more, uint32_t n)
{
	if (b && b != c && (b->floor > c->floor || !clock_covers_list(c, f, b->known, b->n)))
		return false;
	return clock_covers_list(c, f, more, n);
}

/* Whether C, which nobody else has, could take the later stamp of a thread that it has already: one
 * release after another at the same place. */
static bool clock_advance(struct clock *c, const struct known *more)
{
	uint32_t at = clock_first_from(c, more->key);

	if (c->refs > 1 || more->key >> 60 != KEY_THREAD || at == c->n ||
		c->known[at].key != more->key)
		return false;
	c->known[at].stamp = more->stamp;
	return true;
}

struct clock *clock_join(struct clock *c, const struct family *f, struct clock *b,
	const struct known *more, uint32_t n, uint32_t now)
{
	uint32_t kept = 0;

	if (clock_nothing_new(c, f, b, more, n))
		return c;
	if (b == c)
		b = NULL;
	if (!b && n == 1 && clock_advance(c, more))
		return c;
	if (b && clock_nothing_new(b, f, c, more, n)) {
		clock_ref(b);
		clock_unref(c);
		return b;
	}
	uint32_t old = c->n + (b ? b->n : 0);
	struct clock *r = clock_with_room(old + n);
	struct clock_lists lists = {
		{c->known, b ? b->known : NULL, r->known + old}, {c->n, b ? b->n : 0, n}};
	struct ascent a = ascent_begin;
	struct known next;

	r->floor = b && b->floor > c->floor ? b->floor : c->floor;
	if (n)
		/* sorted in the upper part of the new array, which the merged entries never
		 * overtake */
		memcpy(r->known + old, more, n * sizeof *more);
	clock_sort(r->known + old, n);
	while (clock_next(&lists, &next)) {
		/* larger groups have smaller keys: the entries kept so far decide whether this one
		 * adds anything */
		r->n = kept;
		if (ascent_group(&a, r, f, next.key) < next.stamp)
			r->known[kept++] = next;
	}
	assert(kept <= old + n);
	r->n = kept;
	if (kept > CLOCK_MAX) {
		r->n = 0;
		r->floor = now;
	}
	clock_unref(c);
	return r;
}

struct clock *clock_join_again(struct clock_joins *j, struct clock *c, const struct family *f,
	struct clock *b, uint32_t now)
{
	struct clock *was = c;

	if (b == c || b->n < CLOCK_LONG)
		return clock_join(c, f, b, NULL, 0, now);
	c = clock_joins_find(j, was, b);
	if (!c) {
		c = clock_join(clock_ref(was), f, b, NULL, 0, now);
		clock_joins_keep(j, was, b, c);
	}
	clock_unref(was);
	return c;
}
