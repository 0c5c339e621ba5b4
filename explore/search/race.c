/* Data races of an execution. Every pair is reported once, by its two instructions, with the
 * execution that has the least trail. */
#include "explore/search/race.h"
#include "explore/search/trail.h"
#include "base/memory.h"
#include <stdlib.h>
#include <string.h>

static bool same_race(const struct race_record *a, const struct race_record *b)
{
	return !memcmp(a->thread, b->thread, sizeof a->thread) &&
		!memcmp(a->place, b->place, sizeof a->place) &&
		!memcmp(a->write, b->write, sizeof a->write);
}

static void add_race(struct races *r, const struct race_record *new)
{
	struct race_record *at = NULL;
	for (uint32_t i = 0; i < r->list.count && !at; i++) {
		struct race_record *o = &r->list.data[i];
		if (same_race(o, new))
			at = o;
	}
	if (at && !trail_less(new->trail, new->ntrail, at->trail, at->ntrail))
		return;
	if (at)
		memory_drop(at->trail);
	else
		at = vec_push(&r->list);
	*at = *new;
	at->trail = memory_resize(NULL, new->ntrail * sizeof *at->trail);
	if (new->ntrail)
		memcpy(at->trail, new->trail, new->ntrail * sizeof *at->trail);
}

static const char *race_reason(const struct grower *g, const struct event *a, const struct event *b)
{
	const struct placement *p = &g->program->place[a->thread],
			       *q = &g->program->place[b->thread];
	if (a->proxy != b->proxy)
		return "they go through different proxies";
	if (a->virt != b->virt)
		return "they use different virtual addresses of one location";
	if (!event_strong(a) && !event_strong(b))
		return "both are weak";
	if (!event_strong(a) || !event_strong(b))
		return "one of them is weak";
	if (!scope_includes(a->scope, p, q) || !scope_includes(b->scope, q, p))
		return "the scope of one does not include the other's thread";
	return "nothing orders them";
}

/* Whether the race is already known from an execution whose trail is not greater. */
static bool is_known(const struct races *r, const struct race_record *new)
{
	for (uint32_t i = 0; i < r->list.count; i++) {
		const struct race_record *o = &r->list.data[i];
		if (same_race(o, new))
			return !trail_less(new->trail, new->ntrail, o->trail, o->ntrail);
	}
	return false;
}

/* Whether the accesses differ in size, and both have sizes that the manual names. */
static bool differ_in_size(const struct event *a, const struct event *b)
{
	return !event_overlaps_all(a, b) &&
		!((a->flags | b->flags) & (EVENT_SIZELESS | EVENT_INITIAL));
}

/* Whether program order orders the accesses, so that they do not race. */
static bool in_order(const struct event *a, const struct event *b)
{
	return b->thread == a->thread && b->proxy == a->proxy && b->virt == a->virt;
}

void races_of_sizes(const struct node *n, struct grower *g)
{
	const struct execution *x = &n->x;
	if (!x->pieces)
		return;
	ROW_EACH(ROW(x, set, SET_WRITE), x->words, w) {
		const struct event *a = &x->event[w];
		if (model_stopped(x->model))
			return;
		ROW_EACH(ROW(x, phys, a->phys), x->words, e) {
			const struct event *b = &x->event[e];
			struct explore_mixed pair = {
				true, {a->thread, b->thread}, {a->place, b->place}};
			if (!differ_in_size(a, b) || in_order(a, b) ||
				row_has(RARE(x, cause, w), e) || row_has(RARE(x, cause, e), w))
				continue;
			g->work[WORK_CONFLICTS]++;
			if (explore_mixed_less(&pair, &g->mixed) && execution_unordered(x, w, e))
				explore_mixed_merge(&g->mixed, &pair);
		}
	}
}

