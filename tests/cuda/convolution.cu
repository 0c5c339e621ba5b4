// Weights in constant memory.
// prints 4 8 12 16 20
#include <cstdio>
__constant__ int weight[3];
__global__ void convolve(const int *in, int *out)
{
	int sum = 0;

	for (int k = 0; k < 3; k++)
		sum += weight[k] * in[threadIdx.x + k];
	out[threadIdx.x] = sum;
}
int main()
{
	const int w[3] = {1, 2, 1};
	int *in, *out;

	cudaMemcpyToSymbol(weight, w, sizeof w);
	cudaMallocManaged(&in, 7 * sizeof(int));
	cudaMallocManaged(&out, 5 * sizeof(int));
	for (int k = 0; k < 7; k++)
		in[k] = k;
	convolve<<<1, 5>>>(in, out);
	cudaDeviceSynchronize();
	for (int k = 0; k < 5; k++)
		printf("%d%c", out[k], k < 4 ? ' ' : '\n');
}
