// Structures by value: as kernel parameters with padding, as arguments and results of functions, and arrays within them.
// nvcc: -arch=sm_75 -arch=sm_90
//@ buffer o : f64[32] = 0
//@ launch k<<<1, 32>>>(o, {u8:7, u64:1000, {u16:1, u16:2, u16:3}, f32:0.5})
//@ expect o[..] == 7 + 1000 + (i % 3 + 1) * i + 0.5 * i
//@ expect clean
struct given {
	char small;
	unsigned long long big;
	unsigned short list[3];
	float half;
};
struct answer {
	double whole, part;
	int index;
};
static __device__ __noinline__ answer work(given g, int i)
{
	answer a = {(double)g.small + (double)g.big, g.half * i, i % 3};
	a.whole += g.list[a.index] * i;
	return a;
}
extern "C" __global__ void k(double *o, given g)
{
	answer a = work(g, threadIdx.x);
	o[threadIdx.x] = a.whole + a.part;
}
