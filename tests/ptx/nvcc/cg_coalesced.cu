// The threads that took a branch as a group, as many as are active together:
// their number, rank, first member, and one atomic for all of them.
//@ buffer size : u32[64] = 0
//@ buffer slot : u32[64] = 99
//@ buffer count : u32[2] = 0
//@ launch k<<<1, 64>>>(size, slot, count)
//@ expect count[0] == 42 && count[1] == 64
//@ expect size[..] <= 21 && (size[..] > 0) == (i % 3 != 0)
//@ expect clean
//@ expect sum(slot) == 41 * 42 / 2 + 22 * 99
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
extern "C" __global__ void k(unsigned *size, unsigned *slot, unsigned *count)
{
	unsigned i = threadIdx.x;
	if (i % 3) {
		auto g = cg::coalesced_threads();
		unsigned base = 0;
		size[i] = g.size();
		if (g.thread_rank() == 0)
			base = atomicAdd(&count[0], g.size());
		slot[i] = g.shfl(base, 0) + g.thread_rank();
	}
	atomicAdd(&count[1], 1);
}
