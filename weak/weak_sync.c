/* Synchronisation by anything but memory accesses: CTA barriers, warps, clusters, mbarriers,
 * fences, the order of launches, asynchronous copies. It is an observer of the machine. */
#include "base/memory.h"
#include "interp/sync/async.h"
#include "interp/machine/schedule.h"
#include "weak/weak.h"
#include <stdlib.h>

static struct weak *self_of(struct observer *o) { return o->self; }

/* --- launches, CTAs --- */

/* A clock of everything that comes before launch L. */
static struct weak_clock *launch_base(struct weak *k, const struct launch *l)
{
	struct known known[64];
	uint32_t n = 0;
	bool all = true, *before = memory_zeroed(l->order - k->settled + 1u, sizeof *before);

	schedule_before(k->machine->schedule, l->order, before);
	for (uint32_t i = k->settled; i < l->order; i++) {
		if (!before[i - k->settled])
			all = false;
		else if (n < sizeof known / sizeof *known)
			known[n++] = (struct known){weak_key_launch(i), k->now};
		else
			all = true, i = l->order; /* too many for separate entries */
	}
	memory_drop(before);
	return weak_clock_join(
		NULL, NULL, all ? NULL : known, all ? 0 : n, all ? k->now : k->settled_at);
}

static void launch_begins(struct weak *k, const struct launch *l)
{
	uint32_t at = l->order - k->settled;

	if (!l->number)
		k->bias = (uint8_t)choose(k->machine->chooser, CHOICE_READ, BIASES);
	while (k->base.count <= at)
		*vec_push(&k->base) = NULL;
	weak_clock_unref(k->base.data[at]);
	k->base.data[at] = launch_base(k, l);
}

static struct weak_cluster *cluster_of(struct weak *k, struct cluster *c)
{
	struct weak_cluster *x = k->first_cluster;

	for (uint32_t rank = 0; rank < c->n; rank++)
		if (c->member[rank]->nwarps && c->member[rank]->warp[0].weak &&
			c->member[rank]->state != CTA_DONE)
			return c->member[rank]->warp[0].weak->cta->cluster;
	x = memory_zeroed(1, sizeof *x);
	x->cluster = c;
	x->number = ++k->clusters;
	x->next = k->first_cluster;
	x->link = &k->first_cluster;
	if (x->next)
		x->next->link = &x->next;
	k->first_cluster = x;
	return x;
}

static void cluster_free(struct weak_cluster *x)
{
	*x->link = x->next;
	if (x->next)
		x->next->link = x->link;
	weak_clock_unref(x->arrived);
	weak_clock_unref(x->completed);
	weak_clock_unref(x->fence);
	memory_drop(x);
}

void weak_cta_free(struct weak *k, struct weak_cta *c)
{
	*c->link = c->next;
	if (c->next)
		c->next->link = c->link;
	for (uint32_t i = 0; i < c->nwarps; i++)
		weak_late_free(k, &c->warp[i]);
	for (uint32_t t = 0; t < c->nwarps * LANES; t++)
		weak_thread_free(&c->thread[t]);
	for (unsigned n = 0; n < MAX_BARRIERS; n++)
		weak_clock_unref(c->barrier[n].clock);
	weak_clock_unref(c->fence);
	weak_proxy_free(c);
	if (--c->cluster->ctas == 0)
		cluster_free(c->cluster);
	memory_drop(c->thread);
	memory_drop(c);
}

static void cta_begins(struct weak *k, struct cta *c)
{
	struct weak_cta *x = memory_zeroed(1, sizeof *x + c->nwarps * sizeof x->warp[0]);

	x->cta = c;
	x->number = ++k->ctas;
	x->nwarps = c->nwarps;
	x->thread = memory_zeroed((size_t)c->nwarps * LANES, sizeof *x->thread);
	x->cluster = cluster_of(k, c->cluster);
	x->cluster->ctas++;
	x->next = k->first_cta;
	x->link = &k->first_cta;
	if (x->next)
		x->next->link = &x->next;
	k->first_cta = x;
	for (uint32_t i = 0; i < c->nwarps; i++) {
		struct weak_warp *w = &x->warp[i];

		w->cta = x;
		w->lane = x->thread + (size_t)i * LANES;
		w->who = (struct weak_who){x->number, x->cluster->number, c->launch->order,
			(uint16_t)(i * LANES), (uint8_t)c->launch->ask.device};
		c->warp[i].weak = w;
		for (unsigned lane = 0; lane < LANES; lane++)
			w->lane[lane].clock = weak_clock_ref(
				k->base.data[c->launch->order - k->settled]);
	}
	weak_forget(k, c->shared, c->shared_bytes);
}

static void cta_ends(struct weak *k, struct cta *c)
{
	struct weak_cta *x = c->nwarps && c->warp[0].weak ? c->warp[0].weak->cta : NULL;

	if (!x)
		return;
	for (uint32_t i = 0; i < c->nwarps; i++)
		c->warp[i].weak = NULL;
	weak_cta_free(k, x);
	weak_forget(k, c->shared, c->shared_bytes);
}

