/* Order between launches: the queue of launches, host work, event records and event waits as a
 * dependency graph. Items that are done remain, for the order of later ones, until
 * queue_reset(). */
#ifndef PTXI_INTERP_QUEUE_H
#define PTXI_INTERP_QUEUE_H
#include "base/vec.h"
#include "interp/state/state.h"

/* A launch, work of the host (a copy, a function), or (both NULL) an event record or wait, which
 * only orders. Items are numbered in the order of the host's calls. */
struct item {
	struct launch *launch;
	void (*work)(void *self);
	void *self;
	uint32_t order;      /* of a launch or work, else IR_NONE */
	uint32_t dep, ndeps; /* dependencies: queue.dep[dep] and following */
	bool started, done;
};
struct tail {
	uint32_t key, item; /* a stream or event, and its last item */
};
struct queue {
	VEC(struct item) item;
	VEC(uint32_t) dep;
	VEC(struct tail) stream;
	VEC(struct tail) event;
	uint32_t done;  /* number of items that are done */
	uint32_t first; /* all items before this one are done */
	/* 1 + the item that every later item follows, because the host waited; 0: none */
	uint32_t host;
};

/* Appends an item to STREAM, to follow item AFTER (or IR_NONE) as well. Items of the default
 * stream 0 follow all earlier items, and all later items follow them, except those of streams
 * that are STREAM_APART. */
uint32_t queue_add(struct queue *q, struct launch *l, uint32_t stream, uint32_t after);
/* The same for work of the host, which is done when its turn comes. */
void queue_work(
	struct queue *q, void (*work)(void *self), void *self, uint32_t order, uint32_t stream);
void queue_record(struct queue *q, uint32_t event, uint32_t stream);
void queue_wait(struct queue *q, uint32_t event, uint32_t stream);
/* Starts the next launch whose dependencies are done, and returns it; NULL: none. Completes
 * records and waits on the way. */
struct launch *queue_next(struct queue *q);
/* Sets BEFORE[order - FROM] for everything of order FROM or later and before ORDER: whether the
 * dependencies require it to be done before ORDER begins. True for what was removed from the
 * queue. */
void queue_before(const struct queue *q, uint32_t order, uint32_t from, bool *before);
/* The host has waited for what STREAM has, or EVENT stands for, and all that it follows: later
 * items follow that. */
void queue_host_stream(struct queue *q, uint32_t stream);
void queue_host_event(struct queue *q, uint32_t event);
/* Whether no other stream than STREAM has items. */
bool queue_is_only(const struct queue *q, uint32_t stream);
void queue_done(struct queue *q, const struct launch *l);
static inline bool queue_empty(const struct queue *q) { return q->done == q->item.count; }
/* Removes all items, once all are done. */
void queue_reset(struct queue *q);
void queue_free(struct queue *q);

#endif
