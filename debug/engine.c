/* The process that runs the case: it follows the trail, stops where the session's order says, and
 * now and then leaves a copy of itself behind. */
#include "debug/engine.h"
#include "debug/look.h"
#include "debug/names.h"
#include "debug/processes.h"
#include "debug/show.h"
#include "debug/stops.h"
#include "interp/memory/memory.h"
#include "script/verdict/show.h"
#include <string.h>
#include <time.h>
#include <unistd.h>

enum {
	LOOK_EVERY = 256,           /* steps after which the clock and interrupts are looked at */
	COPY_BYTES_LOG = 31,        /* the copies of a program may need 2 GiB together */
	COPY_LEAST_BYTES = 4 << 20, /* of one copy */
	COPY_COST = 10              /* running costs so many times more than copying */
};
static const double COPY_SECONDS = 0.002; /* of running between two copies, at least */

static double processor_seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void flush(struct engine *e)
{
	if (e->out.len)
		session_out(e->s, text_str(&e->out), e->out.len);
	text_clear(&e->out);
}

/* What kernels have printed since the last call. */
static void flush_output(struct engine *e)
{
	size_t n = 0;
	const char *text = e->machine ? e->backend.output(e->backend.self, &n) : "";

	if (n > e->shown && !e->s->order.mute) {
		text_add(&e->out, text + e->shown, n - e->shown);
		if (text[n - 1] != '\n')
			text_putc(&e->out, '\n');
		flush(e);
	}
	e->shown = n;
}

static void on_show(void *self, const struct printed *p)
{
	struct engine *e = self;

	flush_output(e);
	if (e->s->order.mute)
		return;
	show_printed(p, &e->out);
	flush(e);
}

/* --- orders --- */

static bool same_line(const struct code_line *a, const struct code_line *b)
{
	return a->file == b->file && a->line == b->line && a->depth == b->depth;
}

/* The line of INSN; its depth is not set. Line 0 of a source is no line. */
static struct code_line line_at(const struct engine *e, uint32_t insn)
{
	const struct origin *o = names_origin(e, insn);

	return o ? (struct code_line){.file = o->file, .line = o->line}
		 : (struct code_line){.line = names_line(e, insn)};
}

/* Where the focus is: a goal that is a line is another one. */
static void keep_line(struct engine *e)
{
	uint32_t insn;
	const struct frame *f = names_focus(e, &insn);

	e->line = (struct code_line){0};
	if (f) {
		e->line = line_at(e, insn);
		e->line.depth = f->depth;
	}
}

/* The session has a new order to run. */
static void run_begins(struct engine *e)
{
	e->from = e->s->order.fresh ? UINT64_MAX : e->step;
	e->refused = e->gone = false;
	e->s->found.any = e->s->first.any = false;
	e->s->refused[0] = 0;
	e->regs_frame = NULL;
	e->findings = e->report.findings.count;
	e->next_copy = processor_seconds() + e->copy_every;
	stops_prepare(e);
}

/* Stopped: answers until it must run on. */
static void serve(struct engine *e)
{
	struct session *s = e->s;

	flush_output(e);
	s->at.step = e->step;
	s->at.leaves = e->may_leave;
	if (e->w) {
		s->at.here = (struct turn){
			e->w->cta->launch->number, e->w->cta->linear, e->w->index, TURN_ANY_LANE};
		s->at.mask = e->w->active;
		s->at.depth = e->w->frame->depth;
	}
	for (;;) {
		processes_done(s, e->slot);
		if (s->order.kind == ORDER_RUN)
			break;
		look(e, s->order.line);
		flush(e);
	}
	run_begins(e);
	if (s->order.resumes)
		return;
	keep_line(e);
	if (!s->order.mute)
		show_remember(e);
}

/* --- stops --- */

/* Whether a goal that is a line looks at the step: the focus executes it, and not inside a call
 * that the goal leaves out. *AT: its line. */
