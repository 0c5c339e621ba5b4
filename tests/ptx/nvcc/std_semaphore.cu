// cuda::binary_semaphore as a lock of all blocks, cuda::counting_semaphore as two permits: never more than two inside.
// nvcc: -arch=sm_80 -arch=sm_90
//@ buffer n : u32[3] = 0
//@ launch prepare<<<1, 1>>>()
//@ launch k<<<4, 32>>>(n)
//@ expect n[0] == 4 * 10 && n[1] <= 2 && n[1] >= 1 && n[2] == 0
#include <cuda/semaphore>
__device__ char lock_room[sizeof(cuda::binary_semaphore<cuda::thread_scope_device>)] alignas(16);
__device__ char two_room[sizeof(cuda::counting_semaphore<cuda::thread_scope_device, 2>)] alignas(16);
#define LOCK (*reinterpret_cast<cuda::binary_semaphore<cuda::thread_scope_device> *>(lock_room))
#define TWO (*reinterpret_cast<cuda::counting_semaphore<cuda::thread_scope_device, 2> *>(two_room))
extern "C" __global__ void prepare()
{
	new (&LOCK) cuda::binary_semaphore<cuda::thread_scope_device>(1);
	new (&TWO) cuda::counting_semaphore<cuda::thread_scope_device, 2>(2);
}
extern "C" __global__ void k(unsigned *n)
{
	if (threadIdx.x)
		return;
	for (unsigned r = 0; r < 10; r++) {
		LOCK.acquire();
		n[0]++;
		LOCK.release();
	}
	TWO.acquire();
	atomicMax(&n[1], atomicAdd(&n[2], 1) + 1);
	atomicSub(&n[2], 1);
	TWO.release();
}
