/* A thread's view: which messages it may still read, and what it gives and takes with them.
 *
 * A thread may read any message of a location at or above the newest one that it knows of: written
 * by itself or by somebody whose writing its clock knows, or read, by itself or by somebody whose
 * reading its clock knows, through a morally strong link. A write goes above that one too: last as
 * a rule, by chance earlier. Weak reads and reads out of scope leave no trace, as the model has
 * it. */
#include "weak/weak.h"
#include "base/memory.h"
#include <assert.h>
#include <stdlib.h>

enum {
	NEWEST = 2, /* MOOD_FRESH: of so many reads one takes the newest message, the others any */
	AGAIN = 4,  /* of so many reads that may choose again one keeps its choice */
};

static struct weak_thread *thread_of(const struct weak_access *a) { return &a->w->lane[a->lane]; }

static uint32_t pick(const struct weak_access *a, enum choice why, uint32_t n)
{
	return choose(a->k->machine->chooser, why, n);
}

/* --- what a thread knows of a word --- */

static bool knows(const struct weak_message *m, const struct weak_who *who,
	const struct weak_clock *clock, uint64_t own)
{
	if (!m->stamp || m->everybody ||
		(weak_same(&m->who, who) ? m->stamp <= own
					 : weak_clock_knows(clock, &m->who, m->stamp)))
		return true;
	for (unsigned k = 0; k < m->nreaders; k++) {
		const struct weak_reader *x = &m->reader[k];

		if (weak_same(&x->who, who) ? x->stamp <= own
					    : weak_clock_knows(clock, &x->who, x->stamp))
			return true;
	}
	return false;
}

/* The messages that come before one that WHO knows of, who knows CLOCK and what it did itself up to
 * time OWN: it can no longer read them. KNOWN: the others that it knows of. */
static uint32_t hidden(const struct weak_ring *r, const struct weak_who *who,
	const struct weak_clock *clock, uint64_t own, uint32_t *known)
{
	uint32_t hide = 0;

	*known = 0;
	for (unsigned i = r->count; i-- > 0;)
		if (!(hide >> i & 1) && knows(&r->message[i], who, clock, own)) {
			hide |= r->message[i].before;
			*known |= 1u << i;
		}
	return hide;
}

/* Whether the read of M by A is morally strong: it observes the write. */
static bool linked(
	const struct weak_access *a, const struct weak_message *m, const struct weak_who *who)
{
	if (weak_same(&m->who, who))
		return true;
	return a->sem != SEM_WEAK && m->strong && weak_mutual(&m->who, m->scope, who, a->scope);
}

/* --- acquiring --- */

static void learn(struct weak *k, struct weak_thread *t, struct weak_clock *c)
{
	weak_clock_add(&t->clock, c);
	if (k->nfloating)
		weak_late_known(k, c);
}

static bool suits(const struct weak_head *h, const struct weak_who *who, unsigned scope)
{
	return h->wide || weak_mutual(&h->first, h->scope, who, scope);
}

/* Takes of H what suits an acquire of scope SCOPE; whether something is left that a wider one could
 * take. */
static bool take(struct weak *k, struct weak_thread *t, const struct weak_heads *h,
	const struct weak_who *who, unsigned scope)
{
	bool rest = false;

	for (uint32_t i = 0; i < h->count; i++) {
		if (suits(&h->head[i], who, scope))
			learn(k, t, h->head[i].clock);
		else
			rest = rest || suits(&h->head[i], who, SCOPE_SYS);
	}
	return rest;
}

static void seen_remove(struct weak_thread *t, unsigned i)
{
	assert(i < t->nseen);
	weak_heads_unref(t->seen[i].heads);
	t->seen[i] = t->seen[--t->nseen];
}

