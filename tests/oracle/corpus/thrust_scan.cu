// Thrust: scans, reductions, transformations, partitions and searches.
#include <thrust/binary_search.h>
#include <thrust/count.h>
#include <thrust/device_vector.h>
#include <thrust/extrema.h>
#include <thrust/inner_product.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/partition.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/set_operations.h>
#include <thrust/transform.h>
#include <thrust/transform_scan.h>
#include <thrust/tuple.h>

template <class T> struct square {
	__host__ __device__ T operator()(T x) const { return x * x; }
};
template <class T> struct above {
	T limit;
	__host__ __device__ bool operator()(T x) const { return x > limit; }
};
template <class T> struct add_pair {
	__host__ __device__ thrust::tuple<T, T> operator()(thrust::tuple<T, T> a, thrust::tuple<T, T> b) const
	{
		return thrust::make_tuple(thrust::get<0>(a) + thrust::get<0>(b), thrust::get<1>(a) > thrust::get<1>(b) ? thrust::get<1>(a) : thrust::get<1>(b));
	}
};

template <class T> T work(thrust::device_vector<T> &a, thrust::device_vector<T> &b, thrust::device_vector<int> &keys)
{
	thrust::device_vector<T> c(a.size());
	thrust::device_vector<int> k(a.size());
	thrust::inclusive_scan(a.begin(), a.end(), c.begin());
	thrust::exclusive_scan(a.begin(), a.end(), c.begin(), T(1), thrust::maximum<T>());
	thrust::inclusive_scan_by_key(keys.begin(), keys.end(), a.begin(), c.begin());
	thrust::transform_inclusive_scan(a.begin(), a.end(), c.begin(), square<T>(), thrust::plus<T>());
	thrust::reduce_by_key(keys.begin(), keys.end(), a.begin(), k.begin(), c.begin());
	thrust::partition(a.begin(), a.end(), above<T>{T(3)});
	thrust::stable_partition(b.begin(), b.end(), above<T>{T(5)});
	thrust::set_intersection(a.begin(), a.end(), b.begin(), b.end(), c.begin());
	thrust::lower_bound(a.begin(), a.end(), b.begin(), b.end(), k.begin());
	auto z = thrust::make_zip_iterator(thrust::make_tuple(a.begin(), b.begin()));
	auto s = thrust::reduce(z, z + a.size(), thrust::make_tuple(T(0), T(0)), add_pair<T>());
	return thrust::get<0>(s) + *thrust::max_element(a.begin(), a.end()) + thrust::inner_product(a.begin(), a.end(), b.begin(), T(0)) +
	       T(thrust::count_if(a.begin(), a.end(), above<T>{T(1)}));
}

double all(thrust::device_vector<int> &keys)
{
	thrust::device_vector<int> i(64);
	thrust::device_vector<double> d(64);
	return work(i, i, keys) + work(d, d, keys);
}
