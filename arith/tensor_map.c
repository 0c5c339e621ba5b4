/* Tensor maps and the rows of the boxes that copies through them move. */
#include "arith/tensor_map.h"
#include <string.h>

/* --- types --- */

static const struct {
	uint8_t bits, code, plain; /* code: in the image */
	bool tf32;
} types[TENSOR_TYPES] = {
	[TENSOR_U8] = {8, 0, TYPE_u8, false},
	[TENSOR_U16] = {16, 1, TYPE_u16, false},
	[TENSOR_U32] = {32, 2, TYPE_u32, false},
	[TENSOR_S32] = {32, 3, TYPE_s32, false},
	[TENSOR_U64] = {64, 4, TYPE_u64, false},
	[TENSOR_S64] = {64, 5, TYPE_s64, false},
	[TENSOR_F16] = {16, 6, TYPE_f16, false},
	[TENSOR_F32] = {32, 7, TYPE_f32, false},
	[TENSOR_F32_FTZ] = {32, 8, TYPE_f32, false},
	[TENSOR_F64] = {64, 9, TYPE_f64, false},
	[TENSOR_BF16] = {16, 10, TYPE_bf16, false},
	[TENSOR_TF32] = {32, 7, TYPE_f32, true},
	[TENSOR_TF32_FTZ] = {32, 8, TYPE_f32, true},
	/* no GPU here has these: the codes are ptxi's */
	[TENSOR_B4X16] = {4, 11, TYPE_b8, false},
	[TENSOR_B4X16_P64] = {4, 12, TYPE_b8, false},
	[TENSOR_B6X16_P32] = {6, 13, TYPE_b8, false},
};

unsigned tensor_type_bytes(enum tensor_type t)
{
	return types[t].bits < 8 ? 1 : types[t].bits / 8u;
}
static bool tensor_type_padded(enum tensor_type t)
{
	return t == TENSOR_B4X16_P64 || t == TENSOR_B6X16_P32;
}
bool tensor_type_rounds(enum tensor_type t) { return types[t].tf32; }
enum type tensor_type_plain(enum tensor_type t) { return (enum type)types[t].plain; }

uint32_t tensor_round(uint32_t f32)
{
	uint32_t low = f32 & 0x1fff, up = f32 - low;

	if ((f32 & 0x7fffffff) > 0x7f800000)
		return 0x7fffe000;
	return low > 0x1000 || (low == 0x1000 && up & 0x2000) ? up + 0x2000 : up;
}

/* --- the image --- */

/* Word 2. */
enum {
	IM2COL = 0,
	RANK = 4,
	TYPE = 7,
	INTERLEAVE = 11,
	SWIZZLE = 13,
	FILL = 15,
	TF32 = 16,
	PROMOTION = 17,
	/* ptxi's, as the codes of the types below 8 bits: a swizzle of 96 bytes, the atoms */
	SWIZZLE_HIGH = 19,
	ATOM = 20,
	END = 22
};
/* The words. Words 16 and 18 are notes of the driver; copies do not read them. */
enum {
	W_ADDRESS = 0,
	W_FORM = 2,
	W_STRIDE = 3,
	W_STRIDES = 7, /* bits 36 to 39 of the strides */
	W_DIM = 8,
	W_STEPS = 13, /* and, from bit 24 on, the box's dimension 0 or the channels */
	W_BOX = 14,   /* or the corners */
	W_PIXELS = 15,
	W_BYTES = 16,
	W_SHARED = 18,
	WORDS = TENSOR_IMAGE / 4
};

static uint32_t field(uint32_t word, unsigned low, unsigned bits)
{
	return word >> low & ((1u << bits) - 1);
}

static void field_set(uint32_t *word, unsigned low, unsigned bits, uint32_t value)
{
	uint32_t mask = ((1u << bits) - 1) << low;

	*word = (*word & ~mask) | (value << low & mask);
}

