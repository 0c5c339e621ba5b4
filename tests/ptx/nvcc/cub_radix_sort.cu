// cub::BlockRadixSort: pairs in order of their keys, a permutation of 0 to 255; then downwards, striped.
// nvcc: -arch=sm_75 -arch=sm_90
//@ buffer key : u32[256] = 9999
//@ buffer value : u32[256] = 9999
//@ buffer down : u32[256] = 9999
//@ launch k<<<1, 64>>>(key, value, down)
//@ expect key[..] == i
//@ expect value[..] * 45 % 256 == i
//@ expect down[..] == 255 - i
//@ expect clean
#include <cub/block/block_radix_sort.cuh>
extern "C" __global__ void k(unsigned *key, unsigned *value, unsigned *down)
{
	using sort = cub::BlockRadixSort<unsigned, 64, 4, unsigned>;
	__shared__ typename sort::TempStorage room;
	unsigned t = threadIdx.x, x[4], v[4];
	for (int n = 0; n < 4; n++) {
		v[n] = t * 4 + n;
		x[n] = v[n] * 45 % 256;
	}
	sort(room).Sort(x, v, 0, 8);
	for (int n = 0; n < 4; n++) {
		key[t * 4 + n] = x[n];
		value[t * 4 + n] = v[n];
	}
	__syncthreads();
	sort(room).SortDescendingBlockedToStriped(x, v, 0, 8);
	for (int n = 0; n < 4; n++)
		down[n * 64 + t] = x[n];
}
