/* Reads through textures, and reads and writes of surfaces, lane by lane: each texel is an access
 * to global memory, checked and observed as that of a load or store. Textures are read by another
 * proxy than other memory (PTX ISA 8.2.3), as ld.global.nc is. (PTX ISA 9.7.12, 9.7.13) */
#include "interp/memory/combine.h"
#include "interp/memory/undefined.h"
#include "interp/state/exec.h"
#include "interp/state/where.h"
#include <inttypes.h>

enum { TEXEL_MOST = 16 };

static uint32_t word_at(const struct warp *w, uint32_t place, unsigned lane)
{
	return ((const uint32_t *)op_place(w, place))[lane];
}

static bool is_watched(const struct warp *w)
{
	return (w->machine->interest & INTEREST_ACCESS) != 0 || w->frame->defined;
}

/* Accesses N bytes of each lane of MASK at a.address. */
static bool reach(struct warp *w, const struct op *op, uint32_t mask, unsigned n, unsigned how,
	struct access *a)
{
	if (!mask)
		return true;
	if (!access_resolve(w, op, mask, n, how, a))
		return false;
	if (is_watched(w))
		access_observe(w, op, mask, n, how, a);
	access_count(w, mask, n, how, a);
	return true;
}

/* Whether any of N bytes has bits that were never written. */
static bool any_undefined(const uint8_t *defined, unsigned n)
{
	for (unsigned k = 0; defined && k < n; k++)
		if (defined[k] != UINT8_MAX)
			return true;
	return false;
}

/* Lanes whose results come from bytes that were never written, and where some of them are. */
struct unwritten {
	uint32_t lanes;
	uint64_t address;
};

static void note_undefined(struct unwritten *u, const struct access *a, unsigned lane, unsigned n)
{
	if (!any_undefined(a->defined[lane], n))
		return;
	u->lanes |= 1u << lane;
	u->address = a->offset[lane];
}

static void put_undefined(
	struct warp *w, const struct op *op, uint32_t mask, const struct unwritten *u)
{
	for (unsigned k = 0; w->frame->defined && k < op->ndests; k++) {
		undefined_whole(w, op->at[k], op->width[k], mask, op->width[k] ? u->lanes : 0);
		if (u->lanes && op->width[k])
			undefined_comes_from_memory(w, op->at[k], op->width[k], op, u->address);
	}
}

/* --- which texture --- */

static void fault_shape(struct warp *w, const struct op *op, unsigned lane, const struct texture *t)
{
	const struct op_texture *x = op->access.texture;
	struct diag *r = fault_begin(w, op, lane, DIAG_F0214,
		"%s expects %s of %u dimension%s, but this one has %u%s",
		opcode_text(ir_form(op_insn(w, op))->opcode),
		x->array ? "an array of textures" : "a texture", x->dimensions,
		x->dimensions == 1 ? "" : "s",
		t->size[2]           ? 3
			: t->size[1] ? 2
				     : 1,
		t->layers ? " and is an array" : "");

	if (r)
		fault_end(w);
}

/* The texture of LANE; NULL after a fault. */
static const struct texture *texture_of(struct warp *w, const struct op *op, unsigned lane)
{
	const struct op_texture *x = op->access.texture;
	const uint64_t handle = ((const uint64_t *)op_place(w, x->handle))[lane];
	const struct texture *t = memory_texture_find(w->machine->memory, handle);
	struct diag *r;

	if (!t) {
		r = fault_begin(w, op, lane, DIAG_F0214, "%s: 0x%" PRIx64 " is %s",
			opcode_text(ir_form(op_insn(w, op))->opcode), handle,
			memory_texture_was(w->machine->memory, handle)
				? "a texture or surface that was destroyed"
				: "no texture or surface");
		if (r)
			fault_end(w);
		return NULL;
	}
	if (x->what != TEXTURE_QUERY &&
		((t->size[2]                  ? 3
				 : t->size[1] ? 2
					      : 1) != x->dimensions ||
			(t->layers != 0) != x->array)) {
		fault_shape(w, op, lane, t);
		return NULL;
	}
	return t;
}

/* --- tex, tld4 --- */

static void place_texels(const struct warp *w, const struct op_texture *x, unsigned lane,
	const struct texture *t, struct footprint *f)
{
	uint32_t c[3];
	int32_t move[3];

	for (unsigned d = 0; d < 3; d++) {
		c[d] = word_at(w, x->coordinate[d], lane);
		move[d] = (int32_t)word_at(w, x->move[d], lane);
	}
	if (x->what == TEXTURE_GATHER)
		texture_gather(t, c, word_at(w, x->layer, lane), move, f);
	else
		texture_footprint(t, c, x->integer, word_at(w, x->layer, lane), move, f);
}

