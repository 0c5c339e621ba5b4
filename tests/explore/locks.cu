// Locks and what is like them: at most one thread at a time, or a value that is whole.
// nvcc: -arch=sm_90
//@ case spin
//@ buffer lock : s32[1] = 0
//@ buffer sum : s32[1] = 0
//@ launch spin<<<3, 1>>>(lock, sum)
//@ always sum == 3 && lock == 0
//@ case spin_of_lanes
//@ buffer lock : s32[1] = 0
//@ buffer sum : s32[1] = 0
//@ launch spin_of_lanes<<<1, 3>>>(lock, sum)
//@ always sum == 3 && lock == 0
//@ case ticket
//@ buffer next : u32[2] = 0
//@ buffer sum : s32[1] = 0
//@ launch ticket<<<3, 1>>>(next, sum)
//@ always sum == 3
//@ case semaphore
//@ buffer sum : s32[1] = 0
//@ launch semaphore<<<1, 3>>>(sum)
//@ always sum == 3
//@ case mcs
//@ buffer tail : s32[1] = -1
//@ buffer node : s32[4] = -1
//@ buffer sum : s32[1] = 0
//@ launch mcs<<<2, 1>>>(tail, node, sum)
//@ always sum == 2 && tail == -1
//@ case readers_writer
//@ buffer lock : s32[1] = 0
//@ buffer data : s32[2] = 0
//@ buffer out : s32[2] = -1
//@ launch readers_writer<<<3, 1>>>(lock, data, out)
//@ always out[0] == 0 && out[1] == 0
//@ case seqlock
//@ buffer seq : u32[1] = 0
//@ buffer data : s32[2] = 0
//@ buffer out : s32[2] = -1
//@ launch seqlock<<<2, 1>>>(seq, data, out)
//@ always out[0] == out[1]
//@ case peterson
//@ buffer flag : s32[2] = 0
//@ buffer turn : s32[1] = 0
//@ buffer sum : s32[1] = 0
//@ launch peterson<<<2, 1>>>(flag, turn, sum)
//@ always sum == 2
//@ case peterson_one_fence
//@ buffer flag : s32[2] = 0
//@ buffer turn : s32[1] = 0
//@ buffer sum : s32[1] = 0
//@ launch peterson_one_fence<<<2, 1>>>(flag, turn, sum)
//@ allow sum == 1
//@ allow sum == 2
//@ case once
//@ buffer state : s32[1] = 0
//@ buffer data : s32[1] = 0
//@ buffer out : s32[3] = 0
//@ launch once<<<3, 1>>>(state, data, out)
//@ always out[0] == 42 && out[1] == 42 && out[2] == 42 && state == 2
//@ case lock_without_fence
//@ buffer lock : s32[1] = 0
//@ buffer sum : s32[1] = 0
//@ launch lock_without_fence<<<2, 1>>>(lock, sum)
//@ allow sum == 1
//@ allow sum == 2
#include <cuda/atomic>
#include <cuda/semaphore>
using cuda::atomic_ref;
using cuda::thread_scope_device;
typedef atomic_ref<int, thread_scope_device> place;
typedef atomic_ref<unsigned, thread_scope_device> number;

extern "C" __global__ void spin(int *lock, int *sum)
{
	while (atomicCAS(lock, 0, 1) != 0)
		;
	__threadfence();
	*sum += 1;
	__threadfence();
	atomicExch(lock, 0);
}

// Lanes of one warp: the lane that has the lock must be able to leave the loop.
extern "C" __global__ void spin_of_lanes(int *lock, int *sum)
{
	for (bool done = false; !done;)
		if (atomicCAS(lock, 0, 1) == 0) {
			__threadfence();
			*sum += 1;
			__threadfence();
			atomicExch(lock, 0);
			done = true;
		}
}

extern "C" __global__ void ticket(unsigned *next, int *sum)
{
	unsigned mine = atomicAdd(&next[0], 1);

	while (number(next[1]).load(cuda::memory_order_acquire) != mine)
		;
	*sum += 1;
	number(next[1]).store(mine + 1, cuda::memory_order_release);
}

extern "C" __global__ void semaphore(int *sum)
{
	__shared__ cuda::binary_semaphore<cuda::thread_scope_block> free;

	if (threadIdx.x == 0)
		new (&free) cuda::binary_semaphore<cuda::thread_scope_block>(1);
	__syncthreads();
	free.acquire();
	*sum += 1;
	free.release();
}

