/* Derived relations that only the model's own files share. */
#ifndef PTXI_MODEL_DERIVE_H
#define PTXI_MODEL_DERIVE_H
#include "model/execution.h"

/* Whether there are both releasing and acquiring events. */
bool execution_has_patterns(const struct execution *x);
/* Calls EDGE for every pair (release event, acquire event) that synchronises through what R
 * observes. */
void execution_sync_from_read(const struct execution *x, uint32_t r,
	void (*edge)(void *arg, uint32_t first, uint32_t last), void *arg);

#endif
