// Threads that exit early decrement the expected count: arrive_and_drop. Thread t exits in round t / 8; the others no longer wait for it.
//@ case leave
//@ buffer out : s32[32] = 0
//@ launch leave<<<1, 32>>>(out, 3)
//@ expect out[0..23] == i / 8
//@ expect out[24..31] == 100
//@ case forgets                                     # the same without the drop: the others wait for ever
//@ needs interp      # a GPU hangs until it is stopped
//@ buffer out : s32[32] = 0
//@ launch forgets<<<1, 32>>>(out, 3)
//@ expect deadlock
#include <cuda/barrier>
using barrier = cuda::barrier<cuda::thread_scope_block>;

template <bool drops> __device__ void rounds(int *out, int n)
{
	__shared__ barrier bar;
	int t = threadIdx.x;

	if (t == 0)
		init(&bar, blockDim.x);
	__syncthreads();
	for (int k = 0; k < n; k++) {
		if (t / 8 == k) {
			if (drops)
				bar.arrive_and_drop();
			out[t] = k;
			return;
		}
		bar.arrive_and_wait();
	}
	out[t] = 100;
}

extern "C" __global__ void leave(int *out, int n)
{
	rounds<true>(out, n);
}

extern "C" __global__ void forgets(int *out, int n)
{
	rounds<false>(out, n);
}
