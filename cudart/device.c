/* Errors, the device and its properties. */
#include "cudart/runtime.h"
#include <stdbool.h>
#include <string.h>

enum { VERSION = 13000 };

/* --- errors --- */

static _Thread_local struct {
	bool begun;
	cudaError_t last;
} of_thread;

CUresult runtime_begin(void)
{
	CUcontext context = NULL;
	CUresult r = CUDA_SUCCESS;

	if (of_thread.begun)
		return CUDA_SUCCESS;
	r = cuInit(0);
	/* a program may have made a context with the driver's functions */
	r = r ? r : cuCtxGetCurrent(&context);
	if (!r && !context) {
		r = cuDevicePrimaryCtxRetain(&context, 0);
		r = r ? r : cuCtxSetCurrent(context);
	}
	of_thread.begun = !r;
	return r;
}

cudaError_t runtime_end(int error)
{
	if (error)
		of_thread.last = error;
	return error;
}

cudaError_t cudaGetLastError(void)
{
	cudaError_t last = of_thread.last;

	of_thread.last = cudaSuccess;
	__ptxi_error(cudaSuccess, "");
	return last;
}

cudaError_t cudaPeekAtLastError(void)
{
	__ptxi_error(cudaSuccess, "");
	return of_thread.last;
}

static const struct {
	cudaError_t number;
	const char *name, *text;
} errors[] = {
#define ERROR(name, number, text) {number, #name, text},
#include "cudart/errors.def"
#undef ERROR
};

const char *cudaGetErrorName(cudaError_t error)
{
	for (size_t k = 0; k < sizeof errors / sizeof errors[0]; k++)
		if (errors[k].number == error)
			return errors[k].name;
	return "unrecognized error code";
}

const char *cudaGetErrorString(cudaError_t error)
{
	const char *text = NULL;

	for (size_t k = 0; k < sizeof errors / sizeof errors[0]; k++)
		if (errors[k].number == error)
			text = errors[k].text;
	if (text && !*text)
		cuGetErrorString((CUresult)error, &text);
	return text ? text : "unrecognized error code";
}

/* --- the device --- */

cudaError_t cudaDriverGetVersion(int *version) { return runtime_end(cuDriverGetVersion(version)); }

cudaError_t cudaRuntimeGetVersion(int *version)
{
	if (!version)
		return runtime_end(cudaErrorInvalidValue);
	*version = VERSION;
	return cudaSuccess;
}

cudaError_t cudaGetDeviceCount(int *count) { DRIVER(cuDeviceGetCount(count)); }

cudaError_t cudaGetDevice(int *device) { DRIVER(cuCtxGetDevice(device)); }

cudaError_t cudaSetDevice(int device)
{
	CUdevice found;

	DRIVER(cuDeviceGet(&found, device));
}

cudaError_t cudaInitDevice(int device, unsigned device_flags, unsigned flags)
{
	(void)device_flags;
	(void)flags;
	return cudaSetDevice(device);
}

cudaError_t cudaSetDeviceFlags(unsigned flags) { DRIVER(cuDevicePrimaryCtxSetFlags_v2(0, flags)); }

cudaError_t cudaGetDeviceFlags(unsigned *flags) { DRIVER(cuCtxGetFlags(flags)); }

cudaError_t cudaDeviceGetAttribute(int *value, int attribute, int device)
{
	DRIVER(cuDeviceGetAttribute(value, attribute, device));
}

cudaError_t cudaDeviceGetPCIBusId(char *id, int room, int device)
{
	DRIVER(cuDeviceGetPCIBusId(id, room, device));
}

/* Which attribute of the driver each property is. */
static void fill_properties(struct cudaDeviceProp *p)
{
	const struct {
		int attribute;
		int *to;
	} rows[] = {
		{1, &p->threads_per_block},
		{2, &p->block[0]},
		{3, &p->block[1]},
		{4, &p->block[2]},
		{5, &p->grid[0]},
		{6, &p->grid[1]},
		{7, &p->grid[2]},
		{10, &p->warp},
		{12, &p->registers_per_block},
		{16, &p->multiprocessors},
		{19, &p->maps_host},
		{31, &p->concurrent_kernels},
		{37, &p->memory_bus},
		{39, &p->threads_per_multiprocessor},
		{40, &p->async_engines},
		{41, &p->unified_addressing},
		{75, &p->major},
		{76, &p->minor},
		{78, &p->priorities},
		{82, &p->registers_per_multiprocessor},
		{83, &p->managed},
		{95, &p->cooperative},
		{99, &p->registers_host},
		{106, &p->blocks_per_multiprocessor},
		{120, &p->clusters},
	};
	const struct {
		int attribute;
		size_t *to;
	} sizes[] = {
		{8, &p->shared_per_block},
		{9, &p->constant},
		{11, &p->pitch},
		{14, &p->texture_alignment},
		{81, &p->shared_per_multiprocessor},
		{97, &p->shared_optin},
		{111, &p->shared_reserved},
	};

	for (size_t k = 0; k < sizeof rows / sizeof rows[0]; k++)
		cuDeviceGetAttribute(rows[k].to, rows[k].attribute, 0);
	for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; k++) {
		int value = 0;

		cuDeviceGetAttribute(&value, sizes[k].attribute, 0);
		*sizes[k].to = (size_t)value;
	}
}

cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *p, int device)
{
	int error = runtime_begin();
	CUdevice found;

	error = error ? error : (int)cuDeviceGet(&found, device);
	if (error || !p)
		return runtime_end(error ? error : cudaErrorInvalidValue);
	memset(p, 0, sizeof *p);
	cuDeviceGetName(p->name, sizeof p->name, device);
	cuDeviceGetUuid_v2(p->uuid, device);
	cuDeviceTotalMem_v2(&p->memory, device);
	fill_properties(p);
	return cudaSuccess;
}

cudaError_t cudaDeviceSynchronize(void) { DRIVER(cuCtxSynchronize()); }

cudaError_t cudaDeviceReset(void) { DRIVER(cuDevicePrimaryCtxReset_v2(0)); }

cudaError_t cudaDeviceGetLimit(size_t *value, int limit) { DRIVER(cuCtxGetLimit(value, limit)); }

cudaError_t cudaDeviceSetLimit(int limit, size_t value) { DRIVER(cuCtxSetLimit(limit, value)); }

cudaError_t cudaDeviceSetCacheConfig(int config) { DRIVER(cuCtxSetCacheConfig(config)); }

cudaError_t cudaDeviceGetStreamPriorityRange(int *least, int *greatest)
{
	DRIVER(cuCtxGetStreamPriorityRange(least, greatest));
}

cudaError_t cudaDeviceCanAccessPeer(int *can, int device, int peer)
{
	DRIVER(cuDeviceCanAccessPeer(can, device, peer));
}

/* There is one device, and it is no peer of itself. */
cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned flags)
{
	(void)peer;
	(void)flags;
	return runtime_end(cudaErrorInvalidDevice);
}

cudaError_t cudaDeviceDisablePeerAccess(int peer)
{
	(void)peer;
	return runtime_end(cudaErrorPeerAccessNotEnabled);
}

cudaError_t cudaProfilerStart(void) { DRIVER(cuProfilerStart()); }

cudaError_t cudaProfilerStop(void) { DRIVER(cuProfilerStop()); }
