// CUB: device-wide radix sorts, scans, histograms, selections and run lengths.
#include <cub/cub.cuh>
#include <cuda/functional>
#include <cuda/std/functional>

template <class K, class V> cudaError_t sorts(void *t, size_t &n, K *a, K *b, V *v, V *w, int count)
{
	cub::DeviceRadixSort::SortPairs(t, n, a, b, v, w, count);
	cub::DeviceRadixSort::SortPairsDescending(t, n, a, b, v, w, count);
	cub::DeviceMergeSort::SortPairs(t, n, a, v, count, [] __device__(const K &x, const K &y) { return x < y; });
	return cub::DeviceRadixSort::SortKeys(t, n, a, b, count);
}

template <class T> cudaError_t others(void *t, size_t &n, T *a, T *b, int *out, int count, int *offsets)
{
	cub::DeviceScan::InclusiveSum(t, n, a, b, count);
	cub::DeviceScan::ExclusiveScan(t, n, a, b, cuda::maximum<>{}, T(0), count);
	cub::DeviceReduce::Sum(t, n, a, b, count);
	cub::DeviceReduce::ArgMin(t, n, a, (cub::KeyValuePair<int, T> *)b, count);
	cub::DeviceSegmentedReduce::Max(t, n, a, b, 4, offsets, offsets + 1);
	cub::DeviceRunLengthEncode::Encode(t, n, a, b, out, out + 1, count);
	cub::DeviceSelect::Unique(t, n, a, b, out, count);
	cub::DevicePartition::If(t, n, a, b, out, count, [] __device__(const T &x) { return x > T(7); });
	return cub::DeviceAdjacentDifference::SubtractLeftCopy(t, n, a, b, count);
}

void all(void *t, size_t n, int *i, unsigned char *c, float *f, double *d, unsigned long long *u, int count)
{
	sorts(t, n, i, i, f, f, count);
	sorts(t, n, u, u, i, i, count);
	sorts(t, n, f, f, d, d, count);
	sorts(t, n, c, c, u, u, count);
	others(t, n, i, i, i, count, i);
	others(t, n, f, f, i, count, i);
	others(t, n, d, d, i, count, i);
	others(t, n, u, u, i, count, i);
	cub::DeviceHistogram::HistogramEven(t, n, c, i, 257, 0, 256, count);
	cub::DeviceHistogram::HistogramEven(t, n, f, i, 65, 0.f, 1.f, count);
}
