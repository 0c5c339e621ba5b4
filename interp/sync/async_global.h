/* The async proxy and global memory: ordinary stores of a running kernel whose bytes a bulk copy
 * reads or overwrites without a fence.proxy.async. */
#ifndef PTXI_INTERP_ASYNC_GLOBAL_H
#define PTXI_INTERP_ASYNC_GLOBAL_H
#include "interp/state/state.h"

/* Adds the observer when M's module has bulk copies that touch global memory. */
void async_global_install(struct machine *m);
void async_global_free(struct machine *m);

#endif
