// Warp votes, matches, reductions and shuffles of all widths, inline PTX, fp8. main prints the sums that the expectations name.
// nvcc: -arch=sm_90
//@ set seeds=0   # activemask: which lanes run together is the schedule's
//@ buffer o : u32[512] = 0
//@ launch warp<<<2, 64>>>(o)
//@ expect sum(o[0..255]) == 265815856751
#include <cuda_fp8.h>
#include <cuda_fp16.h>
#include "reference.h"
K warp(uint32_t *o)
{
	uint32_t i = blockIdx.x * 64 + threadIdx.x, v = hash32(i), l = threadIdx.x & 31, r = 0;
	r += __reduce_add_sync(~0u, v & 0xffff) + __reduce_max_sync(~0u, v >> 8) * 3 + __reduce_xor_sync(~0u, v) * 5 +
	     (uint32_t)__reduce_min_sync(~0u, (int)v) * 7;
	r ^= __ballot_sync(~0u, v & 4);
	r += __popc(__match_any_sync(~0u, v & 3));
	int p;
	r += __match_all_sync(~0u, v >> 31, &p) & p;
	r += __all_sync(~0u, v != 0) + __any_sync(~0u, (v & 1023) == 5) * 2;
	r += __shfl_xor_sync(~0u, v, 5, 8) + __shfl_up_sync(~0u, v, 3) * 2 + __shfl_down_sync(~0u, v, 7, 16) * 3 + __shfl_sync(~0u, v, l * 7 + 3, 4) * 5;
	if (l & 1)
		r += __shfl_sync(0xaaaaaaaa, v, l ^ 2);
	else
		r += __reduce_or_sync(0x55555555, v & 0xff);
	unsigned lm;
	asm("mov.u32 %0, %%lanemask_le;" : "=r"(lm));
	r += __popc(lm & __activemask());
	asm volatile("{ .reg .pred p; setp.gt.u32 p, %1, 100; @p add.u32 %0, %0, 77; @!p sub.u32 %0, %0, 3; }" : "+r"(r) : "r"(v & 255));
	double d = __shfl_xor_sync(~0u, (double)i, 1);
	long long ll = __shfl_sync(~0u, (long long)v << 20, 4);
	r += (uint32_t)d + (uint32_t)(ll >> 18);
	__half2 h = __shfl_xor_sync(~0u, __floats2half2_rn((float)l, 1), 2);
	r += (uint32_t)__low2float(h);
	o[i] = r;
	__nv_fp8_e4m3 f8((float)(i % 32) * 0.37f);
	__nv_fp8_e5m2 g8(-(float)i * 1.7f);
	o[128 + i] = f8.__x | g8.__x << 8 | (uint32_t)((float)f8 * 64) << 16;
}
static uint32_t ref(uint32_t i, uint32_t *f8)
{
	uint32_t b = i & ~31u, l = i & 31, v = hash32(i), r = 0, add = 0, mx = 0, xr = 0, ball = 0, cnt = 0, all = 1, any = 0, orr = 0, same = 1;
	int mn = INT32_MAX;
	auto V = [&](uint32_t k) { return hash32(b + k); };
	for (uint32_t k = 0; k < 32; k++) {
		add += V(k) & 0xffff;
		mx = std::max(mx, V(k) >> 8);
		xr ^= V(k);
		mn = std::min(mn, (int)V(k));
		ball |= (V(k) >> 2 & 1) << k;
		cnt += (V(k) & 3) == (v & 3);
		all &= V(k) != 0;
		any |= (V(k) & 1023) == 5;
		same &= V(k) >> 31 == V(0) >> 31;
		if (!(k & 1))
			orr |= V(k) & 0xff;
	}
	r += add + mx * 3 + xr * 5 + (uint32_t)mn * 7;
	r ^= ball;
	r += cnt;
	r += same ? 1 : 0;
	r += all + any * 2;
	r += V((l & 24) | ((l & 7) ^ 5)) + V(l >= 3 ? l - 3 : l) * 2 + V((l & 15) + 7 < 16 ? l + 7 : l) * 3 + V((l & 28) | ((l * 7 + 3) & 3)) * 5;
	r += l & 1 ? V(l ^ 2) : orr;
	r += l + 1;
	if ((v & 255) > 100)
		r += 77;
	else
		r -= 3;
	r += (i ^ 1) + (uint32_t)(((long long)V(4) << 20) >> 18);
	r += l ^ 2;
	__nv_fp8_e4m3 f((float)(i % 32) * 0.37f);
	__nv_fp8_e5m2 g(-(float)i * 1.7f);
	*f8 = f.__x | g.__x << 8 | (uint32_t)((float)f * 64) << 16;
	return r;
}
int main()
{
	std::vector<uint32_t> w(512);
	for (uint32_t i = 0; i < 128; i++)
		w[i] = ref(i, &w[128 + i]);
	print("w", w);
}
