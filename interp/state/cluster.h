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

struct copy;
struct cluster_barrier;
struct mbarrier_table;

/* CTAs: 8 on every device, 16 where a kernel allows the non-portable size */
enum { CLUSTER_MOST = 16 };

struct cluster {
	uint32_t n;
	struct cta *member[CLUSTER_MOST]; /* by rank; member[0] is what the schedule holds */
	/* asynchronous operations that have not landed, in the order issued (async.c) */
	struct copy *copies, **last_copy;
	uint32_t ncopies;
	uint64_t copies_made;
	/* NULL but while one lands: what is told meanwhile is its doing */
	const struct copy *landing;
	/* async_check.c: releases and synchronisations beyond a CTA, counted from 1 */
	uint32_t events;
	/* what modules keep of it (keeper.h); NULL until it is needed */
	struct cluster_barrier *barrier; /* sync/cluster_barrier.c */
};

#define EVERY_CTA(c, k) \
	for (struct cta *const *c##_at_ = (k)->member, *c; \
		c##_at_ < (k)->member + (k)->n && (c = *c##_at_, 1); c##_at_++)

/* Whether a CTA has exited, its schedule told or not. */
static inline bool cluster_gone(const struct cta *c) { return c->state == CTA_DONE || !c->live; }

/* What a lane has under way; made for a warp when it first needs it. */
struct warp_sync {
	uint32_t group[2][LANES];  /* cp.async, bulk: number of the group that is being filled */
	uint32_t waited[2][LANES]; /* groups below this number were waited for */
	/* the last wait on an mbarrier that said no, for the report of who waits for what; wait_cta
	 * NULL: none */
	struct cta *wait_cta[LANES];
	uint32_t wait_offset[LANES], wait_insn[LANES];
	uint8_t wait_parity[LANES];
	/* the last wait that returned true: whose mbarrier, and for which phase */
	const struct cta *passed_cta[LANES];
	uint32_t passed_offset[LANES];
	uint64_t passed_phase[LANES];
	/* lanes whose last such wait returned at once, for a phase that they had waited for before
	 * or before the first */
	uint32_t stale;
	const struct op *poll_op[LANES]; /* poll.c */
	uint64_t poll_address[LANES];
	/* lanes that sleep in a try_wait, or have just woken in one */
	uint32_t held;
	uint64_t held_phase[LANES]; /* that they wait for */
};
/* (in the CTA's arena; zero at the beginning of each CTA) */
struct warp_sync *warp_sync_of(struct warp *w);

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
/* A remote access of OFFSET by lane LANE: a finding when the CTA has exited, or may not have
 * started. False after a fault: the instruction names .shared (or .shared::cta), which is the CTA's
 * own. */
bool cluster_check_access(struct warp *w, const struct op *op, unsigned lane, uint64_t offset);
/* The finding part alone: C is not the CTA of W. ADDRESS is for the message. */
void cluster_check_life(
	struct warp *w, const struct op *op, unsigned lane, const struct cta *c, uint64_t address);

#endif
