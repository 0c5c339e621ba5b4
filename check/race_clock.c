/* Clocks: lists of what is known, merged when threads synchronise. */
#include "check/race_clock.h"
#include "base/memory.h"
#include <stdlib.h>

enum { CLOCK_MOST = 4096 };

static struct clock *make(uint32_t room)
{
	struct clock *c = memory_resize(NULL, sizeof *c + room * sizeof *c->known);

	*c = (struct clock){.refs = 1};
	return c;
}

struct clock *clock_new(uint32_t floor)
{
	struct clock *c = make(0);

	c->floor = floor;
	return c;
}

void clock_unref(struct clock *c)
{
	if (c && --c->refs == 0)
		free(c);
}

/* The first entry that is not before KEY. */
static uint32_t lower(const struct clock *c, uint64_t key)
{
	uint32_t low = 0, high = c->n;

	while (low < high) {
		uint32_t middle = (low + high) / 2;

		if (c->known[middle].key < key)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static uint32_t stamp_of(const struct clock *c, uint64_t key)
{
	uint32_t at = lower(c, key);

	return at < c->n && c->known[at].key == key ? c->known[at].stamp : 0;
}

/* Whether an entry for something larger than KEY, which is of CTA (or UINT32_MAX: a launch), covers it. */
static bool above(const struct clock *c, const struct family *f, uint64_t key, uint32_t stamp)
{
	enum key_kind kind = (enum key_kind)(key >> 60);
	uint64_t id = key & ((UINT64_C(1) << 60) - 1);

	if (stamp <= c->floor)
		return true;
	if (!c->n || kind == KEY_LAUNCH)
		return false;
	if (kind == KEY_THREAD) {
		id >>= 5;
		if (stamp_of(c, key_of(KEY_WARP, id)) >= stamp)
			return true;
	}
	if (kind >= KEY_WARP) {
		id = f->warp_cta.data[id];
		if (stamp_of(c, key_of(KEY_CTA, id)) >= stamp)
			return true;
	}
	return c->known[0].key >> 60 == KEY_LAUNCH && stamp_of(c, key_of(KEY_LAUNCH, f->cta_launch.data[id])) >= stamp;
}

static bool covers(const struct clock *c, const struct family *f, uint64_t key, uint32_t stamp)
{
	return above(c, f, key, stamp) || stamp_of(c, key) >= stamp;
}

bool clock_knows(const struct clock *c, const struct family *f, uint32_t warp, unsigned lane, uint32_t stamp)
{
	return covers(c, f, key_thread(warp, lane), stamp);
}

enum coverage clock_covers(const struct clock *c, const struct family *f, uint32_t warp, uint32_t stamp)
{
	uint32_t at;

	if (covers(c, f, key_of(KEY_WARP, warp), stamp))
		return COVERS_ALL;
	at = lower(c, key_thread(warp, 0));
	return at < c->n && c->known[at].key <= key_thread(warp, 31) ? COVERS_SOME : COVERS_NONE;
}

static bool nothing_new(const struct clock *c, const struct family *f, const struct clock *b, const struct known *more, uint32_t n)
{
	if (b && b != c) {
		if (b->floor > c->floor)
			return false;
		for (uint32_t k = 0; k < b->n; k++)
			if (!covers(c, f, b->known[k].key, b->known[k].stamp))
				return false;
	}
	for (uint32_t k = 0; k < n; k++)
		if (!covers(c, f, more[k].key, more[k].stamp))
			return false;
	return true;
}

static int by_key(const void *a, const void *b)
{
	const struct known *x = a, *y = b;

	return x->key != y->key ? (x->key < y->key ? -1 : 1) : x->stamp < y->stamp ? -1 : x->stamp > y->stamp;
}

struct clock *clock_join(struct clock *c, const struct family *f, const struct clock *b, const struct known *more, uint32_t n, uint32_t now)
{
	uint32_t total = 0, kept = 0;

	if (nothing_new(c, f, b, more, n))
		return c;
	struct clock *r = make(c->n + (b && b != c ? b->n : 0) + n);

	r->floor = b && b->floor > c->floor ? b->floor : c->floor;
	for (uint32_t k = 0; k < c->n; k++)
		r->known[total++] = c->known[k];
	for (uint32_t k = 0; b && b != c && k < b->n; k++)
		r->known[total++] = b->known[k];
	for (uint32_t k = 0; k < n; k++)
		r->known[total++] = more[k];
	if (total > c->n)
		qsort(r->known, total, sizeof *r->known, by_key);
	for (uint32_t k = 0; k < total; k++) {
		if (k + 1 < total && r->known[k + 1].key == r->known[k].key)
			continue;
		/* larger things have smaller keys: those kept so far tell whether this one says anything new */
		const struct known one = r->known[k];

		r->n = kept;
		if (!above(r, f, one.key, one.stamp))
			r->known[kept++] = one;
	}
	r->n = kept;
	if (kept > CLOCK_MOST) {
		r->n = 0;
		r->floor = now;
	}
	clock_unref(c);
	return r;
}
