/* Work of a device: streams, events, copies, fills, host functions and launches, and waiting for
 * them. */
#include "base/memory.h"
#include "device/call.h"
#include <stdio.h>
#include <string.h>

enum { MAX_STREAMS = 1 << 30 }; /* and events */

/* --- streams and events --- */

struct stream_call {
	uint32_t stream, event;
	unsigned flags;
	enum { NEW_STREAM, NEW_EVENT, RECORD, WAIT, SYNC_ALL, SYNC_STREAM, SYNC_EVENT } what;
};

static bool stream_exists(struct call *c, uint32_t stream)
{
	if ((stream & ~STREAM_APART) <= c->s->streams && stream != STREAM_APART)
		return true;
	call_wrong(c, PTXI_USAGE, "there is no such stream");
	return false;
}

static bool event_exists(struct call *c, uint32_t event)
{
	if (event && event <= c->s->events)
		return true;
	call_wrong(c, PTXI_USAGE, "there is no such event");
	return false;
}

static void make_stream(struct call *c, struct stream_call *a)
{
	if (a->flags & ~(unsigned)PTXI_NON_BLOCKING)
		call_wrong(c, PTXI_USAGE, "an unknown flag");
	else if (c->s->streams == MAX_STREAMS)
		call_wrong(c, PTXI_USAGE, "there are too many streams");
	else
		a->stream = ++c->s->streams | (a->flags ? STREAM_APART : 0);
}

static void make_event(struct call *c, struct stream_call *a)
{
	if (c->s->events == MAX_STREAMS)
		call_wrong(c, PTXI_USAGE, "there are too many events");
	else
		a->event = ++c->s->events;
}

static void do_stream(struct call *c, void *arg)
{
	struct stream_call *a = arg;
	struct machine *m = machine_of(c);

	switch (a->what) {
	case NEW_STREAM: make_stream(c, a); return;
	case NEW_EVENT: make_event(c, a); return;
	case RECORD:
		if (!stream_exists(c, a->stream) || !event_exists(c, a->event))
			return;
		machine_record(m, a->event, a->stream);
		call_queued(c);
		return;
	case WAIT:
		if (!stream_exists(c, a->stream) || !event_exists(c, a->event))
			return;
		machine_wait(m, a->event, a->stream);
		call_queued(c);
		return;
	case SYNC_ALL: call_ran(c, machine_sync(m)); return;
	case SYNC_STREAM:
		if (stream_exists(c, a->stream))
			call_ran(c, machine_sync_stream(m, a->stream));
		return;
	case SYNC_EVENT:
	default:
		if (event_exists(c, a->event))
			call_ran(c, machine_sync_event(m, a->event));
		return;
	}
}

enum ptxi_exit ptxi_stream_new(struct ptxi_device *d, unsigned flags, ptxi_stream *stream)
{
	struct stream_call a = {.flags = flags, .what = NEW_STREAM};
	enum ptxi_exit result = device_call(d, do_stream, &a);

	*stream = a.stream;
	return result;
}

enum ptxi_exit ptxi_event_new(struct ptxi_device *d, ptxi_event *event)
{
	struct stream_call a = {.what = NEW_EVENT};
	enum ptxi_exit result = device_call(d, do_stream, &a);

	*event = a.event;
	return result;
}

enum ptxi_exit ptxi_record(struct ptxi_device *d, ptxi_event event, ptxi_stream stream)
{
	return device_call(d, do_stream,
		&(struct stream_call){.event = event, .stream = stream, .what = RECORD});
}

enum ptxi_exit ptxi_wait(struct ptxi_device *d, ptxi_stream stream, ptxi_event event)
{
	return device_call(d, do_stream,
		&(struct stream_call){.event = event, .stream = stream, .what = WAIT});
}

enum ptxi_exit ptxi_sync(struct ptxi_device *d)
{
	return device_call(d, do_stream, &(struct stream_call){.what = SYNC_ALL});
}

enum ptxi_exit ptxi_sync_stream(struct ptxi_device *d, ptxi_stream stream)
{
	return device_call(
		d, do_stream, &(struct stream_call){.stream = stream, .what = SYNC_STREAM});
}

enum ptxi_exit ptxi_sync_event(struct ptxi_device *d, ptxi_event event)
{
	return device_call(d, do_stream, &(struct stream_call){.event = event, .what = SYNC_EVENT});
}

