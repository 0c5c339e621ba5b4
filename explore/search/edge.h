/* Parts of the tree of choices, for searches that others go on with: what lies between two edges,
 * in the order of the search. */
#ifndef PTXI_EXPLORE_SEARCH_EDGE_H
#define PTXI_EXPLORE_SEARCH_EDGE_H
#include <stdbool.h>
#include <stdint.h>

/* The first branch whose choices begin with TRAIL, in the order of the search. The last choice of
 * an edge at which something ends is not the first option. */
struct edge {
	uint16_t *trail; /* [n] */
	uint32_t n;
};

/* The branches from FROM on and before TO, which has no choices if all others belong to it. */
struct stretch {
	struct edge from, to;
};

/* Whether E is inside what follows the N choices of TRAIL, and so parts it. */
bool edge_parts(const uint16_t *trail, uint32_t n, const struct edge *e);
/* The edge before the first branch whose choices begin with TRAIL. */
struct edge edge_before(const uint16_t *trail, uint32_t n);
/* The edge before OPTION of the node at TRAIL. */
struct edge edge_at(const uint16_t *trail, uint32_t n, uint32_t option);
struct edge edge_copy(const struct edge *e);
void stretch_free(struct stretch *s);

#endif
