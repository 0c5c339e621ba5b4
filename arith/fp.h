/* Floating point for one lane, in forms that loops can vectorise: flushing, saturation, canonical
 * NaNs, min and max, and the 16-bit formats. The processor's rounding mode affects only the one
 * rounding that an operation is meant to perform. With ARITH_SOFT that rounding is done by integer
 * arithmetic (arith/rounding.h) in the mode MODE; otherwise MODE is ignored and the processor's
 * mode applies. */
#ifndef PTXI_ARITH_FP_H
#define PTXI_ARITH_FP_H
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#ifdef ARITH_SOFT
#include "arith/rounding.h"
#endif

#define F32_NAN 0x7fffffffu
#define F64_NAN 0xfff8000000000000u
#define F16_NAN 0x7fffu /* also of bf16 */

static inline float f32_from(uint32_t x)
{
	float f;
	memcpy(&f, &x, sizeof f);
	return f;
}
static inline uint32_t f32_bits(float f)
{
	uint32_t x;
	memcpy(&x, &f, sizeof x);
	return x;
}
static inline double f64_from(uint64_t x)
{
	double f;
	memcpy(&f, &x, sizeof f);
	return f;
}
static inline uint64_t f64_bits(double f)
{
	uint64_t x;
	memcpy(&x, &f, sizeof x);
	return x;
}

/* .ftz: a subnormal becomes zero of the same sign. */
static inline uint32_t f32_flush_bits(uint32_t x) { return x & 0x7f800000u ? x : x & 0x80000000u; }
static inline float f32_flush(float f) { return f32_from(f32_flush_bits(f32_bits(f))); }
static inline float f32_ftz(float f, bool ftz) { return ftz ? f32_flush(f) : f; }
/* Replaces any NaN by the canonical NaN of arithmetic. */
static inline float f32_canonical(float f) { return f == f ? f : f32_from(F32_NAN); }
/* .sat: clamps to [0, 1]; NaN and -0 become +0. */
static inline float f32_saturate(float f) { return f > 0 ? (f < 1 ? f : 1.0f) : 0.0f; }
static inline float f32_relu(float f) { return f == f ? (f > 0 ? f : 0.0f) : f; }
/* Postprocesses a result: .ftz, then .sat or the canonical NaN. */
static inline float f32_done(float f, bool ftz, bool sat)
{
	f = f32_ftz(f, ftz);
	return sat ? f32_saturate(f) : f32_canonical(f);
}

/* f64 results: a NaN source made quiet (of several, the one that hardware chooses), or the
 * canonical NaN if no source was one. */
static inline double f64_quiet(double x) { return f64_from(f64_bits(x) | (uint64_t)1 << 51); }
static inline double f64_done1(double r, double a)
{
	return r == r ? r : f64_quiet(a == a ? f64_from(F64_NAN) : a);
}
static inline double f64_done2(double r, double first, double second)
{
	const double nan = second == second ? f64_from(F64_NAN) : second,
		     chosen = first == first ? nan : first;
	return r == r ? r : f64_quiet(chosen);
}
static inline double f64_done3(double r, double first, double second, double third)
{
	const double nan = third == third ? f64_from(F64_NAN) : third,
		     other = second == second ? nan : second,
		     chosen = first == first ? other : first;
	return r == r ? r : f64_quiet(chosen);
}

/* Operations that round once. */
enum f32_mode { F32_RN, F32_RZ, F32_RM, F32_RP };
#ifdef ARITH_SOFT
_Static_assert(F32_RN == (int)SOFT_RN && F32_RZ == (int)SOFT_RZ && F32_RM == (int)SOFT_RM &&
		F32_RP == (int)SOFT_RP,
	"the same modes");
