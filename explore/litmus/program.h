/* A litmus test as a program for the explorer. */
#ifndef PTXI_EXPLORE_LITMUS_PROGRAM_H
#define PTXI_EXPLORE_LITMUS_PROGRAM_H
#include "base/arena.h"
#include "explore/search/explore.h"
#include "parser/litmus.h"

/* Allocated in ARENA. Uses the loop bound, the kind of dependencies and the disabled decisions of
 * OPTIONS. */
const struct explore_program *litmus_program(
	const struct litmus_test *test, const struct explore_options *options, struct arena *arena);
/* Whether condition C of the test holds in the outcome VALUE, the observables in the program's
 * order. */
bool litmus_condition_holds(
	const struct litmus_test *test, const struct litmus_cond *c, const uint64_t *value);

#endif
