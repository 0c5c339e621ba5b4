/* The barrier of a cluster: when exits complete it, and how it stands. */
#ifndef PTXI_INTERP_CLUSTER_BARRIER_H
#define PTXI_INTERP_CLUSTER_BARRIER_H
#include "interp/state/cluster.h"
#include "interp/state/keeper.h"

/* Some lanes of the cluster exited: its barrier may complete. */
void cluster_recount(struct cluster *k, struct warp *by);

/* The barrier in its present phase. */
struct cluster_barrier_state {
	uint32_t phase;
	uint32_t missing; /* live threads of the cluster that have not arrived */
	uint32_t insn;    /* of the first arrival, or IR_NONE */
};
struct cluster_barrier_state cluster_barrier_state(const struct cluster *k);
/* The lanes of W that arrived in its present phase. */
uint32_t cluster_arrived(const struct warp *w);

extern const struct keeper cluster_barrier_keeper;

#endif
