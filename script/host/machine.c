/* The host's view of the machine: the time left, whether work is queued, printed output, and
 * snapshots of memory. */
#include "script/host/state.h"
#include "base/memory.h"
#include "base/time.h"
#include <stdlib.h>
#include <string.h>

bool host_late(struct host *h)
{
	const struct machine_options *o = &h->options.machine;
	bool interrupted = o->interrupted && *o->interrupted;

	if (h->late || (!interrupted && (o->deadline <= 0 || time_now() < o->deadline)))
		return h->late;
	h->late = h->stopped = true;
	if (h->report->ended == MACHINE_DONE) {
		struct source *source = h->at ? h->at->source : NULL;
		struct span span = h->at ? h->at->span : (struct span){0, 0};

		h->report->ended = MACHINE_BUDGET;
		if (interrupted)
			diag_report(&h->report->findings, DIAG_B0005, source, span,
				"interrupted at this line");
		else
			diag_report(&h->report->findings, DIAG_B0002, source, span,
				"the time limit (--timeout) was reached at this line");
	}
	return true;
}

static void host_fetch_output(struct host *h)
{
	size_t n;
	const char *text = h->backend.output(h->backend.self, &n);

	if (n <= h->report->output.len)
		return;
	if (h->request->output && !h->options.machine.print)
		h->request->output(
			h->request->self, text + h->report->output.len, n - h->report->output.len);
	text_add(&h->report->output, text + h->report->output.len, n - h->report->output.len);
}

void host_drop_snapshots(struct host *h)
{
	for (uint32_t k = 0; k < h->request->in->nobjects; k++) {
		memory_drop(h->snapshot[k].bytes);
		memory_drop(h->snapshot[k].defined);
		h->snapshot[k] = (struct snapshot){0};
	}
}

bool host_sync(struct host *h)
{
	if (h->stopped)
		return false;
	if (!h->queued)
		return true;
	h->queued = false;
	host_drop_snapshots(h);
	h->report->ended = h->backend.sync(h->backend.self);
	host_fetch_output(h);
	h->stopped = h->report->ended != MACHINE_DONE;
	return !h->stopped;
}

enum { SNAPSHOT_WHOLE = 64 << 20, SNAPSHOT_PART = 4 << 20 };

/* A snapshot that contains bytes OFFSET to OFFSET + N - 1 of the object, or is marked
 * unreadable. */
static const struct snapshot *host_snapshot(struct host *h, int object, uint64_t offset, uint64_t n)
{
	struct snapshot *s = &h->snapshot[object];
	const struct object *o = &h->request->in->object[object];
	uint64_t size = o->count * type_bytes((enum type)o->type),
		 part = size <= SNAPSHOT_WHOLE ? size : SNAPSHOT_PART;

	if (s->unreadable || (s->bytes && offset >= s->first && offset + n <= s->first + s->size))
		return s;
	if (!s->bytes) {
		s->bytes = memory_resize(NULL, part);
		s->defined = memory_resize(NULL, part);
	}
	s->first = offset / part * part;
	if (offset + n > s->first + part)
		s->first = offset;
	s->size = size - s->first < part ? size - s->first : part;
	s->unreadable = h->broken ||
		!h->backend.read(
			h->backend.self, o->address + s->first, s->bytes, s->size, s->defined);
	return s;
}

bool host_lost(struct host *h)
{
	if (!h->backend.lost || !h->backend.lost(h->backend.self))
		return false;
	h->queued = true;
	host_sync(h);
	return true;
}

static bool host_element(void *self, int object, uint64_t k, void *bytes, bool *undefined)
{
	struct host *h = self;
	size_t size = type_bytes((enum type)h->request->in->object[object].type);
	const struct snapshot *s = host_snapshot(h, object, k * size, size);

	if (++h->looks % JUDGE_TIME_STEP == 0 && host_late(h))
		return false;
	uint64_t at = k * size - s->first;

	if (s->unreadable)
		return false;
	for (size_t b = 0; b < size; b++)
		if (!s->defined[at + b]) {
			*undefined = true;
			return false;
		}
	memcpy(bytes, s->bytes + at, size);
	return true;
}

static uint64_t host_span(void *self, int object, uint64_t k, uint64_t most, const void **bytes)
{
	struct host *h = self;
	size_t size = type_bytes((enum type)h->request->in->object[object].type);
	const struct snapshot *s = host_snapshot(h, object, k * size, size);
	uint64_t at = k * size - s->first, n = (s->size - at) / size;

	if (s->unreadable || host_late(h))
		return 0;
	n = n < most ? n : most;
	n = n < JUDGE_TIME_STEP ? n : JUDGE_TIME_STEP;
	*bytes = s->bytes + at;
	return memchr(s->defined + at, 0, (size_t)(n * size)) ? 0 : n;
}

static bool host_register(
	void *self, uint32_t thread, uint32_t number, uint64_t *value, bool *defined)
{
	struct host *h = self;

	return h->backend.reg && h->backend.reg(h->backend.self, thread, number, value, defined);
}

static bool host_is_late(void *self) { return host_late(self); }

struct evidence host_evidence(struct host *h)
{
	const struct run_options *o = &h->options;

	return (struct evidence){.in = h->request->in,
		.report = h->report,
		.eval = {.arena = &h->report->arena,
			.object = h->request->in->object,
			.element = host_element,
			.span = host_span,
			.reg = host_register,
			.self = h},
		.late = host_is_late,
		.open = h->broken,
		.unchecked = o->given & RUN_CHECK ? (uint8_t)~o->machine.checks : 0};
}
