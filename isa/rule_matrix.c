/* Rules for textures, tensor copies and matrix instructions (PTX ISA 9.7.10.28.5, 9.7.12, 9.7.16 to
 * 9.7.18). They check the form of operands only. */
#include "isa/rule.h"
#include <stdlib.h>
#include <string.h>

static const struct spec element = {.kind = SPEC_SOURCE, .name = "r"};
static const struct spec reg = {.kind = SPEC_REG, .name = "r"};

static bool scalar_at(const struct view *v, const struct spec *s, enum type t, int operand, int sub,
	const struct isa_operand *o, struct miss *m)
{
	if (scalar_fits(v, s, t, o, m))
		return true;
	m->operand = operand;
	m->sub = sub;
	return false;
}

/* Checks a vector of 32-bit elements: coordinates, offsets or gradients. FIRST: type of the first
 * element. */
static bool check_words32(const struct view *v, int operand, enum type first,
	const struct isa_operand *o, struct miss *m)
{
	if (!elements_agree(o, m)) {
		m->operand = operand;
		return false;
	}
	if (o->nsub && o->sub[0].kind == OPERAND_REG &&
		!scalar_at(v, &reg, first, operand, -1, &o->sub[0], m))
		return false;
	for (unsigned i = 0; i < o->nsub; i++)
		if (o->sub[i].kind == OPERAND_REG &&
			!scalar_at(v, &reg, TYPE_b32, operand, -1, &o->sub[i], m))
			return false;
	return true;
}

/* Checks the base of [texture, ...] and [surface, ...]: a variable of type T, or its address in a
 * 64-bit register. */
static bool handle_fits(const struct view *v, enum type t, struct miss *m)
{
	for (unsigned k = 0; k < v->noperands; k++) {
		const struct isa_operand *a = &v->operands[k], *b = a->sub;

		if (a->kind != OPERAND_ADDRESS || !a->nsub)
			continue;
		if (a->sum)
			return rule_says(m, -1, (int)k,
				"an offset cannot be added to a texture or surface", NULL);
		if (b->kind == OPERAND_VAR
				? b->type != t && !(t == TYPE_texref && b->type == TYPE_samplerref)
				: b->kind != OPERAND_REG || type_info[b->type].bits != 64 ||
					!type_agrees(TYPE_b64, (enum type)b->type, false) ||
					type_info[b->type].class == CLASS_FLOAT)
			return rule_says(m, -1, (int)k,
				t == TYPE_texref
					? "this must be a .texref variable, or its address in a 64-bit register"
					: "this must be a .surfref variable, or its address in a 64-bit register",
				NULL);
	}
	return true;
}

bool rule_texture(const struct view *v, struct miss *m)
{
	int sampler = view_find(v, W_force_unnormalized_coords);
	const struct isa_operand *a = &v->operands[1];
	if (sampler >= 0 && a->kind == OPERAND_ADDRESS && a->nsub &&
		a->sub[0].kind == OPERAND_VAR && a->sub[0].type == TYPE_texref)
		return rule_says(m, sampler, 1, "this query requires a .samplerref", NULL);
	return handle_fits(v, TYPE_texref, m);
}
bool rule_surface_query(const struct view *v, struct miss *m)
{
	return handle_fits(v, TYPE_surfref, m);
}

static unsigned coordinates(const struct view *v)
{
	for (unsigned i = 0; i < v->nwords; i++)
		switch (v->words[i]) {
		case W_1d: return 1;
		case W_2d:
		case W_a1d: return 2;
		case W_3d:
		case W_a2d:
		case W_cube:
		case W_acube:
		case W_2dms:
		case W_a2dms: return 3;
		default: break;
		}
	return 1;
}

/* Checks that the coordinates C of operand K suffice for the geometry. */
static bool enough_coordinates(
	const struct view *v, unsigned k, const struct isa_operand *c, struct miss *m)
{
	if (c->kind != OPERAND_VECTOR ||
		(c->nsub != 3 && c->nsub <= 4 && c->nsub >= coordinates(v)))
		return true;
	return rule_says(m, -1, (int)k,
		"coordinates must be a vector of one, two or four elements that suffices for the geometry (three dimensions take four)",
		NULL);
}

/* Whether O is a .f16x2 register, or a vector whose registers all are. */
static bool packed_alone(const struct isa_operand *o)
{
	bool vector = o->kind == OPERAND_VECTOR, packed = false;

	for (unsigned i = 0; i < (vector ? o->nsub : 1); i++) {
		const struct isa_operand *e = vector ? &o->sub[i] : o;

		if (e->kind == OPERAND_REG && e->type != TYPE_f16x2)
			return false;
		packed |= e->kind == OPERAND_REG;
	}
	return packed;
}

