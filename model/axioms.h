/* The PTX memory model as definitions over one complete execution: docs/MEMORY-MODEL.md, line by
 * line, slow and plain. Nothing here is incremental, and none of the explorer's reasoning
 * (saturate.c, orient.c, derive.c, pieces.c) is used, so that each can check the other. */
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
	/* single-copy atomicity of accesses of several sizes (decision 10) */
	AXIOM_SINGLE_COPY
};

const char *axiom_name(enum axiom axiom);

/* The axiom that does not hold, and the events of the cycle, each before the next. */
struct breach {
	enum axiom axiom;
	VEC(uint32_t) event;
};

/* An execution and the relations defined over it. A relation is N rows of WORDS words; row I is the
 * set of events that I is related to. The steps, in this order: fill the given relations and call
 * axioms_events; choose the write that each read reads from (event.rf) and call axioms_reads;
 * choose sc and call axioms_fences; choose co and call axioms_writes. A step may be repeated with
 * another choice if the steps after it are repeated, too. Each step returns whether its axioms
 * hold; if not, BREACH names the one that does not. */
struct axioms {
	uint32_t n, words;
	const struct event *event;
	const struct placement *place; /* by thread */
	/* by thread: the event that issued an asynchronous operation, or NULL */
	const uint32_t *issue;
	uint64_t *block;
	/* given: program order; pairs (arrival at a barrier, departure from it); pairs (access that
	 * a restricted fence before an arrival releases, departure); pairs (read, event that
	 * depends on it by address, data or control) */
	uint64_t *po, *barrier, *released, *dep;
	uint64_t *sc, *co; /* chosen */
	/* defined */
	uint64_t *ms, *poloc, *release, *acquire, *rf, *obs, *sync, *alone, *cb, *ppcb, *cause, *fr;
	uint64_t *a, *b; /* temporaries */
	/* for tests of another model: changes base causality and causality; or NULL */
	void (*alter)(const struct axioms *x, uint64_t *relation);
	struct breach breach;
};

/* N events with empty relations. */
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
/* Extends co to the least order that contains it and satisfies Coherence. */
void axioms_least_coherence(struct axioms *x);

static inline uint64_t *axioms_row(const struct axioms *x, const uint64_t *relation, uint32_t i)
{
	return (uint64_t *)(uintptr_t)relation + (uint64_t)i * x->words;
}

#endif
