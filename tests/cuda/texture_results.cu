// What the functions for arrays, textures and surfaces return: the results of an H100.
// prints 2D: no error, 8 x 4 x 0, flags 0
// prints 1D: no error, 8 x 0 x 0, flags 0
// prints 3D: no error, 8 x 4 x 2, flags 0
// prints layers in one dimension: no error, 8 x 0 x 3, flags 1
// prints layers without a number: cudaErrorInvalidValue
// prints depth without height: cudaErrorInvalidValue
// prints gather: no error, 8 x 4 x 0, flags 8
// prints gather in one dimension: cudaErrorInvalidValue
// prints no width: cudaErrorInvalidValue
// prints the widest: no error, 131072 x 0 x 0, flags 0
// prints too wide: cudaErrorInvalidValue
// prints too high: cudaErrorInvalidValue
// prints deep: no error, 8 x 8 x 16385, flags 0
// prints too wide for three dimensions: cudaErrorInvalidValue
// prints too many layers: cudaErrorInvalidValue
// prints unknown flags: cudaErrorInvalidValue
// prints three channels: cudaErrorInvalidChannelDescriptor
// prints channels of two sizes: cudaErrorInvalidChannelDescriptor
// prints floats of 8 bits: cudaErrorInvalidChannelDescriptor
// prints 64 bits: cudaErrorInvalidChannelDescriptor
// prints filtered ints: cudaErrorInvalidFilterSetting
// prints filtered bytes: cudaErrorInvalidFilterSetting
// prints filtered unit bytes: no error
// prints unit floats: cudaErrorInvalidNormSetting
// prints filtered unit ints: cudaErrorInvalidFilterSetting
// prints unit ints: cudaErrorInvalidNormSetting
// prints address mode 7: cudaErrorInvalidValue
// prints filter mode 7: cudaErrorInvalidValue
// prints type 9: cudaErrorInvalidValue
// prints no array: cudaErrorInvalidResourceHandle
// prints linear: no error
// prints linear, not aligned: cudaErrorInvalidValue
// prints linear, null: cudaErrorInvalidValue
// prints linear, larger than its memory: no error
// prints pitch: no error
// prints pitch, not aligned: cudaErrorInvalidValue
// prints pitch, too high: cudaErrorInvalidValue
// prints surface of linear memory: cudaErrorInvalidValue
// prints to an array from the device: cudaErrorInvalidMemcpyDirection
// prints to an array, pitch: cudaErrorInvalidPitchValue
// prints to no array: cudaErrorInvalidResourceHandle
// prints to an array, nothing: no error
// prints part of a texel: no error
// prints array to array, other direction: cudaErrorInvalidMemcpyDirection
// prints box, other direction: cudaErrorInvalidValue
// prints box, two destinations: cudaErrorInvalidValue
// prints box, no depth: no error
// prints box, no source: cudaErrorInvalidValue
// prints box, other texels: cudaErrorInvalidValue
// prints in rows: 0 1 2 3
// prints description of 12345: cudaErrorInvalidValue
// prints description: 2 4096 32 0
// prints sampler: 1 0 1 1
// prints most: 131072 65536 16384 32768 1073741824
#include <cstdio>
#include <cstring>
static void say(const char *what, cudaError_t e)
{
	cudaGetLastError();
	printf("%s: %s\n", what, e ? cudaGetErrorName(e) : "no error");
}
static cudaChannelFormatDesc format(int x, int y, int z, int w, cudaChannelFormatKind f) { return cudaCreateChannelDesc(x, y, z, w, f); }
static void array(const char *what, cudaChannelFormatDesc texel, size_t width, size_t height, size_t depth, unsigned flags)
{
	cudaArray_t a = NULL;
	cudaError_t e = cudaMalloc3DArray(&a, &texel, make_cudaExtent(width, height, depth), flags);
	cudaExtent extent;

	if (e) {
		say(what, e);
		return;
	}
	cudaArrayGetInfo(NULL, &extent, &flags, a);
	printf("%s: no error, %zu x %zu x %zu, flags %u\n", what, extent.width, extent.height, extent.depth, flags);
	cudaFreeArray(a);
}
static void texture(const char *what, cudaResourceDesc resource, cudaTextureDesc sampler)
{
	cudaTextureObject_t t = 0;

	say(what, cudaCreateTextureObject(&t, &resource, &sampler, NULL));
	cudaDestroyTextureObject(t);
}
static cudaResourceDesc of_array(cudaArray_t a)
{
	cudaResourceDesc r;

	memset(&r, 0, sizeof r);
	r.resType = cudaResourceTypeArray;
	r.res.array.array = a;
	return r;
}
static cudaResourceDesc of_linear(void *p, size_t bytes)
{
	cudaResourceDesc r;

	memset(&r, 0, sizeof r);
	r.resType = cudaResourceTypeLinear;
	r.res.linear.devPtr = p;
	r.res.linear.desc = cudaCreateChannelDesc<float>();
	r.res.linear.sizeInBytes = bytes;
	return r;
}
static cudaResourceDesc of_pitch(void *p, size_t height, size_t pitch)
{
	cudaResourceDesc r;

	memset(&r, 0, sizeof r);
	r.resType = cudaResourceTypePitch2D;
	r.res.pitch2D.devPtr = p;
	r.res.pitch2D.desc = cudaCreateChannelDesc<float>();
	r.res.pitch2D.width = 8;
	r.res.pitch2D.height = height;
	r.res.pitch2D.pitchInBytes = pitch;
	return r;
}
int main()
{
	cudaChannelFormatDesc f = cudaCreateChannelDesc<float>(), i = cudaCreateChannelDesc<int>(), b = cudaCreateChannelDesc<uchar4>(),
			      one = cudaCreateChannelDesc<unsigned char>();
	cudaArray_t floats, ints, bytes, single, volume;
	cudaTextureDesc plain, t;
	cudaTextureObject_t made;
	cudaSurfaceObject_t surface;
	cudaResourceDesc r;
	cudaMemcpy3DParms box;
	cudaDeviceProp most;
	static float rows[4][8], back[4][8];
	size_t texels;
	float *memory;

	array("2D", f, 8, 4, 0, 0);
	array("1D", f, 8, 0, 0, 0);
	array("3D", f, 8, 4, 2, 0);
	array("layers in one dimension", f, 8, 0, 3, cudaArrayLayered);
	array("layers without a number", f, 8, 4, 0, cudaArrayLayered);
	array("depth without height", f, 8, 0, 2, 0);
	array("gather", f, 8, 4, 0, cudaArrayTextureGather);
	array("gather in one dimension", f, 8, 0, 0, cudaArrayTextureGather);
	array("no width", f, 0, 0, 0, 0);
	array("the widest", f, 131072, 0, 0, 0);
	array("too wide", f, 131073, 0, 0, 0);
	array("too high", one, 8, 65537, 0, 0);
	array("deep", one, 8, 8, 16385, 0);
	array("too wide for three dimensions", one, 16385, 1, 1, 0);
	array("too many layers", one, 8, 8, 2049, cudaArrayLayered);
	array("unknown flags", f, 8, 4, 0, 0x1000);
	array("three channels", format(8, 8, 8, 0, cudaChannelFormatKindUnsigned), 8, 4, 0, 0);
	array("channels of two sizes", format(8, 16, 0, 0, cudaChannelFormatKindUnsigned), 8, 4, 0, 0);
	array("floats of 8 bits", format(8, 0, 0, 0, cudaChannelFormatKindFloat), 8, 4, 0, 0);
	array("64 bits", format(64, 0, 0, 0, cudaChannelFormatKindFloat), 8, 4, 0, 0);

	cudaMallocArray(&floats, &f, 8, 4);
	cudaMallocArray(&ints, &i, 8, 4);
	cudaMallocArray(&bytes, &b, 8, 4);
	cudaMallocArray(&single, &one, 8, 4);
	cudaMalloc3DArray(&volume, &f, make_cudaExtent(8, 4, 2));
	cudaMalloc(&memory, 1 << 20);
	memset(&plain, 0, sizeof plain);
	t = plain;
	t.filterMode = cudaFilterModeLinear;
	texture("filtered ints", of_array(ints), t);
	texture("filtered bytes", of_array(bytes), t);
	t.readMode = cudaReadModeNormalizedFloat;
	texture("filtered unit bytes", of_array(bytes), t);
	texture("unit floats", of_array(floats), t);
	texture("filtered unit ints", of_array(ints), t);
	t.filterMode = cudaFilterModePoint;
	texture("unit ints", of_array(ints), t);
	t = plain;
	t.addressMode[0] = (cudaTextureAddressMode)7;
	texture("address mode 7", of_array(floats), t);
	t = plain;
	t.filterMode = (cudaTextureFilterMode)7;
	texture("filter mode 7", of_array(floats), t);
	r = of_array(floats);
	r.resType = (cudaResourceType)9;
	texture("type 9", r, plain);
	texture("no array", of_array(NULL), plain);
	texture("linear", of_linear(memory, 4096), plain);
	texture("linear, not aligned", of_linear(memory + 4, 4096), plain);
	texture("linear, null", of_linear(NULL, 4096), plain);
	texture("linear, larger than its memory", of_linear(memory, 1 << 26), plain);
	texture("pitch", of_pitch(memory, 4, 32), plain);
	texture("pitch, not aligned", of_pitch(memory, 4, 48), plain);
	texture("pitch, too high", of_pitch(memory, 65001, 32), plain);
	r = of_linear(memory, 4096);
	say("surface of linear memory", cudaCreateSurfaceObject(&surface, &r));

	say("to an array from the device", cudaMemcpy2DToArray(floats, 0, 0, rows, 32, 32, 4, cudaMemcpyDeviceToHost));
	say("to an array, pitch", cudaMemcpy2DToArray(floats, 0, 0, rows, 16, 32, 4, cudaMemcpyHostToDevice));
	say("to no array", cudaMemcpy2DToArray(NULL, 0, 0, rows, 32, 32, 4, cudaMemcpyHostToDevice));
	say("to an array, nothing", cudaMemcpy2DToArray(floats, 0, 0, rows, 32, 0, 4, cudaMemcpyHostToDevice));
	say("part of a texel", cudaMemcpy2DToArray(floats, 2, 0, rows, 32, 4, 4, cudaMemcpyHostToDevice));
	say("array to array, other direction", cudaMemcpy2DArrayToArray(ints, 0, 0, floats, 0, 0, 32, 4, cudaMemcpyHostToDevice));
	memset(&box, 0, sizeof box);
	box.srcPtr = make_cudaPitchedPtr(rows, 32, 8, 4);
	box.dstArray = volume;
	box.extent = make_cudaExtent(8, 4, 1);
	box.kind = cudaMemcpyDeviceToHost;
	say("box, other direction", cudaMemcpy3D(&box));
	box.kind = cudaMemcpyHostToDevice;
	box.dstPtr = make_cudaPitchedPtr(memory, 32, 8, 4);
	say("box, two destinations", cudaMemcpy3D(&box));
	memset(&box.dstPtr, 0, sizeof box.dstPtr);
	box.extent.depth = 0;
	say("box, no depth", cudaMemcpy3D(&box));
	box.extent.depth = 1;
	memset(&box.srcPtr, 0, sizeof box.srcPtr);
	say("box, no source", cudaMemcpy3D(&box));
	box.srcArray = single;
	box.kind = cudaMemcpyDeviceToDevice;
	say("box, other texels", cudaMemcpy3D(&box));

	for (int k = 0; k < 32; k++)
		(&rows[0][0])[k] = (float)k;
	/* 20 texels from the middle of row 1 on, which go on in rows 2 and 3 */
	cudaMemset(memory, 0, 128);
	cudaMemcpy2DToArray(floats, 0, 0, memory, 32, 32, 4, cudaMemcpyDeviceToDevice);
	for (int k = 0; k < 20; k += 8) {
		cudaMemcpy2DToArray(floats, 16, 1 + k / 8, rows[0] + k, 16, 16, 1, cudaMemcpyHostToDevice);
		if (k < 16)
			cudaMemcpy2DToArray(floats, 0, 2 + k / 8, rows[0] + k + 4, 16, 16, 1, cudaMemcpyHostToDevice);
	}
	cudaMemcpy2DArrayToArray(ints, 0, 0, floats, 0, 0, 32, 4);
	cudaMemcpy2DFromArray(back, 32, ints, 0, 0, 32, 4, cudaMemcpyDeviceToHost);
	printf("in rows: %g %g %g %g\n", back[0][0] + back[1][3], back[1][4] + 1, back[1][6], back[2][0] - 1);

	t = plain;
	t.addressMode[0] = cudaAddressModeClamp;
	t.normalizedCoords = 1;
	t.maxAnisotropy = 1;
	r = of_linear(memory, 4096);
	cudaCreateTextureObject(&made, &r, &t, NULL);
	say("description of 12345", cudaGetTextureObjectResourceDesc(&r, 12345));
	memset(&r, 0, sizeof r);
	cudaGetTextureObjectResourceDesc(&r, made);
	printf("description: %d %zu %d %d\n", r.resType, r.res.linear.sizeInBytes, r.res.linear.desc.x, r.res.linear.desc.y);
	cudaGetTextureObjectTextureDesc(&t, made);
	printf("sampler: %d %d %d %d\n", t.addressMode[0], t.filterMode, t.normalizedCoords, (int)t.maxAnisotropy);
	cudaDestroyTextureObject(made);
	cudaGetDeviceProperties(&most, 0);
	cudaDeviceGetTexture1DLinearMaxWidth(&texels, &f, 0);
	printf("most: %d %d %d %d %zu\n", most.maxTexture1D, most.maxTexture2D[1], most.maxTexture3D[2], most.maxSurface1DLayered[0], texels);
}