bool rule_surface(const struct view *v, struct miss *m)
{
	if (!handle_fits(v, TYPE_surfref, m))
		return false;

	for (unsigned k = 0; k < v->noperands; k++) {
		const struct isa_operand *a = &v->operands[k];
		if (a->kind != OPERAND_ADDRESS)
			continue;
		if (a->nsub != 2)
			return rule_says(m, -1, (int)k,
				"a surface is read and written as [surface, coordinates]", NULL);
		if (!enough_coordinates(v, k, &a->sub[1], m))
			return false;
		if (packed_alone(&a->sub[1]))
			return rule_says(m, -1, (int)k, "coordinates are integers", NULL);
		if (a->sub[1].kind == OPERAND_REG
				? !scalar_at(v, &reg, TYPE_s32, (int)k, 1, &a->sub[1], m)
				: !check_words32(v, (int)k, TYPE_s32, &a->sub[1], m))
			return false;
	}
	return true;
}

static bool is_array(const struct view *v)
{
	return view_has(v, W_a1d) || view_has(v, W_a2d) || view_has(v, W_acube) ||
		view_has(v, W_a2dms);
}

/* Whether O, or an element of it, is floating point. */
static bool has_float(const struct isa_operand *o)
{
	if (o->kind != OPERAND_VECTOR)
		return o->kind == OPERAND_FLOAT ||
			(o->kind == OPERAND_REG && type_info[o->type].class == CLASS_FLOAT);
	for (unsigned i = 0; i < o->nsub; i++)
		if (has_float(&o->sub[i]))
			return true;
	return false;
}

/* Checks what depends on the geometry: the type of the coordinates, the index of an array,
 * gradients, offsets, the depth for comparison. */
static bool texture_shape(const struct view *v, const struct isa_operand *c, struct miss *m)
{
	bool cube = view_has(v, W_cube) || view_has(v, W_acube),
	     samples = view_has(v, W_2dms) || view_has(v, W_a2dms), grad = view_has(v, W_grad);
	unsigned first = grad          ? 4
		: view_has(v, W_level) ? 3
				       : 2,
		 space = view_has(v, W_3d)                ? 4
		: view_has(v, W_1d) || view_has(v, W_a1d) ? 1
							  : 2;
	const struct isa_operand *index = c->kind == OPERAND_VECTOR ? c->sub : c;

	if (cube && view_type(v, 1) != TYPE_f32)
		return rule_says(m, -1, -1, "the coordinates of a cube are .f32", NULL);
	if (samples && view_type(v, 1) != TYPE_s32)
		return rule_says(
			m, -1, -1, "the coordinates of a multi-sample texture are .s32", NULL);
	if (samples && (grad || view_has(v, W_level)))
		return rule_says(
			m, -1, -1, "a multi-sample texture has neither levels nor gradients", NULL);
	if (samples && !rule_since(v, m, 32, 30, -1))
		return false;
	bool array = is_array(v);
	if (array && index->kind == OPERAND_REG && index->type == TYPE_f16x2)
		return rule_says(m, -1, 1, "the index of an array is an integer", NULL);
	if (array && index->kind == OPERAND_REG && !scalar_at(v, &reg, TYPE_u32, 1, -1, index, m))
		return false;
	for (unsigned k = 2; grad && k < 4 && k < v->noperands; k++)
		if (v->operands[k].kind != OPERAND_VECTOR || v->operands[k].nsub == 3 ||
			(!cube && v->operands[k].nsub != space))
			return rule_says(m, -1, (int)k,
				"a gradient must be a vector with one element per dimension of the geometry (three take four)",
				NULL);
	for (unsigned k = first; k < v->noperands; k++) {
		const struct isa_operand *o = &v->operands[k];
		bool offset = o->kind == OPERAND_VECTOR || k + 1 < v->noperands;

		if (offset && has_float(o))
			return rule_says(m, -1, (int)k, "offsets are integers", NULL);
		if (o->kind == OPERAND_REG && o->type == TYPE_f16x2)
			return rule_says(m, -1, (int)k, "this must be offsets or a depth", NULL);
		if (o->kind == OPERAND_VECTOR
				? cube || o->nsub == 3 || o->nsub > 4 || o->nsub < space
				: space == 4)
			return rule_says(m, -1, (int)k,
				o->kind != OPERAND_VECTOR
					? "depth comparison is not available in three dimensions"
					: cube
					? "a cube takes no offsets"
					: "offsets must be a vector with one element per dimension of the geometry (three take four)",
				NULL);
	}
	const struct isa_operand *depth = first < v->noperands ? &v->operands[v->noperands - 1]
							       : NULL;
	bool compared = depth &&
		(depth->kind == OPERAND_FLOAT ||
			(depth->kind == OPERAND_REG &&
				(depth->type == TYPE_f32 || first + 1 < v->noperands)));
	if (compared && view_type(v, 1) == TYPE_s32)
		return rule_says(m, -1, (int)v->noperands - 1,
			"a depth is compared with .f32 coordinates only", NULL);
	if (first + 1 < v->noperands && v->operands[first].kind != OPERAND_VECTOR && space != 1)
		return rule_says(m, -1, (int)first, "offsets are a vector", NULL);
	return !depth || rule_since(v, m, 43, 30, -1); /* has offsets, or a depth */
}

