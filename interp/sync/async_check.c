/* An observer of --check=sync for modules with asynchronous copies or mbarriers. It reports
 * ordinary accesses to the bytes of a copy in flight or of a live mbarrier, and copies of shared
 * bytes that were written by ordinary stores without a proxy fence since.
 *
 * The fence check is lenient, so that no correct program is reported: a fence.proxy.async covers
 * what its thread has written, and what other threads wrote before that thread's CTA last
 * synchronised in any way. */
#include "interp/sync/async.h"
#include "interp/sync/async_check.h"
#include "interp/state/exec.h"
#include "interp/sync/async_global.h"
#include "interp/memory/combine.h"
#include "interp/sync/mbarrier_table.h"
#include "interp/memory/name.h"
#include "interp/memory/order.h"
#include "interp/state/where.h"
#include <string.h>

enum { GRANULE = 16, THREAD_BITS = 10 };
/* A flag of a stamp: the writer has executed the fence since. Any thread that synchronises with the
 * writer after that may issue a copy. */
#define FENCED 0x80000000u

/* The last ordinary store to GRANULE bytes of a CTA's shared memory. */
struct granule {
	uint32_t stamp;
};
static_assert(
	((uint64_t)ORDER_EPOCHS + 1) << THREAD_BITS <= FENCED, "a stamp has room for all epochs");

static uint32_t granules(const struct cta *c) { return c->shared_bytes / GRANULE + 2; }

/* The stamp of a granule written by thread THREAD in epoch EPOCH; 0: nothing to fence. */
static uint32_t stamp(uint32_t epoch, uint32_t thread)
{
	return (epoch << THREAD_BITS | thread) + 1;
}

static bool overlap(const uint8_t *a, uint64_t n, const uint8_t *b, uint64_t k)
{
	return a && b && a < b + k && b < a + n;
}

/* --- accesses --- */

static const char *async_name(const struct copy *c)
{
	if (c->kind == COPY_TENSOR && c->op->async.operands->tcgen->what == TCGEN_MMA)
		return "product of matrices";
	return c->kind == COPY_WGMMA ? "product of matrices" : "asynchronous copy";
}

static bool arrives(const struct copy *c)
{
	return c->kind == COPY_ARRIVE || c->kind == COPY_COMMIT;
}

/* The record of an mbarrier that C completes and on which lane LANE's wait was stale, or NULL. */
static struct mbarrier_record *stale_wait(const struct warp *w, unsigned lane, const struct copy *c)
{
	struct mbarrier_record *r = mbarrier_stale(w, lane);

	return r && async_completes(c, w->cta, r->offset) ? r : NULL;
}

static void check_copies(const struct access_event *e, unsigned lane, const uint8_t *host)
{
	struct warp *w = e->warp;

	for (const struct copy *c = async_first(w->cta->cluster); c; c = c->next) {
		if (arrives(c) ||
			(!overlap(host, e->bytes, c->low, (uint64_t)(c->high - c->low)) &&
				!overlap(host, e->bytes, c->from_low,
					(uint64_t)(c->from_high - c->from_low))))
			continue;
		for (uint32_t k = 0; k < c->nparts; k++) {
			const struct copy_part *p = &c->part[k];

			if (p->landed)
				continue;
			if (overlap(host, e->bytes, p->to.host, p->bytes) &&
				!(e->atomic && c->op->async.atomic != ATOMIC_NONE)) {
				mbarrier_finding(w, e->op, lane, stale_wait(w, lane, c),
					e->writes ? DIAG_S0304 : DIAG_S0301,
					"these bytes are the destination of the asynchronous copy at %s, which was not waited for",
					where_line_from(w->machine, c->op->insn, c->user_call)
						.text);
				return;
			}
			if (e->writes && !p->fetched &&
				overlap(host, e->bytes, p->from.host, p->take)) {
				finding(w, e->op, lane, DIAG_S0302,
					"these bytes are the source of the %s at %s, which may not have read them yet",
					async_name(c),
					where_line_from(w->machine, c->op->insn, c->user_call)
						.text);
				return;
			}
		}
	}
}

static void check_mbarriers(
	const struct access_event *e, unsigned lane, struct cta *c, uint32_t offset)
{
	for (uint32_t at = offset & ~7u; c->mbarriers && at < offset + e->bytes; at += 8) {
		const struct mbarrier_record *r = mbarrier_find(c, at);

		if (r && r->live) {
			finding(e->warp, e->op, lane, DIAG_S0227,
				"these bytes belong to mbarrier %s",
				name_mbarrier(e->warp->machine, c, at).text);
			return;
		}
	}
}

