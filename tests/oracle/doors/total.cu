// Linked with part.cu.
//@ buffer in : u32[64] = iota(0)
//@ buffer out : u32[64] = 0
//@ launch add<<<2, 32>>>(in, out)
//@ expect out[..] == in[i] * 3 + 1
//@ expect total == 2016
extern __device__ unsigned total;
extern __device__ unsigned scaled(unsigned x, unsigned where);

__global__ void add(const unsigned *in, unsigned *out)
{
	unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
	atomicAdd(&total, in[i]);
	out[i] = scaled(in[i], i % 2);
}
