/* Sums of products of floating-point matrices as the tensor cores of an H100 form them. */
#ifndef PTXI_ARITH_MATRIX_SUM_H
#define PTXI_ARITH_MATRIX_SUM_H
#include <stdbool.h>
#include <stdint.h>

enum { SUM_ROWS = 32, SUM_COLUMNS = 16, SUM_LENGTH = 64, SUM_INNER = 128, SUM_SCALES = 4 };

/* D = A * B + C for one group of products: each is exact; they and C are cut off (towards zero)
 * below 2^-GUARD of the greatest power of two among them (at least 2^-133), where the power of a
 * product is that of its factors' leading bits; their sum is cut off to f32 with DIGITS digits of
 * fraction, or rounded to nearest even to f16. */
struct matrix_sum {
	uint8_t rows, columns, length;
	bool half;             /* C and D are .f16, in floats */
	uint8_t guard, digits; /* 25 and 23, or 13 and 13 */
	/* exponent of subnormal elements of A and B: -6, -14 or -126 */
	int least, least_b;
	/* matrix_sum_exact: elements of B for which one scale counts, of A as well; 0: no scales */
	uint8_t block;
	int least_scale;
	float a_scale[SUM_ROWS][SUM_SCALES], b_scale[SUM_SCALES][SUM_COLUMNS];
	_Alignas(64) float a[SUM_ROWS][SUM_LENGTH];
	/* rows of B that are multiplied with the elements of row i of A: those at index + i *
	 * SUM_LENGTH (the same for all rows: index) */
	const uint8_t *index;
	bool same;
	_Alignas(64) float b[SUM_INNER][SUM_COLUMNS];
	_Alignas(64) float c[SUM_ROWS][SUM_COLUMNS]; /* C, and after it D */
	_Alignas(64) int a_power[SUM_ROWS][SUM_LENGTH];
	_Alignas(64) int b_power[SUM_INNER][SUM_COLUMNS];
};

/* The elements of 32 registers of 16 bits each in the low and the high half, as floats. */
void matrix_halves(const uint32_t *reg, bool bf16, float *low, float *high);

/* After A and B have been filled in (INNER rows of B): their powers. False: some are not finite, or
 * too far apart for matrix_sum_fast. */
bool matrix_sum_prepare(struct matrix_sum *s, unsigned width, unsigned inner);
/* Whether C is finite. */
bool matrix_sum_finite(const struct matrix_sum *s);
/* The products FIRST to FIRST + LENGTH - 1 of each row. fast: all of A, B and C are finite. */
void matrix_sum_fast(struct matrix_sum *s, unsigned first);
void matrix_sum_exact(struct matrix_sum *s, unsigned first);
/* m8n8k4 of .f16, which has no tensor core on an H100: additions of f32. */
void matrix_sum_quads(struct matrix_sum *s);

#endif
