/* Tensor maps. The image is the one that NVIDIA's driver makes for an H100 (docs/HARDWARE.md), so a
 * map that one of the two made serves the other. */
#include "arith/tensor_map.h"
#include "cuda/driver.h"
#include <string.h>

/* CUtensorMapDataType as the types are in images. */
static const uint8_t types[] = {TENSOR_U8, TENSOR_U16, TENSOR_U32, TENSOR_S32, TENSOR_U64,
	TENSOR_S64, TENSOR_F16, TENSOR_F32, TENSOR_F64, TENSOR_BF16, TENSOR_F32_FTZ, TENSOR_TF32,
	TENSOR_TF32_FTZ, TENSOR_B4X16, TENSOR_B4X16_P64, TENSOR_B6X16_P32};

/* CUtensorMapSwizzle: the atoms of 32 and 64 bytes follow. */
enum { CU_SWIZZLES = SWIZZLE_128 + ATOM_64 + 1 };

/* What both kinds of maps have. False: there is no such map. */
static bool describe(struct tensor_map *m, int type, uint32_t rank, void *address,
	const uint64_t *dims, const uint64_t *strides, const uint32_t *steps, int interleave,
	int swizzle, int promotion, int fill)
{
	if (type < 0 || (size_t)type >= sizeof types || rank < 1 || rank > TENSOR_DIMS || !dims ||
		(rank > 1 && !strides) || !steps || interleave < 0 || interleave > 2 ||
		swizzle < 0 || swizzle >= CU_SWIZZLES || promotion < 0 || promotion > 3 ||
		fill < 0 || fill > 1)
		return false;
	*m = (struct tensor_map){.type = types[type],
		.rank = (uint8_t)rank,
		.interleave = (uint8_t)interleave,
		.swizzle = (uint8_t)(swizzle < SWIZZLE_128 ? swizzle : SWIZZLE_128),
		.atom = (uint8_t)(swizzle < SWIZZLE_128 ? 0 : swizzle - SWIZZLE_128),
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

/* Whether M has what devices before sm_100 do not have. */
static bool is_new(const struct tensor_map *m) { return m->atom || m->type >= TENSOR_B4X16; }

static bool device_has_new(void)
{
	struct ptxi_properties p;

	ptxi_get_properties(driver_device(), &p);
	return p.major >= 10;
}

static CUresult finish(const struct tensor_map *m, void *image)
{
	if (is_new(m) && !device_has_new())
		return CUDA_ERROR_INVALID_VALUE;
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

CUresult cuTensorMapEncodeIm2colWide(void *image, int type, uint32_t rank, void *address,
	const uint64_t *dims, const uint64_t *strides, int lower, int upper, uint32_t channels,
	uint32_t pixels, const uint32_t *steps, int interleave, int mode, int swizzle,
	int promotion, int fill)
{
	struct tensor_map m;

	if (!device_has_new() || rank < 3 || mode < 0 || mode > 1 || !swizzle ||
		!describe(&m, type, rank, address, dims, strides, steps, interleave, swizzle,
			promotion, fill))
		return CUDA_ERROR_INVALID_VALUE;
	m.im2col = true;
	m.channels = channels;
	m.pixels = mode ? 1 : pixels; /* im2col::w::128 has 128 */
	m.lower[0] = lower;
	m.upper[0] = upper;
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
