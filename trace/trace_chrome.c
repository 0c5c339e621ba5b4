/* Writes a trace for viewers (Chrome's Trace Viewer, Perfetto) in the trace event format. Each CTA
 * is a process, with one row per warp, one row per barrier or mbarrier with its phases as spans,
 * and rows of asynchronous copies from issue to landing. Waits are spans on the warp's row;
 * instructions last one nanosecond. Arrows lead from arrivals to the phase that they complete, from
 * there to the waiting lanes, and along copies. docs/TRACE.md describes the display. */
#include "base/memory.h"
#include "interp/sync/async.h"
#include "interp/sync/mbarrier.h"
#include "interp/stuck/report.h"
#include "trace/trace_chrome.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Rows (tid) of a CTA (pid), in display order. */
enum {
	KERNELS_PID = 1,
	FIRST_PID = 2,
	WARP_ROWS = 64,
	BARRIER_ROW = 4000,
	CLUSTER_ROW = 4100,
	MBARRIER_ROW = 5000,
	COPY_ROW = 1 << 25
};

/* A row of a warp. A warp has further rows while its lanes wait for different objects. */
struct slot {
	uint32_t warp, row;
	uint64_t until; /* occupied until this time */
	uint32_t lanes; /* lanes that wait; 0: none */
};
struct arrow {
	uint64_t id;
};
/* The phases of a barrier or mbarrier. */
struct phases {
	uint32_t row;
	uint8_t kind;
	bool open;
	uint64_t begin, flipped; /* start of the current phase; end of the previous one */
	uint64_t touched;        /* time of the last arrival or transaction */
	uint64_t number, arrived, bytes;
	struct trace_object last;
	VEC(struct arrow) arrow; /* arrows that end where this phase ends */
};
struct flight {
	const struct copy *copy;
	uint64_t number, begin, until;
	const struct op *op;
	uint32_t user_call;
	uint64_t bytes;
	bool busy;
};
struct chrome_cta {
	VEC(struct slot) slot;
	struct map at; /* row -> index in phases[] */
	VEC(struct phases *) phases;
	VEC(struct flight) flight; /* by row */
	uint32_t alive;            /* set of warps whose span is open */
};

static uint32_t pid_of(const struct trace_cta *c) { return FIRST_PID + c->number; }

/* --- rows of warps --- */

static struct slot *slot_at(struct trace *t, struct trace_cta *c, const struct warp *w, uint32_t k)
{
	struct chrome_cta *cc = c->writer;
	struct text name = {0};
	uint32_t n = 0;

	for (uint32_t j = 0; j < cc->slot.count; j++)
		if (cc->slot.data[j].warp == w->index && n++ == k)
			return &cc->slot.data[j];
	struct slot *s = vec_push(&cc->slot);

	*s = (struct slot){.warp = w->index, .row = 1 + w->index * WARP_ROWS + k};
	text_printf(&name, k ? "warp %u, other lanes" : "warp %u", w->index);
	chrome_row(t, pid_of(c), s->row, text_str(&name));
	text_free(&name);
	return s;
}

/* The row for an event of lanes MASK at TIME. WAIT: the event is the beginning of a wait. */
static struct slot *choose_slot(struct trace *t, struct trace_cta *c, const struct warp *w,
	uint32_t mask, uint64_t time, bool wait)
{
	struct slot *s = NULL;

	for (uint32_t k = 0; k + 1 < WARP_ROWS; k++) {
		s = slot_at(t, c, w, k);
		if (wait ? !s->lanes && s->until <= time : !s->lanes || !(mask & ~s->lanes))
			return s;
	}
	return s;
}

/* Stores the name of the object in TO. */
static const char *object_name(struct trace *t, const struct trace_object *o, struct text *to)
{
	text_clear(to);
	switch ((enum trace_object_kind)o->kind) {
	case OBJECT_MBARRIER: trace_variable(t, o->cta, o->number, to); break;
	case OBJECT_BARRIER: text_printf(to, "barrier %u", o->number); break;
	case OBJECT_CLUSTER: text_puts(to, "cluster barrier"); break;
	case OBJECT_NONE:
	case OBJECT_WARP:
	default: text_puts(to, "lanes"); break;
	}
	return text_str(to);
}

