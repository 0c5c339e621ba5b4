/* Order between launches, and the host as a thread of the program, which writes memory between
 * launches. */
#ifndef PTXI_EXPLORE_PTX_HOST_H
#define PTXI_EXPLORE_PTX_HOST_H
#include "explore/ptx/thread.h"

/* Before the first op of THREAD: true, with an event in A, while there is a launch to wait for or a
 * proxy fence to make after the waits. */
bool ptx_wait_for_launch(
	const struct ptx_client *c, uint32_t thread, struct ptx_state *s, struct action *a);
/* After the last op: the next event that remains to be made or, finally, the end. */
void ptx_at_exit(
	const struct ptx_client *c, uint32_t thread, struct ptx_state *s, struct action *a);
/* The next write of host thread THREAD in A; false: it has ended. */
bool ptx_host_step(
	const struct ptx_client *c, uint32_t thread, struct ptx_state *s, struct action *a);
/* Whether the host's writes that form launch LAUNCH touch SIZE bytes at PHYS. */
bool ptx_host_writes(const struct ptx_client *c, uint32_t launch, uint64_t phys, uint32_t size);

#endif
