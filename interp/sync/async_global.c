/* An observer of --check=sync for modules whose bulk copies read or write global memory: what
 * threads of the running kernels stored there by ordinary means, and which proxy fences have
 * covered it since. What the host or an ended kernel wrote needs no fence.
 *
 * Lenient where the exact answer needs all of the memory model: a store is covered by a later fence
 * of its own thread, and by a fence of any CTA that has synchronised in some way since the store.
 * Missing synchronisation is what --check=race is for. */
#include "interp/sync/async_global.h"
#include "base/map.h"
#include "base/memory.h"
#include "interp/sync/async.h"
#include <pthread.h>
#include <stdlib.h>

/* granules that are kept; a kernel that stores more is no longer watched */
enum { GRANULE = 16, MOST_STORED = 1 << 22 };

/* A CTA that has stored to global memory or executed a fence. */
struct writer {
	uint32_t synchronised;     /* the count of events when it last synchronised */
	uint32_t covered;          /* its fences cover what was stored before this count */
	uint32_t threads, *fences; /* executed by each of its threads; NULL: none */
};

/* The last ordinary store to a granule. */
struct stored {
	uint32_t at; /* the count of events */
	uint32_t writer, thread;
	uint32_t fences; /* that the thread had executed before */
};

/* One for the machine; under its lock, as CTAs of several workers store to the same memory. */
struct watch {
	struct observer base;
	pthread_mutex_t lock;
	uint32_t events;
	bool full;
	struct map writer_of; /* by launch and CTA */
	VEC(struct writer) writer;
	struct map at; /* by granule */
	VEC(struct stored) stored;
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

static void synchronised(struct watch *g, const struct cta *c)
{
	uint32_t k = writer_of(g, c);

	g->writer.data[k].synchronised = ++g->events;
}

static void forget(struct watch *g)
{
	for (uint32_t k = 0; k < g->writer.count; k++)
		free(g->writer.data[k].fences);
	vec_free(&g->writer);
	vec_free(&g->stored);
	map_free(&g->writer_of);
	map_free(&g->at);
}

/* --- stores --- */

static void store(struct watch *g, struct warp *w, unsigned lane, uint64_t address, uint32_t bytes)
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

static void on_access(struct observer *o, const struct access_event *e)
{
	struct watch *g = watch_of(o);
	bool acquires = sem_acquires(e->sem) || e->atomic;

	if (!acquires && (e->space != W_global || !e->writes))
		return;
	lock_take(&g->lock);
	if (acquires)
		synchronised(g, e->warp->cta);
	if (g->stored.count > MOST_STORED) {
		g->full = true;
		forget(g);
	}
	if (e->space == W_global && e->writes && !g->full)
		FOR_LANES(lane, e->mask)
			store(g, e->warp, lane, e->address[lane], e->bytes);
	lock_give(&g->lock);
}

/* --- fences --- */

static void fenced(struct watch *g, const struct sync_event *e)
{
	uint32_t k = writer_of(g, e->cta); /* may move them */
	struct writer *w = &g->writer.data[k];

	g->events++;
	if (!w->fences)
		w->fences = memory_zeroed(w->threads, sizeof *w->fences);
	FOR_LANES(lane, e->mask)
		w->fences[e->warp->index * LANES + lane]++;
	w->covered = w->synchronised;
}

/* --- copies --- */

/* The store that a copy of CTA C would meet uncovered in N bytes at ADDRESS, or NULL. */
static const struct stored *uncovered(
	struct watch *g, const struct cta *c, uint64_t address, uint32_t n)
{
	uint32_t me = writer_of(g, c); /* may move them */
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

static void check_issued(struct watch *g, const struct copy *c)
{
	struct warp *w = c->warp;

	for (uint32_t k = 0; k < c->nparts; k++) {
		const struct copy_part *p = &c->part[k];
		bool reads = p->from.space == W_global;
		const struct stored *s = reads    ? uncovered(g, w->cta, p->from.address, p->take)
			: p->to.space == W_global ? uncovered(g, w->cta, p->to.address, p->bytes)
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

/* What the async proxy wrote is its own. */
static void landed(struct watch *g, const struct copy *c)
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

static void on_sync(struct observer *o, const struct sync_event *e)
{
	struct watch *g = watch_of(o);

	lock_take(&g->lock);
	switch (e->kind) {
	case SYNC_COMPLETE:
	case SYNC_WARP:
	case SYNC_FENCE: /* of a fence-fence pattern with relaxed loads */
	case SYNC_MBARRIER_WAIT: synchronised(g, e->cta); break;
	case SYNC_CLUSTER_COMPLETE:
		for (uint32_t k = 0; k < e->cta->cluster->n; k++)
			synchronised(g, e->cta->cluster->member[k]);
		break;
	case SYNC_PROXY_FENCE:
		if (e->number & PROXY_GLOBAL)
			fenced(g, e);
		break;
	case SYNC_COPY_ISSUED:
		if (e->copy->kind == COPY_BULK || e->copy->kind == COPY_GROUP)
			check_issued(g, e->copy);
		break;
	case SYNC_COPY_LANDED:
		if (e->copy->kind == COPY_GROUP)
			landed(g, e->copy);
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

/* A kernel that begins after another sees what that one wrote. */
static void on_life(struct observer *o, const struct life_event *e)
{
	struct watch *g = watch_of(o);

	if (e->kind != LIFE_LAUNCH_END)
		return;
	lock_take(&g->lock);
	forget(g);
	lock_give(&g->lock);
}

void async_global_install(struct machine *m)
{
	bool used = false;

	for (uint32_t k = 0; k < m->module->ninsns && !used; k++)
		used = ir_form(&m->module->insn[k])->handler == HANDLER_bulk &&
			ir_has(m->module, &m->module->insn[k], W_global);
	if (!used)
		return;
	struct watch *g = ARENA_NEW(&m->arena, struct watch);

	lock_new(&g->lock);
	g->base = (struct observer){.interest = INTEREST_ACCESS | INTEREST_SYNC | INTEREST_LIFE,
		.self = g,
		.access = on_access,
		.sync = on_sync,
		.life = on_life};
	machine_observe(m, &g->base);
	m->async_global = g;
}

void async_global_free(struct machine *m)
{
	if (!m->async_global)
		return;
	forget(m->async_global);
	pthread_mutex_destroy(&m->async_global->lock);
}
