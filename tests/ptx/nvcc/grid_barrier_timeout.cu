// A barrier of two kernels in two streams, with a time limit: each increments a counter and waits for the other, at most `limit` nanoseconds.
//@ case meet
//@ buffer count : u32[1] = 0
//@ buffer out : s32[2] = 9
//@ launch meet<<<1, 32, 0, 1>>>(count, out, 0, 100000000)
//@ launch meet<<<1, 32, 0, 2>>>(count, out, 1, 100000000)
//@ expect out[0] == 1 && out[1] == 1
//@ case alone
//@ buffer count : u32[1] = 0
//@ buffer out : s32[1] = 9
//@ launch meet<<<1, 32>>>(count, out, 0, 5000)
//@ expect out[0] == 0
//@ case no_limit                                    # the second kernel follows the first in one stream: they never meet
//@ needs interp      # a GPU hangs until it is stopped
//@ buffer count : u32[1] = 0
//@ buffer out : s32[2] = 9
//@ launch meet<<<1, 32>>>(count, out, 0, -1)
//@ launch meet<<<1, 32>>>(count, out, 1, -1)
//@ expect deadlock
#include <cuda/atomic>

static __device__ unsigned long long now()
{
	unsigned long long t;

	asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t));
	return t;
}

extern "C" __global__ void meet(unsigned *count, int *out, int k, long long limit)
{
	__shared__ int met;

	if (threadIdx.x == 0) {
		cuda::atomic_ref<unsigned, cuda::thread_scope_device> arrived(*count);
		unsigned long long begin = now();

		arrived.fetch_add(1, cuda::memory_order_release);
		met = 1;
		while (arrived.load(cuda::memory_order_acquire) < 2)
			if (limit >= 0 && now() - begin > (unsigned long long)limit) {
				met = 0;
				break;
			}
	}
	__syncthreads();
	if (threadIdx.x == 0)
		out[k] = met;
}
