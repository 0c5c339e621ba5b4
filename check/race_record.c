/* Records, which the cells of shadow memory refer to by number. Numbers follow the order in which
 * records are made, also when those that no cell refers to have been dropped: one comparison of
 * numbers tells that an access came before a barrier. */
#include "check/race_state.h"
#include "base/memory.h"
#include <string.h>

/* What is done to the codes of all cells. */
typedef void plane_fn(struct race *r, uint32_t *plane, uint32_t n, const uint32_t *number);

/* Cells that mostly hold the same record. */
enum { FEW = 4 };
typedef uint32_t few __attribute__((vector_size(4 * FEW), aligned(4), may_alias));
typedef uint64_t both __attribute__((vector_size(4 * FEW), may_alias));

static inline bool are_alike(const uint32_t *cell)
{
	both differs = (both)((*(const few *)cell ^ cell[0]) >> 5);

	return !(differs[0] | differs[1]);
}

static void mark_plane(struct race *r, uint32_t *plane, uint32_t n, const uint32_t *number)
{
	(void)number;
	for (uint32_t k = 0; k < n; k += FEW)
		for (uint32_t j = 0; j < (are_alike(plane + k) ? 1 : FEW); j++)
			r->record.data[plane[k + j] >> 5].marked = 1;
}

static void renumber_plane(struct race *r, uint32_t *plane, uint32_t n, const uint32_t *number)
{
	(void)r;
	for (uint32_t k = 0; k < n; k += FEW)
		if (are_alike(plane + k))
			*(few *)(plane + k) -= (plane[k] >> 5 << 5) - (number[plane[k] >> 5] << 5);
		else
			for (uint32_t j = k; j < k + FEW; j++)
				plane[j] = number[plane[j] >> 5] << 5 | (plane[j] & 31);
}

static void in_shadow(struct race *r, const struct shadow *s, plane_fn *f, const uint32_t *number)
{
	for (uint64_t k = 0; k < s->pages; k++) {
		const struct page *p = s->page[k];

		if (!p)
			continue;
		uint32_t *const plane[] = {p->write, p->read[0], p->read[1], p->older[0],
			p->older[1], p->older[2], p->older[3]};

		for (unsigned j = 0; j < sizeof plane / sizeof *plane; j++)
			if (plane[j])
				f(r, plane[j], 1u << (PAGE_SHIFT - p->shift), number);
	}
}

static void in_all_planes(struct race *r, plane_fn *f, const uint32_t *number)
{
	for (uint32_t k = 0; k < r->slots.count; k++)
		in_shadow(r, r->global[r->slots.data[k]], f, number);
	for (uint32_t k = 0; k < r->ctas.count; k++)
		if (r->ctas.data[k])
			in_shadow(r, &r->ctas.data[k]->shared, f, number);
}

static void forget_numbers(struct race_warp *w) { memset(w->cache, 0, sizeof w->cache); }

/* Drops the records that no cell refers to, and numbers the others again, in their order. */
static void collect_records(struct race *r)
{
	uint32_t all = r->record.count, live = 1,
		 *number = memory_resize(NULL, (all + (size_t)1) * sizeof *number);

	in_all_planes(r, mark_plane, NULL);
	for (uint32_t k = 1; k < all; k++) {
		number[k] = live;
		if (!r->record.data[k].marked)
			continue;
		r->record.data[live] = r->record.data[k];
		r->record.data[live++].marked = 0;
	}
	r->record.data[0].marked = 0;
	number[0] = 0;
	number[all] = live;
	in_all_planes(r, renumber_plane, number);
	for (uint32_t k = 0; k < r->bases.count; k++)
		r->bases.data[k].before = number[r->bases.data[k].before];
	for (uint32_t k = 0; k < r->begun.count; k++)
		r->begun.data[k].record = number[r->begun.data[k].record];
	for (uint32_t k = 0; k < r->ctas.count; k++) {
		struct race_cta *c = r->ctas.data[k];

		if (!c)
			continue;
		c->before = number[c->before];
		c->met = number[c->met];
		for (uint32_t w = 0; w < c->nwarps; w++)
			forget_numbers(&c->warp[w]);
	}
	forget_numbers(&r->host_warp);
	memory_drop(number);
	r->record.count = live;
	live--;
	/* keeps the cost of marking per record low */
	uint64_t next = 2 * (uint64_t)live > r->cells / 16 ? 2 * (uint64_t)live : r->cells / 16;

	r->collect_at = next < COLLECT_FIRST ? COLLECT_FIRST
		: next > 1u << 26            ? 1u << 26
					     : (uint32_t)next;
	if (r->collect_at < all)
		r->collect_at = all;
}

uint32_t record_next(struct race *r)
{
	if (!r->record.count)
		memset(vec_push(&r->record), 0, sizeof *r->record.data); /* index 0 is no record */
	return r->record.count;
}

static __attribute__((noinline)) uint32_t record_new(struct race *r)
{
	uint32_t id;

	if (record_next(r) >= r->collect_at)
		collect_records(r);
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

		if (x->stamp == want->stamp && x->warp == want->warp && x->how == want->how &&
			x->user_call == want->user_call)
			return c->id;
	}
	uint32_t id = r->record.count;

	if (id && id < r->collect_at && id < r->record.cap)
		r->record.count++;
	else
		id = record_new(r);
	r->record.data[id] = *want;
	*c = (struct cache){want->insn, id};
	return id;
}
