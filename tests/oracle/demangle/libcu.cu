// libcu++ and cooperative groups, and the language's own corners, as a debug build (-G) leaves them: nothing is inlined.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cuda/atomic>
#include <cuda/barrier>
#include <cuda/pipeline>
#include <cuda/std/array>
#include <cuda/std/complex>
#include <cuda/std/functional>
#include <cuda/std/limits>
#include <cuda/std/mdspan>
#include <cuda/std/optional>
#include <cuda/std/span>
#include <cuda/std/tuple>
#include <cuda/std/variant>
#include <cuda_fp16.h>
#include <cuda_bf16.h>

namespace cg = cooperative_groups;

__global__ void groups(const int *in, int *out)
{
	auto block = cg::this_thread_block();
	auto tile = cg::tiled_partition<16>(block);
	auto grid = cg::this_grid();
	auto now = cg::coalesced_threads();
	extern __shared__ int room[];
	cg::memcpy_async(block, room, in, sizeof(int) * block.size());
	cg::wait(block);
	int v = cg::reduce(tile, room[block.thread_rank()], cg::plus<int>());
	v += cg::inclusive_scan(tile, v);
	v += cg::reduce(now, v, cg::greater<int>());
	auto odd = cg::labeled_partition(tile, v & 1);
	v += tile.shfl_down(v, 1) + tile.any(v > 3) + odd.size();
	out[grid.thread_rank()] = v;
	grid.sync();
}
__global__ void atomics(cuda::atomic<int, cuda::thread_scope_device> *a, unsigned *u, float *f)
{
	cuda::atomic_ref<unsigned, cuda::thread_scope_block> r(*u);
	cuda::atomic_ref<float, cuda::thread_scope_system> g(*f);
	a->fetch_add(1, cuda::memory_order_acq_rel);
	int expected = 3;
	while (!a->compare_exchange_weak(expected, 4, cuda::memory_order_release,
		cuda::memory_order_relaxed))
		;
	a->wait(2);
	a->notify_all();
	r.fetch_max(7);
	g.fetch_add(1.0f, cuda::std::memory_order_relaxed);
	cuda::atomic_thread_fence(cuda::memory_order_seq_cst, cuda::thread_scope_block);
}
__global__ void barriers(float *p)
{
	__shared__ cuda::barrier<cuda::thread_scope_block> bar;
	__shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
	__shared__ float room[64];
	auto block = cg::this_thread_block();
	if (threadIdx.x == 0)
		init(&bar, blockDim.x);
	block.sync();
	auto pipe = cuda::make_pipeline(block, &state);
	pipe.producer_acquire();
	cuda::memcpy_async(block, room, p, cuda::aligned_size_t<16>(sizeof room), pipe);
	pipe.producer_commit();
	pipe.consumer_wait();
	pipe.consumer_release();
	cuda::memcpy_async(room, p, sizeof room, bar);
	bar.wait(bar.arrive());
	p[threadIdx.x] = room[threadIdx.x & 63];
}
__global__ void words(float *p, cuda::std::complex<float> *c)
{
	cuda::std::array<int, 4> a{1, 2, 3, 4};
	cuda::std::tuple<int, float, const char *> t(1, 2.f, "x");
	cuda::std::optional<float> o = p[0];
	cuda::std::variant<int, float, cuda::std::complex<double>> v = 2.0f;
	cuda::std::span<float, 8> s(p, 8);
	cuda::std::mdspan<float, cuda::std::extents<int, 4, cuda::std::dynamic_extent>> m(p, 5);
	auto add = [=](auto x, auto... y) { return (x + ... + y) + a[1]; };
	auto apply = [](auto f, auto... y) { return f(y...); };
	for (auto &x : s)
		x = o.value_or(1) + add(x, 2, 3.0) + m(1, 2);
	*c = *c * cuda::std::complex<float>(p[0], cuda::std::get<1>(t));
	p[1] = cuda::std::visit([](auto x) { return sizeof x; }, v) + apply(add, 1, 2.f);
	p[2] = cuda::std::plus<>{}(p[1], a.at(2)) + cuda::std::numeric_limits<float>::max();
	p[3] = cuda::std::abs(c[1]);
	__half h = __float2half(p[0]);
	__nv_bfloat16 b = __float2bfloat16(p[1]);
	p[4] = __half2float(__hadd(h, h)) + __bfloat162float(__hmul(b, b));
	__half2 q = __half2half2(h);
	p[5] = __low2float(q * q + q);
}
