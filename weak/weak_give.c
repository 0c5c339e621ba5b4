/* What a strong write releases: what its thread's fences and releasing writes cover, and, if it is
 * a release, what its thread knows. */
#include "base/assert.h"
#include "weak/weak.h"

struct weak_clock *weak_self_clock(
	const struct weak_thread *t, const struct weak_who *who, uint64_t stamp)
{
	struct known self = {weak_key_thread(who->cta, who->thread), stamp};

	return weak_clock_join(t->clock, NULL, &self, 1, 0);
}

void weak_own_remove(struct weak_thread *t, unsigned i)
{
	weak_clock_unref(t->own[i].clock);
	assert(i < t->nown);
	t->own[i] = t->own[--t->nown];
}

static void own_add(struct weak_thread *t, uint8_t *host, uint8_t scope, struct weak_clock *clock)
{
	for (unsigned i = 0; i < t->nown; i++)
		if (t->own[i].host == host && t->own[i].scope == scope) {
			weak_clock_unref(t->own[i].clock);
			t->own[i].clock = weak_clock_ref(clock);
			return;
		}
	if (t->nown == WEAK_OWN) { /* the first one becomes as strong as a fence */
		weak_clock_add(&t->fence[t->own[0].scope], t->own[0].clock);
		weak_own_remove(t, 0);
	}
	assert(t->nown < WEAK_OWN);
	t->own[t->nown++] = (struct weak_own){host, scope, weak_clock_ref(clock)};
}

void weak_give(
	struct weak_access *a, const struct weak_who *who, uint64_t stamp, struct weak_headset *s)
{
	struct weak_thread *t = &a->w->lane[a->lane];

	assert(a->sem != SEM_WEAK && !s->count);
	for (uint8_t scope = 0; scope < WEAK_SCOPES; scope++)
		if (t->fence[scope])
			weak_headset_add(s, &(struct weak_head){*who, scope, 0, t->fence[scope]});
	for (unsigned i = 0; i < t->nown; i++)
		if (t->own[i].host == a->host)
			weak_headset_add(
				s, &(struct weak_head){*who, t->own[i].scope, 0, t->own[i].clock});
	if (sem_releases((enum sem)a->sem)) {
		struct weak_clock *c = weak_self_clock(t, who, stamp);

		weak_headset_add(s, &(struct weak_head){*who, a->scope, 0, c});
		own_add(t, a->host, a->scope, c);
		weak_clock_unref(c);
	}
}

struct weak_heads *weak_given(struct weak_access *a)
{
	struct weak_who who = weak_who(a->w, a->lane);
	struct weak_headset s = {0};

	weak_give(a, &who, a->stamp, &s);
	return weak_headset_take(&s);
}
