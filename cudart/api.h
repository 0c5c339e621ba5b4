/* The runtime's interface, of version 13: types, numbers and layouts are those of its
 * documentation. Handles are the driver's. */
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

struct cudaDeviceProp {
	char name[256];
	char uuid[16], luid[8];
	unsigned luid_mask;
	size_t memory, shared_per_block;
	int registers_per_block, warp;
	size_t pitch;
	int threads_per_block, block[3], grid[3];
	size_t constant;
	int major, minor;
	size_t texture_alignment, texture_pitch;
	int multiprocessors, integrated, maps_host;
	int textures[39]; /* the most in each dimension of each kind, surfaces too */
	size_t surface_alignment;
	int concurrent_kernels, ecc, pci_bus, pci_device, pci_domain, tcc;
	int async_engines, unified_addressing, memory_bus, l2, l2_persisting;
	int threads_per_multiprocessor, priorities, global_l1, local_l1;
	size_t shared_per_multiprocessor;
	int registers_per_multiprocessor, managed, multi_board, multi_board_group;
	int host_atomics, pageable, concurrent_managed, preemption, host_pointers, cooperative;
	size_t shared_optin;
	int pageable_tables, direct_managed, blocks_per_multiprocessor, access_window;
	size_t shared_reserved;
	int registers_host, sparse, registers_read_only, semaphores, pools, rdma;
	unsigned rdma_flush;
	int rdma_order;
	unsigned pool_handles;
	int deferred_arrays, ipc_events, clusters, function_pointers;
	int numa_config, numa_id, mps, host_numa;
	unsigned pci_device_id, pci_subsystem;
	int numa_ipc;
	int reserved[56];
};

#define SHOWN __attribute__((visibility("default")))
#define RT(name, parameters) SHOWN cudaError_t name parameters;
#include "cudart/functions.def"
#undef RT
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
