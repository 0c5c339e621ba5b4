// CUB: block and warp collectives inside kernels.
#include <cub/cub.cuh>
#include <cuda/functional>
#include <cuda/std/functional>

template <class T, int THREADS, int ITEMS> __global__ void block(const T *in, T *out, int *ranks)
{
	using load = cub::BlockLoad<T, THREADS, ITEMS, cub::BLOCK_LOAD_TRANSPOSE>;
	using store = cub::BlockStore<T, THREADS, ITEMS, cub::BLOCK_STORE_WARP_TRANSPOSE>;
	using sort = cub::BlockRadixSort<T, THREADS, ITEMS, int>;
	using scan = cub::BlockScan<T, THREADS>;
	using reduce = cub::BlockReduce<T, THREADS, cub::BLOCK_REDUCE_RAKING>;
	using exchange = cub::BlockExchange<T, THREADS, ITEMS>;
	using difference = cub::BlockDiscontinuity<T, THREADS>;
	__shared__ union {
		typename load::TempStorage load;
		typename store::TempStorage store;
		typename sort::TempStorage sort;
		typename scan::TempStorage scan;
		typename reduce::TempStorage reduce;
		typename exchange::TempStorage exchange;
		typename difference::TempStorage difference;
	} s;
	T item[ITEMS];
	int rank[ITEMS], head[ITEMS];
	load(s.load).Load(in + blockIdx.x * THREADS * ITEMS, item);
	for (int k = 0; k < ITEMS; k++)
		rank[k] = threadIdx.x * ITEMS + k;
	__syncthreads();
	sort(s.sort).SortBlockedToStriped(item, rank);
	__syncthreads();
	exchange(s.exchange).StripedToBlocked(item);
	__syncthreads();
	difference(s.difference).FlagHeads(head, item, cuda::std::not_equal_to<>{});
	__syncthreads();
	scan(s.scan).InclusiveSum(item, item);
	__syncthreads();
	T sum = reduce(s.reduce).Sum(item);
	__syncthreads();
	store(s.store).Store(out + blockIdx.x * THREADS * ITEMS, item);
	for (int k = 0; k < ITEMS; k++)
		ranks[(blockIdx.x * THREADS + threadIdx.x) * ITEMS + k] = rank[k] + head[k];
	if (threadIdx.x == 0)
		out[0] += sum;
}

template <class T> __global__ void warp(const T *in, T *out)
{
	using scan = cub::WarpScan<T>;
	using reduce = cub::WarpReduce<T, 16>;
	using sort = cub::WarpMergeSort<T, 4>;
	__shared__ typename scan::TempStorage s1[4];
	__shared__ typename reduce::TempStorage s2[8];
	__shared__ typename sort::TempStorage s3[4];
	T x = in[threadIdx.x], sum, many[4] = {x, x + T(1), x + T(2), x + T(3)};
	scan(s1[threadIdx.x / 32]).InclusiveSum(x, x, sum);
	T most = reduce(s2[threadIdx.x / 16]).Reduce(x, cuda::maximum<>{});
	sort(s3[threadIdx.x / 32]).Sort(many, [] __device__(const T &a, const T &b) { return a < b; });
	out[threadIdx.x] = x + sum + most + many[0];
}

#define BLOCKS(T)                                                                                                                                              \
	template __global__ void block<T, 128, 4>(const T *, T *, int *);                                                                                       \
	template __global__ void block<T, 256, 8>(const T *, T *, int *);                                                                                       \
	template __global__ void block<T, 64, 16>(const T *, T *, int *);                                                                                       \
	template __global__ void warp<T>(const T *, T *);
BLOCKS(int)
BLOCKS(unsigned short)
BLOCKS(float)
BLOCKS(double)
BLOCKS(long long)
