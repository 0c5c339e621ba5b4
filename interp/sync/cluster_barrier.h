/* The barrier of a cluster: completion when threads exit, and its state. */
#ifndef PTXI_INTERP_CLUSTER_BARRIER_H
#define PTXI_INTERP_CLUSTER_BARRIER_H
#include "interp/state/cluster.h"
#include "interp/state/keeper.h"

/* Some lanes of the cluster have exited: its barrier may complete. */
void cluster_recount(struct cluster *k, struct warp *by);

/* The barrier in its current phase. */
struct cluster_barrier_state {
	uint32_t phase;
	uint32_t missing; /* live threads of the cluster that have not arrived */
	uint32_t insn;    /* of the first arrival, or IR_NONE */
	uint32_t user_call;
};
struct cluster_barrier_state cluster_barrier_state(const struct cluster *k);
/* The lanes of W that have arrived in the current phase. */
uint32_t cluster_arrived(const struct warp *w);

extern const struct keeper cluster_barrier_keeper;

#endif
