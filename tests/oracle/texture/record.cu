// Records what a GPU reads through textures: `nvcc -arch=sm_90 -o record tests/oracle/texture/record.cu && ./record >tests/oracle/h100/texture.tsv`.
// One line a configuration of inputs.h: its number and the digest of its results.
#include "inputs.h"
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>

#define CHECK(call) \
	do { \
		cudaError_t e_ = (call); \
		if (e_ != cudaSuccess) { \
			fprintf(stderr, "line %d: %s\n", __LINE__, cudaGetErrorString(e_)); \
			exit(1); \
		} \
	} while (0)
#define TEX(form, address, ...) \
	asm volatile(form ".v4.u32." address : "=r"(r.x), "=r"(r.y), "=r"(r.z), "=r"(r.w) : "l"(t), __VA_ARGS__)
#define ONE " {%0, %1, %2, %3}, [%4, {%5}];"
#define TWO " {%0, %1, %2, %3}, [%4, {%5, %6}];"
#define FOUR " {%0, %1, %2, %3}, [%4, {%5, %6, %7, %7}];"

__global__ void fetch(int shape, bool floats, unsigned long long t, const uint4 *at, uint4 *result)
{
	const int i = threadIdx.x + blockIdx.x * blockDim.x;
	const uint4 c = at[i];
	const float x = __uint_as_float(c.x), y = __uint_as_float(c.y), z = __uint_as_float(c.z);
	uint4 r = make_uint4(0, 0, 0, 0);
	switch (shape * 2 + floats) {
	case SHAPE_LINEAR * 2:
	case SHAPE_1D * 2: TEX("tex.1d", "s32" ONE, "r"(c.x)); break;
	case SHAPE_1D * 2 + 1: TEX("tex.1d", "f32" ONE, "f"(x)); break;
	case SHAPE_2D * 2:
	case SHAPE_PITCH * 2: TEX("tex.2d", "s32" TWO, "r"(c.x), "r"(c.y)); break;
	case SHAPE_2D * 2 + 1:
	case SHAPE_PITCH * 2 + 1: TEX("tex.2d", "f32" TWO, "f"(x), "f"(y)); break;
	case SHAPE_3D * 2: TEX("tex.3d", "s32" FOUR, "r"(c.x), "r"(c.y), "r"(c.z)); break;
	case SHAPE_3D * 2 + 1: TEX("tex.3d", "f32" FOUR, "f"(x), "f"(y), "f"(z)); break;
	case SHAPE_A1D * 2: TEX("tex.a1d", "s32" TWO, "r"(c.w), "r"(c.x)); break;
	case SHAPE_A1D * 2 + 1: TEX("tex.a1d", "f32" TWO, "r"(c.w), "f"(x)); break;
	case SHAPE_A2D * 2: TEX("tex.a2d", "s32" FOUR, "r"(c.w), "r"(c.x), "r"(c.y)); break;
	case SHAPE_A2D * 2 + 1: TEX("tex.a2d", "f32" FOUR, "r"(c.w), "f"(x), "f"(y)); break;
	case SHAPE_GATHER_R * 2 + 1: TEX("tld4.r.2d", "f32" TWO, "f"(x), "f"(y)); break;
	case SHAPE_GATHER_A * 2 + 1: TEX("tld4.a.2d", "f32" TWO, "f"(x), "f"(y)); break;
	}
	result[i] = r;
}

#define HALF2(address, ...) \
	asm volatile("tex.2d.v2.f16x2." address : "=r"(r.x), "=r"(r.y) : "l"(t), __VA_ARGS__)
#define HALF4(address, ...) \
	asm volatile("{ .reg .b16 h<4>; tex.2d.v4.f16." address \
		     " cvt.u32.u16 %0, h0; cvt.u32.u16 %1, h1; cvt.u32.u16 %2, h2; cvt.u32.u16 %3, h3; }" \
		: "=r"(r.x), "=r"(r.y), "=r"(r.z), "=r"(r.w) : "l"(t), __VA_ARGS__)

// Cubes, and results of 16 bits.
__global__ void fetch_more(int shape, bool floats, unsigned long long t, const uint4 *at, uint4 *result)
{
	const int i = threadIdx.x + blockIdx.x * blockDim.x;
	const uint4 c = at[i];
	const float x = __uint_as_float(c.x), y = __uint_as_float(c.y), z = __uint_as_float(c.z);
	uint4 r = make_uint4(0, 0, 0, 0);
	switch (shape * 2 + floats) {
	case SHAPE_HALF2 * 2: HALF2("s32 {%0, %1}, [%2, {%3, %4}];", "r"(c.x), "r"(c.y)); break;
	case SHAPE_HALF2 * 2 + 1: HALF2("f32 {%0, %1}, [%2, {%3, %4}];", "f"(x), "f"(y)); break;
	case SHAPE_HALF4 * 2: HALF4("s32 {h0, h1, h2, h3}, [%4, {%5, %6}];", "r"(c.x), "r"(c.y)); break;
	case SHAPE_HALF4 * 2 + 1: HALF4("f32 {h0, h1, h2, h3}, [%4, {%5, %6}];", "f"(x), "f"(y)); break;
	case SHAPE_CUBE * 2 + 1: TEX("tex.cube", "f32" FOUR, "f"(x), "f"(y), "f"(z)); break;
	case SHAPE_ACUBE * 2 + 1:
		TEX("tex.acube", "f32 {%0, %1, %2, %3}, [%4, {%5, %6, %7, %8}];", "r"(c.w), "f"(x), "f"(y), "f"(z));
		break;
	}
	result[i] = r;
}

