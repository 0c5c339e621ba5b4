/* Arrays, textures and surfaces. */
#include "cudart/runtime.h"
#include <stdbool.h>
#include <string.h>

/* --- formats of texels --- */

enum { KIND_SIGNED, KIND_UNSIGNED, KIND_FLOAT };

static const struct {
	unsigned format;
	int bits, kind;
} formats[] = {{CU_AD_FORMAT_UNSIGNED_INT8, 8, KIND_UNSIGNED},
	{CU_AD_FORMAT_UNSIGNED_INT16, 16, KIND_UNSIGNED},
	{CU_AD_FORMAT_UNSIGNED_INT32, 32, KIND_UNSIGNED},
	{CU_AD_FORMAT_SIGNED_INT8, 8, KIND_SIGNED}, {CU_AD_FORMAT_SIGNED_INT16, 16, KIND_SIGNED},
	{CU_AD_FORMAT_SIGNED_INT32, 32, KIND_SIGNED}, {CU_AD_FORMAT_HALF, 16, KIND_FLOAT},
	{CU_AD_FORMAT_FLOAT, 32, KIND_FLOAT}};
enum { NFORMATS = sizeof formats / sizeof *formats };

static int to_driver(const struct cudaChannelFormatDesc *d, unsigned *format, unsigned *channels)
{
	const int bits[4] = {d->x, d->y, d->z, d->w};
	unsigned n = 0;

	while (n < 4 && bits[n] == d->x)
		n++;
	for (unsigned k = n; k < 4; k++)
		if (bits[k])
			return cudaErrorInvalidChannelDescriptor;
	*channels = n;
	for (unsigned k = 0; k < NFORMATS && n != 3; k++)
		if (formats[k].bits == d->x && formats[k].kind == d->f) {
			*format = formats[k].format;
			return cudaSuccess;
		}
	return cudaErrorInvalidChannelDescriptor;
}

static struct cudaChannelFormatDesc from_driver(unsigned format, unsigned channels)
{
	struct cudaChannelFormatDesc d = {.x = 0};

	for (unsigned k = 0; k < NFORMATS; k++)
		if (formats[k].format == format) {
			const int bits = formats[k].bits;

			d = (struct cudaChannelFormatDesc){bits, channels > 1 ? bits : 0,
				channels > 2 ? bits : 0, channels > 2 ? bits : 0, formats[k].kind};
		}
	return d;
}

struct cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w, int f)
{
	return (struct cudaChannelFormatDesc){x, y, z, w, f};
}

cudaError_t cudaDeviceGetTexture1DLinearMaxWidth(
	size_t *texels, const struct cudaChannelFormatDesc *desc, int device)
{
	unsigned format, channels;
	int error = runtime_begin();

	if (error || !desc)
		return runtime_end(error ? error : cudaErrorInvalidValue);
	error = to_driver(desc, &format, &channels);
	return runtime_end(
		error ? error
		      : (int)cuDeviceGetTexture1DLinearMaxWidth(texels, format, channels, device));
}

/* --- arrays --- */

cudaError_t cudaMalloc3DArray(CUarray *array, const struct cudaChannelFormatDesc *desc,
	struct cudaExtent extent, unsigned flags)
{
	CUDA_ARRAY3D_DESCRIPTOR d = {.width = extent.width,
		.height = extent.height,
		.depth = extent.depth,
		.flags = flags};
	int error = runtime_begin();

	if (error || !array || !desc)
		return runtime_end(error ? error : cudaErrorInvalidValue);
	error = to_driver(desc, &d.format, &d.channels);
	return runtime_end(error ? error : (int)cuArray3DCreate_v2(array, &d));
}

cudaError_t cudaMallocArray(CUarray *array, const struct cudaChannelFormatDesc *desc, size_t width,
	size_t height, unsigned flags)
{
	return cudaMalloc3DArray(array, desc, (struct cudaExtent){width, height, 0}, flags);
}

cudaError_t cudaFreeArray(CUarray array) { DRIVER(array ? cuArrayDestroy(array) : CUDA_SUCCESS); }