/* Records a store by lane LANE of W into C's shared memory, in C's epoch EPOCH. */
static void granule_mark(struct cta *c, uint32_t epoch, const struct warp *w, unsigned lane,
	uint32_t offset, uint32_t bytes)
{
	uint32_t now = stamp(epoch, w->index * LANES + lane);

	if (!c->granules)
		c->granules = ARENA_ARRAY(&c->arena, struct granule, granules(c));
	for (uint32_t g = offset / GRANULE; g <= (offset + bytes - 1) / GRANULE; g++)
		c->granules[g].stamp = now;
}

/* Lanes MASK of C's warp W executed a release beyond the CTA: it covers initialisations of
 * mbarriers. */
static void release_inits(struct cta *c, const struct warp *w, uint32_t mask)
{
	uint32_t n;
	struct mbarrier_record *all = mbarrier_all(c, &n);

	for (uint32_t k = 0; k < n; k++) {
		struct mbarrier_record *r = &all[k];
		bool own = r->init_thread / LANES == w->index && mask >> r->init_thread % LANES & 1;

		if (r->live && !r->init_released && (own || order_epoch(c) != r->init_epoch))
			r->init_released = order_next(c);
	}
}

static void async_check_access(struct observer *o, const struct access_event *e)
{
	struct warp *w = e->warp;
	bool copies = async_first(w->cta->cluster) != NULL;

	(void)o;
	if ((e->sem != SEM_WEAK || e->atomic) && e->scope != SCOPE_CTA) {
		if (e->reads || e->atomic)
			order_synchronised_remote(w->cta);
		if (sem_releases(e->sem))
			release_inits(w->cta, w, e->mask);
	}
	if (sem_acquires(e->sem) || e->atomic)
		order_synchronised(w->cta);
	if (e->space != W_shared && (e->space != W_global || !copies))
		return;
	uint32_t epoch = order_epoch(w->cta);

	FOR_LANES(lane, e->mask) {
		if (e->space == W_shared) {
			struct cta *c = cluster_at(w->cta, e->address[lane]);
			uint32_t offset = cluster_offset(e->address[lane]);

			check_mbarriers(e, lane, c, offset);
			if (copies)
				check_copies(e, lane, c->shared + offset);
			if (e->writes && c == w->cta)
				granule_mark(c, epoch, w, lane, offset, e->bytes);
		} else {
			const struct memory_block *b = memory_find(
				w->machine->memory, e->address[lane]);

			check_copies(e, lane, b->host + (e->address[lane] - b->base));
		}
	}
}

/* --- the async proxy --- */

static void granules_fenced(struct cta *c, const struct warp *w, uint32_t mask)
{
	uint32_t now = order_epoch(c);

	for (uint32_t g = 0; c->granules && g <= c->shared_bytes / GRANULE; g++) {
		uint32_t *at = &c->granules[g].stamp, s = (*at & ~FENCED) - 1,
			 thread = s & ((1u << THREAD_BITS) - 1);

		if (!*at)
			continue;
		if (s >> THREAD_BITS < now)
			*at = 0;
		else if (thread / LANES == w->index && mask >> thread % LANES & 1)
			*at = stamp(now, thread) | FENCED;
	}
}

/* Whether ordinary stores to granule G are visible to the async proxy for thread THREAD of C. */
static bool is_visible(const struct cta *c, uint32_t g, uint32_t thread)
{
	uint32_t at = c->granules[g].stamp, s = (at & ~FENCED) - 1;

	return !at ||
		(at & FENCED &&
			(s >> THREAD_BITS < order_epoch(c) ||
				(s & ((1u << THREAD_BITS) - 1)) == thread));
}

static bool check_bytes(const struct copy *c, const struct copy_part *p,
	const struct sync_place *at, uint32_t n, const char *what)
{
	const struct cta *t = at->cta;
	struct warp *w = c->warp;

	/* only a CTA's own shared memory is checked: stores by other CTAs are not tracked
	 * precisely enough */
	for (uint32_t g = at->offset / GRANULE;
		t == w->cta && t->granules && n && g <= (at->offset + n - 1) / GRANULE; g++)
		if (!is_visible(t, g, w->index * LANES + p->lane)) {
			finding(w, c->op, p->lane, DIAG_S0303,
				"thread %u wrote bytes of the %s with ordinary stores, but %s",
				((t->granules[g].stamp & ~FENCED) - 1) & ((1u << THREAD_BITS) - 1),
				what,
				t->granules[g].stamp & FENCED
					? "has not synchronised with this thread since its fence.proxy.async"
					: "no fence.proxy.async followed");
			return false;
		}
	return true;
}

