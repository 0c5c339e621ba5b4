// Thrust algorithms with functors, lambdas and iterators: their kernels have the longest names.
#include <thrust/copy.h>
#include <thrust/device_vector.h>
#include <thrust/extrema.h>
#include <thrust/functional.h>
#include <thrust/inner_product.h>
#include <thrust/iterator/constant_iterator.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/permutation_iterator.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/merge.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/sort.h>
#include <thrust/transform.h>
#include <thrust/transform_reduce.h>
#include <thrust/tuple.h>
#include <thrust/unique.h>

namespace course {
template <class T> struct square {
	__host__ __device__ T operator()(T x) const { return x * x; }
};
struct particle {
	float x, y;
	__host__ __device__ bool operator<(const particle &o) const { return x < o.x; }
};
} // namespace course

void all(thrust::device_vector<int> &v, thrust::device_vector<float> &f,
	thrust::device_vector<course::particle> &p)
{
	thrust::sort(v.begin(), v.end());
	thrust::sort(p.begin(), p.end());
	thrust::sort_by_key(v.begin(), v.end(), f.begin(), thrust::greater<int>());
	thrust::transform(f.begin(), f.end(), f.begin(), course::square<float>());
	thrust::transform(v.begin(), v.end(), v.begin(), [] __host__ __device__(int x) { return x + 1; });
	thrust::for_each(v.begin(), v.end(), [] __device__(int &x) { x *= 2; });
	(void)thrust::reduce(v.begin(), v.end(), 0ll, thrust::maximum<long long>());
	thrust::inclusive_scan(f.begin(), f.end(), f.begin());
	thrust::copy_if(v.begin(), v.end(), v.begin(), [] __host__ __device__(int x) { return x > 3; });
	thrust::unique(v.begin(), v.end());
	(void)thrust::inner_product(f.begin(), f.end(), f.begin(), 0.0);
	(void)thrust::max_element(f.begin(), f.end());
	thrust::merge(v.begin(), v.end(), v.begin(), v.end(), v.begin());
	thrust::transform(thrust::make_zip_iterator(thrust::make_tuple(v.begin(), f.begin())),
		thrust::make_zip_iterator(thrust::make_tuple(v.end(), f.end())), f.begin(),
		[] __host__ __device__(thrust::tuple<int, float> t) {
			return thrust::get<0>(t) + thrust::get<1>(t);
		});
	thrust::copy(thrust::make_permutation_iterator(f.begin(), v.begin()),
		thrust::make_permutation_iterator(f.begin(), v.end()), f.begin());
	(void)thrust::transform_reduce(thrust::counting_iterator<unsigned long>(0),
		thrust::counting_iterator<unsigned long>(9), course::square<double>(), 0.0,
		thrust::plus<double>());
}
