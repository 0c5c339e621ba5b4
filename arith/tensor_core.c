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

const char *tcgen_form_read(struct tcgen_form *f, enum tcgen_kind kind, uint32_t descriptor)
{
	const struct kind *k = &kinds[kind];
	unsigned a = field(descriptor, 7, 3), b = field(descriptor, 10, 3),
		 d = field(descriptor, 4, 2);

	if (field(descriptor, 2, 1) != f->sparse)
		return "bit 2 (sparsity) must be 1 for .sp, and 0 without it";
	if (field(descriptor, 6, 1) || field(descriptor, 23, 1) || field(descriptor, 29, 1))
		return "bits 6, 23 and 29 must be 0";
	if (field(descriptor, 3, 1) && kind != TCGEN_I8)
		return "bit 3 (saturation) is for .kind::i8";
	if (a > 5 || b > 5 || !k->type[a] || !k->type[b] || d > 2 || !k->d[d])
		return "bits 4 to 12 name a type that this kind does not have";
	if (kind == TCGEN_F16 && (a != b || (a && !d)))
		return "bits 4 to 12: A and B have the same type, and D is .f32 for .bf16";
	f->a = k->type[a];
	f->b = k->type[b];
	f->m = (uint16_t)(field(descriptor, 24, 5) << 4);
	f->n = (uint16_t)(field(descriptor, 17, 6) << 3);
	for (unsigned x = 0; x < 2; x++) {
		f->negated[x] = field(descriptor, 13 + x, 1);
		f->transposed[x] = field(descriptor, 15 + x, 1);
		if (f->negated[x] && !k->negates)
			return "bits 13 and 14: integers are not negated";
		if (f->transposed[x] && is_narrow(x ? f->b : f->a))
			return "bits 15 and 16: elements of four and six bits are not transposed";
	}
	if (f->ws ? f->m != 32 && f->m != 64 && f->m != 128
		  : f->m != (f->pair ? 256 : 128) && f->m != (f->pair ? 128 : 64))
		return f->ws      ? "M must be 32, 64 or 128"
			: f->pair ? "M must be 128 or 256"
				  : "M must be 64 or 128";
	if (!n_fits(f, kind))
		return "this N does not exist for this kind";
	if (f->transposed[1] && k->k == 32 && f->n % (f->pair ? 32 : 16))
		return "N must be a multiple of 16 (.cta_group::2: 32) where B of 8 bits is transposed";
	f->selector = (uint8_t)field(descriptor, 0, 2);
	if (f->sparse && f->selector && k->k == 32)
		return "the sparsity selector must be 0";
	f->part = (struct matrix_form){.m = WARPGROUP_ROWS,
		.n = 8,
		.k = (uint16_t)(k->k << f->sparse),
		.a = is_narrow(f->a) ? k->computed : f->a,
		.b = is_narrow(f->b) ? k->computed : f->b,
		.c = k->d[d],
		.d = k->d[d],
		.sparse = f->sparse,
		.warpgroup = true,
		.saturate = field(descriptor, 3, 1)};
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

/* --- the zero-column mask (PTX ISA 9.7.18.4.3) --- */

const char *tcgen_zero_check(const struct tcgen_form *f, uint64_t descriptor)
{
	(void)f;
	if (field(descriptor, 36, 3) || field(descriptor, 62, 2))
		return "bits 36 to 38, 62 and 63 of the zero-column mask must be 0";
	return field(descriptor, 56, 6) ? "the column shift of the zero-column mask is not executed"
					: NULL;
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
