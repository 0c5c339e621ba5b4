/* The runtime's types and functions for programs. The functions are those of libcudart.so.13, from
 * the list from which that is compiled. */
#ifndef PTXI_CUDA_API_H
#define PTXI_CUDA_API_H
#include "vectors.h"

typedef enum cudaError {
#define ERROR(name, number, text) name = number,
#include "runtime_errors.def"
#undef ERROR
} cudaError_t;

typedef struct CUstream_st *CUstream, *cudaStream_t;
typedef struct CUevent_st *CUevent, *cudaEvent_t;
typedef struct CUfunc_st *CUfunction, *cudaFunction_t, *cudaKernel_t;
typedef struct CUgraph_st *CUgraph, *cudaGraph_t;
typedef struct CUgraphNode_st *CUgraphNode, *cudaGraphNode_t;
typedef struct CUgraphExec_st *CUgraphExec, *cudaGraphExec_t;
typedef struct CUmemPoolHandle_st *CUmemoryPool, *cudaMemPool_t;
typedef struct cudaArray *CUarray, *cudaArray_t;
typedef const struct cudaArray *CUarray_const, *cudaArray_const_t;
typedef unsigned long long CUtexObject, CUsurfObject, cudaTextureObject_t, cudaSurfaceObject_t;
typedef void (*cudaHostFn_t)(void *self);
typedef void (*cudaStreamCallback_t)(cudaStream_t stream, cudaError_t status, void *self);
#define cudaStreamLegacy ((cudaStream_t)0x1)
#define cudaStreamPerThread ((cudaStream_t)0x2)

enum cudaMemcpyKind {
	cudaMemcpyHostToHost = 0,
	cudaMemcpyHostToDevice = 1,
	cudaMemcpyDeviceToHost = 2,
	cudaMemcpyDeviceToDevice = 3,
	cudaMemcpyDefault = 4
};

/* Flags, and the numbers of attributes. Types of numbers that functions store through a pointer are
 * int, as the list of functions has them. */
typedef int cudaStreamCaptureMode, cudaStreamCaptureStatus, cudaDeviceAttr, cudaFuncAttribute,
	cudaLimit, cudaFuncCache, cudaMemoryAdvise, cudaMemoryType, cudaMemLocationType,
	cudaSharedCarveout;
enum {
	cudaStreamDefault = 0,
	cudaStreamNonBlocking = 1,
	cudaEventDefault = 0,
	cudaEventBlockingSync = 1,
	cudaEventDisableTiming = 2,
	cudaEventInterprocess = 4,
	cudaHostAllocDefault = 0,
	cudaHostAllocPortable = 1,
	cudaHostAllocMapped = 2,
	cudaHostAllocWriteCombined = 4,
	cudaHostRegisterDefault = 0,
	cudaHostRegisterPortable = 1,
	cudaHostRegisterMapped = 2,
	cudaMemAttachGlobal = 1,
	cudaMemAttachHost = 2,
	cudaMemAttachSingle = 4,
	cudaDeviceScheduleAuto = 0,
	cudaDeviceScheduleSpin = 1,
	cudaDeviceScheduleYield = 2,
	cudaDeviceScheduleBlockingSync = 4,
	cudaDeviceMapHost = 8,
	cudaOccupancyDefault = 0,
	cudaStreamCaptureModeGlobal = 0,
	cudaStreamCaptureModeThreadLocal = 1,
	cudaStreamCaptureModeRelaxed = 2,
	cudaStreamCaptureStatusNone = 0,
	cudaStreamCaptureStatusActive = 1,
	cudaStreamCaptureStatusInvalidated = 2,
	cudaMemoryTypeUnregistered = 0,
	cudaMemoryTypeHost = 1,
	cudaMemoryTypeDevice = 2,
	cudaMemoryTypeManaged = 3,
	cudaMemLocationTypeDevice = 1,
	cudaMemLocationTypeHost = 2,
	cudaMemAdviseSetReadMostly = 1,
	cudaMemAdviseUnsetReadMostly = 2,
	cudaMemAdviseSetPreferredLocation = 3,
	cudaMemAdviseUnsetPreferredLocation = 4,
	cudaMemAdviseSetAccessedBy = 5,
	cudaMemAdviseUnsetAccessedBy = 6,
	cudaLimitStackSize = 0,
	cudaLimitPrintfFifoSize = 1,
	cudaLimitMallocHeapSize = 2,
	cudaFuncCachePreferNone = 0,
	cudaFuncCachePreferShared = 1,
	cudaFuncCachePreferL1 = 2,
	cudaFuncCachePreferEqual = 3,
	cudaFuncAttributeMaxDynamicSharedMemorySize = 8,
	cudaFuncAttributePreferredSharedMemoryCarveout = 9,
	cudaFuncAttributeNonPortableClusterSizeAllowed = 14,
	cudaLaunchAttributeCooperative = 2,
	cudaLaunchAttributeClusterDimension = 4,
	cudaDevAttrMaxThreadsPerBlock = 1,
	cudaDevAttrMaxSharedMemoryPerBlock = 8,
	cudaDevAttrWarpSize = 10,
	cudaDevAttrClockRate = 13,
	cudaDevAttrMultiProcessorCount = 16,
	cudaDevAttrConcurrentKernels = 31,
	cudaDevAttrMaxThreadsPerMultiProcessor = 39,
	cudaDevAttrUnifiedAddressing = 41,
	cudaDevAttrComputeCapabilityMajor = 75,
	cudaDevAttrComputeCapabilityMinor = 76,
	cudaDevAttrMaxSharedMemoryPerMultiprocessor = 81,
	cudaDevAttrManagedMemory = 83,
	cudaDevAttrConcurrentManagedAccess = 89,
	cudaDevAttrCooperativeLaunch = 95,
	cudaDevAttrMaxSharedMemoryPerBlockOptin = 97,
	cudaDevAttrClusterLaunch = 120
};
#define cudaCpuDeviceId (-1)
#define cudaInvalidDeviceId (-2)

