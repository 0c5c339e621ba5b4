/* Tensor memory: layouts of fragments and of D, descriptors, formats of less than eight bits. The
 * expected values are written out from the manual's tables and figures. (PTX ISA 9.7.18) */
#include "arith/fp.h"
#include "arith/tensor_core.h"
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

/* --- fragments --- */

struct at {
	unsigned r, t, lane, column;
};

static void check_shape(enum tcgen_shape shape, const struct at *at, unsigned n)
{
	for (unsigned k = 0; k < n; k++) {
		unsigned lane, column;

		tcgen_fragment(shape, at[k].r, at[k].t, 100, false, &lane, &column);
		cr_expect(lane == at[k].lane && column == at[k].column,
			"shape %d r%u of thread %u: %u, %u", shape, at[k].r, at[k].t, lane, column);
		tcgen_fragment(shape, at[k].r, at[k].t, 100, true, &lane, &column);
		cr_expect(lane == at[k].lane);
		cr_expect(column % 100 == at[k].column % 100 * 2 &&
			column / 100 == at[k].column / 100);
	}
}

Test(tensor_core, fragments)
{
	static const struct at a[] = {{0, 0, 0, 0}, {0, 31, 31, 0}, {5, 17, 17, 5}},
			       b[] = {{0, 0, 0, 0}, {0, 1, 8, 0}, {0, 2, 0, 1}, {0, 3, 8, 1},
				       {0, 4, 1, 0}, {1, 0, 0, 2}, {3, 31, 15, 7}},
			       c[] = {{0, 0, 0, 0}, {0, 3, 0, 3}, {0, 4, 1, 0}, {1, 0, 8, 0},
				       {2, 0, 0, 4}, {3, 31, 15, 7}},
			       d[] = {{0, 0, 0, 0}, {1, 0, 0, 1}, {0, 1, 0, 2}, {2, 0, 8, 0},
				       {3, 31, 15, 7}, {4, 0, 0, 8}, {7, 5, 9, 11}},
			       e[] = {{0, 0, 0, 0}, {0, 15, 15, 0}, {0, 16, 0, 100},
				       {3, 31, 15, 103}};

	check_shape(SHAPE_32X32B, a, sizeof a / sizeof *a);
	check_shape(SHAPE_16X64B, b, sizeof b / sizeof *b);
	check_shape(SHAPE_16X128B, c, sizeof c / sizeof *c);
	check_shape(SHAPE_16X256B, d, sizeof d / sizeof *d);
	check_shape(SHAPE_16X32BX2, e, sizeof e / sizeof *e);
}

/* Every cell of a shape belongs to one register of one thread. */
Test(tensor_core, fragments_cover)
{
	static const unsigned registers[] = {4, 4, 4, 4, 4}, columns[] = {4, 8, 8, 8, 8};

	for (unsigned s = 0; s < 5; s++) {
		uint8_t seen[32][8] = {{0}};

		for (unsigned r = 0; r < registers[s]; r++)
			for (unsigned t = 0; t < 32; t++) {
				unsigned lane, column;

				tcgen_fragment((enum tcgen_shape)s, r, t, 4, false, &lane, &column);
				cr_assert(lane < tcgen_shape_lanes((enum tcgen_shape)s) &&
					column < columns[s]);
				seen[lane][column]++;
			}
		for (unsigned lane = 0; lane < tcgen_shape_lanes((enum tcgen_shape)s); lane++)
			for (unsigned column = 0; column < columns[s]; column++)
				cr_expect(seen[lane][column] == 1, "shape %u at %u, %u", s, lane,
					column);
	}
}

/* --- instruction descriptors --- */

static const char *read(
	struct tcgen_form *f, enum tcgen_kind kind, bool pair, bool ws, uint32_t descriptor)
{
	*f = (struct tcgen_form){.pair = pair, .ws = ws};
	return tcgen_form_read(f, kind, descriptor);
}

static uint32_t descriptor_of(unsigned m, unsigned n, unsigned d, unsigned a, unsigned b)
{
	return d << 4 | a << 7 | b << 10 | n >> 3 << 17 | m >> 4 << 24;
}

