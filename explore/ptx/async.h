/* Asynchronous copies: each is a separate thread (a helper), started by the instruction that issues
 * it. */
#ifndef PTXI_EXPLORE_PTX_ASYNC_H
#define PTXI_EXPLORE_PTX_ASYNC_H
#include "explore/ptx/thread.h"

/* The number of asynchronous operations that a thread of L issues if it executes each such
 * instruction once. *AGAIN: it may execute one of them more than once. */
uint32_t ptx_async_count(const struct ptx_launch *l, bool *again);
/* Runs the instruction at s->pc, of class PTX_ASYNC, PTX_ASYNC_COMMIT or PTX_ASYNC_WAIT. False: A
 * is its next event or a stop; true: it made no event, continue. */
bool ptx_async(const struct ptx_client *c, uint32_t thread, struct ptx_bench *b,
	struct ptx_state *s, struct action *a);
/* At the end of a thread: A waits for an operation that it issued, since a kernel ends only when
 * its copies are complete. True: all are complete. */
bool ptx_async_drain(
	const struct ptx_client *c, uint32_t thread, struct ptx_state *s, struct action *a);

/* The helper's side: state size, start, steps and answers, as in explore_program. */
size_t ptx_async_state_size(void);
void ptx_async_start(
	const struct explore_program *p, uint32_t helper, void *state, const void *payload);
void ptx_async_step(const struct ptx_client *c, uint32_t helper, void *state, struct action *a);
void ptx_async_answer(const struct ptx_client *c, uint32_t helper, void *state, struct action *a);

#endif