struct cudaMemLocation {
	cudaMemLocationType type;
	int id;
};

/* Of nodes of graphs. */
struct cudaKernelNodeParams {
	void *func;
	dim3 gridDim, blockDim;
	unsigned sharedMemBytes;
	void **kernelParams, **extra;
};
struct cudaMemsetParams {
	void *dst;
	size_t pitch;
	unsigned value, elementSize;
	size_t width, height;
};
struct cudaHostNodeParams {
	cudaHostFn_t fn;
	void *userData;
};

struct cudaPointerAttributes {
	cudaMemoryType type;
	int device;
	void *devicePointer, *hostPointer;
	long reserved[8];
};

struct cudaFuncAttributes {
	size_t sharedSizeBytes, constSizeBytes, localSizeBytes;
	int maxThreadsPerBlock, numRegs, ptxVersion, binaryVersion, cacheModeCA;
	int maxDynamicSharedSizeBytes, preferredShmemCarveout, clusterDimMustBeSet;
	int requiredClusterWidth, requiredClusterHeight, requiredClusterDepth;
	int clusterSchedulingPolicyPreference, nonPortableClusterSizeAllowed;
	int reserved[16];
};

struct cudaLaunchAttribute {
	unsigned id;
	char pad[4];
	union {
		char pad[64];
		int cooperative;
		struct {
			unsigned x, y, z;
		} clusterDim;
	} val;
};

struct cudaLaunchConfig {
	dim3 gridDim, blockDim;
	size_t dynamicSmemBytes;
	cudaStream_t stream;
	cudaLaunchAttribute *attrs;
	unsigned numAttrs;
};
typedef struct cudaLaunchConfig cudaLaunchConfig_t;

