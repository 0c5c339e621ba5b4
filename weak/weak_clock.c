/* Clocks of views: joins along the hierarchy of thread, warp and CTA, and the limit on their
 * size. */
#include "weak/weak_clock.h"
#include <string.h>

enum { MAX_ENTRIES = 96, SHIFT = 12, FIRST_THREAD = 64, WARPS = 33, GIVEN = 1024 };

struct weak_clock {
	struct clock is;
};

/* NULL stays NULL. */
static struct clock *clock_of_weak(struct weak_clock *c) { return (struct clock *)c; }
static struct weak_clock *weak_of_clock(struct clock *c) { return (struct weak_clock *)c; }

struct weak_clock *weak_clock_ref(struct weak_clock *c)
{
	return weak_of_clock(clock_ref(clock_of_weak(c)));
}
void weak_clock_unref(struct weak_clock *c) { clock_unref(clock_of_weak(c)); }

/* Ascending entries being gathered, and what the wider entries of the current CTA cover. */
struct gather {
	struct known *out;
	uint32_t n;
	uint64_t all, group, cta, warp[WARPS];
};

static void gather_put(struct gather *g, uint64_t key, uint64_t stamp)
{
	uint64_t group = key >> SHIFT;
	uint32_t part = (uint32_t)(key & ((1u << SHIFT) - 1));

	if (stamp <= g->all)
		return;
	if (key >> 60) {
		g->out[g->n++] = (struct known){key, stamp};
		return;
	}
	if (group != g->group) {
		memset(g->warp, 0, sizeof g->warp);
		g->group = group;
		g->cta = 0;
	}
	if (stamp <= g->cta ||
		(part >= FIRST_THREAD && stamp <= g->warp[1 + (part - FIRST_THREAD) / 32]))
		return;
	if (part == 0)
		g->cta = stamp;
	else if (part < FIRST_THREAD)
		g->warp[part] = stamp;
	g->out[g->n++] = (struct known){key, stamp};
}

/* Merges the entries of each CTA into one; returns their number. */
static uint32_t clock_coarsen(struct known *k, uint32_t n)
{
	uint32_t to = 0;

	for (uint32_t i = 0; i < n; i++) {
		uint64_t key = k[i].key >> 60 ? k[i].key : k[i].key >> SHIFT << SHIFT;

		if (to && k[to - 1].key == key) {
			if (k[i].stamp > k[to - 1].stamp)
				k[to - 1].stamp = k[i].stamp;
		} else {
			k[to++] = (struct known){key, k[i].stamp};
		}
	}
	return to;
}

static struct clock *clock_make(const struct known *k, uint32_t n, uint64_t all)
{
	struct clock *c = clock_with_room(n);

	c->n = n;
	c->floor = all;
	if (n)
		memcpy(c->known, k, n * sizeof *k);
	return c;
}

static bool clock_holds(const struct clock *c, const struct clock *b)
{
	uint32_t i = 0;

	if (b->floor > c->floor)
		return false;
	for (uint32_t k = 0; k < b->n; k++) {
		if (b->known[k].stamp <= c->floor)
			continue;
		while (i < c->n && c->known[i].key < b->known[k].key)
			i++;
		if (i == c->n || c->known[i].key != b->known[k].key ||
			c->known[i].stamp < b->known[k].stamp)
			return false;
	}
	return true;
}

static struct clock *clock_join_all(
	struct clock *a, struct clock *b, const struct known *more, uint32_t n, uint64_t all)
{
	struct known out[2 * MAX_ENTRIES + GIVEN];
	struct clock_lists lists = {{a ? a->known : NULL, b ? b->known : NULL, more},
		{a ? a->n : 0, b ? b->n : 0, n < GIVEN ? n : GIVEN}};
	struct gather g = {.out = out, .group = UINT64_MAX};
	struct known next;

	if (!n && !all) {
		if (!b || a == b || (a && clock_holds(a, b)))
			return clock_ref(a);
		if (!a || clock_holds(b, a))
			return clock_ref(b);
	}
	g.all = a && a->floor > all ? a->floor : all;
	g.all = b && b->floor > g.all ? b->floor : g.all;
	while (clock_next(&lists, &next))
		gather_put(&g, next.key, next.stamp);
	if (g.n > MAX_ENTRIES)
		g.n = clock_coarsen(out, g.n);
	if (g.n > MAX_ENTRIES) {
		for (uint32_t k = 0; k < g.n; k++)
			g.all = out[k].stamp > g.all ? out[k].stamp : g.all;
		g.n = 0;
	}
	return clock_make(out, g.n, g.all);
}

struct weak_clock *weak_clock_join(struct weak_clock *a, struct weak_clock *b,
	const struct known *more, uint32_t n, uint64_t all)
{
	return weak_of_clock(clock_join_all(clock_of_weak(a), clock_of_weak(b), more, n, all));
}

void weak_clock_add(struct weak_clock **c, struct weak_clock *b)
{
	struct weak_clock *was = *c;

	*c = weak_clock_join(was, b, NULL, 0, 0);
	weak_clock_unref(was);
}

void weak_clock_add_again(struct clock_joins *j, struct weak_clock **c, struct weak_clock *b)
{
	struct clock *was = clock_of_weak(*c), *is;

	if (!was || !b || was == &b->is || b->is.n < CLOCK_LONG) {
		weak_clock_add(c, b);
		return;
	}
	is = clock_joins_find(j, was, &b->is);
	if (!is) {
		is = clock_join_all(was, &b->is, NULL, 0, 0);
		clock_joins_keep(j, was, &b->is, is);
	}
	clock_unref(was);
	*c = weak_of_clock(is);
}

bool weak_clock_knows(const struct weak_clock *clock, const struct weak_who *who, uint64_t stamp)
{
	const struct clock *c = clock ? &clock->is : NULL;
	uint64_t warp = weak_key_warp(who->cta, who->thread / 32u),
		 thread = weak_key_thread(who->cta, who->thread),
		 launch = weak_key_launch(who->launch);

	if (!c)
		return false;
	if (stamp <= c->floor)
		return true;
	for (uint32_t k = clock_first_from(c, weak_key_cta(who->cta));
		k < c->n && c->known[k].key >> SHIFT == who->cta; k++) {
		uint64_t key = c->known[k].key;

		if (stamp <= c->known[k].stamp &&
			((key & ((1u << SHIFT) - 1)) == 0 || key == warp || key == thread))
			return true;
	}
	uint32_t k = clock_first_from(c, launch);

	return k < c->n && c->known[k].key == launch && stamp <= c->known[k].stamp;
}