static unsigned corner_bits(unsigned rank) { return rank == 3 ? 16 : rank == 4 ? 8 : 5; }

static int32_t corner(uint32_t word, unsigned rank, unsigned k, unsigned half)
{
	unsigned bits = corner_bits(rank);
	uint32_t v = field(word, half + k * bits, bits);

	return (int32_t)(v ^ 1u << (bits - 1)) - (int32_t)(1u << (bits - 1));
}

static bool type_read(uint32_t word, uint8_t *type)
{
	for (unsigned t = 0; t < TENSOR_TYPES; t++)
		if (types[t].code == field(word, TYPE, 4) &&
			types[t].tf32 == field(word, TF32, 1)) {
			*type = (uint8_t)t;
			return true;
		}
	return false;
}

bool tensor_map_read(const unsigned char *image, struct tensor_map *m)
{
	uint32_t w[WORDS], form;

	memcpy(w, image, sizeof w);
	form = w[W_FORM];
	*m = (struct tensor_map){.im2col = field(form, IM2COL, 1),
		.rank = (uint8_t)(field(form, RANK, 3) + 1),
		.interleave = (uint8_t)field(form, INTERLEAVE, 2),
		.swizzle = (uint8_t)(field(form, SWIZZLE, 2) | field(form, SWIZZLE_HIGH, 1) << 2),
		.atom = (uint8_t)field(form, ATOM, 2),
		.promotion = (uint8_t)field(form, PROMOTION, 2),
		.nan = field(form, FILL, 1),
		.address = (uint64_t)w[W_ADDRESS + 1] << 32 | w[W_ADDRESS]};
	if (form >> END || field(form, 1, 3) || m->rank > TENSOR_DIMS || m->interleave > 2 ||
		m->swizzle > SWIZZLE_96 || !type_read(form, &m->type) || (m->im2col && m->rank < 3))
		return false;
	for (unsigned k = 0; k < m->rank; k++) {
		m->dim[k] = (uint64_t)w[W_DIM + k] + 1;
		m->step[k] = field(w[W_STEPS], 3 * k, 3) + 1;
		if (k + 1 < m->rank)
			m->stride[k] =
				((uint64_t)field(w[W_STRIDES], 4 * k, 4) << 32 | w[W_STRIDE + k])
				<< 4;
		if (!m->im2col)
			m->box[k] = 1 +
				(k ? field(w[W_BOX], 8 * (k - 1), 8) : field(w[W_STEPS], 24, 8));
	}
	if (!m->im2col)
		return true;
	m->channels = field(w[W_STEPS], 24, 8) + 1;
	m->pixels = field(w[W_PIXELS], 0, 10) + 1;
	for (unsigned k = 0; k + 2 < m->rank; k++) {
		m->lower[k] = corner(w[W_BOX], m->rank, k, 0);
		m->upper[k] = corner(w[W_BOX], m->rank, k, 16);
	}
	return true;
}

static uint32_t note_of_bytes(const struct tensor_map *m)
{
	uint32_t n = types[m->type].bits;

	if (m->im2col)
		return n * m->channels * m->pixels / 8;
	for (unsigned k = 0; k < m->rank; k++)
		n *= m->box[k] / m->step[k];
	return n / 8;
}

