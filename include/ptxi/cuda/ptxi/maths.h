/* The functions of <math.h> for the device. A float function is the double one, rounded. */
#ifndef PTXI_CUDA_MATHS_H
#define PTXI_CUDA_MATHS_H
#include "maths_names.h"
#include "maths_core.h"

#define PTXI_FORWARD_1(name, of_double) \
	PTXI_DEVICE double name(double x) { return of_double(x); } \
	PTXI_DEVICE float name(float x) { return (float)of_double((double)x); } \
	PTXI_DEVICE float name##f(float x) { return (float)of_double((double)x); }
#define PTXI_FORWARD_2(name, of_double) \
	PTXI_DEVICE double name(double x, double y) { return of_double(x, y); } \
	PTXI_DEVICE float name(float x, float y) \
	{ \
		return (float)of_double((double)x, (double)y); \
	} \
	PTXI_DEVICE float name##f(float x, float y) \
	{ \
		return (float)of_double((double)x, (double)y); \
	}

namespace ptxi_maths
{
PTXI_DEVICE double remainder(double x, double y)
{
	int quotient;

	return remquo(x, y, &quotient);
}
} // namespace ptxi_maths
#define PTXI_OWN_1(name) PTXI_FORWARD_1(name, ptxi_maths::name)
#define PTXI_OWN_2(name) PTXI_FORWARD_2(name, ptxi_maths::name)
PTXI_MATHS_1(PTXI_OWN_1)
PTXI_MATHS_2(PTXI_OWN_2)
#undef PTXI_OWN_1
#undef PTXI_OWN_2

