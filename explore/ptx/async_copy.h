/* One asynchronous operation as its issuer describes it and as its helper carries it out. */
#ifndef PTXI_EXPLORE_PTX_ASYNC_COPY_H
#define PTXI_EXPLORE_PTX_ASYNC_COPY_H
#include "explore/ptx/async.h"
#include "interp/sync/mbarrier.h"

/* Of one thread's operations: those of cp.async's groups, of bulk groups, others. */
enum { PTX_ASYNC_CP, PTX_ASYNC_GROUP, PTX_ASYNC_OTHER };

/* The barrier that a helper arrives at when it has landed, or (READ) read its source. */
static inline void ptx_copy_end(struct action *a, uint32_t helper, bool read)
{
	a->kind = ACTION_BARRIER;
	a->rule = BARRIER_PHASE;
	a->object = ptx_object(OBJECT_COPY, helper, read);
}

#endif