Test(tensor_core, descriptors)
{
	struct tcgen_form f;

	cr_expect_null(read(&f, TCGEN_F16, false, false, descriptor_of(128, 256, 1, 1, 1)));
	cr_expect(f.m == 128 && f.n == 256 && f.a == TYPE_bf16 && f.part.d == TYPE_f32 &&
		f.part.k == 16);
	cr_expect_null(read(&f, TCGEN_TF32, false, false, descriptor_of(64, 8, 1, 2, 2)));
	cr_expect(f.part.k == 8 && f.part.a == TYPE_tf32);
	cr_expect_null(read(&f, TCGEN_F8F6F4, true, false, descriptor_of(256, 32, 0, 5, 1)));
	cr_expect(f.a == TYPE_e2m1 && f.part.a == TYPE_e4m3 && f.part.b == TYPE_e5m2 &&
		f.part.d == TYPE_f16);
	cr_expect_null(read(&f, TCGEN_I8, false, false, descriptor_of(128, 24, 2, 1, 0) | 8));
	cr_expect(f.part.saturate && f.a == TYPE_s8 && f.b == TYPE_u8);
	cr_expect_null(read(&f, TCGEN_F16, false, true, descriptor_of(32, 64, 1, 0, 0)));
	const struct {
		enum tcgen_kind kind;
		bool pair, ws;
		uint32_t descriptor;
	} wrong[] = {
		{TCGEN_F16, false, false, 1u << 2 | 0x08040010}, /* sparse */
		{TCGEN_F16, false, false, 1u << 6 | 0x08040010},
		{TCGEN_F16, false, false, 1u << 23 | 0x08040010},
		{TCGEN_F16, false, false, 1u << 29 | 0x08040010},
		{TCGEN_F16, false, false, 1u << 3 | 0x08040010},            /* saturates */
		{TCGEN_F16, false, false, descriptor_of(128, 16, 2, 0, 0)}, /* D of .s32 */
		{TCGEN_F16, false, false, descriptor_of(128, 16, 1, 0, 1)},
		{TCGEN_F16, false, false, descriptor_of(128, 16, 0, 1, 1)},
		{TCGEN_TF32, false, false, descriptor_of(128, 16, 1, 0, 0)},
		{TCGEN_F8F6F4, false, false, descriptor_of(128, 16, 1, 2, 0)},
		{TCGEN_I8, false, false, descriptor_of(128, 16, 2, 1, 1) | 1u << 13}, /* negated */
		{TCGEN_I8, false, false, descriptor_of(128, 40, 2, 1, 1)},
		{TCGEN_F16, false, false, descriptor_of(32, 16, 1, 0, 0)},
		{TCGEN_F16, false, false, descriptor_of(256, 16, 1, 0, 0)},
		{TCGEN_F16, true, false, descriptor_of(64, 16, 1, 0, 0)},
		{TCGEN_F16, true, false, descriptor_of(256, 8, 1, 0, 0)},
		{TCGEN_F16, false, true, descriptor_of(32, 32, 1, 0, 0)},
		{TCGEN_F16, false, false, descriptor_of(128, 0, 1, 0, 0)},
		{TCGEN_F16, false, false, descriptor_of(128, 264, 1, 0, 0)},
		{TCGEN_F8F6F4, false, false, descriptor_of(128, 16, 1, 5, 0) | 1u << 15},
		{TCGEN_F8F6F4, false, false, descriptor_of(128, 8, 1, 0, 0) | 1u << 16},
	};

	for (unsigned k = 0; k < sizeof wrong / sizeof *wrong; k++)
		cr_expect_not_null(
			read(&f, wrong[k].kind, wrong[k].pair, wrong[k].ws, wrong[k].descriptor),
			"descriptor %u is wrong", k);
}

Test(tensor_core, tiles)
{
	static const uint64_t wrong[] = {0, UINT64_C(1) << 46 | 1 << 15,
		UINT64_C(1) << 46 | UINT64_C(1) << 31, UINT64_C(3) << 46,
		UINT64_C(1) << 46 | UINT64_C(1) << 52, UINT64_C(1) << 46 | UINT64_C(1) << 60,
		UINT64_C(1) << 46 | UINT64_C(3) << 61, UINT64_C(1) << 46 | UINT64_C(1) << 61};
	struct tcgen_form f = {.a = TYPE_f16, .b = TYPE_tf32, .transposed = {false, true}};
	struct tile t;

	for (unsigned k = 0; k < sizeof wrong / sizeof *wrong; k++)
		cr_expect_not_null(
			tcgen_tile(&f, false, wrong[k], &t), "descriptor %u is wrong", k);
	cr_expect_null(tcgen_tile(&f, false, UINT64_C(0x404000080040) | UINT64_C(2) << 61, &t));
	cr_expect(t.start == 1024 && t.lead == 128 && t.stride == 1024 && t.row == 128 &&
		!t.transposed);
	cr_expect_null(tcgen_tile(&f, true, UINT64_C(0x404000080040) | UINT64_C(1) << 61, &t));
	/* Swizzle<2,5,2>: pairs of chunks change places by the row of a pattern of four */
	cr_expect(t.element == 4 && t.pairs);
	cr_expect(tile_chunk(&t, 0, 3) == 1024 + 48);
	cr_expect(tile_chunk(&t, 1, 0) == 1024 + 128 + 32);
	cr_expect(tile_chunk(&t, 3, 4) == 1024 + 3 * 128 + (64 ^ 96));
	cr_expect(tile_chunk(&t, 4, 0) == 1024 + 1024);
}

/* --- layouts of D --- */

static void check_place(const struct tcgen_form *f, unsigned row, unsigned column, unsigned cta,
	unsigned lane, unsigned at)
{
	struct tcgen_place p = tcgen_d_place(f, row, column);

	cr_expect(p.cta == cta && p.lane == lane && p.column == at,
		"M %u, row %u, column %u: CTA %u lane %u column %u", f->m, row, column, p.cta,
		p.lane, p.column);
}

