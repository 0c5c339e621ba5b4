/* A second implementation of the memory model, for tests only: guesses control-flow paths,
 * reads-from, fence order and coherence by brute force, and checks the axioms as they are written.
 * Shares nothing with model/ and explore/ but the parsed test. */
#ifndef PTXI_TESTS_BRUTEFORCE_H
#define PTXI_TESTS_BRUTEFORCE_H
#include "parser/litmus.h"

struct bruteforce {
	uint32_t width;  /* values an outcome: test->nobserved */
	uint64_t *value; /* [count][width], sorted, each once */
	uint32_t count, cap;
	uint64_t executions; /* consistent (paths, rf) */
	uint64_t tried;      /* candidates looked at */
	bool too_large;      /* gave up: more events or candidates than it was made for */
	/* in some execution accesses of different sizes race: the other results mean nothing */
	bool mixed;
};

/* Another model, to see what it changes. */
enum bruteforce_change {
	/* what comes before or after one half of an atom in base causality or causality does so for
	   the other */
	BRUTEFORCE_ATOM_ONE_EVENT = 1,
	/* without No-thin-air: in a cycle of rf and dep the reads may all return one guessed value,
	   1 or 2 */
	BRUTEFORCE_THIN_AIR = 2
};

/* Where a location lies when locations may overlap: in words of 32 bits, one or two of them. */
struct bruteforce_place {
	int first, words;
};

/* Loop-free tests without counted barriers. CHANGE: set of enum bruteforce_change. PLACE of each
 * location, or NULL: none overlaps another. */
void bruteforce_run(const struct litmus_test *test, const struct bruteforce_place *place,
	uint64_t most_candidates, unsigned change, struct bruteforce *out);
void bruteforce_free(struct bruteforce *b);

#endif
