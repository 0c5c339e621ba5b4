#include <cstdio>
__device__ int counts[32]; // another one

__global__ void add(const int *other)
{
	counts[threadIdx.x] += other[threadIdx.x];
}

void second(int *other, cudaStream_t stream)
{
	int sum = 0, all[32];

	add<<<1, 32, 0, stream>>>(other);
	cudaMemcpyFromSymbolAsync(all, counts, sizeof all, 0, cudaMemcpyDeviceToHost, stream);
	cudaStreamSynchronize(stream);
	for (int x : all)
		sum += x;
	printf("%d\n", sum);
}
