/* The fast and the seeded chooser. */
#include "interp/state/chooser.h"

void chooser_fast(struct chooser *c) { *c = (struct chooser){0}; }

static uint32_t chooser_random(struct chooser *c, enum choice why, uint32_t n)
{
	(void)why;
	return rng_below(&c->rng, n);
}

void chooser_seeded(struct chooser *c, uint64_t seed)
{
	*c = (struct chooser){.choose = chooser_random, .rng = {seed}};
}