cudaError_t cudaArrayGetInfo(struct cudaChannelFormatDesc *desc, struct cudaExtent *extent,
	unsigned *flags, CUarray array)
{
	CUDA_ARRAY3D_DESCRIPTOR d;
	int error = runtime_begin();

	error = error ? error : (int)cuArray3DGetDescriptor_v2(&d, array);
	if (error)
		return runtime_end(error);
	if (desc)
		*desc = from_driver(d.format, d.channels);
	if (extent)
		*extent = (struct cudaExtent){d.width, d.height, d.depth};
	if (flags)
		*flags = d.flags;
	return cudaSuccess;
}

cudaError_t cudaGetChannelDesc(struct cudaChannelFormatDesc *desc, CUarray_const array)
{
	return desc ? cudaArrayGetInfo(desc, NULL, NULL, (CUarray)array)
		    : runtime_end(cudaErrorInvalidValue);
}

/* --- copies --- */

/* One side of a copy, in rows; an array, or else an address. */
struct end {
	CUarray array;
	const void *address;
	size_t pitch, x, y;
};

static void put_ends(CUDA_MEMCPY2D *c, const struct end *to, const struct end *from, int kind)
{
	const unsigned memory = kind == BY_ADDRESS ? CU_MEMORYTYPE_UNIFIED
		: kind == DEVICE_TO_DEVICE         ? CU_MEMORYTYPE_DEVICE
						   : CU_MEMORYTYPE_HOST;

	c->dst_type = to->array ? CU_MEMORYTYPE_ARRAY : memory;
	c->dst_array = to->array;
	c->dst_host = (void *)(uintptr_t)to->address;
	c->dst_device = (uintptr_t)to->address;
	c->dst_pitch = to->pitch;
	c->dst_x = to->x;
	c->dst_y = to->y;
	c->src_type = from->array ? CU_MEMORYTYPE_ARRAY : memory;
	c->src_array = from->array;
	c->src_host = from->address;
	c->src_device = (uintptr_t)from->address;
	c->src_pitch = from->pitch;
	c->src_x = from->x;
	c->src_y = from->y;
}

static int ends_fit(const struct end *to, const struct end *from, int kind)
{
	if (!to->array && !from->array)
		return cudaErrorInvalidResourceHandle;
	if (kind != DEVICE_TO_DEVICE && kind != BY_ADDRESS &&
		!(kind == HOST_TO_DEVICE && !from->array) &&
		!(kind == DEVICE_TO_HOST && !to->array))
		return cudaErrorInvalidMemcpyDirection;
	return cudaSuccess;
}

static cudaError_t copy(const struct end *to, const struct end *from, size_t width, size_t height,
	int kind, bool async, CUstream stream)
{
	CUDA_MEMCPY2D c = {.width = width, .height = height};
	int error = runtime_begin();

	error = error ? error : ends_fit(to, from, kind);
	if (!error && height > 1 &&
		((!to->array && to->pitch < width) || (!from->array && from->pitch < width)))
		error = cudaErrorInvalidPitchValue;
	if (error)
		return runtime_end(error);
	put_ends(&c, to, from, kind);
	return runtime_end((int)(async ? cuMemcpy2DAsync_v2(&c, stream) : cuMemcpy2D_v2(&c)));
}

/* An array that is missing is none. */
#define NO_ARRAY(array) \
	do { \
		if (!(array)) \
			return runtime_end(cudaErrorInvalidResourceHandle); \
	} while (0)

cudaError_t cudaMemcpy2DToArray(CUarray to, size_t x, size_t y, const void *from, size_t pitch,
	size_t width, size_t height, int kind)
{
	NO_ARRAY(to);
	return copy(&(struct end){.array = to, .x = x, .y = y},
		&(struct end){.address = from, .pitch = pitch}, width, height, kind, false, NULL);
}

cudaError_t cudaMemcpy2DToArrayAsync(CUarray to, size_t x, size_t y, const void *from, size_t pitch,
	size_t width, size_t height, int kind, CUstream stream)
{
	NO_ARRAY(to);
	return copy(&(struct end){.array = to, .x = x, .y = y},
		&(struct end){.address = from, .pitch = pitch}, width, height, kind, true, stream);
}

