// cuda::atomic wait and notify: blocks pass
// on a ball, and each adds its number.
//@ buffer turn : u32[1] = 0
//@ buffer ball : u32[1] = 0
//@ launch k<<<4, 1>>>(turn, ball)
//@ expect turn == 4 && ball == 1234
//@ expect clean
#include <cuda/atomic>
extern "C" __global__ void k(unsigned *turn, unsigned *ball)
{
	cuda::atomic_ref<unsigned, cuda::thread_scope_device> t(*turn);
	for (unsigned seen; (seen = t.load(cuda::memory_order_acquire)) != blockIdx.x;)
		t.wait(seen, cuda::memory_order_acquire);
	*ball = *ball * 10 + blockIdx.x + 1;
	t.store(blockIdx.x + 1, cuda::memory_order_release);
	t.notify_all();
}