static void find_queued(struct call *c, void *arg)
{
	*(unsigned *)arg = machine_queued(machine_of(c));
}

enum ptxi_exit ptxi_queued(struct ptxi_device *d, unsigned *count)
{
	*count = 0;
	return device_call(d, find_queued, count);
}

/* --- copies, fills, host functions --- */

/* Queued work; freed when it is done. */
struct work {
	struct machine *machine;
	struct ptxi_copy copy;
	void *staged;
	uint64_t address, count; /* a fill */
	unsigned width;
	unsigned char value[16];
	void (*function)(void *self);
	void *self;
};

/* The ranges were checked when it was queued, and frees wait for it. */
static void work_runs(void *arg)
{
	struct work *w = arg;
	const struct ptxi_copy *k = &w->copy;
	const void *from = w->staged ? w->staged : k->from_host;

	if (w->function)
		w->function(w->self);
	else if (w->width)
		machine_fill(w->machine, w->address, w->value, w->width, w->count);
	else if (k->to && k->from)
		machine_copy(w->machine, k->to, k->from, k->size);
	else if (k->to)
		machine_write(w->machine, k->to, from, k->size);
	else if (k->from)
		machine_read(w->machine, k->from, k->to_host, k->size, NULL);
	else
		memmove(k->to_host, from, k->size);
	memory_drop(w->staged);
	memory_drop(w);
}

struct work_call {
	uint32_t stream;
	const struct ptxi_at *at;
	struct work work;
};

static bool has_bytes(struct call *c, uint64_t address, uint64_t size)
{
	struct machine_allocation a;
	char what[80];

	if (machine_contains(machine_of(c), address, size))
		return true;
	if (machine_find(machine_of(c), address, &a))
		snprintf(what, sizeof what, "%llu bytes, where %llu are left",
			(unsigned long long)size,
			(unsigned long long)(a.address + a.size - address));
	else
		snprintf(what, sizeof what, "%llu bytes are not in one allocation",
			(unsigned long long)size);
	call_wrong_at(c, address, what);
	return false;
}

static bool copy_fits(struct call *c, const struct ptxi_copy *k)
{
	if (!k->size)
		return true;
	if (!k->to == !k->to_host || !k->from == !k->from_host) {
		call_wrong(c, PTXI_USAGE,
			"a copy has one destination and one source, each on the device or the host");
		return false;
	}
	return (!k->to || has_bytes(c, k->to, k->size)) &&
		(!k->from || has_bytes(c, k->from, k->size));
}

static bool fill_fits(struct call *c, const struct work *w)
{
	unsigned n = w->width;

	if (n > 16 || (n & (n - 1)) || w->count > UINT64_MAX / n) {
		call_wrong(c, PTXI_USAGE, "a value that is filled in has 1, 2, 4, 8 or 16 bytes");
		return false;
	}
	return !w->count || has_bytes(c, w->address, w->count * n);
}

static void do_work(struct call *c, void *arg)
{
	struct work_call *a = arg;
	struct machine *m = machine_of(c);
	struct work *w;
	bool copies = !a->work.function && !a->work.width;
	char place[MAX_NAME], what[MAX_NAME + 40];

	if (!stream_exists(c, a->stream) || (copies && !copy_fits(c, &a->work.copy)) ||
		(a->work.width && !fill_fits(c, &a->work)))
		return;
	if (copies && !a->work.copy.size)
		return;
	w = memory_resize(NULL, sizeof *w);
	*w = a->work;
	w->machine = m;
	if (copies && w->copy.staged && w->copy.from_host) {
		w->staged = memory_resize(NULL, w->copy.size);
		memcpy(w->staged, w->copy.from_host, w->copy.size);
	}
	place_text(a->at, place);
	snprintf(what, sizeof what, "the %s%s%s",
		copies             ? "copy"
			: w->width ? "fill"
				   : "function",
		!*place                   ? " by the host"
			: a->at->function ? " by "
					  : " at ",
		place);
	machine_work(m, a->stream, what, work_runs, w);
	call_queued(c);
}

