// cub::BlockMergeSort of integers, and of a
// part of them with the rest moved to the end.
//@ buffer all : u32[128] = 0
//@ buffer part : u32[128] = 0
//@ launch k<<<1, 32>>>(all, part)
//@ expect all[..] == i
//@ expect part[0..99] == i
//@ expect clean
#include <cub/block/block_merge_sort.cuh>
extern "C" __global__ void k(unsigned *all, unsigned *part)
{
	using sort = cub::BlockMergeSort<unsigned, 32, 4>;
	__shared__ typename sort::TempStorage room;
	unsigned t = threadIdx.x, x[4], y[4];
	auto less = [](unsigned a, unsigned b) { return a < b; };
	for (int n = 0; n < 4; n++) {
		unsigned i = t * 4 + n;
		x[n] = i * 77 % 128;
		y[n] = i < 100 ? i * 7 % 100 : 0;
	}
	sort(room).Sort(x, less);
	__syncthreads();
	sort(room).Sort(y, less, 100, 1000u);
	for (int n = 0; n < 4; n++) {
		all[t * 4 + n] = x[n];
		part[t * 4 + n] = y[n];
	}
}
