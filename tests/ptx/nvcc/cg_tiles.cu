// Tiles of a block: sums by shuffles within 8 threads, the tile's number, and a tile of a tile.
// nvcc: -arch=sm_75 -arch=sm_90
//@ buffer sum : u32[128] = 0
//@ buffer tile : u32[128] = 0
//@ buffer pair : u32[128] = 0
//@ launch k<<<1, 128>>>(sum, tile, pair)
//@ expect sum[..] == 64 * (i / 8) + 28
//@ expect tile[..] == i / 8 * 100 + i % 8
//@ expect pair[..] == (i ^ 1)
//@ expect clean
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
extern "C" __global__ void k(unsigned *sum, unsigned *tile, unsigned *pair)
{
	auto block = cg::this_thread_block();
	auto eight = cg::tiled_partition<8>(block);
	unsigned i = block.thread_rank(), v = i;
	for (unsigned step = 4; step; step /= 2)
		v += eight.shfl_xor(v, step);
	sum[i] = v;
	tile[i] = eight.meta_group_rank() * 100 + eight.thread_rank();
	auto two = cg::tiled_partition<2>(eight);
	pair[i] = two.shfl(i, 1 - two.thread_rank());
}
