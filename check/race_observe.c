/* Threads that have observed a strong write: an access that comes after such a read in causality
 * order and is at the same location comes after the write, too. (PTX ISA 8.9.3, 8.9.5) */
#include "base/memory.h"
#include "check/race_state.h"

enum { OBSERVERS = 16 };

static struct places *observe_places(const struct touch *t)
{
	struct race_cta *owner = t->space == W_shared ? race_find(t->r, t->owner) : NULL;

	return t->space != W_shared ? &t->r->places : owner ? &owner->places : NULL;
}

/* The first cell of the access X recorded in cell K of page P: X is aligned to its size. */
static uint32_t first_cell(const struct page *p, uint32_t k, const struct record *x)
{
	return k & ~((x->bytes - 1u) >> p->shift);
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

	if (!all || !p->observed)
		return false;
	for (uint32_t at = p->observed[first_cell(p, k, &t->r->record.data[code >> 5])]; at;
		at = o->next) {
		o = &all->observation.data[at];
		if (observation_of(t->r, o, code) && observation_precedes(t, o))
			return true;
	}
	return false;
}

void observe_write(struct touch *t, struct page *p, uint32_t k, uint32_t code)
{
	const struct record *x = &t->r->record.data[code >> 5], *me = &t->r->record.data[t->id];
	struct places *all = observe_places(t);
	uint32_t *here, first, to = 0, n = 0;

	if (!all)
		return;
	if (!p->observed)
		p->observed = memory_zeroed(1u << (PAGE_SHIFT - p->shift), sizeof *p->observed);
	here = &p->observed[first_cell(p, k, x)];
	first = *here;
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
		*here = to;
	}
	struct observation *o = &all->observation.data[to];

	*o = (struct observation){x->warp, x->stamp, x->insn,
		n < OBSERVERS ? me->warp : OBSERVED_BY_ANY, me->stamp, o->next,
		(uint8_t)(code & 31), (uint8_t)t->lane};
}
