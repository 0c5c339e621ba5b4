/* Matrices: the two ways to form sums agree, each element of a matrix is in exactly one place of
 * its fragment, and products of small floats are those of integers. */
#include "arith/fragment.h"
#include "arith/matrix.h"
#include "arith/matrix_sum.h"
#include "arith/sparse.h"
#include "isa/vocab.h"
#include <criterion/criterion.h>
#include <string.h>

static uint64_t state = 1;

static uint32_t random_bits(void)
{
	state = state * UINT64_C(6364136223846793005) + 1442695040888963407u;
	return (uint32_t)(state >> 32);
}

/* A finite float with FRACTION bits after the point and an exponent within SPAN of 0; often zero.
 */
static float random_float(unsigned fraction, unsigned span)
{
	uint32_t r = random_bits(), exponent = 127 - span + random_bits() % (2 * span),
		 bits = (r & 0x80000000u) | exponent << 23 |
		(r & 0x7fffffu & ~((1u << (23 - fraction)) - 1));
	float f;

	if (random_bits() % 4 == 0)
		return r & 1 ? -0.0f : 0.0f;
	memcpy(&f, &bits, sizeof f);
	return f;
}

Test(matrix, sums_agree)
{
	static struct matrix_sum s, t;
	static uint8_t index[SUM_ROWS * SUM_LENGTH];
	unsigned fast = 0;

	for (unsigned round = 0; round < 400; round++) {
		unsigned fraction = round % 2 ? 7 : 10, span = 1 + round % 14,
			 wide = round % 3 ? span : 120;

		s.rows = 16;
		s.columns = 16;
		s.index = index;
		s.same = false;
		s.length = round % 5 ? 16 : 8;
		s.half = round % 4 == 0;
		s.least = round % 2 ? -126 : -14;
		s.least_b = round % 3 ? s.least : -14;
		s.guard = round % 7 ? 25 : 13;
		s.digits = round % 7 ? 23 : 13;
		for (unsigned i = 0; i < 16; i++)
			for (unsigned k = 0; k < 16; k++) {
				s.a[i][k] = random_float(fraction, span);
				s.b[i][k] = random_float(fraction, span);
				index[i * SUM_LENGTH + k] = (uint8_t)(k ^ (round & 1));
				s.c[i][k] = random_float(s.half ? 10 : 23, s.half ? span : wide);
			}
		if (!matrix_sum_prepare(&s, 16, 16))
			continue;
		fast++;
		t = s;
		matrix_sum_fast(&s, 0);
		matrix_sum_exact(&t, 0);
		for (unsigned i = 0; i < 16; i++)
			cr_assert_eq(memcmp(s.c[i], t.c[i], sizeof s.c[i]), 0, "round %u, row %u",
				round, i);
	}
	cr_assert_eq(fast, 400);
}

/* All GROUPS x INNER elements are there, once each. */
static void complete(struct fragment f, unsigned groups, unsigned inner)
{
	unsigned seen[32 * 256] = {0}, n = 0;

	for (unsigned r = 0; r < f.registers; r++)
		for (unsigned lane = 0; lane < 32; lane++)
			for (unsigned e = 0; e < fragment_per_register(&f); e++, n++) {
				unsigned group = 999, at = 999;

				fragment_place(&f, r, lane, e, &group, &at);
				cr_assert_lt(group, groups);
				cr_assert_lt(at, inner);
				cr_assert_eq(seen[group * inner + at]++, 0);
			}
	cr_assert_eq(n, groups * inner);
}

Test(matrix, fragments_are_complete)
{
	static const unsigned bits[] = {4, 8, 16, 32, 64};

	for (unsigned b = 0; b < 5; b++)
		for (unsigned groups = 8; groups <= 32; groups *= 2)
			for (unsigned blocks = 1; blocks <= 4; blocks++) {
				unsigned per = bits[b] == 64 ? 1 : 32 / bits[b];

				complete(
					fragment_of(bits[b], groups, blocks * 4 * per, false, true),
					groups, blocks * 4 * per);
				complete(fragment_of(
						 bits[b], groups, blocks * 4 * per, false, false),
					groups, blocks * 4 * per);
				if (bits[b] >= 16)
					complete(fragment_of(
							 bits[b], groups, blocks * 8, true, true),
						groups, blocks * 8);
			}
	complete(fragment_of_quad(16, 4, QUAD_GROUP), 32, 4);
	complete(fragment_of_quad(16, 4, QUAD_ACROSS), 32, 4);
	complete(fragment_of_quad(16, 8, QUAD_GROUP), 32, 8);
	complete(fragment_of_quad(32, 8, QUAD_F32), 32, 8);
}