void races_find(struct races *r, const struct node *n, struct grower *g, const uint16_t *trail,
	uint32_t ntrail)
{
	const struct execution *x = &n->x;
	if (model_stopped(x->model))
		return;
	ROW_EACH(ROW(x, set, SET_WRITE), x->words, w) {
		const struct event *a = &x->event[w];
		if (a->flags & EVENT_INITIAL)
			continue;
		if (model_stopped_at(x->model, w))
			return;
		for (uint32_t k = 0; k < x->words; k++) {
			uint64_t others = ROW(x, phys, a->phys)[k] & ~RARE(x, ms, w)[k] &
				~RARE(x, cause, w)[k];
			for (; others; others &= others - 1) {
				uint32_t e = k * 64 + (uint32_t)__builtin_ctzll(others);
				const struct event *b = &x->event[e];
				if (in_order(a, b) || differ_in_size(a, b))
					continue;
				if (b->flags & EVENT_INITIAL || (b->kind == EVENT_WRITE && e < w) ||
					row_has(RARE(x, cause, e), w))
					continue;
				bool swap = b->thread < a->thread ||
					(b->thread == a->thread && b->place < a->place);
				const struct event *f = swap ? b : a, *h = swap ? a : b;
				struct race_record new = {.thread = {f->thread, h->thread},
					.place = {f->place, h->place},
					.write = {f->kind == EVENT_WRITE, h->kind == EVENT_WRITE},
					.why = race_reason(g, f, h),
					.trail = (uint16_t *)(uintptr_t)trail,
					.ntrail = ntrail};
				if (is_known(r, &new))
					continue;
				g->work[WORK_CONFLICTS]++;
				if (execution_unordered(x, w, e))
					add_race(r, &new);
			}
		}
	}
}

void races_add_at(
	struct races *r, const struct race_record *race, const uint16_t *trail, uint32_t ntrail)
{
	struct race_record new = *race;
	new.trail = (uint16_t *)(uintptr_t)trail;
	new.ntrail = ntrail;
	add_race(r, &new);
}

void races_merge(struct races *to, const struct races *from)
{
	for (uint32_t i = 0; i < from->list.count; i++)
		add_race(to, &from->list.data[i]);
}

void races_add(struct races *r, const struct explore_result *from)
{
	for (uint32_t i = 0; i < from->nraces; i++) {
		const struct explore_race *c = &from->race[i];
		struct race_record new = {.thread = {c->thread[0], c->thread[1]},
			.place = {c->place[0], c->place[1]},
			.write = {c->write[0], c->write[1]},
			.why = c->why,
			.trail = (uint16_t *)(uintptr_t)c->trail,
			.ntrail = c->ntrail};
		add_race(r, &new);
	}
}

void races_free(struct races *r)
{
	for (uint32_t i = 0; i < r->list.count; i++)
		memory_drop(r->list.data[i].trail);
	vec_free(&r->list);
}

static int compare_races(const void *a, const void *b)
{
	const struct race_record *x = a, *y = b;
	int by_place = memcmp(x->thread, y->thread, sizeof x->thread);
	if (x->thread[0] != y->thread[0])
		return x->thread[0] < y->thread[0] ? -1 : 1;
	if (x->place[0] != y->place[0])
		return x->place[0] < y->place[0] ? -1 : 1;
	if (by_place)
		return x->thread[1] < y->thread[1] ? -1 : 1;
	if (x->place[1] != y->place[1])
		return x->place[1] < y->place[1] ? -1 : 1;
	return (x->write[0] * 2 + x->write[1]) - (y->write[0] * 2 + y->write[1]);
}

void races_report(const struct races *r, struct explore_result *result)
{
	struct race_record *sorted = memory_zeroed(r->list.count, sizeof *sorted);
	if (r->list.count)
		memcpy(sorted, r->list.data, r->list.count * sizeof *sorted);
	qsort(sorted, r->list.count, sizeof *sorted, compare_races);
	result->nraces = r->list.count;
	result->race = ARENA_ARRAY(&result->arena, struct explore_race, r->list.count + 1);
	for (uint32_t i = 0; i < r->list.count; i++) {
		struct explore_race *out = &result->race[i];
		memcpy(out->thread, sorted[i].thread, sizeof out->thread);
		memcpy(out->place, sorted[i].place, sizeof out->place);
		memcpy(out->write, sorted[i].write, sizeof out->write);
		out->why = sorted[i].why;
		out->trail = arena_copy(
			&result->arena, sorted[i].trail, sorted[i].ntrail * sizeof *out->trail, 2);
		out->ntrail = sorted[i].ntrail;
	}
	memory_drop(sorted);
}
