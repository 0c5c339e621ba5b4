// Blocks of a cluster that use each other's shared memory.
// nvcc: -arch=sm_90a
//@ case exchange
//@ buffer out : s32[64] = 0
//@ launch exchange<<<4, 16>>>(out)
//@ always out[0..63] == (i + 16) % 64
//@ case histogram
//@ buffer in : s32[32] = iota(0)
//@ buffer out : s32[8] = 0
//@ launch histogram<<<2, 16>>>(in, out)
//@ always out[0..7] == 4
//@ case reduce
//@ buffer out : s32[1] = 0
//@ launch reduce<<<4, 8>>>(out)
//@ always out == 496
//@ case remote_arrive
//@ buffer out : s32[4] = 0
//@ launch remote_arrive<<<4, 1>>>(out)
//@ always out[0] == 0 && out[1] == 1 && out[2] == 2 && out[3] == 3
//@ case store_async
//@ buffer out : s32[32] = 0
//@ launch store_async<<<2, 16>>>(out)
//@ always out[0..31] == (i + 16) % 32 * 3
//@ case multicast
//@ buffer in : s32[16] = iota(0)
//@ buffer out : s32[32] = 0
//@ launch multicast<<<2, 16>>>(in, out)
//@ always out[0..31] == i % 16 + i / 16
//@ case push
//@ buffer out : s32[16] = 0
//@ launch push<<<2, 16>>>(out)
//@ always out[0..15] == 9 * i
//@ case exchange_without_sync
//@ buffer out : s32[2] = -1
//@ launch exchange_without_sync<<<2, 1>>>(out)
//@ allow out[0] == 0
//@ allow out[0] == 6
#include <cooperative_groups.h>
#include <cuda/ptx>
namespace cg = cooperative_groups;
namespace ptx = cuda::ptx;

extern "C" __global__ void __cluster_dims__(4, 1, 1) exchange(int *out)
{
	__shared__ int box[16];
	auto cluster = cg::this_cluster();
	int t = threadIdx.x, r = cluster.block_rank();

	box[t] = 16 * r + t;
	cluster.sync();
	out[16 * r + t] = cluster.map_shared_rank(box, (r + 1) % 4)[t];
	cluster.sync();
}

// Bins over the blocks of the cluster.
extern "C" __global__ void __cluster_dims__(2, 1, 1) histogram(const int *in, int *out)
{
	__shared__ int bins[4];
	auto cluster = cg::this_cluster();
	int t = threadIdx.x, r = cluster.block_rank();

	if (t < 4)
		bins[t] = 0;
	cluster.sync();
	int bin = in[16 * r + t] % 8;
	atomicAdd(cluster.map_shared_rank(&bins[bin % 4], bin / 4), 1);
	cluster.sync();
	if (t < 4)
		out[4 * r + t] = bins[t];
}

extern "C" __global__ void __cluster_dims__(4, 1, 1) reduce(int *out)
{
	__shared__ int sum;
	auto cluster = cg::this_cluster();
	int r = cluster.block_rank(), mine = __reduce_add_sync(0xff, r * 8 + threadIdx.x);

	if (threadIdx.x == 0)
		sum = mine;
	cluster.sync();
	if (r == 0 && threadIdx.x == 0) {
		int all = 0;

		for (int k = 0; k < 4; k++)
			all += *cluster.map_shared_rank(&sum, k);
		*out = all;
	}
	cluster.sync();
}

// Every block writes into block 0 and arrives at its barrier.
extern "C" __global__ void __cluster_dims__(4, 1, 1) remote_arrive(int *out)
{
	__shared__ int box[4];
	__shared__ uint64_t bar;
	auto cluster = cg::this_cluster();
	int r = cluster.block_rank();

	if (r == 0) {
		ptx::mbarrier_init(&bar, 4);
		ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
	}
	cluster.sync();
	cluster.map_shared_rank(box, 0)[r] = r;
	ptx::mbarrier_arrive(ptx::sem_release, ptx::scope_cluster, ptx::space_cluster, cluster.map_shared_rank(&bar, 0));
	if (r == 0) {
		while (!ptx::mbarrier_try_wait_parity(ptx::sem_acquire, ptx::scope_cluster, &bar, 0))
			;
		for (int k = 0; k < 4; k++)
			out[k] = box[k];
	}
	cluster.sync();
}

extern "C" __global__ void __cluster_dims__(2, 1, 1) store_async(int *out)
{
	__shared__ int box[16];
	__shared__ uint64_t bar;
	auto cluster = cg::this_cluster();
	int t = threadIdx.x, r = cluster.block_rank();

	if (t == 0) {
		ptx::mbarrier_init(&bar, 1);
		ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &bar, sizeof box);
	}
	cluster.sync();
	ptx::st_async(cluster.map_shared_rank(&box[t], r ^ 1), 3 * (16 * r + t), cluster.map_shared_rank(&bar, r ^ 1));
	while (!ptx::mbarrier_try_wait_parity(ptx::sem_acquire, ptx::scope_cluster, &bar, 0))
		;
	out[16 * r + t] = box[t];
	cluster.sync();
}

// One copy for both blocks.
extern "C" __global__ void __cluster_dims__(2, 1, 1) multicast(const int *in, int *out)
{
	__shared__ alignas(16) int tile[16];
	__shared__ uint64_t bar;
	auto cluster = cg::this_cluster();
	int t = threadIdx.x, r = cluster.block_rank();

	if (t == 0) {
		ptx::mbarrier_init(&bar, 1);
		ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
		ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &bar, sizeof tile);
	}
	cluster.sync();
	if (r == 0 && t == 0)
		ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, tile, in, sizeof tile, &bar, (uint16_t)3);
	while (!ptx::mbarrier_try_wait_parity(&bar, 0))
		;
	out[16 * r + t] = tile[t] + r;
	cluster.sync();
}

// Block 0 copies its tile into block 1, and that block's barrier says when it is there.
extern "C" __global__ void __cluster_dims__(2, 1, 1) push(int *out)
{
	__shared__ alignas(16) int tile[16];
	__shared__ uint64_t bar;
	auto cluster = cg::this_cluster();
	int t = threadIdx.x, r = cluster.block_rank();

	if (r == 1 && t == 0) {
		ptx::mbarrier_init(&bar, 1);
		ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
		ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &bar, sizeof tile);
	}
	if (r == 0) {
		tile[t] = 9 * t;
		ptx::fence_proxy_async(ptx::space_shared);
	}
	cluster.sync();
	if (r == 0 && t == 0)
		ptx::cp_async_bulk(ptx::space_cluster, ptx::space_shared, cluster.map_shared_rank(tile, 1), tile, sizeof tile, cluster.map_shared_rank(&bar, 1));
	if (r == 1) {
		while (!ptx::mbarrier_try_wait_parity(ptx::sem_acquire, ptx::scope_cluster, &bar, 0))
			;
		out[t] = tile[t];
	}
	cluster.sync();
}

// Wrong on purpose: the other block may not have written yet.
extern "C" __global__ void __cluster_dims__(2, 1, 1) exchange_without_sync(int *out)
{
	__shared__ int box;
	auto cluster = cg::this_cluster();
	int r = cluster.block_rank();

	box = 0;
	cluster.sync();
	*(volatile int *)&box = 6 + r;
	out[r ^ 1] = *(volatile int *)cluster.map_shared_rank(&box, r ^ 1);
	cluster.sync();
}