/* --- elements of 8, 6 and 4 bits, block scales --- */

/* The sum that docs/HARDWARE.md describes, by integers alone. */
typedef __int128 wide;

struct narrow_format {
	enum type type;
	unsigned bits, fraction;
	int least; /* exponent of subnormal numbers */
};
static const struct narrow_format narrow_formats[] = {{TYPE_e4m3, 8, 3, -6}, {TYPE_e5m2, 8, 2, -14},
	{TYPE_e3m2, 6, 2, -2}, {TYPE_e2m3, 6, 3, 0}, {TYPE_e2m1, 4, 1, 0}};

/* SIGNIFICAND * 2^EXPONENT; POWER: exponent of the leading bit, of a subnormal number the least. */
struct number {
	bool nan, infinite;
	int64_t significand;
	int exponent, power;
};

static struct number number_of(const struct narrow_format *f, uint32_t code)
{
	uint32_t fraction = code & ((1u << f->fraction) - 1),
		 exponent = code >> f->fraction & ((1u << (f->bits - 1 - f->fraction)) - 1),
		 top = f->type == TYPE_e4m3 ? 15 : 31;
	struct number n = {.power = f->least + (exponent ? (int)exponent - 1 : 0)};

	n.significand = exponent ? fraction | 1u << f->fraction : fraction;
	if (code >> (f->bits - 1) & 1)
		n.significand = -n.significand;
	n.exponent = n.power - (int)f->fraction;
	if (f->bits == 8 && exponent == top) {
		n.infinite = f->type == TYPE_e5m2 && !fraction;
		n.nan = f->type == TYPE_e5m2 ? fraction != 0 : fraction == 7;
	}
	return n;
}

static struct number scale_number(enum type t, uint32_t code)
{
	static const struct narrow_format ue4m3 = {TYPE_e4m3, 8, 3, -6};

	if (t == TYPE_ue4m3)
		return number_of(&ue4m3, code & 0x7f);
	return (struct number){.nan = code == 0xff,
		.significand = 1,
		.exponent = (int)code - 127,
		.power = (int)code - 127};
}

static struct number product_of(struct number a, struct number b)
{
	return (struct number){
		a.nan || b.nan || (a.infinite && !b.significand) || (b.infinite && !a.significand),
		a.infinite || b.infinite, a.significand * b.significand, a.exponent + b.exponent,
		a.power + b.power};
}

static wide scaled(wide x, int by) /* towards zero */
{
	return by >= 0 ? x * ((wide)1 << by) : -by > 120 ? 0 : x < 0 ? -(-x >> -by) : x >> -by;
}

/* N terms, the last of them C: the bits of the result, of .f16 or .f32. */
static uint32_t reference_sum(const struct number *term, unsigned n, bool half)
{
	bool nan = false, plus = false, minus = false;
	int power = -133;
	wide sum = 0;

	for (unsigned k = 0; k < n; k++) {
		nan |= term[k].nan;
		plus |= term[k].infinite && term[k].significand > 0;
		minus |= term[k].infinite && term[k].significand < 0;
		if (term[k].significand && term[k].power > power)
			power = term[k].power;
	}
	if (nan || (plus && minus))
		return half ? 0x7fff : 0x7fffffff;
	if (plus || minus)
		return (half ? 0x7c00u : 0x7f800000u) | (minus ? half ? 0x8000u : 0x80000000u : 0);
	for (unsigned k = 0; k < n; k++)
		sum += scaled(term[k].significand, term[k].exponent - (power - 25));
	bool negative = sum < 0;
	uint64_t u = (uint64_t)(negative ? -sum : sum);

	if (!u)
		return 0;
	int digits = half ? 10 : 23, least = half ? -14 : -126, unit = power - 25,
	    lead = 63 - __builtin_clzll(u) + unit, place = (lead < least ? least : lead) - digits,
	    drop = place - unit;
	uint64_t kept = drop <= 0 ? u << -drop : drop > 63 ? 0 : u >> drop;

	if (half && drop > 0 && drop < 64) {
		uint64_t rest = u << (64 - drop);

		kept += rest > UINT64_C(1) << 63 || (rest == UINT64_C(1) << 63 && kept & 1);
	}
	/* subnormal: exponent field 0; the leading bit of a normal number adds 1 to it */
	uint64_t bits = kept + ((uint64_t)((lead < least ? least : lead) - least) << digits);
	uint64_t infinity = half ? 0x7c00 : 0x7f800000;

	if (bits > infinity)
		bits = infinity;
	return (uint32_t)(bits | (negative && bits ? half ? 0x8000u : 0x80000000u : 0));
}

