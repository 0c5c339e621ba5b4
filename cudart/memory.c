/* Memory, copies and fills. */
#include "cudart/runtime.h"
#include <stdbool.h>
#include <string.h>

static CUdeviceptr device(const void *p) { return (uintptr_t)p; }

/* --- allocations --- */

cudaError_t cudaMalloc(void **address, size_t size)
{
	CUdeviceptr a = 0;
	int error = runtime_begin();

	if (error || !address)
		return runtime_end(error ? error : cudaErrorInvalidValue);
	/* an allocation of no bytes is a null pointer */
	error = size ? (int)cuMemAlloc_v2(&a, size) : 0;
	*address = (void *)(uintptr_t)a;
	return runtime_end(error);
}

cudaError_t cudaFree(void *address) { DRIVER(cuMemFree_v2(device(address))); }

cudaError_t cudaMallocPitch(void **address, size_t *pitch, size_t width, size_t height)
{
	CUdeviceptr a = 0;
	int error = runtime_begin();

	if (error || !address)
		return runtime_end(error ? error : cudaErrorInvalidValue);
	error = cuMemAllocPitch_v2(&a, pitch, width, height, 4);
	*address = (void *)(uintptr_t)a;
	return runtime_end(error);
}

/* ADDRESS gets what ALLOC makes. */
#define ALLOCATES(address, alloc) \
	do { \
		CUdeviceptr a = 0; \
		int error_ = runtime_begin(); \
		if (error_ || !(address)) \
			return runtime_end(error_ ? error_ : cudaErrorInvalidValue); \
		error_ = (int)(alloc); \
		*(address) = (void *)(uintptr_t)a; \
		return runtime_end(error_); \
	} while (0)

cudaError_t cudaMallocAsync(void **address, size_t size, CUstream stream)
{
	ALLOCATES(address, size ? cuMemAllocAsync(&a, size, stream) : CUDA_SUCCESS);
}

cudaError_t cudaMallocFromPoolAsync(void **address, size_t size, CUmemoryPool pool, CUstream stream)
{
	ALLOCATES(address, size ? cuMemAllocFromPoolAsync(&a, size, pool, stream) : CUDA_SUCCESS);
}

cudaError_t cudaMalloc3D(struct cudaPitchedPtr *out, struct cudaExtent extent)
{
	if (!out)
		return runtime_end(cudaErrorInvalidValue);
	out->width = extent.width;
	out->height = extent.height;
	ALLOCATES(&out->address,
		cuMemAllocPitch_v2(&a, &out->pitch, extent.width, extent.height * extent.depth, 4));
}

cudaError_t cudaDeviceGetDefaultMemPool(CUmemoryPool *pool, int of)
{
	DRIVER(cuDeviceGetDefaultMemPool(pool, of));
}

cudaError_t cudaDeviceGetMemPool(CUmemoryPool *pool, int of)
{
	DRIVER(cuDeviceGetMemPool(pool, of));
}

cudaError_t cudaDeviceSetMemPool(int of, CUmemoryPool pool)
{
	DRIVER(cuDeviceSetMemPool(of, pool));
}

cudaError_t cudaMemPoolCreate(CUmemoryPool *pool, const void *properties)
{
	DRIVER(cuMemPoolCreate(pool, properties));
}

cudaError_t cudaMemPoolDestroy(CUmemoryPool pool) { DRIVER(cuMemPoolDestroy(pool)); }

cudaError_t cudaMemPoolTrimTo(CUmemoryPool pool, size_t keep)
{
	DRIVER(cuMemPoolTrimTo(pool, keep));
}

cudaError_t cudaMemPoolSetAttribute(CUmemoryPool pool, int attribute, void *value)
{
	DRIVER(cuMemPoolSetAttribute(pool, attribute, value));
}

cudaError_t cudaMemPoolGetAttribute(CUmemoryPool pool, int attribute, void *value)
{
	DRIVER(cuMemPoolGetAttribute(pool, attribute, value));
}

cudaError_t cudaMemPoolSetAccess(CUmemoryPool pool, const void *access, size_t count)
{
	DRIVER(cuMemPoolSetAccess(pool, access, count));
}

cudaError_t cudaMemPoolGetAccess(int *access, CUmemoryPool pool, void *location)
{
	DRIVER(cuMemPoolGetAccess(access, pool, location));
}

cudaError_t cudaFreeAsync(void *address, CUstream stream)
{
	DRIVER(cuMemFreeAsync(device(address), stream));
}

