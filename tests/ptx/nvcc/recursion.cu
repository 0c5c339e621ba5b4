// Recursion to depths that differ within a warp: Fibonacci, Ackermann, and two functions that call each other.
// nvcc: -arch=sm_75 -arch=sm_90
//@ buffer fib : u32[16] = 0
//@ buffer ack : u32[8] = 0
//@ buffer even : u32[32] = 9
//@ launch k<<<1, 32>>>(fib, ack, even)
//@ expect fib[0] == 0 && fib[1] == 1
//@ expect fib[2..15] == fib[0..13] + fib[1..14]
//@ expect ack[0..7] == 2 * i + 3
//@ expect even[..] == (i % 2 == 0)
//@ expect clean
static __device__ __noinline__ unsigned fibonacci(unsigned n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }
static __device__ __noinline__ unsigned ackermann(unsigned m, unsigned n)
{
	return m == 0 ? n + 1 : n == 0 ? ackermann(m - 1, 1) : ackermann(m - 1, ackermann(m, n - 1));
}
static __device__ unsigned is_odd(unsigned n);
static __device__ __noinline__ unsigned is_even(unsigned n) { return n == 0 ? 1 : is_odd(n - 1); }
static __device__ __noinline__ unsigned is_odd(unsigned n) { return n == 0 ? 0 : is_even(n - 1); }
extern "C" __global__ void k(unsigned *fib, unsigned *ack, unsigned *even)
{
	unsigned t = threadIdx.x;
	if (t < 16)
		fib[t] = fibonacci(t);
	if (t < 8)
		ack[t] = ackermann(2, t);
	even[t] = is_even(t);
}
