// An image in an array: a blur whose edges are clamped, and an image of twice the size by linear filtering.
// prints blur: 0 wrong
// prints zoom: 0 wrong
// prints array: 24 x 16, flags 0, 32 bits
// planted R0201
#include <cstdio>
#include <cstring>
constexpr int W = 24, H = 16;
__global__ void blur(cudaTextureObject_t image, float *out)
{
	int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
	float sum = 0;

	if (x >= W || y >= H)
		return;
	for (int j = -1; j <= 1; j++)
		for (int i = -1; i <= 1; i++)
			sum += tex2D<float>(image, x + i + 0.5f, y + j + 0.5f);
	out[y * W + x] = sum; // HERE
}
__global__ void zoom(cudaTextureObject_t image, float *out)
{
	int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;

	if (x < 2 * W && y < 2 * H)
		out[y * 2 * W + x] = tex2D<float>(image, (x + 0.5f) / 2, (y + 0.5f) / 2);
}
static int clamp(int i, int n) { return i < 0 ? 0 : i >= n ? n - 1 : i; }
static float image[H][W];
static float at(int x, int y) { return image[clamp(y, H)][clamp(x, W)]; }
/* Between texel I and the next one, a quarter or three quarters of the way. */
static float zoomed(int x, int y)
{
	int i = (x + 1) / 2 - 1, j = (y + 1) / 2 - 1;
	float u = x % 2 ? 0.25f : 0.75f, v = y % 2 ? 0.25f : 0.75f;

	return (at(i, j) * (1 - u) + at(i + 1, j) * u) * (1 - v) +
		(at(i, j + 1) * (1 - u) + at(i + 1, j + 1) * u) * v;
}
int main()
{
	static float small[H][W], large[2 * H][2 * W];
	cudaChannelFormatDesc texel = cudaCreateChannelDesc<float>(), got;
	cudaResourceDesc resource;
	cudaTextureDesc sampler;
	cudaTextureObject_t point, linear;
	cudaExtent extent;
	cudaArray_t array;
	unsigned flags;
	float *out;
	int wrong = 0, rows = H;

#ifdef PLANTED
	rows--;
#endif
	for (int y = 0; y < H; y++)
		for (int x = 0; x < W; x++)
			image[y][x] = (float)(16 * (x * 7 + y * 5 % 11));
	cudaMallocArray(&array, &texel, W, H);
	if (cudaMemcpy2DToArray(array, 0, 0, image, sizeof image[0], sizeof image[0], rows, cudaMemcpyHostToDevice))
		return 1;
	memset(&resource, 0, sizeof resource);
	resource.resType = cudaResourceTypeArray;
	resource.res.array.array = array;
	memset(&sampler, 0, sizeof sampler);
	sampler.addressMode[0] = sampler.addressMode[1] = cudaAddressModeClamp;
	if (cudaCreateTextureObject(&point, &resource, &sampler, NULL))
		return 2;
	sampler.filterMode = cudaFilterModeLinear;
	if (cudaCreateTextureObject(&linear, &resource, &sampler, NULL))
		return 3;
	cudaMalloc(&out, sizeof large);
	blur<<<dim3(3, 4), dim3(8, 4)>>>(point, out);
	cudaMemcpy(small, out, sizeof small, cudaMemcpyDeviceToHost);
	zoom<<<dim3(3, 4), dim3(16, 8)>>>(linear, out);
	if (cudaMemcpy(large, out, sizeof large, cudaMemcpyDeviceToHost))
		return 4;
	for (int y = 0; y < H; y++)
		for (int x = 0; x < W; x++) {
			float sum = 0;

			for (int k = 0; k < 9; k++)
				sum += at(x + k % 3 - 1, y + k / 3 - 1);
			wrong += small[y][x] != sum;
		}
	printf("blur: %d wrong\n", wrong);
	wrong = 0;
	for (int y = 0; y < 2 * H; y++)
		for (int x = 0; x < 2 * W; x++)
			wrong += large[y][x] != zoomed(x, y);
	printf("zoom: %d wrong\n", wrong);
	cudaArrayGetInfo(&got, &extent, &flags, array);
	printf("array: %zu x %zu, flags %u, %d bits\n", extent.width, extent.height, flags, got.x);
	cudaDestroyTextureObject(point);
	cudaDestroyTextureObject(linear);
	cudaFreeArray(array);
	cudaFree(out);
}
