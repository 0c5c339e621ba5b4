/* Choosers: fast, seeded, and the trail that records, replays and enumerates. */
#include "interp/state/chooser.h"
#include "base/vec.h"
#include <stdlib.h>

void chooser_fast(struct chooser *c)
{
	*c = (struct chooser){0};
}

static uint32_t seeded(struct chooser *c, enum choice why, uint32_t n)
{
	(void)why;
	return rng_below(&c->rng, n);
}

void chooser_seeded(struct chooser *c, uint64_t seed)
{
	*c = (struct chooser){.choose = seeded, .rng = {seed}};
}

static uint32_t follow(struct chooser *c, enum choice why, uint32_t n)
{
	struct chooser_trail *t = (struct chooser_trail *)(void *)c; /* base is its first member */
	uint32_t taken;

	if (t->at < t->follow) {
		struct choice_made *made = &t->made[t->at++];

		if (made->of != n || made->why != (uint8_t)why) {
			t->broken = 1;
			t->count = t->follow = t->at - 1; /* what follows has no meaning any more */
		} else {
			return made->taken;
		}
	}
	taken = t->then ? choose(t->then, why, n) : 0;
	if (t->count == t->cap)
		t->made = vec_grow(t->made, t->count, &t->cap, 1, sizeof *t->made);
	t->made[t->count++] = (struct choice_made){taken, n, (uint8_t)why};
	t->at = t->count;
	return taken;
}

void chooser_trail_init(struct chooser_trail *t, struct chooser *then)
{
	*t = (struct chooser_trail){.base = {.choose = follow}, .then = then};
}

void chooser_trail_replay(struct chooser_trail *t)
{
	t->follow = t->count;
	t->at = 0;
	t->broken = 0;
}

bool chooser_trail_next(struct chooser_trail *t)
{
	while (t->count && t->made[t->count - 1].taken + 1 >= t->made[t->count - 1].of)
		t->count--;
	if (!t->count)
		return false;
	t->made[t->count - 1].taken++;
	chooser_trail_replay(t);
	return true;
}

void chooser_trail_free(struct chooser_trail *t)
{
	free(t->made);
	*t = (struct chooser_trail){0};
}
