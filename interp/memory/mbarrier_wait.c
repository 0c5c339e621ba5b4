/* The last waits of each lane on mbarriers. */
#include "interp/memory/mbarrier_wait.h"
#include "interp/state/cluster.h"
#include <string.h>

struct mbarrier_waits {
	struct mbarrier_wait waiting[LANES], passed[LANES]; /* cta NULL: none */
	uint32_t stale; /* lanes whose last successful wait was stale */
	uint32_t held;
	uint64_t held_phase[LANES];
};

struct mbarrier_waits *mbarrier_waits_of(struct warp *w)
{
	if (!w->waits)
		w->waits = ARENA_NEW(&w->cta->arena, struct mbarrier_waits);
	return w->waits;
}

static void waits_begin(struct cluster *k)
{
	EVERY_CTA(c, k)
		/* without mbarriers there are no waits */
		for (uint32_t i = 0; c->mbarriers && i < c->nwarps; i++)
			if (c->warp[i].waits)
				memset(c->warp[i].waits, 0, sizeof *c->warp[i].waits);
}
const struct keeper mbarrier_wait_keeper = {.begin = waits_begin};

void mbarrier_wait_begins(struct mbarrier_waits *s, unsigned lane, const struct mbarrier_wait *wait)
{
	s->waiting[lane] = *wait;
}

void mbarrier_wait_ends(struct mbarrier_waits *s, unsigned lane) { s->waiting[lane].cta = NULL; }

bool mbarrier_wait_passes(struct mbarrier_waits *s, unsigned lane, struct cta *c, uint32_t offset,
	uint64_t phase, bool parity)
{
	const struct mbarrier_wait *last = &s->passed[lane];
	bool again = (last->cta == c && last->offset == offset && last->phase == phase) ||
		phase == UINT64_MAX;

	s->stale = (s->stale & ~(1u << lane)) | (uint32_t)(again && parity) << lane;
	s->passed[lane] = (struct mbarrier_wait){.cta = c, .offset = offset, .phase = phase};
	return again;
}

uint32_t mbarrier_sleepers(const struct mbarrier_waits *s) { return s->held; }

uint64_t mbarrier_sleep_phase(const struct mbarrier_waits *s, unsigned lane)
{
	return s->held_phase[lane];
}

void mbarrier_put_to_sleep(struct mbarrier_waits *s, uint32_t mask, const uint64_t *phase)
{
	s->held |= mask;
	FOR_LANES(lane, mask)
		s->held_phase[lane] = phase[lane];
}

void mbarrier_wake(struct mbarrier_waits *s, uint32_t mask) { s->held &= ~mask; }

const struct mbarrier_wait *mbarrier_waiting(const struct warp *w, unsigned lane)
{
	return w->waits && w->waits->waiting[lane].cta ? &w->waits->waiting[lane] : NULL;
}

const struct mbarrier_wait *mbarrier_passed(const struct warp *w, unsigned lane)
{
	return w->waits && w->waits->passed[lane].cta ? &w->waits->passed[lane] : NULL;
}

bool mbarrier_passed_stale(const struct warp *w, unsigned lane)
{
	return w->waits && w->waits->stale >> lane & 1;
}
