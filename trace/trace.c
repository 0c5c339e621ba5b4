/* The tracer's observer: turns the machine's notifications into timed events, merging the lanes of
 * one instruction, in the order in which they happen (a single worker runs everything). Times are
 * the machine's clock: one nanosecond per warp instruction, and more while all threads sleep. */
#include "trace/trace.h"
#include "base/memory.h"
#include "interp/sync/async.h"
#include "interp/sync/barrier.h"
#include "interp/sync/cluster_barrier.h"
#include "interp/memory/name.h"
#include "interp/stuck/report.h"
#include "interp/state/warp.h"
#include "trace/trace_state.h"
#include <stdlib.h>
#include <string.h>

/* --- time --- */

/* Whether W is executing OP now. Otherwise the event comes from a lane that was already waiting, or
 * from a copy that lands on behalf of the warp. */
static bool is_executing(const struct warp *w, const struct op *op)
{
	const struct code_func *code = w->frame ? w->frame->code : NULL;

	return code && op >= code->op && op < code->op + code->nops &&
		(uint32_t)(op - code->op) >= w->run_pc && w->group[w->current].state == GROUP_READY;
}

/* While all threads sleep or none makes progress, the clock jumps ahead, possibly by years. A
 * viewer's trace contains at most IDLE nanoseconds of such a jump. */
static void cut_idle(struct trace *t, uint64_t clock, uint64_t steps)
{
	enum { IDLE = 10000 };
	uint64_t idle = clock - t->clock - (steps - t->steps);

	if ((int64_t)idle > IDLE)
		t->base -= idle - IDLE;
	t->clock = clock;
	t->steps = steps;
}

/* The time of an event in the trace. It never decreases. */
static uint64_t trace_now(struct trace *t, const struct warp *w, const struct op *op)
{
	const struct machine *m = t->machine;
	const struct worker *worker = m->worker;
	uint64_t at = atomic_load(&m->clock);

	if (worker && worker->clock + worker->slice_steps > at)
		at = worker->clock + worker->slice_steps;
	if (t->format == TRACE_CHROME)
		cut_idle(t, at, worker ? worker->steps + worker->slice_steps : 0);
	if (w && op && is_executing(w, op))
		at += (uint32_t)(op - w->frame->code->op) - w->run_pc;
	at += t->base;
	if ((int64_t)(at - t->now) > 0)
		t->now = at;
	return t->now;
}

/* --- CTAs --- */

static struct trace_cta *trace_find_cta(struct trace *t, const struct cta *c)
{
	uint32_t k = map_get(&t->at, (uintptr_t)c, UINT32_MAX);

	return k == UINT32_MAX ? NULL : t->cta.data[k];
}

static void trace_close_cta(struct trace *t, struct trace_cta *c)
{
	trace_wait_over(t, c, NULL, UINT32_MAX, WAIT_NEVER);
	if (t->format == TRACE_CHROME)
		chrome_close_cta(t, c);
	trace_put(t);
}

static struct trace_cta *trace_open_cta(struct trace *t, const struct cta *c)
{
	struct trace_cta *known = trace_find_cta(t, c);

	if (known) { /* its struct cta was used by an earlier CTA */
		trace_close_cta(t, known);
	} else {
		map_set(&t->at, (uintptr_t)c, t->cta.count);
		known = memory_zeroed(1, sizeof *known);
		*vec_push(&t->cta) = known;
	}
	known->wait.count = 0;
	known->cta = c;
	known->linear = c->linear;
	known->launch = c->launch;
	known->number = t->ctas++;
	known->ended = 0;
	known->writer = NULL;
	return known;
}

/* --- events --- */

static struct trace_event trace_make_event(struct trace *t, enum trace_kind kind,
	const struct cta *c, const struct warp *w, const struct op *op, uint32_t mask)
{
	return (struct trace_event){.kind = kind,
		.time = trace_now(t, w, op),
		.launch = c ? c->launch : NULL,
		.cta = c ? trace_find_cta(t, c) : NULL,
		.warp = w,
		.op = op,
		.user_call = op && w && w->frame ? w->frame->user_call : 0,
		.mask = mask};
}

