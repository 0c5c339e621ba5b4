/* What orders threads: releases and acquires through strong locations, fences, mbarriers; and who is told of the rest. */
#include "check/race_state.h"
#include "base/memory.h"
#include <stdlib.h>
#include <string.h>

enum { HEADS = 32, PENDING = 8, ALIKE = 4 };

bool scopes_include(const struct race *r, uint32_t warp_a, unsigned scope_a, uint32_t warp_b, unsigned scope_b)
{
	uint32_t a = r->family.warp_cta.data[warp_a], b = r->family.warp_cta.data[warp_b];
	unsigned narrow = scope_a < scope_b ? scope_a : scope_b;
	const struct past_cta *x = &r->past.data[a], *y = &r->past.data[b];

	if (x->real == y->real || scope_a == SCOPE_ANY || scope_b == SCOPE_ANY)
		return true;
	switch (narrow) {
	case SCOPE_CTA: return false;
	case SCOPE_CLUSTER: return x->launch == y->launch && x->cluster == y->cluster;
	case SCOPE_GPU: return x->launch->ask.device == y->launch->ask.device;
	default: return true;
	}
}

/* ---- heads ---- */

static void head_free(struct head *h)
{
	clock_unref(h->clock);
	h->clock = NULL;
}

static void heads_clear(struct heads *h)
{
	for (uint32_t k = 0; k < h->count; k++)
		head_free(&h->data[k]);
	h->count = 0;
}

static void head_remove(struct heads *h, uint32_t k)
{
	head_free(&h->data[k]);
	h->data[k] = h->data[--h->count];
}

struct clock *head_join(struct race *r, struct clock *c, const struct head *h)
{
	const struct known own = {key_thread(h->warp, h->lane), h->stamp};

	return clock_join(c, &r->family, h->clock, &own, 1, r->now);
}

static bool known_head(const struct race *r, const struct clock *c, const struct head *h)
{
	return !h->merged && clock_knows(c, &r->family, h->warp, h->lane, h->stamp);
}

static bool same_location(const struct head *a, const struct head *b)
{
	return a->in == b->in && a->at == b->at;
}

/* Adds NEW, whose clock reference moves into the list; what it knows already goes. No more than
 * MOST, and ALIKE that reach the same threads: further ones are united with one of these, which loses nothing, or with any where there is none. */
static void head_add(struct race *r, struct heads *h, struct head new, uint32_t most)
{
	for (uint32_t k = 0; k < h->count;) {
		struct head *x = &h->data[k];
		bool same = x->warp == new.warp && x->lane == new.lane && x->stamp <= new.stamp && !x->merged;

		if (x->scope <= new.scope && same_location(x, &new) && (same || known_head(r, new.clock, x)))
			head_remove(h, k);
		else
			k++;
	}
	uint32_t to = 0, alike = 0;

	for (uint32_t k = 0; k < h->count; k++)
		if (h->data[k].scope == new.scope && scopes_include(r, h->data[k].warp, new.scope, new.warp, new.scope)) {
			to = k;
			alike++;
		}
	if (h->count < most && alike < ALIKE) {
		*(vec_push(h)) = new;
		return;
	}
	struct head *x = &h->data[to];

	x->clock = head_join(r, head_join(r, x->clock, x), &new);
	clock_unref(new.clock);
	x->merged = 1;
	x->warp = new.warp;
	x->lane = new.lane;
	x->stamp = new.stamp;
	x->insn = new.insn;
	x->scope = x->scope > new.scope ? x->scope : new.scope;
	if (!same_location(x, &new))
		x->in = NULL;
}

static void acquire(struct race *r, struct race_warp *w, unsigned lane, const struct head *h)
{
	w->clock[lane] = head_join(r, w->clock[lane], h);
}

static void miss(struct race_cta *c, const struct head *h, uint32_t insn, unsigned scope)
{
	struct missed *m = &c->missed[c->nmissed++ % MISSED];

	clock_unref(m->head.clock);
	*m = (struct missed){*h, insn, (uint8_t)scope};
	clock_ref(h->clock);
}

