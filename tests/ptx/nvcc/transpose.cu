// Matrix transpose through a padded tile in shared memory, for sizes that are not multiples of the tile.
//@ buffer in : f32[3500] = iota(0)               # 70 wide, 50 high
//@ buffer out : f32[3500] = -1
//@ launch transpose<<<(3, 2), (32, 8)>>>(in, out, 70, 50)
//@ expect out[0..3499] == in[i % 50 * 70 + i / 50]
extern "C" __global__ void transpose(const float *in, float *out, int w, int h)
{
	__shared__ float tile[32][33];
	int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
	for (int j = 0; j < 32; j += 8)
		if (x < w && y + j < h)
			tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * w + x];
	__syncthreads();
	x = blockIdx.y * 32 + threadIdx.x;
	y = blockIdx.x * 32 + threadIdx.y;
	for (int j = 0; j < 32; j += 8)
		if (x < h && y + j < w)
			out[(y + j) * h + x] = tile[threadIdx.x][threadIdx.y + j];
}
