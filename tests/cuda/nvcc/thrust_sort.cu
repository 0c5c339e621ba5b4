// Thrust sorts and sums 10,000 numbers.
// prints sorted 50036578
#include <algorithm>
#include <cstdio>
#include <thrust/device_vector.h>
#include <thrust/host_vector.h>
#include <thrust/reduce.h>
#include <thrust/sort.h>
int main()
{
	thrust::host_vector<int> in(10000);

	for (int i = 0; i < 10000; i++)
		in[i] = i * 7919 % 10007;
	thrust::device_vector<int> v = in;
	thrust::sort(v.begin(), v.end());
	int sum = thrust::reduce(v.begin(), v.end());
	thrust::host_vector<int> out = v;
	std::sort(in.begin(), in.end());
	printf("%s %d\n", in == out ? "sorted" : "not sorted", sum);
}
