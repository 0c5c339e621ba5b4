// All blocks of a cooperative launch meet, then read what the others wrote.
// prints 12 12 12 12
// planted R0101
#include <cooperative_groups.h>
#include <cstdio>
namespace cg = cooperative_groups;
__global__ void exchange(int *part, int *total)
{
	int sum = 0;

	if (threadIdx.x == 0)
		part[blockIdx.x] = 2 * blockIdx.x; // HERE
#ifndef PLANTED
	cg::this_grid().sync();
#endif
	if (threadIdx.x == 0) {
		for (int k = 0; k < gridDim.x; k++)
			sum += part[k]; // HERE
		total[blockIdx.x] = sum;
	}
}
int main()
{
	int *part, *total, out[4];
	void *args[] = {&part, &total};

	cudaMalloc(&part, 4 * sizeof(int));
	cudaMalloc(&total, 4 * sizeof(int));
	cudaMemset(part, 0, 4 * sizeof(int));
	cudaLaunchCooperativeKernel((void *)exchange, 4, 64, args, 0, 0);
	cudaMemcpy(out, total, sizeof out, cudaMemcpyDeviceToHost);
	printf("%d %d %d %d\n", out[0], out[1], out[2], out[3]);
}
