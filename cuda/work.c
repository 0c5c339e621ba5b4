/* Work of a stream: done in its turn, or noted in a graph. */
#include "cuda/host.h"
#include "cuda/work.h"
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* --- streams --- */

/* The default stream of this thread, made when it is first used. */
static _Thread_local struct {
	bool made;
	ptxi_stream stream;
	int is_default; /* it is meant by NULL */
} of_thread;

int __ptxi_per_thread(int is)
{
	int before = of_thread.is_default;

	of_thread.is_default = is;
	return before;
}

/* Whether S is a stream that the program has made. */
static bool is_made(CUstream s)
{
	return s != CU_STREAM_LEGACY && s != CU_STREAM_PER_THREAD && handle_is(s, HANDLE_STREAM);
}

CUresult stream_number(CUstream s, ptxi_stream *number)
{
	*number = PTXI_DEFAULT_STREAM;
	if (!s && of_thread.is_default)
		s = CU_STREAM_PER_THREAD;
	if (!s || s == CU_STREAM_LEGACY)
		return CUDA_SUCCESS;
	if (s == CU_STREAM_PER_THREAD) {
		if (!of_thread.made) {
			CUresult r = driver_result(
				ptxi_stream_new(driver_device(), 0, &of_thread.stream));

			if (r)
				return r;
			of_thread.made = true;
		}
		*number = of_thread.stream;
		return CUDA_SUCCESS;
	}
	if (!is_made(s))
		return CUDA_ERROR_INVALID_HANDLE;
	*number = s->stream;
	return CUDA_SUCCESS;
}

/* --- doing it --- */

static void empty_grid(const struct work *w)
{
	struct text t = {0};

	text_puts(&t, "the launch of ");
	host_kernel(w->function, &t);
	text_printf(&t, " has no threads: a grid of %u x %u x %u, blocks of %u x %u x %u",
		w->grid.grid[0], w->grid.grid[1], w->grid.grid[2], w->grid.block[0],
		w->grid.block[1], w->grid.block[2]);
	host_finding(DIAG_H0108, w->place, text_str(&t), NULL);
	text_free(&t);
}

/* The name of a launch with its place: a program launches from few places, many times. */
static const char *marked_launch(const struct work *w)
{
	static _Thread_local struct {
		const char *caller;
		call_place place;
		char text[80];
	} last;

	if (last.caller != w->caller || last.place != w->place) {
		last.caller = w->caller;
		last.place = w->place;
		place_mark(last.text, sizeof last.text, w->caller, w->place);
	}
	return last.text;
}

static CUresult kernel(ptxi_stream stream, const struct work *w)
{
	struct ptxi_device *d = driver_device();
	struct ptxi_grid grid = w->grid;
	struct ptxi_at at = {.function = marked_launch(w)};
	enum ptxi_exit e;

	if (!handle_is(w->function, HANDLE_FUNCTION))
		return CUDA_ERROR_INVALID_HANDLE;
	grid.at = &at;
	/* a node of a graph may get its dimensions after it was added */
	for (unsigned k = 0; k < 3; k++)
		if (!w->grid.grid[k] || !w->grid.block[k]) {
			empty_grid(w);
			return CUDA_ERROR_INVALID_VALUE;
		}
	e = ptxi_start(d, stream, w->function->module->module, w->function->function, &grid);
	if (e)
		return driver_refused(DIAG_H0108, w->place, w->caller, e);
	host_launched(w);
	return CUDA_SUCCESS;
}

static CUresult rows(ptxi_stream stream, const struct work *w, struct work_copy k)
{
	char marked[80];
	struct ptxi_at at = {.function = marked};

	place_mark(marked, sizeof marked, w->caller, w->place);
	if (k.height > 1 && k.to_pitch == k.width && k.from_pitch == k.width) {
		k.width *= k.height;
		k.height = 1;
	}
	for (size_t y = 0; y < k.height; y++) {
		struct ptxi_copy c = {.size = k.width, .staged = k.staged};
		enum ptxi_exit e;

		c.to = k.to ? k.to + y * k.to_pitch : 0;
		c.from = k.from ? k.from + y * k.from_pitch : 0;
		c.to_host = k.to ? NULL : k.to_host + y * k.to_pitch;
		c.from_host = k.from ? NULL : k.from_host + y * k.from_pitch;
		e = ptxi_copy(driver_device(), stream, &c, &at);
		if (e)
			return driver_refused(DIAG_H0103, w->place, w->caller, e);
	}
	return CUDA_SUCCESS;
}

