/* A thread's view: which messages it may still read, what its reads acquire and its writes release.
 *
 * A thread may read any message of a location that does not come, in coherence order, before one
 * that it knows of: one that it has written, or whose write its clock covers; or one that was read
 * through a morally strong link by itself, or by a thread whose read its clock covers. A write
 * comes after the messages that its thread knows of: usually last, at random earlier. Weak reads
 * and reads out of scope leave no trace, as in the model. */
#include "base/assert.h"
#include "weak/weak.h"
#include "base/memory.h"
#include <stdlib.h>

enum {
	NEWEST = 2, /* BIAS_FRESH: one read in NEWEST takes the newest message, the others any */
	AGAIN = 4,  /* one read in AGAIN that may choose again keeps its choice */
};

static struct weak_thread *thread_of(const struct weak_access *a) { return &a->w->lane[a->lane]; }

static uint32_t view_choose(const struct weak_access *a, enum choice why, uint32_t n)
{
	return choose(a->k->machine->chooser, why, n);
}

/* --- what a thread knows of a word --- */

static bool message_known(const struct weak_message *m, const struct weak_who *who,
	const struct weak_clock *clock, uint64_t own)
{
	if (!m->stamp || m->known_to_all ||
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

/* The messages that come before one that WHO knows of, through CLOCK or its own accesses up to time
 * OWN: WHO can no longer read them. *KNOWN: the messages that it knows of and that are not
 * hidden. */
static uint32_t view_hidden(const struct weak_ring *r, const struct weak_who *who,
	const struct weak_clock *clock, uint64_t own, uint32_t *known)
{
	uint32_t hide = 0;

	*known = 0;
	for (unsigned i = r->count; i-- > 0;)
		if (!(hide >> i & 1) && message_known(&r->message[i], who, clock, own)) {
			hide |= r->message[i].before;
			*known |= 1u << i;
		}
	return hide;
}

/* Whether A's read of M is morally strong with the write, so that it observes it. */
static bool message_linked(
	const struct weak_access *a, const struct weak_message *m, const struct weak_who *who)
{
	if (weak_same(&m->who, who))
		return true;
	return a->sem != SEM_WEAK && m->strong && weak_mutual(&m->who, m->scope, who, a->scope);
}

/* --- acquiring --- */

static void thread_learn(struct weak *k, struct weak_thread *t, struct weak_clock *c)
{
	weak_clock_add_again(&k->joins, &t->clock, c);
	if (k->nfloating)
		weak_late_known(k, c);
}

static bool head_in_scope(const struct weak_head *h, const struct weak_who *who, unsigned scope)
{
	return h->wide || weak_mutual(&h->first, h->scope, who, scope);
}

/* Acquires from H what an acquire at SCOPE can; returns whether a wider scope could acquire
 * more. */
static bool thread_acquire(struct weak *k, struct weak_thread *t, const struct weak_heads *h,
	const struct weak_who *who, unsigned scope)
{
	bool rest = false;

	for (uint32_t i = 0; i < h->count; i++) {
		if (head_in_scope(&h->head[i], who, scope))
			thread_learn(k, t, h->head[i].clock);
		else
			rest = rest || head_in_scope(&h->head[i], who, SCOPE_SYS);
	}
	return rest;
}

static void seen_remove(struct weak_thread *t, unsigned i)
{
	assert(i < t->nseen);
	weak_heads_unref(t->seen[i].heads);
	t->seen[i] = t->seen[--t->nseen];
}

/* Keeps H for a later fence. When there is no room, two entries are merged into one, which any
 * acquiring read may take. */
static void seen_add(struct weak_thread *t, struct weak_heads *h, uint8_t *host)
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

/* Acquires, or keeps for a later fence, the heads H of a message that a strong read observes. */
static void thread_meets_heads(
	struct weak_access *a, struct weak_heads *h, const struct weak_who *who)
{
	struct weak_thread *t = thread_of(a);

	if (a->sem == SEM_WEAK || a->reduction)
		return;
	if (sem_acquires((enum sem)a->sem)) {
		for (unsigned i = t->nseen; i-- > 0;)
			if ((t->seen[i].host == a->host || !t->seen[i].host) &&
				!thread_acquire(a->k, t, t->seen[i].heads, who, a->scope))
				seen_remove(t, i);
		if (a->k->lost)
			thread_learn(a->k, t, a->k->lost);
	}
	if (!h)
		return;
	if (!sem_acquires((enum sem)a->sem) || thread_acquire(a->k, t, h, who, a->scope))
		seen_add(t, h, a->host);
}

/* --- reading --- */

void weak_issue(struct weak_access *a)
{
	a->clock = thread_of(a)->clock;
	a->own = a->stamp = ++a->k->now;
}

/* A random message that is not hidden. The last message never is hidden. */
static unsigned view_choose_message(
	const struct weak_access *a, const struct weak_ring *r, uint32_t hide)
{
	uint32_t free = ~hide & ((1u << r->count) - 1);
	unsigned n;

	assert(free >> (r->count - 1)); /* no message comes after the last */
	if (!(free & (free - 1)) || a->k->machine->clock_frozen ||
		(a->k->bias & BIAS_FRESH && view_choose(a, CHOICE_READ, NEWEST) == 0))
		return r->count - 1u;
	for (n = view_choose(a, CHOICE_READ, (uint32_t)__builtin_popcount(free)); n; n--)
		free &= free - 1;
	return (unsigned)__builtin_ctz(free);
}

/* A reads message I. This may replace the thread's clock. */
static void view_observe(
	struct weak_access *a, struct weak_ring *r, unsigned i, const struct weak_who *who)
{
	struct weak_message *m = &r->message[i];
	struct weak_heads *h;

	if (!message_linked(a, m, who))
		return;
	h = weak_heads_ref(m->heads);
	if (m->stamp && !weak_same(&m->who, who) && !weak_clock_knows(a->clock, &m->who, m->stamp))
		weak_read_by(r, i, who, a->stamp);
	thread_meets_heads(a, h, who);
	weak_heads_unref(h);
}

void weak_read(struct weak_access *a, uint64_t value[2])
{
	struct weak_ring *r = weak_ring_at(a->k, a->host, a->n, false, false);
	struct weak_who who = weak_who(a->w, a->lane);
	uint32_t known;
	unsigned i;

	if (r) {
		i = view_choose_message(a, r, view_hidden(r, &who, a->clock, a->own, &known));
		weak_value(r, i, value);
		a->undefined = r->message[i].undefined && i + 1u < r->count;
		view_observe(a, r, i, &who);
	} else { /* a single message; or an access of another size, which reads the newest bytes */
		weak_host_load(a->host, a->n, value);
		thread_meets_heads(a, NULL, &who);
	}
	if (a->k->due)
		weak_late_due(a->k);
}

unsigned weak_readable(struct weak *k, const struct warp *w, unsigned lane, uint8_t *host,
	unsigned n, uint64_t value[WEAK_READABLE][2], uint32_t *undefined)
{
	const struct weak_ring *r = weak_ring_at(k, host, n, false, false);
	struct weak_who who = weak_who(w->weak, lane);
	uint32_t known, hidden;
	unsigned count = 0;

	*undefined = 0;
	if (!r) {
		weak_host_load(host, n, value[0]);
		return 1;
	}
	hidden = view_hidden(r, &who, w->weak->lane[lane].clock, k->now, &known);
	for (unsigned i = 0; i < r->count; i++) {
		if (hidden >> i & 1)
			continue;
		weak_value(r, i, value[count]);
		if (r->message[i].undefined && i + 1u < r->count)
			*undefined |= 1u << count;
		count++;
	}
	return count;
}

bool weak_read_again(struct weak_access *a, uint8_t acquire, uint64_t value[2])
{
	struct weak_ring *r = weak_ring_at(a->k, a->host, a->n, false, false);
	struct weak_who who = weak_who(a->w, a->lane);
	uint32_t known, free;

	if (!r || a->k->lost || a->k->machine->clock_frozen)
		return false;
	free = ~view_hidden(r, &who, a->clock, a->own, &known);
	for (unsigned i = 0; i < r->count; i++) {
		const struct weak_heads *h = message_linked(a, &r->message[i], &who)
			? r->message[i].heads
			: NULL;

		for (uint32_t j = 0; h && j < h->count; j++)
			if (head_in_scope(&h->head[j], &who, acquire))
				free &= ~(1u << i);
	}
	free &= (1u << r->count) - 1;
	if (!free || view_choose(a, CHOICE_READ, AGAIN) == 0)
		return false;
	for (uint32_t n = view_choose(a, CHOICE_READ, (uint32_t)__builtin_popcount(free)); n; n--)
		free &= free - 1;
	weak_value(r, (unsigned)__builtin_ctz(free), value);
	a->sem = SEM_RELAXED; /* it has already acquired what it could */
	view_observe(a, r, (unsigned)__builtin_ctz(free), &who);
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

static void view_read_ring(void *arg, struct weak_ring *r)
{
	const struct range *x = arg;
	const struct weak_access a = {.k = x->k};
	uint32_t known;
	uint64_t value[2];

	weak_value(r, view_choose_message(&a, r, view_hidden(r, x->who, x->clock, x->own, &known)),
		value);
	weak_host_store(x->to + (r->host - x->host), r->bytes, value);
}

void weak_read_range(struct weak *k, const uint8_t *host, uint64_t n, const struct weak_who *who,
	struct weak_clock *clock, uint64_t own, uint8_t *to)
{
	struct range x = {k, who, clock, own, host, to};

	weak_rings_in(k, host, n, view_read_ring, &x);
}

/* --- writing --- */

static void message_fill(struct weak_message *m, const struct weak_access *a,
	const struct weak_who *who, uint64_t stamp, struct weak_headset *s)
{
	m->who = *who;
	m->stamp = stamp;
	m->strong = a->sem != SEM_WEAK;
	m->scope = a->scope;
	m->heads = weak_headset_take(s);
}

static struct weak_ring *view_ring_to_write(struct weak_access *a)
{
	struct weak_ring *r = weak_ring_at(a->k, a->host, a->n, true, true);

	if (r->count == 1 && !r->message[0].stamp)
		r->message[0].undefined = a->unwritten;
	return r;
}

/* The heads of A's write: what it releases, and what it passes on from INHERITED. */
static void view_heads(struct weak_access *a, const struct weak_who *who,
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
	struct weak_ring *r = view_ring_to_write(a);
	struct weak_who who = weak_who(a->w, a->lane);
	struct weak_headset s = {0};
	uint64_t was[2];
	uint32_t known;
	struct weak_spot spot;

	view_hidden(r, &who, a->clock, a->own, &known);
	weak_host_load(a->host, a->n, was);
	a->changed = memcmp(was, value, sizeof was) != 0;
	spot = weak_choose_spot(a, r, known, &who);
	view_heads(a, &who, NULL, &s);
	message_fill(
		weak_insert(r, spot.at, spot.before, spot.after, value), a, &who, a->stamp, &s);
}

void weak_change(struct weak_access *a, weak_compute *compute, void *self, uint64_t old[2])
{
	struct weak_ring *r = view_ring_to_write(a);
	struct weak_who who = weak_who(a->w, a->lane);
	struct weak_headset s = {0};
	uint64_t value[2], from;
	uint32_t known, hide = view_hidden(r, &who, a->clock, a->own, &known);
	unsigned i = view_choose_message(a, r, hide);
	struct weak_message *m;
	struct weak_heads *heads;
	struct weak_spot spot;

	weak_value(r, i, old);
	bool writes = compute(self, old, value);

	if (writes &&
		!weak_atom_spot(
			a, r, i, known, message_linked(a, &r->message[i], &who), &who, &spot)) {
		i = r->count - 1u;
		weak_value(r, i, old);
		writes = compute(self, old, value);
		spot = weak_spot_at(a, r, r->count,
			known | (message_linked(a, &r->message[i], &who) ? 1u << i : 0), &who);
	}
	m = &r->message[i];
	a->undefined = m->undefined && i + 1u < r->count;
	if (writes) {
		heads = message_linked(a, m, &who) ? weak_heads_ref(m->heads) : NULL;
		from = m->stamp;
		a->changed = memcmp(old, value, sizeof value) != 0 || i + 1u < r->count;
		thread_meets_heads(a, heads, &who);
		view_heads(a, &who, heads, &s);
		weak_heads_unref(heads);
		m = weak_insert(r, spot.at, spot.before, spot.after, value);
		message_fill(m, a, &who, a->stamp, &s);
		m->rmw = 1;
		m->from = from;
	} else {
		view_observe(a, r, i, &who);
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
		thread_meets_heads(&a, r ? r->message[r->count - 1].heads : NULL, &who);
		if (k->due)
			weak_late_due(k);
		return;
	}
	weak_overwritten(k, host, 8);
	weak_give(&a, &who, stamp, &s);
	weak_headset_add_all(&s, r->message[0].heads);
	weak_heads_unref(r->message[0].heads);
	message_fill(&r->message[0], &a, &who, stamp, &s);
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
		if (!thread_acquire(k, t, t->seen[i].heads, who, scope))
			seen_remove(t, i);
	if (k->lost)
		thread_learn(k, t, k->lost);
}

static void fence_release(struct weak_thread *t, unsigned scope, struct weak_clock *c)
{
	weak_clock_unref(t->fence[scope]);
	t->fence[scope] = weak_clock_ref(c);
	for (unsigned i = t->nown; i-- > 0;)
		if (t->own[i].scope <= scope) /* the fence covers it */
			weak_own_remove(t, i);
}

void weak_fence(struct weak *k, struct weak_warp *w, unsigned lane, enum sem sem, enum scope scope)
{
	struct weak_who who = weak_who(w, lane);
	struct weak_thread *t = &w->lane[lane];
	struct weak_clock *c;

	if (sem_acquires(sem))
		fence_acquire(k, t, &who, scope);
	/* every fence.sc that is morally strong with this one and precedes it */
	for (unsigned s = 0; sem == SEM_SC && s <= scope; s++)
		thread_learn(k, t, *fence_at(k, w, s));
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
