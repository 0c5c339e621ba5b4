// Sums and maxima of warps, blocks and grids, each with one answer in every execution.
// nvcc: -arch=sm_90
//@ case warp_shuffle
//@ buffer in : s32[32] = iota(1)
//@ buffer out : s32[1] = 0
//@ launch warp_shuffle<<<1, 32>>>(in, out)
//@ always out == 528
//@ case warp_redux
//@ buffer in : s32[32] = iota(1)
//@ buffer out : s32[2] = 0
//@ launch warp_redux<<<1, 32>>>(in, out)
//@ always out[0] == 528 && out[1] == 32
//@ case block_tree
//@ buffer in : s32[64] = iota(1)
//@ buffer out : s32[1] = 0
//@ launch block_tree<<<1, 64>>>(in, out)
//@ always out == 2080
//@ case block_two_levels
//@ buffer in : s32[128] = iota(1)
//@ buffer out : s32[1] = 0
//@ launch block_two_levels<<<1, 128>>>(in, out)
//@ always out == 8256
//@ case block_atomic
//@ buffer in : s32[32] = iota(1)
//@ buffer out : s32[1] = 0
//@ launch block_atomic<<<1, 32>>>(in, out)
//@ always out == 528
//@ case grid_atomic
//@ buffer in : s32[128] = iota(1)
//@ buffer out : s32[1] = 0
//@ launch grid_atomic<<<4, 32>>>(in, out)
//@ always out == 8256
//@ case last_block
//@ buffer in : s32[48] = iota(1)
//@ buffer part : s32[3] = 0
//@ buffer count : u32[1] = 0
//@ buffer out : s32[1] = 0
//@ launch last_block<<<3, 16>>>(in, part, count, out)
//@ always out == 1176 && count == 0
//@ case arg_max
//@ buffer in : u32[12] = {3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8}
//@ buffer best : u64[1] = 0
//@ launch arg_max<<<3, 4>>>(in, best)
//@ always best == 9 << 32 | 5
//@ case tile_reduce
//@ buffer in : s32[64] = iota(1)
//@ buffer out : s32[8] = 0
//@ launch tile_reduce<<<1, 64>>>(in, out)
//@ always out[0..7] == 36 + 64 * i
//@ case two_kernels
//@ buffer in : s32[64] = iota(1)
//@ buffer part : s32[4] = 0
//@ buffer out : s32[1] = 0
//@ launch block_sums<<<4, 16>>>(in, part)
//@ launch block_tree<<<1, 4>>>(part, out)
//@ always out == 2080
//@ case half2_sum
//@ buffer sum : u32[1] = 0
//@ launch half2_sum<<<3, 1>>>(sum)
//@ always sum == 0x48004600
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cuda_fp16.h>
namespace cg = cooperative_groups;

extern "C" __global__ void warp_shuffle(const int *in, int *out)
{
	int sum = in[threadIdx.x];

	for (int d = 16; d > 0; d /= 2)
		sum += __shfl_down_sync(~0u, sum, d);
	if (threadIdx.x == 0)
		*out = sum;
}

extern "C" __global__ void warp_redux(const int *in, int *out)
{
	int sum = __reduce_add_sync(~0u, in[threadIdx.x]), largest = __reduce_max_sync(~0u, in[threadIdx.x]);

	if (threadIdx.x == 0) {
		out[0] = sum;
		out[1] = largest;
	}
}

extern "C" __global__ void block_tree(const int *in, int *out)
{
	__shared__ int box[64];
	int t = threadIdx.x;

	box[t] = in[t];
	for (int d = blockDim.x / 2; d > 0; d /= 2) {
		__syncthreads();
		if (t < d)
			box[t] += box[t + d];
	}
	if (t == 0)
		*out = box[0];
}

extern "C" __global__ void block_two_levels(const int *in, int *out)
{
	__shared__ int box[4];
	int t = threadIdx.x, sum = __reduce_add_sync(~0u, in[t]);

	if (t % 32 == 0)
		box[t / 32] = sum;
	__syncthreads();
	if (t < 4) {
		sum = box[t];
		sum += __shfl_xor_sync(15, sum, 2);
		sum += __shfl_xor_sync(15, sum, 1);
		if (t == 0)
			*out = sum;
	}
}

extern "C" __global__ void block_atomic(const int *in, int *out)
{
	__shared__ int sum;

	if (threadIdx.x == 0)
		sum = 0;
	__syncthreads();
	atomicAdd(&sum, in[threadIdx.x]);
	__syncthreads();
	if (threadIdx.x == 0)
		*out = sum;
}

extern "C" __global__ void grid_atomic(const int *in, int *out)
{
	int sum = __reduce_add_sync(~0u, in[blockIdx.x * blockDim.x + threadIdx.x]);

	if (threadIdx.x == 0)
		atomicAdd(out, sum);
}

// The block that arrives last adds what the others have written before their fences.
extern "C" __global__ void last_block(const int *in, int *part, unsigned *count, int *out)
{
	__shared__ bool last;
	int t = threadIdx.x, sum = __reduce_add_sync(0xffff, in[blockIdx.x * blockDim.x + t]);

	if (t == 0) {
		*(volatile int *)&part[blockIdx.x] = sum;
		__threadfence();
		last = atomicInc(count, gridDim.x - 1) == gridDim.x - 1;
		__threadfence();
	}
	__syncthreads();
	if (last && t == 0) {
		sum = 0;
		for (int k = 0; k < gridDim.x; k++)
			sum += *(volatile int *)&part[k];
		*out = sum;
	}
}

extern "C" __global__ void arg_max(const unsigned *in, unsigned long long *best)
{
	unsigned i = blockIdx.x * blockDim.x + threadIdx.x;

	atomicMax(best, (unsigned long long)in[i] << 32 | i);
}

extern "C" __global__ void tile_reduce(const int *in, int *out)
{
	auto tile = cg::tiled_partition<8>(cg::this_thread_block());
	int sum = cg::reduce(tile, in[threadIdx.x], cg::plus<int>());

	if (tile.thread_rank() == 0)
		out[tile.meta_group_rank()] = sum;
}

extern "C" __global__ void block_sums(const int *in, int *part)
{
	int sum = __reduce_add_sync(0xffff, in[blockIdx.x * blockDim.x + threadIdx.x]);

	if (threadIdx.x == 0)
		part[blockIdx.x] = sum;
}

// Two sums of halves in one word: 1 + 2 + 3 and 2 + 2 + 4.
extern "C" __global__ void half2_sum(__half2 *sum)
{
	atomicAdd(sum, __floats2half2_rn(1 + blockIdx.x, blockIdx.x == 2 ? 4 : 2));
}
