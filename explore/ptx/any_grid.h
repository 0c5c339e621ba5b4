/* Proof, for all grids, that a launch has no data race. */
#ifndef PTXI_EXPLORE_PTX_ANY_GRID_H
#define PTXI_EXPLORE_PTX_ANY_GRID_H
#include "explore/ptx/ptx.h"

struct any_grid {
	const char *kernel;
	uint32_t block[3];
	/* the proof holds for grids of up to so many CTAs in each dimension; [0] is 0: there is
	 * none */
	uint64_t most[3];
	bool as_launched; /* only for the grid of the launch */
	/* if there is none: why, and up to two instructions */
	const char *reason;
	struct span span[2];
	uint32_t nspans;
	uint32_t accesses, pairs; /* looked at */
};

/* The launch is the K-th of P, from 0; false: there is no such launch. Its parameters, its block
 * and the number of its dimensions are as launched; the number of its CTAs is any. Assumes that
 * every access stays in the buffer or variable to which its pointer points. */
bool ptx_any_grid(
	const struct explore_program *p, uint32_t k, struct arena *arena, struct any_grid *out);

#endif
