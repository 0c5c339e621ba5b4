/* Barriers during the search: who has come, which phases complete, and the choice of who comes first where more may come than are counted. */
#include "explore/graph.h"
#include <string.h>

/* Two arrivals at the same barrier object, of the same phase where phases are known from counting. */
static bool same_barrier(const struct node *n, const struct grower *g, const struct arrival *a, const struct arrival *b)
{
	const struct placement *p = &g->program->place[a->thread], *q = &g->program->place[b->thread];
	(void)n;
	if (p->cta != q->cta || p->gpu != q->gpu || a->rule != b->rule)
		return false;
	return a->rule == BARRIER_NUMBER ? a->number == b->number : a->site == b->site && a->occurrence == b->occurrence;
}

static bool synchronises(const struct arrival *a, const struct arrival *b) { return a->rule == BARRIER_NUMBER || a->number == b->number; }

/* B is released and comes after A. */
static void edge(struct node *n, const struct grower *g, const struct arrival *a, const struct arrival *b)
{
	if (a->thread != b->thread && !b->arrive_only && !(g->model.off & OFF_BARRIER))
		execution_order(&n->x, a->event, b->event);
}

static void release(struct node *n, struct arrival *a)
{
	n->x.event[a->event].flags |= EVENT_DONE;
	a->released = true;
	if (!a->arrive_only)
		n->run[a->thread].stale = true;
}

static void forget(struct node *n, uint32_t i)
{
	memmove(&n->arrival.data[i], &n->arrival.data[i + 1], (n->arrival.count - i - 1) * sizeof *n->arrival.data);
	n->arrival.count--;
}

/* Whether THREAD may still arrive at the barrier of FIRST. */
static bool may_join(const struct node *n, const struct grower *g, const struct arrival *first, uint32_t thread)
{
	const struct placement *p = &g->program->place[thread], *q = &g->program->place[first->thread];
	const struct run *r = &n->run[thread];
	if (p->cta != q->cta || p->gpu != q->gpu || r->status == RUN_ENDED)
		return false;
	return first->rule == BARRIER_NUMBER || g->program->has_site(g->program, thread, first->site);
}

static bool has_arrived(const struct node *n, const struct grower *g, const struct arrival *first, uint32_t thread)
{
	for (uint32_t i = 0; i < n->arrival.count; i++) {
		const struct arrival *a = &n->arrival.data[i];
		if (a->thread == thread && same_barrier(n, g, first, a))
			return true;
	}
	return false;
}

/* An uncounted barrier completes when every thread that may come has come. */
static bool complete_uncounted(struct node *n, struct grower *g, const struct arrival *first)
{
	for (uint32_t t = 0; t < g->program->nthreads; t++) {
		if (may_join(n, g, first, t) && !has_arrived(n, g, first, t))
			return false;
	}
	const struct arrival key = *first;
	for (uint32_t i = 0; i < n->arrival.count; i++) {
		struct arrival *a = &n->arrival.data[i];
		if (!same_barrier(n, g, &key, a))
			continue;
		for (uint32_t k = 0; k < n->arrival.count; k++) {
			struct arrival *b = &n->arrival.data[k];
			if (same_barrier(n, g, &key, b) && synchronises(a, b))
				edge(n, g, a, b);
		}
		release(n, a);
	}
	for (uint32_t i = n->arrival.count; i-- > 0;) {
		if (same_barrier(n, g, &key, &n->arrival.data[i]))
			forget(n, i);
	}
	return true;
}

/* Of a counted barrier: how many wait (WAITING, of those at or past the snapshot FRESH) and how many are through (only where the barrier stays open). */
struct tally {
	uint32_t waiting, fresh, released;
	bool more; /* somebody may still come */
};

static struct tally count_arrivals(const struct node *n, const struct grower *g, const struct arrival *first)
{
	struct tally t = {0};
	for (uint32_t i = 0; i < n->arrival.count; i++) {
		const struct arrival *a = &n->arrival.data[i];
		if (!same_barrier(n, g, first, a) || !synchronises(first, a))
			continue;
		if (a->released)
			t.released++;
		else
			t.waiting++, t.fresh += !a->seen;
	}
	for (uint32_t k = 0; k < g->program->nthreads; k++) {
		if (may_join(n, g, first, k) && n->run[k].status != RUN_SPINS && (first->rule == BARRIER_NUMBER || !has_arrived(n, g, first, k)) &&
		    (n->run[k].status != RUN_BLOCKED))
			t.more = true;
	}
	return t;
}