struct fetched {
	struct footprint place[LANES];
	uint8_t texel[LANES][FOOTPRINT][TEXEL_MOST];
	struct unwritten unwritten;
};

/* Reads texel K of each lane of MASK that has one. */
static bool fetch_texel(struct warp *w, const struct op *op, uint32_t mask, const struct texture *t,
	unsigned k, struct fetched *f)
{
	const unsigned n = texel_bytes(t), each = t->bits / 8u;
	struct access a;
	uint32_t some = 0;

	FOR_LANES(lane, mask) {
		if (k >= f->place[lane].count || f->place[lane].offset[k] == TEXEL_NONE)
			continue;
		a.address[lane] = t->address + f->place[lane].offset[k];
		some |= 1u << lane;
	}
	if (!reach(w, op, some, n, ACCESS_READ, &a))
		return false;
	FOR_LANES(lane, some) {
		for (unsigned c = 0; c < n; c += each) {
			const uint64_t v = element_load(a.host[lane] + c, each, __ATOMIC_RELAXED);

			memcpy(&f->texel[lane][k][c], &v, each);
		}
		note_undefined(&f->unwritten, &a, lane, n);
	}
	return true;
}

static void put_result(const struct warp *w, const struct op *op, unsigned lane,
	const struct texture *t, const struct fetched *f)
{
	const struct op_texture *x = op->access.texture;
	const struct footprint *p = &f->place[lane];
	const uint8_t *texel[FOOTPRINT] = {0};
	uint32_t result[4];

	for (unsigned k = 0; k < p->count; k++)
		texel[k] = p->offset[k] == TEXEL_NONE ? NULL : f->texel[lane][k];
	if (x->what == TEXTURE_GATHER)
		for (unsigned k = 0; k < 4; k++)
			result[k] = texture_gathered(t, texel[k], x->component);
	else
		texture_filter(t, p, texel, result);
	for (unsigned k = 0; k < op->ndests; k++) /* the last one may be a predicate: true */
		register_set(op_lanes(w, op, k), lane, op->width[k],
			op->width[k] ? result[k < 4 ? k : 0] : 1);
}

static bool fetch(struct warp *w, const struct op *op, uint32_t mask, const struct texture *t)
{
	struct fetched f = {.unwritten = {0}};
	unsigned most = 0;

	FOR_LANES(lane, mask) {
		place_texels(w, op->access.texture, lane, t, &f.place[lane]);
		if (f.place[lane].count > most)
			most = f.place[lane].count;
	}
	for (unsigned k = 0; k < most; k++)
		if (!fetch_texel(w, op, mask, t, k, &f))
			return false;
	FOR_LANES(lane, mask)
		put_result(w, op, lane, t, &f);
	put_undefined(w, op, mask, &f.unwritten);
	return true;
}

/* --- txq --- */

static uint32_t answer(const struct texture *t, enum word query)
{
	switch ((int)query) {
	case W_width: return t->size[0];
	case W_height: return t->size[1];
	case W_depth: return t->size[2];
	case W_array_size: return t->layers;
	case W_normalized_coords: return t->normalized;
	default: return 1; /* levels; samples */
	}
}

/* --- suld.b, sust.b --- */

/* Sets ADDRESS to where the access of LANE is. The first coordinate counts bytes. False: outside.
 */
static bool place_element(const struct warp *w, const struct op_texture *x, unsigned lane,
	const struct texture *t, unsigned n, uint64_t *address)
{
	const uint64_t row = (uint64_t)t->size[0] * texel_bytes(t);
	uint64_t at = 0;
	bool inside = true;

	for (unsigned d = 0; d < x->dimensions + (x->array ? 1u : 0u); d++) {
		const bool layer = d == x->dimensions;
		const int64_t c = (int32_t)word_at(w, layer ? x->layer : x->coordinate[d], lane),
			      end = layer ? t->layers
			: d               ? (int64_t)t->size[d]
					  : (int64_t)(row >= n ? row - n + 1 : 0),
			      last = d || layer ? end - 1 : (int64_t)((row - n) / n * n);
		const int64_t k = c < 0 ? 0 : c >= end ? last : c;

		inside &= k == c;
		at += (uint64_t)k * (layer || d == 2 ? t->slice : d ? t->pitch : 1);
	}
	*address = t->address + at;
	return inside;
}

