/* Static data flow of a litmus test: live registers, reachable writes, loop heads. */
#ifndef PTXI_EXPLORE_LITMUS_FLOW_H
#define PTXI_EXPLORE_LITMUS_FLOW_H
#include "explore/litmus/program.h"

/* For an instruction: the registers live before it, and the locations that it or later instructions
 * may write. */
struct litmus_flow {
	uint64_t *live, *writes; /* bit rows */
	bool loop_head;
	uint32_t head; /* a loop head's number within the thread */
};

/* An array for the instructions of THREAD and its end. Raises *NHEADS to the number of its loop
 * heads, if that is greater. */
struct litmus_flow *litmus_flow(const struct litmus_test *test, uint32_t thread, uint32_t reg_words,
	uint32_t location_words, uint32_t *nheads, struct arena *arena);

#endif
