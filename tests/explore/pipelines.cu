// Copies that run beside their thread, and barriers whose arrival and wait are apart.
// nvcc: -arch=sm_90
//@ case cp_async_stages
//@ buffer in : s32[128] = iota(0)
//@ buffer out : s32[32] = 0
//@ launch cp_async_stages<<<1, 32>>>(in, out)
//@ always out[0..31] == 192 + 4 * (31 - i)
//@ case cp_async_mbarrier
//@ buffer in : s32[32] = iota(0)
//@ buffer out : s32[32] = 0
//@ launch cp_async_mbarrier<<<1, 32>>>(in, out)
//@ always out[0..31] == 31 - i
//@ case group_copy
//@ buffer in : s32[32] = iota(0)
//@ buffer out : s32[32] = 0
//@ launch group_copy<<<1, 32>>>(in, out)
//@ always out[0..31] == 31 - i
//@ case two_stage_pipeline
//@ buffer in : s32[24] = iota(0)
//@ buffer out : s32[24] = 0
//@ launch two_stage_pipeline<<<1, 8>>>(in, out, 3)
//@ always out[0..23] == i + 1
//@ case producer_warp
//@ buffer in : s32[128] = iota(0)
//@ buffer out : s32[128] = 0
//@ launch producer_warp<<<1, 64>>>(in, out, 4)
//@ always out[0..127] == 2 * i
//@ case bulk_load
//@ buffer in : s32[64] = iota(0)
//@ buffer out : s32[64] = 0
//@ launch bulk_load<<<1, 32>>>(in, out, 2)
//@ always out[0..63] == i + 1
//@ case bulk_load_without_fence
//@ buffer in : s32[64] = iota(0)
//@ buffer out : s32[64] = 0
//@ launch bulk_load_without_fence<<<1, 1>>>(in, out, 2)
//@ allow out[0] == 1
//@ allow out[0] == 33
//@ case bulk_store
//@ buffer out : s32[64] = 0
//@ launch bulk_store<<<2, 32>>>(out)
//@ always out[0..63] == 7 * i
//@ case bulk_reduce
//@ buffer sum : s32[32] = 0
//@ launch bulk_reduce<<<2, 32>>>(sum)
//@ always sum[0..31] == 2 * i + 1
//@ case tokens
//@ buffer out : s32[32] = 0
//@ launch tokens<<<1, 32>>>(out, 3)
//@ always out[0..31] == 3 * (31 - i) + 3
//@ case drop_out
//@ buffer out : s32[1] = 0
//@ launch drop_out<<<1, 32>>>(out)
//@ always out == 40
//@ case named_barriers
//@ buffer in : s32[64] = iota(0)
//@ buffer out : s32[64] = 0
//@ launch named_barriers<<<1, 64>>>(in, out, 2)
//@ always out[0..63] == i + 5
//@ case ring_of_mbarriers
//@ buffer in : s32[64] = iota(0)
//@ buffer out : s32[64] = 0
//@ launch ring_of_mbarriers<<<1, 64>>>(in, out, 4)
//@ always out[0..63] == 3 * i
//@ case bulk_without_fence
//@ buffer out : s32[4] = 0
//@ launch bulk_without_fence<<<1, 1>>>(out)
//@ allow out[0] == 0
//@ allow out[0] == 7
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda/barrier>
#include <cuda/pipeline>
#include <cuda/ptx>
#include <cuda_pipeline.h>
namespace cg = cooperative_groups;
namespace ptx = cuda::ptx;
using barrier = cuda::barrier<cuda::thread_scope_block>;

// Four rows, two buffers: a row is copied while the one before it is summed.
extern "C" __global__ void cp_async_stages(const int *in, int *out)
{
	__shared__ int row[2][32];
	int t = threadIdx.x, sum = 0;

	__pipeline_memcpy_async(&row[0][t], in + t, 4);
	__pipeline_commit();
	for (int k = 0; k < 4; k++) {
		if (k + 1 < 4)
			__pipeline_memcpy_async(&row[(k + 1) % 2][t], in + (k + 1) * 32 + t, 4);
		__pipeline_commit();
		__pipeline_wait_prior(1);
		__syncthreads();
		sum += row[k % 2][31 - t];
		__syncthreads();
	}
	out[t] = sum;
}

