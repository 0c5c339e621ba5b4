// Thrust: sorting, by key and with an order of one's own, merging and unique of several types.
#include <thrust/device_vector.h>
#include <thrust/functional.h>
#include <thrust/merge.h>
#include <thrust/sort.h>
#include <thrust/unique.h>

struct record {
	int key;
	float weight;
	bool operator<(const record &o) const;
};
struct by_weight {
	__host__ __device__ bool operator()(const record &a, const record &b) const { return a.weight < b.weight || (a.weight == b.weight && a.key < b.key); }
};

template <class T> void sorts(thrust::device_vector<T> &a, thrust::device_vector<T> &b, thrust::device_vector<int> &order)
{
	thrust::sort(a.begin(), a.end());
	thrust::stable_sort(b.begin(), b.end(), thrust::greater<T>());
	thrust::sort_by_key(a.begin(), a.end(), order.begin());
	thrust::device_vector<T> both(a.size() + b.size());
	thrust::merge(a.begin(), a.end(), b.begin(), b.end(), both.begin());
	both.erase(thrust::unique(both.begin(), both.end()), both.end());
}

void all(thrust::device_vector<int> &order, thrust::device_vector<record> &r)
{
	thrust::device_vector<short> s(64);
	thrust::device_vector<unsigned> u(64);
	thrust::device_vector<long long> l(64);
	thrust::device_vector<float> f(64);
	thrust::device_vector<double> d(64);
	sorts(s, s, order);
	sorts(u, u, order);
	sorts(l, l, order);
	sorts(f, f, order);
	sorts(d, d, order);
	thrust::sort(r.begin(), r.end(), by_weight());
}
