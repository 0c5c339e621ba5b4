/* How far --check=sync tracks the order between threads of a cluster: how often a CTA has
 * synchronised in any way, and when it last synchronised with other CTAs. Used by the mbarrier
 * operations and by accesses to another CTA's shared memory. The observer of sync/async_check.c
 * counts; without it all counts are 0. */
#ifndef PTXI_INTERP_ORDER_H
#define PTXI_INTERP_ORDER_H
#include "interp/state/state.h"

enum { ORDER_EPOCHS = (1 << 21) - 2 }; /* later epochs are not distinguished */

/* Starts counting for C. */
void order_begins(struct cta *c);
/* C has synchronised in some way; with other CTAs. */
void order_synchronised(struct cta *c);
void order_synchronised_remote(struct cta *c);
/* How often C has synchronised, up to ORDER_EPOCHS. */
uint32_t order_epoch(const struct cta *c);
/* Releases and synchronisations beyond a CTA have numbers in their cluster, from 2: order_next()
 * assigns one to C's next; order_last() is the number of C's last synchronisation with other
 * CTAs, 1: none yet, 0: not counted. */
uint32_t order_next(struct cta *c);
uint32_t order_last(const struct cta *c);

/* Checks a remote access to OFFSET by lane LANE: a finding when the CTA has exited or may not
 * have started. False after a fault: the instruction names .shared or .shared::cta, which is the
 * CTA's own shared memory. */
bool cluster_check_access(struct warp *w, const struct op *op, unsigned lane, uint64_t offset);
/* Only the finding: C is not the CTA of W. ADDRESS is for the message. */
void cluster_check_life(
	struct warp *w, const struct op *op, unsigned lane, const struct cta *c, uint64_t address);

#endif
