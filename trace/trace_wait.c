/* Tracks waits. An mbarrier is polled, so a wait begins with the first failed poll and ends with
 * the first successful one; it is abandoned if the lanes exit before that. Lanes that begin to wait
 * together form one wait. */
#include "trace/trace_state.h"

static bool same_object(const struct trace_object *a, const struct trace_object *b)
{
	return a->kind == b->kind && a->cta == b->cta && a->number == b->number;
}

static void trace_wait_begin(struct trace *t, const struct trace_event *e, uint32_t lanes)
{
	struct trace_wait *w = vec_push(&e->cta->wait);
	struct trace_event b = *e;

	*w = (struct trace_wait){.warp = e->warp,
		.op = e->op,
		.user_call = e->user_call,
		.object = e->object,
		.lanes = lanes,
		.all = lanes,
		.begin = e->time,
		.last = e->time};
	b.kind = TRACE_WAIT_BEGINS;
	b.mask = lanes;
	b.wait = w;
	trace_emit(t, &b);
}

/* Ends the wait K of C for LANES at TIME. OBJECT is the current state of the object, or NULL.
 * Returns whether no lanes are left and the wait was removed. */
static bool trace_wait_end(struct trace *t, struct trace_cta *c, uint32_t k, uint32_t lanes,
	uint64_t time, const struct trace_object *object, enum trace_outcome outcome)
{
	struct trace_wait *w = &c->wait.data[k];
	struct trace_event e = {.kind = TRACE_WAIT_ENDS,
		.time = time,
		.launch = c->launch,
		.cta = c,
		.warp = w->warp,
		.op = w->op,
		.user_call = w->user_call,
		.mask = lanes,
		.object = object ? *object : w->object,
		.wait = w,
		.outcome = outcome};

	w->lanes &= ~lanes;
	trace_emit(t, &e);
	if (w->lanes)
		return false;
	*w = c->wait.data[--c->wait.count];
	return true;
}

void trace_waiting(struct trace *t, const struct trace_event *e)
{
	uint32_t fresh = e->mask;

	for (uint32_t k = 0; k < e->cta->wait.count; k++) {
		struct trace_wait *w = &e->cta->wait.data[k];

		if (w->warp != e->warp || !(w->lanes & fresh) ||
			!same_object(&w->object, &e->object))
			continue;
		w->last = e->time;
		fresh &= ~w->lanes;
	}
	if (fresh)
		trace_wait_begin(t, e, fresh);
}

void trace_waited(struct trace *t, const struct trace_event *e)
{
	struct trace_cta *c = e->cta;
	uint32_t at_once = e->mask;

	for (uint32_t k = 0; k < c->wait.count;) {
		struct trace_wait *w = &c->wait.data[k];
		uint32_t lanes = w->lanes & e->mask;

		if (w->warp != e->warp || !lanes || !same_object(&w->object, &e->object)) {
			k++;
			continue;
		}
		at_once &= ~lanes;
		w->last = e->time;
		k += !trace_wait_end(t, c, k, lanes, e->time, &e->object, WAIT_COMPLETE);
	}
	if (!at_once)
		return;
	trace_wait_begin(t, e, at_once);
	trace_wait_end(t, c, c->wait.count - 1, at_once, e->time, &e->object, WAIT_COMPLETE);
}

void trace_wait_over(struct trace *t, struct trace_cta *c, const struct warp *warp, uint32_t mask,
	enum trace_outcome outcome)
{
	for (uint32_t k = 0; k < c->wait.count;) {
		struct trace_wait *w = &c->wait.data[k];
		uint32_t lanes = w->lanes & mask;

		if ((warp && w->warp != warp) || !lanes)
			k++;
		else
			k += !trace_wait_end(t, c, k, lanes, t->now, NULL, outcome);
	}
}

void trace_release(
	struct trace *t, const struct trace_event *e, struct trace_cta *c, const uint32_t *arrived)
{
	for (uint32_t k = 0; k < c->wait.count;) {
		struct trace_wait *w = &c->wait.data[k];
		uint32_t lanes = same_object(&w->object, &e->object)
			? w->lanes & (arrived ? arrived[w->warp->index] : UINT32_MAX)
			: 0;

		if (!lanes) {
			k++;
			continue;
		}
		w->last = e->time;
		k += !trace_wait_end(t, c, k, lanes, e->time, &e->object, WAIT_COMPLETE);
	}
}