bool rule_tex(const struct view *v, struct miss *m)
{
	const struct isa_operand *a = &v->operands[1];
	if (!handle_fits(v, TYPE_texref, m))
		return false;
	if (a->nsub < 2 || a->nsub > 3)
		return rule_says(m, -1, 1,
			"a texture is read as [texture, coordinates] or [texture, sampler, coordinates]",
			NULL);
	const struct isa_operand *c = &a->sub[a->nsub - 1];
	if (!enough_coordinates(v, 1, c, m))
		return false;
	if (c->kind == OPERAND_REG &&
		!scalar_at(v, &reg, view_type(v, 1) == TYPE_s32 ? TYPE_s32 : TYPE_b32, 1, -1, c, m))
		return false;
	/* skip an array's index, whose type is its own; ptxas checks only the type of the first
	 * element */
	struct isa_operand plain = *c;
	enum type first = view_type(v, 1) == TYPE_s32 ? TYPE_s32 : TYPE_b32;
	if (c->kind == OPERAND_VECTOR && c->nsub && is_array(v)) {
		plain.sub++;
		plain.nsub--;
		first = TYPE_b32;
	}
	if (!check_words32(v, 1, first, &plain, m))
		return false;
	if (!texture_shape(v, c, m))
		return false;
	for (unsigned k = 2; k < v->noperands; k++)
		if (v->operands[k].kind != OPERAND_VECTOR && v->operands[k].kind != OPERAND_REG &&
			v->operands[k].kind != OPERAND_INT && v->operands[k].kind != OPERAND_FLOAT)
			return rule_says(m, -1, (int)k,
				"this must be offsets, gradients or a depth: registers or a vector of them",
				NULL);
	for (unsigned k = 2; k < v->noperands; k++)
		if (v->operands[k].kind == OPERAND_VECTOR
				? !check_words32(v, (int)k, TYPE_b32, &v->operands[k], m)
				: v->operands[k].kind == OPERAND_REG &&
					!scalar_at(
						v, &reg, TYPE_b32, (int)k, -1, &v->operands[k], m))
			return false;
	return true;
}

/* The number of dimensions: N of .Nd. */
static unsigned dimensions(const struct view *v)
{
	for (unsigned i = 0; i < v->nwords; i++)
		if (v->words[i] >= W_1d && v->words[i] <= W_5d)
			return (unsigned)(v->words[i] - W_1d) + 1;
	return 0;
}

