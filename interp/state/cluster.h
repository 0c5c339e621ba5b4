/* Clusters: CTAs that are scheduled together and access each other's shared memory. Without
 * clusters, each CTA is a cluster of one, so that all code handles clusters. A cluster belongs
 * to one worker at a time. (PTX ISA 2.2.2, 5.1.7, 9.7.15.3)
 *
 * Addresses in the shared window: bits 24 to 31 are the CTA's rank (code/window.h). */
#ifndef PTXI_INTERP_CLUSTER_H
#define PTXI_INTERP_CLUSTER_H
#include "code/window.h"
#include "interp/state/state.h"

struct cluster {
	uint32_t n;
	/* by rank; member[0] represents the cluster in the scheduler */
	struct cta *member[CLUSTER_MAX];
	/* State private to modules (keeper.h); NULL until needed. */
	struct cluster_barrier *barrier; /* sync/cluster_barrier.c */
	struct copies *copies;           /* sync/async.c */
};

#define EVERY_CTA(c, k) \
	for (struct cta *const *c##_at_ = (k)->member, *c; \
		c##_at_ < (k)->member + (k)->n && (c = *c##_at_, 1); c##_at_++)

/* Whether a CTA has exited, even if the scheduler has not noticed yet. */
static inline bool cluster_cta_exited(const struct cta *c)
{
	return c->state == CTA_DONE || !c->live;
}

/* The CTA named by bits 24 to 31 of OFFSET in C's shared window; NULL: none. */
static inline struct cta *cluster_at(const struct cta *c, uint64_t offset)
{
	uint64_t rank = offset >> MEMORY_RANK_SHIFT;

	return rank < c->cluster->n ? c->cluster->member[rank] : NULL;
}
static inline uint32_t cluster_offset(uint64_t offset)
{
	return (uint32_t)offset & ((1u << MEMORY_RANK_SHIFT) - 1);
}

/* Determines the cluster of launch L from the kernel's directives and the launch, which must
 * agree; checks that it divides the grid. Sets L->cluster and L->grid. False with a finding. */
bool cluster_shape(struct machine *m, struct machine_launch *l, const struct ir_func *f);

#endif
