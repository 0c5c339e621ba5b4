// CUB: block scan, radix sort, reductions, histogram, exchange. main prints the sums that the expectations name.
// nvcc: -arch=sm_75
//@ buffer o : u32[512] = 0
//@ buffer s : u32[512] = 0
//@ buffer x : u32[512] = 0
//@ buffer hi : u32[64] = 0
//@ buffer r : u32[16] = 0
//@ launch k<<<1, 128>>>(o, s, x, hi, r)
//@ expect sum(o[0..511]) == 67856074
//@ expect sum(s[0..511]) == 1114340065024
//@ expect sum(x[0..511]) == 130816
//@ expect sum(hi[0..63]) == 512
//@ expect sum(r[0..15]) == 4653528
//@ expect s[0..510] <= s[i + 1]
#include <cub/cub.cuh>
#include "reference.h"
K k(uint32_t *o, uint32_t *so, uint32_t *xo, uint32_t *hi, uint32_t *r)
{
	using Scan = cub::BlockScan<uint32_t, 128>;
	using Sort = cub::BlockRadixSort<uint32_t, 128, 4, uint32_t>;
	using Red = cub::BlockReduce<uint32_t, 128>;
	using Hist = cub::BlockHistogram<uint8_t, 128, 4, 64>;
	using WS = cub::WarpScan<uint32_t>;
	using Ex = cub::BlockExchange<uint32_t, 128, 4>;
	using RedR = cub::BlockReduce<uint32_t, 128, cub::BLOCK_REDUCE_RAKING>;
	__shared__ union {
		Scan::TempStorage a;
		Sort::TempStorage b;
		Red::TempStorage c;
		Hist::TempStorage d;
		WS::TempStorage w[4];
		Ex::TempStorage e;
		RedR::TempStorage f;
	} t;
	__shared__ uint32_t h[64];
	int i = threadIdx.x;
	uint32_t v[4], idx[4];
	uint8_t b[4];
	for (int j = 0; j < 4; j++)
		v[j] = hash32(i * 4 + j) % 1000;
	uint32_t e[4], agg;
	Scan(t.a).ExclusiveSum(v, e, agg);
	for (int j = 0; j < 4; j++)
		o[i * 4 + j] = e[j];
	__syncthreads();
	for (int j = 0; j < 4; j++)
		v[j] = hash32(i * 4 + j) & 0xffff, idx[j] = i * 4 + j;
	Sort(t.b).Sort(v, idx);
	for (int j = 0; j < 4; j++)
		so[i * 4 + j] = v[j] << 16 | idx[j];
	__syncthreads();
	uint32_t m = Red(t.c).Reduce(v[0] + v[3], cuda::maximum<>{});
	if (i == 0)
		r[0] = agg, r[1] = m;
	__syncthreads();
	uint32_t s = RedR(t.f).Sum(v[1]);
	if (i == 0)
		r[2] = s;
	__syncthreads();
	for (int j = 0; j < 4; j++)
		b[j] = hash32(i + j * 128) & 63;
	Hist(t.d).Histogram(b, h);
	__syncthreads();
	if (i < 64)
		hi[i] = h[i];
	__syncthreads();
	uint32_t inc;
	WS(t.w[i / 32]).InclusiveSum(hash32(i) & 255, inc);
	if (i % 32 == 31)
		r[4 + i / 32] = inc;
	__syncthreads();
	for (int j = 0; j < 4; j++)
		v[j] = i * 4 + j;
	Ex(t.e).BlockedToStriped(v);
	for (int j = 0; j < 4; j++)
		xo[i * 4 + j] = v[j];
}
int main()
{
	std::vector<uint32_t> o(512), s(512), x(512), h(64), r(16);
	uint32_t a = 0;
	std::vector<std::pair<uint32_t, uint32_t>> p;
	for (uint32_t i = 0; i < 512; i++) {
		o[i] = a;
		a += hash32(i) % 1000;
		p.push_back({hash32(i) & 0xffff, i});
	}
	std::stable_sort(p.begin(), p.end(), [](auto &a, auto &b) { return a.first < b.first; });
	for (int i = 0; i < 512; i++)
		s[i] = p[i].first << 16 | p[i].second;
	r[0] = a;
	for (int i = 0; i < 128; i++) {
		r[1] = std::max(r[1], p[i * 4].first + p[i * 4 + 3].first);
		r[2] += p[i * 4 + 1].first;
	}
	for (int i = 0; i < 128; i++)
		for (int j = 0; j < 4; j++)
			h[hash32(i + j * 128) & 63]++, x[i * 4 + j] = j * 128 + i;
	for (int i = 0; i < 128; i++)
		r[4 + i / 32] += hash32(i) & 255;
	print("o", o);
	print("s", s);
	print("x", x);
	print("h", h);
	print("r", r);
}
