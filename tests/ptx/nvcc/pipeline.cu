// cuda::pipeline: two stages of asynchronous copies by a whole block; and one where the first warp produces and the others consume.
//@ case unified
//@ buffer in : s32[512] = iota(0)
//@ buffer out : s32[512] = 0
//@ launch unified<<<1, 64>>>(in, out, 8)
//@ expect out[0..511] == 3 * (i / 64 * 64 + 63 - i % 64)
//@ case roles
//@ buffer in : s32[256] = iota(0)
//@ buffer out : s32[256] = 0
//@ launch roles<<<1, 96>>>(in, out, 4)
//@ expect out[0..255] == 5 * (i / 64 * 64 + 63 - i % 64)
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda/pipeline>
namespace cg = cooperative_groups;

extern "C" __global__ void unified(const int *in, int *out, int n)
{
	constexpr int stages = 2;
	__shared__ int tile[stages][64];
	__shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, stages> state;
	auto block = cg::this_thread_block();
	auto pipe = cuda::make_pipeline(block, &state);
	int fetched = 0;

	for (int k = 0; k < n; k++) {
		for (; fetched < n && fetched < k + stages; fetched++) {
			pipe.producer_acquire();
			cuda::memcpy_async(block, tile[fetched % stages], in + fetched * 64, sizeof tile[0], pipe);
			pipe.producer_commit();
		}
		pipe.consumer_wait();
		out[k * 64 + block.thread_rank()] = 3 * tile[k % stages][63 - block.thread_rank()];
		pipe.consumer_release();
	}
}

extern "C" __global__ void roles(const int *in, int *out, int n)
{
	constexpr int stages = 2;
	__shared__ int tile[stages][64];
	__shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, stages> state;
	auto block = cg::this_thread_block();
	bool produces = block.thread_rank() < 32;
	auto pipe = cuda::make_pipeline(block, &state, produces ? cuda::pipeline_role::producer : cuda::pipeline_role::consumer);

	for (int k = 0; k < n; k++)
		if (produces) {
			pipe.producer_acquire();
			for (int j = threadIdx.x; j < 64; j += 32)
				cuda::memcpy_async(&tile[k % stages][j], &in[k * 64 + j], sizeof(int), pipe);
			pipe.producer_commit();
		} else {
			int t = threadIdx.x - 32;

			pipe.consumer_wait();
			out[k * 64 + t] = 5 * tile[k % stages][63 - t];
			pipe.consumer_release();
		}
}
