/* An observer of --check=sync for modules whose bulk copies read or write global memory: it
 * records which bytes the running kernels wrote with ordinary stores, and which proxy fences
 * have covered them since. Bytes written by the host or by an earlier kernel need no fence.
 *
 * The check is lenient where an exact answer needs the full memory model: a store is covered by
 * a later fence of its own thread, and by a later fence of any CTA that has synchronised in any
 * way since the store. Missing synchronisation is reported by --check=race. */
#include "interp/sync/async_global.h"
#include "base/map.h"
#include "base/memory.h"
#include "interp/sync/async.h"
#include <pthread.h>
#include <stdlib.h>

/* MAX_STORED: granules that are tracked; a kernel that stores to more is no longer checked */
enum { GRANULE = 16, MAX_STORED = 1 << 22 };

/* A CTA that has stored to global memory or executed a fence. */
struct writer {
	uint32_t synchronised;     /* event count at its last synchronisation */
	uint32_t covered;          /* its fences cover stores up to this event count */
	uint32_t threads, *fences; /* fences executed by each of its threads; NULL: none */
};

/* The last ordinary store to a granule. */
struct stored {
	uint32_t at; /* event count; UINT32_MAX: since overwritten by the async proxy */
	uint32_t writer, thread;
	uint32_t fences; /* executed by the thread before this store */
};

/* One per machine. Its lock protects it, since CTAs of several workers store to the same memory. */
struct watch {
	struct observer base;
	pthread_mutex_t lock;
	uint32_t events;
	bool full;
	struct map writer_of; /* key: launch and CTA */
	VEC(struct writer) writer;
	struct map at; /* key: granule */
	VEC(struct stored) stored;
	/* key: tensor map and CTA: event count at its last fence for the map */
	struct map map_fenced;
};

static struct watch *watch_of(struct observer *o) { return o->self; }

static uint32_t writer_of(struct watch *g, const struct cta *c)
{
	uint64_t key = (uint64_t)c->launch->number << 40 ^ c->linear;
	uint32_t k = map_get(&g->writer_of, key, UINT32_MAX);

	if (k == UINT32_MAX) {
		k = g->writer.count;
		map_set(&g->writer_of, key, k);
		*vec_push(&g->writer) = (struct writer){.threads = c->nwarps * LANES};
	}
	return k;
}

static void watch_synchronised(struct watch *g, const struct cta *c)
{
	uint32_t k = writer_of(g, c);

	g->writer.data[k].synchronised = ++g->events;
}

static void watch_clear(struct watch *g)
{
	for (uint32_t k = 0; k < g->writer.count; k++)
		memory_drop(g->writer.data[k].fences);
	vec_free(&g->writer);
	vec_free(&g->stored);
	map_free(&g->writer_of);
	map_free(&g->map_fenced);
	map_free(&g->at);
}

/* --- stores --- */

static void watch_store(
	struct watch *g, struct warp *w, unsigned lane, uint64_t address, uint32_t bytes)
{
	uint32_t k = writer_of(g, w->cta), thread = w->index * LANES + lane;
	const struct writer *by = &g->writer.data[k];

	for (uint64_t at = address / GRANULE; at <= (address + bytes - 1) / GRANULE; at++) {
		uint32_t n = map_get(&g->at, at, UINT32_MAX);

		if (n == UINT32_MAX) {
			n = g->stored.count;
			map_set(&g->at, at, n);
			vec_push(&g->stored);
		}
		g->stored.data[n] = (struct stored){
			g->events, k, thread, by->fences ? by->fences[thread] : 0};
	}
}

static void async_global_access(struct observer *o, const struct access_event *e)
{
	struct watch *g = watch_of(o);
	bool acquires = sem_acquires(e->sem) || e->atomic;

	if (!acquires && (e->space != W_global || !e->writes))
		return;
	lock_take(&g->lock);
	if (acquires)
		watch_synchronised(g, e->warp->cta);
	if (g->stored.count > MAX_STORED) {
		g->full = true;
		watch_clear(g);
	}
	if (e->space == W_global && e->writes && !g->full)
		FOR_LANES(lane, e->mask)
			watch_store(g, e->warp, lane, e->address[lane], e->bytes);
	lock_give(&g->lock);
}

