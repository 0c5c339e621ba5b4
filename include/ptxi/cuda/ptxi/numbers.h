/* Integers, conversions, and floating-point operations with a rounding of their own. */
#ifndef PTXI_CUDA_NUMBERS_H
#define PTXI_CUDA_NUMBERS_H
#include "vectors.h"

/* min and max of two numbers, joined by C's arithmetic conversions. */
#define PTXI_LEAST(type) \
	PTXI_DEVICE type min(type a, type b) { return b < a ? b : a; } \
	PTXI_DEVICE type max(type a, type b) { return a < b ? b : a; }
PTXI_LEAST(int)
PTXI_LEAST(unsigned)
PTXI_LEAST(long)
PTXI_LEAST(unsigned long)
PTXI_LEAST(long long)
PTXI_LEAST(unsigned long long)
#undef PTXI_LEAST
PTXI_DEVICE unsigned min(int a, unsigned b) { return min((unsigned)a, b); }
PTXI_DEVICE unsigned min(unsigned a, int b) { return min(a, (unsigned)b); }
PTXI_DEVICE unsigned max(int a, unsigned b) { return max((unsigned)a, b); }
PTXI_DEVICE unsigned max(unsigned a, int b) { return max(a, (unsigned)b); }
PTXI_DEVICE float min(float a, float b) { return __builtin_fminf(a, b); }
PTXI_DEVICE float max(float a, float b) { return __builtin_fmaxf(a, b); }
PTXI_DEVICE double min(double a, double b) { return __builtin_fmin(a, b); }
PTXI_DEVICE double max(double a, double b) { return __builtin_fmax(a, b); }
PTXI_DEVICE double min(float a, double b) { return __builtin_fmin(a, b); }
PTXI_DEVICE double max(float a, double b) { return __builtin_fmax(a, b); }
PTXI_DEVICE double min(double a, float b) { return __builtin_fmin(a, b); }
PTXI_DEVICE double max(double a, float b) { return __builtin_fmax(a, b); }
#ifndef __CUDA_ARCH__
#define PTXI_LEAST(type) \
	static inline type min(type a, type b) { return b < a ? b : a; } \
	static inline type max(type a, type b) { return a < b ? b : a; }
PTXI_LEAST(int)
PTXI_LEAST(unsigned)
PTXI_LEAST(long)
PTXI_LEAST(unsigned long)
PTXI_LEAST(long long)
PTXI_LEAST(unsigned long long)
PTXI_LEAST(float)
PTXI_LEAST(double)
#undef PTXI_LEAST
#endif

