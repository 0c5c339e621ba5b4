/* Weak accesses of a warp that lie side by side: eight cells at a time are judged at once where
 * each plane of shadow memory holds one record in all of them, which is what another warp's access
 * of the same kind has left there, or where a write comes after all that they hold. Any other cells
 * are judged one by one, in the same order and with the same result (race_shadow.c). */
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

/* N cells of page P from K on, a multiple of STRIP. The first is the AT-th of the row; 1 << SHIFT
 * cells belong to a lane, the first of which is FIRST. With gaps, T accesses only the cells whose
 * bits, from that of the first one on, are in GAPS. */
struct stretch {
	struct page *p;
	uint32_t k, n, at;
	unsigned shift, first;
	uint32_t mask;
};

/* Which of STRIP cells from the J-th on T accesses. */
INLINE void stretch_mask(strip *v, const struct stretch *x, uint32_t j)
{
	const strip bit = {1, 2, 4, 8, 16, 32, 64, 128};

	*v = (strip)((bit & (x->mask >> j)) != 0);
}

/* The codes of T's access in STRIP cells from the J-th on. */
INLINE void stretch_codes(strip *v, const struct touch *t, const struct stretch *x, uint32_t j)
{
	const strip count = {0, 1, 2, 3, 4, 5, 6, 7};

	*v = (t->id << 5 | x->first) + ((count + (x->at + j)) >> x->shift);
}

/* Writes T's codes to the cells of a plane, or zeroes. */
INLINE void stretch_put(uint32_t *plane, const struct touch *t, const struct stretch *x, bool gaps)
{
	strip v = {0}, mask;

#pragma GCC unroll 4
	for (uint32_t j = 0; j < x->n; j += STRIP) {
		cells *at = (cells *)(plane + x->k + j);

		if (t)
			stretch_codes(&v, t, x, j);
		if (gaps) {
			stretch_mask(&mask, x, j);
			*at = (v & mask) | (*at & ~mask);
		} else {
			*at = v;
		}
	}
}

/* What the cells hold in one plane: nothing; accesses that T's clock covers; the codes of T's
 * access; accesses of the same threads; others that nothing orders before T's; or not the same in
 * all cells. */
enum held { HELD_NONE, HELD_BEFORE, HELD_MINE, HELD_OWN, HELD_OTHER, HELD_DIFFERENT };

/* The same for a record of T's warp by the lanes, if clocks do not decide. */
INLINE enum held own_holds(
	const uint32_t *plane, const struct touch *t, const struct stretch *x, uint32_t id, bool gaps)
{
	strip all = {0}, some = {0}, v, mask;

#pragma GCC unroll 4
	for (uint32_t j = 0; j < x->n; j += STRIP) {
		stretch_codes(&v, t, x, j);
		v = (v ^ *(const cells *)(plane + x->k + j)) & 31;
		if (gaps) {
			stretch_mask(&mask, x, j);
			all |= v & mask;
			some |= (strip)(v == 0) & mask;
		} else {
			all |= v;
			some |= (strip)(v == 0);
		}
	}
	if (!strip_any(&all))
		return id == t->id ? HELD_MINE : HELD_OWN;
	return strip_any(&some) ? HELD_DIFFERENT : HELD_OTHER;
}

/* What the cells hold in PLANE, where all that are accessed hold the same record as CODE. */
INLINE enum held stretch_holds(const uint32_t *plane, struct touch *t, const struct stretch *x,
	uint32_t code, bool gaps)
{
	uint32_t id = code >> 5;
	const struct record *record = &t->r->record.data[id];
	enum held own = HELD_NONE;

	if (!id)
		return HELD_NONE;
	if (record->warp == t->warp->uid) {
		own = own_holds(plane, t, x, id, gaps);
		if (id == t->id && own != HELD_OTHER)
			return own;
	}
	switch (shadow_covers(t, id)) {
	case COVERS_ALL: return HELD_BEFORE;
	case COVERS_SOME: return HELD_DIFFERENT;
	case COVERS_NONE: break;
	}
	return own ? own : warp_has_agent(t->warp, record->warp) ? HELD_DIFFERENT : HELD_OTHER;
}

/* The three planes of a page, as they are seen in a stretch: the code in the first cell that is
 * accessed; whether some cell holds anything, something that T->old does not cover, another record
 * than the first one. */
enum { WRITES, READS, MORE_READS, PLANES };
struct view {
	const uint32_t *plane; /* NULL: nothing */
	uint32_t code;
	bool any, young, differs;
};

