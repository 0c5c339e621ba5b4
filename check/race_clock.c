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

/* Whether the floor, or an entry for a warp, CTA or launch that contains KEY, covers KEY. */
static bool clock_covers_above(
	const struct clock *c, const struct family *f, uint64_t key, uint64_t stamp)
{
	enum key_kind kind = (enum key_kind)(key >> 60);
	uint64_t id = key & ((UINT64_C(1) << 60) - 1);

	if (stamp <= c->floor)
		return true;
	if (!c->n || kind == KEY_LAUNCH)
		return false;
	if (kind == KEY_THREAD) {
		id >>= 5;
		if (clock_stamp(c, key_of(KEY_WARP, id)) >= stamp)
			return true;
	}
	if (kind >= KEY_WARP) {
		id = f->warp_cta.data[id];
		if (clock_stamp(c, key_of(KEY_CTA, id)) >= stamp)
			return true;
	}
	return c->known[0].key >> 60 == KEY_LAUNCH &&
		clock_stamp(c, key_of(KEY_LAUNCH, f->cta_launch.data[id])) >= stamp;
}

static bool clock_covers_key(
	const struct clock *c, const struct family *f, uint64_t key, uint64_t stamp)
{
	return clock_covers_above(c, f, key, stamp) || clock_stamp(c, key) >= stamp;
}

bool clock_knows(
	const struct clock *c, const struct family *f, uint32_t warp, unsigned lane, uint32_t stamp)
{
	return clock_covers_key(c, f, key_thread(warp, lane), stamp);
}

enum coverage clock_covers(
	const struct clock *c, const struct family *f, uint32_t warp, uint32_t stamp)
{
	uint32_t at;

	if (clock_covers_key(c, f, key_of(KEY_WARP, warp), stamp))
		return COVERS_ALL;
	at = clock_first_from(c, key_thread(warp, 0));
	return at < c->n && c->known[at].key <= key_thread(warp, 31) ? COVERS_SOME : COVERS_NONE;
}

static bool clock_nothing_new(const struct clock *c, const struct family *f, const struct clock *b,
	const struct known *more, uint32_t n)
{
	if (b && b != c) {
		if (b->floor > c->floor)
			return false;
		for (uint32_t k = 0; k < b->n; k++)
			if (!clock_covers_key(c, f, b->known[k].key, b->known[k].stamp))
				return false;
	}
	for (uint32_t k = 0; k < n; k++)
		if (!clock_covers_key(c, f, more[k].key, more[k].stamp))
			return false;
	return true;
}

struct clock *clock_join(struct clock *c, const struct family *f, const struct clock *b,
	const struct known *more, uint32_t n, uint32_t now)
{
	uint32_t kept = 0;

	if (clock_nothing_new(c, f, b, more, n))
		return c;
	if (b == c)
		b = NULL;
	uint32_t old = c->n + (b ? b->n : 0);
	struct clock *r = clock_with_room(old + n);
	struct clock_lists lists = {
		{c->known, b ? b->known : NULL, r->known + old}, {c->n, b ? b->n : 0, n}};
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
		if (!clock_covers_above(r, f, next.key, next.stamp))
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
