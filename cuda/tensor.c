/* Tensor maps. The image is the one that NVIDIA's driver makes for an H100 (docs/HARDWARE.md), so a
 * map that one of the two made serves the other. */
#include "arith/tensor_map.h"
#include "cuda/driver.h"
#include <string.h>

/* CUtensorMapDataType as the types are in images. Those of less than a byte, and the swizzles
 * beyond 128 bytes, need a device of compute capability 10.0; this one is of 9.0. */
static const uint8_t types[] = {TENSOR_U8, TENSOR_U16, TENSOR_U32, TENSOR_S32, TENSOR_U64,
	TENSOR_S64, TENSOR_F16, TENSOR_F32, TENSOR_F64, TENSOR_BF16, TENSOR_F32_FTZ, TENSOR_TF32,
	TENSOR_TF32_FTZ};

/* What both kinds of maps have. False: there is no such map. */
static bool describe(struct tensor_map *m, int type, uint32_t rank, void *address,
	const uint64_t *dims, const uint64_t *strides, const uint32_t *steps, int interleave,
	int swizzle, int promotion, int fill)
{
	if (type < 0 || (size_t)type >= sizeof types || rank < 1 || rank > TENSOR_DIMS || !dims ||
		(rank > 1 && !strides) || !steps || interleave < 0 || interleave > 2 ||
		swizzle < 0 || swizzle > SWIZZLE_128 || promotion < 0 || promotion > 3 ||
		fill < 0 || fill > 1)
		return false;
	*m = (struct tensor_map){.type = types[type],
		.rank = (uint8_t)rank,
		.interleave = (uint8_t)interleave,
		.swizzle = (uint8_t)swizzle,
		.promotion = (uint8_t)promotion,
		.nan = fill,
		.address = (uint64_t)(uintptr_t)address};
	for (unsigned k = 0; k < rank; k++) {
		m->dim[k] = dims[k];
		m->step[k] = steps[k];
		if (k + 1 < rank)
			m->stride[k] = strides[k];
	}
	return true;
}

static CUresult finish(const struct tensor_map *m, void *image)
{
	if (!image || (uintptr_t)image % TENSOR_ALIGN || tensor_map_refused(m))
		return CUDA_ERROR_INVALID_VALUE;
	tensor_map_write(m, image);
	return CUDA_SUCCESS;
}

CUresult cuTensorMapEncodeTiled(void *image, int type, uint32_t rank, void *address,
	const uint64_t *dims, const uint64_t *strides, const uint32_t *box, const uint32_t *steps,
	int interleave, int swizzle, int promotion, int fill)
{
	struct tensor_map m;

	if (!box ||
		!describe(&m, type, rank, address, dims, strides, steps, interleave, swizzle,
			promotion, fill))
		return CUDA_ERROR_INVALID_VALUE;
	for (unsigned k = 0; k < rank; k++)
		m.box[k] = box[k];
	return finish(&m, image);
}

CUresult cuTensorMapEncodeIm2col(void *image, int type, uint32_t rank, void *address,
	const uint64_t *dims, const uint64_t *strides, const int *lower, const int *upper,
	uint32_t channels, uint32_t pixels, const uint32_t *steps, int interleave, int swizzle,
	int promotion, int fill)
{
	struct tensor_map m;

	if (!lower || !upper || rank < 3 ||
		!describe(&m, type, rank, address, dims, strides, steps, interleave, swizzle,
			promotion, fill))
		return CUDA_ERROR_INVALID_VALUE;
	m.im2col = true;
	m.channels = channels;
	m.pixels = pixels;
	for (unsigned k = 0; k + 2 < rank; k++) {
		m.lower[k] = lower[k];
		m.upper[k] = upper[k];
	}
	return finish(&m, image);
}

CUresult cuTensorMapReplaceAddress(void *image, void *address)
{
	struct tensor_map m;

	if (!image || !tensor_map_read(image, &m))
		return CUDA_ERROR_INVALID_VALUE;
	m.address = (uint64_t)(uintptr_t)address;
	if (tensor_map_refused(&m))
		return CUDA_ERROR_INVALID_VALUE;
	tensor_image_replace(image, FIELD_ADDRESS, 0, m.address);
	return CUDA_SUCCESS;
}
