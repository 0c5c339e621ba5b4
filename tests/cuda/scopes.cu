// cuda::atomic and cuda::atomic_ref, whose order and scope say what they order.
// prints 1 64 63
// planted R0101
#include <cstdio>
#include <cuda/atomic>
__device__ cuda::atomic<int, cuda::thread_scope_device> ready;
__device__ int value;
__global__ void work(int *out)
{
	if (blockIdx.x == 0 && threadIdx.x == 0) {
		value = 1;
#ifdef PLANTED
		ready.store(1, cuda::memory_order_relaxed);
#else
		ready.store(1, cuda::memory_order_release);
#endif
	}
	if (blockIdx.x == 1) {
		cuda::atomic_ref<int, cuda::thread_scope_block> count(out[1]), most(out[2]);

		count.fetch_add(1, cuda::memory_order_relaxed);
		most.fetch_max((int)threadIdx.x);
		if (threadIdx.x == 0) {
			while (ready.load(cuda::memory_order_acquire) == 0)
				;
			out[0] = value; // HERE
		}
	}
}
int main()
{
	int *out;

	cudaMallocManaged(&out, 3 * sizeof(int));
	out[0] = out[1] = out[2] = 0;
	work<<<2, 64>>>(out);
	cudaDeviceSynchronize();
	printf("%d %d %d\n", out[0], out[1], out[2]);
}