static void check_proxy(const struct copy *c)
{
	if (c->kind != COPY_BULK && c->kind != COPY_GROUP && c->kind != COPY_WGMMA &&
		c->kind != COPY_TENSOR)
		return;
	for (uint32_t k = 0; k < c->nparts; k++) {
		const struct copy_part *p = &c->part[k];

		if (!check_bytes(c, p, &p->from, p->take,
			    c->kind == COPY_WGMMA || c->kind == COPY_TENSOR ? "matrices"
									    : "source") ||
			!check_bytes(c, p, &p->to, p->bytes, "destination"))
			return;
	}
}

/* Compares part P of copy C, just issued, with those of B, which is in flight and not ordered
 * before C. False after a finding. */
static bool check_part(const struct copy *c, const struct copy_part *p, const struct copy *b)
{
	struct warp *w = c->warp;

	for (uint32_t k = 0; k < b->nparts; k++) {
		const struct copy_part *q = &b->part[k];
		const char *what = NULL;
		enum diag_code code = DIAG_S0304;

		if (q->landed)
			continue;
		if (overlap(p->to.host, p->bytes, q->to.host, q->bytes) &&
			!(c->op->async.atomic != ATOMIC_NONE && b->op->async.atomic != ATOMIC_NONE))
			what = "destinations";
		else if (!q->fetched && overlap(p->to.host, p->bytes, q->from.host, q->take))
			what = "source", code = DIAG_S0302;
		else if (overlap(p->from.host, p->take, q->to.host, q->bytes))
			what = "destination", code = DIAG_S0301;
		if (!what)
			continue;
		if (c->kind == COPY_WGMMA || b->kind == COPY_WGMMA || b->kind == COPY_TENSOR ||
			c->kind == COPY_TENSOR)
			finding(w, c->op, p->lane, code,
				code == DIAG_S0302
					? "this %s overwrites the source of the %s at %s, which may not have read it yet"
					: "this %s reads what the %s at %s, which was not waited for, writes",
				async_name(c), async_name(b),
				where_line_from(w->machine, b->op->insn, b->user_call).text);
		else
			finding(w, c->op, p->lane, code,
				code == DIAG_S0304
					? "this copy and the one at %s, which was not waited for, write the same bytes"
					: code == DIAG_S0302
					? "this copy overwrites the source of the one at %s, which may not have read it yet"
					: "this copy reads what the one at %s, which was not waited for, writes",
				where_line_from(w->machine, b->op->insn, b->user_call).text);
		return false;
	}
	return true;
}

static bool may_touch(const struct copy *c, const struct copy *b)
{
	uint64_t n = (uint64_t)(c->high - c->low), from = (uint64_t)(c->from_high - c->from_low),
		 bn = (uint64_t)(b->high - b->low);

	return overlap(c->low, n, b->low, bn) ||
		overlap(c->low, n, b->from_low, (uint64_t)(b->from_high - b->from_low)) ||
		overlap(c->from_low, from, b->low, bn);
}

static void check_copies_under_way(const struct copy *c)
{
	for (const struct copy *b = async_first(c->warp->cta->cluster); b && b != c; b = b->next)
		if (!arrives(b) && may_touch(c, b))
			for (uint32_t k = 0; k < c->nparts; k++)
				if (!check_part(c, &c->part[k], b))
					return;
}

/* Bytes written by the async proxy need no fence; cp.async counts as an ordinary store. */
static void granules_landed(const struct copy *c, uint32_t mask)
{
	for (uint32_t k = 0; c->kind == COPY_CP && k < c->nparts; k++)
		if (mask >> c->part[k].lane & 1 && c->part[k].bytes)
			granule_mark(c->part[k].to.cta, order_epoch(c->part[k].to.cta), c->warp,
				c->part[k].lane, c->part[k].to.offset, c->part[k].bytes);
	if (c->kind != COPY_BULK)
		return;
	for (uint32_t k = 0; k < c->nparts; k++) {
		const struct copy_part *p = &c->part[k];

		if (p->landed && p->to.cta && p->to.cta->granules && p->bytes)
			memset(&p->to.cta->granules[p->to.offset / GRANULE], 0,
				sizeof(struct granule) * (p->bytes / GRANULE));
	}
}

