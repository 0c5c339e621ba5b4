/* The one source of nondeterminism: every decision that PTX leaves open is choose(chooser, why, n). Fast always takes 0; the others decide by seed, by
 * enumeration or by a recorded trail. A chooser belongs to one host thread: machines that are explored or replayed run with one worker. */
#ifndef PTXI_INTERP_CHOOSER_H
#define PTXI_INTERP_CHOOSER_H
#include "base/rng.h"
#include <stdbool.h>
#include <stdint.h>

/* What is being decided; the trail records it, so that a replay notices when it no longer fits the program. */
enum choice {
	CHOICE_GROUP,   /* which group of lanes of a warp runs next */
	CHOICE_QUANTUM, /* for how many instructions */
	CHOICE_WARP,    /* which warp of a CTA runs next */
	CHOICE_CTA,     /* which resident CTA runs next, or whether another is admitted */
	CHOICE_READ,    /* which write a load reads (weak memory) */
	CHOICE_ORDER,   /* where a write goes in the coherence order (weak memory) */
	CHOICE_SPURIOUS,/* whether a wait that may fail for no reason does */
	CHOICE_COPY,    /* whether an asynchronous copy lands now, and which */
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

/* A length from 1 to 2^(BITS - 1): one in two is short (at most 8), otherwise every magnitude is as likely, so that both the next few instructions and long stretches
 * are cut. */
static inline uint32_t choose_length(struct chooser *c, enum choice why, uint32_t bits)
{
	uint32_t short_bits = bits < 4 ? bits : 4;

	return 1 + choose(c, why, 1u << choose(c, why, choose(c, why, 2) ? short_bits : bits));
}

/* Always the first. */
void chooser_fast(struct chooser *c);
/* By a seeded random number. */
void chooser_seeded(struct chooser *c, uint64_t seed);

/* A chooser that records its choices in a trail and first follows the trail it is given: replay, and, with chooser_trail_next, enumeration of every run. */
struct choice_made {
	uint32_t taken, of;
	uint8_t why; /* enum choice */
};
struct chooser_trail {
	struct chooser base; /* hand &t->base to the machine */
	struct choice_made *made;
	uint32_t count, cap; /* recorded */
	uint32_t follow;     /* how many of them are still to be followed, from `at` on */
	uint32_t at;
	uint8_t broken;      /* a followed choice did not fit (another number of alternatives or another reason) */
	struct chooser *then; /* decides what is beyond the trail; NULL: 0 */
};
/* Zeroed, with an empty trail; THEN decides what the trail does not say. */
void chooser_trail_init(struct chooser_trail *t, struct chooser *then);
/* Begins another run that follows the recorded trail exactly. */
void chooser_trail_replay(struct chooser_trail *t);
/* The next run in lexicographic order: cuts the trail at its last choice with an untried alternative and takes that. False: all runs were done. */
bool chooser_trail_next(struct chooser_trail *t);
void chooser_trail_free(struct chooser_trail *t);

#endif
