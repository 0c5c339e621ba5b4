// Each thread takes its neighbour's number from shared memory.
//@ buffer in : u32[64] = iota(5)
//@ buffer out : u32[64] = 0
//@ launch rotate<<<1, 64>>>(in, out)
//@ expect out[0..62] == in[i] + 1
//@ expect out[63] == 5
__global__ void rotate(const unsigned *in, unsigned *out)
{
	__shared__ unsigned tile[64];
	unsigned i = threadIdx.x;

	tile[i] = in[i];
	__syncthreads();
	out[i] = tile[(i + 1) % 64];
}