static struct lane_sync *lane_sync(struct race_warp *w, unsigned lane)
{
	if (!w->sync)
		w->sync = memory_zeroed(LANES, sizeof *w->sync);
	return &w->sync[lane];
}

void warp_sync_free(struct race_warp *w)
{
	for (unsigned k = 0; k < AGENTS; k++)
		free(w->agent[k]);
	for (unsigned k = 0; k < LANES; k++) {
		clock_unref(w->clock[k]);
		for (unsigned s = 0; w->sync && s < SCOPES; s++)
			head_free(&w->sync[k].fence[s]);
		if (w->sync) {
			heads_clear(&w->sync[k].pending);
			vec_free(&w->sync[k].pending);
			heads_clear(&w->sync[k].released);
			vec_free(&w->sync[k].released);
		}
	}
	free(w->sync);
}

void places_free(struct places *p)
{
	for (uint32_t k = 0; k < p->list.count; k++) {
		heads_clear(&p->list.data[k].heads);
		vec_free(&p->list.data[k].heads);
	}
	vec_free(&p->list);
	map_free(&p->at);
	map_free(&p->observed);
	vec_free(&p->observation);
}

/* ---- strong locations ---- */

/* What earlier reads of the same location saw, this one acquires. */
static void acquire_pending(struct touch *t, const struct head *here, unsigned scope)
{
	struct race_warp *w = t->warp;
	struct heads *pending = w->sync ? &w->sync[t->lane].pending : NULL;

	for (uint32_t k = 0; pending && k < pending->count;) {
		const struct head *h = &pending->data[k];

		if ((!h->in || same_location(h, here)) && scopes_include(t->r, h->warp, h->scope, w->uid, scope)) {
			acquire(t->r, w, t->lane, h);
			head_remove(pending, k);
		} else {
			k++;
		}
	}
}

static void place_read(struct touch *t, struct place *p, const struct head *here, bool acquires, unsigned scope, bool linked)
{
	struct race *r = t->r;
	struct race_warp *w = t->warp;
	uint32_t insn = r->record.data[t->id].insn;

	for (uint32_t k = 0; k < p->heads.count; k++) {
		struct head *h = &p->heads.data[k];

		if ((h->warp == w->uid && h->lane == t->lane && !h->merged) || known_head(r, w->clock[t->lane], h))
			continue;
		if (!linked) {
			miss(t->cta, h, insn, scope);
		} else if (acquires && scopes_include(r, h->warp, h->scope, w->uid, scope)) {
			acquire(r, w, t->lane, h);
		} else {
			struct head copy = *h;

			if (acquires)
				miss(t->cta, h, insn, scope);
			clock_ref(copy.clock);
			copy.in = here->in;
			copy.at = here->at;
			head_add(r, &lane_sync(w, t->lane)->pending, copy, PENDING);
		}
	}
}

static bool is_head_of(const struct race_warp *w, unsigned lane, const struct head *here)
{
	for (unsigned s = 0; w->sync && s < SCOPES; s++)
		if (w->sync[lane].fence[s].clock)
			return true;
	for (uint32_t k = 0; w->sync && k < w->sync[lane].released.count; k++)
		if (!w->sync[lane].released.data[k].in || same_location(&w->sync[lane].released.data[k], here))
			return true;
	return false;
}

/* A copy of H for a location's list. */
static void carry(struct race *r, struct place *p, const struct head *h)
{
	struct head copy = *h;

	clock_ref(copy.clock);
	copy.in = NULL;
	copy.at = 0;
	head_add(r, &p->heads, copy, HEADS);
}

static void place_write(struct touch *t, struct place *p, const struct head *here, bool keep, bool strong, bool releases, unsigned scope)
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
		head_add(r, &lane_sync(w, t->lane)->released,
			 (struct head){clock_ref(w->clock[t->lane]), w->uid, w->stamp, r->record.data[t->id].insn, (uint8_t)t->lane, (uint8_t)scope, 0, here->in, here->at}, PENDING);
	if (!w->sync)
		return;
	s = &w->sync[t->lane];
	for (unsigned k = 0; k < SCOPES; k++)
		if (s->fence[k].clock)
			carry(r, p, &s->fence[k]);
	for (uint32_t k = 0; k < s->released.count; k++)
		if (!s->released.data[k].in || same_location(&s->released.data[k], here))
			carry(r, p, &s->released.data[k]);
}