bool rule_tensor(const struct view *v, struct miss *m)
{
	static const char *const count =
		"the number of coordinates must be the number of dimensions (five for .tile::gather4 and .tile::scatter4)";
	unsigned n = dimensions(v);
	int all = view_find(v, W_multicast__cluster);
	bool override = view_has(v, W_override__global_address),
	     sizes = view_has(v, W_override__global_dim) ||
		view_has(v, W_override__global_dim_stride);
	if (view_has(v, W_multicast__cluster__16b))
		all = view_find(v, W_multicast__cluster__16b);
	if (view_has(v, W_multicast__cluster__32b))
		all = view_find(v, W_multicast__cluster__32b);
	if (sizes && !override)
		return rule_says(m, -1, -1,
			"overriding the sizes of a tensor requires .override::global_address",
			NULL);
	if (sizes && view_has(v, W_override__global_dim) != (n == 1))
		return rule_says(m, -1, -1,
			".override::global_dim is for .1d, .override::global_dim_stride for more dimensions",
			NULL);
	if (all >= 0 && view_space(v, 0) == W_shared__cta)
		return rule_says(
			m, all, -1, ".multicast::cluster copies to .shared::cluster", NULL);
	bool four = view_has(v, W_tile__gather4) || view_has(v, W_tile__scatter4), seen = false;
	if (sizes && (four || view_has(v, W_im2col_no_offs) || view_has(v, W_im2col_no_offs__w)))
		return rule_says(
			m, -1, -1, "overriding the sizes of a tensor is for the mode .tile", NULL);
	if (sizes && all >= 0 && !view_has(v, W_multicast__cluster__32b))
		return rule_says(m, all, -1,
			"overriding the sizes of a tensor goes with .multicast::cluster::32b",
			NULL);
	if (four && !view_has(v, W_2d))
		return rule_says(
			m, -1, -1, "gather4 and scatter4 require two dimensions: .2d", NULL);
	if (four)
		n = 5;
	for (unsigned k = 0; k < v->noperands; k++) {
		const struct isa_operand *a = &v->operands[k];
		if (a->kind != OPERAND_ADDRESS || a->nsub < 2)
			continue;
		seen = true;
		const struct isa_operand *b = &a->sub[0];
		unsigned class = type_info[b->type].class, bits = type_info[b->type].bits;
		if (b->kind == OPERAND_REG ? bits > 64 ||
					(class != CLASS_BITS && class != CLASS_UNSIGNED &&
						class != CLASS_SIGNED)
					   : b->kind != OPERAND_VAR || class == CLASS_OPAQUE ||
					b->space != W_global)
			return rule_says(
				m, -1, (int)k, "the tensor map is at a generic address", NULL);
		/* ptxas does not check the width */
		m->lax |= b->kind == OPERAND_REG && bits < 64;
		unsigned extra = (override ? 1u : 0) + (!sizes ? 0 : n == 1 ? 1u : 3u);
		if (extra && a->nsub != 2 + extra)
			return rule_says(m, -1, (int)k,
				"between the tensor map and the coordinates are the overriding values: an address, then the sizes or the sizes, lower and upper strides",
				NULL);
		if (extra && !scalar_at(v, &element, TYPE_u64, (int)k, 1, &a->sub[1], m))
			return false;
		const struct isa_operand *c = &a->sub[1 + extra];
		if (packed_alone(c))
			return rule_says(m, -1, (int)k, "coordinates are integers", NULL);
		if (c->kind != OPERAND_VECTOR) {
			if (n != 1)
				return rule_says(m, -1, (int)k, count, NULL);
			return scalar_at(v, &element, TYPE_s32, (int)k, 1, c, m);
		}
		if (c->nsub != n)
			return rule_says(m, -1, (int)k, count, NULL);
		if (!elements_agree(c, m)) {
			m->operand = (int)k;
			return false;
		}
		for (unsigned i = 0; i < n; i++)
			if (!scalar_at(v, &element, TYPE_s32, (int)k, 1, &c->sub[i], m))
				return false;
		break;
	}
	if (!seen)
		return rule_says(m, -1, -1,
			"the tensor map and its coordinates must be in brackets: [%rd1, {%r1, %r2}]",
			NULL);
	if (n < 3 && (view_has(v, W_im2col_no_offs) || view_has(v, W_im2col_no_offs__w)))
		return rule_says(m, -1, -1,
			".im2col_no_offs is for tensors of three or more dimensions", NULL);
	unsigned offsets = view_has(v, W_im2col)                            ? n - 2
		: view_has(v, W_im2col__w) || view_has(v, W_im2col__w__128) ? 2
									    : 0;
	for (unsigned k = 1; offsets && k < v->noperands; k++)
		if (v->operands[k].kind == OPERAND_VECTOR && v->operands[k].nsub != offsets)
			return rule_says(m, -1, (int)k,
				".im2col has two fewer offsets than dimensions, .im2col::w has two offsets",
				NULL);
	return true;
}

bool rule_prefetch_priority(const struct view *v, struct miss *m)
{
	int priority = view_find(v, W_L2__evict_last);

	return priority < 0 || !view_has(v, W_L2__cache_hint) ||
		rule_says(m, priority, -1,
			"a cache hint and an eviction priority exclude each other",
			"keep one of them");
}

/* The type of a register that holds elements of type T in a fragment. */
static enum type fragment_register(enum type t)
{
	switch ((int)t) {
	case TYPE_f32:
	case TYPE_f64:
	case TYPE_s32: return t;
	case TYPE_f16: return TYPE_f16x2;
	default: return TYPE_b32;
	}
}

static bool fragment_fits(const struct view *v, int k, enum type t, struct miss *m)
{
	const struct isa_operand *o = &v->operands[k];
	if (o->kind != OPERAND_VECTOR)
		return true;
	if (!elements_agree(o, m)) {
		m->operand = k;
		return false;
	}
	for (unsigned i = 0; i < o->nsub; i++)
		if (o->sub[i].kind == OPERAND_REG &&
			!scalar_at(v, &reg, fragment_register(t), k, (int)i, &o->sub[i], m))
			return false;
	return true;
}

static bool count_is(const struct view *v, int k, unsigned n, struct miss *m)
{
	if (v->operands[k].kind == OPERAND_VECTOR && v->operands[k].nsub != n) {
		*m = (struct miss){.kind = MISS_VECTOR,
			.expected = (uint8_t)n,
			.word = -1,
			.operand = k,
			.sub = -1,
			.slot = -1,
			.count = 1,
			.spec = &reg};
		return false;
	}
	return true;
}

