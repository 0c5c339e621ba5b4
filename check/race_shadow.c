/* Shadow memory: the last accesses to each cell, compared with each new one. */
#include "base/assert.h"
#include "check/race_state.h"
#include "base/memory.h"
#include <stdlib.h>
#include <string.h>

static uint32_t cells_of(const struct page *p) { return 1u << (PAGE_SHIFT - p->shift); }

/* --- cells --- */

struct shadow *shadow_global(struct race *r, uint64_t address)
{
	const struct memory_block *b = memory_find(r->machine->memory, address);
	uint64_t slot = b->base >> MEMORY_SLOT_SHIFT;
	struct shadow *s;

	/* malloc and free, which are not observed, pass blocks of the device heap between
	 * threads */
	if (!b->size || slot >= MEMORY_SLOTS || b->heap)
		return NULL;
	s = r->global[slot];
	if (!s) {
		s = r->global[slot] = memory_zeroed(1, sizeof *s);
		s->base = b->base;
		s->pages = ((b->size - 1) >> PAGE_SHIFT) + 1;
		s->page = memory_zeroed(s->pages, sizeof *s->page);
		*vec_push(&r->slots) = (uint32_t)slot;
	}
	return s;
}

static void page_free(struct page *p)
{
	if (!p)
		return;
	memory_drop(p->write);
	memory_drop(p->read[0]);
	memory_drop(p->read[1]);
	for (unsigned j = 0; j < OLDER; j++)
		memory_drop(p->older[j]);
	memory_drop(p->observed);
	memory_drop(p);
}

void shadow_free(struct shadow *s)
{
	for (uint64_t k = 0; k < s->pages; k++)
		page_free(s->page[k]);
	memory_drop(s->page);
	s->page = NULL;
	s->pages = 0;
}

static struct page *page_new(uint8_t shift)
{
	struct page *p = memory_zeroed(1, sizeof *p);

	p->shift = shift;
	return p;
}

uint32_t *shadow_plane(struct race *r, const struct page *p, uint32_t **plane, uint32_t k)
{
	if (!*plane) {
		*plane = memory_zeroed(cells_of(p), sizeof **plane);
		r->cells += cells_of(p);
	}
	return *plane + k;
}

/* Returns the number of cells in the new plane. */
static uint64_t plane_refine(uint32_t **to, const uint32_t *from)
{
	if (!from)
		return 0;
	*to = memory_resize(NULL, sizeof **to << PAGE_SHIFT);
	for (uint32_t k = 0; k < 1u << PAGE_SHIFT; k++)
		(*to)[k] = from[k / 4];
	return 1u << PAGE_SHIFT;
}

struct page *shadow_page_make(struct race *r, struct shadow *s, uint64_t offset, unsigned bytes)
{
	struct page **at = &s->page[offset >> PAGE_SHIFT], *fine;

	if (!*at)
		return *at = page_new(bytes < 4 ? 0 : 2);
	assert((*at)->shift && bytes < 4);
	fine = page_new(0);
	fine->weak = (*at)->weak;
	r->cells += plane_refine(&fine->write, (*at)->write);
	r->cells += plane_refine(&fine->read[0], (*at)->read[0]);
	r->cells += plane_refine(&fine->read[1], (*at)->read[1]);
	for (unsigned j = 0; j < OLDER; j++)
		r->cells += plane_refine(&fine->older[j], (*at)->older[j]);
	plane_refine(&fine->observed, (*at)->observed); /* holds no codes */
	page_free(*at);
	return *at = fine;
}

/* --- judgement --- */

void shadow_clock(struct touch *t, const struct clock *clock)
{
	const uint64_t own = key_of(KEY_CTA, t->cta->uid);

	t->memo_clock = clock;
	t->floor = clock->floor;
	t->met = 0;
	t->barriers = clock->n == 0 || (clock->n == 1 && clock->known[0].key == own);
	if (t->barriers && clock->n) {
		t->met = clock->known[0].stamp;
		t->first = t->r->past.data[t->cta->uid].first_warp;
		t->warps = t->cta->nwarps;
	}
	/* nobody but the CTA's own threads accesses its shared memory */
	uint32_t before = t->met && t->met == t->cta->met_at && t->space == W_shared &&
			!t->cta->async && t->of->cta->cluster->n == 1
		? t->cta->met
		: t->cta->before;

	t->old = before ? (before << 5) - 1 : 0;
#pragma GCC unroll 4
	for (unsigned k = 0; k < MEMO; k++)
		t->memo[k].id = 0;
}