void place_access(struct touch *t, struct places *all, uint64_t key, bool reads, bool writes, bool rmw, bool strong, bool acquires, bool releases, unsigned scope, bool linked)
{
	uint32_t at = map_get(&all->at, key, UINT32_MAX);
	struct place *p = at == UINT32_MAX ? NULL : &all->list.data[at];
	const struct head here = {.in = all, .at = key};
	bool old = t->r->machine->weak != NULL; /* older values can be read, and which one was is not told: any release that was left here may have been seen */

	if (p && strong && !linked)
		linked = old || (p->warp == t->warp->uid && p->lane == t->lane) || (p->strong && scopes_include(t->r, p->warp, p->scope, t->warp->uid, scope));
	if (reads && acquires)
		acquire_pending(t, &here, scope);
	if (p && reads)
		place_read(t, p, &here, acquires, scope, linked);
	if (!writes || (!p && !releases && !is_head_of(t->warp, t->lane, &here)))
		return;
	if (!p) {
		if (!strong)
			return;
		map_set(&all->at, key, all->list.count);
		p = vec_push(&all->list);
		p->heads = (struct heads){0}; /* place_write has the rest */
	}
	place_write(t, p, &here, old || (rmw && linked), strong, releases, scope);
}

void place_give(struct race *r, struct places *all, uint64_t key, struct head h)
{
	uint32_t at = map_get(&all->at, key, UINT32_MAX);

	if (at == UINT32_MAX) {
		map_set(&all->at, key, at = all->list.count);
		*vec_push(&all->list) = (struct place){.warp = h.warp, .lane = h.lane, .scope = h.scope, .strong = 1};
	}
	head_add(r, &all->list.data[at].heads, h, HEADS);
}

/* ---- fences ---- */

static void fence(struct race *r, struct race_cta *c, struct race_warp *w, const struct sync_event *e)
{
	unsigned scope = e->scope;

	FOR_LANES(lane, e->mask)
	{
		struct lane_sync *s = lane_sync(w, lane);

		for (uint32_t k = 0; e->sem != SEM_RELEASE && k < s->pending.count;) {
			const struct head *h = &s->pending.data[k];

			if (scopes_include(r, h->warp, h->scope, w->uid, scope)) {
				acquire(r, w, lane, h);
				head_remove(&s->pending, k);
			} else {
				miss(c, h, e->op->insn, scope);
				k++;
			}
		}
		if (e->sem == SEM_ACQUIRE)
			continue;
		agent_tell(r, w, lane);
		for (unsigned k = 0; k <= scope; k++)
			head_free(&s->fence[k]);
		s->fence[scope] = (struct head){clock_ref(w->clock[lane]), w->uid, w->stamp, e->op->insn, (uint8_t)lane, (uint8_t)scope, 0, NULL, 0};
	}
	w->stamp = race_tick(r);
}

/* ---- mbarriers ---- */

/* An operation on a CTA's own mbarrier as an access to its 8 bytes: mbarrier.init is a weak write, the others are strong. (inval too: between the lanes of a
 * warp libcu++'s pipeline orders it by match.sync alone, which orders no memory; an operation on what was invalidated is found where it happens.) In clusters a relaxed
 * barrier.cluster with fence.mbarrier_init orders the initialisation and nothing else, which clocks cannot tell: not judged there. */
