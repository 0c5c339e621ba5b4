// The blocks of a cluster read and count in each
// other's shared memory; bulk copies with an mbarrier.
//@ buffer o : u32[256] = 0
//@ buffer in : u32[256] = iota(3)
//@ buffer b : u32[256] = 0
//@ launch k<<<4, 64>>>(o)
//@ launch bulk<<<2, 128>>>(in, b)
//@ launch store<<<2, 64>>>(b)
//@ expect o[0..255] == (i / 64 / 2 * 2 + 1 - i / 64 % 2) * 100 + 63 - i % 64 + 128
//@ expect b[0..255] == 2 * (i + 3) + 5
#include <cooperative_groups.h>
#include <cuda/barrier>
#include <cuda/ptx>
#include "reference.h"
namespace cg = cooperative_groups;
extern "C" __global__ void __cluster_dims__(2) k(uint32_t *o)
{
	__shared__ uint32_t x[64], n;
	auto c = cg::this_cluster();
	if (threadIdx.x == 0)
		n = 0;
	x[threadIdx.x] = blockIdx.x * 100 + threadIdx.x;
	c.sync();
	uint32_t *r = c.map_shared_rank(x, c.block_rank() ^ 1);
	uint32_t v = r[63 - threadIdx.x];
	atomicAdd(c.map_shared_rank(&n, 0), 1);
	c.sync();
	uint32_t t = *c.map_shared_rank(&n, 0);
	c.sync();
	o[blockIdx.x * 64 + threadIdx.x] = v + t;
}
namespace ptx = cuda::ptx;
K bulk(const uint32_t *in, uint32_t *out)
{
	__shared__ alignas(128) uint32_t x[128];
	__shared__ cuda::barrier<cuda::thread_scope_block> b;
	if (threadIdx.x == 0) {
		init(&b, 128);
		cuda::device::experimental::fence_proxy_async_shared_cta();
	}
	__syncthreads();
	cuda::barrier<cuda::thread_scope_block>::arrival_token t;
	if (threadIdx.x == 0) {
		cuda::device::memcpy_async_tx(x, in + 128 * blockIdx.x, cuda::aligned_size_t<16>(sizeof x), b);
		t = cuda::device::barrier_arrive_tx(b, 1, sizeof x);
	} else
		t = b.arrive();
	b.wait(std::move(t));
	x[threadIdx.x] *= 2;
	cuda::device::experimental::fence_proxy_async_shared_cta();
	__syncthreads();
	if (threadIdx.x == 0) {
		ptx::cp_async_bulk(ptx::space_global, ptx::space_shared, out + 128 * blockIdx.x, x, sizeof x);
		ptx::cp_async_bulk_commit_group();
		ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>{});
	}
}
K store(uint32_t *b)
{
	int i = 2 * (blockIdx.x * 64 + threadIdx.x);
	uint2 v = *(uint2 *)(b + i);
	v.x += 5;
	v.y += 5;
	*(uint2 *)(b + i) = v;
}
int main()
{
}
