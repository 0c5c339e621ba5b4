/* Internal to explanations: what the fences of a program forbid. */
#ifndef PTXI_EXPLORE_FENCES_H
#define PTXI_EXPLORE_FENCES_H
#include "explore/explain/why.h"
#include "explore/search/witness.h"

/* Prints whether the outcomes of CONDITION, POSSIBLE or not in R, are possible with other kinds of
 * fences in place of those of execution X, and without fences. Prints nothing if X has no fence. */
void fences_compare(const struct explore_result *r, const struct execution *x,
	const struct explore_condition *condition, bool possible, const struct explore_names *names,
	struct text *out);

#endif
