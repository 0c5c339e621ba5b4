/* Findings about asynchronous copies and mbarriers that require observing every memory access;
 * and the proxy fences, on which one of them depends. */
#ifndef PTXI_INTERP_ASYNC_CHECK_H
#define PTXI_INTERP_ASYNC_CHECK_H
#include "interp/state/state.h"

/* Adds the observer when M's module, or what was added to it, has instructions that need it. */
void async_check_install(struct machine *m);
#endif
