/* Findings about asynchronous copies and mbarriers that need every access to memory; and the proxy
 * fences that one of them is about. */
#ifndef PTXI_INTERP_ASYNC_CHECK_H
#define PTXI_INTERP_ASYNC_CHECK_H
#include "interp/state/state.h"

/* Adds the observer when M's module can need it. */
void async_check_install(struct machine *m);
#endif