void tensor_map_write(const struct tensor_map *m, unsigned char *image)
{
	uint32_t w[WORDS] = {0};

	w[W_ADDRESS] = (uint32_t)m->address;
	w[W_ADDRESS + 1] = (uint32_t)(m->address >> 32);
	w[W_FORM] = (uint32_t)m->im2col << IM2COL | (m->rank - 1u) << RANK |
		(uint32_t)types[m->type].code << TYPE | (uint32_t)m->interleave << INTERLEAVE |
		(uint32_t)(m->swizzle & 3) << SWIZZLE |
		(uint32_t)(m->swizzle >> 2) << SWIZZLE_HIGH | (uint32_t)m->atom << ATOM |
		(uint32_t)m->nan << FILL | (uint32_t)types[m->type].tf32 << TF32 |
		(uint32_t)m->promotion << PROMOTION;
	for (unsigned k = 0; k < m->rank; k++) {
		w[W_DIM + k] = (uint32_t)(m->dim[k] - 1);
		w[W_STEPS] |= (m->step[k] - 1) << 3 * k;
		if (k + 1 < m->rank) {
			w[W_STRIDE + k] = (uint32_t)(m->stride[k] >> 4);
			w[W_STRIDES] |= (uint32_t)(m->stride[k] >> 36) << 4 * k;
		}
		if (!m->im2col && k)
			w[W_BOX] |= (m->box[k] - 1) << 8 * (k - 1);
	}
	w[W_STEPS] |= ((m->im2col ? m->channels : m->box[0]) - 1) << 24;
	if (m->im2col) {
		unsigned bits = corner_bits(m->rank);

		for (unsigned k = 0; k + 2 < m->rank; k++) {
			field_set(&w[W_BOX], k * bits, bits, (uint32_t)m->lower[k]);
			field_set(&w[W_BOX], 16 + k * bits, bits, (uint32_t)m->upper[k]);
		}
		w[W_PIXELS] = m->pixels - 1;
	}
	w[W_BYTES] = note_of_bytes(m);
	w[W_SHARED] = m->swizzle == SWIZZLE_96 ? 256 : m->swizzle ? 128u << m->swizzle : 16;
	memcpy(image, w, sizeof w);
}

void tensor_image_replace(
	unsigned char *image, enum tensor_field f, unsigned ordinal, uint64_t value)
{
	uint32_t w[WORDS], v = (uint32_t)value, *form = &w[W_FORM];

	memcpy(w, image, sizeof w);
	switch (f) {
	case FIELD_ADDRESS:
		w[W_ADDRESS] = v;
		w[W_ADDRESS + 1] = (uint32_t)(value >> 32);
		break;
	case FIELD_RANK: field_set(form, RANK, 3, v); break;
	case FIELD_BOX:
		if (ordinal)
			field_set(&w[W_BOX], 8 * (ordinal - 1), 8, v - 1);
		else
			field_set(&w[W_STEPS], 24, 8, v - 1);
		break;
	case FIELD_DIM: w[W_DIM + ordinal] = v - 1; break;
	case FIELD_STRIDE:
		w[W_STRIDE + ordinal] = (uint32_t)(value >> 4);
		field_set(&w[W_STRIDES], 4 * ordinal, 4, (uint32_t)(value >> 36));
		break;
	case FIELD_STEP: field_set(&w[W_STEPS], 3 * ordinal, 3, v - 1); break;
	case FIELD_TYPE:
		field_set(form, TYPE, 4, types[v].code);
		if (types[v].tf32) /* no type clears the bit */
			field_set(form, TF32, 1, 1);
		break;
	case FIELD_INTERLEAVE: field_set(form, INTERLEAVE, 2, v); break;
	case FIELD_SWIZZLE:
		field_set(form, SWIZZLE, 2, v);
		field_set(form, SWIZZLE_HIGH, 1, v >> 2);
		break;
	case FIELD_ATOM: field_set(form, ATOM, 2, v); break;
	case FIELD_FILL: field_set(form, FILL, 1, v); break;
	}
	memcpy(image, w, sizeof w);
}

/* --- what the driver refuses --- */

/* The dimension that corner K is about: an interleaved tensor has W first. */
static unsigned corner_dim(const struct tensor_map *m, unsigned k)
{
	return m->interleave ? k : k + 1;
}

