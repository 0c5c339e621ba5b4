/* Asynchronous copies read their source at a random time, and each word of it separately, as a
 * thread would that knows only what came before the copy. Bulk copies read through the async proxy:
 * of the ordinary stores of the running kernel they need to see only those that a fence.proxy.async
 * of their CTA has covered. (PTX ISA 8.5, 9.7.10.28) */
#include "base/memory.h"
#include "interp/sync/async.h"
#include "weak/weak.h"
#include <stdlib.h>

struct weak_view {
	struct weak_who who; /* no thread: CLOCK alone decides */
	struct weak_clock *clock;
	uint64_t own;
};

/* What the lanes of MASK know, including their own accesses up to now. */
static struct weak_clock *lanes_clock(struct weak *k, struct weak_warp *w, uint32_t mask)
{
	struct weak_clock *c = NULL, *whole;
	struct known self[LANES];
	uint32_t n = 0;

	FOR_LANES(lane, mask) {
		weak_clock_add(&c, w->lane[lane].clock);
		self[n++] = (struct known){
			weak_key_thread(w->who.cta, w->who.thread + lane), k->now};
	}
	whole = weak_clock_join(c, NULL, self, n, 0);
	weak_clock_unref(c);
	return whole;
}

void weak_proxy_fence(struct weak *k, const struct sync_event *e)
{
	struct weak_warp *w = e->warp->weak;
	struct weak_cta *c = w->cta;

	k->now++;
	if (!c->proxy)
		c->proxy = memory_resize(NULL, WEAK_PROXY_FENCES * sizeof *c->proxy);
	if (c->nproxy == WEAK_PROXY_FENCES) {
		weak_clock_add(&c->proxied, c->proxy[0].clock);
		weak_clock_unref(c->proxy[0].clock);
		c->nproxy--;
		memmove(c->proxy, c->proxy + 1, c->nproxy * sizeof *c->proxy);
	}
	c->proxy[c->nproxy++] = (struct weak_proxy_fence){
		(uint16_t)e->warp->index, e->mask, k->now, lanes_clock(k, w, e->mask)};
}

static bool knows_fence(const struct weak_cta *c, const struct weak_proxy_fence *f,
	const struct weak_who *who, const struct weak_clock *clock)
{
	FOR_LANES(lane, f->mask) {
		struct weak_who x = weak_who(&c->warp[f->warp], lane);

		if (weak_same(&x, who) || weak_clock_knows(clock, &x, f->stamp))
			return true;
	}
	return false;
}

/* What the async proxy is known to see when WHO, who knows CLOCK, issues an operation. */
static struct weak_clock *proxy_clock(const struct weak *k, const struct warp *w,
	const struct weak_who *who, const struct weak_clock *clock)
{
	const struct weak_cta *c = w->weak->cta;
	struct weak_clock *known = weak_clock_ref(weak_launch_base(k, w));

	weak_clock_add(&known, c->proxied);
	for (uint32_t i = 0; i < c->nproxy; i++)
		if (knows_fence(c, &c->proxy[i], who, clock))
			weak_clock_add(&known, c->proxy[i].clock);
	return known;
}

void weak_copy_issued(struct weak *k, const struct sync_event *e)
{
	/* observers get the copy as const, but the views in it belong to the sampler */
	struct copy *c = (struct copy *)(uintptr_t)e->copy;
	struct weak_warp *w = e->warp->weak;

	k->now++;
	for (uint32_t i = 0; i < c->nparts; i++) {
		struct copy_part *p = &c->part[i];
		struct weak_clock *clock = w->lane[p->lane].clock;
		struct weak_who who = weak_who(w, p->lane);

		/* st.async and similar operations have no source in memory; strong copies read the
		 * newest 16 bytes */
		if (!p->from.host || c->op->async.strong)
			continue;
		p->view = memory_zeroed(1, sizeof *p->view);
		if (c->kind == COPY_CP)
			*p->view = (struct weak_view){who, weak_clock_ref(clock), k->now};
		else /* without a fence, not even its own thread's stores are known */
			p->view->clock = proxy_clock(k, e->warp, &who, clock);
	}
}

void weak_copy_fetched(struct weak *k, struct copy_part *p)
{
	if (p->view)
		weak_read_range(k, p->from.host, p->take, &p->view->who, p->view->clock,
			p->view->own, p->data);
	weak_copy_dropped(p);
}

void weak_copy_dropped(struct copy_part *p)
{
	if (!p->view)
		return;
	weak_clock_unref(p->view->clock);
	memory_drop(p->view);
	p->view = NULL;
}

void weak_proxy_free(struct weak_cta *c)
{
	for (uint32_t i = 0; i < c->nproxy; i++)
		weak_clock_unref(c->proxy[i].clock);
	memory_drop(c->proxy);
	weak_clock_unref(c->proxied);
}
