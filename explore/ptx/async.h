/* Asynchronous copies: each is a thread of its own (a helper), begun by the instruction that issues
 * it. */
#ifndef PTXI_EXPLORE_PTX_ASYNC_H
#define PTXI_EXPLORE_PTX_ASYNC_H
#include "explore/ptx/thread.h"

/* How many asynchronous operations a thread of L issues when it comes to each such instruction
 * once; AGAIN: it may come to one of them again. */
uint32_t ptx_async_count(const struct ptx_launch *l, bool *again);
/* The instruction at s->pc, of a class PTX_ASYNC, PTX_ASYNC_COMMIT or PTX_ASYNC_WAIT: its next
 * event, or moves on (true). */
bool ptx_async(const struct ptx_client *c, uint32_t thread, struct ptx_bench *b,
	struct ptx_state *s, struct action *a);
/* Before the end: waits for what was issued (a kernel ends when its copies have landed); true: all
 * is done. */
bool ptx_async_drain(
	const struct ptx_client *c, uint32_t thread, struct ptx_state *s, struct action *a);

/* The helper's side. */
size_t ptx_async_state_size(void);
void ptx_async_start(
	const struct explore_program *p, uint32_t helper, void *state, const void *payload);
void ptx_async_step(const struct ptx_client *c, uint32_t helper, void *state, struct action *a);
void ptx_async_answer(const struct ptx_client *c, uint32_t helper, void *state, struct action *a);

#endif
