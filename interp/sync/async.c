/* The queue of asynchronous operations of a cluster, and their effects on memory when they land. */
#include "interp/sync/async.h"
#include "arith/tensor_map.h"
#include "base/assert.h"
#include "base/memory.h"
#include "interp/state/cluster.h"
#include "interp/state/limits.h"
#include "interp/sync/mbarrier_table.h"
#include "interp/sync/tensor_memory.h"
#include "interp/memory/name.h"
#include "interp/state/weak_memory.h"
#include <stdlib.h>
#include <string.h>

enum {
	MAX_COPIES = 1 << 14, /* in flight in a cluster; beyond that the oldest lands */
	MAX_PARTS = 1 << 18,  /* of them all: tensor copies have many */
	/* from so many copies or bytes on, the work is long enough to check the deadline first */
	MANY_COPIES = 256,
	LONG_COPY = 256
};

/* --- state --- */

/* Of a cluster: operations in flight, in order of issue. */
struct copies {
	struct copy *first, **last;
	uint32_t n;
	uint64_t made, parts;
	const struct copy *landing;
};

/* Of a warp's lanes. */
struct copy_groups {
	uint32_t filling[GROUPS_COUNT][LANES]; /* the group that is being filled */
	/* groups below this number have been waited for */
	uint32_t waited[GROUPS_COUNT][LANES];
};

static struct copies *copies_of(struct cluster *k)
{
	if (!k->copies) {
		k->copies = ARENA_NEW(&k->member[0]->arena, struct copies);
		k->copies->last = &k->copies->first;
	}
	return k->copies;
}

static struct copy_groups *groups_of(struct warp *w)
{
	if (!w->groups) {
		copies_of(w->cta->cluster);
		w->groups = ARENA_NEW(&w->cta->arena, struct copy_groups);
	}
	return w->groups;
}

static void copies_begin(struct cluster *k)
{
	if (!k->copies) /* then no warp has groups either */
		return;
	EVERY_CTA(c, k)
		for (uint32_t i = 0; i < c->nwarps; i++)
			if (c->warp[i].groups)
				memset(c->warp[i].groups, 0, sizeof *c->warp[i].groups);
}

/* Operations that a fault left in flight. */
static void copies_discard(struct cluster *k)
{
	struct copy *c = k->copies ? k->copies->first : NULL;

	for (struct copy *next; c; c = next) {
		next = c->next;
		for (uint32_t j = 0; j < c->nparts; j++) {
			weak_memory_dropped(c->warp->machine, &c->part[j]);
			memory_drop(c->part[j].data);
		}
		memory_drop(c);
	}
	k->copies = NULL;
}
const struct keeper async_keeper = {.begin = copies_begin, .free = copies_discard};

const struct copy *async_first(const struct cluster *k)
{
	return k->copies ? k->copies->first : NULL;
}

const struct copy *async_landing(const struct cluster *k)
{
	return k->copies ? k->copies->landing : NULL;
}

/* --- bytes --- */

/* Other workers may access global memory at the same time, so the bytes move with relaxed
 * atomics, of the largest size that the addresses allow. */
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

static void copy_define(const struct copy_part *p)
{
	if (!p->to.defined)
		return;
	for (uint32_t k = 0; k < p->bytes; k++) {
		uint32_t at = k - p->left;
		uint8_t d = at < p->take && p->from.defined && !p->data ? p->from.defined[at]
									: 0xff;

		if (k < p->left || k >= p->bytes - p->right)
			d = 0; /* indeterminate */

		if (p->byte_mask >> (k & 15) & 1)
			p->to.defined[k] = d;
	}
}

static void copy_fetch(const struct copy *c, struct copy_part *p)
{
	if (p->fetched || !p->from.host)
		return;
	p->data = memory_resize(NULL, p->take);
	move_bytes(p->data, p->from.host, p->take, 0xffff);
	weak_memory_fetched(c->warp->machine, p);
	p->fetched = true;
}

