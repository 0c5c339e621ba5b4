/* Lost contests. A cas that fails is only a read. Let the writes of a location be a chain of
 * morally strong cas, each of which reads what the one before it wrote; then another can only
 * follow the last, and the values to come are all that the cas still to come can make of the
 * present one (those that threads have not reached yet are known from explore_program.reach). If a
 * cas waits for none of them, it fails whichever write it reads, now or later.
 *
 * If its thread then does the same whichever it is, too (trial.h), let E be an execution in which
 * it reads write W of the chain, F the first write that it may read, and E' as E, but with F
 * instead. What F releases to the read, W does through the chain, so causality in E' is part of
 * that in E. Coherence is the same. So no axiom fails in E' that holds in E, except for the read
 * itself: no write after F may be before it in causality. None is now, or F were no candidate, and
 * none will ever be if all that precedes the read is decided. Outcomes are the same, and a race of
 * E is one of E'; and the read is in no loop, in whose last round it would have to read the last
 * write. So only E' is explored: the read has no choice. */
#include "explore/search/contest.h"
#include "explore/search/stage.h"
#include "explore/search/trial.h"

/* Whether a strong access with SCOPE includes all threads. */
static bool includes_all(const struct grower *g, uint8_t scope)
{
	return scope == SCOPE_SYS || (scope == SCOPE_GPU && g->one_gpu);
}

static bool has_value(const struct contest *c, uint64_t value)
{
	for (uint32_t k = 0; k < c->count; k++) {
		if (c->value[k] == value)
			return true;
	}
	return false;
}

/* A cas may still write VALUE over OVER. False: there are too many values. *MORE: it may do so
 * now. */
static bool add_swap(struct contest *c, uint64_t over, uint64_t value, bool *more)
{
	if (!has_value(c, over) || has_value(c, value))
		return true;
	if (c->count == CONTEST_VALUES)
		return false;
	c->value[c->count++] = value;
	*more = true;
	return true;
}

/* Adds what the events of N may still write. False: something else than a cas of the chain may. */
static bool add_open_writes(
	const struct node *n, const struct grower *g, struct contest *c, bool *more)
{
	const struct execution *x = &n->x;
	uint32_t size = g->locations.phys.data[c->phys].size;
	for (uint32_t i = 0; i < x->n; i++) {
		const struct event *e = &x->event[i];
		bool open = e->kind == EVENT_VOID
			? e->flags & EVENT_MAYBE
			: e->kind == EVENT_WRITE && !(e->flags & EVENT_KNOWN);
		if (!open || (e->phys != c->phys && e->phys != MODEL_NONE))
			continue;
		if (e->phys == MODEL_NONE || !(e->flags & EVENT_SWAPS) || e->size != size ||
			!includes_all(g, e->scope) || !add_swap(c, e->value[1], e->value[0], more))
			return false;
	}
	return true;
}

/* The same for what thread T has not reached yet. */
static bool add_later_writes(
	const struct node *n, const struct grower *g, struct contest *c, uint32_t t, bool *more)
{
	uint64_t at = g->locations.phys.data[c->phys].address;
	uint32_t size = g->locations.phys.data[c->phys].size;
	const struct reach *r = n->run[t].reach == MODEL_NONE ? NULL
							      : &g->reach.data[n->run[t].reach];
	if (!node_may_write(n, g, t, at, size))
		return true;
	if (!r || r->anywhere)
		return false;
	for (uint32_t k = 0; k < r->range.count; k++) {
		const struct range *one = &r->range.data[k];
		if (one->phys < at + size && at < one->phys + one->size && !one->swaps)
			return false;
	}
	for (uint32_t k = 0; k < r->swap.count; k++) {
		const struct swap *s = &r->swap.data[k];
		if (s->phys >= at + size || at >= s->phys + s->size)
			continue;
		if (s->phys != at || s->size != size || !includes_all(g, s->scope) ||
			!add_swap(c, s->over, s->value, more))
			return false;
	}
	return true;
}

/* Whether write W was there before N's stage began. */
static bool was_there(const struct node *n, const struct grower *g, uint32_t w)
{
	const struct event *e = &n->x.event[w];
	return e->flags & EVENT_INITIAL || (g->stages && g->program->stage[e->thread] < n->stage);
}

/* Whether event I is half of an atom of a chain. */
static bool in_chain(const struct node *n, const struct grower *g, uint32_t i)
{
	const struct event *e = &n->x.event[i];
	return e->group == MODEL_NONE && event_strong(e) && e->proxy == PROXY_GENERIC &&
		includes_all(g, e->scope);
}

/* The last write of location PHYS, if the writes of N's stage are a chain of atoms that ends in it,
 * and begins with the last write that was there. MODEL_NONE: they are not. */
