/* Agents: warps without threads that execute the asynchronous operations of a warp's threads or of
 * an mbarrier; and what each lane has waited for. */
#include "base/assert.h"
#include "check/race_state.h"
#include "base/memory.h"
#include "interp/sync/async.h"
#include <string.h>

static uint32_t agent_new(struct race *r, struct race_cta *c)
{
	uint32_t uid = r->family.warp_cta.count;

	if (!c->async) {
		struct past_cta past = r->past.data[c->uid];

		c->async = r->past.count;
		*vec_push(&r->past) = past;
		*vec_push(&r->family.cta_launch) = past.order;
	}
	*vec_push(&r->family.warp_cta) = c->async;
	return uid;
}

struct agent *agent_of(
	struct race *r, struct race_cta *c, struct race_warp *w, enum agent_kind kind)
{
	if (!w->agent[kind]) {
		w->agent[kind] = memory_zeroed(1, sizeof *w->agent[kind]);
		w->agent[kind]->uid = agent_new(r, c);
	}
	return w->agent[kind];
}

uint32_t agent_at(struct race *r, struct race_cta *c, const struct sync_place *bar)
{
	uint64_t key = bar->cta ? (uint64_t)bar->cta->cluster_rank << 32 | bar->offset
				: UINT64_MAX - 1;
	uint32_t uid = map_get(&c->agents, key, UINT32_MAX);

	if (uid == UINT32_MAX)
		map_set(&c->agents, key, uid = agent_new(r, c));
	return uid;
}

void agent_open_group(struct agent *a, unsigned lane, uint32_t group, uint32_t stamp)
{
	uint8_t n = a->nopen[lane];

	if (n && a->open[lane][n - 1].group == group) {
		a->open[lane][n - 1].stamp = stamp;
		return;
	}
	if (n == OPEN_GROUPS) {
		a->open[lane][0].stamp = a->open[lane][1].stamp;
		memmove(&a->open[lane][1], &a->open[lane][2],
			(OPEN_GROUPS - 2) * sizeof a->open[lane][0]);
		n--;
	}
	assert(n < OPEN_GROUPS && (!n || a->open[lane][n - 1].stamp < stamp));
	a->open[lane][n].group = group;
	a->open[lane][n].stamp = stamp;
	a->nopen[lane] = (uint8_t)(n + 1);
}

static void agent_wait(struct agent *a, unsigned lane, uint32_t before)
{
	uint8_t n = 0;

	if (!a)
		return;
	while (n < a->nopen[lane] && a->open[lane][n].group < before)
		a->known[lane] = a->open[lane][n++].stamp;
	a->nopen[lane] = (uint8_t)(a->nopen[lane] - n);
	memmove(&a->open[lane][0], &a->open[lane][n], a->nopen[lane] * sizeof a->open[lane][0]);
}

void race_copy_waited(struct race_warp *w, const struct sync_event *e)
{
	const uint32_t *waited = async_waited(e->warp, e->number);

	FOR_LANES(lane, e->mask) {
		uint32_t before = waited[lane];

		switch ((enum groups)e->number) {
		case GROUPS_CP: agent_wait(w->agent[AGENT_CP], lane, before); break;
		case GROUPS_BULK:
			agent_wait(w->agent[AGENT_BULK_READ], lane, before);
			if (!e->value)
				agent_wait(w->agent[AGENT_BULK], lane, before);
			break;
		case GROUPS_WGMMA: agent_wait(w->agent[AGENT_WGMMA], lane, before); break;
		case GROUPS_COUNT: break;
		}
	}
}

bool agent_knows(const struct race_warp *w, unsigned lane, uint32_t warp, uint32_t stamp)
{
	for (unsigned k = 0; k < AGENTS; k++)
		if (w->agent[k] && w->agent[k]->uid == warp)
			return stamp <= w->agent[k]->known[lane];
	return false;
}

void agent_tell(struct race *r, struct race_warp *w, unsigned lane)
{
	for (unsigned k = 0; k < AGENTS; k++)
		if (w->agent[k] && w->agent[k]->known[lane]) {
			const struct known one = {k == AGENT_WGMMA
					? key_of(KEY_WARP, w->agent[k]->uid)
					: key_thread(w->agent[k]->uid, lane),
				w->agent[k]->known[lane]};

			w->one = NULL;
			w->clock[lane] = clock_join(
				w->clock[lane], &r->family, NULL, &one, 1, r->now);
		}
}

void agent_tell_all(struct race *r, struct race_warp *w, const struct warp *of, uint32_t mask,
	struct meeting *g)
{
	bool same = mask == of->lanes;

	for (unsigned k = 0; k < AGENTS; k++)
		for (unsigned lane = 1; w->agent[k] && lane < LANES; lane++)
			same = same &&
				(!(mask >> lane & 1) ||
					w->agent[k]->known[lane] == w->agent[k]->known[0]);
	if (!same) {
		FOR_LANES(lane, mask)
			agent_tell(r, w, lane);
		return;
	}
	for (unsigned k = 0; k < AGENTS; k++)
		if (w->agent[k] && w->agent[k]->known[0])
			*vec_push(&g->waited) = (struct known){
				key_of(KEY_WARP, w->agent[k]->uid), w->agent[k]->known[0]};
}
