/* Clusters: the CTAs that are scheduled together and reach each other's shared memory. A CTA of a
 * launch without clusters is a cluster of its own, so that there is one kind of everything. A
 * cluster belongs to one worker at a time. (PTX ISA 2.2.2, 5.1.7, 9.7.13.3)
 *
 * Addresses in the shared window: bits 24 to 31 are 0 for the executing CTA's own memory,
 * MEMORY_RANK_FIRST + k for that of the CTA of rank k (code/window.h). */
#ifndef PTXI_INTERP_CLUSTER_H
#define PTXI_INTERP_CLUSTER_H
#include "code/window.h"
#include "interp/state/state.h"

/* CTAs: 8 on every device, 16 where a kernel allows the non-portable size */
enum { CLUSTER_MOST = 16 };

struct cluster {
	uint32_t n;
	struct cta *member[CLUSTER_MOST]; /* by rank; member[0] is what the schedule holds */
	/* What modules keep of it (keeper.h); NULL until it is needed. */
	struct cluster_barrier *barrier; /* sync/cluster_barrier.c */
	struct copies *copies;           /* sync/async.c */
};

#define EVERY_CTA(c, k) \
	for (struct cta *const *c##_at_ = (k)->member, *c; \
		c##_at_ < (k)->member + (k)->n && (c = *c##_at_, 1); c##_at_++)

/* Whether a CTA has exited, its schedule told or not. */
static inline bool cluster_gone(const struct cta *c) { return c->state == CTA_DONE || !c->live; }

/* The CTA that bits 24..31 of OFFSET in C's shared window name, NULL when there is none. */
static inline struct cta *cluster_at(const struct cta *c, uint64_t offset)
{
	uint64_t rank = offset >> MEMORY_RANK_SHIFT;

	if (rank == 0)
		return (struct cta *)(uintptr_t)c;
	rank -= MEMORY_RANK_FIRST; /* wraps below it */
	return rank < c->cluster->n ? c->cluster->member[rank] : NULL;
}
static inline uint32_t cluster_offset(uint64_t offset)
{
	return (uint32_t)offset & ((1u << MEMORY_RANK_SHIFT) - 1);
}

/* The cluster that a launch has: the kernel's directives and the launch's own agree, and divide the
 * grid. L->cluster and L->grid become what they are. False with a finding. */
bool cluster_shape(struct machine *m, struct machine_launch *l, const struct ir_func *f);

#endif
