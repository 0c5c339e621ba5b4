// A volume in an array of three dimensions, sampled along rays with normalized coordinates: filtered, and mirrored or repeated outside.
// prints filtered: 0 wrong
// prints copied: 0 wrong
// planted F0207
#include <cmath>
#include <cstdio>
#include <cstring>
constexpr int N = 8; /* texels in each dimension */
constexpr int RAYS = 64, STEPS = 48;
/* Positions are multiples of a quarter of a texel, from well before the volume to well behind it. */
__host__ __device__ float position(int ray, int step, int dimension)
{
	int q = dimension == 0 ? step * 3 - 40 : dimension == 1 ? ray * 5 % 61 - 13 : (ray + step) % 50 - 9;

	return q / 4.0f;
}
__global__ void sample(cudaTextureObject_t volume, float *out)
{
	int ray = blockIdx.x, step = threadIdx.x;

	out[ray * STEPS + step] =
		tex3D<float>(volume, position(ray, step, 0) / N, position(ray, step, 1) / N, position(ray, step, 2) / N); // HERE
}
static float volume[N][N][N];
static int mirror(int i)
{
	int k = (i % (2 * N) + 2 * N) % (2 * N);

	return k < N ? k : 2 * N - 1 - k;
}
static int wrap(int i) { return (i % N + N) % N; }
static int clamp(int i) { return i < 0 ? 0 : i >= N ? N - 1 : i; }
/* x is mirrored, y repeated, z clamped. */
static float expected(float x, float y, float z)
{
	float f[3] = {x - 0.5f, y - 0.5f, z - 0.5f}, sum = 0;
	int i[3];

	for (int d = 0; d < 3; d++) {
		i[d] = (int)floorf(f[d]);
		f[d] -= i[d];
	}
	for (int k = 0; k < 8; k++)
		sum += volume[clamp(i[2] + (k >> 2))][wrap(i[1] + (k >> 1 & 1))][mirror(i[0] + (k & 1))] * (k & 1 ? f[0] : 1 - f[0]) *
			(k & 2 ? f[1] : 1 - f[1]) * (k & 4 ? f[2] : 1 - f[2]);
	return sum;
}
int main()
{
	static float out[RAYS][STEPS], part[2][3][4];
	cudaChannelFormatDesc texel = cudaCreateChannelDesc<float>();
	cudaExtent extent = make_cudaExtent(N, N, N);
	cudaMemcpy3DParms copy;
	cudaResourceDesc resource;
	cudaTextureDesc sampler;
	cudaTextureObject_t texture;
	cudaArray_t array;
	float *d_out;
	int wrong = 0;

	for (int z = 0; z < N; z++)
		for (int y = 0; y < N; y++)
			for (int x = 0; x < N; x++)
				volume[z][y][x] = (float)(64 * ((x * 3 + y * 5 + z * z * 7) % 29));
	cudaMalloc3DArray(&array, &texel, extent);
	memset(&copy, 0, sizeof copy);
	copy.srcPtr = make_cudaPitchedPtr(volume, N * sizeof(float), N, N);
	copy.dstArray = array;
	copy.extent = extent;
	copy.kind = cudaMemcpyHostToDevice;
	if (cudaMemcpy3D(&copy))
		return 1;
	memset(&resource, 0, sizeof resource);
	memset(&sampler, 0, sizeof sampler);
	resource.resType = cudaResourceTypeArray;
	resource.res.array.array = array;
	sampler.addressMode[0] = cudaAddressModeMirror;
	sampler.addressMode[1] = cudaAddressModeWrap;
	sampler.addressMode[2] = cudaAddressModeClamp;
	sampler.filterMode = cudaFilterModeLinear;
	sampler.normalizedCoords = 1;
	if (cudaCreateTextureObject(&texture, &resource, &sampler, NULL))
		return 2;
	/* rows 2 to 4 of slices 5 and 6, from texel 3 on */
	memset(&copy, 0, sizeof copy);
	copy.srcArray = array;
	copy.srcPos = make_cudaPos(3, 2, 5);
	copy.dstPtr = make_cudaPitchedPtr(part, sizeof part[0][0], 4, 3);
	copy.extent = make_cudaExtent(4, 3, 2);
	copy.kind = cudaMemcpyDeviceToHost;
	if (cudaMemcpy3D(&copy))
		return 3;
#ifdef PLANTED
	cudaFreeArray(array);
#endif
	cudaMalloc(&d_out, sizeof out);
	sample<<<RAYS, STEPS>>>(texture, d_out);
	if (cudaMemcpy(out, d_out, sizeof out, cudaMemcpyDeviceToHost))
		return 4;
	for (int r = 0; r < RAYS; r++)
		for (int s = 0; s < STEPS; s++)
			wrong += out[r][s] != expected(position(r, s, 0), position(r, s, 1), position(r, s, 2));
	printf("filtered: %d wrong\n", wrong);
	wrong = 0;
	for (int k = 0; k < 24; k++)
		wrong += part[k / 12][k / 4 % 3][k % 4] != volume[5 + k / 12][2 + k / 4 % 3][3 + k % 4];
	printf("copied: %d wrong\n", wrong);
	cudaDestroyTextureObject(texture);
	cudaFreeArray(array);
}
