/* A litmus test as a program for the explorer. */
#ifndef PTXI_EXPLORE_LITMUS_PROGRAM_H
#define PTXI_EXPLORE_LITMUS_PROGRAM_H
#include "base/arena.h"
#include "explore/search/explore.h"
#include "parser/litmus.h"

/* In ARENA; of OPTIONS it looks at the loop bound and the kind of dependencies. */
const struct explore_program *litmus_program(
	const struct litmus_test *test, const struct explore_options *options, struct arena *arena);
/* The value of the test's condition in an outcome: VALUE holds the observables in the program's
 * order. */
bool litmus_condition_holds(
	const struct litmus_test *test, const struct litmus_cond *c, const uint64_t *value);

#endif
