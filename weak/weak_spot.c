/* The position of a write in coherence order. The order is partial: after the writes that its
 * thread knows of, and before or after every other write that is morally strong with it; other
 * pairs may stay unordered. */
#include "base/assert.h"
#include "weak/weak.h"

enum {
	OFTEN = 2, /* one write in OFTEN goes to any position, the others to the end; */
	EARLY = 8, /* the same with BIAS_IN_ORDER */
};

static bool message_strong_with(
	const struct weak_access *a, const struct weak_message *m, const struct weak_who *who)
{
	return a->sem != SEM_WEAK && m->strong && weak_mutual(&m->who, m->scope, who, a->scope);
}

struct weak_spot weak_spot_at(const struct weak_access *a, const struct weak_ring *r, unsigned at,
	uint32_t known, const struct weak_who *who)
{
	struct weak_spot s = {at, known, 0};

	assert(at <= r->count && !(known >> at));
	for (unsigned i = 0; i < r->count; i++) {
		const struct weak_message *m = &r->message[i];

		if (i < at && (known >> i & 1 || !m->stamp || message_strong_with(a, m, who)))
			s.before |= m->before | 1u << i;
		else if (i >= at && ((m->before & s.after) || message_strong_with(a, m, who)))
			s.after |= 1u << i;
	}
	return s;
}

/* Whether a write may go to S: it must not order two other writes that may have been read as
 * unordered, nor come between an atom's read and its write where the three are morally strong. */
static bool spot_fits(const struct weak_access *a, const struct weak_ring *r,
	const struct weak_spot *s, const struct weak_who *who)
{
	for (unsigned j = s->at; j < r->count; j++) {
		const struct weak_message *m = &r->message[j];
		bool read_before = true;

		if (!(s->after >> j & 1))
			continue;
		if (s->before & ~m->before)
			return false;
		if (!m->rmw || !message_strong_with(a, m, who))
			continue;
		for (unsigned i = 0; i < j; i++)
			if (r->message[i].stamp == m->from)
				read_before = s->before >> i & 1;
		if (read_before)
			return false;
	}
	return true;
}

struct weak_spot weak_choose_spot(const struct weak_access *a, const struct weak_ring *r,
	uint32_t known, const struct weak_who *who)
{
	/* a full ring drops its first message */
	unsigned least = known ? 32u - (unsigned)__builtin_clz(known) : r->count == WEAK_RING;

	if (r->count > least &&
		choose(a->k->machine->chooser, CHOICE_ORDER,
			a->k->bias & BIAS_IN_ORDER ? EARLY : OFTEN) == 1) {
		struct weak_spot s = weak_spot_at(a, r,
			least + choose(a->k->machine->chooser, CHOICE_ORDER, r->count - least),
			known, who);

		if (spot_fits(a, r, &s, who))
			return s;
	}
	return weak_spot_at(a, r, r->count, known, who);
}

bool weak_atom_spot(const struct weak_access *a, const struct weak_ring *r, unsigned i,
	uint32_t known, bool link, const struct weak_who *who, struct weak_spot *s)
{
	unsigned at = known >> (i + 1) ? 32u - (unsigned)__builtin_clz(known) : i + 1;

	if (at < r->count &&
		choose(a->k->machine->chooser, CHOICE_ORDER,
			a->k->bias & BIAS_IN_ORDER ? EARLY : OFTEN) == 1)
		at += choose(a->k->machine->chooser, CHOICE_ORDER, r->count - at + 1);
	*s = weak_spot_at(a, r, at, known | (link ? 1u << i : 0), who);
	for (unsigned j = i + 1; j < at; j++)
		if (s->before >> j & 1 && r->message[j].before >> i & 1 &&
			message_strong_with(a, &r->message[j], who))
			return false;
	return spot_fits(a, r, s, who);
}