static void fault_outside(
	struct warp *w, const struct op *op, unsigned lane, const struct texture *t)
{
	const struct op_texture *x = op->access.texture;
	struct diag *r = fault_begin(w, op, lane, DIAG_F0215,
		"%s.trap accesses byte %d of a row of %" PRIu64 " bytes%s",
		opcode_text(ir_form(op_insn(w, op))->opcode),
		(int32_t)word_at(w, x->coordinate[0], lane), (uint64_t)t->size[0] * texel_bytes(t),
		x->dimensions > 1 || x->array ? ", or a row or layer that the surface does not have"
					      : "");

	if (r)
		fault_end(w);
}

static void surface_element(const struct warp *w, const struct op *op, unsigned lane, uint8_t *host,
	unsigned k, bool store)
{
	const struct op_texture *x = op->access.texture;
	const unsigned n = op->access.bytes;

	if (store)
		element_store(host + k * n,
			register_get(op_place(w, x->value[k]), lane, x->value_bytes[k]), n,
			__ATOMIC_RELAXED);
	else
		register_set(op_lanes(w, op, k), lane, op->width[k],
			host ? element_load(host + k * n, n, __ATOMIC_RELAXED) : 0);
}

static bool access_surface(
	struct warp *w, const struct op *op, uint32_t mask, const struct texture *t)
{
	const struct op_texture *x = op->access.texture;
	const unsigned n = (unsigned)op->access.bytes * op->access.vector;
	const bool store = x->what == SURFACE_STORE;
	struct unwritten unwritten = {0};
	uint32_t some = 0;
	struct access a;

	FOR_LANES(lane, mask) {
		bool inside = place_element(w, x, lane, t, n, &a.address[lane]);

		if (!inside && x->outside == SURFACE_TRAP) {
			fault_outside(w, op, lane, t);
			return false;
		}
		if (inside || x->outside == SURFACE_CLAMP)
			some |= 1u << lane;
	}
	if (!reach(w, op, some, n, store ? ACCESS_WRITE : ACCESS_READ, &a))
		return false;
	w->effect |= store && some;
	for (unsigned k = 0; store && w->frame->defined && some && k < op->access.vector; k++)
		undefined_store(w, op, some, &a, k, x->value[k], x->value_bytes[k]);
	FOR_LANES(lane, mask) {
		uint8_t *host = some >> lane & 1 ? a.host[lane] : NULL;

		for (unsigned k = 0; k < op->access.vector && (host || !store); k++)
			surface_element(w, op, lane, host, k, store);
		if (host && !store)
			note_undefined(&unwritten, &a, lane, n);
	}
	put_undefined(w, op, mask, &unwritten);
	return true;
}

/* --- the op --- */

/* Reports undefined handles and coordinates. */
static void use_operands(struct warp *w, const struct op *op, uint32_t mask)
{
	const struct op_texture *x = op->access.texture;

	undefined_use(w, op, mask, x->handle, "used as a texture or surface");
	for (unsigned d = 0; d < x->dimensions; d++)
		undefined_use(w, op, mask, x->coordinate[d], "used as a coordinate");
	undefined_use(w, op, mask, x->layer, "used as a layer");
}

enum flow exec_texture(struct warp *w, const struct op *op, uint32_t mask)
{
	const struct op_texture *x = op->access.texture;
	const uint64_t *handle = op_place(w, x->handle);

	combine_settle(w->worker);
	if (w->frame->defined)
		use_operands(w, op, mask);
	while (mask) {
		const unsigned first = lane_first(mask);
		const struct texture *t = texture_of(w, op, first);
		uint32_t same = 0;
		bool ok = true;

		if (!t)
			return FLOW_STOP;
		FOR_LANES(lane, mask)
			same |= (uint32_t)(handle[lane] == handle[first]) << lane;
		switch ((enum texture_what)x->what) {
		case TEXTURE_FETCH:
		case TEXTURE_GATHER: ok = fetch(w, op, same, t); break;
		case TEXTURE_QUERY:
			FOR_LANES(lane, same)
				op_set(w, op, 0, lane, answer(t, (enum word)x->query));
			undefined_set(w, op->at[0], same, 0);
			break;
		case SURFACE_LOAD:
		case SURFACE_STORE: ok = access_surface(w, op, same, t); break;
		}
		if (!ok)
			return FLOW_STOP;
		mask &= ~same;
	}
	return FLOW_NEXT;
}
