/* Whether some interleaving of the threads gives an execution. */
#ifndef PTXI_EXPLORE_INTERLEAVE_H
#define PTXI_EXPLORE_INTERLEAVE_H
#include "model/execution.h"

/* Of each event the events of other threads that come after it because their threads met at a
 * barrier, whether or not the barrier orders memory: [n][words], to be freed. */
uint64_t *interleave_barriers(const struct execution *x);
/* The edges between accesses that an interleaving keeps. ISSUE: B is of an asynchronous operation
 * that A's thread began after A. */
enum interleave_edge {
	INTERLEAVE_NONE,
	INTERLEAVE_PO,
	INTERLEAVE_RF,
	INTERLEAVE_CO,
	INTERLEAVE_FR,
	INTERLEAVE_BARRIER,
	INTERLEAVE_ISSUE
};
enum interleave_edge interleave_edge(
	const struct execution *x, const uint64_t *barriers, uint32_t a, uint32_t b);
/* Events that may stand on a cycle of these edges: none, and an interleaving gives the execution.
 * OUT: [words]. */
void interleave_core(const struct execution *x, const uint64_t *barriers, uint64_t *out);

#endif
