/* Instruction descriptors of tcgen05.mma, and the layouts of tensor memory. */
#include "arith/tensor_core.h"
#include "isa/vocab.h"
#include <string.h>

static unsigned field(uint64_t x, unsigned bit, unsigned n)
{
	return (unsigned)(x >> bit & ((1u << n) - 1));
}

/* --- fragments (PTX ISA 9.7.18.2.3) --- */

unsigned tcgen_shape_lanes(enum tcgen_shape shape) { return shape == SHAPE_32X32B ? 32 : 16; }

void tcgen_fragment(enum tcgen_shape shape, unsigned r, unsigned t, unsigned split, bool halves,
	unsigned *lane, unsigned *column)
{
	unsigned second = 0;

	switch (shape) {
	case SHAPE_32X32B:
		*lane = t;
		*column = r;
		break;
	case SHAPE_16X64B:
		*lane = t / 4 + t % 2 * 8;
		*column = r * 2 + t / 2 % 2;
		break;
	case SHAPE_16X128B:
		*lane = t / 4 + r % 2 * 8;
		*column = r / 2 * 4 + t % 4;
		break;
	case SHAPE_16X256B:
		*lane = t / 4 + r / 2 % 2 * 8;
		*column = r / 4 * 8 + t % 4 * 2 + r % 2;
		break;
	case SHAPE_16X32BX2:
		*lane = t % 16;
		*column = r;
		second = t / 16 * split;
		break;
	}
	*column = *column * (halves ? 2 : 1) + second;
}

/* --- instruction descriptors (PTX ISA 9.7.18.4.2) --- */

static const struct kind {
	uint8_t type[6];  /* by their numbers in the descriptor */
	uint8_t d[3];     /* likewise */
	uint8_t computed; /* what the product is formed of; TYPE_NONE: of the type itself */
	uint8_t k;        /* dense */
	bool negates;
} kinds[] = {
	[TCGEN_F16] = {{TYPE_f16, TYPE_bf16}, {TYPE_f16, TYPE_f32}, TYPE_NONE, 16, true},
	[TCGEN_TF32] = {{0, 0, TYPE_tf32}, {0, TYPE_f32}, TYPE_NONE, 8, true},
	[TCGEN_F8F6F4] = {{TYPE_e4m3, TYPE_e5m2, 0, TYPE_e2m3, TYPE_e3m2, TYPE_e2m1},
		{TYPE_f16, TYPE_f32}, TYPE_e4m3, 32, true},
	[TCGEN_I8] = {{TYPE_u8, TYPE_s8}, {0, 0, TYPE_s32}, TYPE_NONE, 32, false},
	[TCGEN_MXF8F6F4] = {{TYPE_e4m3, TYPE_e5m2, 0, TYPE_e2m3, TYPE_e3m2, TYPE_e2m1}, {TYPE_f32},
		TYPE_NONE, 32, true},
	[TCGEN_MXF4] = {{0, TYPE_e2m1}, {TYPE_f32}, TYPE_NONE, 64, true},
	[TCGEN_MXF4NVF4] = {{0, TYPE_e2m1}, {TYPE_f32}, TYPE_NONE, 64, true},
};

static bool is_narrow(uint8_t t) { return type_info[t].bits < 8; }

static bool n_fits(const struct tcgen_form *f, enum tcgen_kind kind)
{
	unsigned n = f->n, step = f->pair ? 16 : 8;

	if (f->ws)
		return n == 64 || n == 128 || (n == 256 && !f->sparse);
	if (kind == TCGEN_I8)
		step = f->pair ? 32 : n > 32 ? 16 : 8;
	return n && n <= 256 && n % step == 0;
}