static void trace_dispatch(struct trace *t, struct trace_event *e)
{
	if (e->kind == TRACE_WAIT_BEGINS)
		trace_waiting(t, e);
	else if (e->kind == TRACE_WAIT_ENDS)
		trace_waited(t, e);
	else
		trace_emit(t, e);
}

static void trace_flush(struct trace *t)
{
	if (t->holding) {
		t->holding = false;
		trace_dispatch(t, &t->held);
	}
}

static bool can_merge(const struct trace_event *a, const struct trace_event *b)
{
	return a->kind == b->kind && a->time == b->time && a->warp == b->warp && a->op == b->op &&
		a->copy == b->copy && a->object.kind == b->object.kind &&
		a->object.cta == b->object.cta && a->object.number == b->object.number &&
		a->object.phase == b->object.phase && !(a->mask & b->mask);
}

/* Holds E back, since other lanes may do the same; merges it with the held event if they match. */
static void trace_hold(struct trace *t, const struct trace_event *e)
{
	if (t->holding && can_merge(&t->held, e)) {
		t->held.mask |= e->mask;
		t->held.count += e->count;
		t->held.object.word = e->object.word;
		return;
	}
	trace_flush(t);
	t->held = *e;
	t->holding = true;
}

static void trace_on_mbarrier(struct trace *t, struct trace_event *e, const struct sync_event *s)
{
	static const enum trace_kind kind[] = {
		[SYNC_MBARRIER_INIT] = TRACE_INIT,
		[SYNC_MBARRIER_INVAL] = TRACE_INVAL,
		[SYNC_MBARRIER_ARRIVE] = TRACE_ARRIVE,
		[SYNC_MBARRIER_EXPECT] = TRACE_EXPECT_TX,
		[SYNC_MBARRIER_COMPLETE] = TRACE_COMPLETE_TX,
		[SYNC_MBARRIER_PHASE] = TRACE_PHASE_FLIPS,
		[SYNC_MBARRIER_WAITING] = TRACE_WAIT_BEGINS,
		[SYNC_MBARRIER_WAIT] = TRACE_WAIT_ENDS,
	};

	e->kind = kind[s->kind];
	e->object = (struct trace_object){.kind = OBJECT_MBARRIER,
		.cta = trace_find_cta(t, s->object),
		.number = s->offset,
		.phase = s->phase,
		.word = s->word};
	e->count = s->value;
	e->copy = async_landing(s->cta->cluster);
	if (e->object.cta)
		trace_hold(t, e);
}

static struct trace_object barrier_object(struct trace_cta *c, unsigned number)
{
	struct barrier_state b = barrier_state(c->cta, number);

	return (struct trace_object){.kind = OBJECT_BARRIER,
		.cta = c,
		.number = number,
		.phase = b.phase,
		.arrived = b.arrived,
		.expected = b.expected};
}

static void trace_on_barrier(struct trace *t, struct trace_event *e, const struct sync_event *s)
{
	e->object = barrier_object(e->cta, s->number);
	if (s->kind == SYNC_WAITING) {
		e->kind = TRACE_WAIT_BEGINS;
	} else {
		e->kind = s->kind == SYNC_ARRIVE ? TRACE_ARRIVE : TRACE_PHASE_FLIPS;
		e->count = (uint64_t)LANES; /* hardware counts whole warps */
	}
	trace_dispatch(t, e);
	if (s->kind == SYNC_COMPLETE) {
		uint32_t arrived[MAX_WARPS] = {0};

		for (uint32_t k = 0; k < s->cta->nwarps; k++)
			arrived[k] = barrier_arrived(&s->cta->warp[k], s->number);
		trace_release(t, e, e->cta, arrived);
	}
}

