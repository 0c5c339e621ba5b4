// cp.async by the pipeline primitives: three rows under way, waited for one by one.
// nvcc: -arch=sm_80 -arch=sm_90
//@ buffer in : u32[320] = iota(0)
//@ buffer out : u32[32] = 0
//@ launch k<<<1, 32>>>(in, out)
//@ expect out[..] == 10 * i + 32 * 45
//@ expect clean
#include <cuda_pipeline.h>
extern "C" __global__ void k(const unsigned *in, unsigned *out)
{
	__shared__ alignas(16) unsigned row[4][32];
	unsigned t = threadIdx.x, sum = 0;
	for (unsigned r = 0; r < 3; r++) {
		__pipeline_memcpy_async(&row[r][t], in + r * 32 + t, 4);
		__pipeline_commit();
	}
	for (unsigned r = 0; r < 10; r++) {
		if (r + 3 < 10)
			__pipeline_memcpy_async(&row[(r + 3) % 4][t], in + (r + 3) * 32 + t, 4);
		__pipeline_commit();
		__pipeline_wait_prior(3);
		__syncthreads();
		sum += row[r % 4][31 - t];
		__syncthreads();
	}
	out[31 - t] = sum;
}
