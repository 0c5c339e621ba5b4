/* Internal to explanations: what the fences of a program forbid. */
#ifndef PTXI_EXPLORE_FENCES_H
#define PTXI_EXPLORE_FENCES_H
#include "explore/witness.h"

/* Says whether the outcomes of CONDITION, POSSIBLE or not in R, are possible with other kinds of fences in place of those of execution X, and with none.
 * Nothing when X has no fence. */
void fences_compare(const struct explore_result *r, const struct execution *x, const struct explore_condition *condition, bool possible, const struct explore_names *names,
		    struct text *out);
/* why_allowed.c: what is missing, between the threads, for outcome O of R to be impossible: a line each. */
void why_gaps(const struct explore_result *r, const struct explore_outcome *o, const struct explore_names *names, struct text *out);

#endif
