// A tile with a column more than it needs, against bank conflicts.
// prints 0 wrong
// planted F0201
#include <cstdio>
constexpr int N = 32;
__global__ void transpose(const int *in, int *out)
{
	__shared__ int tile[16][17];
	int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;

	tile[threadIdx.y][threadIdx.x] = in[y * N + x];
	__syncthreads();
	x = blockIdx.y * 16 + threadIdx.x;
	y = blockIdx.x * 16 + threadIdx.y;
#ifdef PLANTED
	y *= 2;
#endif
	out[y * N + x] = tile[threadIdx.x][threadIdx.y]; // HERE
}
int main()
{
	int *in, *out, wrong = 0;

	cudaMallocManaged(&in, N * N * sizeof(int));
	cudaMallocManaged(&out, N * N * sizeof(int));
	for (int k = 0; k < N * N; k++)
		in[k] = k;
	transpose<<<dim3(2, 2), dim3(16, 16)>>>(in, out);
	if (cudaDeviceSynchronize() != cudaSuccess)
		return 1;
	for (int k = 0; k < N * N; k++)
		wrong += out[k] != k % N * N + k / N;
	printf("%d wrong\n", wrong);
}
