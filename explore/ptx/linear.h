/* Linear inequalities over integers, and whether a few of them contradict each other. */
#ifndef PTXI_EXPLORE_PTX_LINEAR_H
#define PTXI_EXPLORE_PTX_LINEAR_H
#include <stdbool.h>
#include <stdint.h>

/* Variables: those of a thread are %tid.x, y, z and %ctaid.x, y, z; LINEAR_ONE is the constant. Two
 * threads have twice as many. */
enum { LINEAR_TID, LINEAR_CTAID = 3, LINEAR_OWN = 6, LINEAR_ALL = 12, LINEAR_ONE = LINEAR_ALL };

struct linear {
	int64_t k[LINEAR_ALL + 1];
};

/* A + FACTOR * B in *OUT; false: it overflows. */
bool linear_add(const struct linear *a, int64_t factor, const struct linear *b, struct linear *out);
static inline struct linear linear_constant(int64_t c)
{
	return (struct linear){.k[LINEAR_ONE] = c};
}
bool linear_is_constant(const struct linear *a);

/* The conjunction of inequalities L <= 0. */
enum { LINEAR_MOST = 320 };
struct linear_set {
	uint32_t n;
	bool full; /* there were too many: none is known */
	struct linear at[LINEAR_MOST];
};
void linear_require(struct linear_set *s, const struct linear *l);
/* True: no integers satisfy S. False: nothing is known. S is used up. */
bool linear_impossible(struct linear_set *s);

#endif
