/* The sum in two ways: eight columns at a time by the vector units, for finite numbers whose
 * products are normal floats; and one element at a time for all numbers. The tests compare both. */
#include "arith/matrix_sum.h"
#include "arith/fp.h"

/* not with clang: clang 14's clones do not link */
#if defined(__x86_64__) && defined(__gnu_linux__) && !defined(__clang__) && \
	!defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) && defined(__OPTIMIZE__)
#define CLONES __attribute__((target_clones("default", "avx2", "avx512f")))
#else
#define CLONES
#endif

enum {
	GUARD = 25,      /* bits of a term below the greatest power */
	NOTHING = -4096, /* the power of zero */
	COLUMNS = 8,     /* at a time */
	HALF_OF = 8,     /* terms whose sum fits 32 bits */
	FLOOR = -133,    /* the least power to which terms are aligned */
	LOW = -100,      /* powers of products that matrix_sum_fast handles */
	HIGH = 120
};

static inline int power_of(float x, int least)
{
	uint32_t u = f32_bits(x) & 0x7fffffffu;
	int e = (int)(u >> 23) - 127;

	e = e > least ? e : least;
	return u ? e : NOTHING;
}

CLONES bool matrix_sum_prepare(struct matrix_sum *s, unsigned width, unsigned inner)
{
	int high[2] = {NOTHING, NOTHING}, low[2] = {-NOTHING, -NOTHING};

	for (unsigned i = 0; i < s->rows; i++)
		for (unsigned k = 0; k < width; k++) {
			int e = power_of(s->a[i][k], s->least);

			s->a_power[i][k] = e;
			high[0] = e > high[0] ? e : high[0];
			e = e == NOTHING ? -NOTHING : e;
			low[0] = e < low[0] ? e : low[0];
		}
	for (unsigned k = 0; k < inner; k++)
		for (unsigned j = 0; j < s->columns; j++) {
			int e = power_of(s->b[k][j], s->least);

			s->b_power[k][j] = e;
			high[1] = e > high[1] ? e : high[1];
			e = e == NOTHING ? -NOTHING : e;
			low[1] = e < low[1] ? e : low[1];
		}
	/* 128: infinities and NaNs */
	return high[0] < 128 && high[1] < 128 && high[0] + high[1] <= HIGH &&
		low[0] + low[1] >= LOW;
}

/* Rounds the f32 with SIGNIFICAND's leading bits to f16; its last bit says whether more follow. */
static inline float half_of(float odd)
{
	uint16_t h = f32_to_f16(odd);

	return f16_to_f32(h & 0x7fff ? h : 0); /* a result that becomes zero is +0 */
}

CLONES void matrix_sum_fast(struct matrix_sum *s, unsigned first)
{
	int least = s->half ? -14 : -126;

	for (unsigned i = 0; i < s->rows; i++)
		for (unsigned j0 = 0; j0 < s->columns; j0 += COLUMNS) {
			float *c = &s->c[i][j0], scale[COLUMNS];
			int power[COLUMNS], sum[2][COLUMNS] = {{0}}, last[COLUMNS];
			uint64_t bits[COLUMNS];
			float result[COLUMNS];

			for (unsigned j = 0; j < COLUMNS; j++)
				power[j] = power_of(c[j], least);
			for (unsigned k = first; k < first + s->length; k++) {
				const int *b = &s->b_power[s->index[i][k]][j0];
				int a = s->a_power[i][k];

				for (unsigned j = 0; j < COLUMNS; j++)
					power[j] = a + b[j] > power[j] ? a + b[j] : power[j];
			}
			for (unsigned j = 0; j < COLUMNS; j++) {
				int p = power[j] > LOW ? power[j] : LOW;

				scale[j] = f32_from((uint32_t)(127 + GUARD - p) << 23);
			}
			for (unsigned k = 0; k < s->length; k++) {
				const float *b = &s->b[s->index[i][first + k]][j0];
				float a = s->a[i][first + k];
				int *to = sum[k / HALF_OF];

				for (unsigned j = 0; j < COLUMNS; j++)
					to[j] += (int)(a * b[j] * scale[j]);
			}
			for (unsigned j = 0; j < COLUMNS; j++)
				last[j] = (int)(c[j] * scale[j]);
			for (unsigned j = 0; j < COLUMNS; j++) {
				int p = power[j] > LOW ? power[j] : LOW;
				double exact = ((double)sum[0][j] + (double)sum[1][j] +
						       (double)last[j]) *
					f64_from((uint64_t)(1023 + p - GUARD) << 52);

				bits[j] = f64_bits(exact);
			}
			for (unsigned j = 0; j < COLUMNS; j++) {
				uint64_t rest = bits[j] & 0x1fffffff,
					 odd = s->half && rest ? 0x20000000 : 0;
				float f = (float)f64_from((bits[j] & ~(uint64_t)0x1fffffff) | odd);

				/* without any product C remains, but -0 does not */
				result[j] = power[j] < LOW ? c[j] + 0.0f : f;
			}
			for (unsigned j = 0; j < COLUMNS; j++)
				c[j] = s->half ? half_of(result[j]) : result[j];
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

/* The multiple of 2^UNIT below the magnitude of T. */
static int64_t term_units(const struct term *t, int unit)
{
	int shift = unit - t->exponent;
	int64_t units = shift <= 0 ? t->significand << -shift
		: shift > 62       ? 0
				   : t->significand >> shift;

	return t->negative ? -units : units;
}

/* UNITS * 2^UNIT: cut off to f32, or rounded to nearest even to f16. Zero is positive. */
static float sum_rounded(int64_t units, int unit, bool half)
{
	uint64_t u = (uint64_t)(units < 0 ? -units : units);

	if (!u)
		return 0;
	int top = 63 - __builtin_clzll(u) + unit, least = half ? -14 : -126,
	    digits = half ? 10 : 23, most = half ? 15 : 127,
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
	struct term term[SUM_LENGTH + 1];
	bool nan = false, plus = false, minus = false;
	int power = FLOOR;
	int64_t units = 0;

	for (unsigned k = 0; k <= s->length; k++) {
		struct term *t = &term[k];

		*t = k == s->length ? term_of(s->c[i][j], s->half ? -14 : -126)
				    : term_product(term_of(s->a[i][first + k], s->least),
					      term_of(s->b[s->index[i][first + k]][j], s->least));
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
			units += term_units(&term[k], power - GUARD);
	return sum_rounded(units, power - GUARD, s->half);
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
			float p[4], c = s->c[i][j];

			for (unsigned k = 0; k < 4; k++) /* exact */
				p[k] = s->a[i][k] * s->b[s->index[i][k]][j];
			s->c[i][j] = f32_canonical(s->half ? (p[0] + p[1] + c) + (p[2] + p[3])
							   : 0.0f + p[0] + p[1] + p[2] + p[3] + c);
		}
}
