// A grid that meets after each step of a relaxation.
// prints 0 25 50 75 100
// planted R0101
#include <cooperative_groups.h>
#include <cstdio>
namespace cg = cooperative_groups;
__global__ void relax(float *a, float *b, int n, int steps)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	for (int k = 0; k < steps; k++) {
		float *t = a;

		if (i > 0 && i < n - 1)
			b[i] = 0.5f * (a[i - 1] + a[i + 1]); // HERE
#ifndef PLANTED
		cg::this_grid().sync();
#endif
		a = b;
		b = t;
	}
}
int main()
{
	int n = 5, steps = 60;
	float *a, *b;
	void *args[] = {&a, &b, &n, &steps};

	cudaMallocManaged(&a, n * sizeof(float));
	cudaMallocManaged(&b, n * sizeof(float));
	for (int k = 0; k < n; k++)
		a[k] = b[k] = k == n - 1 ? 100 : 0;
	cudaLaunchCooperativeKernel((void *)relax, 3, 2, args);
	cudaDeviceSynchronize();
	for (int k = 0; k < n; k++)
		printf("%.0f%c", a[k], k < n - 1 ? ' ' : '\n');
}