// A queue of waiting threads, each of which waits at its own place (Mellor-Crummey and Scott). node: next[2], locked[2].
extern "C" __global__ void mcs(int *tail, int *node, int *sum)
{
	int me = blockIdx.x, before;
	place next(node[me]), locked(node[2 + me]);

	before = place(*tail).exchange(me, cuda::memory_order_acq_rel);
	if (before >= 0) {
		place(node[before]).store(me, cuda::memory_order_release);
		while (locked.load(cuda::memory_order_acquire) != 0)
			;
	}
	*sum += 1;
	int expected = me;
	if (next.load(cuda::memory_order_acquire) < 0 && place(*tail).compare_exchange_strong(expected, -1, cuda::memory_order_acq_rel))
		return;
	int after;
	while ((after = next.load(cuda::memory_order_acquire)) < 0)
		;
	place(node[2 + after]).store(0, cuda::memory_order_release);
}

// Block 0 writes, the others read: the lock is -1 for a writer, otherwise the number of readers.
extern "C" __global__ void readers_writer(int *lock, int *data, int *out)
{
	place l(*lock);
	int seen;

	if (blockIdx.x == 0) {
		do
			seen = 0;
		while (!l.compare_exchange_strong(seen, -1, cuda::memory_order_acquire));
		data[0] = 1;
		data[1] = 1;
		l.store(0, cuda::memory_order_release);
	} else {
		do {
			while ((seen = l.load(cuda::memory_order_relaxed)) < 0)
				;
		} while (!l.compare_exchange_strong(seen, seen + 1, cuda::memory_order_acquire));
		out[blockIdx.x - 1] = data[0] - data[1];
		l.fetch_sub(1, cuda::memory_order_release);
	}
}

extern "C" __global__ void seqlock(unsigned *seq, int *data, int *out)
{
	number s(*seq);

	if (blockIdx.x == 0) {
		s.store(1, cuda::memory_order_relaxed);
		cuda::atomic_thread_fence(cuda::memory_order_release, thread_scope_device);
		place(data[0]).store(7, cuda::memory_order_relaxed);
		place(data[1]).store(7, cuda::memory_order_relaxed);
		s.store(2, cuda::memory_order_release);
	} else {
		unsigned before, after;
		int a, b;

		do {
			before = s.load(cuda::memory_order_acquire);
			a = place(data[0]).load(cuda::memory_order_relaxed);
			b = place(data[1]).load(cuda::memory_order_relaxed);
			cuda::atomic_thread_fence(cuda::memory_order_acquire, thread_scope_device);
			after = s.load(cuda::memory_order_relaxed);
		} while (before != after || before % 2 != 0);
		out[0] = a;
		out[1] = b;
	}
}

template <bool both> __device__ void two_threads(int *flag, int *turn, int *sum)
{
	int me = blockIdx.x, other = 1 - me;

	place(flag[me]).store(1, cuda::memory_order_relaxed);
	if (both)
		cuda::atomic_thread_fence(cuda::memory_order_seq_cst, thread_scope_device);
	place(*turn).store(other, cuda::memory_order_relaxed);
	cuda::atomic_thread_fence(cuda::memory_order_seq_cst, thread_scope_device);
	while (place(flag[other]).load(cuda::memory_order_acquire) && place(*turn).load(cuda::memory_order_acquire) == other)
		;
	*sum += 1;
	place(flag[me]).store(0, cuda::memory_order_release);
}

extern "C" __global__ void peterson(int *flag, int *turn, int *sum)
{
	two_threads<true>(flag, turn, sum);
}

// Wrong on purpose: the stores to flag and turn may be seen in the other order.
extern "C" __global__ void peterson_one_fence(int *flag, int *turn, int *sum)
{
	two_threads<false>(flag, turn, sum);
}

// The first to come computes; the others wait until it is done.
extern "C" __global__ void once(int *state, int *data, int *out)
{
	place s(*state);
	int expected = 0;

	if (s.load(cuda::memory_order_acquire) != 2) {
		if (s.compare_exchange_strong(expected, 1, cuda::memory_order_acquire)) {
			*data = 42;
			s.store(2, cuda::memory_order_release);
		} else {
			while (s.load(cuda::memory_order_acquire) != 2)
				;
		}
	}
	out[blockIdx.x] = *data;
}

// Wrong on purpose: atomicCAS and atomicExch are relaxed, so the second thread may read the old sum.
extern "C" __global__ void lock_without_fence(int *lock, int *sum)
{
	while (atomicCAS(lock, 0, 1) != 0)
		;
	*(volatile int *)sum += 1;
	atomicExch(lock, 0);
}