/* The members of the next group to pass, OPTION of them in the order of their choosing; false past the last. MEMBER gets indices into n->arrival. */
static bool group(const struct node *n, const struct grower *g, const struct arrival *first, uint32_t size, uint32_t option, uint32_t *member)
{
	uint32_t pool[64], count = 0;
	for (uint32_t i = 0; i < n->arrival.count && count < 64; i++) {
		const struct arrival *a = &n->arrival.data[i];
		if (same_barrier(n, g, first, a) && synchronises(first, a) && !a->released)
			pool[count++] = i;
	}
	if (size > count)
		return false;
	uint32_t pick[64];
	for (uint32_t i = 0; i < size; i++)
		pick[i] = i;
	for (;;) {
		bool fresh = false;
		for (uint32_t i = 0; i < size; i++)
			fresh |= !n->arrival.data[pool[pick[i]]].seen;
		if (fresh && option-- == 0) {
			for (uint32_t i = 0; i < size; i++)
				member[i] = pool[pick[i]];
			return true;
		}
		uint32_t i = size;
		while (i > 0 && pick[i - 1] == count - size + i - 1)
			i--;
		if (!i)
			return false;
		pick[i - 1]++;
		for (; i < size; i++)
			pick[i] = pick[i - 1] + 1;
	}
}

/* The group passes: its members order each other, and where the barrier stays open come after all that passed before. */
static void pass(struct node *n, struct grower *g, const uint32_t *member, uint32_t size)
{
	const struct arrival first = n->arrival.data[member[0]];
	for (uint32_t i = 0; i < size; i++) {
		struct arrival *a = &n->arrival.data[member[i]];
		for (uint32_t k = 0; k < size; k++)
			edge(n, g, &n->arrival.data[member[k]], a);
		for (uint32_t k = 0; k < n->arrival.count; k++) {
			const struct arrival *b = &n->arrival.data[k];
			if (b->released && same_barrier(n, g, &first, b) && synchronises(&first, b))
				edge(n, g, b, a);
		}
	}
	for (uint32_t i = 0; i < size; i++)
		release(n, &n->arrival.data[member[i]]);
	for (uint32_t i = n->arrival.count; i-- > 0;) {
		struct arrival *a = &n->arrival.data[i];
		if (!same_barrier(n, g, &first, a) || !synchronises(&first, a))
			continue;
		a->seen = 0;
		if (a->released && first.rule == BARRIER_NUMBER)
			forget(n, i);
	}
}

static uint32_t group_size(const struct arrival *first, const struct tally *t) { return t->released ? 1 : first->count; }

bool node_complete_barriers(struct node *n, struct grower *g)
{
	bool some = false;
	for (uint32_t i = 0; i < n->arrival.count;) {
		const struct arrival *first = &n->arrival.data[i];
		bool done = false;
		if (!first->released && !first->count) {
			done = complete_uncounted(n, g, first);
		} else if (!first->released) {
			struct tally t = count_arrivals(n, g, first);
			uint32_t size = group_size(first, &t), member[64], second[64];
			if (!t.more && t.waiting >= size && size <= 64 && group(n, g, first, size, 0, member) && !group(n, g, first, size, 1, second)) {
				pass(n, g, member, size);
				done = true;
			}
		}
		some |= done;
		i = done ? 0 : i + 1;
	}
	return some;
}

static bool choice_at(struct node *n, struct grower *g, uint32_t *index, struct tally *t)
{
	for (uint32_t i = 0; i < n->arrival.count; i++) {
		const struct arrival *first = &n->arrival.data[i];
		uint32_t member[64];
		if (first->released || !first->count)
			continue;
		*t = count_arrivals(n, g, first);
		if (t->waiting >= group_size(first, t) && group_size(first, t) <= 64 && group(n, g, first, group_size(first, t), 0, member)) {
			*index = i;
			return true;
		}
	}
	return false;
}

bool node_barrier_choice(struct node *n, struct grower *g, uint32_t *noptions)
{
	uint32_t i, member[64];
	struct tally t;
	if (!choice_at(n, g, &i, &t))
		return false;
	const struct arrival *first = &n->arrival.data[i];
	for (*noptions = 0; group(n, g, first, group_size(first, &t), *noptions, member);)
		++*noptions;
	*noptions += t.more;
	return true;
}

void node_barrier_take(struct node *n, struct grower *g, uint32_t option)
{
	uint32_t i, member[64];
	struct tally t;
	if (!choice_at(n, g, &i, &t))
		return;
	const struct arrival first = n->arrival.data[i];
	if (group(n, g, &first, group_size(&first, &t), option, member)) {
		pass(n, g, member, group_size(&first, &t));
		return;
	}
	for (uint32_t k = 0; k < n->arrival.count; k++) {
		struct arrival *a = &n->arrival.data[k];
		if (same_barrier(n, g, &first, a) && synchronises(&first, a) && !a->released)
			a->seen = 1;
	}
}
