/* 16-bit floating-point numbers: half and bfloat16, alone and in pairs. On the device they are
 * instructions, on the host conversions to float. */
#ifndef PTXI_CUDA_FP16_H
#define PTXI_CUDA_FP16_H
#include "cuda_runtime.h"

/* The bits of x as a number of 16 bits, of which M are the fraction's, with the bias of the
 * exponent; rounded to nearest even. */
template <int M, int Bias> PTXI_BOTH unsigned short ptxi_narrow(float x)
{
	unsigned b, sign, fraction, shift = 23 - M, rest;
	int e;

	__builtin_memcpy(&b, &x, 4);
	sign = b >> 16 & 0x8000;
	e = (int)(b >> 23 & 255) - 127 + Bias;
	fraction = b & 0x7fffff;
	if ((b & 0x7fffffff) > 0x7f800000)
		return 0x7fff;
	if ((b & 0x7fffffff) == 0x7f800000 || e >= 2 * Bias + 1)
		return (unsigned short)(sign | (unsigned)(2 * Bias + 1) << M);
	if (e <= 0) {
		if (e < -M)
			return (unsigned short)sign;
		if ((b >> 23 & 255) != 0) {
			fraction |= 0x800000;
			shift += (unsigned)(1 - e);
		}
		e = 0;
	}
	rest = fraction & ((1u << shift) - 1);
	fraction = ((unsigned)e << M) + (fraction >> shift);
	fraction += rest > 1u << (shift - 1) || (rest == 1u << (shift - 1) && fraction & 1);
	return (unsigned short)(sign | fraction);
}
template <int M, int Bias> PTXI_BOTH float ptxi_widen(unsigned short h)
{
	unsigned e = h >> M & (2 * Bias + 1), fraction = h & ((1u << M) - 1), b;
	float x, scale = 1;

	if (e == 2 * Bias + 1) {
		b = 0x7f800000 | fraction << (23 - M);
	} else if (e == 0) {
		x = (float)fraction;
		for (int k = 0; k < M + Bias - 1; k++)
			scale *= 0.5f;
		x *= scale;
		return h & 0x8000 ? -x : x;
	} else {
		b = (e + 127 - Bias) << 23 | fraction << (23 - M);
	}
	b |= (unsigned)(h & 0x8000) << 16;
	__builtin_memcpy(&x, &b, 4);
	return x;
}

/* TYPE: the class; W: the word of PTX. */
#define PTXI_NUMBER(type, w, m, bias) \
	struct type { \
		unsigned short ptxi_bits; \
		type() = default; \
		PTXI_BOTH_METHOD type(float x) { ptxi_bits = from(x); } \
		PTXI_BOTH_METHOD type(double x) { ptxi_bits = from((float)x); } \
		PTXI_BOTH_METHOD type(int x) { ptxi_bits = from((float)x); } \
		PTXI_BOTH_METHOD operator float() const { return to(ptxi_bits); } \
		PTXI_BOTH unsigned short from(float x){PTXI_FROM(w, m, bias)} PTXI_BOTH \
			float to(unsigned short h){PTXI_TO(w, m, bias)} PTXI_BOTH type \
			of_bits(unsigned short h) \
		{ \
			type x; \
			x.ptxi_bits = h; \
			return x; \
		} \
	}; \
	struct __attribute__((aligned(4))) type##2 { type x, y; };
#ifdef __CUDA_ARCH__
#define PTXI_FROM(w, m, bias) \
	unsigned short r; \
	asm("cvt.rn." w ".f32 %0, %1;" : "=h"(r) : "f"(x)); \
	return r;
#define PTXI_TO(w, m, bias) return ptxi_widen_##m(h);
PTXI_DEVICE float ptxi_widen_10(unsigned short h)
{
	float r;
	asm("cvt.f32.f16 %0, %1;" : "=f"(r) : "h"(h));
	return r;
}
PTXI_DEVICE float ptxi_widen_7(unsigned short h) { return __uint_as_float((unsigned)h << 16); }
#else
#define PTXI_FROM(w, m, bias) return ptxi_narrow<m, bias>(x);
#define PTXI_TO(w, m, bias) return ptxi_widen<m, bias>(h);
#endif
PTXI_NUMBER(__half, "f16", 10, 15)
PTXI_NUMBER(__nv_bfloat16, "bf16", 7, 127)
#undef PTXI_NUMBER
#undef PTXI_FROM
#undef PTXI_TO
typedef __half half;
typedef __half2 half2;
typedef __nv_bfloat16 nv_bfloat16;
typedef __nv_bfloat162 nv_bfloat162;

/* Operations in float, rounded again: float has more than twice the digits, so that the result is
 * that of one rounding. */