#define PTXI_NATIVE_1(name) \
	PTXI_DEVICE double name(double x) { return __builtin_##name(x); } \
	PTXI_DEVICE float name(float x) { return __builtin_##name##f(x); } \
	PTXI_DEVICE float name##f(float x) { return __builtin_##name##f(x); }
PTXI_NATIVE_1(sqrt)
PTXI_NATIVE_1(floor)
PTXI_NATIVE_1(ceil)
PTXI_NATIVE_1(trunc)
PTXI_NATIVE_1(rint)
PTXI_NATIVE_1(nearbyint)
PTXI_NATIVE_1(fabs)
#undef PTXI_NATIVE_1
#define PTXI_NATIVE_2(name) \
	PTXI_DEVICE double name(double x, double y) { return __builtin_##name(x, y); } \
	PTXI_DEVICE float name(float x, float y) { return __builtin_##name##f(x, y); } \
	PTXI_DEVICE float name##f(float x, float y) { return __builtin_##name##f(x, y); }
PTXI_NATIVE_2(fmin)
PTXI_NATIVE_2(fmax)
#undef PTXI_NATIVE_2
namespace ptxi_maths
{
PTXI_DEVICE double copysign(double x, double y)
{
	return from_bits((bits(x) & 0x7fffffffffffffffll) | (bits(y) & ~0x7fffffffffffffffll));
}
PTXI_DEVICE double fdim(double x, double y) { return x != x || y != y ? x + y : x > y ? x - y : 0; }
PTXI_DEVICE double round(double x)
{
	double whole = __builtin_trunc(x);

	if (__builtin_fabs(x - whole) >= 0.5)
		whole += copysign(1, x);
	return copysign(whole, x);
}
/* x from 0.5 on, below 1, and its power of 2 */
PTXI_CALLED double frexp(double x, int *k)
{
	double m;

	*k = 0;
	if (x == 0 || !is_finite(x))
		return x;
	m = split(absolute(x), k);
	if (m >= 1) {
		m *= 0.5;
		++*k;
	}
	return copysign(m, x);
}
PTXI_DEVICE double modf(double x, double *whole)
{
	*whole = __builtin_trunc(x);
	return copysign(is_finite(x) ? x - *whole : x != x ? x : 0, x);
}
} // namespace ptxi_maths
PTXI_FORWARD_2(copysign, ptxi_maths::copysign)
PTXI_FORWARD_2(fdim, ptxi_maths::fdim)
PTXI_FORWARD_1(round, ptxi_maths::round)
#undef PTXI_FORWARD_1
#undef PTXI_FORWARD_2

PTXI_DEVICE int abs(int x) { return x < 0 ? -x : x; }
PTXI_DEVICE long abs(long x) { return x < 0 ? -x : x; }
PTXI_DEVICE long long abs(long long x) { return x < 0 ? -x : x; }
PTXI_DEVICE float abs(float x) { return __builtin_fabsf(x); }
PTXI_DEVICE double abs(double x) { return __builtin_fabs(x); }
PTXI_DEVICE long labs(long x) { return x < 0 ? -x : x; }
PTXI_DEVICE long long llabs(long long x) { return x < 0 ? -x : x; }
PTXI_DEVICE float fma(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
PTXI_DEVICE double fma(double a, double b, double c) { return __builtin_fma(a, b, c); }
PTXI_DEVICE float fmaf(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
PTXI_DEVICE double ldexp(double x, int k) { return ptxi_maths::scale(x, k); }
PTXI_DEVICE float ldexp(float x, int k) { return (float)ptxi_maths::scale(x, k); }
PTXI_DEVICE float ldexpf(float x, int k) { return (float)ptxi_maths::scale(x, k); }
PTXI_DEVICE double frexp(double x, int *k) { return ptxi_maths::frexp(x, k); }
PTXI_DEVICE float frexp(float x, int *k) { return (float)ptxi_maths::frexp(x, k); }
PTXI_DEVICE float frexpf(float x, int *k) { return (float)ptxi_maths::frexp(x, k); }
PTXI_DEVICE double modf(double x, double *whole) { return ptxi_maths::modf(x, whole); }
PTXI_DEVICE float modf(float x, float *whole)
{
	double part, rest = ptxi_maths::modf(x, &part);

	*whole = (float)part;
	return (float)rest;
}
PTXI_DEVICE float modff(float x, float *whole) { return modf(x, whole); }
PTXI_DEVICE long lround(double x) { return (long)ptxi_maths::round(x); }
PTXI_DEVICE long lround(float x) { return (long)ptxi_maths::round(x); }
PTXI_DEVICE long lrint(double x) { return (long)__builtin_rint(x); }
PTXI_DEVICE long lrint(float x) { return (long)__builtin_rint((double)x); }
PTXI_DEVICE long lroundf(float x) { return lround(x); }
PTXI_DEVICE long lrintf(float x) { return lrint(x); }

/* What C does not have. */
PTXI_DEVICE double rsqrt(double x) { return ptxi_maths::rsqrt(x); }
PTXI_DEVICE float rsqrtf(float x) { return (float)ptxi_maths::rsqrt(x); }
PTXI_DEVICE float rsqrt(float x) { return rsqrtf(x); }
PTXI_DEVICE double rcbrt(double x) { return 1 / ptxi_maths::cbrt(x); }
PTXI_DEVICE float rcbrtf(float x) { return (float)(1 / ptxi_maths::cbrt(x)); }
PTXI_DEVICE double exp10(double x) { return ptxi_maths::exp10(x); }
PTXI_DEVICE float exp10f(float x) { return (float)ptxi_maths::exp10(x); }
PTXI_DEVICE double sinpi(double x) { return ptxi_maths::sinpi_quarters(x, 0); }
PTXI_DEVICE double cospi(double x) { return ptxi_maths::sinpi_quarters(x, 1); }
PTXI_DEVICE float sinpif(float x) { return (float)sinpi((double)x); }
PTXI_DEVICE float cospif(float x) { return (float)cospi((double)x); }
PTXI_DEVICE void sincos(double x, double *s, double *c)
{
	*s = ptxi_maths::sin(x);
	*c = ptxi_maths::cos(x);
}
PTXI_DEVICE void sincosf(float x, float *s, float *c)
{
	*s = sinf(x);
	*c = cosf(x);
}
PTXI_DEVICE double normcdf(double x) { return 0.5 * ptxi_maths::erfc(-x * 0.7071067811865476); }
PTXI_DEVICE float normcdff(float x) { return (float)normcdf((double)x); }

#endif
