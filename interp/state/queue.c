/* Order between launches, as CUDA's streams and events define it. */
#include "interp/state/queue.h"
#include "base/memory.h"
#include <stdlib.h>
#include <string.h>

static uint32_t *tail_of(struct tail *tails, uint32_t n, uint32_t key)
{
	for (uint32_t k = 0; k < n; k++)
		if (tails[k].key == key)
			return &tails[k].item;
	return NULL;
}

static void queue_depend(struct queue *q, uint32_t on)
{
	if (on != IR_NONE)
		*vec_push(&q->dep) = on;
}

/* Makes an item out of the dependencies from number FIRST on. */
static uint32_t queue_push(struct queue *q, struct item item, uint32_t first)
{
	item.dep = first;
	item.ndeps = q->dep.count - first;
	*vec_push(&q->item) = item;
	return q->item.count - 1;
}

static uint32_t queue_item(struct queue *q, struct item item, uint32_t stream, uint32_t after)
{
	uint32_t number, first = q->dep.count;
	uint32_t *own = tail_of(q->stream.data, q->stream.count, stream),
		 *legacy = tail_of(q->stream.data, q->stream.count, 0);

	if (stream == 0) {
		for (uint32_t k = 0; k < q->stream.count; k++)
			if (!(q->stream.data[k].key & STREAM_APART))
				queue_depend(q, q->stream.data[k].item);
	} else {
		queue_depend(q, own ? *own : IR_NONE);
		queue_depend(q, legacy && !(stream & STREAM_APART) ? *legacy : IR_NONE);
	}
	queue_depend(q, q->host ? q->host - 1 : IR_NONE);
	queue_depend(q, after);
	number = queue_push(q, item, first);
	if (own)
		*own = number;
	else
		*vec_push(&q->stream) = (struct tail){stream, number};
	return number;
}

uint32_t queue_add(struct queue *q, struct launch *l, uint32_t stream, uint32_t after)
{
	return queue_item(q, (struct item){.launch = l, .order = l->order}, stream, after);
}

void queue_work(
	struct queue *q, void (*work)(void *self), void *self, uint32_t order, uint32_t stream)
{
	queue_item(q, (struct item){.work = work, .self = self, .order = order}, stream, IR_NONE);
}

static void queue_host(struct queue *q, const uint32_t *item)
{
	uint32_t first = q->dep.count;

	if (!item)
		return;
	queue_depend(q, q->host ? q->host - 1 : IR_NONE);
	queue_depend(q, *item);
	q->host = 1 +
		queue_push(
			q, (struct item){.order = IR_NONE, .started = true, .done = true}, first);
	q->done++;
}

bool queue_is_only(const struct queue *q, uint32_t stream)
{
	for (uint32_t k = 0; k < q->stream.count; k++)
		if (q->stream.data[k].key != stream)
			return false;
	return true;
}

void queue_host_stream(struct queue *q, uint32_t stream)
{
	queue_host(q, tail_of(q->stream.data, q->stream.count, stream));
}

void queue_host_event(struct queue *q, uint32_t event)
{
	queue_host(q, tail_of(q->event.data, q->event.count, event));
}

void queue_record(struct queue *q, uint32_t event, uint32_t stream)
{
	uint32_t item = queue_item(q, (struct item){.order = IR_NONE}, stream, IR_NONE),
		 *at = tail_of(q->event.data, q->event.count, event);

	if (at)
		*at = item;
	else
		*vec_push(&q->event) = (struct tail){event, item};
}

void queue_wait(struct queue *q, uint32_t event, uint32_t stream)
{
	uint32_t *at = tail_of(q->event.data, q->event.count, event);

	if (at) /* a wait for an event that was never recorded does nothing */
		queue_item(q, (struct item){.order = IR_NONE}, stream, *at);
}

static bool item_is_ready(const struct queue *q, const struct item *i)
{
	for (uint32_t k = 0; k < i->ndeps; k++)
		if (!q->item.data[q->dep.data[i->dep + k]].done)
			return false;
	return true;
}

struct launch *queue_next(struct queue *q)
{
	while (q->first < q->item.count && q->item.data[q->first].done)
		q->first++;
	/* dependencies have lower numbers, so one pass suffices */
	for (uint32_t k = q->first; k < q->item.count; k++) {
		struct item *i = &q->item.data[k];

		if (i->started || i->done || !item_is_ready(q, i))
			continue;
		i->started = true;
		if (i->launch)
			return i->launch;
		if (i->work)
			i->work(i->self);
		i->done = true;
		q->done++;
	}
	return NULL;
}

void queue_before(const struct queue *q, uint32_t order, uint32_t from, bool *before)
{
	uint32_t to = q->item.count;
	bool *reaches;

	memset(before, true, (order - from) * sizeof *before);
	while (to > 0 && q->item.data[to - 1].order != order)
		to--;
	if (!to--)
		return;
	reaches = memory_zeroed(to + 1u, sizeof *reaches);
	reaches[to] = true;
	for (uint32_t k = to + 1; k-- > 0;) { /* dependencies have lower numbers */
		const struct item *i = &q->item.data[k];

		for (uint32_t j = 0; reaches[k] && j < i->ndeps; j++)
			reaches[q->dep.data[i->dep + j]] = true;
		if (i->order != IR_NONE && k < to)
			before[i->order - from] = reaches[k];
	}
	memory_drop(reaches);
}

void queue_done(struct queue *q, const struct launch *l)
{
	for (uint32_t k = q->first; k < q->item.count; k++)
		if (q->item.data[k].launch == l) {
			q->item.data[k].done = true;
			q->done++;
			return;
		}
}

void queue_reset(struct queue *q)
{
	q->item.count = q->dep.count = q->stream.count = q->event.count = q->done = q->first = 0;
	q->host = 0;
}

void queue_free(struct queue *q)
{
	vec_free(&q->item);
	vec_free(&q->dep);
	vec_free(&q->stream);
	vec_free(&q->event);
}