/* The lanes of a warp mostly share a clock and meet the same records, so the answers are
 * memoised. */
enum coverage shadow_covers_record(struct touch *t, uint32_t id)
{
	if (t->memo[id % MEMO].id != id) {
		const struct record *x = &t->r->record.data[id];

		t->memo[id % MEMO].id = id;
		t->memo[id % MEMO].answer = (uint8_t)clock_covers(
			t->memo_clock, &t->r->family, x->warp, x->stamp);
	}
	return (enum coverage)t->memo[id % MEMO].answer;
}

/* Whether the clock of T's thread covers the access CODE. */
static inline bool clock_ordered(struct touch *t, uint32_t code)
{
	enum coverage c = shadow_covers(t, code >> 5);
	const struct record *x;

	if (c != COVERS_SOME)
		return c == COVERS_ALL;
	x = &t->r->record.data[code >> 5];
	return clock_knows(t->warp->clock[t->lane], &t->r->family, x->warp, code & 31, x->stamp);
}

/* Whether the access CODE is T's thread's own, or one that the thread has waited for. */
static inline bool lane_ordered(const struct touch *t, uint32_t code)
{
	const struct record *x = &t->r->record.data[code >> 5];

	const struct agent *products = t->warp->agent[AGENT_WGMMA];

	if (products && x->warp == products->uid)
		return x->stamp <= products->known[t->lane];
	return (code & 31) == t->lane &&
		(x->warp == t->warp->uid || agent_knows(t->warp, t->lane, x->warp, x->stamp));
}

/* Whether the access CODE comes before T in causality order. */
static bool shadow_ordered(struct touch *t, uint32_t code)
{
	return clock_ordered(t, code) || lane_ordered(t, code);
}

static bool strong_write(const struct record *x)
{
	return (x->how & (HOW_WRITE | HOW_STRONG)) == (HOW_WRITE | HOW_STRONG);
}

static void shadow_observe(struct touch *t, struct page *p, uint32_t k, uint32_t code)
{
	const struct record *x = &t->r->record.data[code >> 5];

	if (code && strong_write(x) && t->r->record.data[t->id].how & HOW_STRONG &&
		!shadow_ordered(t, code) && morally_strong(t->r, &t->r->record.data[t->id], x))
		observe_write(t, p, k, code);
}

/* Whether T and X are an .nc load and another access in one kernel, which race however they are
 * ordered. A thread may access what it has itself loaded through .nc before. */
static bool other_proxy(const struct touch *t, const struct record *x, unsigned lane)
{
	const struct record *me = &t->r->record.data[t->id];
	const struct family *f = &t->r->family;

	return (me->how ^ x->how) & HOW_NC &&
		f->cta_launch.data[f->warp_cta.data[me->warp]] ==
		f->cta_launch.data[f->warp_cta.data[x->warp]] &&
		(me->how & HOW_NC || me->warp != x->warp || t->lane != lane);
}

__attribute__((noinline)) static void race_found(
	struct touch *t, const struct record *x, unsigned lane)
{
	if (t->of && x->how & (HOW_COPY | HOW_ASYNC) && race_reported_by_sync(t, x))
		return;
	race_report(t, x, lane);
}

/* The contents of a cell. */
struct seen {
	uint32_t write, read[2];
};

/* Whether T races with the access CODE of cell K, which its clock may not cover. */
__attribute__((noinline)) static bool judge_unordered(
	struct touch *t, const struct page *p, uint32_t k, uint32_t code)
{
	const struct record *x = &t->r->record.data[code >> 5];

	if (t->r->nc && other_proxy(t, x, code & 31)) {
		t->alone = true;
		race_found(t, x, code & 31);
		return true;
	}
	if (clock_ordered(t, code))
		return false;
	if (lane_ordered(t, code)) {
		t->alone = true;
		return false;
	}
	if (morally_strong(t->r, &t->r->record.data[t->id], x))
		return false;
	t->alone = true;
	if (strong_write(x) && observed_write(t, p, k, code))
		return false;
	race_found(t, x, code & 31);
	return true;
}

/* Whether T races with the access CODE of cell K. */
static inline bool judge_access(struct touch *t, const struct page *p, uint32_t k, uint32_t code)
{
	return (t->r->nc || is_open(t, code)) && judge_unordered(t, p, k, code);
}

