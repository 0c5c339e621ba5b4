/* The sum in two ways: eight columns at a time by the vector units, for finite numbers whose
 * products are normal floats; and one element at a time for all numbers. The tests compare both. */
#include "arith/matrix_sum.h"
#include "arith/fp.h"

/* not with clang: clang 14's clones do not link */
#if defined(__x86_64__) && defined(__gnu_linux__) && !defined(__clang__) && \
	!defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) && defined(__OPTIMIZE__)
#define CLONES __attribute__((target_clones("default", "avx2")))
#else
#define CLONES
#endif

enum {
	NOTHING = -4096, /* the power of zero */
	COLUMNS = 8,     /* at a time */
	HALF_OF = 8,     /* terms whose sum fits 32 bits */
	FLOOR = -133,    /* the least power to which terms are aligned */
	LOW = -100,      /* powers of products that matrix_sum_fast handles */
	HIGH = 120
};

/* The vector units' eight lanes: eight columns. */
typedef float floats __attribute__((vector_size(4 * COLUMNS), may_alias));
typedef int ints __attribute__((vector_size(4 * COLUMNS), may_alias));
/* Half of them: doubles are twice as long. */
enum { FEW = COLUMNS / 2 };
typedef double doubles __attribute__((vector_size(8 * FEW)));
typedef int64_t longs __attribute__((vector_size(8 * FEW)));
typedef float few_floats __attribute__((vector_size(4 * FEW), may_alias));
typedef int few_ints __attribute__((vector_size(4 * FEW), may_alias));
#define INLINE static inline __attribute__((always_inline))

INLINE int power_of(float x, int least)
{
	uint32_t u = f32_bits(x) & 0x7fffffffu;
	int e = (int)(u >> 23) - 127;

	e = e > least ? e : least;
	return u ? e : NOTHING;
}

INLINE void choose(ints *to, const ints *mask, const ints *yes, const ints *no)
{
	*to = (*mask & *yes) | (~*mask & *no);
}

INLINE void powers_of(ints *to, const float *x, int least)
{
	ints u = *(const ints *)(const void *)x & 0x7fffffff, e = (u >> 23) - 127,
	     lowest = (ints){0} + least, nothing = (ints){0} + NOTHING, is_small = e < lowest,
	     is_zero = u == 0;

	choose(&e, &is_small, &lowest, &e);
	choose(to, &is_zero, &nothing, &e);
}

/* Takes the greatest and the least power of E, but not of zeros, into HIGH and LOW. */
INLINE void take_powers(const ints *e, ints *high, ints *low)
{
	ints above = *e > *high, below = (*e < *low) & (*e != NOTHING);

	choose(high, &above, e, high);
	choose(low, &below, e, low);
}

INLINE int highest_of(const ints *x)
{
	int m = (*x)[0];

	for (unsigned j = 1; j < COLUMNS; j++)
		m = (*x)[j] > m ? (*x)[j] : m;
	return m;
}

CLONES void matrix_halves(const uint32_t *reg, bool bf16, float *low, float *high)
{
	for (unsigned k = 0; k < 32; k += COLUMNS) {
		ints x = *(const ints *)(const void *)(reg + k);
		ints *to[2] = {(ints *)(void *)(low + k), (ints *)(void *)(high + k)};

		for (unsigned h = 0; h < 2; h++, x >>= 16) {
			if (bf16) {
				*to[h] = x << 16;
				continue;
			}
			/* as f16_to_f32 */
			ints u = (x & 0x7fff) << 13, special = u >= 0x0f800000;

			*to[h] = (ints)((floats)u * 0x1p112f) | (special & 0x7f800000);
			*to[h] |= (x & 0x8000) << 16;
		}
	}
}

/* The powers of ROWS rows of X, of WIDTH elements each of which begins after STRIDE. NARROW: the
 * range of powers, without zeros, does not matter, but whether all are finite. */