static const char *im2col_refused(const struct tensor_map *m)
{
	int32_t most = 1 << (corner_bits(m->rank) - 1);

	if (m->channels < 1 || m->channels > 256)
		return "channelsPerPixel must be 1 to 256";
	if (m->pixels < 1 || m->pixels > 1024)
		return "pixelsPerColumn must be 1 to 1024";
	for (unsigned k = 0; k + 2 < m->rank; k++) {
		if (m->lower[k] < -most || m->lower[k] >= most || m->upper[k] < -most ||
			m->upper[k] >= most)
			return m->rank == 3    ? "the corners must be -32768 to 32767"
				: m->rank == 4 ? "the corners must be -128 to 127"
					       : "the corners must be -16 to 15";
		if (m->lower[k] >=
			(int32_t)(uint32_t)m->dim[corner_dim(m, k)] + (int64_t)m->upper[k])
			return "the corners enclose no pixel";
	}
	return NULL;
}

/* Bytes in global memory of N elements. */
static uint64_t bytes_of(const struct tensor_map *m, uint64_t n)
{
	return n * types[m->type].bits / 8;
}

/* Bytes of shared memory that a row of a swizzled box takes at least. */
static uint32_t span_of(const struct tensor_map *m)
{
	return m->swizzle == SWIZZLE_96 ? 96 : m->swizzle ? 16u << m->swizzle : 0;
}

/* What only GPUs from sm_100 on have. (PTX ISA 5.5.1.1, 5.5.7, 9.7.10.28.5.1) */
static const char *narrow_refused(const struct tensor_map *m)
{
	const uint64_t inner = m->im2col ? m->channels : m->box[0];

	if (m->atom && m->swizzle != SWIZZLE_128)
		return "atoms of 32 and 64 bytes are of the swizzle of 128 bytes";
	if (m->swizzle == SWIZZLE_96 && m->interleave)
		return "an interleaved tensor has no swizzle of 96 bytes";
	if (types[m->type].bits >= 8)
		return NULL;
	if (m->dim[0] % 2)
		return "dimension 0 of a tensor of 4 bits must be even";
	if (!tensor_type_padded((enum tensor_type)m->type))
		return NULL;
	if (m->interleave || (m->swizzle && m->swizzle != SWIZZLE_128) || m->atom == ATOM_32_FLIP_8)
		return "elements with padding are not interleaved, and have no swizzle but that of 128 bytes without flip";
	if (inner != 128 || m->dim[0] % 128)
		return "elements with padding require a box of 128 in dimension 0 and a multiple of 128 in the tensor";
	return NULL;
}

const char *tensor_map_refused(const struct tensor_map *m)
{
	unsigned align = m->interleave == 2 || tensor_type_padded((enum tensor_type)m->type) ? 32
											     : 16;
	uint64_t inner;

	if (m->type >= TENSOR_TYPES)
		return "this type of elements needs another GPU";
	if (m->rank < 1 || m->rank > TENSOR_DIMS)
		return "a tensor has 1 to 5 dimensions";
	if (m->rank < 3 && (m->im2col || m->interleave))
		return "im2col and interleaved tensors have 3 to 5 dimensions";
	if (m->interleave > 2 || m->swizzle > SWIZZLE_96 || m->promotion > 3 || m->atom > ATOM_64)
		return "interleave is 0 to 2, swizzle 0 to 4, the promotion and the atom 0 to 3";
	if (m->nan && (m->type < TENSOR_F16 || m->type >= TENSOR_B4X16))
		return "only tensors of floating-point numbers have NaN outside";
	if (m->address % align)
		return align == 32 ? "the address must be a multiple of 32"
				   : "the address must be a multiple of 16";
	for (unsigned k = 0; k < m->rank; k++) {
		if (m->dim[k] < 1 || m->dim[k] > (uint64_t)1 << 32)
			return "each dimension must be 1 to 2^32";
		if (m->step[k] < 1 || m->step[k] > 8)
			return "each traversal stride must be 1 to 8";
		if (!m->im2col && (m->box[k] < 1 || m->box[k] > 256))
			return "each dimension of the box must be 1 to 256";
		if (k + 1 < m->rank && (m->stride[k] % align || m->stride[k] >> 40))
			return align == 32 ? "each stride must be a multiple of 32, below 2^40"
					   : "each stride must be a multiple of 16, below 2^40";
	}
	inner = bytes_of(m, m->im2col ? m->channels : m->box[0]);
	if (inner % 16)
		return "dimension 0 of the box must be a multiple of 16 bytes";
	if (!m->interleave && m->swizzle && inner * 16 / tensor_packed(m) > span_of(m))
		return "dimension 0 of the box is longer than the span of the swizzle";
	if (narrow_refused(m))
		return narrow_refused(m);
	return m->im2col ? im2col_refused(m) : NULL;
}

