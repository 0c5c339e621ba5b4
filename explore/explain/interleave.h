/* Whether some interleaving of the threads gives an execution: the edges that an interleaving
 * keeps. */
#ifndef PTXI_EXPLORE_INTERLEAVE_H
#define PTXI_EXPLORE_INTERLEAVE_H
#include "model/execution.h"

/* For each event, the events of other threads that follow it because their threads met at a
 * barrier, whether or not the barrier orders memory: [n][words], to be freed by the caller. */
uint64_t *interleave_barriers(const struct execution *x);
/* The edges between accesses that an interleaving keeps. ISSUE: B belongs to an asynchronous
 * operation that A's thread issued after A. */
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
/* OUT, [words]: events that may lie on a cycle of these edges. If it is empty, an interleaving
 * gives the execution. */
void interleave_core(const struct execution *x, const uint64_t *barriers, uint64_t *out);

#endif
