// One thread copies for all, and a barrier counts the bytes.
// prints 8128
// planted D0201
#include <cstdio>
#include <cuda/barrier>
typedef cuda::barrier<cuda::thread_scope_block> barrier;
__global__ void sum(const int *in, int *out)
{
	__shared__ alignas(16) int s[128];
#pragma nv_diag_suppress static_var_with_dynamic_init
	__shared__ barrier bar;
	barrier::arrival_token token;

	if (threadIdx.x == 0)
		init(&bar, blockDim.x);
	__syncthreads();
	if (threadIdx.x == 0) {
		unsigned bar_at = (unsigned)__cvta_generic_to_shared(
			cuda::device::barrier_native_handle(bar));

		asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes "
			     "[%0], [%1], %2, [%3];" ::"r"((unsigned)__cvta_generic_to_shared(s)),
			"l"(__cvta_generic_to_global(in)), "r"((unsigned)sizeof s), "r"(bar_at)
			: "memory");
#ifdef PLANTED
		token = cuda::device::barrier_arrive_tx(bar, 1, sizeof s + 16);
#else
		token = cuda::device::barrier_arrive_tx(bar, 1, sizeof s);
#endif
	} else {
		token = bar.arrive();
	}
	bar.wait(std::move(token)); // HERE
	atomicAdd(out, s[threadIdx.x]);
}
int main()
{
	int *in, *out;

	cudaMallocManaged(&in, 128 * sizeof(int));
	cudaMallocManaged(&out, sizeof(int));
	for (int k = 0; k < 128; k++)
		in[k] = k;
	*out = 0;
	sum<<<1, 128>>>(in, out);
	if (cudaDeviceSynchronize())
		return 1;
	printf("%d\n", *out);
}
