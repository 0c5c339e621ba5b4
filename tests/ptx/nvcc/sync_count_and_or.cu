// Barriers that also combine a predicate of every thread: how many, all, any; and the barrier of a warp, whole and partial.
//@ buffer in : s32[96] = iota(-10)
//@ buffer out : s32[288] = -1
//@ launch variants<<<1, 96>>>(in, out)
//@ expect out[0..95] == 85                    # 96 - 11 values are positive
//@ expect out[96..191] == 0
//@ expect out[192..287] == 1
extern "C" __global__ void variants(const int *in, int *out)
{
	int i = threadIdx.x, positive = in[i] > 0;
	out[i] = __syncthreads_count(positive);
	out[96 + i] = __syncthreads_and(positive) != 0;
	out[192 + i] = __syncthreads_or(positive) != 0;
	__syncwarp();
	if (i % 32 < 16)
		__syncwarp(0x0000ffffu);
}