static struct number float_number(uint32_t u, bool half)
{
	unsigned digits = half ? 10 : 23;
	uint32_t fraction = u & ((1u << digits) - 1), exponent = u >> digits & (half ? 31 : 255);
	struct number n = {.power = (half ? -14 : -126) + (exponent ? (int)exponent - 1 : 0)};

	n.significand = exponent ? fraction | 1u << digits : fraction;
	if (u >> (half ? 15 : 31) & 1)
		n.significand = -n.significand;
	n.exponent = n.power - (int)digits;
	n.infinite = exponent == (half ? 31 : 255) && !fraction;
	n.nan = exponent == (half ? 31 : 255) && fraction;
	return n;
}

/* What the registers of a tile hold. */
struct tile {
	uint32_t a[4][32], b[4][32], c[4][32], d[4][32], metadata[32], scale[2][32];
};

/* The code of an element of A: column K of row I (of those that are stored), by the manual's
 * formulas. */
static uint32_t code_of_a(const struct tile *t, bool packed, unsigned i, unsigned k)
{
	unsigned each = packed ? 8 : 4, half = k / (4 * each),
		 lane = i % 8 * 4 + k % (4 * each) / each;
	uint32_t word = t->a[half * 2 + i / 8][lane];

	return packed ? word >> k % 8 * 4 & 15 : word >> k % 4 * 8 & 255;
}
static uint32_t code_of_b(const struct tile *t, bool packed, unsigned k, unsigned j)
{
	unsigned each = packed ? 8 : 4;
	uint32_t word = t->b[k / (4 * each)][j * 4 + k % (4 * each) / each];

	return packed ? word >> k % 8 * 4 & 15 : word >> k % 4 * 8 & 255;
}
static struct number element(const struct narrow_format *f, bool packed, uint32_t code)
{
	return number_of(f,
		packed || f->bits == 8 ? code
			: f->bits == 6 ? code & 63
				       : code >> 2 & 15);
}

/* The column of A in which element K of row I is stored. */
static unsigned column_of(const struct matrix_form *f, const struct tile *t, unsigned i, unsigned k)
{
	unsigned chunk = f->packed ? k / 4 : k / 2,
		 nibble = t->metadata[i % 8 * 4 + chunk / 8 * 2 + i / 8] >> chunk % 8 * 4 & 15;

	if (!f->sparse)
		return k;
	return f->packed ? chunk * 8 + (nibble >> k % 4 / 2 * 2 & 3) * 2 + k % 2
			 : chunk * 4 + (nibble >> k % 2 * 2 & 3);
}

static void check_tile(const struct matrix_form *f, const struct narrow_format *a,
	const struct narrow_format *b, const struct tile *t, const struct matrix_scales *s)
{
	bool half = f->d == TYPE_f16;

	for (unsigned i = 0; i < 16; i++)
		for (unsigned j = 0; j < 8; j++) {
			struct number term[65];
			unsigned n = f->k / (f->sparse ? 2u : 1u), lane = i % 8 * 4 + j / 2,
				 r = half ? i / 8 : i / 8 * 2 + j % 2,
				 shift = half ? j % 2 * 16 : 0;

			for (unsigned k = 0; k < n; k++) {
				unsigned column = column_of(f, t, i, k);

				term[k] = product_of(
					element(a, f->packed, code_of_a(t, f->packed, i, k)),
					element(b, f->packed, code_of_b(t, f->packed, column, j)));
				for (unsigned side = 0; f->scales && side < 2; side++) {
					unsigned from = side ? j * 4 + s->thread[1]
							     : i % 8 * 4 + s->thread[0] * 2 + i / 8,
						 byte = s->byte[side] + column * f->scales / f->k;

					term[k] = product_of(term[k],
						scale_number((enum type)f->scale_type,
							t->scale[side][from] >> byte * 8 & 255));
				}
			}
			term[n] = float_number(
				t->c[r][lane] >> shift & (half ? 0xffff : ~0u), half);
			cr_assert_eq(t->d[r][lane] >> shift & (half ? 0xffff : ~0u),
				reference_sum(term, n + 1, half),
				"m16n8k%u %s %s scales %u: row %u column %u is %x, not %x", f->k,
				type_info[a->type].name, type_info[b->type].name, f->scales, i, j,
				t->d[r][lane] >> shift & (half ? 0xffff : ~0u),
				reference_sum(term, n + 1, half));
		}
}