/* The number after LETTER in the shape word: m16n8k32. */
static unsigned shape_number(const struct view *v, char letter)
{
	for (unsigned i = 0; i < v->nwords; i++) {
		if (v->words[i] >= WORD_COUNT || isa_word_info[v->words[i]].category != CAT_shape)
			continue;
		const char *p = strchr(word_text((enum word)v->words[i]), letter);
		return p ? (unsigned)strtoul(p + 1, NULL, 10) : 0;
	}
	return 0;
}

/* Registers per lane for matrix a, b or c (which includes d) of a wmma shape. */
static unsigned registers_of(const struct view *v, char matrix, enum type t)
{
	unsigned rows = shape_number(v, 'm'), columns = shape_number(v, 'n'),
		 depth = shape_number(v, 'k'), bits = type_info[t].bits;
	if (t == TYPE_tf32)
		bits = 32;
	if (t == TYPE_f64)
		bits = 32; /* counted in registers of 64 bits */
	unsigned elements = matrix == 'a' ? rows * depth
		: matrix == 'b'           ? columns * depth
					  : rows * columns;
	unsigned n = elements * bits / 32 / 32;
	return t == TYPE_f16 && matrix != 'c' ? 8 : n ? n : 1; /* .f16 operands are stored twice */
}

bool rule_wmma(const struct view *v, struct miss *m)
{
	int aligned = view_find(v, W_aligned);
	if (aligned >= 0 && !rule_since(v, m, 63, 70, aligned))
		return false;
	if (aligned < 0 && v->target->ptx >= 63)
		return rule_says(m, -1, -1, "with PTX 6.3 or later wmma requires .aligned",
			"wmma....sync.aligned");
	if (view_has(v, W_load)) {
		char matrix = view_has(v, W_a) ? 'a' : view_has(v, W_b) ? 'b' : 'c';
		return fragment_fits(v, 0, view_type(v, 0), m) &&
			count_is(v, 0, registers_of(v, matrix, view_type(v, 0)), m);
	}
	if (view_has(v, W_store))
		return fragment_fits(v, 1, view_type(v, 0), m) &&
			count_is(v, 1, registers_of(v, 'c', view_type(v, 0)), m);
	/* the .f16 forms only name the types of d and c */
	bool two = !view_type(v, 2);
	if (two && view_has(v, W_satfinite) && v->target->ptx >= 65)
		return rule_says(m, view_find(v, W_satfinite), -1,
			".satfinite with floating-point types ended with PTX 6.4", NULL);
	if (!two && view_type(v, 1) != view_type(v, 2))
		return rule_says(m, v->slot_from[v->row->type[2] - 1], -1,
			"both factors of wmma must have the same type",
			"mma allows .s8 with .u8, and .s4 with .u4");
	for (unsigned k = 0; k < 4; k++) {
		enum type t = !two ? view_type(v, k)
			: k == 0   ? view_type(v, 0)
			: k == 3   ? view_type(v, 1)
				   : TYPE_f16;
		if (!fragment_fits(v, (int)k, t, m) ||
			!count_is(v, (int)k, registers_of(v, "cabc"[k], t), m))
			return false;
	}
	return true;
}

/* Checks the selectors after the scales of A and B: {byte-id, thread-id}. */
static bool scale_selectors(const struct view *v, struct miss *m)
{
	unsigned most = view_has(v, W_scale_vec__4X) ? 0
		: view_has(v, W_kind__mxf8f6f4)      ? 3
						     : 2,
		 step = view_has(v, W_kind__mxf8f6f4) ? 1 : 2;

	for (unsigned side = 0; side < 2; side++) {
		unsigned k = v->noperands - (side ? 1 : 3);
		const struct isa_operand *o = &v->operands[k];

		if (o->kind != OPERAND_VECTOR || o->nsub != 2)
			return rule_says(m, -1, (int)k,
				"this must be the byte-id and thread-id of the scale, such as {0, 0}",
				NULL);
		for (unsigned i = 0; i < 2; i++)
			if (!scalar_at(v, &element, TYPE_u16, (int)k, (int)i, &o->sub[i], m))
				return false;
		if (o->sub[0].kind == OPERAND_INT &&
			(o->sub[0].value > most || o->sub[0].value % step))
			return rule_says(m, -1, (int)k,
				"byte-id must be 0 with .scale_vec::4X, 0 or 2 with .scale_vec::2X, 0 to 3 with .scale_vec::1X",
				NULL);
		if (o->sub[1].kind == OPERAND_INT && o->sub[1].value > (side ? 3 : 1))
			return rule_says(m, -1, (int)k,
				"thread-id must be 0 or 1 for the scale of A, 0 to 3 for the scale of B",
				NULL);
	}
	return true;
}

