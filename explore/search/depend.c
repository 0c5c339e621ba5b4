/* Dependencies, determined by rerunning: each thread of a complete execution is run again with all
 * the values that it read except one, which stays unknown. Events that it then does not know or
 * does not reach depend on that read. No graph is built; only the program's own steps are run. */
#include "explore/search/depend.h"
#include "base/memory.h"
#include <stdlib.h>
#include <string.h>

struct rerun {
	const struct node *n;
	struct grower *g;
	uint32_t thread;
	uint32_t unknown; /* a read, or MODEL_NONE */
	uint32_t at;      /* the next event of the thread, or ROW_END */
	uint64_t *dep;    /* row of the unknown read, or NULL */
	char *helper;     /* [nhelpers][state_size] initial states of asynchronous operations */
	void *state;
};

static uint32_t next_event(const struct rerun *r, uint32_t e)
{
	return row_next(ROW(&r->n->x, thread, r->thread), r->n->x.words, e + 1);
}

/* The number of events of the access whose first event is E. */
static uint32_t pieces_of(const struct event *e)
{
	return e->size && e->whole > e->size ? (uint32_t)e->whole / e->size : 1;
}

static void record_dependency(const struct rerun *r, uint32_t event)
{
	if (r->dep)
		row_put(r->dep, event);
}

/* Answers action A, whose COUNT events start at FIRST, as in the execution, except for the unknown
 * read. */
static void answer_rerun(const struct rerun *r, uint32_t first, uint32_t count, struct action *a)
{
	const struct explore_program *p = r->g->program;
	const struct event *event = r->n->x.event;
	unsigned char value[16] = {0};
	if (a->kind == ACTION_BARRIER) {
		a->value_known = event[first].flags & EVENT_DONE;
		a->value[1] = event[first].value[1];
		p->answer(p, r->thread, r->state, a);
		return;
	}
	a->value_known = a->only = true;
	for (uint32_t k = 0, e = first; k < count; k++, e = next_event(r, e)) {
		a->value_known = a->value_known && e != r->unknown && event[e].kind == EVENT_READ &&
			event[e].rf != MODEL_NONE;
		a->only = a->only && event[e].flags & EVENT_ONLY;
		memcpy(value + (count > 1 ? event[e].part : 0), event[e].value,
			count > 1 ? event[e].size : sizeof value);
	}
	if (a->value_known)
		memcpy(a->value, value, sizeof value);
	p->answer(p, r->thread, r->state, a);
}

/* Takes one step; false when the thread stops. */
static bool rerun_step(struct rerun *r)
{
	const struct explore_program *p = r->g->program;
	struct action a = {.scratch = r->g->scratch};
	p->step(p, r->thread, r->state, &a);
	if (a.kind >= ACTION_STALL || r->at == ROW_END)
		return false;
	bool access = a.kind == ACTION_READ || a.kind == ACTION_WRITE;
	uint32_t first = r->at, count = access ? pieces_of(&r->n->x.event[first]) : 1;
	bool open = access && !a.none &&
		(!a.address_known || (a.kind == ACTION_WRITE && (a.maybe || !a.value_known)));
	for (uint32_t k = 0; k < count && r->at != ROW_END; k++) {
		if (open)
			record_dependency(r, r->at);
		r->at = next_event(r, r->at);
	}
	if (a.kind == ACTION_ISSUE && !r->dep) {
		uint32_t k = a.helper - (p->nthreads - p->nhelpers);
		p->start(p, a.helper, r->helper + (size_t)k * p->state_size, a.payload);
	}
	if (a.kind != ACTION_READ && a.kind != ACTION_BARRIER)
		return true;
	bool stays = a.kind == ACTION_BARRIER && !a.arrive_only &&
		!(r->n->x.event[first].flags & EVENT_DONE);
	answer_rerun(r, first, count, &a);
	return !stays;
}

/* Runs the thread with the value of read UNKNOWN unknown; DEP: its row. */
static void rerun_thread(struct rerun *r, uint32_t unknown, uint64_t *dep)
{
	const struct explore_program *p = r->g->program;
	const struct execution *x = &r->n->x;
	uint32_t first_helper = p->nthreads - p->nhelpers,
		 begin = row_next(ROW(x, thread, r->thread), x->words, 0);
	r->unknown = unknown;
	r->dep = dep;
	r->at = begin;
	memset(r->state, 0, p->state_size);
	if (r->thread < first_helper)
		p->begin(p, r->thread, r->state);
	else if (begin != ROW_END) { /* its first event is its issue */
		memcpy(r->state, r->helper + (size_t)(r->thread - first_helper) * p->state_size,
			p->state_size);
		r->at = next_event(r, begin);
	}
	while (rerun_step(r))
		;
	for (; r->at != ROW_END; r->at = next_event(r, r->at))
		record_dependency(r, r->at);
}

/* All events of an asynchronous operation whose issue depends on a read depend on that read. */
static void spread_to_helpers(const struct execution *x, uint64_t *dep)
{
	for (uint32_t t = 0; x->issue && t < x->model->nthreads; t++) {
		for (uint32_t r = 0; x->issue[t] != MODEL_NONE && r < x->n; r++) {
			if (row_has(dep + (size_t)r * x->words, x->issue[t]))
				row_or(dep + (size_t)r * x->words, ROW(x, thread, t), x->words);
		}
	}
}

void depend_find(const struct node *n, struct grower *g, uint64_t *dep)
{
	const struct explore_program *p = g->program;
	const struct execution *x = &n->x;
	struct rerun r = {.n = n,
		.g = g,
		.state = memory_zeroed(1, p->state_size),
		.helper = memory_zeroed(p->nhelpers + 1u, p->state_size)};
	for (r.thread = 0; r.thread < p->nthreads; r.thread++) {
		if (p->nhelpers && r.thread < p->nthreads - p->nhelpers)
			rerun_thread(&r, MODEL_NONE, NULL); /* a full run, which records the initial
							    states of its asynchronous operations */
		ROW_EACH(ROW(x, thread, r.thread), x->words, e) {
			const struct event *v = &x->event[e];
			if (v->kind == EVENT_READ && v->rf != MODEL_NONE &&
				!(x->event[v->rf].flags & EVENT_INITIAL))
				rerun_thread(&r, e, dep + (size_t)e * x->words);
		}
	}
	spread_to_helpers(x, dep);
	memory_drop(r.state);
	memory_drop(r.helper);
}