static bool counts(const struct engine *e, struct code_line *at)
{
	const struct order *o = &e->s->order;

	if (!trail_is(&e->s->focus, e->w) ||
		(o->goal == GOAL_NEXT_LINE && e->w->frame->depth > o->depth))
		return false;
	*at = line_at(e, e->op->insn);
	at->depth = e->w->frame->depth;
	return at->line != 0;
}

static bool goal_met(const struct engine *e)
{
	const struct order *o = &e->s->order;
	struct code_line at;

	switch (o->goal) {
	case GOAL_WARP: return trail_is(&e->s->focus, e->w);
	case GOAL_NEXT: return trail_is(&e->s->focus, e->w) && e->w->frame->depth <= o->depth;
	case GOAL_OUT: return trail_is(&e->s->focus, e->w) && e->w->frame->depth < o->depth;
	case GOAL_LINE:
	case GOAL_NEXT_LINE: return counts(e, &at) && !same_line(&at, &e->line);
	case GOAL_NONE:
	default: return false;
	}
}

/* Of a search for the beginning of a line: keeps what the order has seen. */
static void note_line(struct engine *e)
{
	struct session *s = e->s;
	struct line_step now = {.any = true, .step = e->step};

	if (!counts(e, &now.at))
		return;
	if (!s->first.any)
		s->first = now;
	else if (!same_line(&now.at, &s->last.at))
		s->found = (struct hit){.any = true, .step = e->step};
	s->last = now;
}

static bool stops_for(struct engine *e, enum reason why)
{
	e->s->at.reason = why;
	e->s->at.ended = false;
	return true;
}

static bool is_interrupted(struct engine *e)
{
	return e->step % LOOK_EVERY == 0 && e->s->interrupted && stops_for(e, REASON_INTERRUPTED);
}

/* Whether the run stops before the step. */
static bool must_stop(struct engine *e)
{
	struct session *s = e->s;
	const struct order *o = &s->order;
	struct hit h;

	stops_after(e);
	if (e->refused)
		return stops_for(e, REASON_REFUSED);
	if (o->last) {
		if (s->hit.any)
			s->found = s->hit;
		s->hit.any = false;
		if (e->step >= o->until)
			return stops_for(e, REASON_STEP);
		if (o->goal == GOAL_LINE || o->goal == GOAL_NEXT_LINE)
			note_line(e);
		else if (stops_here(e, &h))
			s->found = h;
		else if (goal_met(e))
			s->found = (struct hit){.any = true, .step = e->step};
		return is_interrupted(e);
	}
	if (s->hit.any && e->step != e->from)
		return stops_for(e, REASON_HIT);
	s->hit.any = false;
	if (e->step != e->from && stops_here(e, &s->hit))
		return stops_for(e, REASON_HIT);
	if (e->step >= o->until || (e->step != e->from && goal_met(e)))
		return stops_for(e, REASON_STEP);
	if (e->gone && o->goal != GOAL_NONE)
		return stops_for(e, REASON_GONE);
	return is_interrupted(e);
}

/* The copies that may exist: fewer of a program that has much memory. */
static uint32_t copies_at_most(const struct engine *e)
{
	uint64_t n = (UINT64_C(1) << COPY_BYTES_LOG) /
		(e->machine->memory->total + COPY_LEAST_BYTES);

	return n < 2 ? 2 : n > SLOTS ? SLOTS : (uint32_t)n;
}

/* Leaves a copy when it has run for a while. True: this is a copy, and has a new order. */
static bool copy_maybe(struct engine *e)
{
	double before, spent;

	if (e->step % LOOK_EVERY || (before = processor_seconds()) < e->next_copy)
		return false;
	if (processes_copy(e->s, &e->slot, e->step, copies_at_most(e))) {
		run_begins(e);
		return true;
	}
	spent = processor_seconds() - before;
	e->copy_every = spent * COPY_COST > COPY_SECONDS ? spent * COPY_COST : COPY_SECONDS;
	e->next_copy = before + spent + e->copy_every;
	return false;
}

/* --- the machine's calls --- */

static bool on_step(
	struct director *d, struct warp *w, const struct op *op, uint32_t mask, bool may_leave)
{
	struct engine *e = d->self;
	struct session *s = e->s;

