// Queues, stacks, tables and lists that threads share.
// nvcc: -arch=sm_90
//@ case ring
//@ buffer at : u32[2] = 0
//@ buffer slot : s32[2] = 0
//@ buffer out : s32[3] = 0
//@ launch ring<<<2, 1>>>(at, slot, out)
//@ always out[0] == 10 && out[1] == 11 && out[2] == 12
//@ case work
//@ buffer next : s32[1] = 0
//@ buffer out : s32[4] = 0
//@ launch work<<<2, 1>>>(next, out)
//@ always out[0..3] == 10 + i && next == 6
//@ case stack
//@ buffer head : s32[1] = -1
//@ buffer next : s32[3] = -1
//@ buffer out : s32[3] = 0
//@ launch stack<<<3, 1>>>(head, next)
//@ launch stack_read<<<1, 1>>>(head, next, out)
//@ always out[0..2] == 1
//@ case table
//@ buffer key : u32[4] = 0
//@ buffer count : s32[4] = 0
//@ buffer in : u32[3] = {5, 9, 5}
//@ launch table<<<3, 1>>>(in, key, count)
//@ always count[1] + count[2] == 3 && key[0] == 0 && key[3] == 0
//@ case deque
//@ buffer ends : s32[2] = {0, 2}
//@ buffer task : s32[2] = {10, 11}
//@ buffer taken : s32[2] = 0
//@ launch deque<<<2, 1>>>(ends, task, taken)
//@ always taken[0] <= 1 && taken[1] == 1
//@ case mailbox
//@ buffer full : s32[1] = 0
//@ buffer data : s32[1] = 0
//@ buffer out : s32[2] = 0
//@ launch mailbox<<<1, 64>>>(full, data, out)
//@ always out[0] == 5 && out[1] == 6
//@ case many_producers
//@ buffer tail : u32[1] = 0
//@ buffer slot : s32[3] = 0
//@ buffer out : s32[1] = 0
//@ launch many_producers<<<4, 1>>>(tail, slot, out)
//@ always out == 33
//@ case free_list
//@ buffer bits : u32[1] = 7
//@ buffer out : s32[3] = -1
//@ launch free_list<<<3, 1>>>(bits, out)
//@ always bits == 0 && out[0] != out[1] && out[1] != out[2] && out[0] != out[2]
#include <cuda/atomic>
using cuda::atomic_ref;
using cuda::thread_scope_device;
typedef atomic_ref<int, thread_scope_device> place;
typedef atomic_ref<unsigned, thread_scope_device> number;

// One producer, one consumer, two slots. at: how many were put, how many were taken.
extern "C" __global__ void ring(unsigned *at, int *slot, int *out)
{
	number put(at[0]), taken(at[1]);

	if (blockIdx.x == 0) {
		for (unsigned k = 0; k < 3; k++) {
			while (k - taken.load(cuda::memory_order_acquire) == 2)
				;
			slot[k % 2] = 10 + k;
			put.store(k + 1, cuda::memory_order_release);
		}
	} else {
		for (unsigned k = 0; k < 3; k++) {
			while (put.load(cuda::memory_order_acquire) == k)
				;
			out[k] = slot[k % 2];
			taken.store(k + 1, cuda::memory_order_release);
		}
	}
}

// Each block takes the next piece of work until none is left.
extern "C" __global__ void work(int *next, int *out)
{
	for (int k; (k = atomicAdd(next, 1)) < 4;)
		out[k] = 10 + k;
}

extern "C" __global__ void stack(int *head, int *next)
{
	int me = blockIdx.x, seen = place(*head).load(cuda::memory_order_relaxed);

	do
		next[me] = seen;
	while (!place(*head).compare_exchange_weak(seen, me, cuda::memory_order_release, cuda::memory_order_relaxed));
}

extern "C" __global__ void stack_read(const int *head, const int *next, int *out)
{
	for (int at = *head, n = 0; at >= 0 && n < 4; at = next[at], n++)
		out[at]++;
}

// Open addressing: a key's place is the first that is free or has it.
extern "C" __global__ void table(const unsigned *in, unsigned *key, int *count)
{
	unsigned mine = in[blockIdx.x];

	for (unsigned at = mine % 4;; at = (at + 1) % 4) {
		unsigned seen = atomicCAS(&key[at], 0, mine);

		if (seen == 0 || seen == mine) {
			atomicAdd(&count[at], 1);
			return;
		}
	}
}

// Chase and Lev: the owner takes from the bottom, a thief from the top; of the last task only one gets it. ends: top, bottom.
extern "C" __global__ void deque(int *ends, int *task, int *taken)
{
	place top(ends[0]), bottom(ends[1]);

	if (blockIdx.x == 0) {
		int b = bottom.load(cuda::memory_order_relaxed) - 1;

		bottom.store(b, cuda::memory_order_relaxed);
		cuda::atomic_thread_fence(cuda::memory_order_seq_cst, thread_scope_device);
		int t = top.load(cuda::memory_order_relaxed);
		if (t < b) {
			atomicAdd(&taken[task[b] - 10], 1);
		} else if (t == b) {
			if (top.compare_exchange_strong(t, t + 1, cuda::memory_order_seq_cst))
				atomicAdd(&taken[task[b] - 10], 1);
			bottom.store(b + 1, cuda::memory_order_relaxed);
		}
	} else {
		int t = top.load(cuda::memory_order_acquire);

		cuda::atomic_thread_fence(cuda::memory_order_seq_cst, thread_scope_device);
		int b = bottom.load(cuda::memory_order_acquire);
		if (t < b) {
			int got = task[t];

			if (top.compare_exchange_strong(t, t + 1, cuda::memory_order_seq_cst))
				atomicAdd(&taken[got - 10], 1);
		}
	}
}

// Two warps of a block hand over two values through one place with a flag.
extern "C" __global__ void mailbox(int *full, int *data, int *out)
{
	atomic_ref<int, cuda::thread_scope_block> f(*full);

	if (threadIdx.x == 0) {
		for (int k = 0; k < 2; k++) {
			while (f.load(cuda::memory_order_acquire) != 0)
				;
			*data = 5 + k;
			f.store(1, cuda::memory_order_release);
		}
	} else if (threadIdx.x == 32) {
		for (int k = 0; k < 2; k++) {
			while (f.load(cuda::memory_order_acquire) == 0)
				;
			out[k] = *data;
			f.store(0, cuda::memory_order_release);
		}
	}
}

// Three producers take a slot each; the consumer waits for each slot.
extern "C" __global__ void many_producers(unsigned *tail, int *slot, int *out)
{
	if (blockIdx.x < 3) {
		place(slot[atomicAdd(tail, 1)]).store(10 + blockIdx.x, cuda::memory_order_release);
	} else {
		int sum = 0, got;

		for (int k = 0; k < 3; k++) {
			while ((got = place(slot[k]).load(cuda::memory_order_acquire)) == 0)
				;
			sum += got;
		}
		*out = sum;
	}
}

// Each takes the lowest free place, a bit of a word.
extern "C" __global__ void free_list(unsigned *bits, int *out)
{
	for (;;) {
		unsigned seen = *(volatile unsigned *)bits;
		int bit = __ffs(seen) - 1;

		if (atomicAnd(bits, ~(1u << bit)) >> bit & 1) {
			out[blockIdx.x] = bit;
			return;
		}
	}
}