static CUresult copy(ptxi_stream stream, const struct work *w)
{
	CUresult r = CUDA_SUCCESS;

	for (size_t z = 0; z < w->copy.depth && !r; z++) {
		struct work_copy k = w->copy;

		if (k.to)
			k.to += z * k.to_slice;
		else
			k.to_host += z * k.to_slice;
		if (k.from)
			k.from += z * k.from_slice;
		else
			k.from_host += z * k.from_slice;
		r = rows(stream, w, k);
	}
	return r;
}

static CUresult fill(ptxi_stream stream, const struct work *w)
{
	char marked[80];
	struct ptxi_at at = {.function = marked};

	place_mark(marked, sizeof marked, w->caller, w->place);
	for (size_t y = 0; y < w->height; y++) {
		enum ptxi_exit e = ptxi_fill(driver_device(), stream, w->address + y * w->pitch,
			&w->value, w->element, w->width, &at);

		if (e)
			return driver_refused(DIAG_H0103, w->place, w->caller, e);
	}
	return CUDA_SUCCESS;
}

/* The number of records that have not run, and the end, of all events. */
static pthread_mutex_t events = PTHREAD_MUTEX_INITIALIZER;

static void event_changes(CUevent e, int pending, bool ended)
{
	bool over;

	pthread_mutex_lock(&events);
	e->pending += (unsigned)pending;
	if (ended) {
		e->handle.kind = HANDLE_ENDED;
		e->ended = true;
	}
	over = e->ended && !e->pending;
	pthread_mutex_unlock(&events);
	if (!over)
		return;
	tail_clear(&e->tail);
	handle_end(e, HANDLE_EVENT);
}

void event_end(CUevent e) { event_changes(e, 0, true); }

bool event_pending(CUevent e)
{
	bool pending;

	pthread_mutex_lock(&events);
	pending = e->pending != 0;
	pthread_mutex_unlock(&events);
	return pending;
}

