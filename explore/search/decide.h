/* The choice at a node: which pending read is decided next, and what its options are (decide.c). */
#ifndef PTXI_EXPLORE_DECIDE_H
#define PTXI_EXPLORE_DECIDE_H
#include "explore/search/search.h"

/* What is known of read R, if it has been deferred; or NULL. */
struct deferral *decide_deferral(const struct node *n, uint32_t r);
/* ROW: the writes that pending read R may read from now and with which its thread goes on. Returns
 * whether its thread may also repeat it forever. */
bool decide_options(
	struct worker *w, const struct node *n, uint32_t r, uint64_t *row, struct options *o);
/* Collects in W->forced the atoms that come next in the canonical order, one per location.
 * Considers only events that existed when the node was last settled: for others, causality is not
 * computed yet. */
bool decide_commuting(struct worker *w, struct node *n);
/* Collects in W->forced the next atom of the order that N's plan has. */
bool decide_planned(struct worker *w, const struct node *n);
/* Collects in W->forced the decisions with a single option: in the model, none of them can remove
 * the option of another; where the search allows less (decide_options), take_option() leaves it. If
 * there are none, BEST is the decision with the fewest options; or W->rest says that none is
 * needed. False: some read can never be resolved. */
bool decide_next(struct worker *w, struct node *n, struct decision *best, uint64_t *row);
/* The part that OPTION has of what follows decision D, if all writes are alike: 0 to 1. It only
 * serves to estimate how much is left. */
double decision_share(const struct decision *d, uint32_t option);

#endif
