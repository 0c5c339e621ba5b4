/* Threads that have observed a strong write: an access that comes after such a read in causality
 * order and is at the same location comes after the write, too. (PTX ISA 8.9.3, 8.9.5) */
#include "check/race_state.h"

enum { OBSERVERS = 16 };

static struct places *observe_places(const struct touch *t)
{
	struct race_cta *owner = t->space == W_shared ? race_find(t->r, t->owner) : NULL;

	return t->space != W_shared ? &t->r->places : owner ? &owner->places : NULL;
}

/* The address of the access X recorded in cell K of T's page: X is aligned to its size. */
static uint64_t observe_location(
	const struct touch *t, const struct page *p, uint32_t k, const struct record *x)
{
	uint64_t cell = (t->address & ~(uint64_t)((1u << PAGE_SHIFT) - 1)) |
		(uint64_t)k << p->shift;

	return cell & ~(uint64_t)(x->bytes - 1u);
}

static bool observation_of(const struct race *r, const struct observation *o, uint32_t code)
{
	const struct record *x = &r->record.data[code >> 5];

	return o->write_warp == x->warp && o->write_lane == (code & 31) &&
		o->write_stamp == x->stamp && o->write_insn == x->insn;
}

/* Whether the write of O is still in cell K, and so may still be compared. */
static bool observation_live(
	const struct race *r, const struct page *p, uint32_t k, const struct observation *o)
{
	bool live = observation_of(r, o, p->write[k]);

	for (unsigned j = 0; j < OLDER && p->older[j]; j++)
		live = live || observation_of(r, o, p->older[j][k]);
	return live;
}

static bool observation_precedes(const struct touch *t, const struct observation *o)
{
	return o->warp == OBSERVED_BY_ANY || (o->warp == t->warp->uid && o->lane == t->lane) ||
		clock_knows(t->warp->clock[t->lane], &t->r->family, o->warp, o->lane, o->stamp);
}

bool observed_write(const struct touch *t, const struct page *p, uint32_t k, uint32_t code)
{
	const struct places *all = observe_places(t);
	const struct observation *o;

	for (uint32_t at = all
			? map_get(&all->observed,
				  observe_location(t, p, k, &t->r->record.data[code >> 5]), 0)
			: 0;
		at; at = o->next) {
		o = &all->observation.data[at];
		if (observation_of(t->r, o, code) && observation_precedes(t, o))
			return true;
	}
	return false;
}

void observe_write(struct touch *t, const struct page *p, uint32_t k, uint32_t code)
{
	const struct record *x = &t->r->record.data[code >> 5], *me = &t->r->record.data[t->id];
	struct places *all = observe_places(t);
	uint64_t key = observe_location(t, p, k, x);
	uint32_t first = all ? map_get(&all->observed, key, 0) : 0, to = 0, n = 0;

	if (!all)
		return;
	for (uint32_t at = first; at; at = all->observation.data[at].next) {
		const struct observation *o = &all->observation.data[at];

		if (observation_of(t->r, o, code) && observation_precedes(t, o))
			return;
		if (observation_of(t->r, o, code))
			n++;
		else if (!observation_live(t->r, p, k, o))
			to = at;
	}
	if (!to) {
		if (!all->observation.count)
			(void)vec_push(&all->observation); /* index 0 is none */
		to = all->observation.count;
		vec_push(&all->observation)->next = first;
		map_set(&all->observed, key, to);
	}
	struct observation *o = &all->observation.data[to];

	*o = (struct observation){x->warp, x->stamp, x->insn,
		n < OBSERVERS ? me->warp : OBSERVED_BY_ANY, me->stamp, o->next,
		(uint8_t)(code & 31), (uint8_t)t->lane};
}
