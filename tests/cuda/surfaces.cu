// Heat in two arrays: each launch reads one through a texture, and writes the other through a surface.
// prints 0 wrong after 20 steps
// prints outside: 7 0 7
// planted F0202
#include <cstdio>
#include <cstring>
constexpr int W = 32, H = 16;
__global__ void step(cudaTextureObject_t from, cudaSurfaceObject_t to)
{
	int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
	float sum = tex2D<float>(from, x - 0.5f, y + 0.5f) + tex2D<float>(from, x + 1.5f, y + 0.5f) +
		tex2D<float>(from, x + 0.5f, y - 0.5f) + tex2D<float>(from, x + 0.5f, y + 1.5f);

#ifdef PLANTED
	surf2Dwrite(sum / 4, to, x, y); // HERE
#else
	surf2Dwrite(sum / 4, to, x * (int)sizeof sum, y);
#endif
}
/* Reads the last texel of a row, the one after it as zero, and the same clamped. */
__global__ void outside(cudaSurfaceObject_t s, int *out)
{
	surf2Dwrite(7, s, (W - 1) * 4, 0);
	surf2Dwrite(8, s, W * 4, 0, cudaBoundaryModeZero);
	surf2Dread(&out[0], s, (W - 1) * 4, 0);
	out[1] = surf2Dread<int>(s, W * 4, 0, cudaBoundaryModeZero);
	out[2] = surf2Dread<int>(s, (W + 5) * 4, -1, cudaBoundaryModeClamp);
}
int main()
{
	static float before[H][W], after[H][W], got[H][W];
	cudaChannelFormatDesc texel = cudaCreateChannelDesc<float>();
	cudaArray_t array[2];
	cudaTextureObject_t texture[2];
	cudaSurfaceObject_t surface[2];
	int *out, found[3], wrong = 0;

	for (int y = 0; y < H; y++)
		for (int x = 0; x < W; x++)
			before[y][x] = x == 5 && y == 7 ? 1048576.0f : 0;
	for (int k = 0; k < 2; k++) {
		cudaResourceDesc resource;
		cudaTextureDesc sampler;

		memset(&resource, 0, sizeof resource);
		memset(&sampler, 0, sizeof sampler);
		cudaMallocArray(&array[k], &texel, W, H, cudaArraySurfaceLoadStore);
		resource.resType = cudaResourceTypeArray;
		resource.res.array.array = array[k];
		sampler.addressMode[0] = sampler.addressMode[1] = cudaAddressModeBorder;
		if (cudaCreateTextureObject(&texture[k], &resource, &sampler, NULL) || cudaCreateSurfaceObject(&surface[k], &resource))
			return 1;
	}
	cudaMemcpy2DToArray(array[0], 0, 0, before, sizeof before[0], sizeof before[0], H, cudaMemcpyHostToDevice);
	for (int n = 0; n < 20; n++) {
		step<<<dim3(W / 16, H / 8), dim3(16, 8)>>>(texture[n % 2], surface[1 - n % 2]);
		for (int y = 0; y < H; y++)
			for (int x = 0; x < W; x++)
				after[y][x] = ((x ? before[y][x - 1] : 0) + (x < W - 1 ? before[y][x + 1] : 0) + (y ? before[y - 1][x] : 0) +
						      (y < H - 1 ? before[y + 1][x] : 0)) /
					4;
		memcpy(before, after, sizeof before);
	}
	if (cudaMemcpy2DFromArray(got, sizeof got[0], array[0], 0, 0, sizeof got[0], H, cudaMemcpyDeviceToHost))
		return 2;
	for (int k = 0; k < W * H; k++)
		wrong += (&got[0][0])[k] != (&before[0][0])[k];
	printf("%d wrong after 20 steps\n", wrong);
	cudaMalloc(&out, sizeof found);
	outside<<<1, 1>>>(surface[0], out);
	cudaMemcpy(found, out, sizeof found, cudaMemcpyDeviceToHost);
	printf("outside: %d %d %d\n", found[0], found[1], found[2]);
	for (int k = 0; k < 2; k++) {
		cudaDestroyTextureObject(texture[k]);
		cudaDestroySurfaceObject(surface[k]);
		cudaFreeArray(array[k]);
	}
}
