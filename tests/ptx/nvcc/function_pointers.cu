// A table of functions in memory, called by a number that differs from thread to thread; a pointer passed on; a member by pointer.
// nvcc: -arch=sm_75 -arch=sm_90
//@ buffer o : s32[64] = 0
//@ launch k<<<1, 64>>>(o)
//@ expect o[0..63] == (i % 4 == 0) * (i + 3) + (i % 4 == 1) * (i - 3) + (i % 4 == 2) * i * 3 + (i % 4 == 3) * (i - 3 + 3) + i
//@ expect clean
typedef int function(int, int);
static __device__ __noinline__ int plus(int a, int b) { return a + b; }
static __device__ __noinline__ int minus(int a, int b) { return a - b; }
static __device__ __noinline__ int times(int a, int b) { return a * b; }
static __device__ __noinline__ int there_and_back(int a, int b) { return plus(minus(a, b), b); }
static __device__ function *table[4] = {plus, minus, times, there_and_back};
struct counter {
	int n;
	__device__ __noinline__ int get(int add) { return n + add; }
};
static __device__ __noinline__ int apply(function *f, int a) { return f(a, 3); }
extern "C" __global__ void k(int *o)
{
	int i = (int)threadIdx.x;
	counter c = {i};
	int (counter::*member)(int) = &counter::get;
	o[i] = (c.*member)(apply(table[i % 4], i));
}