bool rule_mma(const struct view *v, struct miss *m)
{
	bool small = shape_number(v, 'm') == 8;
	for (unsigned k = 0; k < 4; k++) {
		enum type t = view_type(v, k);
		if (!fragment_fits(v, (int)k, t, m))
			return false;
		if ((k == 0 || k == 3) && (t == TYPE_f16 || t == TYPE_f32) &&
			!count_is(v, (int)k, (small ? 4u : 2u) << (t == TYPE_f32), m))
			return false;
	}
	if (view_has(v, W_block_scale) && !scale_selectors(v, m))
		return false;
	int twice = view_find(v, W_scale_vec__2X);
	if (twice >= 0 && view_has(v, W_ue4m3))
		return rule_says(
			m, twice, -1, "scales of type .ue4m3 require .scale_vec::4X", NULL);
	int four = view_find(v, W_scale_vec__4X);
	if (four >= 0 && view_has(v, W_ue8m0) && !rule_since(v, m, 91, 120, four))
		return false;
	if (!small && view_type(v, 0) == TYPE_f32 && view_type(v, 3) == TYPE_f16)
		return rule_says(m, -1, -1, "with .f16 accumulators the result is .f16 too", NULL);
	if (view_type(v, 0) == TYPE_f16 && view_type(v, 3) == TYPE_f32)
		return rule_says(m, -1, -1, "with .f32 accumulators the result is .f32 too", NULL);
	if (view_has(v, W_sp) || view_has(v, W_sp__ordered_metadata)) {
		/* sparse shapes come in pairs; the smaller one has half the registers */
		unsigned k = shape_number(v, 'k'), bits = type_info[view_type(v, 1)].bits;
		if (view_type(v, 1) == TYPE_tf32)
			bits = 32;
		if (view_has(v, W_block_scale))
			return true;
		unsigned n = view_has(v, W_kind__f8f6f4) ? 4
			: bits                           ? k * bits / 128
							 : 0,
			 most = bits >= 16 ? 3 : 1;
		const struct isa_operand *lanes = &v->operands[5];
		/* ptxas does not narrow the range for .f16 */
		most = n == 4 && view_type(v, 1) != TYPE_f16 ? most >> 1 : most;
		if (v->noperands > 5 && lanes->kind == OPERAND_INT && lanes->value > most)
			return rule_says(m, -1, 5,
				most == 1 ? "the sparsity selector must be 0 or 1 here"
					  : "the sparsity selector must be 0 here",
				NULL);
		if (view_has(v, W_kind__f8f6f4))
			return true;
		return n != 2 && n != 4 ? true : count_is(v, 1, n, m) && count_is(v, 2, n, m);
	}
	return true;
}

bool rule_wgmma(const struct view *v, struct miss *m)
{
	static const char *const trans =
		"with A in registers there is one transposition constant, with two descriptors there are two";
	unsigned n = shape_number(v, 'n');
	enum type t = view_type(v, 0);
	if (!count_is(v, 0, t == TYPE_f16 ? n / 4 : n / 2, m) || !fragment_fits(v, 0, t, m))
		return false;
	const struct isa_operand *a = &v->operands[1];
	bool registers = a->kind == OPERAND_VECTOR;
	if (registers ? !count_is(v, 1, 4, m) || !fragment_fits(v, 1, TYPE_b32, m)
		      : !scalar_at(v, &reg, TYPE_u64, 1, -1, a, m))
		return false;
	int d = view_has(v, W_sp) ? 5 : 3;
	const struct isa_operand *s = &v->operands[d];
	if (s->kind != OPERAND_INT && !(s->kind == OPERAND_REG && s->type == TYPE_pred))
		return rule_says(m, -1, d, "scale-d is a predicate", NULL);
	for (unsigned k = (unsigned)d + 1; k < v->noperands && k < (unsigned)d + 5; k++) {
		int64_t x = (int64_t)v->operands[k].value;
		if (k <= (unsigned)d + 2 ? x != 1 && x != -1 : x != 0 && x != 1)
			return rule_says(m, -1, (int)k,
				k <= (unsigned)d + 2 ? "a scale is 1 or -1"
						     : "a transposition is 0 or 1",
				NULL);
	}
	unsigned last = (unsigned)d + 3;
	if (view_type(v, 1) == TYPE_f16 || view_type(v, 1) == TYPE_bf16)
		return v->noperands == last + 1u + !registers || rule_says(m, -1, -1, trans, NULL);
	return true;
}

static unsigned repetition(const struct view *v)
{
	for (unsigned i = 0; i < v->nwords; i++)
		if (v->words[i] >= W_x1 && v->words[i] <= W_x128)
			return 1u << (v->words[i] - W_x1);
	return 1;
}

