// The size of shared memory is an argument of the launch.
// prints 63 62 0
// planted F0201
#include <cstdio>
__global__ void reverse(int *data)
{
	extern __shared__ int s[];
	int n = blockDim.x;

	s[threadIdx.x] = data[threadIdx.x]; // HERE
	__syncthreads();
	data[threadIdx.x] = s[n - 1 - threadIdx.x];
}
int main()
{
	int *data;
#ifdef PLANTED
	const int each = sizeof(short);
#else
	const int each = sizeof(int);
#endif

	cudaMallocManaged(&data, 64 * sizeof(int));
	for (int k = 0; k < 64; k++)
		data[k] = k;
	reverse<<<1, 64, 64 * each>>>(data);
	if (cudaDeviceSynchronize())
		return 1;
	printf("%d %d %d\n", data[0], data[1], data[63]);
}