struct cudaDeviceProp {
	char name[256];
	char uuid[16], luid[8];
	unsigned luidDeviceNodeMask;
	size_t totalGlobalMem, sharedMemPerBlock;
	int regsPerBlock, warpSize;
	size_t memPitch;
	int maxThreadsPerBlock, maxThreadsDim[3], maxGridSize[3];
	size_t totalConstMem;
	int major, minor;
	size_t textureAlignment, texturePitchAlignment;
	int multiProcessorCount, integrated, canMapHostMemory;
	int maxTexture1D, maxTexture1DMipmap, maxTexture2D[2], maxTexture2DMipmap[2],
		maxTexture2DLinear[3], maxTexture2DGather[2], maxTexture3D[3], maxTexture3DAlt[3],
		maxTextureCubemap, maxTexture1DLayered[2], maxTexture2DLayered[3],
		maxTextureCubemapLayered[2], maxSurface1D, maxSurface2D[2], maxSurface3D[3],
		maxSurface1DLayered[2], maxSurface2DLayered[3], maxSurfaceCubemap,
		maxSurfaceCubemapLayered[2];
	size_t surfaceAlignment;
	int concurrentKernels, ECCEnabled, pciBusID, pciDeviceID, pciDomainID, tccDriver;
	int asyncEngineCount, unifiedAddressing, memoryBusWidth, l2CacheSize,
		persistingL2CacheMaxSize;
	int maxThreadsPerMultiProcessor, streamPrioritiesSupported, globalL1CacheSupported,
		localL1CacheSupported;
	size_t sharedMemPerMultiprocessor;
	int regsPerMultiprocessor, managedMemory, isMultiGpuBoard, multiGpuBoardGroupID;
	int hostNativeAtomicSupported, pageableMemoryAccess, concurrentManagedAccess,
		computePreemptionSupported, canUseHostPointerForRegisteredMem, cooperativeLaunch;
	size_t sharedMemPerBlockOptin;
	int pageableMemoryAccessUsesHostPageTables, directManagedMemAccessFromHost,
		maxBlocksPerMultiProcessor, accessPolicyMaxWindowSize;
	size_t reservedSharedMemPerBlock;
	int hostRegisterSupported, sparseCudaArraySupported, hostRegisterReadOnlySupported,
		timelineSemaphoreInteropSupported, memoryPoolsSupported, gpuDirectRDMASupported;
	unsigned gpuDirectRDMAFlushWritesOptions;
	int gpuDirectRDMAWritesOrdering;
	unsigned memoryPoolSupportedHandleTypes;
	int deferredMappingCudaArraySupported, ipcEventSupported, clusterLaunch,
		unifiedFunctionPointers;
	int numa[4];
	unsigned gpuPciDeviceID, gpuPciSubsystemID;
	int hostNumaMultinodeIpcSupported;
	int reserved[56];
};
static_assert(sizeof(cudaDeviceProp) == 1008, "as in the runtime, version 13");

/* Texels, textures and surfaces. */
enum cudaChannelFormatKind {
	cudaChannelFormatKindSigned = 0,
	cudaChannelFormatKindUnsigned = 1,
	cudaChannelFormatKindFloat = 2,
	cudaChannelFormatKindNone = 3
};
struct cudaChannelFormatDesc {
	int x, y, z, w;
	cudaChannelFormatKind f;
};
enum cudaResourceType {
	cudaResourceTypeArray = 0,
	cudaResourceTypeMipmappedArray = 1,
	cudaResourceTypeLinear = 2,
	cudaResourceTypePitch2D = 3
};
struct cudaResourceDesc {
	cudaResourceType resType;
	union {
		struct {
			cudaArray_t array;
		} array;
		struct {
			void *devPtr;
			cudaChannelFormatDesc desc;
			size_t sizeInBytes;
		} linear;
		struct {
			void *devPtr;
			cudaChannelFormatDesc desc;
			size_t width, height, pitchInBytes;
		} pitch2D;
		struct {
			int reserved[32];
		} reserved;
	} res;
	unsigned flags;
};
static_assert(sizeof(cudaResourceDesc) == 144, "as in the runtime, version 13");
enum cudaTextureAddressMode {
	cudaAddressModeWrap = 0,
	cudaAddressModeClamp = 1,
	cudaAddressModeMirror = 2,
	cudaAddressModeBorder = 3
};
enum cudaTextureFilterMode { cudaFilterModePoint = 0, cudaFilterModeLinear = 1 };
enum cudaTextureReadMode { cudaReadModeElementType = 0, cudaReadModeNormalizedFloat = 1 };
struct cudaTextureDesc {
	cudaTextureAddressMode addressMode[3];
	cudaTextureFilterMode filterMode;
	cudaTextureReadMode readMode;
	int sRGB;
	float borderColor[4];
	int normalizedCoords;
	unsigned maxAnisotropy;
	cudaTextureFilterMode mipmapFilterMode;
	float mipmapLevelBias, minMipmapLevelClamp, maxMipmapLevelClamp;
	int disableTrilinearOptimization, seamlessCubemap;
};
static_assert(sizeof(cudaTextureDesc) == 72, "as in the runtime, version 13");
enum cudaSurfaceBoundaryMode {
	cudaBoundaryModeZero = 0,
	cudaBoundaryModeClamp = 1,
	cudaBoundaryModeTrap = 2
};
struct cudaResourceViewDesc {
	int format;
	size_t width, height, depth;
	unsigned firstMipmapLevel, lastMipmapLevel, firstLayer, lastLayer, reserved[16];
};
enum {
	cudaArrayDefault = 0,
	cudaArrayLayered = 1,
	cudaArraySurfaceLoadStore = 2,
	cudaArrayCubemap = 4,
	cudaArrayTextureGather = 8
};