/* Writes an instruction as one nanosecond on a row of its warp. Returns the row. */
static uint32_t chrome_instruction(
	struct trace *t, const struct trace_event *e, const char *name, const char *colour)
{
	struct slot *s = choose_slot(t, e->cta, e->warp, e->mask, e->time, false);

	chrome_span(t, name, e->time, e->time + 1, pid_of(e->cta), s->row, colour);
	chrome_args(t, e->op, e->user_call, e->mask);
	if (e->object.kind == OBJECT_MBARRIER)
		text_printf(&t->line,
			", \"phase\": %" PRIu64
			", \"pending\": %u, \"expected\": %u, \"tx-count\": %d, \"count\": %" PRIu64,
			e->object.phase, mbarrier_pending(e->object.word),
			mbarrier_expected(e->object.word), mbarrier_tx(e->object.word), e->count);
	text_putc(&t->line, '}');
	chrome_end(t);
	s->until = e->time + 1;
	return s->row;
}

static void chrome_plain_instruction(struct trace *t, const struct trace_event *e)
{
	struct text name = {0};
	size_t n;
	const char *s = trace_opcode(t, e->op, &n);

	text_add(&name, s, n);
	chrome_instruction(t, e, text_str(&name), NULL);
	text_free(&name);
}

/* --- phases --- */

static struct phases *phases_of(struct trace *t, const struct trace_object *o, uint64_t time)
{
	struct chrome_cta *cc = o->cta->writer;
	uint32_t row = o->kind == OBJECT_MBARRIER ? MBARRIER_ROW + o->number
		: o->kind == OBJECT_BARRIER       ? BARRIER_ROW + o->number
						  : CLUSTER_ROW;
	uint32_t k = map_get(&cc->at, row, UINT32_MAX);
	struct text name = {0}, full = {0};
	struct phases *p;

	if (k != UINT32_MAX)
		return cc->phases.data[k];
	p = memory_zeroed(1, sizeof *p);
	p->row = row;
	p->kind = o->kind;
	p->begin = time;
	map_set(&cc->at, row, cc->phases.count);
	*vec_push(&cc->phases) = p;
	text_printf(&full, "%s%s", o->kind == OBJECT_MBARRIER ? "mbarrier " : "",
		object_name(t, o, &name));
	chrome_row(t, pid_of(o->cta), row, text_str(&full));
	text_free(&name);
	text_free(&full);
	return p;
}

/* Writes the span of the current phase, up to TO. */
static void phase_span(
	struct trace *t, const struct trace_cta *c, struct phases *p, uint64_t to, bool complete)
{
	const struct trace_object *o = &p->last;
	struct text name = {0};

	if (!p->open)
		return;
	text_printf(&name, "phase %" PRIu64, p->number);
	if (p->kind == OBJECT_MBARRIER) {
		uint64_t of = complete ? p->arrived : p->arrived + mbarrier_pending(o->word);

		text_printf(&name, " parity %u: %" PRIu64 " of %" PRIu64, (unsigned)(p->number & 1),
			p->arrived, of);
		if (p->bytes)
			text_printf(&name, ", %" PRIu64 " bytes", p->bytes);
		text_printf(&name, ", tx %d", complete ? 0 : mbarrier_tx(o->word));
	} else {
		text_printf(&name, ": %u of %u", o->arrived, o->expected);
	}
	if (!complete && (p->arrived || (p->kind == OBJECT_MBARRIER && mbarrier_tx(o->word))))
		text_puts(&name, " (unfinished)");
	chrome_span(t, text_str(&name), p->begin, to, pid_of(c), p->row,
		!complete && atomic_load(&t->machine->stop) ? "bad" : NULL);
	chrome_end(t);
	text_free(&name);
}

