/* Kernels one after another, and the host as a thread of the program: what it writes between
 * launches. */
#ifndef PTXI_EXPLORE_PTX_HOST_H
#define PTXI_EXPLORE_PTX_HOST_H
#include "explore/ptx/thread.h"

/* Before the first op of THREAD: true while there is still a launch to wait for, or something to do
 * behind it. */
bool ptx_wait_for_launch(
	const struct ptx_client *c, uint32_t thread, struct ptx_state *s, struct action *a);
/* Behind the last one: what is left to do, at last the end. */
void ptx_at_exit(
	const struct ptx_client *c, uint32_t thread, struct ptx_state *s, struct action *a);
/* The next write of host thread THREAD, or its end. */
bool ptx_host_step(
	const struct ptx_client *c, uint32_t thread, struct ptx_state *s, struct action *a);
/* Whether the host's writes number LAUNCH among the launches touch SIZE bytes at PHYS. */
bool ptx_host_writes(const struct ptx_client *c, uint32_t launch, uint64_t phys, uint32_t size);

#endif
