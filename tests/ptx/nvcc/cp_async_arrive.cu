// cp.async and a barrier: the barrier receives an arrival when the thread's copies have landed, in addition to the expected ones (without .noinc) or as one of them (.noinc).
//@ case without_noinc
//@ buffer in : s32[64] = iota(1)
//@ buffer out : s32[64] = 0
//@ launch without_noinc<<<1, 64>>>(in, out)
//@ expect out[0..63] == 64 - i
//@ case with_noinc
//@ buffer in : s32[64] = iota(1)
//@ buffer out : s32[64] = 0
//@ launch with_noinc<<<1, 64>>>(in, out)
//@ expect out[0..63] == 64 - i
//@ case counted_twice                               # __pipeline_arrive_on is the form without .noinc: 64 more arrive, and 64 more are expected
//@ needs interp      # a GPU hangs until it is stopped
//@ buffer in : s32[64] = iota(1)
//@ buffer out : s32[64] = 0
//@ launch counted_twice<<<1, 64>>>(in, out)
//@ expect deadlock
//@ case memcpy_async                                # cuda::memcpy_async on a cuda::barrier
//@ buffer in : s32[64] = iota(1)
//@ buffer out : s32[64] = 0
//@ launch memcpy_async<<<1, 64>>>(in, out)
//@ expect out[0..63] == 64 - i
//@ case groups                                      # the pipeline primitives: two copies under way, the older one waited for
//@ buffer in : s32[256] = iota(1)
//@ buffer out : s32[256] = 0
//@ launch groups<<<1, 64>>>(in, out, 4)
//@ expect out[0..255] == i / 64 * 64 + 64 - i % 64
#include <cooperative_groups.h>
#include <cuda/barrier>
#include <cuda_pipeline.h>
#include <cuda_awbarrier_primitives.h>

extern "C" __global__ void without_noinc(const int *in, int *out)
{
	__shared__ __mbarrier_t bar;
	__shared__ int tile[64];
	int t = threadIdx.x;

	if (t == 0)
		__mbarrier_init(&bar, blockDim.x);
	__syncthreads();
	__pipeline_memcpy_async(&tile[t], &in[t], sizeof(int));
	asm volatile("cp.async.mbarrier.arrive.shared::cta.b64 [%0];" ::"r"((unsigned)__cvta_generic_to_shared(&bar)) : "memory");
	__mbarrier_token_t token = __mbarrier_arrive(&bar);
	while (!__mbarrier_test_wait(&bar, token))
		;
	out[t] = tile[63 - t];
}

extern "C" __global__ void with_noinc(const int *in, int *out)
{
	__shared__ __mbarrier_t bar;
	__shared__ int tile[64];
	int t = threadIdx.x;

	if (t == 0)
		__mbarrier_init(&bar, 2 * blockDim.x); // each thread itself, and its copies
	__syncthreads();
	__pipeline_memcpy_async(&tile[t], &in[t], sizeof(int));
	asm volatile("cp.async.mbarrier.arrive.noinc.shared::cta.b64 [%0];" ::"r"((unsigned)__cvta_generic_to_shared(&bar)) : "memory");
	__mbarrier_token_t token = __mbarrier_arrive(&bar);
	while (!__mbarrier_test_wait(&bar, token))
		;
	out[t] = tile[63 - t];
}

extern "C" __global__ void counted_twice(const int *in, int *out)
{
	__shared__ __mbarrier_t bar;
	__shared__ int tile[64];
	int t = threadIdx.x;

	if (t == 0)
		__mbarrier_init(&bar, 2 * blockDim.x);
	__syncthreads();
	__pipeline_memcpy_async(&tile[t], &in[t], sizeof(int));
	__pipeline_arrive_on(&bar);
	__mbarrier_token_t token = __mbarrier_arrive(&bar);
	while (!__mbarrier_test_wait(&bar, token))
		;
	out[t] = tile[63 - t];
}

extern "C" __global__ void memcpy_async(const int *in, int *out)
{
	__shared__ cuda::barrier<cuda::thread_scope_block> bar;
	__shared__ int tile[64];
	int t = threadIdx.x;

	if (t == 0)
		init(&bar, blockDim.x);
	__syncthreads();
	cuda::memcpy_async(&tile[t], &in[t], sizeof(int), bar);
	bar.arrive_and_wait();
	out[t] = tile[63 - t];
}

extern "C" __global__ void groups(const int *in, int *out, int n)
{
	__shared__ int tile[2][64];
	int t = threadIdx.x;

	__pipeline_memcpy_async(&tile[0][t], &in[t], sizeof(int));
	__pipeline_commit();
	for (int k = 0; k < n; k++) {
		if (k + 1 < n)
			__pipeline_memcpy_async(&tile[(k + 1) & 1][t], &in[(k + 1) * 64 + t], sizeof(int));
		__pipeline_commit();
		__pipeline_wait_prior(1);
		__syncthreads();
		out[k * 64 + t] = tile[k & 1][63 - t];
		__syncthreads();
	}
}