static bool vector_has(const struct view *v, unsigned n, struct miss *m)
{
	for (unsigned k = 0; k < v->noperands; k++) {
		const struct isa_operand *o = &v->operands[k];
		if (o->kind == OPERAND_VECTOR) {
			for (unsigned i = 0; i < o->nsub; i++)
				if (o->sub[i].kind == OPERAND_REG &&
					!scalar_at(
						v, &reg, TYPE_b32, (int)k, (int)i, &o->sub[i], m))
					return false;
			return count_is(v, (int)k, n, m);
		}
	}
	return true;
}

bool rule_matrix_count(const struct view *v, struct miss *m)
{
	return vector_has(v, repetition(v) * (view_has(v, W_m16n16) ? 2 : 1), m);
}

/* The numbers A:B of .sp::A:B. */
static void sparsity(const struct view *v, unsigned *a, unsigned *b)
{
	for (unsigned i = 0; i < v->nwords; i++)
		if (v->words[i] >= W_sp_1_2 && v->words[i] <= W_sp_4_16) {
			char *end;
			*a = (unsigned)strtoul(
				word_text((enum word)v->words[i]) + strlen("sp::"), &end, 10);
			*b = (unsigned)strtoul(end + 1, NULL, 10);
		}
}

static unsigned words_for(unsigned bits) { return (bits + 31) / 32; }

bool rule_sparse(const struct view *v, struct miss *m)
{
	unsigned from = 2, to = 4,
		 each = view_has(v, W_b8) ? 8
		: view_has(v, W_b16)      ? 16
					  : 32,
		 index = view_has(v, W_b2) ? 2 : 4, num = repetition(v), count[3];
	bool expands = v->op == OP_spdecompress;

	sparsity(v, &from, &to);
	if (expands && from * each > 32)
		return rule_says(
			m, -1, -1, "one group of compressed elements has at most 32 bits", NULL);
	if (expands && index == 2 && to > 4)
		return rule_says(
			m, -1, -1, "two-bit indices are for groups of four elements", NULL);
	if (expands && (to * each * num < 32 || to * each * num > 4096))
		return rule_says(m, -1, -1, "the dense vector has 32 to 4096 bits", NULL);
	if (expands) {
		count[0] = words_for(to * each * num);
		count[1] = words_for(from * index * num);
		count[2] = words_for(from * each * num);
	} else if (v->op == OP_spcompress) {
		count[0] = (num * index + each - 1) / each;
		count[1] = num;
		count[2] = 2 * num;
	} else { /* tcgen05.ld */
		count[0] = words_for(num);
		count[1] = num / 2;
		count[2] = 0;
	}
	if (count[0] + count[1] + count[2] > 253)
		return rule_says(m, -1, -1, "the vectors have at most 253 registers in all", NULL);
	for (int k = 0; k < 3; k++)
		if (count[k] && (!count_is(v, k, count[k], m) || !fragment_fits(v, k, TYPE_b32, m)))
			return false;
	return true;
}

bool rule_tmem(const struct view *v, struct miss *m)
{
	for (unsigned k = 0; k < v->noperands; k++) {
		const struct isa_operand *a = &v->operands[k];
		if (a->kind == OPERAND_ADDRESS && a->nsub &&
			(a->sub[0].kind != OPERAND_REG ||
				(view_has(v, W_mma) ? a->sub[0].type != TYPE_b32
						    : !type_agrees(TYPE_b32,
							      (enum type)a->sub[0].type, false))))
			return rule_says(m, -1, (int)k,
				"tensor memory is addressed with a .b32 register", NULL);
	}
	return true;
}

bool rule_columns(const struct view *v, struct miss *m)
{
	const struct isa_operand *n = &v->operands[1];
	uint64_t x = n->value;
	if (view_has(v, W_exclusive))
		return n->kind != OPERAND_INT ||
			(x >= 32 && x % 32 == 0 && x <= (v->target->sm == 107 ? 576 : 512)) ||
			rule_says(m, -1, 1,
				"an exclusive allocation has a multiple of 32 columns, at most 512 (576 on sm_107)",
				NULL);
	return n->kind != OPERAND_INT || (x >= 32 && x <= 512 && !(x & (x - 1))) ||
		rule_says(m, -1, 1, "tensor memory is allocated in 32, 64, 128, 256 or 512 columns",
			NULL);
}

