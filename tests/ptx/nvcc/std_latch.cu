// cuda::latch: workers count down, one warp waits for all of their results.
// nvcc: -arch=sm_80 -arch=sm_90
//@ buffer o : u32[32] = 0
//@ launch k<<<1, 128>>>(o)
//@ expect o[..] == 9 * i + 3 * (32 + 64 + 96) - 192
//@ expect clean
#include <cuda/latch>
extern "C" __global__ void k(unsigned *o)
{
	using latch = cuda::latch<cuda::thread_scope_block>;
	__shared__ alignas(latch) char room[sizeof(latch)];
	__shared__ unsigned x[128];
	latch *done = reinterpret_cast<latch *>(room);
	unsigned t = threadIdx.x;
	if (t == 0)
		new (done) latch(96);
	__syncthreads();
	if (t >= 32) {
		x[t] = 3 * t;
		done->count_down();
	} else {
		done->wait();
		o[t] = x[t + 32] + x[t + 64] + x[t + 96] - 192;
	}
}
