/* The one source of nondeterminism: every decision that PTX leaves open is choose(chooser, why, n).
 * Fast always takes 0; seeded decides by a seed. A chooser belongs to one host thread. */
#ifndef PTXI_INTERP_CHOOSER_H
#define PTXI_INTERP_CHOOSER_H
#include "base/rng.h"
#include <stdbool.h>
#include <stdint.h>

/* What is being decided. */
enum choice {
	CHOICE_GROUP,    /* which group of lanes of a warp runs next */
	CHOICE_QUANTUM,  /* for how many instructions */
	CHOICE_WARP,     /* which warp of a CTA runs next */
	CHOICE_CTA,      /* which resident CTA runs next, or whether another is admitted */
	CHOICE_READ,     /* which write a load reads (weak memory) */
	CHOICE_ORDER,    /* where a write goes in the coherence order (weak memory) */
	CHOICE_SPURIOUS, /* whether a wait that may fail for no reason does */
	CHOICE_COPY,     /* whether an asynchronous copy lands now, and which */
	CHOICE_COUNT
};

struct chooser {
	/* A number in 0..n-1; n >= 1. NULL: always 0. */
	uint32_t (*choose)(struct chooser *c, enum choice why, uint32_t n);
	struct rng rng; /* of the seeded chooser */
};

static inline uint32_t choose(struct chooser *c, enum choice why, uint32_t n)
{
	return c->choose && n > 1 ? c->choose(c, why, n) : 0;
}

/* A length from 1 to 2^(BITS - 1): one in two is short (at most 8), otherwise every magnitude is as
 * likely, so that both the next few instructions and long stretches are cut. */
static inline uint32_t choose_length(struct chooser *c, enum choice why, uint32_t bits)
{
	uint32_t short_bits = bits < 4 ? bits : 4;

	return 1 + choose(c, why, 1u << choose(c, why, choose(c, why, 2) ? short_bits : bits));
}

/* Always the first. */
void chooser_fast(struct chooser *c);
/* By a seeded random number. */
void chooser_seeded(struct chooser *c, uint64_t seed);

#endif