struct cudaPos {
	size_t x, y, z;
};
struct cudaExtent {
	size_t width, height, depth;
};
struct cudaPitchedPtr {
	void *ptr;
	size_t pitch, xsize, ysize;
};
struct cudaMemcpy3DParms {
	cudaArray_t srcArray;
	cudaPos srcPos;
	cudaPitchedPtr srcPtr;
	cudaArray_t dstArray;
	cudaPos dstPos;
	cudaPitchedPtr dstPtr;
	cudaExtent extent;
	cudaMemcpyKind kind;
};

#define CUstreamCallback cudaStreamCallback_t
#define CUhostFn cudaHostFn_t
#define CUDA_MEMSET_NODE_PARAMS cudaMemsetParams
#define CUDA_HOST_NODE_PARAMS cudaHostNodeParams
#define location cudaMemLocation
extern "C" {
#define RT(name, parameters) cudaError_t name parameters;
#include "runtime.def"
#undef RT
const char *cudaGetErrorName(cudaError_t error);
const char *cudaGetErrorString(cudaError_t error);
/* What version 13 has of its own (cudart/major/13.h). */
cudaError_t cudaRuntimeGetVersion(int *version);
cudaError_t cudaGetDeviceProperties(cudaDeviceProp *p, int device);
cudaError_t cudaPointerGetAttributes(cudaPointerAttributes *out, const void *address);
cudaError_t cudaFuncGetAttributes(cudaFuncAttributes *out, const void *entry);
cudaError_t cudaMemAdvise(const void *address, size_t size, int advice, cudaMemLocation location);
cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t *from,
	const cudaGraphNode_t *to, const void *edges, size_t count);
cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w, cudaChannelFormatKind f);
cudaError_t cudaGetTextureObjectResourceDesc(cudaResourceDesc *out, CUtexObject texture);
cudaError_t cudaGetTextureObjectTextureDesc(cudaTextureDesc *out, CUtexObject texture);
cudaError_t cudaGetSurfaceObjectResourceDesc(cudaResourceDesc *out, CUsurfObject surface);
unsigned __cudaPushCallConfiguration(
	dim3 grid, dim3 block, size_t shared = 0, cudaStream_t stream = 0);

/* What may be left out. */
cudaError_t cudaMallocManaged(void **address, size_t size, unsigned flags = cudaMemAttachGlobal);
cudaError_t cudaHostAlloc(void **host, size_t size, unsigned flags);
cudaError_t cudaHostRegister(void *host, size_t size, unsigned flags = 0);
cudaError_t cudaHostGetDevicePointer(void **address, void *host, unsigned flags = 0);
cudaError_t cudaMemcpyAsync(
	void *to, const void *from, size_t size, int kind, cudaStream_t stream = 0);
cudaError_t cudaMemcpy2DAsync(void *to, size_t to_pitch, const void *from, size_t from_pitch,
	size_t width, size_t height, int kind, cudaStream_t stream = 0);
cudaError_t cudaMemsetAsync(void *address, int value, size_t size, cudaStream_t stream = 0);
cudaError_t cudaMemset2DAsync(void *address, size_t pitch, int value, size_t width, size_t height,
	cudaStream_t stream = 0);
cudaError_t cudaMemPrefetchAsync(const void *address, size_t size, cudaMemLocation location,
	unsigned flags, cudaStream_t stream = 0);
cudaError_t cudaMallocArray(cudaArray_t *array, const cudaChannelFormatDesc *desc, size_t width,
	size_t height = 0, unsigned flags = 0);
cudaError_t cudaMalloc3DArray(cudaArray_t *array, const cudaChannelFormatDesc *desc,
	cudaExtent extent, unsigned flags = 0);
cudaError_t cudaMemcpy2DToArrayAsync(cudaArray_t to, size_t x, size_t y, const void *from,
	size_t pitch, size_t width, size_t height, int kind, cudaStream_t stream = 0);
cudaError_t cudaMemcpy2DFromArrayAsync(void *to, size_t pitch, cudaArray_const_t from, size_t x,
	size_t y, size_t width, size_t height, int kind, cudaStream_t stream = 0);
