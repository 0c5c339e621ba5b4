/* Finds the checker's state of one of the machine's CTAs. */
#include "check/race_state.h"

struct race_cta *race_look_up(struct race *r, const struct cta *c)
{
	uint32_t at = map_get(&r->live, (uint64_t)(uintptr_t)c, UINT32_MAX);

	r->last_cta = c;
	r->last = at == UINT32_MAX ? NULL : r->ctas.data[at];
	return r->last;
}
