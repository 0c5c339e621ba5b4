// A warp reduces by shuffles.
// prints 10416
// planted S0201
#include <cstdio>
__global__ void dot(const int *a, const int *b, int *out)
{
	int sum = a[threadIdx.x] * b[threadIdx.x];

	for (int by = 16; by; by /= 2)
#ifdef PLANTED
		sum += __shfl_down_sync(0xffff, sum, by); // HERE
#else
		sum += __shfl_down_sync(0xffffffff, sum, by);
#endif
	if (threadIdx.x == 0)
		*out = sum;
}
int main()
{
	int *a, *b, *out;

	cudaMallocManaged(&a, 32 * sizeof(int));
	cudaMallocManaged(&b, 32 * sizeof(int));
	cudaMallocManaged(&out, sizeof(int));
	for (int k = 0; k < 32; k++)
		a[k] = b[k] = k;
	dot<<<1, 32>>>(a, b, out);
	cudaDeviceSynchronize();
	printf("%d\n", *out);
}