/* Remembers H for a later fence. Without room two become one, which any acquiring read may take. */
static void remember(struct weak_thread *t, struct weak_heads *h, uint8_t *host)
{
	for (unsigned i = 0; i < t->nseen; i++)
		if (t->seen[i].heads == h && (t->seen[i].host == host || !t->seen[i].host))
			return;
	if (t->nseen == WEAK_SEEN) {
		struct weak_headset s = {0};

		weak_headset_add_all(&s, t->seen[0].heads);
		weak_headset_add_all(&s, t->seen[1].heads);
		seen_remove(t, 1);
		seen_remove(t, 0);
		t->seen[t->nseen++] = (struct weak_seen){weak_headset_take(&s), NULL};
	}
	assert(t->nseen < WEAK_SEEN && h);
	t->seen[t->nseen++] = (struct weak_seen){weak_heads_ref(h), host};
}

/* What a strong read that observes a message with heads H takes. */
static void meet(struct weak_access *a, struct weak_heads *h, const struct weak_who *who)
{
	struct weak_thread *t = thread_of(a);

	if (a->sem == SEM_WEAK || a->reduction)
		return;
	if (sem_acquires((enum sem)a->sem)) {
		for (unsigned i = t->nseen; i-- > 0;)
			if ((t->seen[i].host == a->host || !t->seen[i].host) &&
				!take(a->k, t, t->seen[i].heads, who, a->scope))
				seen_remove(t, i);
		if (a->k->lost)
			learn(a->k, t, a->k->lost);
	}
	if (!h)
		return;
	if (!sem_acquires((enum sem)a->sem) || take(a->k, t, h, who, a->scope))
		remember(t, h, a->host);
}

/* --- reading --- */

void weak_issue(struct weak_access *a)
{
	a->clock = thread_of(a)->clock;
	a->own = a->stamp = ++a->k->now;
}

/* One of the messages that are not HIDDEN. The last one never is. */
static unsigned choose_message(
	const struct weak_access *a, const struct weak_ring *r, uint32_t hide)
{
	uint32_t free = ~hide & ((1u << r->count) - 1);
	unsigned n;

	assert(free >> (r->count - 1)); /* nothing comes behind the last */
	if (!(free & (free - 1)) || a->k->machine->clock_frozen ||
		(a->k->mood & MOOD_FRESH && pick(a, CHOICE_READ, NEWEST) == 0))
		return r->count - 1u;
	for (n = pick(a, CHOICE_READ, (uint32_t)__builtin_popcount(free)); n; n--)
		free &= free - 1;
	return (unsigned)__builtin_ctz(free);
}

/* A reads message I. The thread's clock may become another. */
static void observe(
	struct weak_access *a, struct weak_ring *r, unsigned i, const struct weak_who *who)
{
	struct weak_message *m = &r->message[i];
	struct weak_heads *h;

	if (!linked(a, m, who))
		return;
	h = weak_heads_ref(m->heads);
	if (m->stamp && !weak_same(&m->who, who) && !weak_clock_knows(a->clock, &m->who, m->stamp))
		weak_read_by(r, i, who, a->stamp);
	meet(a, h, who);
	weak_heads_unref(h);
}

void weak_read(struct weak_access *a, uint64_t value[2])
{
	struct weak_ring *r = weak_ring_at(a->k, a->host, a->n, false, false);
	struct weak_who who = weak_who(a->w, a->lane);
	uint32_t known;
	unsigned i;

	if (r) {
		i = choose_message(a, r, hidden(r, &who, a->clock, a->own, &known));
		weak_value(r, i, value);
		a->undefined = r->message[i].undefined && i + 1u < r->count;
		observe(a, r, i, &who);
	} else { /* one message; or another size, and then the newest bytes */
		weak_host_load(a->host, a->n, value);
		meet(a, NULL, &who);
	}
	if (a->k->due)
		weak_late_due(a->k);
}

bool weak_read_again(struct weak_access *a, uint8_t acquire, uint64_t value[2])
{
	struct weak_ring *r = weak_ring_at(a->k, a->host, a->n, false, false);
	struct weak_who who = weak_who(a->w, a->lane);
	uint32_t known, free;

	if (!r || a->k->lost || a->k->machine->clock_frozen)
		return false;
	free = ~hidden(r, &who, a->clock, a->own, &known);
	for (unsigned i = 0; i < r->count; i++) {
		const struct weak_heads *h = linked(a, &r->message[i], &who) ? r->message[i].heads
									     : NULL;

		for (uint32_t j = 0; h && j < h->count; j++)
			if (suits(&h->head[j], &who, acquire))
				free &= ~(1u << i);
	}
	free &= (1u << r->count) - 1;
	if (!free || pick(a, CHOICE_READ, AGAIN) == 0)
		return false;
	for (uint32_t n = pick(a, CHOICE_READ, (uint32_t)__builtin_popcount(free)); n; n--)
		free &= free - 1;
	weak_value(r, (unsigned)__builtin_ctz(free), value);
	a->sem = SEM_RELAXED; /* it has acquired all that it could */
	observe(a, r, (unsigned)__builtin_ctz(free), &who);
	return true;
}

