// CUB: algorithms of the whole device, and those of blocks and warps in kernels.
#include <cub/cub.cuh>

struct longest {
	template <class T> __host__ __device__ T operator()(const T &a, const T &b) const
	{
		return b < a ? a : b;
	}
};

template <class T, int N, cub::BlockReduceAlgorithm A>
__global__ void block_reduce(const T *in, T *out)
{
	using reduce = cub::BlockReduce<T, N, A>;
	__shared__ typename reduce::TempStorage room;
	T v = reduce(room).Sum(in[threadIdx.x]);
	if (threadIdx.x == 0)
		*out = v;
}
template <class T, int N> __global__ void block_sort(T (&data)[N])
{
	using sort = cub::BlockRadixSort<T, 128, 4, int>;
	using load = cub::BlockLoad<T, 128, 4, cub::BLOCK_LOAD_TRANSPOSE>;
	__shared__ typename sort::TempStorage a;
	__shared__ typename load::TempStorage b;
	T key[4];
	int value[4] = {0, 1, 2, 3};
	load(b).Load(data, key);
	sort(a).Sort(key, value);
	cub::StoreDirectStriped<128>(threadIdx.x, data, key);
	using scan = cub::WarpScan<T, 16>;
	__shared__ typename scan::TempStorage w;
	scan(w).InclusiveScan(key[0], key[1], longest());
	data[value[0]] = key[1];
}
template __global__ void block_reduce<int, 128, cub::BLOCK_REDUCE_RAKING>(const int *, int *);
template __global__ void block_reduce<double, 64, cub::BLOCK_REDUCE_WARP_REDUCTIONS>(
	const double *, double *);
template __global__ void block_sort<unsigned, 512>(unsigned (&)[512]);
template __global__ void block_sort<long long, 512>(long long (&)[512]);

void all(void *t, size_t &n, int *i, float *f, unsigned *u, int k)
{
	cub::DeviceReduce::Sum(t, n, f, f, k);
	cub::DeviceReduce::Reduce(t, n, i, i, k, longest(), 0);
	cub::DeviceReduce::ArgMin(t, n, f, (cub::KeyValuePair<int, float> *)t, k);
	cub::DeviceScan::ExclusiveSum(t, n, i, i, k);
	cub::DeviceRadixSort::SortPairs(t, n, u, u, f, f, k);
	cub::DeviceHistogram::HistogramEven(t, n, f, i, 11, 0.f, 1.f, k);
	cub::DeviceSelect::Flagged(t, n, i, u, i, i, k);
	cub::DeviceRunLengthEncode::Encode(t, n, i, i, i, i, k);
	cub::DeviceSegmentedReduce::Sum(t, n, f, f, k, i, i + 1);
}
