/* The executions that would give an impossible outcome and are nearest to an allowed execution:
 * those with the fewest reads that differ (none and one count the same: then only the final memory
 * differs) and, of these, the fewest words of final memory that differ. What forbids them is what
 * the program relies on. */
#include "base/memory.h"
#include "explore/explain/explain.h"
#include "explore/search/final.h"
#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_ALLOWED = 32, MAX_LEAVES = 200000 };

/* An event of a thread, independent of the execution's event numbers. SOURCE: of a read, the write
 * that it reads from, as thread << 32 | its position in that thread. */
struct shape_event {
	uint32_t place;
	uint64_t source;
};

struct shape {
	struct shape_event *event;
	uint32_t *first; /* [nthreads + 1] */
	const uint64_t *value;
};

static uint32_t rank_of(const struct execution *x, uint32_t e)
{
	uint32_t k = 0;
	ROW_EACH(ROW(x, thread, x->event[e].thread), x->words, i) {
		if (i == e)
			break;
		k++;
	}
	return k;
}

static void shape_of(
	struct shape *s, const struct execution *x, uint32_t nthreads, const uint64_t *value)
{
	uint32_t n = 0;
	s->event = memory_resize(s->event, (x->n + 1u) * sizeof *s->event);
	s->first = memory_resize(s->first, (nthreads + 1u) * sizeof *s->first);
	s->value = value;
	for (uint32_t t = 0; t < nthreads; t++) {
		s->first[t] = n;
		ROW_EACH(ROW(x, thread, t), x->words, e) {
			uint32_t w = x->event[e].kind == EVENT_READ ? x->event[e].rf : MODEL_NONE;
			bool initial = w != MODEL_NONE && x->event[w].flags & EVENT_INITIAL;
			s->event[n++] = (struct shape_event){x->event[e].place,
				w == MODEL_NONE ? UINT64_MAX
					: initial
					? UINT64_MAX - 1
					: (uint64_t)x->event[w].thread << 32 | rank_of(x, w)};
		}
	}
	s->first[nthreads] = n;
}

static void shape_free(struct shape *s)
{
	memory_drop(s->event);
	memory_drop(s->first);
}

/* The number of reads that differ between A and B, plus events that only one of them has; at
 * least 1. */
static uint32_t shape_distance(
	const struct shape *a, const struct shape *b, const struct explore_program *p)
{
	uint32_t d = 0;
	for (uint32_t t = 0; t < p->nthreads; t++) {
		uint32_t n = a->first[t + 1] - a->first[t], m = b->first[t + 1] - b->first[t],
			 common = n < m ? n : m;
		d += n + m - 2 * common;
		for (uint32_t k = 0; k < common; k++) {
			const struct shape_event *e = &a->event[a->first[t] + k],
						 *f = &b->event[b->first[t] + k];
			d += e->place != f->place ? 2 : e->source != f->source;
		}
	}
	return d ? d : 1;
}

/* The number of observed words of memory that differ. */
static uint32_t memory_distance(
	const struct shape *a, const struct shape *b, const struct explore_program *p)
{
	uint32_t d = 0;
	for (uint32_t k = 0; k < p->nobservables; k++)
		d += p->observable[k].kind == OBSERVE_MEMORY && a->value[k] != b->value[k];
	return d;
}

struct nearest {
	const struct explore_program *program;
	const struct explore_condition *condition;
	const struct explore_options *options;
	struct shape allowed[MAX_ALLOWED], here;
	uint32_t nallowed, leaves;
	struct worker worker;
	struct near *out;
};

static void consider_candidate(void *arg, const uint64_t *value)
{
	struct nearest *s = arg;
	uint32_t least = UINT_MAX, memory = 0;
	if (!s->condition->holds(s->condition->client, value))
		return;
	s->here.value = value;
	for (uint32_t k = 0; k < s->nallowed; k++) {
		uint32_t d = shape_distance(&s->here, &s->allowed[k], s->program);
		if (d > least)
			continue;
		uint32_t m = memory_distance(&s->here, &s->allowed[k], s->program);
		memory = d < least || m < memory ? m : memory;
		least = d;
	}
	struct near *o = s->out;
	if (least > o->distance || (least == o->distance && o->count == MAX_NEAR))
		return;
	if (least < o->distance)
		o->count = 0;
	o->distance = least;
	uint32_t ntrail = s->worker.trail.count;
	o->outcome[o->count++] = (struct explore_outcome){.count = memory,
		.value = arena_copy(&o->arena, value, s->program->nobservables * sizeof *value, 8),
		.trail = arena_copy(&o->arena, s->worker.trail.data, ntrail * sizeof(uint16_t), 2),
		.ntrail = ntrail};
}

static void nearest_leaf(void *arg, struct worker *w, struct node *n, enum leaf_kind kind)
{
	struct nearest *s = arg;
	if (kind != LEAF_EXECUTION)
		return;
	s->leaves++;
	shape_of(&s->here, &n->x, s->program->nthreads, NULL);
	final_states(n, &w->grower, consider_candidate, s);
}

static bool nearest_stopped(void *arg)
{
	struct nearest *s = arg;
	s->out->cut = s->out->cut || s->leaves >= MAX_LEAVES || explore_late(s->options);
	return s->out->cut;
}

void why_nearest(const struct explore_result *r, const struct explore_options *free,
	const struct explore_condition *condition, struct near *out)
{
	struct nearest s = {
		.program = r->program, .condition = condition, .options = free, .out = out};
	*out = (struct near){.distance = UINT_MAX};
	for (uint32_t i = 0; i < r->outcomes.list.count && s.nallowed < MAX_ALLOWED; i++) {
		const struct explore_outcome *o = &r->outcomes.list.data[i];
		struct witness w;
		if (witness_build(&w, r, o->trail, o->ntrail, o->value, false))
			shape_of(&s.allowed[s.nallowed++], &w.x, r->program->nthreads, o->value);
		witness_free(&w);
	}
	worker_init(&s.worker, r->program, free);
	s.worker.leaf = nearest_leaf;
	s.worker.leaf_arg = &s;
	s.worker.stopped = nearest_stopped;
	worker_search(&s.worker, NULL, 0);
	worker_free(&s.worker);
	shape_free(&s.here);
	while (s.nallowed)
		shape_free(&s.allowed[--s.nallowed]);
}
