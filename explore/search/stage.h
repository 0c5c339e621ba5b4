/* Stages of a program: one kernel after another. */
#ifndef PTXI_EXPLORE_STAGE_H
#define PTXI_EXPLORE_STAGE_H
#include "explore/search/graph.h"

/* Whether THREAD belongs to a stage that has not begun in N. */
static inline bool stage_is_later(const struct node *n, const struct grower *g, uint32_t thread)
{
	return g->stages && g->program->stage[thread] > n->stage;
}
/* Whether all threads of N's stage have ended, and there is a stage after it. */
bool stage_has_ended(const struct node *n, const struct grower *g);
/* Whether only commuting atoms are pending, and one of them would be next if the order of the
 * fences were known: where none is next otherwise, their order may stay open as that of the fences
 * does (commute_rest). Fences of earlier stages make no difference: they may have been left behind
 * (stage_begin). */
bool stage_leaves_atoms(const struct node *n, const struct grower *g);

/* What the stages of N that have ended leave behind: observed registers and memory. */
struct stage_end {
	VEC(uint64_t) word; /* equal for nodes from which the same follows */
	/* in WORD: of each location, its number, doubled, and whether it was written; and its value
	 */
	uint32_t memory;
};

enum stage_result {
	STAGE_CLOSED, /* END is all that remains of it */
	STAGE_OPEN,   /* something else could be noticed: a location with several last writes */
	STAGE_NEVER   /* there is no such execution */
};
/* What is left of N, saturated and without pending reads, whose stage has ended. */
enum stage_result stage_finish(struct node *n, struct grower *g, struct stage_end *end);
/* N becomes a node in which the next stage begins, with what END says and no event but initial
 * writes. */
void stage_begin(struct node *n, struct grower *g, const struct stage_end *end);

#endif
