/* Litmus tests in the explorer: verdicts, their output in herd7's form, and names. */
#ifndef PTXI_EXPLORE_LITMUS_H
#define PTXI_EXPLORE_LITMUS_H
#include "explore/search/explore.h"
#include "parser/litmus.h"

/* An explored litmus test and its verdict. */
struct explore_litmus {
	const struct litmus_test *test;
	struct explore_result *result;
	/* executions whose outcome satisfies the condition; does not satisfy it */
	uint64_t positive, negative;
	/* the quantified condition: exists, ~exists or forall */
	bool condition_holds;
	/* condition_holds is definite: exploration was complete, or a witness decides it */
	bool verdict;
	bool terminates; /* no deadlock and no livelock */
};
void explore_litmus(const struct litmus_test *test, const struct explore_options *options,
	struct arena *arena, struct explore_litmus *out);
/* Prints herd7's form: states, witnesses, condition, `Observation NAME Sometimes 1 3`; with
 * VERBOSE, an execution for each state. */
void explore_litmus_print(const struct explore_litmus *l, bool verbose, struct text *out);
/* Names of its threads, instructions and locations. */
void explore_litmus_names(
	const struct litmus_test *test, struct arena *arena, struct explore_names *out);

#endif