cudaError_t cudaMallocManaged(void **address, size_t size, unsigned flags)
{
	CUdeviceptr a = 0;
	int error = runtime_begin();

	if (error || !address)
		return runtime_end(error ? error : cudaErrorInvalidValue);
	error = cuMemAllocManaged(&a, size, flags);
	*address = (void *)(uintptr_t)a;
	return runtime_end(error);
}

cudaError_t cudaMallocHost(void **host, size_t size) { DRIVER(cuMemAllocHost_v2(host, size)); }

cudaError_t cudaHostAlloc(void **host, size_t size, unsigned flags)
{
	DRIVER(cuMemHostAlloc(host, size, flags));
}

cudaError_t cudaFreeHost(void *host) { DRIVER(cuMemFreeHost(host)); }

cudaError_t cudaHostRegister(void *host, size_t size, unsigned flags)
{
	DRIVER(cuMemHostRegister_v2(host, size, flags));
}

cudaError_t cudaHostUnregister(void *host) { DRIVER(cuMemHostUnregister(host)); }

cudaError_t cudaHostGetDevicePointer(void **address, void *host, unsigned flags)
{
	CUdeviceptr a = 0;
	int error = runtime_begin();

	if (error || !address)
		return runtime_end(error ? error : cudaErrorInvalidValue);
	error = cuMemHostGetDevicePointer_v2(&a, host, flags);
	*address = (void *)(uintptr_t)a;
	return runtime_end(error);
}

cudaError_t cudaHostGetFlags(unsigned *flags, void *host)
{
	DRIVER(cuMemHostGetFlags(flags, host));
}

cudaError_t cudaMemGetInfo(size_t *left, size_t *total) { DRIVER(cuMemGetInfo_v2(left, total)); }

/* An address that is not known is one of the host. */
static void find_pointer(struct cudaPointerAttributes *out, const void *address)
{
	unsigned type = 0;
	char managed = 0;

	if (cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, device(address))) {
		out->device = -2;
		out->host_pointer = (void *)(uintptr_t)address;
		return;
	}
	cuPointerGetAttribute(&managed, CU_POINTER_ATTRIBUTE_IS_MANAGED, device(address));
	out->type = managed ? 3 : (int)type;
	cuPointerGetAttribute(&out->device, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, device(address));
	cuPointerGetAttribute(
		&out->device_pointer, CU_POINTER_ATTRIBUTE_DEVICE_POINTER, device(address));
	if (cuPointerGetAttribute(
		    &out->host_pointer, CU_POINTER_ATTRIBUTE_HOST_POINTER, device(address)))
		out->host_pointer = NULL;
}

cudaError_t runtime_pointer(void *out, size_t bytes, const void *address)
{
	struct cudaPointerAttributes found = {0};
	int error = runtime_begin();

	if (error || !out)
		return runtime_end(error ? error : cudaErrorInvalidValue);
	find_pointer(&found, address);
	memcpy(out, &found, bytes);
	return cudaSuccess;
}

/* --- copies --- */

static const struct {
	unsigned to, from;
} sides[] = {
	[HOST_TO_HOST] = {CU_MEMORYTYPE_HOST, CU_MEMORYTYPE_HOST},
	[HOST_TO_DEVICE] = {CU_MEMORYTYPE_DEVICE, CU_MEMORYTYPE_HOST},
	[DEVICE_TO_HOST] = {CU_MEMORYTYPE_HOST, CU_MEMORYTYPE_DEVICE},
	[DEVICE_TO_DEVICE] = {CU_MEMORYTYPE_DEVICE, CU_MEMORYTYPE_DEVICE},
	[BY_ADDRESS] = {CU_MEMORYTYPE_UNIFIED, CU_MEMORYTYPE_UNIFIED},
};

struct plane {
	void *to;
	const void *from;
	size_t to_pitch, from_pitch, width, height;
};

static cudaError_t copy(const struct plane *p, int kind, bool async, CUstream stream)
{
	CUDA_MEMCPY2D c = {.src_host = p->from,
		.src_device = device(p->from),
		.src_pitch = p->from_pitch,
		.dst_host = p->to,
		.dst_device = device(p->to),
		.dst_pitch = p->to_pitch,
		.width = p->width,
		.height = p->height};
	int error = runtime_begin();

	if (error)
		return runtime_end(error);
	if (kind < HOST_TO_HOST || kind > BY_ADDRESS)
		return runtime_end(cudaErrorInvalidMemcpyDirection);
	if (p->height > 1 && (p->width > p->to_pitch || p->width > p->from_pitch))
		return runtime_end(cudaErrorInvalidPitchValue);
	c.dst_type = sides[kind].to;
	c.src_type = sides[kind].from;
	return runtime_end((int)(async ? cuMemcpy2DAsync_v2(&c, stream) : cuMemcpy2D_v2(&c)));
}

