// cuda::pipeline of a block with two stages: the
// next row is copied while this one is added.
//@ buffer in : u32[512] = iota(1)
//@ buffer out : u32[64] = 0
//@ launch k<<<1, 64>>>(in, out, 8)
//@ expect out[..] == 8 * (i + 1) + 64 * 28
//@ expect clean
#include <cooperative_groups.h>
#include <cuda/pipeline>
namespace cg = cooperative_groups;
extern "C" __global__ void k(const unsigned *in, unsigned *out, unsigned rows)
{
	__shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
	__shared__ alignas(16) unsigned row[2][64];
	auto block = cg::this_thread_block();
	auto pipe = cuda::make_pipeline(block, &state);
	unsigned t = threadIdx.x, sum = 0;
	for (unsigned next = 0, r = 0; r < rows; r++) {
		for (; next < rows && next < r + 2; next++) {
			pipe.producer_acquire();
			cuda::memcpy_async(block, row[next % 2], in + next * 64, sizeof row[0], pipe);
			pipe.producer_commit();
		}
		pipe.consumer_wait();
		block.sync();
		sum += row[r % 2][t];
		block.sync();
		pipe.consumer_release();
	}
	out[t] = sum;
}