/* Combines each element of N bytes at TO with the one at FROM. */
static void copy_reduce(const struct copy *c, uint8_t *to, const uint8_t *from, uint32_t bytes)
{
	unsigned n = c->element;

	for (uint32_t k = 0; k + n <= bytes; k += n) {
		uint64_t old = element_load(to + k, n, __ATOMIC_RELAXED),
			 b = element_load(from + k, n, __ATOMIC_RELAXED), was;

		while ((was = element_swap(to + k, n, old,
				arith_atomic((enum atomic)c->op->async.atomic, (enum type)c->type,
					c->flushes, old, b, 0))) != old)
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

/* Rounds N bytes of f32 to tf32. */
static void round_words(uint8_t *at, uint32_t n)
{
	for (uint32_t k = 0; k + 4 <= n; k += 4)
		element_store(at + k,
			tensor_round((uint32_t)element_load(at + k, 4, __ATOMIC_RELAXED)), 4,
			__ATOMIC_RELAXED);
}

/* --- landing --- */

static void copy_check_alive(struct copy *c, const struct copy_part *p)
{
	struct warp *w = c->warp;

	if (!sync_checks(w))
		return;
	if ((c->kind == COPY_BULK || c->kind == COPY_VALUE || c->kind == COPY_CANCEL) &&
		p->to.space == W_shared && cluster_cta_exited(p->to.cta))
		finding(w, c->op, p->lane, DIAG_S0309,
			"%u bytes are written at %s in shared memory after that CTA has exited",
			p->bytes, name_in_shared(w->machine, p->to.cta, p->to.offset, 0).text);
	else if ((c->kind == COPY_GROUP || c->kind == COPY_BULK) && !p->fetched && p->from.cta &&
		cluster_cta_exited(p->from.cta))
		finding(w, c->op, p->lane, DIAG_S0309,
			"the CTA has exited before %u bytes at %s in its shared memory were read",
			p->bytes, name_in_shared(w->machine, p->from.cta, p->from.offset, 0).text);
}

static void copy_count(const struct copy *c, const struct copy_part *p)
{
	struct machine_stats *s = &c->warp->worker->stats;
	unsigned to = access_space_index(p->to.space);

	s->bytes_stored[to] += p->bytes;
	if (c->op->async.atomic != ATOMIC_NONE)
		s->bytes_loaded[to] += p->bytes;
	if (c->kind == COPY_CP || c->kind == COPY_BULK || c->kind == COPY_GROUP)
		s->bytes_loaded[access_space_index(p->from.space)] += p->take;
}

/* Whether the bytes that P copies, read from FROM, have what its instruction reports. */
static bool copy_reports(const struct copy *c, const struct copy_part *p, const uint8_t *from)
{
	static const uint32_t pattern[][2] = {[VALIDITY_WORD] = {0x80000000, ~0u},
		[VALIDITY_HALF] = {0x8000, 0xffff},
		[VALIDITY_BYTE] = {0x80, 0xff},
		[VALIDITY_NIBBLE] = {0x8, 0xf}};
	unsigned what = c->op->async.reports;

	if (what == VALIDITY_ONES)
		return p->take && memchr(from, 0xff, p->take) != NULL;
	for (uint32_t k = 0; k + 16 <= p->take; k += 16) {
		uint32_t first;

		memcpy(&first, from + k, sizeof first);
		if ((first & pattern[what][1]) == pattern[what][0])
			return true;
	}
	return false;
}

static bool copy_land_part(struct copy *c, struct copy_part *p)
{
	struct warp *w = c->warp;

	bool reports = false, inspects = c->op->async.reports != VALIDITY_ANY;

	copy_check_alive(c, p);
	switch ((enum copy_kind)c->kind) {
	case COPY_TENSOR: tcgen_landed(c, p->group); __attribute__((fallthrough));
	case COPY_WGMMA:
		weak_memory_dropped(w->machine, p);
		p->fetched = true;
		return true;
	case COPY_COMMIT:
	case COPY_ARRIVE: return mbarrier_do_arrive(w, c->op, p->lane, &p->bar, 1, ACT_ASYNC, NULL);
	case COPY_VALUE:
	case COPY_CANCEL:
		if (c->op->async.atomic != ATOMIC_NONE)
			copy_reduce(c, p->to.host, (const uint8_t *)p->value, p->bytes);
		else
			move_bytes(p->to.host, (const uint8_t *)p->value, p->bytes, 0xffff);
		break;
	case COPY_CP:
	case COPY_BULK:
	case COPY_GROUP:
	default: {
		if (w->machine->weak)
			copy_fetch(c, p);
		const uint8_t *from = p->data ? p->data : p->from.host;

		reports = inspects && copy_reports(c, p, from);
		if (c->op->async.atomic != ATOMIC_NONE) {
			copy_reduce(c, p->to.host, from, p->bytes);
		} else {
			uint32_t end = p->left + p->take;

			move_bytes(p->to.host + p->left, from, p->take, p->byte_mask);
			if (c->rounds)
				round_words(p->to.host, p->take);
			for (uint32_t k = end; k < p->bytes - p->right; k++)
				p->to.host[k] = (uint8_t)(p->fill >> 8 * (k & 1));
		}
	}
	}
	copy_define(p);
	copy_count(c, p);
	if (inspects && !mbarrier_do_report(w, c->op, p->lane, &p->bar, reports))
		return false;
	return !p->signals ||
		mbarrier_do_complete(
			w, c->op, p->lane, &p->bar, p->completes ? p->completes : p->bytes);
}

static void copy_report(const struct copy *c, enum sync_kind kind, uint32_t mask)
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

/* Lands the parts of C that belong to lanes of MASK. */
static bool copy_land(struct copy *c, uint32_t mask)
{
	struct warp *w = c->warp;
	struct frame nowhere = {.user_call = c->user_call}, *f = sync_detach(w, &nowhere);
	struct copies *q = w->cta->cluster->copies;
	uint32_t landed = 0;
	bool ok = true;

	q->landing = c;
	for (uint32_t k = 0; k < c->nparts && ok; k++) {
		struct copy_part *p = &c->part[k];

		if (p->landed || !(mask >> p->lane & 1))
			continue;
		ok = (p->bytes < LONG_COPY || !limits_reached(w->machine)) && copy_land_part(c, p);
		assert(c->left);
		p->landed = true;
		c->left--;
		landed |= 1u << p->lane;
		memory_drop(p->data);
		p->data = NULL;
	}
	q->landing = NULL;
	sync_attach(w, f);
	if (landed)
		copy_report(c, SYNC_COPY_LANDED, landed);
	return ok;
}

static uint32_t lanes_left(const struct copy *c)
{
	uint32_t mask = 0;

	for (uint32_t k = 0; k < c->nparts; k++)
		mask |= c->part[k].landed ? 0 : 1u << c->part[k].lane;
	return mask;
}

/* Removes landed operations from the queue. */
static void copies_sweep(struct copies *q)
{
	struct copy **at = &q->first, *c;

	q->last = &q->first;
	while ((c = *at)) {
		if (c->left) {
			q->last = at = &c->next;
			continue;
		}
		assert(q->n);
		*at = c->next;
		q->n--;
		q->parts -= c->nparts;
		memory_drop(c);
	}
	assert(!q->first == !q->n);
}

/* Lands C for the lanes of MASK. For cp.async.mbarrier.arrive and tcgen05.commit, the operations
 * that they cover land first. */
static bool copy_land_in_order(struct copies *q, struct copy *c, uint32_t mask)
{
	unsigned covered = c->kind == COPY_ARRIVE ? COPY_CP : COPY_TENSOR;

	if (c->kind == COPY_ARRIVE || c->kind == COPY_COMMIT)
		for (struct copy *b = q->first; b != c; b = b->next)
			if (b->kind == covered && b->warp == c->warp && !copy_land(b, mask))
				return false;
	return copy_land(c, mask);
}

/* Products of matrices have done all they do: they only wait for their wait_group or commit. */
static bool lands(const struct copy *c) { return c->kind != COPY_WGMMA && c->kind != COPY_TENSOR; }

static uint32_t landing_copies(const struct copies *q)
{
	uint32_t n = 0;

	for (const struct copy *c = q->first; c; c = c->next)
		n += lands(c);
	return n;
}

/* Lands the operation that the chooser picks, or all of them in order of issue (its first
 * choice). */
static bool copies_land_some(struct machine *m, struct copies *q)
{
	uint32_t all = landing_copies(q), n = all ? choose(m->chooser, CHOICE_COPY, all + 1) : 0,
		 i = 0;
	bool ok = all != 0;

	for (struct copy *c = q->first; c && ok; c = c->next)
		if (lands(c) && (n == 0 || ++i == n))
			ok = copy_land_in_order(q, c, lanes_left(c));
	copies_sweep(q);
	return ok;
}

bool async_progress(struct machine *m, struct cluster *k)
{
	return k->copies && copies_land_some(m, k->copies);
}

void async_maybe_land(struct machine *m, struct cluster *k)
{
	if (async_first(k) && choose(m->chooser, CHOICE_COPY, 4) == 1)
		copies_land_some(m, k->copies);
}

void async_drain(struct machine *m, struct cluster *k)
{
	while (async_first(k) && landing_copies(k->copies) && !atomic_load(&m->stop))
		if (!copies_land_some(m, k->copies))
			return;
	for (struct copy *c = k->copies ? k->copies->first : NULL; c; c = c->next)
		if (!lands(c))
			copy_land(c, lanes_left(c));
	if (k->copies)
		copies_sweep(k->copies);
}

/* --- issuing --- */

struct copy *async_issue(struct warp *w, const struct op *op, enum copy_kind kind, uint32_t n)
{
	struct copies *q = copies_of(w->cta->cluster);
	struct copy *c;

	while (q->first && (q->n >= MAX_COPIES || q->parts + n > MAX_PARTS))
		if (limits_reached(w->machine) ||
			!copy_land_in_order(q, q->first, lanes_left(q->first)))
			return NULL;
		else
			copies_sweep(q);
	c = memory_zeroed(1, sizeof *c + n * sizeof c->part[0]);
	c->warp = w;
	c->op = op;
	c->user_call = w->frame->user_call;
	c->number = q->made++;
	c->type = op->async.type;
	c->element = op->async.bytes;
	c->kind = (uint8_t)kind;
	c->nparts = c->left = n;
	for (uint32_t j = 0; j < n; j++)
		c->part[j].byte_mask = 0xffff;
	*q->last = c;
	q->last = &c->next;
	q->n++;
	q->parts += n;
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

void async_issued(struct copy *c)
{
	for (uint32_t k = 0; k < c->nparts; k++) {
		widen(&c->low, &c->high, c->part[k].to.host, c->part[k].bytes);
		widen(&c->from_low, &c->from_high, c->part[k].from.host, c->part[k].take);
	}
	copy_report(c, SYNC_COPY_ISSUED, lanes_left(c));
}

const uint32_t *async_filling(struct warp *w, unsigned which)
{
	return groups_of(w)->filling[which];
}

const uint32_t *async_waited(const struct warp *w, unsigned which)
{
	return w->groups->waited[which];
}

void async_commit(struct warp *w, unsigned which, uint32_t mask)
{
	uint32_t *filling = groups_of(w)->filling[which];

	FOR_LANES(lane, mask)
		filling[lane]++;
}

/* --- waiting --- */

static bool is_covered(const struct copy_part *p, const uint32_t *before)
{
	return !p->landed && p->group < before[p->lane];
}

static enum copy_kind kind_of_group(unsigned which)
{
	switch ((enum groups)which) {
	case GROUPS_CP: return COPY_CP;
	case GROUPS_BULK: return COPY_GROUP;
	case GROUPS_WGMMA:
	case GROUPS_COUNT: break;
	}
	return COPY_WGMMA;
}

static void groups_check_wait(
	struct warp *w, const struct op *op, uint32_t mask, unsigned which, const uint32_t *before)
{
	const struct copy_groups *s = w->groups;
	enum copy_kind kind = kind_of_group(which);

	FOR_LANES(lane, mask) {
		if (before[lane] > s->waited[which][lane])
			continue;
		for (const struct copy *c = w->cta->cluster->copies->first; c; c = c->next)
			for (uint32_t k = 0; c->warp == w && c->kind == kind && k < c->nparts; k++)
				if (c->part[k].lane == lane && !c->part[k].landed &&
					c->part[k].group == s->filling[which][lane]) {
					finding(w, op, lane, DIAG_S0305,
						"there is no group to wait for: the preceding %s were not committed to one",
						kind == COPY_WGMMA ? "wgmma.mma_async" : "copies");
					return;
				}
	}
}

bool async_wait(struct warp *w, const struct op *op, uint32_t mask, unsigned which, uint64_t keep,
	bool all, bool read)
{
	struct copy_groups *s = groups_of(w);
	struct copies *q = w->cta->cluster->copies;
	enum copy_kind kind = kind_of_group(which);
	uint32_t before[LANES] = {0};
	bool ok = q->n < MANY_COPIES || !limits_reached(w->machine);

	FOR_LANES(lane, mask)
		before[lane] = all                       ? s->filling[which][lane] + 1
			: s->filling[which][lane] > keep ? s->filling[which][lane] - (uint32_t)keep
							 : 0;
	if (sync_checks(w) && !all && q->first)
		groups_check_wait(w, op, mask, which, before);
	for (struct copy *c = q->first; c && ok; c = c->next) {
		uint32_t lanes = 0;

		if (c->warp != w || c->kind != kind)
			continue;
		for (uint32_t j = 0; j < c->nparts; j++)
			if (mask >> c->part[j].lane & 1 && is_covered(&c->part[j], before)) {
				w->effect |= !read || !c->part[j].fetched;
				if (read)
					copy_fetch(c, &c->part[j]);
				else
					lanes |= 1u << c->part[j].lane;
			}
		/* parts of one lane and different groups come from different instructions, so
		 * within C the lane identifies the part */
		if (lanes)
			ok = copy_land(c, lanes);
	}
	copies_sweep(q);
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