INLINE void stretch_view(struct view *v, const uint32_t *plane, const struct touch *t,
	const struct stretch *x, bool gaps)
{
	strip any = {0}, young = {0}, differs = {0}, old = (strip){0} + t->old, mask, c;

	*v = (struct view){.plane = plane};
	if (!plane)
		return;
	v->code = plane[x->k + (gaps ? lane_first(x->mask) : 0)];
#pragma GCC unroll 4
	for (uint32_t j = 0; j < x->n; j += STRIP) {
		c = *(const cells *)(plane + x->k + j);
		if (gaps) {
			stretch_mask(&mask, x, j);
			c &= mask;
			differs |= (c ^ v->code) & mask;
		} else {
			differs |= c ^ v->code;
		}
		any |= c;
		young |= (strip)(c > old);
	}
	differs >>= 5;
	v->any = strip_any(&any);
	v->young = strip_any(&young);
	v->differs = strip_any(&differs);
}

/* T's access takes the place of all that the cells hold. */
INLINE void put_after_all(
	struct touch *t, const struct stretch *x, const struct view *v, bool writes, bool gaps)
{
	struct page *p = x->p;

	if (writes && v[READS].any)
		stretch_put(p->read[0], NULL, x, gaps);
	if (v[MORE_READS].any)
		stretch_put(p->read[1], NULL, x, gaps);
	stretch_put(shadow_plane(t->r, p, writes ? &p->write : &p->read[0], 0), t, x, gaps);
}

/* Whether what V shows of the cells of X, the same in all of them or covered by T->old, does not
 * race with T's write. */
INLINE bool write_follows(
	struct touch *t, const struct stretch *x, const struct view *v, bool gaps)
{
	return !v->young || (!v->differs && stretch_holds(v->plane, t, x, v->code, gaps) < HELD_OTHER);
}

/* Whether T's clock covers all accesses that V shows of the cells of X. */
static bool covers_cells(
	struct touch *t, const struct stretch *x, const struct view *v, bool gaps)
{
	uint32_t last = 0;

	for (uint32_t j = 0; v->young && j < x->n; j++) {
		uint32_t id = v->plane[x->k + j] >> 5;

		if (gaps && !(x->mask >> j & 1))
			continue;
		if (id && id != last && shadow_covers(t, id) != COVERS_ALL)
			return false;
		last = id;
	}
	return true;
}

/* shadow_cell() for the cells of X, of an access that writes. False: nothing was done. */
INLINE bool write_stretch(
	struct touch *t, const struct stretch *x, const struct view *v, bool gaps)
{
	for (unsigned i = 0; i < PLANES; i++)
		/* the records of a matrix that has been read column by column differ */
		if (!write_follows(t, x, &v[i], gaps) && !covers_cells(t, x, &v[i], gaps))
			return false;
	put_after_all(t, x, v, true, gaps);
	return true;
}

