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

cudaError_t cudaMallocAsync(void **address, size_t size, CUstream stream)
{
	(void)stream;
	return cudaMalloc(address, size);
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
	if (to_device || from_device)
		return runtime_end(cudaErrorInvalidDevice);
	return cudaMemcpy(to, from, size, DEVICE_TO_DEVICE);
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

/* --- fills --- */

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
