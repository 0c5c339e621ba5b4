/* Barriers of CTAs, warps and clusters: when one completes, each waiting thread learns what all
 * arrived threads knew. */
#include "base/assert.h"
#include "check/race_state.h"
#include "base/memory.h"
#include "interp/memory/access.h"
#include <stdlib.h>
#include <string.h>

static struct meeting *meeting_get(struct meeting **at)
{
	if (!*at)
		*at = memory_zeroed(1, sizeof **at);
	return *at;
}

void meeting_free(struct meeting *g)
{
	if (!g)
		return;
	clock_unref(g->clock);
	vec_free(&g->more);
	vec_free(&g->waited);
	memory_drop(g);
}

/* The lanes of MASK arrive: adds what they know and what they did. */
static void meeting_arrive(struct race *r, struct meeting *g, struct race_warp *w,
	const struct warp *of, uint32_t mask)
{
	struct clock *last = NULL;

	if (warp_has_agents(w))
		agent_tell_all(r, w, of, mask, g);
	FOR_LANES(lane, w->one ? mask & -mask : mask) {
		if (w->clock[lane] == last)
			continue;
		last = w->clock[lane];
		g->clock = g->clock ? clock_join(g->clock, &r->family, last, NULL, 0, r->now)
				    : clock_ref(w->clock[lane]);
	}
	if (mask == of->lanes)
		*vec_push(&g->more) = (struct known){key_of(KEY_WARP, w->uid), w->stamp};
	else
		FOR_LANES(lane, mask)
			*vec_push(&g->more) = (struct known){key_thread(w->uid, lane), w->stamp};
	g->arrived[of->index] |= mask;
	w->stamp = race_tick(r);
}

/* What the threads that arrived at G know together, with the N entries of MORE for the threads
 * themselves. Leaves G empty. */
static struct clock *meeting_complete(
	struct race *r, struct meeting *g, const struct known *more, uint32_t n)
{
	struct clock *met = clock_join(g->clock, &r->family, NULL, more, n, r->now);

	if (g->waited.count)
		met = clock_join(met, &r->family, NULL, g->waited.data, g->waited.count, r->now);
	g->clock = NULL;
	g->more.count = g->waited.count = 0;
	return met;
}

/* The lanes of MASK get clock C: mostly all of a warp, which had one clock. */
static void warp_set_clock(struct race_warp *w, uint32_t mask, struct clock *c)
{
	struct clock *was = mask ? w->clock[lane_first(mask)] : NULL;
	uint32_t n = lanes_of(mask);

	c->refs += n;
	if (mask && warp_one_clock(w, mask) && was->refs > n) {
		was->refs -= n;
		w->one = NULL;
		if (mask == UINT32_MAX) {
			EVERY_LANE(lane)
				w->clock[lane] = c;
			w->one = c;
			return;
		}
		FOR_LANES(lane, mask)
			w->clock[lane] = c;
		return;
	}
	w->one = NULL;
	FOR_LANES(lane, mask) {
		clock_unref(w->clock[lane]);
		w->clock[lane] = c;
	}
}

void race_arrive(
	struct race *r, struct race_cta *c, struct race_warp *w, const struct sync_event *e)
{
	struct meeting *g = meeting_get(&c->barrier[e->number]);

	meeting_arrive(r, g, w, e->warp, e->mask);
	if (e->op->barrier.kind != BARRIER_ARRIVE)
		g->waits[e->warp->index] |= e->mask;
}

void race_barrier_complete(
	struct race *r, struct race_cta *c, const struct cta *of, uint32_t number)
{
	struct meeting *g = c->barrier[number];
	bool whole = true;

	assert(g && g->clock && g->more.count); /* at least one thread has arrived */
	for (uint32_t k = 0; k < c->nwarps; k++)
		whole = whole && g->arrived[k] == of->warp[k].lanes && g->waits[k] == g->arrived[k];
	const struct known all = {key_of(KEY_CTA, c->uid), r->now};
	struct clock *met = meeting_complete(
		r, g, whole ? &all : g->more.data, whole ? 1 : g->more.count);

	for (uint32_t k = 0; k < c->nwarps; k++)
		warp_set_clock(&c->warp[k], g->waits[k], met);
	if (whole) {
		uint32_t stamp;

		c->met = record_next(r);
		c->met_at = r->now;
		stamp = race_tick(r);
		for (uint32_t k = 0; k < c->nwarps; k++)
			c->warp[k].stamp = stamp;
	}
	clock_unref(met);
	memset(g->arrived, 0, sizeof g->arrived);
	memset(g->waits, 0, sizeof g->waits);
}

void race_warp_barrier(struct race *r, struct race_warp *w, const struct warp *of, uint32_t mask)
{
	struct meeting g = {0};

	meeting_arrive(r, &g, w, of, mask);
	g.clock = meeting_complete(r, &g, g.more.data, g.more.count);
	warp_set_clock(w, mask, g.clock);
	clock_unref(g.clock);
	vec_free(&g.more);
	vec_free(&g.waited);
}

/* A relaxed arrival releases what the fences before it release. */
static void meeting_arrive_relaxed(
	struct race *r, struct meeting *g, struct race_warp *w, uint32_t mask)
{
	FOR_LANES(lane, w->sync ? mask : 0)
		for (unsigned scope = SCOPE_CLUSTER; scope < SCOPES; scope++) {
			const struct head *h = &w->sync[lane].fence[scope];

			if (h->clock)
				g->clock = head_join(
					r, g->clock ? g->clock : clock_ref(h->clock), h);
		}
}

void race_cluster_barrier(struct race *r, struct race_warp *w, const struct sync_event *e)
{
	struct race_cta *first = race_find(r, e->cta->cluster->member[0]);
	struct meeting *g;

	assert(first); /* the CTAs of a cluster are added and removed together */
	g = meeting_get(&first->cluster);
	switch ((int)e->kind) {
	case SYNC_CLUSTER_ARRIVE:
		if (e->sem != SEM_RELAXED)
			meeting_arrive(r, g, w, e->warp, e->mask);
		else
			meeting_arrive_relaxed(r, g, w, e->mask);
		break;
	case SYNC_CLUSTER_COMPLETE:
		clock_unref(first->cluster_done);
		first->cluster_done = g->clock ? meeting_complete(r, g, g->more.data, g->more.count)
					       : NULL;
		break;
	default:
		w->one = NULL;
		if (first->cluster_done)
			FOR_LANES(lane, e->mask)
				w->clock[lane] = clock_join(w->clock[lane], &r->family,
					first->cluster_done, NULL, 0, r->now);
		break;
	}
}
