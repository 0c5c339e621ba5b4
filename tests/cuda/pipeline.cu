// Two stages of asynchronous copies by each thread.
// prints 2016
// planted S0301
#include <cstdio>
#include <cuda/pipeline>
__global__ void sum(const int *in, int *out)
{
	__shared__ int s[2][16];
	cuda::pipeline<cuda::thread_scope_thread> p = cuda::make_pipeline();
	int t = threadIdx.x, total = 0;

	p.producer_acquire();
	cuda::memcpy_async(&s[0][t], in + t, sizeof(int), p);
	p.producer_commit();
	for (int k = 0; k < 4; k++) {
		if (k < 3) {
			p.producer_acquire();
			cuda::memcpy_async(
				&s[(k + 1) % 2][t], in + (k + 1) * 16 + t, sizeof(int), p);
			p.producer_commit();
		}
#ifndef PLANTED
		p.consumer_wait();
#endif
		total += s[k % 2][t]; // HERE
		p.consumer_release();
	}
	atomicAdd(out, total);
}
int main()
{
	int *in, *out;

	cudaMallocManaged(&in, 64 * sizeof(int));
	cudaMallocManaged(&out, sizeof(int));
	for (int k = 0; k < 64; k++)
		in[k] = k;
	*out = 0;
	sum<<<1, 16>>>(in, out);
	cudaDeviceSynchronize();
	printf("%d\n", *out);
}
