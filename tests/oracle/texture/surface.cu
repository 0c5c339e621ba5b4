// Records what a GPU makes of formatted stores and reductions on surfaces: `nvcc -arch=sm_90 -o surface tests/oracle/texture/surface.cu && ./surface >tests/oracle/h100/surface.tsv`.
// One line a case of inputs.h: its number and the digest of the surface. `./surface RAW` also writes the surfaces.
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
#define WORDS "{ .reg .b64 w; mov.b64 w, {%3, %4}; "
#define ONE(op, type, how) \
	asm volatile(op ".2d." type how " [%0, {%1, %2}], %3;" ::"l"(s), "r"(u[0]), "r"(u[1]), "r"(u[2]) : "memory")
#define TWO(op, type, how) \
	asm volatile(op ".2d." type how " [%0, {%1, %2}], {%3, %4};" ::"l"(s), "r"(u[0]), "r"(u[1]), "r"(u[2]), "r"(u[3]) : "memory")
#define FOUR(op, type, how) \
	asm volatile(op ".2d." type how " [%0, {%1, %2}], {%3, %4, %5, %6};" ::"l"(s), "r"(u[0]), "r"(u[1]), "r"(u[2]), "r"(u[3]), "r"(u[4]), \
		"r"(u[5]) \
		: "memory")
#define LONG(op, type, how) \
	asm volatile(WORDS op ".2d." type how " [%0, {%1, %2}], w; }" ::"l"(s), "r"(u[0]), "r"(u[1]), "r"(u[2]), "r"(u[3]) : "memory")

template <int FORM, bool CLAMP> __device__ void once(unsigned long long s, const uint32_t *u);
#define X(number, shape, op, type, bytes, count) \
	template <> __device__ void once<number, true>(unsigned long long s, const uint32_t *u) { shape(op, type, ".clamp"); } \
	template <> __device__ void once<number, false>(unsigned long long s, const uint32_t *u) { shape(op, type, ".zero"); }
SURFACE_FORMS(X)
#undef X

template <int FORM> __device__ void choose(int form, bool clamp, unsigned long long s, const uint32_t *u)
{
	if (form != FORM)
		choose<FORM + 1>(form, clamp, s, u);
	else if (clamp)
		once<FORM, true>(s, u);
	else
		once<FORM, false>(s, u);
}
template <> __device__ void choose<SURFACE_FORM_COUNT>(int, bool, unsigned long long, const uint32_t *) {}

__global__ void steps(int form, bool clamp, unsigned long long s, const uint32_t (*u)[6])
{
	for (int i = 0; i < STEPS; i++)
		choose<0>(form, clamp, s, u[i]);
}

int main(int argc, char **argv)
{
	FILE *raw = argc > 1 ? fopen(argv[1], "wb") : NULL;
	uint32_t(*at)[6];
	CHECK(cudaMalloc(&at, STEPS * sizeof *at));
	for (struct surface_case c = {}; next_surface(&c);) {
		static uint32_t step[STEPS][6];
		std::vector<uint8_t> texels(surface_row(&c) * SURFACE_SIZE);
		surface_texels(&c, texels.data());
		surface_steps(&c, step);
		cudaChannelFormatDesc format = {c.bits, c.channels > 1 ? c.bits : 0, c.channels > 2 ? c.bits : 0,
			c.channels > 2 ? c.bits : 0,
			c.kind == 0 ? cudaChannelFormatKindUnsigned : c.kind == 1 ? cudaChannelFormatKindSigned : cudaChannelFormatKindFloat};
		cudaArray_t array;
		cudaSurfaceObject_t surface;
		cudaResourceDesc resource = {};
		CHECK(cudaMallocArray(&array, &format, SURFACE_SIZE, SURFACE_SIZE, cudaArraySurfaceLoadStore));
		CHECK(cudaMemcpy2DToArray(array, 0, 0, texels.data(), surface_row(&c), surface_row(&c), SURFACE_SIZE, cudaMemcpyHostToDevice));
		resource.resType = cudaResourceTypeArray;
		resource.res.array.array = array;
		CHECK(cudaCreateSurfaceObject(&surface, &resource));
		CHECK(cudaMemcpy(at, step, sizeof step, cudaMemcpyHostToDevice));
		steps<<<1, 1>>>(c.form, c.clamp, surface, at);
		CHECK(cudaDeviceSynchronize());
		CHECK(cudaMemcpy2DFromArray(texels.data(), surface_row(&c), array, 0, 0, surface_row(&c), SURFACE_SIZE, cudaMemcpyDeviceToHost));
		if (raw)
			fwrite(texels.data(), texels.size(), 1, raw);
		printf("%u\t%016llx\n", c.number, (unsigned long long)surface_digest(&c, texels.data()));
		CHECK(cudaDestroySurfaceObject(surface));
		CHECK(cudaFreeArray(array));
	}
	return 0;
}
