// What --stats=lines counts: bank conflicts, sectors and divergence that can be worked out by hand.
//@ buffer in : f32[1024] = iota(0)
//@ buffer out : f32[1024] = 0
//@ launch transpose<<<1, (32, 32)>>>(in, out)
//@ launch padded<<<1, (32, 32)>>>(in, out)
//@ launch strided<<<1, 64>>>(in, out)
//@ launch branches<<<1, 64>>>(in, out)

__global__ void transpose(const float *in, float *out)
{
	__shared__ float tile[32][32];
	int x = threadIdx.x, y = threadIdx.y;
	tile[y][x] = in[y * 32 + x];
	__syncthreads();
	out[y * 32 + x] = tile[x][y];
}

__global__ void padded(const float *in, float *out)
{
	__shared__ float tile[32][33];
	int x = threadIdx.x, y = threadIdx.y;
	tile[y][x] = in[y * 32 + x];
	__syncthreads();
	out[y * 32 + x] = tile[x][y];
}

__global__ void strided(const float *in, float *out)
{
	out[threadIdx.x] = in[threadIdx.x * 8];
}

__global__ void branches(const float *in, float *out)
{
	__shared__ double pairs[64];
	pairs[threadIdx.x] = in[0];
	if (threadIdx.x & 1)
		atomicAdd(out, (float)pairs[threadIdx.x - 1]);
	if (threadIdx.x >= 32)
		out[threadIdx.x + 1] = 1.0f;
}
