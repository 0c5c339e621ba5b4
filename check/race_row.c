/* Weak accesses of a warp that lie side by side: eight cells at a time are judged at once where each
 * plane of shadow memory holds one record in all of them, which is what another warp's access of
 * the same kind has left there. Any other cells are judged one by one, in the same order and with
 * the same result (race_shadow.c). */
#include "check/race_state.h"
#include "interp/memory/access_block.h"

/* STRIP cells of a plane, as a vector. (Functions get pointers to them: as arguments they depend on
 * the processor.) */
enum { STRIP = 8 };
typedef uint32_t strip __attribute__((vector_size(4 * STRIP), may_alias));
typedef uint32_t cells __attribute__((vector_size(4 * STRIP), aligned(4), may_alias));
typedef uint64_t halves __attribute__((vector_size(4 * STRIP), may_alias));

INLINE bool strip_any(const strip *v)
{
	halves h = *(const halves *)v;

	return (h[0] | h[1] | h[2] | h[3]) != 0;
}

/* The cells of a page from some place on, each plane as a vector. */
enum plane { PLANE_WRITE, PLANE_READ, PLANES = PLANE_READ + 2 };
struct strips {
	const uint32_t *at[PLANES]; /* in the planes, or where there are only zeroes */
	strip code[PLANES];
	strip mine; /* the codes of T's access */
};

/* Gets them. False: in some plane not all hold the same record. */
INLINE bool strips_get(struct strips *s, const struct page *p, uint32_t k)
{
	static const uint32_t none[STRIP];
	strip differs = {0};

	s->at[PLANE_WRITE] = p->write ? p->write + k : none;
	s->at[PLANE_READ] = p->read[0] ? p->read[0] + k : none;
	s->at[PLANE_READ + 1] = p->read[1] ? p->read[1] + k : none;
#pragma GCC unroll 3
	for (unsigned j = 0; j < PLANES; j++) {
		s->code[j] = *(const cells *)s->at[j];
		differs |= s->code[j] ^ s->at[j][0];
	}
	differs >>= 5;
	return !strip_any(&differs);
}

INLINE void strip_put(uint32_t *cell, const strip *v) { *(cells *)cell = *v; }

/* What the cells hold in one plane: nothing; accesses that T's clock covers; the codes of T's access;
 * accesses of the same threads; others that nothing orders before T's; or not the same in
 * all cells. */
enum held { HELD_NONE, HELD_BEFORE, HELD_MINE, HELD_OWN, HELD_OTHER, HELD_DIFFERENT };

/* The same for a record of T's warp by the lanes, if clocks do not decide. */
static __attribute__((noinline)) enum held own_holds(
	const struct touch *t, uint32_t id, const strip *code, const strip *mine)
{
	strip lanes = (*code ^ *mine) & 31, alike = (strip)(lanes == 0);

	if (!strip_any(&lanes))
		return id == t->id ? HELD_MINE : HELD_OWN;
	return strip_any(&alike) ? HELD_DIFFERENT : HELD_OTHER;
}

INLINE enum held strip_holds(struct touch *t, const struct strips *s, enum plane plane)
{
	uint32_t id = s->at[plane][0] >> 5;
	const struct record *x = &t->r->record.data[id];
	enum held own = HELD_NONE;

	if (!id)
		return HELD_NONE;
	if (x->warp == t->warp->uid) {
		own = own_holds(t, id, &s->code[plane], &s->mine);
		if (id == t->id && own != HELD_OTHER)
			return own;
	}
	switch (shadow_covers(t, id)) {
	case COVERS_ALL: return HELD_BEFORE;
	case COVERS_SOME: return HELD_DIFFERENT;
	case COVERS_NONE: break;
	}
	return own                                     ? own
		: warp_has_agent(t->warp, x->warp) ? HELD_DIFFERENT
						   : HELD_OTHER;
}

/* shadow_cell() for STRIP cells S from K on, of an access that writes. False: nothing was done. */
INLINE bool write_strip(struct touch *t, struct page *p, uint32_t k, const struct strips *s)
{
	const strip none = {0};

	for (unsigned j = 0; j < PLANES; j++)
		if (strip_holds(t, s, j) >= HELD_OTHER)
			return false;
	for (unsigned j = 0; j < 2; j++)
		if (s->at[PLANE_READ + j][0])
			strip_put(p->read[j] + k, &none);
	strip_put(shadow_plane(t->r, p, &p->write, k), &s->mine);
	return true;
}