static void phase_next(
	struct phases *p, uint64_t number, uint64_t begin, const struct trace_object *o)
{
	p->open = p->kind == OBJECT_MBARRIER;
	p->number = number;
	p->begin = begin;
	p->arrived = p->bytes = 0;
	p->arrow.count = 0;
	p->last = *o;
}

static void phase_flip(struct trace *t, const struct trace_event *e)
{
	struct phases *p = phases_of(t, &e->object, e->time);

	if (p->kind != OBJECT_MBARRIER)
		p->last = e->object;
	phase_span(t, e->object.cta, p, e->time + 1, true);
	for (uint32_t k = 0; k < p->arrow.count; k++)
		chrome_arrow_ends(
			t, p->arrow.data[k].id, "arrive", e->time, pid_of(e->object.cta), p->row);
	p->flipped = e->time;
	phase_next(p, e->object.phase + 1, e->time + 1 > p->begin ? e->time + 1 : p->begin,
		&e->object);
}

/* Counts an arrival or transaction in the current phase. Unless ROW is 0, an arrival or completed
 * transaction also gets an arrow from ROW to the end of the phase. */
static void phase_contribute(struct trace *t, const struct trace_event *e, uint32_t row)
{
	struct phases *p = phases_of(t, &e->object, e->time);

	/* first arrival of a phase at a CTA's or cluster's barrier, or at an mbarrier whose
	 * initialisation was not seen */
	if (!p->open) {
		p->open = true;
		p->begin = e->time > p->begin ? e->time : p->begin;
	}
	p->number = e->object.phase;
	p->touched = e->time;
	p->last = e->object;
	if (e->kind == TRACE_ARRIVE)
		p->arrived += e->count;
	if (e->kind == TRACE_COMPLETE_TX)
		p->bytes += e->count;
	/* after the object's CTA has ended, its rows are complete */
	if (e->kind == TRACE_EXPECT_TX || !row || e->object.cta->ended)
		return;
	vec_push(&p->arrow)->id = ++t->chrome->arrows;
	chrome_arrow_begins(t, t->chrome->arrows, "arrive", e->time, pid_of(e->cta), row);
}

/* --- copies --- */

static struct flight *flight_of(struct trace_cta *c, const struct copy *copy)
{
	struct chrome_cta *cc = c->writer;

	for (uint32_t k = 0; k < cc->flight.count; k++)
		if (cc->flight.data[k].busy && cc->flight.data[k].number == copy->number)
			return &cc->flight.data[k];
	return NULL;
}

static uint32_t flight_row(const struct trace_cta *c, const struct flight *f)
{
	const struct chrome_cta *cc = c->writer;

	return COPY_ROW + (uint32_t)(f - cc->flight.data);
}

static void copy_issued(struct trace *t, const struct trace_event *e)
{
	struct chrome_cta *cc = e->cta->writer;
	const struct op *op = e->copy->op;
	struct trace_event at = *e;
	struct flight *f = NULL;
	struct text name = {0};
	uint32_t row;

	for (uint32_t k = 0; k < cc->flight.count && !f; k++)
		if (!cc->flight.data[k].busy && cc->flight.data[k].until <= e->time)
			f = &cc->flight.data[k];
	if (!f) {
		f = vec_push(&cc->flight);
		chrome_row(t, pid_of(e->cta), flight_row(e->cta, f), "copies");
	}
	*f = (struct flight){.copy = e->copy,
		.number = e->copy->number,
		.begin = e->time,
		.op = op,
		.user_call = e->copy->user_call,
		.busy = true};
	for (uint32_t k = 0; k < e->copy->nparts; k++)
		f->bytes += e->copy->part[k].bytes;
	at.op = op;
	at.user_call = e->copy->user_call;
	text_printf(&name, "copy %" PRIu64 " issued", f->number);
	row = chrome_instruction(t, &at, text_str(&name), "thread_state_iowait");
	text_free(&name);
	chrome_arrow_begins(t, ++t->chrome->arrows, "copy", e->time, pid_of(e->cta), row);
	chrome_arrow_ends(
		t, t->chrome->arrows, "copy", e->time, pid_of(e->cta), flight_row(e->cta, f));
}

