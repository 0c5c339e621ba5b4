/* Synchronisation events as JSON. Times are the machine's clock: one a warp instruction; 1 ns in a viewer. One worker runs everything, so the order is that of
 * events. */
#include "interp/trace.h"
#include "base/map.h"
#include "interp/async.h"
#include "interp/mbarrier.h"
#include <inttypes.h>

enum { BARRIER_ROW = 1000 }; /* rows (tid) of a CTA (pid) in a viewer: warps, then CTA barriers, then mbarriers by offset */

struct tracer {
	struct observer o;
	struct machine *m;
	struct text *out;
	bool chrome;
	struct map begin; /* when the phase of a barrier began, by row and CTA: low 32 bits of the clock */
	struct map open;  /* warps in whose row a wait is open */
};

static const char *const names[] = {
    [SYNC_ARRIVE] = "barrier arrive",
    [SYNC_COMPLETE] = "barrier complete",
    [SYNC_WARP] = "warp sync",
    [SYNC_FENCE] = "fence",
    [SYNC_MBARRIER_INIT] = "init",
    [SYNC_MBARRIER_INVAL] = "inval",
    [SYNC_MBARRIER_ARRIVE] = "arrive",
    [SYNC_MBARRIER_EXPECT] = "expect_tx",
    [SYNC_MBARRIER_COMPLETE] = "complete_tx",
    [SYNC_MBARRIER_PHASE] = "phase ends",
    [SYNC_MBARRIER_WAIT] = "wait ends",
    [SYNC_MBARRIER_WAITING] = "wait begins",
    [SYNC_CLUSTER_ARRIVE] = "cluster arrive",
    [SYNC_CLUSTER_COMPLETE] = "cluster complete",
    [SYNC_CLUSTER_WAIT] = "cluster wait ends",
    [SYNC_COPY_ISSUED] = "copy issued",
    [SYNC_COPY_LANDED] = "copy landed",
    [SYNC_COPY_WAITED] = "copies waited for",
    [SYNC_PROXY_FENCE] = "proxy fence",
};

static uint64_t now(const struct warp *w)
{
	return w->worker ? w->worker->clock + w->worker->slice_steps : 0;
}
static bool of_mbarrier(enum sync_kind k)
{
	return k >= SYNC_MBARRIER_INIT && k <= SYNC_MBARRIER_WAITING;
}

static uint32_t line_of(const struct tracer *t, const struct op *op)
{
	uint32_t line = 0, column;

	if (op)
		source_place(&t->m->findings->arena, t->m->module->source, t->m->module->insn[op->insn].span.off, &line, &column);
	return line;
}

static uint64_t warp_key(const struct warp *w)
{
	return (uint64_t)w->cta->launch->number << 48 | (w->cta->linear & UINT32_MAX) << 8 | w->index;
}

/* ---- JSON lines ---- */

static void json_line(struct tracer *t, const struct sync_event *e)
{
	const struct op *op = e->op ? e->op : e->copy ? e->copy->op : NULL;

	text_printf(t->out,
		    "{\"time\": %" PRIu64 ", \"event\": \"%s\", \"launch\": %u, \"cta\": %" PRIu64 ", \"warp\": %u, \"lanes\": \"0x%08x\", \"line\": %u",
		    now(e->warp), names[e->kind], e->cta->launch->number, e->cta->linear, e->warp->index, e->mask, line_of(t, op));
	if (of_mbarrier(e->kind))
		text_printf(t->out,
			    ", \"mbarrier\": {\"cta\": %" PRIu64 ", \"offset\": %u, \"phase\": %" PRIu64
			    ", \"pending\": %u, \"expected\": %u, \"tx\": %d}, \"value\": %" PRIu64,
			    e->object->linear, e->offset, e->phase, mbarrier_pending(e->word), mbarrier_expected(e->word), mbarrier_tx(e->word), e->value);
	else if (e->kind <= SYNC_COMPLETE)
		text_printf(t->out, ", \"barrier\": %u", e->number);
	else if (e->kind >= SYNC_CLUSTER_ARRIVE && e->kind <= SYNC_CLUSTER_WAIT)
		text_printf(t->out, ", \"phase\": %" PRIu64, e->phase);
	if (e->copy)
		text_printf(t->out, ", \"copy\": %" PRIu64 ", \"bytes\": %u", e->copy->number, e->copy->part[0].bytes);
	text_puts(t->out, "}\n");
}

/* ---- Chrome ---- */

static void chrome_begin(struct tracer *t, const char *name, const char *phase, uint64_t at, uint64_t pid, uint64_t row)
{
	text_printf(t->out, "{\"name\": \"%s\", \"ph\": \"%s\", \"ts\": %" PRIu64 ".%03u, \"pid\": %" PRIu64 ", \"tid\": %" PRIu64, name, phase, at / 1000,
		    (unsigned)(at % 1000), pid, row);
}

static void row_name(struct tracer *t, uint64_t pid, uint64_t row, const char *kind, uint64_t number)
{
	chrome_begin(t, "thread_name", "M", 0, pid, row);
	text_printf(t->out, ", \"args\": {\"name\": \"%s %" PRIu64 "\"}},\n", kind, number);
}