cudaError_t cudaMemcpyToArrayAsync(cudaArray_t to, size_t x, size_t y, const void *from,
	size_t count, int kind, cudaStream_t stream = 0);
cudaError_t cudaMemcpyFromArrayAsync(void *to, cudaArray_const_t from, size_t x, size_t y,
	size_t count, int kind, cudaStream_t stream = 0);
cudaError_t cudaMemcpyArrayToArray(cudaArray_t to, size_t to_x, size_t to_y, cudaArray_const_t from,
	size_t from_x, size_t from_y, size_t count, int kind = cudaMemcpyDeviceToDevice);
cudaError_t cudaMemcpy2DArrayToArray(cudaArray_t to, size_t to_x, size_t to_y,
	cudaArray_const_t from, size_t from_x, size_t from_y, size_t width, size_t height,
	int kind = cudaMemcpyDeviceToDevice);
cudaError_t cudaMemcpy3DAsync(const cudaMemcpy3DParms *box, cudaStream_t stream = 0);
cudaError_t cudaMemset3DAsync(
	cudaPitchedPtr to, int value, cudaExtent extent, cudaStream_t stream = 0);
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags = 0);
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream = 0);
cudaError_t cudaEventRecordWithFlags(
	cudaEvent_t event, cudaStream_t stream = 0, unsigned flags = 0);
cudaError_t cudaStreamAttachMemAsync(
	cudaStream_t stream, void *address, size_t size = 0, unsigned flags = cudaMemAttachSingle);
cudaError_t cudaGraphInstantiate(
	cudaGraphExec_t *exec, cudaGraph_t graph, unsigned long long flags = 0);
}
#undef location
#undef CUDA_HOST_NODE_PARAMS
#undef CUDA_MEMSET_NODE_PARAMS
#undef CUstreamCallback
#undef CUhostFn

static inline cudaExtent make_cudaExtent(size_t width, size_t height, size_t depth)
{
	return cudaExtent{width, height, depth};
}
static inline cudaPos make_cudaPos(size_t x, size_t y, size_t z) { return cudaPos{x, y, z}; }
static inline cudaPitchedPtr make_cudaPitchedPtr(void *ptr, size_t pitch, size_t x, size_t y)
{
	return cudaPitchedPtr{ptr, pitch, x, y};
}