cudaError_t cudaMemcpy2DFromArray(void *to, size_t pitch, CUarray_const from, size_t x, size_t y,
	size_t width, size_t height, int kind)
{
	NO_ARRAY(from);
	return copy(&(struct end){.address = to, .pitch = pitch},
		&(struct end){.array = (CUarray)from, .x = x, .y = y}, width, height, kind, false,
		NULL);
}

cudaError_t cudaMemcpy2DFromArrayAsync(void *to, size_t pitch, CUarray_const from, size_t x,
	size_t y, size_t width, size_t height, int kind, CUstream stream)
{
	NO_ARRAY(from);
	return copy(&(struct end){.address = to, .pitch = pitch},
		&(struct end){.array = (CUarray)from, .x = x, .y = y}, width, height, kind, true,
		stream);
}

cudaError_t cudaMemcpy2DArrayToArray(CUarray to, size_t to_x, size_t to_y, CUarray_const from,
	size_t from_x, size_t from_y, size_t width, size_t height, int kind)
{
	NO_ARRAY(to);
	NO_ARRAY(from);
	return copy(&(struct end){.array = to, .x = to_x, .y = to_y},
		&(struct end){.array = (CUarray)from, .x = from_x, .y = from_y}, width, height,
		kind, false, NULL);
}

/* COUNT bytes that go on in the next row of the array at the end of one: a row's rest, rows, and
 * what is left. Where two arrays differ in their rows, row by row. */
static size_t row_of(const struct end *e)
{
	CUDA_ARRAY3D_DESCRIPTOR d;
	struct cudaChannelFormatDesc f;

	if (!e->array || cuArray3DGetDescriptor_v2(&d, e->array))
		return 0;
	f = from_driver(d.format, d.channels);
	return d.width * (unsigned)((f.x + f.y + f.z + f.w) / 8);
}

static size_t least(size_t a, size_t b) { return a < b ? a : b; }

static void advance(struct end *e, size_t n, size_t row)
{
	if (!e->array) {
		e->address = (const char *)e->address + n;
		return;
	}
	e->x += n;
	e->y += e->x / row;
	e->x %= row;
}

static cudaError_t copy_line(
	struct end to, struct end from, size_t count, int kind, bool async, CUstream stream)
{
	int error = runtime_begin();
	size_t to_row, from_row, row;

	error = error ? error : ends_fit(&to, &from, kind);
	to_row = error ? 0 : row_of(&to);
	from_row = error ? 0 : row_of(&from);
	if (!error && ((to.array && !to_row) || (from.array && !from_row)))
		error = cudaErrorInvalidResourceHandle;
	row = to_row ? to_row : from_row;
	/* what begins or goes on outside is a copy that fails */
	while (!error && count) {
		size_t n = least(count, to.x < to_row ? to_row - to.x : count), rows = 1;

		n = least(n, from.x < from_row ? from_row - from.x : count);
		if (!to.x && !from.x && n == row && (!to_row || !from_row || to_row == from_row))
			rows = count / row;
		to.pitch = from.pitch = n;
		error = copy(&to, &from, n, rows, kind, async, stream);
		advance(&to, n * rows, to_row);
		advance(&from, n * rows, from_row);
		count -= n * rows;
	}
	return runtime_end(error);
}

cudaError_t cudaMemcpyToArray(
	CUarray to, size_t x, size_t y, const void *from, size_t count, int kind)
{
	NO_ARRAY(to);
	return copy_line((struct end){.array = to, .x = x, .y = y}, (struct end){.address = from},
		count, kind, false, NULL);
}

cudaError_t cudaMemcpyToArrayAsync(
	CUarray to, size_t x, size_t y, const void *from, size_t count, int kind, CUstream stream)
{
	NO_ARRAY(to);
	return copy_line((struct end){.array = to, .x = x, .y = y}, (struct end){.address = from},
		count, kind, true, stream);
}

cudaError_t cudaMemcpyFromArray(
	void *to, CUarray_const from, size_t x, size_t y, size_t count, int kind)
{
	NO_ARRAY(from);
	return copy_line((struct end){.address = to},
		(struct end){.array = (CUarray)from, .x = x, .y = y}, count, kind, false, NULL);
}

cudaError_t cudaMemcpyFromArrayAsync(
	void *to, CUarray_const from, size_t x, size_t y, size_t count, int kind, CUstream stream)
{
	NO_ARRAY(from);
	return copy_line((struct end){.address = to},
		(struct end){.array = (CUarray)from, .x = x, .y = y}, count, kind, true, stream);
}

