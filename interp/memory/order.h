/* What --check=sync counts of the order between the threads of a cluster: how often a CTA has
 * synchronised in any way, and when last with other CTAs. Who asks: the operations on mbarriers,
 * and accesses to another CTA's shared memory. The observer of sync/async_check.c counts; where it
 * is not installed all counts are 0. */
#ifndef PTXI_INTERP_ORDER_H
#define PTXI_INTERP_ORDER_H
#include "interp/state/state.h"

enum { ORDER_EPOCHS = (1 << 21) - 2 }; /* more are not told apart */

/* C begins and is counted. */
void order_begins(struct cta *c);
/* C has synchronised in some way; with other CTAs. */
void order_synchronised(struct cta *c);
void order_far(struct cta *c);
/* How often C has synchronised. */
uint32_t order_epoch(const struct cta *c);
/* Releases and synchronisations beyond a CTA, counted from 1 in the cluster: the next one, which C
 * does; the one at which C last synchronised with other CTAs, 1: it never has. */
uint32_t order_next(struct cta *c);
uint32_t order_last(const struct cta *c);

/* A remote access of OFFSET by lane LANE: a finding when the CTA has exited, or may not have
 * started. False after a fault: the instruction names .shared (or .shared::cta), which is the CTA's
 * own. */
bool cluster_check_access(struct warp *w, const struct op *op, unsigned lane, uint64_t offset);
/* The finding part alone: C is not the CTA of W. ADDRESS is for the message. */
void cluster_check_life(
	struct warp *w, const struct op *op, unsigned lane, const struct cta *c, uint64_t address);

#endif