extern "C" __global__ void cp_async_mbarrier(const int *in, int *out)
{
	__shared__ int row[32];
	__shared__ uint64_t bar;
	int t = threadIdx.x;
	unsigned at = (unsigned)__cvta_generic_to_shared(&bar);

	if (t == 0)
		ptx::mbarrier_init(&bar, blockDim.x);
	__syncthreads();
	__pipeline_memcpy_async(&row[t], in + t, 4);
	asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" ::"r"(at) : "memory");
	while (!ptx::mbarrier_try_wait_parity(&bar, 0))
		;
	out[t] = row[31 - t];
}

extern "C" __global__ void group_copy(const int *in, int *out)
{
	__shared__ alignas(16) int row[32];
	auto block = cg::this_thread_block();

	cg::memcpy_async(block, row, in, cuda::aligned_size_t<16>(sizeof row));
	cg::wait(block);
	out[threadIdx.x] = row[31 - threadIdx.x];
}

// libcu++'s pipeline of one thread each, two stages.
extern "C" __global__ void two_stage_pipeline(const int *in, int *out, int n)
{
	__shared__ int row[2][8];
	auto pipe = cuda::make_pipeline();
	int t = threadIdx.x;

	for (int k = 0, next = 0; k < n; k++) {
		for (; next < n && next < k + 2; next++) {
			pipe.producer_acquire();
			cuda::memcpy_async(&row[next % 2][t], in + next * 8 + t, sizeof(int), pipe);
			pipe.producer_commit();
		}
		pipe.consumer_wait();
		out[k * 8 + t] = row[k % 2][t] + 1;
		pipe.consumer_release();
	}
}

// One warp fills a buffer, the other empties it; both take part in two barriers.
extern "C" __global__ void producer_warp(const int *in, int *out, int n)
{
	__shared__ int box[32];
	__shared__ uint64_t full, empty;
	int t = threadIdx.x;

	if (t == 0) {
		ptx::mbarrier_init(&full, 32);
		ptx::mbarrier_init(&empty, 32);
	}
	__syncthreads();
	for (int k = 0; k < n; k++) {
		if (t < 32) {
			while (!ptx::mbarrier_try_wait_parity(&empty, k & 1 ^ 1))
				;
			box[t] = in[k * 32 + t];
			ptx::mbarrier_arrive(&full);
		} else {
			while (!ptx::mbarrier_try_wait_parity(&full, k & 1))
				;
			out[k * 32 + t - 32] = 2 * box[t - 32];
			ptx::mbarrier_arrive(&empty);
		}
	}
}

template <bool fence> __device__ void load(const int *in, int *out, int n)
{
	__shared__ alignas(16) int tile[32];
	__shared__ uint64_t bar;
	int t = threadIdx.x;

	if (t == 0) {
		ptx::mbarrier_init(&bar, 1);
		ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
	}
	__syncthreads();
	for (int k = 0; k < n; k++) {
		if (t == 0) {
			ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &bar, sizeof tile);
			ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, tile, in + k * 32, sizeof tile, &bar);
		}
		while (!ptx::mbarrier_try_wait_parity(&bar, k & 1))
			;
		out[k * 32 + t] = tile[t] + 1;
		if (fence)
			ptx::fence_proxy_async(ptx::space_shared);
		__syncthreads();
	}
}

extern "C" __global__ void bulk_load(const int *in, int *out, int n)
{
	load<true>(in, out, n);
}

// Wrong by the model: the reads of one round are not ordered before the next copy without a proxy fence.
extern "C" __global__ void bulk_load_without_fence(const int *in, int *out, int n)
{
	load<false>(in, out, n);
}

extern "C" __global__ void bulk_store(int *out)
{
	__shared__ alignas(16) int tile[32];
	int t = threadIdx.x, i = blockIdx.x * 32 + t;

	tile[t] = 7 * i;
	ptx::fence_proxy_async(ptx::space_shared);
	__syncthreads();
	if (t == 0) {
		ptx::cp_async_bulk(ptx::space_global, ptx::space_shared, out + blockIdx.x * 32, tile, sizeof tile);
		ptx::cp_async_bulk_commit_group();
		ptx::cp_async_bulk_wait_group(ptx::n32_t<0>());
	}
}