cudaError_t cudaMemcpyArrayToArray(CUarray to, size_t to_x, size_t to_y, CUarray_const from,
	size_t from_x, size_t from_y, size_t count, int kind)
{
	NO_ARRAY(to);
	NO_ARRAY(from);
	return copy_line((struct end){.array = to, .x = to_x, .y = to_y},
		(struct end){.array = (CUarray)from, .x = from_x, .y = from_y}, count, kind, false,
		NULL);
}

/* --- textures and surfaces --- */

/* R as the driver's. */
static int resource_to_driver(const struct cudaResourceDesc *r, CUDA_RESOURCE_DESC *out)
{
	memset(out, 0, sizeof *out);
	out->type = r->type;
	switch (r->type) {
	case CU_RESOURCE_TYPE_ARRAY: out->of.array = r->of.array; return cudaSuccess;
	case CU_RESOURCE_TYPE_LINEAR:
		out->of.linear.address = (uintptr_t)r->of.linear.address;
		out->of.linear.bytes = r->of.linear.bytes;
		return to_driver(
			&r->of.linear.desc, &out->of.linear.format, &out->of.linear.channels);
	case CU_RESOURCE_TYPE_PITCH2D:
		out->of.pitch2D.address = (uintptr_t)r->of.pitch2D.address;
		out->of.pitch2D.width = r->of.pitch2D.width;
		out->of.pitch2D.height = r->of.pitch2D.height;
		out->of.pitch2D.pitch = r->of.pitch2D.pitch;
		return to_driver(
			&r->of.pitch2D.desc, &out->of.pitch2D.format, &out->of.pitch2D.channels);
	default: return cudaSuccess; /* the driver refuses it */
	}
}

/* The format of R's texels; 0: there are none. */
static unsigned format_of(const CUDA_RESOURCE_DESC *r)
{
	CUDA_ARRAY3D_DESCRIPTOR d;

	switch (r->type) {
	case CU_RESOURCE_TYPE_ARRAY:
		return cuArray3DGetDescriptor_v2(&d, r->of.array) ? 0 : d.format;
	case CU_RESOURCE_TYPE_LINEAR: return r->of.linear.format;
	case CU_RESOURCE_TYPE_PITCH2D: return r->of.pitch2D.format;
	default: return 0;
	}
}

/* T as the driver's, for texels of FORMAT. */
static int sampler_to_driver(
	const struct cudaTextureDesc *t, unsigned format, CUDA_TEXTURE_DESC *out)
{
	const struct cudaChannelFormatDesc texel = from_driver(format, 1);
	const bool unit = t->read_mode == 1;

	if (t->filter_mode == CU_TR_FILTER_MODE_LINEAR && format && texel.f != KIND_FLOAT &&
		(!unit || texel.x == 32))
		return cudaErrorInvalidFilterSetting;
	if (unit && format && (texel.f == KIND_FLOAT || texel.x == 32))
		return cudaErrorInvalidNormSetting;
	*out = (CUDA_TEXTURE_DESC){.filter_mode = t->filter_mode,
		.flags = (unit ? 0 : CU_TRSF_READ_AS_INTEGER) |
			(t->normalized ? CU_TRSF_NORMALIZED_COORDINATES : 0) |
			(t->srgb ? CU_TRSF_SRGB : 0),
		.max_anisotropy = t->max_anisotropy,
		.mipmap_filter_mode = t->mipmap_filter_mode,
		.mipmap_bias = t->mipmap_bias,
		.mipmap_min = t->mipmap_min,
		.mipmap_max = t->mipmap_max};
	memcpy(out->address_mode, t->address_mode, sizeof out->address_mode);
	memcpy(out->border, t->border, sizeof out->border);
	return cudaSuccess;
}

cudaError_t cudaCreateTextureObject(CUtexObject *texture, const struct cudaResourceDesc *resource,
	const struct cudaTextureDesc *desc, const struct cudaResourceViewDesc *view)
{
	CUDA_RESOURCE_DESC r;
	CUDA_TEXTURE_DESC t;
	int error = runtime_begin();

	if (error || !resource || !desc)
		return runtime_end(error ? error : cudaErrorInvalidValue);
	error = resource_to_driver(resource, &r);
	error = error ? error : sampler_to_driver(desc, format_of(&r), &t);
	return runtime_end(error ? error
				 : (int)cuTexObjectCreate(
					   texture, &r, &t, (const CUDA_RESOURCE_VIEW_DESC *)view));
}