#define ROUNDED32(f, ...) \
	f32_from((uint32_t)rounded_##f(TYPE_f32, __VA_ARGS__, (enum soft_round)mode))
#define ROUNDED64(f, ...) f64_from(rounded_##f(TYPE_f64, __VA_ARGS__, (enum soft_round)mode))
static inline float f32_sum(float a, float b, enum f32_mode mode)
{
	return mode == F32_RN ? a + b : ROUNDED32(sum, f32_bits(a), f32_bits(b));
}
static inline float f32_product(float a, float b, enum f32_mode mode)
{
	return mode == F32_RN ? a * b : ROUNDED32(product, f32_bits(a), f32_bits(b));
}
static inline float f32_fused(float a, float b, float c, enum f32_mode mode)
{
	return ROUNDED32(fused, f32_bits(a), f32_bits(b), f32_bits(c));
}
static inline float f32_quotient(float a, float b, enum f32_mode mode)
{
	return mode == F32_RN ? a / b : ROUNDED32(quotient, f32_bits(a), f32_bits(b));
}
static inline float f32_root(float a, enum f32_mode mode)
{
	return mode == F32_RN ? sqrtf(a) : ROUNDED32(root, f32_bits(a));
}
static inline double f64_sum(double a, double b, enum f32_mode mode)
{
	return ROUNDED64(sum, f64_bits(a), f64_bits(b));
}
static inline double f64_product(double a, double b, enum f32_mode mode)
{
	return ROUNDED64(product, f64_bits(a), f64_bits(b));
}
static inline double f64_fused(double a, double b, double c, enum f32_mode mode)
{
	return ROUNDED64(fused, f64_bits(a), f64_bits(b), f64_bits(c));
}
static inline double f64_quotient(double a, double b, enum f32_mode mode)
{
	return ROUNDED64(quotient, f64_bits(a), f64_bits(b));
}
static inline double f64_root(double a, enum f32_mode mode) { return ROUNDED64(root, f64_bits(a)); }
static inline float f64_narrowed(double d, enum f32_mode mode)
{
	return mode == F32_RN
		? (float)d
		: f32_from((uint32_t)soft_to_float(TYPE_f32, soft_from_float(TYPE_f64, f64_bits(d)),
			  (struct soft_rounding){.mode = (enum soft_round)mode}));
}
#undef ROUNDED32
#undef ROUNDED64
#else
static inline float f32_sum(float a, float b, enum f32_mode mode) { return (void)mode, a + b; }
static inline float f32_product(float a, float b, enum f32_mode mode) { return (void)mode, a * b; }
static inline float f32_fused(float a, float b, float c, enum f32_mode mode)
{
	return (void)mode, fmaf(a, b, c);
}
static inline float f32_quotient(float a, float b, enum f32_mode mode) { return (void)mode, a / b; }
static inline float f32_root(float a, enum f32_mode mode) { return (void)mode, sqrtf(a); }
static inline double f64_sum(double a, double b, enum f32_mode mode) { return (void)mode, a + b; }
static inline double f64_product(double a, double b, enum f32_mode mode)
{
	return (void)mode, a * b;
}
static inline double f64_fused(double a, double b, double c, enum f32_mode mode)
{
	return (void)mode, fma(a, b, c);
}
static inline double f64_quotient(double a, double b, enum f32_mode mode)
{
	return (void)mode, a / b;
}
static inline double f64_root(double a, enum f32_mode mode) { return (void)mode, sqrt(a); }
static inline float f64_narrowed(double d, enum f32_mode mode) { return (void)mode, (float)d; }
#endif

/* .ftz of a result r = p + c: r is tiny if p + c, rounded to 24 bits with an unbounded exponent, is
 * less than 2^-126 in magnitude. That is decided by comparing with a number slightly below 2^-126;
 * the sign of a sum of doubles is always correct. When rounding away from zero, r is also tiny at
 * that number itself: where the difference is less than the least positive double. For each mode:
 * the number and the limit of the difference, for positive and for negative results. */
static const struct f32_tiny {
	double least_up, least_down, limit_up, limit_down;
} f32_tiny[] = {
	[F32_RN] = {0x1p-126 - 0x1p-151, 0x1p-126 - 0x1p-151, 0, 0},
	[F32_RZ] = {0x1p-126, 0x1p-126, 0, 0},
	[F32_RM] = {0x1p-126, 0x1p-126 - 0x1p-150, 0, 0x1p-1074},
	[F32_RP] = {0x1p-126 - 0x1p-150, 0x1p-126, 0x1p-1074, 0},
};
static inline float f32_flush_result(float r, double p, double c, enum f32_mode mode)
{
	const struct f32_tiny t = f32_tiny[mode];
	const uint32_t sign = f32_bits(r) & 0x80000000u;
	const double above = sign ? -p + (-c - t.least_down) : p + (c - t.least_up);
	return above < (sign ? t.limit_down : t.limit_up) ? f32_from(sign) : r;
}
static inline float f32_result(float f, bool sat)
{
	return sat ? f32_saturate(f) : f32_canonical(f);
}
static inline float f32_mul(float a, float b, bool ftz, bool sat, enum f32_mode mode)
{
	if (!ftz)
		return f32_result(f32_product(a, b, mode), sat);
	const float x = f32_flush(a), y = f32_flush(b);
	return f32_result(
		f32_flush_result(f32_product(x, y, mode), (double)x * (double)y, 0, mode), sat);
}
static inline float f32_fma(float a, float b, float c, bool ftz, bool sat, enum f32_mode mode)
{
	if (!ftz)
		return f32_result(f32_fused(a, b, c, mode), sat);
	const float x = f32_flush(a), y = f32_flush(b), z = f32_flush(c);
	return f32_result(
		f32_flush_result(f32_fused(x, y, z, mode), (double)x * (double)y, (double)z, mode),
		sat);
}
/* A quotient is tiny if the dividend is less than the divisor times that number, a product that a
 * double represents exactly; a NaN is not tiny. */
static inline float f32_div(float a, float b, bool ftz, enum f32_mode mode)
{
	if (!ftz)
		return f32_canonical(f32_quotient(a, b, mode));
	const struct f32_tiny t = f32_tiny[mode];
	const float x = f32_flush(a), y = f32_flush(b), r = f32_quotient(x, y, mode);
	const uint32_t sign = f32_bits(r) & 0x80000000u;
	const double above = fabs((double)x) - fabs((double)y) * (sign ? t.least_down : t.least_up);
	return f32_canonical(
		((r == r) & (above < (sign ? t.limit_down : t.limit_up))) ? f32_from(sign) : r);
}

/* Maps the bits of a float to an integer in the same order, -0 below +0. */
static inline int32_t f32_order(uint32_t x)
{
	return (int32_t)(x ^ ((uint32_t)((int32_t)x >> 31) & 0x7fffffffu));
}
static inline int64_t f64_order(uint64_t x)
{
	return (int64_t)(x ^ ((uint64_t)((int64_t)x >> 63) & INT64_MAX));
}
static inline bool f32_isnan_bits(uint32_t x) { return (x & 0x7fffffffu) > 0x7f800000u; }
static inline bool f64_isnan_bits(uint64_t x) { return (x & INT64_MAX) > 0x7ff0000000000000u; }
static inline bool f16_isnan(uint16_t x) { return (x & 0x7fff) > 0x7c00; }
static inline bool bf16_isnan(uint16_t x) { return (x & 0x7fff) > 0x7f80; }

/* min and max: a number is preferred to a NaN unless .NaN; two NaNs give the canonical one.
 * (9.7.3.11 min, 9.7.3.12 max) */
static inline uint32_t f32_min_bits(uint32_t a, uint32_t b, bool nan)
{
	const bool an = f32_isnan_bits(a), bn = f32_isnan_bits(b);
	const uint32_t m = f32_order(a) < f32_order(b) ? a : b;
	return nan ? ((an | bn) ? F32_NAN : m) : (an & bn) ? F32_NAN : an ? b : bn ? a : m;
}
static inline uint32_t f32_max_bits(uint32_t a, uint32_t b, bool nan)
{
	const bool an = f32_isnan_bits(a), bn = f32_isnan_bits(b);
	const uint32_t m = f32_order(a) > f32_order(b) ? a : b;
	return nan ? ((an | bn) ? F32_NAN : m) : (an & bn) ? F32_NAN : an ? b : bn ? a : m;
}
static inline uint32_t f32_xorsign(uint32_t x, uint32_t signs)
{
	return f32_isnan_bits(x) ? x : x | (signs & 0x80000000u);
}
static inline uint64_t f64_min_bits(uint64_t a, uint64_t b)
{
	const bool an = f64_isnan_bits(a), bn = f64_isnan_bits(b);
	return an ? (bn ? b | (uint64_t)1 << 51 : b) : bn ? a : f64_order(a) < f64_order(b) ? a : b;
}
static inline uint64_t f64_max_bits(uint64_t a, uint64_t b)
{
	const bool an = f64_isnan_bits(a), bn = f64_isnan_bits(b);
	return an ? (bn ? b | (uint64_t)1 << 51 : b) : bn ? a : f64_order(a) > f64_order(b) ? a : b;
}
static inline uint16_t f16_min_max(uint16_t a, uint16_t b, bool max, bool nan, uint16_t infinity)
{
	const bool an = (a & 0x7fff) > infinity, bn = (b & 0x7fff) > infinity;
	const int16_t oa = (int16_t)(a ^ ((uint16_t)((int16_t)a >> 15) & 0x7fff)),
		      ob = (int16_t)(b ^ ((uint16_t)((int16_t)b >> 15) & 0x7fff));
	const uint16_t m = (max ? oa > ob : oa < ob) ? a : b;
	return nan ? ((an | bn) ? F16_NAN : m) : (an & bn) ? F16_NAN : an ? b : bn ? a : m;
}

/* Half precision to float, which is exact. */
static inline float f16_to_f32(uint16_t h)
{
	const uint32_t u = (uint32_t)(h & 0x7fff) << 13, sign = (uint32_t)(h & 0x8000) << 16;
	const uint32_t scaled = f32_bits(f32_from(u) * 0x1p112f);
	return f32_from(((h & 0x7c00) == 0x7c00 ? u | 0x7f800000u : scaled) | sign);
}
static inline uint16_t f16_flush(uint16_t x) { return x & 0x7c00 ? x : x & 0x8000; }
static inline float bf16_to_f32(uint16_t h) { return f32_from((uint32_t)h << 16); }

/* Float to half precision, rounded to nearest even; NaN becomes canonical. Adding a constant rounds
 * the subnormal results. */
static inline uint16_t f32_to_f16(float f)
{
	const uint32_t x = f32_bits(f), sign = x >> 16 & 0x8000, u = x & 0x7fffffffu;
	const uint32_t odd = u >> 13 & 1;
	const uint32_t normal = (u - 0x38000000u + 0xfff + odd) >> 13;
	const uint32_t small = f32_bits(f32_from(u) + 0.5f) - 0x3f000000u;
	const uint32_t finite = u >= 0x47800000u ? 0x7c00 : u < 0x38800000u ? small : normal;
	return (uint16_t)(u > 0x7f800000u ? F16_NAN : finite | sign);
}
static inline uint16_t f32_to_bf16(float f)
{
	const uint32_t x = f32_bits(f);
	return (uint16_t)((x & 0x7fffffffu) > 0x7f800000u ? F16_NAN
							  : (x + 0x7fff + (x >> 16 & 1)) >> 16);
}

/* Integral floats clamped to an integer type. NaN gives 0 for f32 to 32 bits, otherwise only the
 * top bit set. */
static inline int32_t f32_to_s32(float f)
{
	const bool high = f >= 0x1p31f, low = f < -0x1p31f;
	const int32_t x = (int32_t)((high | low | (f != f)) ? 0.0f : f);
	return high ? INT32_MAX : low ? INT32_MIN : x;
}
static inline uint32_t f32_to_u32(float f)
{
	const bool high = f >= 0x1p32f;
	const float inside = (!high & (f > 0)) ? f : 0.0f;
	const bool top = inside >= 0x1p31f;
	const uint32_t x = (uint32_t)(int32_t)(top ? inside - 0x1p31f : inside) +
		(top ? 0x80000000u : 0);
	return high ? UINT32_MAX : x;
}
static inline int64_t f32_to_s64(float f)
{
	const bool high = f >= 0x1p63f, low = f < -0x1p63f;
	const int64_t x = (int64_t)((high | low | (f != f)) ? 0.0f : f);
	return high ? INT64_MAX : (low | (f != f)) ? INT64_MIN : x;
}
static inline uint64_t f32_to_u64(float f)
{
	const bool high = f >= 0x1p64f;
	const uint64_t x = (uint64_t)((!high & (f > 0)) ? f : 0.0f);
	return high ? UINT64_MAX : f != f ? (uint64_t)INT64_MIN : x;
}
static inline int32_t f64_to_s32(double f)
{
	const bool high = f >= 0x1p31, low = f < -0x1p31;
	const int32_t x = (int32_t)((high | low | (f != f)) ? 0.0 : f);
	return high ? INT32_MAX : (low | (f != f)) ? INT32_MIN : x;
}
static inline uint32_t f64_to_u32(double f)
{
	const bool high = f >= 0x1p32;
	const double inside = (!high & (f > 0)) ? f : 0.0;
	const bool top = inside >= 0x1p31;
	const uint32_t x = (uint32_t)(int32_t)(top ? inside - 0x1p31 : inside) +
		(top ? 0x80000000u : 0);
	return high ? UINT32_MAX : f != f ? 0x80000000u : x;
}
static inline int64_t f64_to_s64(double f)
{
	const bool high = f >= 0x1p63, low = f < -0x1p63;
	const int64_t x = (int64_t)((high | low | (f != f)) ? 0.0 : f);
	return high ? INT64_MAX : (low | (f != f)) ? INT64_MIN : x;
}
static inline uint64_t f64_to_u64(double f)
{
	const bool high = f >= 0x1p64;
	const uint64_t x = (uint64_t)((!high & (f > 0)) ? f : 0.0);
	return high ? UINT64_MAX : f != f ? (uint64_t)INT64_MIN : x;
}
/* Widening and narrowing keep as much of a NaN's payload as fits and make it quiet. */
static inline double f64_from_f32(float f) { return (double)f; }
static inline float f32_from_f64(double d, enum f32_mode mode)
{
	const uint64_t x = f64_bits(d);
	const uint32_t nan = (uint32_t)(x >> 32 & 0x80000000u) | 0x7fc00000u |
		(uint32_t)(x >> 29 & 0x3fffff);
	return d == d ? f64_narrowed(d, mode) : f32_from(nan);
}

static inline float f32_from_f64_ftz(double d, enum f32_mode mode)
{
	/* a NaN is below no limit */
	return f32_flush_result(f32_from_f64(d, mode), d, 0, mode);
}

/* a + b in double, rounded to odd. */
static inline double f64_add_odd(double a, double b)
{
	const double s = a + b, bb = s - a, error = (a - (s - bb)) + (b - bb);
	const uint64_t x = f64_bits(s);
	const bool inexact = error != 0 && error == error, toward = (error < 0) != (s < 0);
	return f64_from(inexact && !(x & 1) ? (toward ? x - 1 : x + 1) : x);
}

/* Double to a 16-bit format with a single rounding to nearest even; adding MAGIC rounds the
 * subnormal results. */
static inline uint16_t f64_to_half(
	double f, unsigned fraction, unsigned bias, double smallest_normal, double magic)
{
	const uint64_t x = f64_bits(f), u = x & INT64_MAX;
	const unsigned drop = 52 - fraction;
	const uint64_t infinity = (2 * (uint64_t)bias + 1) << fraction;
	const uint64_t normal = ((u + ((uint64_t)1 << (drop - 1)) - 1 + (u >> drop & 1)) >> drop) -
		((uint64_t)(1023 - bias) << fraction);
	const uint64_t small = f64_bits(f64_from(u) + magic) - f64_bits(magic);
	const uint64_t finite = u < f64_bits(smallest_normal) ? small
		: u >= f64_bits(2.0 / smallest_normal * 2.0)  ? infinity
							      : normal;
	return (uint16_t)(u > 0x7ff0000000000000u ? F16_NAN : finite | (x >> 48 & 0x8000));
}
static inline uint16_t f64_to_f16(double f) { return f64_to_half(f, 10, 15, 0x1p-14, 0x1p28); }
static inline uint16_t f64_to_bf16(double f) { return f64_to_half(f, 7, 127, 0x1p-126, 0x1p-81); }

/* Products of 16-bit numbers are exact in double. So is every part of the f16 sum that matters:
 * where 53 bits do not suffice, the product is either far above the range or far below half a unit
 * of c. For bf16 the sum is rounded to odd. */
static inline uint16_t f16_fma(uint16_t a, uint16_t b, uint16_t c)
{
	return f64_to_f16((double)f16_to_f32(a) * (double)f16_to_f32(b) + (double)f16_to_f32(c));
}
static inline uint16_t bf16_fma(uint16_t a, uint16_t b, uint16_t c)
{
	return f64_to_bf16(f64_add_odd(
		(double)bf16_to_f32(a) * (double)bf16_to_f32(b), (double)bf16_to_f32(c)));
}
static inline uint16_t bf16_mul(uint16_t a, uint16_t b)
{
	return f64_to_bf16((double)bf16_to_f32(a) * (double)bf16_to_f32(b));
}
/* .ftz of an f16 sum, as for f32. */
static inline uint16_t f16_flush_result(uint16_t r, double p, double c)
{
	const double least = 0x1p-14 - 0x1p-26;
	const double above = r & 0x8000 ? -p + (-c - least) : p + (c - least);
	return above < 0 ? r & 0x8000 : r;
}
static inline uint16_t f16_mul(uint16_t a, uint16_t b)
{
	return f32_to_f16(f16_to_f32(a) * f16_to_f32(b));
}
static inline uint16_t f16_mul_ftz(uint16_t a, uint16_t b)
{
	const float x = f16_to_f32(f16_flush(a)), y = f16_to_f32(f16_flush(b));
	return f16_flush_result(f32_to_f16(x * y), (double)x * (double)y, 0);
}
static inline uint16_t f16_fma_ftz(uint16_t a, uint16_t b, uint16_t c)
{
	const double x = (double)f16_to_f32(f16_flush(a)), y = (double)f16_to_f32(f16_flush(b)),
		     z = (double)f16_to_f32(f16_flush(c));
	return f16_flush_result(f64_to_f16(x * y + z), x * y, z);
}
/* fma.oob: the particular NaN with which tensor copies fill out-of-bounds elements makes the result
 * zero. */
static inline bool half_oob(uint16_t a, uint16_t b)
{
	return ((a & 0x7fff) == 0x7ff7) | ((b & 0x7fff) == 0x7ff7);
}
/* neg and abs turn a NaN into the canonical one. */
static inline uint16_t f16_sign(uint16_t x, uint16_t r) { return f16_isnan(x) ? F16_NAN : r; }
static inline uint16_t bf16_sign(uint16_t x, uint16_t r) { return bf16_isnan(x) ? F16_NAN : r; }
static inline uint16_t f16_saturate(uint16_t x)
{
	return x & 0x8000 || f16_isnan(x) ? 0 : x > 0x3c00 ? 0x3c00 : x;
}
/* Negative becomes zero, NaN is kept: here both 16-bit formats have a single canonical NaN. */
static inline uint16_t half_relu(uint16_t x) { return x & 0x8000 ? 0 : x; }
static inline uint16_t half_xorsign(uint16_t x, uint16_t signs)
{
	return x == F16_NAN ? x : (uint16_t)(x | (signs & 0x8000));
}

/* rcp and rsqrt.approx.ftz.f64 use only the upper 32 bits; the lower ones of a result are zero. */
static inline double f64_upper_flush(double f)
{
	const uint64_t x = f64_bits(f) & 0xffffffff00000000u;
	return f64_from((x & (uint64_t)0x7ff << 52) ? x : x & (uint64_t)1 << 63);
}
static inline double f64_upper(double f)
{
	const uint64_t x = f64_bits(f),
		       kept = (x + 0x7fffffff + (x >> 32 & 1)) & 0xffffffff00000000u;
	const uint64_t flushed = kept & (uint64_t)0x7ff << 52 ? kept : kept & (uint64_t)1 << 63;
	return f == f ? f64_from(flushed) : f64_from(0x7fffffff00000000u);
}
static inline float f32_rcp(float f) { return 1.0f / f; }
static inline float f32_rsqrt(float f) { return (float)(1.0 / sqrt((double)f)); }
/* Flushes the reciprocal of finite divisors above 2^126 to zero. (9.7.3.8 div.approx) */
static inline float f32_div_approx(float a, float b)
{
	const float big = fabsf(b), q = a / b, zero = a * (b > 0 ? 0.0f : -0.0f);
	return ((big > 0x1p126f) & (big < INFINITY)) ? zero : q;
}
#endif