static void weak_on_life(struct observer *o, const struct life_event *e)
{
	struct weak *k = self_of(o);

	switch (e->kind) {
	case LIFE_LAUNCH_BEGIN: launch_begins(k, e->launch); break;
	case LIFE_CTA_BEGIN: cta_begins(k, e->cta); break;
	case LIFE_CTA_END: cta_ends(k, e->cta); break;
	case LIFE_LANES_EXIT: weak_late_all(e->warp, e->mask); break;
	case LIFE_LAUNCH_END:
	case LIFE_SETTLED:
	case LIFE_LOADED:
	case LIFE_UNLOADED:
	default: break;
	}
}

/* --- threads that synchronise know what all of them knew --- */

/* Adds to *C what the lanes of MASK know, without their own accesses. Adjacent lanes often share a
 * clock. */
static void clocks_gather(struct weak_clock **c, const struct weak_warp *w, uint32_t mask)
{
	const struct weak_clock *last = NULL;

	FOR_LANES(lane, mask) {
		if (w->lane[lane].clock != last)
			weak_clock_add(c, w->lane[lane].clock);
		last = w->lane[lane].clock;
	}
}

/* Writes to OUT the clock entries for all that the lanes of MASK of warp W have done; returns their
 * number. */
static uint32_t clock_entries(const struct weak *k, const struct weak_warp *w, uint32_t mask,
	uint32_t lanes, struct known *out)
{
	uint32_t n = 0, warp = w->who.thread / LANES;

	if (mask == lanes) {
		out[0] = (struct known){weak_key_warp(w->who.cta, warp), k->now};
		return 1;
	}
	FOR_LANES(lane, mask)
		out[n++] = (struct known){
			weak_key_thread(w->who.cta, w->who.thread + lane), k->now};
	return n;
}

/* Adds C to the clocks of the lanes of MASK. Adjacent lanes that shared a clock also share the
 * result. */
static void lanes_learn(struct weak_warp *w, uint32_t mask, struct weak_clock *c)
{
	struct weak_clock *was = NULL, *is = NULL;

	FOR_LANES(lane, mask) {
		struct weak_clock **clock = &w->lane[lane].clock;

		if (!is || *clock != was) {
			weak_clock_unref(was);
			weak_clock_unref(is);
			was = weak_clock_ref(*clock);
			is = weak_clock_join(was, c, NULL, 0, 0);
		}
		weak_clock_unref(*clock);
		*clock = weak_clock_ref(is);
	}
	weak_clock_unref(was);
	weak_clock_unref(is);
}

static void warp_meets(struct weak *k, struct warp *warp, uint32_t mask)
{
	struct weak_clock *c = NULL, *whole;
	struct known self[LANES];
	uint32_t n;

	k->now++;
	clocks_gather(&c, warp->weak, mask);
	n = clock_entries(k, warp->weak, mask, warp->lanes, self);
	whole = weak_clock_join(c, NULL, self, n, 0);
	lanes_learn(warp->weak, mask, whole);
	weak_clock_unref(c);
	weak_clock_unref(whole);
}

/* --- CTA barriers --- */

static void barrier_arrives(struct weak *k, const struct sync_event *e)
{
	struct weak_cta *c = e->warp->weak->cta;
	struct weak_barrier *b = &c->barrier[e->number];

	k->now++;
	clocks_gather(&b->clock, e->warp->weak, e->mask);
	b->arrived[e->warp->index] |= e->mask;
}

static void barrier_completes(struct weak *k, const struct sync_event *e)
{
	struct cta *cta = e->cta;
	struct weak_cta *c = e->warp->weak->cta;
	struct weak_barrier *b = &c->barrier[e->number];
	struct known who[MAX_WARPS * LANES];
	struct weak_clock *whole;
	uint32_t n = 0;
	bool all = true;

	k->now++;
	for (uint32_t i = 0; i < c->nwarps; i++) {
		n += clock_entries(k, &c->warp[i], b->arrived[i], cta->warp[i].lanes, who + n);
		all = all && b->arrived[i] == cta->warp[i].lanes;
	}
	if (all) {
		who[0] = (struct known){weak_key_cta(c->number), k->now};
		n = 1;
	}
	clock_sort(who, n);
	whole = weak_clock_join(b->clock, NULL, who, n, 0);
	/* only threads that wait learn it, not those that only arrived */
	for (uint32_t i = 0; i < c->nwarps; i++) {
		uint32_t waiting = 0;

		for (uint32_t j = 0; j < cta->warp[i].ngroups; j++) {
			const struct group *g = &cta->warp[i].group[j];

			if (g->state == GROUP_BARRIER && g->wait == e->number && g->arrived)
				waiting |= g->mask;
		}
		lanes_learn(&c->warp[i], waiting, whole);
		all = all && waiting == cta->warp[i].lanes;
	}
	if (all && cta->cluster->n == 1)
		weak_agreed(k, cta->shared, cta->shared_bytes);
	weak_clock_unref(whole);
	weak_clock_unref(b->clock);
	*b = (struct weak_barrier){0};
}

/* --- clusters --- */

