// Recursion, and pointers to functions.
// prints 55 30 1
#include <cstdio>
__device__ __noinline__ int fibonacci(int n)
{
	return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}
__device__ int triple(int x) { return 3 * x; }
__device__ int half(int x) { return x / 10; }
__device__ int (*table[2])(int) = {triple, half};
__global__ void call(int *out, int which)
{
	out[0] = fibonacci(10);
	out[1] = table[which](10);
	out[2] = table[1 - which](10);
}
int main()
{
	int *out;

	cudaMallocManaged(&out, 3 * sizeof(int));
	call<<<1, 1>>>(out, 0);
	cudaDeviceSynchronize();
	printf("%d %d %d\n", out[0], out[1], out[2]);
}
