/* Edges of parts of the tree of choices (edge.h). */
#include "explore/search/edge.h"
#include "base/memory.h"
#include <string.h>

bool edge_parts(const uint16_t *trail, uint32_t n, const struct edge *e)
{
	return n < e->n && (!n || !memcmp(trail, e->trail, n * sizeof *trail));
}

/* A copy of TRAIL, with room for one more choice. */
static struct edge copy(const uint16_t *trail, uint32_t n)
{
	struct edge e = {memory_resize(NULL, (n + 1) * sizeof *trail), n};
	if (n)
		memcpy(e.trail, trail, n * sizeof *trail);
	return e;
}

struct edge edge_copy(const struct edge *e) { return copy(e->trail, e->n); }

struct edge edge_at(const uint16_t *trail, uint32_t n, uint32_t option)
{
	struct edge e = copy(trail, n);
	e.trail[e.n++] = (uint16_t)option;
	return e;
}

struct edge edge_before(const uint16_t *trail, uint32_t n)
{
	while (n && !trail[n - 1]) /* the first option begins where its node does */
		n--;
	return copy(trail, n);
}

void stretch_free(struct stretch *s)
{
	memory_drop(s->from.trail);
	memory_drop(s->to.trail);
}
