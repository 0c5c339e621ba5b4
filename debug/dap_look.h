/* What a stopped program looks like in the Debug Adapter Protocol. */
#ifndef PTXI_DEBUG_DAP_LOOK_H
#define PTXI_DEBUG_DAP_LOOK_H
#include "debug/conversation.h"

/* Carries out a request that looks at the stopped program; false: it is another one. */
bool dap_look(struct dap *d, const struct json *q);

#endif
