// A cluster of four blocks: each adds the shared memory of all of them.
// nvcc: -arch=sm_90 -arch=sm_100
//@ buffer o : u32[256] = 0
//@ launch k<<<8, 32>>>(o) cluster=4
//@ expect o[..] == 4 * (i % 32) + (i / 128 * 4 * 4 + 6) * 1000 + i / 32 % 4
//@ expect clean
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
extern "C" __global__ void k(unsigned *o)
{
	__shared__ unsigned mine[32];
	auto cluster = cg::this_cluster();
	unsigned t = threadIdx.x, sum = 0;
	mine[t] = t + blockIdx.x * 1000;
	cluster.sync();
	for (unsigned r = 0; r < cluster.num_blocks(); r++)
		sum += *cluster.map_shared_rank(&mine[t], r);
	cluster.sync();
	o[blockIdx.x * 32 + t] = sum + cluster.block_rank();
}
