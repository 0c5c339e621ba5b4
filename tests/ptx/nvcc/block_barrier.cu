// Block barrier: every thread loads one element, all wait, then each averages itself and its two neighbours.
//@ buffer data : f32[256] = iota(0)
//@ buffer copy : f32[256] = iota(0)
//@ launch average<<<4, 64>>>(data, 256)
//@ expect data[1..62] == copy[i]              # the average of i-1, i, i+1 is i
//@ expect data[0] == 0 && data[63] == 63      # block edges are left alone
extern "C" __global__ void average(float *data, int n)
{
	__shared__ float shared[64];
	int tid = threadIdx.x, gid = blockIdx.x * blockDim.x + tid;
	if (gid < n)
		shared[tid] = data[gid];
	__syncthreads();
	if (gid < n && tid > 0 && tid < blockDim.x - 1)
		data[gid] = (shared[tid - 1] + shared[tid] + shared[tid + 1]) / 3.0f;
}
