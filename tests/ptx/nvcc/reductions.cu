// The same sum three ways: a tree in shared memory, shuffles in a warp, and both.
//@ buffer in : f32[512] = iota(1)
//@ buffer block : f32[2] = 0
//@ buffer warp : f32[2] = 0
//@ launch block_sum<<<2, 256>>>(in, block, 512)
//@ launch warp_sum<<<2, 256>>>(in, warp, 512)
//@ expect block[0] == 256 * 257 / 2 && block[1] == 512 * 513 / 2 - 256 * 257 / 2
//@ expect warp[0..1] == block[i]
extern "C" __global__ void block_sum(const float *in, float *out, int n)
{
	__shared__ float shared[256];
	int tid = threadIdx.x, gid = blockIdx.x * blockDim.x + tid;
	shared[tid] = gid < n ? in[gid] : 0;
	__syncthreads();
	for (int stride = blockDim.x / 2; stride > 0; stride >>= 1) {
		if (tid < stride)
			shared[tid] += shared[tid + stride];
		__syncthreads();
	}
	if (tid == 0)
		out[blockIdx.x] = shared[0];
}
extern "C" __global__ void warp_sum(const float *in, float *out, int n)
{
	int gid = blockIdx.x * blockDim.x + threadIdx.x;
	float value = gid < n ? in[gid] : 0;
	for (int offset = 16; offset > 0; offset >>= 1)
		value += __shfl_down_sync(0xffffffffu, value, offset);
	if (threadIdx.x % 32 == 0)
		atomicAdd(&out[blockIdx.x], value);
}