/* --- copies --- */

/* Bits of what dimension 0 counts. */
static unsigned unit_of(const struct tensor_map *m)
{
	return m->interleave ? 128u * m->interleave : types[m->type].bits;
}

uint64_t tensor_dim_bytes(const struct tensor_map *m) { return m->dim[0] * unit_of(m) / 8; }

unsigned tensor_packed(const struct tensor_map *m)
{
	return tensor_type_padded((enum tensor_type)m->type) ? 2u * types[m->type].bits : 16;
}

unsigned tensor_piece(const struct tensor_map *m) { return m->atom == ATOM_32_FLIP_8 ? 8 : 16; }

uint32_t tensor_place(const struct tensor_map *m, uint32_t address)
{
	const uint32_t line = address >> 7;

	if (m->swizzle == SWIZZLE_96)
		return swizzle_address(SWIZZLE_32, address);
	if (m->swizzle != SWIZZLE_128)
		return swizzle_address((enum swizzle)m->swizzle, address);
	switch ((enum tensor_atom)m->atom) {
	case ATOM_16: break;
	case ATOM_32: return address ^ (line & 3) << 5;
	case ATOM_32_FLIP_8: return address ^ (line & 3) << 5 ^ (line & 1) << 3;
	case ATOM_64: return address ^ (line & 1) << 6;
	}
	return swizzle_address(SWIZZLE_128, address);
}

static bool is_slice(const struct tensor_map *m, unsigned k)
{
	return m->interleave && k + 2 == m->rank;
}

/* The first dimension of which a row has one index. */
static unsigned first_dim(const struct tensor_map *m) { return m->interleave ? 0 : 1; }

static uint32_t along(const struct tensor_map *m, unsigned k)
{
	return (m->box[k] + m->step[k] - 1) / m->step[k];
}

/* The pixels of im2col::w::128 between two halos. */
enum { W_GROUP = 32 };

uint64_t tensor_rows(const struct tensor_copy *c)
{
	const struct tensor_map *m = c->map;
	uint64_t n = 1;

	if (c->mode == TENSOR_FOUR)
		return 4;
	if (c->mode == TENSOR_W)
		return m->pixels + c->offset[0];
	if (c->mode == TENSOR_W128)
		return 4ull * (W_GROUP + c->offset[0]);
	if (c->mode == TENSOR_IM2COL)
		return m->pixels;
	/* of the dimension of the slices of an interleaved tensor, one */
	for (unsigned k = first_dim(m); k < m->rank; k++)
		n *= is_slice(m, k) ? 1 : along(m, k);
	return n;
}

uint32_t tensor_row_bytes(const struct tensor_copy *c)
{
	const struct tensor_map *m = c->map;

	return unit_of(m) *
		(m->interleave                                 ? 1
				: tensor_mode_unrolls(c->mode) ? m->channels
							       : m->box[0]) /
		8;
}

uint32_t tensor_pitch(const struct tensor_copy *c)
{
	const struct tensor_map *m = c->map;
	uint32_t row = tensor_row_bytes(c) / tensor_packed(m) * 16,
		 span = m->interleave ? 0 : span_of(m);

	return row > span ? row : span;
}

