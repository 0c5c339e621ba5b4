/* The shadow of memory: what each cell saw last, judged against each new access; and the records that cells name. */
#include "check/race_state.h"
#include "base/memory.h"
#include <stdlib.h>
#include <string.h>

/* ---- records ---- */

static void mark_shadow(struct race *r, const struct shadow *s)
{
	for (uint64_t p = 0; s && p < s->pages; p++) {
		const struct page *page = s->page[p];

		for (uint32_t k = 0; page && k < 1u << (PAGE_SHIFT - page->shift); k++) {
			r->record.data[page->cell[k].write >> 5].marked = 1;
			r->record.data[page->cell[k].read[0] >> 5].marked = 1;
			r->record.data[page->cell[k].read[1] >> 5].marked = 1;
		}
	}
}

/* Records that no cell names any more become free. */
static void collect(struct race *r)
{
	uint32_t live = 0;

	for (uint32_t k = 0; k < r->slots.count; k++)
		mark_shadow(r, r->global[r->slots.data[k]]);
	for (uint32_t k = 0; k < r->ctas.count; k++)
		if (r->ctas.data[k]) {
			mark_shadow(r, &r->ctas.data[k]->shared);
			for (uint32_t w = 0; w < r->ctas.data[k]->nwarps; w++)
				memset(r->ctas.data[k]->warp[w].cache, 0, sizeof r->ctas.data[k]->warp[w].cache);
		}
	r->free_record.count = 0;
	for (uint32_t k = r->record.count - 1; k > 0; k--) {
		if (r->record.data[k].marked)
			live++;
		else
			*vec_push(&r->free_record) = k;
		r->record.data[k].marked = 0;
	}
	r->collect_at = live < 1 << 19 ? 1 << 20 : live > 1u << 25 ? 1u << 26 : 2 * live;
}

static uint32_t record_new(struct race *r)
{
	uint32_t id;

	if (!r->record.count)
		memset(vec_push(&r->record), 0, sizeof *r->record.data); /* number 0 is no record */
	if (!r->free_record.count && r->record.count >= r->collect_at)
		collect(r);
	if (r->free_record.count)
		return r->free_record.data[--r->free_record.count];
	id = r->record.count;
	if (id >> RECORD_BITS) {
		r->off = true;
		return 1;
	}
	(void)vec_push(&r->record);
	return id;
}

uint32_t record_get(struct race *r, struct race_warp *w, const struct record *want)
{
	struct cache *c = &w->cache[(want->insn * 2 + (want->how >> 4)) % CACHE];

	if (c->id && c->insn == want->insn) {
		const struct record *x = &r->record.data[c->id];

		if (x->stamp == want->stamp && x->warp == want->warp && x->how == want->how)
			return c->id;
	}
	uint32_t id = record_new(r);

	r->record.data[id] = *want;
	*c = (struct cache){want->insn, id};
	return id;
}

/* ---- cells ---- */

struct shadow *shadow_global(struct race *r, uint64_t address)
{
	const struct memory_block *b = memory_find(r->machine->memory, address);
	uint64_t slot = b->base >> MEMORY_SLOT_SHIFT;
	struct shadow *s;

	if (!b->size || slot >= MEMORY_SLOTS || b->heap) /* blocks of the device heap change hands by malloc and free, which are not watched */
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

void shadow_free(struct shadow *s)
{
	for (uint64_t k = 0; k < s->pages; k++)
		free(s->page[k]);
	free(s->page);
	s->page = NULL;
	s->pages = 0;
}

static struct page *page_new(uint32_t shift)
{
	struct page *p = memory_zeroed(1, sizeof *p + (sizeof *p->cell << (PAGE_SHIFT - shift)));

	p->shift = shift;
	return p;
}

/* The page of OFFSET, fine enough for accesses of BYTES. */
static struct page *page_at(struct shadow *s, uint64_t offset, unsigned bytes)
{
	struct page **at = &s->page[offset >> PAGE_SHIFT], *fine;

