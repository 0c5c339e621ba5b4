/* Internal to explanations: an execution that is told in words, ways and cycles in it. */
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

/* An edge relation between events: its name, or NULL. */
typedef const char *edge_name(const struct explain *e, uint32_t a, uint32_t b);
/* Base causality, in words; po, rf, co, fr, barriers and what begins asynchronous operations, no
 * cycle in which means that some interleaving of the threads gives the execution; of these the ones
 * of SC-per-location. */
edge_name explain_base_edge, explain_interleaving_edge, explain_location_edge;
/* The shortest way from A to B (A ≠ B or through at least one other event) as a list; 0: none. */
uint32_t explain_way(
	const struct explain *e, uint32_t a, uint32_t b, edge_name *edge, uint32_t *way);
/* The shortest cycle of EDGE, interleaving_edge or some of its edges; 0: there is none. WAY begins
 * and ends with the same event. */
uint32_t explain_cycle(const struct explain *e, edge_name *edge, uint32_t *way);

/* Candidates for CONDITION that are nearest to what R, which has none, allows. CUT: not all were
 * looked at. */
enum { NEAR_MOST = 64 };
struct near {
	struct arena arena;
	struct explore_outcome outcome[NEAR_MOST]; /* count: words of memory that differ */
	uint32_t count, distance;
	bool cut;
};
/* FREE: options of R without axioms. OUT's arena is to be freed. */
void why_nearest(const struct explore_result *r, const struct explore_options *free,
	const struct explore_condition *condition, struct near *out);

/* Why outcome O of R is possible. */
void why_allowed(const struct explore_result *r, const struct explore_outcome *o,
	const struct explore_condition *condition, const struct explore_names *names,
	struct text *out, struct text *graph);

#endif
