/* Judges the executions that the search finds again, by the axioms as they are written. */
#ifndef PTXI_EXPLORE_VERIFY_H
#define PTXI_EXPLORE_VERIFY_H
#include "explore/search/explore.h"
#include "explore/search/graph.h"

/* An execution with more events is not verified: a relation takes the square of their number in
 * bits, and closing one takes the cube in steps. */
enum { VERIFY_EVENTS = 4096 };

/* Verification of one execution after another. */
struct verify {
	struct explore_verified count;
	struct execution completion; /* of the current outcome */
	uint64_t *dep;               /* of the current execution */
	bool too_large;
	struct breach breach; /* of the current outcome */
	/* the failure with the least trail: its events, outcome and choices */
	VEC(uint32_t) event;
	VEC(uint64_t) value;
	VEC(uint16_t) trail;
};

void verify_init(struct verify *v, const struct model *model);
void verify_free(struct verify *v);
/* Starts with N, which is complete; its outcomes follow. verify_end counts the execution, unless
 * EXISTS is false: then N has no consistent completion. */
void verify_begin(struct verify *v, const struct node *n, struct grower *g);
/* Judges outcome VALUE of N, reached by choices TRAIL: the order of writes and fences that ends in
 * VALUE. */
void verify_outcome(struct verify *v, const struct node *n, struct grower *g, const uint64_t *value,
	const uint16_t *trail, uint32_t ntrail);
/* The same for execution X, whose orders are chosen, in which threads wait forever. */
void verify_stuck(
	struct verify *v, const struct execution *x, const uint16_t *trail, uint32_t ntrail);
void verify_end(struct verify *v, bool exists);
/* Adds the counts and the failure with the least trail to the result and its arena. */
void verify_collect(const struct verify *v, struct explore_result *r);

#endif
