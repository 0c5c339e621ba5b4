// cub::BlockReduce by three algorithms, and of part
// of a block: sums, and the maximum with its index.
//@ buffer o : u32[5] = 0
//@ launch k<<<1, 96>>>(o)
//@ expect o[0] == 96 * 95 / 2 && o[1] == 96 * 95 / 2 && o[2] == 96 * 95 / 2 && o[3] == 40 * 39 / 2 && o[4] == 76 * 1000 + 96
//@ expect clean
#include <cub/block/block_reduce.cuh>
template <cub::BlockReduceAlgorithm A> static __device__ unsigned sum(unsigned x, unsigned n)
{
	using reduce = cub::BlockReduce<unsigned, 96, A>;
	__shared__ typename reduce::TempStorage room;
	unsigned s = n < 96 ? reduce(room).Sum(x, n) : reduce(room).Sum(x);
	__syncthreads();
	return s;
}
struct most {
	__device__ uint2 operator()(uint2 a, uint2 b) const { return a.x > b.x ? a : b; }
};
extern "C" __global__ void k(unsigned *o)
{
	using reduce = cub::BlockReduce<uint2, 96>;
	__shared__ typename reduce::TempStorage room;
	unsigned t = threadIdx.x;
	unsigned a = sum<cub::BLOCK_REDUCE_WARP_REDUCTIONS>(t, 96), b = sum<cub::BLOCK_REDUCE_RAKING>(t, 96);
	unsigned c = sum<cub::BLOCK_REDUCE_RAKING_COMMUTATIVE_ONLY>(t, 96), d = sum<cub::BLOCK_REDUCE_WARP_REDUCTIONS>(t, 40);
	uint2 m = reduce(room).Reduce(make_uint2(t * 37 % 97, t), most());
	if (t == 0) {
		o[0] = a;
		o[1] = b;
		o[2] = c;
		o[3] = d;
		o[4] = m.y * 1000 + m.x;
	}
}
