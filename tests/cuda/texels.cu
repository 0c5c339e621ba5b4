// Kinds of texels, layers, gathers, planes of memory with a pitch, and surfaces of one, two and three dimensions.
// prints bytes: 0 wrong
// prints units: 0 wrong
// prints shorts: 0 wrong
// prints halves: 0 wrong
// prints pitch: 0 wrong
// prints gather: 0 wrong
// prints layers: 0 wrong
// prints rows of layers: 0 wrong
// prints line: 0 wrong
// prints volume: 0 wrong
// planted F0215
#include <cstdio>
#include <cstring>
constexpr int W = 16, H = 8, L = 3;
__global__ void read_bytes(cudaTextureObject_t t, int *out)
{
	uchar4 v = tex2D<uchar4>(t, threadIdx.x + 0.5f, blockIdx.x + 0.5f);

	out[blockIdx.x * W + threadIdx.x] = v.x + 256 * v.y + 65536 * v.z - v.w;
}
__global__ void read_units(cudaTextureObject_t t, float *out)
{
	float4 v;

	tex2D(&v, t, threadIdx.x + 0.5f, blockIdx.x + 0.5f);
	out[blockIdx.x * W + threadIdx.x] = v.x + v.y + v.z - v.w;
}
__global__ void read_shorts(cudaTextureObject_t t, int *out)
{
	short2 v = tex2D<short2>(t, (threadIdx.x + 0.5f) / W, (blockIdx.x + 0.5f) / H);

	out[blockIdx.x * W + threadIdx.x] = v.x - v.y;
}
__global__ void read_floats(cudaTextureObject_t t, float *out)
{
	out[blockIdx.x * W + threadIdx.x] = tex2D<float>(t, threadIdx.x + 0.5f, blockIdx.x + 0.5f);
}
/* The four texels around the corner between two rows. */
__global__ void gather(cudaTextureObject_t t, float *out)
{
	float4 v = tex2Dgather<float4>(t, threadIdx.x + 1.0f, blockIdx.x + 1.0f), w = tex2Dgather<float4>(t, threadIdx.x + 1.0f, blockIdx.x + 1.0f, 1);

	out[blockIdx.x * W + threadIdx.x] = v.x + 2 * v.y + 4 * v.z + 8 * v.w - w.x;
}
__global__ void write_layers(cudaSurfaceObject_t s)
{
	int x = threadIdx.x, y = threadIdx.y, l = blockIdx.x;

#ifdef PLANTED
	surf2DLayeredwrite(make_float2(x + 100 * l, y), s, x * 8, y, l + 1); // HERE
#else
	surf2DLayeredwrite(make_float2(x + 100 * l, y), s, x * 8, y, l);
#endif
}
__global__ void read_layers(cudaTextureObject_t t, float *out)
{
	float2 v = tex2DLayered<float2>(t, threadIdx.x + 0.5f, threadIdx.y + 0.5f, blockIdx.x);

	out[(blockIdx.x * H + threadIdx.y) * W + threadIdx.x] = v.x + 1000 * v.y;
}
__global__ void rows_of_layers(cudaTextureObject_t t, cudaSurfaceObject_t s, float *out)
{
	int x = threadIdx.x, l = blockIdx.x;

	out[l * W + x] = tex1DLayered<float>(t, x + 0.5f, l) - surf1DLayeredread<float>(s, (W - 1 - x) * 4, l);
}
__global__ void line(cudaSurfaceObject_t s, int *out)
{
	signed char v = surf1Dread<signed char>(s, threadIdx.x);

	__syncthreads();
	surf1Dwrite((signed char)(2 * v), s, W - 1 - threadIdx.x);
	__syncthreads();
	out[threadIdx.x] = surf1Dread<signed char>(s, threadIdx.x);
}
__global__ void volume(cudaSurfaceObject_t s, float *out)
{
	int x = threadIdx.x, y = threadIdx.y, z = blockIdx.x;
	float4 v;

	surf3Dwrite(make_float4(x, y, z, x * y * z), s, x * 16, y, z);
	surf3Dread(&v, s, x * 16, y, z, cudaBoundaryModeClamp);
	out[(z * H + y) * W + x] = v.x + 16 * v.y + 128 * v.z + 1024 * v.w;
}
static cudaArray_t array;
static cudaTextureObject_t texture;
static cudaSurfaceObject_t surface;
/* An array with the data of FROM, a texture of it, and with cudaArraySurfaceLoadStore in FLAGS a surface. */
static void make(cudaChannelFormatDesc texel, cudaExtent extent, unsigned flags, void *from, cudaTextureReadMode mode, bool normalized)
{
	size_t row = extent.width * (texel.x + texel.y + texel.z + texel.w) / 8, height = extent.height ? extent.height : 1;
	cudaResourceDesc resource;
	cudaTextureDesc sampler;
	cudaMemcpy3DParms copy;

	cudaMalloc3DArray(&array, &texel, extent, flags);
	memset(&copy, 0, sizeof copy);
	copy.srcPtr = make_cudaPitchedPtr(from, row, extent.width, height);
	copy.dstArray = array;
	copy.extent = make_cudaExtent(extent.width, height, extent.depth ? extent.depth : 1);
	copy.kind = cudaMemcpyHostToDevice;
	if (from)
		cudaMemcpy3D(&copy);
	memset(&resource, 0, sizeof resource);
	memset(&sampler, 0, sizeof sampler);
	resource.resType = cudaResourceTypeArray;
	resource.res.array.array = array;
	sampler.addressMode[0] = sampler.addressMode[1] = sampler.addressMode[2] = cudaAddressModeClamp;
	sampler.readMode = mode;
	sampler.normalizedCoords = normalized;
	cudaCreateTextureObject(&texture, &resource, &sampler, NULL);
	if (flags & cudaArraySurfaceLoadStore)
		cudaCreateSurfaceObject(&surface, &resource);
}
static int out_ints[W * H];
static float out[W * H * L];
static void *device;
static void done(const char *what, int wrong)
{
	printf("%s: %d wrong\n", what, wrong);
	cudaDestroyTextureObject(texture);
	if (surface)
		cudaDestroySurfaceObject(surface);
	surface = 0;
	cudaFreeArray(array);
	array = NULL;
}
static void bytes()
{
	static uchar4 in[H][W];
	int wrong = 0;

	for (int k = 0; k < W * H; k++)
		in[k / W][k % W] = make_uchar4(k, 255 - k, k * 3, k * 7);
	make(cudaCreateChannelDesc<uchar4>(), make_cudaExtent(W, H, 0), 0, in, cudaReadModeElementType, false);
	read_bytes<<<H, W>>>(texture, (int *)device);
	cudaMemcpy(out_ints, device, sizeof out_ints, cudaMemcpyDeviceToHost);
	for (int k = 0; k < W * H; k++) {
		uchar4 v = in[k / W][k % W];

		wrong += out_ints[k] != v.x + 256 * v.y + 65536 * v.z - v.w;
	}
	done("bytes", wrong);
	make(cudaCreateChannelDesc<uchar4>(), make_cudaExtent(W, H, 0), 0, in, cudaReadModeNormalizedFloat, false);
	read_units<<<H, W>>>(texture, (float *)device);
	cudaMemcpy(out, device, sizeof out_ints, cudaMemcpyDeviceToHost);
	wrong = 0;
	for (int k = 0; k < W * H; k++) {
		uchar4 v = in[k / W][k % W];

		wrong += out[k] != v.x / 255.0f + v.y / 255.0f + v.z / 255.0f - v.w / 255.0f;
	}
	done("units", wrong);
}
static void shorts()
{
	static short2 in[H][W];
	int wrong = 0;

	for (int k = 0; k < W * H; k++)
		in[k / W][k % W] = make_short2(k * 200 - 9000, -k * 3);
	make(cudaCreateChannelDesc<short2>(), make_cudaExtent(W, H, 0), 0, in, cudaReadModeElementType, true);
	read_shorts<<<H, W>>>(texture, (int *)device);
	cudaMemcpy(out_ints, device, sizeof out_ints, cudaMemcpyDeviceToHost);
	for (int k = 0; k < W * H; k++)
		wrong += out_ints[k] != in[k / W][k % W].x - in[k / W][k % W].y;
	done("shorts", wrong);
}
static void halves()
{
	static unsigned short in[H][W]; /* 1, 2, 4 ... and their halves negative */
	int wrong = 0;

	for (int k = 0; k < W * H; k++)
		in[k / W][k % W] = (15 + k % 15) << 10 | (k & 1) << 15;
	make(cudaCreateChannelDescHalf(), make_cudaExtent(W, H, 0), 0, in, cudaReadModeElementType, false);
	read_floats<<<H, W>>>(texture, (float *)device);
	cudaMemcpy(out, device, sizeof out_ints, cudaMemcpyDeviceToHost);
	for (int k = 0; k < W * H; k++)
		wrong += out[k] != (k & 1 ? -1 : 1) * (float)(1 << k % 15);
	done("halves", wrong);
}
static void plane()
{
	static float in[H][W];
	cudaResourceDesc resource;
	cudaTextureDesc sampler;
	void *memory;
	size_t pitch;
	int wrong = 0;

	for (int k = 0; k < W * H; k++)
		in[k / W][k % W] = k * 0.75f;
	cudaMallocPitch(&memory, &pitch, sizeof in[0], H);
	cudaMemcpy2D(memory, pitch, in, sizeof in[0], sizeof in[0], H, cudaMemcpyHostToDevice);
	memset(&resource, 0, sizeof resource);
	memset(&sampler, 0, sizeof sampler);
	resource.resType = cudaResourceTypePitch2D;
	resource.res.pitch2D.devPtr = memory;
	resource.res.pitch2D.desc = cudaCreateChannelDesc<float>();
	resource.res.pitch2D.width = W;
	resource.res.pitch2D.height = H;
	resource.res.pitch2D.pitchInBytes = pitch;
	cudaCreateTextureObject(&texture, &resource, &sampler, NULL);
	read_floats<<<H, W>>>(texture, (float *)device);
	cudaMemcpy(out, device, sizeof out_ints, cudaMemcpyDeviceToHost);
	for (int k = 0; k < W * H; k++)
		wrong += out[k] != in[k / W][k % W];
	done("pitch", wrong);
	cudaFree(memory);
}
static void corners()
{
	static float in[H][W];
	int wrong = 0;

	for (int k = 0; k < W * H; k++)
		in[k / W][k % W] = (float)(k * 37 % 101);
	make(cudaCreateChannelDesc<float>(), make_cudaExtent(W, H, 0), cudaArrayTextureGather, in, cudaReadModeElementType, false);
	gather<<<H - 1, W - 1>>>(texture, (float *)device);
	cudaMemcpy(out, device, sizeof out_ints, cudaMemcpyDeviceToHost);
	for (int y = 0; y < H - 1; y++)
		for (int x = 0; x < W - 1; x++)
			wrong += out[y * W + x] != in[y + 1][x] + 2 * in[y + 1][x + 1] + 4 * in[y][x + 1] + 8 * in[y][x];
	done("gather", wrong);
}
static void layers()
{
	static float in[L][W];
	int wrong = 0;

	make(cudaCreateChannelDesc<float2>(), make_cudaExtent(W, H, L), cudaArrayLayered | cudaArraySurfaceLoadStore, NULL, cudaReadModeElementType, false);
	write_layers<<<L, dim3(W, H)>>>(surface);
	read_layers<<<L, dim3(W, H)>>>(texture, (float *)device);
	cudaMemcpy(out, device, sizeof out, cudaMemcpyDeviceToHost);
	for (int k = 0; k < W * H * L; k++)
		wrong += out[k] != k % W + 100 * (k / (W * H)) + 1000 * (k / W % H);
	done("layers", wrong);
	wrong = 0;
	for (int k = 0; k < W * L; k++)
		in[k / W][k % W] = (float)(k * k);
	make(cudaCreateChannelDesc<float>(), make_cudaExtent(W, 0, L), cudaArrayLayered | cudaArraySurfaceLoadStore, in, cudaReadModeElementType, false);
	rows_of_layers<<<L, W>>>(texture, surface, (float *)device);
	cudaMemcpy(out, device, sizeof in, cudaMemcpyDeviceToHost);
	for (int k = 0; k < W * L; k++)
		wrong += out[k] != in[k / W][k % W] - in[k / W][W - 1 - k % W];
	done("rows of layers", wrong);
}
static void surfaces()
{
	signed char in[W];
	int wrong = 0;

	for (int k = 0; k < W; k++)
		in[k] = (signed char)(3 * k - 20);
	make(cudaCreateChannelDesc<signed char>(), make_cudaExtent(W, 0, 0), cudaArraySurfaceLoadStore, in, cudaReadModeElementType, false);
	line<<<1, W>>>(surface, (int *)device);
	cudaMemcpy(out_ints, device, sizeof out_ints, cudaMemcpyDeviceToHost);
	for (int k = 0; k < W; k++)
		wrong += out_ints[k] != 2 * in[W - 1 - k];
	done("line", wrong);
	wrong = 0;
	make(cudaCreateChannelDesc<float4>(), make_cudaExtent(W, H, L), cudaArraySurfaceLoadStore, NULL, cudaReadModeElementType, false);
	volume<<<L, dim3(W, H)>>>(surface, (float *)device);
	cudaMemcpy(out, device, sizeof out, cudaMemcpyDeviceToHost);
	for (int k = 0; k < W * H * L; k++) {
		int x = k % W, y = k / W % H, z = k / (W * H);

		wrong += out[k] != x + 16 * y + 128 * z + 1024 * x * y * z;
	}
	done("volume", wrong);
}
int main()
{
	cudaMalloc(&device, sizeof out);
	cudaMemset(device, 0, sizeof out);
	bytes();
	shorts();
	halves();
	plane();
	corners();
	layers();
	surfaces();
	cudaFree(device);
}