/* The same for pointers and variables of any type. */
#ifdef __cplusplus
template <class T> static inline cudaError_t cudaMalloc(T **address, size_t size)
{
	return cudaMalloc((void **)address, size);
}
template <class T>
static inline cudaError_t cudaMallocPitch(T **address, size_t *pitch, size_t width, size_t height)
{
	return cudaMallocPitch((void **)address, pitch, width, height);
}
template <class T>
static inline cudaError_t cudaMallocAsync(T **address, size_t size, cudaStream_t stream)
{
	return cudaMallocAsync((void **)address, size, stream);
}
template <class T>
static inline cudaError_t cudaMallocManaged(
	T **address, size_t size, unsigned flags = cudaMemAttachGlobal)
{
	return cudaMallocManaged((void **)address, size, flags);
}
template <class T> static inline cudaError_t cudaMallocHost(T **host, size_t size)
{
	return cudaMallocHost((void **)host, size);
}
template <class T> static inline cudaError_t cudaHostAlloc(T **host, size_t size, unsigned flags)
{
	return cudaHostAlloc((void **)host, size, flags);
}
template <class T>
static inline cudaError_t cudaHostGetDevicePointer(T **address, void *host, unsigned flags = 0)
{
	return cudaHostGetDevicePointer((void **)address, host, flags);
}
template <class T>
static inline cudaError_t cudaMemcpyToSymbol(const T &symbol, const void *from, size_t size,
	size_t offset = 0, cudaMemcpyKind kind = cudaMemcpyHostToDevice)
{
	return cudaMemcpyToSymbol((const void *)&symbol, from, size, offset, (int)kind);
}
template <class T>
static inline cudaError_t cudaMemcpyToSymbolAsync(const T &symbol, const void *from, size_t size,
	size_t offset = 0, cudaMemcpyKind kind = cudaMemcpyHostToDevice, cudaStream_t stream = 0)
{
	return cudaMemcpyToSymbolAsync(
		(const void *)&symbol, from, size, offset, (int)kind, stream);
}
template <class T>
static inline cudaError_t cudaMemcpyFromSymbol(void *to, const T &symbol, size_t size,
	size_t offset = 0, cudaMemcpyKind kind = cudaMemcpyDeviceToHost)
{
	return cudaMemcpyFromSymbol(to, (const void *)&symbol, size, offset, (int)kind);
}
template <class T>
static inline cudaError_t cudaMemcpyFromSymbolAsync(void *to, const T &symbol, size_t size,
	size_t offset = 0, cudaMemcpyKind kind = cudaMemcpyDeviceToHost, cudaStream_t stream = 0)
{
	return cudaMemcpyFromSymbolAsync(
		to, (const void *)&symbol, size, offset, (int)kind, stream);
}
template <class T> static inline cudaError_t cudaGetSymbolAddress(void **address, const T &symbol)
{
	return cudaGetSymbolAddress(address, (const void *)&symbol);
}
template <class T> static inline cudaError_t cudaGetSymbolSize(size_t *size, const T &symbol)
{
	return cudaGetSymbolSize(size, (const void *)&symbol);
}
template <class F>
static inline cudaError_t cudaLaunchKernel(
	F *kernel, dim3 grid, dim3 block, void **args, size_t shared = 0, cudaStream_t stream = 0)
{
	return cudaLaunchKernel((const void *)kernel, grid, block, args, shared, stream);
}
template <class F>
static inline cudaError_t cudaLaunchCooperativeKernel(
	F *kernel, dim3 grid, dim3 block, void **args, size_t shared = 0, cudaStream_t stream = 0)
{
	return cudaLaunchCooperativeKernel((const void *)kernel, grid, block, args, shared, stream);
}
template <class... P, class... A>
static inline cudaError_t cudaLaunchKernelEx(
	const cudaLaunchConfig *config, void (*kernel)(P...), A &&...args)
{
	return [&](P... values) {
		void *at[] = {(void *)&values..., nullptr};

		return cudaLaunchKernelExC(config, (const void *)kernel, at);
	}(static_cast<A &&>(args)...);
}
template <class F>
static inline cudaError_t cudaFuncGetAttributes(cudaFuncAttributes *out, F *kernel)
{
	return cudaFuncGetAttributes(out, (const void *)kernel);
}
template <class F> static inline cudaError_t cudaFuncSetAttribute(F *kernel, int which, int value)
{
	return cudaFuncSetAttribute((const void *)kernel, which, value);
}
template <class F> static inline cudaError_t cudaFuncSetCacheConfig(F *kernel, int config)
{
	return cudaFuncSetCacheConfig((const void *)kernel, config);
}
template <class F>
static inline cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(
	int *blocks, F *kernel, int threads, size_t shared)
{
	return cudaOccupancyMaxActiveBlocksPerMultiprocessor(
		blocks, (const void *)kernel, threads, shared);
}
template <class F>
static inline cudaError_t cudaOccupancyMaxActiveClusters(
	int *clusters, F *kernel, const cudaLaunchConfig_t *config)
{
	return cudaOccupancyMaxActiveClusters(clusters, (const void *)kernel, config);
}
template <class F>
static inline cudaError_t cudaOccupancyMaxPotentialClusterSize(
	int *size, F *kernel, const cudaLaunchConfig_t *config)
{
	return cudaOccupancyMaxPotentialClusterSize(size, (const void *)kernel, config);
}
/* The largest block for which a multiprocessor has the most threads. */
template <class F>
static inline cudaError_t cudaOccupancyMaxPotentialBlockSize(
	int *grid, int *block, F *kernel, size_t shared = 0, int most = 0)
{
	cudaFuncAttributes a;
	cudaError_t error = cudaFuncGetAttributes(&a, (const void *)kernel);
	int best = 0, processors = 0;

	if (!error)
		error = cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, 0);
	for (int n = 32; !error && n <= a.maxThreadsPerBlock && (!most || n <= most); n += 32) {
		int blocks = 0;

		error = cudaOccupancyMaxActiveBlocksPerMultiprocessor(
			&blocks, (const void *)kernel, n, shared);
		if (n * blocks >= best) {
			best = n * blocks;
			*block = n;
			*grid = blocks * processors;
		}
	}
	return error;
}
template <class T> static inline cudaError_t cudaEventCreate(T *event, unsigned flags)
{
	return cudaEventCreateWithFlags(event, flags);
}
#endif
#endif
