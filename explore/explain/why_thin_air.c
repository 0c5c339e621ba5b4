/* Values out of thin air: a branch of the search in which every read that is left would have to
 * read from a write that cannot exist, or has no value, before another of these reads is decided.
 * The cycle of such reads is the explanation. */
#include "base/memory.h"
#include "explore/explain/explain.h"
#include <string.h>

/* Of a read: the write that it waits for, or MODEL_NONE and the thread that might write it; and the
 * read on which that depends. */
struct need {
	uint32_t write, thread, read;
	bool meets; /* through a barrier at which THREAD waits */
};

struct thin_air {
	const struct explore_options *options;
	const struct explore_names *names;
	struct text *out;
	struct worker worker;
	bool found;
};

static bool is_pending(const struct execution *x, uint32_t r)
{
	return row_has(ROW(x, set, SET_PENDING), r);
}

/* A read of THREAD before END (MODEL_NONE: any) that is not decided, or MODEL_NONE. */
static uint32_t pending_of(const struct execution *x, uint32_t thread, uint32_t end)
{
	uint32_t last = MODEL_NONE;
	ROW_EACH(ROW(x, thread, thread), x->words, r) {
		if (r < end && is_pending(x, r))
			last = r;
	}
	return last;
}

/* What R waits for, of another thread, that depends on a read that is not decided; false if there
 * is nothing. */
static bool find_need(const struct node *n, const struct grower *g, uint32_t r, struct need *out)
{
	const struct execution *x = &n->x;
	const struct explore_program *p = g->program;
	uint32_t phys = x->event[r].phys;
	uint64_t at = g->locations.phys.data[phys].address;
	ROW_EACH(ROW(x, phys, phys), x->words, w) {
		const struct event *e = &x->event[w];
		if (e->kind != EVENT_WRITE || e->flags & (EVENT_KNOWN | EVENT_INITIAL) ||
			e->thread == x->event[r].thread)
			continue;
		*out = (struct need){w, e->thread, pending_of(x, e->thread, w), false};
		if (out->read != MODEL_NONE)
			return true;
	}
	for (uint32_t t = 0; t < p->nthreads; t++) {
		uint8_t status = n->run[t].status;
		if (t == x->event[r].thread || (status != RUN_STALLED && status != RUN_BLOCKED) ||
			!node_may_write(n, g, t, at, x->event[r].size))
			continue;
		*out = (struct need){MODEL_NONE, t, pending_of(x, t, MODEL_NONE), false};
		if (status == RUN_STALLED && out->read != MODEL_NONE)
			return true;
		for (uint32_t u = 0; status == RUN_BLOCKED && u < p->nthreads; u++) {
			out->read = pending_of(x, u, MODEL_NONE);
			out->meets = true;
			if (u != t && n->run[u].status == RUN_STALLED &&
				same_cta(&p->place[t], &p->place[u]) && out->read != MODEL_NONE)
				return true;
		}
	}
	return false;
}

static void say_need(struct explain *e, uint32_t r, const struct need *need)
{
	const struct execution *x = e->x;
	text_puts(e->out, "    ");
	explain_event(e, r);
	if (need->write != MODEL_NONE) {
		text_puts(e->out, "\n      would read from ");
		explain_event(e, need->write);
		text_puts(e->out, ", which depends on ");
	} else {
		text_puts(e->out, "\n      would read what ");
		e->names->location(e->names->client,
			e->g->locations.phys.data[x->event[r].phys].address, x->event[r].size,
			e->out);
		text_puts(e->out, " gets from ");
		e->names->thread(e->names->client, need->thread, e->out);
		text_puts(e->out, " only after ");
	}
	explain_event(e, need->read);
	text_puts(e->out, need->meets ? ", since it waits at a barrier\n" : "\n");
}

/* Explains a cycle among the reads of N that are not decided, if there is one. */
static void dead_end(void *arg, struct worker *w, struct node *n)
{
	struct thin_air *s = arg;
	const struct execution *x = &n->x;
	if (s->found)
		return;
	struct need *need = memory_zeroed(x->n + 1, sizeof *need);
	uint8_t *seen = memory_zeroed(x->n + 1, 1);
	ROW_EACH(ROW(x, set, SET_PENDING), x->words, first) {
		uint32_t r = first;
		memset(seen, 0, x->n);
		while (!seen[r] && find_need(n, &w->grower, r, &need[r])) {
			seen[r] = 1;
			r = need[r].read;
		}
		if (!seen[r])
			continue;
		struct explain e;
		explain_begin(&e, x, &w->grower, s->names, s->out);
		text_puts(s->out,
			"  Other values would come out of thin air (No-thin-air): each of these reads waits for the next, and the last for the first:\n");
		uint32_t begin = r;
		do {
			say_need(&e, r, &need[r]);
			r = need[r].read;
		} while (r != begin);
		explain_end(&e);
		s->found = true;
		break;
	}
	memory_drop(seen);
	memory_drop(need);
}

static void ignore_leaf(void *arg, struct worker *w, struct node *n, enum leaf_kind kind)
{
	(void)arg;
	(void)w;
	(void)n;
	(void)kind;
}

static bool thin_air_stopped(void *arg)
{
	const struct thin_air *s = arg;
	return s->found || explore_late(s->options);
}

void why_thin_air(const struct explore_program *p, const struct explore_options *free,
	const struct explore_names *names, struct text *out)
{
	struct thin_air s = {.options = free, .names = names, .out = out};
	struct explore_options all = *free;
	all.all_branches = true; /* the dead ends are what is looked for */
	worker_init(&s.worker, p, &all);
	s.worker.leaf = ignore_leaf;
	s.worker.dead = dead_end;
	s.worker.leaf_arg = &s;
	s.worker.stopped = thin_air_stopped;
	worker_search(&s.worker, NULL, 0);
	worker_free(&s.worker);
}
