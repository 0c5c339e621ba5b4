/* The orders that each kind of instruction can have, and which order is weaker than which. */
#include "model/strength.h"
#include <stddef.h>

enum { WEAK = 1u << SEM_WEAK, RELAXED = 1u << SEM_RELAXED, ACQUIRE = 1u << SEM_ACQUIRE };
enum { RELEASE = 1u << SEM_RELEASE, ACQ_REL = 1u << SEM_ACQ_REL, SC = 1u << SEM_SC };
enum {
	NARROW = 1u << SCOPE_CTA | 1u << SCOPE_CLUSTER,
	ANY = NARROW | 1u << SCOPE_GPU | 1u << SCOPE_SYS
};

/* (PTX ISA 8.5 and the descriptions of the instructions. A one-sided fence is weaker than
 * fence.acq_rel, which is both.) RANK: of the instruction itself, which is 0 where it is absent. */
static const struct {
	uint8_t orders, scopes;
	bool absent;
	uint8_t rank;
} kinds[] = {
	[STRENGTH_LOAD] = {WEAK | RELAXED | ACQUIRE, ANY, false, 0},
	[STRENGTH_STORE] = {WEAK | RELAXED | RELEASE, ANY, false, 0},
	[STRENGTH_ATOM] = {RELAXED | ACQUIRE | RELEASE | ACQ_REL, ANY, false, 0},
	[STRENGTH_RED] = {RELAXED | RELEASE, ANY, false, 0},
	[STRENGTH_FENCE] = {ACQUIRE | RELEASE | ACQ_REL | SC, ANY, true, 4},
	[STRENGTH_ARRIVE] = {RELAXED | RELEASE, NARROW, false, 0},
	[STRENGTH_WAIT] = {RELAXED | ACQUIRE, NARROW, false, 0},
	[STRENGTH_CLUSTER_ARRIVE] = {RELAXED | RELEASE, 0, false, 0},
	[STRENGTH_PROXY_FENCE] = {WEAK, 0, true, 8},
	[STRENGTH_WARP_BARRIER] = {WEAK, 0, true, 12},
	[STRENGTH_BARRIER] = {WEAK, 0, true, 16},
};

/* The orders that are as weak as each, or weaker. */
static const uint8_t within[] = {
	[SEM_WEAK] = WEAK,
	[SEM_RELAXED] = WEAK | RELAXED,
	[SEM_ACQUIRE] = WEAK | RELAXED | ACQUIRE,
	[SEM_RELEASE] = WEAK | RELAXED | RELEASE,
	[SEM_ACQ_REL] = WEAK | RELAXED | ACQUIRE | RELEASE | ACQ_REL,
	[SEM_SC] = WEAK | RELAXED | ACQUIRE | RELEASE | ACQ_REL | SC,
};

bool strength_within(struct strength a, struct strength b)
{
	if (a.absent || b.absent)
		return a.absent;
	return (within[b.sem] >> a.sem & 1) && (a.sem == SEM_WEAK || a.scope <= b.scope);
}

/* An order is worth more than every scope of a weaker one. */
unsigned strength_rank(enum strength_kind kind, struct strength s)
{
	static const uint8_t order[] = {[SEM_WEAK] = 0,
		[SEM_RELAXED] = 1,
		[SEM_ACQUIRE] = 2,
		[SEM_RELEASE] = 2,
		[SEM_ACQ_REL] = 3,
		[SEM_SC] = 4};

	return s.absent ? 0 : 8u * (kinds[kind].rank + order[s.sem]) + (unsigned)s.scope;
}

uint32_t strengths(enum strength_kind kind, unsigned scopes, struct strength out[STRENGTH_MOST])
{
	uint32_t n = 0;

	if (kinds[kind].absent)
		out[n++] = (struct strength){.absent = true};
	for (unsigned sem = SEM_WEAK; sem <= SEM_SC; sem++) {
		unsigned some = sem != SEM_WEAK && kinds[kind].scopes ? kinds[kind].scopes & scopes
								      : 1u << SCOPE_CTA;

		if (!(kinds[kind].orders >> sem & 1))
			continue;
		for (unsigned scope = SCOPE_CTA; scope <= SCOPE_SYS; scope++) {
			if (some >> scope & 1)
				out[n++] = (struct strength){
					.sem = (enum sem)sem, .scope = (enum scope)scope};
		}
	}
	return n;
}
