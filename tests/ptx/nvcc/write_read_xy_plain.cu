// writeXY and readXY of the fence notes as they stand there, without volatile: a data race. What each kind of fence still forbids is explored.
//@ case none                               # nothing is forbidden
//@ buffer ab : s32[2] = 0
//@ launch none<<<2, 1>>>(ab)
//@ allow ab[0] == 1 && ab[1] == 2
//@ allow ab[0] == 10 && ab[1] == 2
//@ allow ab[0] == 10 && ab[1] == 20
//@ allow ab[0] == 1 && ab[1] == 20
//@ expect race
//@ case threadfence                        # membar.gl is fence.sc.gpu: one of the two comes first, and either order forbids new Y with old X
//@ buffer ab : s32[2] = 0
//@ launch threadfence<<<2, 1>>>(ab)
//@ allow ab[0] == 1 && ab[1] == 2
//@ allow ab[0] == 10 && ab[1] == 2
//@ allow ab[0] == 10 && ab[1] == 20
//@ forbid ab[0] == 1 && ab[1] == 20
//@ expect race
//@ case acq_rel                            # weak accesses do not synchronise: the fences forbid nothing
//@ buffer ab : s32[2] = 0
//@ launch acq_rel<<<2, 1>>>(ab)
//@ allow ab[0] == 1 && ab[1] == 2
//@ allow ab[0] == 10 && ab[1] == 2
//@ allow ab[0] == 10 && ab[1] == 20
//@ allow ab[0] == 1 && ab[1] == 20
//@ expect race
#include <cuda/atomic>
extern "C" __device__ int X = 1, Y = 2;
template <int kind> __device__ void fence()
{
	if (kind == 1)
		__threadfence();
	else if (kind == 2)
		cuda::atomic_thread_fence(cuda::memory_order_acq_rel, cuda::thread_scope_device);
}
template <int kind> __device__ void xy(int *ab)
{
	if (blockIdx.x == 0) {
		X = 10;
		fence<kind>();
		Y = 20;
	} else {
		int b = Y;
		fence<kind>();
		int a = X;
		ab[0] = a;
		ab[1] = b;
	}
}
extern "C" __global__ void none(int *ab) { xy<0>(ab); }
extern "C" __global__ void threadfence(int *ab) { xy<1>(ab); }
extern "C" __global__ void acq_rel(int *ab) { xy<2>(ab); }
