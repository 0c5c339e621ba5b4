/* The only source of nondeterminism: every decision that PTX leaves open is choose(chooser, why,
 * n). The fast chooser always takes 0; the seeded one is random. A chooser belongs to one host
 * thread. */
#ifndef PTXI_INTERP_CHOOSER_H
#define PTXI_INTERP_CHOOSER_H
#include "base/rng.h"
#include <stdbool.h>
#include <stdint.h>

/* The decision. */
enum choice {
	CHOICE_GROUP,    /* which group of lanes of a warp runs next */
	CHOICE_QUANTUM,  /* for how many instructions */
	CHOICE_WARP,     /* which warp of a CTA runs next */
	CHOICE_CTA,      /* which resident CTA runs next, or whether another is admitted */
	CHOICE_READ,     /* which write a load reads (weak memory) */
	CHOICE_ORDER,    /* position of a write in the coherence order (weak memory) */
	CHOICE_SPURIOUS, /* whether a wait that may fail spuriously does */
	CHOICE_COPY,     /* whether an asynchronous copy lands now, and which */
	CHOICE_COUNT
};

struct chooser {
	/* Returns a number from 0 to N - 1; N >= 1. NULL: always 0. */
	uint32_t (*choose)(struct chooser *c, enum choice why, uint32_t n);
	struct rng rng; /* of the seeded chooser */
};

static inline uint32_t choose(struct chooser *c, enum choice why, uint32_t n)
{
	return c->choose && n > 1 ? c->choose(c, why, n) : 0;
}

/* A length from 1 to 2^(BITS - 1). Half of them are short (at most 8); the others are spread
 * evenly over all magnitudes, so that both short and long stretches occur. */
static inline uint32_t choose_length(struct chooser *c, enum choice why, uint32_t bits)
{
	uint32_t short_bits = bits < 4 ? bits : 4;

	return 1 + choose(c, why, 1u << choose(c, why, choose(c, why, 2) ? short_bits : bits));
}

/* Always 0. */
void chooser_fast(struct chooser *c);
/* Random numbers from SEED. */
void chooser_seeded(struct chooser *c, uint64_t seed);

#endif
