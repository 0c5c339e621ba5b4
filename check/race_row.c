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
typedef uint64_t half __attribute__((vector_size(2 * STRIP), may_alias));

INLINE bool strip_any(const strip *v)
{
	const half *h = (const half *)v;
	half all = h[0] | h[1];

	return (all[0] | all[1]) != 0;
}

/* N cells of page P from K on, mostly a multiple of STRIP. The first is the AT-th of the row; 1 <<
 * SHIFT cells belong to a lane, the first of which is FIRST. With gaps, T accesses those whose bits
 * are in MASK. */
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
INLINE enum held own_holds(const uint32_t *plane, const struct touch *t, const struct stretch *x,
	uint32_t id, bool gaps)
{
	strip all = {0}, some = {0}, v, mask;

	for (uint32_t j = 0; j < x->n; j += STRIP) {
		stretch_codes(&v, t, x, j);
		v = (v ^ *(const cells *)(plane + j)) & 31;
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
INLINE enum held stretch_holds(
	const uint32_t *plane, struct touch *t, const struct stretch *x, uint32_t code, bool gaps)
{
	uint32_t id = code >> 5;
	const struct record *record = &t->r->record.data[id];
	enum held own = HELD_NONE;

	if (code <= t->old)
		return HELD_BEFORE;
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
	return own ? own : has_agent(t, record->warp) ? HELD_DIFFERENT : HELD_OTHER;
}

/* What a stretch of the three planes shows: the codes of the first cell that is accessed; which
 * cells hold something that T->old does not cover; which another record than the first one. */
enum { WRITES, READS, MORE_READS, PLANES };
struct view {
	const uint32_t *plane[PLANES];
	uint32_t code[PLANES];
	strip young[PLANES], differs[PLANES];
};

INLINE void stretch_view(struct view *v, const struct touch *t, const struct stretch *x, bool gaps)
{
	const uint32_t *const plane[PLANES] = {x->p->write, x->p->read[0], x->p->read[1]};
	const unsigned first = gaps ? lane_first(x->mask) : 0;
	const strip old = (strip){0} + t->old;
	strip mask, c;

#pragma GCC unroll 3
	for (unsigned i = 0; i < PLANES; i++) {
		v->plane[i] = (plane[i] ? plane[i] : t->r->empty) + x->k;
		v->code[i] = v->plane[i][first];
		v->young[i] = v->differs[i] = (strip){0};
	}
	for (uint32_t j = 0; j < x->n; j += STRIP) {
		if (gaps)
			stretch_mask(&mask, x, j);
#pragma GCC unroll 3
		for (unsigned i = 0; i < PLANES; i++) {
			c = *(const cells *)(v->plane[i] + j);
			if (gaps) {
				v->differs[i] |= (c ^ v->code[i]) & mask;
				v->young[i] |= (strip)(c > old) & mask;
			} else {
				v->differs[i] |= c ^ v->code[i];
				v->young[i] |= (strip)(c > old);
			}
		}
	}
}

/* Whether the records of some cell differ from that of the first one. */
INLINE bool view_differs(const struct view *v, unsigned i)
{
	strip records = v->differs[i] >> 5;

	return strip_any(&records);
}

/* T's access takes the place of all that the cells hold. */
INLINE void put_after_all(struct touch *t, const struct stretch *x, bool writes, bool gaps)
{
	struct page *p = x->p;

	if (writes && p->read[0])
		stretch_put(p->read[0], NULL, x, gaps);
	if (p->read[1])
		stretch_put(p->read[1], NULL, x, gaps);
	stretch_put(shadow_plane(t->r, p, writes ? &p->write : &p->read[0], 0), t, x, gaps);
}

/* Whether T's clock covers all accesses in a plane of the cells of X. */
static bool covers_cells(struct touch *t, const struct stretch *x, const uint32_t *plane, bool gaps)
{
	uint32_t last = 0;

	for (uint32_t j = 0; j < x->n; j++) {
		if (gaps && !(x->mask >> j & 1))
			continue;
		if (plane[j] > t->old && plane[j] >> 5 != last &&
			shadow_covers(t, plane[j] >> 5) != COVERS_ALL)
			return false;
		last = plane[j] >> 5;
	}
	return true;
}

/* shadow_cell() for the cells of X, of an access that writes. False: nothing was done. */
INLINE bool write_stretch(struct touch *t, const struct stretch *x, const struct view *v, bool gaps)
{
	for (unsigned i = 0; i < PLANES; i++) {
		if (!strip_any(&v->young[i]))
			continue;
		/* the records of a matrix that has been read column by column differ */
		if (view_differs(v, i)
				? !covers_cells(t, x, v->plane[i], gaps)
				: stretch_holds(v->plane[i], t, x, v->code[i], gaps) >= HELD_OTHER)
			return false;
	}
	put_after_all(t, x, true, gaps);
	return true;
}

/* write_stretch() for an access that reads. *CLEAR: T's clock covers all writes that the cells
 * hold.
 */
INLINE bool read_stretch(
	struct touch *t, const struct stretch *x, const struct view *v, bool gaps, bool *clear)
{
	struct page *p = x->p;
	const uint32_t first = v->code[READS], second = v->code[MORE_READS];
	const bool again = first && second && (first >> 5 == t->id || second >> 5 == t->id);
	const strip differs = (v->differs[READS] | v->differs[MORE_READS]) >> 5;
	enum held wrote = HELD_BEFORE, held[2];
	unsigned to;

	if (strip_any(&differs))
		return false;
	if (strip_any(&v->young[WRITES])) {
		if (view_differs(v, WRITES))
			return false;
		wrote = stretch_holds(v->plane[WRITES], t, x, v->code[WRITES], gaps);
	}
	*clear = wrote <= HELD_BEFORE;
	if (again && *clear)
		return true; /* other lanes of this instruction, or these, are already recorded */
	for (unsigned j = 0; j < 2; j++) {
		held[j] = stretch_holds(v->plane[READS + j], t, x, v->code[READS + j], gaps);
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

INLINE bool judge_view(struct touch *t, const struct stretch *x, bool gaps, bool *clear)
{
	struct view v;
	strip young;

	*clear = false;

	stretch_view(&v, t, x, gaps);
	young = v.young[WRITES] | v.young[READS] | v.young[MORE_READS];
	if (!strip_any(&young)) {
		put_after_all(t, x, t->writes, gaps);
		return true;
	}
	return t->writes ? write_stretch(t, x, &v, gaps) : read_stretch(t, x, &v, gaps, clear);
}

/* Judges the cells of X in its mask together, at most 32. False: that cannot be done, and nothing
 * was. */
CLONES_FOR("avx2") static bool judge_stretch(struct touch *t, const struct stretch *x)
{
	bool clear;

	if (x->p->older[0] || x->p->weak)
		return false;
	if (t->warp->clock[t->lane] != t->memo_clock)
		shadow_clock(t, t->warp->clock[t->lane]);
	return judge_view(t, x, true, &clear);
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
		!has_agent(t, t->r->record.data[code >> 5].warp);
}

/* Whether T's strong write may simply replace the write CODE, if there is one: the next one comes
 * after both, or is morally strong with both. */
static inline bool is_replaced(struct touch *t, uint32_t code)
{
	const struct record *x = &t->r->record.data[code >> 5];

	return !code ||
		(stands_for(t, x) &&
			(!is_unordered(t, code) ||
				morally_strong(t->r, &t->r->record.data[t->id], x)));
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
	if (!t->plain && (is_kept(t, read[0]) || is_kept(t, read[1])))
		return false;
	if (t->writes) {
		if ((t->plain ? is_unordered(t, write) : !is_replaced(t, write)) ||
			is_unordered(t, read[0]) || is_unordered(t, read[1]))
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

	if ((beside[0] && !stands_beside(t, read[0])) || (beside[1] && !stands_beside(t, read[1])))
		return false;
	to = !beside[0] ? 0 : !beside[1] ? 1 : shadow_replaces(t, read[0]);
	put_code(t, p, &p->read[to], k, mine);
	if (!beside[!to])
		put_code(t, p, &p->read[!to], k, 0);
	return true;
}

/* What becomes of a cell. */
enum fate { FATE_OPEN, FATE_WRITTEN, FATE_READ, FATE_READ_ALONE, FATE_READ_TOO };

/* What CODE is to T: HELD_BEFORE, HELD_OTHER; HELD_DIFFERENT: it takes a closer look. The same for
 * all codes of the record, by lanes that are those of the codes, or are not. */
static enum held code_holds(struct touch *t, uint32_t code)
{
	if (!is_open(t, code))
		return HELD_BEFORE;
	if (code >> 5 == t->id)
		return HELD_DIFFERENT;
	if (!is_unordered(t, code))
		return HELD_OWN;
	return stands_beside(t, code) ? HELD_OTHER : HELD_DIFFERENT;
}

static enum fate fate_of(struct touch *t, const uint32_t *code)
{
	const enum held write = code_holds(t, code[WRITES]), first = code_holds(t, code[READS]),
			second = code_holds(t, code[MORE_READS]);

	if (write > (t->writes ? HELD_OWN : HELD_BEFORE) || first == HELD_DIFFERENT ||
		second == HELD_DIFFERENT)
		return FATE_OPEN;
	if (t->writes)
		return first < HELD_OTHER && second < HELD_OTHER ? FATE_WRITTEN : FATE_OPEN;
	if (first < HELD_OTHER)
		return second < HELD_OTHER ? FATE_READ_ALONE : FATE_READ;
	return second < HELD_OTHER || shadow_replaces(t, code[READS]) ? FATE_READ_TOO : FATE_READ;
}

static inline void meet_fate(const struct touch *t, struct page *p, uint32_t k, enum fate fate)
{
	const uint32_t mine = t->id << 5 | t->lane;

	switch (fate) {
	case FATE_OPEN: break;
	case FATE_WRITTEN:
		put_code(t, p, &p->write, k, mine);
		put_code(t, p, &p->read[0], k, 0);
		put_code(t, p, &p->read[1], k, 0);
		break;
	case FATE_READ_ALONE: put_code(t, p, &p->read[1], k, 0); /* fall through */
	case FATE_READ: put_code(t, p, &p->read[0], k, mine); break;
	case FATE_READ_TOO: put_code(t, p, &p->read[1], k, mine); break;
	}
}

/* Judges the cells of X one by one. ADDRESS is that of the first cell, of elements of UNIT bytes.
 * Neighbours mostly hold the same records. */
static void judge_cells(struct touch *t, const struct stretch *x, uint64_t address, unsigned unit)
{
	struct page *p = x->p;
	uint32_t last[PLANES];
	enum fate fate = FATE_OPEN;
	bool any = false, own[PLANES] = {false};

	for (uint32_t j = 0, k = x->k; j < x->n; j++, k++) {
		const uint32_t code[PLANES] = {
			code_at(p->write, k), code_at(p->read[0], k), code_at(p->read[1], k)};

		if (!(x->mask >> j & 1))
			continue;
		t->lane = x->first + ((x->at + j) >> x->shift);
		for (unsigned i = 0; i < PLANES; i++) {
			any = any && !((code[i] ^ last[i]) >> 5) &&
				own[i] == ((code[i] & 31) == t->lane);
			own[i] = (code[i] & 31) == t->lane;
			last[i] = code[i];
		}
		if (!any)
			fate = fate_of(t, code);
		any = true;
		if (fate != FATE_OPEN && !p->older[0] && !p->weak) {
			meet_fate(t, p, k, fate);
			continue;
		}
		t->address = (address + ((uint64_t)j << p->shift)) & ~(uint64_t)(unit - 1);
		if (!judge_one(t, p, k))
			shadow_cell(t, p, k);
	}
}

void shadow_strong_write(
	struct touch *t, struct shadow *s, uint64_t offset, unsigned bytes, uint32_t *peers)
{
	struct page *p = shadow_page(t->r, s, offset, bytes);
	const uint32_t k = (uint32_t)(offset & ((1u << PAGE_SHIFT) - 1)) >> p->shift,
		       write = code_at(p->write, k);
	uint32_t *peer = &peers[(write >> 5) % PEERS];

	if (!write || bytes >> p->shift != 1 || p->older[0] || p->weak || t->r->nc ||
		code_at(p->read[0], k) || code_at(p->read[1], k)) {
		shadow_single(t, s, offset, bytes);
		return;
	}
	if (*peer != write >> 5) {
		const struct record *x = &t->r->record.data[write >> 5];

		if (!stands_for(t, x) || !morally_strong(t->r, &t->r->record.data[t->id], x)) {
			shadow_single(t, s, offset, bytes);
			return;
		}
		*peer = write >> 5;
	}
	p->write[k] = t->id << 5 | t->lane;
}

void shadow_single(struct touch *t, struct shadow *s, uint64_t offset, unsigned bytes)
{
	struct page *p = shadow_page(t->r, s, offset, bytes);
	uint32_t k = (uint32_t)(offset & ((1u << PAGE_SHIFT) - 1)) >> p->shift;

	if (bytes >> p->shift != 1 || !judge_one(t, p, k))
		shadow_touch(t, s, offset, bytes);
}

/* How many of LEFT cells from K on can be judged together: whole strips, the last of which may
 * reach beyond a row with gaps. */
INLINE uint32_t together(const struct page *p, uint32_t k, uint32_t left, bool gaps)
{
	const uint32_t most = left < LANES ? left : LANES;
	uint32_t n = gaps ? (most + STRIP - 1) & ~(STRIP - 1u) : most & ~(STRIP - 1u);

	return k + n <= 1u << (PAGE_SHIFT - p->shift) ? n : most & ~(STRIP - 1u);
}

/* A row of LANES, from T's on, in parts: page by page, and what cannot be judged together strip by
 * strip, or cell by cell. ALONE: the whole row cannot. */
static void judge_row(struct touch *t, struct shadow *s, uint64_t offset, uint32_t lanes,
	unsigned bytes, unsigned unit, bool alone)
{
	const uint64_t begin = t->address - offset, in_page = (1u << PAGE_SHIFT) - 1;
	const unsigned first = t->lane, size = (unsigned)__builtin_ctz(bytes);
	const bool gaps = (lanes & (lanes + 1)) != 0;
	uint64_t end = offset + ((uint64_t)(LANES - (unsigned)__builtin_clz(lanes)) << size),
		 from = offset;

	while (from < end) {
		uint64_t next = (from | in_page) + 1 < end ? (from | in_page) + 1 : end;
		struct page *p = shadow_page(t->r, s, from, unit);
		uint32_t at = (uint32_t)((from - offset) >> p->shift),
			 left = (uint32_t)((next - from) >> p->shift);
		struct stretch x = {p, (uint32_t)(from & in_page) >> p->shift, 0, at,
			size - p->shift, first, gaps ? lanes >> at : UINT32_MAX};

		x.n = alone ? 0 : together(p, x.k, left, gaps);
		if (!x.n || !judge_stretch(t, &x))
			x.n = 0;
		while (x.n < left) {
			x.k += x.n;
			x.at += x.n;
			if (gaps)
				x.mask = x.n < LANES ? x.mask >> x.n : 0;
			left -= x.n;
			x.n = left < STRIP ? left : STRIP;
			if (!(x.mask & ((1u << x.n) - 1)))
				continue;
			if (x.n < STRIP || !judge_stretch(t, &x))
				judge_cells(t, &x,
					begin + (from & ~in_page) + ((uint64_t)x.k << p->shift),
					unit);
		}
		from = next;
	}
}

/* Judges a row of N lanes, from T's on. *CLEAR: as for read_stretch(). */
INLINE void judge_lanes(struct touch *t, struct shadow *s, uint64_t offset, unsigned lanes,
	unsigned bytes, unsigned unit, bool *clear)
{
	struct page *p = shadow_page(t->r, s, offset, unit);
	const unsigned shift = (unsigned)__builtin_ctz(bytes) - p->shift;
	const uint32_t n = lanes << shift;
	struct stretch x = {p, (uint32_t)(offset & ((1u << PAGE_SHIFT) - 1)) >> p->shift, n, 0,
		shift, t->lane, UINT32_MAX};
	bool whole = x.k + n <= 1u << (PAGE_SHIFT - p->shift) && n % STRIP == 0;

	*clear = false;
	if (!whole || p->older[0] || p->weak || !judge_view(t, &x, false, clear))
		judge_row(t, s, offset, UINT32_MAX >> (LANES - lanes), bytes, unit, whole);
}

/* Whether a cell of the page of OFFSET is as large as accesses of BYTES. */
INLINE bool is_cell(const struct shadow *s, uint64_t offset, unsigned bytes)
{
	const struct page *p = s->page[offset >> PAGE_SHIFT];

	return bytes == (p && bytes >= 4 ? 1u << p->shift : bytes < 4 ? 1 : 4);
}

/* shadow_single() for the loads of T's lane and of the next one, of one cell, whose earlier
 * accesses come before both. False: it is not so simple, and nothing was done. */
INLINE bool judge_pair(struct touch *t, struct shadow *s, uint64_t offset, unsigned bytes)
{
	struct page *p = shadow_page(t->r, s, offset, bytes);
	const uint32_t k = (uint32_t)(offset & ((1u << PAGE_SHIFT) - 1)) >> p->shift;
	const uint32_t mine = t->id << 5 | t->lane;

	if (bytes >> p->shift != 1 || t->writes || p->older[0] || p->weak ||
		is_open(t, code_at(p->write, k)) || is_open(t, code_at(p->read[0], k)) ||
		is_open(t, code_at(p->read[1], k)) || shadow_covers(t, t->id) != COVERS_NONE)
		return false;
	put_code(t, p, &p->read[0], k, mine);
	put_code(t, p, &p->read[1], k, mine + 1);
	return true;
}

/* Whether two loads are recorded in the cells from OFFSET on, one of them T's, and so T's do not
 * have to be: all cells are like the first one since lanes before were judged together. */
INLINE bool is_again(const struct touch *t, const struct shadow *s, uint64_t offset)
{
	const struct page *p = s->page[offset >> PAGE_SHIFT];
	const uint32_t k = (uint32_t)(offset & ((1u << PAGE_SHIFT) - 1)) >> p->shift,
		       first = code_at(p->read[0], k), second = code_at(p->read[1], k);

	return first && second && (first >> 5 == t->id || second >> 5 == t->id);
}

/* How many of the lanes from LANE on have their bits set, one after another. */
INLINE unsigned lanes_set(uint64_t bits, unsigned lane)
{
	return (unsigned)__builtin_ctzll(~(bits >> lane));
}

/* Of consecutive lanes that load the same address, the first two suffice as long as clocks alone
 * decide. */
CLONES_FOR("avx2")
void shadow_rows(struct touch *t, struct shadow *s, const struct access_event *e, unsigned unit)
{
	const unsigned bytes = e->bytes, lead = lane_first(e->mask);
	const uint64_t *address = e->address, base = s->base;
	unsigned lane, n, same = 0, before = 0;
	bool clear;

	if (t->warp->clock[lead] != t->memo_clock)
		shadow_clock(t, t->warp->clock[lead]);
	if (e->row && bytes == unit && e->mask & (e->mask - 1) && e->mask != UINT32_MAX &&
		is_cell(s, address[lead] - base, bytes) &&
		is_cell(s, address[LANES - 1u - (unsigned)__builtin_clz(e->mask)] - base, bytes)) {
		t->lane = lead;
		t->address = address[lead];
		judge_row(t, s, address[lead] - base, e->mask >> lead, bytes, unit, false);
		return;
	}
	for (uint64_t left = e->mask; left; left &= UINT64_MAX << (lane + n)) {
		lane = (unsigned)__builtin_ctzll(left);
		n = lanes_set(e->same, lane);
		same = n ? same + 1 : 0;
		if (same >= 2 && !t->alone && !t->writes)
			continue;
		const uint64_t offset = address[lane] - base;

		t->lane = lane;
		t->address = address[lane];
		n = 1 + lanes_set(e->next, lane + 1);
		if (n == before && offset == address[lane - n] - base && is_again(t, s, offset))
			continue; /* they load what as many lanes before them have loaded */
		before = 0;
		if (n == 1 && bytes == unit && (uint64_t)e->same >> (lane + 1) & 1 &&
			judge_pair(t, s, offset, bytes)) {
			n += lanes_set(e->same, lane + 1); /* two of them suffice */
			continue;
		}
		if (n == 1 && bytes == unit) {
			shadow_single(t, s, offset, bytes);
		} else {
			judge_lanes(t, s, offset, n, bytes, unit, &clear);
			before = clear ? n : 0;
		}
		same = n > 1 ? 0 : same;
	}
}

CLONES_FOR("avx2") bool warp_compare_clocks(const struct race_warp *w, uint32_t mask)
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
