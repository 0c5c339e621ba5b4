/* The PTX memory model as definitions over one complete execution: docs/MEMORY-MODEL.md, line by
 * line, slow and plain. Nothing here is incremental, and nothing of the explorer's reasoning
 * (saturate.c, orient.c, derive.c, pieces.c) is used, so that each can be checked by the other. */
#ifndef PTXI_MODEL_AXIOMS_H
#define PTXI_MODEL_AXIOMS_H
#include "base/vec.h"
#include "model/event.h"

enum axiom {
	AXIOM_NONE,
	AXIOM_COHERENCE,
	AXIOM_FENCE_SC,
	AXIOM_ATOMICITY,
	AXIOM_NO_THIN_AIR,
	AXIOM_SC_PER_LOCATION,
	AXIOM_CAUSALITY,
	/* what one access is stays one: of accesses of several sizes (decision 10) */
	AXIOM_SINGLE_COPY
};

const char *axiom_name(enum axiom axiom);

/* Which axiom does not hold, and the events of the cycle, each before the next. */
struct breach {
	enum axiom axiom;
	VEC(uint32_t) event;
};

/* An execution and what is defined over it. Relations are N rows of WORDS words, row I the events
 * that I is related to. Steps, in this order: fill what is given and call axioms_events; choose
 * what reads read (event.rf), axioms_reads; choose sc, axioms_fences; choose co, axioms_writes. A
 * step may be repeated with another choice, and those behind it with it; each answers whether its
 * axioms hold, and if not, BREACH says which does not. */
struct axioms {
	uint32_t n, words;
	const struct event *event;
	const struct placement *place; /* by thread */
	const uint32_t
		*issue; /* by thread: the event that began an asynchronous operation, or NULL */
	uint64_t *block;
	/* given: program order; what arrives at a barrier before what leaves it, and accesses that
	 * a restricted fence before an arrival releases; which events depend on which reads
	 * (address, data, control) */
	uint64_t *po, *barrier, *released, *dep;
	uint64_t *sc, *co; /* chosen */
	/* defined */
	uint64_t *ms, *poloc, *release, *acquire, *rf, *obs, *sync, *alone, *cb, *ppcb, *cause, *fr;
	uint64_t *a, *b; /* for use in between */
	/* another model, for tests: changes base causality and causality (NULL: nothing) */
	void (*alter)(const struct axioms *x, uint64_t *relation);
	struct breach breach;
};

/* N events, of which all relations are empty. */
void axioms_init(struct axioms *x, uint32_t n, const struct event *event,
	const struct placement *place, const uint32_t *issue);
void axioms_free(struct axioms *x);

/* Moral strength, and release and acquire patterns. */
void axioms_events(struct axioms *x);
/* Observation, synchronizes-with. No-thin-air. */
bool axioms_reads(struct axioms *x);
/* Base causality, proxy-preserved base causality, causality. FenceSC. */
bool axioms_fences(struct axioms *x);
/* From-reads. Coherence, Atomicity, SC-per-location, Causality. */
bool axioms_writes(struct axioms *x);
/* co becomes the least order that contains it and what Coherence asks for. */
void axioms_least_coherence(struct axioms *x);

static inline uint64_t *axioms_row(const struct axioms *x, const uint64_t *relation, uint32_t i)
{
	return (uint64_t *)(uintptr_t)relation + (uint64_t)i * x->words;
}

#endif
