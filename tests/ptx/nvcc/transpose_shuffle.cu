// A matrix of 32 x 32 transposed within a warp by shuffles alone, five steps of exchanged blocks.
// nvcc: -arch=sm_75 -arch=sm_90
//@ buffer in : u32[1024] = iota(0)
//@ buffer out : u32[1024] = 0
//@ launch k<<<1, 32>>>(in, out)
//@ expect out[..] == i % 32 * 32 + i / 32
//@ expect clean
extern "C" __global__ void k(const unsigned *in, unsigned *out)
{
	unsigned l = threadIdx.x, row[32];
#pragma unroll
	for (int r = 0; r < 32; r++)
		row[r] = in[r * 32 + l];
#pragma unroll
	for (int b = 16; b; b /= 2)
#pragma unroll
		for (int r = 0; r < 32; r++)
			if (!(r & b)) {
				unsigned mine = l & b ? row[r] : row[r | b];
				unsigned other = __shfl_xor_sync(~0u, mine, b);
				if (l & b)
					row[r] = other;
				else
					row[r | b] = other;
			}
#pragma unroll
	for (int r = 0; r < 32; r++)
		out[r * 32 + l] = row[r];
}
