// Atomics on doubles, floats and halves: sums of whole numbers are exact in any order; a minimum by compare and swap.
// nvcc: -arch=sm_75 -arch=sm_90
//@ buffer d : f64[2] = {0, 1000}
//@ buffer f : f32[1] = 0
//@ buffer h : f16[2] = 0
//@ buffer u : u64[1] = 0
//@ launch k<<<4, 32>>>(d, f, h, u)
//@ expect d[0] == 127 * 64 && d[1] == -27
//@ expect f == 127 * 64 * 0.5 && h[0] == 128 && h[1] == 256
//@ expect u == (1 << 36) * 128
//@ expect clean
#include <cuda_fp16.h>
static __device__ void atomic_min(double *p, double x)
{
	unsigned long long *bits = (unsigned long long *)p, seen = *(volatile unsigned long long *)bits, before;
	do {
		before = seen;
		if (__longlong_as_double(before) <= x)
			return;
		seen = atomicCAS(bits, before, __double_as_longlong(x));
	} while (seen != before);
}
extern "C" __global__ void k(double *d, float *f, __half2 *h, unsigned long long *u)
{
	int i = blockIdx.x * 32 + threadIdx.x;
	atomicAdd(&d[0], (double)i);
	atomic_min(&d[1], 100.0 - i);
	atomicAdd(f, i * 0.5f);
	atomicAdd(h, __floats2half2_rn(1.0f, 2.0f));
	atomicAdd(u, 1ull << 36);
}