/* The rules of im2col; of W and W128 only dimension W has corners. */
static const char *unrolled_refused(const struct tensor_copy *c)
{
	const struct tensor_map *m = c->map;
	const bool wide = c->mode != TENSOR_IM2COL;

	if (wide && (!m->swizzle || m->atom == ATOM_32_FLIP_8))
		return "im2col::w requires a swizzle, and none with a flip";
	if (c->mode == TENSOR_W128 && m->swizzle == SWIZZLE_96)
		return "im2col::w::128 has no swizzle of 96 bytes";
	if (wide && (c->offset[0] >= (c->mode == TENSOR_W ? 512 : W_GROUP) || c->offset[1] >= 32))
		return "wHalo is 0 to 511, of im2col::w::128 0 to 31, and wOffset 0 to 31";
	for (unsigned k = 0; k < (wide ? 1u : m->rank - 2u); k++) {
		unsigned d = corner_dim(m, k);

		/* the first pixel of W may be on the left of the corners */
		if ((!wide && c->at[d] < m->lower[k]) ||
			c->at[d] >= (int64_t)m->dim[d] + m->upper[k])
			return "the coordinates are not within the bounding box of the map's corners";
		if (c->store && (m->lower[k] < 0 || m->upper[k] > 0))
			return "a copy to global memory requires corners within the tensor: the lower ones not negative, the upper ones not positive";
	}
	return NULL;
}

static const char *store_refused(const struct tensor_copy *c)
{
	if (c->map->type == TENSOR_B4X16_P64)
		return "elements of b4x16_p64 are not copied to global memory";
	if (c->map->atom == ATOM_32_FLIP_8)
		return "a swizzle with a flip is not for copies to global memory";
	for (unsigned k = 0; k < (c->mode == TENSOR_FOUR ? 5 : c->map->rank); k++)
		if (c->at[k] < 0)
			return "a copy to global memory requires coordinates that are not negative";
	return NULL;
}

const char *tensor_copy_refused(const struct tensor_copy *c)
{
	const struct tensor_map *m = c->map;
	const bool unrolls = tensor_mode_unrolls(c->mode),
		   padded = tensor_type_padded((enum tensor_type)m->type);
	int64_t first = (int64_t)c->at[0] * unit_of(m);
	const char *why;

	if (unrolls && !m->im2col)
		return "the map is a tiled one, not one for im2col";
	if (!unrolls && m->im2col)
		return "the map is one for im2col, not a tiled one";
	if (c->mode == TENSOR_FOUR && (m->interleave || m->box[1] != 1))
		return "gather4 and scatter4 require a box of one row, not interleaved";
	if (m->address % 16)
		return "the map's address is not a multiple of 16";
	if (padded && c->at[0] % 128)
		return "coordinate 0 of elements with padding is not a multiple of 128";
	if (!padded && first % 128)
		return "coordinate 0 is not at a multiple of 16 bytes";
	/* within its range, dimension 0 of a replaced box can be anything */
	if (tensor_row_bytes(c) % 16)
		return "dimension 0 of the box is not a multiple of 16 bytes";
	if (!m->interleave && m->swizzle &&
		tensor_row_bytes(c) / tensor_packed(m) * 16 > span_of(m))
		return "dimension 0 of the box is longer than the span of the swizzle";
	if (narrow_refused(m))
		return narrow_refused(m);
	why = unrolls ? unrolled_refused(c) : NULL;
	return why ? why : c->store ? store_refused(c) : NULL;
}

void tensor_begin(struct tensor_walk *w, const struct tensor_copy *c)
{
	*w = (struct tensor_walk){.copy = c};
	for (unsigned k = 0; k < TENSOR_DIMS; k++)
		w->index[k] = w->last[k] = c->at[k];
}

