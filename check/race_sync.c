/* The machine's synchronisation events: handles fences and operations on mbarriers, and passes on
 * the others. */
#include "base/assert.h"
#include "check/race_state.h"
#include "interp/sync/async.h"

/* --- fences --- */

static void sync_fence(
	struct race *r, struct race_cta *c, struct race_warp *w, const struct sync_event *e)
{
	unsigned scope = e->scope;

	FOR_LANES(lane, e->mask) {
		struct lane_sync *s = race_lane_sync(w, lane);

		for (uint32_t k = 0; e->sem != SEM_RELEASE && k < s->pending.count;) {
			struct head *h = &s->pending.data[k];

			if (scopes_include(r, h->warp, h->scope, w->uid, scope)) {
				head_acquire(r, w, lane, h);
				head_remove(&s->pending, k);
			} else {
				head_miss(c, h, e->op->insn, scope);
				k++;
			}
		}
		if (e->sem == SEM_ACQUIRE)
			continue;
		agent_tell(r, w, lane);
		for (unsigned k = 0; k <= scope; k++)
			head_free(&s->fence[k]);
		s->fence[scope] = (struct head){clock_ref(w->clock[lane]), w->uid, w->stamp,
			e->op->insn, (uint8_t)lane, (uint8_t)scope, 0, false, NULL, 0};
	}
	w->stamp = race_tick(r);
}

/* --- mbarriers --- */

/* An operation on an mbarrier of the executing CTA, as an access to its 8 bytes: mbarrier.init is a
 * weak write, the others are strong. (So is inval: libcu++'s pipeline orders it between the lanes
 * of a warp by match.sync alone, which does not order memory; an operation on an invalidated object
 * is reported where it executes.) In clusters a relaxed barrier.cluster with fence.mbarrier_init
 * orders only the initialisation, which clocks cannot express: not checked there. */
static void sync_mbarrier_bytes(struct race *r, struct race_cta *c, struct race_warp *w,
	const struct sync_event *e, bool weak)
{
	struct touch t = {.r = r,
		.cta = c,
		.warp = w,
		.of = e->warp,
		.address = e->offset,
		.space = W_shared,
		.owner = e->cta,
		.writes = true};
	const struct record want = {.stamp = w->stamp,
		.warp = w->uid,
		.insn = e->op->insn,
		.how = (uint8_t)(HOW_WRITE | HOW_SHARED |
			(weak ? 0 : HOW_STRONG | HOW_READ | HOW_ATOMIC)),
		.scope = SCOPE_SYS,
		.bytes = 8,
		.user_call = e->warp->frame->user_call};

	if (e->object != e->cta || e->cta->cluster->n > 1 ||
		(uint64_t)(e->offset + 7) >> PAGE_SHIFT >= c->shared.pages)
		return;
	FOR_LANES(lane, e->mask) {
		t.id = record_get(r, w, &want);
		t.lane = lane;
		shadow_touch(&t, &c->shared, e->offset, 8);
	}
}

/* Arrivals release to the object, waits acquire from it; an arrival keeps the releases of those
 * before it. */
static void sync_mbarrier(
	struct race *r, struct race_cta *c, struct race_warp *w, const struct sync_event *e)
{
	struct race_cta *owner = race_find(r, e->object);
	bool arrive = e->kind == SYNC_MBARRIER_ARRIVE;
	struct touch t = {.r = r, .cta = c, .warp = w, .of = e->warp};
	const struct record want = {.stamp = w->stamp,
		.warp = w->uid,
		.insn = e->op->insn,
		.how = HOW_READ | HOW_STRONG | HOW_ATOMIC | HOW_SHARED,
		.scope = (uint8_t)e->scope,
		.bytes = 8,
		.user_call = e->warp->frame->user_call};
	unsigned scope = e->scope;

	assert(owner); /* of the same cluster */
	t.id = record_get(r, w, &want);
	FOR_LANES(lane, e->mask) {
		t.lane = lane;
		place_access(&t, &owner->places, e->offset, !arrive, arrive, true, true,
			!arrive && e->sem != SEM_RELAXED, arrive && e->sem != SEM_RELAXED, scope,
			true);
	}
	if (arrive)
		w->stamp = race_tick(r);
}

void race_sync(struct observer *o, const struct sync_event *e)
{
	struct race *r = o->self;
	struct race_cta *c = r->off || !e->cta ? NULL : race_find(r, e->cta);
	struct race_warp *w = c && e->warp && e->warp->cta == e->cta ? &c->warp[e->warp->index]
								     : NULL;

	if (!c || !w)
		return;
	switch ((int)e->kind) {
	case SYNC_ARRIVE: race_arrive(r, c, w, e); break;
	case SYNC_COMPLETE: race_barrier_complete(r, c, e->cta, e->number); break;
	case SYNC_WARP:
		/* the others (vote, shfl, ...) do not order memory; tcgen05.alloc orders its store
		 */
		if (e->op->kind == KIND_WARP_BARRIER || e->op->kind == KIND_TCGEN)
			race_warp_barrier(r, w, e->warp, e->mask);
		break;
	case SYNC_FENCE:
		/* fence.mbarrier_init orders only the initialisation */
		if (!e->op->fence.init)
			sync_fence(r, c, w, e);
		break;
	case SYNC_MBARRIER_INIT: sync_mbarrier_bytes(r, c, w, e, true); break;
	case SYNC_MBARRIER_INVAL:
	case SYNC_MBARRIER_WAITING: sync_mbarrier_bytes(r, c, w, e, false); break;
	case SYNC_MBARRIER_ARRIVE:
	case SYNC_MBARRIER_WAIT:
		sync_mbarrier_bytes(r, c, w, e, false);
		/* cp.async.mbarrier.arrive releases its copies, not its thread's other accesses */
		if (async_landing(e->cta->cluster))
			race_copy_completes(r, c, w, e);
		else
			sync_mbarrier(r, c, w, e);
		break;
	case SYNC_MBARRIER_COMPLETE:
		if (async_landing(e->cta->cluster))
			race_copy_completes(r, c, w, e);
		break;
	case SYNC_COPY_WAITED: race_copy_waited(w, e); break;
	case SYNC_COPY_ISSUED: race_copy(r, c, w, e->copy); break;
	case SYNC_CLUSTER_ARRIVE:
	case SYNC_CLUSTER_COMPLETE:
	case SYNC_CLUSTER_WAIT: race_cluster_barrier(r, w, e);
	}
}
