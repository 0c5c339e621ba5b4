/* What comes before a launch, or before work of the host, when it begins. */
#include "base/memory.h"
#include "check/race_state.h"
#include "interp/machine/schedule.h"

/* The threads know what is before them in stream order, through events or through the host. The
 * floor covers everything before the first launch that is not among these, which saves entries.
 * (With more than CONCURRENT entries, they count as knowing everything.) */
void race_begins(struct race *r, uint32_t order)
{
	enum { CONCURRENT = 1024 };
	VEC(struct known) known = {0};
	uint32_t first = r->machine->settled_order, at = order - first;
	bool *before = memory_zeroed(at + 1u, sizeof *before);
	uint64_t floor = race_tick(r);
	uint32_t old = record_next(r);

	schedule_before(r->machine->schedule, order, before);
	/* launches of one stream begin in the order of their numbers; those of different streams
	 * may not */
	for (uint32_t k = r->begun.count; k-- > 0;) {
		const struct begun *p = &r->begun.data[k];

		if (p->order > order || !before[p->order - first]) {
			floor = p->at - 1;
			old = p->record;
		}
	}
	for (uint32_t k = 0; k < r->begun.count; k++) {
		const struct begun *p = &r->begun.data[k];

		if (p->order < order && before[p->order - first] && p->end > floor)
			*vec_push(&known) = (struct known){key_of(KEY_LAUNCH, p->order), p->end};
	}
	memory_drop(before);
	if (known.count > CONCURRENT) {
		floor = r->now;
		old = record_next(r);
		known.count = 0;
	}
	while (r->bases.count <= at)
		*vec_push(&r->bases) = (struct base){0};
	clock_unref(r->bases.data[at].clock);
	r->bases.data[at].before = old;
	r->bases.data[at].clock = clock_join(
		clock_new(floor), &r->family, NULL, known.data, known.count, r->now);
	vec_free(&known);
	*vec_push(&r->begun) = (struct begun){order, race_tick(r), UINT32_MAX, record_next(r)};
}
