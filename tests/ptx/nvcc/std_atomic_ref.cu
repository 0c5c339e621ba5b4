// cuda::atomic_ref on plain memory: sums, maxima, exchanges, and a compare-exchange loop that multiplies.
// nvcc: -arch=sm_75 -arch=sm_90
//@ buffer a : u32[3] = {0, 0, 1}
//@ buffer old : u64[1] = 5
//@ launch k<<<2, 32>>>(a, old)
//@ expect a[0] == 63 * 64 / 2 && a[1] == 630 && a[2] == 3 * 3 * 3 * 3 * 3 * 3 * 3 * 3
//@ expect old == (5 ^ 1 ^ 2)
//@ expect clean
#include <cuda/atomic>
extern "C" __global__ void k(unsigned *a, unsigned long long *old)
{
	unsigned i = blockIdx.x * 32 + threadIdx.x;
	cuda::atomic_ref<unsigned, cuda::thread_scope_device> sum(a[0]), most(a[1]), product(a[2]);
	cuda::atomic_ref<unsigned long long, cuda::thread_scope_system> bits(*old);
	sum.fetch_add(i, cuda::memory_order_relaxed);
	most.fetch_max(i * 10);
	if (i % 8 == 0) {
		unsigned seen = product.load(cuda::memory_order_relaxed);
		while (!product.compare_exchange_weak(seen, seen * 3, cuda::memory_order_acq_rel)) {
		}
	}
	if (i < 2)
		bits.fetch_xor(i + 1);
}