bool rule_tcgen05_ld(const struct view *v, struct miss *m)
{
	unsigned each = view_has(v, W_16x128b) ? 2
		: view_has(v, W_16x256b)       ? 4
					       : 1,
		 n = each * repetition(v);
	if (!rule_tmem(v, m))
		return false;
	for (unsigned i = 0; i < v->operands[0].nsub; i++)
		if (v->operands[0].kind == OPERAND_VECTOR &&
			v->operands[0].sub[i].kind == OPERAND_SINK)
			return rule_says(m, -1, 0, "the result of tcgen05.ld cannot be discarded",
				"write a register instead of _");
	return n <= 128
		? vector_has(v, n, m)
		: rule_says(m, -1, -1,
			  "too many repetitions of this shape: the maximum is 128 registers", NULL);
}

/* Checks that the scale vector size is valid for the kind of block scaling. */
static bool scale_fits(const struct view *v, struct miss *m)
{
	static const uint16_t sizes[] = {
		W_scale_vec__1X, W_scale_vec__2X, W_scale_vec__4X, W_block16, W_block32};
	int at = -1;
	unsigned size = 0;
	for (unsigned i = 0; i < 5; i++)
		if (view_find(v, (enum word)sizes[i]) >= 0) {
			at = view_find(v, (enum word)sizes[i]);
			size = sizes[i];
		}
	if (v->target->suffix == 'f' &&
		(size == W_scale_vec__1X || size == W_scale_vec__2X || size == W_scale_vec__4X))
		return rule_says(m, at, -1,
			"family-specific targets (sm_100f) have .block16 and .block32 instead of .scale_vec",
			NULL);
	if (view_has(v, W_kind__mxf4nvf4))
		return size && size != W_scale_vec__1X
			? true
			: rule_says(m, at, -1,
				  ".kind::mxf4nvf4 needs .scale_vec::2X, .scale_vec::4X, .block16 or .block32",
				  NULL);
	if (view_has(v, W_kind__mxf4))
		return !size || size == W_scale_vec__2X || size == W_block32
			? true
			: rule_says(
				  m, at, -1, ".kind::mxf4 takes .scale_vec::2X or .block32", NULL);
	return !size || size == W_scale_vec__1X || size == W_block32
		? true
		: rule_says(m, at, -1, ".kind::mxf8f6f4 takes .scale_vec::1X or .block32", NULL);
}

bool rule_tcgen05_mma(const struct view *v, struct miss *m)
{
	const struct isa_operand *a = &v->operands[1];
	if (!rule_tmem(v, m))
		return false;
	if (view_has(v, W_block_scale) && !scale_fits(v, m))
		return false;
	/* after the instruction descriptor: disable-output-lane, enable-input-d, scale-input-d */
	unsigned k = view_has(v, W_sp) || view_has(v, W_decompress__lut__b) ? 5 : 4;
	bool plain = !view_has(v, W_ws) && !view_has(v, W_block_scale);
	int kept = view_has(v, W_collector__a__fill) ? view_find(v, W_collector__a__fill)
						     : view_find(v, W_collector__a__use);
	if (view_has(v, W_ashift) && kept >= 0)
		return rule_says(m, kept, -1,
			"with .ashift the collector neither fills nor uses its buffer",
			"remove .ashift, or use .collector::a::lastuse or .collector::a::discard");
	if (view_has(v, W_ashift) && a->kind != OPERAND_ADDRESS)
		return rule_says(m, view_find(v, W_ashift), 1,
			".ashift shifts the rows of A in tensor memory: A is an address", NULL);
	if (!plain)
		k = v->noperands;
	if (k < v->noperands && v->operands[k].kind == OPERAND_VECTOR &&
		!count_is(v, (int)k, view_has(v, W_cta_group__2) ? 8 : 4, m))
		return false;
	k += k < v->noperands && v->operands[k].kind == OPERAND_VECTOR;
	if (plain && k >= v->noperands)
		return rule_says(m, -1, -1, "the predicate enable-input-d is missing",
			"tcgen05.mma... [d], a, b, idesc, %p1");
	if (k < v->noperands && v->operands[k].kind != OPERAND_INT &&
		!(v->operands[k].kind == OPERAND_REG && v->operands[k].type == TYPE_pred))
		return rule_says(m, -1, (int)k, "this must be the predicate enable-input-d", NULL);
	if (++k < v->noperands) {
		const struct isa_operand *o = &v->operands[k];

		if (k + 1 < v->noperands || o->kind != OPERAND_INT)
			return rule_says(m, -1, (int)k,
				"only the constant scale-input-d may follow enable-input-d", NULL);
		if (!view_has(v, W_kind__f16) && !view_has(v, W_kind__tf32))
			return rule_says(m, -1, (int)k,
				"scale-input-d is for .kind::f16 and .kind::tf32", NULL);
		if (o->value > 15)
			return rule_says(m, -1, (int)k, "scale-input-d must be 0 to 15", NULL);
	}
	return a->kind == OPERAND_ADDRESS || scalar_at(v, &reg, TYPE_u64, 1, -1, a, m);
}
