/* The driver's interface: types, numbers and layouts are those of its documentation. */
#ifndef PTXI_CUDA_API_H
#define PTXI_CUDA_API_H
#include <stddef.h>
#include <stdint.h>

typedef enum {
#define ERROR(name, number, text) name = number,
#include "cuda/errors.def"
#undef ERROR
} CUresult;

typedef int CUdevice;
typedef uint64_t CUdeviceptr;
typedef struct CUctx_st *CUcontext;
typedef struct CUmod_st *CUmodule; /* also CUlibrary */
typedef struct CUlinkState_st *CUlinkState;
typedef struct CUfunc_st *CUfunction; /* also CUkernel */
typedef struct CUstream_st *CUstream;
typedef struct CUevent_st *CUevent;
typedef struct CUgraph_st *CUgraph;
typedef struct CUgraphNode_st *CUgraphNode;
typedef struct CUgraphExec_st *CUgraphExec;
typedef struct CUmemPoolHandle_st *CUmemoryPool;
typedef struct CUarray_st *CUarray;
typedef const struct CUarray_st *CUarray_const;
typedef uint64_t CUtexObject, CUsurfObject;
typedef void (*CUhostFn)(void *self);
typedef void (*CUstreamCallback)(CUstream stream, CUresult status, void *self);
typedef size_t (*CUoccupancyB2DSize)(int threads);

/* Handles of streams that always exist. */
#define CU_STREAM_LEGACY ((CUstream)0x1)
#define CU_STREAM_PER_THREAD ((CUstream)0x2)

/* The words of cuLaunchKernel's `extra`. */
#define CU_LAUNCH_PARAM_END ((void *)0x00)
#define CU_LAUNCH_PARAM_BUFFER_POINTER ((void *)0x01)
#define CU_LAUNCH_PARAM_BUFFER_SIZE ((void *)0x02)

enum {
	CU_STREAM_NON_BLOCKING = 1,
	CU_EVENT_DISABLE_TIMING = 2,

	CU_MEMORYTYPE_HOST = 1,
	CU_MEMORYTYPE_DEVICE = 2,
	CU_MEMORYTYPE_ARRAY = 3,
	CU_MEMORYTYPE_UNIFIED = 4,

	CU_AD_FORMAT_UNSIGNED_INT8 = 1,
	CU_AD_FORMAT_UNSIGNED_INT16 = 2,
	CU_AD_FORMAT_UNSIGNED_INT32 = 3,
	CU_AD_FORMAT_SIGNED_INT8 = 8,
	CU_AD_FORMAT_SIGNED_INT16 = 9,
	CU_AD_FORMAT_SIGNED_INT32 = 10,
	CU_AD_FORMAT_HALF = 16,
	CU_AD_FORMAT_FLOAT = 32,

	CUDA_ARRAY3D_LAYERED = 1,
	CUDA_ARRAY3D_SURFACE_LDST = 2,
	CUDA_ARRAY3D_CUBEMAP = 4,
	CUDA_ARRAY3D_TEXTURE_GATHER = 8,
	CUDA_ARRAY3D_COLOR_ATTACHMENT = 0x20,
	CUDA_ARRAY3D_SPARSE = 0x40,
	CUDA_ARRAY3D_DEFERRED_MAPPING = 0x80,

	CU_RESOURCE_TYPE_ARRAY = 0,
	CU_RESOURCE_TYPE_MIPMAPPED_ARRAY = 1,
	CU_RESOURCE_TYPE_LINEAR = 2,
	CU_RESOURCE_TYPE_PITCH2D = 3,

	CU_TR_ADDRESS_MODE_BORDER = 3,
	CU_TR_FILTER_MODE_LINEAR = 1,
	CU_TRSF_READ_AS_INTEGER = 1,
	CU_TRSF_NORMALIZED_COORDINATES = 2,
	CU_TRSF_SRGB = 16,

	CU_JIT_INFO_LOG_BUFFER = 3,
	CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES = 4,
	CU_JIT_ERROR_LOG_BUFFER = 5,
	CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES = 6,

	/* kinds of input of a link; what an input is, it says itself */
	CU_JIT_INPUT_LIBRARY = 4,
	CU_JIT_INPUTS = 6,

	CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK = 0,
	CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES = 1,
	CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES = 2,
	CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES = 3,
	CU_FUNC_ATTRIBUTE_NUM_REGS = 4,
	CU_FUNC_ATTRIBUTE_PTX_VERSION = 5,
	CU_FUNC_ATTRIBUTE_BINARY_VERSION = 6,
	CU_FUNC_ATTRIBUTE_CACHE_MODE_CA = 7,
	CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES = 8,
	CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT = 9,
	CU_FUNC_ATTRIBUTE_CLUSTER_SIZE_MUST_BE_SET = 10,
	CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH = 11,
	CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT = 12,
	CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH = 13,
	CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED = 14,
	CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE = 15,

