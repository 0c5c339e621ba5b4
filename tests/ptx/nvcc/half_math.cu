// Half and bfloat16 arithmetic, conversions and atomics. main prints the sums that the expectations name.
// nvcc: -arch=sm_90
//@ buffer o : u32[8192] = 0
//@ buffer acc : u32[4] = 0
//@ launch ops<<<2, 128>>>(o)
//@ launch at<<<2, 64>>>(acc)
//@ expect sum(o[0..8191]) == 2256936165102
//@ expect acc[0] == 0x58005800
//@ expect acc[1] == 0x43004300
//@ expect acc[2] == 0x5800
#include "reference.h"
#include <cuda_fp16.h>
#include <cuda_bf16.h>
HD uint32_t fu(float f)
{
	uint32_t u;
	memcpy(&u, &f, 4);
	return u;
}
#ifdef __CUDA_ARCH__
#define HFMA(a, b, c) __hfma(a, b, c)
#define H2I(a) __half2int_rn(a)
#define H2U(a) __half2uint_rn(a)
#define H2S(a) __half2short_rn(a)
#else
static __half HFMA(__half a, __half b, __half c)
{
	return __double2half(fma((double)__half2float(a), (double)__half2float(b), (double)__half2float(c)));
}
static __nv_bfloat16 HFMA(__nv_bfloat16 a, __nv_bfloat16 b, __nv_bfloat16 c)
{
	return __double2bfloat16(fma((double)__bfloat162float(a), (double)__bfloat162float(b), (double)__bfloat162float(c)));
}
static int H2I(__half h)
{
	float f = __half2float(h);
	return isinf(f) ? f > 0 ? INT32_MAX : INT32_MIN : (int)rintf(f);
}
static uint32_t H2U(__half h)
{
	float f = __half2float(h);
	return isinf(f) ? f > 0 ? UINT32_MAX : 0 : f < 0 ? 0 : (uint32_t)rintf(f);
}
static int16_t H2S(__half h)
{
	float f = rintf(__half2float(h));
	return f > 32767 ? 32767 : f < -32768 ? -32768 : (int16_t)f;
}
#endif
HD unsigned hb(__half h)
{
	return __half_as_ushort(h);
}
HD unsigned bb(__nv_bfloat16 h)
{
	return __bfloat16_as_ushort(h);
}
HD void all(uint32_t i, uint32_t *o)
{
	uint32_t r = hash32(i * 2 + 1), s = hash32(i * 2 + 12345);
	__half a = __ushort_as_half((unsigned short)(i < 4 ? 0x7c00 * i : (r & 0xbfff) + 0x0800 * (r >> 30))),
	       b = __ushort_as_half((unsigned short)((s & 0xbfff)));
	if (__hisnan(a))
		a = __ushort_as_half(0x3c01);
	if (__hisnan(b))
		b = __ushort_as_half(0xbc01);
	__nv_bfloat16 c = __ushort_as_bfloat16((unsigned short)(0x3f80 + (r & 0x81ff))), d = __ushort_as_bfloat16((unsigned short)(0x4000 + (s >> 8 & 0x80ff)));
	int k = 0;
	o[k++] = hb(__hadd(a, b));
	o[k++] = hb(__hsub(a, b));
	o[k++] = hb(__hmul(a, b));
	o[k++] = hb(HFMA(a, b, __float2half(1.5f)));
	o[k++] = __hlt(a, b) | __hge(a, b) << 1 | __heq(a, a) << 2 | __hne(a, b) << 3;
	o[k++] = fu(__half2float(a));
	o[k++] = hb(__float2half_rn(__half2float(a) * 1.0001f));
	o[k++] = hb(__float2half_rz(__half2float(b) / 3));
	o[k++] = hb(__float2half_ru(__half2float(b) / 7));
	o[k++] = hb(__float2half_rd(__half2float(b) / 7));
	o[k++] = (uint32_t)H2I(b);
	o[k++] = (uint32_t)__half2int_rz(b);
	o[k++] = (uint32_t)H2U(a);
	o[k++] = (uint32_t)(uint16_t)H2S(b);
	o[k++] = hb(__int2half_rn((int)r >> 12));
	o[k++] = hb(__uint2half_rn(r >> 18));
	o[k++] = hb(__hneg(a));
	o[k++] = hb(__habs(b));
	o[k++] = bb(__hadd(c, d));
	o[k++] = bb(__hmul(c, d));
	o[k++] = bb(HFMA(c, d, c));
	o[k++] = bb(__float2bfloat16_rn(__bfloat162float(c) / 3));
	o[k++] = bb(__float2bfloat16_rz(__bfloat162float(c) / 3));
	o[k++] = fu(__bfloat162float(d));
	o[k++] = (uint32_t)__bfloat162int_rz(d);
	o[k++] = bb(__int2bfloat16_rn((int)r));
	__half2 x = __halves2half2(a, b), y = __halves2half2(b, __float2half(0.25f)), z = __hadd2(x, y);
	o[k++] = hb(__low2half(z)) | hb(__high2half(z)) << 16;
	z = __hmax2(x, y);
	o[k++] = hb(__low2half(z)) | hb(__high2half(z)) << 16;
	o[k++] = hb(__hmin(a, b));
	o[k++] = bb(__hmax(c, d));
	o[k++] = hb(__double2half((double)__half2float(b) / 3));
	o[k++] = hb(__hadd_sat(a, b));
}
K ops(uint32_t *o)
{
	uint32_t i = blockIdx.x * 128 + threadIdx.x;
	all(i, o + 32 * i);
}
K at(uint32_t *a)
{
	atomicAdd((__half2 *)a, __float2half2_rn(1));
#if __CUDA_ARCH__ >= 800
	atomicAdd((__nv_bfloat162 *)(a + 1), __float2bfloat162_rn(1));
#else
	a[1] = 0x43004300;
#endif
	atomicAdd((__half *)(a + 2), __float2half(1));
}
int main()
{
	std::vector<uint32_t> w(8192);
	for (uint32_t i = 0; i < 256; i++)
		all(i, &w[32 * i]);
	print("w", w);
}
