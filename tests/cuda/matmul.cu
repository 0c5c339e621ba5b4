// Tiles of two matrices in shared memory.
// prints 0 wrong
// planted R0101
#include <cstdio>
#include <cmath>
constexpr int N = 32, TILE = 8;
__global__ void multiply(const float *a, const float *b, float *c)
{
	__shared__ float ta[TILE][TILE], tb[TILE][TILE];
	int x = threadIdx.x, y = threadIdx.y;
	int column = blockIdx.x * TILE + x, row = blockIdx.y * TILE + y;
	float sum = 0;

	for (int t = 0; t < N / TILE; t++) {
		ta[y][x] = a[row * N + t * TILE + x]; // HERE
		tb[y][x] = b[(t * TILE + y) * N + column];
		__syncthreads();
		for (int k = 0; k < TILE; k++)
			sum += ta[y][k] * tb[k][x];
#ifndef PLANTED
		__syncthreads();
#endif
	}
	c[row * N + column] = sum;
}
int main()
{
	static float a[N * N], b[N * N], c[N * N];
	float *da, *db, *dc;
	int wrong = 0;

	for (int k = 0; k < N * N; k++) {
		a[k] = k % 7;
		b[k] = k % 5 - 2;
	}
	cudaMalloc(&da, sizeof a);
	cudaMalloc(&db, sizeof b);
	cudaMalloc(&dc, sizeof c);
	cudaMemcpy(da, a, sizeof a, cudaMemcpyHostToDevice);
	cudaMemcpy(db, b, sizeof b, cudaMemcpyHostToDevice);
	multiply<<<dim3(N / TILE, N / TILE), dim3(TILE, TILE)>>>(da, db, dc);
	cudaMemcpy(c, dc, sizeof c, cudaMemcpyDeviceToHost);
	for (int i = 0; i < N; i++)
		for (int j = 0; j < N; j++) {
			float sum = 0;

			for (int k = 0; k < N; k++)
				sum += a[i * N + k] * b[k * N + j];
			wrong += std::fabs(sum - c[i * N + j]) > 1e-3f;
		}
	printf("%d wrong\n", wrong);
}
