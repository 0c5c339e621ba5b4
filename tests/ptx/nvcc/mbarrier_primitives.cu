// The primitives of cuda_awbarrier_primitives.h: init, inval, arrive, arrive_and_drop, test_wait, try_wait, by token and by parity, and the pending count of a token.
//@ case tokens
//@ buffer out : s32[64] = -1
//@ launch tokens<<<1, 64>>>(out)
//@ expect out[0..63] == 63 - i + 64
//@ case parity
//@ buffer out : s32[64] = -1
//@ launch parity<<<1, 64>>>(out, 6)
//@ expect out[0..63] == (i + 6) % 64
//@ case dropped
//@ buffer out : s32[64] = -1
//@ launch dropped<<<1, 64>>>(out)
//@ expect out[0..31] == 31 - i
//@ expect out[32..63] == -1
//@ case reused
//@ buffer out : s32[64] = -1
//@ launch reused<<<1, 64>>>(out)
//@ expect out[0..63] == 64
#include <cuda_awbarrier_primitives.h>

extern "C" __global__ void tokens(int *out)
{
	__shared__ __mbarrier_t bar;
	__shared__ int box[64];
	int t = threadIdx.x;

	if (t == 0)
		__mbarrier_init(&bar, 64);
	__syncthreads();
	box[t] = t;
	__mbarrier_token_t token = __mbarrier_arrive(&bar);
	while (!__mbarrier_test_wait(&bar, token))
		__nanosleep(20);
	token = __mbarrier_arrive(&bar);
	while (!__mbarrier_try_wait(&bar, token, 1000))
		;
	out[t] = box[63 - t] + 64;
}

extern "C" __global__ void parity(int *out, int rounds)
{
	__shared__ __mbarrier_t bar;
	__shared__ int box[2][64];
	int t = threadIdx.x, v = t;

	if (t == 0)
		__mbarrier_init(&bar, 64);
	__syncthreads();
	for (int k = 0; k < rounds; k++) {
		box[k & 1][t] = v;
		__mbarrier_arrive(&bar);
		while (!__mbarrier_try_wait_parity(&bar, k & 1, 100))
			;
		v = box[k & 1][(t + 1) % 64];
	}
	out[t] = v;
}

extern "C" __global__ void dropped(int *out)
{
	__shared__ __mbarrier_t bar;
	__shared__ int box[32];
	int t = threadIdx.x;

	if (t == 0)
		__mbarrier_init(&bar, 64);
	__syncthreads();
	if (t >= 32) {
		__mbarrier_arrive_and_drop(&bar);
		return;
	}
	__mbarrier_token_t token = __mbarrier_arrive(&bar);
	while (!__mbarrier_test_wait(&bar, token))
		;
	box[t] = t;
	token = __mbarrier_arrive(&bar);
	while (!__mbarrier_test_wait(&bar, token))
		;
	out[t] = box[31 - t];
}

extern "C" __global__ void reused(int *out)
{
	__shared__ union {
		__mbarrier_t bar;
		int word[2];
	} u;
	int t = threadIdx.x;

	if (t == 0)
		__mbarrier_init(&u.bar, 64);
	__syncthreads();
	__mbarrier_token_t token = __mbarrier_arrive(&u.bar);
	while (!__mbarrier_test_wait(&u.bar, token))
		;
	__syncthreads();
	if (t == 0) {
		__mbarrier_inval(&u.bar);
		u.word[0] = 0;
	}
	__syncthreads();
	atomicAdd(&u.word[0], 1);
	__syncthreads();
	out[t] = u.word[0];
}
