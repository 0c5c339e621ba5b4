/* An execution rebuilt from its trail, and the names of its events. */
#ifndef PTXI_EXPLORE_WITNESS_H
#define PTXI_EXPLORE_WITNESS_H
#include "explore/search/explore.h"
#include "explore/search/search.h"

struct witness {
	struct worker worker;
	struct execution x;                    /* the completion; valid until witness_free */
	const struct explore_options *options; /* of the result; their deadline applies here, too */
	const uint64_t *value;                 /* the wanted outcome; NULL: any */
	bool stuck, found;
};

/* Rebuilds the execution at the end of TRAIL that ends in VALUE (NULL: in any outcome; STUCK: in
 * which threads wait forever). False: there is none, or the deadline passed. */
bool witness_build(struct witness *w, const struct explore_result *r, const uint16_t *trail,
	uint32_t ntrail, const uint64_t *value, bool stuck);
void witness_free(struct witness *w);
/* worker.stopped of a worker whose leaf_arg is a witness. */
bool witness_stopped(void *arg);

/* "P1: ld.acquire.gpu r1, y (line 10)"; initial writes: "the initial x = 0". */
void event_say(const struct execution *x, uint32_t e, const struct grower *g,
	const struct explore_names *names, struct text *out);
/* Line of an event; 0: none. */
/* Event E's place: "line 10", or "reduce.cu:12 [line 10]". LINE: its line. */
void event_say_place(const struct execution *x, uint32_t e, uint32_t line,
	const struct explore_names *names, struct text *out);
uint32_t event_line(const struct execution *x, uint32_t e, const struct explore_names *names);
/* The edge of base causality from A to B: program order, synchronisation, a common barrier, or
 * fence.sc order. SYNC: execution_sync(). */
enum edge_kind { EDGE_NONE, EDGE_PO, EDGE_SYNC, EDGE_BARRIER, EDGE_SC };
enum edge_kind event_edge(const struct execution *x, const uint64_t *sync, uint32_t a, uint32_t b);
/* Synchronisation as a relation, [n][words], to be freed by the caller. */
uint64_t *execution_sync(const struct execution *x);

#endif
