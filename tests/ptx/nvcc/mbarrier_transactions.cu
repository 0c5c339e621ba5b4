// Bulk copies and the bytes that a barrier expects of them: expect_tx before or after the copy is issued.
//@ case expect_before
//@ buffer in : s32[256] = iota(1)
//@ buffer out : s32[256] = 0
//@ launch expect_before<<<1, 64>>>(in, out, 4)
//@ expect out[0..255] == i + 1
//@ case expect_after
//@ buffer in : s32[256] = iota(1)
//@ buffer out : s32[256] = 0
//@ launch expect_after<<<1, 64>>>(in, out, 4)
//@ expect out[0..255] == i + 1
//@ case too_few                                     # half of the bytes are copied
//@ needs interp      # a GPU hangs until it is stopped
//@ buffer in : s32[256] = iota(1)
//@ buffer out : s32[256] = 0
//@ launch too_few<<<1, 64>>>(in, out)
//@ expect deadlock
#include <cuda/barrier>
#include <cuda/ptx>
namespace ptx = cuda::ptx;

template <bool before> __device__ void load(const int *in, int *out, int rounds)
{
	__shared__ alignas(16) int tile[64];
	__shared__ uint64_t bar;
	int t = threadIdx.x;

	if (t == 0) {
		ptx::mbarrier_init(&bar, 1);
		ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
	}
	__syncthreads();
	for (int k = 0; k < rounds; k++) {
		if (t == 0) {
			if (before)
				ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &bar, sizeof tile);
			ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, tile, in + k * 64, sizeof tile, &bar);
			if (!before)
				ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &bar, sizeof tile);
		}
		while (!ptx::mbarrier_try_wait_parity(&bar, k & 1))
			;
		out[k * 64 + t] = tile[t];
		__syncthreads();
	}
}

extern "C" __global__ void expect_before(const int *in, int *out, int rounds)
{
	load<true>(in, out, rounds);
}

extern "C" __global__ void expect_after(const int *in, int *out, int rounds)
{
	load<false>(in, out, rounds);
}

extern "C" __global__ void too_few(const int *in, int *out)
{
	__shared__ alignas(16) int tile[64];
	__shared__ uint64_t bar;
	int t = threadIdx.x;

	if (t == 0) {
		ptx::mbarrier_init(&bar, 1);
		ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
		ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &bar, sizeof tile);
		ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, tile, in, sizeof tile / 2, &bar);
	}
	__syncthreads();
	while (!ptx::mbarrier_try_wait_parity(&bar, 0))
		;
	out[t] = tile[t];
}
