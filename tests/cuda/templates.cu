// Kernels that are templates, with functors and classes of the host's library.
// prints 285 10 2.5
#include <cstdio>
#include <utility>
struct square {
	__host__ __device__ int operator()(int x) const { return x * x; }
};
template <class T, class F> __global__ void sum(T *out, int n, F f)
{
	T total = 0;

	for (int k = 0; k < n; k++)
		total += f(k);
	*out = total;
}
template <int N> __global__ void triangle(int *out)
{
	int total = 0;
#pragma unroll
	for (int k = 1; k <= N; k++)
		total += k;
	*out = total;
}
__global__ void halves(std::pair<float, float> p, float *out) { *out = p.first / p.second; }
int main()
{
	int *a, *b;
	float *c;

	cudaMallocManaged(&a, sizeof *a);
	cudaMallocManaged(&b, sizeof *b);
	cudaMallocManaged(&c, sizeof *c);
	sum<<<1, 1>>>(a, 10, square());
	triangle<4><<<1, 1>>>(b);
	halves<<<1, 1>>>(std::make_pair(5.0f, 2.0f), c);
	cudaDeviceSynchronize();
	printf("%d %d %g\n", *a, *b, *c);
}
