/* Matrices: the two ways to form sums agree, and each element of a matrix is in exactly one place
 * of its fragment. */
#include "arith/fragment.h"
#include "arith/matrix_sum.h"
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
