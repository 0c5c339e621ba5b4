/* The queue of asynchronous operations of a cluster, and what landing one does to memory. */
#include "interp/sync/async.h"
#include "base/memory.h"
#include "interp/state/cluster.h"
#include "interp/state/limits.h"
#include "interp/sync/mbarrier_table.h"
#include "interp/memory/name.h"
#include "interp/state/weak_memory.h"
#include <stdlib.h>
#include <string.h>

enum {
	MOST_COPIES = 1 << 14, /* under way in a cluster: then the oldest lands */
	/* copies, bytes: to go through so many takes long enough for a look at the clock */
	MANY = 256,
	LONG = 256
};

/* --- bytes --- */

/* Global memory may be in other workers' hands: moved in relaxed pieces as large as the addresses
 * allow. */
static void move_bytes(unsigned char *to, const unsigned char *from, uint32_t n, uint16_t mask)
{
	unsigned piece = mask != 0xffff                            ? 1
		: (((uintptr_t)to | (uintptr_t)from | n) & 7) == 0 ? 8
		: (((uintptr_t)to | (uintptr_t)from | n) & 3) == 0 ? 4
								   : 1;

	for (uint32_t k = 0; k < n; k += piece)
		if (piece > 1 || mask >> (k & 15) & 1)
			element_store(to + k, element_load(from + k, piece, __ATOMIC_RELAXED),
				piece, __ATOMIC_RELAXED);
}

static void define(const struct copy_part *p)
{
	if (!p->to.defined)
		return;
	for (uint32_t k = 0; k < p->bytes; k++) {
		uint8_t d = k < p->take && p->from.defined && !p->data ? p->from.defined[k] : 0xff;

		if (p->byte_mask >> (k & 15) & 1)
			p->to.defined[k] = d;
	}
}

static void fetch(const struct copy *c, struct copy_part *p)
{
	if (p->fetched || !p->from.host)
		return;
	p->data = memory_resize(NULL, p->take);
	move_bytes(p->data, p->from.host, p->take, 0xffff);
	weak_memory_fetched(c->warp->machine, p);
	p->fetched = true;
}

