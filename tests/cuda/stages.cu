// A pipeline of a block: all threads copy and add; then the first warp copies for the second.
// prints 8128 8128
// planted S0301
#include <cooperative_groups.h>
#include <cstdio>
#include <cuda/pipeline>
namespace cg = cooperative_groups;
typedef cuda::pipeline_shared_state<cuda::thread_scope_block, 2> shared_state;
__global__ void all(const int *in, int *out)
{
	__shared__ int s[2][32];
#pragma nv_diag_suppress static_var_with_dynamic_init
	__shared__ shared_state state;
	cg::thread_block block = cg::this_thread_block();
	auto p = cuda::make_pipeline(block, &state);
	int total = 0;

	p.producer_acquire();
	cuda::memcpy_async(block, s[0], in, sizeof s[0], p);
	p.producer_commit();
	for (int k = 0; k < 4; k++) {
		if (k < 3) {
			p.producer_acquire();
			cuda::memcpy_async(block, s[(k + 1) % 2], in + (k + 1) * 32, sizeof s[0], p);
			p.producer_commit();
		}
#ifndef PLANTED
		p.consumer_wait();
#endif
		total += s[k % 2][threadIdx.x]; // HERE
		p.consumer_release();
	}
	atomicAdd(out, total);
}
__global__ void roles(const int *in, int *out)
{
	__shared__ int s[2][32];
#pragma nv_diag_suppress static_var_with_dynamic_init
	__shared__ shared_state state;
	cg::thread_block block = cg::this_thread_block();
	bool produces = threadIdx.x < 32;
	auto p = cuda::make_pipeline(block, &state,
		produces ? cuda::pipeline_role::producer : cuda::pipeline_role::consumer);
	int lane = threadIdx.x % 32, total = 0;

	for (int k = 0; k < 4; k++)
		if (produces) {
			p.producer_acquire();
			cuda::memcpy_async(&s[k % 2][lane], in + k * 32 + lane, sizeof(int), p);
			p.producer_commit();
		} else {
			p.consumer_wait();
			total += s[k % 2][lane];
			p.consumer_release();
		}
	if (!produces)
		atomicAdd(out + 1, total);
}
int main()
{
	int *in, *out;

	cudaMallocManaged(&in, 128 * sizeof(int));
	cudaMallocManaged(&out, 2 * sizeof(int));
	for (int k = 0; k < 128; k++)
		in[k] = k;
	out[0] = out[1] = 0;
	all<<<1, 32>>>(in, out);
	roles<<<1, 64>>>(in, out);
	if (cudaDeviceSynchronize())
		return 1;
	printf("%d %d\n", out[0], out[1]);
}
