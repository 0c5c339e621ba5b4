/* A second implementation of the memory model, for tests only: guesses control-flow paths, reads-from, fence order and coherence by brute force, and checks the
 * axioms as they are written. Shares nothing with model/ and explore/ but the parsed test. */
#ifndef PTXI_TESTS_BRUTEFORCE_H
#define PTXI_TESTS_BRUTEFORCE_H
#include "parser/litmus.h"

struct bruteforce {
	uint32_t width;      /* values an outcome: test->nobserved */
	uint64_t *value;     /* [count][width], sorted, each once */
	uint32_t count, cap;
	uint64_t executions; /* consistent (paths, rf) */
	uint64_t tried;      /* candidates looked at */
	bool too_large;      /* gave up: more events or candidates than it was made for */
};

/* Loop-free tests without counted barriers. */
void bruteforce_run(const struct litmus_test *test, uint64_t most_candidates, struct bruteforce *out);
void bruteforce_free(struct bruteforce *b);

#endif
