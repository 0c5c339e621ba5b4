// A lock for threads of several blocks.
// prints 64
// planted R0104
#include <cstdio>
__device__ int lock;
__global__ void count(int *n)
{
	bool done = false;

	while (!done)
		if (atomicCAS(&lock, 0, 1) == 0) {
			__threadfence();
			*n += 1;
			__threadfence();
#ifdef PLANTED
			lock = 0; // HERE
#else
			atomicExch(&lock, 0);
#endif
			done = true;
		}
}
int main()
{
	int *n;

	cudaMallocManaged(&n, sizeof *n);
	*n = 0;
	count<<<4, 16>>>(n);
	cudaDeviceSynchronize();
	printf("%d\n", *n);
}
