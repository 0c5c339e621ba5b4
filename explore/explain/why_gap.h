/* Internal to explanations: the synchronisation that is missing. */
#ifndef PTXI_EXPLORE_WHY_GAP_H
#define PTXI_EXPLORE_WHY_GAP_H
#include "explore/explain/explain.h"

/* Which of events A and B has a scope that does not include the other's thread, and the one that
 * would. */
void gap_scope(struct explain *e, uint32_t a, uint32_t b);
/* Why the value that passed from W to R brings no order. */
void gap_sync(struct explain *e, uint32_t w, uint32_t r);
/* What is missing, between the threads, for outcome O of R to be impossible: a line each. */
void why_gaps(const struct explore_result *r, const struct explore_outcome *o,
	const struct explore_names *names, struct text *out);

#endif
