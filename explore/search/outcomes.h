/* A set of outcomes: rows of 64-bit words, each with the number of executions that show it and the
 * least trail of choices that leads to it. */
#ifndef PTXI_EXPLORE_OUTCOMES_H
#define PTXI_EXPLORE_OUTCOMES_H
#include "base/arena.h"
#include "base/vec.h"

struct explore_outcome {
	const uint64_t *value; /* [width] */
	uint64_t count;
	const uint16_t *trail;
	uint32_t ntrail;
};

struct explore_outcomes {
	uint32_t width;
	struct arena arena;
	VEC(struct explore_outcome) list;
	uint32_t *slot; /* open addressing, index + 1 */
	uint32_t slots;
	VEC(struct arena) joined; /* the arenas of the sets that outcomes_join took over */
};

/* A + B, or UINT64_MAX if it is more: counts of executions multiply from launch to launch. */
static inline uint64_t outcomes_sum(uint64_t a, uint64_t b)
{
	return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}
void outcomes_init(struct explore_outcomes *o, uint32_t width);
void outcomes_free(struct explore_outcomes *o);
void outcomes_add(struct explore_outcomes *o, const uint64_t *value, uint64_t count,
	const uint16_t *trail, uint32_t ntrail);
void outcomes_merge(struct explore_outcomes *to, const struct explore_outcomes *from);
/* Makes TO, which is empty, the union of the N sets, each of which is sorted; it takes over their
 * memory and is sorted itself. */
void outcomes_join(struct explore_outcomes *to, struct explore_outcomes *const *from, uint32_t n);
size_t outcomes_bytes(const struct explore_outcomes *o);
/* Sorts in ascending order, words as signed numbers; nothing may be added afterwards. */
void outcomes_sort(struct explore_outcomes *o);

#endif