enum ptxi_exit ptxi_copy(struct ptxi_device *d, ptxi_stream stream, const struct ptxi_copy *copy,
	const struct ptxi_at *at)
{
	return device_call(d, do_work,
		&(struct work_call){.stream = stream, .at = at, .work = {.copy = *copy}});
}

enum ptxi_exit ptxi_fill(struct ptxi_device *d, ptxi_stream stream, uint64_t address,
	const void *value, unsigned width, uint64_t count, const struct ptxi_at *at)
{
	struct work_call a = {.stream = stream,
		.at = at,
		.work = {.address = address, .count = count, .width = width ? width : 17}};

	if (width && width <= sizeof a.work.value)
		memcpy(a.work.value, value, width);
	return device_call(d, do_work, &a);
}

enum ptxi_exit ptxi_host_function(
	struct ptxi_device *d, ptxi_stream stream, void (*work)(void *self), void *self)
{
	if (!work)
		return PTXI_USAGE;
	return device_call(d, do_work,
		&(struct work_call){.stream = stream, .work = {.function = work, .self = self}});
}

/* --- launches --- */

struct start_call {
	uint32_t stream;
	const struct ptxi_module *module;
	unsigned function;
	const struct ptxi_grid *grid;
};

/* Puts the parameters into PARAMS. */
static bool parameters(
	struct call *c, const struct start_call *a, const struct ir_func *f, unsigned char *params)
{
	const struct ptxi_grid *g = a->grid;

	if (g->buffer) {
		if (g->size != f->param_bytes) {
			call_wrong(c, PTXI_USAGE, "the buffer of the parameters has another size");
			return false;
		}
		memcpy(params, g->buffer, g->size);
		return true;
	}
	for (uint32_t k = 0; k < f->nparams; k++) {
		const struct ir_var *p = &c->s->ir->var[f->param + k];

		if (!g->args || !g->args[k]) {
			call_wrong(c, PTXI_USAGE, "a parameter has no value");
			return false;
		}
		memcpy(params + p->offset, g->args[k], (size_t)p->size);
	}
	return true;
}

/* Where a launch is, in words, or NULL. Launches are many: printf would be a tenth of a small one.
 */
static const char *launch_place(const struct ptxi_at *at, char *to)
{
	static const char by[] = "launched by ", from[] = "launched at ";
	size_t n;

	if (!at || (!at->function && !at->file))
		return NULL;
	memcpy(to, at->function ? by : from, sizeof by);
	if (at->file) {
		place_text(at, to + sizeof by - 1);
		return to;
	}
	n = strnlen(at->function, MAX_NAME - 1);
	memcpy(to + sizeof by - 1, at->function, n);
	to[sizeof by - 1 + n] = '\0';
	return to;
}

static void do_start(struct call *c, void *arg)
{
	const struct start_call *a = arg;
	const struct ptxi_grid *g = a->grid;
	const struct ir_func *f = call_kernel(c, a->module, a->function);
	struct machine_launch l = {.func = a->function,
		.dynamic_shared = g->shared_bytes,
		.stream = a->stream,
		.cooperative = g->cooperative != 0};
	char place[MAX_NAME + 40];
	unsigned char *params;

	if (!f || !stream_exists(c, a->stream))
		return;
	l.place = launch_place(g->at, place);
	params = memory_zeroed(f->param_bytes + 16u, 1);
	l.params = params;
	l.source = c->s->ir->source;
	l.span = f->span;
	for (unsigned k = 0; k < 3; k++) {
		l.grid[k] = g->grid[k] ? g->grid[k] : 1;
		l.block[k] = g->block[k] ? g->block[k] : 1;
		l.cluster[k] = g->cluster[k];
	}
	for (unsigned k = 0; k < 3; k++)
		if (l.cluster[0] + l.cluster[1] + l.cluster[2] && !l.cluster[k])
			l.cluster[k] = 1;
	if (parameters(c, a, f, params)) {
		if (!machine_launch(machine_of(c), &l))
			call_wrong(c, PTXI_USAGE, "the launch is rejected: a finding says why");
		else
			call_queued(c);
	}
	memory_drop(params);
}

enum ptxi_exit ptxi_start(struct ptxi_device *d, ptxi_stream stream, const struct ptxi_module *m,
	unsigned function, const struct ptxi_grid *grid)
{
	return device_call(d, do_start, &(struct start_call){stream, m, function, grid});
}
