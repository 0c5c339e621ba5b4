/* Clocks of views: joining under the hierarchy of thread, warp, CTA, and the bound on their size. */
#include "weak/weak_clock.h"
#include "base/memory.h"
#include <stdlib.h>
#include <string.h>

enum { MOST = 96, SHIFT = 12, FIRST_THREAD = 64, WARPS = 33, GIVEN = 1024 };

struct weak_clock *weak_clock_ref(struct weak_clock *c)
{
	if (c)
		c->refs++;
	return c;
}

void weak_clock_unref(struct weak_clock *c)
{
	if (c && --c->refs == 0)
		free(c);
}

/* Ascending entries being gathered; of the CTA in question what its wider entries say. */
struct gather {
	struct weak_known *out;
	uint32_t n;
	uint64_t all, group, cta, warp[WARPS];
};

static void put(struct gather *g, uint64_t key, uint64_t stamp)
{
	uint64_t group = key >> SHIFT;
	uint32_t part = (uint32_t)(key & ((1u << SHIFT) - 1));

	if (stamp <= g->all)
		return;
	if (key >> 60) {
		g->out[g->n++] = (struct weak_known){key, stamp};
		return;
	}
	if (group != g->group) {
		memset(g->warp, 0, sizeof g->warp);
		g->group = group;
		g->cta = 0;
	}
	if (stamp <= g->cta || (part >= FIRST_THREAD && stamp <= g->warp[1 + (part - FIRST_THREAD) / 32]))
		return;
	if (part == 0)
		g->cta = stamp;
	else if (part < FIRST_THREAD)
		g->warp[part] = stamp;
	g->out[g->n++] = (struct weak_known){key, stamp};
}

/* One entry a CTA. */
static uint32_t coarsen(struct weak_known *k, uint32_t n)
{
	uint32_t to = 0;

	for (uint32_t i = 0; i < n; i++) {
		uint64_t key = k[i].key >> 60 ? k[i].key : k[i].key >> SHIFT << SHIFT;

		if (to && k[to - 1].key == key) {
			if (k[i].stamp > k[to - 1].stamp)
				k[to - 1].stamp = k[i].stamp;
		} else {
			k[to++] = (struct weak_known){key, k[i].stamp};
		}
	}
	return to;
}

static struct weak_clock *make(const struct weak_known *k, uint32_t n, uint64_t all)
{
	struct weak_clock *c = memory_resize(NULL, sizeof *c + n * sizeof *k);

	c->refs = 1;
	c->count = n;
	c->all = all;
	if (n)
		memcpy(c->known, k, n * sizeof *k);
	return c;
}

static bool holds(const struct weak_clock *c, const struct weak_clock *b)
{
	uint32_t i = 0;

	if (b->all > c->all)
		return false;
	for (uint32_t k = 0; k < b->count; k++) {
		if (b->known[k].stamp <= c->all)
			continue;
		while (i < c->count && c->known[i].key < b->known[k].key)
			i++;
		if (i == c->count || c->known[i].key != b->known[k].key || c->known[i].stamp < b->known[k].stamp)
			return false;
	}
	return true;
}

struct weak_clock *weak_clock_join(struct weak_clock *a, struct weak_clock *b, const struct weak_known *more, uint32_t n, uint64_t all)
{
	struct weak_known out[2 * MOST + GIVEN];
	const struct weak_known *list[3] = {a ? a->known : NULL, b ? b->known : NULL, more}, *at[3];
	uint32_t left[3] = {a ? a->count : 0, b ? b->count : 0, n < GIVEN ? n : GIVEN};
	struct gather g = {.out = out, .group = UINT64_MAX};

	if (!n && !all) {
		if (!b || a == b || (a && holds(a, b)))
			return weak_clock_ref(a);
		if (!a || holds(b, a))
			return weak_clock_ref(b);
	}
	g.all = a && a->all > all ? a->all : all;
	g.all = b && b->all > g.all ? b->all : g.all;
	memcpy(at, list, sizeof at);
	for (;;) {
		uint64_t key = UINT64_MAX, stamp = 0;

		for (unsigned k = 0; k < 3; k++)
			if (left[k] && at[k]->key < key)
				key = at[k]->key;
		if (key == UINT64_MAX)
			break;
		for (unsigned k = 0; k < 3; k++)
			if (left[k] && at[k]->key == key) {
				stamp = at[k]->stamp > stamp ? at[k]->stamp : stamp;
				at[k]++;
				left[k]--;
			}
		put(&g, key, stamp);
	}
	if (g.n > MOST)
		g.n = coarsen(out, g.n);
	if (g.n > MOST) {
		for (uint32_t k = 0; k < g.n; k++)
			g.all = out[k].stamp > g.all ? out[k].stamp : g.all;
		g.n = 0;
	}
	return make(out, g.n, g.all);
}

void weak_clock_add(struct weak_clock **c, struct weak_clock *b)
{
	struct weak_clock *was = *c;

	*c = weak_clock_join(was, b, NULL, 0, 0);
	weak_clock_unref(was);
}

/* The first entry whose key is at least KEY. */
static uint32_t first_from(const struct weak_clock *c, uint64_t key)
{
	uint32_t low = 0, high = c->count;

	while (low < high) {
		uint32_t middle = (low + high) / 2;

		if (c->known[middle].key < key)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

bool weak_clock_knows(const struct weak_clock *c, const struct weak_who *who, uint64_t stamp)
{
	uint64_t warp = weak_key_warp(who->cta, who->thread / 32u), thread = weak_key_thread(who->cta, who->thread), launch = weak_key_launch(who->launch);

	if (!c)
		return false;
	if (stamp <= c->all)
		return true;
	for (uint32_t k = first_from(c, weak_key_cta(who->cta)); k < c->count && c->known[k].key >> SHIFT == who->cta; k++) {
		uint64_t key = c->known[k].key;

		if (stamp <= c->known[k].stamp && ((key & ((1u << SHIFT) - 1)) == 0 || key == warp || key == thread))
			return true;
	}
	uint32_t k = first_from(c, launch);

	return k < c->count && c->known[k].key == launch && stamp <= c->known[k].stamp;
}