Test(tensor_core, layouts)
{
	const struct tcgen_form a = {.m = 256, .n = 64, .pair = true},
				b = {.m = 128, .n = 64, .pair = true},
				c = {.m = 128, .n = 64, .pair = true, .sparse = true},
				d = {.m = 128, .n = 64}, e = {.m = 64, .n = 64, .ws = true},
				f = {.m = 64, .n = 64}, g = {.m = 32, .n = 64, .ws = true};

	check_place(&a, 127, 63, 0, 127, 63);
	check_place(&a, 128, 5, 1, 0, 5);
	check_place(&b, 63, 31, 0, 63, 31);
	check_place(&b, 63, 32, 0, 127, 0);
	check_place(&b, 64, 33, 1, 64, 1);
	check_place(&c, 16, 63, 0, 32, 63);
	check_place(&c, 127, 0, 1, 111, 0);
	check_place(&d, 77, 9, 0, 77, 9);
	check_place(&e, 3, 31, 0, 3, 31);
	check_place(&e, 3, 32, 0, 67, 0);
	check_place(&f, 15, 9, 0, 15, 9);
	check_place(&f, 16, 9, 0, 32, 9);
	check_place(&f, 63, 9, 0, 111, 9);
	check_place(&g, 31, 15, 0, 31, 15);
	check_place(&g, 31, 16, 0, 63, 0);
	check_place(&g, 0, 63, 0, 96, 15);
}

/* --- formats of four and six bits --- */

static double value(unsigned x, unsigned exponent, unsigned mantissa, int bias)
{
	unsigned m = x & ((1u << mantissa) - 1), e = x >> mantissa & ((1u << exponent) - 1);
	double v = e ? ldexp(1 + m / (double)(1u << mantissa), (int)e - bias)
		     : ldexp(m / (double)(1u << mantissa), 1 - bias);

	return x >> (exponent + mantissa) & 1 ? -v : v;
}

static void check_format(enum type t, unsigned exponent, unsigned mantissa, int bias)
{
	unsigned bits = 1 + exponent + mantissa;

	for (unsigned x = 0; x < 1u << bits; x++) {
		uint8_t row[16] = {0};
		unsigned bit = 5 * bits; /* element 5 */

		row[bit / 8] = (uint8_t)(x << bit % 8);
		row[bit / 8 + 1] |= (uint8_t)((x << bit % 8) >> 8);
		tcgen_unpack(bits, row, sizeof row);
		cr_expect(row[5] == (bits == 4 ? x << 2 : x) && !row[4] && !row[6]);
		tcgen_widen(t, row, sizeof row);
		cr_expect(value(row[5], 4, 3, 7) == value(x, exponent, mantissa, bias) &&
				signbit(value(row[5], 4, 3, 7)) ==
					signbit(value(x, exponent, mantissa, bias)),
			"format of %u bits: 0x%x becomes 0x%x", bits, x, row[5]);
	}
}

Test(tensor_core, formats)
{
	check_format(TYPE_e2m1, 2, 1, 1);
	check_format(TYPE_e2m3, 2, 3, 1);
	check_format(TYPE_e3m2, 3, 2, 3);
}

/* --- the zero-column mask: the manual's examples --- */

static uint64_t mask_of(const struct tcgen_form *f, uint64_t descriptor, unsigned first, unsigned n)
{
	uint64_t mask = 0;

	for (unsigned k = 0; k < n; k++)
		mask |= (uint64_t)tcgen_zero_column(f, descriptor, first + k) << k;
	return mask;
}

Test(tensor_core, zero_columns)
{
	const struct tcgen_form large = {.m = 128, .n = 64, .ws = true},
				middle = {.m = 64, .n = 64, .ws = true},
				small = {.m = 32, .n = 64, .ws = true};
	const uint64_t spans = UINT64_C(2) << 40 | UINT64_C(3) << 48, on = UINT64_C(1) << 39;

	cr_expect(mask_of(&large, spans, 0, 64) == 0);
	cr_expect(mask_of(&large, spans | on, 0, 14) == 0x3870); /* 111 0000 111 0000 */
	cr_expect(mask_of(&middle, spans | on | UINT64_C(1) << 32, 0, 17) == 0x1c387);
	cr_expect(mask_of(&middle, spans | on | UINT64_C(1) << 32, 32, 14) == 0x3870);
	uint64_t four = spans | on | UINT64_C(3) << 32 | 1u << 8 | 2u << 16 | 1u << 24;

	cr_expect(mask_of(&small, four, 0, 14) == 0x387);   /* 0000 111 0000 111 */
	cr_expect(mask_of(&small, four, 16, 13) == 0x1c3);  /* 0000 111 0000 11 */
	cr_expect(mask_of(&small, four, 32, 12) == 0xe1c);  /* 111 0000 111 00 */
	cr_expect(mask_of(&small, four, 48, 13) == 0x1c38); /* 111 0000 111 000 */
}