static uint64_t swap(uint8_t *at, unsigned n, uint64_t old, uint64_t now)
{
	uint16_t h = (uint16_t)old;
	uint32_t w = (uint32_t)old;

	switch (n) {
	case 2:
		__atomic_compare_exchange_n((uint16_t *)(void *)at, &h, (uint16_t)now, false,
			__ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
		return h;
	case 4:
		__atomic_compare_exchange_n((uint32_t *)(void *)at, &w, (uint32_t)now, false,
			__ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
		return w;
	default:
		__atomic_compare_exchange_n((uint64_t *)(void *)at, &old, now, false,
			__ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
		return old;
	}
}

/* Each element of N bytes at TO becomes what the operation makes of it and of the one at FROM. */
static void reduce(const struct op *op, uint8_t *to, const uint8_t *from, uint32_t bytes)
{
	unsigned n = op->async.bytes;

	for (uint32_t k = 0; k + n <= bytes; k += n) {
		uint64_t old = element_load(to + k, n, __ATOMIC_RELAXED),
			 b = element_load(from + k, n, __ATOMIC_RELAXED), was;

		while ((was = swap(to + k, n, old,
				arith_atomic((enum atomic)op->async.atomic,
					(enum type)op->async.type, false, old, b, 0))) != old)
			old = was;
	}
}

bool async_completes(const struct copy *c, const struct cta *t, uint32_t offset)
{
	for (uint32_t k = 0; k < c->nparts; k++)
		if (c->part[k].signals && c->part[k].bar.cta == t &&
			c->part[k].bar.offset == offset)
			return true;
	return false;
}

/* --- landing --- */

static void check_alive(struct copy *c, const struct copy_part *p)
{
	struct warp *w = c->warp;

	if (!sync_checks(w))
		return;
	if ((c->kind == COPY_BULK || c->kind == COPY_VALUE || c->kind == COPY_CANCEL) &&
		p->to.space == W_shared && cluster_gone(p->to.cta))
		finding(w, c->op, p->lane, DIAG_S0309,
			"%u bytes are written at %s in shared memory after that CTA has exited",
			p->bytes, name_in_shared(w->machine, p->to.cta, p->to.offset, 0).text);
	else if ((c->kind == COPY_GROUP || c->kind == COPY_BULK) && !p->fetched && p->from.cta &&
		cluster_gone(p->from.cta))
		finding(w, c->op, p->lane, DIAG_S0309,
			"the CTA has exited before %u bytes at %s in its shared memory were read",
			p->bytes, name_in_shared(w->machine, p->from.cta, p->from.offset, 0).text);
}

static void count(const struct copy *c, const struct copy_part *p)
{
	struct machine_stats *s = &c->warp->worker->stats;
	unsigned to = access_space_index(p->to.space);

	s->bytes_stored[to] += p->bytes;
	if (c->op->async.atomic != ATOMIC_NONE)
		s->bytes_loaded[to] += p->bytes;
	if (c->kind == COPY_CP || c->kind == COPY_BULK || c->kind == COPY_GROUP)
		s->bytes_loaded[access_space_index(p->from.space)] += p->take;
}

static bool land_part(struct copy *c, struct copy_part *p)
{
	struct warp *w = c->warp;

	check_alive(c, p);
	switch ((enum copy_kind)c->kind) {
	case COPY_ARRIVE: return mbarrier_do_arrive(w, c->op, p->lane, &p->bar, 1, ACT_ASYNC, NULL);
	case COPY_VALUE:
	case COPY_CANCEL:
		if (c->op->async.atomic != ATOMIC_NONE)
			reduce(c->op, p->to.host, (const uint8_t *)p->value, p->bytes);
		else
			move_bytes(p->to.host, (const uint8_t *)p->value, p->bytes, 0xffff);
		break;
	case COPY_CP:
	case COPY_BULK:
	case COPY_GROUP:
	default: {
		if (w->machine->weak)
			fetch(c, p);
		const uint8_t *from = p->data ? p->data : p->from.host;

		if (c->op->async.atomic != ATOMIC_NONE) {
			reduce(c->op, p->to.host, from, p->bytes);
		} else {
			move_bytes(p->to.host, from, p->take, p->byte_mask);
			memset(p->to.host + p->take, 0, p->bytes - p->take);
		}
	}
	}
	define(p);
	count(c, p);
	return !p->signals || mbarrier_do_complete(w, c->op, p->lane, &p->bar, p->bytes);
}

static void tell(const struct copy *c, enum sync_kind kind, uint32_t mask)
{
	struct warp *w = c->warp;

	if (w->machine->interest & INTEREST_SYNC)
		observers_sync(w->machine,
			&(struct sync_event){.kind = kind,
				.cta = w->cta,
				.warp = w,
				.op = c->op,
				.mask = mask,
				.copy = c});
}

/* The parts of C that belong to lanes of MASK land. */
static bool land(struct copy *c, uint32_t mask)
{
	struct warp *w = c->warp;
	struct frame *f = sync_detach(w);
	struct cluster *cluster = w->cta->cluster;
	uint32_t landed = 0;
	bool ok = true;

	cluster->landing = c;
	for (uint32_t k = 0; k < c->nparts && ok; k++) {
		struct copy_part *p = &c->part[k];

		if (p->landed || !(mask >> p->lane & 1))
			continue;
		ok = (p->bytes < LONG || !limits_reached(w->machine)) && land_part(c, p);
		assert(c->left);
		p->landed = true;
		c->left--;
		landed |= 1u << p->lane;
		free(p->data);
		p->data = NULL;
	}
	cluster->landing = NULL;
	sync_attach(w, f);
	if (landed)
		tell(c, SYNC_COPY_LANDED, landed);
	return ok;
}

static uint32_t lanes_left(const struct copy *c)
{
	uint32_t mask = 0;

	for (uint32_t k = 0; k < c->nparts; k++)
		mask |= c->part[k].landed ? 0 : 1u << c->part[k].lane;
	return mask;
}

/* Takes out of the queue what has landed. */
static void sweep(struct cluster *k)
{
	struct copy **at = &k->copies, *c;

	k->last_copy = &k->copies;
	while ((c = *at)) {
		if (c->left) {
			k->last_copy = at = &c->next;
			continue;
		}
		assert(k->ncopies);
		*at = c->next;
		k->ncopies--;
		free(c);
	}
	assert(!k->copies == !k->ncopies);
}

/* C lands for the lanes of MASK; before an arrive of cp.async, the copies that it stands for. */
static bool land_in_order(struct cluster *k, struct copy *c, uint32_t mask)
{
	if (c->kind == COPY_ARRIVE)
		for (struct copy *b = k->copies; b != c; b = b->next)
			if (b->kind == COPY_CP && b->warp == c->warp && !land(b, mask))
				return false;
	return land(c, mask);
}

/* One of them by the chooser, or (its first choice) all, in the order issued. */
static bool land_some(struct machine *m, struct cluster *k)
{
	uint32_t n = k->ncopies ? choose(m->chooser, CHOICE_COPY, k->ncopies + 1) : 0, i = 0;
	bool ok = k->copies != NULL;

	for (struct copy *c = k->copies; c && ok; c = c->next)
		if (n == 0 || ++i == n)
			ok = land_in_order(k, c, lanes_left(c));
	sweep(k);
	return ok;
}

bool async_progress(struct machine *m, struct cluster *k) { return land_some(m, k); }

void async_chance(struct machine *m, struct cluster *k)
{
	if (k->copies && choose(m->chooser, CHOICE_COPY, 4) == 1)
		land_some(m, k);
}

void async_drain(struct machine *m, struct cluster *k)
{
	while (k->copies && !atomic_load(&m->stop))
		if (!land_some(m, k))
			return;
}

void async_free(struct cluster *k)
{
	for (struct copy *c = k->copies, *next; c; c = next) {
		next = c->next;
		for (uint32_t j = 0; j < c->nparts; j++) {
			weak_memory_dropped(c->warp->machine, &c->part[j]);
			free(c->part[j].data);
		}
		free(c);
	}
}

/* --- issuing --- */

struct copy *async_issue(struct warp *w, const struct op *op, enum copy_kind kind, uint32_t n)
{
	struct cluster *k = w->cta->cluster;
	struct copy *c;

	while (k->ncopies >= MOST_COPIES)
		if (limits_reached(w->machine) ||
			!land_in_order(k, k->copies, lanes_left(k->copies)))
			return NULL;
		else
			sweep(k);
	c = memory_zeroed(1, sizeof *c + n * sizeof c->part[0]);
	c->warp = w;
	c->op = op;
	c->number = k->copies_made++;
	c->kind = (uint8_t)kind;
	c->nparts = c->left = n;
	for (uint32_t j = 0; j < n; j++)
		c->part[j].byte_mask = 0xffff;
	*k->last_copy = c;
	k->last_copy = &c->next;
	k->ncopies++;
	w->effect = 1;
	return c;
}

static void widen(const uint8_t **low, const uint8_t **high, const uint8_t *at, uint32_t n)
{
	if (!at)
		return;
	if (!*low || at < *low)
		*low = at;
	if (!*high || at + n > *high)
		*high = at + n;
}

uint32_t async_line(struct machine *m, const struct op *op)
{
	uint32_t line, column;

	source_place(&m->findings->arena, m->module->source, m->module->insn[op->insn].span.off,
		&line, &column);
	return line;
}

void async_issued(struct copy *c)
{
	for (uint32_t k = 0; k < c->nparts; k++) {
		widen(&c->low, &c->high, c->part[k].to.host, c->part[k].bytes);
		widen(&c->from_low, &c->from_high, c->part[k].from.host, c->part[k].take);
	}
	tell(c, SYNC_COPY_ISSUED, lanes_left(c));
}

/* --- waiting --- */

static bool is_covered(const struct copy_part *p, const uint32_t *before)
{
	return !p->landed && p->group < before[p->lane];
}

static void check_wait(
	struct warp *w, const struct op *op, uint32_t mask, unsigned which, const uint32_t *before)
{
	const struct warp_sync *s = w->sync;
	enum copy_kind kind = which ? COPY_GROUP : COPY_CP;

	FOR_LANES(lane, mask) {
		if (before[lane] > s->waited[which][lane])
			continue;
		for (const struct copy *c = w->cta->cluster->copies; c; c = c->next)
			for (uint32_t k = 0; c->warp == w && c->kind == kind && k < c->nparts; k++)
				if (c->part[k].lane == lane && !c->part[k].landed &&
					c->part[k].group == s->group[which][lane]) {
					finding(w, op, lane, DIAG_S0305,
						"there is no group to wait for: the preceding copies were not committed to one");
					return;
				}
	}
}

bool async_wait(struct warp *w, const struct op *op, uint32_t mask, unsigned which, uint64_t keep,
	bool all, bool read)
{
	struct cluster *k = w->cta->cluster;
	struct warp_sync *s = warp_sync_of(w);
	enum copy_kind kind = which ? COPY_GROUP : COPY_CP;
	uint32_t before[LANES] = {0};
	bool ok = k->ncopies < MANY || !limits_reached(w->machine);

	FOR_LANES(lane, mask)
		before[lane] = all                     ? s->group[which][lane] + 1
			: s->group[which][lane] > keep ? s->group[which][lane] - (uint32_t)keep
						       : 0;
	if (sync_checks(w) && !all && k->copies)
		check_wait(w, op, mask, which, before);
	for (struct copy *c = k->copies; c && ok; c = c->next) {
		uint32_t lanes = 0;

		if (c->warp != w || c->kind != kind)
			continue;
		for (uint32_t j = 0; j < c->nparts; j++)
			if (mask >> c->part[j].lane & 1 && is_covered(&c->part[j], before)) {
				w->effect |= !read || !c->part[j].fetched;
				if (read)
					fetch(c, &c->part[j]);
				else
					lanes |= 1u << c->part[j].lane;
			}
		/* a lane may have parts of several groups only in different instructions, so a
		 * part's lane stands for the part */
		if (lanes)
			ok = land(c, lanes);
	}
	sweep(k);
	FOR_LANES(lane, mask)
		if (before[lane] > s->waited[which][lane])
			s->waited[which][lane] = before[lane];
	if (w->machine->interest & INTEREST_SYNC)
		observers_sync(w->machine,
			&(struct sync_event){.kind = SYNC_COPY_WAITED,
				.cta = w->cta,
				.warp = w,
				.op = op,
				.mask = mask,
				.number = which,
				.value = read});
	return ok;
}
