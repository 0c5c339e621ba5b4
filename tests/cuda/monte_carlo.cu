// Points of a generator of random numbers, of which a quarter circle has pi/4.
// prints about pi
#include <cmath>
#include <cstdio>
__device__ unsigned next(unsigned long long &state)
{
	state = state * 6364136223846793005ull + 1442695040888963407ull;
	return (unsigned)(state >> 33);
}
__global__ void throw_darts(unsigned *hits, int each)
{
	unsigned long long state = 12345 + 977 * (blockIdx.x * blockDim.x + threadIdx.x);
	unsigned n = 0;

	for (int k = 0; k < each; k++) {
		float x = next(state) / 2147483648.0f, y = next(state) / 2147483648.0f;

		n += x * x + y * y < 1;
	}
	atomicAdd(hits, n);
}
int main()
{
	unsigned *hits;

	cudaMallocManaged(&hits, sizeof *hits);
	*hits = 0;
	throw_darts<<<4, 64>>>(hits, 100);
	cudaDeviceSynchronize();
	puts(std::fabs(*hits * 4.0 / (256 * 100) - 3.14159) < 0.05 ? "about pi" : "not pi");
}
