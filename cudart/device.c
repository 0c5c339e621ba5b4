/* Errors, the device and its properties. */
#include "cudart/runtime.h"
#include <stdbool.h>
#include <string.h>

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

cudaError_t runtime_version(int *version, int is)
{
	if (!version)
		return runtime_end(cudaErrorInvalidValue);
	*version = is;
	return cudaSuccess;
}

cudaError_t cudaGetDeviceCount(int *count) { DRIVER(cuDeviceGetCount(count)); }

cudaError_t cudaGetDevice(int *device) { DRIVER(cuCtxGetDevice(device)); }

cudaError_t cudaSetDevice(int device)
{
	CUcontext context = NULL;
	int error = runtime_begin(), now = -1;

	error = error ? error : (int)cuCtxGetDevice(&now);
	if (error || now == device)
		return runtime_end(error);
	error = (int)cuDevicePrimaryCtxRetain(&context, device);
	return runtime_end(error ? error : (int)cuCtxSetCurrent(context));
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

static int primary_of(int device, CUcontext *context)
{
	int error = runtime_begin();

	error = error ? error : (int)cuDevicePrimaryCtxRetain(context, device);
	return error ? error : (int)cuDevicePrimaryCtxRelease_v2(device);
}

cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned flags)
{
	CUcontext context;
	int error = primary_of(peer, &context);

	error = error ? error : (int)cuCtxEnablePeerAccess(context, flags);
	/* a device is no peer of itself */
	return runtime_end(
		error == cudaErrorPeerAccessUnsupported ? cudaErrorInvalidDevice : error);
}

cudaError_t cudaDeviceDisablePeerAccess(int peer)
{
	CUcontext context;
	int error = primary_of(peer, &context);

	return runtime_end(error ? error : (int)cuCtxDisablePeerAccess(context));
}

cudaError_t cudaDeviceGetP2PAttribute(int *value, int attribute, int from, int to)
{
	DRIVER(cuDeviceGetP2PAttribute(value, attribute, from, to));
}

cudaError_t cudaDeviceGetByPCIBusId(int *device, const char *id)
{
	DRIVER(cuDeviceGetByPCIBusId(device, id));
}

cudaError_t cudaGetDriverEntryPointByVersion(const char *name, void **function, unsigned version,
	unsigned long long flags, unsigned *status)
{
	DRIVER(cuGetProcAddress_v2(name, function, (int)version, flags, status));
}

cudaError_t cudaGetDriverEntryPoint(
	const char *name, void **function, unsigned long long flags, unsigned *status)
{
	int version = 0;

	cuDriverGetVersion(&version);
	return cudaGetDriverEntryPointByVersion(name, function, (unsigned)version, flags, status);
}

/* Caches are not modelled. */
cudaError_t cudaCtxResetPersistingL2Cache(void) { return runtime_end((int)runtime_begin()); }

cudaError_t cudaProfilerStart(void) { DRIVER(cuProfilerStart()); }

cudaError_t cudaProfilerStop(void) { DRIVER(cuProfilerStop()); }