static void trace_on_cluster(struct trace *t, struct trace_event *e, const struct sync_event *s)
{
	const struct cluster *cluster = s->cta->cluster;

	for (uint32_t rank = 0; rank < cluster->n; rank++)
		e->object.expected += LANES *
			(uint32_t)__builtin_popcount(cluster->member[rank]->live);
	e->object.kind = OBJECT_CLUSTER;
	e->object.cta = trace_find_cta(t, cluster->member[0]);
	e->object.phase = s->kind == SYNC_CLUSTER_WAIT ? s->phase - 1 : s->phase;
	e->object.arrived = e->object.expected - cluster_barrier_state(cluster).missing;
	e->count = (uint64_t)__builtin_popcount(s->mask);
	e->kind = s->kind == SYNC_CLUSTER_ARRIVE   ? TRACE_ARRIVE
		: s->kind == SYNC_CLUSTER_COMPLETE ? TRACE_PHASE_FLIPS
		: s->kind == SYNC_CLUSTER_WAITING  ? TRACE_WAIT_BEGINS
						   : TRACE_WAIT_ENDS;
	if (e->object.cta)
		trace_dispatch(t, e);
}

static void trace_on_warp(struct trace *t, struct trace_event *e, const struct sync_event *s)
{
	e->object = (struct trace_object){
		.kind = OBJECT_WARP, .cta = e->cta, .number = s->warp->index};
	e->kind = s->kind == SYNC_WARP ? TRACE_WARP_SYNC : TRACE_WAIT_BEGINS;
	trace_dispatch(t, e);
	if (s->kind == SYNC_WARP) {
		uint32_t arrived[MAX_WARPS] = {0};

		arrived[s->warp->index] = s->mask;
		trace_release(t, e, e->cta, arrived);
	}
}

static void trace_on_other(struct trace *t, struct trace_event *e, const struct sync_event *s)
{
	switch ((int)s->kind) {
	case SYNC_FENCE: e->kind = TRACE_FENCE; break;
	case SYNC_PROXY_FENCE: e->kind = TRACE_PROXY_FENCE; break;
	case SYNC_COPY_ISSUED: e->kind = TRACE_COPY_ISSUED; break;
	case SYNC_COPY_LANDED: e->kind = TRACE_COPY_LANDED; break;
	default: e->kind = TRACE_COPIES_AWAITED; break;
	}
	e->sem = s->sem;
	e->scope = s->scope;
	e->copy = s->copy;
	e->count = e->kind == TRACE_COPIES_AWAITED ? s->number : 0;
	trace_dispatch(t, e);
}

static void trace_on_sync(struct observer *o, const struct sync_event *s)
{
	struct trace *t = o->self;
	struct trace_event e = trace_make_event(t, TRACE_FENCE, s->cta, s->warp, s->op, s->mask);

	if (!e.cta)
		return;
	if (s->kind >= SYNC_MBARRIER_INIT && s->kind <= SYNC_MBARRIER_WAITING) {
		trace_on_mbarrier(t, &e, s);
		return;
	}
	trace_flush(t);
	switch ((int)s->kind) {
	case SYNC_WAITING:
	case SYNC_ARRIVE:
	case SYNC_COMPLETE: trace_on_barrier(t, &e, s); break;
	case SYNC_WARP:
	case SYNC_WARP_WAITING: trace_on_warp(t, &e, s); break;
	case SYNC_CLUSTER_ARRIVE:
	case SYNC_CLUSTER_COMPLETE:
	case SYNC_CLUSTER_WAIT:
	case SYNC_CLUSTER_WAITING: trace_on_cluster(t, &e, s); break;
	default: trace_on_other(t, &e, s); break;
	}
}

static void trace_on_life(struct observer *o, const struct life_event *l)
{
	struct trace *t = o->self;
	struct trace_event e;

	trace_flush(t);
	if (l->kind >= LIFE_SETTLED)
		return;
	if (l->kind == LIFE_CTA_BEGIN)
		trace_open_cta(t, l->cta);
	e = trace_make_event(t, TRACE_EXIT, l->cta, l->warp, NULL, l->mask);
	e.launch = l->launch;
	switch (l->kind) {
	case LIFE_LAUNCH_BEGIN: e.kind = TRACE_LAUNCH_BEGINS; break;
	case LIFE_LAUNCH_END: e.kind = TRACE_LAUNCH_ENDS; break;
	case LIFE_CTA_BEGIN: e.kind = TRACE_CTA_BEGINS; break;
	case LIFE_CTA_END:
		e.kind = TRACE_CTA_ENDS;
		e.cta->ended = e.time;
		break;
	case LIFE_LANES_EXIT: trace_wait_over(t, e.cta, l->warp, l->mask, WAIT_ABANDONED); break;
	case LIFE_SETTLED:
	case LIFE_LOADED:
	case LIFE_UNLOADED: break;
	}
	trace_emit(t, &e);
}