INLINE void prepare_rows(const float *x, int *power, unsigned rows, unsigned width, unsigned stride,
	int least, bool narrow, int *highest, int *lowest)
{
	ints high = (ints){0} + NOTHING, low = (ints){0} - NOTHING, special = {0};

	for (unsigned i = 0; i < rows; i++)
		for (unsigned k = 0; k < width; k += COLUMNS) {
			ints *e = (ints *)(void *)&power[i * stride + k];

			powers_of(e, &x[i * stride + k], least);
			if (narrow)
				special |= *e > 127;
			else
				take_powers(e, &high, &low);
		}
	low = -low;
	if (narrow)
		high = special & 128;
	*highest = highest_of(&high);
	*lowest = -highest_of(&low);
}

CLONES bool matrix_sum_prepare(struct matrix_sum *s, unsigned width, unsigned inner)
{
	bool narrow = s->least > -100; /* .f16: all products are normal floats */
	int high[2], low[2];

	if (narrow) {
		prepare_rows(s->a[0], s->a_power[0], s->rows, width, SUM_LENGTH, s->least, true,
			&high[0], &low[0]);
		prepare_rows(s->b[0], s->b_power[0], inner, s->columns, SUM_COLUMNS, s->least_b,
			true, &high[1], &low[1]);
		return high[0] < 128 && high[1] < 128;
	}
	prepare_rows(s->a[0], s->a_power[0], s->rows, width, SUM_LENGTH, s->least, false, &high[0],
		&low[0]);
	prepare_rows(s->b[0], s->b_power[0], inner, s->columns, SUM_COLUMNS, s->least_b, false,
		&high[1], &low[1]);
	/* 128: infinities and NaNs */
	return high[0] < 128 && high[1] < 128 && high[0] + high[1] <= HIGH &&
		low[0] + low[1] >= LOW;
}

CLONES bool matrix_sum_finite(const struct matrix_sum *s)
{
	ints special = {0};

	for (unsigned i = 0; i < s->rows; i++)
		for (unsigned j = 0; j < s->columns; j += COLUMNS)
			special |= (*(const ints *)(const void *)&s->c[i][j] & 0x7f800000) ==
				0x7f800000;
	special = -special;
	return highest_of(&special) == 0;
}

/* Rounds the f32 with SIGNIFICAND's leading bits to f16; its last bit says whether more follow. */
static inline float half_of(float odd)
{
	uint16_t h = f32_to_f16(odd);

	return f16_to_f32(h & 0x7fff ? h : 0); /* a result that becomes zero is +0 */
}

INLINE doubles doubles_at(const ints *x, unsigned h)
{
	return __builtin_convertvector(((const few_ints *)(const void *)x)[h / FEW], doubles);
}

/* Every element X. (clang takes a variable scalar beside a vector for a change of sign.) */
INLINE longs all_longs(int64_t x)
{
	longs v;

	for (unsigned i = 0; i < FEW; i++)
		v[i] = x;
	return v;
}
INLINE few_ints all_ints(int x)
{
	few_ints v = {0}; /* gcc 12 with -fsanitize=thread warns otherwise */

	for (unsigned i = 0; i < FEW; i++)
		v[i] = x;
	return v;
}

/* Columns H to H + FEW - 1 of a row: the sum, in units of 2^-GUARD of 2^POWER, cut off after DIGITS
 * digits, or (ODD) with a last bit that says whether more follows. ALONE: C is the sum. */
INLINE void put_sum(float *to, unsigned h, const ints *sum, const ints *power, const ints *alone,
	bool odd, int guard, unsigned digits)
{
	longs unit = (__builtin_convertvector(
			      ((const few_ints *)(const void *)power)[h / FEW], longs) +
			     (1023 - guard))
		<< 52;
	doubles exact = (doubles_at(&sum[0], h) + doubles_at(&sum[1], h) + doubles_at(&sum[2], h)) *
		(doubles)unit;
	longs bits = (longs)exact, kept = bits & all_longs(-(INT64_C(1) << (52 - digits)));

	if (odd)
		kept |= ((bits & 0x1fffffff) != 0) & 0x20000000;
	few_ints cut = (few_ints) __builtin_convertvector((doubles)kept, few_floats),
		 whole = ((const few_ints *)(const void *)to)[h / FEW] &
		all_ints(-(1 << (23 - digits))),
		 own = (few_ints)((few_floats)whole + 0.0f),
		 stays = ((const few_ints *)(const void *)alone)[h / FEW];

	((few_ints *)(void *)to)[h / FEW] = (stays & own) | (~stays & cut);
}

