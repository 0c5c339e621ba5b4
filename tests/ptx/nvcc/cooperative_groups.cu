// Cooperative groups: tiles, coalesced and labelled groups, reductions and scans, the grid, asynchronous copies. main prints the sums that the expectations
// name. nvcc: -arch=sm_75
//@ set seeds=0   # coalesced_threads: which lanes run together is the schedule's
//@ buffer o : u32[256] = 0
//@ buffer cnt : u32[8] = 0
//@ buffer g : u32[256] = 0
//@ buffer src : u32[256] = iota(5)
//@ buffer cp : u32[256] = 0
//@ launch red<<<2, 128>>>(o)
//@ launch agg<<<2, 128>>>(cnt)
//@ launch grid<<<4, 64>>>(g) cooperative
//@ launch copy<<<2, 128>>>(src, cp)
//@ expect sum(o[0..255]) == 511860121996
//@ expect cnt[0] == 47
//@ expect cnt[1] == 59
//@ expect cnt[2] == 54
//@ expect cnt[3] == 498
//@ expect cnt[4] == 4540
//@ expect cnt[5] == 46
//@ expect cnt[6] == 0
//@ expect cnt[7] == 0
//@ expect g[0..255] == 256 * 257 / 2 + i
//@ expect cp[0..255] == 3 * (i + 5)
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cooperative_groups/memcpy_async.h>
#include "reference.h"
namespace cg = cooperative_groups;
K red(uint32_t *o)
{
	auto b = cg::this_thread_block();
	auto t32 = cg::tiled_partition<32>(b);
	auto t8 = cg::tiled_partition<8>(t32);
	auto t4 = cg::tiled_partition<4>(b);
	uint32_t i = b.thread_rank() + 128 * blockIdx.x, v = hash32(i) & 0xffff;
	uint32_t s = cg::reduce(t8, v, cg::plus<uint32_t>()), m = cg::reduce(t32, v, cg::greater<uint32_t>()), x = cg::inclusive_scan(t4, v),
		 e = cg::exclusive_scan(t32, v);
	uint32_t ball = t32.ballot(v & 1), any = t8.any(v > 60000), sh = t8.shfl_xor(v, 3), mm = t4.match_any(v & 1);
	o[i] = s ^ m * 3 ^ x * 5 ^ e * 7 ^ ball ^ any << 3 ^ sh * 11 ^ mm * 1001;
}
__device__ uint32_t aggregated(uint32_t *p)
{
	auto g = cg::coalesced_threads();
	uint32_t prev;
	if (g.thread_rank() == 0)
		prev = atomicAdd(p, g.size());
	return g.shfl(prev, 0) + g.thread_rank();
}
K agg(uint32_t *c)
{
	uint32_t i = blockIdx.x * 128 + threadIdx.x, h = hash32(i) % 5;
	if (h == 0)
		atomicMax(&c[5], aggregated(&c[0]));
	else if (h == 1)
		aggregated(&c[1]);
	else if (h == 2)
		aggregated(&c[2]);
	auto act = cg::coalesced_threads();
	auto lab = cg::labeled_partition(act, h);
	if (lab.thread_rank() == 0)
		atomicAdd(&c[3], lab.size() * h);
	auto bin = cg::binary_partition(act, i % 3 == 0);
	if (bin.thread_rank() == 0)
		atomicAdd(&c[4], bin.size() * bin.size());
}
__device__ uint32_t total;
K grid(uint32_t *g)
{
	auto gr = cg::this_grid();
	uint32_t i = gr.thread_rank();
	if (i == 0)
		total = 0;
	gr.sync();
	atomicAdd(&total, i + 1);
	gr.sync();
	g[i] = total + i;
}
K copy(const uint32_t *s, uint32_t *d)
{
	__shared__ uint32_t x[128];
	auto b = cg::this_thread_block();
	cg::memcpy_async(b, x, s + 128 * blockIdx.x, sizeof x);
	cg::wait(b);
	d[128 * blockIdx.x + threadIdx.x] = x[127 - (127 - threadIdx.x)] * 3;
}
int main()
{
	std::vector<uint32_t> w(256), c(8);
	for (int i = 0; i < 256; i++) {
		auto V = [](int k) { return hash32(k) & 0xffff; };
		uint32_t v = V(i), s = 0, m = 0, x = 0, e = 0, ball = 0, any = 0, sh = V((i & ~7) + ((i & 7) ^ 3)), mm = 0;
		for (int k = i & ~7; k < (i & ~7) + 8; k++)
			s += V(k), any |= V(k) > 60000;
		for (int k = i & ~31; k < (i & ~31) + 32; k++) {
			m = std::max(m, V(k));
			if (k < i)
				e += V(k);
			ball |= (V(k) & 1) << (k & 31);
		}
		for (int k = i & ~3; k <= i; k++)
			x += V(k);
		for (int k = i & ~3; k < (i & ~3) + 4; k++)
			mm |= ((V(k) & 1) == (v & 1)) << (k & 3);
		w[i] = s ^ m * 3 ^ x * 5 ^ e * 7 ^ ball ^ any << 3 ^ sh * 11 ^ mm * 1001;
		uint32_t h = hash32(i) % 5;
		if (h < 3)
			c[h]++;
		c[3] += h;
	}
	c[5] = c[0] - 1;
	for (int b = 0; b < 256; b += 32) {
		uint32_t n = 0;
		for (int i = b; i < b + 32; i++)
			n += (i) % 3 == 0;
		c[4] += n * n + (32 - n) * (32 - n);
	}
	print("w", w);
	print("cnt", c);
}
