/* Waiting reads. A read that only makes its thread ask again (a poll, a failed cas in a loop)
 * leaves no trace: the thread is where it was, and what it read orders nothing, because nothing of
 * its thread follows. So an execution in which it reads such a write is one in which it reads
 * another write later, or one in which it asks forever. The first is explored where the read gets a
 * write with which the thread goes on; the second after everything else is decided (search.c).
 * Until then such writes are no candidates, so no branch is searched for them. */
#include "explore/search/retry.h"
#include <string.h>

enum effect { EFFECT_OTHER, EFFECT_ASKS_AGAIN, EFFECT_WRITES };

/* A thread that is run again, up to where it stopped, with a value for its pending read R. */
struct trial {
	const struct node *n;
	struct grower *g;
	uint32_t thread, r, last;
	uint32_t actions; /* that it has done since R, R among them */
};

/* Answers action A, whose event is ID, as in the execution; or with VALUE if ID is the read. False:
 * it has no answer yet. */
static bool answer_trial(struct trial *t, uint32_t id, struct action *a, const uint64_t *value)
{
	const struct event *e = &t->n->x.event[id];
	if (a->kind == ACTION_READ) {
		a->value_known = id == t->r || e->rf != MODEL_NONE;
		a->only = id != t->r && e->flags & EVENT_ONLY;
		if (a->value_known)
			memcpy(a->value, id == t->r ? value : e->value, sizeof a->value);
	} else {
		a->value[1] = e->value[1];
		a->value_known = e->flags & EVENT_DONE;
		if (!a->arrive_only && !a->value_known)
			return false;
	}
	t->g->program->answer(t->g->program, t->thread, t->g->state, a);
	return true;
}

/* What R's thread does if R reads VALUE. Everything but a spin of which R is the only access, and a
 * write that forms an atom with R, is EFFECT_OTHER. */
static enum effect effect_of(
	const struct node *n, struct grower *g, uint32_t r, const uint64_t *value)
{
	const struct explore_program *p = g->program;
	const struct execution *x = &n->x;
	struct trial t = {n, g, x->event[r].thread, r, n->run[x->event[r].thread].last, 0};
	memcpy(g->state, n->run[t.thread].state, p->state_size);
	for (;;) {
		struct action a = {.scratch = g->scratch};
		p->step(p, t.thread, g->state, &a);
		g->work[WORK_STEPS]++;
		if (a.kind >= ACTION_STALL)
			return a.kind == ACTION_SPIN && t.actions && a.spin_events == t.actions
				? EFFECT_ASKS_AGAIN
				: EFFECT_OTHER;
		uint32_t id = row_next(
			ROW(x, thread, t.thread), x->words, t.last == MODEL_NONE ? 0 : t.last + 1);
		bool access = a.kind == ACTION_READ || a.kind == ACTION_WRITE;
		if (id == ROW_END || a.kind == ACTION_ISSUE ||
			(access && a.size != x->event[id].size))
			return EFFECT_OTHER;
		if (t.actions && !(a.kind == ACTION_WRITE && a.rmw))
			return EFFECT_OTHER;
		if (t.actions && !a.none)
			return a.maybe ? EFFECT_OTHER : EFFECT_WRITES;
		t.actions += t.actions || id == r;
		t.last = id;
		if ((a.kind == ACTION_READ || a.kind == ACTION_BARRIER) &&
			!answer_trial(&t, id, &a, value))
			return EFFECT_OTHER;
	}
}

/* Whether nothing of R's thread but the write of its atom follows R, and the thread waits for a
 * value. */
static bool thread_waits(const struct node *n, uint32_t r)
{
	const struct execution *x = &n->x;
	const struct event *e = &x->event[r];
	const uint64_t *thread = ROW(x, thread, e->thread);
	uint32_t next = row_next(thread, x->words, r + 1);
	if (n->run[e->thread].status != RUN_STALLED || e->group != MODEL_NONE)
		return false;
	if (next == ROW_END)
		return true;
	return row_next(thread, x->words, next + 1) == ROW_END &&
		(x->event[next].kind == EVENT_WRITE || x->event[next].kind == EVENT_VOID) &&
		x->event[next].group == MODEL_NONE;
}

bool retry_drop(const struct node *n, struct grower *g, uint32_t r, uint64_t *row)
{
	const struct execution *x = &n->x;
	bool forever = false;
	if (!g->waits || !thread_waits(n, r))
		return false;
	ROW_EACH(row, x->words, w) {
		enum effect effect = effect_of(n, g, r, x->event[w].value);
		if (effect == EFFECT_ASKS_AGAIN)
			forever |= row_empty(RARE(x, co, w), x->words);
		if (effect == EFFECT_ASKS_AGAIN ||
			(effect == EFFECT_WRITES && execution_taken(x, w, r)))
			row_drop(row, w);
	}
	return forever;
}

void retry_forever(const struct node *n, struct grower *g, uint32_t r, uint64_t *row)
{
	const struct execution *x = &n->x;
	execution_candidates(x, r, row);
	if (!g->waits || !thread_waits(n, r)) {
		row_clear(row, x->words);
		return;
	}
	ROW_EACH(row, x->words, w) {
		if (!row_empty(RARE(x, co, w), x->words) ||
			effect_of(n, g, r, x->event[w].value) != EFFECT_ASKS_AGAIN)
			row_drop(row, w);
	}
}
