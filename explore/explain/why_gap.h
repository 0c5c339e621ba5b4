/* Internal to explanations: the synchronisation that is missing. */
#ifndef PTXI_EXPLORE_WHY_GAP_H
#define PTXI_EXPLORE_WHY_GAP_H
#include "explore/explain/explain.h"

/* Prints which of events A and B has a scope that does not include the other's thread, and the
 * scope that would. */
void gap_scope(struct explain *e, uint32_t a, uint32_t b);
/* Prints why R, which reads from W, does not synchronise with it. */
void gap_sync(struct explain *e, uint32_t w, uint32_t r);
/* Prints, one per line, the synchronisation between threads whose absence makes outcome O of R
 * possible. */
void why_gaps(const struct explore_result *r, const struct explore_outcome *o,
	const struct explore_names *names, struct text *out);

#endif
