// A ring of three buffers: one warp issues bulk copies, two warps work on what has come, and results go out by bulk stores. Each buffer has a barrier for full (one arrival and
// its bytes) and one for empty (an arrival a consuming thread).
//@ case ring
//@ buffer in : s32[704] = iota(0)
//@ buffer out : s32[704] = -1
//@ launch ring<<<1, 96>>>(in, out, 11)
//@ expect out[0..703] == 2 * i + 1
//@ case two_blocks
//@ buffer in : s32[512] = iota(5)
//@ buffer out : s32[512] = -1
//@ launch ring<<<2, 96>>>(in, out, 4)
//@ expect out[0..511] == 2 * (i + 5) + 1
//@ case one_round
//@ buffer in : s32[64] = iota(5)
//@ buffer out : s32[64] = -1
//@ launch ring<<<1, 96>>>(in, out, 1)
//@ expect out[0..63] == 2 * (i + 5) + 1
#include <cuda/ptx>
namespace ptx = cuda::ptx;

constexpr int stages = 3, width = 64;

extern "C" __global__ void ring(const int *in, int *out, int n)
{
	__shared__ alignas(128) int tile[stages][width];
	__shared__ uint64_t full[stages], empty[stages];
	int warp = threadIdx.x / 32;

	in += blockIdx.x * n * width;
	out += blockIdx.x * n * width;
	if (threadIdx.x == 0) {
		for (int s = 0; s < stages; s++) {
			ptx::mbarrier_init(&full[s], 1);
			ptx::mbarrier_init(&empty[s], 1);
		}
		ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
	}
	__syncthreads();
	if (warp == 0) {
		if (threadIdx.x == 0)
			for (int k = 0; k < n; k++) {
				int s = k % stages, parity = k / stages & 1;

				while (!ptx::mbarrier_try_wait_parity(&empty[s], parity ^ 1))
					; // a fresh barrier: the phase before the first counts as over
				ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &full[s], sizeof tile[0]);
				ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, tile[s], in + k * width, sizeof tile[0], &full[s]);
			}
		return;
	}
	for (int k = 0; k < n; k++) {
		int s = k % stages, parity = k / stages & 1, t = threadIdx.x - 32;

		while (!ptx::mbarrier_try_wait_parity(&full[s], parity))
			;
		tile[s][t] = 2 * tile[s][t] + 1;
		ptx::fence_proxy_async(ptx::space_shared);
		asm volatile("bar.sync 1, 64;" ::: "memory"); // both consumers
		if (t == 0) {
			ptx::cp_async_bulk(ptx::space_global, ptx::space_shared, out + k * width, tile[s], sizeof tile[0]);
			ptx::cp_async_bulk_commit_group();
			ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>());
			ptx::mbarrier_arrive(&empty[s]);
		}
	}
	if (threadIdx.x == 32)
		ptx::cp_async_bulk_wait_group(ptx::n32_t<0>());
}
