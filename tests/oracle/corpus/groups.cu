// Cooperative groups: tiles, coalesced and labelled groups, reductions and scans, grid and cluster synchronisation, asynchronous copies.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
namespace cg = cooperative_groups;

template <class T, int SIZE> __global__ void tiles(const T *in, T *out, int n)
{
	auto block = cg::this_thread_block();
	auto tile = cg::tiled_partition<SIZE>(block);
	T x = in[block.group_index().x * block.size() + block.thread_rank()];
	T sum = cg::reduce(tile, x, cg::plus<T>()), before = cg::exclusive_scan(tile, x, cg::plus<T>());
	x = tile.shfl_xor(sum, SIZE / 2) + before + tile.shfl_down(x, 1);
	if (tile.any(x > T(3)) && tile.thread_rank() == 0)
		out[block.thread_rank()] = x;
	if (x > T(5)) {
		auto some = cg::coalesced_threads();
		out[n] += cg::reduce(some, x, cg::greater<T>());
		auto same = cg::labeled_partition(some, int(x) & 3);
		if (same.thread_rank() == 0)
			atomicAdd((int *)out, int(same.size()));
	}
	block.sync();
}

template <class T> __global__ void staged(const T *in, T *out, int n)
{
	__shared__ T buffer[256];
	auto block = cg::this_thread_block();
	for (int at = 0; at < n; at += 256) {
		cg::memcpy_async(block, buffer, in + at, sizeof(T) * 256);
		cg::wait(block);
		out[at + block.thread_rank()] = buffer[255 - block.thread_rank()];
		block.sync();
	}
}

__global__ void whole(int *x, int rounds)
{
	auto grid = cg::this_grid();
	for (int k = 0; k < rounds; k++) {
		x[grid.thread_rank()] += x[(grid.thread_rank() + 1) % grid.size()];
		grid.sync();
	}
}

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
__global__ void __cluster_dims__(2, 1, 1) clusters(int *out)
{
	__shared__ int mine;
	auto cluster = cg::this_cluster();
	mine = threadIdx.x;
	cluster.sync();
	int *other = cluster.map_shared_rank(&mine, cluster.block_rank() ^ 1);
	out[blockIdx.x] = *other;
	cluster.sync();
}
#endif

#define TILES(T)                                                                                                                                               \
	template __global__ void tiles<T, 32>(const T *, T *, int);                                                                                             \
	template __global__ void tiles<T, 16>(const T *, T *, int);                                                                                             \
	template __global__ void tiles<T, 8>(const T *, T *, int);                                                                                              \
	template __global__ void staged<T>(const T *, T *, int);
TILES(int)
TILES(unsigned)
TILES(float)
TILES(double)
TILES(long long)