/* A mask that makes all elements of a register subnormal. */
static uint32_t subnormal_mask(const struct narrow_format *f, bool packed)
{
	uint32_t m = 1u << (f->bits - 1) | ((1u << f->fraction) - 1);

	return packed ? m * 0x11111111u : (f->bits == 4 ? m << 2 : m) * 0x01010101u;
}

/* Random registers. WILD: any bits. Otherwise few infinities and NaNs, scales near 1, and
 * accumulators near the sums. */
static void fill(struct tile *t, const struct matrix_form *f, bool wild)
{
	static const uint8_t meaningful[] = {4, 8, 9, 12, 13, 14};
	uint32_t finite = wild || f->packed ? ~0u : 0xbfbfbfbf;

	for (unsigned lane = 0; lane < 32; lane++) {
		for (unsigned r = 0; r < 4; r++) {
			t->a[r][lane] = random_bits() & finite;
			t->b[r][lane] = random_bits() & finite;
			t->c[r][lane] = random_bits();
			if (!wild && f->d == TYPE_f16)
				t->c[r][lane] &= 0xbfffbfff;
			else if (!wild)
				t->c[r][lane] = (t->c[r][lane] & 0x87ffffff) | 0x38000000;
		}
		t->metadata[lane] = 0;
		for (unsigned k = 0; k < 8; k++)
			t->metadata[lane] |= (uint32_t)meaningful[random_bits() % 6] << k * 4;
		for (unsigned side = 0; side < 2; side++)
			for (unsigned k = 0; k < 4; k++) {
				uint32_t x = random_bits() & 0xff;

				if (!wild)
					x = f->scale_type == TYPE_ue4m3 ? x & 0x7e : 120 + x % 16;
				t->scale[side][lane] = t->scale[side][lane] << 8 | x;
			}
	}
}

static void check_form(struct arena *arena, struct matrix_form f, const struct narrow_format *a,
	const struct narrow_format *b)
{
	f.m = 16;
	f.n = 8;
	f.a = (uint8_t)a->type;
	f.b = (uint8_t)b->type;
	f.c = f.d;
	f.kind = true;
	const struct matrix_product *p = matrix_product_new(arena, &f);

	for (unsigned round = 0; round < 24; round++) {
		static struct tile t;
		const void *from[3][4];
		void *to[4];
		struct matrix_scales s = {.data = {t.scale[0], t.scale[1]},
			.byte = {random_bits() & 3 & ~(f.scales - 1u),
				random_bits() & 3 & ~(f.scales - 1u)},
			.thread = {random_bits() & 1, random_bits() & 3}};

		fill(&t, &f, round % 4 == 0);
		for (unsigned r = 0; r < 4; r++)
			for (unsigned lane = 0; lane < 32; lane++) {
				if (round % 4 >= 2)
					t.a[r][lane] &= subnormal_mask(a, f.packed);
				if (round % 4 == 3)
					t.b[r][lane] &= subnormal_mask(b, f.packed);
			}
		for (unsigned r = 0; r < 4; r++) {
			from[0][r] = t.a[r];
			from[1][r] = t.b[r];
			from[2][r] = t.c[r];
			to[r] = t.d[r];
		}
		matrix_multiply(p, to, from[0], from[1], from[2], t.metadata, &s);
		check_tile(&f, a, b, &t, &s);
	}
}

/* Random tiles of every .kind against sums of integers. */
Test(matrix, kinds)
{
	struct arena arena = {0};
	const struct narrow_format *e2m1 = &narrow_formats[4];

	for (unsigned sparse = 0; sparse < 2; sparse++) {
		uint16_t deep = (uint16_t)(sparse ? 128 : 64), flat = deep / 2;

		for (unsigned x = 0; x < 25; x++) {
			const struct narrow_format *a = &narrow_formats[x / 5],
						   *b = &narrow_formats[x % 5];

			check_form(&arena,
				(struct matrix_form){.k = flat, .sparse = sparse, .d = TYPE_f32}, a,
				b);
			check_form(&arena,
				(struct matrix_form){.k = flat, .sparse = sparse, .d = TYPE_f16}, a,
				b);
			check_form(&arena,
				(struct matrix_form){.k = flat,
					.sparse = sparse,
					.d = TYPE_f32,
					.scales = 1,
					.scale_type = TYPE_ue8m0},
				a, b);
		}
		for (unsigned x = 0; x < 3; x++)
			check_form(&arena,
				(struct matrix_form){.k = deep,
					.sparse = sparse,
					.d = TYPE_f32,
					.packed = true,
					.scales = x ? 4 : 2,
					.scale_type = (uint8_t)(x == 2 ? TYPE_ue4m3 : TYPE_ue8m0)},
				e2m1, e2m1);
	}
	arena_free(&arena);
}

