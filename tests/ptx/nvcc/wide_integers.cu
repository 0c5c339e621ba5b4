// __int128, products of 64 bits in full, counts of bits, rotations and carries.
// nvcc: -arch=sm_75 -arch=sm_90
//@ buffer hi : u64[32] = 0
//@ buffer lo : u64[32] = 0
//@ buffer b : u32[32] = 0
//@ launch k<<<1, 32>>>(hi, lo, b)
//@ expect hi[..] == i
//@ expect lo[..] == u64(-5 * (i + 1))
//@ expect b[..] == popc(i * 257) + (31 - i) * 100 + 10000 * (32 - i)
//@ expect clean
extern "C" __global__ void k(unsigned long long *hi, unsigned long long *lo, unsigned *b)
{
	unsigned i = threadIdx.x;
	unsigned __int128 p = (unsigned __int128)(i + 1) * (0ull - 5);
	hi[i] = (unsigned long long)(p >> 64);
	lo[i] = __umul64hi(i + 1, ~0ull - 4) == hi[i] ? (unsigned long long)p : 0;
	unsigned long long one = 1ull << i;
	b[i] = __popc(i * 257) + (__clzll(one) - 32) * 100 + 10000 * (__ffs(__funnelshift_l(1, 1, 32 - i)) ? 32 - i : 0);
}
