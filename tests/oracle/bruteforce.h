/* A second implementation of the memory model, for tests only: guesses control-flow paths,
 * reads-from, fence order and coherence by brute force, and checks the axioms as written. It shares
 * only the parsed test with model/ and explore/. */
#ifndef PTXI_TESTS_BRUTEFORCE_H
#define PTXI_TESTS_BRUTEFORCE_H
#include "parser/litmus.h"

struct bruteforce {
	uint32_t width;  /* values per outcome: test->nobserved */
	uint64_t *value; /* [count][width], sorted, without duplicates */
	uint32_t count, cap;
	uint64_t executions; /* consistent (paths, rf) */
	uint64_t tried;      /* candidates examined */
	bool too_large;      /* gave up: more events or candidates than it is designed for */
	/* in some execution accesses of different sizes race: the other results are meaningless */
	bool mixed;
};

/* Variants of the model, to observe the effect. */
enum bruteforce_change {
	/* what comes before or after one half of an atom in base causality or causality order also
	 * does so for the other half */
	BRUTEFORCE_ATOM_ONE_EVENT = 1,
	/* without No-thin-air: in a cycle of rf and dep the reads may all return one guessed value,
	 * 1 or 2 */
	BRUTEFORCE_THIN_AIR = 2
};

/* The place of a location when locations may overlap: one or two words. BITS of a word: 16
 * or 32; the same for all. */
struct bruteforce_place {
	int first, words, bits;
};

/* Instructions that LISA does not have, as further values of litmus_insn.op (all need PLACE):
 * - an atom of packed halves: one atom for each word, without an order among them;
 * - a copy of B words from location A to LOCATION and the locations after them, word by word;
 * - a wait for the phase of parity A of the mbarrier at LOCATION;
 * - the start of the asynchronous operation that thread A is. */
enum bruteforce_op { BRUTEFORCE_PACKED = 32, BRUTEFORCE_COPY, BRUTEFORCE_WAIT, BRUTEFORCE_ISSUE };
/* Operations of atoms, as further values of litmus_insn.alu: a sum of halves that are small
 * integers; on an mbarrier: arrival, arrival that expects A bytes, completion of A bytes. */
enum bruteforce_alu {
	BRUTEFORCE_ADD_HALF = 200,
	BRUTEFORCE_ARRIVE,
	BRUTEFORCE_ARRIVE_EXPECT,
	BRUTEFORCE_COMPLETE
};
/* An mbarrier that expects COUNT arrivals. */
int64_t bruteforce_mbarrier(unsigned count);

/* Runs a loop-free test without counted barriers. CHANGE: set of enum bruteforce_change. PLACE of
 * each location, or NULL: they do not overlap. */
void bruteforce_run(const struct litmus_test *test, const struct bruteforce_place *place,
	uint64_t most_candidates, unsigned change, struct bruteforce *out);
void bruteforce_free(struct bruteforce *b);

#endif