	CU_POINTER_ATTRIBUTE_CONTEXT = 1,
	CU_POINTER_ATTRIBUTE_MEMORY_TYPE = 2,
	CU_POINTER_ATTRIBUTE_DEVICE_POINTER = 3,
	CU_POINTER_ATTRIBUTE_HOST_POINTER = 4,
	CU_POINTER_ATTRIBUTE_IS_MANAGED = 8,
	CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL = 9,
	CU_POINTER_ATTRIBUTE_RANGE_START_ADDR = 11,
	CU_POINTER_ATTRIBUTE_RANGE_SIZE = 12,
	CU_POINTER_ATTRIBUTE_MAPPED = 13,

	CU_LAUNCH_ATTRIBUTE_COOPERATIVE = 2,
	CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION = 4,

	CU_MEMPOOL_ATTR_RELEASE_THRESHOLD = 4,
	CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT = 5,
	CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH = 6,
	CU_MEMPOOL_ATTR_USED_MEM_CURRENT = 7,
	CU_MEMPOOL_ATTR_USED_MEM_HIGH = 8,

	CU_LIMIT_STACK_SIZE = 0,
	CU_LIMIT_PRINTF_FIFO_SIZE = 1,
	CU_LIMIT_MALLOC_HEAP_SIZE = 2,

	CU_GET_PROC_ADDRESS_PER_THREAD = 2, /* of flags */
	CU_GET_PROC_ADDRESS_SUCCESS = 0,
	CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND = 1,
	CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT = 2,
};

typedef struct {
	unsigned id;
	char pad[4];
	union {
		char bytes[64];
		int cooperative;
		unsigned cluster[3];
	} value;
} CUlaunchAttribute;

typedef struct {
	unsigned grid[3], block[3], shared;
	CUstream stream;
	CUlaunchAttribute *attributes;
	unsigned count;
} CUlaunchConfig;

typedef struct {
	size_t src_x, src_y;
	unsigned src_type;
	const void *src_host;
	CUdeviceptr src_device;
	void *src_array;
	size_t src_pitch;
	size_t dst_x, dst_y;
	unsigned dst_type;
	void *dst_host;
	CUdeviceptr dst_device;
	void *dst_array;
	size_t dst_pitch;
	size_t width, height;
} CUDA_MEMCPY2D;

typedef struct {
	size_t src_x, src_y, src_z, src_lod;
	unsigned src_type;
	const void *src_host;
	CUdeviceptr src_device;
	void *src_array, *reserved0;
	size_t src_pitch, src_height;
	size_t dst_x, dst_y, dst_z, dst_lod;
	unsigned dst_type;
	void *dst_host;
	CUdeviceptr dst_device;
	void *dst_array, *reserved1;
	size_t dst_pitch, dst_height;
	size_t width, height, depth;
} CUDA_MEMCPY3D;

typedef struct {
	size_t width, height; /* height 0: one dimension */
	unsigned format, channels;
} CUDA_ARRAY_DESCRIPTOR;

typedef struct {
	size_t width, height, depth; /* depth: layers of a layered one */
	unsigned format, channels, flags;
} CUDA_ARRAY3D_DESCRIPTOR;

typedef struct {
	int type;
	union {
		CUarray array;
		struct {
			CUdeviceptr address;
			unsigned format, channels;
			size_t bytes;
		} linear;
		struct {
			CUdeviceptr address;
			unsigned format, channels;
			size_t width, height, pitch;
		} pitch2D;
		int reserved[32];
	} of;
	unsigned flags;
} CUDA_RESOURCE_DESC;

typedef struct {
	int address_mode[3], filter_mode;
	unsigned flags, max_anisotropy;
	int mipmap_filter_mode;
	float mipmap_bias, mipmap_min, mipmap_max, border[4];
	int reserved[12];
} CUDA_TEXTURE_DESC;

/* Only its size: there are no views. */
typedef struct {
	size_t words[14];
} CUDA_RESOURCE_VIEW_DESC;

/* The second version has two members more, which ptxi does not read. */
typedef struct {
	CUfunction function;
	unsigned grid[3], block[3], shared;
	void **args, **extra;
} CUDA_KERNEL_NODE_PARAMS;

typedef struct {
	CUdeviceptr address;
	size_t pitch;
	unsigned value, element;
	size_t width, height;
} CUDA_MEMSET_NODE_PARAMS;

typedef struct {
	CUhostFn work;
	void *self;
} CUDA_HOST_NODE_PARAMS;

#define CU(name, symbol, since, parameters) \
	__attribute__((visibility("default"))) CUresult symbol parameters;
#include "cuda/functions.def"
#undef CU
/* The same functions for programs whose default stream is that of the thread. */
#define CU(name, symbol, since, parameters)
#define CS(name, symbol, since, suffix, parameters, arguments) \
	__attribute__((visibility("default"))) CUresult symbol##suffix parameters;
#include "cuda/functions.def"
#undef CU

#endif