static void flight_span(
	struct trace *t, struct trace_cta *c, struct flight *f, uint64_t to, const char *how)
{
	struct text name = {0};
	size_t n, k;
	const char *s = trace_opcode(t, f->op, &n);

	for (k = 0; k < n && strncmp(s + k, ".shared", 7) != 0 &&
		strncmp(s + k, ".global", 7) != 0 && s[k] != ':';)
		k++;
	text_printf(&name, "copy %" PRIu64 ": %.*s, %" PRIu64 " bytes%s", f->number, (int)k, s,
		f->bytes, how);
	chrome_span(t, text_str(&name), f->begin, to, pid_of(c), flight_row(c, f),
		"thread_state_iowait");
	text_puts(&t->line, ", \"args\": {");
	trace_place(t, f->op, f->user_call);
	text_puts(&t->line, ", \"instruction\": ");
	text_json(&t->line, s, n);
	text_putc(&t->line, '}');
	chrome_end(t);
	f->busy = false;
	f->until = to;
	text_free(&name);
}

static void copy_landed(struct trace *t, const struct trace_event *e)
{
	struct flight *f = e->copy->left ? NULL : flight_of(e->cta, e->copy);

	if (f)
		flight_span(t, e->cta, f, e->time + 1, "");
}

/* --- waits --- */

static void wait_begins(struct trace *t, const struct trace_event *e)
{
	struct slot *s = choose_slot(t, e->cta, e->warp, e->mask, e->time, true);

	s->lanes = e->mask;
	e->wait->row = s->row;
}

static void wait_ends(struct trace *t, const struct trace_event *e)
{
	static const char *const how[] = {[WAIT_COMPLETE] = "",
		[WAIT_ABANDONED] = " (abandoned)",
		[WAIT_NEVER] = " (unfinished)"};
	const struct trace_wait *w = e->wait;
	struct chrome_cta *cc = e->cta->writer;
	uint64_t to = (e->outcome == WAIT_NEVER ? e->time : w->last) + 1;
	struct text name = {0}, full = {0};

	if (w->lanes) /* other lanes still wait */
		return;
	text_printf(&full, "wait for %s", object_name(t, &w->object, &name));
	if (w->object.kind == OBJECT_MBARRIER)
		text_printf(&full, " phase %" PRIu64, w->object.phase);
	text_puts(&full, how[e->outcome]);
	chrome_span(t, text_str(&full), w->begin, to, pid_of(e->cta), w->row,
		e->outcome == WAIT_NEVER ? "terrible" : "grey");
	chrome_args(t, w->op, w->user_call, w->all);
	text_putc(&t->line, '}');
	chrome_end(t);
	text_free(&name);
	text_free(&full);
	for (uint32_t k = 0; k < cc->slot.count; k++)
		if (cc->slot.data[k].row == w->row) {
			cc->slot.data[k].lanes = 0;
			cc->slot.data[k].until = to;
		}
	if (e->outcome == WAIT_COMPLETE && w->object.kind != OBJECT_WARP) {
		const struct phases *p = phases_of(t, &w->object, e->time);

		if (p->flipped < w->begin)
			return;
		chrome_arrow_begins(t, ++t->chrome->arrows, "continue", p->flipped,
			pid_of(w->object.cta), p->row);
		chrome_arrow_ends(t, t->chrome->arrows, "continue", to - 1, pid_of(e->cta), w->row);
	}
}

/* --- arrivals --- */

/* The row from which an arrival or transaction originates: that of its instruction, of the landing
 * copy, or of the wait in bar.sync; 0 if there is none. */
