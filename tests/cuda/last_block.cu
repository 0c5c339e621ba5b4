// The block that is last adds what all have left behind a fence.
// prints 4950
// planted R0104
#include <cstdio>
__device__ unsigned done;
__global__ void sum(volatile int *part, int *out)
{
	__shared__ bool last;

	if (threadIdx.x == 0) {
		part[blockIdx.x] = blockIdx.x;
#ifndef PLANTED
		__threadfence();
#endif
		last = atomicAdd(&done, 1) == gridDim.x - 1;
	}
	__syncthreads();
	if (last && threadIdx.x == 0) {
		int total = 0;

#ifndef PLANTED
		__threadfence();
#endif
		for (int k = 0; k < gridDim.x; k++)
			total += ((int *)part)[k]; // HERE
		*out = total;
	}
}
int main()
{
	int *part, *out;

	cudaMallocManaged(&part, 100 * sizeof(int));
	cudaMallocManaged(&out, sizeof(int));
	sum<<<100, 2>>>(part, out);
	cudaDeviceSynchronize();
	printf("%d\n", *out);
}