/* Fields that all kinds have in the same place. A and B: their types' numbers. */
static const char *read_common(struct tcgen_form *f, enum tcgen_kind kind, uint32_t descriptor,
	unsigned a, unsigned b, unsigned d)
{
	const struct kind *k = &kinds[kind];

	if (field(descriptor, 2, 1) != f->sparse)
		return "bit 2 (sparsity) must be 1 for .sp, and 0 without it";
	if (a > 5 || b > 5 || !k->type[a] || !k->type[b] || d > 2 || !k->d[d])
		return "bits 4 to 12 name a type that this kind does not have";
	f->a = k->type[a];
	f->b = k->type[b];
	f->n = (uint16_t)(field(descriptor, 17, 6) << 3);
	for (unsigned x = 0; x < 2; x++) {
		f->negated[x] = field(descriptor, 13 + x, 1);
		f->transposed[x] = field(descriptor, 15 + x, 1);
		if (f->negated[x] && !k->negates)
			return "bits 13 and 14: integers are not negated";
		if (f->transposed[x] && is_narrow(x ? f->b : f->a))
			return "bits 15 and 16: elements of four and six bits are not transposed";
	}
	if (!n_fits(f, kind))
		return "this N does not exist for this kind";
	if (f->transposed[1] && k->k == 32 && f->n % (f->pair ? 32 : 16))
		return "N must be a multiple of 16 (.cta_group::2: 32) where B of 8 bits is transposed";
	f->part = (struct matrix_form){.m = WARPGROUP_ROWS,
		.n = 8,
		.k = (uint16_t)(k->k << f->sparse),
		.a = is_narrow(f->a) && k->computed ? k->computed : f->a,
		.b = is_narrow(f->b) && k->computed ? k->computed : f->b,
		.c = k->d[d],
		.d = k->d[d],
		.sparse = f->sparse};
	return NULL;
}

/* What keeps products with a sparse A from being executed. CUTLASS has the places of the metadata
 * for whole lanes (cute/atom/mma_traits_sm100_frag.hpp); the manual shows them in figures. */
static void find_missing(struct tcgen_form *f)
{
	if (f->sparse && f->m != (f->pair ? 256 : 128) && !f->ws)
		f->missing =
			"where the metadata of a sparse A lies, ptxi knows for M = 128 (.cta_group::2: 256) and .ws only";
	if (f->sparse && f->selector > 1)
		f->missing =
			"which columns the sparsity selectors 2 and 3 choose, the manual shows in a figure only";
}

/* Bits that a target newer than sm_100a has; and K = 96. */
static const char *newer(const struct tcgen_form *f, enum tcgen_kind kind, uint32_t descriptor)
{
	bool four = kind != TCGEN_MXF8F6F4;

	if (field(descriptor, 31, 1) || (four && field(descriptor, 3, 1)))
		return "bits 3 and 31 choose a K whose scale factors the manual shows in figures only";
	if (field(descriptor, 26, 1))
		return "bit 26: where 128 lanes have scale factors of A, the manual shows in figures only";
	if (four && field(descriptor, 12, 1))
		return "bit 12: the manual does not say what version 1 of sparsity is";
	if (four && field(descriptor, 24, 1))
		return "bits 23 and 24: scale factors of .ue5m3 are not executed";
	return f->scales == 2 && kind == TCGEN_MXF4NVF4 && !field(descriptor, 23, 1)
		? "bits 23 and 24: scale factors of .ue4m3 for 32 elements each are not executed"
		: NULL;
}