struct range {
	struct weak *k;
	const struct weak_who *who;
	struct weak_clock *clock;
	uint64_t own;
	const uint8_t *host;
	uint8_t *to;
};

static void read_ring(void *arg, struct weak_ring *r)
{
	const struct range *x = arg;
	const struct weak_access a = {.k = x->k};
	uint32_t known;
	uint64_t value[2];

	weak_value(r, choose_message(&a, r, hidden(r, x->who, x->clock, x->own, &known)), value);
	weak_host_store(x->to + (r->host - x->host), r->bytes, value);
}

void weak_read_range(struct weak *k, const uint8_t *host, uint64_t n, const struct weak_who *who,
	struct weak_clock *clock, uint64_t own, uint8_t *to)
{
	struct range x = {k, who, clock, own, host, to};

	weak_rings_in(k, host, n, read_ring, &x);
}

/* --- writing --- */

static void fill(struct weak_message *m, const struct weak_access *a, const struct weak_who *who,
	uint64_t stamp, struct weak_headset *s)
{
	m->who = *who;
	m->stamp = stamp;
	m->strong = a->sem != SEM_WEAK;
	m->scope = a->scope;
	m->heads = weak_headset_take(s);
}

static struct weak_ring *ring_to_write(struct weak_access *a)
{
	struct weak_ring *r = weak_ring_at(a->k, a->host, a->n, true, true);

	if (r->count == 1 && !r->message[0].stamp)
		r->message[0].undefined = a->unwritten;
	return r;
}

/* What the write of A at its time gives, and what it passes on of INHERITED. */
static void given(struct weak_access *a, const struct weak_who *who,
	const struct weak_heads *inherited, struct weak_headset *s)
{
	if (a->late)
		weak_headset_add_all(s, a->heads);
	else if (a->sem != SEM_WEAK)
		weak_give(a, who, a->stamp, s);
	weak_headset_add_all(s, inherited);
}

void weak_write(struct weak_access *a, const uint64_t value[2])
{
	struct weak_ring *r = ring_to_write(a);
	struct weak_who who = weak_who(a->w, a->lane);
	struct weak_headset s = {0};
	uint64_t was[2];
	uint32_t known;
	struct weak_spot spot;

	hidden(r, &who, a->clock, a->own, &known);
	weak_host_load(a->host, a->n, was);
	a->changed = memcmp(was, value, sizeof was) != 0;
	spot = weak_choose_spot(a, r, known, &who);
	given(a, &who, NULL, &s);
	fill(weak_insert(r, spot.at, spot.before, spot.after, value), a, &who, a->stamp, &s);
}

void weak_change(struct weak_access *a, weak_compute *compute, void *self, uint64_t old[2])
{
	struct weak_ring *r = ring_to_write(a);
	struct weak_who who = weak_who(a->w, a->lane);
	struct weak_headset s = {0};
	uint64_t value[2], from;
	uint32_t known, hide = hidden(r, &who, a->clock, a->own, &known);
	unsigned i = choose_message(a, r, hide);
	struct weak_message *m;
	struct weak_heads *heads;
	struct weak_spot spot;

	weak_value(r, i, old);
	bool writes = compute(self, old, value);

	if (writes &&
		!weak_atom_spot(a, r, i, known, linked(a, &r->message[i], &who), &who, &spot)) {
		i = r->count - 1u;
		weak_value(r, i, old);
		writes = compute(self, old, value);
		spot = weak_spot_at(a, r, r->count,
			known | (linked(a, &r->message[i], &who) ? 1u << i : 0), &who);
	}
	m = &r->message[i];
	a->undefined = m->undefined && i + 1u < r->count;
	if (writes) {
		heads = linked(a, m, &who) ? weak_heads_ref(m->heads) : NULL;
		from = m->stamp;
		a->changed = memcmp(old, value, sizeof value) != 0 || i + 1u < r->count;
		meet(a, heads, &who);
		given(a, &who, heads, &s);
		weak_heads_unref(heads);
		m = weak_insert(r, spot.at, spot.before, spot.after, value);
		fill(m, a, &who, a->stamp, &s);
		m->rmw = 1;
		m->from = from;
	} else {
		observe(a, r, i, &who);
	}
	if (a->k->due)
		weak_late_due(a->k);
}

