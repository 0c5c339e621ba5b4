/* The CUDA driver, loaded at run time. The few entry points in use are declared here, so that
 * building and linking need nothing from CUDA. */
#ifndef PTXI_GPU_DRIVER_H
#define PTXI_GPU_DRIVER_H
#include <stddef.h>
#include <stdint.h>

typedef int cu_result;       /* CUresult: 0 is success */
typedef int cu_device;       /* CUdevice */
typedef uint64_t cu_address; /* CUdeviceptr */
struct cu_context;           /* CUcontext and the other handles are pointers to these */
struct cu_module;
struct cu_function;
struct cu_stream;
struct cu_event;

/* CUlaunchAttribute, 72 bytes: an id and a value of 64 bytes, aligned to 8. */
struct cu_launch_attribute {
	int id;
	int pad;
	union {
		uint8_t bytes[64];
		unsigned cluster[3];
		int flag;
	} value;
};
enum { CU_ATTRIBUTE_COOPERATIVE = 2, CU_ATTRIBUTE_CLUSTER = 4 };

struct cu_launch_config { /* CUlaunchConfig */
	unsigned grid[3], block[3], shared_bytes;
	struct cu_stream *stream;
	struct cu_launch_attribute *attribute;
	unsigned nattributes;
};
_Static_assert(sizeof(struct cu_launch_attribute) == 72 && sizeof(struct cu_launch_config) == 56,
	"must match the layouts of cuda.h");

/* X(name, symbol in libcuda, parameters) */
#define CU_FUNCTIONS(X) \
	X(init, "cuInit", (unsigned flags)) \
	X(driver_version, "cuDriverGetVersion", (int *version)) \
	X(device_count, "cuDeviceGetCount", (int *count)) \
	X(device_get, "cuDeviceGet", (cu_device * device, int ordinal)) \
	X(device_name, "cuDeviceGetName", (char *name, int len, cu_device device)) \
	X(device_attribute, "cuDeviceGetAttribute", (int *value, int attribute, cu_device device)) \
	X(context_retain, "cuDevicePrimaryCtxRetain", \
		(struct cu_context * *context, cu_device device)) \
	X(context_set, "cuCtxSetCurrent", (struct cu_context * context)) \
	X(peer_can, "cuDeviceCanAccessPeer", (int *can, cu_device device, cu_device peer)) \
	X(peer_enable, "cuCtxEnablePeerAccess", (struct cu_context * peer, unsigned flags)) \
	X(context_limit, "cuCtxSetLimit", (int limit, size_t value)) \
	X(context_sync, "cuCtxSynchronize", (void)) \
	X(module_load, "cuModuleLoadDataEx", \
		(struct cu_module * *module, const void *image, unsigned n, int *option, \
			void **value)) \
	X(module_unload, "cuModuleUnload", (struct cu_module * module)) \
	X(module_function, "cuModuleGetFunction", \
		(struct cu_function * *function, struct cu_module * module, const char *name)) \
	X(module_global, "cuModuleGetGlobal_v2", \
		(cu_address * address, size_t * bytes, struct cu_module * module, \
			const char *name)) \
	X(function_attribute, "cuFuncSetAttribute", \
		(struct cu_function * function, int attribute, int value)) \
	X(occupancy, "cuOccupancyMaxActiveBlocksPerMultiprocessor", \
		(int *ctas, struct cu_function *function, int threads, size_t shared_bytes)) \
	X(launch, "cuLaunchKernelEx", \
		(const struct cu_launch_config *config, struct cu_function *function, \
			void **params, void **extra)) \
	X(memory_alloc, "cuMemAlloc_v2", (cu_address * address, size_t bytes)) \
	X(memory_free, "cuMemFree_v2", (cu_address address)) \
	X(memory_set, "cuMemsetD8_v2", (cu_address address, unsigned char value, size_t bytes)) \
	X(copy_in, "cuMemcpyHtoD_v2", (cu_address to, const void *from, size_t bytes)) \
	X(copy_out, "cuMemcpyDtoH_v2", (void *to, cu_address from, size_t bytes)) \
	X(stream_create, "cuStreamCreate", (struct cu_stream * *stream, unsigned flags)) \
	X(stream_destroy, "cuStreamDestroy_v2", (struct cu_stream * stream)) \
	X(stream_wait, "cuStreamWaitEvent", \
		(struct cu_stream * stream, struct cu_event * event, unsigned flags)) \
	X(host_function, "cuLaunchHostFunc", \
		(struct cu_stream * stream, void (*function)(void *data), void *data)) \
	X(event_create, "cuEventCreate", (struct cu_event * *event, unsigned flags)) \
	X(event_record, "cuEventRecord", (struct cu_event * event, struct cu_stream * stream)) \
	X(event_destroy, "cuEventDestroy_v2", (struct cu_event * event)) \
	X(error_name, "cuGetErrorName", (cu_result error, const char **text)) \
	X(error_text, "cuGetErrorString", (cu_result error, const char **text))

struct driver {
#define CU_MEMBER(name, symbol, params) cu_result(*name) params;
	CU_FUNCTIONS(CU_MEMBER)
#undef CU_MEMBER
	void *library;
	int version; /* 13000 for 13.0 */
};

/* Loads libcuda.so.1 and initialises it. On failure returns false and sets *WHY to the reason, a
 * string owned by the driver or static. Call driver_close in either case. */
_Bool driver_open(struct driver *d, const char **why);
void driver_close(struct driver *d);
/* The driver's description of an error: "CUDA_ERROR_ILLEGAL_ADDRESS: an illegal memory access was
 * encountered". Never NULL; overwritten by the next call. */
const char *driver_error(const struct driver *d, cu_result error);

#endif
