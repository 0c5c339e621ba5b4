// A block copies a row to shared memory asynchronously, and waits for it as a group.
// nvcc: -arch=sm_80 -arch=sm_90
//@ buffer in : u32[256] = iota(7)
//@ buffer out : u32[256] = 0
//@ launch k<<<2, 64>>>(in, out)
//@ expect out[0..127] == 127 - i + 7
//@ expect out[128..255] == 255 - (i - 128) + 7
//@ expect clean
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
namespace cg = cooperative_groups;
extern "C" __global__ void k(const unsigned *in, unsigned *out)
{
	__shared__ alignas(16) unsigned row[128];
	auto block = cg::this_thread_block();
	cg::memcpy_async(block, row, in + blockIdx.x * 128, sizeof row);
	cg::wait(block);
	for (unsigned k = threadIdx.x; k < 128; k += 64)
		out[blockIdx.x * 128 + k] = row[127 - k];
}