/* A weak write stays in a read plane when a strong write replaces it: it may race with accesses
 * that do not race with the strong write. */
static bool weak_write(const struct race *r, uint32_t code)
{
	return (r->record.data[code >> 5].how & (HOW_WRITE | HOW_STRONG)) == HOW_WRITE;
}

/* T's access replaces the access CODE of cell K, which later accesses may race with although they
 * do not race with T's. (A write that an atomic operation replaces is not kept: a thread that
 * observes the atomic operation has observed both.) */
__attribute__((noinline)) static void keep_older(
	struct touch *t, struct page *p, uint32_t k, uint32_t code)
{
	const struct record *x = &t->r->record.data[code >> 5];
	unsigned to = 0;

	if (x->insn == t->r->record.data[t->id].insn ||
		(strong_write(x) && t->r->record.data[t->id].how & HOW_ATOMIC))
		return;
	for (unsigned j = OLDER; j-- > 0;)
		if (!p->older[j] || !p->older[j][k])
			to = j;
	for (unsigned j = 0; j < OLDER; j++)
		if (p->older[j] && p->older[j][k] &&
			t->r->record.data[p->older[j][k] >> 5].insn == x->insn)
			to = j;
	*shadow_plane(t->r, p, &p->older[to], k) = code;
}

__attribute__((noinline)) static void judge_older(struct touch *t, struct page *p, uint32_t k)
{
	for (unsigned j = 0; j < OLDER && p->older[j]; j++) {
		uint32_t code = p->older[j][k];
		const struct record *x = &t->r->record.data[code >> 5];

		if (!code || (!t->writes && !(x->how & HOW_WRITE)))
			continue;
		if (!judge_access(t, p, k, code) && t->writes && shadow_ordered(t, code) &&
			stands_for(t, x))
			p->older[j][k] = 0;
	}
}

/* Keeps T's read. The two reads of a cell are of different CTAs where possible, and neither comes
 * before this one: a later write without synchronisation then races with one of them. A weak write
 * in read[0] stays there, since it may race with accesses that do not race with strong ones. */
static void keep_read(struct touch *t, struct page *p, uint32_t k, struct seen *c, uint32_t mine)
{
	const struct record *record = t->r->record.data;
	unsigned first = p->weak && c->read[0] && weak_write(t->r, c->read[0]), to;

	for (unsigned j = first; j < 2; j++)
		if (c->read[j] && shadow_ordered(t, c->read[j]) &&
			stands_for(t, &record[c->read[j] >> 5]))
			c->read[j] = p->read[j][k] = 0;
	for (unsigned j = first; j < 2; j++)
		if (!c->read[j]) {
			*shadow_plane(t->r, p, &p->read[j], k) = mine;
			return;
		}
	if ((!first && c->read[0] >> 5 == t->id) || c->read[1] >> 5 == t->id)
		return;
	to = first ? 1 : shadow_replaces(t, c->read[0]);
	if (!stands_for(t, &record[c->read[to] >> 5])) {
		if (first || !stands_for(t, &record[c->read[!to] >> 5])) {
			if (!shadow_ordered(t, c->read[to]))
				return;
			keep_older(t, p, k, c->read[to]);
		} else {
			to = !to;
		}
	}
	p->read[to][k] = mine;
}

static inline void read_cell(struct touch *t, struct page *p, uint32_t k, uint32_t mine)
{
	struct seen c = {p->write ? p->write[k] : 0,
		{p->read[0] ? p->read[0][k] : 0, p->read[1] ? p->read[1][k] : 0}};

	if (!t->plain && c.write) {
		shadow_observe(t, p, k, c.write);
		for (unsigned j = 0; j < OLDER && p->older[j] && t->r->machine->weak; j++)
			/* under --memory=weak the load may read an older one; which one is not
			 * known here */
			shadow_observe(t, p, k, p->older[j][k]);
	}
	if (c.read[0] == mine || c.read[1] == mine)
		return;
	if (p->older[0])
		judge_older(t, p, k);
	if (c.write && c.write != mine)
		judge_access(t, p, k, c.write);
	if (p->weak && c.read[0] && weak_write(t->r, c.read[0]))
		judge_access(t, p, k, c.read[0]);
	if (c.read[0] && c.read[1] && (c.read[0] >> 5 == t->id || c.read[1] >> 5 == t->id))
		return; /* another lane of this instruction is already recorded */
	keep_read(t, p, k, &c, mine);
}

