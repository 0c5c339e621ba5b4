/* Atoms that commute: of many orders that nobody can tell apart, one. */
#ifndef PTXI_EXPLORE_COMMUTE_H
#define PTXI_EXPLORE_COMMUTE_H
#include "explore/search/graph.h"

/* Whether pending read R is the next of the atoms at its location in the one order that counts;
 * FROM is then what it reads. */
bool commute_next(const struct node *n, uint32_t r, uint32_t *from);
/* Of pending read R, a QUIET_WAIT: the few of its candidates in ROW that stand for all, into OUT
 * (at most 2, how many is returned). *COMPLETE: the last says that the phase is over, so later ones
 * need not be waited for. UINT32_MAX: they must all be tried. */
uint32_t commute_wait(
	const struct node *n, uint32_t r, const uint64_t *row, uint32_t *out, bool *complete);
/* Drops from ROW what pending read R, a QUIET_POLL, would read in vain: it asks again, and since
 * something follows in coherence not for ever. Whether all that is left makes it ask again. */
bool commute_poll(const struct node *n, const struct grower *g, uint32_t r, uint64_t *row);
/* R was resolved by commute_next, or by commute_wait. */
void commute_taken(struct node *n, uint32_t r);
void commute_waited(struct node *n, uint32_t r);
/* Whether all that has come since leaves the orders that were left out indistinguishable. False:
 * they count after all, and the search must begin again without this. */
bool commute_holds(struct node *n, const struct grower *g);

#endif