static const char *read_scaled(struct tcgen_form *f, enum tcgen_kind kind, uint32_t descriptor)
{
	bool four = kind != TCGEN_MXF8F6F4;
	uint32_t reserved = four ? 0x02000043 : 0x0300004b;
	const char *wrong;

	if (descriptor & reserved)
		return four ? "bits 0, 1, 6 and 25 must be 0"
			    : "bits 0, 1, 3, 6, 24 and 25 must be 0";
	f->m = (uint16_t)(field(descriptor, 27, 2) << 7);
	wrong = read_common(f, kind, descriptor, field(descriptor, 7, 3),
		field(descriptor, 10, four ? 2 : 3), 0);
	if (wrong)
		return wrong;
	if (f->m != 128 && !(f->pair && f->m == 256))
		return f->pair ? "M must be 128 or 256" : "M must be 128";
	if (f->pair && f->sparse && f->m != 256)
		return "M must be 256 for a sparse A";
	if (kind != TCGEN_MXF4NVF4 && !field(descriptor, 23, 1))
		return "bit 23: the scale factors of this kind are .ue8m0 (1)";
	f->scale_byte[0] = (uint8_t)field(descriptor, 29, 2);
	f->scale_byte[1] = (uint8_t)field(descriptor, 4, 2);
	if ((f->scale_byte[0] | f->scale_byte[1]) & (f->scales - 1u))
		return f->scales == 2
			? "bits 4, 5, 29 and 30: two scale factors begin in byte 0 or 2"
			: "bits 4, 5, 29 and 30: four scale factors begin in byte 0";
	f->missing = newer(f, kind, descriptor);
	f->part.kind = true;
	f->part.packed = four;
	f->part.scales = f->scales;
	f->part.scale_type = field(descriptor, 23, 1) ? TYPE_ue8m0 : TYPE_ue4m3;
	return NULL;
}

const char *tcgen_form_read(struct tcgen_form *f, enum tcgen_kind kind, uint32_t descriptor)
{
	unsigned a = field(descriptor, 7, 3), d = field(descriptor, 4, 2);
	const char *wrong;

	f->missing = NULL;
	if (kind >= TCGEN_MXF8F6F4)
		return read_scaled(f, kind, descriptor);
	if (field(descriptor, 6, 1) || field(descriptor, 23, 1) || field(descriptor, 29, 1))
		return "bits 6, 23 and 29 must be 0";
	if (field(descriptor, 3, 1) && kind != TCGEN_I8)
		return "bit 3 (saturation) is for .kind::i8";
	f->m = (uint16_t)(field(descriptor, 24, 5) << 4);
	wrong = read_common(f, kind, descriptor, a, field(descriptor, 10, 3), d);
	if (wrong)
		return wrong;
	if (kind == TCGEN_F16 && (f->a != f->b || (a && !d)))
		return "bits 4 to 12: A and B have the same type, and D is .f32 for .bf16";
	if (f->ws ? f->m != 32 && f->m != 64 && f->m != 128
		  : f->m != (f->pair ? 256 : 128) && f->m != (f->pair ? 128 : 64))
		return f->ws      ? "M must be 32, 64 or 128"
			: f->pair ? "M must be 128 or 256"
				  : "M must be 64 or 128";
	f->selector = f->sparse ? (uint8_t)field(descriptor, 0, 2) : 0;
	if (f->selector && kinds[kind].k == 32)
		return "the sparsity selector must be 0";
	f->part.warpgroup = true;
	f->part.saturate = field(descriptor, 3, 1);
	find_missing(f);
	return NULL;
}

/* --- matrices in shared memory (PTX ISA 9.7.18.4.1) --- */

unsigned tcgen_rows(const struct tcgen_form *f, bool b)
{
	return (b ? f->n : f->m) / (f->pair ? 2u : 1u);
}