/* --- fences --- */

static void watch_fenced(struct watch *g, const struct sync_event *e)
{
	uint32_t k = writer_of(g, e->cta); /* may move the writers */
	struct writer *w = &g->writer.data[k];

	g->events++;
	if (!w->fences)
		w->fences = memory_zeroed(w->threads, sizeof *w->fences);
	FOR_LANES(lane, e->mask)
		w->fences[e->warp->index * LANES + lane]++;
	w->covered = w->synchronised;
}

/* --- copies --- */

/* The first store in N bytes at ADDRESS that no fence covers for a copy by CTA C, or NULL. */
static const struct stored *watch_uncovered(
	struct watch *g, const struct cta *c, uint64_t address, uint32_t n)
{
	uint32_t me = writer_of(g, c); /* may move the writers */
	const struct writer *own = &g->writer.data[me];

	for (uint64_t at = address / GRANULE; n && at <= (address + n - 1) / GRANULE; at++) {
		uint32_t k = map_get(&g->at, at, UINT32_MAX);
		const struct stored *s = k == UINT32_MAX ? NULL : &g->stored.data[k];
		const struct writer *by = s ? &g->writer.data[s->writer] : NULL;

		if (s && s->at != UINT32_MAX &&
			!(by->fences && by->fences[s->thread] > s->fences) && s->at >= own->covered)
			return s;
	}
	return NULL;
}

/* --- tensor maps --- */

static uint64_t map_key(uint64_t address, uint32_t writer)
{
	return address << 16 ^ (uint64_t)writer * 0x9e3779b97f4a7c15u;
}

static void watch_map_fenced(struct watch *g, const struct sync_event *e)
{
	uint32_t k = writer_of(g, e->cta);

	g->events++;
	FOR_LANES(lane, e->mask)
		map_set(&g->map_fenced,
			map_key(sync_address_of(e->warp, e->op->fence.map, lane), k), g->events);
}

/* Whether the map of C is one that a running kernel has changed since its CTA's fence for it. */
static void watch_check_map(struct watch *g, const struct copy *c)
{
	struct warp *w = c->warp;
	uint32_t fenced = map_get(&g->map_fenced, map_key(c->map, writer_of(g, w->cta)), 0);

	for (uint64_t at = c->map / GRANULE; c->map && at < (c->map + 128) / GRANULE; at++) {
		uint32_t k = map_get(&g->at, at, UINT32_MAX);
		const struct stored *s = k == UINT32_MAX ? NULL : &g->stored.data[k];

		if (!s || s->at == UINT32_MAX || s->at < fenced)
			continue;
		finding(w, c->op, c->part[0].lane, DIAG_S0313,
			"thread %u%s changed the tensor map at 0x%llx, and this CTA has executed no fence.proxy.tensormap::generic.acquire for it since",
			s->thread, s->writer == writer_of(g, w->cta) ? "" : " of another CTA",
			(unsigned long long)c->map);
		return;
	}
}

static void watch_check_issued(struct watch *g, const struct copy *c)
{
	struct warp *w = c->warp;

	for (uint32_t k = 0; k < c->nparts; k++) {
		const struct copy_part *p = &c->part[k];
		bool reads = p->from.space == W_global;
		const struct stored *s = reads
			? watch_uncovered(g, w->cta, p->from.address, p->take)
			: p->to.space == W_global
			? watch_uncovered(g, w->cta, p->to.address, p->bytes)
			: NULL;

		if (!s)
			continue;
		finding(w, c->op, p->lane, DIAG_S0306,
			"thread %u%s wrote bytes of the %s with ordinary stores, and no fence.proxy.async has ordered them since",
			s->thread, s->writer == writer_of(g, w->cta) ? "" : " of another CTA",
			reads ? "source" : "destination");
		return;
	}
}

