// A warp partitioned by a label and by a
// predicate.
//@ buffer labels : u32[32] = 0
//@ buffer halves : u32[32] = 0
//@ launch k<<<1, 32>>>(labels, halves)
//@ expect labels[..] == 8 * 100 + i / 4
//@ expect halves[0..9] == 10 * 100 + i
//@ expect halves[10..31] == 22 * 100 + i - 10
//@ expect clean
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
extern "C" __global__ void k(unsigned *labels, unsigned *halves)
{
	auto warp = cg::tiled_partition<32>(cg::this_thread_block());
	unsigned i = warp.thread_rank();
	auto same = cg::labeled_partition(warp, i % 4);
	labels[i] = same.size() * 100 + same.thread_rank();
	auto half = cg::binary_partition(warp, i < 10);
	halves[i] = half.size() * 100 + half.thread_rank();
}