INLINE void raise_power(ints *power, const struct matrix_sum *s, unsigned row, unsigned j0, int a)
{
	ints e = *(const ints *)(const void *)&s->b_power[row][j0] + a, above = e > *power;

	choose(power, &above, &e, power);
}

INLINE void add_product(ints *sum, const struct matrix_sum *s, unsigned row, unsigned j0, float a,
	const floats *scale)
{
	*sum += __builtin_convertvector(
		*(const floats *)(const void *)&s->b[row][j0] * a * *scale, ints);
}

/* The halves of the products are taken side by side. Each half is at most HALF_OF. */
INLINE void fast_row(
	struct matrix_sum *s, unsigned i, unsigned j0, unsigned first, unsigned half, int least)
{
	const uint8_t *index = s->index + (s->same ? 0 : i * SUM_LENGTH) + first;
	const float *a = &s->a[i][first];
	const int *e = &s->a_power[i][first];
	const ints lowest = (ints){0} + LOW;
	float *c = &s->c[i][j0];
	ints power[2], sum[3] = {{0}};

	powers_of(&power[0], c, least);
	power[1] = power[0];
	for (unsigned k = 0; k < half; k++) {
		raise_power(&power[0], s, index[k], j0, e[k]);
		raise_power(&power[1], s, index[k + half], j0, e[k + half]);
	}
	ints above = power[1] > power[0];

	choose(&power[0], &above, &power[1], &power[0]);
	/* without any product C remains, but -0 does not */
	const ints alone = power[0] < lowest;

	choose(&power[0], &alone, &lowest, &power[0]);
	const floats scale = (floats)((127 + s->guard - power[0]) << 23);

	for (unsigned k = 0; k < half; k++) {
		add_product(&sum[0], s, index[k], j0, a[k], &scale);
		add_product(&sum[1], s, index[k + half], j0, a[k + half], &scale);
	}
	sum[2] = __builtin_convertvector(*(const floats *)(const void *)c * scale, ints);
	for (unsigned h = 0; h < COLUMNS; h += FEW)
		put_sum(c, h, sum, &power[0], &alone, s->half, s->guard, s->half ? 23u : s->digits);
	for (unsigned j = 0; s->half && j < COLUMNS; j++)
		c[j] = half_of(c[j]);
}

CLONES void matrix_sum_fast(struct matrix_sum *s, unsigned first)
{
	int least = s->half ? -14 : -126;

	for (unsigned i = 0; i < s->rows; i++)
		for (unsigned j = 0; j < s->columns; j += COLUMNS) {
			if (s->length == 2 * HALF_OF) /* so that the compiler knows the number */
				fast_row(s, i, j, first, HALF_OF, least);
			else
				fast_row(s, i, j, first, s->length / 2u, least);
		}
}

/* --- one element at a time --- */

struct term {
	bool negative, nan, infinite;
	int64_t significand;
	int exponent; /* of the significand's last bit */
	int power;
};

static struct term term_of(float x, int least)
{
	uint32_t u = f32_bits(x);
	int e = (int)(u >> 23 & 0xff);
	int64_t fraction = u & 0x7fffff;

	return (struct term){.negative = u >> 31,
		.nan = e == 255 && fraction,
		.infinite = e == 255 && !fraction,
		.significand = e ? fraction | 0x800000 : fraction,
		.exponent = (e ? e : 1) - 150,
		.power = power_of(x, least)};
}

static struct term term_product(struct term a, struct term b)
{
	return (struct term){.negative = a.negative ^ b.negative,
		.nan = a.nan || b.nan || (a.infinite && !b.significand) ||
			(b.infinite && !a.significand),
		.infinite = a.infinite || b.infinite,
		.significand = a.significand * b.significand,
		.exponent = a.exponent + b.exponent,
		.power = a.power + b.power};
}

/* T with the shortest significand, so that products of four small numbers have room. */
static struct term term_short(struct term t)
{
	int zeros = t.significand ? __builtin_ctzll((uint64_t)t.significand) : 0;

	t.significand >>= zeros;
	t.exponent += zeros;
	return t;
}