	e->w = w;
	e->op = op;
	e->mask = mask;
	e->may_leave = may_leave;
	for (;;) {
		if (d->directs && trail_is(&d->turn, w))
			d->directs = false;
		else if (d->directs && may_leave)
			return false;
		if (!d->directs && may_leave && e->next_entry < s->ntrail &&
			s->trail[e->next_entry].step <= e->step) {
			d->turn = s->trail[e->next_entry++].turn;
			d->directs = true;
			continue;
		}
		/* during the check for a livelock the schedule's lock is held, which a copy of the
		 * process could not give back */
		if (may_leave && copy_maybe(e))
			continue;
		if (!must_stop(e))
			break;
		serve(e);
	}
	e->step++;
	return true;
}

static void on_refused(struct director *d, const char *why)
{
	struct engine *e = d->self;

	e->refused = true;
	strncpy(e->s->refused, why, sizeof e->s->refused - 1);
}

static void on_access(struct observer *o, const struct access_event *a)
{
	struct engine *e = o->self;

	if (e->nconditions)
		stops_access(e, a);
}

static void on_sync(struct observer *o, const struct sync_event *y)
{
	struct engine *e = o->self;

	if (e->nconditions)
		stops_sync(e, y);
}

static void on_life(struct observer *o, const struct life_event *y)
{
	struct engine *e = o->self;
	const struct turn *t = &e->s->focus;

	switch (y->kind) {
	case LIFE_CTA_BEGIN: *vec_push(&e->ctas) = y->cta; break;
	case LIFE_CTA_END:
		for (uint32_t k = 0; k < e->ctas.count; k++)
			if (e->ctas.data[k] == y->cta) {
				memmove(&e->ctas.data[k], &e->ctas.data[k + 1],
					(--e->ctas.count - k) * sizeof *e->ctas.data);
				break;
			}
		if (e->w && e->w->cta == y->cta)
			e->w = NULL;
		break;
	case LIFE_LANES_EXIT:
		if (y->warp->index == t->warp && y->warp->cta->linear == t->cta &&
			y->warp->cta->launch->number == t->launch && !(y->warp->live & ~y->mask))
			e->gone = true;
		break;
	case LIFE_LAUNCH_BEGIN: stops_again(e); break;
	case LIFE_LAUNCH_END:
	case LIFE_SETTLED:
	case LIFE_LOADED:
	case LIFE_UNLOADED:
	default: break;
	}
}

/* Every instruction has executed, or the run has failed: what there is can still be looked at. */
static void at_the_end(struct engine *e)
{
	struct session *s = e->s;

	e->op = NULL;
	e->w = NULL;
	for (;;) {
		stops_after(e);
		if (s->hit.any && s->order.last)
			s->found = s->hit;
		s->at.ended = true;
		s->at.reason = REASON_END;
		serve(e);
	}
}

static void on_close(void *self)
{
	/* the machine is its backend's `self` */
	struct machine *m = self;

	at_the_end(m->options.director->self);
}

static void on_opened(void *self, struct backend *b)
{
	struct engine *e = self;

	e->backend = *b;
	e->machine = b->self;
	b->close = on_close;
}

void engine_main(struct session *s)
{
	struct engine *e = memory_zeroed(1, sizeof *e);

	e->s = s;
	e->copy_every = COPY_SECONDS;
	e->marked = memory_zeroed(s->request->module->ninsns + 1, 1);
	e->director = (struct director){.self = e,
		.before = on_step,
		.refused = on_refused,
		.observer = {.interest = INTEREST_ACCESS | INTEREST_SYNC | INTEREST_LIFE,
			.self = e,
			.access = on_access,
			.sync = on_sync,
			.life = on_life}};
	e->host = (struct host_request){.module = s->request->module,
		.in = s->request->in,
		.options = s->request->options,
		.show = on_show,
		.opened = on_opened,
		.self = e};
	e->host.options.machine.director = &e->director;
	e->slot = processes_sleep(s, 0);
	run_begins(e);
	host_run(&e->host, &e->report);
	at_the_end(e);
}