/* T's strong write replaces what C holds. Accesses that it does not stand for are kept: a weak
 * write and one read in the read planes, others as older accesses. (A strong access of narrower
 * scope may race with accesses that are morally strong with T's.) */
static void keep_beside(
	struct touch *t, struct page *p, uint32_t k, const struct seen *c, const bool *raced)
{
	const uint32_t had[3] = {c->write, c->read[0], c->read[1]};
	uint32_t stay[2] = {0, 0};

	for (unsigned j = 0; j < 3; j++) {
		if (!had[j] || (raced[j] && j) || stands_for(t, &t->r->record.data[had[j] >> 5]))
			continue;
		if (weak_write(t->r, had[j]) && !stay[0])
			stay[0] = had[j];
		else if (t->r->record.data[had[j] >> 5].how & HOW_WRITE || stay[1])
			keep_older(t, p, k, had[j]);
		else
			stay[1] = had[j];
	}
	p->weak = p->weak || stay[0];
	for (unsigned j = 0; j < 2; j++)
		if (stay[j] || c->read[j])
			*shadow_plane(t->r, p, &p->read[j], k) = stay[j];
}

static void write_cell(struct touch *t, struct page *p, uint32_t k, uint32_t mine)
{
	struct seen c = {p->write ? p->write[k] : 0,
		{p->read[0] ? p->read[0][k] : 0, p->read[1] ? p->read[1][k] : 0}};
	bool raced[3] = {false, false, false};

	if (p->older[0])
		judge_older(t, p, k);
	if (c.write && c.write != mine && (raced[0] = judge_access(t, p, k, c.write)))
		keep_older(t, p, k, c.write);
	for (unsigned j = 0; j < 2; j++)
		if (c.read[j] && (raced[1 + j] = judge_access(t, p, k, c.read[j])))
			keep_older(t, p, k, c.read[j]);
	*shadow_plane(t->r, p, &p->write, k) = mine;
	if (!t->plain) {
		keep_beside(t, p, k, &c, raced);
		return;
	}
	if (c.read[0])
		p->read[0][k] = 0;
	if (c.read[1])
		p->read[1][k] = 0;
}

void shadow_cell(struct touch *t, struct page *p, uint32_t k)
{
	if (t->writes)
		write_cell(t, p, k, t->id << 5 | t->lane);
	else
		read_cell(t, p, k, t->id << 5 | t->lane);
}

void shadow_load(struct touch *t, struct shadow *s, uint64_t offset, unsigned bytes)
{
	struct page *p = shadow_page(t->r, s, offset, bytes);
	uint32_t in = (uint32_t)(offset & ((1u << PAGE_SHIFT) - 1)), mine = t->id << 5 | t->lane,
		 last = (in + bytes - 1) >> p->shift;

	for (uint32_t k = in >> p->shift; k <= last; k++)
		read_cell(t, p, k, mine);
}

void shadow_range(struct touch *t, struct shadow *s, uint64_t offset, uint64_t bytes, unsigned unit)
{
	const uint64_t mask = (1u << PAGE_SHIFT) - 1;
	uint32_t mine = t->id << 5 | t->lane;
	for (uint64_t at = offset, next, end = offset + bytes; at < end; at = next) {
		struct page *p = shadow_page(t->r, s, at, unit);
		uint32_t last;

		next = (at | mask) + 1 < end ? (at | mask) + 1 : end;
		last = (uint32_t)((next - 1) & mask) >> p->shift;
		for (uint32_t k = (uint32_t)(at & mask) >> p->shift; k <= last; k++) {
			t->address = s->base + (at & ~mask) + ((uint64_t)k << p->shift);
			if (t->writes)
				write_cell(t, p, k, mine);
			else
				read_cell(t, p, k, mine);
		}
	}
}

void shadow_touch(struct touch *t, struct shadow *s, uint64_t offset, unsigned bytes)
{
	if (!t->writes) {
		shadow_load(t, s, offset, bytes);
		return;
	}
	struct page *p = shadow_page(t->r, s, offset, bytes);
	uint32_t mine = t->id << 5 | t->lane,
		 first = (uint32_t)(offset & ((1u << PAGE_SHIFT) - 1)) >> p->shift;
	uint32_t last = (uint32_t)((offset + bytes - 1) & ((1u << PAGE_SHIFT) - 1)) >> p->shift;

	for (uint32_t k = first; k <= last; k++)
		write_cell(t, p, k, mine);
}