static void cluster_arrives(struct weak *k, const struct sync_event *e)
{
	struct weak_cluster *x = e->warp->weak->cta->cluster;
	struct known self[LANES];
	struct weak_clock *was = x->arrived;
	uint32_t n;

	k->now++;
	/* a relaxed arrival releases what the fences before it release */
	if (e->sem != SEM_RELEASE) {
		FOR_LANES(lane, e->mask)
			for (unsigned scope = SCOPE_CLUSTER; scope < WEAK_SCOPES; scope++)
				weak_clock_add(&x->arrived, e->warp->weak->lane[lane].fence[scope]);
		return;
	}
	n = clock_entries(k, e->warp->weak, e->mask, e->warp->lanes, self);
	x->arrived = weak_clock_join(was, NULL, self, n, 0);
	weak_clock_unref(was);
	clocks_gather(&x->arrived, e->warp->weak, e->mask);
}

static void cluster_completes(struct weak_cluster *x)
{
	weak_clock_unref(x->completed);
	x->completed = x->arrived;
	x->arrived = NULL;
}

/* --- mbarriers --- */

/* An operation on the object by each lane of E: releases add to, and waits acquire from, the chain
 * of all operations on it. */
static void mbarrier_operation(struct weak *k, const struct sync_event *e, bool writes)
{
	if (!e->warp->weak)
		return; /* a copy that lands after its issuer's CTA has ended */
	FOR_LANES(lane, e->mask)
		weak_object(k, e->warp->weak, lane, e->object->shared + e->offset, e->sem, e->scope,
			writes);
}

static void copy_lands(struct weak *k, const struct sync_event *e)
{
	for (uint32_t i = 0; i < e->copy->nparts; i++) {
		const struct copy_part *p = &e->copy->part[i];

		if (e->mask >> p->lane & 1 && p->to.host)
			weak_overwritten(k, p->to.host, p->bytes);
	}
}

static void weak_on_sync(struct observer *o, const struct sync_event *e)
{
	struct weak *k = self_of(o);

	switch (e->kind) {
	case SYNC_ARRIVE: barrier_arrives(k, e); break;
	case SYNC_COMPLETE: barrier_completes(k, e); break;
	case SYNC_WARP:
		/* the other .sync instructions do not order memory */
		if (e->op->kind == KIND_WARP_BARRIER || e->op->kind == KIND_TCGEN)
			warp_meets(k, e->warp, e->mask);
		break;
	case SYNC_FENCE:
		FOR_LANES(lane, e->op->fence.init ? 0 : e->mask)
			weak_fence(k, e->warp->weak, lane, e->sem, e->scope);
		break;
	case SYNC_MBARRIER_INIT: weak_overwritten(k, e->object->shared + e->offset, 8); break;
	case SYNC_MBARRIER_ARRIVE:
	case SYNC_MBARRIER_EXPECT:
	case SYNC_MBARRIER_COMPLETE: mbarrier_operation(k, e, true); break;
	case SYNC_MBARRIER_WAIT:
	case SYNC_MBARRIER_WAITING: mbarrier_operation(k, e, false); break;
	case SYNC_CLUSTER_ARRIVE: cluster_arrives(k, e); break;
	case SYNC_CLUSTER_COMPLETE: cluster_completes(e->warp->weak->cta->cluster); break;
	case SYNC_CLUSTER_WAIT:
		lanes_learn(e->warp->weak, e->mask, e->warp->weak->cta->cluster->completed);
		break;
	case SYNC_PROXY_FENCE: weak_proxy_fence(k, e); break;
	case SYNC_COPY_ISSUED: weak_copy_issued(k, e); break;
	case SYNC_COPY_LANDED: copy_lands(k, e); break;
	case SYNC_MBARRIER_INVAL:
	case SYNC_MBARRIER_PHASE:
	case SYNC_COPY_WAITED:
	case SYNC_WAITING:
	case SYNC_WARP_WAITING:
	case SYNC_CLUSTER_WAITING:
	default: break;
	}
}

/* --- creation, settling, release --- */

struct weak *weak_new(struct machine *m, void (*execute)(struct warp *w, struct weak_late *l))
{
	struct weak *k = memory_zeroed(1, sizeof *k);

	k->machine = m;
	k->execute = execute;
	k->observer = (struct observer){.interest = INTEREST_SYNC | INTEREST_LIFE,
		.serial = true,
		.self = k,
		.sync = weak_on_sync,
		.life = weak_on_life};
	machine_observe(m, &k->observer);
	return k;
}

void weak_settle(struct weak *k)
{
	weak_forget_all(k);
	k->settled = k->machine->next_order;
	k->settled_at = k->now;
	for (uint32_t i = 0; i < k->base.count; i++)
		weak_clock_unref(k->base.data[i]);
	k->base.count = 0;
}

void weak_free(struct weak *k)
{
	while (k->first_cta)
		weak_cta_free(k, k->first_cta);
	weak_settle(k);
	for (unsigned d = 0; d < sizeof k->fence_device / sizeof *k->fence_device; d++)
		weak_clock_unref(k->fence_device[d]);
	weak_clock_unref(k->fence_system);
	vec_free(&k->base);
	memory_drop(k->floating);
	weak_word_free(k);
	memory_drop(k);
}