/* Bytes written by the async proxy need no fence. */
static void watch_landed(struct watch *g, const struct copy *c)
{
	for (uint32_t k = 0; k < c->nparts; k++) {
		const struct copy_part *p = &c->part[k];

		if (!p->landed || p->to.space != W_global || !p->bytes)
			continue;
		for (uint64_t at = p->to.address / GRANULE;
			at < (p->to.address + p->bytes) / GRANULE; at++) {
			uint32_t n = map_get(&g->at, at, UINT32_MAX);

			if (n != UINT32_MAX)
				g->stored.data[n].at = UINT32_MAX;
		}
	}
}

static void async_global_sync(struct observer *o, const struct sync_event *e)
{
	struct watch *g = watch_of(o);

	lock_take(&g->lock);
	switch (e->kind) {
	case SYNC_COMPLETE:
	case SYNC_WARP:
	case SYNC_FENCE: /* a fence-fence pattern with relaxed loads synchronises too */
	case SYNC_MBARRIER_WAIT: watch_synchronised(g, e->cta); break;
	case SYNC_CLUSTER_COMPLETE:
		for (uint32_t k = 0; k < e->cta->cluster->n; k++)
			watch_synchronised(g, e->cta->cluster->member[k]);
		break;
	case SYNC_PROXY_FENCE:
		if (e->number & PROXY_GLOBAL)
			watch_fenced(g, e);
		if (e->number & PROXY_TENSOR_MAP)
			watch_map_fenced(g, e);
		break;
	case SYNC_COPY_ISSUED:
		if (e->copy->kind == COPY_BULK || e->copy->kind == COPY_GROUP)
			watch_check_issued(g, e->copy);
		if (e->copy->map)
			watch_check_map(g, e->copy);
		break;
	case SYNC_COPY_LANDED:
		if (e->copy->kind == COPY_GROUP)
			watch_landed(g, e->copy);
		break;
	case SYNC_ARRIVE:
	case SYNC_MBARRIER_INIT:
	case SYNC_MBARRIER_INVAL:
	case SYNC_MBARRIER_ARRIVE:
	case SYNC_MBARRIER_EXPECT:
	case SYNC_MBARRIER_COMPLETE:
	case SYNC_MBARRIER_PHASE:
	case SYNC_MBARRIER_WAITING:
	case SYNC_CLUSTER_ARRIVE:
	case SYNC_CLUSTER_WAIT:
	case SYNC_COPY_WAITED:
	case SYNC_WAITING:
	case SYNC_WARP_WAITING:
	case SYNC_CLUSTER_WAITING:
	default: break;
	}
	lock_give(&g->lock);
}

/* The end of a kernel makes its stores visible to later kernels. */
static void async_global_life(struct observer *o, const struct life_event *e)
{
	struct watch *g = watch_of(o);

	if (e->kind != LIFE_LAUNCH_END)
		return;
	lock_take(&g->lock);
	watch_clear(g);
	lock_give(&g->lock);
}

void async_global_install(struct machine *m, uint32_t first)
{
	bool used = false;

	for (uint32_t k = first; k < m->module->ninsns && !used; k++)
		used = ir_form(&m->module->insn[k])->handler == HANDLER_tensor ||
			(ir_form(&m->module->insn[k])->handler == HANDLER_bulk &&
				ir_has(m->module, &m->module->insn[k], W_global));
	if (!used || m->async_global)
		return;
	struct watch *g = ARENA_NEW(&m->arena, struct watch);

	lock_new(&g->lock);
	g->base = (struct observer){.interest = INTEREST_ACCESS | INTEREST_SYNC | INTEREST_LIFE,
		.self = g,
		.access = async_global_access,
		.sync = async_global_sync,
		.life = async_global_life};
	machine_observe(m, &g->base);
	m->async_global = g;
}

void async_global_free(struct machine *m)
{
	if (!m->async_global)
		return;
	watch_clear(m->async_global);
	pthread_mutex_destroy(&m->async_global->lock);
}