/* --- spcompress, spdecompress --- */

/* A number in the order of the elements of type TYPE: f16, e4m3, u8 or s8 (0 to 3). */
static double order_of(unsigned type, uint32_t x, bool magnitude)
{
	static const struct narrow_format f16 = {TYPE_f16, 16, 10, -14};
	struct number n = number_of(type ? &narrow_formats[0] : &f16, x);
	bool negative = type ? x >> 7 : x >> 15;

	if (type >= 2) {
		int i = type == 3 ? (int)(int8_t)x : (int)x;

		return magnitude && i < 0 ? -i : i;
	}
	double v = (double)(n.significand < 0 ? -n.significand : n.significand);

	for (int e = n.exponent; e < 0; e++)
		v /= 2;
	for (int e = n.exponent; e > 0; e--)
		v *= 2;
	return magnitude ? v : negative ? -v - 0x1p-40 : v; /* -0 is less than +0 */
}

/* Each chosen element is at least (at most) as great as each other one; and expanding puts it back.
 */
Test(matrix, sparse_vectors)
{
	static const uint8_t descriptor_type[] = {0, 3, 0, 1};
	_Alignas(64) static uint32_t low[32], high[32], descriptor[32], none[32], out[32],
		places[32], back[2][32];

	for (unsigned round = 0; round < 400; round++) {
		unsigned type = round % 4, bits = type ? 8 : 16, what = round / 4 % 4,
			 index = round / 16 % 2 ? 4 : 2, groups = 16 / bits;
		struct sparse s = {
			.bits = (uint8_t)bits, .index = (uint8_t)index, .from = 2, .to = 4};
		uint64_t control = sparse_control(&s);

		for (unsigned lane = 0; lane < 32; lane++) {
			/* no NaN and no infinity */
			low[lane] = random_bits() &
				(type == 0                  ? 0xbfffbfff
						: type == 1 ? 0xbfbfbfbf
							    : ~0u);
			high[lane] = random_bits() &
				(type == 0                  ? 0xbfffbfff
						: type == 1 ? 0xbfbfbfbf
							    : ~0u);
			descriptor[lane] = what | (uint32_t)descriptor_type[type] << 2;
			none[lane] = 0;
		}
		sparse_compress(
			(void *[]){out, places, low, high, descriptor, none, &control}, ~0u);
		for (unsigned r = 0; r < 2; r++) {
			struct sparse e = s;

			/* bytes: a register is a group */
			e.places = (uint8_t)(bits == 8 ? r * 2 * index : 0);
			e.values = (uint8_t)(bits == 8 ? r * 16 : 0);
			e.first = (uint8_t)(bits == 16 ? r * 2 : 0);
			uint64_t expand = sparse_control(&e);

			sparse_expand((void *[]){back[r], places, out, &expand}, ~0u);
		}
		for (unsigned lane = 0; lane < 32; lane++) {
			uint64_t dense = low[lane] | (uint64_t)high[lane] << 32,
				 got = back[0][lane] | (uint64_t)back[1][lane] << 32;

			for (unsigned g = 0; g < groups; g++) {
				unsigned chosen = 0;
				double sign = what & 2 ? -1 : 1, least = 1e30, most = -1e30;

				for (unsigned k = 0; k < 2; k++) {
					unsigned at = places[lane] >> (g * 2 + k) * index &
						((1u << index) - 1);

					cr_assert_lt(at, 4);
					cr_assert(
						k == 0 || chosen < 1u << at, "in ascending order");
					chosen |= 1u << at;
				}
				for (unsigned e = 0; e < 4; e++) {
					uint32_t code = (uint32_t)(dense >> (g * 4 + e) * bits) &
						((1u << bits) - 1),
						 put = (uint32_t)(got >> (g * 4 + e) * bits) &
						((1u << bits) - 1);
					double v = sign * order_of(type, code, what & 1);

					if (chosen >> e & 1)
						least = v < least ? v : least;
					else
						most = v > most ? v : most;
					cr_assert_eq(put, chosen >> e & 1 ? code : 0);
				}
				cr_assert(least >= most, "round %u lane %u: %g, %g", round, lane,
					least, most);
			}
		}
	}
}
