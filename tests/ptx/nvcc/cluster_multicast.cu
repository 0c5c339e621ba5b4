// nvcc: -arch=sm_90a
// Two blocks of a cluster share what they load: each fetches one half of a tile and sends it to both. A block's buffer is full when both halves have come, and empty when the
// consumers of both blocks have said so, to both blocks.
//@ needs sm_90a
//@ buffer in : s32[640] = iota(0)
//@ buffer out : s32[1280] = -1
//@ launch share<<<2, 96>>>(in, out, 10)
//@ expect out[0..639] == 3 * i
//@ expect out[640..1279] == 3 * (i - 640) + 1
#include <cooperative_groups.h>
#include <cuda/ptx>
namespace ptx = cuda::ptx;
namespace cg = cooperative_groups;

constexpr int stages = 3, width = 64;

extern "C" __global__ void __cluster_dims__(2, 1, 1) share(const int *in, int *out, int n)
{
	__shared__ alignas(128) int tile[stages][width];
	__shared__ uint64_t full[stages], empty[stages];
	auto cluster = cg::this_cluster();
	unsigned rank = cluster.block_rank();
	int warp = threadIdx.x / 32;

	if (threadIdx.x == 0) {
		for (int s = 0; s < stages; s++) {
			ptx::mbarrier_init(&full[s], 1);
			ptx::mbarrier_init(&empty[s], 4); // two consumer warps in each block
		}
		ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
	}
	cluster.sync();
	if (warp == 0) {
		if (threadIdx.x == 0)
			for (int k = 0; k < n; k++) {
				int s = k % stages, parity = k / stages & 1;

				while (!ptx::mbarrier_try_wait_parity(ptx::sem_acquire, ptx::scope_cluster, &empty[s], parity ^ 1))
					;
				ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &full[s], sizeof tile[0]);
				ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, tile[s] + rank * (width / 2), in + k * width + rank * (width / 2),
						   sizeof tile[0] / 2, &full[s], (uint16_t)3);
			}
	} else {
		int t = threadIdx.x - 32;

		for (int k = 0; k < n; k++) {
			int s = k % stages, parity = k / stages & 1;

			while (!ptx::mbarrier_try_wait_parity(ptx::sem_acquire, ptx::scope_cluster, &full[s], parity))
				;
			out[(rank * n + k) * width + t] = 3 * tile[s][t] + rank;
			__syncwarp();
			if (t % 32 < 2)
				ptx::mbarrier_arrive(ptx::sem_release, ptx::scope_cluster, ptx::space_cluster, cluster.map_shared_rank(&empty[s], t % 32));
		}
	}
	cluster.sync();
}
