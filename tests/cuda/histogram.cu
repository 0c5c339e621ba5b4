// Each block counts in shared memory, then adds to the whole.
// prints 512 512 512 512
// planted R0101
#include <cstdio>
__global__ void count(const unsigned char *in, unsigned *bins, int n)
{
	__shared__ unsigned own[4];

	if (threadIdx.x < 4)
		own[threadIdx.x] = 0;
	__syncthreads();
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
#ifdef PLANTED
		own[in[i] % 4]++; // HERE
#else
		atomicAdd(&own[in[i] % 4], 1);
#endif
	__syncthreads();
	if (threadIdx.x < 4)
		atomicAdd(&bins[threadIdx.x], own[threadIdx.x]);
}
int main()
{
	const int n = 2048;
	static unsigned char in[n];
	unsigned char *d;
	unsigned *bins, out[4];

	for (int k = 0; k < n; k++)
		in[k] = k;
	cudaMalloc(&d, n);
	cudaMalloc(&bins, sizeof out);
	cudaMemcpy(d, in, n, cudaMemcpyHostToDevice);
	cudaMemset(bins, 0, sizeof out);
	count<<<4, 64>>>(d, bins, n);
	cudaMemcpy(out, bins, sizeof out, cudaMemcpyDeviceToHost);
	printf("%u %u %u %u\n", out[0], out[1], out[2], out[3]);
}
