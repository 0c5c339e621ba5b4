// A warp produces what another one consumes, with two cuda::barrier for each of two buffers.
// prints 1536
// planted S0221|R0101
#include <cstdio>
#include <cuda/barrier>
#include <new>
typedef cuda::barrier<cuda::thread_scope_block> barrier;
constexpr int ROUNDS = 8;
__global__ void pass(int *out)
{
	__shared__ alignas(8) unsigned char place[4][sizeof(barrier)];
	__shared__ int buffer[2][32];
	barrier *full = (barrier *)place, *empty = full + 2;
	int lane = threadIdx.x % 32;

	if (threadIdx.x < 4)
		init(full + threadIdx.x, 64);
	__syncthreads();
	if (threadIdx.x < 32) {
		for (int k = 0; k < ROUNDS; k++) {
#ifndef PLANTED
			if (k >= 2)
				empty[k % 2].arrive_and_wait();
#endif
			buffer[k % 2][lane] = k + lane % 2; // HERE
			(void)full[k % 2].arrive(); // HERE
		}
	} else {
		int sum = 0;

		for (int k = 0; k < ROUNDS; k++) {
			full[k % 2].arrive_and_wait();
			sum += buffer[k % 2][lane];
#ifndef PLANTED
			if (k < ROUNDS - 2)
				(void)empty[k % 2].arrive();
#endif
		}
		atomicAdd(out, sum + 16);
	}
}
int main()
{
	int *out;

	cudaMallocManaged(&out, sizeof *out);
	*out = 0;
	pass<<<1, 64>>>(out);
	cudaDeviceSynchronize();
	printf("%d\n", *out);
}
