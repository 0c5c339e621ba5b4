/* Arrays: memory of the device that the program knows by a handle, and reaches by copies, textures
 * and surfaces. A handle is a number and no address, so that whatever the program does with it can
 * be recognised. */
#ifndef PTXI_CUDA_ARRAY_H
#define PTXI_CUDA_ARRAY_H
#include "cuda/host.h"

struct array {
	uint64_t handle;
	uint64_t address;          /* of its texels, row after row */
	struct ptxi_texture shape; /* how a texture of it begins */
	CUDA_ARRAY3D_DESCRIPTOR desc;
};

/* The channels of texels in T; false: there are none like that. */
bool array_format(unsigned format, unsigned channels, struct ptxi_texture *t);
/* Whether P looks like the handle of an array. */
bool array_is_handle(uint64_t p);
/* Makes the handle for A, whose memory is allocation NUMBER. */
CUresult array_add(struct array *a, unsigned number);
/* A copy of the array; or the error for what is none. */
CUresult array_find(CUarray handle, struct array *out);
/* The same, and HANDLE stands for nothing afterwards. */
CUresult array_take(CUarray handle, struct array *out);
/* Appends what P, which looks like a handle, is: "array `cudaMallocArray` at a.cu:7". */
void array_name(uint64_t p, struct text *out);
/* The bytes of W's copy that begin X bytes into row Y of slice Z of the array HANDLE: sets ADDRESS
 * to the first. Otherwise that is a finding. */
struct array_place {
	CUarray handle;
	size_t x, y, z;
};
CUresult array_side(const struct work *w, const struct array_place *p, uint64_t *address,
	size_t *pitch, size_t *slice);
#endif