int main(int argc, char **argv)
{
	// ./record RAW: only the configurations from SHAPE_HALF2 on, their results into the file RAW
	FILE *raw = argc > 1 ? fopen(argv[1], "wb") : NULL;
	uint4 *at, *result;
	CHECK(cudaMalloc(&at, SAMPLES * 16));
	CHECK(cudaMalloc(&result, SAMPLES * 16));
	for (struct configuration c = {}; next_configuration(&c);) {
		if (raw && c.shape < SHAPE_HALF2)
			continue;
		const size_t bytes = texel_size(&c);
		std::vector<uint8_t> texels(texels_size(&c));
		static uint32_t in[SAMPLES][4], out[SAMPLES][4];
		input_texels(&c, texels.data());
		input_coordinates(&c, in);
		cudaChannelFormatDesc format = {c.bits, c.channels > 1 ? c.bits : 0, c.channels > 2 ? c.bits : 0,
			c.channels > 2 ? c.bits : 0,
			c.kind == 0 ? cudaChannelFormatKindUnsigned : c.kind == 1 ? cudaChannelFormatKindSigned : cudaChannelFormatKindFloat};
		cudaResourceDesc resource = {};
		cudaTextureDesc sampler = {};
		cudaArray_t array = 0;
		void *memory = 0;
		if (c.shape == SHAPE_LINEAR) {
			CHECK(cudaMalloc(&memory, texels.size()));
			CHECK(cudaMemcpy(memory, texels.data(), texels.size(), cudaMemcpyHostToDevice));
			resource.resType = cudaResourceTypeLinear;
			resource.res.linear.devPtr = memory;
			resource.res.linear.desc = format;
			resource.res.linear.sizeInBytes = texels.size();
		} else if (c.shape == SHAPE_PITCH) {
			size_t pitch;
			CHECK(cudaMallocPitch(&memory, &pitch, bytes * c.size[0], c.size[1]));
			CHECK(cudaMemcpy2D(memory, pitch, texels.data(), bytes * c.size[0], bytes * c.size[0], c.size[1], cudaMemcpyHostToDevice));
			resource.resType = cudaResourceTypePitch2D;
			resource.res.pitch2D.devPtr = memory;
			resource.res.pitch2D.desc = format;
			resource.res.pitch2D.width = c.size[0];
			resource.res.pitch2D.height = c.size[1];
			resource.res.pitch2D.pitchInBytes = pitch;
		} else {
			const unsigned flags = c.shape == SHAPE_A1D || c.shape == SHAPE_A2D ? cudaArrayLayered
				: is_gather(c.shape)                                        ? cudaArrayTextureGather
				: c.shape == SHAPE_CUBE                                     ? cudaArrayCubemap
				: c.shape == SHAPE_ACUBE                                    ? cudaArrayCubemap | cudaArrayLayered
											    : cudaArrayDefault;
			cudaMemcpy3DParms copy = {};
			CHECK(cudaMalloc3DArray(&array, &format, make_cudaExtent(c.size[0], c.size[1], c.size[2]), flags));
			copy.srcPtr = make_cudaPitchedPtr(texels.data(), bytes * c.size[0], c.size[0], at_least_one(c.size[1]));
			copy.dstArray = array;
			copy.extent = make_cudaExtent(c.size[0], at_least_one(c.size[1]), at_least_one(c.size[2]));
			copy.kind = cudaMemcpyHostToDevice;
			CHECK(cudaMemcpy3D(&copy));
			resource.resType = cudaResourceTypeArray;
			resource.res.array.array = array;
		}
		for (int d = 0; d < 3; d++)
			sampler.addressMode[d] = (cudaTextureAddressMode)c.outside;
		sampler.filterMode = c.filters ? cudaFilterModeLinear : cudaFilterModePoint;
		sampler.readMode = c.unit_range ? cudaReadModeNormalizedFloat : cudaReadModeElementType;
		sampler.normalizedCoords = c.normalized;
		cudaTextureObject_t texture;
		CHECK(cudaCreateTextureObject(&texture, &resource, &sampler, NULL));
		CHECK(cudaMemcpy(at, in, sizeof in, cudaMemcpyHostToDevice));
		(c.shape < SHAPE_HALF2 ? fetch : fetch_more)<<<SAMPLES / 128, 128>>>(c.shape, c.floats, texture, at, result);
		CHECK(cudaMemcpy(out, result, sizeof out, cudaMemcpyDeviceToHost));
		if (raw)
			fwrite(out, sizeof out, 1, raw);
		printf("%u\t%016llx\n", c.number, (unsigned long long)digest_of(out));
		CHECK(cudaDestroyTextureObject(texture));
		CHECK(cudaFreeArray(array));
		CHECK(cudaFree(memory));
	}
	return 0;
}
