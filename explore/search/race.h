/* Data races in explored executions: conflicting accesses that are neither ordered by causality nor
 * morally strong. */
#ifndef PTXI_EXPLORE_RACE_H
#define PTXI_EXPLORE_RACE_H
#include "explore/search/explore.h"
#include "explore/search/graph.h"

struct race_record {
	uint32_t thread[2], place[2];
	bool write[2];
	const char *why;
	uint16_t *trail;
	uint32_t ntrail;
};

struct races {
	VEC(struct race_record) list;
};

/* Those of N, a complete execution, in any order of its fence.sc that it allows. */
void races_find(struct races *r, const struct node *n, struct grower *g, const uint16_t *trail,
	uint32_t ntrail);
/* Notes in G which accesses of N race that overlap and are of different sizes. */
void races_of_sizes(const struct node *n, struct grower *g);
void races_merge(struct races *to, const struct races *from);
void races_free(struct races *r);
/* Sorted, into the result's arena. */
void races_report(const struct races *r, struct explore_result *result);

#endif
