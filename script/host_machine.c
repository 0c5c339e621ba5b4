/* The machine under a case: whether there is time left, what is queued, what it printed, and what
 * its memory held when it last stood still. */
#include "script/host_state.h"
#include "base/memory.h"
#include "base/time.h"
#include <stdlib.h>

static struct span nowhere(void) { return (struct span){0, 0}; }

bool host_late(struct host *h)
{
	const struct machine_options *o = &h->options.machine;
	bool interrupted = o->interrupted && *o->interrupted;

	if (h->late || (!interrupted && (o->deadline <= 0 || time_now() < o->deadline)))
		return h->late;
	h->late = h->stopped = true;
	if (h->report->ended == MACHINE_DONE) {
		struct source *source = h->at ? h->at->source : NULL;
		struct span span = h->at ? h->at->span : nowhere();

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

static void new_output(struct host *h)
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

void host_forget(struct host *h)
{
	for (uint32_t k = 0; k < h->request->in->nobjects; k++) {
		free(h->snapshot[k].bytes);
		free(h->snapshot[k].defined);
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
	host_forget(h);
	h->report->ended = h->backend.sync(h->backend.self);
	new_output(h);
	h->stopped = h->report->ended != MACHINE_DONE;
	return !h->stopped;
}

enum { SNAPSHOT_WHOLE = 64 << 20, SNAPSHOT_PART = 4 << 20 };

const struct snapshot *host_snapshot(struct host *h, int object, uint64_t offset, uint64_t n)
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