static void async_check_sync(struct observer *o, const struct sync_event *e)
{
	(void)o;
	switch (e->kind) {
	case SYNC_COMPLETE:
	case SYNC_WARP: order_synchronised(e->cta); break;
	case SYNC_MBARRIER_WAIT:
		order_synchronised(e->cta);
		order_synchronised_remote(e->cta);
		break;
	case SYNC_CLUSTER_COMPLETE:
		for (uint32_t k = 0; k < e->cta->cluster->n; k++) {
			order_synchronised(e->cta->cluster->member[k]);
			order_synchronised_remote(e->cta->cluster->member[k]);
		}
		break;
	case SYNC_FENCE:
		if (e->scope != SCOPE_CTA && e->sem != SEM_RELEASE)
			order_synchronised_remote(e->cta);
		if (e->scope != SCOPE_CTA && e->sem != SEM_ACQUIRE)
			release_inits(e->cta, e->warp, e->mask);
		break;
	case SYNC_CLUSTER_ARRIVE:
		if (e->sem == SEM_RELEASE)
			release_inits(e->cta, e->warp, e->mask);
		break;
	case SYNC_MBARRIER_ARRIVE:
		if (e->sem == SEM_RELEASE && e->scope == SCOPE_CLUSTER)
			release_inits(e->cta, e->warp, e->mask);
		break;
	case SYNC_PROXY_FENCE:
		if (e->number & PROXY_SHARED)
			granules_fenced(e->cta, e->warp, e->mask);
		break;
	case SYNC_COPY_ISSUED:
		check_proxy(e->copy);
		if (!arrives(e->copy))
			check_copies_under_way(e->copy);
		break;
	case SYNC_COPY_LANDED: granules_landed(e->copy, e->mask); break;
	case SYNC_ARRIVE:
	case SYNC_MBARRIER_INIT:
	case SYNC_MBARRIER_INVAL:
	case SYNC_MBARRIER_EXPECT:
	case SYNC_MBARRIER_COMPLETE:
	case SYNC_MBARRIER_PHASE:
	case SYNC_MBARRIER_WAITING:
	case SYNC_CLUSTER_WAIT:
	case SYNC_COPY_WAITED:
	case SYNC_WAITING:
	case SYNC_WARP_WAITING:
	case SYNC_CLUSTER_WAITING:
	default: break;
	}
}

static void async_check_life(struct observer *o, const struct life_event *e)
{
	(void)o;
	if (e->kind != LIFE_CTA_BEGIN)
		return;
	order_begins(e->cta);
	if (e->cta->granules)
		memset(e->cta->granules, 0, granules(e->cta) * sizeof *e->cta->granules);
}

static bool is_installed(const struct machine *m)
{
	for (const struct observer *o = m->observers; o; o = o->next)
		if (o->access == async_check_access)
			return true;
	return false;
}

void async_check_install(struct machine *m)
{
	uint32_t first = m->looked;
	bool used = false;

	if (!(m->options.checks & CHECK_SYNC))
		return;
	m->looked = m->module->ninsns;
	async_global_install(m, first);
	for (uint32_t k = first; k < m->module->ninsns && !used; k++) {
		enum handler h = (enum handler)ir_form(&m->module->insn[k])->handler;

		used = h == HANDLER_cp_async || h == HANDLER_bulk || h == HANDLER_tensor ||
			h == HANDLER_st_async || h == HANDLER_red_async || h == HANDLER_mbarrier ||
			h == HANDLER_mapa || h == HANDLER_wgmma || h == HANDLER_tcgen;
	}
	if (!used || is_installed(m))
		return;
	struct observer *o = ARENA_NEW(&m->arena, struct observer);

	*o = (struct observer){.interest = INTEREST_ACCESS | INTEREST_SYNC | INTEREST_LIFE,
		.access = async_check_access,
		.sync = async_check_sync,
		.life = async_check_life};
	machine_observe(m, o);
}

/* --- fence.proxy, membar.proxy --- */

enum flow exec_proxy_fence(struct warp *w, const struct op *op, uint32_t mask)
{
	combine_settle(w->worker);
	if (op->fence.covers && w->machine->interest & INTEREST_SYNC)
		observers_sync(w->machine,
			&(struct sync_event){.kind = SYNC_PROXY_FENCE,
				.cta = w->cta,
				.warp = w,
				.op = op,
				.mask = mask,
				.number = op->fence.covers});
	return FLOW_NEXT;
}
