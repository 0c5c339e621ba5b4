/* Trails of an execution: the choices that lead to it. Of several executions with the same result
 * the one with the least trail is kept, so that the result depends on no order of search. */
#ifndef PTXI_EXPLORE_SEARCH_TRAIL_H
#define PTXI_EXPLORE_SEARCH_TRAIL_H
#include <stdbool.h>
#include <stdint.h>

static inline bool trail_less(const uint16_t *a, uint32_t na, const uint16_t *b, uint32_t nb)
{
	for (uint32_t i = 0; i < na && i < nb; i++) {
		if (a[i] != b[i])
			return a[i] < b[i];
	}
	return na < nb;
}

#endif
