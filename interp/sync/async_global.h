/* The async proxy and global memory: bulk copies that read or overwrite bytes written by
 * ordinary stores of a running kernel, without an intervening fence.proxy.async. */
#ifndef PTXI_INTERP_ASYNC_GLOBAL_H
#define PTXI_INTERP_ASYNC_GLOBAL_H
#include "interp/state/state.h"

/* Adds the observer when M's module has bulk copies that access global memory, from instruction
 * FIRST on. */
void async_global_install(struct machine *m, uint32_t first);
void async_global_free(struct machine *m);

#endif