const char *tcgen_tile(const struct tcgen_form *f, bool b, uint64_t descriptor, struct tile *t)
{
	static const uint16_t row[] = {16, 128, 128, 0, 64, 0, 32, 0};
	unsigned mode = field(descriptor, 61, 3);
	uint8_t type = f ? (b ? f->b : f->a) : TYPE_b8;
	bool transposed = f && f->transposed[b];

	if (field(descriptor, 46, 3) != 1)
		return "bits 46 to 48 must be 0b001";
	if (field(descriptor, 15, 1) || field(descriptor, 31, 1) || field(descriptor, 53, 8))
		return "bits 15, 31 and 53 to 60 must be 0";
	if (field(descriptor, 52, 1))
		return "bit 52 (absolute addresses) is for K = 96";
	if (!row[mode])
		return "bits 61 to 63: there is no such swizzling mode";
	if ((mode == 1) != (transposed && type == TYPE_tf32))
		return "128-byte swizzling of 32 bytes is for transposed matrices of .tf32, which have no other";
	*t = (struct tile){.start = field(descriptor, 0, 14) << 4,
		.lead = field(descriptor, 16, 14) << 4,
		.stride = field(descriptor, 32, 14) << 4,
		.row = row[mode],
		.base = (uint8_t)field(descriptor, 49, 3),
		.element = type == TYPE_tf32         ? 4
			: type_info[type].bits == 16 ? 2
						     : 1,
		.pairs = mode == 1,
		.transposed = transposed};
	return NULL;
}

void tcgen_unpack(unsigned bits, uint8_t *row, unsigned bytes)
{
	uint8_t from[17] = {0};

	for (unsigned at = 0; bits < 8 && at < bytes; at += 16) {
		memcpy(from, row + at, 16);
		for (unsigned k = 0; k < 16; k++) {
			unsigned bit = k * bits,
				 x = (from[bit / 8] | (unsigned)from[bit / 8 + 1] << 8) >> bit % 8;

			row[at + k] = (uint8_t)((x & ((1u << bits) - 1)) << (bits == 4 ? 2 : 0));
		}
	}
}

void tcgen_widen(enum type t, uint8_t *row, unsigned bytes)
{
	unsigned bits = type_info[t].bits,
		 mantissa = t == TYPE_e2m3 ? 3
		: t == TYPE_e3m2           ? 2
					   : 1,
		 bias = t == TYPE_e3m2 ? 3 : 1;

	for (unsigned k = 0; bits < 8 && k < bytes; k++) {
		unsigned x = (unsigned)row[k] >> (bits == 4 ? 2 : 0),
			 m = x & ((1u << mantissa) - 1),
			 e = x >> mantissa & ((1u << (bits - 1u - mantissa)) - 1u),
			 exponent = e ? e + 7 - bias
			: m           ? 8 - bias
				      : 0;

		m <<= 3 - mantissa;
		for (; !e && m && m < 8; exponent--)
			m <<= 1;
		row[k] = (uint8_t)((x >> (bits - 1) & 1) << 7 | exponent << 3 | (m & 7));
	}
}

/* --- layouts of D (PTX ISA 9.7.18.10.5) --- */

/* Into how many parts the columns are divided, each in lanes of its own. */
static unsigned parts_of(const struct tcgen_form *f)
{
	if (f->ws)
		return TCGEN_LANES / f->m;
	return f->pair && f->m == 128 && !f->sparse ? 2 : 1;
}

bool tcgen_d_half(const struct tcgen_form *f)
{
	return !f->ws && f->m / (f->pair ? 2 : 1) == 64 && parts_of(f) == 1;
}

unsigned tcgen_d_columns(const struct tcgen_form *f) { return f->n / parts_of(f); }

struct tcgen_place tcgen_d_place(const struct tcgen_form *f, unsigned row, unsigned column)
{
	unsigned rows = tcgen_rows(f, false), columns = tcgen_d_columns(f), r = row % rows;

	return (struct tcgen_place){.cta = (uint8_t)(row / rows),
		.lane = (uint8_t)(tcgen_d_half(f) ? r / 16 * 32 + r % 16
						  : r + column / columns * rows),
		.column = (uint16_t)(column % columns)};
}

/* --- scale factors and metadata (PTX ISA 9.7.18.10.7, 9.7.18.10.9) ---
 *
 * The manual shows their places in figures; here they are as in CUTLASS
 * (cute/atom/mma_traits_sm100_frag.hpp). */

enum { PARTITION = 32 /* lanes that need scale factors of their own */ };