PTXI_DEVICE int __popc(unsigned x) { return __builtin_popcount(x); }
PTXI_DEVICE int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
PTXI_DEVICE int __clz(int x) { return x ? __builtin_clz((unsigned)x) : 32; }
PTXI_DEVICE int __clzll(long long x) { return x ? __builtin_clzll((unsigned long long)x) : 64; }
PTXI_DEVICE int __ffs(int x) { return x ? __builtin_ctz((unsigned)x) + 1 : 0; }
PTXI_DEVICE int __ffsll(long long x) { return x ? __builtin_ctzll((unsigned long long)x) + 1 : 0; }
PTXI_DEVICE unsigned __brev(unsigned x) { return __builtin_bitreverse32(x); }
PTXI_DEVICE unsigned long long __brevll(unsigned long long x) { return __builtin_bitreverse64(x); }
PTXI_DEVICE int __mulhi(int a, int b) { return (int)((long long)a * b >> 32); }
PTXI_DEVICE unsigned __umulhi(unsigned a, unsigned b)
{
	return (unsigned)((unsigned long long)a * b >> 32);
}
PTXI_DEVICE unsigned long long __umul64hi(unsigned long long a, unsigned long long b)
{
	unsigned long long r;

	asm("mul.hi.u64 %0, %1, %2;" : "=l"(r) : "l"(a), "l"(b));
	return r;
}
PTXI_DEVICE long long __mul64hi(long long a, long long b)
{
	long long r;

	asm("mul.hi.s64 %0, %1, %2;" : "=l"(r) : "l"(a), "l"(b));
	return r;
}
PTXI_DEVICE int __mul24(int a, int b) { return (a << 8 >> 8) * (b << 8 >> 8); }
PTXI_DEVICE unsigned __umul24(unsigned a, unsigned b) { return (a & 0xffffff) * (b & 0xffffff); }
PTXI_DEVICE unsigned __sad(int a, int b, unsigned c)
{
	return c + (a < b ? (unsigned)b - (unsigned)a : (unsigned)a - (unsigned)b);
}
PTXI_DEVICE unsigned __usad(unsigned a, unsigned b, unsigned c)
{
	return c + (a < b ? b - a : a - b);
}
PTXI_DEVICE int __hadd(int a, int b) { return (int)(((long long)a + b) >> 1); }
PTXI_DEVICE unsigned __byte_perm(unsigned a, unsigned b, unsigned s)
{
	unsigned r;

	asm("prmt.b32 %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(s & 0x7777));
	return r;
}
#define PTXI_THREE(name, type, op) \
	PTXI_DEVICE type name(unsigned a, unsigned b, type c) \
	{ \
		type r; \
\
		asm(op " %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c)); \
		return r; \
	}
PTXI_THREE(__funnelshift_l, unsigned, "shf.l.wrap.b32")
PTXI_THREE(__funnelshift_r, unsigned, "shf.r.wrap.b32")
PTXI_THREE(__funnelshift_lc, unsigned, "shf.l.clamp.b32")
PTXI_THREE(__funnelshift_rc, unsigned, "shf.r.clamp.b32")
#undef PTXI_THREE
PTXI_DEVICE int __dp4a(int a, int b, int c)
{
	int r;

	asm("dp4a.s32.s32 %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c));
	return r;
}
PTXI_DEVICE unsigned __dp4a(unsigned a, unsigned b, unsigned c)
{
	unsigned r;

	asm("dp4a.u32.u32 %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(c));
	return r;
}

/* Sums and differences of the parts of a word. */
#define PTXI_PARTS(name, high, op, restore) \
	PTXI_DEVICE unsigned name(unsigned a, unsigned b) { return (op) ^ (restore & high); }
PTXI_PARTS(__vadd2, 0x80008000u, (a & 0x7fff7fffu) + (b & 0x7fff7fffu), (a ^ b))
PTXI_PARTS(__vadd4, 0x80808080u, (a & 0x7f7f7f7fu) + (b & 0x7f7f7f7fu), (a ^ b))
PTXI_PARTS(__vsub2, 0x80008000u, (a | 0x80008000u) - (b & 0x7fff7fffu), ~(a ^ b))
PTXI_PARTS(__vsub4, 0x80808080u, (a | 0x80808080u) - (b & 0x7f7f7f7fu), ~(a ^ b))
#undef PTXI_PARTS

/* --- the bits of numbers --- */

#define PTXI_BITS(name, to, from) \
	PTXI_DEVICE to name(from x) \
	{ \
		to r; \
\
		static_assert(sizeof r == sizeof x, "the same bits"); \
		__builtin_memcpy(&r, &x, sizeof r); \
		return r; \
	}
PTXI_BITS(__float_as_int, int, float)
PTXI_BITS(__float_as_uint, unsigned, float)
PTXI_BITS(__int_as_float, float, int)
PTXI_BITS(__uint_as_float, float, unsigned)
PTXI_BITS(__double_as_longlong, long long, double)
PTXI_BITS(__longlong_as_double, double, long long)
#undef PTXI_BITS
PTXI_DEVICE int __double2hiint(double x) { return (int)(__double_as_longlong(x) >> 32); }
PTXI_DEVICE int __double2loint(double x) { return (int)__double_as_longlong(x); }
PTXI_DEVICE double __hiloint2double(int high, int low)
{
	return __longlong_as_double((long long)high << 32 | (unsigned)low);
}

/* --- conversions and operations with a rounding --- */

#define PTXI_CONVERT(name, to, ct, from, cf, op) \
	PTXI_DEVICE to name(from x) \
	{ \
		to r; \
\
		asm("cvt." op " %0, %1;" : "=" ct(r) : cf(x)); \
		return r; \
	}
/* ROUND: _rn ...; INT: of a conversion to an integer; REAL: to a real number. */
#define PTXI_CONVERSIONS(round, integer, real) \
	PTXI_CONVERT(__float2int_##round, int, "r", float, "f", integer ".s32.f32") \
	PTXI_CONVERT(__float2uint_##round, unsigned, "r", float, "f", integer ".u32.f32") \
	PTXI_CONVERT(__float2ll_##round, long long, "l", float, "f", integer ".s64.f32") \
	PTXI_CONVERT(__float2ull_##round, unsigned long long, "l", float, "f", integer ".u64.f32") \
	PTXI_CONVERT(__double2int_##round, int, "r", double, "d", integer ".s32.f64") \
	PTXI_CONVERT(__double2uint_##round, unsigned, "r", double, "d", integer ".u32.f64") \
	PTXI_CONVERT(__double2ll_##round, long long, "l", double, "d", integer ".s64.f64") \
	PTXI_CONVERT(__double2float_##round, float, "f", double, "d", real ".f32.f64") \
	PTXI_CONVERT(__int2float_##round, float, "f", int, "r", real ".f32.s32") \
	PTXI_CONVERT(__uint2float_##round, float, "f", unsigned, "r", real ".f32.u32") \
	PTXI_CONVERT(__ll2float_##round, float, "f", long long, "l", real ".f32.s64") \
	PTXI_CONVERT(__ll2double_##round, double, "d", long long, "l", real ".f64.s64")
PTXI_CONVERSIONS(rn, "rni", "rn")
PTXI_CONVERSIONS(rz, "rzi", "rz")
PTXI_CONVERSIONS(ru, "rpi", "rp")
PTXI_CONVERSIONS(rd, "rmi", "rm")
#undef PTXI_CONVERSIONS
#undef PTXI_CONVERT
PTXI_DEVICE double __int2double_rn(int x) { return x; }
PTXI_DEVICE double __uint2double_rn(unsigned x) { return x; }

#define PTXI_TWO(name, type, c, op) \
	PTXI_DEVICE type name(type a, type b) \
	{ \
		type r; \
\
		asm(op " %0, %1, %2;" : "=" c(r) : c(a), c(b)); \
		return r; \
	}
#define PTXI_ONE(name, type, c, op) \
	PTXI_DEVICE type name(type a) \
	{ \
		type r; \
\
		asm(op " %0, %1;" : "=" c(r) : c(a)); \
		return r; \
	}
#define PTXI_ROUNDED(end, r) \
	PTXI_TWO(__fadd_##end, float, "f", "add." r ".f32") \
	PTXI_TWO(__fsub_##end, float, "f", "sub." r ".f32") \
	PTXI_TWO(__fmul_##end, float, "f", "mul." r ".f32") \
	PTXI_TWO(__fdiv_##end, float, "f", "div." r ".f32") \
	PTXI_TWO(__dadd_##end, double, "d", "add." r ".f64") \
	PTXI_TWO(__dsub_##end, double, "d", "sub." r ".f64") \
	PTXI_TWO(__dmul_##end, double, "d", "mul." r ".f64") \
	PTXI_TWO(__ddiv_##end, double, "d", "div." r ".f64") \
	PTXI_ONE(__frcp_##end, float, "f", "rcp." r ".f32") \
	PTXI_ONE(__drcp_##end, double, "d", "rcp." r ".f64") \
	PTXI_ONE(__fsqrt_##end, float, "f", "sqrt." r ".f32") \
	PTXI_ONE(__dsqrt_##end, double, "d", "sqrt." r ".f64") \
	PTXI_DEVICE float __fmaf_##end(float a, float b, float c) \
	{ \
		float x; \
\
		asm("fma." r ".f32 %0, %1, %2, %3;" : "=f"(x) : "f"(a), "f"(b), "f"(c)); \
		return x; \
	} \
	PTXI_DEVICE double __fma_##end(double a, double b, double c) \
	{ \
		double x; \
\
		asm("fma." r ".f64 %0, %1, %2, %3;" : "=d"(x) : "d"(a), "d"(b), "d"(c)); \
		return x; \
	}
PTXI_ROUNDED(rn, "rn")
PTXI_ROUNDED(rz, "rz")
PTXI_ROUNDED(ru, "rp")
PTXI_ROUNDED(rd, "rm")
#undef PTXI_ROUNDED

/* --- approximations that are instructions --- */

PTXI_ONE(__sinf, float, "f", "sin.approx.f32")
PTXI_ONE(__cosf, float, "f", "cos.approx.f32")
PTXI_ONE(ptxi_ex2, float, "f", "ex2.approx.f32")
PTXI_ONE(ptxi_lg2, float, "f", "lg2.approx.f32")
PTXI_ONE(__frsqrt_rn, float, "f", "rsqrt.approx.f32")
PTXI_ONE(__tanhf, float, "f", "tanh.approx.f32")
PTXI_TWO(__fdividef, float, "f", "div.approx.f32")
#undef PTXI_ONE
#undef PTXI_TWO
PTXI_DEVICE float __tanf(float x) { return __fdividef(__sinf(x), __cosf(x)); }
PTXI_DEVICE float __expf(float x) { return ptxi_ex2(x * 1.4426950408889634f); }
PTXI_DEVICE float __exp10f(float x) { return ptxi_ex2(x * 3.3219280948873623f); }
PTXI_DEVICE float __log2f(float x) { return ptxi_lg2(x); }
PTXI_DEVICE float __logf(float x) { return ptxi_lg2(x) * 0.6931471805599453f; }
PTXI_DEVICE float __log10f(float x) { return ptxi_lg2(x) * 0.3010299956639812f; }
PTXI_DEVICE float __powf(float x, float y) { return ptxi_ex2(y * ptxi_lg2(x)); }
PTXI_DEVICE float __saturatef(float x) { return __builtin_fminf(__builtin_fmaxf(x, 0), 1); }
PTXI_DEVICE void __sincosf(float x, float *s, float *c)
{
	*s = __sinf(x);
	*c = __cosf(x);
}

#endif