static void trace_on_access(struct observer *o, const struct access_event *a)
{
	struct trace *t = o->self;
	struct trace_event e;

	/* a picture shows the weak accesses of findings */
	if (!a->atomic && a->sem == SEM_WEAK && t->format != TRACE_PICTURE)
		return;
	trace_flush(t);
	e = trace_make_event(t, TRACE_ACCESS, a->warp->cta, a->warp, a->op, a->mask);
	e.access = a;
	e.sem = a->sem;
	e.scope = a->scope;
	if (e.cta)
		trace_emit(t, &e);
}

/* --- the trace --- */

struct trace *trace_new(FILE *out, enum trace_format format, bool atomics)
{
	struct trace *t = memory_zeroed(1, sizeof *t);

	t->out = out;
	t->format = format;
	t->atomics = atomics;
	t->observer = (struct observer){
		.interest = INTEREST_SYNC | INTEREST_LIFE | (atomics ? INTEREST_ACCESS : 0),
		.serial = true,
		.self = t,
		.sync = trace_on_sync,
		.life = trace_on_life,
		.access = trace_on_access};
	if (format == TRACE_CHROME)
		chrome_open(t);
	if (format == TRACE_PICTURE)
		record_open(t);
	trace_put(t);
	return t;
}

const char *trace_pause(struct trace *t)
{
	trace_put(t);
	fflush(t->out);
	return t->format == TRACE_CHROME ? chrome_ending : "";
}

bool trace_free(struct trace *t)
{
	bool fine;

	if (t->format == TRACE_CHROME)
		chrome_close(t);
	if (t->format == TRACE_PICTURE)
		record_close(t);
	trace_put(t);
	fine = !t->failed && (!t->out || fflush(t->out) == 0);
	map_free(&t->at);
	vec_free(&t->cta);
	text_free(&t->line);
	memory_drop(t);
	return fine;
}

void trace_chain(struct trace *t, struct trace *next) { t->next = next; }

static void install(struct trace *t, struct machine *m)
{
	enum { GAP = 100 }; /* nanoseconds between runs */
	struct trace_event e = {.kind = TRACE_RUN_BEGINS};

	t->machine = m;
	t->clock = t->steps = 0;
	if (t->runs)
		t->base = t->now = (t->now / GAP + 1) * GAP;
	e.time = t->now;
	trace_emit(t, &e);
	t->runs++;
	machine_observe(m, &t->observer);
}

void trace_install(struct machine *m)
{
	for (struct trace *t = m->options.trace; t; t = t->next)
		install(t, m);
}

static void uninstall(struct trace *t)
{
	struct trace_event e = {.kind = TRACE_RUN_ENDS};

	trace_flush(t);
	e.time = trace_now(t, NULL, NULL);
	/* a wait may be for an object of another CTA of the cluster, so all end first */
	for (uint32_t k = 0; k < t->cta.count; k++)
		trace_close_cta(t, t->cta.data[k]);
	/* with the CTAs: nothing follows a fault, so a picture finds its place only now */
	trace_emit(t, &e);
	for (uint32_t k = 0; k < t->cta.count; k++) {
		vec_free(&t->cta.data[k]->wait);
		memory_drop(t->cta.data[k]);
	}
	t->cta.count = 0;
	map_clear(&t->at);
	t->machine = NULL;
}

void trace_uninstall(struct machine *m)
{
	for (struct trace *t = m->options.trace; t; t = t->next)
		uninstall(t);
}