/* The row with coordinates AT, of BYTES from coordinate 0 on. */
static void row_at(
	const struct tensor_map *m, const int64_t *at, uint32_t bytes, struct tensor_row *r)
{
	unsigned unit = unit_of(m);
	int64_t first = at[0] * unit / 8, end = first + bytes,
		size = (int64_t)(m->dim[0] * unit / 8);

	*r = (struct tensor_row){.after = bytes};
	if (end <= 0 || first >= size)
		return;
	for (unsigned k = 1; k < m->rank; k++)
		if (at[k] < 0 || (uint64_t)at[k] >= m->dim[k])
			return;
	r->before = first < 0 ? (uint32_t)-first : 0;
	r->after = end > size ? (uint32_t)(end - size) : 0;
	r->inside = bytes - r->before - r->after;
	r->padded = (r->inside + 15) / 16 * 16;
	r->address = m->address + (uint64_t)(first < 0 ? 0 : first);
	for (unsigned k = 1; k < m->rank; k++)
		r->address += (uint64_t)at[k] * m->stride[k - 1];
}

/* From one pixel of im2col to the next: through the bounding box, then to the next image. */
static void next_pixel(struct tensor_walk *w)
{
	const struct tensor_map *m = w->copy->map;

	for (unsigned k = 0; k + 2 < m->rank; k++) {
		unsigned d = corner_dim(m, k);

		w->index[d] += m->step[d];
		if (w->index[d] < (int64_t)m->dim[d] + m->upper[k])
			return;
		w->index[d] = m->lower[k];
	}
	w->index[m->rank - 1] += m->step[m->rank - 1];
}

/* The same along W alone. */
static void next_wide(struct tensor_walk *w)
{
	const struct tensor_map *m = w->copy->map;
	const unsigned d = corner_dim(m, 0);

	w->index[d] += m->step[d];
	if (w->index[d] < (int64_t)m->dim[d] + m->upper[0])
		return;
	w->index[d] = m->lower[0];
	w->index[m->rank - 1]++;
}

/* The place of the next row of im2col::w: a pixel, or one of the halo, which goes on from the last
 * pixel beyond the corners. */
static void wide_row(struct tensor_walk *w, int64_t at[TENSOR_DIMS])
{
	const struct tensor_copy *c = w->copy;
	const struct tensor_map *m = c->map;
	const unsigned d = corner_dim(m, 0);
	const uint64_t group = c->mode == TENSOR_W ? m->pixels : W_GROUP,
		       k = w->done % (group + c->offset[0]);

	if (k < group) {
		memcpy(w->last, w->index, sizeof w->last);
		next_wide(w);
	}
	memcpy(at, w->last, sizeof w->last);
	at[d] += c->offset[1] + (k < group ? 0 : (int64_t)(k - group + 1) * m->step[d]);
}

static void next_tile_row(struct tensor_walk *w)
{
	const struct tensor_copy *c = w->copy;
	const struct tensor_map *m = c->map;

	for (unsigned k = first_dim(m); k < m->rank; k++) {
		if (is_slice(m, k))
			continue;
		w->index[k] += m->step[k];
		if (w->index[k] < (int64_t)c->at[k] + m->box[k])
			return;
		w->index[k] = c->at[k];
	}
}

bool tensor_next(struct tensor_walk *w, struct tensor_row *r)
{
	const struct tensor_copy *c = w->copy;
	int64_t at[TENSOR_DIMS];

	if (w->done == tensor_rows(c))
		return false;
	if (c->mode == TENSOR_W || c->mode == TENSOR_W128)
		wide_row(w, at);
	else
		memcpy(at, w->index, sizeof at);
	for (unsigned k = 0; c->mode == TENSOR_IM2COL && k + 2 < c->map->rank; k++)
		at[corner_dim(c->map, k)] += c->offset[k];
	if (c->mode == TENSOR_FOUR)
		at[1] = c->at[1 + w->done];
	row_at(c->map, at, tensor_row_bytes(c), r);
	w->done++;
	if (c->mode == TENSOR_IM2COL)
		next_pixel(w);
	else if (c->mode == TENSOR_TILE)
		next_tile_row(w);
	return true;
}
