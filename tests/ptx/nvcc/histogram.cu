// Histogram: bins in shared memory first, then one atomicAdd per bin and block to global memory.
//@ buffer in : f32[1024] = iota(0)
//@ buffer bins : u32[64] = 0
//@ launch histogram<<<4, 128>>>(in, bins, 1024, 0.0, 1024.0)
//@ expect bins[0..63] == 16
extern "C" __global__ void histogram(const float *in, unsigned *bins, int n, float low, float high)
{
	__shared__ unsigned local[64];
	if (threadIdx.x < 64)
		local[threadIdx.x] = 0;
	__syncthreads();
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) {
		int b = (int)((in[i] - low) / (high - low) * 64.f);
		atomicAdd(&local[min(max(b, 0), 63)], 1u);
	}
	__syncthreads();
	if (threadIdx.x < 64)
		atomicAdd(&bins[threadIdx.x], local[threadIdx.x]);
}