cudaError_t cudaMemcpy(void *to, const void *from, size_t size, int kind)
{
	return copy(&(struct plane){to, from, size, size, size, 1}, kind, false, NULL);
}

cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t size, int kind, CUstream stream)
{
	return copy(&(struct plane){to, from, size, size, size, 1}, kind, true, stream);
}

cudaError_t cudaMemcpyPeer(void *to, int to_device, const void *from, int from_device, size_t size)
{
	return cudaMemcpyPeerAsync(to, to_device, from, from_device, size, NULL);
}

cudaError_t cudaMemcpy2D(void *to, size_t to_pitch, const void *from, size_t from_pitch,
	size_t width, size_t height, int kind)
{
	return copy(
		&(struct plane){to, from, to_pitch, from_pitch, width, height}, kind, false, NULL);
}

cudaError_t cudaMemcpy2DAsync(void *to, size_t to_pitch, const void *from, size_t from_pitch,
	size_t width, size_t height, int kind, CUstream stream)
{
	return copy(
		&(struct plane){to, from, to_pitch, from_pitch, width, height}, kind, true, stream);
}

cudaError_t cudaMemcpyPeerAsync(
	void *to, int to_device, const void *from, int from_device, size_t size, CUstream stream)
{
	CUdevice found;
	int error = runtime_begin();

	error = error ? error : (int)cuDeviceGet(&found, to_device);
	error = error ? error : (int)cuDeviceGet(&found, from_device);
	return error ? runtime_end(error)
		     : cudaMemcpyAsync(to, from, size, DEVICE_TO_DEVICE, stream);
}

/* Bytes of a texel of an array; 0: there is none. */
static size_t texel_of(CUarray array)
{
	struct cudaChannelFormatDesc d;

	return cudaGetChannelDesc(&d, array) ? 0 : (size_t)(d.x + d.y + d.z + d.w) / 8;
}

/* Widths and first positions are in texels, if there is an array. */
static int box_of_arrays(const struct cudaMemcpy3DParms *p, CUDA_MEMCPY3D *out)
{
	const CUarray to = p->to_array, from = p->from_array;
	const size_t to_texel = to ? texel_of(to) : 1, from_texel = from ? texel_of(from) : 1,
		     texel = to ? to_texel : from_texel;
	CUDA_ARRAY3D_DESCRIPTOR d;
	int error = to ? (int)cuArray3DGetDescriptor_v2(&d, to) : 0;

	error = error || !from ? error : (int)cuArray3DGetDescriptor_v2(&d, from);
	if (error)
		return error;
	if ((to && (p->to.address || p->kind == DEVICE_TO_HOST)) ||
		(from && (p->from.address || p->kind == HOST_TO_DEVICE)) ||
		p->kind == HOST_TO_HOST || (to && from && to_texel != from_texel) ||
		p->extent.width > SIZE_MAX / texel || p->to_at.x > SIZE_MAX / texel ||
		p->from_at.x > SIZE_MAX / texel)
		return cudaErrorInvalidValue;
	out->width *= texel;
	if (to) {
		out->dst_type = CU_MEMORYTYPE_ARRAY;
		out->dst_array = to;
		out->dst_x *= texel;
	}
	if (from) {
		out->src_type = CU_MEMORYTYPE_ARRAY;
		out->src_array = from;
		out->src_x *= texel;
	}
	return cudaSuccess;
}

int runtime_box(const struct cudaMemcpy3DParms *p, CUDA_MEMCPY3D *out)
{
	if (!p)
		return cudaErrorInvalidValue;
	if (p->kind < HOST_TO_HOST || p->kind > BY_ADDRESS)
		return cudaErrorInvalidMemcpyDirection;
	*out = (CUDA_MEMCPY3D){.src_x = p->from_at.x,
		.src_y = p->from_at.y,
		.src_z = p->from_at.z,
		.src_type = sides[p->kind].from,
		.src_host = p->from.address,
		.src_device = device(p->from.address),
		.src_pitch = p->from.pitch,
		.src_height = p->from.height,
		.dst_x = p->to_at.x,
		.dst_y = p->to_at.y,
		.dst_z = p->to_at.z,
		.dst_type = sides[p->kind].to,
		.dst_host = p->to.address,
		.dst_device = device(p->to.address),
		.dst_pitch = p->to.pitch,
		.dst_height = p->to.height,
		.width = p->extent.width,
		.height = p->extent.height,
		.depth = p->extent.depth};
	return p->to_array || p->from_array ? box_of_arrays(p, out) : cudaSuccess;
}

