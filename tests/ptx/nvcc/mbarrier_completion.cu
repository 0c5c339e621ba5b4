// A completion function: one thread calls it when all have arrived, before any of them continues.
//@ buffer data : s32[128] = iota(0)
//@ buffer sum : s32[4] = -1
//@ launch sums<<<1, 128>>>(data, sum, 4)
//@ expect sum[0..3] == 127 * 128 / 2 + 128 * i
#include <cuda/barrier>
#include <new>

struct add_up {
	int *box, *total;
	__device__ void operator()() const
	{
		int n = 0;

		for (int k = 0; k < 4; k++)
			n += box[k];
		*total = n;
	}
};

extern "C" __global__ void sums(const int *data, int *sum, int rounds)
{
	using barrier = cuda::barrier<cuda::thread_scope_block, add_up>;
	__shared__ alignas(barrier) unsigned char storage[sizeof(barrier)];
	__shared__ int box[4], total;
	barrier *bar = reinterpret_cast<barrier *>(storage);
	int t = threadIdx.x;

	if (t == 0)
		new (bar) barrier{blockDim.x, add_up{box, &total}};
	__syncthreads();
	for (int k = 0; k < rounds; k++) {
		int v = data[t] + k;

		for (int d = 16; d; d >>= 1)
			v += __shfl_down_sync(0xffffffff, v, d);
		if (t % 32 == 0)
			box[t / 32] = v;
		bar->arrive_and_wait();
		if (t == 0)
			sum[k] = total;
		bar->arrive_and_wait();
	}
}