extern "C" __global__ void bulk_reduce(int *sum)
{
	__shared__ alignas(16) int tile[32];
	int t = threadIdx.x;

	tile[t] = t + blockIdx.x;
	ptx::fence_proxy_async(ptx::space_shared);
	__syncthreads();
	if (t == 0) {
		ptx::cp_reduce_async_bulk(ptx::space_global, ptx::space_shared, ptx::op_add, sum, tile, sizeof tile);
		ptx::cp_async_bulk_commit_group();
		ptx::cp_async_bulk_wait_group(ptx::n32_t<0>());
	}
}

// libcu++'s barrier: work that needs nobody between the arrival and the wait.
extern "C" __global__ void tokens(int *out, int rounds)
{
	__shared__ barrier bar;
	__shared__ int box[2][32];
	int t = threadIdx.x, sum = 0;

	if (t == 0)
		init(&bar, blockDim.x);
	__syncthreads();
	for (int k = 0; k < rounds; k++) {
		box[k & 1][t] = t + k;
		barrier::arrival_token token = bar.arrive();
		bar.wait(cuda::std::move(token));
		sum += box[k & 1][31 - t];
	}
	out[t] = sum;
}

// Half of the threads leave after the first phase; the second expects the others only.
extern "C" __global__ void drop_out(int *out)
{
	__shared__ barrier bar;
	__shared__ int sum;
	int t = threadIdx.x;

	if (t == 0) {
		init(&bar, blockDim.x);
		sum = 0;
	}
	__syncthreads();
	if (t >= 8) {
		atomicAdd(&sum, 1);
		bar.arrive_and_drop();
		return;
	}
	bar.arrive_and_wait();
	atomicAdd(&sum, 2);
	bar.arrive_and_wait();
	if (t == 0)
		*out = sum;
}

// bar.arrive by the producers, bar.sync by the consumers.
extern "C" __global__ void named_barriers(const int *in, int *out, int n)
{
	__shared__ int box[32];
	int t = threadIdx.x;

	for (int k = 0; k < n; k++)
		if (t < 32) {
			if (k > 0)
				asm volatile("barrier.sync 2, 64;" ::: "memory");
			box[t] = in[k * 32 + t];
			asm volatile("barrier.arrive 1, 64;" ::: "memory");
		} else {
			asm volatile("barrier.sync 1, 64;" ::: "memory");
			out[k * 32 + t - 32] = box[t - 32] + 5;
			if (k + 1 < n)
				asm volatile("barrier.arrive 2, 64;" ::: "memory");
		}
}

// One thread loads by bulk copies into two stages, a warp consumes: full and empty barriers as in a GEMM.
extern "C" __global__ void ring_of_mbarriers(const int *in, int *out, int n)
{
	__shared__ alignas(16) int tile[2][16];
	__shared__ uint64_t full[2], empty[2];
	int t = threadIdx.x;

	if (t == 0) {
		for (int s = 0; s < 2; s++) {
			ptx::mbarrier_init(&full[s], 1);
			ptx::mbarrier_init(&empty[s], 1);
		}
		ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
	}
	__syncthreads();
	if (t == 0) {
		for (int k = 0; k < n; k++) {
			int s = k % 2;

			while (!ptx::mbarrier_try_wait_parity(&empty[s], k / 2 & 1 ^ 1))
				;
			ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &full[s], sizeof tile[0]);
			ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, tile[s], in + k * 16, sizeof tile[0], &full[s]);
		}
	} else if (t >= 32) {
		for (int k = 0; k < n; k++) {
			int s = k % 2;

			while (!ptx::mbarrier_try_wait_parity(&full[s], k / 2 & 1))
				;
			if (t < 48)
				out[k * 16 + t - 32] = 3 * tile[s][t - 32];
			ptx::fence_proxy_async(ptx::space_shared);
			__syncwarp();
			if (t == 32)
				ptx::mbarrier_arrive(&empty[s]);
		}
	}
}

// Wrong on purpose: without fence.proxy.async the copy may read what shared memory had before.
extern "C" __global__ void bulk_without_fence(int *out)
{
	__shared__ alignas(16) int tile[4];

	for (int k = 0; k < 4; k++)
		tile[k] = 0;
	ptx::fence_proxy_async(ptx::space_shared);
	tile[0] = 7;
	ptx::cp_async_bulk(ptx::space_global, ptx::space_shared, out, tile, sizeof tile);
	ptx::cp_async_bulk_commit_group();
	ptx::cp_async_bulk_wait_group(ptx::n32_t<0>());
}
