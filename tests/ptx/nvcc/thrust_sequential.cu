// Thrust's algorithms in a thread: sort, unique, reduce, scan and search on its own rows.
// nvcc: -arch=sm_75 -arch=sm_90
//@ buffer rows : u32[256] = 0
//@ buffer o : u32[64] = 0
//@ launch k<<<1, 16>>>(rows, o)
//@ expect rows[..] == i % 16 + i / 16
//@ expect o[0..15] == 16 * i + 120
//@ expect o[16..31] == 16
//@ expect o[32..47] == 5
//@ expect o[48..63] == (i - 48) * 3 + 0 + 1 + 2
//@ expect clean
#include <thrust/binary_search.h>
#include <thrust/execution_policy.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/sort.h>
#include <thrust/unique.h>
extern "C" __global__ void k(unsigned *rows, unsigned *o)
{
	unsigned t = threadIdx.x, *row = rows + 16 * t, twice[32], sums[16];
	for (unsigned n = 0; n < 16; n++)
		row[n] = n * 5 % 16 + t;
	thrust::sort(thrust::seq, row, row + 16);
	o[t] = thrust::reduce(thrust::seq, row, row + 16);
	for (unsigned n = 0; n < 32; n++)
		twice[n] = row[n / 2];
	o[16 + t] = thrust::unique(thrust::seq, twice, twice + 32) - twice;
	o[32 + t] = thrust::lower_bound(thrust::seq, row, row + 16, t + 5) - row;
	thrust::inclusive_scan(thrust::seq, row, row + 16, sums);
	o[48 + t] = sums[2];
}