/* Half of the columns of D, and so half of the scale factors of B, are in lanes 64 to 127. */
static bool scales_in_halves(const struct tcgen_form *f, bool b) { return b && parts_of(f) == 2; }

unsigned tcgen_scale_copies(const struct tcgen_form *f, bool b)
{
	return scales_in_halves(f, b) ? 2 : TCGEN_LANES / PARTITION;
}

static unsigned scales_in_part(const struct tcgen_form *f, bool b)
{
	unsigned n = b ? f->n : tcgen_rows(f, false);

	return scales_in_halves(f, b) ? n / 2 : n;
}

unsigned tcgen_scale_columns(const struct tcgen_form *f, bool b)
{
	return (scales_in_part(f, b) + PARTITION - 1) / PARTITION;
}

struct tcgen_place tcgen_scale_place(
	const struct tcgen_form *f, bool b, unsigned index, unsigned copy)
{
	unsigned n = scales_in_part(f, b), i = index % n;

	return (struct tcgen_place){
		.lane = (uint8_t)(index / n * 64 + copy * PARTITION + i % PARTITION),
		.column = (uint16_t)(i / PARTITION)};
}

/* Elements of 16 bits and .tf32. */
static bool is_wide(const struct tcgen_form *f)
{
	return f->a == TYPE_tf32 || type_info[f->a].bits == 16;
}

unsigned tcgen_metadata_copies(const struct tcgen_form *f)
{
	return f->ws ? (unsigned)TCGEN_LANES / f->m : 1;
}

unsigned tcgen_metadata_columns(const struct tcgen_form *f) { return is_wide(f) ? 1 : 2; }

/* Elements of 4 and 8 bits: a row has 16 chunks, in two columns of its lane. Others: it has eight,
 * and two rows share the words of two lanes, which have four chunks each. */
struct tcgen_place tcgen_metadata_place(
	const struct tcgen_form *f, unsigned row, unsigned chunk, unsigned copy, unsigned *shift)
{
	unsigned first = copy * f->m;

	if (!is_wide(f)) {
		*shift = chunk % 8 * 4;
		return (struct tcgen_place){
			.lane = (uint8_t)(first + row), .column = (uint16_t)(chunk / 8)};
	}
	*shift = row / 8 % 2 * 16 + chunk % 4 * 4;
	return (struct tcgen_place){
		.lane = (uint8_t)(first + row / 16 * 16 + chunk / 4 * 8 + row % 8),
		.column = f->selector};
}

bool tcgen_metadata_valid(const struct tcgen_form *f, unsigned nibble)
{
	uint32_t valid = f->a == TYPE_tf32 ? 1u << 4 | 1u << 14 : 0x7350;

	return valid >> nibble & 1;
}

/* --- the zero-column mask (PTX ISA 9.7.18.4.3) --- */

const char *tcgen_zero_check(struct tcgen_form *f, uint64_t descriptor)
{
	if (field(descriptor, 36, 3) || field(descriptor, 62, 2))
		return "bits 36 to 38, 62 and 63 of the zero-column mask must be 0";
	if (field(descriptor, 56, 6))
		f->missing = "the column shift of the zero-column mask is not executed";
	return NULL;
}

/* Spans of used and of zero columns follow each other; the start count says how many columns of the
 * first span are left out. Which of the two span fields is which the manual says twice,
 * differently: here it is as in its examples. */
bool tcgen_zero_column(const struct tcgen_form *f, uint64_t descriptor, unsigned column)
{
	unsigned part = tcgen_d_columns(f), i = column / part, used = field(descriptor, 48, 8) + 1,
		 zero = field(descriptor, 40, 8) + 1, at;

	if (!field(descriptor, 39, 1))
		return false;
	at = column % part + field(descriptor, i * 8, 8);
	if (field(descriptor, 32 + i, 1))
		at += used;
	return at % (used + zero) >= used;
}
