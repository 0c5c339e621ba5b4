/* What is known about a litmus test's instructions before it runs. */
#ifndef PTXI_EXPLORE_LITMUS_FLOW_H
#define PTXI_EXPLORE_LITMUS_FLOW_H
#include "explore/litmus/program.h"

/* Of an instruction: registers live before it, locations that may be written from it on. */
struct litmus_flow {
	uint64_t *live, *writes; /* bit rows */
	bool loop_head;
	uint32_t head; /* its number among the thread's loop heads */
};

/* Of the instructions of THREAD and its end; *NHEADS is raised to the number of its loop heads. */
struct litmus_flow *litmus_flow(const struct litmus_test *test, uint32_t thread, uint32_t reg_words,
	uint32_t location_words, uint32_t *nheads, struct arena *arena);

#endif