#define PTXI_OPERATIONS(type, fma2) \
	PTXI_BOTH type operator+(type a, type b) { return type((float)a + (float)b); } \
	PTXI_BOTH type operator-(type a, type b) { return type((float)a - (float)b); } \
	PTXI_BOTH type operator*(type a, type b) { return type((float)a * (float)b); } \
	PTXI_BOTH type operator/(type a, type b) { return type((float)a / (float)b); } \
	PTXI_BOTH type operator-(type a) \
	{ \
		return type::of_bits((unsigned short)(a.ptxi_bits ^ 0x8000)); \
	} \
	PTXI_BOTH type &operator+=(type &a, type b) { return a = a + b; } \
	PTXI_BOTH type &operator-=(type &a, type b) { return a = a - b; } \
	PTXI_BOTH type &operator*=(type &a, type b) { return a = a * b; } \
	PTXI_BOTH bool operator<(type a, type b) { return (float)a < (float)b; } \
	PTXI_BOTH bool operator>(type a, type b) { return (float)a > (float)b; } \
	PTXI_BOTH bool operator<=(type a, type b) { return (float)a <= (float)b; } \
	PTXI_BOTH bool operator>=(type a, type b) { return (float)a >= (float)b; } \
	PTXI_BOTH bool operator==(type a, type b) { return (float)a == (float)b; } \
	PTXI_BOTH bool operator!=(type a, type b) { return (float)a != (float)b; } \
	PTXI_BOTH type __hadd(type a, type b) { return a + b; } \
	PTXI_BOTH type __hsub(type a, type b) { return a - b; } \
	PTXI_BOTH type __hmul(type a, type b) { return a * b; } \
	PTXI_BOTH type __hdiv(type a, type b) { return a / b; } \
	PTXI_BOTH type __hneg(type a) { return -a; } \
	PTXI_BOTH bool __hlt(type a, type b) { return a < b; } \
	PTXI_BOTH bool __hgt(type a, type b) { return a > b; } \
	PTXI_BOTH bool __heq(type a, type b) { return a == b; } \
	PTXI_BOTH type __hmax(type a, type b) { return a < b ? b : a; } \
	PTXI_BOTH type __hmin(type a, type b) { return b < a ? b : a; } \
	PTXI_BOTH type##2 __halves2##fma2(type x, type y) { return type##2 {x, y}; } \
	PTXI_BOTH type##2 operator+(type##2 a, type##2 b) \
	{ \
		return type##2 {a.x + b.x, a.y + b.y}; \
	} \
	PTXI_BOTH type##2 operator-(type##2 a, type##2 b) \
	{ \
		return type##2 {a.x - b.x, a.y - b.y}; \
	} \
	PTXI_BOTH type##2 operator*(type##2 a, type##2 b) \
	{ \
		return type##2 {a.x * b.x, a.y * b.y}; \
	} \
	PTXI_BOTH type##2 __hadd2(type##2 a, type##2 b) { return a + b; } \
	PTXI_BOTH type##2 __hsub2(type##2 a, type##2 b) { return a - b; } \
	PTXI_BOTH type##2 __hmul2(type##2 a, type##2 b) { return a * b; } \
	PTXI_BOTH type __low2##fma2(type##2 a) { return a.x; } \
	PTXI_BOTH type __high2##fma2(type##2 a) { return a.y; } \
	PTXI_BOTH float __low2float(type##2 a) { return (float)a.x; } \
	PTXI_BOTH float __high2float(type##2 a) { return (float)a.y; }
PTXI_OPERATIONS(__half, half)
PTXI_OPERATIONS(__nv_bfloat16, bfloat16)
#undef PTXI_OPERATIONS
PTXI_DEVICE __half __hfma(__half a, __half b, __half c)
{
	unsigned short r;

	asm("fma.rn.f16 %0, %1, %2, %3;"
		: "=h"(r)
		: "h"(a.ptxi_bits), "h"(b.ptxi_bits), "h"(c.ptxi_bits));
	return __half::of_bits(r);
}
PTXI_DEVICE __nv_bfloat16 __hfma(__nv_bfloat16 a, __nv_bfloat16 b, __nv_bfloat16 c)
{
	unsigned short r;

	asm("fma.rn.bf16 %0, %1, %2, %3;"
		: "=h"(r)
		: "h"(a.ptxi_bits), "h"(b.ptxi_bits), "h"(c.ptxi_bits));
	return __nv_bfloat16::of_bits(r);
}
PTXI_DEVICE __half2 __hfma2(__half2 a, __half2 b, __half2 c)
{
	return __half2{__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y)};
}
PTXI_BOTH __half __float2half(float x) { return __half(x); }
PTXI_BOTH __half __float2half_rn(float x) { return __half(x); }
PTXI_BOTH float __half2float(__half x) { return (float)x; }
PTXI_BOTH __half2 __float2half2_rn(float x) { return __half2{__half(x), __half(x)}; }
PTXI_BOTH __half2 __floats2half2_rn(float x, float y) { return __half2{__half(x), __half(y)}; }
PTXI_BOTH __half2 __float22half2_rn(float2 v) { return __half2{__half(v.x), __half(v.y)}; }
PTXI_BOTH float2 __half22float2(__half2 v) { return float2{(float)v.x, (float)v.y}; }
PTXI_BOTH __half2 __half2half2(__half x) { return __half2{x, x}; }
PTXI_BOTH __half2 make_half2(__half x, __half y) { return __half2{x, y}; }
PTXI_BOTH __half __int2half_rn(int x) { return __half((float)x); }
PTXI_BOTH unsigned short __half_as_ushort(__half x) { return x.ptxi_bits; }
PTXI_BOTH __half __ushort_as_half(unsigned short x) { return __half::of_bits(x); }
PTXI_BOTH __nv_bfloat16 __float2bfloat16(float x) { return __nv_bfloat16(x); }
PTXI_BOTH float __bfloat162float(__nv_bfloat16 x) { return (float)x; }
PTXI_DEVICE __half hsqrt(__half x) { return __half(__builtin_sqrtf((float)x)); }
PTXI_DEVICE __half atomicAdd(__half *p, __half v)
{
	unsigned short r;

	asm volatile("atom.relaxed.gpu.add.noftz.f16 %0, [%1], %2;"
		     : "=h"(r)
		     : "l"(p), "h"(v.ptxi_bits)
		     : "memory");
	return __half::of_bits(r);
}

#endif