void weak_object(struct weak *k, struct weak_warp *w, unsigned lane, uint8_t *host, enum sem sem,
	enum scope scope, bool writes)
{
	struct weak_access a = {.k = k,
		.w = w,
		.lane = lane,
		.n = 8,
		.host = host,
		.sem = (uint8_t)sem,
		.scope = (uint8_t)scope};
	struct weak_who who = weak_who(w, lane);
	struct weak_ring *r = weak_ring_at(k, host, 8, writes, writes);
	struct weak_headset s = {0};
	uint64_t stamp = ++k->now;

	if (!writes) {
		meet(&a, r ? r->message[r->count - 1].heads : NULL, &who);
		if (k->due)
			weak_late_due(k);
		return;
	}
	weak_overwritten(k, host, 8);
	weak_give(&a, &who, stamp, &s);
	weak_headset_add_all(&s, r->message[0].heads);
	weak_heads_unref(r->message[0].heads);
	fill(&r->message[0], &a, &who, stamp, &s);
}

/* --- fences --- */

static struct weak_clock **fence_at(struct weak *k, struct weak_warp *w, unsigned scope)
{
	switch (scope) {
	case SCOPE_CTA: return &w->cta->fence;
	case SCOPE_CLUSTER: return &w->cta->cluster->fence;
	case SCOPE_GPU: return &k->fence_device[w->who.device];
	default: return &k->fence_system;
	}
}

static void fence_acquire(
	struct weak *k, struct weak_thread *t, const struct weak_who *who, unsigned scope)
{
	for (unsigned i = t->nseen; i-- > 0;)
		if (!take(k, t, t->seen[i].heads, who, scope))
			seen_remove(t, i);
	if (k->lost)
		learn(k, t, k->lost);
}

static void fence_release(struct weak_thread *t, unsigned scope, struct weak_clock *c)
{
	weak_clock_unref(t->fence[scope]);
	t->fence[scope] = weak_clock_ref(c);
	for (unsigned i = t->nown; i-- > 0;)
		if (t->own[i].scope <= scope) /* the fence says as much */
			weak_own_remove(t, i);
}

void weak_fence(struct weak *k, struct weak_warp *w, unsigned lane, enum sem sem, enum scope scope)
{
	struct weak_who who = weak_who(w, lane);
	struct weak_thread *t = &w->lane[lane];
	struct weak_clock *c;

	if (sem_acquires(sem))
		fence_acquire(k, t, &who, scope);
	/* every fence.sc that is morally strong with this one and came first */
	for (unsigned s = 0; sem == SEM_SC && s <= scope; s++)
		learn(k, t, *fence_at(k, w, s));
	c = weak_self_clock(t, &who, ++k->now);
	for (unsigned s = 0; sem == SEM_SC && s <= scope; s++)
		weak_clock_add(fence_at(k, w, s), c);
	if (sem_releases(sem))
		fence_release(t, scope, c);
	weak_clock_unref(c);
	if (k->due)
		weak_late_due(k);
}

void weak_thread_free(struct weak_thread *t)
{
	weak_clock_unref(t->clock);
	for (unsigned s = 0; s < WEAK_SCOPES; s++)
		weak_clock_unref(t->fence[s]);
	while (t->nseen)
		seen_remove(t, 0);
	while (t->nown)
		weak_own_remove(t, 0);
	*t = (struct weak_thread){0};
}
