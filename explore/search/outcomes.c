/* Outcomes in a hash table. The least trail wins, so the witness does not depend on how the search
 * was split. */
#include "explore/search/outcomes.h"
#include "explore/search/trail.h"
#include "base/memory.h"
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

void outcomes_init(struct explore_outcomes *o, uint32_t width)
{
	*o = (struct explore_outcomes){.width = width, .slots = 64};
	o->slot = memory_zeroed(o->slots, sizeof *o->slot);
}

size_t outcomes_bytes(const struct explore_outcomes *o)
{
	return o->arena.total + o->list.cap * sizeof *o->list.data + o->slots * sizeof *o->slot;
}

void outcomes_free(struct explore_outcomes *o)
{
	arena_free(&o->arena);
	for (uint32_t k = 0; k < o->joined.count; k++)
		arena_free(&o->joined.data[k]);
	vec_free(&o->joined);
	vec_free(&o->list);
	memory_drop(o->slot);
	o->slot = NULL;
}

static uint64_t hash_outcome(const uint64_t *v, uint32_t n)
{
	uint64_t h = UINT64_C(0x2545f4914f6cdd1d);
	for (uint32_t i = 0; i < n; i++) {
		h = (h ^ v[i]) * UINT64_C(0x9e3779b97f4a7c15);
		h ^= h >> 32;
	}
	return h;
}

static uint32_t find_slot(const struct explore_outcomes *o, const uint64_t *value)
{
	uint32_t i = (uint32_t)hash_outcome(value, o->width) & (o->slots - 1);
	for (; o->slot[i]; i = (i + 1) & (o->slots - 1)) {
		if (!memcmp(o->list.data[o->slot[i] - 1].value, value, o->width * sizeof *value))
			break;
	}
	return i;
}

static void grow_slots(struct explore_outcomes *o)
{
	memory_drop(o->slot);
	o->slots *= 2;
	o->slot = memory_zeroed(o->slots, sizeof *o->slot);
	for (uint32_t k = 0; k < o->list.count; k++)
		o->slot[find_slot(o, o->list.data[k].value)] = k + 1;
}

void outcomes_add(struct explore_outcomes *o, const uint64_t *value, uint64_t count,
	const uint16_t *trail, uint32_t ntrail)
{
	uint32_t i = find_slot(o, value);
	if (!o->slot[i]) {
		struct explore_outcome *n = vec_push(&o->list);
		n->value = arena_copy(&o->arena, value, o->width * sizeof *value, 8);
		n->count = count;
		n->trail = arena_copy(&o->arena, trail, ntrail * sizeof *trail, 2);
		n->ntrail = ntrail;
		o->slot[i] = o->list.count;
		if (o->list.count * 2 > o->slots)
			grow_slots(o);
		return;
	}
	struct explore_outcome *old = &o->list.data[o->slot[i] - 1];
	old->count = outcomes_sum(old->count, count);
	if (trail_less(trail, ntrail, old->trail, old->ntrail)) {
		old->trail = arena_copy(&o->arena, trail, ntrail * sizeof *trail, 2);
		old->ntrail = ntrail;
	}
}

void outcomes_merge(struct explore_outcomes *to, const struct explore_outcomes *from)
{
	for (uint32_t i = 0; i < from->list.count; i++) {
		const struct explore_outcome *o = &from->list.data[i];
		outcomes_add(to, o->value, o->count, o->trail, o->ntrail);
	}
}

static int compare_values(const uint64_t *a, const uint64_t *b, uint32_t width)
{
	for (uint32_t i = 0; i < width; i++) {
		if (a[i] != b[i])
			return (int64_t)a[i] < (int64_t)b[i] ? -1 : 1;
	}
	return 0;
}

struct sort_key {
	struct explore_outcome outcome;
	uint32_t width;
};

static int compare_outcomes(const void *a, const void *b)
{
	const struct sort_key *x = a, *y = b;
	return compare_values(x->outcome.value, y->outcome.value, x->width);
}

void outcomes_sort(struct explore_outcomes *o)
{
	struct sort_key *keys = memory_zeroed(o->list.count, sizeof *keys);
	for (uint32_t i = 0; i < o->list.count; i++)
		keys[i] = (struct sort_key){o->list.data[i], o->width};
	qsort(keys, o->list.count, sizeof *keys, compare_outcomes);
	for (uint32_t i = 0; i < o->list.count; i++)
		o->list.data[i] = keys[i].outcome;
	memory_drop(keys);
}

void outcomes_join(struct explore_outcomes *to, struct explore_outcomes *const *from, uint32_t n)
{
	uint32_t *at = memory_zeroed(n, sizeof *at); /* the next row of each */
	for (;;) {
		const struct explore_outcome *least = NULL;
		for (uint32_t k = 0; k < n; k++) {
			const struct explore_outcome *o;
			if (at[k] == from[k]->list.count)
				continue;
			o = &from[k]->list.data[at[k]];
			if (!least || compare_values(o->value, least->value, to->width) < 0)
				least = o;
		}
		if (!least)
			break;
		struct explore_outcome *all = vec_push(&to->list);
		*all = *least;
		all->count = 0;
		for (uint32_t k = 0; k < n; k++) {
			const struct explore_outcome *o;
			if (at[k] == from[k]->list.count)
				continue;
			o = &from[k]->list.data[at[k]];
			if (compare_values(o->value, all->value, to->width))
				continue;
			at[k]++;
			all->count = outcomes_sum(all->count, o->count);
			if (trail_less(o->trail, o->ntrail, all->trail, all->ntrail)) {
				all->trail = o->trail;
				all->ntrail = o->ntrail;
			}
		}
	}
	for (uint32_t k = 0; k < n; k++) {
		*vec_push(&to->joined) = from[k]->arena;
		from[k]->arena = (struct arena){0};
		from[k]->list.count = 0;
	}
	memory_drop(at);
}
