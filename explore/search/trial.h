/* Tries what a thread does with a value that its atom, which is pending, might read. */
#ifndef PTXI_EXPLORE_TRIAL_H
#define PTXI_EXPLORE_TRIAL_H
#include "explore/search/graph.h"

/* Runs the thread of pending atom R with VALUE for R: *WRITTEN is what the atom writes, *DID what
 * the thread does after it until it stops, and the state in which it is then: whatever it does
 * later follows from that. False: nothing is known about it, or it could tell other threads what it
 * got by more than what it does: it accesses the location again, or what the atom acquires matters.
 */
bool trial_apart(const struct node *n, struct grower *g, uint32_t r, uint64_t value,
	uint64_t *written, uint64_t *did);
/* The same for a cas that fails, which may do all that. */
bool trial_fails(const struct node *n, struct grower *g, uint32_t r, uint64_t value, uint64_t *did);

#endif