/* The same for one that reads. */
INLINE bool read_strip(struct touch *t, struct page *p, uint32_t k, const struct strips *s)
{
	const strip none = {0};
	const uint32_t first = s->at[PLANE_READ][0], second = s->at[PLANE_READ + 1][0];
	enum held wrote = strip_holds(t, s, PLANE_WRITE), held[2];
	bool again = first && second && (first >> 5 == t->id || second >> 5 == t->id);
	unsigned to;

	if (again && wrote <= HELD_BEFORE)
		return true; /* other lanes of this instruction, or these, are already recorded */
	for (unsigned j = 0; j < 2; j++) {
		held[j] = strip_holds(t, s, PLANE_READ + j);
		if (held[j] == HELD_DIFFERENT)
			return false;
	}
	if (held[0] == HELD_MINE || held[1] == HELD_MINE)
		return true;
	if (wrote >= HELD_OTHER)
		return false;
	t->alone = t->alone || wrote == HELD_OWN;
	if (again)
		return true;
	for (unsigned j = 0; j < 2; j++)
		if (held[j] == HELD_BEFORE || held[j] == HELD_OWN) {
			held[j] = HELD_NONE;
			strip_put(p->read[j] + k, &none);
		}
	to = held[0] == HELD_NONE ? 0 : held[1] == HELD_NONE ? 1 : shadow_replaces(t, first);
	strip_put(shadow_plane(t->r, p, &p->read[to], k), &s->mine);
	return true;
}

/* A row: LANES lanes from FIRST on with 1 << SIZE bytes each, in elements of UNIT bytes; the first
 * byte is at OFFSET in the shadow, at ADDRESS for T. */
struct row {
	struct touch *t;
	struct page *p; /* of the cells that are looked at */
	uint64_t offset, address;
	unsigned first, size, unit;
};

/* The cells of bytes FROM to TO - 1 of the row, one by one. */
static void row_cells(const struct row *x, uint64_t from, uint64_t to)
{
	for (; from < to; from += 1u << x->p->shift) {
		x->t->lane = x->first + (unsigned)(from >> x->size);
		x->t->address = (x->address + from) & ~(uint64_t)(x->unit - 1);
		shadow_cell(x->t, x->p,
			(uint32_t)((x->offset + from) & ((1u << PAGE_SHIFT) - 1)) >> x->p->shift);
	}
}

/* Bytes FROM to TO - 1 of the row, in one page. */
CLONES_FOR("avx2") static void row_strips(const struct row *x, uint64_t from, uint64_t to)
{
	struct touch *t = x->t;
	struct page *p = x->p;
	unsigned shift = p->shift;
	uint64_t next;

	for (; from < to; from = next) {
		uint32_t k = (uint32_t)((x->offset + from) & ((1u << PAGE_SHIFT) - 1)) >> shift,
			 at = (uint32_t)(from >> shift);
		strip mine = {at, at + 1, at + 2, at + 3, at + 4, at + 5, at + 6, at + 7};
		struct strips s;

		s.mine = (t->id << 5 | x->first) + (mine >> (x->size - shift));
		next = from + ((uint64_t)STRIP << shift);
		if (next > to)
			next = to;
		else if (!p->older[0] && !p->weak && strips_get(&s, p, k) &&
			(t->writes ? write_strip(t, p, k, &s) : read_strip(t, p, k, &s)))
			continue;
		row_cells(x, from, next);
	}
}

void shadow_row(struct touch *t, struct shadow *s, uint64_t offset, unsigned lanes, unsigned bytes,
	unsigned unit)
{
	struct row x = {t, NULL, offset, t->address, t->lane, (unsigned)__builtin_ctz(bytes), unit};
	uint64_t all = (uint64_t)lanes << x.size, next;

	for (uint64_t from = 0; from < all; from = next) {
		next = ((offset + from) | ((1u << PAGE_SHIFT) - 1)) + 1 - offset;
		next = next < all ? next : all;
		x.p = shadow_page(t->r, s, offset + from, unit);
		if ((next - from) >> x.p->shift < STRIP)
			row_cells(&x, from, next);
		else
			row_strips(&x, from, next);
	}
}
