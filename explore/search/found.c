/* Findings, and those of stages: what follows a stage depends only on what it leaves (stage.c), so
 * it is searched once, and counts as often as executions lead to it. A trail of such an execution
 * is the choices before the stage, and those of one that was searched. */
#include "explore/search/found.h"
#include "base/memory.h"
#include "explore/search/trail.h"
#include <string.h>

void found_init(struct found *f, const struct explore_program *p)
{
	*f = (struct found){.executions = 0};
	outcomes_init(&f->outcomes, p->nobservables);
	outcomes_init(&f->stuck, STUCK_WORDS(p->nthreads));
}

void found_free(struct found *f)
{
	outcomes_free(&f->outcomes);
	outcomes_free(&f->stuck);
	races_free(&f->races);
	vec_free(&f->least);
}

size_t found_bytes(const struct found *f)
{
	return outcomes_bytes(&f->outcomes) + outcomes_bytes(&f->stuck);
}

static void keep_least(struct found *f, const uint16_t *trail, uint32_t ntrail)
{
	if (f->some && !trail_less(trail, ntrail, f->least.data, f->least.count))
		return;
	f->some = true;
	f->least.count = 0;
	for (uint32_t k = 0; k < ntrail; k++)
		*vec_push(&f->least) = trail[k];
}

void found_execution(struct found *f, const uint16_t *trail, uint32_t ntrail)
{
	f->executions = outcomes_sum(f->executions, 1);
	keep_least(f, trail, ntrail);
}

/* A trail that goes on as another does. */
struct joint {
	VEC(uint16_t) trail;
	uint32_t prefix, skip;
};

static void join_trail(struct joint *j, const uint16_t *trail, uint32_t ntrail)
{
	j->trail.count = j->prefix;
	for (uint32_t k = j->skip; k < ntrail; k++)
		*vec_push(&j->trail) = trail[k];
}

static void join_rows(
	struct joint *j, struct explore_outcomes *to, const struct explore_outcomes *from)
{
	for (uint32_t i = 0; i < from->list.count; i++) {
		const struct explore_outcome *o = &from->list.data[i];
		join_trail(j, o->trail, o->ntrail);
		outcomes_add(to, o->value, o->count, j->trail.data, j->trail.count);
	}
}

void found_add(struct found *to, const struct found *from, uint32_t skip, const uint16_t *prefix,
	uint32_t nprefix, const struct races *before)
{
	struct joint j = {.prefix = nprefix, .skip = skip};
	for (uint32_t k = 0; k < nprefix; k++)
		*vec_push(&j.trail) = prefix[k];
	join_rows(&j, &to->outcomes, &from->outcomes);
	join_rows(&j, &to->stuck, &from->stuck);
	for (uint32_t i = 0; i < from->races.list.count; i++) {
		const struct race_record *r = &from->races.list.data[i];
		join_trail(&j, r->trail, r->ntrail);
		races_add_at(&to->races, r, j.trail.data, j.trail.count);
	}
	if (from->some) {
		join_trail(&j, from->least.data, from->least.count);
		for (uint32_t i = 0; i < before->list.count; i++)
			races_add_at(
				&to->races, &before->list.data[i], j.trail.data, j.trail.count);
		keep_least(to, j.trail.data, j.trail.count);
	}
	to->executions = outcomes_sum(to->executions, from->executions);
	vec_free(&j.trail);
}

static uint64_t hash_words(const uint64_t *word, uint32_t n)
{
	uint64_t h = n;
	for (uint32_t k = 0; k < n; k++) {
		h = (h ^ word[k]) * UINT64_C(0x9e3779b97f4a7c15);
		h ^= h >> 29;
	}
	return h >> 1;
}

const struct found_stage *found_stages_find(
	const struct found_stages *s, const uint64_t *word, uint32_t nwords)
{
	uint32_t k = map_get(&s->map, hash_words(word, nwords), MODEL_NONE);
	for (; k != MODEL_NONE; k = s->list.data[k].next) {
		const struct found_stage *f = &s->list.data[k];
		if (f->nwords == nwords && !memcmp(f->word, word, nwords * sizeof *word))
			return f;
	}
	return NULL;
}

void found_stages_keep(struct found_stages *s, uint64_t *word, uint32_t nwords, uint32_t skip,
	const struct found *found)
{
	uint64_t hash = hash_words(word, nwords);
	uint32_t next = map_get(&s->map, hash, MODEL_NONE);
	map_set(&s->map, hash, s->list.count);
	*vec_push(&s->list) = (struct found_stage){
		.word = word, .nwords = nwords, .skip = skip, .next = next, .found = *found};
	s->bytes += found_bytes(found) + nwords * sizeof *word;
}

void found_stages_free(struct found_stages *s)
{
	for (uint32_t k = 0; k < s->list.count; k++) {
		memory_drop(s->list.data[k].word);
		found_free(&s->list.data[k].found);
	}
	vec_free(&s->list);
	map_free(&s->map);
}
