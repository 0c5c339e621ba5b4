// half and half2: exact small numbers in fused products, comparisons of both halves, sums of a warp, conversions back.
// nvcc: -arch=sm_75 -arch=sm_90
//@ buffer o : f32[64] = 0
//@ buffer p : u32[64] = 0
//@ buffer s : f32[1] = 0
//@ launch k<<<1, 64>>>(o, p, s)
//@ expect o[..] == i * 2 + 1 + (64 - i) * 0.5
//@ expect p[..] == (i > 20) + 2 * (64 - i > 20) + 4 * (i == 7)
//@ expect s == 2016
//@ expect clean
#include <cuda_fp16.h>
extern "C" __global__ void k(float *o, unsigned *p, float *s)
{
	int i = threadIdx.x;
	__half2 a = __floats2half2_rn((float)i, (float)(64 - i));
	__half2 r = __hfma2(a, __floats2half2_rn(2.0f, 0.5f), __floats2half2_rn(1.0f, 0.0f));
	o[i] = __half2float(__hadd(__low2half(r), __high2half(r)));
	__half2 more = __hgt2(a, __float2half2_rn(20.0f));
	p[i] = (__low2float(more) != 0) + 2 * (__high2float(more) != 0) + 4 * __heq(__low2half(a), __int2half_rn(7));
	__half sum = __int2half_rn(i);
	for (int d = 16; d; d /= 2)
		sum = __hadd(sum, __shfl_xor_sync(~0u, sum, d));
	if (i % 32 == 0)
		atomicAdd(s, __half2float(sum));
}