/* The product PRODUCT, which has row K of B, of rows I and columns J, with their scales. */
static struct term term_scaled(
	const struct matrix_sum *s, struct term product, unsigned i, unsigned j, unsigned k)
{
	struct term a = term_short(term_of(s->a_scale[i][k / s->block], s->least_scale)),
		    b = term_short(term_of(s->b_scale[k / s->block][j], s->least_scale));

	return term_product(term_short(product), term_product(a, b));
}

/* The multiple of 2^UNIT below the magnitude of T. */
static int64_t term_units(const struct term *t, int unit)
{
	int shift = unit - t->exponent;
	int64_t units = shift <= 0 ? t->significand << -shift
		: shift > 62       ? 0
				   : t->significand >> shift;

	return t->negative ? -units : units;
}

/* UNITS * 2^UNIT: cut off to DIGITS digits of fraction, or (HALF) rounded to nearest even to f16.
 * Zero is positive. */
static float sum_rounded(int64_t units, int unit, bool half, int digits)
{
	uint64_t u = (uint64_t)(units < 0 ? -units : units);

	if (!u)
		return 0;
	int top = 63 - __builtin_clzll(u) + unit, least = half ? -14 : -126, most = half ? 15 : 127,
	    place = (top > least ? top : least) - digits, shift = place - unit;
	uint64_t kept = shift <= 0 ? u << -shift : shift > 63 ? 0 : u >> shift;

	if (half && shift > 0 && shift <= 63) {
		uint64_t rest = u & ((UINT64_C(1) << shift) - 1),
			 middle = UINT64_C(1) << (shift - 1);

		kept += rest > middle || (rest == middle && (kept & 1));
	}
	double magnitude = ldexp((double)kept, place);

	if (magnitude >= ldexp(1, most + 1))
		magnitude = INFINITY;
	return (float)(units < 0 && kept ? -magnitude : magnitude);
}

static float sum_element(const struct matrix_sum *s, unsigned first, unsigned i, unsigned j)
{
	const uint8_t *index = s->index + (s->same ? 0 : i * SUM_LENGTH);
	struct term term[SUM_LENGTH + 1];
	bool nan = false, plus = false, minus = false;
	int power = FLOOR;
	int64_t units = 0;

	for (unsigned k = 0; k <= s->length; k++) {
		struct term *t = &term[k];

		*t = k == s->length ? term_of(s->c[i][j], s->half ? -14 : -126)
				    : term_product(term_of(s->a[i][first + k], s->least),
					      term_of(s->b[index[first + k]][j], s->least_b));
		if (s->block && k < s->length)
			*t = term_scaled(s, *t, i, j, index[first + k]);
		nan |= t->nan;
		plus |= t->infinite && !t->negative;
		minus |= t->infinite && t->negative;
		if (t->significand && t->power > power)
			power = t->power;
	}
	if (nan || (plus && minus))
		return f32_from(F32_NAN);
	if (plus || minus)
		return plus ? INFINITY : -INFINITY;
	for (unsigned k = 0; k <= s->length; k++)
		if (term[k].significand)
			units += term_units(&term[k], power - s->guard);
	return sum_rounded(units, power - s->guard, s->half, s->half ? 10 : s->digits);
}

void matrix_sum_exact(struct matrix_sum *s, unsigned first)
{
	for (unsigned i = 0; i < s->rows; i++)
		for (unsigned j = 0; j < s->columns; j++)
			s->c[i][j] = sum_element(s, first, i, j);
}

/* --- m8n8k4 --- */

void matrix_sum_quads(struct matrix_sum *s)
{
	for (unsigned i = 0; i < s->rows; i++)
		for (unsigned j = 0; j < s->columns; j++) {
			const uint8_t *index = s->index + (s->same ? 0 : i * SUM_LENGTH);
			float p[4], c = s->c[i][j];

			for (unsigned k = 0; k < 4; k++) /* exact */
				p[k] = s->a[i][k] * s->b[index[k]][j];
			s->c[i][j] = f32_canonical(s->half ? (p[0] + p[1] + c) + (p[2] + p[3])
							   : 0.0f + p[0] + p[1] + p[2] + p[3] + c);
		}
}
