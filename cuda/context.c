/* Devices and contexts. All devices are one, by several numbers, and all contexts share its memory;
 * a context is only what must be current. */
#include "cuda/driver.h"
#include "cuda/limits.h"
#include <pthread.h>
#include <stdio.h>
#include <string.h>

enum { DEEPEST = 64, LAST_ATTRIBUTE = 256, API_VERSION = 3020 };

/* The contexts that this thread has pushed; the last is current. */
static _Thread_local struct {
	CUcontext context[DEEPEST];
	unsigned n;
} stack;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct CUctx_st primary[MOST_DEVICES]; /* of each device */

/* --- devices --- */

static CUresult device_fits(CUdevice device, const void *out)
{
	CUresult r = driver_ready();

	if (r)
		return r;
	if (device < 0 || device >= driver_devices())
		return CUDA_ERROR_INVALID_DEVICE;
	return out ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuDeviceGet(CUdevice *device, int ordinal)
{
	CUresult r = device_fits(ordinal, device);

	if (!r)
		*device = ordinal;
	return r;
}

CUresult cuDeviceGetCount(int *count)
{
	CUresult r = device_fits(0, count);

	if (!r)
		*count = driver_devices();
	return r;
}

CUresult cuDeviceGetName(char *name, int room, CUdevice device)
{
	CUresult r = device_fits(device, name);

	if (!r && room > 0)
		snprintf(name, (size_t)room, "ptxi");
	return r;
}

CUresult cuDeviceGetUuid_v2(void *uuid, CUdevice device)
{
	CUresult r = device_fits(device, uuid);

	if (!r)
		memcpy(uuid, (char[16]){'p', 't', 'x', 'i', (char)device}, 16);
	return r;
}

CUresult cuDeviceGetUuid(void *uuid, CUdevice device) { return cuDeviceGetUuid_v2(uuid, device); }

static const char pci[] = "0000:%02x:00.0";

CUresult cuDeviceGetPCIBusId(char *id, int room, CUdevice device)
{
	CUresult r = device_fits(device, id);

	if (!r && room > 0)
		snprintf(id, (size_t)room, pci, (unsigned)device);
	return r;
}

CUresult cuDeviceGetByPCIBusId(CUdevice *device, const char *id)
{
	CUresult r = device_fits(0, device);

	if (r || !id)
		return r ? r : CUDA_ERROR_INVALID_VALUE;
	for (*device = 0; *device < driver_devices(); ++*device) {
		char own[20];

		snprintf(own, sizeof own, pci, (unsigned)*device);
		if (strcmp(id, own) == 0)
			return CUDA_SUCCESS;
	}
	*device = 0;
	return CUDA_ERROR_INVALID_DEVICE;
}

CUresult cuDeviceTotalMem_v2(size_t *bytes, CUdevice device)
{
	CUresult r = device_fits(device, bytes);
	uint64_t left, limit;

	if (r)
		return r;
	r = driver_result(ptxi_memory(driver_device(), &left, &limit));
	*bytes = (size_t)limit;
	return r;
}

CUresult cuDeviceGetAttribute(int *value, int attribute, CUdevice device)
{
	CUresult r = device_fits(device, value);
	struct ptxi_properties P;

	if (r)
		return r;
	if (attribute < 1 || attribute > LAST_ATTRIBUTE)
		return CUDA_ERROR_INVALID_VALUE;
	ptxi_get_properties(driver_device(), &P);
	switch (attribute) {
#define ATTRIBUTE(number, what) \
	case number: \
		*value = (int)(what); \
		break;
#include "cuda/attributes.def"
#undef ATTRIBUTE
	default: *value = 0; break;
	}
	return CUDA_SUCCESS;
}

CUresult cuDeviceComputeCapability(int *major, int *minor, CUdevice device)
{
	CUresult r = device_fits(device, major);
	struct ptxi_properties p;

	if (r || !minor)
		return r ? r : CUDA_ERROR_INVALID_VALUE;
	ptxi_get_properties(driver_device(), &p);
	*major = (int)p.major;
	*minor = (int)p.minor;
	return CUDA_SUCCESS;
}

CUresult cuDeviceCanAccessPeer(int *can, CUdevice device, CUdevice peer)
{
	CUresult r = device_fits(device, can);

	r = r ? r : device_fits(peer, can);
	if (!r)
		*can = device != peer;
	return r;
}

CUresult cuDeviceGetP2PAttribute(int *value, int attribute, CUdevice from, CUdevice to)
{
	CUresult r = device_fits(from, value);

	r = r ? r : device_fits(to, value);
	if (r || from == to || attribute < 1 || attribute > 4)
		return r ? r : from == to ? CUDA_ERROR_INVALID_DEVICE : CUDA_ERROR_INVALID_VALUE;
	/* performance rank, access, atomics, arrays */
	*value = attribute == 2 || attribute == 3;
	return CUDA_SUCCESS;
}

/* --- contexts --- */

CUcontext context_current(void)
{
	CUcontext c = stack.n ? stack.context[stack.n - 1] : NULL;

	return handle_is(c, HANDLE_CONTEXT) ? c : NULL;
}

CUresult context_enter(void)
{
	CUresult r = driver_ready();

	return r ? r : context_current() ? CUDA_SUCCESS : CUDA_ERROR_INVALID_CONTEXT;
}

static CUresult push(CUcontext context)
{
	if (stack.n == DEEPEST)
		return CUDA_ERROR_OUT_OF_MEMORY;
	stack.context[stack.n++] = context;
	return CUDA_SUCCESS;
}

CUresult cuCtxCreate_v2(CUcontext *context, unsigned flags, CUdevice device)
{
	CUresult r = device_fits(device, context);
	CUcontext c;

	if (r)
		return r;
	c = handle_new(HANDLE_CONTEXT, sizeof *c);
	if (!c)
		return CUDA_ERROR_OUT_OF_MEMORY;
	c->flags = flags;
	c->device = device;
	*context = c;
	return push(c);
}

CUresult cuCtxCreate_v4(CUcontext *context, const void *parameters, unsigned flags, CUdevice device)
{
	return parameters ? CUDA_ERROR_NOT_SUPPORTED : cuCtxCreate_v2(context, flags, device);
}

CUresult cuCtxDestroy_v2(CUcontext context)
{
	CUresult r = driver_ready();

	if (r || !handle_is(context, HANDLE_CONTEXT) || context->primary)
		return r ? r : CUDA_ERROR_INVALID_CONTEXT;
	r = driver_waited(ptxi_sync(driver_device()));
	if (stack.n && stack.context[stack.n - 1] == context)
		stack.n--;
	handle_end(context, HANDLE_CONTEXT);
	return r;
}

CUresult cuCtxPushCurrent_v2(CUcontext context)
{
	CUresult r = driver_ready();

	if (r || !handle_is(context, HANDLE_CONTEXT))
		return r ? r : CUDA_ERROR_INVALID_CONTEXT;
	return push(context);
}

CUresult cuCtxPopCurrent_v2(CUcontext *context)
{
	CUresult r = driver_ready();

	if (r || !stack.n)
		return r ? r : CUDA_ERROR_INVALID_CONTEXT;
	stack.n--;
	if (context)
		*context = stack.context[stack.n];
	return CUDA_SUCCESS;
}

CUresult cuCtxSetCurrent(CUcontext context)
{
	CUresult r = driver_ready();

	if (r || (context && !handle_is(context, HANDLE_CONTEXT)))
		return r ? r : CUDA_ERROR_INVALID_CONTEXT;
	stack.n -= stack.n > 0;
	return context ? push(context) : CUDA_SUCCESS;
}

CUresult cuCtxGetCurrent(CUcontext *context)
{
	CUresult r = device_fits(0, context);

	if (!r)
		*context = context_current();
	return r;
}

CUresult cuCtxGetDevice(CUdevice *device)
{
	CUresult r = context_enter();

	if (r || !device)
		return r ? r : CUDA_ERROR_INVALID_VALUE;
	*device = context_current()->device;
	return CUDA_SUCCESS;
}

CUresult cuCtxGetFlags(unsigned *flags)
{
	CUresult r = context_enter();

	if (r || !flags)
		return r ? r : CUDA_ERROR_INVALID_VALUE;
	*flags = context_current()->flags;
	return CUDA_SUCCESS;
}

CUresult cuCtxGetApiVersion(CUcontext context, unsigned *version)
{
	CUresult r = driver_ready();

	if (r || (context ? !handle_is(context, HANDLE_CONTEXT) : !context_current()))
		return r ? r : CUDA_ERROR_INVALID_CONTEXT;
	if (!version)
		return CUDA_ERROR_INVALID_VALUE;
	*version = API_VERSION;
	return CUDA_SUCCESS;
}

CUresult cuCtxSynchronize(void)
{
	CUresult r = context_enter();

	return r ? r : driver_waited(ptxi_sync(driver_device()));
}

CUresult cuCtxGetStreamPriorityRange(int *least, int *greatest)
{
	CUresult r = context_enter();

	if (!r && least)
		*least = 0;
	if (!r && greatest)
		*greatest = -5;
	return r;
}

CUresult cuCtxSetCacheConfig(int config)
{
	CUresult r = context_enter();

	return r || (config >= 0 && config <= 3) ? r : CUDA_ERROR_INVALID_VALUE;
}

/* Limits of the device are those of the interpreter, whatever a program asks for. */
CUresult cuCtxGetLimit(size_t *value, int limit)
{
	CUresult r = context_enter();

	if (r || !value)
		return r ? r : CUDA_ERROR_INVALID_VALUE;
	switch (limit) {
	case CU_LIMIT_STACK_SIZE: *value = STACK_BYTES; return CUDA_SUCCESS;
	case CU_LIMIT_PRINTF_FIFO_SIZE: *value = OUTPUT_BYTES; return CUDA_SUCCESS;
	case CU_LIMIT_MALLOC_HEAP_SIZE: *value = HEAP_BYTES; return CUDA_SUCCESS;
	default: return CUDA_ERROR_UNSUPPORTED_LIMIT;
	}
}

CUresult cuCtxSetLimit(int limit, size_t value)
{
	size_t is;
	CUresult r = cuCtxGetLimit(&is, limit);

	return r || value <= is ? r : CUDA_ERROR_INVALID_VALUE;
}

/* Memory of all devices can be used by all; what a program asks for is remembered. */
CUresult cuCtxEnablePeerAccess(CUcontext peer, unsigned flags)
{
	CUresult r = context_enter();
	CUcontext own = context_current();

	if (r || flags || !handle_is(peer, HANDLE_CONTEXT))
		return r ? r : flags ? CUDA_ERROR_INVALID_VALUE : CUDA_ERROR_INVALID_CONTEXT;
	if (peer->device == own->device)
		return CUDA_ERROR_PEER_ACCESS_UNSUPPORTED;
	if (own->peers >> peer->device & 1)
		return CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED;
	own->peers |= UINT64_C(1) << peer->device;
	return CUDA_SUCCESS;
}

CUresult cuCtxDisablePeerAccess(CUcontext peer)
{
	CUresult r = context_enter();

	if (r || !handle_is(peer, HANDLE_CONTEXT))
		return r ? r : CUDA_ERROR_INVALID_CONTEXT;
	if (!(context_current()->peers >> peer->device & 1))
		return CUDA_ERROR_PEER_ACCESS_NOT_ENABLED;
	context_current()->peers &= ~(UINT64_C(1) << peer->device);
	return CUDA_SUCCESS;
}

/* --- the primary contexts --- */

static CUcontext primary_of(CUdevice device)
{
	CUcontext c = &primary[device];

	c->handle.kind = HANDLE_CONTEXT;
	c->primary = true;
	c->device = device;
	return c;
}

CUresult cuDevicePrimaryCtxRetain(CUcontext *context, CUdevice device)
{
	CUresult r = device_fits(device, context);

	if (r)
		return r;
	pthread_mutex_lock(&lock);
	primary[device].retained++;
	pthread_mutex_unlock(&lock);
	*context = primary_of(device);
	return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxRelease_v2(CUdevice device)
{
	CUresult r = device_fits(device, primary);

	if (r)
		return r;
	pthread_mutex_lock(&lock);
	if (primary[device].retained)
		primary[device].retained--;
	else
		r = CUDA_ERROR_INVALID_CONTEXT;
	pthread_mutex_unlock(&lock);
	return r;
}

/* What the program has allocated remains. */
CUresult cuDevicePrimaryCtxReset_v2(CUdevice device)
{
	CUresult r = device_fits(device, primary);

	return r ? r : driver_waited(ptxi_sync(driver_device()));
}

CUresult cuDevicePrimaryCtxSetFlags_v2(CUdevice device, unsigned flags)
{
	CUresult r = device_fits(device, primary);

	if (!r)
		primary[device].flags = flags;
	return r;
}

CUresult cuDevicePrimaryCtxGetState(CUdevice device, unsigned *flags, int *active)
{
	CUresult r = device_fits(device, primary);

	if (r || !flags || !active)
		return r ? r : CUDA_ERROR_INVALID_VALUE;
	pthread_mutex_lock(&lock);
	*flags = primary[device].flags;
	*active = primary[device].retained != 0;
	pthread_mutex_unlock(&lock);
	return CUDA_SUCCESS;
}
