// A grid that synchronises twice: every block reads what another wrote before.
// nvcc: -arch=sm_75 -arch=sm_90
//@ buffer a : u32[256] = 0
//@ buffer b : u32[256] = 0
//@ buffer sum : u32[1] = 0
//@ launch k<<<4, 64>>>(a, b, sum) cooperative
//@ expect a[..] == i * i
//@ expect b[..] == (255 - i) * (255 - i) + 1
//@ expect sum == 255 * 256 * 511 / 6 + 256
//@ expect clean
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
extern "C" __global__ void k(unsigned *a, unsigned *b, unsigned *sum)
{
	auto grid = cg::this_grid();
	unsigned i = grid.thread_rank();
	a[i] = i * i;
	grid.sync();
	b[i] = a[grid.size() - 1 - i] + 1;
	grid.sync();
	if (i < 16) {
		unsigned part = 0;
		for (unsigned k = i; k < 256; k += 16)
			part += b[k];
		atomicAdd(sum, part);
	}
}
