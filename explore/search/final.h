/* Final states of a complete execution. */
#ifndef PTXI_EXPLORE_FINAL_H
#define PTXI_EXPLORE_FINAL_H
#include "explore/search/graph.h"

/* Calls EACH once for every row of observables that node N (complete, saturated) can end in:
 * registers are fixed, memory is any choice of coherence-last writes. False when the execution
 * cannot be completed consistently, and there is none. */
bool final_states(struct node *n, struct grower *g, void (*each)(void *arg, const uint64_t *value),
	void *arg);
/* Makes X a completion of the node's execution in which memory ends with the observables VALUE, or
 * any (NULL); false when there is none. */
bool final_completion(
	const struct node *n, struct grower *g, const uint64_t *value, struct execution *x);
/* The write that is last at location PHYS in every completion of N, saturated and with all values
 * known; or MODEL_NONE: there are several that may be. */
uint32_t final_only_write(const struct node *n, uint32_t phys);
/* Whether X, complete and saturated, has a completion. */
bool final_exists(const struct execution *x);
/* Whether all reads of spinning threads can read coherence-last writes, so that the threads spin
 * forever; X becomes such a completion. */
bool final_stuck(const struct node *n, struct grower *g, struct execution *x);

#endif
