// Templates: a recursion unrolled by the compiler, a fold over arguments, a class with a static table, a lambda as an argument.
// nvcc: -arch=sm_75 -arch=sm_90
//@ buffer o : u32[128] = 0
//@ launch k<<<4, 32>>>(o, 10)
//@ expect o[0..31] == 3628800 + i
//@ expect o[32..63] == i - 32 + 2 * (i - 32) + 3 * (i - 32) + 4
//@ expect o[64..95] == (i - 64) * (i - 64) * 10
//@ expect o[96..127] == 1 + 4 + 9 + 16 + i - 96
//@ expect clean
template <unsigned N> struct factorial {
	static constexpr unsigned value = N * factorial<N - 1>::value;
};
template <> struct factorial<0> {
	static constexpr unsigned value = 1;
};
template <class... T> static __device__ unsigned all(T... x) { return (x + ...); }
template <class F> static __device__ unsigned twice(F f, unsigned x) { return f(f(x)) == x * x ? 0 : f(x); }
template <unsigned... N> static __device__ unsigned squares()
{
	const unsigned s[] = {N * N...};
	unsigned sum = 0;
	for (unsigned x : s)
		sum += x;
	return sum;
}
extern "C" __global__ void k(unsigned *o, unsigned ten)
{
	unsigned t = threadIdx.x, i = blockIdx.x * 32 + t;
	switch (blockIdx.x) {
	case 0: o[i] = factorial<10>::value + t; break;
	case 1: o[i] = all(t, 2 * t, 3 * t, 4u); break;
	case 2: o[i] = twice([=](unsigned x) { return x * t * ten; }, t); break;
	default: o[i] = squares<1, 2, 3, 4>() + t;
	}
}
