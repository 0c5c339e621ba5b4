/* Commuting atoms: of many indistinguishable orders, one is explored, the canonical order. */
#ifndef PTXI_EXPLORE_COMMUTE_H
#define PTXI_EXPLORE_COMMUTE_H
#include "explore/search/graph.h"

/* Whether pending read R is the next atom of its location in the canonical order, given that fences
 * are OPEN, that is, their order is not decided; if so, *FROM is the write that it reads from. */
bool commute_next(const struct node *n, uint32_t r, bool open, uint32_t *from);
/* For pending read R, a QUIET_WAIT with candidates ROW: puts the candidates that represent all
 * others into OUT (at most 2) and returns their number. *COMPLETE: with the last one the phase is
 * complete, so R need not be deferred for later writes. UINT32_MAX: all candidates must be tried.
 */
uint32_t commute_wait(
	const struct node *n, uint32_t r, const uint64_t *row, uint32_t *out, bool *complete);
/* Drops from ROW the writes that pending read R, a QUIET_POLL, would read in vain: it would poll
 * again, but not forever, because another write follows in coherence. Returns whether R polls again
 * with every remaining write. */
bool commute_poll(const struct node *n, const struct grower *g, uint32_t r, uint64_t *row);
/* R has been resolved by commute_next, or by commute_wait. */
void commute_taken(struct node *n, uint32_t r);
void commute_waited(struct node *n, uint32_t r);
/* Whether, given everything added since, the orders left out are still indistinguishable. False:
 * they matter after all, and the search must start again without commuting. */
bool commute_holds(struct node *n, const struct grower *g);
/* Part of the same, before N is saturated: the fences whose order a wait decided would then no
 * longer be open. */
bool commute_waits_are_free(const struct node *n);
/* Whether commuting atoms are all that is left of N, so that their order can follow any order of
 * the fences. If so, TO becomes a copy of N in which they have one order, for the values: the
 * fences may contradict that order. */
bool commute_rest(const struct node *n, struct grower *g, struct node *to);
/* N, which was left so, is now a completion: gives its atoms their order in coherence. */
bool commute_complete(struct node *n, struct grower *g);
/* Whether the undecided order of fence.sc may order atom Q before atom R. */
bool commute_fences_may_order(const struct execution *x, uint32_t q, uint32_t r);
/* Whether nothing that is still open may order more events before R. */
bool commute_order_is_closed(const struct execution *x, uint32_t r);

#endif