/* A span of the row of a barrier from where its last phase ended until now. */
static void phase_span(struct tracer *t, uint64_t pid, uint64_t row, uint64_t phase, uint64_t at)
{
	uint64_t key = pid << 24 ^ row;
	uint32_t from = map_get(&t->begin, key, 0);
	uint64_t length = at - from;

	text_printf(t->out,
		    "{\"name\": \"phase %" PRIu64 "\", \"ph\": \"X\", \"ts\": %u.%03u, \"dur\": %" PRIu64 ".%03u, \"pid\": %" PRIu64 ", \"tid\": %" PRIu64
		    "},\n",
		    phase, from / 1000, from % 1000, length / 1000, (unsigned)(length % 1000), pid, row);
	map_set(&t->begin, key, (uint32_t)at);
}

static void chrome_mbarrier(struct tracer *t, const struct sync_event *e, uint64_t pid)
{
	uint64_t row = BARRIER_ROW + MAX_BARRIERS + e->offset, object = e->object->linear, at = now(e->warp);

	if (e->kind == SYNC_MBARRIER_INIT) {
		row_name(t, object, row, "mbarrier at", e->offset);
		map_set(&t->begin, object << 24 ^ row, (uint32_t)at);
	}
	if (e->kind == SYNC_MBARRIER_PHASE)
		phase_span(t, object, row, e->phase, at);
	if (e->kind == SYNC_MBARRIER_WAITING) {
		if (!map_add(&t->open, warp_key(e->warp), 1) && map_get(&t->open, warp_key(e->warp), 0))
			return;
		map_set(&t->open, warp_key(e->warp), 1);
		chrome_begin(t, "wait", "B", at, pid, e->warp->index);
		text_printf(t->out, ", \"args\": {\"line\": %u, \"offset\": %u, \"phase\": %" PRIu64 "}},\n", line_of(t, e->op), e->offset, e->phase);
		return;
	}
	if (e->kind == SYNC_MBARRIER_WAIT) {
		if (map_get(&t->open, warp_key(e->warp), 0)) {
			map_set(&t->open, warp_key(e->warp), 0);
			chrome_begin(t, "wait", "E", at, pid, e->warp->index);
			text_puts(t->out, "},\n");
		}
		return;
	}
	chrome_begin(t, names[e->kind], "i", at, pid, e->warp->index);
	text_printf(t->out,
		    ", \"s\": \"t\", \"args\": {\"line\": %u, \"lanes\": \"0x%08x\", \"offset\": %u, \"phase\": %" PRIu64 ", \"value\": %" PRIu64
		    ", \"pending\": %u, \"tx\": %d}},\n",
		    line_of(t, e->op), e->mask, e->offset, e->phase, e->value, mbarrier_pending(e->word), mbarrier_tx(e->word));
}

static void chrome_event(struct tracer *t, const struct sync_event *e)
{
	uint64_t pid = e->cta->linear, at = now(e->warp);
	const struct op *op = e->op ? e->op : e->copy ? e->copy->op : NULL;

	if (of_mbarrier(e->kind)) {
		chrome_mbarrier(t, e, pid);
		return;
	}
	if (e->kind == SYNC_COMPLETE) {
		row_name(t, pid, BARRIER_ROW + e->number, "barrier", e->number);
		phase_span(t, pid, BARRIER_ROW + e->number, e->cta->barrier[e->number].phase, at);
		return;
	}
	chrome_begin(t, names[e->kind], "i", at, pid, e->warp->index);
	text_printf(t->out, ", \"s\": \"t\", \"args\": {\"line\": %u, \"lanes\": \"0x%08x\"", line_of(t, op), e->mask);
	if (e->copy)
		text_printf(t->out, ", \"copy\": %" PRIu64 ", \"bytes\": %u", e->copy->number, e->copy->part[0].bytes);
	text_puts(t->out, "}},\n");
}

/* ---- the observer ---- */

static void on_sync(struct observer *o, const struct sync_event *e)
{
	struct tracer *t = o->self;

	if (t->chrome)
		chrome_event(t, e);
	else
		json_line(t, e);
}

static void on_life(struct observer *o, const struct life_event *e)
{
	struct tracer *t = o->self;

	if (!t->chrome || e->kind != LIFE_CTA_BEGIN)
		return;
	chrome_begin(t, "process_name", "M", 0, e->cta->linear, 0);
	text_printf(t->out, ", \"args\": {\"name\": \"CTA %" PRIu64 "\"}},\n", e->cta->linear);
	for (uint32_t k = 0; k < e->cta->nwarps; k++)
		row_name(t, e->cta->linear, k, "warp", k);
}

void trace_install(struct machine *m)
{
	struct tracer *t;

	if (!m->options.trace)
		return;
	t = ARENA_NEW(&m->arena, struct tracer);
	t->m = m;
	t->out = m->options.trace;
	t->chrome = m->options.trace_chrome;
	t->o = (struct observer){.interest = INTEREST_SYNC | INTEREST_LIFE, .serial = true, .self = t, .sync = on_sync, .life = on_life};
	machine_observe(m, &t->o);
	m->tracer = t;
}

void trace_free(struct machine *m)
{
	struct tracer *t = m->tracer;

	if (!t)
		return;
	map_free(&t->begin);
	map_free(&t->open);
}
