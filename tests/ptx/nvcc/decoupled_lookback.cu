// A scan in one pass whose tiles wait for each other, and one within a block. main prints the sums that the expectations name.
// nvcc: -arch=sm_75
//@ buffer out : u32[2048] = 0
//@ buffer state : u64[64] = 0
//@ buffer ticket : u32[1] = 0
//@ buffer bl : u32[512] = 0
//@ launch lookback<<<16, 128>>>(out, state, ticket)
//@ launch blelloch<<<1, 256>>>(bl)
//@ expect sum(out[0..2047]) == 1058830387
//@ expect sum(bl[0..511]) == 16680578
#include "reference.h"
__device__ uint32_t wscan(uint32_t v)
{
	for (int d = 1; d < 32; d <<= 1) {
		uint32_t o = __shfl_up_sync(~0u, v, d);
		if ((threadIdx.x & 31) >= d)
			v += o;
	}
	return v;
}
K lookback(uint32_t *out, volatile unsigned long long *state, uint32_t *ticket)
{
	__shared__ uint32_t tile, ws[4], ex;
	if (threadIdx.x == 0)
		tile = atomicAdd(ticket, 1);
	__syncthreads();
	uint32_t i = tile * 128 + threadIdx.x, v = hash32(i) % 1000, s = wscan(v);
	if ((threadIdx.x & 31) == 31)
		ws[threadIdx.x >> 5] = s;
	__syncthreads();
	uint32_t base = 0, total = 0;
	for (int k = 0; k < 4; k++) {
		if (k < threadIdx.x >> 5)
			base += ws[k];
		total += ws[k];
	}
	if (threadIdx.x == 0) {
		atomicExch((unsigned long long *)&state[tile], tile == 0 ? 2ull << 32 | total : 1ull << 32 | total);
		uint32_t pre = 0;
		for (int k = (int)tile - 1; k >= 0;) {
			unsigned long long x;
			do
				x = state[k];
			while (!(x >> 32));
			pre += (uint32_t)x;
			if (x >> 32 == 2)
				break;
			k--;
		}
		if (tile)
			atomicExch((unsigned long long *)&state[tile], 2ull << 32 | (pre + total));
		ex = pre;
	}
	__syncthreads();
	out[i] = ex + base + s;
}
K blelloch(uint32_t *o)
{
	__shared__ uint32_t x[512];
	int t = threadIdx.x;
	x[2 * t] = hash32(2 * t) & 0xff;
	x[2 * t + 1] = hash32(2 * t + 1) & 0xff;
	int off = 1;
	for (int d = 256; d > 0; d >>= 1) {
		__syncthreads();
		if (t < d)
			x[off * (2 * t + 2) - 1] += x[off * (2 * t + 1) - 1];
		off *= 2;
	}
	if (t == 0)
		x[511] = 0;
	for (int d = 1; d < 512; d *= 2) {
		off >>= 1;
		__syncthreads();
		if (t < d) {
			uint32_t a = off * (2 * t + 1) - 1, b = off * (2 * t + 2) - 1, q = x[a];
			x[a] = x[b];
			x[b] += q;
		}
	}
	__syncthreads();
	o[2 * t] = x[2 * t];
	o[2 * t + 1] = x[2 * t + 1];
}
int main()
{
	std::vector<uint32_t> w(2048), b(512);
	uint32_t s = 0;
	for (int i = 0; i < 2048; i++)
		w[i] = s += hash32(i) % 1000;
	s = 0;
	for (int i = 0; i < 512; i++) {
		b[i] = s;
		s += hash32(i) & 0xff;
	}
	print("w", w);
	print("bl", b);
}
