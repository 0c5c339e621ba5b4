// A block writes data, a fence, then a flag for the other block.
// prints 42
// planted R0101
#include <cstdio>
__device__ int data;
__device__ int flag;
__global__ void pass(int *out)
{
	if (blockIdx.x == 0) {
		data = 42;
#ifndef PLANTED
		__threadfence();
#endif
		atomicExch(&flag, 1);
	} else {
		while (atomicAdd(&flag, 0) == 0)
			;
#ifndef PLANTED
		__threadfence();
#endif
		*out = data; // HERE
	}
}
int main()
{
	int *out;

	cudaMallocManaged(&out, sizeof *out);
	pass<<<2, 1>>>(out);
	cudaDeviceSynchronize();
	printf("%d\n", *out);
}
