// A barrier that calls a function when a phase ends, and one for all blocks of a grid.
// prints 120 then 496, and 2 blocks met
// planted R0101
#include <cstdio>
#include <cuda/barrier>
#include <new>
struct sum {
	int *s;
	__device__ void operator()() const
	{
		int total = 0;

		for (int k = 0; k < 32; k++)
			total += s[k];
		s[32] = total;
	}
};
typedef cuda::barrier<cuda::thread_scope_block, sum> barrier;
typedef cuda::barrier<cuda::thread_scope_device> meeting;
__global__ void work(int *out, meeting *all)
{
	__shared__ alignas(barrier) unsigned char place[sizeof(barrier)];
	__shared__ int s[33];
	barrier *b = (barrier *)place;

	if (threadIdx.x == 0)
		new (b) barrier(32, sum{s});
	s[threadIdx.x] = threadIdx.x < 16 ? threadIdx.x : 0;
	__syncthreads();
	b->arrive_and_wait();
	if (threadIdx.x == 0 && blockIdx.x == 0)
		out[0] = s[32];
	__syncwarp();
	s[threadIdx.x] = threadIdx.x;
	b->arrive_and_wait();
	if (threadIdx.x == 0) {
		if (blockIdx.x == 0)
			out[1] = s[32]; // HERE
#ifndef PLANTED
		all->arrive_and_wait();
#endif
		if (blockIdx.x == 1)
			out[2] = out[1] == s[32] ? 2 : 0; // HERE
	}
}
__global__ void begin(meeting *all) { init(all, 2); }
int main()
{
	meeting *all;
	int *out;

	cudaMalloc(&all, sizeof *all);
	cudaMallocManaged(&out, 3 * sizeof(int));
	begin<<<1, 1>>>(all);
	work<<<2, 32>>>(out, all);
	if (cudaDeviceSynchronize())
		return 1;
	printf("%d then %d, and %d blocks met\n", out[0], out[1], out[2]);
}
