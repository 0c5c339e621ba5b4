/* Release heads: the releasing thread, its scope, and what it knew. */
#include "base/assert.h"
#include "base/memory.h"
#include "weak/weak.h"
#include <stdlib.h>

bool weak_mutual(
	const struct weak_who *a, unsigned scope_a, const struct weak_who *b, unsigned scope_b)
{
	unsigned narrow = scope_a < scope_b ? scope_a : scope_b;

	if (a->cta == b->cta)
		return true;
	switch (narrow) {
	case SCOPE_CTA: return false;
	case SCOPE_CLUSTER: return a->cluster == b->cluster;
	case SCOPE_GPU: return a->device == b->device;
	default: return true;
	}
}

/* Merges all heads of S into one wide head. */
static void headset_unite(struct weak_headset *s)
{
	s->head[0].wide = 1;
	for (uint32_t k = 1; k < s->count; k++) {
		weak_clock_add(&s->head[0].clock, s->head[k].clock);
		weak_clock_unref(s->head[k].clock);
	}
	s->count = 1;
}

void weak_headset_add(struct weak_headset *s, const struct weak_head *h)
{
	for (uint32_t k = 0; k < s->count; k++) {
		struct weak_head *x = &s->head[k];

		if (x->wide != h->wide ||
			(!x->wide && (x->first.cta != h->first.cta || x->scope != h->scope)))
			continue;
		weak_clock_add(&x->clock, h->clock);
		return;
	}
	if (s->count == WEAK_HEADS) {
		headset_unite(s);
		weak_clock_add(&s->head[0].clock, h->clock);
		return;
	}
	s->head[s->count] = *h;
	weak_clock_ref(h->clock);
	s->count++;
}

void weak_headset_add_all(struct weak_headset *s, const struct weak_heads *h)
{
	for (uint32_t k = 0; h && k < h->count; k++)
		weak_headset_add(s, &h->head[k]);
}

struct weak_heads *weak_headset_take(struct weak_headset *s)
{
	struct weak_heads *h;

	if (!s->count)
		return NULL;
	assert(s->count <= WEAK_HEADS);
	h = memory_resize(NULL, sizeof *h + s->count * sizeof h->head[0]);
	h->refs = 1;
	h->count = s->count;
	memcpy(h->head, s->head, s->count * sizeof h->head[0]);
	s->count = 0;
	return h;
}

struct weak_heads *weak_heads_ref(struct weak_heads *h)
{
	if (h)
		h->refs++;
	return h;
}

void weak_heads_unref(struct weak_heads *h)
{
	assert(!h || h->refs);
	if (!h || --h->refs)
		return;
	for (uint32_t k = 0; k < h->count; k++)
		weak_clock_unref(h->head[k].clock);
	memory_drop(h);
}
