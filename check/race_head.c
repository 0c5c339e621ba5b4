/* Releases (heads): a thread, a stamp, a scope; and lists of them that stay short. */
#include "base/assert.h"
#include "check/race_state.h"
#include "base/memory.h"
#include <stdlib.h>

enum { ALIKE = 4 };

void head_free(struct head *h)
{
	clock_unref(h->clock);
	h->clock = NULL;
}

void heads_clear(struct heads *h)
{
	for (uint32_t k = 0; k < h->count; k++)
		head_free(&h->data[k]);
	h->count = 0;
}

void head_remove(struct heads *h, uint32_t k)
{
	assert(k < h->count);
	head_free(&h->data[k]);
	h->data[k] = h->data[--h->count];
}

struct clock *head_join(struct race *r, struct clock *c, const struct head *h)
{
	const struct known own = {key_thread(h->warp, h->lane), h->stamp};

	c = clock_join(c, &r->family, h->clock, NULL, 0, r->now);
	return h->whole ? c : clock_join(c, &r->family, NULL, &own, 1, r->now);
}

bool head_known(const struct race *r, const struct clock *c, const struct head *h)
{
	return !h->merged && clock_knows(c, &r->family, h->warp, h->lane, h->stamp);
}

bool head_same_location(const struct head *a, const struct head *b)
{
	return a->in == b->in && a->at == b->at;
}

void head_add(struct race *r, struct heads *h, struct head new, uint32_t most)
{
	for (uint32_t k = 0; k < h->count;) {
		struct head *x = &h->data[k];
		bool same = x->warp == new.warp && x->lane == new.lane && x->stamp <= new.stamp &&
			!x->merged;

		if (x->scope <= new.scope && head_same_location(x, &new) &&
			(same || head_known(r, new.clock, x)))
			head_remove(h, k);
		else
			k++;
	}
	uint32_t to = 0, alike = 0;

	for (uint32_t k = 0; k < h->count; k++)
		if (h->data[k].scope == new.scope &&
			scopes_include(r, h->data[k].warp, new.scope, new.warp, new.scope)) {
			to = k;
			alike++;
		}
	if (h->count < most && alike < ALIKE) {
		*(vec_push(h)) = new;
		return;
	}
	struct head *x = &h->data[to];

	assert(to < h->count);
	x->clock = head_join(r, head_join(r, x->clock, x), &new);
	x->whole = 1;
	clock_unref(new.clock);
	x->merged = 1;
	x->warp = new.warp;
	x->lane = new.lane;
	x->stamp = new.stamp;
	x->insn = new.insn;
	x->scope = x->scope > new.scope ? x->scope : new.scope;
	if (!head_same_location(x, &new))
		x->in = NULL;
}

void head_acquire(struct race *r, struct race_warp *w, unsigned lane, struct head *h)
{
	if (!h->whole)
		h->clock = head_join(r, h->clock, h);
	h->whole = 1;
	w->one = NULL;
	w->clock[lane] = clock_join_again(&r->joined, w->clock[lane], &r->family, h->clock, r->now);
}

void head_miss(struct race_cta *c, const struct head *h, uint32_t insn, unsigned scope)
{
	struct missed *m = &c->missed[c->nmissed++ % MISSED];

	clock_unref(m->head.clock);
	*m = (struct missed){*h, insn, (uint8_t)scope};
	clock_ref(h->clock);
}

struct lane_sync *race_lane_sync(struct race_warp *w, unsigned lane)
{
	if (!w->sync)
		w->sync = memory_zeroed(LANES, sizeof *w->sync);
	return &w->sync[lane];
}

void warp_sync_free(struct race_warp *w)
{
	for (unsigned k = 0; k < AGENTS; k++)
		memory_drop(w->agent[k]);
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
	memory_drop(w->sync);
}
