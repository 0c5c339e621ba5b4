/* Locations of strong accesses: the releases that the last write carries, and which of them a read
 * acquires, keeps for a later fence, or misses. */
#include "check/race_state.h"
#include <stdlib.h>

enum { HEADS = 32, PENDING = 8 };

void places_free(struct places *p)
{
	for (uint32_t k = 0; k < p->list.count; k++) {
		heads_clear(&p->list.data[k].heads);
		vec_free(&p->list.data[k].heads);
	}
	vec_free(&p->list);
	map_free(&p->at);
	vec_free(&p->observation);
}

/* An acquiring read also acquires the releases that earlier reads of the same location observed. */
static void place_acquire_pending(struct touch *t, const struct head *here, unsigned scope)
{
	struct race_warp *w = t->warp;
	struct heads *pending = w->sync ? &w->sync[t->lane].pending : NULL;

	for (uint32_t k = 0; pending && k < pending->count;) {
		struct head *h = &pending->data[k];

		if ((!h->in || head_same_location(h, here)) &&
			scopes_include(t->r, h->warp, h->scope, w->uid, scope)) {
			head_acquire(t->r, w, t->lane, h);
			head_remove(pending, k);
		} else {
			k++;
		}
	}
}

static void place_read(struct touch *t, struct place *p, const struct head *here, bool acquires,
	unsigned scope, bool linked)
{
	struct race *r = t->r;
	struct race_warp *w = t->warp;
	uint32_t insn = r->record.data[t->id].insn;

	for (uint32_t k = 0; k < p->heads.count; k++) {
		struct head *h = &p->heads.data[k];

		if ((h->warp == w->uid && h->lane == t->lane && !h->merged) ||
			head_known(r, w->clock[t->lane], h))
			continue;
		if (!linked) {
			head_miss(t->cta, h, insn, scope);
		} else if (acquires && scopes_include(r, h->warp, h->scope, w->uid, scope)) {
			head_acquire(r, w, t->lane, h);
		} else {
			struct head copy = *h;

			if (acquires)
				head_miss(t->cta, h, insn, scope);
			clock_ref(copy.clock);
			copy.in = here->in;
			copy.at = here->at;
			head_add(r, &race_lane_sync(w, t->lane)->pending, copy, PENDING);
		}
	}
}

static bool place_publishes(const struct race_warp *w, unsigned lane, const struct head *here)
{
	for (unsigned s = 0; w->sync && s < SCOPES; s++)
		if (w->sync[lane].fence[s].clock)
			return true;
	for (uint32_t k = 0; w->sync && k < w->sync[lane].released.count; k++)
		if (!w->sync[lane].released.data[k].in ||
			head_same_location(&w->sync[lane].released.data[k], here))
			return true;
	return false;
}

/* Adds a copy of H to the releases that P carries. */
static void place_carry(struct race *r, struct place *p, const struct head *h)
{
	struct head copy = *h;

	clock_ref(copy.clock);
	copy.in = NULL;
	copy.at = 0;
	head_add(r, &p->heads, copy, HEADS);
}

static void place_write(struct touch *t, struct place *p, const struct head *here, bool keep,
	bool strong, bool releases, unsigned scope)
{
	struct race *r = t->r;
	struct race_warp *w = t->warp;
	struct lane_sync *s;

	if (!keep)
		heads_clear(&p->heads);
	p->warp = w->uid;
	p->lane = (uint8_t)t->lane;
	p->scope = (uint8_t)scope;
	p->strong = strong;
	if (!strong)
		return;
	if (releases)
		agent_tell(r, w, t->lane);
	if (releases)
		head_add(r, &race_lane_sync(w, t->lane)->released,
			(struct head){clock_ref(w->clock[t->lane]), w->uid, w->stamp,
				r->record.data[t->id].insn, (uint8_t)t->lane, (uint8_t)scope, 0,
				false, here->in, here->at},
			PENDING);
	if (!w->sync)
		return;
	s = &w->sync[t->lane];
	for (unsigned k = 0; k < SCOPES; k++)
		if (s->fence[k].clock)
			place_carry(r, p, &s->fence[k]);
	for (uint32_t k = 0; k < s->released.count; k++)
		if (!s->released.data[k].in || head_same_location(&s->released.data[k], here))
			place_carry(r, p, &s->released.data[k]);
}

void place_access(struct touch *t, struct places *all, uint64_t key, bool reads, bool writes,
	bool rmw, bool strong, bool acquires, bool releases, unsigned scope, bool linked)
{
	uint32_t at = map_get(&all->at, key, UINT32_MAX);
	struct place *p = at == UINT32_MAX ? NULL : &all->list.data[at];
	const struct head here = {.in = all, .at = key};
	/* under --memory=weak a read may return an older value, and which one is not known here: it
	 * may have observed any release that was left at this location */
	bool old = t->r->machine->weak != NULL;

	if (p && strong && !linked)
		linked = old || (p->warp == t->warp->uid && p->lane == t->lane) ||
			(p->strong && scopes_include(t->r, p->warp, p->scope, t->warp->uid, scope));
	if (reads && acquires)
		place_acquire_pending(t, &here, scope);
	if (p && reads)
		place_read(t, p, &here, acquires, scope, linked);
	if (!writes || (!p && !releases && !place_publishes(t->warp, t->lane, &here)))
		return;
	if (!p) {
		if (!strong)
			return;
		map_set(&all->at, key, all->list.count);
		p = vec_push(&all->list);
		p->heads = (struct heads){0}; /* place_write sets the other fields */
	}
	place_write(t, p, &here, old || (rmw && linked), strong, releases, scope);
}

void place_add_release(struct race *r, struct places *all, uint64_t key, struct head h)
{
	uint32_t at = map_get(&all->at, key, UINT32_MAX);

	if (at == UINT32_MAX) {
		map_set(&all->at, key, at = all->list.count);
		*vec_push(&all->list) = (struct place){
			.warp = h.warp, .lane = h.lane, .scope = h.scope, .strong = 1};
	}
	head_add(r, &all->list.data[at].heads, h, HEADS);
}
