/* Vector clocks: creating, releasing, sorting; the last joins. */
#include "base/clock.h"
#include "base/memory.h"
#include <stdlib.h>

struct clock *clock_with_room(uint32_t room)
{
	struct clock *c = memory_resize(NULL, sizeof *c + room * sizeof *c->known);

	*c = (struct clock){.refs = 1};
	return c;
}

void clock_unref(struct clock *c)
{
	if (c && --c->refs == 0)
		memory_drop(c);
}

static int by_key(const void *a, const void *b)
{
	uint64_t x = ((const struct known *)a)->key, y = ((const struct known *)b)->key;

	return x < y ? -1 : x > y;
}

void clock_sort(struct known *known, uint32_t n)
{
	if (n > 1)
		qsort(known, n, sizeof *known, by_key);
}

static unsigned joins_at(const struct clock *a, const struct clock *b)
{
	uint64_t both = (uint64_t)(uintptr_t)a * 3 + (uintptr_t)b;

	return (unsigned)(both * UINT64_C(0x9E3779B97F4A7C15) >> 32) % CLOCK_JOINS;
}

struct clock *clock_joins_find(
	const struct clock_joins *j, const struct clock *a, const struct clock *b)
{
	unsigned at = joins_at(a, b);

	return j->of[at].a == a && j->of[at].b == b ? clock_ref(j->of[at].result) : NULL;
}

static void joins_drop(struct clock_joins *j, unsigned at)
{
	clock_unref(j->of[at].a);
	clock_unref(j->of[at].b);
	clock_unref(j->of[at].result);
}

void clock_joins_keep(struct clock_joins *j, struct clock *a, struct clock *b, struct clock *result)
{
	unsigned at = joins_at(a, b);

	clock_ref(a);
	clock_ref(b);
	clock_ref(result);
	joins_drop(j, at);
	j->of[at].a = a;
	j->of[at].b = b;
	j->of[at].result = result;
}

void clock_joins_free(struct clock_joins *j)
{
	for (unsigned at = 0; at < CLOCK_JOINS; at++)
		joins_drop(j, at);
	*j = (struct clock_joins){0};
}
