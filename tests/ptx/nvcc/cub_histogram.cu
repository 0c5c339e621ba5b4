// cub::BlockHistogram by sorting and by atomics, of the same bytes.
// nvcc: -arch=sm_75 -arch=sm_90
//@ buffer a : u32[16] = 0
//@ buffer b : u32[16] = 0
//@ launch k<<<1, 64>>>(a, b)
//@ expect a[..] == 8 + (i == 0) * 128
//@ expect b[..] == a[..]
//@ expect sum(a) == 256
//@ expect clean
#include <cub/block/block_histogram.cuh>
template <cub::BlockHistogramAlgorithm A> static __device__ void count(unsigned *out)
{
	using histogram = cub::BlockHistogram<unsigned char, 64, 4, 16, A>;
	__shared__ typename histogram::TempStorage room;
	__shared__ unsigned bin[16];
	unsigned char x[4];
	unsigned t = threadIdx.x;
	for (int n = 0; n < 4; n++)
		x[n] = (t * 4 + n) % 2 ? (t * 4 + n) / 2 % 16 : 0;
	histogram(room).Histogram(x, bin);
	__syncthreads();
	if (t < 16)
		out[t] = bin[t];
	__syncthreads();
}
extern "C" __global__ void k(unsigned *a, unsigned *b)
{
	count<cub::BLOCK_HISTO_SORT>(a);
	count<cub::BLOCK_HISTO_ATOMIC>(b);
}