static uint32_t end_of_chain(const struct node *n, const struct grower *g, uint32_t phys)
{
	const struct execution *x = &n->x;
	uint32_t last = MODEL_NONE, w, others = 0;
	ROW_EACH(ROW(x, phys, phys), x->words, z) {
		if (!row_has(ROW(x, set, SET_KNOWN), z))
			continue;
		others += !was_there(n, g, z);
		if (last == MODEL_NONE || row_has(RARE(x, co, last), z))
			last = z;
	}
	for (w = last; w != MODEL_NONE && !was_there(n, g, w); others--) {
		uint32_t q = x->event[w].partner;
		if (q == MODEL_NONE || !row_has(ROW(x, set, SET_RMW), q) || !in_chain(n, g, w) ||
			!in_chain(n, g, q))
			return MODEL_NONE;
		w = x->event[q].rf;
	}
	ROW_EACH(ROW(x, phys, phys), x->words, z) {
		if (w != MODEL_NONE && x->event[z].kind == EVENT_WRITE && was_there(n, g, z) &&
			z != w && !row_has(RARE(x, co, z), w))
			return MODEL_NONE;
	}
	return others ? MODEL_NONE : last;
}

static void find_contest(
	const struct node *n, const struct grower *g, uint32_t phys, struct contest *c)
{
	const struct explore_program *p = g->program;
	uint32_t last = end_of_chain(n, g, phys);
	*c = (struct contest){.phys = phys};
	if (last == MODEL_NONE)
		return;
	c->value[c->count++] = n->x.event[last].value[0];
	for (bool more = true; more;) {
		more = false;
		if (!add_open_writes(n, g, c, &more))
			return;
		for (uint32_t t = 0; t < p->nthreads; t++) {
			if (n->run[t].status < RUN_ENDED && !stage_is_later(n, g, t) &&
				!add_later_writes(n, g, c, t, &more))
				return;
		}
	}
	c->closed = true;
}

/* Whether nothing that is open now can order more events before R. */
static bool is_settled(const struct node *n, const struct grower *g, uint32_t r)
{
	const struct execution *x = &n->x;
	ROW_EACH(execution_all_before(x, r), x->words, i) {
		const struct event *e = &x->event[i];
		if (e->kind == EVENT_READ ? e->rf == MODEL_NONE
				: e->kind == EVENT_VOID
				? e->flags & EVENT_MAYBE
				: e->kind == EVENT_FENCE && e->sem == SEM_SC && !was_there(n, g, i))
			return false;
	}
	return true;
}

/* The first write of ROW, candidates that coherence orders. */
static uint32_t first_write(const struct execution *x, const uint64_t *row)
{
	uint32_t first = row_next(row, x->words, 0);
	ROW_EACH(row, x->words, w) {
		if (row_has(RARE(x, co, w), first))
			first = w;
	}
	return first;
}

/* Whether R is the read of a cas that may fail without a trace, *OVER what it waits for. */
static bool may_lose(const struct node *n, const struct grower *g, uint32_t r, uint64_t *over)
{
	const struct execution *x = &n->x;
	const struct event *e = &x->event[r];
	uint32_t v = row_next(ROW(x, thread, e->thread), x->words, r + 1);
	if (!(e->flags & EVENT_ONCE) || e->flags & EVENT_ELEMENT || g->program->aliases ||
		g->locations.phys.data[e->phys].overlaps || !in_chain(n, g, r) || v == ROW_END ||
		!(x->event[v].flags & EVENT_SWAPS))
		return false;
	*over = x->event[v].value[1];
	return true;
}

bool contest_lost(const struct node *n, struct grower *g, struct contest *c, uint32_t r,
	const uint64_t *row, uint32_t *from)
{
	const struct execution *x = &n->x;
	uint64_t over, did, same;
	if (!g->commute || !may_lose(n, g, r, &over))
		return false;
	ROW_EACH(row, x->words, w) {
		if (x->event[w].value[0] == over)
			return false;
	}
	if (c->phys != x->event[r].phys)
		find_contest(n, g, x->event[r].phys, c);
	if (!c->closed || has_value(c, over) || !is_settled(n, g, r))
		return false;
	*from = first_write(x, row);
	if (!trial_fails(n, g, r, x->event[*from].value[0], &did))
		return false;
	ROW_EACH(row, x->words, w) {
		if (!trial_fails(n, g, r, x->event[w].value[0], &same) || same != did)
			return false;
	}
	for (uint32_t k = 0; k < c->count; k++) {
		if (!trial_fails(n, g, r, c->value[k], &same) || same != did)
			return false;
	}
	return true;
}
