// Threads of a cluster arrive at a barrier in the shared memory of its first block, and only that block waits for it; and each block reads its neighbour's shared memory.
//@ case gather
//@ buffer out : s32[1] = 0
//@ launch gather<<<4, 64>>>(out)
//@ expect out == 256 + 6
//@ case ring
//@ buffer out : s32[8] = -1
//@ launch ring<<<8, 32>>>(out)
//@ expect out[0..7] == (i % 4 + 1) % 4 * 10 + 4
#include <cooperative_groups.h>
#include <cuda/barrier>
#include <cuda/ptx>
namespace ptx = cuda::ptx;
namespace cg = cooperative_groups;

extern "C" __global__ void __cluster_dims__(4, 1, 1) gather(int *out)
{
	__shared__ uint64_t bar;
	__shared__ int sum;
	auto cluster = cg::this_cluster();

	if (threadIdx.x == 0) {
		sum = 0;
		ptx::mbarrier_init(&bar, cluster.num_threads());
		ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
	}
	cluster.sync();
	int *far = cluster.map_shared_rank(&sum, 0);
	atomicAdd(far, threadIdx.x == 0 ? 1 + cluster.block_rank() : 1);
	ptx::mbarrier_arrive(ptx::sem_release, ptx::scope_cluster, ptx::space_cluster, cluster.map_shared_rank(&bar, 0));
	if (cluster.block_rank() == 0) {
		while (!ptx::mbarrier_try_wait_parity(ptx::sem_acquire, ptx::scope_cluster, &bar, 0))
			;
		if (threadIdx.x == 0)
			*out = sum;
	}
	cluster.sync();
}

extern "C" __global__ void __cluster_dims__(4, 1, 1) ring(int *out)
{
	__shared__ int box;
	auto cluster = cg::this_cluster();
	unsigned rank = cluster.block_rank(), n = cluster.num_blocks();

	if (threadIdx.x == 0)
		box = rank * 10;
	cluster.sync();
	if (threadIdx.x == 0)
		out[blockIdx.x] = *cluster.map_shared_rank(&box, (rank + 1) % n) + n;
	cluster.sync();
}
