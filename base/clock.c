/* Vector clocks: creating, releasing, sorting. */
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
