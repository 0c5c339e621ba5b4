/* Reads through textures, and reads and writes of surfaces, lane by lane: each texel is an access
 * to global memory, checked and observed as that of a load or store. Textures are read by another
 * proxy than other memory (PTX ISA 8.2.3), as ld.global.nc is. (PTX ISA 9.7.12, 9.7.13) */
#include "arith/atomic.h"
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

static unsigned dimensions_of(const struct texture *t)
{
	return t->size[2] ? 3 : t->size[1] ? 2 : 1;
}

static void fault_shape(struct warp *w, const struct op *op, unsigned lane, const struct texture *t)
{
	const struct op_texture *x = op->access.texture;
	const unsigned n = dimensions_of(t);
	struct diag *r = fault_begin(w, op, lane, DIAG_F0214,
		"%s expects %s of %u dimension%s%s, but this one has %u%s%s",
		opcode_text(ir_form(op_insn(w, op))->opcode),
		x->array ? "an array of textures" : "a texture", x->cube ? 2 : x->dimensions,
		x->cube || x->dimensions != 1 ? "s" : "", x->cube ? ", a cube" : "", n,
		t->layers ? " and is an array" : "", t->cube ? " and is a cube" : "");

	if (r)
		fault_end(w);
}

static void fault_texture(
	struct warp *w, const struct op *op, unsigned lane, uint64_t handle, const char *why)
{
	struct diag *r = fault_begin(w, op, lane, DIAG_F0214, "%s: 0x%" PRIx64 " is %s",
		opcode_text(ir_form(op_insn(w, op))->opcode), handle, why);

	if (r)
		fault_end(w);
}

static bool has_shape(const struct op_texture *x, const struct texture *t)
{
	return x->what == TEXTURE_QUERY ||
		(x->cube == t->cube && x->array == (t->layers != 0) &&
			(x->cube || x->dimensions == dimensions_of(t)));
}

/* What hinders X on T beside its shape, or NULL. */
static const char *misused(const struct op *op, const struct texture *t)
{
	const struct op_texture *x = op->access.texture;

	if (x->result != RESULT_WORD && t->kind != TEXEL_FLOAT && !t->unit_range)
		return "a texture of integers, which are not read as numbers of 16 bits";
	if (x->what == SURFACE_PUT && op->access.vector < t->channels)
		return "a surface of more channels than sust.p gives: the others would get any value";
	if (x->what == SURFACE_REDUCE && x->samples &&
		(t->kind == TEXEL_FLOAT || texel_bytes(t) != op->access.bytes))
		return "not a surface of integers as long as the operand of sured.p";
	return NULL;
}

