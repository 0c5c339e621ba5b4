// Reductions and scans of a warp's tile.
// nvcc: -arch=sm_80 -arch=sm_90
//@ buffer total : u32[64] = 0
//@ buffer most : u32[64] = 0
//@ buffer incl : u32[64] = 0
//@ buffer excl : u32[64] = 0
//@ launch k<<<2, 32>>>(total, most, incl, excl)
//@ expect total[..] == 32 * 31 / 2 + 32 * 32 * (i / 32)
//@ expect most[..] == i / 32 * 32 + 31
//@ expect incl[0..31] == i * (i + 1) / 2
//@ expect excl[32..63] == i / 32 * 32 * (i - 32) + (i - 32) * (i - 33) / 2
//@ expect clean
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
namespace cg = cooperative_groups;
extern "C" __global__ void k(unsigned *total, unsigned *most, unsigned *incl, unsigned *excl)
{
	auto warp = cg::tiled_partition<32>(cg::this_thread_block());
	unsigned i = blockIdx.x * 32 + threadIdx.x;
	total[i] = cg::reduce(warp, i, cg::plus<unsigned>());
	most[i] = cg::reduce(warp, i, cg::greater<unsigned>());
	incl[i] = cg::inclusive_scan(warp, i);
	excl[i] = cg::exclusive_scan(warp, i);
}
