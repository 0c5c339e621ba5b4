/* Internal to explanations: an execution to be described in words, and paths and cycles in it. */
#ifndef PTXI_EXPLORE_EXPLAIN_H
#define PTXI_EXPLORE_EXPLAIN_H
#include "explore/explain/why.h"
#include "explore/search/witness.h"

struct explain {
	const struct execution *x;
	const struct grower *g;
	const struct explore_names *names;
	struct text *out;
	uint64_t *sync;
	uint64_t *barriers; /* interleave_barriers() */
	uint64_t *marked;   /* edges of the explanation, [n][words] */
};

void explain_begin(struct explain *e, const struct execution *x, const struct grower *g,
	const struct explore_names *names, struct text *out);
void explain_end(struct explain *e);
void explain_mark(struct explain *e, uint32_t a, uint32_t b);
/* "P1: ld.acquire.gpu r1, y (line 10)" */
void explain_event(struct explain *e, uint32_t event);
/* "x = 1" */
void explain_value(struct explain *e, uint32_t event);
/* "x = 1, P0:r0 = 0" */
void explain_state(
	const struct explore_result *r, const struct explore_outcome *o, struct text *out);

/* A relation between events: the name of the edge from A to B, or NULL. */
typedef const char *edge_name(const struct explain *e, uint32_t a, uint32_t b);
/* In this order: base causality, as verb phrases; the edges that an interleaving keeps
 * (interleave.h): if they have no cycle, some interleaving of the threads gives the execution; and
 * those of them that SC-per-location concerns. */
edge_name explain_base_edge, explain_interleaving_edge, explain_location_edge;
/* Stores the shortest path from A to B as a list of events in PATH and returns its length; if A =
 * B, a cycle. 0: none. */
uint32_t explain_path(
	const struct explain *e, uint32_t a, uint32_t b, edge_name *edge, uint32_t *path);
/* The same for the shortest cycle of EDGE, which is explain_interleaving_edge or a subset of it.
 * PATH begins and ends with the same event. */
uint32_t explain_cycle(const struct explain *e, edge_name *edge, uint32_t *path);

/* Candidate outcomes for CONDITION nearest to what R, which has none, allows. CUT: not all
 * candidates were examined. */
enum { MAX_NEAR = 64 };
struct near {
	struct arena arena;
	struct explore_outcome outcome[MAX_NEAR]; /* count: words of memory that differ */
	uint32_t count, distance;
	bool cut;
};
/* FREE: the options of R without axioms. The caller frees OUT's arena. */
void why_nearest(const struct explore_result *r, const struct explore_options *free,
	const struct explore_condition *condition, struct near *out);

/* Names the first cycle of reads, each of which waits for the next, that the search without axioms
 * (options FREE) runs into. */
void why_thin_air(const struct explore_program *p, const struct explore_options *free,
	const struct explore_names *names, struct text *out);

/* Explains why outcome O of R is possible. */
void why_allowed(const struct explore_result *r, const struct explore_outcome *o,
	const struct explore_condition *condition, const struct explore_names *names,
	struct text *out, struct graph *graph);

#endif
