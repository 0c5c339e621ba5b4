/* What waits for what: the queue of launches, event records and waits as a graph of items. */
#ifndef PTXI_INTERP_QUEUE_H
#define PTXI_INTERP_QUEUE_H
#include "base/vec.h"
#include "interp/state/state.h"

/* A launch, or (launch NULL) a record or wait, which only orders. Item numbers grow as the host
 * calls. */
struct item {
	struct launch *launch;
	uint32_t dep, ndeps; /* items that must be done before: queue.dep[dep ..] */
	bool started, done;
};
struct tail {
	uint32_t key, item; /* stream or event, its last item */
};
struct queue {
	VEC(struct item) item;
	VEC(uint32_t) dep;
	VEC(struct tail) stream;
	VEC(struct tail) event;
	uint32_t done;  /* items */
	uint32_t first; /* items before this one are done */
};

/* Adds an item at the end of STREAM, after event item AFTER (or IR_NONE). The default stream 0
 * comes after all that is queued, and all later comes after it. */
uint32_t queue_add(struct queue *q, struct launch *l, uint32_t stream, uint32_t after);
void queue_record(struct queue *q, uint32_t event, uint32_t stream);
void queue_wait(struct queue *q, uint32_t event, uint32_t stream);
/* The next launch whose predecessors are done and that was not started (now it is), or NULL. Marks
 * records and waits done as it goes. */
struct launch *queue_next(struct queue *q);
/* Sets BEFORE[number] for launches of smaller numbers than L: whether the items say that they are
 * done before L begins; also for those no longer among the items. */
void queue_before(const struct queue *q, const struct launch *l, bool *before);
void queue_done(struct queue *q, const struct launch *l);
static inline bool queue_empty(const struct queue *q) { return q->done == q->item.count; }
/* Forgets all items: when all are done. */
void queue_reset(struct queue *q);
void queue_free(struct queue *q);

#endif
