// cub::BlockScan: sums of four elements per thread, inclusive
// and exclusive, with a prefix from the preceding block.
//@ buffer incl : u32[256] = 0
//@ buffer excl : u32[256] = 0
//@ buffer total : u32[1] = 0
//@ launch k<<<1, 64>>>(incl, excl, total)
//@ expect incl[..] == (i + 1) * (i + 2) / 2
//@ expect excl[..] == 1000 + i * (i + 1) / 2
//@ expect total == 256 * 257 / 2
//@ expect clean
#include <cub/block/block_scan.cuh>
struct prefix {
	unsigned so_far;
	__device__ unsigned operator()(unsigned sum)
	{
		unsigned old = so_far;
		so_far += sum;
		return old;
	}
};
extern "C" __global__ void k(unsigned *incl, unsigned *excl, unsigned *total)
{
	using scan = cub::BlockScan<unsigned, 64>;
	__shared__ typename scan::TempStorage room;
	unsigned t = threadIdx.x, x[4], in[4], ex[4], sum;
	for (int n = 0; n < 4; n++)
		x[n] = t * 4 + n + 1;
	scan(room).InclusiveSum(x, in, sum);
	__syncthreads();
	prefix p = {1000};
	scan(room).ExclusiveSum(x, ex, p);
	for (int n = 0; n < 4; n++) {
		incl[t * 4 + n] = in[n];
		excl[t * 4 + n] = ex[n];
	}
	if (t == 0)
		*total = sum;
}
