// cuda::latch, cuda::counting_semaphore, a device-wide cuda::barrier, a pipeline of one thread, a ticket lock, a queue between blocks.
//@ case latch
//@ buffer out : s32[64] = -1
//@ launch latch<<<1, 64>>>(out)
//@ expect out[0..63] == 63 - i
//@ case semaphore
//@ buffer out : s32[1] = 0
//@ launch semaphore<<<4, 32>>>(out)
//@ expect out == 128
//@ case device_barrier
//@ buffer out : s32[128] = -1
//@ launch device_barrier<<<4, 32>>>(out)
//@ expect out[0..127] == 127 - i
//@ case own_pipeline
//@ buffer in : s32[256] = iota(0)
//@ buffer out : s32[32] = 0
//@ launch own_pipeline<<<1, 32>>>(in, out, 8)
//@ expect out[0..31] == 8 * i + 32 * 28
//@ case ticket
//@ buffer lock : u32[2] = 0
//@ buffer sum : s32[1] = 0
//@ launch ticket<<<8, 32>>>(lock, sum)
//@ expect sum == 256
//@ case queue
//@ buffer out : s32[200] = 0
//@ launch queue<<<3, 32>>>(out, 200)
//@ expect out[0..199] == i + 1
#include <cuda/atomic>
#include <cuda/barrier>
#include <cuda/latch>
#include <cuda/pipeline>
#include <cuda/semaphore>
#include <new>

extern "C" __global__ void latch(int *out)
{
	using latch_t = cuda::latch<cuda::thread_scope_block>;
	__shared__ alignas(latch_t) unsigned char storage[sizeof(latch_t)];
	__shared__ int box[64];
	latch_t &start = *reinterpret_cast<latch_t *>(storage);
	int t = threadIdx.x;

	if (t == 0)
		new (storage) latch_t(64);
	__syncthreads();
	box[t] = t;
	start.arrive_and_wait();
	out[t] = box[63 - t];
}

static __device__ cuda::counting_semaphore<cuda::thread_scope_device, 1> gate{1};
static __device__ int shared_sum;

extern "C" __global__ void semaphore(int *out)
{
	for (int k = 0; k < 32; k++)
		if (threadIdx.x == k) {
			gate.acquire();
			shared_sum += 1;
			*out = shared_sum;
			gate.release();
		}
}

static __device__ cuda::barrier<cuda::thread_scope_device> meeting{128};
static __device__ int boxes[128];

extern "C" __global__ void device_barrier(int *out)
{
	int at = blockIdx.x * blockDim.x + threadIdx.x;

	boxes[at] = at;
	meeting.arrive_and_wait();
	out[at] = boxes[127 - at];
	meeting.arrive_and_wait();
}

extern "C" __global__ void own_pipeline(const int *in, int *out, int n)
{
	__shared__ int tile[2][32];
	auto pipe = cuda::make_pipeline();
	int t = threadIdx.x, sum = 0;

	pipe.producer_acquire();
	cuda::memcpy_async(&tile[0][t], &in[t], sizeof(int), pipe);
	pipe.producer_commit();
	for (int k = 0; k < n; k++) {
		if (k + 1 < n) {
			pipe.producer_acquire();
			cuda::memcpy_async(&tile[(k + 1) & 1][t], &in[(k + 1) * 32 + t], sizeof(int), pipe);
			pipe.producer_commit();
			cuda::pipeline_consumer_wait_prior<1>(pipe);
		} else {
			cuda::pipeline_consumer_wait_prior<0>(pipe);
		}
		sum += tile[k & 1][t];
		pipe.consumer_release();
	}
	out[t] = sum;
}

extern "C" __global__ void ticket(unsigned *lock, int *sum)
{
	cuda::atomic_ref<unsigned, cuda::thread_scope_device> next(lock[0]), now(lock[1]);
	unsigned mine = next.fetch_add(1, cuda::memory_order_relaxed);

	while (now.load(cuda::memory_order_acquire) != mine)
		__nanosleep(50);
	*sum += 1;
	now.store(mine + 1, cuda::memory_order_release);
}

// Block 0 makes numbers, blocks 1 and 2 take them through a ring of 8; a place tells its round, too.
static __device__ int ring[8];
static __device__ unsigned filled[8], head;

extern "C" __global__ void queue(int *out, int n)
{
	if (threadIdx.x)
		return;
	if (blockIdx.x == 0) {
		for (int k = 0; k < n; k++) {
			cuda::atomic_ref<unsigned, cuda::thread_scope_device> full(filled[k % 8]);

			while (full.load(cuda::memory_order_acquire) != k / 8 * 2)
				;
			ring[k % 8] = k + 1;
			full.store(k / 8 * 2 + 1, cuda::memory_order_release);
		}
		return;
	}
	for (;;) {
		cuda::atomic_ref<unsigned, cuda::thread_scope_device> next(head);
		unsigned k = next.fetch_add(1, cuda::memory_order_relaxed);

		if (k >= (unsigned)n)
			return;
		cuda::atomic_ref<unsigned, cuda::thread_scope_device> full(filled[k % 8]);
		while (full.load(cuda::memory_order_acquire) != k / 8 * 2 + 1)
			;
		out[k] = ring[k % 8];
		full.store(k / 8 * 2 + 2, cuda::memory_order_release);
	}
}