/* write_stretch() for an access that reads. */
INLINE bool read_stretch(struct touch *t, const struct stretch *x, const struct view *v, bool gaps)
{
	struct page *p = x->p;
	const uint32_t first = v[READS].code, second = v[MORE_READS].code;
	enum held wrote, held[2];
	bool again = first && second && (first >> 5 == t->id || second >> 5 == t->id);
	unsigned to;

	if (v[READS].differs || v[MORE_READS].differs || (v[WRITES].young && v[WRITES].differs))
		return false;
	wrote = v[WRITES].young ? stretch_holds(p->write, t, x, v[WRITES].code, gaps) : HELD_BEFORE;
	if (again && wrote <= HELD_BEFORE)
		return true; /* other lanes of this instruction, or these, are already recorded */
	for (unsigned j = 0; j < 2; j++) {
		held[j] = v[READS + j].young
			? stretch_holds(p->read[j], t, x, v[READS + j].code, gaps)
			: HELD_BEFORE;
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
	to = held[0] != HELD_OTHER ? 0 : held[1] != HELD_OTHER ? 1 : shadow_replaces(t, first);
	if (to == 0 && second && held[1] != HELD_OTHER)
		stretch_put(p->read[1], NULL, x, gaps);
	stretch_put(shadow_plane(t->r, p, &p->read[to], 0), t, x, gaps);
	return true;
}

/* Judges N cells from X on together, N a constant where that matters. */
INLINE bool judge_cells_at_once(
	struct touch *t, const struct stretch *from, uint32_t n, bool gaps)
{
	const struct page *p = from->p;
	struct stretch x = *from;
	struct view v[PLANES];

	x.n = n;
	stretch_view(&v[WRITES], p->write, t, &x, gaps);
	stretch_view(&v[READS], p->read[0], t, &x, gaps);
	stretch_view(&v[MORE_READS], p->read[1], t, &x, gaps);
	if (!(v[WRITES].young | v[READS].young | v[MORE_READS].young)) {
		put_after_all(t, &x, v, t->writes, gaps);
		return true;
	}
	return t->writes ? write_stretch(t, &x, v, gaps) : read_stretch(t, &x, v, gaps);
}

/* Judges the cells of X together. False: that cannot be done, and nothing was. */
CLONES_FOR("avx2") static bool judge_stretch(struct touch *t, const struct stretch *x, bool gaps)
{
	if (x->p->older[0] || x->p->weak)
		return false;
	if (t->warp->clock[t->lane] != t->memo_clock)
		shadow_clock(t, t->warp->clock[t->lane]);
	if (gaps)
		return judge_cells_at_once(t, x, x->n, true);
	switch (x->n) {
	case LANES: return judge_cells_at_once(t, x, LANES, false);
	case LANES / 2: return judge_cells_at_once(t, x, LANES / 2, false);
	default: return judge_cells_at_once(t, x, x->n, false);
	}
}

/* The cell of PLANE, which may not be there. */
static inline uint32_t code_at(const uint32_t *plane, uint32_t k) { return plane ? plane[k] : 0; }

/* Whether the access CODE, if there is one, must be kept when T's replaces it, although it comes
 * before T's. */
static inline bool is_kept(const struct touch *t, uint32_t code)
{
	return code && !stands_for(t, &t->r->record.data[code >> 5]);
}

/* Whether nothing orders the access CODE, if there is one, before T's. (What agents did may be.) */
static inline bool is_unordered(struct touch *t, uint32_t code)
{
	return is_open(t, code) &&
		((code & 31) != t->lane || t->r->record.data[code >> 5].warp != t->warp->uid);
}

/* Whether that is certain. */
static inline bool stands_beside(struct touch *t, uint32_t code)
{
	return shadow_covers(t, code >> 5) == COVERS_NONE &&
		!warp_has_agent(t->warp, t->r->record.data[code >> 5].warp);
}

static inline void put_code(
	const struct touch *t, const struct page *p, uint32_t **plane, uint32_t k, uint32_t code)
{
	if (*plane)
		(*plane)[k] = code;
	else if (code)
		*shadow_plane(t->r, p, plane, k) = code;
}

/* shadow_cell() where that is simple. False: it is not, and nothing was done. */
static inline bool judge_one(struct touch *t, struct page *p, uint32_t k)
{
	const uint32_t mine = t->id << 5 | t->lane, write = code_at(p->write, k),
		       read[2] = {code_at(p->read[0], k), code_at(p->read[1], k)};
	unsigned to;

	if (p->older[0] || p->weak || t->r->nc)
		return false;
	if (!t->plain && (t->writes || is_kept(t, read[0]) || is_kept(t, read[1])))
		return false;
	if (t->writes) {
		if (is_unordered(t, write) || is_unordered(t, read[0]) || is_unordered(t, read[1]))
			return false;
		put_code(t, p, &p->write, k, mine);
		put_code(t, p, &p->read[0], k, 0);
		put_code(t, p, &p->read[1], k, 0);
		return true;
	}
	if (is_open(t, write) || read[0] == mine || read[1] == mine)
		return false;
	if (read[0] && read[1] && (read[0] >> 5 == t->id || read[1] >> 5 == t->id))
		return true; /* another lane of this instruction is already recorded */
	bool beside[2] = {is_unordered(t, read[0]), is_unordered(t, read[1])};

	to = beside[0];
	if (beside[to] || (beside[!to] && !stands_beside(t, read[!to])))
		return false;
	put_code(t, p, &p->read[to], k, mine);
	if (!beside[!to])
		put_code(t, p, &p->read[!to], k, 0);
	return true;
}

/* Judges the cells of X one by one. ADDRESS is that of the first cell, of elements of UNIT
 * bytes. */
static void judge_cells(
	struct touch *t, const struct stretch *x, bool gaps, uint64_t address, unsigned unit)
{
	for (uint32_t j = 0; j < x->n; j++) {
		if (gaps && !(x->mask >> j & 1))
			continue;
		t->lane = x->first + ((x->at + j) >> x->shift);
		t->address = (address + ((uint64_t)j << x->p->shift)) & ~(uint64_t)(unit - 1);
		if (!judge_one(t, x->p, x->k + j))
			shadow_cell(t, x->p, x->k + j);
	}
}

bool shadow_pair(struct touch *t, struct shadow *s, uint64_t offset, unsigned bytes)
{
	struct page *p = shadow_page(t->r, s, offset, bytes);
	const uint32_t k = (uint32_t)(offset & ((1u << PAGE_SHIFT) - 1)) >> p->shift;
	const uint32_t mine = t->id << 5 | t->lane;

	if (bytes >> p->shift != 1 || t->writes || !t->plain || p->older[0] || p->weak ||
		is_open(t, code_at(p->write, k)) || is_open(t, code_at(p->read[0], k)) ||
		is_open(t, code_at(p->read[1], k)) || !stands_beside(t, mine))
		return false;
	put_code(t, p, &p->read[0], k, mine);
	put_code(t, p, &p->read[1], k, mine + 1);
	return true;
}

void shadow_single(struct touch *t, struct shadow *s, uint64_t offset, unsigned bytes)
{
	struct page *p = shadow_page(t->r, s, offset, bytes);
	uint32_t k = (uint32_t)(offset & ((1u << PAGE_SHIFT) - 1)) >> p->shift;

	if (bytes >> p->shift != 1 || !judge_one(t, p, k))
		shadow_touch(t, s, offset, bytes);
}

/* How many of LEFT cells from K on are judged together with those before the last ones: beyond the
 * end of a row with gaps there is another one. */
static uint32_t strips_of(const struct page *p, uint32_t k, uint32_t left, bool gaps)
{
	uint32_t n = gaps ? (left + STRIP - 1) & ~(STRIP - 1u) : left & ~(STRIP - 1u);

	return k + n <= 1u << (PAGE_SHIFT - p->shift) ? n : left & ~(STRIP - 1u);
}

static void judge_row(struct touch *t, struct shadow *s, uint64_t offset, uint32_t lanes,
	unsigned bytes, unsigned unit)
{
	const uint64_t begin = t->address - offset, in_page = (1u << PAGE_SHIFT) - 1;
	const unsigned first = t->lane, size = (unsigned)__builtin_ctz(bytes);
	const bool gaps = (lanes & (lanes + 1)) != 0;
	uint64_t end = offset + ((uint64_t)(LANES - (unsigned)__builtin_clz(lanes)) << size),
		 from = offset;

	while (from < end) {
		uint64_t next = (from | in_page) + 1 < end ? (from | in_page) + 1 : end;
		struct page *p = shadow_page(t->r, s, from, unit);
		uint32_t left = (uint32_t)((next - from) >> p->shift);
		struct stretch x = {p, (uint32_t)(from & in_page) >> p->shift, 0,
			(uint32_t)((from - offset) >> p->shift), size - p->shift, first,
			gaps ? lanes >> ((from - offset) >> p->shift) : 0};

		x.n = strips_of(p, x.k, left, gaps);
		if (!x.n || !judge_stretch(t, &x, gaps))
			x.n = 0;
		while (x.n < left) {
			x.k += x.n;
			x.at += x.n;
			x.mask = x.n < LANES ? x.mask >> x.n : 0;
			left -= x.n;
			x.n = left < STRIP ? left : STRIP;
			if (gaps && !(x.mask & ((1u << x.n) - 1)))
				continue;
			if (x.n < STRIP || !judge_stretch(t, &x, gaps))
				judge_cells(t, &x, gaps,
					begin + (from & ~in_page) + ((uint64_t)x.k << p->shift),
					unit);
		}
		from = next;
	}
}

void shadow_row(struct touch *t, struct shadow *s, uint64_t offset, unsigned lanes, unsigned bytes,
	unsigned unit)
{
	judge_row(t, s, offset, UINT32_MAX >> (LANES - lanes), bytes, unit);
}

/* Whether a cell of the page of OFFSET is as large as accesses of BYTES. */
static bool is_cell(const struct shadow *s, uint64_t offset, unsigned bytes)
{
	const struct page *p = s->page[offset >> PAGE_SHIFT];

	return bytes == (p && bytes >= 4 ? 1u << p->shift : bytes < 4 ? 1 : 4);
}

bool shadow_gaps(
	struct touch *t, struct shadow *s, uint64_t offset, uint32_t lanes, unsigned bytes)
{
	unsigned last = LANES - 1u - (unsigned)__builtin_clz(lanes);

	if (!is_cell(s, offset, bytes) || !is_cell(s, offset + (uint64_t)last * bytes, bytes))
		return false;
	judge_row(t, s, offset, lanes, bytes, bytes);
	return true;
}

CLONES_FOR("avx2") bool warp_one_clock(const struct race_warp *w, uint32_t mask)
{
	const uintptr_t clock = (uintptr_t)w->clock[lane_first(mask)];
	uintptr_t differs = 0;

	EVERY_LANE(lane)
		differs |= (uintptr_t)w->clock[lane] ^ clock;
	if (differs && mask != UINT32_MAX) { /* of other lanes only? */
		differs = 0;
		FOR_LANES(lane, mask)
			differs |= (uintptr_t)w->clock[lane] ^ clock;
	}
	return !differs;
}