	if (!*at)
		*at = page_new(bytes < 4 ? 0 : 2);
	if ((*at)->shift == 0 || bytes >= 4)
		return *at;
	fine = page_new(0);
	for (uint32_t k = 0; k < 1u << PAGE_SHIFT; k++)
		fine->cell[k] = (*at)->cell[k / 4];
	free(*at);
	return *at = fine;
}

/* ---- judgement ---- */

static bool morally_strong(const struct race *r, const struct record *a, const struct record *b)
{
	return a->how & b->how & HOW_STRONG && a->bytes == b->bytes && scopes_include(r, a->warp, a->scope, b->warp, b->scope);
}

static bool ordered(const struct touch *t, uint32_t code)
{
	const struct record *x = &t->r->record.data[code >> 5];

	return (x->warp == t->warp->uid && (code & 31) == t->lane) || clock_knows(t->warp->clock[t->lane], &t->r->family, x->warp, code & 31, x->stamp);
}

/* A strong write is also before all that follows a strong read that saw it. */
static bool observed(const struct touch *t, const struct cell *c, const struct record *x)
{
	if (!(x->how & HOW_WRITE) || !(x->how & HOW_STRONG))
		return false;
	for (unsigned k = 0; k < 2; k++)
		if (c->read[k] && morally_strong(t->r, x, &t->r->record.data[c->read[k] >> 5]) && ordered(t, c->read[k]))
			return true;
	return false;
}

static void judge(struct touch *t, const struct cell *c, uint32_t code)
{
	const struct record *x = &t->r->record.data[code >> 5];

	if (ordered(t, code) || morally_strong(t->r, &t->r->record.data[t->id], x) || observed(t, c, x))
		return;
	race_report(t, x, code & 31);
}

/* Strong writes do not hide the weak one before them, which may race with accesses that these do not race with: it stays in the place of a read. */
static bool weak_write(const struct race *r, uint32_t code)
{
	return (r->record.data[code >> 5].how & (HOW_WRITE | HOW_STRONG)) == HOW_WRITE;
}

/* The two reads kept are of different CTAs where possible: whoever writes next without order is then caught by one of them. */
static void keep_read(struct touch *t, struct cell *c, uint32_t mine)
{
	const struct record *me = &t->r->record.data[t->id];

	unsigned first = c->read[0] && weak_write(t->r, c->read[0]);

	for (unsigned k = first; k < 2; k++)
		if (!c->read[k] || ordered(t, c->read[k])) {
			c->read[k] = mine;
			return;
		}
	const uint32_t *cta = t->r->family.warp_cta.data;

	c->read[!first && cta[t->r->record.data[c->read[0] >> 5].warp] == cta[me->warp] ? 0 : 1] = mine;
}

void shadow_touch(struct touch *t, struct shadow *s, uint64_t offset, unsigned bytes)
{
	struct page *p = page_at(s, offset, bytes);
	uint32_t mine = t->id << 5 | t->lane, first = (uint32_t)(offset & ((1u << PAGE_SHIFT) - 1)) >> p->shift;
	uint32_t last = (uint32_t)((offset + bytes - 1) & ((1u << PAGE_SHIFT) - 1)) >> p->shift;
	bool writes = t->r->record.data[t->id].how & HOW_WRITE, strong = t->r->record.data[t->id].how & HOW_STRONG;

	for (uint32_t k = first; k <= last; k++) {
		struct cell *c = &p->cell[k];

		if (!writes) {
			if (c->read[0] == mine || c->read[1] == mine)
				continue;
			if (c->write && c->write != mine)
				judge(t, c, c->write);
			if (c->read[0] && weak_write(t->r, c->read[0]))
				judge(t, c, c->read[0]);
			if (c->read[0] >> 5 == t->id && c->read[1] >> 5 == t->id)
				continue;
			keep_read(t, c, mine);
			continue;
		}
		if (c->write && c->write != mine)
			judge(t, c, c->write);
		for (unsigned j = 0; j < 2; j++)
			if (c->read[j])
				judge(t, c, c->read[j]);
		uint32_t weak = !strong ? 0 : c->write && weak_write(t->r, c->write) ? c->write : c->read[0] && weak_write(t->r, c->read[0]) ? c->read[0] : 0;

		*c = (struct cell){.write = mine, .read = {weak}};
	}
}
