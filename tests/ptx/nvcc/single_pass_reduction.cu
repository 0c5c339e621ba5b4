// Single-pass reduction: every block publishes its partial sum, a fence orders it before the ticket, and the block that draws the last ticket adds them all up.
//@ buffer in : s32[4096] = iota(1)
//@ buffer out : s32[8] = 0
//@ launch reduce<<<8, 128>>>(in, out, 4096)
//@ expect out[0] == 4096 * 4097 / 2
//@ expect count == 0                          # reset for the next launch
//@ launch reduce<<<8, 128>>>(in, out, 4096)
//@ expect out[0] == 4096 * 4097 / 2
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
extern "C" __device__ unsigned count = 0;
__device__ int warp_reduce(int sum)
{
	for (int offset = 16; offset > 0; offset >>= 1)
		sum += __shfl_xor_sync(0xffffffffu, sum, offset);
	return sum;
}
__device__ void reduce_block(volatile int *shared, int sum, unsigned tid, cg::thread_block cta)
{
	int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
	sum = warp_reduce(sum);
	if (lane == 0)
		shared[warp] = sum;
	cg::sync(cta);
	if (threadIdx.x < 32)
		sum = threadIdx.x < 4 ? shared[lane] : 0;
	if (warp == 0)
		sum = warp_reduce(sum);
	if (cta.thread_rank() == 0)
		shared[0] = sum;
}
extern "C" __global__ void reduce(int *in, int *out, unsigned n)
{
	cg::thread_block cta = cg::this_thread_block();
	__shared__ int shared[4];
	unsigned tid = threadIdx.x, idx = blockDim.x * blockIdx.x * 4 + threadIdx.x;
	if (idx >= n)
		return;
	int sum = in[idx] + in[idx + blockDim.x] + in[idx + 2 * blockDim.x] + in[idx + 3 * blockDim.x];
	reduce_block(shared, sum, tid, cta);
	if (tid == 0)
		out[blockIdx.x] = shared[0];
	if (gridDim.x > 1) {
		__shared__ bool last;
		__threadfence();
		if (tid == 0) {
			last = atomicInc(&count, gridDim.x) == gridDim.x - 1;
			__threadfence(); // the acquiring side: without it the memory model orders nothing after the ticket
		}
		cg::sync(cta);
		if (last) {
			sum = 0;
			for (unsigned i = tid; i < gridDim.x; i += blockDim.x)
				sum += ((volatile int *)out)[i];
			reduce_block(shared, sum, tid, cta);
			if (tid == 0) {
				out[0] = shared[0];
				count = 0;
			}
		}
	}
}
