/* The runtime's interface: types, numbers and layouts are those of its documentation. Handles are
 * the driver's. What differs between its major versions is in cudart/major/. */
#ifndef PTXI_CUDART_API_H
#define PTXI_CUDART_API_H
#include "cuda/api.h"

/* Numbers of errors are the driver's, where both have one. */
typedef int cudaError_t;
enum {
#define ERROR(name, number, text) name = number,
#include "cudart/errors.def"
#undef ERROR
};

struct dim3 {
	unsigned x, y, z;
};

enum { HOST_TO_HOST, HOST_TO_DEVICE, DEVICE_TO_HOST, DEVICE_TO_DEVICE, BY_ADDRESS };

struct location {
	int type, id;
};

struct cudaPointerAttributes {
	int type; /* 0 unregistered, 1 host, 2 device, 3 managed */
	int device;
	void *device_pointer, *host_pointer;
	long reserved[8];
};

struct cudaFuncAttributes {
	size_t shared, constant, local;
	int threads, registers, ptx_version, binary_version, cache_mode, dynamic, carveout;
	int cluster_required, cluster[3], cluster_policy, cluster_any;
	int reserved[16];
};

struct cudaLaunchConfig {
	struct dim3 grid, block;
	size_t shared;
	CUstream stream;
	CUlaunchAttribute *attributes;
	unsigned count;
};

struct cudaPos {
	size_t x, y, z;
};

struct cudaExtent {
	size_t width, height, depth;
};

struct cudaPitchedPtr {
	void *address;
	size_t pitch, width, height;
};

struct cudaMemcpy3DParms {
	void *from_array;
	struct cudaPos from_at;
	struct cudaPitchedPtr from;
	void *to_array;
	struct cudaPos to_at;
	struct cudaPitchedPtr to;
	struct cudaExtent extent;
	int kind;
};

struct cudaChannelFormatDesc {
	int x, y, z, w; /* bits */
	int f;          /* 0 signed, 1 unsigned, 2 float */
};

/* Versions before 13 have neither `reserved` nor `flags`. */
struct cudaResourceDesc {
	int type;
	union {
		CUarray array;
		struct {
			void *address;
			struct cudaChannelFormatDesc desc;
			size_t bytes;
		} linear;
		struct {
			void *address;
			struct cudaChannelFormatDesc desc;
			size_t width, height, pitch;
		} pitch2D;
		int reserved[32];
	} of;
	unsigned flags;
};
enum { RESOURCE_BYTES_OLDER = 64 };

struct cudaTextureDesc {
	int address_mode[3], filter_mode, read_mode, srgb;
	float border[4];
	int normalized;
	unsigned max_anisotropy;
	int mipmap_filter_mode;
	float mipmap_bias, mipmap_min, mipmap_max;
	int no_trilinear;
	int seamless_cubemap; /* since version 12, and in what _v2 of 11 has */
};

struct cudaResourceViewDesc; /* there are none */

struct cudaKernelNodeParams {
	const void *entry;
	struct dim3 grid, block;
	unsigned shared;
	void **args, **extra;
};

#define SHOWN __attribute__((visibility("default")))
#define RT(name, parameters) SHOWN cudaError_t name parameters;
#include "cudart/functions.def"
#undef RT
/* The same functions for programs whose default stream is that of the thread. */
#define RT(name, parameters)
#define RS(name, suffix, parameters, arguments) SHOWN cudaError_t name##suffix parameters;
#include "cudart/functions.def"
#undef RT
SHOWN struct cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w, int f);
SHOWN cudaError_t cudaGetTextureObjectResourceDesc(void *out, uint64_t texture);
SHOWN cudaError_t cudaGetSurfaceObjectResourceDesc(void *out, uint64_t surface);
SHOWN cudaError_t cudaGetTextureObjectTextureDesc(void *out, uint64_t texture);
SHOWN const char *cudaGetErrorName(cudaError_t error);
SHOWN const char *cudaGetErrorString(cudaError_t error);
SHOWN unsigned __cudaPushCallConfiguration(
	struct dim3 grid, struct dim3 block, size_t shared, CUstream stream);
SHOWN void **__cudaRegisterFatBinary(void *wrapper);
SHOWN void __cudaRegisterFatBinaryEnd(void **handle);
SHOWN void __cudaUnregisterFatBinary(void **handle);
SHOWN char __cudaInitModule(void **handle);
SHOWN void __cudaRegisterFunction(void **handle, const char *entry, char *device_entry,
	const char *name, int threads, void *tid, void *bid, struct dim3 *block, struct dim3 *grid,
	int *warps);
SHOWN void __cudaRegisterVar(void **handle, char *variable, char *device_variable, const char *name,
	int external, size_t size, int constant, int global);
SHOWN void __cudaRegisterManagedVar(void **handle, void **pointer, char *device_variable,
	const char *name, int external, size_t size, int constant, int global);

#endif