cudaError_t cudaMemcpy3D(const struct cudaMemcpy3DParms *box)
{
	CUDA_MEMCPY3D c;
	int error = runtime_begin();

	error = error ? error : runtime_box(box, &c);
	return runtime_end(error ? error : (int)cuMemcpy3D_v2(&c));
}

cudaError_t cudaMemcpy3DAsync(const struct cudaMemcpy3DParms *box, CUstream stream)
{
	CUDA_MEMCPY3D c;
	int error = runtime_begin();

	error = error ? error : runtime_box(box, &c);
	return runtime_end(error ? error : (int)cuMemcpy3DAsync_v2(&c, stream));
}

/* --- fills --- */

cudaError_t cudaMemset3DAsync(
	struct cudaPitchedPtr to, int value, struct cudaExtent extent, CUstream stream)
{
	int error = runtime_begin();

	for (size_t z = 0; z < extent.depth && !error; z++)
		error = (int)cuMemsetD2D8Async(device(to.address) + z * to.pitch * to.height,
			to.pitch, (unsigned char)value, extent.width, extent.height, stream);
	return runtime_end(error);
}

cudaError_t cudaMemset3D(struct cudaPitchedPtr to, int value, struct cudaExtent extent)
{
	return cudaMemset3DAsync(to, value, extent, NULL);
}

cudaError_t cudaMemset(void *address, int value, size_t size)
{
	DRIVER(cuMemsetD8_v2(device(address), (unsigned char)value, size));
}

cudaError_t cudaMemsetAsync(void *address, int value, size_t size, CUstream stream)
{
	DRIVER(cuMemsetD8Async(device(address), (unsigned char)value, size, stream));
}

cudaError_t cudaMemset2D(void *address, size_t pitch, int value, size_t width, size_t height)
{
	DRIVER(cuMemsetD2D8_v2(device(address), pitch, (unsigned char)value, width, height));
}

cudaError_t cudaMemset2DAsync(
	void *address, size_t pitch, int value, size_t width, size_t height, CUstream stream)
{
	DRIVER(cuMemsetD2D8Async(
		device(address), pitch, (unsigned char)value, width, height, stream));
}

/* --- variables --- */

/* The address of SIZE bytes of SYMBOL from OFFSET on. */
static cudaError_t part(const void *symbol, size_t size, size_t offset, void **out)
{
	CUdeviceptr address;
	size_t has;
	cudaError_t error = runtime_variable(symbol, &address, &has);

	if (error || offset > has || size > has - offset)
		return runtime_end(error ? error : cudaErrorInvalidValue);
	*out = (void *)(uintptr_t)(address + offset);
	return cudaSuccess;
}

cudaError_t cudaMemcpyToSymbol(
	const void *symbol, const void *from, size_t size, size_t offset, int kind)
{
	void *to;
	cudaError_t error = part(symbol, size, offset, &to);

	return error ? error : cudaMemcpy(to, from, size, kind);
}

cudaError_t cudaMemcpyToSymbolAsync(
	const void *symbol, const void *from, size_t size, size_t offset, int kind, CUstream stream)
{
	void *to;
	cudaError_t error = part(symbol, size, offset, &to);

	return error ? error : cudaMemcpyAsync(to, from, size, kind, stream);
}

cudaError_t cudaMemcpyFromSymbol(void *to, const void *symbol, size_t size, size_t offset, int kind)
{
	void *from;
	cudaError_t error = part(symbol, size, offset, &from);

	return error ? error : cudaMemcpy(to, from, size, kind);
}

cudaError_t cudaMemcpyFromSymbolAsync(
	void *to, const void *symbol, size_t size, size_t offset, int kind, CUstream stream)
{
	void *from;
	cudaError_t error = part(symbol, size, offset, &from);

	return error ? error : cudaMemcpyAsync(to, from, size, kind, stream);
}

cudaError_t cudaGetSymbolAddress(void **address, const void *symbol)
{
	return address ? part(symbol, 0, 0, address) : runtime_end(cudaErrorInvalidValue);
}

cudaError_t cudaGetSymbolSize(size_t *size, const void *symbol)
{
	CUdeviceptr address;

	return runtime_end(size ? runtime_variable(symbol, &address, size) : cudaErrorInvalidValue);
}

/* --- hints --- */

cudaError_t runtime_prefetch(const void *address, size_t size, CUstream stream)
{
	DRIVER(cuMemPrefetchAsync(device(address), size, 0, stream));
}

cudaError_t runtime_advise(const void *address, size_t size, int advice)
{
	DRIVER(cuMemAdvise(device(address), size, advice, 0));
}
