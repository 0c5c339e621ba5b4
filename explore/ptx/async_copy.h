/* One asynchronous operation, as described by its issuer and carried out by its helper. */
#ifndef PTXI_EXPLORE_PTX_ASYNC_COPY_H
#define PTXI_EXPLORE_PTX_ASYNC_COPY_H
#include "explore/ptx/async.h"
#include "interp/sync/mbarrier.h"

/* Kinds of a thread's operations: in cp.async groups, in bulk groups, others. */
enum { PTX_ASYNC_CP, PTX_ASYNC_GROUP, PTX_ASYNC_OTHER };

/* Makes A a barrier event at the barrier where HELPER arrives when it is complete or, with READ,
 * has read its source. */
static inline void ptx_copy_end(struct action *a, uint32_t helper, bool read)
{
	a->kind = ACTION_BARRIER;
	a->rule = BARRIER_PHASE;
	a->object = ptx_object(OBJECT_COPY, helper, read);
}

#endif