static uint32_t arrival_row(struct trace *t, const struct trace_event *e, const char *verb)
{
	struct text name = {0}, full = {0};
	uint32_t row = 0;

	if (e->copy) {
		const struct flight *f = flight_of(e->cta, e->copy);

		return f ? flight_row(e->cta, f) : 0;
	}
	if (e->object.kind == OBJECT_BARRIER && e->op->barrier.kind != BARRIER_ARRIVE) {
		for (uint32_t k = 0; k < e->cta->wait.count; k++) {
			const struct trace_wait *w = &e->cta->wait.data[k];

			if (w->warp == e->warp && w->object.kind == OBJECT_BARRIER &&
				w->object.number == e->object.number && w->lanes & e->mask)
				row = w->row;
		}
		return row;
	}
	text_printf(&full, "%s %s", verb, object_name(t, &e->object, &name));
	if (e->kind != TRACE_ARRIVE)
		text_printf(&full, " %" PRIu64, e->count);
	row = chrome_instruction(t, e, text_str(&full), e->kind == TRACE_ARRIVE ? "good" : NULL);
	text_free(&name);
	text_free(&full);
	return row;
}

static void mbarrier_reset(struct trace *t, const struct trace_event *e)
{
	struct phases *p = phases_of(t, &e->object, e->time);
	struct text name = {0}, full = {0};

	phase_span(t, e->object.cta, p, e->time, false);
	text_printf(&full, "%s %s", trace_kind_name[e->kind], object_name(t, &e->object, &name));
	if (e->kind == TRACE_INIT)
		text_printf(&full, " to %u", mbarrier_expected(e->object.word));
	chrome_instruction(t, e, text_str(&full), NULL);
	phase_next(p, 0, e->time, &e->object);
	p->open = e->kind == TRACE_INIT;
	text_free(&name);
	text_free(&full);
}

/* --- kernels, CTAs, warps --- */

static void launch_begins(struct trace *t, struct launch *l)
{
	uint32_t row = 1 + l->ask.stream;
	struct text name = {0};

	*vec_push(&t->chrome->running) = (struct running){l, t->now};
	if (!map_add(&t->chrome->streams, row, 1))
		return;
	text_printf(&name, "stream %u", l->ask.stream);
	chrome_row(t, KERNELS_PID, row, text_str(&name));
	text_free(&name);
}

static void launch_ends(struct trace *t, const struct launch *l, const char *how)
{
	const uint32_t *g = l->ask.grid, *b = l->ask.block;
	struct text name = {0};

	for (uint32_t k = 0; k < t->chrome->running.count; k++) {
		struct running *r = &t->chrome->running.data[k];

		if (r->launch != l)
			continue;
		text_printf(&name, "%s<<<%u x %u x %u, %u x %u x %u>>>%s", where_kernel(l), g[0],
			g[1], g[2], b[0], b[1], b[2], how);
		chrome_span(t, text_str(&name), r->begin, t->now, KERNELS_PID, 1 + l->ask.stream,
			*how ? "terrible" : NULL);
		chrome_end(t);
		*r = t->chrome->running.data[--t->chrome->running.count];
		break;
	}
	text_free(&name);
}

static void cta_begins(struct trace *t, const struct trace_event *e)
{
	struct trace_cta *c = e->cta;
	struct chrome_cta *cc = c->writer = memory_zeroed(1, sizeof *cc);
	struct text name = {0};

	text_printf(&name, "CTA %" PRIu64 " of %s", c->linear, where_kernel(c->launch));
	if (c->launch->number)
		text_printf(&name, ", launch %u", c->launch->number + 1);
	if (t->runs > 1)
		text_printf(&name, ", run %u", t->runs);
	if (c->launch->cluster_ctas > 1)
		text_printf(&name, ", rank %u of its cluster", c->cta->cluster_rank);
	chrome_process(t, pid_of(c), text_str(&name));
	text_free(&name);
	for (uint32_t k = 0; k < c->cta->nwarps; k++) {
		const struct slot *s = slot_at(t, c, &c->cta->warp[k], 0);

		chrome_start(t, where_kernel(c->launch), 'B', e->time, pid_of(c), s->row);
		text_puts(&t->line, ", \"cname\": \"white\"");
		chrome_end(t);
		cc->alive |= 1u << k;
	}
}