cudaError_t cudaDestroyTextureObject(uint64_t texture) { DRIVER(cuTexObjectDestroy(texture)); }

cudaError_t cudaGetTextureObjectResourceViewDesc(
	struct cudaResourceViewDesc *view, uint64_t texture)
{
	DRIVER(cuTexObjectGetResourceViewDesc((CUDA_RESOURCE_VIEW_DESC *)view, texture));
}

cudaError_t cudaCreateSurfaceObject(CUsurfObject *surface, const struct cudaResourceDesc *resource)
{
	CUDA_RESOURCE_DESC r;
	int error = runtime_begin();

	if (error || !resource)
		return runtime_end(error ? error : cudaErrorInvalidValue);
	error = resource_to_driver(resource, &r);
	return runtime_end(error ? error : (int)cuSurfObjectCreate(surface, &r));
}

cudaError_t cudaDestroySurfaceObject(uint64_t surface) { DRIVER(cuSurfObjectDestroy(surface)); }

static struct cudaResourceDesc resource_from_driver(const CUDA_RESOURCE_DESC *r)
{
	struct cudaResourceDesc d;

	memset(&d, 0, sizeof d);
	d.type = r->type;
	if (r->type == CU_RESOURCE_TYPE_LINEAR) {
		d.of.linear.address = (void *)(uintptr_t)r->of.linear.address;
		d.of.linear.desc = from_driver(r->of.linear.format, r->of.linear.channels);
		d.of.linear.bytes = r->of.linear.bytes;
	} else if (r->type == CU_RESOURCE_TYPE_PITCH2D) {
		d.of.pitch2D.address = (void *)(uintptr_t)r->of.pitch2D.address;
		d.of.pitch2D.desc = from_driver(r->of.pitch2D.format, r->of.pitch2D.channels);
		d.of.pitch2D.width = r->of.pitch2D.width;
		d.of.pitch2D.height = r->of.pitch2D.height;
		d.of.pitch2D.pitch = r->of.pitch2D.pitch;
	} else {
		d.of.array = r->of.array;
	}
	return d;
}

cudaError_t runtime_resource(void *out, size_t bytes, uint64_t handle, int surface)
{
	CUDA_RESOURCE_DESC r;
	struct cudaResourceDesc d;
	int error = runtime_begin();

	error = error     ? error
		: surface ? (int)cuSurfObjectGetResourceDesc(&r, handle)
			  : (int)cuTexObjectGetResourceDesc(&r, handle);
	if (error || !out)
		return runtime_end(error ? error : cudaErrorInvalidValue);
	d = resource_from_driver(&r);
	memcpy(out, &d, bytes);
	return cudaSuccess;
}

cudaError_t runtime_sampler(void *out, size_t bytes, uint64_t texture)
{
	CUDA_TEXTURE_DESC t;
	struct cudaTextureDesc d;
	int error = runtime_begin();

	error = error ? error : (int)cuTexObjectGetTextureDesc(&t, texture);
	if (error || !out)
		return runtime_end(error ? error : cudaErrorInvalidValue);
	d = (struct cudaTextureDesc){.filter_mode = t.filter_mode,
		.read_mode = !(t.flags & CU_TRSF_READ_AS_INTEGER),
		.srgb = (t.flags & CU_TRSF_SRGB) != 0,
		.normalized = (t.flags & CU_TRSF_NORMALIZED_COORDINATES) != 0,
		.max_anisotropy = t.max_anisotropy,
		.mipmap_filter_mode = t.mipmap_filter_mode,
		.mipmap_bias = t.mipmap_bias,
		.mipmap_min = t.mipmap_min,
		.mipmap_max = t.mipmap_max};
	memcpy(d.address_mode, t.address_mode, sizeof d.address_mode);
	memcpy(d.border, t.border, sizeof d.border);
	memcpy(out, &d, bytes);
	return cudaSuccess;
}