/* Notes the time of an event; it runs with the device locked. */
static void stamp(void *self)
{
	CUevent e = self;
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	e->time = (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
	event_changes(e, -1, false);
}

static CUresult record(ptxi_stream stream, CUevent e)
{
	struct ptxi_device *d = driver_device();
	CUresult r;

	if (!handle_is(e, HANDLE_EVENT))
		return CUDA_ERROR_INVALID_HANDLE;
	if (!(e->flags & CU_EVENT_DISABLE_TIMING)) {
		event_changes(e, 1, false);
		r = driver_result(ptxi_host_function(d, stream, stamp, e));
		if (r) {
			event_changes(e, -1, false);
			return r;
		}
	}
	e->recorded = true;
	return driver_result(ptxi_record(d, e->event, stream));
}

static CUresult perform(ptxi_stream stream, const struct work *w)
{
	struct ptxi_device *d = driver_device();

	switch (w->kind) {
	case WORK_KERNEL: return kernel(stream, w);
	case WORK_COPY: return copy(stream, w);
	case WORK_FILL: return fill(stream, w);
	case WORK_HOST: return driver_result(ptxi_host_function(d, stream, w->host, w->self));
	case WORK_RECORD: return record(stream, w->event);
	case WORK_WAIT:
		if (!handle_is(w->event, HANDLE_EVENT))
			return CUDA_ERROR_INVALID_HANDLE;
		return w->event->recorded ? driver_result(ptxi_wait(d, stream, w->event->event))
					  : CUDA_SUCCESS;
	case WORK_EMPTY:
	default: return CUDA_SUCCESS;
	}
}

CUresult work_perform(ptxi_stream stream, const struct work *w)
{
	CUresult r = perform(stream, w);

	if (!r)
		touch_queued(w);
	return r;
}

/* --- noting it --- */

CUresult work_own(struct work *w)
{
	struct ptxi_device *d = driver_device();
	const struct ptxi_module *m;
	unsigned count, f;
	size_t bytes, offset, size;
	char *own;

	if (w->kind != WORK_KERNEL)
		return CUDA_SUCCESS;
	if (!handle_is(w->function, HANDLE_FUNCTION))
		return CUDA_ERROR_INVALID_HANDLE;
	m = w->function->module->module;
	f = w->function->function;
	if (ptxi_function_parameters(d, m, f, &count, &bytes))
		return CUDA_ERROR_INVALID_HANDLE;
	if ((w->grid.buffer && w->grid.size != bytes) ||
		(!w->grid.buffer && !w->grid.args && count))
		return CUDA_ERROR_INVALID_VALUE;
	own = calloc(1, bytes + 1);
	if (!own)
		return CUDA_ERROR_OUT_OF_MEMORY;
	if (w->grid.buffer)
		memcpy(own, w->grid.buffer, bytes);
	for (unsigned k = 0; k < count && !w->grid.buffer; k++)
		if (!ptxi_function_parameter(d, m, f, k, &offset, &size) && w->grid.args[k])
			memcpy(own + offset, w->grid.args[k], size);
	w->own = own;
	w->grid.buffer = own;
	w->grid.size = bytes;
	w->grid.args = NULL;
	return CUDA_SUCCESS;
}

bool node_follows(CUgraphNode n, const CUgraphNode *after, size_t nafter)
{
	CUgraphNode *all;

	if (!nafter)
		return true;
	all = realloc(n->after, (n->nafter + nafter) * sizeof *all);
	if (!all)
		return false;
	memcpy(all + n->nafter, after, nafter * sizeof *all);
	n->after = all;
	n->nafter += nafter;
	return true;
}

CUgraphNode graph_add(CUgraph g, const struct work *w, const CUgraphNode *after, size_t nafter)
{
	CUgraphNode n = handle_new(HANDLE_NODE, sizeof *n);

	if (!n)
		return NULL;
	n->work = *w;
	n->work.place = w->place ? w->place : place_here();
	if (work_own(&n->work) || !node_follows(n, after, nafter)) {
		handle_end(n, HANDLE_NODE);
		return NULL;
	}
	n->graph = g;
	n->number = g->count++;
	*g->last = n;
	g->last = &n->next;
	return n;
}

CUgraph stream_captures(CUstream s)
{
	CUgraph g = is_made(s) ? s->capture : NULL;

	return g && g->capture == s->captured ? g : NULL;
}

static CUgraph event_captured(CUevent e)
{
	return e->capture && e->capture->capture == e->captured ? e->capture : NULL;
}

void tail_clear(struct tail *t)
{
	free(t->node);
	*t = (struct tail){0};
}

/* T gets the nodes of MORE that it has not. */
static bool tail_join(struct tail *t, const struct tail *more)
{
	CUgraphNode *all = realloc(t->node, (t->n + more->n + 1) * sizeof *all);

	if (!all)
		return false;
	t->node = all;
	for (size_t k = 0; k < more->n; k++) {
		size_t i = 0;

		while (i < t->n && all[i] != more->node[k])
			i++;
		if (i == t->n)
			all[t->n++] = more->node[k];
	}
	return true;
}

static CUresult joined(bool done) { return done ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY; }

/* What a capturing stream is given follows what the stream was given before, and the events that
 * it waits for. */
static CUresult capture(CUstream s, const struct work *w)
{
	CUgraph g = s->capture;
	CUgraphNode n;

	if (w->kind == WORK_RECORD) {
		w->event->capture = g;
		w->event->captured = g->capture;
		tail_clear(&w->event->tail);
		return joined(tail_join(&w->event->tail, &s->tail));
	}
	if (w->kind == WORK_WAIT && event_captured(w->event))
		return event_captured(w->event) == g ? joined(tail_join(&s->tail, &w->event->tail))
						     : CUDA_ERROR_STREAM_CAPTURE_MERGE;
	n = graph_add(g, w, s->tail.node, s->tail.n);
	if (!n)
		return CUDA_ERROR_INVALID_VALUE;
	s->tail.n = 0;
	return joined(tail_join(&s->tail, &(struct tail){&n, 1}));
}

CUresult work_submit(CUstream s, struct work *w)
{
	ptxi_stream number;
	CUresult r = stream_number(s, &number);

	if (r)
		return r;
	if (!w->place)
		w->place = place_here();
	if (w->event && !handle_is(w->event, HANDLE_EVENT))
		return CUDA_ERROR_INVALID_HANDLE;
	/* a stream that waits for a captured event takes part in the capture */
	if (is_made(s) && !stream_captures(s) && w->kind == WORK_WAIT && event_captured(w->event)) {
		s->capture = event_captured(w->event);
		s->captured = s->capture->capture;
		s->tail.n = 0;
	}
	if (stream_captures(s))
		return capture(s, w);
	if (w->kind == WORK_RECORD)
		w->event->capture = NULL;
	return work_perform(number, w);
}