static void mbarrier_bytes(struct race *r, struct race_cta *c, struct race_warp *w, const struct sync_event *e, bool weak)
{
	struct touch t = {.r = r, .cta = c, .warp = w, .of = e->warp, .address = e->offset, .space = W_shared, .owner = e->cta, .writes = true};
	const struct record want = {.stamp = w->stamp,
				    .warp = w->uid,
				    .insn = e->op->insn,
				    .how = (uint8_t)(HOW_WRITE | HOW_SHARED | (weak ? 0 : HOW_STRONG | HOW_READ | HOW_ATOMIC)),
				    .scope = SCOPE_SYS,
				    .bytes = 8};

	if (e->object != e->cta || e->cta->cluster->n > 1 || (uint64_t)(e->offset + 7) >> PAGE_SHIFT >= c->shared.pages)
		return;
	FOR_LANES(lane, e->mask)
	{
		t.id = record_get(r, w, &want);
		t.lane = lane;
		shadow_touch(&t, &c->shared, e->offset, 8);
	}
}

/* Arrivals release into the object, waits acquire from it; the chain of arrivals is never broken. */
static void mbarrier(struct race *r, struct race_cta *c, struct race_warp *w, const struct sync_event *e)
{
	struct race_cta *owner = race_find(r, e->object);
	bool arrive = e->kind == SYNC_MBARRIER_ARRIVE;
	struct touch t = {.r = r, .cta = c, .warp = w, .of = e->warp};
	const struct record want = {.stamp = w->stamp, .warp = w->uid, .insn = e->op->insn, .how = HOW_READ | HOW_STRONG | HOW_ATOMIC | HOW_SHARED, .scope = e->scope, .bytes = 8};
	unsigned scope = e->scope;

	if (!owner)
		return;
	t.id = record_get(r, w, &want);
	FOR_LANES(lane, e->mask)
	{
		t.lane = lane;
		place_access(&t, &owner->places, e->offset, !arrive, arrive, true, true, !arrive && e->sem != SEM_RELAXED, arrive && e->sem != SEM_RELAXED, scope, true);
	}
	if (arrive)
		w->stamp = race_tick(r);
}

void race_sync(struct observer *o, const struct sync_event *e)
{
	struct race *r = o->self;
	struct race_cta *c = r->off || !e->cta ? NULL : race_find(r, e->cta);
	struct race_warp *w = c && e->warp && e->warp->cta == e->cta ? &c->warp[e->warp->index] : NULL;

	if (!c || !w)
		return;
	switch ((int)e->kind) {
	case SYNC_ARRIVE:
		race_arrive(r, c, w, e);
		break;
	case SYNC_COMPLETE:
		race_barrier_complete(r, c, e->cta, e->number);
		break;
	case SYNC_WARP:
		if (e->op->kind == KIND_WARP_BARRIER) /* the others (vote, shfl, ..) promise no order of memory */
			race_warp_barrier(r, w, e->warp, e->mask);
		break;
	case SYNC_FENCE:
		if (!e->op->fence.init) /* fence.mbarrier_init orders the initialisation and nothing else */
			fence(r, c, w, e);
		break;
	case SYNC_MBARRIER_INIT:
		mbarrier_bytes(r, c, w, e, true);
		break;
	case SYNC_MBARRIER_INVAL:
	case SYNC_MBARRIER_WAITING:
		mbarrier_bytes(r, c, w, e, false);
		break;
	case SYNC_MBARRIER_ARRIVE:
	case SYNC_MBARRIER_WAIT:
		mbarrier_bytes(r, c, w, e, false);
		if (e->cta->cluster->landing) /* cp.async.mbarrier.arrive: for the copies, not for what else its thread did */
			race_copy_completes(r, c, w, e);
		else
			mbarrier(r, c, w, e);
		break;
	case SYNC_MBARRIER_COMPLETE:
		if (e->cta->cluster->landing)
			race_copy_completes(r, c, w, e);
		break;
	case SYNC_COPY_WAITED:
		race_copy_waited(w, e);
		break;
	case SYNC_COPY_ISSUED:
		race_copy(r, c, w, e->copy);
		break;
	case SYNC_CLUSTER_ARRIVE:
	case SYNC_CLUSTER_COMPLETE:
	case SYNC_CLUSTER_WAIT:
		race_cluster_barrier(r, w, e);
	}
}
