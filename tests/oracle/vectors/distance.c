/* The distance of an approximate result from the exact one, in units of the last place of its
 * type. */
#include "vectors.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static double f32_of(uint64_t bits)
{
	uint32_t b = (uint32_t)bits;
	float f;
	memcpy(&f, &b, 4);
	return (double)f;
}

static double f64_of(uint64_t bits)
{
	double d;
	memcpy(&d, &bits, 8);
	return d;
}

/* Value of a number with E exponent and M fraction bits. */
static double small_of(uint32_t b, unsigned e, unsigned m)
{
	uint32_t exponent = b >> m & ((1u << e) - 1), fraction = b & ((1u << m) - 1);
	int bias = (1 << (e - 1)) - 1;
	double v;

	if (exponent == (1u << e) - 1)
		v = fraction ? NAN : INFINITY;
	else if (exponent == 0)
		v = ldexp(fraction, 1 - bias - (int)m);
	else
		v = ldexp(fraction + (double)(1u << m), (int)exponent - bias - (int)m);
	return b >> (e + m) & 1 ? -v : v;
}

static double exact(enum opcode op, double a, double b)
{
	switch ((int)op) {
	case OP_rcp: return 1 / a;
	case OP_sqrt: return sqrt(a);
	case OP_rsqrt: return 1 / sqrt(a);
	case OP_sin: return sin(a);
	case OP_cos: return cos(a);
	case OP_lg2: return log2(a);
	case OP_ex2: return exp2(a);
	case OP_tanh: return tanh(a);
	case OP_div: return a / b;
	default: return NAN;
	}
}

/* DIFFERENCE over the ulp of EXACT in a format with M fraction bits and least exponent LEAST. */
static int ulps(double result, double want, int m, int least, double most)
{
	if (isnan(result) || isnan(want))
		return isnan(result) && isnan(want) ? 0 : 127;
	if (fabs(want) > most)
		want = copysign(INFINITY, want);
	if (isinf(result) || isinf(want))
		return result == want                                  ? 0
			: isinf(result) && isinf(want)                 ? 126
			: fabs(isinf(want) ? result : want) > most / 2 ? 1
								       : 126;
	int e = want == 0 ? least : ilogb(want);
	double u = ldexp(1, (e < least ? least : e) - m), d = (result - want) / u;
	d = d > 0 ? floor(d + 0.5) : ceil(d - 0.5);
	return d > 126 ? 126 : d < -126 ? -126 : (int)d;
}

static double flush(double v, bool ftz, double least)
{
	return ftz && fabs(v) < least ? copysign(0, v) : v;
}

int vector_distance(const struct vector_form *f, const uint64_t *input, uint64_t result)
{
	enum opcode op = (enum opcode)f->opcode;
	enum type t = word_type((enum word)f->word[f->nwords - 1]);
	bool ftz = false;

	for (unsigned i = 0; i < f->nwords; i++)
		ftz |= f->word[i] == W_ftz;
	if (t == TYPE_f64)
		return ulps(f64_of(result),
			flush(exact(op, flush(f64_of(input[0]), ftz, 0x1p-1022), 0), ftz,
				0x1p-1022),
			52, -1022, 0x1.fffffffffffffp1023);
	if (t == TYPE_f32)
		return ulps(f32_of(result),
			flush(exact(op, flush(f32_of(input[0]), ftz, 0x1p-126),
				      flush(f32_of(input[1]), ftz, 0x1p-126)),
				ftz, 0x1p-126),
			23, -126, 0x1.fffffep127);
	bool brain = t == TYPE_bf16 || t == TYPE_bf16x2;
	unsigned e = brain ? 8 : 5, m = brain ? 7 : 10;
	int worst = 0, least = brain ? -126 : -14;
	for (unsigned half = 0; half < (t == TYPE_f16x2 || t == TYPE_bf16x2 ? 2u : 1u); half++) {
		double a = small_of((uint32_t)(input[0] >> 16 * half & 0xffff), e, m),
		       r = small_of((uint32_t)(result >> 16 * half & 0xffff), e, m);
		int d = ulps(r,
			flush(exact(op, flush(a, ftz, ldexp(1, least)), 0), ftz, ldexp(1, least)),
			(int)m, least, brain ? 0x1.fep127 : 65504.0);
		if (abs(d) > abs(worst))
			worst = d;
	}
	return worst;
}
