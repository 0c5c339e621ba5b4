// Steps until a point leaves; lanes leave their loop at different times.
// prints 0 of 45 differ
#include <cstdio>
constexpr int WIDTH = 9, HEIGHT = 5;
__host__ __device__ int steps(int column, int row)
{
	float x0 = -2.5f + 0.375f * column, y0 = -1 + 0.5f * row, x = 0, y = 0;
	int n = 0;

	for (; n < 50 && x * x + y * y < 4; n++) {
		float next = x * x - y * y + x0;

		y = 2 * x * y + y0;
		x = next;
	}
	return n;
}
__global__ void all(int *out) { out[threadIdx.y * WIDTH + threadIdx.x] = steps(threadIdx.x, threadIdx.y); }
int main()
{
	int *out, wrong = 0;

	cudaMallocManaged(&out, WIDTH * HEIGHT * sizeof(int));
	all<<<1, dim3(WIDTH, HEIGHT)>>>(out);
	cudaDeviceSynchronize();
	for (int y = 0; y < HEIGHT; y++)
		for (int x = 0; x < WIDTH; x++)
			wrong += out[y * WIDTH + x] != steps(x, y);
	printf("%d of %d differ\n", wrong, WIDTH * HEIGHT);
}