static void warp_ends(struct trace *t, struct trace_cta *c, uint32_t k, uint64_t time)
{
	struct chrome_cta *cc = c->writer;

	if (!(cc->alive >> k & 1))
		return;
	cc->alive &= ~(1u << k);
	chrome_start(t, where_kernel(c->launch), 'E', time, pid_of(c), 1 + k * WARP_ROWS);
	chrome_end(t);
}

void chrome_close_cta(struct trace *t, struct trace_cta *c)
{
	struct chrome_cta *cc = c->writer;
	uint64_t to = (c->ended ? c->ended : t->now) + 1;

	if (!cc)
		return;
	for (uint32_t k = 0; k < cc->flight.count; k++)
		if (cc->flight.data[k].busy)
			flight_span(t, c, &cc->flight.data[k], t->now + 1, " (not landed)");
	for (uint32_t k = 0; k < MAX_WARPS; k++)
		warp_ends(t, c, k, to);
	for (uint32_t k = 0; k < cc->phases.count; k++) {
		struct phases *p = cc->phases.data[k];
		/* other CTAs of the cluster may arrive after this CTA has ended */
		uint64_t last = p->touched + 1 > to ? p->touched + 1 : to;

		phase_span(t, c, p, last > p->begin ? last : p->begin, false);
		for (uint32_t j = 0; j < p->arrow.count; j++)
			chrome_arrow_ends(
				t, p->arrow.data[j].id, "arrive", last - 1, pid_of(c), p->row);
		vec_free(&p->arrow);
		memory_drop(p);
	}
	vec_free(&cc->slot);
	vec_free(&cc->phases);
	vec_free(&cc->flight);
	map_free(&cc->at);
	memory_drop(cc);
	c->writer = NULL;
}

/* --- the trace --- */

void chrome_event(struct trace *t, const struct trace_event *e)
{
	switch (e->kind) {
	case TRACE_RUN_BEGINS: break;
	case TRACE_RUN_ENDS:
		while (t->chrome->running.count)
			launch_ends(t, t->chrome->running.data[0].launch, " (unfinished)");
		break;
	case TRACE_LAUNCH_BEGINS: launch_begins(t, e->launch); break;
	case TRACE_LAUNCH_ENDS: launch_ends(t, e->launch, ""); break;
	case TRACE_CTA_BEGINS: cta_begins(t, e); break;
	case TRACE_CTA_ENDS: break;
	case TRACE_EXIT:
		if (!(e->warp->live & ~e->mask))
			warp_ends(t, e->cta, e->warp->index, e->time + 1);
		break;
	case TRACE_INIT:
	case TRACE_INVAL: mbarrier_reset(t, e); break;
	case TRACE_ARRIVE:
	case TRACE_EXPECT_TX:
	case TRACE_COMPLETE_TX:
		phase_contribute(t, e, arrival_row(t, e, trace_kind_name[e->kind]));
		break;
	case TRACE_PHASE_FLIPS: phase_flip(t, e); break;
	case TRACE_WAIT_BEGINS: wait_begins(t, e); break;
	case TRACE_WAIT_ENDS: wait_ends(t, e); break;
	case TRACE_COPY_ISSUED: copy_issued(t, e); break;
	case TRACE_COPY_LANDED: copy_landed(t, e); break;
	case TRACE_WARP_SYNC:
	case TRACE_FENCE:
	case TRACE_PROXY_FENCE:
	case TRACE_COPIES_AWAITED:
	case TRACE_ACCESS:
	default: chrome_plain_instruction(t, e); break;
	}
}

void chrome_open(struct trace *t)
{
	t->chrome = memory_zeroed(1, sizeof *t->chrome);
	text_puts(&t->line, "{\"displayTimeUnit\": \"ns\", \"traceEvents\": [\n");
	chrome_process(t, KERNELS_PID, "kernels");
}

const char chrome_ending[] = "\n]}\n";

void chrome_close(struct trace *t)
{
	text_puts(&t->line, chrome_ending);
	map_free(&t->chrome->streams);
	vec_free(&t->chrome->running);
	memory_drop(t->chrome);
}
