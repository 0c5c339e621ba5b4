/* Executions that the search finds, judged once more by the axioms as they are written. */
#ifndef PTXI_EXPLORE_VERIFY_H
#define PTXI_EXPLORE_VERIFY_H
#include "explore/search/explore.h"
#include "explore/search/graph.h"

/* An execution of more events is not verified: relations take its square in bits, and closing one
 * its cube in steps. */
enum { VERIFY_EVENTS = 4096 };

/* The execution at hand. */
struct verify {
	struct explore_verified count;
	struct execution completion; /* of the outcome at hand */
	uint64_t *dep;               /* of the execution at hand */
	bool too_large;
	struct breach breach; /* of the outcome at hand */
	/* of the failure of the least trail: the events, the outcome, the choices */
	VEC(uint32_t) event;
	VEC(uint64_t) value;
	VEC(uint16_t) trail;
};

void verify_init(struct verify *v, const struct model *model);
void verify_free(struct verify *v);
/* N is complete, and its outcomes come next; VERIFY_END counts it, unless EXISTS is false: then it
 * was none after all. */
void verify_begin(struct verify *v, const struct node *n, struct grower *g);
/* Outcome VALUE of N, found by choices TRAIL: the order of its writes and fences that ends in it is
 * judged. */
void verify_outcome(struct verify *v, const struct node *n, struct grower *g, const uint64_t *value,
	const uint16_t *trail, uint32_t ntrail);
/* The same of execution X, whose orders are chosen, in which threads wait for ever. */
void verify_stuck(
	struct verify *v, const struct execution *x, const uint16_t *trail, uint32_t ntrail);
void verify_end(struct verify *v, bool exists);
/* Into the result, its arena: counts, and the failure of the least trail. */
void verify_collect(const struct verify *v, struct explore_result *r);

#endif
