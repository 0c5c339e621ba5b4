// Conway's game of life, between two boards.
// prints 5 cells, moved by (1,1)
// planted R0101
#include <cstdio>
#include <cstring>
#include <utility>
constexpr int N = 16;
__global__ void step(const unsigned char *from, unsigned char *to)
{
	int x = threadIdx.x, y = threadIdx.y, n = 0;

	for (int dy = N - 1; dy <= N + 1; dy++)
		for (int dx = N - 1; dx <= N + 1; dx++)
			if (dx != N || dy != N)
				n += from[(y + dy) % N * N + (x + dx) % N];
	to[y * N + x] = n == 3 || (n == 2 && from[y * N + x]); // HERE
}
int main()
{
	const int glider[5][2] = {{1, 0}, {2, 1}, {0, 2}, {1, 2}, {2, 2}};
	unsigned char *a, *b;
	int cells = 0, moved = 0;

	cudaMallocManaged(&a, N * N);
	cudaMallocManaged(&b, N * N);
	memset(a, 0, N * N);
	for (auto &g : glider)
		a[(g[1] + 4) * N + g[0] + 4] = 1;
	for (int k = 0; k < 4; k++) {
#ifdef PLANTED
		step<<<1, dim3(N, N)>>>(a, a);
#else
		step<<<1, dim3(N, N)>>>(a, b);
		std::swap(a, b);
#endif
	}
	cudaDeviceSynchronize();
	for (int k = 0; k < N * N; k++)
		cells += a[k];
	for (auto &g : glider)
		moved += a[(g[1] + 5) * N + g[0] + 5];
	printf("%d cells%s\n", cells, moved == 5 ? ", moved by (1,1)" : "");
}
