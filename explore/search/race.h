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

/* Adds the races of N, a complete execution, in any order of its fence.sc events that it allows. */
void races_find(struct races *r, const struct node *n, struct grower *g, const uint16_t *trail,
	uint32_t ntrail);
/* Records in G->mixed the least pair of overlapping accesses of different sizes of N that race. */
void races_of_sizes(const struct node *n, struct grower *g);
/* Adds RACE with another trail. */
void races_add_at(
	struct races *r, const struct race_record *race, const uint16_t *trail, uint32_t ntrail);
void races_merge(struct races *to, const struct races *from);
/* Adds the races of a result; what they refer to must stay as long as R. */
void races_add(struct races *r, const struct explore_result *from);
void races_free(struct races *r);
/* Copies the races, sorted, into the result's arena. */
void races_report(const struct races *r, struct explore_result *result);

#endif
