// Kernels of a lambda: a loop over the grid that applies it; captured by value; one of them calls the other.
// nvcc: -arch=sm_75 -arch=sm_90
//@ buffer a : s32[100] = 0
//@ launch k<<<2, 32>>>(a, 100, 3, 7)
//@ expect a[..] == (i * 3 + 7) * (i * 3 + 7) - i
//@ expect clean
template <class F> static __device__ void each(int n, F f)
{
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
		f(i);
}
extern "C" __global__ void k(int *a, int n, int slope, int offset)
{
	auto line = [=](int x) { return x * slope + offset; };
	auto square = [=](int x) { int y = line(x); return y * y; };
	each(n, [=](int i) { a[i] = square(i); });
	each(n, [=](int i) { a[i] -= i; });
}
