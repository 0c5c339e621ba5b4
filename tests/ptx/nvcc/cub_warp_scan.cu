// cub::WarpScan and WarpReduce of logical warps of 16 and 32 lanes, with a segmented sum.
// nvcc: -arch=sm_75 -arch=sm_90
//@ buffer s : u32[64] = 0
//@ buffer r : u32[2] = 0
//@ buffer seg : u32[64] = 0
//@ launch k<<<1, 64>>>(s, r, seg)
//@ expect s[..] == (i % 16 + 1) * (i - i % 16) + i % 16 * (i % 16 + 1) / 2
//@ expect r[0] == 31 && r[1] == 63
//@ expect seg[0] == 5 && seg[5] == 5 && seg[30] == 2 && seg[32] == 3 && seg[35] == 5
//@ expect clean
#include <cub/warp/warp_reduce.cuh>
#include <cub/warp/warp_scan.cuh>
extern "C" __global__ void k(unsigned *s, unsigned *r, unsigned *seg)
{
	using scan = cub::WarpScan<unsigned, 16>;
	using reduce = cub::WarpReduce<unsigned>;
	__shared__ typename scan::TempStorage a[4];
	__shared__ typename reduce::TempStorage b[2];
	unsigned t = threadIdx.x, x;
	scan(a[t / 16]).InclusiveSum(t, x);
	s[t] = x;
	unsigned most = reduce(b[t / 32]).Reduce(t, cuda::maximum<>{});
	__syncwarp();
	unsigned ones = reduce(b[t / 32]).HeadSegmentedSum(1u, t % 5 == 0);
	if (t % 32 == 0)
		r[t / 32] = most;
	if (t % 5 == 0 || t % 32 == 0)
		seg[t] = ones;
}
