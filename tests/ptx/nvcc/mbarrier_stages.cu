// cuda::barrier from its initialisation: one thread initialises it, all synchronise with that, then arrive and wait are separate, phase after phase.
//@ case bootstrap
//@ buffer out : s32[64] = -1
//@ launch bootstrap<<<1, 64>>>(out)
//@ expect out[0..63] == 63 - i
//@ case five_stages
//@ buffer in : f32[128] = iota(0)
//@ buffer out : f32[128] = 0
//@ launch five_stages<<<2, 64>>>(in, out, 4)
//@ expect out[0..63] == 4 * (63 - i) + 6 + 4 * 100
//@ expect out[64..127] == 4 * (191 - i) + 6 + 4 * 100
//@ case phases
//@ buffer out : s32[32] = -1
//@ launch phases<<<1, 32>>>(out, 7)
//@ expect out[0..31] == 7 * 100 + 32
//@ case half_takes_part
//@ buffer out : s32[96] = -1
//@ launch half_takes_part<<<1, 96>>>(out)
//@ expect out[0..31] == 31 - i
//@ expect out[32..95] == -1
#include <cooperative_groups.h>
#include <cuda/barrier>
#include <cuda/std/utility>
using barrier = cuda::barrier<cuda::thread_scope_block>;

extern "C" __global__ void bootstrap(int *out)
{
	__shared__ barrier bar;
	__shared__ int box[64];
	auto block = cooperative_groups::this_thread_block();

	if (block.thread_rank() == 0)
		init(&bar, block.size());
	block.sync();
	box[block.thread_rank()] = block.thread_rank();
	bar.arrive_and_wait();
	out[block.thread_rank()] = box[block.size() - 1 - block.thread_rank()];
}

// Work before the arrival that others need; the arrival; independent work; the wait; work that needs the others.
extern "C" __global__ void five_stages(const float *in, float *out, int rounds)
{
	__shared__ barrier bar;
	__shared__ float box[2][64];
	int t = threadIdx.x, at = blockIdx.x * blockDim.x + t;
	float sum = 0, alone = 0;

	if (t == 0)
		init(&bar, blockDim.x);
	__syncthreads();
	for (int k = 0; k < rounds; k++) {
		box[k & 1][t] = in[at] + k;
		barrier::arrival_token token = bar.arrive();
		alone += 100;
		bar.wait(cuda::std::move(token));
		sum += box[k & 1][blockDim.x - 1 - t];
	}
	out[at] = sum + alone;
}

// Every phase counts down from 32 and is reset automatically.
extern "C" __global__ void phases(int *out, int rounds)
{
	__shared__ barrier bar;
	__shared__ int turn, arrivals;
	int t = threadIdx.x, seen = 0;

	if (t == 0) {
		init(&bar, blockDim.x);
		turn = 0;
	}
	__syncthreads();
	for (int k = 0; k < rounds; k++) {
		if (t == k % 32) {
			turn++;
			arrivals = 0;
		}
		bar.arrive_and_wait();
		atomicAdd(&arrivals, 1);
		bar.arrive_and_wait();
		seen = turn * 100 + arrivals;
		bar.arrive_and_wait();
	}
	out[t] = seen;
}

// Only the first warp participates, and is counted.
extern "C" __global__ void half_takes_part(int *out)
{
	__shared__ barrier bar;
	__shared__ int box[32];

	if (threadIdx.x == 0)
		init(&bar, 32);
	__syncthreads();
	if (threadIdx.x >= 32)
		return;
	box[threadIdx.x] = threadIdx.x;
	bar.arrive_and_wait();
	out[threadIdx.x] = box[31 - threadIdx.x];
}
