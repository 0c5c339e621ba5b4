// A block sums numbers in shared memory.
// prints 32640
// planted R0101
#include <cstdio>
__global__ void sum(const int *in, int *out)
{
	__shared__ int s[256];
	unsigned t = threadIdx.x;

	s[t] = in[blockIdx.x * blockDim.x + t];
	__syncthreads();
	for (unsigned k = blockDim.x / 2; k; k /= 2) {
		if (t < k)
			s[t] += s[t + k]; // HERE
#ifndef PLANTED
		__syncthreads();
#endif
	}
	if (t == 0)
		atomicAdd(out, s[0]);
}
int main()
{
	int in[256], *d, *out, result = 0;

	for (int k = 0; k < 256; k++)
		in[k] = k;
	cudaMalloc(&d, sizeof in);
	cudaMalloc(&out, sizeof *out);
	cudaMemcpy(d, in, sizeof in, cudaMemcpyHostToDevice);
	cudaMemset(out, 0, sizeof *out);
	sum<<<1, 256>>>(d, out);
	cudaMemcpy(&result, out, sizeof result, cudaMemcpyDeviceToHost);
	printf("%d\n", result);
}