/* The texture of LANE; NULL after a fault. */
static const struct texture *texture_of(struct warp *w, const struct op *op, unsigned lane)
{
	const struct op_texture *x = op->access.texture;
	const uint64_t handle = ((const uint64_t *)op_place(w, x->handle))[lane];
	const struct texture *t = memory_texture_find(w->machine->memory, handle);
	const char *why;

	if (!t) {
		fault_texture(w, op, lane, handle,
			memory_texture_was(w->machine->memory, handle)
				? "a texture or surface that was destroyed"
				: "no texture or surface");
		return NULL;
	}
	if (!has_shape(x, t)) {
		fault_shape(w, op, lane, t);
		return NULL;
	}
	why = misused(op, t);
	if (why)
		fault_texture(w, op, lane, handle, why);
	return why ? NULL : t;
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
	if (t->cube && x->what == TEXTURE_GATHER)
		texture_cube_gather(t, c, word_at(w, x->layer, lane), f);
	else if (t->cube)
		texture_cube_footprint(t, c, word_at(w, x->layer, lane), f);
	else if (x->what == TEXTURE_GATHER)
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
	for (unsigned k = 0; x->result != RESULT_WORD && k < 4; k++)
		result[k] = texture_half(result[k]);
	for (unsigned k = 0; x->result == RESULT_F16X2 && k < 2; k++)
		result[k] = result[2 * k] | result[2 * k + 1] << 16;
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

/* --- txq, suq, istypep --- */

/* The numbers of OpenCL, as the manual lists them; CUDA has none. (PTX ISA 5.3.3) */
static uint32_t channel_type(const struct texture *t)
{
	const uint32_t size = t->bits / 16u; /* 0, 1, 2 */

	if (t->kind == TEXEL_FLOAT)
		return t->bits == 16 ? 0x10dd : 0x10de;
	if (t->unit_range)
		return (t->kind == TEXEL_SIGNED ? 0x10d0u : 0x10d2u) + size;
	return (t->kind == TEXEL_SIGNED ? 0x10d7u : 0x10dau) + size;
}

static uint32_t channel_order(const struct texture *t)
{
	return t->channels == 1 ? 0x10b0 : t->channels == 2 ? 0x10b2 : 0x10b5;
}

/* wrap, mirror, clamp_ogl, clamp_to_edge, clamp_to_border (PTX ISA 9.7.12, txq) */
static uint32_t address_mode(const struct texture *t, unsigned dimension)
{
	switch ((enum texture_outside)t->outside[dimension]) {
	case OUTSIDE_WRAP: return 0;
	case OUTSIDE_MIRROR: return 1;
	case OUTSIDE_CLAMP: return 3;
	case OUTSIDE_BORDER: return 4;
	}
	never();
}

static uint32_t answer(const struct texture *t, enum word query)
{
	switch ((int)query) {
	case W_width: return t->size[0];
	case W_height: return t->size[1];
	case W_depth: return t->size[2];
	case W_array_size: return t->layers;
	case W_normalized_coords: return t->normalized;
	case W_channel_data_type: return channel_type(t);
	case W_channel_order: return channel_order(t);
	case W_filter_mode: return t->filters;
	case W_addr_mode_0: return address_mode(t, 0);
	case W_addr_mode_1: return address_mode(t, 1);
	case W_addr_mode_2: return address_mode(t, 2);
	case W_memory_layout: return t->linear;
	/* num_mipmap_levels and num_samples are 0 for a texture without them */
	default: return 0;
	}
}

/* Whether HANDLE is that of a texture or surface, or the address of a variable of TYPE. */
static bool is_opaque(const struct machine *m, enum type type, uint64_t handle)
{
	const struct texture *t = memory_texture_find(m->memory, handle);

	if (t)
		return type != TYPE_samplerref && t->surface == (type == TYPE_surfref);
	for (uint32_t k = 0; k < m->module->nvars; k++)
		if (m->module->var[k].type == type && m->module->var[k].space == W_global &&
			memory_var_address(m, k) == handle)
			return true;
	return false;
}

static void exec_is(struct warp *w, const struct op *op, uint32_t mask)
{
	const struct op_texture *x = op->access.texture;
	const uint64_t *handle = op_place(w, x->handle);

	FOR_LANES(lane, mask)
		op_set(w, op, 0, lane, is_opaque(w->machine, (enum type)x->query, handle[lane]));
	if (w->frame->defined)
		undefined_whole(w, op->at[0], op->width[0], mask, 0);
}

/* --- suld, sust, sured --- */

/* Sets ADDRESS to where the N bytes of LANE are. False: outside. */
static bool place_element(const struct warp *w, const struct op_texture *x, unsigned lane,
	const struct texture *t, unsigned n, uint64_t *address)
{
	int32_t c[4] = {0, 0, 0, (int32_t)word_at(w, x->layer, lane)};
	uint64_t offset;
	bool inside;

	for (unsigned d = 0; d < x->dimensions; d++)
		c[d] = (int32_t)word_at(w, x->coordinate[d], lane);
	inside = surface_place(t, c, x->samples ? n : 1, n, &offset);
	*address = t->address + offset;
	return inside;
}

static void fault_outside(
	struct warp *w, const struct op *op, unsigned lane, const struct texture *t)
{
	const struct op_texture *x = op->access.texture;
	struct diag *r = fault_begin(w, op, lane, DIAG_F0215,
		"%s.trap accesses %s %d of a row of %" PRIu64 " %s%s",
		opcode_text(ir_form(op_insn(w, op))->opcode), x->samples ? "texel" : "byte",
		(int32_t)word_at(w, x->coordinate[0], lane),
		(uint64_t)t->size[0] * (x->samples ? 1 : texel_bytes(t)),
		x->samples ? "texels" : "bytes",
		x->dimensions > 1 || x->array ? ", or a row or layer that the surface does not have"
					      : "");

	if (r)
		fault_end(w);
}

/* sured: the element of LANE at HOST. */
static void reduce_element(const struct warp *w, const struct op *op, unsigned lane, uint8_t *host,
	const struct texture *t)
{
	const struct op_texture *x = op->access.texture;
	const unsigned n = op->access.bytes;
	const uint64_t ones = n == 8 ? UINT64_MAX : UINT32_MAX,
		       b = register_get(op_place(w, x->value[0]), lane, x->value_bytes[0]);
	const bool is_signed = x->samples ? t->kind == TEXEL_SIGNED : op->access.is_signed;
	uint64_t old = element_load(host, n, __ATOMIC_RELAXED), was;

	for (;;) {
		was = element_swap(host, n, old,
			atomic_integer((enum atomic)op->access.atomic,
				is_signed ? (ones >> 1) + 1 : 0, ones, old, b & ones, 0));
		if (was == old)
			return;
		old = was;
	}
}

/* sust.p: the texel of LANE at HOST. */
static void put_texel(const struct warp *w, const struct op *op, unsigned lane, uint8_t *host,
	const struct texture *t)
{
	const struct op_texture *x = op->access.texture;
	const unsigned each = t->bits / 8u;
	uint8_t texel[TEXEL_MOST];

	for (unsigned k = 0; k < t->channels; k++) {
		uint64_t v = 0;

		surface_put(t, texel, k,
			(uint32_t)register_get(op_place(w, x->value[k]), lane, x->value_bytes[k]));
		memcpy(&v, texel + k * each, each);
		element_store(host + k * each, v, each, __ATOMIC_RELAXED);
	}
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

/* What --check=init follows: the N bytes at A of the lanes of MASK. A value that is converted or
 * combined is used here. */
static void surface_defined(struct warp *w, const struct op *op, uint32_t mask,
	const struct access *a, const struct texture *t, unsigned n)
{
	const struct op_texture *x = op->access.texture;

	if (!w->frame->defined || !mask)
		return;
	if (x->what == SURFACE_LOAD)
		return;
	if (x->what == SURFACE_STORE) {
		for (unsigned k = 0; k < op->access.vector; k++)
			undefined_store(w, op, mask, a, k, x->value[k], x->value_bytes[k]);
		return;
	}
	for (unsigned k = 0; k < (x->what == SURFACE_PUT ? t->channels : 1u); k++)
		undefined_use(w, op, mask, x->value[k], "given to a surface");
	FOR_LANES(lane, mask)
		if (x->what == SURFACE_PUT && a->defined[lane])
			memset(a->defined[lane], 0xff, n);
}

static bool access_surface(
	struct warp *w, const struct op *op, uint32_t mask, const struct texture *t)
{
	const struct op_texture *x = op->access.texture;
	const enum texture_what what = (enum texture_what)x->what;
	const unsigned n = what == SURFACE_PUT ? texel_bytes(t)
					       : (unsigned)op->access.bytes * op->access.vector;
	const bool store = what != SURFACE_LOAD;
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
	if (!reach(w, op, some, n,
		    what == SURFACE_REDUCE ? ACCESS_READ | ACCESS_WRITE | ACCESS_ATOMIC
			    : store        ? ACCESS_WRITE
					   : ACCESS_READ,
		    &a))
		return false;
	w->effect |= store && some;
	surface_defined(w, op, some, &a, t, n);
	FOR_LANES(lane, mask) {
		uint8_t *host = some >> lane & 1 ? a.host[lane] : NULL;

		if (what == SURFACE_REDUCE && host)
			reduce_element(w, op, lane, host, t);
		else if (what == SURFACE_PUT && host)
			put_texel(w, op, lane, host, t);
		else if (what == SURFACE_LOAD || (what == SURFACE_STORE && host))
			for (unsigned k = 0; k < op->access.vector; k++)
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
	if (x->what == TEXTURE_IS) {
		exec_is(w, op, mask);
		return FLOW_NEXT;
	}
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
		case TEXTURE_IS: break;
		case SURFACE_LOAD:
		case SURFACE_STORE:
		case SURFACE_PUT:
		case SURFACE_REDUCE: ok = access_surface(w, op, same, t); break;
		}
		if (!ok)
			return FLOW_STOP;
		mask &= ~same;
	}
	return FLOW_NEXT;
}
